//! The settings by which values and errors are followed through the code of a language.

use std::collections::HashMap;

use serde::Deserialize;

/// The kinds of nodes and the words by which values decide and errors travel, as `[flow]` in
/// `language.toml` lists them. Whatever a node has as its `condition` decides.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FlowRules {
    /// Other nodes that decide, and the part by which: a field, `#1` for the second part, or all.
    pub decisions: HashMap<String, String>,
    /// Nodes with a condition that decide nothing.
    pub no_decisions: Vec<String>,
    /// Operators whose operands decide what is evaluated.
    pub deciding_operators: Vec<String>,
    /// Operators that give the value on their right to the name on their left.
    pub assigning_operators: Vec<String>,
    /// Calls whose first argument decides.
    pub deciding_calls: Vec<String>,
    /// Nodes that give values to names, besides those of `[code]`.
    pub assignments: Vec<String>,
    /// Lists of statements.
    pub blocks: Vec<String>,
    /// Nodes that are as good as the value in them.
    pub passes: Vec<String>,
    /// Names that are keys, besides literal texts.
    pub keys: Vec<String>,
    /// Statements that raise, with the word that they begin with where others look like them.
    pub raises: HashMap<String, String>,
    /// Calls that raise what they are given, and constructors of results that are errors.
    pub raising_calls: Vec<String>,
    /// First elements of tuples that are errors.
    pub raising_tags: Vec<String>,
    /// Errors are values that are returned.
    pub returns_errors: bool,
    /// Clauses that handle errors, with the way to the types that they name: fields and kinds of
    /// nodes, separated by `/`, and several ways by a space.
    pub handlers: HashMap<String, String>,
    /// Parts of a guarded block that its handlers do not guard.
    pub unguarded: Vec<String>,
    /// Handlers name patterns: lower-case names match everything.
    pub handler_patterns: bool,
    /// Patterns that match errors among results (`Err`).
    pub error_patterns: Vec<String>,
    /// Methods of a result that handle its error.
    pub catching_calls: Vec<String>,
    /// Methods of a result that make another error of it.
    pub mapping_calls: Vec<String>,
    /// Calls that test whether an error is of a type.
    pub error_tests: Vec<String>,
    /// Nodes that test whether a value is of a type.
    pub type_tests: Vec<String>,
    /// Operators that do so.
    pub type_operators: Vec<String>,
    /// Calls and decorators that declare a handler for a type.
    pub handler_calls: Vec<String>,
    /// Types of which all errors are.
    pub root_errors: Vec<String>,
    /// Types of the language's library, and the type above each.
    pub error_parents: HashMap<String, String>,
}
