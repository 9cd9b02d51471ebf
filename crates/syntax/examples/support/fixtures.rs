//! The sample files of a language with their texts. Shared by `tests/robustness.rs` and the
//! examples.

use std::path::{Path, PathBuf};

use codecompass_syntax::Language;

/// Names and texts of all fixtures of `language`, in order.
pub(crate) fn fixtures(language: &Language) -> std::io::Result<Vec<(String, String)>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("languages").join(language.name).join("fixtures");
    let mut files = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<Vec<PathBuf>>>()?;
    files.sort();
    files.retain(|file| file.extension().is_none_or(|extension| extension != "expect"));
    let read = |file: &PathBuf| {
        let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
        Ok((file.display().to_string(), text))
    };
    files.iter().map(read).collect()
}
