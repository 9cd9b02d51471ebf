//! `codecompass search`: any question, best answers first.

use codecompass_engine::query::{self, SearchAnswer, SearchOptions, Snippet, SnippetOptions};
use serde_json::{Value, json};

use super::{filter, metadata};
use crate::cli::{Detail, Global, SearchArgs};
use crate::error::AppError;
use crate::output::{self, DIM, Outcome};
use crate::render;
use crate::session::Session;

pub(crate) fn run(global: &Global, args: &SearchArgs) -> Result<Outcome, AppError> {
    let (session, answer, snippets) = ask(global, args)?;
    if global.json {
        output::object(&to_json(&session, args, &answer, &snippets));
    } else {
        print_text(args, &args.query.join(" "), &answer, &snippets);
    }
    Ok(Outcome::of(!answer.hits.is_empty()))
}

/// The answer as JSON.
pub(crate) fn answer(global: &Global, args: &SearchArgs) -> Result<Value, AppError> {
    ask(global, args).map(|(session, answer, snippets)| to_json(&session, args, &answer, &snippets))
}

fn ask(global: &Global, args: &SearchArgs) -> Result<(Session, SearchAnswer, Vec<Snippet>), AppError> {
    let session = Session::open_at(global, &args.at)?;
    let query = args.query.join(" ");
    let semantic = session.engine.semantic();
    let options = SearchOptions { filter: filter(&args.filter)?, limit: args.limit as usize, semantic };
    let wants_snippets =
        !args.compact && args.detail != Detail::Location && (!global.json || args.detail == Detail::Context);
    let (answer, snippets) = session.ask(|snapshot| {
        let answer = query::search(snapshot, &query, &options)?;
        let snippets = match wants_snippets {
            true => {
                let context = args.detail == Detail::Context;
                let options = SnippetOptions { lines: if context { 20 } else { 1 }, from_top: context };
                let source = session.engine.source();
                query::snippets(snapshot, source, &session.engine.config().index, &query, &answer.hits, options)?
            }
            false => Vec::new(),
        };
        Ok((answer, snippets))
    })?;
    Ok((session, answer, snippets))
}

fn to_json(session: &Session, args: &SearchArgs, answer: &SearchAnswer, snippets: &[Snippet]) -> Value {
    let results: Vec<_> = answer
        .hits
        .iter()
        .enumerate()
        .map(|(at, hit)| {
            let mut object = render::hit_json(hit, args.detail, args.explain);
            if let Some(snippet) = snippets.get(at) {
                object["body_preview"] = json!(snippet.lines.join("\n"));
            }
            object
        })
        .collect();
    let mut metadata = metadata(session);
    metadata["query_intent"] = json!(answer.routed.intent.as_str());
    if answer.routed.confidence < 0.8 {
        metadata["query_intent_confidence"] = json!(answer.routed.confidence);
    }
    metadata["total_candidates"] = json!(answer.total);
    metadata["returned"] = json!(answer.hits.len());
    if answer.suppressed_duplicates > 0 {
        metadata["suppressed_duplicate_count"] = json!(answer.suppressed_duplicates);
    }
    json!({"results": results, "metadata": metadata})
}

fn print_text(args: &SearchArgs, query: &str, answer: &SearchAnswer, snippets: &[Snippet]) {
    let mut out = String::new();
    for (at, hit) in answer.hits.iter().enumerate() {
        if at > 0 && args.detail != Detail::Location {
            out.push('\n');
        }
        match args.detail {
            Detail::Location => {
                let mut bare = hit.clone();
                (bare.signature, bare.doc) = (String::new(), None);
                render::hit_text(&mut out, &bare, None, args.explain);
            }
            _ => render::hit_text(&mut out, hit, snippets.get(at), args.explain),
        }
    }
    let more = answer.total - answer.hits.len();
    if answer.hits.is_empty() {
        out.push_str(&format!(
            "nothing found for {query:?}; try other words, fewer filters, or `codecompass status`\n"
        ));
    } else if more > 0 && args.detail != Detail::Location {
        out.push_str(&format!("\n{DIM}{more} more; --limit shows them{DIM:#}\n"));
    }
    output::text(&out);
}
