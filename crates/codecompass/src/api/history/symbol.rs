//! `history --symbol`, `get_symbol_history`: the commits that changed one definition.

use std::collections::HashMap;

use clap::Args;
use codecompass_engine::history::{self, SymbolCommit, SymbolPlace};
use codecompass_engine::query;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::commits::CommitLineView;
use crate::api::arguments::{Bounded, PageArgs, RefArgs, is_zero, symbol};
use crate::api::metadata::{Metadata, NoExtra};
use crate::api::page::Page;
use crate::api::part::{Paged, parts};
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::session::{CallContext, Session};

/// The largest number of commits in an answer.
type ChangeLimit = Bounded<1, 100_000, 1000>;
/// The largest number of lines that are shown of a commit.
type ChangedLineLimit = Bounded<0, 1000>;

const DEFAULT_LIMIT: ChangeLimit = ChangeLimit::new(20);
const DEFAULT_LINES: ChangedLineLimit = ChangedLineLimit::new(10);

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub(crate) struct SymbolHistoryRequest {
    /// A name, a qualified name, path:line or path::name.
    #[arg(value_name = "SYMBOL")]
    #[schemars(description = "Name, Type.member, path:line or path::name.")]
    pub symbol: String,
    /// At most this many changed lines of each commit.
    #[arg(long, default_value_t = DEFAULT_LINES)]
    #[serde(default = "default_lines")]
    #[schemars(description = "Lines per commit.")]
    pub lines: ChangedLineLimit,
    /// At most this many commits.
    #[arg(long, short = 'n', default_value_t = DEFAULT_LIMIT)]
    #[serde(default = "default_limit")]
    #[schemars(description = "")]
    pub limit: ChangeLimit,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
}

fn default_lines() -> ChangedLineLimit {
    DEFAULT_LINES
}

fn default_limit() -> ChangeLimit {
    DEFAULT_LIMIT
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct SymbolHistoryAnswer {
    /// The symbol as it is found now.
    pub name: String,
    pub path: String,
    pub line: u32,
    pub commits: Vec<SymbolCommitView>,
    pub total: usize,
    /// The commit that introduced it; absent if it lies before the known history.
    pub introduced: Option<CommitSummary>,
    pub last_changed: Option<CommitSummary>,
    /// Those who changed it, the most frequent first.
    pub authors: Vec<AuthorShare>,
    pub metadata: Metadata,
    /// The definition is not committed yet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_uncommitted: bool,
    /// The commits behind this page.
    #[serde(skip)]
    pub behind: usize,
}
parts!(SymbolHistoryAnswer { name, path, commits, authors });

/// A commit that changed the definition.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SymbolCommitView {
    pub id: String,
    pub author: String,
    pub date: String,
    pub subject: String,
    /// `introduced`, `modified`, `renamed` or `moved`.
    pub change: &'static str,
    pub path: String,
    pub name: String,
    /// The declarations, where they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    pub lines: Vec<CommitLineView>,
    #[serde(skip_serializing_if = "is_zero")]
    pub more_lines: usize,
}
parts!(SymbolCommitView { subject, path, name, before, after, lines });

/// A commit in short.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CommitSummary {
    pub id: String,
    pub date: String,
    pub author: String,
}

/// The part of an author in the commits that changed a definition.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AuthorShare {
    pub author: String,
    pub commits: usize,
    /// From 0 to 1.
    pub share: f64,
}
parts!(AuthorShare { author });

impl CommitSummary {
    fn new(commit: &SymbolCommit) -> CommitSummary {
        CommitSummary { id: commit.id.to_string(), date: commit.date.clone(), author: commit.author.to_string() }
    }
}

impl SymbolCommitView {
    fn new(commit: SymbolCommit, max_lines: usize) -> SymbolCommitView {
        let total = commit.lines.len();
        let is_different = commit.before != commit.after;
        SymbolCommitView {
            id: commit.id.to_string(),
            author: commit.author.to_string(),
            date: commit.date,
            subject: commit.subject,
            change: commit.change.as_str(),
            path: commit.path,
            name: commit.name,
            before: commit.before.filter(|_| is_different),
            after: commit.after.filter(|_| is_different),
            lines: commit.lines.into_iter().take(max_lines).map(CommitLineView::from).collect(),
            more_lines: total.saturating_sub(max_lines),
        }
    }
}

impl Answer for SymbolHistoryAnswer {
    type Extra = NoExtra;

    fn metadata(&mut self) -> &mut Metadata {
        &mut self.metadata
    }

    fn pages(&mut self) -> Vec<Paged<'_>> {
        vec![Paged::new("commits", &mut self.commits)]
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }
}

impl Request for SymbolHistoryRequest {
    type Answer = SymbolHistoryAnswer;

    fn reference(&self) -> Option<&str> {
        self.at.name()
    }

    fn answer(&self, context: &CallContext) -> Result<SymbolHistoryAnswer, AppError> {
        let session = Session::open_at(context, self.at.name())?;
        let engine = &session.engine;
        let asked = symbol(&session, &self.symbol)?;
        let shown = session.ask(|snapshot| {
            query::show(snapshot, engine.source(), &engine.config().index, &asked, &query::Filter::default())
        })?;
        let hit = shown.subject.hit;
        let place = SymbolPlace {
            path: hit.path.clone(),
            local_name: hit.local_name.clone(),
            kind: hit.kind.as_str().to_string(),
            line: hit.line_start,
        };
        let found = session.with_progress(|bar| history::symbol_history(engine, &place, bar))?;
        let page = Page::new(self.page, self.limit.len());
        let total = found.commits.len();
        let introduced = found.commits.last().filter(|_| found.is_complete).map(CommitSummary::new);
        let last_changed = found.commits.first().map(CommitSummary::new);
        let authors = shares(&found.commits);
        let rest = found.commits.into_iter().skip(page.offset()).take(page.limit());
        let commits: Vec<_> = rest.map(|commit| SymbolCommitView::new(commit, self.lines.len())).collect();
        let mut metadata = Metadata::new(&session);
        metadata.count(total, commits.len());
        page.mark(&mut metadata, &[total]);
        Ok(SymbolHistoryAnswer {
            name: hit.local_name,
            path: hit.path,
            line: hit.line_start,
            behind: page.behind(total, commits.len()),
            commits,
            total,
            introduced,
            last_changed,
            authors,
            metadata,
            is_uncommitted: found.is_uncommitted,
        })
    }
}

/// Counts commits by the name of the author; the newest address stands for all of a name.
fn shares(commits: &[SymbolCommit]) -> Vec<AuthorShare> {
    let mut authors: Vec<AuthorShare> = Vec::new();
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for commit in commits {
        let at = *by_name.entry(&commit.author.name).or_insert_with(|| {
            authors.push(AuthorShare { author: commit.author.to_string(), commits: 0, share: 0.0 });
            authors.len() - 1
        });
        authors[at].commits += 1;
    }
    for author in &mut authors {
        author.share = (author.commits as f64 / commits.len() as f64 * 1000.0).round() / 1000.0;
    }
    authors.sort_by_key(|author| std::cmp::Reverse(author.commits));
    authors
}
