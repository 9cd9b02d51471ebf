//! `read`, `read_file`: lines of files.

use clap::Args;
use codecompass_engine::model::SkipReason;
use codecompass_engine::query::{self, FileLines, LineMark, ReadLimits, ViewPath, estimate_tokens};
use codecompass_engine::syntax::MarkClass;
use codecompass_engine::{Engine, Error as EngineError, Snapshot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::paths::{RefusedPath, relative};
use super::ranges::{FileTarget, parse};
use crate::api::arguments::{BudgetArgs, RefArgs, one_or_more};
use crate::api::fan_out::Spread;
use crate::api::metadata::{Completeness, Metadata, NoExtra};
use crate::api::part::{answer_fields, parts, shared_arguments, tokens};
use crate::api::{Answer, Request};
use crate::error::{AppError, Code};
use crate::remedy::Remedy;
use crate::session::{CallContext, Session};

/// Longer lines are cut.
const MAX_LINE_BYTES: usize = 2000;
/// The same in an answer that has little room.
const MIN_LINE_BYTES: usize = 200;
/// The tokens that are left for what is said beside the lines: about the answer, and about each
/// range.
const NOTE_TOKENS: usize = 60;
const HEAD_TOKENS: usize = 30;

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct ReadRequest {
    /// Files, each with ranges of lines if only some are wanted: src/app.py:10-40,100-120. A unique
    /// end of a path will do.
    #[arg(required = true, num_args = 1.., value_name = "PATH[:LINES]")]
    #[serde(deserialize_with = "one_or_more")]
    #[schemars(with = "String", description = "src/app.py, or with lines src/app.py:10-40,100-; several with commas.")]
    pub path: Vec<String>,
    /// The lines to read of files without a range of their own, such as 10-40,100-120.
    #[arg(long, value_name = "LINES")]
    #[schemars(description = "Lines of all of them.")]
    pub lines: Option<String>,
    /// With --json: also list the names, keywords, comments and literals in the lines.
    #[arg(long)]
    #[serde(default)]
    #[schemars(description = "")]
    pub spans: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub budget: BudgetArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
}

#[derive(Clone, Debug, Serialize)]
pub struct ReadAnswer {
    /// One for each range of lines.
    pub files: Vec<LinesView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedPath>,
    /// The `path` of the call that reads what did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_path: Option<String>,
    pub metadata: Metadata,
}
parts!(ReadAnswer { files, refused });

/// Some lines of a file.
#[derive(Clone, Debug, Serialize)]
pub struct LinesView {
    pub path: String,
    pub line_start: u32,
    pub line_end: u32,
    /// Lines in the file; not there if it is too large to be read to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_count: Option<u32>,
    /// The number of lines of the file that were too long and are cut.
    #[serde(skip_serializing_if = "is_zero")]
    pub cut_lines: usize,
    /// True if bytes that are no valid text were replaced.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lossy: bool,
    pub text: String,
    /// Pieces of the lines with their classes, if they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spans: Option<Vec<SpanView>>,
}
parts!(LinesView { path, spans, text });

/// A piece of a line. Columns count bytes from 1.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SpanView {
    pub line: u32,
    pub start: u32,
    /// The column behind the last one.
    pub end: u32,
    #[serde(serialize_with = "class_word")]
    pub class: MarkClass,
}
parts!(SpanView {});

impl From<&LineMark> for SpanView {
    fn from(mark: &LineMark) -> SpanView {
        SpanView { line: mark.line, start: mark.start, end: mark.end, class: mark.class }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn class_word<S: Serializer>(class: &MarkClass, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(class.as_str())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Answer for ReadAnswer {
    answer_fields!(NoExtra);
}

/// The outcome for one file.
enum FileOutcome {
    Read(String, FileLines, Option<Vec<LineMark>>),
    Folder(String),
    Refused(String, SkipReason),
    NotFound(EngineError),
}

impl Request for ReadRequest {
    type Answer = ReadAnswer;
    shared_arguments!(at);

    fn spread(&self) -> Spread {
        Spread::Owner
    }

    fn lists(&mut self) -> Option<&mut Vec<String>> {
        Some(&mut self.path)
    }

    fn answer(&self, context: &CallContext) -> Result<ReadAnswer, AppError> {
        let session = Session::open_at(context, self.at.name())?;
        let targets = parse(&session, &self.path, self.lines.as_deref())?;
        let budget = self.budget.tokens(context);
        let limits = ReadLimits {
            max_file_bytes: session.engine.config().index.max_file_bytes,
            max_line_bytes: budget.map_or(MAX_LINE_BYTES, |budget| (budget / 2).clamp(MIN_LINE_BYTES, MAX_LINE_BYTES)),
        };
        let (mut paths, mut refused) = (Vec::new(), Vec::new());
        for target in &targets {
            let (mut path, mut outside) = relative(&session, std::slice::from_ref(&target.path)).or_else(|error| {
                if targets.len() > 1 {
                    Ok((Vec::new(), vec![RefusedPath::new(&target.path, &error)]))
                } else {
                    Err(error)
                }
            })?;
            paths.extend(path.pop().map(|path| (path, target)));
            refused.append(&mut outside);
        }
        let outcomes = session.ask(|snapshot| {
            let read =
                |(path, target): &(String, &FileTarget)| self.read_one(&session.engine, snapshot, path, target, limits);
            paths.iter().map(read).collect::<Result<Vec<FileOutcome>, EngineError>>()
        })?;
        let mut reader = LineTaker::new(budget, context.is_json());
        let mut first_error = None;
        for ((_, target), outcome) in paths.iter().zip(outcomes) {
            let error = match outcome {
                FileOutcome::Read(path, lines, marks) => match check_ranges(&path, target, &lines) {
                    Ok(()) => {
                        reader.take(&path, lines, marks.as_deref());
                        continue;
                    }
                    Err(error) => error,
                },
                FileOutcome::Folder(path) => {
                    AppError::invalid(format!("`{path}` is a folder"), Remedy::ListFolder(path.clone()))
                }
                FileOutcome::Refused(path, reason) => refusal(&path, &reason, !target.ranges.is_empty()),
                FileOutcome::NotFound(error) => session.with_skip_reason(error).into(),
            };
            refused.push(RefusedPath::new(&target.path, &error));
            first_error.get_or_insert(error);
        }
        if let (true, Some(error)) = (reader.files.is_empty() && reader.rest.is_empty(), first_error) {
            return Err(error);
        }
        let mut metadata = Metadata::new(&session);
        let next_path = (!reader.rest.is_empty()).then(|| reader.rest.join(","));
        if let Some(next) = &next_path {
            metadata.result_completeness = Some(Completeness::Truncated);
            metadata.suggest(Remedy::ReadOn(next.clone()));
        }
        Ok(ReadAnswer { files: reader.files, refused, next_path, metadata })
    }
}

impl ReadRequest {
    fn read_one(
        &self,
        engine: &Engine,
        snapshot: &Snapshot,
        path: &str,
        target: &FileTarget,
        limits: ReadLimits,
    ) -> Result<FileOutcome, EngineError> {
        let open = |path: &str| match engine.open_content(snapshot, path)? {
            Ok(content) => Ok(match query::read(content, &target.ranges, limits) {
                Ok(lines) => FileOutcome::Read(path.to_string(), lines, self.marks(engine, snapshot, path, target)?),
                Err(reason) => FileOutcome::Refused(path.to_string(), reason),
            }),
            Err(reason) => Ok(FileOutcome::Refused(path.to_string(), reason)),
        };
        let meant = query::resolve_file_or_folder(snapshot, path);
        match &meant {
            Ok(ViewPath::File(file)) if file == path => return open(path),
            Ok(ViewPath::Folder(folder)) if folder == path => return Ok(FileOutcome::Folder(path.to_string())),
            _ => {}
        }
        // A file that is not in the view goes before one whose path ends like it.
        match open(path) {
            Err(EngineError::FileNotFound { .. }) => match meant {
                Ok(ViewPath::File(file)) => open(&file),
                Ok(ViewPath::Folder(folder)) => Ok(FileOutcome::Folder(folder)),
                Err(error) => Ok(FileOutcome::NotFound(error)),
            },
            outcome => outcome,
        }
    }

    /// Returns the pieces of a file, if they are asked for.
    fn marks(
        &self,
        engine: &Engine,
        snapshot: &Snapshot,
        path: &str,
        target: &FileTarget,
    ) -> Result<Option<Vec<LineMark>>, EngineError> {
        let config = &engine.config().index;
        self.spans.then(|| query::line_marks(snapshot, engine.source(), config, path, &target.ranges)).transpose()
    }
}

/// Refuses ranges that begin behind the end of the file.
fn check_ranges(path: &str, target: &FileTarget, found: &FileLines) -> Result<(), AppError> {
    match (found.line_count, target.ranges.iter().map(|range| range.start).min()) {
        (Some(count), Some(first)) if first > count && found.ranges.iter().all(|(_, lines)| lines.is_empty()) => {
            let lines = crate::units::count(count as usize, "line");
            Err(AppError::invalid(format!("`{path}` has {lines}, line {first} is not there"), "give a smaller line"))
        }
        _ => Ok(()),
    }
}

/// Words why a file is not shown.
fn refusal(path: &str, reason: &SkipReason, has_ranges: bool) -> AppError {
    let invalid = |message: String, remedy: Remedy| AppError::invalid(message, remedy);
    match reason {
        SkipReason::TooLarge(size) => {
            let remedy = if has_ranges {
                "it is too large to be read from git; check the commit out and read the file on disk".into()
            } else {
                Remedy::GiveLines(path.to_string())
            };
            invalid(format!("`{path}` is too large to be read as a whole: {size} bytes"), remedy)
        }
        SkipReason::Binary => invalid(format!("`{path}` is binary"), "only text is shown".into()),
        SkipReason::Symlink | SkipReason::NotAFile | SkipReason::PathNotUtf8 | SkipReason::Unreadable(_) => {
            invalid(format!("`{path}` cannot be read: {reason}"), "give a regular file below the workspace root".into())
        }
        SkipReason::BuiltIn(_) => AppError::new(
            Code::WorkspaceNotAllowed,
            format!("`{path}` is not shown: {reason}"),
            "such files are left out on purpose; ask the user for what you need of it",
        ),
        _ => AppError::new(
            Code::WorkspaceNotAllowed,
            format!("`{path}` is not shown: {reason}"),
            "ignored files are not shown; a line `!PATH` in .codecompassignore admits one",
        ),
    }
}

/// Takes lines as long as the token budget lasts, and notes the rest.
struct LineTaker {
    /// The tokens left; `None` without a limit.
    room: Option<usize>,
    is_json: bool,
    files: Vec<LinesView>,
    /// Paths and ranges that did not fit.
    rest: Vec<String>,
}

impl LineTaker {
    fn new(budget: Option<usize>, is_json: bool) -> LineTaker {
        let room = budget.map(|budget| budget.saturating_sub(NOTE_TOKENS.min(budget / 2)));
        LineTaker { room, is_json, files: Vec::new(), rest: Vec::new() }
    }

    fn take(&mut self, path: &str, found: FileLines, marks: Option<&[LineMark]>) {
        // Ranges behind the end have no lines; an empty file is shown as such.
        let is_empty = found.ranges.iter().all(|(_, lines)| lines.is_empty());
        for (start, lines) in found.ranges.into_iter().filter(|(_, lines)| is_empty || !lines.is_empty()) {
            let head = estimate_tokens(path) + HEAD_TOKENS;
            let taken = self.count(start, &lines, head);
            let is_cut = taken < lines.len();
            if is_cut {
                let last = start as usize + lines.len() - 1;
                let is_to_the_end = found.line_count.is_some_and(|count| count as usize == last);
                let end = if is_to_the_end { String::new() } else { last.to_string() };
                self.rest.push(format!("{path}:{}-{end}", start as usize + taken));
                if taken == 0 {
                    continue;
                }
            }
            let end = (start as usize + taken) as u32;
            let spans = marks.map(|marks| {
                let from = marks.partition_point(|mark| mark.line < start);
                marks[from..].iter().take_while(|mark| mark.line < end).map(SpanView::from).collect()
            });
            self.files.push(LinesView {
                path: path.to_string(),
                line_start: start,
                line_end: end.saturating_sub(1),
                spans,
                line_count: found.line_count,
                cut_lines: found.cut_lines,
                lossy: found.is_lossy,
                text: lines[..taken].concat(),
            });
        }
    }

    /// Returns the number of lines that fit, and spends their tokens. The first line of an answer
    /// always fits.
    fn count(&mut self, start: u32, lines: &[String], head: usize) -> usize {
        let Some(room) = self.room.as_mut() else { return lines.len() };
        *room = room.saturating_sub(head);
        let (mut taken, is_first) = (0, self.files.is_empty());
        for (number, line) in (start..).zip(lines) {
            let cost = if self.is_json {
                tokens(&Value::from(line.as_str()))
            } else {
                estimate_tokens(&format!("{number} {}\n", line.trim_end())) + 1
            };
            if cost > *room && !(is_first && taken == 0) {
                *room = 0;
                break;
            }
            *room = room.saturating_sub(cost);
            taken += 1;
        }
        taken
    }
}
