//! Answers to long questions: the text of an issue, a failing test, a stack trace with words around
//! it.
//!
//! Such a text is a document with parts (see `reading`). Its words are weighed by the part that
//! they stand in and by their rarity in the view; names of code, frames and paths are looked up
//! (see `named`); and what a file has in common with the whole text counts beside what one
//! definition has.

pub(crate) mod named;
pub(crate) mod places;
pub(crate) mod reading;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::named::NamedEvidence;
use self::places::NamedPlace;
use crate::error::Result;
use crate::model::{Role, VersionId};
use crate::query::hit::{Hit, HitKind};
use crate::query::open_file::OpenFile;
use crate::query::rank::features::Question;
use crate::query::rank::score::{Explanation, Feature};
use crate::query::search::answer::{QueryParts, SearchOptions};
use crate::query::search::path_rules;
use crate::query::search::semantic::{Nearness, Semantic, SemanticReport, Skipped};
use crate::query::search::text_candidates::{ByText, add_chunks, best_of, score_text};
use crate::query::shards::{self, Shard};
use crate::store::Snapshot;
use crate::store::text::bm25f::{Scored, TextHit};
use crate::store::text::index::inverse_frequency;
use crate::weights::{self, issue as points, meaning};
use codecompass_syntax::facts::{Definition, SymbolRole};

/// Terms that are searched for; documents note which of them they hold in one word.
const MAX_TERMS: usize = 63;

/// Terms that are named among the parts of a text.
const SHOWN_TERMS: usize = 20;

/// Finds and scores the code that a long text is about.
pub(crate) fn by_issue(
    snapshot: &Snapshot,
    text: &str,
    options: &SearchOptions,
    semantic: std::result::Result<(&Semantic, f64), Skipped>,
) -> Result<(ByText, QueryParts)> {
    let reading = reading::read(text);
    let named = named::look_up(snapshot, &reading, options)?;
    let shard = options.shard.as_ref();
    let terms = best_terms(snapshot, &reading.terms, shard)?;
    let scored = score_text(snapshot, &terms, shard)?;
    let mut chunks = best_of(snapshot, &scored, options)?;
    let (nearness, report) = match semantic {
        Ok((semantic, cap)) => semantic.nearness(snapshot, &reading.summary, &chunks, (0.0, cap), options)?,
        Err(reason) => (Nearness::default(), SemanticReport::skipped(reason)),
    };
    add_named(snapshot, &mut chunks, &scored, &nearness, &named)?;
    let files = FileTexts::new(&scored, &chunks, &terms, (snapshot, shard))?;
    let title = Question::new(&reading.title);
    let weigher = IssueWeigher { snapshot, options, title, named: &named, nearness: &nearness, files };
    let hits = weigher.weigh(&chunks)?;
    let shown = |place: &NamedPlace| match place.line {
        Some(line) => format!("{}:{line}", place.path),
        None => place.path.clone(),
    };
    let parts = QueryParts {
        title: reading.title.clone(),
        names: named.known_names.clone(),
        places: named.places.iter().map(shown).collect(),
        messages: reading.messages.clone(),
        terms: terms.iter().take(SHOWN_TERMS).map(|(term, _)| term.clone()).collect(),
    };
    // A long text has words that no code has, whatever it is about.
    Ok((ByText { hits, report, known: None }, parts))
}

/// The terms of a text that tell most: by weight, and by rarity in the view.
fn best_terms(snapshot: &Snapshot, terms: &[(String, f32)], shard: Option<&Arc<Shard>>) -> Result<Vec<(String, f32)>> {
    let mut heaviest = terms.to_vec();
    heaviest.sort_by(|a, b| b.1.total_cmp(&a.1));
    heaviest.truncate(points::COUNTED_TERMS);
    let terms = heaviest.as_slice();
    let mut counts = snapshot.document_frequencies(terms)?;
    counts.push(snapshot.view().totals.chunks.max(0) as u64);
    let mut counts = shards::sums(shard, counts)?;
    let total = counts.pop().unwrap_or(0);
    let telling = |at: usize| terms[at].1 * inverse_frequency(total, counts[at]);
    let mut order: Vec<usize> = (0..terms.len()).filter(|at| counts[*at] > 0).collect();
    order.sort_by(|a, b| telling(*b).total_cmp(&telling(*a)).then_with(|| a.cmp(b)));
    order.truncate(MAX_TERMS);
    Ok(order.into_iter().map(|at| terms[at].clone()).collect())
}

/// Adds the chunks of definitions that names, frames or meaning bring.
fn add_named(
    snapshot: &Snapshot,
    chunks: &mut Vec<TextHit>,
    scored: &Scored<'_>,
    nearness: &Nearness,
    named: &NamedEvidence,
) -> Result<()> {
    let mut others: FxHashSet<(VersionId, u32)> = nearness.chunks().collect();
    for (version, ordinal) in named.definitions.keys().chain(named.frames.keys()).chain(named.messages.keys()) {
        let outline = snapshot.outline(*version)?;
        let chunk = outline.chunks.iter().position(|chunk| chunk.definition == Some(*ordinal));
        others.extend(chunk.map(|chunk| (*version, chunk as u32)));
    }
    for version in named.paths.keys() {
        // Of a file that is named, the whole of it may be meant.
        others.insert((*version, 0));
    }
    add_chunks(snapshot, chunks, scored, others);
    Ok(())
}

/// The text scores of whole files.
struct FileTexts {
    /// The sum over the best chunks, as a share of the best one.
    best_chunks: FxHashMap<VersionId, f64>,
    /// BM25 with a file as the document and its chunks as occurrences, as a share of the best one.
    whole: FxHashMap<VersionId, f64>,
}

impl FileTexts {
    fn new(
        scored: &Scored<'_>,
        chunks: &[TextHit],
        terms: &[(String, f32)],
        (snapshot, shard): (&Snapshot, Option<&Arc<Shard>>),
    ) -> Result<FileTexts> {
        let versions: FxHashSet<VersionId> = chunks.iter().map(|hit| hit.version).collect();
        let mut by_file: FxHashMap<VersionId, Vec<TextHit>> = FxHashMap::default();
        for hit in scored.of_versions(&versions) {
            by_file.entry(hit.version).or_default().push(hit);
        }
        let mut texts = FileTexts { best_chunks: FxHashMap::default(), whole: FxHashMap::default() };
        for (version, mut hits) in by_file {
            hits.sort_by(|a, b| b.score.total_cmp(&a.score));
            let best = hits.iter().take(weights::evidence::FILE_CHUNKS).rev();
            let sum = best.fold(0.0, |rest, hit| f64::from(hit.score) + weights::evidence::FILE_DECAY * rest);
            texts.best_chunks.insert(version, sum);
            let length = snapshot.outline(version)?.chunks.len() as f64;
            let norm = 1.0 - points::FILE_LENGTH + points::FILE_LENGTH * length / points::FILE_PIVOT;
            let mut whole = 0.0;
            for at in 0..terms.len() {
                let count = hits.iter().filter(|hit| hit.matched & (1 << at) != 0).count() as f64;
                whole +=
                    f64::from(scored.rarity(at)) * count * (points::FILE_K1 + 1.0) / (count + points::FILE_K1 * norm);
            }
            texts.whole.insert(version, whole);
        }
        for scores in [&mut texts.best_chunks, &mut texts.whole] {
            let top = shards::greatest(shard, scores.values().copied().fold(0.0, f64::max))?;
            if top > 0.0 {
                scores.values_mut().for_each(|score| *score /= top);
            }
        }
        Ok(texts)
    }
}

struct IssueWeigher<'a> {
    snapshot: &'a Snapshot,
    options: &'a SearchOptions,
    title: Question,
    named: &'a NamedEvidence,
    nearness: &'a Nearness,
    files: FileTexts,
}

impl IssueWeigher<'_> {
    fn weigh(&self, chunks: &[TextHit]) -> Result<Vec<Hit>> {
        let top = chunks.iter().map(|hit| f64::from(hit.score)).fold(0.0, f64::max);
        let top = shards::greatest(self.options.shard.as_ref(), top)?.max(f64::MIN_POSITIVE);
        let mut seen: FxHashSet<(VersionId, Option<u32>, u32)> = FxHashSet::default();
        let mut hits = Vec::new();
        for found in chunks {
            let Some(file) = OpenFile::open(self.snapshot, found.version)? else { continue };
            let filter = &self.options.filter;
            if !filter.accepts_file(file.path, file.info.language.as_deref()) {
                continue;
            }
            let Some(chunk) = file.outline.chunks.get(found.chunk as usize) else { continue };
            if !seen.insert((found.version, chunk.definition, chunk.definition.map_or(found.chunk, |_| 0))) {
                continue;
            }
            let definition = chunk.definition.and_then(|at| Some((at, file.outline.definitions.get(at as usize)?)));
            let hit = match chunk.definition {
                Some(index) => file.symbol_hit(index),
                None => Some(file.text_hit(HitKind::Text, chunk.span.start_line, chunk.span.end_line)),
            };
            let Some(mut hit) = hit.filter(|hit| filter.accepts_kind(hit.kind)) else { continue };
            if chunk.part > 0 {
                hit.best_line = chunk.span.start_line;
            }
            hit.explanation = self.explain(&file, found, f64::from(found.score) / top, definition);
            path_rules::apply(&mut hit, &self.title, &self.options.tuning);
            hits.push(hit);
        }
        Ok(hits)
    }

    fn explain(
        &self,
        file: &OpenFile<'_>,
        found: &TextHit,
        lexical: f64,
        definition: Option<(u32, &Definition)>,
    ) -> Explanation {
        let mut explanation = Explanation::default();
        let version = found.version;
        let of_file = |scores: &FxHashMap<VersionId, f64>| scores.get(&version).copied().unwrap_or(0.0);
        explanation.add(Feature::Text, points::TEXT * lexical);
        explanation.add(Feature::File, points::FILE * of_file(&self.files.best_chunks));
        explanation.add(Feature::FileTerms, points::WHOLE_FILE * of_file(&self.files.whole));
        let weight = points::MEANING * self.nearness.weight.min(1.0);
        explanation.add(Feature::Meaning, meaning::OWN * weight * self.nearness.chunk(version, found.chunk));
        explanation.add(Feature::FileMeaning, meaning::FILE * weight * self.nearness.file(version));
        let place = self.title.place(file.path, &|folder| self.snapshot.has_folder(folder), &self.options.tuning);
        explanation.add(Feature::FileName, points::FILE_NAME * place.file_name());
        explanation.add(Feature::Folder, points::FOLDER * place.folder());
        explanation.add(Feature::FileNames, points::FILE_NAMES * saturated(of_file(&self.named.files)));
        explanation.add(Feature::PathMatch, points::PATHS * of_file(&self.named.paths).min(1.0));
        explanation.add(Feature::FileFrame, points::FILE_FRAMES * of_file(&self.named.file_frames));
        if let Some((ordinal, definition)) = definition {
            let own = |ordinal: u32| self.named.definitions.get(&(version, ordinal)).copied().unwrap_or(0.0);
            explanation.add(Feature::Identifier, points::NAMES * saturated(own(ordinal)));
            let container = definition.parent.map_or(0.0, own);
            explanation.add(Feature::Container, points::CONTAINER * saturated(container));
            let frame = self.named.frames.get(&(version, ordinal)).copied().unwrap_or(0.0);
            explanation.add(Feature::StackFrame, points::FRAMES * frame);
            let message = self.named.messages.get(&(version, ordinal)).copied().unwrap_or(0.0);
            explanation.add(Feature::ExactText, points::MESSAGES * message);
            let overlap = self.title.overlap(&definition.name, self.options.tuning.local_rerank_phrase_boost);
            explanation.add(Feature::Name, points::TITLE_NAME * overlap);
            explanation.add(Feature::Kind, points::KIND * weights::kind(definition.kind));
            if definition.role == SymbolRole::Test {
                explanation.discount(Feature::Test, weights::evidence::TEST_DISCOUNT);
            }
        }
        let share = match file.info.role {
            Role::Source => 0.0,
            Role::Test => points::TEST_FILE_DISCOUNT,
            role => weights::role(role).search_discount.max(points::OTHER_FILE_DISCOUNT),
        };
        explanation.discount(Feature::Role(file.info.role), share);
        explanation
    }
}

/// Points of names, which add up ever more slowly, from 0 to 1.
fn saturated(points: f64) -> f64 {
    points / (points + 1.0)
}
