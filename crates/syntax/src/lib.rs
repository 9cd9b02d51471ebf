//! Text of one source file in, [`FileFacts`] out. Pure: no files, no database, no git, no clock but
//! the parse limit.
//!
//! A language is a folder below `languages/` and one row in [`registry`]. [`parse()`] picks nothing
//! by itself: the caller asks [`language_of`] first, and gets plain-text chunks when there is no
//! language. A text then goes through these modules, each of which uses only those above it:
//!
//! | module | what it does |
//! |---|---|
//! | [`facts`] | the result |
//! | `settings`, `node_kinds` | a language's `language.toml` |
//! | `code` | trees in a form that is the same for all languages |
//! | `pattern`, `query` | its query files |
//! | `hooks` | what neither can say |
//! | `parse` | text to syntax trees |
//! | [`registry`] | the table of languages, detection, and all of the above, compiled |
//! | `extract` | query matches, gathered by byte and node |
//! | `walk` | one pass over the tree that turns matches into facts |
//! | `chunks`, `plain_text`, `outline` | search documents, and files without a grammar |
//! | `analysis` | the steps in order |
//! | [`marks()`] | classes of pieces of the text, for those who show it |
//! | [`flow`] | what becomes of a value or an error at a place, from the same trees |
//! | [`routes`] | routes of web frameworks, from the same trees |
//! | [`graphql`] | fields of the root types of GraphQL schemas |
//! | [`generators`] | names of generated gRPC code, and calls that register servers |
//! | [`manifests`] | projects that manifests declare, from their texts |

pub mod facts;
pub mod flow;
pub mod generators;
pub mod graphql;
pub mod manifests;
pub mod registry;
pub mod routes;

mod analysis;
mod chunks;
mod code;
mod doc;
mod extract;
mod hooks;
mod marks;
mod node_kinds;
mod outline;
mod parse;
mod pattern;
mod plain_text;
mod query;
mod resolve_rules;
mod settings;
mod source_text;
mod toml_source;
mod tree;
mod walk;

use std::ops::Range;
use std::time::Duration;

pub use analysis::Parsed;
pub use facts::FileFacts;
pub use marks::{Mark, MarkClass, NameFacts};
pub use registry::{Language, PartScope, language_named, language_of};
pub use settings::{AlternativeScope, ConversionRules, CtagsRules, ModuleSystem, PrivateScope, ResolveRules};

/// Extracts the facts of `text`. Broken code gives facts and problems, never an error.
pub fn parse(text: &str, language: Option<&'static Language>, limit: Duration) -> Parsed {
    let Some(language) = language else { return Parsed::Facts(Box::new(plain_text::plain_facts(text))) };
    match language.hooks.outline {
        Some(hook) => Parsed::Facts(Box::new(outline::facts(text, language, hook))),
        None => analysis::analyze(text, language, limit, true),
    }
}

/// Lists the classes of the pieces of `text`, of which `facts` are, in source order: names,
/// comments, literals, keywords, as far as they touch the bytes `wanted`. Broken code has fewer of
/// them, never an error.
pub fn marks(
    text: &str,
    language: &'static Language,
    facts: NameFacts<'_>,
    wanted: Range<usize>,
    limit: Duration,
) -> Vec<Mark> {
    if language.has_grammar() && language.hooks.outline.is_none() {
        marks::of_code(text, language, facts, wanted, limit)
    } else {
        marks::names(text, facts, wanted)
    }
}

/// Shows the syntax tree of `text`, one node per line, indented; empty for a language without a
/// grammar. For writing queries.
pub fn syntax_tree(text: &str, language: &'static Language) -> String {
    if !language.has_grammar() {
        return String::new();
    }
    parse::inspect::syntax_tree(text, &language.compiled().grammar)
}

/// Lists the lines of `text` that lie inside a string or comment of several lines. For judging
/// other tools' finds.
pub fn quoted_lines(text: &str, language: &'static Language) -> Vec<u32> {
    if !language.has_grammar() {
        return Vec::new();
    }
    parse::inspect::quoted_lines(text, &language.compiled().grammar)
}

/// Extracts everything but references and bindings: the difference is what those cost. For
/// benchmarks.
pub fn parse_definitions(text: &str, language: &'static Language, limit: Duration) -> Parsed {
    if !language.has_grammar() {
        return parse(text, Some(language), limit);
    }
    analysis::analyze(text, language, limit, false)
}

/// Builds and drops the syntax tree of `text`, to time the grammar alone. For benchmarks.
pub fn build_tree(text: &str, language: &'static Language) {
    if language.has_grammar() {
        parse::inspect::build_tree(text, &language.compiled().grammar);
    }
}
