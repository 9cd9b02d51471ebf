//! Attributes of definitions, and the numbers of what is tied to them, as answers show them.

use codecompass_engine::query::{Attributes, SymbolCounts, TieCounts};
use serde::Serialize;

/// The attributes of a definition.
#[derive(Clone, Debug, Serialize)]
pub struct AttributesView {
    pub is_static: bool,
    pub is_abstract: bool,
    pub is_async: bool,
    pub is_override: bool,
    pub is_deprecated: bool,
    pub has_doc: bool,
    pub is_public_api: bool,
    /// All modifiers, those with a field of their own among them.
    pub modifiers: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter_count: Option<usize>,
    pub decorators: Vec<String>,
    /// `complete`, or `partial` if it has syntax errors.
    pub parse_status: &'static str,
    /// The first line with a syntax error.
    #[serde(rename = "syntax_error_line", skip_serializing_if = "Option::is_none")]
    pub problem_line: Option<u32>,
}

impl From<Attributes> for AttributesView {
    fn from(attributes: Attributes) -> AttributesView {
        AttributesView {
            is_static: attributes.is("static"),
            is_abstract: attributes.is("abstract"),
            is_async: attributes.is_async,
            is_override: attributes.is("override"),
            is_deprecated: attributes.is("deprecated"),
            has_doc: attributes.has_doc,
            is_public_api: attributes.is_public_api,
            modifiers: attributes.modifiers,
            return_type: attributes.return_type,
            parameter_count: attributes.parameter_count,
            decorators: attributes.decorators,
            parse_status: if attributes.problem_line.is_some() { "partial" } else { "complete" },
            problem_line: attributes.problem_line,
        }
    }
}

/// The numbers of what is tied to a definition.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CountsView {
    pub callers: usize,
    pub calling_files: usize,
    pub references: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subtypes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callees: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<usize>,
}

impl CountsView {
    pub fn new(counts: SymbolCounts, ties: Option<TieCounts>) -> CountsView {
        CountsView {
            callers: counts.callers,
            calling_files: counts.calling_files,
            references: counts.references,
            subtypes: counts.subtypes,
            callees: ties.map(|ties| ties.callees),
            tests: ties.map(|ties| ties.tests),
        }
    }
}
