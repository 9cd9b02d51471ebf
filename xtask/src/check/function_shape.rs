//! The rules `function-length`, `tuple-parameters` and `boolean-match`: functions that fit on a
//! screen, and that read plainly.

use crate::check::Violation;
use crate::check::rules_file::RulesFile;
use crate::check::source::{SourceFile, Workspace};

/// Finds functions with too many lines.
pub(crate) fn function_length(workspace: &Workspace, rules: &RulesFile) -> Vec<Violation> {
    let limit = rules.limits.function_lines;
    in_product_files(workspace, |file| {
        let long = file.found.functions.iter().filter(|function| function.length > limit);
        let message = |name: &str, length: usize| {
            format!("`{name}` has {length} lines, {limit} are allowed: name its steps and make each a function")
        };
        long.map(|function| (function.line, message(&function.name, function.length))).collect()
    })
}

/// Finds functions that take a tuple apart among their parameters.
pub(crate) fn tuple_parameters(workspace: &Workspace, _: &RulesFile) -> Vec<Violation> {
    in_product_files(workspace, |file| {
        let message = |name: &str| format!("`{name}` takes a tuple: give each part a parameter, or make it a struct");
        let functions = file.found.functions.iter();
        functions.flat_map(|function| vec![(function.line, message(&function.name)); function.tuples]).collect()
    })
}

/// Finds a `match` with `true` or `false` as a pattern.
pub(crate) fn boolean_match(workspace: &Workspace, _: &RulesFile) -> Vec<Violation> {
    let message = "a `match` on a boolean: write `if` and `else`";
    in_product_files(workspace, |file| {
        file.found.boolean_matches.iter().map(|line| (*line, message.to_string())).collect()
    })
}

fn in_product_files(workspace: &Workspace, find: impl Fn(&SourceFile) -> Vec<(usize, String)>) -> Vec<Violation> {
    let mut found = Vec::new();
    for krate in &workspace.crates {
        for file in krate.product_files() {
            let here = find(file).into_iter();
            found.extend(here.map(|(line, message)| Violation::new(&krate.name, &file.path, line, message)));
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

    #[test]
    fn tuples_among_parameters_are_found_and_those_of_closures_are_not() {
        let text = "fn plain(a: (u8, u8)) {}\nfn two((a, b): (u8, u8), &(c, d): &(u8, u8)) {\n\
                    let f = |(e, g): (u8, u8)| e;\n}\n";
        let found = tuple_parameters(&sample(&[("lib.rs", text)]), &RulesFile::default());
        assert_eq!(found.iter().map(|found| found.line).collect::<Vec<_>>(), [2, 2]);
        assert!(found[0].message.starts_with("`two` takes a tuple"), "{}", found[0].message);
    }

    #[test]
    fn matches_on_booleans_are_found() {
        let text = "fn f() {\n    match a { true => 1, false => 2 };\n    match b { (true, _) => 1, _ => 2 };\n\
                    match c { true if d => 1, _ => match e { false => 1, _ => 2 } };\n}\n";
        let found = boolean_match(&sample(&[("lib.rs", text)]), &RulesFile::default());
        assert_eq!(found.iter().map(|found| found.line).collect::<Vec<_>>(), [2, 4, 4]);
    }
}
