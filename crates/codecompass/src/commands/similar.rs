//! `codecompass similar`: what is like a symbol.

use codecompass_engine::query::{self, Navigator, SimilarAnswer, SimilarOptions};
use serde_json::{Value, json};

use super::{counts, filter, metadata, other_meanings, subject_json, symbol};
use crate::api::page::Page;
use crate::choices::{Detail, Explain};
use crate::cli::SimilarArgs;
use crate::error::AppError;
use crate::render;
use crate::session::{CallContext, Session};
use crate::terminal::output::{self, DIM, Outcome};

pub(crate) fn run(context: &CallContext, args: &SimilarArgs) -> Result<Outcome, AppError> {
    let (session, answer) = ask(context, args)?;
    if context.is_json() {
        output::object(&to_json(&session, page(args), &answer));
    } else {
        let mut out = String::new();
        render::hit_text(&mut out, &answer.subject.hit, None, Explain::Off);
        if !answer.similar.is_empty() {
            out.push_str(&format!("\n{DIM}like it, best first:{DIM:#}\n"));
        }
        for similar in &answer.similar {
            let mut hit = similar.hit.clone();
            hit.doc = None;
            render::hit_text(&mut out, &hit, None, Explain::Off);
            let note = match (similar.is_identical, similar.shared.as_slice()) {
                (true, _) => "identical".to_string(),
                (false, []) => String::new(),
                (false, shared) => format!("both use {}", shared.join(", ")),
            };
            if !note.is_empty() {
                out.push_str(&format!("    {DIM}{note}{DIM:#}\n"));
            }
            render::score_text(&mut out, &similar.hit, args.explain);
        }
        let more = page(args).behind(answer.total, answer.similar.len());
        if more > 0 {
            out.push_str(&format!("{DIM}{more} more; --limit shows them{DIM:#}\n"));
        }
        if answer.similar.is_empty() {
            let compared = render::count(answer.compared, "candidate");
            out.push_str(&format!("{DIM}nothing like it among {compared}{DIM:#}\n"));
        }
        other_meanings(&mut out, &answer.subject, &args.symbol);
        output::text(&out);
    }
    Ok(Outcome::of(!answer.similar.is_empty()))
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &SimilarArgs) -> Result<Value, AppError> {
    ask(context, args).map(|(session, answer)| to_json(&session, page(args), &answer))
}

fn ask(context: &CallContext, args: &SimilarArgs) -> Result<(Session, SimilarAnswer), AppError> {
    let session = Session::open_at(context, args.at.name())?;
    let options = SimilarOptions { filter: filter(&args.filter)?, limit: page(args).end() };
    let symbol = symbol(&session, &args.symbol)?;
    let mut answer = session.ask(|snapshot| query::similar(&Navigator::new(snapshot), &symbol, &options))?;
    page(args).skip(&mut answer.similar);
    Ok((session, answer))
}

fn page(args: &SimilarArgs) -> Page {
    Page::new(args.page, args.limit as usize)
}

fn to_json(session: &Session, page: Page, answer: &SimilarAnswer) -> Value {
    let (symbol, others) = subject_json(&answer.subject);
    let results = answer.similar.iter().map(|similar| {
        let mut object = render::hit_json(&similar.hit, Detail::Signature, Explain::Full);
        object["identical"] = json!(similar.is_identical);
        object["shared_names"] = json!(similar.shared);
        object
    });
    let results: Vec<Value> = results.collect();
    let mut metadata = metadata(session);
    counts(&mut metadata, answer.total, results.len());
    page.note(&mut metadata, &[answer.total]);
    metadata["compared"] = json!(answer.compared);
    json!({"symbol": symbol, "results": results, "others": others, "metadata": metadata})
}
