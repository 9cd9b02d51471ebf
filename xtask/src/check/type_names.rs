//! The rules `type-names` and `public-type-names`: one name for one type, in a crate and, for
//! public types, in the workspace.

use std::collections::BTreeMap;

use crate::check::Violation;
use crate::check::rules_file::RulesFile;
use crate::check::source::extract::TypeDef;
use crate::check::source::{Crate, SourceFile, Workspace};

/// Finds type names that a crate defines more than once.
pub(crate) fn in_crate(workspace: &Workspace, _: &RulesFile) -> Vec<Violation> {
    let mut found = Vec::new();
    for krate in &workspace.crates {
        for definitions in by_name(definitions(krate)).values() {
            found.extend(repeated(definitions, "this crate"));
        }
    }
    found
}

/// Finds names of public types that several crates define.
pub(crate) fn in_workspace(workspace: &Workspace, _: &RulesFile) -> Vec<Violation> {
    let product = workspace.crates.iter().filter(|krate| krate.is_product());
    let public = product.flat_map(definitions).filter(|definition| definition.def.is_public);
    let mut found = Vec::new();
    for mut definitions in by_name(public).into_values() {
        // Within a crate, the other rule finds them.
        definitions.dedup_by_key(|definition| definition.krate);
        found.extend(repeated(&definitions, "the workspace"));
    }
    found
}

/// A type and where it is defined.
pub(crate) struct Definition<'a> {
    krate: &'a str,
    file: &'a SourceFile,
    def: &'a TypeDef,
    /// The condition of the file's module and its own.
    cfg: Option<String>,
}

/// Returns the types of a crate's product code.
pub(crate) fn definitions(krate: &Crate) -> impl Iterator<Item = Definition<'_>> {
    krate.files.iter().enumerate().filter(|(index, _)| !krate.modules.is_test_file(*index)).flat_map(
        move |(index, file)| {
            file.found.types.iter().map(move |def| {
                let cfg = krate.modules.condition(index).map(str::to_string).or_else(|| def.cfg.clone());
                Definition { krate: &krate.name, file, def, cfg }
            })
        },
    )
}

/// Groups definitions by their names.
pub(crate) fn by_name<'a>(definitions: impl Iterator<Item = Definition<'a>>) -> BTreeMap<&'a str, Vec<Definition<'a>>> {
    let mut names: BTreeMap<&str, Vec<Definition>> = BTreeMap::new();
    for definition in definitions {
        names.entry(&definition.def.name).or_default().push(definition);
    }
    for definitions in names.values_mut() {
        // Variants of one type for different systems are one.
        let mut conditions: Vec<String> = Vec::new();
        definitions.retain(|definition| match &definition.cfg {
            None => true,
            Some(cfg) if conditions.is_empty() || conditions.contains(cfg) => {
                conditions.push(cfg.clone());
                true
            }
            Some(_) => false,
        });
    }
    names
}

fn repeated<'a>(definitions: &'a [Definition<'a>], within: &'a str) -> impl Iterator<Item = Violation> + 'a {
    definitions.iter().enumerate().skip(1).map(move |(index, definition)| {
        let others = definitions.iter().enumerate().filter(|(other, _)| *other != index);
        let others: Vec<String> = others.map(|(_, other)| format!("{}:{}", other.file.path, other.def.line)).collect();
        let message = format!(
            "`{}` is defined elsewhere in {within} ({}): name it by what it holds, perhaps `{}`",
            definition.def.name,
            others.join(", "),
            proposal(definition)
        );
        Violation::new(definition.krate, &definition.file.path, definition.def.line, message)
    })
}

/// The name with that of its file, or of the folder for `mod.rs`, in front.
fn proposal(definition: &Definition) -> String {
    let path = definition.file.path.trim_end_matches(".rs").trim_end_matches("/mod").trim_end_matches("/src/lib");
    let words = path.rsplit('/').next().unwrap_or(path).split('_');
    let camel: String = words
        .filter_map(|word| {
            let (first, rest) = word.split_at_checked(1)?;
            Some(first.to_ascii_uppercase() + rest)
        })
        .collect();
    let name = &definition.def.name;
    if camel.ends_with(name.as_str()) { camel } else { format!("{camel}{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::source::testing::{sample, sample_crate};

    #[test]
    fn a_second_type_of_a_name_is_found() {
        let workspace = sample(&[
            ("lib.rs", "mod disk_cache;\nstruct Entry;\n#[cfg(test)]\nmod tests { struct Entry; }\n"),
            ("disk_cache.rs", "\nenum Entry { A }\nfn f() { type Result<T> = Option<T>; }\n"),
        ]);
        let found = in_crate(&workspace, &RulesFile::default());
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].path.as_str(), found[0].line), ("crates/sample/src/disk_cache.rs", 2));
        let elsewhere = "`Entry` is defined elsewhere in this crate (crates/sample/src/lib.rs:2)";
        assert!(found[0].message.starts_with(elsewhere), "{}", found[0].message);
    }

    #[test]
    fn variants_for_systems_are_one_type() {
        let workspace = sample(&[
            ("lib.rs", "#[cfg(unix)]\nmod linux;\n#[cfg(not(unix))]\nmod portable;\n"),
            ("linux.rs", "struct Watcher;\n"),
            ("portable.rs", "struct Watcher;\n"),
        ]);
        assert!(in_crate(&workspace, &RulesFile::default()).is_empty());
    }

    #[test]
    fn public_types_are_compared_between_crates() {
        let files = [("lib.rs", "pub struct Outline;\nstruct Private;\n")];
        let crates = vec![sample_crate("engine", &files), sample_crate("syntax", &files)];
        let found = in_workspace(&Workspace { crates, others: Vec::new() }, &RulesFile::default());
        assert_eq!(found.len(), 1);
        assert!(found[0].message.contains("perhaps `SyntaxOutline`"), "{}", found[0].message);
    }
}
