//! `branches`, `list_refs`: refs, where they are checked out, how they relate, and what is indexed.

use clap::Args;
use codecompass_engine::scan::{self, RefEntry, RefOptions};
use codecompass_engine::{Error as EngineError, IndexedViews};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::arguments::{Bounded, DetailArgs, PageArgs};
use crate::api::metadata::{Metadata, NoExtra};
use crate::api::page::Page;
use crate::api::part::{answer_fields, parts, shared_arguments};
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::session::{CallContext, Session};

/// At most this many refs.
type RefLimit = Bounded<1, 1000>;

const DEFAULT_LIMIT: RefLimit = RefLimit::new(50);

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct BranchesRequest {
    /// Branches of remotes and tags, too.
    #[arg(long, short = 'a')]
    #[serde(default)]
    #[schemars(description = "Remote branches and tags, too.")]
    pub all: bool,
    /// Count ahead and behind of this ref instead of the default branch.
    #[arg(long, value_name = "REF")]
    #[schemars(description = "Count ahead and behind of this.")]
    pub base: Option<String>,
    /// At most this many, those with the newest commits first.
    #[arg(long, short = 'n', default_value_t = DEFAULT_LIMIT)]
    #[serde(default = "default_limit")]
    #[schemars(description = "")]
    pub limit: RefLimit,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
    #[arg(skip)]
    #[serde(flatten)]
    pub detail: DetailArgs,
}

fn default_limit() -> RefLimit {
    DEFAULT_LIMIT
}

#[derive(Clone, Debug, Serialize)]
pub struct BranchesAnswer {
    /// The ref that ahead and behind were counted of.
    pub base: Option<String>,
    /// The ref that `switch` chose.
    pub default_ref: Option<String>,
    pub refs: Vec<BranchView>,
    pub total: usize,
    pub metadata: Metadata,
    /// The refs behind this page.
    #[serde(skip)]
    pub behind: usize,
}
parts!(BranchesAnswer { base, default_ref, refs });

/// A branch, a tag or a branch of a remote.
#[derive(Clone, Debug, Serialize)]
pub struct BranchView {
    pub name: String,
    pub kind: &'static str,
    pub commit: String,
    pub committed_at: i64,
    pub worktree: Option<String>,
    pub current: bool,
    pub indexed: bool,
    pub ahead: Option<usize>,
    pub behind: Option<usize>,
}
parts!(BranchView { name, worktree });

impl BranchView {
    fn new(entry: RefEntry, head: Option<&str>, views: &IndexedViews) -> BranchView {
        let is_here = entry.worktree.as_ref().is_some_and(|directory| views.worktrees.contains(directory));
        let (ahead, behind) = entry.ahead_behind.unzip();
        BranchView {
            kind: entry.class.as_str(),
            committed_at: entry.time,
            worktree: entry.worktree.map(|directory| directory.to_string_lossy().into_owned()),
            current: head == Some(entry.name.as_str()),
            indexed: is_here || views.commits.contains(&entry.commit),
            ahead,
            behind,
            name: entry.name,
            commit: entry.commit,
        }
    }
}

impl Answer for BranchesAnswer {
    answer_fields!(NoExtra, pages: refs);

    fn is_found(&self) -> bool {
        !self.refs.is_empty()
    }
}

impl Request for BranchesRequest {
    type Answer = BranchesAnswer;
    shared_arguments!(detail);

    fn answer(&self, context: &CallContext) -> Result<BranchesAnswer, AppError> {
        let session = Session::open_checkout(context)?;
        let engine = &session.engine;
        let page = Page::new(self.page, self.limit.len());
        let options = RefOptions { remotes: self.all, tags: self.all, limit: page.end(), base: self.base.clone() };
        let mut list = scan::list_refs(engine.workspace(), &options).map_err(EngineError::from)?;
        page.skip(&mut list.refs);
        let views = session.without_rebuild(|| engine.indexed_commits())?;
        let head = scan::head(engine.workspace()).map_err(EngineError::from)?.and_then(|head| head.reference);
        let mut metadata = Metadata::new(&session);
        page.mark(&mut metadata, &[list.total]);
        Ok(BranchesAnswer {
            base: list.base,
            default_ref: session.default_ref(),
            behind: page.behind(list.total, list.refs.len()),
            refs: list.refs.into_iter().map(|entry| BranchView::new(entry, head.as_deref(), &views)).collect(),
            total: list.total,
            metadata,
        })
    }
}
