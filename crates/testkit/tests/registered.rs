//! Every source file belongs to a crate: what no `mod` names is not compiled, and a test in it
//! never runs.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold files for other programs to read.
const NO_MODULES: [&str; 3] = ["fixtures", "target", "languages"];

#[test]
fn no_file_is_forgotten() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for package in fs::read_dir(root.join("crates")).unwrap() {
        sources(&package.unwrap().path(), &mut files);
    }
    sources(&root.join("xtask"), &mut files);
    let forgotten: Vec<&PathBuf> = files.iter().filter(|file| !is_root(file) && !is_named(file)).collect();
    assert!(forgotten.is_empty(), "no `mod` names {forgotten:#?}");
    assert!(files.iter().any(|file| file.ends_with("testkit/tests/registered.rs")), "this very file was looked at");
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !NO_MODULES.contains(&name) {
            sources(&path, files);
        } else if name.ends_with(".rs") {
            files.push(path);
        }
    }
}

/// Returns whether cargo finds the file by its place.
fn is_root(file: &Path) -> bool {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = file.parent().unwrap();
    let is_target = |folder: &Path| matches!(name(folder).as_str(), "tests" | "examples" | "benches" | "bin");
    match name(file).as_str() {
        "lib.rs" => name(folder) == "src",
        "main.rs" => name(folder) == "src" || is_target(folder.parent().unwrap()),
        "build.rs" => folder.join("Cargo.toml").exists(),
        _ => is_target(folder),
    }
}

/// Returns whether a file beside it or in the folder above names it, as a module or by its path.
fn is_named(file: &Path) -> bool {
    let folder = file.parent().unwrap();
    let (module, folder) = if file.ends_with("mod.rs") { (folder, folder.parent().unwrap()) } else { (file, folder) };
    let declaration = format!("mod {};", module.file_stem().unwrap().to_str().unwrap());
    let path = format!("{}\"]", file.file_name().unwrap().to_str().unwrap());
    let names = |line: &str| {
        let visibility = line.trim().strip_suffix(&declaration);
        visibility.is_some_and(|visibility| visibility.is_empty() || visibility.starts_with("pub"))
            || line.trim().starts_with("#[path = ") && line.ends_with(&path)
    };
    let beside = fs::read_dir(folder).unwrap().chain(fs::read_dir(folder.parent().unwrap()).unwrap());
    let others = beside.map(|entry| entry.unwrap().path()).filter(|other| other != file && other.is_file());
    others.into_iter().any(|other| fs::read_to_string(other).unwrap_or_default().lines().any(names))
}
