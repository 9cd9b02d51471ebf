//! `codecompass branches`: refs, where they are checked out, how they relate, and what is indexed.

use codecompass_engine::scan::{self, RefEntry, RefList, RefOptions};
use codecompass_engine::{Error as EngineError, IndexedViews};
use serde_json::{Value, json};

use super::metadata;
use crate::api::page::Page;
use crate::cli::BranchesArgs;
use crate::error::AppError;
use crate::session::{CallContext, Session};
use crate::terminal::output::{self, DIM, NAME, Outcome};

pub(crate) fn run(context: &CallContext, args: &BranchesArgs) -> Result<Outcome, AppError> {
    let found = ask(context, args)?;
    if context.is_json() {
        output::object(&to_json(args, &found));
        return Ok(Outcome::of(!found.list.refs.is_empty()));
    }
    let mut out = String::new();
    let width = found.list.refs.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0).min(50);
    for entry in &found.list.refs {
        let mark = if found.head.as_deref() == Some(entry.name.as_str()) { '*' } else { ' ' };
        let relation = match (entry.ahead_behind, &found.list.base) {
            (Some((0, 0)), Some(base)) if *base == entry.name => String::new(),
            (Some((0, 0)), _) => "same as base".into(),
            (Some((ahead, behind)), _) => format!("+{ahead} -{behind}"),
            (None, _) => "?".into(),
        };
        let state = if found.is_indexed(entry) { "indexed" } else { "" };
        let place = entry.worktree.as_ref().map(|directory| directory.display().to_string()).unwrap_or_default();
        let line = format!(
            "{mark} {NAME}{:width$}{NAME:#}  {DIM}{}{DIM:#}  {relation:>14}  {state:7}  {DIM}{place}{DIM:#}",
            entry.name,
            entry.commit.get(..10).unwrap_or(&entry.commit)
        );
        out.push_str(line.trim_end());
        out.push('\n');
    }
    if let Some(base) = found.list.base.as_ref().filter(|_| !found.list.refs.is_empty()) {
        out.push_str(&format!("{DIM}ahead (+) and behind (-) of {base}{DIM:#}\n"));
    }
    let more = page(args).behind(found.list.total, found.list.refs.len());
    if more > 0 {
        out.push_str(&format!("{DIM}{more} more; --limit shows them{DIM:#}\n"));
    }
    if let Some(default) = found.session.default_ref() {
        out.push_str(&format!(
            "questions without --ref are answered for {default}; `codecompass switch --reset` ends that\n"
        ));
    }
    if found.list.refs.is_empty() {
        out.push_str("no branches here: not a git repository, or one without commits or with a detached HEAD alone\n");
    }
    output::text(&out);
    Ok(Outcome::of(!found.list.refs.is_empty()))
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &BranchesArgs) -> Result<Value, AppError> {
    ask(context, args).map(|found| to_json(args, &found))
}

/// Refs, and what is known about them.
struct Found {
    session: Session,
    list: RefList,
    indexed: IndexedViews,
    /// The branch that is checked out.
    head: Option<String>,
}

impl Found {
    fn is_indexed(&self, entry: &RefEntry) -> bool {
        let here = entry.worktree.as_ref().is_some_and(|directory| self.indexed.worktrees.contains(directory));
        here || self.indexed.commits.contains(&entry.commit)
    }
}

fn ask(context: &CallContext, args: &BranchesArgs) -> Result<Found, AppError> {
    let session = Session::open_checkout(context)?;
    let engine = &session.engine;
    let options = RefOptions { remotes: args.all, tags: args.all, limit: page(args).end(), base: args.base.clone() };
    let mut list = scan::list_refs(engine.workspace(), &options).map_err(EngineError::from)?;
    page(args).skip(&mut list.refs);
    let indexed = session.with_repair(|| engine.indexed_commits())?;
    let head = scan::head(engine.workspace()).map_err(EngineError::from)?.and_then(|head| head.reference);
    Ok(Found { session, list, indexed, head })
}

fn page(args: &BranchesArgs) -> Page {
    Page::new(args.page, args.limit as usize)
}

fn to_json(args: &BranchesArgs, found: &Found) -> Value {
    let refs: Vec<_> = found
        .list
        .refs
        .iter()
        .map(|entry| {
            json!({
                "name": entry.name,
                "kind": entry.class.as_str(),
                "commit": entry.commit,
                "committed_at": entry.time,
                "worktree": entry.worktree.as_ref().map(|directory| directory.to_string_lossy()),
                "current": found.head.as_deref() == Some(entry.name.as_str()),
                "indexed": found.is_indexed(entry),
                "ahead": entry.ahead_behind.map(|counts| counts.0),
                "behind": entry.ahead_behind.map(|counts| counts.1),
            })
        })
        .collect();
    let mut metadata = metadata(&found.session);
    page(args).note(&mut metadata, &[found.list.total]);
    json!({
        "base": found.list.base,
        "default_ref": found.session.default_ref(),
        "refs": refs,
        "total": found.list.total,
        "metadata": metadata,
    })
}
