//! `history --symbol`, `get_symbol_history`: the commits that changed one definition.

use std::collections::{HashMap, HashSet};

use clap::Args;
use codecompass_engine::history::{self, BlamePlace, BlameRun, CommitId, SymbolCommit, SymbolPlace};
use codecompass_engine::query;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::commits::CommitLineView;
use crate::api::arguments::{Bounded, PageArgs, RefArgs, is_zero, symbol};
use crate::api::fan_out::Spread;
use crate::api::metadata::{Metadata, NoExtra};
use crate::api::page::Page;
use crate::api::part::{Paged, answer_fields, parts, shared_arguments};
use crate::api::{Answer, Request};
use crate::error::{AppError, Code};
use crate::session::{CallContext, Session};

/// The largest number of commits in an answer.
type ChangeLimit = Bounded<1, 100_000, 1000>;
/// The largest number of lines that are shown of a commit.
type ChangedLineLimit = Bounded<0, 1000>;

pub const DEFAULT_LIMIT: ChangeLimit = ChangeLimit::new(20);
pub const DEFAULT_LINES: ChangedLineLimit = ChangedLineLimit::new(10);

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct SymbolHistoryRequest {
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
    /// The commit that each line comes from instead.
    #[arg(long)]
    #[serde(default)]
    #[schemars(description = "The commit of each line instead, as git blame.")]
    pub blame: bool,
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
pub struct SymbolHistoryAnswer {
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
    /// The lines with the commits that they come from, if those were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blame: Option<Vec<BlameRunView>>,
    pub metadata: Metadata,
    /// The definition is not committed yet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_uncommitted: bool,
    /// The commits behind this page.
    #[serde(skip)]
    pub behind: usize,
}
parts!(SymbolHistoryAnswer { name, path, commits, authors, blame });

/// A commit that changed the definition.
#[derive(Clone, Debug, Serialize)]
pub struct SymbolCommitView {
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
pub struct CommitSummary {
    pub id: String,
    pub date: String,
    pub author: String,
}

/// The part of an author in the commits that changed a definition, or in its lines.
#[derive(Clone, Debug, Serialize)]
pub struct AuthorShare {
    pub author: String,
    pub commits: usize,
    /// The number of lines, where lines were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<usize>,
    /// Of the lines, or else of the commits; from 0 to 1.
    pub share: f64,
}
parts!(AuthorShare { author });

/// Lines that come from the same commit.
#[derive(Clone, Debug, Serialize)]
pub struct BlameRunView {
    pub start: u32,
    pub end: u32,
    /// Absent for lines that are not committed.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub commit: Option<BlamedCommitView>,
    pub lines: Vec<String>,
}
parts!(BlameRunView { commit, lines });

/// The commit that lines come from.
#[derive(Clone, Debug, Serialize)]
pub struct BlamedCommitView {
    pub id: String,
    pub author: String,
    pub date: String,
    pub subject: String,
    /// The path in the commit, where it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// True if the lines may be older: the clone has no older commits.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_oldest_known: bool,
}
parts!(BlamedCommitView { subject, path });

impl BlameRunView {
    fn new(run: BlameRun, path: &str) -> BlameRunView {
        let commit = run.commit.map(|commit| BlamedCommitView {
            id: commit.id.to_string(),
            author: commit.author.to_string(),
            date: commit.date,
            subject: commit.subject,
            path: Some(commit.path).filter(|other| other != path),
            is_oldest_known: commit.is_oldest_known,
        });
        BlameRunView { start: run.start, end: run.start + run.lines.len() as u32 - 1, commit, lines: run.lines }
    }
}

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
    answer_fields!(NoExtra);

    fn pages(&mut self) -> Vec<Paged<'_>> {
        match &mut self.blame {
            Some(runs) => vec![Paged::new("blame", runs)],
            None => vec![Paged::new("commits", &mut self.commits)],
        }
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }
}

/// Finds a definition by an argument; returns its path, name and line as hits have them.
pub(super) fn symbol_place(session: &Session, argument: &str) -> Result<(query::Hit, SymbolPlace), AppError> {
    let engine = &session.engine;
    let asked = symbol(session, argument)?;
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
    Ok((hit, place))
}

/// Refuses a place outside of definitions, which has no history of its own.
pub(super) fn require_definition(hit: &query::Hit, argument: &str) -> Result<(), AppError> {
    if hit.symbol_id.is_some() {
        return Ok(());
    }
    let advice = format!("the history of `{}` has its commits, `blame` the commit of a line", hit.path);
    Err(AppError::new(Code::SymbolNotFound, format!("no definition stands at `{argument}`"), advice))
}

impl Request for SymbolHistoryRequest {
    type Answer = SymbolHistoryAnswer;
    shared_arguments!(at);

    fn spread(&self) -> Spread {
        Spread::Owner
    }

    fn subjects(&mut self) -> Vec<&mut String> {
        vec![&mut self.symbol]
    }

    fn symbol(&mut self) -> Option<&str> {
        Some(&self.symbol)
    }

    fn answer(&self, context: &CallContext) -> Result<SymbolHistoryAnswer, AppError> {
        let session = Session::open_at(context, self.at.name())?;
        let (hit, place) = symbol_place(&session, &self.symbol)?;
        let is_definition = hit.symbol_id.is_some();
        if !self.blame {
            require_definition(&hit, &self.symbol)?;
        }
        let mut answer = SymbolHistoryAnswer {
            name: hit.local_name,
            path: hit.path,
            line: hit.line_start,
            commits: Vec::new(),
            total: 0,
            introduced: None,
            last_changed: None,
            authors: Vec::new(),
            blame: None,
            metadata: Metadata::new(&session),
            is_uncommitted: false,
            behind: 0,
        };
        if self.blame {
            let line = query::parse_place(self.symbol.trim()).map(|(_, line, _)| line);
            let asked = match (is_definition, line) {
                (true, _) => BlamePlace::Definition(place),
                (false, Some(line)) => {
                    answer.line = line;
                    BlamePlace::Line(answer.path.clone(), line)
                }
                (false, None) => BlamePlace::File(answer.path.clone()),
            };
            self.blame_lines(&session, &asked, &mut answer)?;
        } else {
            self.list_commits(&session, &place, &mut answer)?;
        }
        Ok(answer)
    }
}

impl SymbolHistoryRequest {
    fn list_commits(
        &self,
        session: &Session,
        place: &SymbolPlace,
        answer: &mut SymbolHistoryAnswer,
    ) -> Result<(), AppError> {
        let found = session.with_progress(|bar| history::symbol_history(&session.engine, place, bar))?;
        let page = Page::new(self.page, self.limit.len());
        answer.total = found.commits.len();
        answer.is_uncommitted = found.is_uncommitted;
        answer.introduced = found.commits.last().filter(|_| found.is_complete).map(CommitSummary::new);
        answer.last_changed = found.commits.first().map(CommitSummary::new);
        answer.authors = shares(&found.commits);
        let rest = found.commits.into_iter().skip(page.offset()).take(page.limit());
        answer.commits = rest.map(|commit| SymbolCommitView::new(commit, self.lines.len())).collect();
        let (total, shown) = (answer.total, answer.commits.len());
        answer.metadata.count(total, shown);
        page.mark(&mut answer.metadata, &[total]);
        answer.behind = page.behind(total, shown);
        Ok(())
    }

    /// Fills in the lines. All of them are shown: a definition has an end.
    fn blame_lines(
        &self,
        session: &Session,
        asked: &BlamePlace,
        answer: &mut SymbolHistoryAnswer,
    ) -> Result<(), AppError> {
        let found = session.with_progress(|bar| history::blame(&session.engine, asked, bar))?;
        let page = Page::new(self.page, usize::MAX);
        answer.total = found.runs.len();
        answer.authors = line_shares(&found.runs);
        answer.is_uncommitted = !found.is_missing && found.runs.iter().all(|run| run.commit.is_none());
        let rest = found.runs.into_iter().skip(page.offset());
        let runs: Vec<_> = rest.map(|run| BlameRunView::new(run, &answer.path)).collect();
        let commits = runs.iter().filter_map(|run| run.commit.as_ref());
        let summary = |commit: &BlamedCommitView| CommitSummary {
            id: commit.id.clone(),
            date: commit.date.clone(),
            author: commit.author.clone(),
        };
        answer.last_changed = commits.max_by(|a, b| a.date.cmp(&b.date)).map(summary);
        let (total, shown) = (answer.total, runs.len());
        answer.metadata.count(total, shown);
        page.mark(&mut answer.metadata, &[total]);
        answer.blame = Some(runs);
        Ok(())
    }
}

/// Counts lines by the name of the author; those that are not committed have none.
fn line_shares(runs: &[BlameRun]) -> Vec<AuthorShare> {
    let mut authors: Vec<AuthorShare> = Vec::new();
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    let mut seen: HashSet<CommitId> = HashSet::new();
    for (run, commit) in runs.iter().filter_map(|run| run.commit.as_ref().map(|commit| (run, commit))) {
        let at = *by_name.entry(&commit.author.name).or_insert_with(|| {
            authors.push(AuthorShare { author: commit.author.to_string(), commits: 0, lines: Some(0), share: 0.0 });
            authors.len() - 1
        });
        authors[at].commits += usize::from(seen.insert(commit.id));
        authors[at].lines = authors[at].lines.map(|lines| lines + run.lines.len());
    }
    let total: usize = runs.iter().map(|run| run.lines.len()).sum();
    for author in &mut authors {
        author.share = (author.lines.unwrap_or(0) as f64 / total.max(1) as f64 * 1000.0).round() / 1000.0;
    }
    authors.sort_by_key(|author| std::cmp::Reverse(author.lines));
    authors
}

/// Counts commits by the name of the author; the newest address stands for all of a name.
fn shares(commits: &[SymbolCommit]) -> Vec<AuthorShare> {
    let mut authors: Vec<AuthorShare> = Vec::new();
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for commit in commits {
        let at = *by_name.entry(&commit.author.name).or_insert_with(|| {
            authors.push(AuthorShare { author: commit.author.to_string(), commits: 0, lines: None, share: 0.0 });
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
