//! A language's settings, grammar and query, read when first used and kept for the life of the
//! process.

use std::sync::OnceLock;

use super::Language;
use crate::code::{CodeKinds, CodeRules};
use crate::node_kinds::NodeKinds;
use crate::parse::Grammar;
use crate::query::CompiledQuery;
use crate::settings::Settings;

/// The lazily filled part of a language.
pub(super) struct Runtime {
    settings: OnceLock<Settings>,
    compiled: OnceLock<Compiled>,
}

/// A language ready to parse with.
pub(crate) struct Compiled {
    pub grammar: Grammar,
    pub query: CompiledQuery,
    pub node_kinds: NodeKinds,
    code_kinds: OnceLock<CodeKinds>,
}

impl Compiled {
    /// Returns the kinds of nodes that routes are read from.
    pub(crate) fn code_kinds(&self, rules: &CodeRules) -> &CodeKinds {
        self.code_kinds.get_or_init(|| CodeKinds::new(&self.grammar.language, rules))
    }
}

impl Runtime {
    pub(super) const fn new() -> Runtime {
        Runtime { settings: OnceLock::new(), compiled: OnceLock::new() }
    }
}

impl Language {
    pub(crate) fn settings(&self) -> &Settings {
        self.runtime.settings.get_or_init(|| {
            Settings::from_toml(self.settings).expect("every language.toml is read by the tests of this crate")
        })
    }

    pub(crate) fn compiled(&self) -> &Compiled {
        let compile = || self.compile().expect("every query is compiled by the tests of this crate");
        self.runtime.compiled.get_or_init(compile)
    }

    /// Compiles the language's queries against its grammar; the error names the place.
    fn compile(&self) -> Result<Compiled, String> {
        let settings = self.settings();
        let compile = || {
            let language = tree_sitter::Language::new(self.grammar.ok_or("it has no grammar")?);
            let query = CompiledQuery::new(&language, &self.queries.concat())?;
            let node_kinds = NodeKinds::new(&language, settings);
            let grammar = Grammar::new(language, settings, self.hooks)?;
            Ok(Compiled { grammar, query, node_kinds, code_kinds: OnceLock::new() })
        };
        compile().map_err(|error: String| format!("{}: {error}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::{Duration, Instant};

    use regex::Regex;
    use streaming_iterator::StreamingIterator;
    use tree_sitter::{Query, QueryCursor, Tree};

    use super::*;
    use crate::node_kinds::{expression_lists, expression_tables};
    use crate::registry::all;
    use crate::tree::SyntaxTree;

    type Match = (usize, Vec<(String, usize, usize)>);

    #[test]
    fn grammars_have_the_kinds_and_fields_of_expressions() {
        let mut missing = String::new();
        for language in all() {
            let Some(grammar) = language.grammar.map(tree_sitter::Language::new) else { continue };
            let rules = &language.settings().expressions;
            let (tables, lists) = (expression_tables(rules), expression_lists(rules));
            let fields = tables.iter().flat_map(|(table, _)| table.iter().map(|(kind, field)| (kind, field.as_str())));
            for (kind, field) in fields.chain(lists.iter().flat_map(|(list, _)| list.iter().map(|kind| (kind, "")))) {
                let has_kind = grammar.id_for_node_kind(kind, true) != 0;
                let has_field = field.is_empty() || grammar.field_id_for_name(field).is_some();
                if !has_kind || !has_field {
                    missing.push_str(&format!("{}: {kind} {field}\n", language.name));
                }
            }
        }
        assert!(missing.is_empty(), "{missing}");
    }

    #[test]
    fn every_language_compiles() {
        for language in all() {
            Settings::from_toml(language.settings).unwrap_or_else(|error| panic!("{}: {error}", language.name));
            if language.grammar.is_none() {
                continue;
            }
            match language.compile() {
                Ok(compiled) => assert_eq!(compiled.query.set.bad_expression(), None, "{}", language.name),
                Err(error) => panic!("{error}"),
            }
            let settings = language.settings();
            for expression in settings.contested.values().chain(&settings.resync_after) {
                assert!(Regex::new(expression).is_ok(), "{}: {expression}", language.name);
            }
        }
    }

    /// Every match that tree-sitter's own engine finds in the fixtures, ours finds, and no other.
    #[test]
    fn agrees_with_tree_sitter() {
        for language in all().iter().filter(|language| language.has_grammar()) {
            let grammar = &language.compiled().grammar.language;
            let source = language.queries.concat();
            let query = Query::new(grammar, &source).unwrap();
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("languages").join(language.name).join("fixtures");
            for entry in std::fs::read_dir(folder).unwrap() {
                let file = entry.unwrap().path();
                if file.extension().is_some_and(|extension| extension == "expect") {
                    continue;
                }
                let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
                let deadline = Instant::now() + Duration::from_secs(60);
                // The trees that facts are read from: of the text as the grammar is to see it.
                let parsed = language.compiled().grammar.parse(&text, deadline).unwrap();
                for tree in &parsed.trees {
                    compare(&query, language, tree, &parsed.text, &file);
                }
            }
        }
    }

    fn compare(query: &Query, language: &'static Language, tree: &Tree, text: &str, file: &Path) {
        let (set, names) = (&language.compiled().query.set, &language.compiled().grammar.names);
        let mut ours: Vec<Match> = Vec::new();
        let deadline = Instant::now() + Duration::from_secs(60);
        let listed = SyntaxTree::new(std::slice::from_ref(tree), text, names);
        let matched = set.matches(&listed, text, deadline, &mut |pattern, captures| {
            let captures = captures.iter().map(|(number, node)| {
                (set.capture_names[usize::from(*number)].clone(), node.start_byte(), node.end_byte())
            });
            ours.push((pattern, sorted(captures.collect())));
        });
        assert!(matched.is_ok());

        let mut theirs: Vec<Match> = Vec::new();
        let mut cursor = QueryCursor::new();
        let mut matches = cursor.matches(query, tree.root_node(), text.as_bytes());
        while let Some(found) = matches.next() {
            let captures = found.captures().iter().map(|capture| {
                let name = query.capture_names()[capture.index as usize].to_string();
                (name, capture.node.start_byte(), capture.node.end_byte())
            });
            theirs.push((found.pattern_index, sorted(captures.collect())));
        }
        let (ours, theirs) = (sorted(ours), sorted(theirs));
        let missed: Vec<_> = theirs.iter().filter(|found| !ours.contains(found)).collect();
        let invented: Vec<_> = ours.iter().filter(|found| !theirs.contains(found)).collect();
        assert!(missed.is_empty() && invented.is_empty(), "{file:?}\nmissed {missed:#?}\ninvented {invented:#?}");
    }

    fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
        list.sort();
        list.dedup();
        list
    }
}
