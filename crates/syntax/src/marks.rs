//! Classes of the pieces of a text, for those who show it in colours: names by the facts of the
//! file, comments, literals and keywords by its syntax tree. No language is told apart: a keyword
//! is a leaf that is a word of the grammar itself.

use std::ops::Range;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use tree_sitter::{Node, Tree};

use crate::facts::{Binding, BindingKind, Definition, FileFacts, Import, RefKind, Reference};
use crate::node_kinds::{COMMENT, NodeKinds, TEXT};
use crate::registry::Language;

/// The class of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkClass {
    /// A comment.
    Comment,
    /// A literal text.
    Text,
    /// A literal number.
    Number,
    /// A word of the language.
    Keyword,
    /// The name of a definition, where it is defined.
    Definition,
    /// A name that is called, instantiated or applied.
    Call,
    /// A name that is used as a type.
    Type,
    /// A use of a parameter or variable of the function around it.
    Local,
    /// Any other use of a name.
    Name,
}

impl MarkClass {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            MarkClass::Comment => "comment",
            MarkClass::Text => "text",
            MarkClass::Number => "number",
            MarkClass::Keyword => "keyword",
            MarkClass::Definition => "definition",
            MarkClass::Call => "call",
            MarkClass::Type => "type",
            MarkClass::Local => "local",
            MarkClass::Name => "name",
        }
    }

    /// True for names, which have a meaning that can be asked for.
    pub fn is_name(self) -> bool {
        use MarkClass::{Call, Definition, Local, Name, Type};
        matches!(self, Definition | Call | Type | Local | Name)
    }
}

/// A piece of text with its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// First byte.
    pub start: u32,
    /// The byte behind the last one.
    pub end: u32,
    /// The class.
    pub class: MarkClass,
}

/// The facts of a file that tell which of its pieces are names.
#[derive(Clone, Copy, Debug)]
pub struct NameFacts<'a> {
    /// See [`FileFacts::definitions`]; the others likewise.
    pub definitions: &'a [Definition],
    /// All references.
    pub references: &'a [Reference],
    /// The names that references and bindings point to.
    pub names: &'a [String],
    /// All imports.
    pub imports: &'a [Import],
    /// Names of functions' own.
    pub bindings: &'a [Binding],
    /// The first bytes of functions' own names.
    pub locals: &'a [u32],
}

impl<'a> From<&'a FileFacts> for NameFacts<'a> {
    fn from(facts: &'a FileFacts) -> NameFacts<'a> {
        let FileFacts { definitions, references, names, imports, bindings, locals, .. } = facts;
        NameFacts { definitions, references, names, imports, bindings, locals }
    }
}

/// Lists the marks of `text` in source order; none overlap. Only names have marks where the grammar
/// does not finish within the limit.
pub(crate) fn of_code(
    text: &str,
    language: &'static Language,
    facts: NameFacts<'_>,
    wanted: Range<usize>,
    limit: Duration,
) -> Vec<Mark> {
    let compiled = language.compiled();
    let mut leaves = Vec::new();
    let is_flat = compiled.grammar.too_deep(text).is_none();
    let parsed = is_flat.then(|| compiled.grammar.parse(text, Instant::now() + limit)).flatten();
    for tree in parsed.iter().flat_map(|parsed| &parsed.trees) {
        collect(text, tree, &compiled.node_kinds, &wanted, &mut leaves);
    }
    merged(leaves, names(text, facts, wanted))
}

/// Returns the names that are defined and used in a file, in source order.
pub(crate) fn names(text: &str, facts: NameFacts<'_>, wanted: Range<usize>) -> Vec<Mark> {
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let at = |line: u32, column: u32, name: &str, class: MarkClass| {
        let start = starts.get((line as usize).checked_sub(1)?)? + (column as usize).checked_sub(1)?;
        let end = start + name.len();
        (text.get(start..end) == Some(name) && !name.is_empty()).then_some(Mark {
            start: start as u32,
            end: end as u32,
            class,
        })
    };
    let definitions = facts.definitions.iter();
    let definitions = definitions.filter_map(|it| at(it.name_line, it.name_column, &it.name, MarkClass::Definition));
    let uses = facts.references.iter().filter_map(|it| {
        let class = match it.kind {
            RefKind::Call => MarkClass::Call,
            RefKind::Type | RefKind::Inherit => MarkClass::Type,
            _ => MarkClass::Name,
        };
        at(it.line, it.column, facts.names.get(it.name as usize)?, class)
    });
    let imported = facts.imports.iter().flat_map(|import| {
        let line = (import.line as usize).checked_sub(1).and_then(|line| Some((starts.get(line)?, import.line)));
        let words = [&import.name, &import.alias].into_iter().flatten();
        words.filter_map(move |word| {
            let (start, line) = line?;
            let column = word_in(text.get(*start..)?.lines().next()?, word)?;
            at(line, column as u32 + 1, word, MarkClass::Name)
        })
    });
    let locals = Locals::new(facts);
    let locals = facts.locals.iter().filter_map(|start| {
        let line = starts.partition_point(|first| first <= &(*start as usize)) as u32;
        let rest = text.get(*start as usize..)?;
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let name = rest.get(..end).filter(|name| locals.has(name, line))?;
        Some(Mark { start: *start, end: start + name.len() as u32, class: MarkClass::Local })
    });
    let all = definitions.chain(uses).chain(imported).chain(locals);
    let mut names: Vec<Mark> = all.filter(|mark| wanted.contains(&(mark.start as usize))).collect();
    names.sort_by_key(|mark| (mark.start, mark.class));
    // Of two names at a place the definition stays.
    names.dedup_by(|next, before| next.start < before.end);
    names
}

/// Names that functions bind: the lines of the function, and the line that binds the name.
struct Locals<'a>(FxHashMap<&'a str, Vec<(u32, u32, u32)>>);

impl<'a> Locals<'a> {
    fn new(facts: NameFacts<'a>) -> Locals<'a> {
        let mut bound: FxHashMap<&str, Vec<(u32, u32, u32)>> = FxHashMap::default();
        for binding in facts.bindings.iter().filter(|binding| binding.kind != BindingKind::Type) {
            let function = binding.enclosing.and_then(|enclosing| facts.definitions.get(enclosing as usize));
            let name = facts.names.get(binding.name as usize);
            if let (Some(function), Some(name)) = (function, name) {
                bound.entry(name).or_default().push((function.span.start_line, function.span.end_line, binding.line));
            }
        }
        Locals(bound)
    }

    /// Returns whether a name on a line has a binding on another one.
    fn has(&self, name: &str, line: u32) -> bool {
        let here = self.0.get(name).into_iter().flatten().filter(|(first, last, _)| (*first..=*last).contains(&line));
        here.clone().next().is_some() && here.clone().all(|(_, _, bound)| *bound != line)
    }
}

/// Returns where `word` stands last in a line, as a whole word.
fn word_in(line: &str, word: &str) -> Option<usize> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole =
        |(at, found): &(usize, &str)| !line[..*at].ends_with(is_name) && !line[at + found.len()..].starts_with(is_name);
    if word.is_empty() {
        return None;
    }
    line.match_indices(word).filter(is_whole).last().map(|(at, _)| at)
}

/// Adds the comments, literals and keywords of a tree that touch the bytes that are wanted.
fn collect(text: &str, tree: &Tree, kinds: &NodeKinds, wanted: &Range<usize>, marks: &mut Vec<Mark>) {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let flags = kinds.of_kind(node.kind_id());
        let is_outside = node.end_byte() <= wanted.start || node.start_byte() >= wanted.end;
        let is_whole = is_outside || is_whole_mark(node, flags, marks);
        if node.child_count() == 0
            && !is_whole
            && let Some(class) = leaf_class(text, node)
        {
            add(marks, node, class);
        }
        if !is_whole && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// Adds a comment or a literal text; returns whether the node is one.
fn is_whole_mark(node: Node<'_>, flags: u32, marks: &mut Vec<Mark>) -> bool {
    match (flags & COMMENT != 0, flags & TEXT != 0) {
        (true, _) => add(marks, node, MarkClass::Comment),
        (false, true) => quote(marks, node),
        (false, false) => false,
    }
}

fn add(marks: &mut Vec<Mark>, node: Node<'_>, class: MarkClass) -> bool {
    marks.push(Mark { start: node.start_byte() as u32, end: node.end_byte() as u32, class });
    true
}

/// Adds a literal text. One with code in it is left to its parts; its quotes are leaves.
fn quote(marks: &mut Vec<Mark>, node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    let has_code = node.children(&mut cursor).any(|child| child.is_named() && child.named_child_count() > 0);
    !has_code && add(marks, node, MarkClass::Text)
}

/// Returns the class of a leaf, if it has one.
fn leaf_class(text: &str, node: Node<'_>) -> Option<MarkClass> {
    let word = text.get(node.byte_range())?;
    let first = word.chars().next()?;
    let is_word = word.chars().all(|c| c.is_alphabetic() || c == '_');
    // `self`, `true` and the like are named as they are written.
    if is_word && word.len() > 1 && node.kind() == word {
        return Some(MarkClass::Keyword);
    }
    if node.is_named() && first.is_ascii_digit() {
        return Some(MarkClass::Number);
    }
    let quoted = ["string_content", "string_fragment", "escape_sequence", "heredoc_content"];
    (quoted.contains(&node.kind()) || matches!(word, "\"" | "'" | "`")).then_some(MarkClass::Text)
}

/// Puts names among the others. A name inside of a comment or literal stays a part of it.
fn merged(mut leaves: Vec<Mark>, names: Vec<Mark>) -> Vec<Mark> {
    leaves.sort_by_key(|mark| (mark.start, mark.end));
    leaves.dedup_by(|next, before| next.start < before.end);
    let is_word = |mark: &Mark| matches!(mark.class, MarkClass::Keyword | MarkClass::Number);
    let covers = |mark: &Mark, name: &Mark| mark.start < name.end && name.start < mark.end;
    let near = |list: &[Mark], name: &Mark| list.partition_point(|mark| mark.end <= name.start);
    let kept: Vec<Mark> = names
        .iter()
        .filter(|name| leaves.get(near(&leaves, name)).is_none_or(|mark| is_word(mark) || !covers(mark, name)))
        .copied()
        .collect();
    leaves.retain(|mark| !is_word(mark) || kept.get(near(&kept, mark)).is_none_or(|name| !covers(mark, name)));
    leaves.extend(kept);
    leaves.sort_by_key(|mark| mark.start);
    leaves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::language_named;

    fn shown(language: &str, text: &str) -> String {
        let language = language_named(language).unwrap();
        let limit = Duration::from_secs(10);
        let crate::Parsed::Facts(facts) = crate::parse(text, Some(language), limit) else { panic!("too slow") };
        let marks = crate::marks(text, language, (&*facts).into(), 0..text.len(), limit);
        let piece = |mark: &Mark| {
            let piece = &text[mark.start as usize..mark.end as usize];
            format!("{}:{piece}", mark.class.as_str())
        };
        marks.iter().map(piece).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn pieces_have_classes() {
        let text = "# note\nclass A(Base):\n    def run(self, n):\n        return helper(n, 'a b') + 12\n";
        assert_eq!(
            shown("python", text),
            "comment:# note | keyword:class | definition:A | type:Base | keyword:def | definition:run | \
             keyword:return | call:helper | text:'a b' | number:12"
        );
    }

    #[test]
    fn names_of_a_function_lead_to_what_binds_them() {
        let text = "def run(n):\n    found = load(n)\n    found.save()\n    return found\n\n\ndef other():\n    return found\n";
        assert_eq!(
            shown("python", text),
            "keyword:def | definition:run | call:load | local:found | call:save | keyword:return | local:found | \
             keyword:def | definition:other | keyword:return | name:found"
        );
    }

    #[test]
    fn imported_names_are_names() {
        assert_eq!(
            shown("python", "from a.b import c, d as e\n"),
            "keyword:from | name:a | name:b | keyword:import | name:c | name:d | keyword:as | name:e"
        );
    }

    #[test]
    fn keywords_need_no_list() {
        let text = "pub fn main() { let x: Vec<u8> = make(true); }\n";
        assert_eq!(
            shown("rust", text),
            "keyword:pub | keyword:fn | definition:main | keyword:let | type:Vec | call:make | keyword:true"
        );
    }

    #[test]
    fn broken_code_has_marks() {
        for text in ["", "\n\n", "def (", "'''", "\u{feff}x = '\u{202e}'\r\n"] {
            shown("python", text);
            shown("rust", text);
            shown("yaml", text);
        }
    }
}
