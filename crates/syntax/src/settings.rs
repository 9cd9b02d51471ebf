//! `language.toml`: what a language's folder says about itself besides its queries.
//!
//! The keys are explained in CONTRIBUTING.md, "Add a language"; unknown keys are errors.

use std::collections::HashMap;

use serde::Deserialize;

use crate::facts::{RefKind, Visibility};

/// The contents of one `language.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Settings {
    /// The name people use.
    pub display_name: String,
    /// File extensions without the dot.
    pub extensions: Vec<String>,
    /// Whole file names.
    pub filenames: Vec<String>,
    /// Interpreter names in a `#!` line.
    pub shebangs: Vec<String>,
    /// What stands between the parts of a qualified name.
    pub separator: String,
    /// Node kinds of comments.
    pub comments: Vec<String>,
    /// Nodes around a definition that belong to it (`export …`, a decorated definition).
    pub wrappers: Vec<String>,
    /// Nodes right before a definition that belong to it (Rust attributes).
    pub attributes: Vec<String>,
    /// Nodes inside a definition or wrapper, before the name, that decorate it.
    pub decorators: Vec<String>,
    /// Nodes before the name whose words are modifiers or visibility.
    pub modifier_nodes: Vec<String>,
    /// Marks before the name that stand for a modifier (`*` for `generator`).
    pub modifier_marks: HashMap<String, String>,
    /// Leaf kinds that are names, and what a bare one means: `read` or `type`.
    pub identifiers: HashMap<String, String>,
    /// Nodes of the form `object.member`.
    pub members: Vec<MemberRule>,
    /// Nodes in which every name is a type (an annotation), where the grammar has no leaf kind of its own for them.
    pub type_nodes: Vec<String>,
    /// Nodes whose contents the grammar leaves as a row of words: one right before `(` is called there.
    pub token_nodes: Vec<String>,
    /// Method names that make instances.
    pub constructors: Vec<String>,
    /// Whether `MAX_SIZE = 1` declares a constant rather than a variable.
    pub upper_case_constants: bool,
    /// Whether a variable or field is declared by its first assignment; later ones only write it.
    pub assignment_declares: bool,
    /// Nodes with names of their own whether or not they are definitions: functions without a name.
    pub scopes: Vec<String>,
    /// Nodes whose variables are not the module's, though no function is around them.
    pub blocks: Vec<String>,
    /// Nodes whose presence makes a capitalised function a component.
    pub component_markers: Vec<String>,
    /// Doc comment rules.
    pub docs: DocRules,
    /// Visibility rules.
    pub visibility: VisibilityRules,
    /// Patterns that give a definition a role.
    pub roles: RoleRules,
    /// How a file's path becomes a module path.
    pub module: ModuleRules,
}

/// One `object.member` shape.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemberRule {
    /// The node kind of the whole.
    pub node: String,
    /// The field with what stands before the member.
    pub object: String,
    /// The field with the member's name.
    pub member: String,
}

/// Which comments document a definition.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct DocRules {
    /// A comment must start with one of these; empty: any comment right above counts.
    pub prefixes: Vec<String>,
    /// Comments that start so never document (`//go:build`, `# type:`).
    pub not: Vec<String>,
    /// The first string statement of a body documents it.
    pub docstrings: bool,
}

/// Who may use what.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct VisibilityRules {
    /// Without any sign: `public`, `internal`, `protected` or `private`.
    pub default: String,
    /// The same for members of types, where it differs.
    pub member_default: Option<String>,
    /// Modifier words and what they mean.
    pub keywords: HashMap<String, String>,
    /// Name prefixes and what they mean; the longest match wins.
    pub prefixes: HashMap<String, String>,
    /// Names with this prefix and suffix are public whatever their prefix says (`__init__`).
    pub always_public_affix: Option<String>,
    /// A capital first letter means public, any other private.
    pub by_case: bool,
    /// Everything inside a definition with this modifier is public unless a keyword says otherwise (`declare module`).
    pub open_modifier: Option<String>,
    /// Members of these kinds of parents are as visible as the parent.
    pub inherit_from: Vec<String>,
}

/// Patterns (`*` at either end) that give a definition a role.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RoleRules {
    /// Names of tests.
    pub test_names: Vec<String>,
    /// Decorators or attributes of tests.
    pub test_decorators: Vec<String>,
    /// Qualified names of entry points.
    pub entry_names: Vec<String>,
    /// Decorators or attributes of request and event handlers.
    pub handler_decorators: Vec<String>,
}

/// How a file's path becomes a module path.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ModuleRules {
    /// File stems that stand for their folder (`mod`, `index`, `__init__`).
    pub index_stems: Vec<String>,
    /// Folders that start a module path and are not part of it (`src`).
    pub roots: Vec<String>,
    /// The folder, not the file, is the module (Go).
    pub folder_is_module: bool,
}

impl Settings {
    /// Reads a `language.toml`; the error says what is wrong and where.
    pub(crate) fn from_toml(source: &str) -> Result<Settings, String> {
        let settings: Settings = toml::from_str(source).map_err(|error| error.to_string())?;
        let visibilities = std::iter::once(&settings.visibility.default)
            .chain(&settings.visibility.member_default)
            .chain(settings.visibility.keywords.values())
            .chain(settings.visibility.prefixes.values());
        for word in visibilities {
            if Visibility::from_name(word).is_none() {
                return Err(format!("unknown visibility `{word}`"));
            }
        }
        for word in settings.identifiers.values() {
            if RefKind::from_name(word).is_none() {
                return Err(format!("unknown reference kind `{word}`"));
            }
        }
        Ok(settings)
    }
}

/// Matches `text` against a pattern with an optional `*` at either end.
pub(crate) fn glob_matches(pattern: &str, text: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(_), Some(_)) => text.contains(pattern.trim_matches('*')),
        (Some(suffix), None) => text.ends_with(suffix),
        (None, Some(prefix)) => text.starts_with(prefix),
        (None, None) => text == pattern,
    }
}
