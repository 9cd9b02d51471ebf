//! The commits that a question is about: a ref, or those of one ref that another has not.

use crate::engine::Engine;
use crate::error::Result;
use crate::history::objects::{Objects, commit_id};
use crate::model::Target;
use crate::scan::{self, ScanError};
use crate::store::history::record::CommitId;

/// A range of commits.
#[derive(Clone, Debug, Default)]
pub(super) struct Range {
    /// As it was given, or the branch.
    pub name: String,
    /// Commits that reach those of the range; empty in a repository without commits.
    pub tips: Vec<CommitId>,
    /// Commits that, with what they reach, do not belong to it.
    pub hidden: Vec<CommitId>,
}

/// Finds the commits that `range` means: a ref, `A..B` or `A...B`; the engine's target if not
/// given.
pub(super) fn resolve(engine: &Engine, range: Option<&str>) -> Result<Range> {
    let workspace = engine.workspace();
    if workspace.git_dir.is_none() {
        return Err(ScanError::NotInGit { path: workspace.root.clone() }.into());
    }
    let commit = |name: &str| -> Result<CommitId> {
        let name = if name.is_empty() { "HEAD" } else { name };
        let id = scan::resolve(workspace, name)?;
        Ok(gix::ObjectId::from_hex(id.as_bytes()).map_or(CommitId([0; 20]), |id| commit_id(&id)))
    };
    let Some(range) = range.map(str::trim).filter(|range| !range.is_empty()) else {
        return head(engine, commit);
    };
    let name = range.to_string();
    if let Some((one, other)) = range.split_once("...") {
        let (one, other) = (commit(one)?, commit(other)?);
        let base = scan::merge_base(workspace, &one.to_string(), &other.to_string())?;
        let hidden = base.map(|base| commit(&base)).transpose()?.into_iter().collect();
        return Ok(Range { name, tips: vec![one, other], hidden });
    }
    if let Some((from, to)) = range.split_once("..") {
        return Ok(Range { name, hidden: vec![commit(from)?], tips: vec![commit(to)?] });
    }
    Ok(Range { name, tips: vec![commit(range)?], hidden: Vec::new() })
}

fn head(engine: &Engine, commit: impl Fn(&str) -> Result<CommitId>) -> Result<Range> {
    if let Target::Commit { id, name } = engine.target() {
        return Ok(Range { name: name.clone(), tips: vec![commit(id)?], hidden: Vec::new() });
    }
    let head = scan::head(engine.workspace())?;
    let name = head.as_ref().and_then(|head| head.reference.clone()).unwrap_or_else(|| "HEAD".into());
    let tip = head.and_then(|head| head.commit).map(|id| commit(&id)).transpose()?;
    Ok(Range { name, tips: tip.into_iter().collect(), hidden: Vec::new() })
}

/// Reads the `.mailmap` of HEAD.
pub(super) fn mailmap(objects: &Objects) -> Option<String> {
    let tree = objects.repository().head_commit().ok()?.tree().ok()?;
    let entry = tree.lookup_entry_by_path(".mailmap").ok()??;
    let blob = entry.object().ok()?;
    Some(String::from_utf8_lossy(&blob.data).into_owned())
}
