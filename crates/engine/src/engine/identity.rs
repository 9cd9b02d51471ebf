//! The identity of the view that an answer is from: root, ref, commit, generation, and the number
//! of files that differ from the commit.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::model::{ContentId, Target};
use crate::scan;
use crate::store::Snapshot;

/// The identity of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The workspace's root.
    pub root: PathBuf,
    /// The commit that is checked out or was asked for; `None` outside git and before the first
    /// commit.
    pub commit: Option<String>,
    /// Indexed files that differ from the commit, or are missing in it or from it; 0 for a commit
    /// itself.
    pub dirty_files: usize,
    /// Grows with each publish of the view.
    pub generation: i64,
}

impl Engine {
    /// The identity of the view as it was last published.
    pub fn identity(&self) -> Result<Identity> {
        let missing = || Error::InvalidInput("nothing is indexed yet".into());
        let snapshot = self.snapshot()?.ok_or_else(missing)?;
        let commit = self.head()?.and_then(|head| head.commit);
        let dirty_files = match (&self.target, &commit) {
            (Target::Checkout, Some(commit)) => self.changed(&snapshot, commit)?.len(),
            _ => 0,
        };
        let generation = snapshot.view().generation;
        Ok(Identity { root: self.workspace.root.clone(), commit, dirty_files, generation })
    }

    /// Files of the last published state that differ from `commit`, or are missing in it or from
    /// it, sorted.
    pub fn changed_since(&self, commit: &str) -> Result<Vec<String>> {
        self.snapshot()?.map_or(Ok(Vec::new()), |snapshot| self.changed(&snapshot, commit))
    }

    fn changed(&self, snapshot: &Snapshot, commit: &str) -> Result<Vec<String>> {
        let committed = scan::list_commit(&self.workspace, commit)?;
        let mut left: HashMap<String, Option<ContentId>> =
            committed.files.into_iter().map(|file| (file.path, file.git_id)).collect();
        // Filters make a clean file differ from its blob; git's index knows which are clean.
        let vouched: HashMap<String, ContentId> = match self.target {
            Target::Checkout => {
                let listed = scan::list(&self.workspace, &self.config.index)?;
                listed.files.into_iter().filter_map(|file| Some((file.path, file.git_id?))).collect()
            }
            Target::Commit { .. } => HashMap::new(),
        };
        let mut changed = Vec::new();
        for (path, _, content) in snapshot.contents()? {
            let here = vouched.get(&path).copied().or_else(|| ContentId::from_slice(&content));
            if left.remove(&path).flatten() != here {
                changed.push(path);
            }
        }
        changed.extend(left.into_keys());
        changed.sort_unstable();
        Ok(changed)
    }
}
