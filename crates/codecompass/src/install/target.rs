//! Finds where a file really is, and whether it may be written. Managers of dotfiles put links into
//! the home directory; those are followed to the file they mean, as long as that is in the home
//! directory, too. A link in a repository, which may come from anywhere, never leads out of it.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use codecompass_app::error::{AppError, Code};

use super::Scope;

/// A file that is to be read and written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TargetFile {
    /// The file behind all links.
    pub path: PathBuf,
    /// Its text, if it exists.
    pub text: Option<String>,
    /// Directories that must be made first, the deepest last.
    pub missing: Vec<PathBuf>,
}

/// Finds and reads `file`, which must not leave `root`.
pub(super) fn target(file: &Path, root: &Path, scope: Scope) -> Result<TargetFile, AppError> {
    let cannot = |error: io::Error| {
        let message = format!("cannot read {}: {error}", file.display());
        AppError::invalid(message, "make it readable, or leave this agent out with --agent")
    };
    let (path, missing) = match dunce::canonicalize(file) {
        Ok(path) => (path, Vec::new()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if fs::symlink_metadata(file).is_ok() {
                let message = format!("{} is a link that leads nowhere", file.display());
                return Err(AppError::invalid(message, "remove the link, or make the file that it names"));
            }
            place_of_new(file).map_err(cannot)?
        }
        Err(error) => return Err(cannot(error)),
    };
    let inside = place_of_new(root).map_or_else(|_| root.to_path_buf(), |(root, _)| root);
    if !path.starts_with(&inside) {
        let message = format!("{} leads out of {}, to {}", file.display(), root.display(), path.display());
        return Err(match scope {
            Scope::Project => {
                AppError::new(Code::WorkspaceNotAllowed, message, "replace the link by a file, or use --scope user")
            }
            Scope::User => AppError::invalid(
                message,
                "add the entry where that file is made; --print shows it, as does --agent generic",
            ),
        });
    }
    // Anything but a file could block, or be something else each time.
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_file() => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(TargetFile { path, text: None, missing }),
        Err(error) => return Err(cannot(error)),
        Ok(_) => {
            let message = format!("{} is not a file", file.display());
            return Err(AppError::invalid(message, "move it away, or leave this agent out with --agent"));
        }
    }
    let bytes = fs::read(&path).map_err(cannot)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let line =
            error.as_bytes().iter().take(error.utf8_error().valid_up_to()).filter(|byte| **byte == b'\n').count() + 1;
        let message = format!("{}: line {line}: not UTF-8", file.display());
        AppError::invalid(message, "save the file as UTF-8; it was left as it is")
    })?;
    Ok(TargetFile { path, text: Some(text), missing })
}

/// The path of something that need not exist, behind all links, and the directories that are
/// missing on the way.
fn place_of_new(file: &Path) -> io::Result<(PathBuf, Vec<PathBuf>)> {
    let mut names = Vec::new();
    let mut here = file;
    let mut path = loop {
        match dunce::canonicalize(here) {
            Ok(path) => break path,
            Err(error) if error.kind() == ErrorKind::NotFound => match (here.parent(), here.file_name()) {
                (Some(parent), Some(name)) => {
                    names.push(name);
                    here = parent;
                }
                _ => return Err(error),
            },
            Err(error) => return Err(error),
        }
    };
    if !names.is_empty() && !path.is_dir() {
        return Err(io::Error::new(ErrorKind::NotADirectory, format!("{} is not a directory", here.display())));
    }
    let mut missing = Vec::new();
    while let Some(name) = names.pop() {
        path.push(name);
        if !names.is_empty() {
            missing.push(path.clone());
        }
    }
    Ok((path, missing))
}
