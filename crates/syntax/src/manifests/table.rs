//! The table of kinds of manifest: one row each; how one is read stands in its file in `kinds/`.

use super::kinds::{cargo, composer, dotnet, go_module, gradle, maven, mix, npm, pyproject};
use super::{ManifestFacts, ManifestProblem, ManifestText};

/// A kind of manifest, which is also the kind of the projects it declares.
pub struct ManifestKind {
    /// The stable lower-case name used in answers and filters.
    pub name: &'static str,
    /// Names of files, or endings behind `*`. The name of a project comes from the first that has
    /// one.
    pub files: &'static [&'static str],
    /// True if all manifests of a folder are about one project.
    pub is_one_by_folder: bool,
    pub(super) read: fn(ManifestText<'_>) -> Result<ManifestFacts, ManifestProblem>,
}

static KINDS: [ManifestKind; 9] = [
    cargo::KIND,
    npm::KIND,
    go_module::KIND,
    pyproject::KIND,
    maven::KIND,
    gradle::KIND,
    dotnet::KIND,
    composer::KIND,
    mix::KIND,
];

/// Returns all kinds, in the order in which they are listed.
pub fn manifest_kinds() -> &'static [ManifestKind] {
    &KINDS
}

/// Returns the kind of the manifest that a file with this name is.
pub fn kind_of(file_name: &str) -> Option<&'static ManifestKind> {
    KINDS.iter().find(|kind| kind.place(file_name).is_some())
}

impl ManifestKind {
    /// Returns the place of a file's name among those of the kind.
    pub fn place(&self, file_name: &str) -> Option<usize> {
        self.files.iter().position(|known| match known.strip_prefix('*') {
            Some(ending) => file_name.len() > ending.len() && file_name.ends_with(ending),
            None => *known == file_name,
        })
    }
}
