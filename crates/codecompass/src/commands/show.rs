//! `codecompass show`: the source of a symbol.

use codecompass_engine::query::{self, ShowAnswer};
use serde_json::{Value, json};

use super::{filter, metadata, other_meanings, subject_json, symbol};
use crate::api::page::Page;
use crate::choices::Explain;
use crate::cli::ShowArgs;
use crate::error::AppError;
use crate::render;
use crate::session::{CallContext, Session};
use crate::terminal::output::{self, DIM, LINE, Outcome};

pub(crate) fn run(context: &CallContext, args: &ShowArgs) -> Result<Outcome, AppError> {
    let (session, answer) = ask(context, args)?;
    if context.is_json() {
        output::object(&to_json(&session, page(args), &answer));
    } else {
        let mut out = String::new();
        let mut bare = answer.subject.hit.clone();
        (bare.signature, bare.doc) = (String::new(), None);
        render::hit_text(&mut out, &bare, None, Explain::Off);
        for (number, line) in answer.source.lines().enumerate() {
            out.push_str(&format!("{LINE}{:>6}{LINE:#} {DIM}|{DIM:#} {line}\n", answer.source_line as usize + number));
        }
        other_meanings(&mut out, &answer.subject, &args.symbol);
        output::text(&out);
    }
    Ok(Outcome::Found)
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &ShowArgs) -> Result<Value, AppError> {
    ask(context, args).map(|(session, answer)| to_json(&session, page(args), &answer))
}

fn ask(context: &CallContext, args: &ShowArgs) -> Result<(Session, ShowAnswer), AppError> {
    let session = Session::open_at(context, args.at.name())?;
    let filter = filter(&args.filter)?;
    let engine = &session.engine;
    let symbol = symbol(&session, &args.symbol)?;
    let mut answer =
        session.ask(|snapshot| query::show(snapshot, engine.source(), &engine.config().index, &symbol, &filter))?;
    let (source, skipped) = page(args).lines(&answer.source);
    (answer.source, answer.source_line) = (source, answer.source_line + skipped as u32);
    Ok((session, answer))
}

/// All lines behind the first ones.
fn page(args: &ShowArgs) -> Page {
    Page::new(args.page, usize::MAX)
}

fn to_json(session: &Session, page: Page, answer: &ShowAnswer) -> Value {
    let (mut shown, others) = subject_json(&answer.subject);
    shown["doc"] = json!(answer.subject.hit.doc);
    let mut metadata = metadata(session);
    page.note(&mut metadata, &[]);
    json!({
        "symbol": shown,
        "source": answer.source,
        "source_line": answer.source_line,
        "others": others,
        "metadata": metadata,
    })
}
