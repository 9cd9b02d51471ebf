//! Reads the content of a commit from git's objects: its tree as a listing, and single blobs. No
//! checkout is made.
//!
//! The same rules apply as on disk. Everything in a tree is tracked, so `.gitignore` hides nothing;
//! it only decides, as on disk, whether a directory is seen through git's eyes alone.

use std::sync::Arc;

use gix::bstr::{BStr, ByteSlice};
use gix::object::tree::EntryKind;

use crate::config::{GIT_IGNORE, IndexConfig, OWN_IGNORE};
use crate::model::{ContentId, FileStat, SkipReason, Workspace};
use crate::scan::error::ScanError;
use crate::scan::git::{self, GitState};
use crate::scan::ignore::Chain;
use crate::scan::ignore::decision::{Decision, decide, is_among};
use crate::scan::ignore::rules::{self, DirectoryRule};
use crate::scan::listing::{ListedFile, Listing, SkippedPath};
use crate::scan::read::{self, ReadOutcome};

/// Returns whether `name` is that of the branch checked out in the workspace, with or without a
/// commit, or of HEAD itself.
pub fn is_checked_out(workspace: &Workspace, name: &str) -> Result<bool, ScanError> {
    let head = git::head(workspace)?.and_then(|head| head.reference);
    let short = name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("heads/")).unwrap_or(name);
    Ok(matches!(name, "HEAD" | "@") || head.as_deref() == Some(short))
}

/// The id of the commit that `name` means: a branch, tag, remote branch, commit id, or an
/// expression such as `HEAD~3`.
pub fn resolve(workspace: &Workspace, name: &str) -> Result<String, ScanError> {
    let Some(git_dir) = &workspace.git_dir else {
        return Err(ScanError::NotInGit { path: workspace.root.clone() });
    };
    let repository = git::open(git_dir)?;
    let commit = commit_of(&repository, name).map_err(|detail| ScanError::Reference {
        name: name.to_string(),
        detail: detail.to_string(),
        suggestions: similar_refs(&repository, name),
    })?;
    Ok(commit.to_string())
}

pub(crate) fn commit_of(repository: &gix::Repository, name: &str) -> Result<gix::ObjectId, &'static str> {
    // Git's own error would name the parser's states.
    let id = repository.rev_parse_single(BStr::new(name)).map_err(|_| match name.find(['~', '^', '@', ':']) {
        Some(_) => "it leads to nothing in this repository",
        None => "this repository does not have it",
    })?;
    let object = id.object().map_err(|_| "its object is not in this clone")?;
    Ok(object.peel_to_kind(gix::object::Kind::Commit).map_err(|_| "it names no commit")?.id)
}

/// More refs than this are not searched for a name that looks alike.
const MAX_REFS: usize = 20_000;

fn similar_refs(repository: &gix::Repository, name: &str) -> Vec<String> {
    let wanted = name.split(['~', '^', '@']).next().unwrap_or(name).to_lowercase();
    let Ok(platform) = repository.references() else { return Vec::new() };
    let Ok(all) = platform.all() else { return Vec::new() };
    let names = all.take(MAX_REFS).flatten().map(|reference| reference.name().shorten().to_str_lossy().into_owned());
    let is_like = |known: &String| {
        let known = known.to_lowercase();
        wanted.len() >= 2 && (known.contains(&wanted) || wanted.contains(&known))
    };
    let mut similar: Vec<String> = names.filter(is_like).collect();
    similar.sort_by_key(|name| (name.len(), name.clone()));
    similar.dedup();
    similar.truncate(5);
    similar
}

fn unknown(name: &str, detail: impl Into<String>) -> ScanError {
    ScanError::Reference { name: name.to_string(), detail: detail.into(), suggestions: Vec::new() }
}

/// Lists the tree of a commit.
pub fn list_commit(workspace: &Workspace, commit: &str) -> Result<Listing, ScanError> {
    let git_dir = workspace.git_dir.as_deref().unwrap_or(&workspace.root);
    let repository = git::open(git_dir)?;
    let failed = |detail: String| unknown(commit, format!("cannot read its tree: {detail}"));
    let id = gix::ObjectId::from_hex(commit.as_bytes()).map_err(|error| failed(error.to_string()))?;
    let tree = repository.find_commit(id).map_err(|error| failed(error.to_string()))?;
    let tree = tree.tree_id().map_err(|error| failed(error.to_string()))?.detach();
    let excludes = GitState::excludes(&repository);
    let mut walk = TreeWalk { repository: &repository, listing: Listing::default() };
    let mut pending =
        vec![TreeJob { path: String::new(), tree, chain: Arc::new(Chain::at_root(&excludes)), tracked_only: false }];
    while let Some(job) = pending.pop() {
        walk.visit(job, &mut pending).map_err(failed)?;
    }
    walk.listing.sort();
    Ok(walk.listing)
}

/// A directory of the tree.
struct TreeJob {
    path: String,
    tree: gix::ObjectId,
    chain: Arc<Chain>,
    tracked_only: bool,
}

struct TreeWalk<'r> {
    repository: &'r gix::Repository,
    listing: Listing,
}

impl TreeWalk<'_> {
    fn visit(&mut self, mut job: TreeJob, pending: &mut Vec<TreeJob>) -> Result<(), String> {
        let object = self.repository.find_tree(job.tree).map_err(|error| error.to_string())?;
        let tree = object.decode().map_err(|error| error.to_string())?;
        let mut names = Vec::with_capacity(tree.entries.len());
        for entry in &tree.entries {
            names.push(entry.filename.to_str().map(str::to_string).map_err(|_| entry.filename.to_string()));
        }
        for (name, is_own) in [(GIT_IGNORE, false), (OWN_IGNORE, true)] {
            let file = tree.entries.iter().find(|entry| {
                entry.filename == name && matches!(entry.mode.kind(), EntryKind::Blob | EntryKind::BlobExecutable)
            });
            if let Some(file) = file.filter(|_| is_own || !job.tracked_only)
                && let Ok(blob) = self.repository.find_blob(file.oid.to_owned())
            {
                Arc::make_mut(&mut job.chain).push_text(&blob.data, &job.path, name, is_own);
            }
        }
        for (entry, name) in tree.entries.iter().zip(&names) {
            let kind = entry.mode.kind();
            let is_dir = matches!(kind, EntryKind::Tree | EntryKind::Commit);
            match name {
                Ok(name) => {
                    let path = if job.path.is_empty() { name.clone() } else { [&job.path, "/", name].concat() };
                    self.entry(&job, name, path, (kind, entry.oid.to_owned()), &names, pending);
                }
                Err(lossy) => {
                    let path = if job.path.is_empty() { lossy.clone() } else { [&job.path, "/", lossy].concat() };
                    self.skip(path, is_dir, SkipReason::PathNotUtf8);
                }
            }
        }
        Ok(())
    }

    fn entry(
        &mut self,
        job: &TreeJob,
        name: &str,
        path: String,
        (kind, id): (EntryKind, gix::ObjectId),
        names: &[Result<String, String>],
        pending: &mut Vec<TreeJob>,
    ) {
        if kind == EntryKind::Link {
            return self.skip(path, false, SkipReason::Symlink);
        }
        let is_dir = matches!(kind, EntryKind::Tree | EntryKind::Commit);
        let built_in = || if is_dir { self.built_in_directory(job, name, id, names) } else { rules::file(name) };
        let decision = decide(&job.chain, job.tracked_only, name, &path, is_dir, built_in);
        let tracked_only = match decision {
            Decision::Skip(reason) => return self.skip(path, is_dir, reason),
            Decision::GitIgnored(_) => true,
            Decision::Keep => job.tracked_only,
        };
        match kind {
            EntryKind::Commit => self.skip(path, true, SkipReason::NestedRepository),
            EntryKind::Tree => pending.push(TreeJob { path, tree: id, chain: job.chain.clone(), tracked_only }),
            _ => {
                let git_id = ContentId::from_slice(id.as_slice());
                self.listing.files.push(ListedFile { path, stat: FileStat::default(), git_id });
            }
        }
    }

    fn built_in_directory(
        &self,
        job: &TreeJob,
        name: &str,
        id: gix::ObjectId,
        names: &[Result<String, String>],
    ) -> Option<&'static str> {
        let evidence = match rules::directory(name)? {
            DirectoryRule::Always(reason) => return Some(reason),
            DirectoryRule::OnEvidence(evidence) => evidence,
        };
        let beside = !job.tracked_only && evidence.beside.iter().any(|marker| is_among(names, marker));
        let inside = || {
            let Ok(tree) = self.repository.find_tree(id) else { return false };
            evidence.inside.iter().any(|marker| tree.lookup_entry_by_path(marker).is_ok_and(|found| found.is_some()))
        };
        // Whatever is in a tree is tracked.
        (!evidence.unless_tracked && (beside || inside())).then_some(evidence.reason)
    }

    fn skip(&mut self, path: String, is_dir: bool, reason: SkipReason) {
        self.listing.skipped.push(SkippedPath { path, is_dir, reason });
    }
}

/// Returns the id and size of the file at `path` of a commit; `None` if there is none.
pub(crate) fn blob_at(workspace: &Workspace, commit: &str, path: &str) -> Result<Option<(ContentId, u64)>, ScanError> {
    let git_dir = workspace.git_dir.as_deref().unwrap_or(&workspace.root);
    let repository = git::open(git_dir)?;
    let found = || {
        let id = gix::ObjectId::from_hex(commit.as_bytes()).ok()?;
        let tree = repository.find_commit(id).ok()?.tree().ok()?;
        let entry = tree.lookup_entry_by_path(path).ok()??;
        let id = entry.mode().is_blob().then(|| entry.object_id())?;
        Some((ContentId::from_slice(id.as_slice())?, repository.find_header(id).ok()?.size()))
    };
    Ok(found())
}

/// Returns the bytes of a blob, whatever they are, if they are at most `limit`.
pub(crate) fn blob_bytes(repository: &gix::Repository, id: ContentId, limit: u64) -> Result<Vec<u8>, SkipReason> {
    let object = gix::ObjectId::from_bytes_or_panic(&id.0);
    if let Ok(header) = repository.find_header(object)
        && header.size() > limit
    {
        return Err(SkipReason::TooLarge(header.size()));
    }
    match repository.find_blob(object) {
        Ok(mut blob) => Ok(blob.take_data()),
        Err(_) => Err(SkipReason::Unreadable("its content is not in this clone".into())),
    }
}

/// Reads the blob at `path` of a commit.
pub(crate) fn read_blob(repository: &gix::Repository, id: ContentId, config: &IndexConfig) -> ReadOutcome {
    let object = gix::ObjectId::from_bytes_or_panic(&id.0);
    let missing = |error: String| ReadOutcome::Skipped {
        reason: SkipReason::Unreadable(error),
        content_id: None,
        stat: FileStat::default(),
        settled: false,
    };
    match repository.find_header(object) {
        Ok(header) if header.size() > config.max_file_bytes => read::too_large(header.size()),
        Ok(_) => match repository.find_blob(object) {
            Ok(mut blob) => read::judge_bytes(blob.take_data(), config),
            Err(error) => missing(error.to_string()),
        },
        // A partial clone fetches blobs only when they are needed.
        Err(_) => missing("its content is not in this clone".into()),
    }
}
