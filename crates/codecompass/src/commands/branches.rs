//! `codecompass branches`: refs, where they are checked out, how they relate, and what is indexed.

use codecompass_engine::Error as EngineError;
use codecompass_engine::scan::{self, RefEntry, RefOptions};
use serde_json::json;

use super::metadata;
use crate::cli::{BranchesArgs, Global};
use crate::error::AppError;
use crate::output::{self, DIM, NAME, Outcome};
use crate::session::Session;

pub(crate) fn run(global: &Global, args: &BranchesArgs) -> Result<Outcome, AppError> {
    let session = Session::open_checkout(global)?;
    let engine = &session.engine;
    let options = RefOptions { remotes: args.all, tags: args.all, limit: args.limit as usize, base: args.base.clone() };
    let list = scan::list_refs(engine.workspace(), &options).map_err(EngineError::from)?;
    let indexed = session.mending(|| engine.indexed_commits())?;
    let default = session.default_ref();
    let head = scan::head(engine.workspace()).map_err(EngineError::from)?.and_then(|head| head.reference);
    let is_indexed = |entry: &RefEntry| {
        let here = entry.worktree.as_ref().is_some_and(|directory| indexed.worktrees.contains(directory));
        here || indexed.commits.contains(&entry.commit)
    };
    if global.json {
        let refs: Vec<_> = list
            .refs
            .iter()
            .map(|entry| {
                json!({
                    "name": entry.name,
                    "kind": entry.class.as_str(),
                    "commit": entry.commit,
                    "committed_at": entry.time,
                    "worktree": entry.worktree.as_ref().map(|directory| directory.to_string_lossy()),
                    "current": head.as_deref() == Some(entry.name.as_str()),
                    "indexed": is_indexed(entry),
                    "ahead": entry.ahead_behind.map(|counts| counts.0),
                    "behind": entry.ahead_behind.map(|counts| counts.1),
                })
            })
            .collect();
        output::object(&json!({
            "base": list.base,
            "default_ref": default,
            "refs": refs,
            "total": list.total,
            "metadata": metadata(&session),
        }));
        return Ok(Outcome::of(!list.refs.is_empty()));
    }
    let mut out = String::new();
    let width = list.refs.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0).min(50);
    for entry in &list.refs {
        let mark = if head.as_deref() == Some(entry.name.as_str()) { '*' } else { ' ' };
        let relation = match (entry.ahead_behind, &list.base) {
            (Some((0, 0)), Some(base)) if *base == entry.name => String::new(),
            (Some((0, 0)), _) => "same as base".into(),
            (Some((ahead, behind)), _) => format!("+{ahead} -{behind}"),
            (None, _) => "?".into(),
        };
        let state = if is_indexed(entry) { "indexed" } else { "" };
        let place = entry.worktree.as_ref().map(|directory| directory.display().to_string()).unwrap_or_default();
        let line = format!(
            "{mark} {NAME}{:width$}{NAME:#}  {DIM}{}{DIM:#}  {relation:>14}  {state:7}  {DIM}{place}{DIM:#}",
            entry.name,
            entry.commit.get(..10).unwrap_or(&entry.commit)
        );
        out.push_str(line.trim_end());
        out.push('\n');
    }
    if let Some(base) = list.base.as_ref().filter(|_| !list.refs.is_empty()) {
        out.push_str(&format!("{DIM}ahead (+) and behind (-) of {base}{DIM:#}\n"));
    }
    if list.total > list.refs.len() {
        out.push_str(&format!("{DIM}{} more; --limit shows them{DIM:#}\n", list.total - list.refs.len()));
    }
    if let Some(default) = default {
        out.push_str(&format!(
            "questions without --ref are answered for {default}; `codecompass switch --reset` ends that\n"
        ));
    }
    if list.refs.is_empty() {
        out.push_str("no branches here: not a git repository, or one without commits or with a detached HEAD alone\n");
    }
    output::text(&out);
    Ok(Outcome::of(!list.refs.is_empty()))
}
