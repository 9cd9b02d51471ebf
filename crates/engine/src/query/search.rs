//! Which code does this? One question in any form; see `intent` for the forms and `evidence` for the scoring.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use crate::error::{Error, Result};
use crate::model::VersionId;
use crate::query::evidence::{Evidence, PlaceEvidence, Question};
use crate::query::intent::{self, Intent, Routed};
use crate::query::locate::{self, LocateOptions, MatchClass};
use crate::query::{Filter, Hit, HitKind, OpenFile, checked};
use crate::store::Snapshot;

/// How to search.
#[derive(Clone, Debug, Default)]
pub struct SearchOptions {
    /// What to leave out.
    pub filter: Filter,
    /// At most this many results.
    pub limit: usize,
}

/// What was found, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchAnswer {
    /// How the query was understood.
    pub routed: Routed,
    /// At most the limit.
    pub hits: Vec<Hit>,
    /// Hits before the limit.
    pub total: usize,
    /// Hits left out because their code is the same as a better one's.
    pub suppressed_duplicates: usize,
}

/// Chunks that are looked at closely.
const CANDIDATES: usize = 300;

/// Answers `query` from the snapshot.
pub fn search(snapshot: &Snapshot, query: &str, options: &SearchOptions) -> Result<SearchAnswer> {
    let query = checked(query, "query")?;
    let routed = intent::route(query);
    let mut hits = match routed.intent {
        Intent::Symbol => by_symbol(snapshot, query, options)?,
        Intent::Path => by_path(snapshot, query, options)?,
        Intent::Error => by_frames(snapshot, query, options)?,
        Intent::NaturalLanguage => Vec::new(),
    };
    let certain = routed.intent == Intent::Path && !hits.is_empty();
    if !certain {
        hits.extend(by_text(snapshot, query, options)?);
    }
    let suppressed_duplicates = finish(snapshot, &mut hits)?;
    let total = hits.len();
    hits.truncate(options.limit);
    Ok(SearchAnswer { routed, hits, total, suppressed_duplicates })
}

/// Definitions whose name is meant.
fn by_symbol(snapshot: &Snapshot, query: &str, options: &SearchOptions) -> Result<Vec<Hit>> {
    let wanted = LocateOptions { filter: options.filter.clone(), limit: options.limit.max(20) };
    match locate::locate(snapshot, query, &wanted) {
        // A typo is only worth showing when nothing else is found; text search then comes below it.
        Ok(found) if found.class != Some(MatchClass::Place) => Ok(found.hits),
        Ok(_) | Err(Error::FileNotFound { .. } | Error::SymbolNotFound { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
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
            _ if lower == wanted => 100.0,
            _ if ends => 90.0,
            _ if lower.starts_with(&format!("{wanted}/")) || lower.contains(&format!("/{wanted}/")) => 60.0,
            _ if name.contains(wanted_name) && !wanted.contains('/') => 50.0,
            _ if lower.contains(&wanted) => 40.0,
            _ => continue,
        };
        found.push((score - lower.matches('/').count().min(20) as f64 * 0.1, path));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let mut hits = Vec::new();
    for (score, path) in found.into_iter().take(CANDIDATES) {
        let Some(version) = snapshot.version_at(path) else { continue };
        let Some(file) = OpenFile::open(snapshot, version)? else { continue };
        if file.info.skip.is_some()
            || !options.filter.accepts_file(path, file.info.language.as_deref())
            || !options.filter.accepts_kind(HitKind::File)
        {
            continue;
        }
        let mut hit = file.text_hit(HitKind::File, 1, file.outline.line_count.max(1));
        hit.best_line = line.unwrap_or(1).min(hit.line_end);
        hit.explanation.add("path_match", score);
        hit.score = hit.explanation.score();
        hits.push(hit);
    }
    Ok(hits)
}

/// Definitions that the stack frames of an error message point at.
fn by_frames(snapshot: &Snapshot, query: &str, options: &SearchOptions) -> Result<Vec<Hit>> {
    let mut hits = Vec::new();
    let words = query.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '"' | '\'' | '`'));
    for word in words.filter(|word| word.contains('.') && word.contains(':')).take(50) {
        let mut parts = word.split(':');
        let (Some(path), Some(line)) = (parts.next(), parts.next().and_then(|line| line.parse::<u32>().ok())) else {
            continue;
        };
        let Ok(path) = super::outline::resolve_path(snapshot, path) else { continue };
        let place = format!("{path}:{line}");
        let Ok(found) = locate::locate(snapshot, &place, &LocateOptions { limit: 1, ..LocateOptions::default() })
        else {
            continue;
        };
        for mut hit in found.hits {
            let accepted =
                options.filter.accepts_file(&hit.path, Some(&hit.language)) && options.filter.accepts_kind(hit.kind);
            if accepted && !hits.iter().any(|known: &Hit| known.symbol_id == hit.symbol_id) {
                hit.best_line = line;
                hit.explanation = Default::default();
                hit.explanation.add("stack_frame", 60.0 - hits.len() as f64);
                hit.score = hit.explanation.score();
                hits.push(hit);
            }
        }
    }
    Ok(hits)
}

/// Code and prose that speak of the query's words.
fn by_text(snapshot: &Snapshot, query: &str, options: &SearchOptions) -> Result<Vec<Hit>> {
    let question = Question::new(query);
    let chunks = snapshot.search_text(&question.terms, CANDIDATES)?;
    let Some(top) = chunks.first().map(|hit| f64::from(hit.score)) else { return Ok(Vec::new()) };

    let mut by_file: HashMap<VersionId, Vec<f64>> = HashMap::new();
    for hit in &chunks {
        by_file.entry(hit.version).or_default().push(f64::from(hit.score));
    }
    // Chunks come best first: each next one of a file counts a third less.
    let file_score = |version: &VersionId| -> f64 {
        by_file[version].iter().take(6).rev().fold(0.0, |rest, score| score + 0.65 * rest)
    };
    let top_file = by_file.keys().map(file_score).fold(0.0, f64::max);

    let mut files: HashMap<VersionId, Option<(OpenFile<'_>, PlaceEvidence)>> = HashMap::new();
    let mut seen: HashSet<(VersionId, Option<u32>, u32)> = HashSet::new();
    let mut hits = Vec::new();
    for found in &chunks {
        let file = match files.entry(found.version) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(slot) => {
                let file = OpenFile::open(snapshot, found.version)?;
                slot.insert(file.map(|file| {
                    let place = question.place(file.path);
                    (file, place)
                }))
            }
        };
        let Some((file, place)) = file else { continue };
        if !options.filter.accepts_file(file.path, file.info.language.as_deref()) {
            continue;
        }
        let Some(chunk) = file.outline.chunks.get(found.chunk as usize) else { continue };
        // Several chunks of one long function are one answer.
        if !seen.insert((found.version, chunk.definition, chunk.definition.map_or(found.chunk, |_| 0))) {
            continue;
        }
        let definition = chunk.definition.and_then(|index| file.outline.definitions.get(index as usize));
        let hit = match chunk.definition {
            Some(index) => file.symbol_hit(index),
            None => Some(file.text_hit(HitKind::Text, chunk.span.start_line, chunk.span.end_line)),
        };
        let Some(mut hit) = hit.filter(|hit| options.filter.accepts_kind(hit.kind)) else { continue };
        if chunk.part > 0 {
            hit.best_line = chunk.span.start_line;
        }
        let evidence = Evidence {
            lexical: f64::from(found.score) / top,
            file: file_score(&found.version) / top_file,
            matched: found.matched,
            place,
            role: file.info.role,
            definition,
        };
        hit.explanation = question.explain(&evidence);
        hit.score = hit.explanation.score();
        hits.push(hit);
    }
    Ok(hits)
}

/// Sorts, drops what is there twice, and keeps one file from flooding the answer. Returns how many were dropped.
fn finish(snapshot: &Snapshot, hits: &mut Vec<Hit>) -> Result<usize> {
    let by_score = |a: &Hit, b: &Hit| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| (&a.path, a.line_start, a.line_end).cmp(&(&b.path, b.line_start, b.line_end)))
    };
    hits.sort_by(by_score);
    let mut places = HashSet::new();
    hits.retain(|hit| places.insert((hit.path.clone(), hit.line_start, hit.line_end, hit.kind)));

    let mut bodies = HashSet::new();
    let before = hits.len();
    let mut kept = Vec::with_capacity(before);
    for hit in hits.drain(..) {
        let body = body_hash(snapshot, &hit)?;
        if body.is_none_or(|body| bodies.insert((hit.name.clone(), body))) {
            kept.push(hit);
        }
    }
    let suppressed = before - kept.len();

    let mut per_file: HashMap<String, u32> = HashMap::new();
    for hit in &mut kept {
        let earlier = per_file.entry(hit.path.clone()).or_default();
        hit.explanation.discount("same_file", (0.4 * f64::from(*earlier)).min(0.75));
        hit.score = hit.explanation.score();
        *earlier += 1;
    }
    kept.sort_by(by_score);
    *hits = kept;
    Ok(suppressed)
}

/// The body hash of a definition that is long enough for equality to mean a copy.
fn body_hash(snapshot: &Snapshot, hit: &Hit) -> Result<Option<u64>> {
    let Some(ordinal) = hit.symbol_id.rsplit('.').next().and_then(|n| n.parse::<usize>().ok()) else { return Ok(None) };
    let Some(version) = snapshot.version_at(&hit.path) else { return Ok(None) };
    let outline = snapshot.outline(version)?;
    let definition = outline.definitions.get(ordinal);
    Ok(definition.filter(|d| d.span.end_line > d.span.start_line + 2).map(|d| d.body_hash))
}
