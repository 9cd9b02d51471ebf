//! The rule `function-length`: functions that fit on a screen.

use crate::check::Violation;
use crate::check::rules_file::RulesFile;
use crate::check::source::Workspace;

/// Finds functions with too many lines.
pub(crate) fn function_length(workspace: &Workspace, rules: &RulesFile) -> Vec<Violation> {
    let limit = rules.limits.function_lines;
    let mut found = Vec::new();
    for krate in &workspace.crates {
        for file in krate.product_files() {
            for function in file.found.functions.iter().filter(|function| function.length > limit) {
                let message = format!(
                    "`{}` has {} lines, {limit} are allowed: name its steps and make each a function",
                    function.name, function.length
                );
                found.push(Violation::new(&krate.name, &file.path, function.line, message));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::source::testing::sample;

    #[test]
    fn long_functions_are_found() {
        let text = "fn short() {\n}\nimpl A {\n    fn long() {\n        g();\n    }\n}\n\
                    #[cfg(test)]\nmod tests {\n    fn long() {\n        g();\n    }\n}\n";
        let mut rules = RulesFile::default();
        rules.limits.function_lines = 2;
        let found = function_length(&sample(&[("lib.rs", text)]), &rules);
        assert_eq!(found.iter().map(|found| found.line).collect::<Vec<_>>(), [4]);
        assert!(found[0].message.starts_with("`long` has 3 lines"), "{}", found[0].message);
    }
}
