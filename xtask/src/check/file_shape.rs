//! The rules `folder-width`, `file-length` and `file-header`.

use std::collections::BTreeMap;

use crate::check::Violation;
use crate::check::rules_file::RulesFile;
use crate::check::source::Workspace;

/// Finds the files that are too many for their folder.
pub(crate) fn folder_width(workspace: &Workspace, rules: &RulesFile) -> Vec<Violation> {
    let limit = rules.limits.folder_files;
    let mut found = Vec::new();
    for ((unit, folder), files) in folders(workspace) {
        if rules.excepts("folder-width", folder) {
            continue;
        }
        for path in files.iter().skip(limit) {
            let message = format!(
                "the folder has {} files, {limit} are allowed: group some in a folder of their own",
                files.len()
            );
            found.push(Violation::new(unit, path, 1, message));
        }
    }
    found
}

/// Returns the paths of files by the unit and the folder that they are in.
pub(crate) fn folders(workspace: &Workspace) -> BTreeMap<(&str, &str), Vec<&str>> {
    let mut folders: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for (unit, file) in workspace.files() {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        folders.entry((unit, folder)).or_default().push(&file.path);
    }
    folders
}

/// Finds files with too many lines.
pub(crate) fn file_length(workspace: &Workspace, rules: &RulesFile) -> Vec<Violation> {
    let limit = rules.limits.file_lines;
    let long = workspace.files().filter_map(|(unit, file)| {
        let lines = file.text.lines().count();
        let message = || format!("{lines} lines, {limit} are allowed: split it by what its parts are about");
        (lines > limit && !rules.excepts("file-length", &file.path))
            .then(|| Violation::new(unit, &file.path, limit + 1, message()))
    });
    long.collect()
}

/// Finds files that do not say what they are.
pub(crate) fn file_header(workspace: &Workspace, _: &RulesFile) -> Vec<Violation> {
    let bare = workspace.files().filter(|(_, file)| !file.text.starts_with("//!"));
    let message = "must start with a `//!` line that says what it is";
    bare.map(|(unit, file)| Violation::new(unit, &file.path, 1, message.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::source::testing::sample;

    fn rules() -> RulesFile {
        let mut rules = RulesFile::default();
        rules.limits.folder_files = 2;
        rules.limits.file_lines = 3;
        rules
    }

    #[test]
    fn wide_folders_are_found() {
        let files = [("lib.rs", "mod a;\nmod b;\n"), ("a.rs", ""), ("b.rs", "")];
        let found = folder_width(&sample(&files), &rules());
        assert_eq!(found.len(), 1);
        assert!(found[0].message.starts_with("the folder has 3 files, 2 are allowed"), "{}", found[0].message);
        assert!(folder_width(&sample(&files[..2]), &rules()).is_empty());
    }

    #[test]
    fn long_files_and_bare_files_are_found() {
        let workspace = sample(&[("lib.rs", "//! Good.\nfn f() {\n}\n"), ("a.rs", "fn f() {\n    g();\n}\n\n")]);
        let long = file_length(&workspace, &rules());
        assert_eq!(
            long.iter().map(|found| (found.path.as_str(), found.line)).collect::<Vec<_>>(),
            [("crates/sample/src/a.rs", 4)]
        );
        let bare = file_header(&workspace, &rules());
        assert_eq!(bare.iter().map(|found| found.path.as_str()).collect::<Vec<_>>(), ["crates/sample/src/a.rs"]);
    }
}
