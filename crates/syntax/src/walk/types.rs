//! The structure of types, read from their nodes by the node kinds in `[types]` of `language.toml`.
//!
//! Grammars agree on more than their node kinds show: a name is a path, arguments stand in a list
//! at the end, and what is neither listed in the rules nor a path wraps another type (`&T`, `T?`,
//! `dyn T`).

use std::ops::Range;

use super::Walk;
use crate::extract::TypePlace;
use crate::facts::{DeclaredType, TypeForm, TypeNode};
use crate::node_kinds::{ATTRIBUTE, COMMENT, DECORATOR, IDENTIFIER, MEMBER, MODIFIER};
use crate::settings::TypeRules;
use crate::tree::Node;

/// Types in types are followed this far.
const MAX_DEPTH: usize = 12;
/// Longer types are cut; their text is kept up to here.
const MAX_TYPE_BYTES: usize = 160;
/// More parts of a type are not kept.
const MAX_PARTS: usize = 16;

impl<'tree> Walk<'_, 'tree> {
    /// Reads the type at a place.
    pub(super) fn declared_type(&self, place: &TypePlace<'tree>) -> Option<DeclaredType> {
        let source = &self.text[place.range.clone()];
        let rules = &self.language.settings().types;
        // Where all that a condition chooses from is one type, only that is kept: the condition may
        // be long.
        let chosen = place.node.and_then(|node| branches(node, rules, self.text));
        let line = match &chosen {
            Some(parts) => {
                let start = place.range.start;
                let within =
                    |part: &Node<'_>| part.start_byte().saturating_sub(start)..part.end_byte().saturating_sub(start);
                OneLine::new(source, &parts.iter().map(within).collect::<Vec<_>>())
            }
            None => OneLine::new(source, std::slice::from_ref(&(0..source.len()))),
        };
        if line.text.is_empty() {
            return None;
        }
        let mut reader = TypeReader { walk: self, rules, start: place.range.start, line: &line, form: Vec::new() };
        match place.node {
            Some(node) => reader.read(node, 0),
            // Without a node, all that can be told is the name that it starts with.
            None => {
                let end = source.find(|c: char| !is_path(c)).unwrap_or(source.len());
                reader.named(place.range.start..place.range.start + end);
            }
        }
        let form = reader.form;
        Some(DeclaredType::new(line.text, form))
    }
}

struct TypeReader<'a, 'text, 'tree> {
    walk: &'a Walk<'text, 'tree>,
    rules: &'a TypeRules,
    /// First byte of the type.
    start: usize,
    line: &'a OneLine,
    form: Vec<TypeNode>,
}

impl<'tree> TypeReader<'_, '_, 'tree> {
    fn read(&mut self, node: Node<'tree>, depth: usize) {
        let is = |kinds: &[String]| kinds.iter().any(|kind| kind == node.kind());
        if depth > MAX_DEPTH || is(&self.rules.unknown) {
            self.push(TypeForm::Unknown, 0..0, 0);
        } else if is(&self.rules.any_of) {
            let mut parts = Vec::new();
            self.alternatives(node, &mut parts);
            self.several(TypeForm::AnyOf, &parts, depth);
        } else if is(&self.rules.branches) {
            let parts = branches(node, self.rules, self.walk.text).unwrap_or_default();
            self.several(TypeForm::AnyOf, &parts, depth);
        } else if is(&self.rules.tuples) {
            let parts = self.tuple_parts(node);
            self.several(TypeForm::Tuple, &parts, depth);
        } else if is(&self.rules.lists) {
            let dimensions = node.child_by_field_name("dimensions").map(|it| &self.walk.text[it.byte_range()]);
            let count = dimensions.map_or(1, |marks| marks.matches('[').count().clamp(1, MAX_PARTS));
            (0..count).for_each(|_| self.push(TypeForm::List, 0..0, 1));
            self.read_or_unknown(self.element(node), depth);
        } else if is(&self.rules.functions) {
            self.push(TypeForm::Function, 0..0, 1);
            self.read_or_unknown(self.result(node), depth);
        } else if is(&self.rules.queries) {
            match node.named_child(0) {
                Some(value) => self.path(TypeForm::TypeOf, value.byte_range(), 0),
                None => self.push(TypeForm::Unknown, 0..0, 0),
            }
        } else if is(&self.rules.quoted) {
            self.quoted(node);
        } else if !self.with_arguments(node, depth) && !self.named(node.byte_range()) && !self.member(node) {
            self.read_or_unknown(self.wrapped(node), depth);
        }
    }

    /// Reads the path at the end of a member whose object holds marks (`*const a.B`).
    fn member(&mut self, node: Node<'tree>) -> bool {
        let is_member = self.walk.node_kinds.of(&node) & MEMBER != 0;
        let text = &self.walk.text[node.byte_range()];
        let path = text.trim_end_matches(is_path).len();
        is_member && self.named(node.start_byte() + path..node.end_byte())
    }

    fn read_or_unknown(&mut self, node: Option<Node<'tree>>, depth: usize) {
        match node {
            Some(node) => self.read(node, depth + 1),
            None => self.push(TypeForm::Unknown, 0..0, 0),
        }
    }

    fn several(&mut self, form: TypeForm, parts: &[Node<'tree>], depth: usize) {
        match parts {
            [] => self.push(TypeForm::Unknown, 0..0, 0),
            [only] => self.read(*only, depth + 1),
            parts => {
                let parts = &parts[..parts.len().min(MAX_PARTS)];
                self.push(form, 0..0, parts.len());
                parts.iter().for_each(|part| self.read(*part, depth + 1));
            }
        }
    }

    /// Lists the parts of a union; unions in unions are one.
    fn alternatives(&self, node: Node<'tree>, parts: &mut Vec<Node<'tree>>) {
        for part in self.parts(node) {
            if part.kind() == node.kind() && parts.len() < MAX_PARTS {
                self.alternatives(part, parts);
            } else {
                parts.push(part);
            }
        }
    }

    /// Lists the parts of a tuple; a part with several names counts as often.
    fn tuple_parts(&self, node: Node<'tree>) -> Vec<Node<'tree>> {
        let mut parts = Vec::new();
        for part in self.parts(node) {
            let names = part.children_by_field_name("name").count();
            let declared = part.child_by_field_name("type").filter(|_| names > 0);
            parts.extend(std::iter::repeat_n(declared.unwrap_or(part), names.max(1)));
        }
        parts
    }

    fn element(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        let field = ["element", "value", "type"].iter().find_map(|field| node.child_by_field_name(field));
        field.or_else(|| self.parts(node).pop())
    }

    fn result(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        let field = ["return_type", "result", "type"].iter().find_map(|field| node.child_by_field_name(field));
        let mut children = node.children().skip_while(|child| !matches!(child.kind(), "->" | "=>"));
        field.or_else(|| children.find(|child| child.is_named()))
    }

    /// Returns the type that a node wraps.
    fn wrapped(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        let mut parts = self.parts(node);
        if parts.len() == 1 {
            return parts.pop();
        }
        let field = ["type", "function", "name"].iter().find_map(|field| node.child_by_field_name(field));
        field.or_else(|| parts.pop())
    }

    /// Lists the named children that are types.
    fn parts(&self, node: Node<'tree>) -> Vec<Node<'tree>> {
        let is_type = |child: &Node<'tree>| {
            let flags = self.walk.node_kinds.of(child);
            let is_decoration = flags & (COMMENT | ATTRIBUTE | DECORATOR | MODIFIER) != 0 && flags & IDENTIFIER == 0;
            !is_decoration && !self.rules.skipped.iter().any(|kind| kind == child.kind())
        };
        node.named_children().filter(is_type).collect()
    }

    /// Reads a path with arguments behind it; false if there are none.
    fn with_arguments(&mut self, node: Node<'tree>, depth: usize) -> bool {
        let Some((path, arguments)) = self.arguments(node) else { return false };
        let text = &self.walk.text;
        if self.rules.callables.iter().any(|word| text[path.clone()] == **word) {
            self.push(TypeForm::Function, 0..0, 1);
            self.read_or_unknown(arguments.last().copied(), depth);
            return true;
        }
        let arguments = &arguments[..arguments.len().min(MAX_PARTS)];
        self.path(TypeForm::Named, path, arguments.len());
        arguments.iter().for_each(|argument| self.read(*argument, depth + 1));
        true
    }

    /// Returns the place of a path and the arguments behind it.
    fn arguments(&self, node: Node<'tree>) -> Option<(Range<usize>, Vec<Node<'tree>>)> {
        if self.rules.subscripts.iter().any(|kind| kind == node.kind()) {
            let base = node.named_child(0)?;
            let mut arguments = self.parts(node);
            arguments.remove(0);
            return self.path_in(base.byte_range()).map(|path| (path, arguments));
        }
        let mut last = node;
        for _ in 0..MAX_DEPTH {
            // Marks of nullability may follow.
            let count = last.named_child_count();
            last = (0..count)
                .rev()
                .take(2)
                .filter_map(|at| last.named_child(at))
                .find(|child| !self.rules.skipped.iter().any(|kind| kind == child.kind()))?;
            if self.rules.arguments.iter().any(|kind| kind == last.kind()) {
                let path = self.path_in(node.start_byte()..last.start_byte())?;
                return Some((path, self.parts(last)));
            }
        }
        None
    }

    fn named(&mut self, range: Range<usize>) -> bool {
        let Some(path) = self.path_in(range) else { return false };
        if self.rules.unknown_words.iter().any(|word| self.walk.text[path.clone()] == **word) {
            self.push(TypeForm::Unknown, 0..0, 0);
        } else {
            self.path(TypeForm::Named, path, 0);
        }
        true
    }

    /// Returns the place of a path that is all of a range, but for marks around it.
    fn path_in(&self, range: Range<usize>) -> Option<Range<usize>> {
        const MARKS: [char; 9] = ['?', '!', ':', '\\', '*', '&', '~', '.', ' '];
        let text = &self.walk.text[range.clone()];
        let bare = text.trim_end_matches(MARKS);
        let path = bare.trim_start_matches(MARKS);
        let start = range.start + bare.len() - path.len();
        let is_whole =
            path.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$')) && path.chars().all(is_path);
        is_whole.then(|| start..start + path.len())
    }

    /// Reads a type in quotes, which the grammar leaves as text.
    fn quoted(&mut self, node: Node<'tree>) {
        let range = node.byte_range();
        let text = &self.walk.text[range.clone()];
        let inside = text.trim_start_matches(|c: char| !matches!(c, '"' | '\'')).trim_matches(['"', '\'']);
        let start = range.start + text.find(inside).unwrap_or(0);
        self.quoted_type(start..start + inside.len(), 0);
    }

    /// Reads names with arguments in brackets, and unions of them.
    fn quoted_type(&mut self, range: Range<usize>, depth: usize) {
        let parts = self.split(range.clone(), '|');
        if parts.len() > 1 && depth < MAX_DEPTH {
            self.push(TypeForm::AnyOf, 0..0, parts.len());
            parts.into_iter().for_each(|part| self.quoted_type(part, depth + 1));
            return;
        }
        let text = &self.walk.text[range.clone()];
        let opens = text.find('[').filter(|_| text.trim_end().ends_with(']') && depth < MAX_DEPTH);
        let Some(opens) = opens else {
            if !self.named(range) {
                self.push(TypeForm::Unknown, 0..0, 0);
            }
            return;
        };
        let Some(path) = self.path_in(range.start..range.start + opens) else {
            return self.push(TypeForm::Unknown, 0..0, 0);
        };
        let arguments = self.split(range.start + opens + 1..range.start + text.trim_end().len() - 1, ',');
        self.path(TypeForm::Named, path, arguments.len());
        arguments.into_iter().for_each(|argument| self.quoted_type(argument, depth + 1));
    }

    /// Divides a text at marks that stand in no bracket.
    fn split(&self, range: Range<usize>, mark: char) -> Vec<Range<usize>> {
        let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, range.start);
        for (at, c) in self.walk.text[range.clone()].char_indices() {
            match c {
                '[' | '(' => depth += 1,
                ']' | ')' => depth = depth.saturating_sub(1),
                _ if c == mark && depth == 0 && parts.len() + 1 < MAX_PARTS => {
                    parts.push(start..range.start + at);
                    start = range.start + at + 1;
                }
                _ => {}
            }
        }
        parts.push(start..range.end);
        parts
    }

    fn path(&mut self, form: TypeForm, place: Range<usize>, parts: usize) {
        match (self.line.offset(place.start - self.start), self.line.offset(place.end - self.start)) {
            (Some(start), Some(end)) => self.push(form, start..end, parts),
            // Behind the end of what is kept.
            _ => {
                self.push(TypeForm::Unknown, 0..0, 0);
                self.form.last_mut().into_iter().for_each(|node| node.parts = parts as u8);
            }
        }
    }

    fn push(&mut self, form: TypeForm, place: Range<usize>, parts: usize) {
        self.form.push(TypeNode { form, start: place.start as u8, end: place.end as u8, parts: parts as u8 });
    }
}

/// Lists the types that a condition chooses from, if they are one type with various arguments. A
/// condition in a branch is of the same choice.
fn branches<'tree>(node: Node<'tree>, rules: &TypeRules, text: &str) -> Option<Vec<Node<'tree>>> {
    if !rules.branches.iter().any(|kind| kind == node.kind()) {
        return None;
    }
    let mut parts = Vec::new();
    let mut pending = vec![node];
    while let Some(next) = pending.pop() {
        let written = &text[next.byte_range()];
        if next.kind() == node.kind() {
            pending.extend(["alternative", "consequence"].iter().filter_map(|field| next.child_by_field_name(field)));
        } else if !rules.empty_words.iter().any(|word| word == written) {
            parts.push(next);
        }
    }
    let name = |part: &Node<'_>| text[part.byte_range()].split('<').next().map(str::trim_end);
    parts.iter().all(|part| name(part) == name(&parts[0])).then_some(parts)
}

fn is_path(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':' | '\\')
}

/// Parts of a source text on one line, cut to [`MAX_TYPE_BYTES`], with the places of their words.
struct OneLine {
    text: String,
    /// The start of each word in the source, its start here, and its length.
    words: Vec<(usize, usize, usize)>,
}

impl OneLine {
    fn new(source: &str, parts: &[Range<usize>]) -> OneLine {
        const BETWEEN: &str = " |";
        let (mut text, mut words) = (String::new(), Vec::new());
        'parts: for part in parts {
            if !text.is_empty() {
                text.push_str(BETWEEN);
            }
            for word in source.get(part.clone()).unwrap_or_default().split_whitespace() {
                if text.len() + word.len() > MAX_TYPE_BYTES {
                    break 'parts;
                }
                if !text.is_empty() {
                    text.push(' ');
                }
                words.push((word.as_ptr() as usize - source.as_ptr() as usize, text.len(), word.len()));
                text.push_str(word);
            }
        }
        if parts.len() > 1 {
            text.truncate(text.strip_suffix(BETWEEN).unwrap_or(&text).len());
        }
        OneLine { text, words }
    }

    /// Returns where a byte of the source is on the line.
    fn offset(&self, byte: usize) -> Option<usize> {
        let next = self.words.partition_point(|(start, ..)| *start <= byte);
        let (start, here, length) = self.words.get(next.checked_sub(1)?)?;
        (byte - start <= *length).then(|| here + byte - start)
    }
}
