//! Repositories that show one commit and share the objects of another.

use std::fs;
use std::path::Path;

use super::error::{GitError, file_error};
use super::repository::CONFIG;
use super::url::{is_branch, is_commit};

/// Makes `dir` a bare repository whose HEAD is `commit`, with the objects of the repository
/// `objects_of`. A repository that is there already shows the commit afterwards.
///
/// Nothing is copied, so `objects_of` must stay where it is. The commit is not looked for.
pub fn make_view(dir: &Path, objects_of: &Path, commit: &str) -> Result<(), GitError> {
    if !is_commit(commit) {
        return Err(GitError::Commit);
    }
    let objects = std::path::absolute(objects_of).map_err(file_error("read", objects_of))?.join("objects");
    fs::read_dir(&objects).map_err(file_error("read", &objects))?;
    let line = objects.to_str().filter(|line| !line.contains('\n'));
    let line = line.ok_or_else(|| GitError::File {
        action: "write",
        path: objects.display().to_string(),
        source: std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "git cannot share objects of a folder with this name",
        ),
    })?;
    for folder in ["objects/info", "objects/pack", "refs/heads"] {
        let folder = dir.join(folder);
        fs::create_dir_all(&folder).map_err(file_error("write", &folder))?;
    }
    // HEAD comes last: without it a folder is no repository.
    let files = [
        ("objects/info/alternates", format!("{line}\n")),
        ("config", CONFIG.to_string()),
        ("HEAD", format!("{commit}\n")),
    ];
    files.into_iter().try_for_each(|(name, text)| replace(dir, name, &text))
}

/// Gives the commit that a repository of [`make_view`] shows the name of a branch, its only one.
pub fn name_branch(dir: &Path, branch: &str, commit: &str) -> Result<(), GitError> {
    if !is_branch(branch) {
        return Err(GitError::Branch);
    }
    if !is_commit(commit) {
        return Err(GitError::Commit);
    }
    // In one file no name of a branch is a path, and none is in the way of another.
    replace(dir, "packed-refs", &format!("{commit} refs/heads/{branch}\n"))?;
    replace(dir, "HEAD", &format!("ref: refs/heads/{branch}\n"))
}

/// Replaces a file at once.
fn replace(dir: &Path, name: &str, text: &str) -> Result<(), GitError> {
    let (file, new) = (dir.join(name), dir.join(format!("{name}.new")));
    fs::write(&new, text).and_then(|()| fs::rename(&new, &file)).map_err(file_error("write", &file))
}
