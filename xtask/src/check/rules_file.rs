//! The tables below `xtask/rules`: limits, word lists, exceptions and ratchets in `rules.toml`,
//! module edges in `edges.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

use crate::outcome::Outcome;

const RULES: &str = "xtask/rules/rules.toml";
/// The table of allowed edges between top-level modules.
pub(crate) const EDGES: &str = "xtask/rules/edges.toml";

const EDGES_HEADER: &str = "\
# The top-level modules that each top-level module of a crate may use. `lib` and `main` are the files at the root.
# `cargo xtask check` fails on an edge that is not here; `cargo xtask check --write-edges` writes the table anew.
";

/// Both tables.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RulesFile {
    pub limits: Limits,
    pub comments: CommentWords,
    pub storage: Storage,
    pub languages: LanguageWords,
    pub exceptions: Vec<Exception>,
    /// Violations that are still allowed, by rule and crate. The numbers may only fall.
    pub ratchet: BTreeMap<String, BTreeMap<String, usize>>,
    #[serde(skip)]
    pub edges: EdgeTable,
}

/// Largest sizes.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Limits {
    pub file_lines: usize,
    pub folder_files: usize,
    pub comment_width: usize,
    pub function_lines: usize,
}

/// Words that comments do without.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CommentWords {
    /// Words that no doc comment begins with.
    pub openings: Vec<String>,
    /// Words that no comment contains, in lower case.
    pub words: Vec<String>,
}

/// The libraries that only the store knows.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Storage {
    pub folder: String,
    pub libraries: Vec<String>,
    /// Beginnings of SQL statements and clauses.
    pub sql: Vec<String>,
}

/// Words of programming languages.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LanguageWords {
    /// The files and folders that name languages: the table and the hooks.
    pub places: Vec<String>,
    /// String literals that are keywords or fixed names of some language.
    pub keywords: Vec<String>,
    /// The folders that do without these keywords.
    pub keyword_free: Vec<String>,
    /// Names of all languages; from the table of languages.
    #[serde(skip)]
    pub names: Vec<String>,
}

/// A file or folder that a rule does not hold for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Exception {
    pub rule: String,
    pub path: String,
    pub reason: String,
}

/// Allowed edges: by crate, the modules that each module may use.
#[derive(Debug, Default)]
pub(crate) struct EdgeTable(pub BTreeMap<String, BTreeMap<String, BTreeSet<String>>>);

impl RulesFile {
    /// Reads both tables.
    pub(crate) fn load(root: &Path) -> Outcome<RulesFile> {
        let text = std::fs::read_to_string(root.join(RULES)).map_err(|error| format!("{RULES}: {error}"))?;
        let mut rules: RulesFile = toml::from_str(&text).map_err(|error| format!("{RULES}: {error}"))?;
        let text = std::fs::read_to_string(root.join(EDGES)).unwrap_or_default();
        rules.edges = EdgeTable(toml::from_str(&text).map_err(|error| format!("{EDGES}: {error}"))?);
        rules.languages.names =
            codecompass_syntax::registry::all().iter().map(|language| language.name.to_string()).collect();
        Ok(rules)
    }

    /// Returns the number of violations that are allowed for a crate.
    pub(crate) fn allowed(&self, rule: &str, unit: &str) -> usize {
        self.ratchet.get(rule).and_then(|units| units.get(unit)).copied().unwrap_or(0)
    }

    /// Returns whether an exception lists the file, or a folder that it is in.
    pub(crate) fn excepts(&self, rule: &str, path: &str) -> bool {
        let covers =
            |listed: &str| path.strip_prefix(listed).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.exceptions.iter().any(|exception| exception.rule == rule && covers(exception.path.trim_end_matches('/')))
    }
}

/// Sets ratchets in the rules file, and removes those that are zero.
pub(crate) fn set(root: &Path, numbers: &[(&str, String, usize)]) -> Outcome<()> {
    let path = root.join(RULES);
    let changed = with_numbers(&std::fs::read_to_string(&path)?, numbers)?;
    Ok(std::fs::write(path, changed)?)
}

fn with_numbers(text: &str, numbers: &[(&str, String, usize)]) -> Outcome<String> {
    let mut document: toml_edit::DocumentMut = text.parse()?;
    for (rule, unit, number) in numbers {
        let ratchet = document["ratchet"].or_insert(toml_edit::table());
        let table = ratchet[rule].or_insert(toml_edit::table()).as_table_like_mut().ok_or("a ratchet is no table")?;
        match number {
            0 => drop(table.remove(unit)),
            _ => drop(table.insert(unit, toml_edit::value(i64::try_from(*number)?))),
        }
        if table.is_empty()
            && let Some(ratchets) = document["ratchet"].as_table_like_mut()
        {
            ratchets.remove(rule);
        }
    }
    Ok(document.to_string())
}

impl EdgeTable {
    /// Writes the table.
    pub(crate) fn write(&self, root: &Path) -> Outcome<()> {
        let mut text = String::from(EDGES_HEADER);
        for (name, modules) in &self.0 {
            let _ = write!(text, "\n[{name}]\n");
            for (module, used) in modules {
                let used: Vec<String> = used.iter().map(|name| format!("\"{name}\"")).collect();
                let _ = writeln!(text, "{module} = [{}]", used.join(", "));
            }
        }
        Ok(std::fs::write(root.join(EDGES), text)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratchets_are_changed_in_place() {
        let text = "[limits]\nfile_lines = 1 # kept\n\n[ratchet.a]\nengine = 3\nsyntax = 2\n\n[ratchet.b]\nembed = 1\n";
        let numbers = [("a", "engine", 1), ("a", "syntax", 0), ("b", "embed", 0), ("c", "embed", 2)];
        let changed = with_numbers(text, &numbers.map(|(rule, unit, number)| (rule, unit.to_string(), number)));
        let expected = "[limits]\nfile_lines = 1 # kept\n\n[ratchet.a]\nengine = 1\n\n[ratchet.c]\nembed = 2\n";
        assert_eq!(changed.unwrap(), expected);
    }

    #[test]
    fn exceptions_cover_files_and_folders() {
        let text = "exceptions = [{ rule = \"r\", path = \"a/b\", reason = \"because\" }]";
        let rules: RulesFile = toml::from_str(text).unwrap();
        assert!(rules.excepts("r", "a/b") && rules.excepts("r", "a/b/c.rs"));
        assert!(!rules.excepts("r", "a/bc.rs") && !rules.excepts("s", "a/b"));
    }
}
