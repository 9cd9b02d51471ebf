//! Manifests of projects: what one file such as `Cargo.toml` or `package.json` says about projects,
//! their workspace and their dependencies. Text in, facts out; nothing is executed.
//!
//! A kind of manifest is a file in `kinds/` and one row in `table.rs`.

mod facts;
mod kinds;
mod table;
mod values;
mod words;
mod xml;

pub use facts::{
    DeclaredDependency, DeclaredProject, DependencyTarget, ManifestFacts, ManifestKind, ManifestProblem, ManifestText,
    MemberPattern, SharedPath,
};
use facts::{MAX_BYTES, MAX_ITEMS};
pub use table::{kind_of, manifest_kinds};

/// Reads a manifest. Whatever the text is, the result is facts or a reason.
pub fn read_manifest(kind: &ManifestKind, file: ManifestText<'_>) -> Result<ManifestFacts, ManifestProblem> {
    if file.text.len() > MAX_BYTES {
        return Err(ManifestProblem::new(1, format!("is larger than {} MiB", MAX_BYTES >> 20)));
    }
    let file = ManifestText { text: file.text.trim_start_matches('\u{feff}'), ..file };
    let mut facts = (kind.read)(file)?;
    facts.members.truncate(MAX_ITEMS);
    facts.shared.truncate(MAX_ITEMS);
    facts.projects.truncate(MAX_ITEMS);
    for project in &mut facts.projects {
        project.dependencies.truncate(MAX_ITEMS);
    }
    Ok(facts)
}
