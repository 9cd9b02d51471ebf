//! `.gemspec`: gems, with the gems that they depend on. It is a program, which is not run: what it
//! computes is not known.

use std::sync::LazyLock;

use regex::Regex;

use crate::manifests::facts::{
    DeclaredDependency, DeclaredProject, MAX_ITEMS, ManifestFacts, ManifestKind, ManifestProblem, ManifestText,
};
use crate::manifests::words::{line_at, without_comments};

pub(in crate::manifests) const KIND: ManifestKind =
    ManifestKind { name: "gem", files: &["*.gemspec"], is_one_by_folder: false, read };

#[expect(clippy::expect_used, reason = "a constant expression")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid expression")
}

static NAME: LazyLock<Regex> = LazyLock::new(|| compiled(r#"(?m)^\s*\w+\.name\s*=\s*["']([^"'\n#]+)["']"#));
static DEPENDENCY: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r#"(?m)^\s*\w+\.add_(?:runtime_|development_)?dependency[\s(]+(?:%q<|["'])([^"'>\n#]+)["'>]"#)
});

fn read(file: ManifestText<'_>) -> Result<ManifestFacts, ManifestProblem> {
    let text = without_comments(file.text, &["#"], false);
    let name = NAME.captures(&text).and_then(|found| found.get(1));
    let found = DEPENDENCY.captures_iter(&text).take(MAX_ITEMS).filter_map(|found| found.get(1));
    let dependencies =
        found.map(|other| DeclaredDependency::by_name(other.as_str(), line_at(&text, other.start()))).collect();
    // A name that is computed is nearly always that of the file.
    Ok(ManifestFacts::of(DeclaredProject {
        name: name.map_or(file.stem(), |name| name.as_str()).to_string(),
        line: name.map_or(1, |name| line_at(&text, name.start())),
        dependencies,
        ..DeclaredProject::default()
    }))
}
