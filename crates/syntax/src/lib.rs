//! Text of one source file in, [`FileFacts`] out. Pure: no files, no database, no git, no clock but the parse limit.
//!
//! A language is a folder below `languages/` and one row in [`languages`]. [`parse`] picks nothing by itself: the
//! caller asks [`language_of`] first, and gets plain-text chunks when there is no language.

pub mod facts;
pub mod languages;

mod chunks;
mod classes;
mod declare;
mod doc;
mod extract;
mod hooks;
mod pattern;
mod settings;
mod text;
mod walk;

use std::time::Duration;

pub use facts::FileFacts;
pub use languages::{Language, language_named, language_of};

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
        Some(language) => extract::extract(text, language, limit),
        None => Parsed::Facts(text::plain_facts(text)),
    }
}

/// Builds and drops the syntax tree of `text`: what the grammar alone costs. For benchmarks.
pub fn build_tree(text: &str, language: &'static Language) {
    extract::build_tree(text, language);
}
