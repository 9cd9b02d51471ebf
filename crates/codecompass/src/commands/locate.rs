//! `codecompass locate`: where is a symbol defined, and what does a name at a place mean.

use codecompass_engine::query::{self, AtAnswer, AtMeaning, LocateAnswer, LocateOptions, MatchClass, Navigator, Side};
use serde_json::{Value, json};

use super::{counts, filter, graph, metadata, symbol};
use crate::api::page::Page;
use crate::choices::{Detail, Explain};
use crate::cli::LocateArgs;
use crate::error::AppError;
use crate::remedy::Remedy;
use crate::render;
use crate::session::{CallContext, Session};
use crate::terminal::output::{self, DIM, Outcome};

pub(crate) fn run(context: &CallContext, args: &LocateArgs) -> Result<Outcome, AppError> {
    match (&args.place, &args.symbol) {
        (Some(place), _) => at(context, args, place),
        (None, symbol) => by_name(context, args, symbol.as_deref().unwrap_or("")),
    }
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &LocateArgs) -> Result<Value, AppError> {
    match (&args.place, &args.symbol) {
        (Some(place), _) => ask_at(context, args, place)
            .map(|(session, (path, ..), answer)| meaning_json(&session, args, &path, &answer)),
        (None, symbol) => ask_by_name(context, args, symbol.as_deref().unwrap_or(""))
            .map(|(session, _, answer)| to_json(&session, args, &answer)),
    }
}

fn ask_by_name(
    context: &CallContext,
    args: &LocateArgs,
    asked: &str,
) -> Result<(Session, String, LocateAnswer), AppError> {
    let session = Session::open_at(context, args.at.name())?;
    let options = LocateOptions { filter: filter(&args.filter)?, limit: page(args).end() };
    let asked = symbol(&session, asked)?;
    let mut answer = session.ask(|snapshot| query::locate(snapshot, &asked, &options))?;
    page(args).skip(&mut answer.hits);
    Ok((session, asked, answer))
}

fn page(args: &LocateArgs) -> Page {
    Page::new(args.page, args.limit as usize)
}

fn to_json(session: &Session, args: &LocateArgs, answer: &LocateAnswer) -> Value {
    let results: Vec<_> =
        answer.hits.iter().map(|hit| render::hit_json(hit, Detail::Signature, args.explain)).collect();
    let mut metadata = metadata(session);
    metadata["match"] = json!(answer.class.map(MatchClass::as_str));
    counts(&mut metadata, answer.total, answer.hits.len());
    page(args).note(&mut metadata, &[answer.total]);
    json!({"results": results, "metadata": metadata})
}

fn by_name(context: &CallContext, args: &LocateArgs, asked: &str) -> Result<Outcome, AppError> {
    let (session, asked, answer) = ask_by_name(context, args, asked)?;
    let exact = answer.class.is_none_or(|class| class <= MatchClass::Exact);
    if context.is_json() {
        output::object(&to_json(&session, args, &answer));
    } else {
        let mut out = String::new();
        if let Some(class) = answer.class.filter(|_| !exact) {
            let what = class.as_str().replace('_', "-");
            out.push_str(&format!("{DIM}no exact match for `{asked}`; by {what}:{DIM:#}\n"));
        }
        answer.hits.iter().for_each(|hit| render::hit_text(&mut out, hit, None, args.explain));
        let more = page(args).behind(answer.total, answer.hits.len());
        if more > 0 {
            out.push_str(&format!("{DIM}{more} more; --limit shows them{DIM:#}\n"));
        }
        if answer.hits.is_empty() {
            out.push_str(&format!("no symbol like `{asked}`; `codecompass search` finds code by what it does\n"));
        }
        output::text(&out);
    }
    Ok(Outcome::of(!answer.hits.is_empty()))
}

/// Goes to the definition of what stands at a place.
fn at(context: &CallContext, args: &LocateArgs, place: &str) -> Result<Outcome, AppError> {
    let (session, (path, line, column), answer) = ask_at(context, args, place)?;
    let place = format!("{path}:{line}:{column}");
    if context.is_json() {
        output::object(&meaning_json(&session, args, &path, &answer));
    } else {
        output::text(&meaning_text(args, &path, &place, &answer));
    }
    let leads_nowhere = matches!(answer.meaning, AtMeaning::External | AtMeaning::Unknown | AtMeaning::Nothing);
    Ok(Outcome::of(!leads_nowhere))
}

/// Path, line and column.
type Place = (String, u32, u32);

fn ask_at(context: &CallContext, args: &LocateArgs, place: &str) -> Result<(Session, Place, AtAnswer), AppError> {
    let Some((path, line, Some(column))) = query::parse_place(place.trim()) else {
        return Err(AppError::invalid(format!("`{place}` is no place"), Remedy::GiveFullPlace));
    };
    let session = Session::open_at(context, args.at.name())?;
    let path = session.relative_path(path)?;
    let engine = &session.engine;
    let (path, mut answer) = session.ask(|snapshot| {
        let path = query::resolve_path(snapshot, &path)?;
        let side = Side { snapshot, source: engine.source() };
        let navigator = Navigator::new(snapshot);
        let answer = query::at(&navigator, side, &engine.config().index, (&path, line, column), page(args).end())?;
        Ok((path, answer))
    })?;
    page(args).skip(&mut answer.hits);
    Ok((session, (path, line, column), answer))
}

fn word(meaning: &AtMeaning) -> &'static str {
    match meaning {
        AtMeaning::Definition => "definition",
        AtMeaning::Found { .. } => "found",
        AtMeaning::Ambiguous => "ambiguous",
        AtMeaning::External => "external",
        AtMeaning::Module { .. } => "module",
        AtMeaning::Local { .. } => "local",
        AtMeaning::Unknown => "unknown",
        AtMeaning::Nothing => "nothing",
    }
}

fn meaning_json(session: &Session, args: &LocateArgs, path: &str, answer: &AtAnswer) -> Value {
    let mut results: Vec<Value> = answer.hits.iter().map(graph::symbol_json).collect();
    if let AtMeaning::Found { confidence, evidence } = &answer.meaning {
        for result in &mut results {
            result["confidence"] = json!(confidence.as_str());
            result["evidence"] = json!(evidence.as_str());
        }
    }
    let mut metadata = metadata(session);
    if let AtMeaning::Local { of, line, declared } = &answer.meaning {
        results.push(json!({
            "path": path,
            "line_start": line,
            "line_end": line,
            "line": line,
            "kind": "local",
            "name": answer.name,
            "declared_type": declared,
            "enclosing": graph::enclosing_json(of),
        }));
    }
    if let AtMeaning::Module { folder: Some(folder) } = &answer.meaning {
        metadata["folder"] = json!(folder);
    }
    metadata["meaning"] = json!(word(&answer.meaning));
    metadata["name"] = json!(answer.name);
    counts(&mut metadata, answer.total.max(results.len()), results.len());
    page(args).note(&mut metadata, &[answer.total]);
    json!({"results": results, "metadata": metadata})
}

fn meaning_text(args: &LocateArgs, path: &str, place: &str, answer: &AtAnswer) -> String {
    let name = &answer.name;
    let mut out = match &answer.meaning {
        AtMeaning::Definition => format!("{DIM}`{name}` is defined right here:{DIM:#}\n"),
        AtMeaning::Found { confidence, evidence } => {
            format!("{DIM}`{name}` means, {} by {}:{DIM:#}\n", confidence.as_str(), graph::words(*evidence))
        }
        AtMeaning::Ambiguous => {
            let count = answer.total;
            format!("{DIM}`{name}` is ambiguous: one of {count}, likeliest first, and nothing tells which:{DIM:#}\n")
        }
        AtMeaning::External => format!("`{name}` at {place} is defined outside of the repository\n"),
        AtMeaning::Module { folder: Some(folder) } => {
            let folder = if folder.is_empty() { "the root folder" } else { folder };
            format!(
                "`{name}` at {place} means the package in {folder}; `codecompass locate --path` lists what is there\n"
            )
        }
        AtMeaning::Module { folder: None } => format!("{DIM}`{name}` means a module:{DIM:#}\n"),
        AtMeaning::Local { of, line, declared } => {
            let declared = declared.as_ref().map(|declared| format!(", declared as `{declared}`")).unwrap_or_default();
            format!(
                "`{name}` is local to {} {}, bound at {path}:{line}{declared}\n",
                of.kind.as_str(),
                of.qualified_name
            )
        }
        AtMeaning::Unknown => format!(
            "`{name}` at {place} leads to no definition: a local, a keyword, or a member of something unknown; \
             `codecompass locate {name}` looks for the name\n"
        ),
        AtMeaning::Nothing => format!("no name stands at {place}\n"),
    };
    answer.hits.iter().for_each(|hit| render::hit_text(&mut out, hit, None, Explain::Off));
    let more = page(args).behind(answer.total, answer.hits.len());
    if more > 0 {
        out.push_str(&format!("{DIM}{more} more; --limit shows them{DIM:#}\n"));
    }
    out
}
