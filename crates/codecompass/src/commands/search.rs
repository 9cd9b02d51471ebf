//! `codecompass search`: any question, best answers first.

use codecompass_engine::config::SemanticMode;
use codecompass_engine::query::{self, SearchAnswer, SearchOptions, Snippet, SnippetOptions};
use serde_json::{Value, json};

use super::page::Page;
use super::{counts, filter, search_metadata};
use crate::cli::{Detail, Global, MeaningArgs, Mode, SearchArgs};
use crate::error::AppError;
use crate::output::{self, DIM, Outcome};
use crate::render;
use crate::session::{At, Session};
use crate::settings::Settings;

pub(crate) fn run(global: &Global, args: &SearchArgs) -> Result<Outcome, AppError> {
    let (session, answer, snippets) = ask(global, args)?;
    if global.json {
        output::object(&to_json(&session, args, &answer, &snippets));
    } else {
        print_text(args, &args.query.join(" "), &answer, &snippets);
        search_metadata::warnings(&session, &answer).iter().for_each(|warning| session.note(warning));
    }
    Ok(Outcome::of(!answer.hits.is_empty()))
}

/// The answer as JSON.
pub(crate) fn answer(global: &Global, args: &SearchArgs) -> Result<Value, AppError> {
    ask(global, args).map(|(session, answer, snippets)| to_json(&session, args, &answer, &snippets))
}

fn ask(global: &Global, args: &SearchArgs) -> Result<(Session, SearchAnswer, Vec<Snippet>), AppError> {
    let filter = filter(&args.filter)?;
    let session = Session::open_with_models(global, At::Ref(&args.at), |settings| adjust(settings, &args.meaning))?;
    let query = args.query.join(" ");
    let confidence_threshold = Some(session.engine.config().semantic.confidence_threshold);
    let semantic = session.engine.semantic();
    let tuning = session.engine.config().search.clone();
    let options = SearchOptions { filter, limit: page(args).end(), semantic, confidence_threshold, tuning };
    let wants_snippets =
        !args.compact && args.detail != Detail::Location && (!global.json || args.detail == Detail::Context);
    let (answer, snippets) = session.ask(|snapshot| {
        let mut answer = query::search(snapshot, &query, &options)?;
        page(args).skip(&mut answer.hits);
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

fn page(args: &SearchArgs) -> Page {
    Page::new(args.page, args.limit as usize)
}

/// Puts what flags say in the place of settings.
pub(super) fn adjust(settings: &mut Settings, meaning: &MeaningArgs) {
    let semantic = &mut settings.engine.semantic;
    if let Some(mode) = meaning.mode {
        semantic.mode = match mode {
            Mode::Off => SemanticMode::Off,
            Mode::RerankOnly => SemanticMode::RerankOnly,
            Mode::Hybrid => SemanticMode::Hybrid,
        };
    }
    semantic.ratio = meaning.semantic_ratio.unwrap_or(semantic.ratio);
    semantic.confidence_threshold = meaning.confidence_threshold.unwrap_or(semantic.confidence_threshold);
}

fn to_json(session: &Session, args: &SearchArgs, answer: &SearchAnswer, snippets: &[Snippet]) -> Value {
    let results: Vec<_> = answer
        .hits
        .iter()
        .enumerate()
        .map(|(at, hit)| {
            let mut object = render::hit_json(hit, args.detail, args.explain);
            if args.detail >= Detail::Signature
                && let Some(provenance) = search_metadata::provenance(session, answer, hit)
            {
                object["provenance"] = json!(provenance);
            }
            if let Some(snippet) = snippets.get(at) {
                object["body_preview"] = json!(snippet.lines.join("\n"));
            }
            object
        })
        .collect();
    let mut metadata = search_metadata::metadata(session, answer);
    counts(&mut metadata, answer.total, answer.hits.len());
    page(args).note(&mut metadata, &[answer.total]);
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
    let more = page(args).behind(answer.total, answer.hits.len());
    let filter = &args.filter;
    let is_narrow = !(filter.lang.is_empty() && filter.kind.is_empty() && filter.path.is_empty());
    let mut action = answer.suggested_action.as_deref();
    if answer.hits.is_empty() && is_narrow {
        out.push_str(&format!("nothing found for {query:?} with these filters; try it without them\n"));
        action = None;
    } else if answer.hits.is_empty() {
        out.push_str(&format!("nothing found for {query:?}\n"));
    } else if more > 0 && args.detail != Detail::Location {
        out.push_str(&format!("\n{DIM}{more} more; --limit shows them{DIM:#}\n"));
    }
    if let Some(action) = action {
        let doubt = if answer.hits.is_empty() { "" } else { "not sure: " };
        out.push_str(&format!("{DIM}{doubt}{action}{DIM:#}\n"));
    }
    output::text(&out);
}
