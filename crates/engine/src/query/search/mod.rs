//! Search for code by a query in any form; see `intent` for the forms, `rounds` for the questions
//! to repositories, and `rank` for the scoring.

pub(super) mod answer;
pub(super) mod confidence;
mod exact_text;
pub(super) mod intent;
mod issue;
pub(super) mod lookup;
mod parts;
mod path_rules;
pub(super) mod question;
pub(super) mod rerank;
pub(super) mod rounds;
pub(super) mod semantic;
pub(super) mod snippet;
mod tested;
pub(super) mod text_candidates;
pub(super) mod texts;

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::SemanticConfig;
use crate::error::Result;
use crate::query::arguments::{checked, ignored_query_bytes, searched_part};
use crate::query::hit::{Hit, by_score};
use crate::query::rank::score::Feature;
use crate::query::search::answer::{Duplicate, GroupBy, SearchAnswer, SearchOptions};
use crate::query::search::confidence::{Lead, NextStep};
use crate::query::search::intent::{Intent, QueryClass};
use crate::query::search::issue::reading;
use crate::query::search::lookup::{Lookup, SimilarPaths, Statistics};
use crate::query::search::parts::Candidate;
use crate::query::search::rounds::{Asked, Repositories};
use crate::query::search::semantic::SemanticReport;
use crate::query::search::text_candidates::by_text;
use crate::store::Snapshot;
use crate::weights::{self, order};

/// Paths that are named when no file has the one asked for.
const MAX_NEAR: usize = 3;

/// Answers `query` from the snapshot.
pub fn search(snapshot: &Snapshot, query: &str, options: &SearchOptions) -> Result<SearchAnswer> {
    let (mut answer, _) = search_all(snapshot, query, options)?;
    answer.hits.truncate(options.limit);
    answer.hits.iter_mut().for_each(|hit| options.roles.tell(hit));
    Ok(answer)
}

/// Answers `query` from several repositories as if all their files were in one; of the results, at
/// most `limit`. Settings are those of the first repository.
pub fn search_several(
    repositories: &dyn Repositories,
    query: &str,
    limit: usize,
    group: Option<GroupBy>,
) -> Result<SearchAnswer> {
    let text = checked(searched_part(query), "query")?;
    let (mut answer, _) = rank(&Asked::Several(repositories, text), text, group)?;
    answer.ignored_query_bytes = ignored_query_bytes(query);
    answer.hits.truncate(limit);
    Ok(answer)
}

/// Answers `query` with all hits, whatever the limit, and with the duplicates that are left out.
pub(super) fn search_all(
    snapshot: &Snapshot,
    query: &str,
    options: &SearchOptions,
) -> Result<(SearchAnswer, Vec<Duplicate>)> {
    let text = checked(searched_part(query), "query")?;
    let (answer, duplicates) = rank(&Asked::one(snapshot, text, options), text, options.group)?;
    Ok((SearchAnswer { ignored_query_bytes: ignored_query_bytes(query), ..answer }, duplicates))
}

/// Asks for candidates and ranks them.
fn rank(asked: &Asked<'_>, query: &str, group: Option<GroupBy>) -> Result<(SearchAnswer, Vec<Duplicate>)> {
    let (routed, class) = (intent::route(query), intent::class(query));
    let (intent, question) = (routed.intent, question::of(query));
    let text = (intent == Intent::Issue).then(|| reading::read(query));
    let terms = match &text {
        Some(text) => issue::heaviest(text),
        None if asked.count() > 1 => question.terms.clone(),
        // A view that is searched alone counts them while it scores.
        None => Vec::new(),
    };
    let Statistics { settings, named, exact, counts, issue, nothing_to_search } =
        lookup::look_up(asked, Lookup { intent, terms, issue: text.clone() })?;
    let mut candidates = lookup::by_intent(asked, named)?;
    let exact = exact_text::by_exact_text(exact);
    candidates.extend(exact.candidates);
    candidates.iter_mut().for_each(|one| path_rules::apply(&mut one.hit, &question, &settings.tuning));
    let has_path = intent == Intent::Path && !candidates.is_empty();
    let semantic = semantic::usable(settings.semantic.as_ref(), intent);
    let mut report = SemanticReport { skipped: semantic.err(), ..SemanticReport::default() };
    let (mut parts, mut known) = (None, None);
    if !has_path {
        let found = match &text {
            Some(text) => {
                let found = issue::by_issue(asked, text, counts, issue, &settings.tuning, semantic)?;
                parts = Some(found.1);
                found.0
            }
            None => by_text(asked, query, counts, &settings.tuning, semantic)?,
        };
        candidates.extend(match intent {
            Intent::NaturalLanguage => tested::with_points(asked, found.candidates)?,
            _ => found.candidates,
        });
        (report, known) = (found.report, found.known);
    }
    let mut finished = finish(candidates, grouping(intent, class, group));
    let reranked = reranked(asked, query, intent, &mut finished)?;
    let Finished { hits, duplicates, total, lead } = finished;
    let confidence = confidence::of_answer(intent, (hits.first(), lead), &report, known, &settings.tuning);
    let confidence_threshold =
        settings.confidence_threshold.unwrap_or_else(|| SemanticConfig::default().confidence_threshold);
    let suggested_action = match intent == Intent::Path && !has_path {
        // Whatever else was found is not the file, nor a line that names it.
        true => Some(unknown_path(asked, query)?),
        false if confidence.value < confidence_threshold => {
            let identifier = question.identifiers.first().map(String::as_str);
            Some(confidence::advice(intent, query, total > 0, identifier))
        }
        false => None,
    };
    let answer = SearchAnswer {
        routed,
        hits,
        total,
        suppressed_duplicates: duplicates.len(),
        confidence,
        confidence_threshold,
        suggested_action,
        semantic: report,
        reranked,
        ignored_query_bytes: 0,
        class,
        parts,
        exact_lines: exact.lines,
        nothing_to_search,
    };
    Ok((answer, duplicates))
}

/// Orders the answer of one repository to a question in words with the reranker, if there is one.
fn reranked(
    asked: &Asked<'_>,
    query: &str,
    intent: Intent,
    finished: &mut Finished,
) -> Result<Option<rerank::Reranked>> {
    let Asked::One(shard) = asked else { return Ok(None) };
    let shard = shard.borrow();
    match shard.options.semantic.as_ref().and_then(|semantic| semantic.reranking.as_ref()) {
        Some(reranking) if intent == Intent::NaturalLanguage => {
            let reranked = rerank::rerank(reranking, shard.snapshot, query, &mut finished.hits)?;
            finished.lead = confidence::lead(finished.hits.iter());
            Ok(reranked)
        }
        _ => Ok(None),
    }
}

/// Returns what to do about a path that no file has.
fn unknown_path(asked: &Asked<'_>, query: &str) -> Result<NextStep> {
    let path = query.trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or(path);
    if name.len() > confidence::MAX_NAME_BYTES {
        return Ok(NextStep::Broaden);
    }
    let parts = asked.ask_all(|_| SimilarPaths)?;
    let most = parts.first().map_or(0, Vec::len).max(MAX_NEAR);
    Ok(NextStep::CheckPath { name: name.to_string(), near: parts.into_iter().flatten().take(most).collect() })
}

/// Ways to keep one file or folder from flooding an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grouping {
    /// Further results of a file come later.
    Usual,
    /// Further results of a file come later, and so do those of a folder.
    Diverse,
    /// One result of a file.
    OnePerFile,
    /// Definitions of one file hardly stand in each other's way.
    Symbols,
}

fn grouping(intent: Intent, class: QueryClass, group: Option<GroupBy>) -> Grouping {
    match (group, intent, class) {
        (Some(GroupBy::File), ..) => Grouping::OnePerFile,
        // The text of an issue is often about several definitions of one file.
        (Some(GroupBy::Symbol), ..) | (None, Intent::Issue, _) => Grouping::Symbols,
        (None, _, QueryClass::CrossCutting) => Grouping::Diverse,
        (None, ..) => Grouping::Usual,
    }
}

/// The hits of a question in their order.
struct Finished {
    hits: Vec<Hit>,
    /// The copies that were dropped.
    duplicates: Vec<Duplicate>,
    total: usize,
    lead: Lead,
}

/// Sorts, drops copies and what is there twice, and keeps one file from flooding the answer.
fn finish(mut candidates: Vec<Candidate>, grouping: Grouping) -> Finished {
    candidates.sort_by(|a, b| by_score(&a.hit, &b.hit));
    let mut places = FxHashSet::default();
    let place = |hit: &Hit| (hit.repository, hit.path.clone(), hit.line_start, hit.line_end, hit.kind);
    candidates.retain(|one| places.insert(place(&one.hit)));
    let candidates = parts::fold(candidates);
    let mut bodies: FxHashMap<(String, u64), (String, u32)> = FxHashMap::default();
    let mut kept = Vec::with_capacity(candidates.len());
    let mut duplicates = Vec::new();
    for Candidate { hit, body, .. } in candidates {
        let Some(body) = body else {
            kept.push(hit);
            continue;
        };
        match bodies.entry((hit.name.clone(), body)) {
            Entry::Occupied(better) => duplicates.push(Duplicate { of: better.get().clone(), hit }),
            Entry::Vacant(first) => {
                first.insert((hit.path.clone(), hit.line_start));
                kept.push(hit);
            }
        }
    }
    let file = |hit: &Hit| (hit.repository, hit.path.clone());
    if grouping == Grouping::OnePerFile {
        let mut files = FxHashSet::default();
        kept.retain(|hit| files.insert(file(hit)));
    }
    let (discount, most) = match grouping {
        Grouping::Symbols => (weights::issue::SAME_FILE_DISCOUNT, weights::issue::MAX_SAME_FILE_DISCOUNT),
        _ => (order::SAME_FILE_DISCOUNT, order::MAX_SAME_FILE_DISCOUNT),
    };
    let mut per_file: FxHashMap<(usize, String), u32> = FxHashMap::default();
    let mut per_folder: FxHashMap<(usize, String), u32> = FxHashMap::default();
    for hit in &mut kept {
        let earlier = per_file.entry(file(hit)).or_default();
        let share = (discount * f64::from(*earlier)).min(most);
        hit.explanation.discount(Feature::SameFile, share);
        hit.score = hit.explanation.score();
        *earlier += 1;
        if grouping == Grouping::Diverse {
            let folder = hit.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let earlier = per_folder.entry((hit.repository, folder.to_string())).or_default();
            let share = (order::SAME_FOLDER_DISCOUNT * f64::from(*earlier)).min(order::MAX_SAME_FOLDER_DISCOUNT);
            hit.explanation.discount(Feature::SameFolder, share);
            hit.score = hit.explanation.score();
            *earlier += 1;
        }
    }
    kept.sort_by(by_score);
    Finished { total: kept.len(), lead: confidence::lead(kept.iter()), hits: kept, duplicates }
}
