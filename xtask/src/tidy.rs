//! House rules that no compiler checks: every source file says what it is, none grows without bound, and the product
//! names languages only in their table.

use std::path::{Path, PathBuf};

use crate::Outcome;

/// Longer files need a second noun; see CONTRIBUTING.md.
const MAX_LINES: usize = 700;

/// Checks every Rust file of the repository.
pub(crate) fn check(root: &Path) -> Outcome<()> {
    let mut complaints = Vec::new();
    let mut files = Vec::new();
    for folder in ["crates", "xtask"] {
        rust_files(&root.join(folder), &mut files)?;
    }
    files.sort();
    for file in &files {
        let text = std::fs::read_to_string(file)?;
        let name = file.strip_prefix(root).unwrap_or(file).display().to_string();
        if !text.starts_with("//!") {
            complaints.push(format!("{name}: must start with a `//!` line that says what it is"));
        }
        if text.lines().count() > MAX_LINES {
            complaints.push(format!("{name}: more than {MAX_LINES} lines"));
        }
        // The table of roles lists file endings, some of which are also names of languages.
        let product = name.contains("/src/") && !name.starts_with("xtask") && !name.ends_with("scan/roles.rs");
        let code = text.split("#[cfg(test)]").next().unwrap_or(&text);
        let is_own = name.contains("syntax/src/registry/") || name.contains("syntax/src/hooks/");
        if product && !is_own && names_a_language(code) {
            complaints.push(format!("{name}: names a language outside the table in registry/table.rs"));
        }
    }
    if !complaints.is_empty() {
        return Err(complaints.join("\n").into());
    }
    println!("{} source files keep the house rules", files.len());
    Ok(())
}

fn names_a_language(code: &str) -> bool {
    let languages = codecompass_syntax::registry::all();
    languages.iter().any(|language| code.contains(&format!("\"{}\"", language.name)))
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) -> Outcome<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && name != "fixtures" && name != "target" {
            rust_files(&path, files)?;
        } else if name.ends_with(".rs") {
            files.push(path);
        }
    }
    Ok(())
}
