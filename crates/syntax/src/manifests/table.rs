//! The table of kinds of manifest: one row each; how one is read stands in its file in `kinds/`.

use super::facts::ManifestKind;
use super::kinds::{cargo, composer, dotnet, gemspec, go_module, gradle, maven, mix, npm, pyproject};

static KINDS: [ManifestKind; 10] = [
    cargo::KIND,
    npm::KIND,
    go_module::KIND,
    pyproject::KIND,
    maven::KIND,
    gradle::KIND,
    dotnet::KIND,
    composer::KIND,
    mix::KIND,
    gemspec::KIND,
];

/// Returns all kinds, in the order in which they are listed.
pub fn manifest_kinds() -> &'static [ManifestKind] {
    &KINDS
}

/// Returns the kind of the manifest that a file with this name is.
pub fn kind_of(file_name: &str) -> Option<&'static ManifestKind> {
    KINDS.iter().find(|kind| kind.place(file_name).is_some())
}
