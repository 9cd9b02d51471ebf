//! The rule `storage`: SQL, and the libraries behind the store, stay inside of it.

use crate::check::Violation;
use crate::check::rules_file::RulesFile;
use crate::check::source::{SourceFile, Workspace};

/// Finds SQL and names of the storage libraries outside of the store's folder.
pub(crate) fn outside_the_store(workspace: &Workspace, rules: &RulesFile) -> Vec<Violation> {
    let mut found = Vec::new();
    for krate in workspace.crates.iter().filter(|krate| krate.is_product()) {
        let files = krate.product_files().filter(|file| !file.path.starts_with(&rules.storage.folder));
        for file in files.filter(|file| !rules.excepts("storage", &file.path)) {
            let mut add = |line, what: String| {
                let remedy = format!("{what} belongs into {}: give the store a method for it", rules.storage.folder);
                found.push(Violation::new(&krate.name, &file.path, line, remedy));
            };
            for (library, line) in libraries(file, rules) {
                add(line, format!("`{library}`"));
            }
            for (text, line) in &file.found.strings {
                if is_sql(text, rules) {
                    add(*line, format!("SQL (\"{}\")", text.split_whitespace().take(4).collect::<Vec<_>>().join(" ")));
                }
            }
        }
    }
    found
}

fn libraries<'a>(file: &'a SourceFile, rules: &'a RulesFile) -> impl Iterator<Item = (&'a str, usize)> {
    let imports = file.found.imports.iter().map(|import| (&import.segments, import.line));
    let paths = file.found.paths.iter().map(|path| (&path.segments, path.line));
    imports.chain(paths).filter_map(|(segments, line)| {
        let first = segments.first()?;
        rules.storage.libraries.contains(first).then_some((first.as_str(), line))
    })
}

fn is_sql(text: &str, rules: &RulesFile) -> bool {
    rules.storage.sql.iter().any(|start| text.trim_start().starts_with(start.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::source::testing::sample_crate;

    #[test]
    fn sql_and_libraries_are_found_outside_of_the_store_only() {
        let code = "use rusqlite::Connection;\nfn f(c: tantivy::Index) { run!(\"SELECT 1\"); }\nconst S: &str = \"SELECTED\";\n";
        let crates = vec![sample_crate(
            "engine",
            &[("lib.rs", "mod sync;\nmod store;\n"), ("sync.rs", code), ("store/mod.rs", code)],
        )];
        let mut rules = RulesFile::default();
        rules.storage.folder = "crates/engine/src/store/".to_string();
        rules.storage.libraries = vec!["rusqlite".to_string(), "tantivy".to_string()];
        rules.storage.sql = vec!["SELECT ".to_string()];
        let found = outside_the_store(&Workspace { crates, others: Vec::new() }, &rules);
        let places: Vec<String> = found.iter().map(|found| format!("{}:{}", found.path, found.line)).collect();
        let file = "crates/engine/src/sync.rs";
        assert_eq!(places, [format!("{file}:1"), format!("{file}:2"), format!("{file}:2")]);
        assert!(found[2].message.starts_with("SQL (\"SELECT 1\")"), "{}", found[2].message);
    }
}
