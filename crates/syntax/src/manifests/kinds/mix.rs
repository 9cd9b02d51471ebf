//! `mix.exs`: applications, umbrellas, and dependencies in the umbrella or at a path. It is a
//! program, which is not run: what it computes is not known.

use regex::Regex;
use std::sync::LazyLock;

use crate::manifests::facts::{
    DeclaredDependency, DeclaredProject, MAX_ITEMS, ManifestFacts, ManifestKind, ManifestProblem, ManifestText,
    MemberPattern,
};
use crate::manifests::words::{bracketed, line_at, without_comments};

pub(in crate::manifests) const KIND: ManifestKind =
    ManifestKind { name: "mix", files: &["mix.exs"], is_one_by_folder: true, read };

/// Bytes of a dependency that are looked at.
const MAX_TUPLE: usize = 2 << 10;

#[expect(clippy::expect_used, reason = "a constant expression")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid expression")
}

static APP: LazyLock<Regex> = LazyLock::new(|| compiled(r"\bapp:\s*:(\w+)"));
static APPS_PATH: LazyLock<Regex> = LazyLock::new(|| compiled(r#"\bapps_path:\s*"([^"\n]+)""#));
static TUPLE: LazyLock<Regex> = LazyLock::new(|| compiled(r"\{\s*:(\w+)\s*,"));
static IN_UMBRELLA: LazyLock<Regex> = LazyLock::new(|| compiled(r"\bin_umbrella:\s*true\b"));
static PATH: LazyLock<Regex> = LazyLock::new(|| compiled(r#"\bpath:\s*"([^"\n]+)""#));

fn read(file: ManifestText<'_>) -> Result<ManifestFacts, ManifestProblem> {
    let text = without_comments(file.text, &["#"], false);
    let mut facts = ManifestFacts::default();
    if let Some(path) = APPS_PATH.captures(&text).and_then(|found| found.get(1)) {
        let line = line_at(&text, path.start());
        facts.members.push(MemberPattern::new(&format!("{}/*", path.as_str().trim_end_matches('/')), line));
    }
    let mut dependencies = Vec::new();
    for found in TUPLE.captures_iter(&text).take(MAX_ITEMS) {
        let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else { continue };
        let (options, line) = (bracketed(&text[whole.start()..], MAX_TUPLE), line_at(&text, name.start()));
        if let Some(path) = PATH.captures(options).and_then(|found| found.get(1)) {
            dependencies.push(DeclaredDependency::by_path(name.as_str(), path.as_str(), line));
        } else if IN_UMBRELLA.is_match(options) {
            dependencies.push(DeclaredDependency::by_name(name.as_str(), line));
        }
    }
    let app = APP.captures(&text).and_then(|found| found.get(1));
    facts.projects.push(DeclaredProject {
        name: app.map(|app| app.as_str().to_string()).unwrap_or_default(),
        line: app.map_or(1, |app| line_at(&text, app.start())),
        dependencies,
        ..DeclaredProject::default()
    });
    Ok(facts)
}
