//! Code and prose that speak of what a question asks: found by words, and by meaning where that is
//! switched on.

use std::collections::HashSet;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::model::VersionId;
use crate::query::hit::{Hit, HitKind};
use crate::query::open_file::OpenFile;
use crate::query::rank::features::{CandidateFeatures, PlaceEvidence, Question};
use crate::query::search::answer::SearchOptions;
use crate::query::search::confidence;
use crate::query::search::path_rules;
use crate::query::search::semantic::{Nearness, Semantic, SemanticReport, Skipped};
use crate::query::shards::{self, Shard};
use crate::store::Snapshot;
use crate::store::text::bm25f::{Scored, TextHit, TextStatistics};
use crate::weights::{self, candidates, evidence};

/// Hits, unsorted, and the effect of semantic search on them.
pub(crate) struct ByText {
    pub hits: Vec<Hit>,
    pub report: SemanticReport,
    /// The share of the question's terms that the view has, by rarity; `None` where that tells
    /// nothing.
    pub known: Option<f64>,
}

/// Finds and scores hits. `semantic` has the largest share that semantic evidence may have, or the
/// reason to skip semantic search.
pub(crate) fn by_text(
    snapshot: &Snapshot,
    query: &str,
    options: &SearchOptions,
    semantic: std::result::Result<(&Semantic, f64), Skipped>,
) -> Result<ByText> {
    let mut weigher = Weigher { snapshot, options, question: Question::new(query), files: FxHashMap::default() };
    let shard = options.shard.as_ref();
    let scored = score_text(snapshot, &weigher.question.terms, shard)?;
    let mut chunks = best_of(snapshot, &scored, options)?;
    let (nearness, report) = match semantic {
        Ok((semantic, cap)) => {
            let count = shards::kept_of_best(shard, &scores_of(&chunks), candidates::FOR_CONFIDENCE)?;
            let best = weigher.weigh(&chunks[..count], &chunks, &Nearness::default())?;
            let sure = confidence::of_words(confidence::lead_of_all(shard, &best)?);
            semantic.nearness(snapshot, query, &chunks, (sure, cap), options)?
        }
        Err(reason) => (Nearness::default(), SemanticReport::skipped(reason)),
    };
    add_chunks(snapshot, &mut chunks, &scored, nearness.chunks().collect());
    let hits = weigher.weigh(&chunks, &chunks, &nearness)?;
    Ok(ByText { hits, report, known: scored.known() })
}

/// Scores the documents of a snapshot; where it is one of several shards, words are as rare as in
/// all of them.
pub(super) fn score_text<'s>(
    snapshot: &'s Snapshot,
    terms: &[(String, f32)],
    shard: Option<&Arc<Shard>>,
) -> Result<Scored<'s>> {
    if shard.is_none() {
        return snapshot.score_text(terms);
    }
    let mut counts = snapshot.document_frequencies(terms)?;
    counts.push(snapshot.view().totals.chunks.max(0) as u64);
    let mut counts = shards::sums(shard, counts)?;
    let chunks = counts.pop().unwrap_or(0);
    snapshot.score_text_by(terms, TextStatistics { chunks, frequencies: Some(&counts) })
}

/// Returns the best chunks by words, best first: as many as are candidates in all shards together.
pub(super) fn best_of(snapshot: &Snapshot, scored: &Scored<'_>, options: &SearchOptions) -> Result<Vec<TextHit>> {
    let limit = weights::multiplied(candidates::BY_WORDS, options.tuning.lexical_fanout_multiplier);
    let mut chunks = snapshot.best_of(scored, limit);
    chunks.truncate(shards::kept_of_best(options.shard.as_ref(), &scores_of(&chunks), limit)?);
    Ok(chunks)
}

fn scores_of(chunks: &[TextHit]) -> Vec<f64> {
    chunks.iter().map(|hit| f64::from(hit.score)).collect()
}

/// Adds the chunks of `others` that are not there yet, with what words say of them.
pub(super) fn add_chunks(
    snapshot: &Snapshot,
    chunks: &mut Vec<TextHit>,
    scored: &Scored<'_>,
    mut others: FxHashSet<(VersionId, u32)>,
) {
    chunks.iter().for_each(|hit| _ = others.remove(&(hit.version, hit.chunk)));
    if others.is_empty() {
        return;
    }
    let mut added = scored.among(&others);
    for hit in &added {
        others.remove(&(hit.version, hit.chunk));
    }
    added.extend(others.into_iter().map(|(version, chunk)| TextHit { version, chunk, score: 0.0, matched: 0 }));
    snapshot.best_first(&mut added);
    chunks.extend(added);
}

/// The state for scoring candidates.
struct Weigher<'a> {
    snapshot: &'a Snapshot,
    options: &'a SearchOptions,
    question: Question,
    /// Files that were opened.
    files: FxHashMap<VersionId, Option<(OpenFile<'a>, PlaceEvidence)>>,
}

impl Weigher<'_> {
    /// The hits that `candidates` are. `all` has every chunk that words found, best first: a
    /// candidate is measured against the best of them, and its file is more than the candidate.
    fn weigh(&mut self, candidates: &[TextHit], all: &[TextHit], nearness: &Nearness) -> Result<Vec<Hit>> {
        let Weigher { snapshot, options, question, files } = self;
        let shard = options.shard.as_ref();
        let top = shards::greatest(shard, all.first().map_or(0.0, |hit| f64::from(hit.score)))?;
        let by_file = file_scores(all);
        let top_file = shards::greatest(shard, by_file.values().copied().fold(0.0, f64::max))?;
        let share = |score: f64, top: f64| if top > 0.0 { score / top } else { 0.0 };
        let mut seen: HashSet<(VersionId, Option<u32>, u32)> = HashSet::new();
        let mut hits = Vec::new();
        for found in candidates {
            let file = match files.entry(found.version) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(slot) => {
                    let file = OpenFile::open(snapshot, found.version)?;
                    slot.insert(file.map(|file| {
                        let place = question.place(file.path, &|folder| snapshot.has_folder(folder), &options.tuning);
                        (file, place)
                    }))
                }
            };
            let Some((file, place)) = file else { continue };
            let is_wanted = options.filter.accepts_file(file.path, file.info.language.as_deref());
            if !is_wanted || !options.roles.admits_file(file.info.role) {
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
            let Some(mut hit) = hit.filter(|hit| options.accepts(hit)) else { continue };
            if chunk.part > 0 {
                hit.best_line = chunk.span.start_line;
            }
            let features = CandidateFeatures {
                lexical: share(f64::from(found.score), top),
                file: share(by_file.get(&found.version).copied().unwrap_or(0.0), top_file),
                meaning: nearness.chunk(found.version, found.chunk),
                file_meaning: nearness.file(found.version),
                meaning_weight: nearness.weight,
                matched: found.matched,
                place,
                role: file.info.role,
                definition,
            };
            hit.explanation = question.explain(&features, &options.tuning);
            hit.explanation.similarity = nearness.similarity(found.version, found.chunk);
            path_rules::apply(&mut hit, question, &options.tuning);
            hits.push(hit);
        }
        Ok(hits)
    }
}

/// Returns the combined score of the best chunks of each file; each further chunk counts less.
fn file_scores(chunks: &[TextHit]) -> FxHashMap<VersionId, f64> {
    let mut by_file: FxHashMap<VersionId, Vec<f64>> = FxHashMap::default();
    for hit in chunks {
        by_file.entry(hit.version).or_default().push(f64::from(hit.score));
    }
    let together = |scores: Vec<f64>| {
        let best = scores.iter().take(evidence::FILE_CHUNKS).rev();
        best.fold(0.0, |rest, score| score + evidence::FILE_DECAY * rest)
    };
    by_file.into_iter().map(|(version, scores)| (version, together(scores))).collect()
}
