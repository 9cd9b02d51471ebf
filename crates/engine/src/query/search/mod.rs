//! Search for code by a query in any form; see `intent` for the forms and `rank` for the scoring.

pub(super) mod answer;
pub(super) mod confidence;
mod exact_text;
pub(super) mod intent;
mod issue;
mod parts;
mod path_rules;
pub(super) mod question;
pub(super) mod rerank;
pub(super) mod semantic;
pub(super) mod snippet;
mod tested;
pub(super) mod text_candidates;

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use codecompass_syntax::facts::SymbolRole;

use crate::config::{SearchConfig, SemanticConfig};
use crate::error::{Error, Result};
use crate::query::arguments::{checked, ignored_query_bytes, searched_part};
use crate::query::files::paths::similar_paths;
use crate::query::hit::{Hit, HitKind, by_score};
use crate::query::open_file::OpenFile;
use crate::query::rank::features::Question;
use crate::query::rank::score::Feature;
use crate::query::search::answer::{Duplicate, GroupBy, QueryParts, SearchAnswer, SearchOptions};
use crate::query::search::confidence::{Lead, NextStep};
use crate::query::search::exact_text::ExactText;
use crate::query::search::intent::{Intent, QueryClass};
use crate::query::search::semantic::{Semantic, SemanticReport, Skipped};
use crate::query::search::text_candidates::{ByText, by_text};
use crate::query::shards::{self, Shard};
use crate::query::symbols::locate::{self, LocateAnswer, LocateOptions, MatchClass};
use crate::store::Snapshot;
use crate::weights::{self, candidates, order};

/// Paths that are named when no file has the one asked for.
const MAX_NEAR: usize = 3;

/// Answers `query` from the snapshot.
pub fn search(snapshot: &Snapshot, query: &str, options: &SearchOptions) -> Result<SearchAnswer> {
    let found = search_all(snapshot, query, options);
    let (mut answer, _) = found.inspect_err(|_| options.shard.iter().for_each(|shard| shard.fail()))?;
    answer.hits.truncate(options.limit);
    let own = options.shard.as_ref().map_or(0, |shard| shard.number());
    answer.hits.iter_mut().filter(|hit| hit.repository == own).for_each(|hit| options.roles.tell(hit));
    Ok(answer)
}

/// The same with all hits, whatever the limit, and with the duplicates that are left out.
pub(super) fn search_all(
    snapshot: &Snapshot,
    query: &str,
    options: &SearchOptions,
) -> Result<(SearchAnswer, Vec<Duplicate>)> {
    let ignored_query_bytes = ignored_query_bytes(query);
    let query = checked(searched_part(query), "query")?;
    let (routed, class) = (intent::route(query), intent::class(query));
    let options = &*with_same_settings(options)?;
    let shard = options.shard.as_ref();
    let mut hits = by_intent(snapshot, query, routed.intent, options)?;
    let exact = match &options.source {
        Some(source) => exact_text::by_exact_text(snapshot, source, query, routed.intent, options)?,
        None => ExactText::default(),
    };
    hits.extend(exact.hits);
    let has_path = routed.intent == Intent::Path && shards::any(shard, !hits.is_empty())?;
    let is_unknown_path = routed.intent == Intent::Path && !has_path;
    let semantic = usable_semantic(options, routed.intent);
    let question = question::of(query);
    hits.iter_mut().for_each(|hit| path_rules::apply(hit, &question, &options.tuning));
    let mut report = SemanticReport { skipped: semantic.err(), ..SemanticReport::default() };
    let (mut parts, mut known) = (None, None);
    if !has_path {
        let more = by_content(snapshot, query, routed.intent, options, semantic)?;
        hits.extend(more.0.hits);
        (report, known, parts) = (more.0.report, more.0.known, more.1);
    }
    let mut finished = finish(snapshot, hits, grouping(routed.intent, class, options), options)?;
    let reranked = reranked(snapshot, query, routed.intent, options, &mut finished)?;
    let Finished { hits, duplicates, total, lead } = finished;
    let best = (hits.first(), lead);
    let confidence = confidence::of_answer(routed.intent, best, &report, known, &options.tuning);
    let confidence_threshold =
        options.confidence_threshold.unwrap_or_else(|| SemanticConfig::default().confidence_threshold);
    let identifier = question.identifiers.first().map(String::as_str);
    let suggested_action = match is_unknown_path {
        // Whatever else was found is not the file, nor a line that names it.
        true => Some(unknown_path(snapshot, query, shard)?),
        false => (confidence.value < confidence_threshold)
            .then(|| confidence::advice(routed.intent, query, total > 0, identifier)),
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
        ignored_query_bytes,
        class,
        parts,
        exact_lines: exact.lines,
    };
    Ok((answer, duplicates))
}

/// Orders the answer to a question in words with the reranker, if there is one.
fn reranked(
    snapshot: &Snapshot,
    query: &str,
    intent: Intent,
    options: &SearchOptions,
    finished: &mut Finished,
) -> Result<Option<rerank::Reranked>> {
    match options.semantic.as_ref().and_then(|semantic| semantic.reranking.as_ref()) {
        // A shard has the texts of its own results only.
        _ if options.shard.is_some() => Ok(None),
        Some(reranking) if intent == Intent::NaturalLanguage => {
            let reranked = rerank::rerank(reranking, snapshot, query, &mut finished.hits)?;
            finished.lead = confidence::lead(&finished.hits);
            Ok(reranked)
        }
        _ => Ok(None),
    }
}

/// Finds code by its words and meaning; of a long text, with the parts of it that were used.
fn by_content(
    snapshot: &Snapshot,
    query: &str,
    intent: Intent,
    options: &SearchOptions,
    semantic: std::result::Result<(&Semantic, f64), Skipped>,
) -> Result<(ByText, Option<QueryParts>)> {
    match intent {
        Intent::Issue => {
            let (found, parts) = issue::by_issue(snapshot, query, options, semantic)?;
            Ok((found, Some(parts)))
        }
        _ => {
            let mut found = by_text(snapshot, query, options, semantic)?;
            if intent == Intent::NaturalLanguage {
                tested::add_points(snapshot, options.shard.as_ref(), &mut found.hits)?;
            }
            Ok((found, None))
        }
    }
}

/// Returns what the intent of a query finds beside its words.
fn by_intent(snapshot: &Snapshot, query: &str, intent: Intent, options: &SearchOptions) -> Result<Vec<Hit>> {
    match intent {
        Intent::Symbol => by_symbol(snapshot, query, options),
        Intent::Path => by_path(snapshot, query, options),
        Intent::Error => by_frames(snapshot, query, options),
        Intent::NaturalLanguage | Intent::Issue => Ok(Vec::new()),
    }
}

/// Returns semantic search with its largest share, or why it is not used.
fn usable_semantic(options: &SearchOptions, intent: Intent) -> std::result::Result<(&Semantic, f64), Skipped> {
    let Some(semantic) = &options.semantic else { return Err(Skipped::SemanticDisabled) };
    match semantic.cap(intent) {
        cap if cap > 0.0 => Ok((semantic, cap)),
        _ if !matches!(intent, Intent::NaturalLanguage | Intent::Issue) => Err(Skipped::IntentNotNl),
        _ => Err(Skipped::SemanticDisabled),
    }
}

/// Definitions whose name is meant.
fn by_symbol(snapshot: &Snapshot, query: &str, options: &SearchOptions) -> Result<Vec<Hit>> {
    // As many whatever the limit is: the order of the first ones must not depend on how many are
    // shown.
    let wanted = LocateOptions { filter: options.filter.clone(), limit: candidates::BY_NAME };
    let found = match locate::locate(snapshot, query, &wanted) {
        Err(Error::FileNotFound { .. } | Error::AmbiguousPath { .. } | Error::SymbolNotFound { .. }) => {
            Ok(LocateAnswer { class: None, hits: Vec::new(), total: 0 })
        }
        found => found,
    };
    let found = found.and_then(|found| locate::of_all(options.shard.as_ref(), found, candidates::BY_NAME));
    match found {
        // A typo is only worth showing when nothing else is found; text search then comes below it.
        Ok(found) if found.class != Some(MatchClass::Place) => {
            let (question, mut hits) = (Question::new(query), found.hits);
            hits.retain(|hit| options.roles.accepts_hit(hit));
            for hit in &mut hits {
                if question.is_old(&hit.path, &|folder| snapshot.has_folder(folder)) {
                    // Of equal names the newer one; a name that is less like the one asked for
                    // stays behind it.
                    hit.explanation.discount(Feature::Old, weights::locate::OLD_DISCOUNT);
                    hit.score = hit.explanation.score();
                }
            }
            Ok(hits)
        }
        Ok(_) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Returns what to do about a path that no file has.
fn unknown_path(snapshot: &Snapshot, query: &str, shard: Option<&Arc<Shard>>) -> Result<NextStep> {
    let path = query.trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or(path);
    if name.len() > confidence::MAX_NAME_BYTES {
        return Ok(NextStep::Broaden);
    }
    let near = similar_paths(snapshot, path);
    let most = near.len();
    let near = shards::combined(shard, near, |parts: Vec<Vec<String>>| parts.concat())?;
    Ok(NextStep::CheckPath { name: name.to_string(), near: near.iter().take(most.max(MAX_NEAR)).cloned().collect() })
}

/// Files whose path is meant.
fn by_path(snapshot: &Snapshot, query: &str, options: &SearchOptions) -> Result<Vec<Hit>> {
    let (query, line) = match query.rsplit_once(':') {
        Some((path, line)) if line.parse::<u32>().is_ok() => (path, line.parse::<u32>().ok()),
        _ => (query, None),
    };
    let wanted = query.trim_start_matches("./").trim_end_matches('/').to_lowercase();
    let wanted_name = wanted.rsplit('/').next().unwrap_or(&wanted);
    let mut found: Vec<(f64, &str)> = Vec::new();
    for path in snapshot.paths() {
        let lower = path.to_lowercase();
        let name = lower.rsplit('/').next().unwrap_or(&lower);
        let ends = lower.strip_suffix(&wanted).is_some_and(|head| head.is_empty() || head.ends_with('/'));
        let score = match () {
            _ if lower == wanted => weights::path::EXACT,
            _ if ends => weights::path::END,
            _ if lower.starts_with(&format!("{wanted}/")) || lower.contains(&format!("/{wanted}/")) => {
                weights::path::BELOW_FOLDER
            }
            _ if name.contains(wanted_name) && !wanted.contains('/') => weights::path::NAME,
            _ if lower.contains(&wanted) => weights::path::ANYWHERE,
            _ => continue,
        };
        let folders = lower.matches('/').count().min(weights::path::MAX_FOLDERS);
        found.push((score + folders as f64 * weights::path::FOLDER, path));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let scores: Vec<f64> = found.iter().map(|(score, _)| *score).collect();
    found.truncate(shards::kept_of_best(options.shard.as_ref(), &scores, candidates::BY_NAME)?);
    let mut hits = Vec::new();
    for (score, path) in found {
        let Some(version) = snapshot.version_at(path) else { continue };
        let Some(file) = OpenFile::open(snapshot, version)? else { continue };
        if file.info.skip.is_some()
            || !options.filter.accepts_file(path, file.info.language.as_deref())
            || !options.filter.accepts_kind(HitKind::File)
            || !options.roles.accepts(SymbolRole::Plain, file.info.role)
        {
            continue;
        }
        let mut hit = file.text_hit(HitKind::File, 1, file.outline.line_count.max(1));
        hit.best_line = line.unwrap_or(1).min(hit.line_end);
        hit.explanation.add(Feature::PathMatch, score);
        hit.score = hit.explanation.score();
        hits.push(hit);
    }
    Ok(hits)
}

/// Definitions that the stack frames of an error message point at. A frame counts by its number
/// among those that lead to something, in whatever shard.
fn by_frames(snapshot: &Snapshot, query: &str, options: &SearchOptions) -> Result<Vec<Hit>> {
    let words = query.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '"' | '\'' | '`'));
    let words = words.filter(|word| word.contains('.') && word.contains(':')).take(candidates::FRAMES);
    let frames: Vec<(&str, u32)> = words
        .filter_map(|word| {
            let mut parts = word.split(':');
            Some((parts.next()?, parts.next()?.parse::<u32>().ok()?))
        })
        .collect();
    let shard = options.shard.as_ref();
    let paths = frame_paths(snapshot, &frames, shard)?;
    let mut hits: Vec<Option<Hit>> = Vec::new();
    for (path, (_, line)) in paths.into_iter().zip(&frames) {
        let options_of_one = LocateOptions { limit: 1, ..LocateOptions::default() };
        let found = path.and_then(|path| locate::locate(snapshot, &format!("{path}:{line}"), &options_of_one).ok());
        let hit = found.and_then(|found| found.hits.into_iter().next()).filter(|hit| {
            let accepted = options.filter.accepts_file(&hit.path, Some(&hit.language)) && options.accepts(hit);
            accepted && !hits.iter().flatten().any(|known| known.symbol_id == hit.symbol_id)
        });
        hits.push(hit);
    }
    let led = shards::sums(shard, hits.iter().map(|hit| u64::from(hit.is_some())).collect())?;
    let mut number = 0;
    for ((hit, led), (_, line)) in hits.iter_mut().zip(led).zip(&frames) {
        if let Some(hit) = hit {
            hit.best_line = *line;
            hit.explanation = Default::default();
            hit.explanation.add(Feature::StackFrame, weights::path::FRAME - f64::from(number));
            hit.score = hit.explanation.score();
        }
        number += u32::from(led > 0);
    }
    Ok(hits.into_iter().flatten().collect())
}

/// Returns the paths of frames that this shard has: the path itself, or the only one of all shards
/// that ends with it.
fn frame_paths(snapshot: &Snapshot, frames: &[(&str, u32)], shard: Option<&Arc<Shard>>) -> Result<Vec<Option<String>>> {
    let mut own = Vec::with_capacity(frames.len());
    let (mut exact, mut endings) = (Vec::new(), Vec::new());
    for (path, _) in frames {
        let found = crate::query::files::paths::resolve_path(snapshot, path);
        let is_exact = snapshot.version_at(path.trim_start_matches("./")).is_some();
        exact.push(u64::from(is_exact));
        endings.push(match &found {
            Ok(_) => 1,
            Err(Error::AmbiguousPath { candidates, .. }) => candidates.len() as u64,
            Err(_) => 0,
        });
        own.push((found.ok(), is_exact));
    }
    let counts = shards::sums(shard, [exact, endings].concat())?;
    let (exact, endings) = counts.split_at(own.len());
    let is_meant = |at: usize, is_exact: bool| if exact[at] > 0 { is_exact } else { endings[at] == 1 };
    Ok(own.into_iter().enumerate().map(|(at, (path, is_exact))| path.filter(|_| is_meant(at, is_exact))).collect())
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

fn grouping(intent: Intent, class: QueryClass, options: &SearchOptions) -> Grouping {
    match (options.group, intent, class) {
        (Some(GroupBy::File), ..) => Grouping::OnePerFile,
        // The text of an issue is often about several definitions of one file.
        (Some(GroupBy::Symbol), ..) | (None, Intent::Issue, _) => Grouping::Symbols,
        (None, _, QueryClass::CrossCutting) => Grouping::Diverse,
        (None, ..) => Grouping::Usual,
    }
}

/// The hits of a question in their order.
#[derive(Clone)]
struct Finished {
    hits: Vec<Hit>,
    /// The copies that were dropped.
    duplicates: Vec<Duplicate>,
    total: usize,
    lead: Lead,
}

/// Sorts, drops what is there twice, and keeps one file from flooding the answer. In a question to
/// several repositories, the hits of all of them.
fn finish(snapshot: &Snapshot, mut hits: Vec<Hit>, grouping: Grouping, options: &SearchOptions) -> Result<Finished> {
    let shard = options.shard.as_ref();
    let own = shard.map_or(0, |shard| shard.number());
    hits.iter_mut().for_each(|hit| hit.repository = own);
    hits.sort_by(by_score);
    let mut places = HashSet::new();
    hits.retain(|hit| places.insert((hit.path.clone(), hit.line_start, hit.line_end, hit.kind)));
    parts::fold(snapshot, &mut hits)?;
    let mut with_bodies = Vec::with_capacity(hits.len());
    for hit in hits {
        let body = body_hash(snapshot, &hit)?;
        with_bodies.push((hit, body));
    }
    if shard.is_none() {
        return Ok(order_hits(with_bodies, grouping));
    }
    let limit = options.limit;
    let all = shards::combined(shard, with_bodies, move |parts| {
        let mut all: Vec<(Hit, Option<u64>)> = parts.into_iter().flatten().collect();
        all.sort_by(|a, b| by_score(&a.0, &b.0));
        let mut finished = order_hits(all, grouping);
        finished.hits.truncate(limit);
        finished
    })?;
    Ok(Finished::clone(&all))
}

/// Drops copies of code, and keeps one file from flooding the answer.
fn order_hits(hits: Vec<(Hit, Option<u64>)>, grouping: Grouping) -> Finished {
    let mut bodies: HashMap<(String, u64), (String, u32)> = HashMap::new();
    let mut kept = Vec::with_capacity(hits.len());
    let mut duplicates = Vec::new();
    for (hit, body) in hits {
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
        let mut files = HashSet::new();
        kept.retain(|hit| files.insert(file(hit)));
    }
    let (discount, most) = match grouping {
        Grouping::Symbols => (weights::issue::SAME_FILE_DISCOUNT, weights::issue::MAX_SAME_FILE_DISCOUNT),
        _ => (order::SAME_FILE_DISCOUNT, order::MAX_SAME_FILE_DISCOUNT),
    };
    let mut per_file: HashMap<(usize, String), u32> = HashMap::new();
    let mut per_folder: HashMap<(usize, String), u32> = HashMap::new();
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
    Finished { total: kept.len(), lead: confidence::lead(&kept), hits: kept, duplicates }
}

/// The settings that decide what is compared; those of the first repository are used for all.
type SharedSettings = (SearchConfig, Option<SemanticConfig>, Option<f64>);

/// Returns the options with the settings that all shards of a question use.
fn with_same_settings(options: &SearchOptions) -> Result<Cow<'_, SearchOptions>> {
    let Some(shard) = &options.shard else { return Ok(Cow::Borrowed(options)) };
    let semantic = options.semantic.as_ref().map(|semantic| semantic.config.clone());
    let own: SharedSettings = (options.tuning.clone(), semantic, options.confidence_threshold);
    let first = shards::combined(Some(shard), own, |parts| parts.into_iter().next())?;
    let Some((tuning, config, confidence_threshold)) = first.as_ref().clone() else {
        return Ok(Cow::Borrowed(options));
    };
    let embedder = options.semantic.as_ref().and_then(|semantic| semantic.embedder.clone());
    let semantic = config.map(|config| Semantic { embedder, config, reranking: None });
    Ok(Cow::Owned(SearchOptions { tuning, semantic, confidence_threshold, ..options.clone() }))
}

/// The body hash of a definition that is long enough for equality to mean a copy.
fn body_hash(snapshot: &Snapshot, hit: &Hit) -> Result<Option<u64>> {
    let Some(id) = hit.symbol_id else { return Ok(None) };
    let Some(version) = snapshot.version_at(&hit.path) else { return Ok(None) };
    let outline = snapshot.outline(version)?;
    let definition = outline.definitions.get(id.ordinal as usize);
    Ok(definition.filter(|d| d.span.end_line > d.span.start_line + order::COPY_LINES).map(|d| d.body_hash))
}
