//! House rules that no compiler checks, from the parsed source of the whole workspace.
//!
//! Each rule finds violations and counts them by crate. `xtask/rules/rules.toml` says how many are
//! still allowed there: more fail the check, and it says so when the number can be lowered. The
//! lines of product code of a crate are kept in the same way, in whole hundreds.

mod circles;
mod figures;
mod file_shape;
mod function_shape;
mod graph;
mod language_words;
mod rules_file;
mod source;
mod storage;
mod type_names;
mod wording;
mod wrap;

use std::collections::BTreeMap;
use std::path::Path;

use crate::docs;
use crate::outcome::Outcome;
use rules_file::RulesFile;
use source::Workspace;

/// The ratchet of a crate's size.
const PRODUCT_LINES: &str = "product-lines";

/// When so many violations or fewer are in a crate with new ones, all of them are shown.
const SHOWN: usize = 20;

/// A named rule.
struct Rule {
    name: &'static str,
    find: fn(&Workspace, &RulesFile) -> Vec<Violation>,
}

const RULES: [Rule; 17] = [
    Rule { name: "module-edges", find: circles::new_edges },
    Rule { name: "module-circles", find: circles::module_circles },
    Rule { name: "sibling-circles", find: circles::sibling_circles },
    Rule { name: "file-circles", find: circles::file_circles },
    Rule { name: "type-names", find: type_names::in_crate },
    Rule { name: "public-type-names", find: type_names::in_workspace },
    Rule { name: "storage", find: storage::outside_the_store },
    Rule { name: "language-words", find: language_words::outside_language_folders },
    Rule { name: "folder-width", find: file_shape::folder_width },
    Rule { name: "file-length", find: file_shape::file_length },
    Rule { name: "file-header", find: file_shape::file_header },
    Rule { name: "doc-openings", find: wording::doc_openings },
    Rule { name: "comment-words", find: wording::comment_words },
    Rule { name: "comment-width", find: wording::comment_width },
    Rule { name: "function-length", find: function_shape::function_length },
    Rule { name: "tuple-parameters", find: function_shape::tuple_parameters },
    Rule { name: "boolean-match", find: function_shape::boolean_match },
];

/// A place that breaks a rule, and the remedy.
#[derive(Debug)]
struct Violation {
    /// The crate it is counted under.
    unit: String,
    path: String,
    line: usize,
    message: String,
}

impl Violation {
    fn new(unit: &str, path: &str, line: usize, message: String) -> Violation {
        Violation { unit: unit.to_string(), path: path.to_string(), line, message }
    }
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Runs `cargo xtask check` with its flags.
pub(crate) fn run(root: &Path, flags: &[&str]) -> Outcome<()> {
    match flags {
        [] => check(root).and_then(|()| docs::check(root)),
        ["--list", rule] => list(root, rule),
        ["--figures"] => figures::print(root),
        ["--lower"] => set_ratchets(root, false),
        ["--accept"] => set_ratchets(root, true),
        ["--wrap", paths @ ..] => wrap::run(root, paths),
        ["--write-edges"] => circles::present_edges(&Workspace::load(root)?).write(root),
        _ => Err(
            "usage: cargo xtask check [--list RULE | --figures | --lower | --accept | --wrap [PATH…] | --write-edges]"
                .into(),
        ),
    }
}

/// Fails when a crate has more violations of a rule than are allowed.
fn check(root: &Path) -> Outcome<()> {
    let (workspace, rules) = (Workspace::load(root)?, RulesFile::load(root)?);
    let judged = judge(&workspace, &rules);
    for (rule, unit, number) in &judged.lowerable {
        println!("{rule}: {unit} is down to {number}, {} are allowed", rules.allowed(rule, unit));
    }
    let stale = circles::stale_edges(&workspace, &rules);
    if !stale.is_empty() {
        println!("module-edges: no code needs these any more, `--write-edges` removes them: {}", stale.join(", "));
    }
    for stale in stale_names(&rules, root) {
        println!("{stale}");
    }
    if !judged.complaints.is_empty() {
        return Err(judged.complaints.join("\n").into());
    }
    if !judged.lowerable.is_empty() {
        println!("`cargo xtask check --lower` writes the smaller numbers into the rules file");
    }
    println!("{} source files keep the house rules", workspace.files().count());
    Ok(())
}

/// The outcome of all rules.
#[derive(Default)]
struct Judged {
    complaints: Vec<String>,
    /// Rule, crate and number where fewer violations are left than are allowed.
    lowerable: Vec<(&'static str, String, usize)>,
    /// The same where there are more.
    exceeded: Vec<(&'static str, String, usize)>,
}

fn judge(workspace: &Workspace, rules: &RulesFile) -> Judged {
    let mut judged = Judged::default();
    for rule in &RULES {
        let mut units: BTreeMap<String, Vec<Violation>> = BTreeMap::new();
        for unit in rules.ratchet.get(rule.name).into_iter().flat_map(BTreeMap::keys) {
            units.entry(unit.clone()).or_default();
        }
        for violation in (rule.find)(workspace, rules) {
            units.entry(violation.unit.clone()).or_default().push(violation);
        }
        for (unit, violations) in units {
            let (number, allowed) = (violations.len(), rules.allowed(rule.name, &unit));
            if number < allowed {
                judged.lowerable.push((rule.name, unit, number));
            } else if number > allowed {
                let shown = violations.iter().take(if number <= SHOWN { SHOWN } else { 0 });
                judged.complaints.extend(shown.map(|violation| format!("{violation} [{}]", rule.name)));
                let name = rule.name;
                judged.exceeded.push((name, unit.clone(), number));
                judged.complaints.push(format!(
                    "{unit} breaks the rule {name} {number} times, {allowed} are allowed: see \
                     `cargo xtask check --list {name}`"
                ));
            }
        }
    }
    for krate in workspace.crates.iter().filter(|krate| krate.is_product()) {
        let (lines, allowed) = (krate.product_lines(), rules.allowed(PRODUCT_LINES, &krate.name));
        let hundreds = lines.next_multiple_of(100);
        if hundreds < allowed {
            judged.lowerable.push((PRODUCT_LINES, krate.name.clone(), hundreds));
        } else if lines > allowed {
            judged.exceeded.push((PRODUCT_LINES, krate.name.clone(), hundreds));
            judged.complaints.push(format!(
                "{} has {lines} lines of product code, {allowed} are allowed: remove some, or raise the number in \
                 xtask/rules/rules.toml and say why [{PRODUCT_LINES}]",
                krate.name
            ));
        }
    }
    judged
}

/// Ratchets and exceptions for rules and files that do not exist.
fn stale_names(rules: &RulesFile, root: &Path) -> Vec<String> {
    let is_rule = |name: &str| name == PRODUCT_LINES || RULES.iter().any(|rule| rule.name == name);
    let ratchets = rules.ratchet.keys().filter(|name| !is_rule(name)).map(|name| format!("no rule is called {name}"));
    let exceptions = rules.exceptions.iter().filter(|exception| {
        !is_rule(&exception.rule) || exception.reason.is_empty() || !root.join(&exception.path).exists()
    });
    ratchets
        .chain(exceptions.map(|exception| {
            format!("the exception from {} for {} lacks a rule, file or reason", exception.rule, exception.path)
        }))
        .collect()
}

/// Prints all violations of a rule.
fn list(root: &Path, name: &str) -> Outcome<()> {
    let Some(rule) = RULES.iter().find(|rule| rule.name == name) else {
        let names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
        return Err(format!("no rule is called {name}; there are {}", names.join(", ")).into());
    };
    let (workspace, rules) = (Workspace::load(root)?, RulesFile::load(root)?);
    let mut violations = (rule.find)(&workspace, &rules);
    violations.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    for violation in &violations {
        println!("{violation}");
    }
    println!("{} violations of {name}", violations.len());
    Ok(())
}

/// Writes the numbers of today into the rules file where they are smaller; if asked, also where
/// they are larger.
fn set_ratchets(root: &Path, may_raise: bool) -> Outcome<()> {
    let (workspace, rules) = (Workspace::load(root)?, RulesFile::load(root)?);
    let judged = judge(&workspace, &rules);
    let mut numbers = judged.lowerable;
    if may_raise {
        numbers.extend(judged.exceeded.into_iter().filter(|(rule, ..)| *rule != "module-edges"));
    }
    rules_file::set(root, &numbers)?;
    for (rule, unit, number) in &numbers {
        println!("{rule}: {unit} has {number}, {} were allowed", rules.allowed(rule, unit));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::source::testing::sample;

    #[test]
    fn more_violations_than_allowed_fail_and_fewer_are_told() {
        let workspace = sample(&[("lib.rs", "//! What.\nmod a;\n"), ("a.rs", "//! What.\n")]);
        let with = |allowed: usize| {
            let text = format!(
                "[comments]\nopenings = [\"What\"]\n[limits]\nfolder_files = 9\nfile_lines = 9\n\
                                comment_width = 99\n[ratchet.product-lines]\nsample = 100\n\
                                [ratchet.doc-openings]\nsample = {allowed}\n"
            );
            judge(&workspace, &toml::from_str(&text).unwrap())
        };
        assert!(with(2).complaints.is_empty() && with(2).lowerable.is_empty());
        let complaints = with(1).complaints;
        assert_eq!(complaints.len(), 3);
        assert!(complaints[0].starts_with("crates/sample/src/lib.rs:1: a doc comment begins"), "{}", complaints[0]);
        assert!(complaints[2].starts_with("sample breaks the rule doc-openings 2 times, 1 are"), "{}", complaints[2]);
        assert_eq!(with(5).lowerable, [("doc-openings", "sample".to_string(), 2)]);
    }

    #[test]
    fn a_crate_may_shrink_and_not_grow() {
        let workspace = sample(&[("lib.rs", &"//! Text.\n".repeat(101))]);
        let with = |allowed: usize| {
            let text = format!(
                "[limits]\nfolder_files = 9\nfile_lines = 999\ncomment_width = 99\n\
                 [ratchet.product-lines]\nsample = {allowed}\n"
            );
            judge(&workspace, &toml::from_str(&text).unwrap())
        };
        assert!(with(200).complaints.is_empty() && with(200).lowerable.is_empty());
        assert_eq!(with(300).lowerable, [(PRODUCT_LINES, "sample".to_string(), 200)]);
        assert_eq!(with(100).exceeded, [(PRODUCT_LINES, "sample".to_string(), 200)]);
        assert!(with(100).complaints[0].starts_with("sample has 101 lines"), "{}", with(100).complaints[0]);
    }
}
