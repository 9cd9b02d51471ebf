//! `grep`, `grep_code`: the lines that a literal or a regular expression matches.

use clap::Args;
use codecompass_engine::query::{self, CaseMode, GrepMatch, GrepOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::arguments::{Bounded, FilterArgs, PageArgs, PathArgs, RefArgs, TestsArg, filter, one};
use crate::api::fan_out::Spread;
use crate::api::metadata::Metadata;
use crate::api::page::Page;
use crate::api::part::{Paged, answer_fields, parts, shared_arguments};
use crate::api::views::EnclosingView;
use crate::api::{Answer, Request};
use crate::choices::RoleArg;
use crate::error::AppError;
use crate::session::{CallContext, Session};

/// The largest number of matches in an answer.
pub type MatchLimit = Bounded<1, 100_000, 1000>;
/// The largest number of context lines.
pub type ContextLines = Bounded<0, 100>;

/// Matches that text and tools list if not told otherwise.
const TEXT_LIMIT: MatchLimit = MatchLimit::new(200);
/// The same for programs.
const JSON_LIMIT: MatchLimit = MatchLimit::new(1000);
/// Files that could not be searched and are named; all are counted.
const MAX_UNSEARCHED: usize = 20;

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct GrepRequest {
    /// A regular expression in the syntax of ripgrep, or a literal with -F.
    #[arg(value_name = "PATTERN")]
    #[schemars(description = "Regular expression (ripgrep syntax, smart case).")]
    pub pattern: String,
    /// Take the pattern as a literal.
    #[arg(long, short = 'F')]
    #[serde(default)]
    #[schemars(description = "")]
    pub fixed_strings: bool,
    /// Match whole words only.
    #[arg(long = "word-regexp", short = 'w')]
    #[serde(default)]
    #[schemars(description = "")]
    pub word: bool,
    /// Ignore case. The default is to ignore it if the pattern has no upper-case letter.
    #[arg(long, short = 'i', conflicts_with = "case_sensitive")]
    #[serde(default)]
    #[schemars(description = "")]
    pub ignore_case: bool,
    /// Match letters in their own case, also in a pattern without upper-case letters.
    #[arg(long, short = 's')]
    #[serde(default)]
    #[schemars(description = "")]
    pub case_sensitive: bool,
    /// Let a match extend over several lines.
    #[arg(long = "multiline", short = 'U')]
    #[serde(default)]
    #[schemars(description = "")]
    pub multi_line: bool,
    /// With --multiline, let `.` match a line end.
    #[arg(long = "multiline-dotall", requires = "multi_line")]
    #[serde(skip)]
    pub dot_all: bool,
    /// Show this many lines before and after each match.
    #[arg(long, short = 'C', value_name = "LINES")]
    #[schemars(description = "")]
    pub context: Option<ContextLines>,
    /// Show this many lines before each match.
    #[arg(long, short = 'B', value_name = "LINES")]
    #[serde(skip)]
    pub before_context: Option<ContextLines>,
    /// Show this many lines after each match.
    #[arg(long, short = 'A', value_name = "LINES")]
    #[serde(skip)]
    pub after_context: Option<ContextLines>,
    /// List only the files with matches.
    #[arg(long, short = 'l', conflicts_with = "count")]
    #[serde(skip)]
    pub files_with_matches: bool,
    /// Show only the number of matches in each file.
    #[arg(long, short = 'c')]
    #[serde(default)]
    #[schemars(description = "Only files and numbers.")]
    pub count: bool,
    /// Only files of this language; may be given several times.
    #[arg(long, value_name = "LANGUAGE")]
    #[serde(default, rename = "language", deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "")]
    pub lang: Vec<String>,
    /// Only below this folder, or paths that match this glob; may be given several times.
    #[arg(long, value_name = "PATH")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "Folder or glob.")]
    pub path: Vec<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub paths: PathArgs,
    /// Only files of this role; may be given several times.
    #[arg(long, value_enum, value_name = "ROLE")]
    #[serde(skip)]
    pub role: Vec<RoleArg>,
    /// Include files of tests, leave them out, or search nothing else.
    #[arg(long, value_enum, default_value_t = TestsArg::Include, value_name = "WHAT")]
    #[serde(default)]
    #[schemars(with = "Option<TestsArg>", description = "")]
    pub tests: TestsArg,
    /// At most this many matches, or files with -l and -c [default: 200, with --json 1000].
    #[arg(long, short = 'n')]
    #[serde(default = "tool_limit")]
    #[schemars(with = "MatchLimit", description = "")]
    pub limit: Option<MatchLimit>,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
}

/// A tool lists as many as text does, since it pays for each.
fn tool_limit() -> Option<MatchLimit> {
    Some(TEXT_LIMIT)
}

#[derive(Clone, Debug, Serialize)]
pub struct GrepAnswer {
    /// Absent where only files are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<Vec<MatchView>>,
    /// Files with the number of matches in each, where only files are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileMatchesView>>,
    /// The number of matches, listed or not.
    pub total: usize,
    pub metadata: Metadata<GrepMetadata>,
    /// The matches or files behind this page.
    #[serde(skip)]
    pub behind: usize,
}
parts!(GrepAnswer { matches, files });

/// One matching line.
#[derive(Clone, Debug, Serialize)]
pub struct MatchView {
    pub path: String,
    pub line: u32,
    /// The last line of a match that extends over several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_end: Option<u32>,
    /// Counted in bytes from 1.
    pub column: u32,
    pub text: String,
    /// True if the line is too long to be shown whole.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub text_is_cut: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enclosing: Option<EnclosingView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<ContextLine>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<ContextLine>,
}
parts!(MatchView { path, text, enclosing, before, after });

/// One line around a match.
#[derive(Clone, Debug, Serialize)]
pub struct ContextLine {
    pub line: u32,
    pub text: String,
}
parts!(ContextLine { text });

/// A file with matches.
#[derive(Clone, Debug, Serialize)]
pub struct FileMatchesView {
    pub path: String,
    pub matches: usize,
}
parts!(FileMatchesView { path });

#[derive(Clone, Debug, Serialize)]
pub struct GrepMetadata {
    /// The number of files with matches.
    pub files: usize,
    /// The number of files that the filters admit; all of them were searched.
    pub searched: usize,
    /// True if letters matched in both cases.
    pub ignored_case: bool,
    /// The number of files that could not be searched.
    #[serde(skip_serializing_if = "is_zero")]
    pub unsearched: usize,
    /// The first of them, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unsearched_files: Vec<UnsearchedView>,
}

/// A file that could not be searched.
#[derive(Clone, Debug, Serialize)]
pub struct UnsearchedView {
    pub path: String,
    pub reason: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Answer for GrepAnswer {
    answer_fields!(GrepMetadata);

    fn pages(&mut self) -> Vec<Paged<'_>> {
        vec![Paged::optional("matches", self.matches.as_mut()), Paged::optional("files", self.files.as_mut())]
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }
}

impl GrepRequest {
    fn file_filter(&self) -> FilterArgs {
        let (lang, path, paths) = (self.lang.clone(), self.path.clone(), self.paths.clone());
        FilterArgs { lang, kind: Vec::new(), path, paths }
    }

    fn options(&self, page: Page, session: &Session) -> Result<GrepOptions, AppError> {
        let only = self.file_filter();
        let context = self.context.map_or(0, Bounded::len);
        let (offset, limit) = if self.lists_files() { (0, 0) } else { (page.offset(), page.limit()) };
        Ok(GrepOptions {
            fixed_strings: self.fixed_strings,
            word: self.word,
            case: match (self.ignore_case, self.case_sensitive) {
                (_, true) => CaseMode::Sensitive,
                (true, _) => CaseMode::Insensitive,
                _ => CaseMode::Smart,
            },
            multi_line: self.multi_line,
            dot_all: self.dot_all,
            filter: filter(&only, session)?,
            roles: self.role.iter().map(|role| (*role).into()).collect(),
            tests: self.tests.into(),
            before: self.before_context.map_or(context, Bounded::len),
            after: self.after_context.map_or(context, Bounded::len),
            offset,
            limit,
        })
    }

    /// Returns whether lines around the matches are asked for.
    pub fn shows_context(&self) -> bool {
        [self.context, self.before_context, self.after_context].iter().flatten().any(|lines| lines.len() > 0)
    }

    /// Returns whether files are listed instead of lines.
    pub fn lists_files(&self) -> bool {
        self.files_with_matches || self.count
    }
}

impl Request for GrepRequest {
    type Answer = GrepAnswer;
    shared_arguments!(at);

    fn spread(&self) -> Spread {
        Spread::Each
    }

    fn answer(&self, context: &CallContext) -> Result<GrepAnswer, AppError> {
        let session = Session::open_at(context, self.at.name())?;
        let usual = if context.is_json() { JSON_LIMIT } else { TEXT_LIMIT };
        let page = Page::new(self.page, self.limit.unwrap_or(usual).len());
        let options = self.options(page, &session)?;
        let engine = &session.engine;
        let found = session
            .ask_in(&options.filter, |snapshot| query::grep(snapshot, engine.source(), &self.pattern, &options))?;
        let file_count = found.files.len();
        let (matches, files, listed, shown) = if self.lists_files() {
            let rest = found.files.into_iter().skip(page.offset()).take(page.limit());
            let files: Vec<_> = rest.map(|(path, matches)| FileMatchesView { path, matches }).collect();
            let shown = files.len();
            (None, Some(files), file_count, shown)
        } else {
            let matches: Vec<_> = found.matches.into_iter().map(MatchView::from).collect();
            let shown = matches.len();
            (Some(matches), None, found.total, shown)
        };
        let unsearched = found.unsearched.len();
        let named = found.unsearched.into_iter().take(MAX_UNSEARCHED);
        let mut metadata = Metadata::new(&session).with(GrepMetadata {
            files: file_count,
            searched: found.searched,
            ignored_case: found.ignored_case,
            unsearched,
            unsearched_files: named.map(|(path, reason)| UnsearchedView { path, reason: reason.to_string() }).collect(),
        });
        metadata.count(listed, shown);
        page.mark(&mut metadata, &[listed]);
        Ok(GrepAnswer { matches, files, total: found.total, metadata, behind: page.behind(listed, shown) })
    }
}

impl From<GrepMatch> for MatchView {
    fn from(found: GrepMatch) -> MatchView {
        let lines = |lines: Vec<(u32, String)>| -> Vec<ContextLine> {
            lines.into_iter().map(|(line, text)| ContextLine { line, text }).collect()
        };
        MatchView {
            path: found.path,
            line: found.line,
            line_end: Some(found.line_end).filter(|end| *end > found.line),
            column: found.column,
            text: found.text,
            text_is_cut: found.is_cut,
            enclosing: found.enclosing.map(EnclosingView::from),
            before: lines(found.before),
            after: lines(found.after),
        }
    }
}
