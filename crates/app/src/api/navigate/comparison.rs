//! Two states of a workspace that are compared: the commit that a branch began at, and questions
//! about both.

use codecompass_engine::model::Target;
use codecompass_engine::query::{ProjectScope, Side};
use codecompass_engine::{Engine, Error as EngineError, SyncOptions, scan};
use similar::{ChangeTag, TextDiff};

use crate::api::arguments::ProjectArgs;
use crate::error::{AppError, Code};
use crate::remedy::Remedy;
use crate::session::Session;

/// The earlier side of a diff.
pub struct DiffBase {
    /// The ref as the user would call it.
    pub name: String,
    /// The commit that is compared with.
    pub commit: String,
}

impl DiffBase {
    /// Finds the commit to compare with: where the branch left `name`, or `name` itself if
    /// `is_exact`. Without a name that is the default branch.
    pub fn find(engine: &Engine, name: Option<&str>, is_exact: bool) -> Result<DiffBase, AppError> {
        let workspace = engine.workspace();
        let name = match name {
            Some(name) => name.to_string(),
            None => scan::base_branch(workspace).map_err(EngineError::from)?.ok_or_else(|| {
                AppError::new(Code::MergeBaseFailed, "there is no branch to compare with", Remedy::NameBase)
            })?,
        };
        let commit = scan::resolve(workspace, &name).map_err(EngineError::from)?;
        if is_exact {
            return Ok(DiffBase { name, commit });
        }
        let tip = match engine.target() {
            Target::Commit { id, .. } => id.clone(),
            Target::Checkout => scan::resolve(workspace, "HEAD").map_err(EngineError::from)?,
        };
        let found = scan::merge_base(workspace, &commit, &tip).map_err(EngineError::from)?;
        let commit = found.ok_or_else(|| {
            AppError::new(
                Code::MergeBaseFailed,
                format!("`{name}` and what it is compared with have no common commit"),
                Remedy::CompareExactly,
            )
        })?;
        Ok(DiffBase { name, commit })
    }
}

/// Syncs both sides and asks about them.
pub(super) fn ask_both<T>(
    before: &Session,
    after: &Session,
    question: impl Fn(Side<'_>, Side<'_>) -> Result<T, EngineError>,
) -> Result<T, AppError> {
    after.ask(|snapshot| {
        let (old, _) = before.sync(SyncOptions::default())?;
        let old = Side { snapshot: &old, source: before.engine.source() };
        question(old, Side { snapshot, source: after.engine.source() })
    })
}

/// Returns the restriction to projects; one that is gone is looked for on the earlier side.
pub(super) fn projects_of_either(
    before: &Session,
    after: &Session,
    projects: &ProjectArgs,
) -> Result<Option<ProjectScope>, AppError> {
    after.project_scope(&projects.project).or_else(|error| before.project_scope(&projects.project).map_err(|_| error))
}

/// Returns the lines that differ, with `around` lines before and after them.
pub(super) fn unified(before: &str, after: &str, around: usize) -> String {
    let diff = TextDiff::from_lines(before, after);
    let mut out = String::new();
    for group in diff.grouped_ops(around) {
        if !out.is_empty() {
            out.push_str("…\n");
        }
        for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
            let mark = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            out.push(mark);
            out.push_str(change.value().trim_end_matches(['\r', '\n']));
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn only_what_differs_is_shown() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let after = "a\nb\nc\nd\ne\nX\ng\nh\n";
        assert_eq!(unified(before, after, 3), " c\n d\n e\n-f\n+X\n g\n h\n");
        assert_eq!(unified(before, before, 3), "");
    }
}
