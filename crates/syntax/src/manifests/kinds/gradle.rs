//! `settings.gradle` and `build.gradle`, in Groovy and Kotlin: included projects, and
//! `project(":a:b")` or `projects.a.b` among dependencies. They are programs, which are not run:
//! what they compute is not known.

use regex::Regex;
use std::sync::LazyLock;

use crate::manifests::facts::{
    DeclaredDependency, DeclaredProject, MAX_ITEMS, ManifestFacts, ManifestKind, ManifestProblem, ManifestText,
};
use crate::manifests::words::{bracketed, line_at, without_comments};

pub(in crate::manifests) const KIND: ManifestKind = ManifestKind {
    name: "gradle",
    files: &["settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"],
    is_one_by_folder: true,
    read,
};

/// Bytes of a block that are looked at.
const MAX_BLOCK: usize = 64 << 10;

#[expect(clippy::expect_used, reason = "a constant expression")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid expression")
}

static ROOT_NAME: LazyLock<Regex> = LazyLock::new(|| compiled(r#"rootProject\s*\.\s*name\s*=\s*["']([^"'$\n]+)["']"#));
static INCLUDE: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?m)^[ \t]*include\b"));
static FOLDER: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r#"project\s*\(?\s*["']([^"'\n]+)["']\s*\)?\s*\.\s*projectDir\s*=[^"'\n]*["']([^"'$\n]+)["']"#)
});
static DEPENDENCY: LazyLock<Regex> =
    LazyLock::new(|| compiled(r#"\bproject\s*\(\s*(?:path\s*[:=]\s*)?["'](:[^"'$\n]*)["']|\b(projects(?:\.\w+)+)"#));

fn read(file: ManifestText<'_>) -> Result<ManifestFacts, ManifestProblem> {
    let text = without_comments(file.text, &["//"], true);
    Ok(if file.name.starts_with("settings") {
        settings(&text)
    } else {
        ManifestFacts::of(DeclaredProject { line: 1, dependencies: dependencies(&text), ..Default::default() })
    })
}

fn settings(text: &str) -> ManifestFacts {
    let mut facts = ManifestFacts::default();
    if let Some(name) = ROOT_NAME.captures(text).and_then(|found| found.get(1)) {
        let line = line_at(text, name.start());
        facts.projects.push(DeclaredProject {
            name: name.as_str().to_string(),
            aliases: vec![":".to_string()],
            line,
            ..DeclaredProject::default()
        });
    }
    for include in INCLUDE.find_iter(text).take(MAX_ITEMS) {
        if facts.projects.len() > MAX_ITEMS {
            break;
        }
        for (path, at) in included(text, include.end()).into_iter().take(MAX_ITEMS) {
            facts.projects.push(project(path, line_at(text, at)));
        }
    }
    for found in FOLDER.captures_iter(text).take(MAX_ITEMS) {
        let (Some(path), Some(folder)) = (found.get(1), found.get(2)) else { continue };
        let path = name_of(path.as_str());
        for project in facts.projects.iter_mut().filter(|project| project.name == path) {
            project.folder = folder.as_str().trim_start_matches("./").to_string();
        }
    }
    facts
}

/// Returns the texts behind `include`, in parentheses or as a list that a comma continues on the
/// next line.
fn included(text: &str, from: usize) -> Vec<(&str, usize)> {
    let rest = &text[from..];
    let skipped = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let (start, length) = if rest[skipped..].starts_with('(') {
        (from + skipped + 1, bracketed(&rest[skipped..], MAX_BLOCK).len())
    } else {
        let mut length = 0;
        for line in rest.split_inclusive('\n') {
            length += line.len();
            if !line.trim_end().ends_with(',') {
                break;
            }
        }
        (from, length)
    };
    let arguments = text.get(start..start + length).unwrap_or_default();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = arguments[at..].find(['"', '\'']) {
        let inside = at + open + 1;
        let quote = arguments.as_bytes()[inside - 1] as char;
        let Some(length) = arguments[inside..].find(quote) else { break };
        let path = &arguments[inside..inside + length];
        if !path.is_empty() && !path.contains(['$', '\n']) {
            found.push((path, start + inside));
        }
        at = inside + length + 1;
    }
    found
}

fn name_of(path: &str) -> &str {
    path.trim_start_matches(':')
}

fn project(path: &str, line: u32) -> DeclaredProject {
    let name = name_of(path);
    let parts = name.split([':', '/']).map(accessor);
    let accessor = std::iter::once("projects".to_string()).chain(parts).collect::<Vec<_>>().join(".");
    DeclaredProject {
        name: name.to_string(),
        aliases: vec![format!(":{name}"), accessor],
        line,
        folder: name.replace(':', "/"),
        dependencies: Vec::new(),
    }
}

/// Returns a part of a path as type-safe accessors write it: `core-network` is `coreNetwork`.
fn accessor(part: &str) -> String {
    let mut words = part.split(['-', '_', '.']);
    let mut out = words.next().unwrap_or_default().to_string();
    for word in words {
        let mut chars = word.chars();
        out.extend(chars.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(chars.as_str());
    }
    out
}

fn dependencies(text: &str) -> Vec<DeclaredDependency> {
    let mut found = Vec::new();
    let mut end = 0;
    for (at, word) in text.match_indices("dependencies") {
        let open = at + word.len();
        let blank = text[open..].len() - text[open..].trim_start().len();
        // Blocks may be nested.
        if at < end || found.len() > MAX_ITEMS || !text[open + blank..].starts_with('{') {
            continue;
        }
        let inside = bracketed(&text[open + blank..], MAX_BLOCK);
        let start = open + blank + 1;
        end = start + inside.len();
        for captures in DEPENDENCY.captures_iter(inside).take(MAX_ITEMS) {
            let Some(name) = captures.get(1).or(captures.get(2)) else { continue };
            let line = line_at(text, start + name.start());
            found.push(DeclaredDependency::by_name(name.as_str(), line));
        }
    }
    found
}
