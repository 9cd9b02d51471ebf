//! All answers about all fixtures agree with each other: those of the languages, and the small
//! programs of the tests of navigation and resolution.

pub(crate) mod checks;
mod literals;

use std::path::{Path, PathBuf};

use codecompass_engine::config::{IndexConfig, SemanticConfig, SemanticMode};
use codecompass_engine::{Config, Engine, NoProgress, SyncOptions, sync};
use codecompass_testkit::{Random, TestWorkspace};

use checks::report::Disagreement;
use checks::{CheckedTree, Extent, Report, check};

/// Disagreements that are not repaired yet: a possible call that `trace` follows and `refs` does
/// not list, uses in code that does not parse, and a default export that another file names first.
const KNOWN: [&str; 8] = [
    "trace elixir BankWeb.AccountController.show router.ex:36:7",
    "trace ruby Account#hidden visibility.rb:48:26",
    "possible haskell Bank.Basics.open Basics.hs:49:1",
    "possible python send a.py:1:5",
    "possible python whole.send b.py:4:9",
    "listed javascript other other.js:2:17",
    "named javascript Main other.js:2:27",
    "named javascript Main other.js:1:8",
];

#[test]
fn language_fixtures() {
    let languages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../syntax/languages");
    let mut report = Report::default();
    for language in folders(&languages) {
        let mut fixture = String::new();
        for file in files(&language.join("fixtures"), |name| !name.ends_with(".expect")) {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            let name = file.file_name().unwrap().to_string_lossy();
            fixture.push_str(&format!("//- /{name}\n{text}\n"));
        }
        report.merge(checked(&fixture));
    }
    agreed(report, 1000);
}

#[test]
fn programs_of_tests() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let mut report = Report::default();
    for folder in ["navigation", "navigation/uses", "resolve_languages"] {
        for file in files(&tests.join(folder), |name| name.ends_with(".rs")) {
            for fixture in literals::fixtures(&std::fs::read_to_string(file).unwrap()) {
                report.merge(checked(&fixture));
            }
        }
    }
    agreed(report, 1000);
}

/// Indexes a fixture and runs all checks on a part of it, or on all of it with `SLOW_TESTS=1`.
fn checked(fixture: &str) -> Report {
    let workspace = TestWorkspace::in_memory(fixture);
    let semantic = SemanticConfig { mode: SemanticMode::Off, ..SemanticConfig::default() };
    let index = IndexConfig { threads: 1, ..IndexConfig::default() };
    let config = Config { index, semantic, ..Config::default() };
    let engine = Engine::open(&workspace.root(), &workspace.home(), config).unwrap();
    let snapshot = sync(&engine, SyncOptions::default(), &NoProgress).unwrap().0;
    let all = std::env::var_os("SLOW_TESTS").map(|_| usize::MAX);
    let [symbols, names, uses] = [20, 40, 3].map(|count| all.unwrap_or(count));
    let extent = Extent { symbols, names, uses, random: Random::new(1) };
    check(&CheckedTree::new(&engine, &snapshot), extent).unwrap()
}

/// Fails on disagreements, and where less was compared than expected.
#[track_caller]
fn agreed(report: Report, least: usize) {
    let lines: Vec<String> = report
        .disagreements
        .iter()
        .map(|found| {
            let [one, other] = &found.commands;
            let Disagreement { check, language, subject, difference, .. } = found;
            format!("{check} {language} {subject}: {difference}\n    {one}\n    {other}")
        })
        .filter(|line| !KNOWN.iter().any(|known| line.starts_with(known)))
        .collect();
    let asked: usize = report.asked.values().sum();
    assert!(lines.is_empty(), "{} of {asked} disagree\n{}", lines.len(), lines.join("\n"));
    assert!(asked >= least, "only {asked} comparisons");
}

fn folders(path: &Path) -> Vec<PathBuf> {
    entries(path).into_iter().filter(|path| path.is_dir()).collect()
}

/// Returns the files of a folder whose names are wanted, in the order of names.
fn files(path: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let is_file = |path: &PathBuf| path.is_file() && is_wanted(&path.file_name().unwrap().to_string_lossy());
    entries(path).into_iter().filter(is_file).collect()
}

fn entries(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}
