//! Text of `branches`.

use std::fmt::Write as _;

use crate::api::index::branches::{BranchView, BranchesAnswer, BranchesRequest};
use crate::remedy::Audience;
use crate::render::{more_text, shown};
use crate::terminal::output::{DIM, NAME};

pub fn text(_: &BranchesRequest, answer: &BranchesAnswer, audience: Audience) -> String {
    let mut out = String::new();
    let width = answer.refs.iter().map(|branch| branch.name.chars().count()).max().unwrap_or(0).min(50);
    for branch in &answer.refs {
        let mark = if branch.current { '*' } else { ' ' };
        let relation = relation(branch, answer.base.as_deref());
        let state = if branch.indexed { "indexed" } else { "" };
        let place = branch.worktree.as_deref().unwrap_or_default();
        let line = format!(
            "{mark} {NAME}{:width$}{NAME:#}  {DIM}{}{DIM:#}  {relation:>14}  {state:7}  {DIM}{place}{DIM:#}",
            shown(&branch.name),
            branch.commit.get(..10).unwrap_or(&branch.commit)
        );
        out.push_str(line.trim_end());
        out.push('\n');
    }
    if let Some(base) = answer.base.as_ref().filter(|_| !answer.refs.is_empty()) {
        let _ = writeln!(out, "{DIM}ahead (+) and behind (-) of {base}{DIM:#}");
    }
    if answer.behind > 0 {
        out.push_str(&more_text(answer.behind, audience));
    }
    if let Some(default) = &answer.default_ref {
        let (option, switch) = (audience.option("ref"), audience.question("switch --reset", "switch_ref"));
        let _ = writeln!(out, "questions without {option} are answered for {default}; {switch} ends that");
    }
    if answer.refs.is_empty() {
        out.push_str("no branches here: not a git repository, or one without commits or with a detached HEAD alone\n");
    }
    out
}

fn relation(branch: &BranchView, base: Option<&str>) -> String {
    match (branch.ahead, branch.behind) {
        (Some(0), Some(0)) if base == Some(branch.name.as_str()) => String::new(),
        (Some(0), Some(0)) => "same as base".into(),
        (Some(ahead), Some(behind)) => format!("+{ahead} -{behind}"),
        _ => "?".into(),
    }
}
