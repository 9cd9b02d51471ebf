//! `codecompass explain`: why a result stands where it stands, or why it is not there.

use codecompass_engine::query::{self, Duplicate, ExplainAnswer, Hit, PartName, SearchOptions, Standing};
use serde_json::{Map, Value, json};

use super::{explain_text, filter};
use crate::api::find::metadata as search_metadata;
use crate::api::page::Page;
use crate::choices::{Detail, Explain};
use crate::cli::ExplainArgs;
use crate::error::AppError;
use crate::render;
use crate::session::{At, CallContext, Session};
use crate::terminal::output::{self, Outcome};

/// An answer and what is known about those results that the index does not have.
pub(super) struct Explained {
    pub answer: ExplainAnswer,
    /// Results that are in the list, by rank.
    pub ranked: Vec<usize>,
    /// Those that are not, with the reason in words.
    pub missing: Vec<Missing>,
}

/// A result that was asked for and is not in the list.
pub(super) struct Missing {
    pub argument: String,
    /// One word for programs.
    pub status: &'static str,
    /// Why, in words.
    pub why: String,
    pub standing: Standing,
}

pub(crate) fn run(context: &CallContext, args: &ExplainArgs) -> Result<Outcome, AppError> {
    let (session, explained) = ask(context, args)?;
    match context.is_json() {
        true => output::object(&to_json(&session, args, &explained)),
        false => output::text(&explain_text::text(args, &explained)),
    }
    Ok(Outcome::of(!explained.ranked.is_empty() || !explained.missing.is_empty()))
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &ExplainArgs) -> Result<Value, AppError> {
    ask(context, args).map(|(session, explained)| to_json(&session, args, &explained))
}

fn ask(context: &CallContext, args: &ExplainArgs) -> Result<(Session, Explained), AppError> {
    let filter = filter(&args.filter)?;
    let session =
        Session::open_with_models(context, At::Ref(args.at.name()), |settings| args.meaning.adjust(settings))?;
    let confidence_threshold = Some(session.engine.config().semantic.confidence_threshold);
    let semantic = session.engine.semantic();
    let tuning = session.engine.config().search.clone();
    let options = SearchOptions { filter, limit: page(args).end(), semantic, confidence_threshold, tuning };
    let results = args.results.iter().map(|result| relative(&session, result)).collect::<Result<Vec<_>, _>>()?;
    let answer = session.ask(|snapshot| query::explain(snapshot, &args.query, &results, &options))?;
    let mut ranked = Vec::new();
    let mut missing = Vec::new();
    for asked in &answer.asked {
        match &asked.standing {
            Standing::Ranked(rank) => ranked.push(*rank),
            standing => missing.push(absent(&session, &asked.argument, standing, &answer.duplicates)?),
        }
    }
    if args.results.is_empty() {
        let ranks = 1..=answer.search.total.min(page(args).end());
        ranked.extend(ranks.skip(args.page.offset as usize));
    }
    Ok((session, Explained { answer, ranked, missing }))
}

fn page(args: &ExplainArgs) -> Page {
    Page::new(args.page, args.limit as usize)
}

/// A result whose path, if it has one, is relative to the root.
fn relative(session: &Session, result: &str) -> Result<String, AppError> {
    match query::parse_place(result.trim()).is_none() && session.directory.join(result.trim()).is_file() {
        true => session.relative_path(result.trim()),
        false => super::symbol(session, result),
    }
}

/// Why something is not in the list.
fn absent(
    session: &Session,
    argument: &str,
    standing: &Standing,
    duplicates: &[Duplicate],
) -> Result<Missing, AppError> {
    let (status, why) = match standing {
        Standing::Ranked(_) => ("ranked", String::new()),
        Standing::Duplicate(number) => {
            let of = duplicates.get(*number).map(|duplicate| format!("{}:{}", duplicate.of.0, duplicate.of.1));
            ("duplicate", format!("its code is the same as that of {}, which ranks higher", of.unwrap_or_default()))
        }
        Standing::Filtered { rank, by, .. } => {
            let by = by.join(" and ");
            ("filtered", format!("the filter leaves it out by {by}; without it its rank would be {rank}"))
        }
        Standing::NotConsidered { only_files: true, .. } => {
            ("not_considered", "the query names a file, so only files are results".to_string())
        }
        Standing::NotConsidered { rank_by_words: None, .. } => {
            ("not_considered", "it has none of the words of the query, and nothing else speaks for it".to_string())
        }
        Standing::NotConsidered { rank_by_words: Some(rank), terms: (_, lacking), .. } => {
            let lacks = match lacking.is_empty() {
                true => String::new(),
                false => format!("; it lacks {}", lacking.join(", ")),
            };
            ("not_considered", format!("by words it is only number {rank} of all pieces of code{lacks}"))
        }
        Standing::Skipped(reason) => {
            let reason = reason.clone().unwrap_or_else(|| "nothing of it can be indexed".into());
            ("not_indexed", format!("the file is left out of the index: {reason}"))
        }
        Standing::Unknown(alike) => match left_out(session, argument)? {
            Some(why) => ("not_indexed", why),
            None if alike.is_empty() => ("unknown", "nothing in the index is called that".to_string()),
            None => ("unknown", format!("nothing in the index is called that; did you mean {}?", alike.join(", "))),
        },
    };
    Ok(Missing { argument: argument.to_string(), status, why, standing: standing.clone() })
}

/// Which rule keeps a path out of the index, if one does.
fn left_out(session: &Session, argument: &str) -> Result<Option<String>, AppError> {
    let path = query::parse_place(argument.trim()).map_or(argument.trim(), |(path, ..)| path);
    if !session.engine.workspace().root.join(path).exists() {
        return Ok(None);
    }
    let skipped = session.with_repair(|| session.engine.skipped())?;
    let is_it = |known: &str| path == known || path.strip_prefix(known).is_some_and(|rest| rest.starts_with('/'));
    let rule = skipped.iter().find(|skipped| is_it(&skipped.path));
    Ok(Some(match rule {
        Some(skipped) if skipped.path == path => format!("the file is left out of the index: {}", skipped.reason),
        Some(skipped) => format!("{}/ is left out of the index: {}", skipped.path, skipped.reason),
        None => "it is on disk, but the index has nothing of it".to_string(),
    }))
}

/// What found a hit: names, words, meaning.
pub(super) fn found_by(hit: &Hit) -> Vec<&'static str> {
    let has = |names: &[PartName]| names.iter().any(|name| hit.explanation.has(*name));
    let names = [
        PartName::NameMatch,
        PartName::PathMatch,
        PartName::StackFrame,
        PartName::Name,
        PartName::Identifier,
        PartName::FileName,
        PartName::Folder,
    ];
    let channels: [(&str, &[PartName]); 3] = [
        ("names", &names),
        ("words", &[PartName::Text, PartName::File]),
        ("meaning", &[PartName::Meaning, PartName::FileMeaning]),
    ];
    channels.iter().filter(|(_, parts)| has(parts)).map(|(channel, _)| *channel).collect()
}

/// One part of two scores: its name, its value in the first and in the second.
pub(super) type Compared = (PartName, f64, f64);

/// Two scores part by part, the largest difference first.
pub(super) fn compared(first: &Hit, second: &Hit) -> Vec<Compared> {
    let value = |hit: &Hit, name: PartName| -> f64 {
        hit.explanation.parts.iter().filter(|part| part.name == name).map(|part| part.value).sum::<f64>() + 0.0
    };
    let mut names: Vec<PartName> = Vec::new();
    for part in first.explanation.parts.iter().chain(&second.explanation.parts) {
        if !names.contains(&part.name) {
            names.push(part.name);
        }
    }
    let mut parts: Vec<_> = names.into_iter().map(|name| (name, value(first, name), value(second, name))).collect();
    parts.sort_by(|a, b| (b.1 - b.2).abs().total_cmp(&(a.1 - a.2).abs()));
    parts
}

/// As many digits as parts of scores have.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

fn to_json(session: &Session, args: &ExplainArgs, explained: &Explained) -> Value {
    let Explained { answer, ranked, missing } = explained;
    let hits = &answer.search.hits;
    let result = |rank: &usize| {
        let hit = hits.get(rank.saturating_sub(1))?;
        let mut object = render::hit_json(hit, Detail::Signature, Explain::Full);
        object["rank"] = json!(rank);
        object["found_by"] = json!(found_by(hit));
        Some(object)
    };
    let results: Vec<Value> = ranked.iter().filter_map(result).collect();
    let shown = || ranked.iter().filter_map(|rank| hits.get(rank.saturating_sub(1)));
    let meanings: Map<String, Value> = shown()
        .flat_map(|hit| &hit.explanation.parts)
        .map(|part| (part.name.as_str().to_string(), json!(explain_text::meaning(part.name))))
        .collect();
    let mut object = json!({"query": args.query, "results": results, "reasons": meanings});
    if let ([first, second], 2) = (&shown().collect::<Vec<_>>()[..], args.results.len()) {
        let part = |(name, a, b): Compared| json!({"reason": name.as_str(), "first": a, "second": b, "difference": rounded(a - b)});
        object["difference"] = json!({
            "score": rounded(first.score - second.score),
            "parts": compared(first, second).into_iter().map(part).collect::<Vec<_>>(),
        });
    }
    if !missing.is_empty() {
        object["not_ranked"] = missing.iter().map(missing_json).collect();
    }
    let mut metadata = json!(search_metadata::metadata(session, &answer.search));
    metadata["total_candidates"] = json!(answer.search.total);
    metadata["returned"] = json!(results.len());
    if args.results.is_empty() {
        page(args).note(&mut metadata, &[answer.search.total]);
    }
    object["metadata"] = metadata;
    object
}

fn missing_json(missing: &Missing) -> Value {
    let mut object = json!({"result": missing.argument, "status": missing.status, "explanation": missing.why});
    let symbol = |hit: &Hit| super::graph::symbol_json(hit);
    match &missing.standing {
        Standing::Filtered { hit, rank, by } => {
            object["symbol"] = symbol(hit);
            object["rank_without_filter"] = json!(rank);
            object["filtered_by"] = json!(by);
        }
        Standing::NotConsidered { hit, terms: (held, lacking), rank_by_words, .. } => {
            object["symbol"] = symbol(hit);
            object["terms_held"] = json!(held);
            object["terms_lacking"] = json!(lacking);
            object["rank_by_words"] = json!(rank_by_words);
        }
        _ => {}
    }
    object
}
