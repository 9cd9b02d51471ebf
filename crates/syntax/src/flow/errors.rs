//! Errors: what is done with one at a place, and the handlers around it.

use tree_sitter::Node;

use super::{FlowCode, MAX_CLIMB, children, field_of, named_children};
use crate::code::{CodePlace, NodeRole};

/// The use at a place of the type of an error, an instance of it, or its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorUse {
    /// It is raised, or returned as an error.
    Raised {
        /// The first line of the statement.
        line: u32,
        /// The place of the last type or constructor around it in that statement.
        made_by: Option<CodePlace>,
    },
    /// It is given to a name, which may be raised.
    Stored {
        /// The place of the name.
        place: CodePlace,
    },
    /// A handler names it.
    Handled {
        /// The first line of the handler.
        line: u32,
        /// True if the handler stands apart from the code that it handles errors of.
        is_declared: bool,
    },
    /// A test asks whether an error is of the type.
    Tested {
        /// The line of the test.
        line: u32,
    },
    /// Something else: it is made, inherited from, or named as a type.
    Other {
        /// The place of the type or constructor around a text.
        made_by: Option<CodePlace>,
    },
}

/// The handlers of a guarded block, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorGuard {
    /// All of them.
    pub handlers: Vec<ErrorHandler>,
}

/// A handler of errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorHandler {
    /// Its first line.
    pub line: u32,
    /// Its last line.
    pub end_line: u32,
    /// The types that it names: each name with its place.
    pub types: Vec<(String, CodePlace)>,
    /// True if it handles errors of all types.
    pub is_for_all: bool,
    /// The further way of the error.
    pub effect: HandlerEffect,
}

/// The further way of an error that a handler takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandlerEffect {
    /// It goes no further.
    Ends,
    /// Another one is made of it, on this line.
    Maps(u32),
    /// It is raised again, on this line.
    Raises(u32),
}

impl FlowCode {
    /// Returns what is done at a byte with the type, the instance or the text that stands there.
    pub fn error_use_at(&self, byte: usize) -> ErrorUse {
        let mut made_by = None;
        let Some(mut at) = self.leaf(byte) else { return ErrorUse::Other { made_by } };
        let is_text = self.is_in_text(at);
        let mut case = None;
        for _ in 0..MAX_CLIMB {
            let Some(parent) = at.parent() else { break };
            let line = parent.start_position().row as u32 + 1;
            let field = field_of(parent, at);
            if at.kind().ends_with("clause") {
                case = Some(at.start_position().row as u32 + 1);
            }
            if self.rules.handlers.contains_key(parent.kind()) {
                let is_inside = self.is_block(at) || field == Some("body");
                return if is_inside {
                    ErrorUse::Other { made_by }
                } else {
                    ErrorUse::Handled { line: case.unwrap_or(line), is_declared: false }
                };
            }
            if self.is_raise(parent) {
                return ErrorUse::Raised { line, made_by };
            }
            if self.rules.type_tests.iter().any(|kind| kind == parent.kind()) {
                return ErrorUse::Tested { line };
            }
            if self.role(parent) == Some(NodeRole::Operation) && self.is_type_operator(parent) {
                return ErrorUse::Tested { line };
            }
            if field == Some("pattern") && !is_text {
                return ErrorUse::Handled { line, is_declared: false };
            }
            if self.is_tagged(parent, at) {
                let is_matched = self.is_matched(parent);
                return if is_matched {
                    ErrorUse::Handled { line, is_declared: false }
                } else {
                    ErrorUse::Raised { line, made_by }
                };
            }
            match self.role(parent) {
                Some(NodeRole::Arguments) => {
                    if let Some(found) = self.error_argument(parent, &mut made_by) {
                        return found;
                    }
                }
                Some(NodeRole::Decorator) => {
                    let name = self.text_of(parent);
                    let declares = self.rules.handler_calls.iter().any(|call| name.contains(call.as_str()));
                    return if declares {
                        ErrorUse::Handled { line, is_declared: true }
                    } else {
                        ErrorUse::Other { made_by }
                    };
                }
                Some(NodeRole::Return) if self.rules.returns_errors => return ErrorUse::Raised { line, made_by },
                Some(NodeRole::Assignment) => return self.stored(parent, at, made_by),
                Some(NodeRole::Function | NodeRole::Class | NodeRole::Supertypes | NodeRole::Parameters) => break,
                None if self.rules.assignments.iter().any(|kind| kind == parent.kind()) => {
                    return self.stored(parent, at, made_by);
                }
                None if self.is_block(parent) => break,
                _ => {}
            }
            at = parent;
        }
        ErrorUse::Other { made_by }
    }

    /// Returns the guarded blocks around a byte in the function around it, innermost first.
    pub fn guards_at(&self, byte: usize) -> Vec<ErrorGuard> {
        let mut found = Vec::new();
        let Some(mut at) = self.leaf(byte) else { return found };
        for _ in 0..MAX_CLIMB * 4 {
            let Some(parent) = at.parent() else { break };
            let clauses = self.clauses(parent);
            let is_inside = !clauses.contains(&at) && !self.rules.unguarded.iter().any(|kind| kind == at.kind());
            if !clauses.is_empty() && is_inside {
                found.push(ErrorGuard {
                    handlers: clauses.iter().flat_map(|clause| self.handlers_of(*clause)).collect(),
                });
            }
            found.extend(self.guard_by_call(parent, at));
            found.extend(self.guard_by_match(parent, at));
            // Handlers of a function's body may stand beside it.
            if self.role(parent) == Some(NodeRole::Function) || self.role(parent) == Some(NodeRole::Class) {
                break;
            }
            at = parent;
        }
        found
    }

    /// Returns the clauses of a node that handle errors.
    fn clauses<'tree>(&self, node: Node<'tree>) -> Vec<Node<'tree>> {
        let is_handler = |child: &Node<'_>| self.rules.handlers.contains_key(child.kind());
        named_children(node).into_iter().filter(is_handler).collect()
    }

    /// Returns the handlers that one clause has, with the types that they name: one for each of its
    /// cases.
    fn handlers_of(&self, clause: Node<'_>) -> Vec<ErrorHandler> {
        let ways = self.rules.handlers.get(clause.kind()).map_or("", String::as_str);
        let mut cases: Vec<(Node<'_>, Vec<(String, CodePlace)>)> = Vec::new();
        for way in ways.split(' ').filter(|way| !way.is_empty()) {
            let (mut nodes, mut case) = (vec![clause], clause);
            for part in way.split('/') {
                let found: Vec<Node<'_>> = nodes.iter().flat_map(|node| below(*node, part)).collect();
                if part.ends_with("clause") {
                    let rest = way.split('/').next_back().unwrap_or("");
                    for one in &found {
                        let mut types = Vec::new();
                        below(*one, rest).iter().for_each(|node| self.add_type_names(*node, &mut types));
                        cases.push((*one, types));
                    }
                    case = found.first().copied().unwrap_or(clause);
                    break;
                }
                nodes = found;
            }
            if case == clause && !way.contains("clause") {
                let mut types = Vec::new();
                nodes.iter().for_each(|node| self.add_type_names(*node, &mut types));
                match cases.iter_mut().find(|(known, _)| *known == clause) {
                    Some((_, known)) => known.extend(types),
                    None => cases.push((clause, types)),
                }
            }
        }
        if ways.is_empty() {
            cases.push((clause, Vec::new()));
        }
        cases.into_iter().map(|(case, types)| self.handler(case, types)).collect()
    }

    fn handler(&self, case: Node<'_>, types: Vec<(String, CodePlace)>) -> ErrorHandler {
        let is_bound_only = self.rules.handler_patterns
            && types.iter().all(|(name, _): &(String, CodePlace)| !name.starts_with(char::is_uppercase));
        let is_root = |(name, _): &(String, CodePlace)| self.rules.root_errors.contains(name);
        let is_for_all = types.is_empty() || is_bound_only || types.iter().any(is_root);
        let (line, end_line) = (case.start_position().row as u32 + 1, case.end_position().row as u32 + 1);
        let effect = self.effect_of(case);
        ErrorHandler { line, end_line, types, is_for_all, effect }
    }

    /// Adds the names in the head of a handler: the last of each path.
    fn add_type_names(&self, node: Node<'_>, types: &mut Vec<(String, CodePlace)>) {
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            if self.is_block(node) || types.len() > 64 {
                continue;
            }
            let mut below = named_children(node);
            if !below.is_empty() {
                below.reverse();
                pending.extend(below);
                continue;
            }
            let text = self.text_of(node);
            let rest = self.text.get(node.end_byte()..).unwrap_or("");
            let is_path = rest.starts_with('.') || rest.starts_with("::") || rest.starts_with('\\');
            let is_path = is_path && !self.rules.handler_patterns;
            if !is_path && !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_') {
                types.push((text.to_string(), self.place_of(node.start_byte())));
            }
        }
    }

    /// Returns what a handler does: whether it raises, and whether that is the error itself.
    fn effect_of(&self, clause: Node<'_>) -> HandlerEffect {
        let head = self.line(clause.start_position().row as u32 + 1);
        let mut pending = vec![clause];
        let mut looked_at = 0;
        while let Some(node) = pending.pop() {
            looked_at += 1;
            if looked_at > 5_000 {
                break;
            }
            let line = node.start_position().row as u32 + 1;
            let is_call = self.role(node) == Some(NodeRole::Call);
            let name = if is_call { self.callee(node).map_or("", |name| self.text_of(name)) } else { "" };
            let raises = self.is_raise(node) || is_call && self.rules.raising_calls.iter().any(|call| call == name);
            if raises {
                let raised = self.text_of(node);
                let raised = raised.trim_start_matches(|c: char| c.is_alphabetic()).trim().trim_end_matches(';');
                let raised = raised.trim_matches(['(', ')']).trim_start_matches('$');
                let is_word = !raised.is_empty() && raised.chars().all(|c| c.is_alphanumeric() || c == '_');
                let is_same = raised.is_empty() || is_word && head.contains(raised);
                return if is_same { HandlerEffect::Raises(line) } else { HandlerEffect::Maps(line) };
            }
            if node != clause && matches!(self.role(node), Some(NodeRole::Function | NodeRole::Class)) {
                continue;
            }
            let mut below = children(node);
            below.reverse();
            pending.extend(below);
        }
        HandlerEffect::Ends
    }

    /// Returns the handler that a method of a result is, where the result has the byte.
    fn guard_by_call(&self, parent: Node<'_>, at: Node<'_>) -> Option<ErrorGuard> {
        if self.rules.catching_calls.is_empty() && self.rules.mapping_calls.is_empty() {
            return None;
        }
        // The receiver lies in the member that is called, or right in the call.
        let is_member = self.role(parent) == Some(NodeRole::Member);
        if !is_member && self.role(parent) != Some(NodeRole::Call) || named_children(parent).first() != Some(&at) {
            return None;
        }
        if !is_member && !matches!(field_of(parent, at), Some("receiver" | "object")) {
            return None;
        }
        let name = if is_member { self.last_name(parent)? } else { self.callee(parent)? };
        let (text, line) = (self.text_of(name), name.start_position().row as u32 + 1);
        let has = |list: &[String]| list.iter().any(|call| call == text);
        let effect = if has(&self.rules.catching_calls) {
            HandlerEffect::Ends
        } else if has(&self.rules.mapping_calls) {
            HandlerEffect::Maps(line)
        } else {
            return None;
        };
        Some(ErrorGuard {
            handlers: vec![ErrorHandler { line, end_line: line, types: Vec::new(), is_for_all: true, effect }],
        })
    }

    /// Returns the handlers among the patterns that a result is matched against.
    fn guard_by_match(&self, parent: Node<'_>, at: Node<'_>) -> Option<ErrorGuard> {
        let is_subject = matches!(field_of(parent, at), Some("value" | "subject"));
        if self.rules.error_patterns.is_empty() || !is_subject || !self.rules.decisions.contains_key(parent.kind()) {
            return None;
        }
        let mut handlers = Vec::new();
        let mut pending = vec![parent];
        while let Some(node) = pending.pop() {
            for child in children(node) {
                if child == at
                    || self.is_block(child) && self.rules.decisions.contains_key(node.kind()) && node != parent
                {
                    continue;
                }
                if field_of(node, child) != Some("pattern") {
                    let is_arm = child.child_by_field_name("pattern").is_some() || self.is_block(child);
                    if is_arm || child.kind().contains("match") {
                        pending.push(child);
                    }
                    continue;
                }
                let text = self.text_of(child);
                let is_error = |word: &String| text.split(|c: char| !c.is_alphanumeric()).any(|part| part == word);
                if !self.rules.error_patterns.iter().any(is_error) {
                    continue;
                }
                let mut types = Vec::new();
                self.add_type_names(child, &mut types);
                types.retain(|(name, _)| {
                    name.starts_with(char::is_uppercase) && !self.rules.error_patterns.contains(name)
                });
                let line = child.start_position().row as u32 + 1;
                let end_line = node.end_position().row as u32 + 1;
                let effect = self.effect_of(node);
                handlers.push(ErrorHandler { line, end_line, is_for_all: types.is_empty(), types, effect });
            }
        }
        handlers.sort_by_key(|handler| handler.line);
        (!handlers.is_empty()).then_some(ErrorGuard { handlers })
    }

    fn is_in_text(&self, leaf: Node<'_>) -> bool {
        let around = [Some(leaf), leaf.parent(), leaf.parent().and_then(|node| node.parent())];
        around.into_iter().flatten().any(|node| self.role(node) == Some(NodeRole::String))
    }

    /// Returns whether a statement raises.
    fn is_raise(&self, node: Node<'_>) -> bool {
        let word = self.rules.raises.get(node.kind());
        word.is_some_and(|word| node.is_named() && self.text_of(node).starts_with(word.as_str()))
    }

    /// Returns whether a node is a tuple that is an error by its first element.
    fn is_tagged(&self, parent: Node<'_>, at: Node<'_>) -> bool {
        let tags = &self.rules.raising_tags;
        if tags.is_empty() || !parent.kind().contains("tuple") {
            return false;
        }
        let first = parent.named_child(0).filter(|first| *first != at);
        first.is_some_and(|first| tags.iter().any(|tag| tag == self.text_of(first)))
    }

    /// Returns whether an operator asks for the type of what stands before it.
    fn is_type_operator(&self, node: Node<'_>) -> bool {
        let is_operator = |child: &Node<'_>| {
            !child.is_named() && self.rules.type_operators.iter().any(|known| known == self.text_of(*child))
        };
        children(node).iter().any(is_operator)
    }

    /// Returns whether a value stands where it is matched: on the left of an arrow or assignment.
    fn is_matched(&self, node: Node<'_>) -> bool {
        let mut at = node;
        for _ in 0..6 {
            let Some(parent) = at.parent().filter(|parent| !self.is_block(*parent)) else { return false };
            if matches!(field_of(parent, at), Some("left" | "pattern")) {
                return true;
            }
            at = parent;
        }
        false
    }

    /// Returns what a call does with an error that it is given; notes the call if it may make one.
    fn error_argument(&self, arguments: Node<'_>, made_by: &mut Option<CodePlace>) -> Option<ErrorUse> {
        let around = [arguments.parent(), arguments.parent().and_then(|node| node.parent())];
        let is_call =
            |node: &Node<'_>| self.role(*node) == Some(NodeRole::Call) || node.child_by_field_name("macro").is_some();
        let call = around.into_iter().flatten().find(is_call)?;
        let line = call.start_position().row as u32 + 1;
        let callee = self.callee(call)?;
        let name = self.text_of(callee);
        let has = |list: &[String]| list.iter().any(|one| one == name);
        if has(&self.rules.raising_calls) {
            return Some(ErrorUse::Raised { line, made_by: *made_by });
        }
        if has(&self.rules.error_tests) {
            return Some(ErrorUse::Tested { line });
        }
        if has(&self.rules.handler_calls) {
            return Some(ErrorUse::Handled { line, is_declared: true });
        }
        *made_by = Some(self.place_of(callee.start_byte()));
        None
    }

    fn stored(&self, parent: Node<'_>, at: Node<'_>, made_by: Option<CodePlace>) -> ErrorUse {
        let by_field = ["left", "name", "pattern", "target", "declarator"];
        let target = by_field.iter().find_map(|name| parent.child_by_field_name(name));
        let target = target.or_else(|| named_children(parent).into_iter().next());
        match target.filter(|target| *target != at && field_of(parent, at) != Some("type")) {
            Some(target) => match self.last_name(target) {
                Some(name) => ErrorUse::Stored { place: self.place_of(name.start_byte()) },
                None => ErrorUse::Other { made_by },
            },
            None => ErrorUse::Other { made_by },
        }
    }
}

/// Returns the children of a node in a field, or of a kind.
fn below<'tree>(node: Node<'tree>, part: &str) -> Vec<Node<'tree>> {
    let mut cursor = node.walk();
    let in_field: Vec<Node<'_>> = node.children_by_field_name(part, &mut cursor).collect();
    if !in_field.is_empty() {
        return in_field;
    }
    named_children(node).into_iter().filter(|child| child.kind() == part).collect()
}
