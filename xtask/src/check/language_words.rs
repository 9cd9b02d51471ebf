//! The rule `language-words`: languages are named only in their table and hooks, and the folders
//! that `[languages]` in the rules file lists hold none of the keywords listed there. A string
//! literal counts when it is exactly such a word.

use crate::check::Violation;
use crate::check::rules_file::RulesFile;
use crate::check::source::Workspace;

/// Finds names and keywords of languages outside of the places for them.
pub(crate) fn outside_language_folders(workspace: &Workspace, rules: &RulesFile) -> Vec<Violation> {
    let mut found = Vec::new();
    for krate in workspace.crates.iter().filter(|krate| krate.is_product()) {
        for file in krate.product_files() {
            let is_below = |folders: &[String]| folders.iter().any(|folder| file.path.starts_with(folder.as_str()));
            if is_below(&rules.languages.places) || rules.excepts("language-words", &file.path) {
                continue;
            }
            let has_no_keywords = is_below(&rules.languages.keyword_free);
            for (text, line) in &file.found.strings {
                let message = if rules.languages.names.contains(text) {
                    format!("names the language \"{text}\": ask the table of languages")
                } else if has_no_keywords && rules.languages.keywords.contains(text) {
                    format!("\"{text}\" is a word of some language: make it a key of language.toml")
                } else {
                    continue;
                };
                found.push(Violation::new(&krate.name, &file.path, *line, message));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::source::testing::sample_crate;

    #[test]
    fn names_and_keywords_are_found() {
        let code = "fn f(x: &str) -> bool { x == \"python\" || matches!(x, \"keyof\" | \"pythons\") }\n\
                    #[cfg(test)]\nmod tests { const A: &str = \"python\"; }\nconst B: &str = \"python\";\n";
        let root = ("lib.rs", "mod a;\nmod hooks;\n");
        let crates = vec![
            sample_crate("engine", &[root, ("a.rs", code)]),
            sample_crate("syntax", &[root, ("a.rs", code), ("hooks.rs", code)]),
        ];
        let mut rules = RulesFile::default();
        rules.languages.names = vec!["python".to_string()];
        rules.languages.keywords = vec!["keyof".to_string()];
        rules.languages.keyword_free = vec!["crates/engine/src/".to_string()];
        rules.languages.places = vec!["crates/syntax/src/hooks".to_string()];
        let found = outside_language_folders(&Workspace { crates, others: Vec::new() }, &rules);
        let places: Vec<String> = found.iter().map(|found| format!("{}:{}", found.unit, found.line)).collect();
        assert_eq!(places, ["engine:1", "engine:1", "engine:4", "syntax:1", "syntax:4"]);
    }
}
