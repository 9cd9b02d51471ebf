//! The refs of a repository and how they relate: names, commits, worktrees, ahead and behind, merge
//! bases.

use std::collections::HashMap;
use std::path::PathBuf;

use gix::ObjectId;
use gix::bstr::ByteSlice;

use crate::model::Workspace;
use crate::scan::error::ScanError;
use crate::scan::git;
use crate::scan::git::ahead_behind::{AheadBehind, CommitNode, History};

/// The kind of a ref.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefClass {
    /// A local branch.
    Branch,
    /// A branch of a remote, as last fetched.
    Remote,
    /// A tag.
    Tag,
}

impl RefClass {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            RefClass::Branch => "branch",
            RefClass::Remote => "remote",
            RefClass::Tag => "tag",
        }
    }
}

/// One ref.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefEntry {
    /// As users write it.
    pub name: String,
    /// The kind of the ref.
    pub class: RefClass,
    /// Its commit in hexadecimal.
    pub commit: String,
    /// The time of that commit, in unix seconds.
    pub time: i64,
    /// The worktree in which it is checked out, if any.
    pub worktree: Option<PathBuf>,
    /// Commits it has and the base lacks, and the other way round; `None` where that cannot be
    /// told.
    pub ahead_behind: Option<(usize, usize)>,
}

/// Options for listing refs.
#[derive(Clone, Debug)]
pub struct RefOptions {
    /// Branches of remotes, too.
    pub remotes: bool,
    /// Tags, too.
    pub tags: bool,
    /// At most this many, the newest first.
    pub limit: usize,
    /// The ref that ahead and behind are counted against; the default branch when `None`.
    pub base: Option<String>,
}

/// The refs of a repository, the newest commits first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefList {
    /// The ref that ahead and behind were counted against.
    pub base: Option<String>,
    /// At most the limit.
    pub refs: Vec<RefEntry>,
    /// The number of refs without the limit.
    pub total: usize,
}

/// Lists the refs of the repository around a workspace.
pub fn list_refs(workspace: &Workspace, options: &RefOptions) -> Result<RefList, ScanError> {
    let Some(git_dir) = &workspace.git_dir else {
        return Ok(RefList { base: None, refs: Vec::new(), total: 0 });
    };
    let mut repository = git::open(git_dir)?;
    repository.object_cache_size_if_unset(4 << 20);
    let failed = |detail: String| ScanError::Reference { name: "refs".into(), detail, suggestions: Vec::new() };
    let worktrees = worktrees(&repository);
    let platform = repository.references().map_err(|error| failed(error.to_string()))?;
    let all = platform.all().map_err(|error| failed(error.to_string()))?;
    let mut refs = Vec::new();
    for mut reference in all.flatten() {
        let full = reference.name().as_bstr().to_str_lossy().into_owned();
        let class = match () {
            _ if full.starts_with("refs/heads/") => RefClass::Branch,
            _ if full.starts_with("refs/remotes/") && options.remotes && !full.ends_with("/HEAD") => RefClass::Remote,
            _ if full.starts_with("refs/tags/") && options.tags => RefClass::Tag,
            _ => continue,
        };
        let name = reference.name().shorten().to_str_lossy().into_owned();
        let Ok(id) = reference.peel_to_id() else { continue };
        // A tag may name something else than a commit.
        let Ok(commit) = repository.find_commit(id) else { continue };
        let time = commit.time().map_or(0, |time| time.seconds);
        let worktree = worktrees.get(&full).cloned();
        refs.push(RefEntry { name, class, commit: commit.id.to_string(), time, worktree, ahead_behind: None });
    }
    refs.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.name.cmp(&b.name)));
    let total = refs.len();
    refs.truncate(options.limit);
    let base = options.base.clone().or_else(|| default_branch(&repository));
    let base_id = base.as_deref().and_then(|base| crate::scan::git::objects::commit_of(&repository, base).ok());
    if let Some(base_id) = base_id {
        let commits: Vec<ObjectId> = refs.iter().filter_map(|one| id_of(&one.commit)).collect();
        for (entry, counted) in refs.iter_mut().zip(ahead_behind(&repository, base_id, &commits)) {
            entry.ahead_behind = counted;
        }
    }
    Ok(RefList { base, refs, total })
}

/// Counts the commits that each of `tips` has and `base` lacks, and the other way round; `None`
/// where that cannot be told.
fn ahead_behind(repository: &gix::Repository, base: ObjectId, tips: &[ObjectId]) -> Vec<Option<AheadBehind>> {
    let commit_graph = repository.commit_graph_if_enabled().ok().flatten();
    let mut graph = repository.revision_graph::<()>(commit_graph.as_ref());
    // A shallow clone lacks the parents of these.
    let ends = repository.shallow_commits().ok().flatten();
    let mut read = |id: ObjectId| {
        let commit = graph.try_lookup(&id).ok()??.to_owned(|| ()).ok()?;
        let is_end = ends.as_ref().is_some_and(|ends| ends.contains(&id));
        let parents = if is_end { Box::default() } else { commit.parents.iter().copied().collect() };
        Some(CommitNode { time: commit.commit_time, parents })
    };
    History::new(&mut read).ahead_behind(base, tips)
}

fn id_of(hex: &str) -> Option<ObjectId> {
    ObjectId::from_hex(hex.as_bytes()).ok()
}

/// Full ref names and where they are checked out.
fn worktrees(repository: &gix::Repository) -> HashMap<String, PathBuf> {
    let mut found = HashMap::new();
    let Ok(all) = repository.worktrees_including_main() else { return found };
    for worktree in all.flatten() {
        let name = worktree.head_name().ok().flatten().map(|name| name.as_bstr().to_str_lossy().into_owned());
        if let Some((name, directory)) = name.zip(worktree.workdir()) {
            found.insert(name, dunce::canonicalize(directory).unwrap_or_else(|_| directory.to_path_buf()));
        }
    }
    found
}

/// The branch that others are measured by: what the remote calls its HEAD, else a branch with a
/// usual name.
fn default_branch(repository: &gix::Repository) -> Option<String> {
    if let Ok(head) = repository.find_reference("refs/remotes/origin/HEAD")
        && let Some(name) = head.target().try_name()
    {
        let remote = name.shorten().to_str_lossy().into_owned();
        let local = remote.strip_prefix("origin/").map(|name| format!("refs/heads/{name}"));
        // The local branch of that name is what its owner works on.
        return match local.and_then(|local| repository.find_reference(local.as_str()).ok()) {
            Some(local) => Some(local.name().shorten().to_str_lossy().into_owned()),
            None => Some(remote),
        };
    }
    let configured = repository.config_snapshot().string("init.defaultBranch").map(|name| name.to_string());
    let usual = ["main", "master", "trunk", "develop"].map(str::to_string);
    let candidates = configured.into_iter().chain(usual);
    let exists = |name: &String| repository.find_reference(format!("refs/heads/{name}").as_str()).is_ok();
    let head = || repository.head_name().ok().flatten().map(|name| name.shorten().to_str_lossy().into_owned());
    candidates.into_iter().find(exists).or_else(head)
}

/// The branch of the repository around `workspace` that others are measured by.
pub fn base_branch(workspace: &Workspace) -> Result<Option<String>, ScanError> {
    let Some(git_dir) = &workspace.git_dir else { return Ok(None) };
    Ok(default_branch(&git::open(git_dir)?))
}

/// Returns the ref to show for a bare repository, which has nothing checked out: HEAD, or if HEAD
/// names a branch that does not exist, as after a push of `main` to a repository made for `master`,
/// the default branch or else the newest ref.
pub fn bare_head(workspace: &Workspace) -> Result<String, ScanError> {
    let is_known = |name: &String| crate::scan::git::objects::resolve(workspace, name).is_ok();
    let head = "HEAD".to_string();
    if is_known(&head) {
        return Ok(head);
    }
    if let Some(branch) = base_branch(workspace)?.filter(is_known) {
        return Ok(branch);
    }
    let options = RefOptions { remotes: true, tags: true, limit: 1, base: None };
    let newest = list_refs(workspace, &options)?.refs.into_iter().next();
    Ok(newest.map_or(head, |newest| newest.name))
}

/// The best common ancestor of two commits given in hexadecimal; `None` when their histories share
/// nothing.
pub fn merge_base(workspace: &Workspace, one: &str, other: &str) -> Result<Option<String>, ScanError> {
    let Some(git_dir) = &workspace.git_dir else { return Ok(None) };
    let mut repository = git::open(git_dir)?;
    repository.object_cache_size_if_unset(4 << 20);
    let (Some(one), Some(other)) = (id_of(one), id_of(other)) else { return Ok(None) };
    Ok(repository.merge_base(one, other).ok().flatten().map(|base| base.to_string()))
}
