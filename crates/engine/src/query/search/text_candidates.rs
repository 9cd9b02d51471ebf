//! Code and prose that speak of what a question asks: found by words, and by meaning where that is
//! switched on.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::config::{SearchConfig, SemanticConfig};
use crate::error::Result;
use crate::model::VersionId;
use crate::query::hit::HitKind;
use crate::query::open_file::OpenFile;
use crate::query::rank::features::{CandidateFeatures, PlaceEvidence, Question};
use crate::query::search::answer::SearchOptions;
use crate::query::search::confidence;
use crate::query::search::issue::evidence::{FileText, IssueEvidence, IssuePoints, NamedEvidence};
use crate::query::search::parts::{Candidate, CandidateMaker};
use crate::query::search::path_rules;
use crate::query::search::rounds::{Asked, Round, Shard, merged, sums};
use crate::query::search::semantic::{self, Nearness, SemanticReport, Skipped};
use crate::store::Snapshot;
use crate::store::text::bm25f::TextHit;
use crate::weights::{self, candidates, evidence};

/// The frequencies of terms.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct TermCounts {
    /// The number of chunks.
    pub chunks: u64,
    /// Of each term the number of chunks with it.
    pub frequencies: Vec<u64>,
}

impl TermCounts {
    /// Counts terms in a view.
    pub(super) fn of(snapshot: &Snapshot, terms: &[(String, f32)]) -> Result<TermCounts> {
        let frequencies = if terms.is_empty() { Vec::new() } else { snapshot.document_frequencies(terms)? };
        Ok(TermCounts { chunks: snapshot.view().totals.chunks.max(0) as u64, frequencies })
    }

    /// Returns the counts of all repositories together.
    pub(super) fn sum(parts: Vec<TermCounts>) -> TermCounts {
        let chunks = parts.iter().map(|part| part.chunks).sum();
        TermCounts { chunks, frequencies: sums(parts.into_iter().map(|part| part.frequencies)) }
    }
}

/// Search terms with their weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Terms {
    pub terms: Vec<(String, f32)>,
    /// The counts of several repositories; `None` if a view is searched alone.
    pub counts: Option<TermCounts>,
}

/// Asks for the best chunks by words.
#[derive(Serialize, Deserialize)]
pub(crate) struct Words {
    terms: Terms,
    limit: usize,
}

impl Round for Words {
    /// The chunks, best first, and the share of the terms that any view has, by rarity.
    type Reply = (Vec<TextHit>, Option<f64>);

    fn answer(self, shard: &mut Shard<'_>) -> Result<Self::Reply> {
        let snapshot = shard.snapshot;
        let scored = shard.scored(&self.terms)?;
        Ok((snapshot.best_of(scored, self.limit), scored.known()))
    }
}

/// Asks what ranking needs to know of chunks.
#[derive(Serialize, Deserialize)]
pub(crate) struct Features {
    pub terms: Terms,
    /// Chunks that words found, best first.
    pub chunks: Vec<TextHit>,
    /// Chunks that something else found.
    pub others: Vec<(VersionId, u32)>,
    /// The points of what a long text names, which brings more chunks.
    pub issue: Option<IssuePoints>,
}

/// The features of chunks in one repository.
#[derive(Serialize, Deserialize)]
pub(crate) struct KnownFeatures {
    /// Of the chunks that words found, then of others with what words say of them, best first. None
    /// for chunks that are not wanted or belong to the definition of an earlier one.
    chunks: Vec<(TextHit, Option<Candidate>)>,
    /// Those of each candidate, if the text is long.
    evidence: Vec<IssueEvidence>,
    /// Those of the files of all chunks, if the text is long.
    files: Vec<(VersionId, FileText)>,
}

impl Round for Features {
    type Reply = KnownFeatures;

    fn answer(self, shard: &mut Shard<'_>) -> Result<KnownFeatures> {
        let Features { terms, mut chunks, others, issue } = self;
        let named = issue.map(|points| NamedEvidence::of(shard, points)).transpose()?;
        let mut others: FxHashSet<(VersionId, u32)> = others.into_iter().collect();
        if let Some(named) = &named {
            named.add_chunks(shard.snapshot, &mut others)?;
        }
        add_chunks(shard, &terms, &mut chunks, others)?;
        let files = match &named {
            Some(_) => FileText::of_all(shard, &terms, &chunks)?,
            None => Vec::new(),
        };
        let mut reader = FeatureReader::new(shard, named.as_ref());
        let mut known = KnownFeatures { chunks: Vec::with_capacity(chunks.len()), evidence: Vec::new(), files };
        for found in chunks {
            let candidate = reader.candidate(found, &mut known.evidence)?;
            known.chunks.push((found, candidate));
        }
        Ok(known)
    }
}

/// Reads the features of chunks.
struct FeatureReader<'a> {
    snapshot: &'a Snapshot,
    options: &'a SearchOptions,
    question: Question,
    named: Option<&'a NamedEvidence>,
    maker: CandidateMaker<'a>,
    /// Files that were opened, and whether they are old.
    files: FxHashMap<VersionId, Option<(OpenFile<'a>, bool)>>,
    seen: FxHashSet<(VersionId, Option<u32>, u32)>,
}

impl<'a> FeatureReader<'a> {
    fn new(shard: &Shard<'a>, named: Option<&'a NamedEvidence>) -> FeatureReader<'a> {
        let Shard { snapshot, query, options, .. } = *shard;
        let (maker, question) = (CandidateMaker::new(snapshot), Question::new(query));
        let (files, seen) = (FxHashMap::default(), FxHashSet::default());
        FeatureReader { snapshot, options, question, named, maker, files, seen }
    }

    /// Returns the candidate that a chunk is, and adds what a long text has to say of it.
    fn candidate(&mut self, found: TextHit, evidence: &mut Vec<IssueEvidence>) -> Result<Option<Candidate>> {
        let FeatureReader { snapshot, options, question, named, maker, files, seen } = self;
        let file = match files.entry(found.version) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(slot) => slot.insert(OpenFile::open(snapshot, found.version)?.map(|file| {
                let is_old = named.is_none() && question.is_old(file.path, &|folder| snapshot.has_folder(folder));
                (file, is_old)
            })),
        };
        let Some((file, is_old)) = file else { return Ok(None) };
        // A long text is not asked about roles.
        let roles = Some(&options.roles).filter(|_| named.is_none());
        let is_wanted = options.filter.accepts_file(file.path, file.info.language.as_deref());
        if !is_wanted || roles.is_some_and(|roles| !roles.admits_file(file.info.role)) {
            return Ok(None);
        }
        let Some(chunk) = file.outline.chunks.get(found.chunk as usize) else { return Ok(None) };
        // Several chunks of one long function are one answer.
        if !seen.insert(place_of(&found, chunk.definition)) {
            return Ok(None);
        }
        let hit = match chunk.definition {
            Some(index) => file.symbol_hit(index),
            None => Some(file.text_hit(HitKind::Text, chunk.span.start_line, chunk.span.end_line)),
        };
        let hit = hit.filter(|hit| options.filter.accepts_kind(hit.kind));
        let Some(mut hit) = hit.filter(|hit| roles.is_none_or(|roles| roles.accepts_hit(hit))) else {
            return Ok(None);
        };
        if chunk.part > 0 {
            hit.best_line = chunk.span.start_line;
        }
        evidence.extend(named.map(|named| named.evidence(found.version, chunk.definition, &file.outline)));
        maker.make_aged(hit, *is_old).map(Some)
    }
}

/// Identifies the definition of a chunk, or a chunk that belongs to none.
fn place_of(found: &TextHit, definition: Option<u32>) -> (VersionId, Option<u32>, u32) {
    (found.version, definition, definition.map_or(found.chunk, |_| 0))
}

/// Adds the chunks of `others` that are not there yet, with what words say of them.
fn add_chunks(
    shard: &mut Shard<'_>,
    terms: &Terms,
    chunks: &mut Vec<TextHit>,
    mut others: FxHashSet<(VersionId, u32)>,
) -> Result<()> {
    chunks.iter().for_each(|hit| _ = others.remove(&(hit.version, hit.chunk)));
    if others.is_empty() {
        return Ok(());
    }
    let snapshot = shard.snapshot;
    let mut added = shard.scored(terms)?.among(&others);
    for hit in &added {
        others.remove(&(hit.version, hit.chunk));
    }
    added.extend(others.into_iter().map(|(version, chunk)| TextHit { version, chunk, score: 0.0, matched: 0 }));
    snapshot.best_first(&mut added);
    chunks.extend(added);
    Ok(())
}

/// A chunk of one of the repositories, with what is known of it.
pub(crate) struct FoundChunk {
    pub repository: usize,
    pub text: TextHit,
    pub candidate: Option<Candidate>,
    /// Present if the text is long.
    pub evidence: Option<IssueEvidence>,
}

/// The chunks that are candidates, best first by words.
pub(crate) struct FoundChunks {
    pub chunks: Vec<FoundChunk>,
    /// The share of the question's terms that any repository has, by rarity.
    pub known: Option<f64>,
    /// The scores of the files of all chunks, if the text is long.
    pub files: FxHashMap<(usize, VersionId), FileText>,
}

impl FoundChunks {
    /// Finds the best chunks by words, as many as are candidates in all repositories together.
    pub(super) fn by_words(asked: &Asked<'_>, terms: &Terms, tuning: &SearchConfig) -> Result<FoundChunks> {
        let limit = weights::multiplied(candidates::BY_WORDS, tuning.lexical_fanout_multiplier);
        let parts = asked.ask_all(|_| Words { terms: terms.clone(), limit })?;
        let known = parts.first().and_then(|(_, known)| *known);
        let lists = parts.into_iter().map(|(chunks, _)| chunks).collect();
        let best = merged(lists, |a, b| b.score.total_cmp(&a.score), limit);
        let chunk = |(repository, text)| FoundChunk { repository, text, candidate: None, evidence: None };
        Ok(FoundChunks { chunks: best.into_iter().map(chunk).collect(), known, files: FxHashMap::default() })
    }

    /// Returns the places of the chunks in their repositories.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, (VersionId, u32))> {
        self.chunks.iter().map(|found| (found.repository, (found.text.version, found.text.chunk)))
    }

    /// Returns the chunks, each with its repository.
    pub(super) fn texts(&self) -> impl Iterator<Item = (usize, TextHit)> {
        self.chunks.iter().map(|found| (found.repository, found.text))
    }

    /// Takes what repositories know: of the chunks that are here already, in their order, and of
    /// others, which are added.
    pub(super) fn take_features(&mut self, asked: &Asked<'_>, replies: Vec<(usize, KnownFeatures)>) {
        let mut parts: Vec<Vec<FoundChunk>> = (0..asked.count()).map(|_| Vec::new()).collect();
        for (repository, known) in replies {
            let mut evidence = known.evidence.into_iter();
            self.files.extend(known.files.into_iter().map(|(version, text)| ((repository, version), text)));
            for (text, mut candidate) in known.chunks {
                candidate.iter_mut().for_each(|candidate| candidate.hit.repository = repository);
                let evidence = candidate.as_ref().and_then(|_| evidence.next());
                parts[repository].push(FoundChunk { repository, text, candidate, evidence });
            }
        }
        let mut seen = FxHashSet::default();
        let place = |found: &FoundChunk| {
            let ordinal = found.candidate.as_ref()?.hit.symbol_id.map(|id| id.ordinal);
            Some((found.repository, place_of(&found.text, ordinal)))
        };
        let mut parts: Vec<_> = parts.into_iter().map(|part| part.into_iter().peekable()).collect();
        for found in &mut self.chunks {
            let is_same =
                |other: &FoundChunk| (other.text.version, other.text.chunk) == (found.text.version, found.text.chunk);
            if let Some(known) = parts[found.repository].next_if(is_same) {
                *found = known;
            }
            seen.extend(place(found));
        }
        let by_words = |a: &FoundChunk, b: &FoundChunk| b.text.score.total_cmp(&a.text.score);
        for (_, mut found) in merged(parts.into_iter().map(Iterator::collect).collect(), by_words, usize::MAX) {
            if place(&found).is_some_and(|place| !seen.insert(place)) {
                found.candidate = None;
            }
            self.chunks.push(found);
        }
    }
}

/// Candidates, unsorted, and the effect of semantic search on them.
pub(crate) struct ByText {
    pub candidates: Vec<Candidate>,
    pub report: SemanticReport,
    /// The share of the question's terms that the view has, by rarity; `None` where that tells
    /// nothing.
    pub known: Option<f64>,
}

/// Finds and scores candidates. `semantic` has the largest share that semantic evidence may have,
/// or the reason to skip semantic search.
pub(crate) fn by_text(
    asked: &Asked<'_>,
    query: &str,
    counts: TermCounts,
    tuning: &SearchConfig,
    semantic: std::result::Result<(&SemanticConfig, f64), Skipped>,
) -> Result<ByText> {
    let mut weigher = Weigher { tuning, question: Question::new(query), places: FxHashMap::default() };
    let counts = Some(counts).filter(|_| asked.count() > 1);
    let terms = Terms { terms: weigher.question.terms.clone(), counts };
    let mut found = FoundChunks::by_words(asked, &terms, tuning)?;
    let request = |chunks, others| Features { terms: terms.clone(), chunks, others, issue: None };
    let features = asked.ask_for(found.texts(), |_, chunks| request(chunks, Vec::new()))?;
    found.take_features(asked, features);
    let (nearness, report) = match semantic {
        Ok((config, cap)) => {
            let count = found.chunks.len().min(candidates::FOR_CONFIDENCE);
            weigher.weigh(&mut found.chunks, count, &Nearness::default());
            let best = found.chunks[..count].iter().filter_map(|found| Some(&found.candidate.as_ref()?.hit));
            let sure = confidence::of_words(confidence::lead(best));
            semantic::nearness(asked, config, query, &found, (sure, cap), tuning)?
        }
        Err(reason) => (Nearness::default(), SemanticReport::skipped(reason)),
    };
    let known: FxHashSet<(usize, (VersionId, u32))> = found.places().collect();
    let near = nearness.chunks().filter(|place| !known.contains(place));
    let features = asked.ask_for(near, |_, others| request(Vec::new(), others))?;
    found.take_features(asked, features);
    let count = found.chunks.len();
    weigher.weigh(&mut found.chunks, count, &nearness);
    let candidates = found.chunks.into_iter().filter_map(|found| found.candidate).collect();
    Ok(ByText { candidates, report, known: found.known })
}

/// The state for scoring candidates.
struct Weigher<'a> {
    tuning: &'a SearchConfig,
    question: Question,
    /// The evidence of files' paths.
    places: FxHashMap<(usize, VersionId), PlaceEvidence>,
}

impl Weigher<'_> {
    /// Scores the first `count` chunks. Each is measured against the best of all, and its file is
    /// more than the chunk.
    fn weigh(&mut self, chunks: &mut [FoundChunk], count: usize, nearness: &Nearness) {
        let Weigher { tuning, question, places } = self;
        let top = chunks.iter().map(|found| f64::from(found.text.score)).fold(0.0, f64::max);
        let by_file = file_scores(chunks);
        let top_file = by_file.values().copied().fold(0.0, f64::max);
        let share = |score: f64, top: f64| if top > 0.0 { score / top } else { 0.0 };
        for FoundChunk { repository, text, candidate, .. } in &mut chunks[..count] {
            let Some(Candidate { hit, is_old, .. }) = candidate else { continue };
            let file = (*repository, text.version);
            let place = places.entry(file).or_insert_with(|| question.place(&hit.path, *is_old, tuning));
            let features = CandidateFeatures {
                lexical: share(f64::from(text.score), top),
                file: share(by_file.get(&file).copied().unwrap_or(0.0), top_file),
                meaning: nearness.chunk(file, text.chunk),
                file_meaning: nearness.file(file),
                meaning_weight: nearness.weight,
                matched: text.matched,
                place,
                hit,
            };
            hit.explanation = question.explain(&features, tuning);
            hit.explanation.similarity = nearness.similarity(file, text.chunk);
            path_rules::apply(hit, question, tuning);
        }
    }
}

/// Returns the combined score of the best chunks of each file; each further chunk counts less.
fn file_scores(chunks: &[FoundChunk]) -> FxHashMap<(usize, VersionId), f64> {
    let mut by_file: FxHashMap<(usize, VersionId), Vec<f64>> = FxHashMap::default();
    for found in chunks {
        by_file.entry((found.repository, found.text.version)).or_default().push(f64::from(found.text.score));
    }
    let together = |scores: Vec<f64>| {
        let best = scores.iter().take(evidence::FILE_CHUNKS).rev();
        best.fold(0.0, |rest, score| score + evidence::FILE_DECAY * rest)
    };
    by_file.into_iter().map(|(file, scores)| (file, together(scores))).collect()
}
