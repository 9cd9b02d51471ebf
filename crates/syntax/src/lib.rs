//! Text of one source file in, [`FileFacts`] out. Pure: no files, no database, no git, no clock but the parse limit.
//!
//! A language is a folder below `languages/` and one row in [`languages`]. [`parse`] picks nothing by itself: the
//! caller asks [`language_of`] first, and gets plain-text chunks when there is no language.

pub mod expression;
pub mod facts;
pub mod languages;

mod chunks;
mod classes;
mod conditionals;
mod declare;
mod doc;
mod extract;
mod hooks;
mod outline;
mod pattern;
mod settings;
mod text;
mod trees;
mod walk;

use std::time::Duration;

pub use facts::FileFacts;
pub use languages::{Language, language_named, language_of};
pub use settings::{CtagsRules, ModuleSystem, ResolveRules};

/// The facts of one file.
#[derive(Clone, Debug, PartialEq)]
pub enum Parsed {
    /// Complete, apart from the syntax problems it lists.
    Facts(FileFacts),
    /// The grammar did not finish within the limit.
    TimedOut,
}

/// Extracts the facts of `text`. Broken code gives facts and problems, never an error.
pub fn parse(text: &str, language: Option<&'static Language>, limit: Duration) -> Parsed {
    match language {
        Some(language) => match language.outline_hook {
            Some(hook) => Parsed::Facts(outline::facts(text, language, hook)),
            None => extract::extract(text, language, limit, true),
        },
        None => Parsed::Facts(text::plain_facts(text)),
    }
}

/// The syntax tree of `text`, one node per line, indented; empty for a language without a grammar. For writing queries.
pub fn syntax_tree(text: &str, language: &'static Language) -> String {
    if language.has_grammar() { trees::syntax_tree(text, language) } else { String::new() }
}

/// The lines of `text` that lie inside a string or comment of several lines. For judging other tools' finds.
pub fn quoted_lines(text: &str, language: &'static Language) -> Vec<u32> {
    if language.has_grammar() { trees::quoted_lines(text, language) } else { Vec::new() }
}

/// Extracts everything but references and bindings: what those cost is the difference. For benchmarks.
pub fn parse_definitions(text: &str, language: &'static Language, limit: Duration) -> Parsed {
    match language.has_grammar() {
        true => extract::extract(text, language, limit, false),
        false => parse(text, Some(language), limit),
    }
}

/// Builds and drops the syntax tree of `text`: what the grammar alone costs. For benchmarks.
pub fn build_tree(text: &str, language: &'static Language) {
    if language.has_grammar() {
        trees::build_tree(text, language);
    }
}
