//! `trace --value` and `trace --raises`: the places that a value or an error gets to.

use codecompass_engine::query::{
    self, Navigator, RaiseEvent, RaisesAnswer, RaisesOptions, Subject, UseClass, ValueUse, ValuesAnswer, ValuesOptions,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::graph::confidence_word;
use crate::api::Answer;
use crate::api::arguments::{PageArgs, RefArgs, is_zero};
use crate::api::metadata::{Completeness, Metadata};
use crate::api::page::Page;
use crate::api::part::{Part as _, answer_fields, parts, tokens};
use crate::api::views::{EnclosingView, HitView, SubjectView};
use crate::error::AppError;
use crate::remedy::Remedy;
use crate::session::{CallContext, OutputFormat, Session};

/// Copies of copies that are followed at most.
const MAX_HOPS: u32 = 3;
/// The rest of a line of text besides its names and its source.
const LINE_TOKENS: usize = 14;
/// Tokens for what is said about the whole answer.
const HEAD_TOKENS: usize = 200;

/// The question for what becomes of a value or an error, instead of for chains of calls.
#[derive(Clone, Debug, Default, clap::Args, Deserialize, JsonSchema)]
pub struct FollowArgs {
    /// Follow a value: where NAME is written, copied, where it decides, is read and tested. NAME is
    /// a constant, field or setting, or a key such as 'trust proxy', a variable of the environment,
    /// or an option of a command line (--dry-run).
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, conflicts_with_all = FOREIGN)]
    #[schemars(description = "Setting, field, constant or key: where it is written, copied, decides.")]
    pub value: Option<String>,
    /// Follow an error: where ERROR is raised, through which calls it passes, where it is caught.
    /// ERROR is a type, a constant, or a message.
    #[arg(long, value_name = "ERROR", conflicts_with_all = FOREIGN)]
    #[schemars(description = "Error type or message: where it is raised, passes, is caught.")]
    pub raises: Option<String>,
}

/// Flags that are for chains of calls alone.
const FOREIGN: [&str; 4] = ["from", "max_paths", "project", "source"];

#[derive(Clone, Debug, Default, Serialize)]
pub struct TraceMetadata {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expanded_symbols: Option<usize>,
    /// True if only tests lead there, so that the chains start at tests.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub only_tests: bool,
    /// If no chain was found, the places that may call the end, or any of more than three
    /// definitions.
    #[serde(skip_serializing_if = "is_zero")]
    pub open_calls: usize,
    /// Chains that differ from a listed one in a single function and so are left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub variants: usize,
}

/// The places that a value or an error gets to.
#[derive(Clone, Debug, Serialize)]
pub struct FollowedAnswer {
    /// The value that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The error that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raises: Option<String>,
    /// The definition of the name, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<HitView>,
    /// The things that were looked for: literal texts, spellings, subtypes.
    pub looked_for: Vec<String>,
    /// By what happens there, then by the number of steps on the way.
    pub steps: Vec<FollowedStepView>,
    /// The number of places by what happens there, listed or not.
    pub counts: Vec<EventCount>,
    /// Longer keys that begin with the one that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub longer_keys: Vec<String>,
    /// Calls that are not listed: the function around lets the same error out at another place.
    #[serde(skip_serializing_if = "is_zero")]
    pub merged_calls: usize,
    /// Names that were not followed, since they are too common.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_followed: Vec<String>,
    /// Names like the one that was asked for, if nothing was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
    /// The number of steps for which there was no room.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_shown_total: usize,
    pub metadata: Metadata<TraceMetadata>,
}
parts!(FollowedAnswer { symbol, looked_for, longer_keys, steps, not_followed, suggestions });

/// The number of places where one thing happens.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct EventCount {
    pub event: &'static str,
    pub count: usize,
}

/// One place of a value or an error.
#[derive(Clone, Debug, Serialize)]
pub struct FollowedStepView {
    /// From 1.
    pub step: usize,
    pub event: &'static str,
    pub path: String,
    pub line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enclosing: Option<EnclosingView>,
    pub source: String,
    /// The way that it takes there: `to timeout`, `calls load`, `as StoreError`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub way: Option<String>,
    /// Of a handler, the line of the call that it guards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_line: Option<u32>,
    /// The step that it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    #[serde(serialize_with = "confidence_word")]
    pub confidence: UseClass,
    pub evidence: &'static str,
    /// The number of copies, or of calls, on the way.
    pub depth: u32,
}
parts!(FollowedStepView { path, enclosing, source, way }, |view, reduction| {
    if reduction.location_only || reduction.compact {
        view.source = String::new();
    }
});

impl Answer for FollowedAnswer {
    answer_fields!(TraceMetadata, pages: steps);

    fn is_found(&self) -> bool {
        !self.steps.is_empty()
    }
}

impl FollowedAnswer {
    fn of_value(found: ValuesAnswer, session: &Session) -> FollowedAnswer {
        let step = |(at, step): (usize, query::ValueStep)| FollowedStepView {
            step: at + 1,
            event: step.used.as_str(),
            path: step.path,
            line: step.line,
            column: Some(step.column),
            enclosing: step.enclosing.map(EnclosingView::from),
            source: step.source,
            way: step.way,
            call_line: None,
            from: step.from.map(|from| from + 1),
            confidence: step.class,
            evidence: step.evidence,
            depth: step.hops,
        };
        const USES: [ValueUse; 6] = [
            ValueUse::Defined,
            ValueUse::Written,
            ValueUse::Copied,
            ValueUse::Decides,
            ValueUse::Read,
            ValueUse::Tested,
        ];
        let steps = found.steps.into_iter().enumerate().map(step).collect();
        let counts = counts(&USES.map(ValueUse::as_str), &found.counts);
        let looked_for = found.keys.iter().map(|key| format!("'{key}'")).collect();
        let answer = FollowedAnswer::new(steps, counts, found.subject, found.is_cut, session);
        let (not_followed, suggestions) = (found.not_followed, found.suggestions);
        let longer_keys = found.longer_keys.iter().map(|(key, count)| format!("'{key}' ({count})")).collect();
        let value = Some(found.name);
        FollowedAnswer { value, looked_for, longer_keys, not_followed, suggestions, ..answer }
    }

    fn of_error(found: RaisesAnswer, session: &Session) -> FollowedAnswer {
        let step = |(at, step): (usize, query::RaiseStep)| FollowedStepView {
            step: at + 1,
            event: step.event.as_str(),
            path: step.path,
            line: step.line,
            column: None,
            enclosing: step.enclosing.map(EnclosingView::from),
            source: step.source,
            way: step.note,
            call_line: step.call_line.filter(|line| *line != step.line),
            from: step.from.map(|from| from + 1),
            confidence: step.class,
            evidence: step.evidence,
            depth: step.depth,
        };
        const EVENTS: [RaiseEvent; 7] = [
            RaiseEvent::Raised,
            RaiseEvent::Passed,
            RaiseEvent::Caught,
            RaiseEvent::Mapped,
            RaiseEvent::Leaves,
            RaiseEvent::Handler,
            RaiseEvent::Tested,
        ];
        let steps = found.steps.into_iter().enumerate().map(step).collect();
        let counts = counts(&EVENTS.map(RaiseEvent::as_str), &found.counts);
        let looked_for = std::iter::once(found.looked_for).chain(found.types).collect();
        let answer = FollowedAnswer::new(steps, counts, found.subject, found.is_cut, session);
        let (not_followed, suggestions, merged_calls) = (found.not_followed, found.suggestions, found.merged);
        FollowedAnswer { raises: Some(found.name), looked_for, merged_calls, not_followed, suggestions, ..answer }
    }

    fn new(
        steps: Vec<FollowedStepView>,
        counts: Vec<EventCount>,
        subject: Option<Subject>,
        is_cut: bool,
        session: &Session,
    ) -> FollowedAnswer {
        let mut metadata = Metadata::new(session).with(TraceMetadata::default());
        let total = counts.iter().map(|one| one.count).sum();
        metadata.count(total, steps.len());
        if is_cut {
            metadata.result_completeness = Some(Completeness::Partial);
            metadata.safety_limit_applied = Some(true);
        }
        let symbol = subject.map(|subject| SubjectView::from(subject).symbol);
        let (value, raises, looked_for, longer_keys, not_followed, suggestions) = Default::default();
        FollowedAnswer {
            value,
            raises,
            symbol,
            looked_for,
            steps,
            counts,
            longer_keys,
            merged_calls: 0,
            not_followed,
            suggestions,
            not_shown_total: 0,
            metadata,
        }
    }

    /// Drops what does not fit a number of tokens: tests and plain reads first, then what is
    /// furthest away.
    fn fit(&mut self, most: usize, format: OutputFormat) {
        let cost = |step: &FollowedStepView| match format {
            OutputFormat::Json => tokens(&step.json()),
            OutputFormat::Text => {
                let names = step.enclosing.as_ref().map_or(0, |around| around.local_name.len());
                let letters = step.path.len() + step.source.len().min(120) + names;
                LINE_TOKENS + (letters + step.way.as_ref().map_or(0, String::len)) / 3
            }
        };
        let mut sum: usize = HEAD_TOKENS + self.steps.iter().map(cost).sum::<usize>();
        while sum > most && !self.steps.is_empty() {
            let rank = |step: &FollowedStepView| match step.event {
                "tested" => (3, step.depth, step.step),
                "read" | "handler" => (2, step.depth, step.step),
                "passed" | "copied" => (1, step.depth, step.step),
                _ => (0, step.depth, step.step),
            };
            let Some(least) = (0..self.steps.len()).max_by_key(|at| rank(&self.steps[*at])) else { return };
            sum -= cost(&self.steps.remove(least));
            self.not_shown_total += 1;
        }
        if self.not_shown_total > 0 {
            self.metadata.returned = Some(self.steps.len());
            self.metadata.result_completeness = Some(Completeness::Truncated);
            self.metadata.suggest(Remedy::from("give more max tokens to see the others".to_string()));
        }
    }
}

/// Returns the numbers that are not zero, by word.
fn counts(words: &[&'static str], numbers: &[usize]) -> Vec<EventCount> {
    let counts = words.iter().zip(numbers).map(|(event, count)| EventCount { event, count: *count });
    counts.filter(|one| one.count > 0).collect()
}

impl FollowArgs {
    /// Returns whether a value or an error is asked for.
    pub fn is_asked(&self) -> bool {
        self.value.is_some() || self.raises.is_some()
    }

    /// Refuses questions for several things at once, and for nothing.
    pub(super) fn check(&self, to: Option<&str>) -> Result<(), AppError> {
        let asked = [to.is_some(), self.value.is_some(), self.raises.is_some()];
        match asked.iter().filter(|is_asked| **is_asked).count() {
            1 => Ok(()),
            0 => Err(AppError::invalid("nothing is asked for", Remedy::NameTraceEnd)),
            _ => Err(AppError::invalid(
                "a symbol, a value and an error are asked for one at a time",
                Remedy::NameTraceEnd,
            )),
        }
    }
}

/// The other arguments of the question.
pub(super) struct FollowRest<'a> {
    pub(super) at: &'a RefArgs,
    pub(super) page: PageArgs,
    pub(super) depth: u32,
    pub(super) least: UseClass,
    pub(super) most_tokens: usize,
}

impl FollowArgs {
    /// Answers the question.
    pub(super) fn answer(&self, context: &CallContext, rest: &FollowRest<'_>) -> Result<FollowedAnswer, AppError> {
        let session = Session::open_at(context, rest.at.name())?;
        let (engine, least) = (&session.engine, rest.least);
        let mut answer = match (&self.value, &self.raises) {
            (Some(name), _) => {
                let options = ValuesOptions { hops: rest.depth.min(MAX_HOPS), least };
                let found = session.ask(|snapshot| {
                    let navigator = Navigator::new(snapshot).reading(engine.source(), &engine.config().index);
                    query::values(&navigator, name, &options)
                })?;
                FollowedAnswer::of_value(found, &session)
            }
            (None, raises) => {
                let name = raises.as_deref().unwrap_or_default();
                let options = RaisesOptions { depth: rest.depth, least };
                let found = session.ask(|snapshot| {
                    let navigator = Navigator::new(snapshot).reading(engine.source(), &engine.config().index);
                    query::raises(&navigator, name, &options)
                })?;
                FollowedAnswer::of_error(found, &session)
            }
        };
        Page::new(rest.page, usize::MAX).skip(&mut answer.steps);
        answer.fit(rest.most_tokens, context.format);
        Ok(answer)
    }
}
