//! Expressions as chains, read from their nodes by the node kinds in `[expressions]` of
//! `language.toml`.
//!
//! A chain is read from its end: the node of `a.b(x).c` is the member `c` of the node of `a.b(x)`,
//! which is a call of the node of `a.b`, and so on to the root.

use std::ops::Range;

use super::Walk;
use crate::extract::TypePlace;
use crate::facts::{Chain, ChainRoot, ChainStep, DeclaredType, TypeExpr};
use crate::node_kinds::{ARGUMENTS, COMMENT, ExpressionRole, LAST_ARGUMENT, MEMBER};
use crate::settings::ModuleSystem;
use crate::tree::Node;

/// More steps are not kept, which makes a chain unknown at its start.
pub(super) const MAX_STEPS: usize = 40;
/// Nodes in nodes are followed this far.
const MAX_NODES: usize = 128;
/// Longer types that a call is asked for are not kept.
const MAX_ASKED_BYTES: usize = 60;
/// Marks between two expressions of which the first is as good as the whole.
const ALTERNATIVES: [&str; 7] = ["||", "??", "?:", "||=", "??=", "or", "orelse"];

/// The expression before a member.
#[derive(Clone)]
pub(super) struct Receiver<'tree> {
    pub object: Node<'tree>,
    /// The parts before it, where paths nest to the right.
    pub before: Vec<Option<Node<'tree>>>,
}

impl<'tree> From<Node<'tree>> for Receiver<'tree> {
    fn from(object: Node<'tree>) -> Receiver<'tree> {
        Receiver { object, before: Vec::new() }
    }
}

/// A chain of which the end is read.
#[derive(Default)]
pub(super) struct ChainReader<'tree> {
    /// Last step first.
    pub steps: Vec<ChainStep>,
    /// Parts of paths that nest to the right, each before the one that is read next; `None` for the
    /// root of all names.
    before: Vec<Option<Node<'tree>>>,
    is_new: bool,
}

/// The way on from a node.
enum Onward<'tree> {
    /// The chain goes on with this node.
    Node(Node<'tree>),
    Root(ChainRoot),
}

impl<'tree> Walk<'_, 'tree> {
    /// Reads the expression at a node.
    pub(super) fn chain(&mut self, node: Node<'tree>) -> Chain {
        self.receiver_chain(Receiver::from(node))
    }

    /// Reads the expression before a member.
    pub(super) fn receiver_chain(&mut self, receiver: Receiver<'tree>) -> Chain {
        let mut reader = ChainReader { before: receiver.before, ..ChainReader::default() };
        let mut node = receiver.object;
        for _ in 0..MAX_NODES {
            if reader.steps.len() > MAX_STEPS {
                break;
            }
            match self.read_node(node, &mut reader) {
                Onward::Node(inner) => node = inner,
                Onward::Root(root) => match (root, reader.before.pop()) {
                    (root, None) => return reader.finish(root),
                    (ChainRoot::Name(name), Some(before)) => {
                        reader.steps.push(self.step_at(node.start_byte(), name));
                        match before {
                            Some(before) => node = before,
                            None => return reader.finish(ChainRoot::Global),
                        }
                    }
                    _ => break,
                },
            }
        }
        reader.finish(ChainRoot::Unknown)
    }

    /// Reads the names of a path that the grammar leaves as one word.
    pub(super) fn path_chain(&mut self, path: Range<usize>) -> Chain {
        let mut reader = ChainReader::default();
        let root = self.read_word(path, &mut reader);
        reader.finish(root)
    }

    /// Returns something that is only known to be of a type, if it is.
    pub(super) fn cast_chain(&mut self, declared: Option<TypePlace<'tree>>) -> Chain {
        let declared = declared.and_then(|place| self.declared_type(&place));
        let root = declared.map(|declared| ChainRoot::Cast(self.types.intern(declared)));
        ChainReader::default().finish(root.unwrap_or(ChainRoot::Unknown))
    }

    fn read_node(&mut self, node: Node<'tree>, reader: &mut ChainReader<'tree>) -> Onward<'tree> {
        let Some(role) = self.node_kinds.expression_role(&node) else { return self.read_other(node, reader) };
        match role {
            ExpressionRole::Member => self.read_member(node, reader),
            ExpressionRole::Call => self.read_call(node, reader),
            ExpressionRole::New => {
                if self.has_arguments(node) {
                    reader.steps.push(ChainStep::Call);
                }
                if let Some(declared) = self.made_type(node) {
                    reader.steps.push(ChainStep::TypeArguments(declared));
                }
                reader.is_new = true;
                self.go_on(node)
            }
            ExpressionRole::Await => {
                let word = self.names.intern(&self.language.settings().resolve.await_word);
                self.step_before(node, ChainStep::Member(word), reader)
            }
            ExpressionRole::Index => self.step_before(node, ChainStep::Index, reader),
            ExpressionRole::Macro => self.step_before(node, ChainStep::MacroCall, reader),
            // `[]Point{…}` is said to be a list of points.
            ExpressionRole::Braces if self.base(node).is_some_and(|base| self.is_literal(base)) => {
                Onward::Root(self.read_cast(self.base(node)))
            }
            ExpressionRole::Braces => self.step_before(node, ChainStep::Braces, reader),
            ExpressionRole::Single if node.named_child_count() > 1 => Onward::Root(ChainRoot::Unknown),
            ExpressionRole::Generic if self.is_generic_type(reader) => Onward::Root(self.read_cast(Some(node))),
            ExpressionRole::Same | ExpressionRole::Single | ExpressionRole::Generic | ExpressionRole::Asked => {
                self.go_on(node)
            }
            ExpressionRole::Either if !self.is_either(node) => Onward::Root(ChainRoot::Unknown),
            ExpressionRole::Unary if !self.has_mark(node) => Onward::Root(ChainRoot::Unknown),
            ExpressionRole::Either | ExpressionRole::Unary => self.go_on(node),
            ExpressionRole::Around => match (self.base(node), last_named(node)) {
                (Some(base), Some(last)) if base.id() != last.id() => {
                    reader.before.push(Some(base));
                    Onward::Node(last)
                }
                _ => Onward::Root(ChainRoot::Unknown),
            },
            ExpressionRole::Bound => self.read_bound(node),
            // `x as const`
            ExpressionRole::Cast if node.named_child_count() == 1 => self.go_on(node),
            ExpressionRole::Cast => {
                let field = self.node_kinds.expression_field(&node).and_then(|field| node.child_by_field_id(field));
                Onward::Root(self.read_cast(field.or_else(|| last_named(node))))
            }
            // Members of a tuple are not those of its first part.
            ExpressionRole::Group if node.named_child_count() > 1 && !reader.steps.is_empty() => {
                Onward::Root(ChainRoot::List)
            }
            ExpressionRole::Group => self.base(node).map_or(Onward::Root(ChainRoot::Unit), Onward::Node),
            ExpressionRole::Last => last_named(node).map_or(Onward::Root(ChainRoot::Unknown), Onward::Node),
            ExpressionRole::Path => Onward::Root(self.read_path(node, reader)),
            ExpressionRole::Name => Onward::Root(self.read_word(node.byte_range(), reader)),
            ExpressionRole::String => Onward::Root(ChainRoot::String),
            ExpressionRole::Number => Onward::Root(ChainRoot::Number),
            ExpressionRole::List => Onward::Root(ChainRoot::List),
            ExpressionRole::Map => Onward::Root(ChainRoot::Map),
            ExpressionRole::Unknown => Onward::Root(ChainRoot::Unknown),
        }
    }

    /// Returns whether a name with type arguments stands for a type whose member is asked for,
    /// where the number of arguments tells which.
    fn is_generic_type(&self, reader: &ChainReader<'tree>) -> bool {
        let is_before_member = matches!(reader.steps.last(), None | Some(ChainStep::Member(_)));
        let is_root = reader.before.is_empty() && !reader.is_new;
        self.language.settings().resolve.types_by_arity && is_before_member && is_root
    }

    /// Reads the type that an expression is said to be of.
    fn read_cast(&mut self, node: Option<Node<'tree>>) -> ChainRoot {
        let declared = node.and_then(|node| self.declared_type(&TypePlace::from(node)));
        declared.map_or(ChainRoot::Unknown, |declared| ChainRoot::Cast(self.types.intern(declared)))
    }

    /// Reads a node that the rules do not list: a name, or a node around a single other.
    fn read_other(&mut self, node: Node<'tree>, reader: &mut ChainReader<'tree>) -> Onward<'tree> {
        if node.named_child_count() == 0 {
            return Onward::Root(self.read_word(node.byte_range(), reader));
        }
        let only = node.named_child(0).filter(|child| child.byte_range() == node.byte_range());
        only.map_or(Onward::Root(ChainRoot::Unknown), Onward::Node)
    }

    fn read_member(&mut self, node: Node<'tree>, reader: &mut ChainReader<'tree>) -> Onward<'tree> {
        let (object, member) = self.node_kinds.member_parts(node);
        let Some(member) = member else { return object.map_or(Onward::Root(ChainRoot::Unknown), Onward::Node) };
        if object.is_none() && member.start_byte() == node.start_byte() {
            return Onward::Node(member);
        }
        // `a::(b::c)`, or a member with type arguments.
        if !member.is_leaf() && self.node_kinds.expression_role(&member).is_some() {
            reader.before.push(object);
            return Onward::Node(member);
        }
        let name = self.names.intern(&self.text[innermost_name(member).byte_range()]);
        reader.steps.push(self.step_at(member.start_byte(), name));
        match (object, reader.before.pop()) {
            (Some(object), before) => {
                reader.before.extend(before);
                Onward::Node(object)
            }
            (None, Some(Some(before))) => Onward::Node(before),
            (None, _) => {
                let is_path = matches!(reader.steps.last(), Some(ChainStep::Segment(_)));
                Onward::Root(if is_path { ChainRoot::Global } else { ChainRoot::Unknown })
            }
        }
    }

    fn read_call(&mut self, node: Node<'tree>, reader: &mut ChainReader<'tree>) -> Onward<'tree> {
        if let Some(declared) = self.class_argument(node) {
            reader.steps.push(ChainStep::TypeArguments(declared));
        } else if let Some(made) = self.wrapped_path(node) {
            let made = self.types.intern(made);
            reader.steps.push(ChainStep::TypeArguments(made));
        }
        if self.node_kinds.of(&node) & MEMBER != 0 {
            if self.has_arguments(node) {
                reader.steps.push(ChainStep::Call);
            }
            return match self.node_kinds.member_parts(node) {
                (None, Some(_)) if reader.before.is_empty() => self.go_on(node),
                _ => self.read_member(node, reader),
            };
        }
        let asked =
            self.base(node).filter(|base| matches!(self.node_kinds.expression_role(base), Some(ExpressionRole::Asked)));
        if let Some(declared) = asked.and_then(|asked| self.asked_type(asked)) {
            reader.steps.push(ChainStep::TypeArguments(declared));
        }
        let Some(base) = self.base(node) else { return Onward::Root(ChainRoot::Unknown) };
        let last = last_named(node).filter(|last| last.id() != base.id());
        // A function that stands behind the list of arguments is one more.
        let is_more =
            |last: Node<'tree>| self.node_kinds.of(&last) & LAST_ARGUMENT != 0 && base.kind_id() == node.kind_id();
        match last {
            Some(last) if is_more(last) => {}
            Some(last) if self.text[last.byte_range()].starts_with('[') => reader.steps.push(ChainStep::Index),
            None if !self.text[node.byte_range()].ends_with(')') => {}
            _ => reader.steps.push(ChainStep::Call),
        }
        Onward::Node(base)
    }

    /// Reads the type that a call is asked for by its argument, which is mostly the one it gives.
    fn asked_type(&mut self, node: Node<'tree>) -> Option<u32> {
        let list = node.child_by_field_name("type_arguments")?;
        let only = list.named_child(0).filter(|_| list.named_child_count() == 1)?;
        let text = &self.text[only.byte_range()];
        let is_given = !text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "_");
        let declared = self.declared_type(&TypePlace::from(only))?;
        (text.len() <= MAX_ASKED_BYTES && is_given).then(|| self.types.intern(declared))
    }

    /// Reads the type with its arguments that `new` makes an instance of.
    fn made_type(&mut self, node: Node<'tree>) -> Option<u32> {
        let made = self.base(node)?;
        let text = &self.text[made.byte_range()];
        if !text.contains('<') || text.len() > MAX_ASKED_BYTES {
            return None;
        }
        let declared = self.declared_type(&TypePlace::from(made))?;
        let has_arguments = matches!(declared.expression(), TypeExpr::Named(_, arguments) if !arguments.is_empty());
        has_arguments.then(|| self.types.intern(declared))
    }

    /// Returns the only type argument of one of some functions (`Resolve<Point>()`).
    fn type_argument(&self, called: Node<'tree>, functions: &[String]) -> Option<Node<'tree>> {
        let is_generic = |node: &Node<'tree>| self.node_kinds.expression_role(node) == Some(ExpressionRole::Generic);
        let generic = [Some(called), last_named(called)].into_iter().flatten().find(is_generic)?;
        let name = &self.text[generic.named_child(0)?.byte_range()];
        let list = last_named(generic).filter(|list| list.named_child_count() == 1)?;
        list.named_child(0).filter(|_| functions.iter().any(|function| function == name))
    }

    /// Reads the type that a call is asked for by a type argument, or by its first argument
    /// (`mock(Point.class)`), where the function is known to give an instance of it.
    fn class_argument(&mut self, node: Node<'tree>) -> Option<u32> {
        let settings = self.language.settings();
        let functions = &settings.resolve.class_argument_functions;
        if functions.is_empty() {
            return None;
        }
        let called = self.base(node)?;
        if let Some(asked) = self.type_argument(called, functions) {
            let declared = self.declared_type(&TypePlace::from(asked))?;
            return Some(self.types.intern(declared));
        }
        let name = &self.text[innermost_name(called).byte_range()];
        let mut literal = node.child_by_field_name("arguments")?.named_child(0)?;
        if literal.named_child_count() == 1 && self.node_kinds.expression_role(&literal) == Some(ExpressionRole::Same) {
            literal = literal.named_child(0)?;
        }
        let is_class = settings.expressions.class_literals.iter().any(|kind| kind == literal.kind())
            && self.text[literal.byte_range()].ends_with("class");
        if !is_class || !functions.iter().any(|function| function == name) {
            return None;
        }
        let declared = self.declared_type(&TypePlace::from(literal.named_child(0)?))?;
        Some(self.types.intern(declared))
    }

    /// Returns the path of the function whose result is put into a wrapper with the members of its
    /// contents: `Store::open` of `Arc::new(Store::open(x))`. It stands for the type of the result.
    fn wrapped_path(&self, node: Node<'tree>) -> Option<DeclaredType> {
        let rules = &self.language.settings().resolve;
        if rules.modules != ModuleSystem::Crates {
            return None;
        }
        let separator = self.language.separator();
        let (before, function) = self.text[self.base(node)?.byte_range()].rsplit_once(separator)?;
        let wrapper = before.rsplit(separator).next().unwrap_or(before);
        let wraps = rules.makers.iter().chain(&rules.passing_methods).any(|known| known == function);
        if !wraps || !rules.transparent.iter().any(|known| known == wrapper) {
            return None;
        }
        let arguments = node.child_by_field_name("arguments")?;
        let only = arguments.named_child(0).filter(|_| arguments.named_child_count() == 1)?;
        let is_call = self.node_kinds.expression_role(&only) == Some(ExpressionRole::Call);
        let path = &self.text[self.base(only).filter(|_| is_call)?.byte_range()];
        let is_path = path.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'));
        let is_kept = is_path && path.contains(separator) && path.len() <= MAX_ASKED_BYTES;
        is_kept.then(|| DeclaredType::new(path.to_string(), Vec::new()))
    }

    /// Reads `<T as Trait>`, which is the trait, or `<Type as Trait>`, which is the type.
    fn read_bound(&self, node: Node<'tree>) -> Onward<'tree> {
        let Some(base) = self.base(node) else { return Onward::Root(ChainRoot::Unknown) };
        Onward::Node(last_named(node).filter(|_| self.is_parameter(base)).unwrap_or(base))
    }

    /// Returns whether a name of a type is likely that of a parameter.
    pub(super) fn is_parameter(&self, name: Node<'tree>) -> bool {
        const LONGEST: usize = 2;
        let written = &self.text[name.byte_range()];
        written.len() <= LONGEST || self.language.settings().resolve.type_words.iter().any(|word| word == written)
    }

    /// Reads a path whose names are parts of one node.
    fn read_path(&mut self, node: Node<'tree>, reader: &mut ChainReader<'tree>) -> ChainRoot {
        let words = node.named_children().filter(|child| child.named_child_count() == 0);
        let words: Vec<Node<'tree>> = words.take(MAX_STEPS).collect();
        let Some((first, rest)) = words.split_first() else { return ChainRoot::Unknown };
        for word in rest.iter().rev() {
            let name = self.names.intern(&self.text[word.byte_range()]);
            reader.steps.push(self.step_at(word.start_byte(), name));
        }
        self.read_word(first.byte_range(), reader)
    }

    /// Reads a word, which may be a path.
    pub(super) fn read_word(&mut self, place: Range<usize>, reader: &mut ChainReader<'tree>) -> ChainRoot {
        let word = self.text[place].trim_start_matches('\\').trim_end_matches(is_separator);
        match word.chars().next() {
            Some('"' | '\'' | '`') => return ChainRoot::String,
            Some('0'..='9') => return ChainRoot::Number,
            Some(first) if !is_word(first) => return ChainRoot::Unknown,
            None => return ChainRoot::Unknown,
            Some(_) => {}
        }
        if word.chars().all(|c| is_word(c) || c == '?' || c == '!') {
            return ChainRoot::Name(self.names.intern(word));
        }
        if !word.chars().all(|c| is_word(c) || is_separator(c)) {
            return ChainRoot::Unknown;
        }
        let is_path = !word.contains('.');
        let mut parts = word.split(is_separator).filter(|part| !part.is_empty()).rev().peekable();
        while let Some(part) = parts.next() {
            let name = self.names.intern(part);
            if parts.peek().is_none() {
                return ChainRoot::Name(name);
            }
            reader.steps.push(if is_path { ChainStep::Segment(name) } else { ChainStep::Member(name) });
        }
        ChainRoot::Unknown
    }

    fn step_before(&self, node: Node<'tree>, step: ChainStep, reader: &mut ChainReader<'tree>) -> Onward<'tree> {
        reader.steps.push(step);
        self.go_on(node)
    }

    fn go_on(&self, node: Node<'tree>) -> Onward<'tree> {
        self.base(node).map_or(Onward::Root(ChainRoot::Unknown), Onward::Node)
    }

    /// Returns the part of a node that the chain goes on with.
    fn base(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        let field = self.node_kinds.expression_field(&node).and_then(|field| node.child_by_field_id(field));
        field.or_else(|| node.named_children().find(|child| self.node_kinds.of(child) & COMMENT == 0))
    }

    fn is_literal(&self, node: Node<'tree>) -> bool {
        matches!(self.node_kinds.expression_role(&node), Some(ExpressionRole::List | ExpressionRole::Map))
    }

    fn has_arguments(&self, node: Node<'tree>) -> bool {
        let is_list = |child: Node<'tree>| {
            self.node_kinds.of(&child) & ARGUMENTS != 0 || self.text[child.byte_range()].starts_with('(')
        };
        node.child_by_field_name("arguments").is_some() || node.named_children().skip(1).any(is_list)
    }

    fn is_either(&self, node: Node<'tree>) -> bool {
        let mut marks = node.children().filter(|child| child.is_leaf());
        marks.any(|mark| ALTERNATIVES.contains(&&self.text[mark.byte_range()]))
    }

    /// Returns whether the operator of a node is a mark that hardly changes its operand.
    fn has_mark(&self, node: Node<'tree>) -> bool {
        let mark = node.children().find(|child| !child.is_named());
        mark.map_or("", |mark| &self.text[mark.byte_range()]).starts_with(['&', '*', '!', '-', '+', '~', '^'])
    }

    /// Returns the step to a name that starts at a byte.
    pub(super) fn step_at(&self, start: usize, name: u32) -> ChainStep {
        let before = self.text[..start].trim_end();
        if before.ends_with("::") || before.ends_with('\\') {
            ChainStep::Segment(name)
        } else {
            ChainStep::Member(name)
        }
    }
}

impl ChainReader<'_> {
    pub(super) fn finish(mut self, root: ChainRoot) -> Chain {
        let is_cut = self.steps.len() > MAX_STEPS;
        self.steps.truncate(MAX_STEPS);
        self.steps.reverse();
        let root = match root {
            _ if is_cut => ChainRoot::Unknown,
            ChainRoot::Name(name) if self.is_new => ChainRoot::New(name),
            root => root,
        };
        Chain { root, steps: self.steps }
    }
}

fn last_named(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(node.named_child_count().checked_sub(1)?)
}

/// Returns the name in a node around one.
fn innermost_name(mut node: Node<'_>) -> Node<'_> {
    const FAR_ENOUGH: usize = 4;
    for _ in 0..FAR_ENOUGH {
        match last_named(node) {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '#')
}

fn is_separator(c: char) -> bool {
    matches!(c, '.' | ':' | '\\')
}
