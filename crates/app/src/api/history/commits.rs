//! `history`, `search_history`: commits by words, texts of changes, people, times and paths.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use codecompass_engine::Error as EngineError;
use codecompass_engine::history::{
    self, ChangeStatus, CommitId, FoundCommit, FoundFile, FoundLine, HistoryGroup, HistoryGrouping, HistoryOptions,
    PeriodEnd, TextQuery,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::symbol::{require_definition, symbol_place};
use crate::api::arguments::{Bounded, FilterArgs, PageArgs, PathArgs, filter, is_zero, one};
use crate::api::metadata::{Completeness, Metadata};
use crate::api::page::Page;
use crate::api::part::{Paged, answer_fields, parts};
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::remedy::Remedy;
use crate::session::{CallContext, Session};

/// The largest number of commits in an answer.
type CommitLimit = Bounded<1, 100_000, 1000>;
/// The largest number of lines that are shown of a commit.
type LineLimit = Bounded<0, 1000>;

const DEFAULT_LIMIT: CommitLimit = CommitLimit::new(20);
const DEFAULT_LINES: LineLimit = LineLimit::new(5);
/// The time that a call may take to look at changes that are not indexed yet.
const SERVER_PATIENCE: Duration = Duration::from_secs(20);

/// The kind of a change of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KindArg {
    /// The file is new.
    Added,
    /// Its content, mode or type changed.
    Modified,
    /// The file is gone.
    Deleted,
    /// The file has another path.
    Renamed,
}

/// The way in which commits are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ByArg {
    /// By ISO week.
    Week,
    /// By month.
    Month,
    /// By year.
    Year,
    /// By author.
    Author,
}

impl From<ByArg> for HistoryGrouping {
    fn from(by: ByArg) -> HistoryGrouping {
        match by {
            ByArg::Week => HistoryGrouping::Week,
            ByArg::Month => HistoryGrouping::Month,
            ByArg::Year => HistoryGrouping::Year,
            ByArg::Author => HistoryGrouping::Author,
        }
    }
}

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct HistoryRequest {
    /// Words to look for in messages and changed paths; the commits that fit best come first.
    #[arg(value_name = "QUESTION")]
    #[serde(rename = "query")]
    #[schemars(description = "Words of messages and paths; best commits first.")]
    pub question: Option<String>,
    /// Only commits with a line of their message that this regular expression matches, as `git log
    /// --grep`.
    #[arg(long, value_name = "REGEX")]
    #[schemars(description = "Regex for the message.")]
    pub grep: Option<String>,
    /// Only commits after which a file has this text more or less often, as `git log -S`.
    #[arg(long, value_name = "TEXT", group = "text")]
    #[schemars(description = "Text whose number of occurrences changed, as git log -S.")]
    pub changes: Option<String>,
    /// Only commits with an added or removed line that this regular expression matches, as `git log
    /// -G`.
    #[arg(long, value_name = "REGEX", group = "text")]
    #[schemars(description = "Regex for added or removed lines, as git log -G.")]
    pub regex: Option<String>,
    /// Only commits after which a file has this text more often.
    #[arg(long, value_name = "TEXT", group = "text")]
    #[schemars(description = "Text that was added.")]
    pub added: Option<String>,
    /// Only commits after which a file has this text less often.
    #[arg(long, value_name = "TEXT", group = "text")]
    #[schemars(description = "Text that was removed.")]
    pub removed: Option<String>,
    /// Count the commits with an added or removed line that this regular expression matches, and
    /// these lines; by month unless --by says otherwise.
    #[arg(long, value_name = "REGEX", group = "text")]
    #[schemars(description = "Regex: count commits and lines as for regex, by month.")]
    pub count: Option<String>,
    /// Count commits by week, month, year or author instead of listing them.
    #[arg(long, value_enum, value_name = "GROUP")]
    #[schemars(description = "Count commits instead.")]
    pub by: Option<ByArg>,
    /// Ignore case in texts and regular expressions.
    #[arg(long, short = 'i')]
    #[serde(default)]
    #[schemars(description = "")]
    pub ignore_case: bool,
    /// Only commits by an author with this in the name or e-mail address; may be given several
    /// times. Case is ignored, and the repository's .mailmap applies.
    #[arg(long, value_name = "NAME")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "Part of a name or e-mail.")]
    pub author: Vec<String>,
    /// Only commits since this date: 2026-11-17, 2026-11, `2 weeks ago`.
    #[arg(long, value_name = "DATE")]
    #[schemars(description = "2026-11-17, 2 weeks ago.")]
    pub since: Option<String>,
    /// Only commits until this date, the day included.
    #[arg(long, value_name = "DATE")]
    #[schemars(description = "")]
    pub until: Option<String>,
    /// Only commits that changed a file in this folder, at this path, or that matches this glob;
    /// may be given several times.
    #[arg(long, value_name = "PATH")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "Folder, file or glob.")]
    pub path: Vec<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub paths: PathArgs,
    /// Only commits that changed a file of this language; may be given several times.
    #[arg(long, value_name = "LANGUAGE")]
    #[serde(default, rename = "language", deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "")]
    pub lang: Vec<String>,
    /// Only commits that changed this definition: a name, a qualified name, path:line or
    /// path::name. Without any other restriction, its changes are listed one by one.
    #[arg(long, value_name = "SYMBOL")]
    #[schemars(description = "Definition that was changed.")]
    pub symbol: Option<String>,
    /// Only commits with this kind of change; may be given several times.
    #[arg(long, value_enum, value_name = "KIND")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<KindArg>", description = "")]
    pub kind: Vec<KindArg>,
    /// The commits of this branch, tag or commit, or of a range A..B.
    #[arg(long = "ref", value_name = "REF")]
    #[serde(rename = "ref")]
    #[schemars(description = "Ref or range A..B.")]
    pub reference: Option<String>,
    /// Only merges.
    #[arg(long, conflicts_with = "no_merges")]
    #[serde(default)]
    #[schemars(description = "Only merges.")]
    pub merges: bool,
    /// No merges.
    #[arg(long)]
    #[serde(default)]
    #[schemars(description = "")]
    pub no_merges: bool,
    /// Show the whole message of each commit.
    #[arg(long)]
    #[serde(default)]
    #[schemars(description = "Whole messages.")]
    pub body: bool,
    /// At most this many matching lines of each commit.
    #[arg(long, default_value_t = DEFAULT_LINES)]
    #[serde(default = "default_lines")]
    #[schemars(description = "Lines per commit.")]
    pub lines: LineLimit,
    /// At most this many commits.
    #[arg(long, short = 'n', default_value_t = DEFAULT_LIMIT)]
    #[serde(default = "default_limit")]
    #[schemars(description = "")]
    pub limit: CommitLimit,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
}

fn default_lines() -> LineLimit {
    DEFAULT_LINES
}

fn default_limit() -> CommitLimit {
    DEFAULT_LIMIT
}

#[derive(Clone, Debug, Serialize)]
pub struct HistoryCommits {
    pub commits: Vec<CommitView>,
    /// The number of commits that fit, listed or not.
    pub total: usize,
    /// The commits that fit, counted by period or author.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<CommitGroup>,
    pub metadata: Metadata<HistoryMetadata>,
    /// The commits behind this page.
    #[serde(skip)]
    pub behind: usize,
}
parts!(HistoryCommits { commits, groups });

/// Commits of a period or of an author.
#[derive(Clone, Debug, Serialize)]
pub struct CommitGroup {
    /// `2026-11`, `2026-W47`, `2026`, or a name.
    pub group: String,
    pub commits: usize,
    /// Added and removed lines with the text, where one is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<usize>,
}
parts!(CommitGroup { group });

/// A commit.
#[derive(Clone, Debug, Serialize)]
pub struct CommitView {
    pub id: String,
    /// Name and e-mail address, by the .mailmap.
    pub author: String,
    /// The author's date.
    pub date: String,
    pub subject: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The files that the question is about.
    pub files: Vec<CommitFileView>,
    /// The number of files that the commit changed, where some are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_files: Option<usize>,
    /// Changed lines with the text.
    pub lines: Vec<CommitLineView>,
    /// The number of further ones.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_lines: usize,
    /// The number of parents, where it is not 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parents: Option<usize>,
}
parts!(CommitView { subject, body, files, lines });

/// A changed file.
#[derive(Clone, Debug, Serialize)]
pub struct CommitFileView {
    pub path: String,
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
}
parts!(CommitFileView { path, old_path });

/// A changed line.
#[derive(Clone, Debug, Serialize)]
pub struct CommitLineView {
    pub path: String,
    /// The number on its side of the change; absent in binary files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// `added` or `removed`.
    pub change: &'static str,
    pub text: String,
}
parts!(CommitLineView { path, text });

#[derive(Clone, Debug, Serialize)]
pub struct HistoryMetadata {
    /// The range that was searched.
    pub range: String,
    /// The number of its commits.
    pub searched: usize,
    /// Commits whose changes were not looked at because that takes too long for one call.
    #[serde(skip_serializing_if = "is_zero")]
    pub unsearched: usize,
    /// The reason why nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The parts of the history that are missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl From<FoundLine> for CommitLineView {
    fn from(line: FoundLine) -> CommitLineView {
        let change = if line.is_added { "added" } else { "removed" };
        CommitLineView { path: line.path, line: line.line, change, text: line.text }
    }
}

impl From<FoundFile> for CommitFileView {
    fn from(file: FoundFile) -> CommitFileView {
        CommitFileView { path: file.path, kind: file.status.as_str(), old_path: file.old_path }
    }
}

impl CommitGroup {
    fn new(group: HistoryGroup, has_text: bool) -> CommitGroup {
        let lines = |count: usize| has_text.then_some(count);
        let (added, removed) = (lines(group.added), lines(group.removed));
        CommitGroup { group: group.key, commits: group.commits, added, removed }
    }
}

impl CommitView {
    fn new(commit: FoundCommit, with_body: bool) -> CommitView {
        let listed = commit.files.len();
        CommitView {
            id: commit.id.to_string(),
            author: commit.author.to_string(),
            date: commit.date,
            subject: commit.subject,
            body: Some(commit.body).filter(|body| with_body && !body.is_empty()),
            changed_files: Some(commit.changed_files).filter(|all| *all != listed),
            files: commit.files.into_iter().map(CommitFileView::from).collect(),
            more_lines: commit.total_lines - commit.lines.len(),
            lines: commit.lines.into_iter().map(CommitLineView::from).collect(),
            parents: Some(commit.parents.len()).filter(|count| *count != 1),
        }
    }
}

impl Answer for HistoryCommits {
    answer_fields!(HistoryMetadata);

    fn pages(&mut self) -> Vec<Paged<'_>> {
        if self.groups.is_empty() {
            vec![Paged::new("commits", &mut self.commits)]
        } else {
            vec![Paged::new("groups", &mut self.groups)]
        }
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }
}

/// Reads a date, counting relative ones from now.
pub(super) fn date(text: &Option<String>, end: PeriodEnd) -> Result<Option<i64>, AppError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let now = i64::try_from(now).unwrap_or(i64::MAX);
    Ok(text.as_ref().map(|text| history::parse_date(text, end, now)).transpose()?)
}

impl HistoryRequest {
    /// Returns whether commits are asked for by anything but a ref.
    pub fn restricts(&self) -> bool {
        let texts = [&self.question, &self.grep, &self.changes, &self.regex, &self.added, &self.removed, &self.count];
        let lists = [&self.author, &self.path, &self.lang];
        texts.iter().chain(&[&self.since, &self.until]).any(|text| text.is_some())
            || lists.iter().any(|list| !list.is_empty())
            || !self.paths.is_empty()
            || !self.kind.is_empty()
            || self.by.is_some()
            || self.merges
            || self.no_merges
    }

    /// Returns the commits that changed a symbol, as it is at the end of the range.
    fn changes_of(&self, context: &CallContext, symbol: &str) -> Result<Vec<CommitId>, AppError> {
        let end = self.reference.as_deref().map(|range| range.rsplit("..").next().unwrap_or(range));
        let session = Session::open_at(context, end.filter(|end| !end.is_empty()))?;
        let (hit, place) = symbol_place(&session, symbol)?;
        require_definition(&hit, symbol)?;
        let found = session.with_progress(|bar| history::symbol_history(&session.engine, &place, bar))?;
        Ok(found.commits.into_iter().map(|commit| commit.id).collect())
    }

    fn text_query(&self) -> Result<Option<TextQuery>, AppError> {
        let queries = [
            self.changes.clone().map(TextQuery::Changed),
            self.regex.clone().map(TextQuery::Regex),
            self.count.clone().map(TextQuery::Regex),
            self.added.clone().map(TextQuery::Added),
            self.removed.clone().map(TextQuery::Removed),
        ];
        let mut given = queries.into_iter().flatten();
        let query = given.next();
        match given.next() {
            None => Ok(query),
            Some(_) => Err(AppError::invalid(
                "more than one of changes, regex, added, removed and count is given",
                "give one of them",
            )),
        }
    }

    fn options(&self, page: Page, session: &Session, context: &CallContext) -> Result<HistoryOptions, AppError> {
        let (since, until) = (date(&self.since, PeriodEnd::First)?, date(&self.until, PeriodEnd::Last)?);
        if let (Some(from), Some(to)) = (since, until)
            && from > to
        {
            let (since, until) = (self.since.clone().unwrap_or_default(), self.until.clone().unwrap_or_default());
            return Err(AppError::invalid(format!("`{since}` is after `{until}`"), "exchange the two dates"));
        }
        if self.merges && self.no_merges {
            return Err(AppError::invalid("merges and no_merges exclude each other", "give one of them"));
        }
        let (lang, path, paths) = (self.lang.clone(), self.path.clone(), self.paths.clone());
        let kinds = self.kind.iter().flat_map(|kind| match kind {
            KindArg::Added => vec![ChangeStatus::Added],
            KindArg::Modified => vec![ChangeStatus::Modified, ChangeStatus::TypeChanged],
            KindArg::Deleted => vec![ChangeStatus::Deleted],
            KindArg::Renamed => vec![ChangeStatus::Renamed],
        });
        let question = self.question.clone().map(|question| question.trim().to_string());
        if question.as_ref().is_some_and(String::is_empty) {
            return Err(AppError::invalid("the question is empty", Remedy::SeeUsage));
        }
        Ok(HistoryOptions {
            question,
            grep: self.grep.clone(),
            text: self.text_query()?,
            ignore_case: self.ignore_case,
            authors: self.author.clone(),
            since,
            until,
            filter: filter(&FilterArgs { lang, kind: Vec::new(), path, paths }, session)?,
            range: self.reference.clone(),
            merges: (self.merges || self.no_merges).then_some(self.merges),
            kinds: kinds.collect(),
            among: None,
            grouping: self.by.or(self.count.as_ref().map(|_| ByArg::Month)).map(HistoryGrouping::from),
            offset: page.offset(),
            limit: page.limit(),
            max_lines: self.lines.len(),
            deadline: context.control.is_some().then(|| Instant::now() + SERVER_PATIENCE),
        })
    }
}

impl Request for HistoryRequest {
    type Answer = HistoryCommits;

    fn reference(&self) -> Option<&str> {
        // Commits are read from git: no file on disk has a part in the answer.
        Some(self.reference.as_deref().unwrap_or("HEAD"))
    }

    fn answer(&self, context: &CallContext) -> Result<HistoryCommits, AppError> {
        let page = Page::new(self.page, self.limit.len());
        // A range is no ref that a session could be opened for.
        let session = match &self.reference {
            Some(_) => Session::open_checkout(context)?,
            None => Session::open(context)?,
        };
        let mut options = self.options(page, &session, context)?;
        options.among = self.symbol.as_ref().map(|symbol| self.changes_of(context, symbol)).transpose()?;
        let found = session.with_progress(|bar| history::search_history(&session.engine, &options, bar));
        let found = found.map_err(|error| match error {
            EngineError::InvalidPattern { .. } => AppError { remediation: Remedy::CorrectPattern, ..error.into() },
            error => error.into(),
        })?;
        let mut metadata = Metadata::new(&session).with(HistoryMetadata {
            range: found.range,
            searched: found.searched,
            unsearched: found.unsearched,
            reason: found.reason,
            notes: found.notes,
        });
        let has_text = options.text.is_some();
        let mut groups: Vec<CommitGroup> =
            found.groups.into_iter().map(|group| CommitGroup::new(group, has_text)).collect();
        let all_groups = groups.len();
        groups.drain(..page.offset().min(all_groups));
        let shown = found.commits.len();
        match options.grouping {
            Some(_) => {
                metadata.count(all_groups, groups.len());
                Page::new(self.page, usize::MAX).mark(&mut metadata, &[all_groups]);
            }
            None => {
                metadata.count(found.total, shown);
                page.mark(&mut metadata, &[found.total]);
            }
        }
        if found.unsearched > 0 {
            metadata.result_completeness = Some(Completeness::Partial);
            metadata.suggest(Remedy::from("call again: the search goes on where it stopped"));
        }
        let behind = if options.grouping.is_some() { 0 } else { page.behind(found.total, shown) };
        let commits = found.commits.into_iter().map(|commit| CommitView::new(commit, self.body)).collect();
        Ok(HistoryCommits { commits, total: found.total, groups, metadata, behind })
    }
}
