//! Routes of web frameworks: [`route_facts`] reads what one file says about them.
//!
//! A framework is a folder below `frameworks/` and one row in `table.rs`. The trees of a file
//! become `code`, a form that is the same for all languages, in which `interpret` and `apply`
//! follow the rules of `framework.toml`.

mod apply;
mod facts;
mod framework;
mod interpret;
mod paths;
mod resources;
mod table;

use std::time::{Duration, Instant};

pub use self::facts::{
    ClassFact, ExtraAction, FunctionFact, HandlerFact, MountFact, PassFact, PathPart, PathTemplate, RouteFact,
    RouteFacts, RouterFact, RouterOrigin, RouterRef, VariableFact,
};
pub use self::framework::{ActionRule, FileRule, FrameworkSettings, RouteRule, RuleEffect, RuleReceiver};
pub use self::paths::{UNKNOWN_PART, join_paths, normal_path};
pub use self::table::{Framework, framework_named, frameworks};

pub use crate::code::CodePlace;
use crate::registry::Language;

/// A constant that holds a text: line, name and text.
pub type TextConstant = (u32, String, PathTemplate);

/// Routes of one file.
#[derive(Clone, Debug, Default)]
pub struct FileRoutes {
    /// By framework, in the order in which they were asked for.
    pub facts: Vec<RouteFacts>,
    /// Constants that paths may be made of.
    pub constants: Vec<TextConstant>,
}

/// Reads the routes of some frameworks from a text. Broken code gives what can be read of it.
pub fn route_facts(
    text: &str,
    language: &'static Language,
    frameworks: &[&'static Framework],
    limit: Duration,
) -> FileRoutes {
    if !language.has_grammar() {
        return FileRoutes::default();
    }
    let compiled = language.compiled();
    if compiled.grammar.too_deep(text).is_some() {
        return FileRoutes::default();
    }
    let Some(parsed) = compiled.grammar.parse(text, Instant::now() + limit) else { return FileRoutes::default() };
    let rules = &language.settings().code;
    let mut statements = Vec::new();
    for tree in &parsed.trees {
        statements.extend(crate::code::statements(tree.root_node(), &parsed.text, compiled.code_kinds(rules)));
    }
    let one = |framework: &&'static Framework| {
        let settings = framework.settings();
        interpret::interpret(&statements, settings, framework.is_imported_by(text), rules.first_is_self)
    };
    FileRoutes { facts: frameworks.iter().map(one).collect(), constants: interpret::constants(&statements) }
}
