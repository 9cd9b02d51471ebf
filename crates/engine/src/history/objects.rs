//! Commits, trees and blobs of the history, read from git's objects. An object that is missing, as
//! in a partial clone, gives nothing.

use std::collections::VecDeque;

use gix::bstr::{BStr, BString, ByteSlice, ByteVec};
use gix::diff::tree::{State, Visit, visit};
use gix::object::tree::EntryKind;
use gix::objs::tree::EntryMode;
use gix::objs::{FindExt, TreeRefIter};
use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::history::renames::{self, Contents};
use crate::model::{ContentId, Workspace};
use crate::scan;
use crate::store::history::record::{
    ChangeStatus, CommitHead, CommitId, CommitRecord, EntryClass, EntryRef, PathChange, Person,
};

/// Bytes of trees that stay unpacked, for each thread.
const OBJECT_CACHE: usize = 24 << 20;
/// Bytes of bases of deltas that stay unpacked, for each thread.
const DELTA_CACHE: usize = 24 << 20;

/// The objects of a repository, for one thread.
pub(crate) struct Objects {
    repository: gix::Repository,
    /// Commits whose parents a shallow clone does not have.
    edges: FxHashSet<CommitId>,
    state: State,
}

impl Objects {
    /// Opens the objects of the repository around a workspace, which must be in git.
    pub(crate) fn open(workspace: &Workspace) -> Result<Objects> {
        let mut repository = scan::open_repository(workspace)?;
        repository.object_cache_size_if_unset(OBJECT_CACHE);
        repository
            .objects
            .set_pack_cache(|| Box::new(gix::odb::pack::cache::lru::MemoryCappedHashmap::new(DELTA_CACHE)));
        let shallow = repository.shallow_commits().ok().flatten();
        let edges = shallow.iter().flat_map(|ids| ids.iter()).map(|id| commit_id(id)).collect();
        Ok(Objects { repository, edges, state: State::default() })
    }

    /// Returns the commits at the edge of a shallow clone.
    pub(crate) fn edges(&self) -> &FxHashSet<CommitId> {
        &self.edges
    }

    /// Returns the repository itself.
    pub(crate) fn repository(&self) -> &gix::Repository {
        &self.repository
    }

    /// Reads a commit without its changes; `None` if it is not in this clone.
    pub(crate) fn commit(&self, id: CommitId) -> Option<CommitRecord> {
        let object = self.repository.find_object(object_id(&id.0)).ok()?.try_into_commit().ok()?;
        let decoded = object.decode().ok()?;
        let author = decoded.author().ok()?;
        let time = author.time().unwrap_or_default();
        let commit_time = decoded.committer().ok().and_then(|committer| committer.time().ok()).unwrap_or_default();
        let is_edge = self.edges.contains(&id);
        let parents = decoded.parents().map(|parent| commit_id(&parent));
        let encoding = decoded.encoding.map(|name| name.to_str_lossy().to_lowercase());
        let text = |bytes: &BStr| decode(bytes, encoding.as_deref());
        Some(CommitRecord {
            head: CommitHead {
                id,
                parents: if is_edge { Vec::new() } else { parents.collect() },
                author: 0,
                author_time: time.seconds,
                author_offset: time.offset,
                commit_time: commit_time.seconds,
                is_edge,
                is_incomplete: false,
            },
            author: Person { name: text(author.name.trim().into()), email: text(author.email.trim().into()) },
            message: text(decoded.message),
            changes: Vec::new(),
        })
    }

    /// Returns the tree of a commit.
    fn tree_of(&self, id: CommitId) -> Option<gix::ObjectId> {
        let object = self.repository.find_object(object_id(&id.0)).ok()?.try_into_commit().ok()?;
        object.tree_id().ok().map(|tree| tree.detach())
    }

    /// Returns what a commit changed in comparison with `parent`, or all it has, sorted by path and
    /// with renames; `None` if a tree is missing.
    pub(crate) fn changes(&mut self, id: CommitId, parent: Option<CommitId>) -> Option<Vec<PathChange>> {
        let changes = self.plain_changes(id, parent)?;
        Some(renames::join(changes, &*self))
    }

    /// Returns what a commit changed in comparison with `parent`, or all it has, with a rename as
    /// an addition and a deletion; `None` if a tree is missing.
    pub(crate) fn plain_changes(&mut self, id: CommitId, parent: Option<CommitId>) -> Option<Vec<PathChange>> {
        let new = self.tree_of(id)?;
        let old = match parent {
            Some(parent) => Some(self.tree_of(parent)?),
            None => None,
        };
        if old == Some(new) {
            return Some(Vec::new());
        }
        let (mut old_bytes, mut new_bytes) = (Vec::new(), Vec::new());
        let objects = &self.repository.objects;
        let new = objects.find_tree_iter(&new, &mut new_bytes).ok()?;
        let old = match old {
            Some(old) => objects.find_tree_iter(&old, &mut old_bytes).ok()?,
            None => TreeRefIter::from_bytes(&[], gix::hash::Kind::Sha1),
        };
        let mut recorder = ChangeRecorder::default();
        gix::diff::tree(old, new, &mut self.state, objects, &mut recorder).ok()?;
        let mut changes = recorder.changes;
        changes.sort_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
        Some(changes)
    }

    /// Returns whether anything that `accepts` differs between two commits; `None` if a tree is
    /// missing.
    pub(crate) fn differs(&mut self, id: CommitId, parent: CommitId, accepts: &dyn Fn(&str) -> bool) -> Option<bool> {
        let changes = self.plain_changes(id, Some(parent))?;
        Some(changes.iter().any(|change| accepts(&change.path)))
    }

    /// Returns the id at `path` of a commit's tree: of a file or folder; `None` if there is none.
    pub(crate) fn entry_at(&self, id: CommitId, path: &str) -> Option<gix::ObjectId> {
        let tree = self.repository.find_tree(self.tree_of(id)?).ok()?;
        tree.lookup_entry_by_path(path).ok()?.map(|entry| entry.object_id())
    }

    /// Returns the file at `path` of a commit.
    pub(crate) fn file_at(&self, id: CommitId, path: &str) -> Option<EntryRef> {
        let tree = self.repository.find_tree(self.tree_of(id)?).ok()?;
        let entry = tree.lookup_entry_by_path(path).ok()??;
        entry_ref(entry.mode(), entry.object_id())
    }

    /// Returns the content of an entry as a diff shows it, if it has at most `limit` bytes.
    pub(crate) fn content(&self, entry: EntryRef, limit: u64) -> Option<Vec<u8>> {
        if entry.class == EntryClass::Submodule {
            return Some(format!("Subproject commit {}\n", entry.id).into_bytes());
        }
        if self.size(entry)? > limit {
            return None;
        }
        self.bytes(entry)
    }
}

impl Contents for Objects {
    fn size(&self, entry: EntryRef) -> Option<u64> {
        Some(self.repository.find_header(object_id(&entry.id.0)).ok()?.size())
    }

    fn bytes(&self, entry: EntryRef) -> Option<Vec<u8>> {
        Some(self.repository.find_object(object_id(&entry.id.0)).ok()?.detach().data)
    }
}

pub(crate) fn object_id(bytes: &[u8; 20]) -> gix::ObjectId {
    gix::ObjectId::from_bytes_or_panic(bytes)
}

pub(crate) fn commit_id(id: &gix::oid) -> CommitId {
    CommitId::from_slice(id.as_bytes()).unwrap_or(CommitId([0; 20]))
}

/// Decodes the text of a commit. Other encodings than UTF-8 are taken for Latin-1, which the old
/// ones mostly are.
fn decode(bytes: &BStr, encoding: Option<&str>) -> String {
    match bytes.to_str() {
        Ok(text) if encoding.is_none_or(|name| name.starts_with("utf")) || text.is_ascii() => text.to_string(),
        Ok(text) if encoding.is_none() => text.to_string(),
        Err(_) if encoding.is_none() => bytes.to_str_lossy().into_owned(),
        _ => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

fn entry_ref(mode: EntryMode, id: gix::ObjectId) -> Option<EntryRef> {
    let class = match mode.kind() {
        EntryKind::Tree => return None,
        EntryKind::Blob | EntryKind::BlobExecutable => EntryClass::File,
        EntryKind::Link => EntryClass::Link,
        EntryKind::Commit => EntryClass::Submodule,
    };
    Some(EntryRef { id: ContentId::from_slice(id.as_slice())?, class })
}

/// Notes changes of everything but folders.
#[derive(Default)]
struct ChangeRecorder {
    pending: VecDeque<BString>,
    path: BString,
    changes: Vec<PathChange>,
}

impl ChangeRecorder {
    fn pop(&mut self) {
        let end = self.path.rfind_byte(b'/').unwrap_or(0);
        self.path.truncate(end);
    }

    fn push(&mut self, name: &BStr) {
        if !self.path.is_empty() {
            self.path.push(b'/');
        }
        self.path.push_str(name);
    }
}

impl Visit for ChangeRecorder {
    fn pop_front_tracked_path_and_set_current(&mut self) {
        self.path = self.pending.pop_front().unwrap_or_default();
    }

    fn push_back_tracked_path_component(&mut self, component: &BStr) {
        self.push(component);
        self.pending.push_back(self.path.clone());
    }

    fn push_path_component(&mut self, component: &BStr) {
        self.push(component);
    }

    fn pop_path_component(&mut self) {
        self.pop();
    }

    fn visit(&mut self, change: visit::Change) -> visit::Action {
        let (old, new) = match change {
            visit::Change::Addition { entry_mode, oid, .. } => (None, entry_ref(entry_mode, oid)),
            visit::Change::Deletion { entry_mode, oid, .. } => (entry_ref(entry_mode, oid), None),
            visit::Change::Modification { previous_entry_mode, previous_oid, entry_mode, oid } => {
                (entry_ref(previous_entry_mode, previous_oid), entry_ref(entry_mode, oid))
            }
        };
        let status = match (old, new) {
            (None, None) => return visit::Action::Continue(()),
            (None, Some(_)) => ChangeStatus::Added,
            (Some(_), None) => ChangeStatus::Deleted,
            (Some(old), Some(new)) if old.class != new.class => ChangeStatus::TypeChanged,
            (Some(_), Some(_)) => ChangeStatus::Modified,
        };
        let path = self.path.to_str_lossy().into_owned();
        self.changes.push(PathChange { status, path, old_path: None, old, new });
        visit::Action::Continue(())
    }
}
