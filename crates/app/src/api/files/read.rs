//! `read`, `read_file`: lines of files.

use clap::Args;
use codecompass_engine::model::SkipReason;
use codecompass_engine::query::{self, FileLines, Filter, LineMark, LineRange, ReadLimits, ViewPath, estimate_tokens};
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
use crate::api::shares::share_out;
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
/// The least tokens that are worth showing of one of several ranges.
const MIN_TOKENS: usize = 100;

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct ReadRequest {
    /// Files, each with ranges of lines if only some are wanted: src/app.py:10-40,100-120. A unique
    /// end of a path will do. The name of a definition (Order.total, src/app.py::main) means its
    /// lines.
    #[arg(required = true, num_args = 1.., value_name = "PATH[:LINES]")]
    #[serde(deserialize_with = "one_or_more")]
    #[schemars(
        with = "String",
        description = "src/app.py, src/app.py:10-40,100- or Type.member; several with commas."
    )]
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
    /// The number of files before each refused path, in the order of the question.
    #[serde(skip)]
    pub refused_behind: Vec<usize>,
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
    /// The definition that was asked for by its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<NamedDefinition>,
    pub text: String,
    /// Pieces of the lines with their classes, if they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spans: Option<Vec<SpanView>>,
}
parts!(LinesView { path, spans, text });

/// A definition that a name means.
#[derive(Clone, Debug, Serialize)]
pub struct NamedDefinition {
    pub name: String,
    /// The number of other definitions that it may mean.
    #[serde(skip_serializing_if = "is_zero")]
    pub others: usize,
}

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
    Read(ReadFile),
    Folder(String),
    Refused(String, SkipReason),
    NotFound(EngineError),
}

/// The lines of a file that are asked for.
struct ReadFile {
    path: String,
    lines: FileLines,
    marks: Option<Vec<LineMark>>,
    symbol: Option<NamedDefinition>,
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
        let mut targets = parse(&session, &self.path, self.lines.as_deref())?;
        let budget = self.budget.tokens(context);
        let limits = ReadLimits {
            max_file_bytes: session.engine.config().index.max_file_bytes,
            max_line_bytes: budget.map_or(MAX_LINE_BYTES, |budget| (budget / 2).clamp(MIN_LINE_BYTES, MAX_LINE_BYTES)),
        };
        let path = |target: &mut FileTarget| match target.wrong.take() {
            Some(error) => Err(error),
            None => relative(&session, std::slice::from_ref(&target.path)).map(|(paths, _)| paths.concat()),
        };
        let paths: Vec<Result<String, AppError>> = targets.iter_mut().map(path).collect();
        let mut outcomes = session
            .ask(|snapshot| {
                let asked = paths.iter().zip(&targets).filter_map(|(path, target)| Some((path.as_ref().ok()?, target)));
                let read = |(path, target): (&String, &FileTarget)| {
                    self.read_one(&session.engine, snapshot, path, target, limits)
                };
                asked.map(read).collect::<Result<Vec<FileOutcome>, EngineError>>()
            })?
            .into_iter();
        let mut taker = LineTaker::new(budget, context.is_json());
        let mut errors = Vec::new();
        for (path, target) in paths.into_iter().zip(&targets) {
            let outcome = path.and_then(|_| match outcomes.next() {
                Some(outcome) => accept(outcome, target, &session),
                None => Err(AppError::internal("a file has no outcome")),
            });
            match outcome {
                Ok(file) => taker.add(file),
                Err(error) => errors.push((taker.pieces.len(), &target.path, error)),
            }
        }
        if taker.pieces.is_empty() && !errors.is_empty() {
            return Err(errors.swap_remove(0).2);
        }
        let taken = taker.take();
        let mut metadata = Metadata::new(&session);
        let next_path = (!taken.rest.is_empty()).then(|| taken.rest.join(","));
        if let Some(next) = &next_path {
            metadata.result_completeness = Some(Completeness::Truncated);
            metadata.suggest(Remedy::ReadOn(next.clone()));
        }
        let refused_behind =
            errors.iter().map(|(before, ..)| taken.pieces.iter().filter(|piece| *piece < before).count()).collect();
        let refused = errors.iter().map(|(_, path, error)| RefusedPath::new(path, error)).collect();
        Ok(ReadAnswer { files: taken.files, refused, next_path, metadata, refused_behind })
    }
}

/// Returns the lines of a file, or why it has none to show.
fn accept(outcome: FileOutcome, target: &FileTarget, session: &Session) -> Result<ReadFile, AppError> {
    match outcome {
        FileOutcome::Read(file) => check_ranges(&file.path, target, &file.lines).map(|()| file),
        FileOutcome::Folder(path) => {
            Err(AppError::invalid(format!("`{path}` is a folder"), Remedy::ListFolder(path.clone())))
        }
        FileOutcome::Refused(path, reason) => Err(refusal(&path, &reason, !target.ranges.is_empty())),
        FileOutcome::NotFound(error) => Err(session.with_skip_reason(error).into()),
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
        let open = |path: &str, ranges: &[LineRange]| match engine.open_content(snapshot, path)? {
            Ok(content) => Ok(match query::read(content, ranges, limits) {
                Ok(lines) => {
                    let marks = self.marks(engine, snapshot, path, ranges)?;
                    FileOutcome::Read(ReadFile { path: path.to_string(), lines, marks, symbol: None })
                }
                Err(reason) => FileOutcome::Refused(path.to_string(), reason),
            }),
            Err(reason) => Ok(FileOutcome::Refused(path.to_string(), reason)),
        };
        let meant = query::resolve_file_or_folder(snapshot, path);
        match &meant {
            Ok(ViewPath::File(file)) if file == path => return open(path, &target.ranges),
            Ok(ViewPath::Folder(folder)) if folder == path => return Ok(FileOutcome::Folder(path.to_string())),
            _ => {}
        }
        // A file that is not in the view goes before one whose path ends like it.
        match open(path, &target.ranges) {
            Err(EngineError::FileNotFound { .. }) => {}
            outcome => return outcome,
        }
        let error = match meant {
            Ok(ViewPath::File(file)) => return open(&file, &target.ranges),
            Ok(ViewPath::Folder(folder)) => return Ok(FileOutcome::Folder(folder)),
            Err(error) => error,
        };
        if !may_be_a_symbol(target) {
            return Ok(FileOutcome::NotFound(error));
        }
        let found = query::show(snapshot, engine.source(), &engine.config().index, &target.path, &Filter::default());
        let found = match found {
            Ok(found) => found,
            Err(missing @ EngineError::SymbolNotFound { .. }) => {
                // What can only be a name is missed as one.
                let is_name = target.path.contains("::") || !target.path.contains('.');
                return Ok(FileOutcome::NotFound(if is_name { missing } else { error }));
            }
            Err(error @ EngineError::AmbiguousSymbol { .. }) => return Ok(FileOutcome::NotFound(error)),
            Err(error) => return Err(error),
        };
        let lines = LineRange { start: found.source_line, end: found.subject.hit.line_end };
        let symbol = NamedDefinition { name: target.path.clone(), others: found.subject.others_total };
        Ok(match open(&found.subject.hit.path, &[lines])? {
            FileOutcome::Read(file) => FileOutcome::Read(ReadFile { symbol: Some(symbol), ..file }),
            outcome => outcome,
        })
    }

    /// Returns the pieces of a file, if they are asked for.
    fn marks(
        &self,
        engine: &Engine,
        snapshot: &Snapshot,
        path: &str,
        ranges: &[LineRange],
    ) -> Result<Option<Vec<LineMark>>, EngineError> {
        let config = &engine.config().index;
        self.spans.then(|| query::line_marks(snapshot, engine.source(), config, path, ranges)).transpose()
    }
}

/// Returns whether a path that no file has may be the name of a definition.
fn may_be_a_symbol(target: &FileTarget) -> bool {
    target.ranges.is_empty() && (!target.path.contains('/') || target.path.contains("::"))
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

/// Takes lines of all ranges within the token budget: all of those that are short, and as many of
/// each of the others.
struct LineTaker {
    /// The tokens for all; `None` without a limit.
    room: Option<usize>,
    is_json: bool,
    pieces: Vec<LinePiece>,
}

/// One range of lines, whole.
struct LinePiece {
    view: LinesView,
    lines: Vec<String>,
}

/// The lines that fit.
#[derive(Default)]
struct TakenLines {
    files: Vec<LinesView>,
    /// The numbers of the pieces that they are of.
    pieces: Vec<usize>,
    /// Paths and ranges that did not fit.
    rest: Vec<String>,
}

impl LineTaker {
    fn new(budget: Option<usize>, is_json: bool) -> LineTaker {
        let room = budget.map(|budget| budget.saturating_sub(NOTE_TOKENS.min(budget / 2)));
        LineTaker { room, is_json, pieces: Vec::new() }
    }

    fn add(&mut self, file: ReadFile) {
        let ReadFile { path, lines: found, marks, symbol } = file;
        // Ranges behind the end have no lines; an empty file is shown as such.
        let is_empty = found.ranges.iter().all(|(_, lines)| lines.is_empty());
        for (start, lines) in found.ranges.into_iter().filter(|(_, lines)| is_empty || !lines.is_empty()) {
            let end = start + lines.len() as u32;
            let spans = marks.as_ref().map(|marks| {
                let from = marks.partition_point(|mark| mark.line < start);
                marks[from..].iter().take_while(|mark| mark.line < end).map(SpanView::from).collect()
            });
            let view = LinesView {
                path: path.clone(),
                line_start: start,
                line_end: end.saturating_sub(1),
                line_count: found.line_count,
                cut_lines: found.cut_lines,
                lossy: found.is_lossy,
                symbol: symbol.clone(),
                text: String::new(),
                spans,
            };
            self.pieces.push(LinePiece { view, lines });
        }
    }

    fn take(self) -> TakenLines {
        let is_json = self.is_json;
        let rooms = match self.room {
            Some(room) => {
                let costs: Vec<usize> = self.pieces.iter().map(|piece| piece.cost(is_json, room)).collect();
                share_out(&costs, room, MIN_TOKENS)
            }
            None => vec![Some(usize::MAX); self.pieces.len()],
        };
        let mut counts: Vec<usize> =
            self.pieces.iter().zip(&rooms).map(|(piece, room)| piece.count(is_json, room.unwrap_or(0))).collect();
        // The first line of an answer always fits, so that each call goes on.
        if counts.iter().all(|count| *count == 0)
            && let Some(first) = self.pieces.iter().position(|piece| !piece.lines.is_empty())
        {
            counts[first] = self.pieces[first].count(is_json, self.room.unwrap_or(usize::MAX)).max(1);
        }
        let mut taken = TakenLines::default();
        for (at, (piece, count)) in self.pieces.into_iter().zip(counts).enumerate() {
            piece.cut(count, at, &mut taken);
        }
        taken
    }
}

impl LinePiece {
    fn head(&self) -> usize {
        estimate_tokens(&self.view.path) + HEAD_TOKENS
    }

    /// Returns the tokens of each line.
    fn costs(&self, is_json: bool) -> impl Iterator<Item = usize> {
        (self.view.line_start..).zip(&self.lines).map(move |(number, line)| {
            if is_json {
                tokens(&Value::from(line.as_str()))
            } else {
                estimate_tokens(&format!("{number} {}\n", line.trim_end())) + 1
            }
        })
    }

    /// Returns the tokens of the whole piece, or a number above `most`.
    fn cost(&self, is_json: bool, most: usize) -> usize {
        let mut cost = self.head();
        for line in self.costs(is_json) {
            cost += line;
            if cost > most {
                break;
            }
        }
        cost
    }

    /// Returns the number of lines that fit.
    fn count(&self, is_json: bool, room: usize) -> usize {
        let mut left = room.saturating_sub(self.head());
        let fits = |cost: &usize| left.checked_sub(*cost).map(|rest| left = rest).is_some();
        self.costs(is_json).take_while(fits).count()
    }

    /// Adds the first `count` lines to `taken`, and what is left to its rest.
    fn cut(mut self, count: usize, at: usize, taken: &mut TakenLines) {
        let (start, all) = (self.view.line_start, self.lines.len());
        if count < all {
            let last = self.view.line_end;
            let end = if self.view.line_count == Some(last) { String::new() } else { last.to_string() };
            taken.rest.push(format!("{}:{}-{end}", self.view.path, start as usize + count));
            if count == 0 {
                return;
            }
            let next = start + count as u32;
            self.view.line_end = next - 1;
            if let Some(spans) = &mut self.view.spans {
                spans.retain(|span| span.line < next);
            }
        }
        self.view.text = self.lines[..count.min(all)].concat();
        taken.files.push(self.view);
        taken.pieces.push(at);
    }
}
