//! The first commit of a repository, which all of its clones and forks have.

use crate::model::Workspace;
use crate::scan::error::ScanError;
use crate::scan::git::objects::commit_of;
use crate::scan::git::open;
use crate::scan::git::refs::bare_head;

/// The first commit of a repository, or why it is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FirstCommit {
    /// Its id in hexadecimal.
    Id(String),
    /// The workspace is not in git.
    NoGit,
    /// Nothing was committed yet.
    NoCommit,
    /// The history of the clone is cut off.
    Shallow,
}

/// Follows the first parents of what is checked out to their end.
pub fn first_commit(workspace: &Workspace) -> Result<FirstCommit, ScanError> {
    let Some(git_dir) = &workspace.git_dir else { return Ok(FirstCommit::NoGit) };
    let mut repository = open(git_dir)?;
    repository.object_cache_size_if_unset(4 << 20);
    let head = match commit_of(&repository, "HEAD") {
        Ok(id) => Some(id),
        Err(_) => commit_of(&repository, &bare_head(workspace)?).ok(),
    };
    let Some(head) = head else { return Ok(FirstCommit::NoCommit) };
    if repository.is_shallow().unwrap_or(false) {
        return Ok(FirstCommit::Shallow);
    }
    let broken =
        |source: Box<dyn std::error::Error + Send + Sync>| ScanError::Repository { path: git_dir.clone(), source };
    let walk = repository.rev_walk([head]).first_parent_only();
    let walk = walk.all().map_err(|error| broken(error.into()))?;
    let mut last = head;
    for commit in walk {
        last = commit.map_err(|error| broken(error.into()))?.id;
    }
    Ok(FirstCommit::Id(last.to_string()))
}
