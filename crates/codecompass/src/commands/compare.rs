//! `codecompass compare`: one symbol at two refs.

use codecompass_engine::query::{self, ChangeKind, Filter, Hit, ShowAnswer, Side};
use codecompass_engine::{Error as EngineError, SyncOptions};
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use super::metadata;
use crate::api::page::Page;
use crate::choices::{Detail, Explain};
use crate::cli::CompareArgs;
use crate::error::AppError;
use crate::render;
use crate::session::{CallContext, Session};
use crate::terminal::output::{self, DIM, NAME, Outcome};

/// Unchanged lines shown around a change.
const CONTEXT_LINES: usize = 3;

/// Both sides of a comparison.
struct Found {
    after_session: Session,
    /// What the two refs are called.
    names: (String, String),
    before: Option<ShowAnswer>,
    after: Option<ShowAnswer>,
    change: &'static str,
    patch: String,
}

pub(crate) fn run(context: &CallContext, args: &CompareArgs) -> Result<Outcome, AppError> {
    let found = ask(context, args)?;
    if context.is_json() {
        output::object(&to_json(args, &found));
    } else {
        let place = |answer: &Option<ShowAnswer>| match answer {
            Some(answer) => format!("{}:{}", answer.subject.hit.path, answer.subject.hit.line_start),
            None => "not there".to_string(),
        };
        let mut out = match (&found.before, &found.after) {
            (Some(before), Some(after)) if found.change == ChangeKind::Renamed.as_str() => format!(
                "{NAME}{}{NAME:#} renamed to {NAME}{}{NAME:#}\n",
                before.subject.hit.qualified_name, after.subject.hit.qualified_name
            ),
            _ => format!("{NAME}{}{NAME:#} {}\n", args.symbol, found.change),
        };
        out.push_str(&format!("{DIM}--- {}  {}{DIM:#}\n", found.names.0, place(&found.before)));
        out.push_str(&format!("{DIM}+++ {}  {}{DIM:#}\n", found.names.1, place(&found.after)));
        out.push_str(&page(args).lines(&found.patch).0);
        output::text(&out);
    }
    Ok(Outcome::of(found.change != "same"))
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &CompareArgs) -> Result<Value, AppError> {
    ask(context, args).map(|found| to_json(args, &found))
}

fn ask(context: &CallContext, args: &CompareArgs) -> Result<Found, AppError> {
    let find = |reference: Option<&String>| -> Result<(Session, Option<ShowAnswer>), AppError> {
        let session = Session::open_at(context, reference.map(String::as_str))?;
        let engine = &session.engine;
        let config = &engine.config().index;
        let symbol = super::symbol(&session, &args.symbol)?;
        let found = session.ask(|snapshot| {
            match query::show(snapshot, engine.source(), config, &symbol, &Filter::default()) {
                Ok(answer) => Ok(Some(answer)),
                Err(EngineError::SymbolNotFound { .. } | EngineError::FileNotFound { .. }) => Ok(None),
                Err(EngineError::NothingAt { .. }) => Ok(None),
                Err(error) => Err(error),
            }
        })?;
        Ok((session, found))
    };
    let (first, before) = find(Some(&args.before))?;
    let (second, after) = find(args.after.as_ref())?;
    let names = (super::reference(&first), super::reference(&second));
    let (change, before, after) = match (before, after) {
        (None, None) => {
            let symbol = args.symbol.clone();
            return Err(EngineError::SymbolNotFound { symbol, suggestions: Vec::new() }.into());
        }
        (Some(before), None) => match partner(&first, &second, &before.subject.hit)? {
            Some((change, after)) => (change.as_str(), Some(before), Some(after)),
            None => ("deleted", Some(before), None),
        },
        (None, Some(after)) => match partner(&first, &second, &after.subject.hit)? {
            Some((change, before)) => (change.as_str(), Some(before), Some(after)),
            None => ("added", None, Some(after)),
        },
        (Some(before), Some(after)) => {
            (if before.source == after.source { "same" } else { "modified" }, Some(before), Some(after))
        }
    };
    let text = |answer: &Option<ShowAnswer>| answer.as_ref().map(|answer| answer.source.clone()).unwrap_or_default();
    let patch = unified(&text(&before), &text(&after));
    Ok(Found { after_session: second, names, before, after, change, patch })
}

/// Finds the definition on the other side that `diff` pairs with one that has no namesake there: it was renamed or moved.
fn partner(before: &Session, after: &Session, found: &Hit) -> Result<Option<(ChangeKind, ShowAnswer)>, AppError> {
    let config = &after.engine.config().index;
    after.ask(|snapshot| {
        let (old, _) = before.sync(SyncOptions::default())?;
        let old = Side { snapshot: &old, source: before.engine.source() };
        let new = Side { snapshot, source: after.engine.source() };
        let is_found = |hit: &Option<Hit>| hit.as_ref().is_some_and(|hit| hit.symbol_id == found.symbol_id);
        for change in query::diff(old, new, config)?.symbols {
            let (side, other) = match (is_found(&change.before), is_found(&change.after)) {
                (true, _) => (new, change.after),
                (_, true) => (old, change.before),
                _ => continue,
            };
            let Some(other) = other else { return Ok(None) };
            let shown = query::show(side.snapshot, side.source, config, &other.symbol_id, &Filter::default())?;
            return Ok(Some((change.kind, shown)));
        }
        Ok(None)
    })
}

/// All lines behind the first ones, of each text.
fn page(args: &CompareArgs) -> Page {
    Page::new(args.page, usize::MAX)
}

fn to_json(args: &CompareArgs, found: &Found) -> Value {
    let page = page(args);
    let side = |answer: &Option<ShowAnswer>| match answer {
        Some(answer) => {
            let mut symbol = render::hit_json(&answer.subject.hit, Detail::Signature, Explain::Off);
            let (source, skipped) = page.lines(&answer.source);
            symbol["source"] = json!(source);
            symbol["source_line"] = json!(answer.source_line as usize + skipped);
            symbol
        }
        None => Value::Null,
    };
    let mut metadata = metadata(&found.after_session);
    page.note(&mut metadata, &[]);
    json!({
        "symbol": args.symbol,
        "change": found.change,
        "before_ref": found.names.0,
        "after_ref": found.names.1,
        "before": side(&found.before),
        "after": side(&found.after),
        "diff": page.lines(&found.patch).0,
        "metadata": metadata,
    })
}

/// The lines that differ, with a few around them.
fn unified(before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    let mut out = String::new();
    for group in diff.grouped_ops(CONTEXT_LINES) {
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
        assert_eq!(unified(before, after), " c\n d\n e\n-f\n+X\n g\n h\n");
        assert_eq!(unified(before, before), "");
    }
}
