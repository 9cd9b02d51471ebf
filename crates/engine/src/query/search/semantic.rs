//! Semantic search: similarity of vectors as evidence for an answer, beside the words of the code.

use std::fmt;
use std::sync::Arc;

use codecompass_embed::{Embedder, StaticModel};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::{SearchConfig, SemanticConfig, SemanticMode};
use crate::error::Result;
use crate::model::VersionId;
use crate::query::search::intent::Intent;
use crate::query::search::rerank::Reranking;
use crate::query::search::rounds::{Asked, Round, Shard};
use crate::query::search::text_candidates::FoundChunks;
use crate::store::Snapshot;
use crate::store::vectors::{DocumentSet, Header, VectorHit, VectorLimits};
use crate::weights::{self, meaning};
use serde::{Deserialize, Serialize};

/// The model for semantic search, and its settings.
#[derive(Clone)]
pub struct Semantic {
    /// The model that made the vectors of the index; `None` when it cannot be used.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// The settings, among them the weight of semantic evidence.
    pub config: SemanticConfig,
    /// The reranker that orders answers to queries in natural language, if any.
    pub reranking: Option<Reranking>,
}

impl Semantic {
    /// Returns the built-in model with the default settings; `None` when it cannot be used.
    pub fn built_in() -> Option<Semantic> {
        let embedder = StaticModel::embedded().ok()?;
        Some(Semantic { embedder: Some(embedder), config: SemanticConfig::default(), reranking: None })
    }
}

/// Returns the settings with the largest share that semantic evidence may have in an answer to this
/// kind of query, or why it has none.
pub(crate) fn usable(
    config: Option<&SemanticConfig>,
    intent: Intent,
) -> std::result::Result<(&SemanticConfig, f64), Skipped> {
    let Some(config) = config else { return Err(Skipped::SemanticDisabled) };
    let own = match intent {
        Intent::Symbol => config.overrides.symbol,
        Intent::Path => config.overrides.path,
        Intent::Error => config.overrides.error,
        Intent::NaturalLanguage | Intent::Issue => config.overrides.natural_language,
    };
    match config.ratio.min(own).clamp(0.0, meaning::MAX_RATIO) {
        cap if cap > 0.0 => Ok((config, cap)),
        _ if !matches!(intent, Intent::NaturalLanguage | Intent::Issue) => Err(Skipped::IntentNotNl),
        _ => Err(Skipped::SemanticDisabled),
    }
}

impl fmt::Debug for Semantic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let embedder = self.embedder.as_ref().map(|embedder| embedder.id());
        let reranking = self.reranking.as_ref().map(|reranking| reranking.reranker.id());
        f.debug_struct("Semantic")
            .field("embedder", &embedder)
            .field("config", &self.config)
            .field("reranking", &reranking)
            .finish()
    }
}

/// Reasons to skip semantic search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Skipped {
    /// The query is a name, a path or an error message, and settings do not use semantic search
    /// there.
    IntentNotNl,
    /// Text search alone is confident enough.
    LexicalHighConfidence,
    /// It is switched off, or its share is 0.
    SemanticDisabled,
    /// The model does not work, or the index has no vectors of it.
    ModelUnavailable,
}

impl Skipped {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Skipped::IntentNotNl => "intent_not_nl",
            Skipped::LexicalHighConfidence => "lexical_high_confidence",
            Skipped::SemanticDisabled => "semantic_disabled",
            Skipped::ModelUnavailable => "model_unavailable",
        }
    }
}

/// Problems that make a model unavailable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SemanticProblem {
    /// No model can be used.
    NoModel,
    /// The index has no vectors of this model.
    NoVectors(String),
    /// The model failed with this error.
    Failed(String),
}

/// The effect of semantic search on an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SemanticReport {
    /// The reason why it was skipped, if it was.
    pub skipped: Option<Skipped>,
    /// The problem with the model, when that is the reason.
    pub problem: Option<SemanticProblem>,
    /// The share of semantic evidence in the score.
    pub ratio: f64,
    /// The model of the vectors that were compared.
    pub model: Option<String>,
    /// The repository and path of the nearest document's file.
    pub(crate) nearest_file: Option<(usize, String)>,
    /// The similarity of the nearest document, from 0 to 1; `None` when vectors were not compared.
    pub(crate) nearness: Option<f64>,
}

impl SemanticReport {
    pub(crate) fn skipped(reason: Skipped) -> SemanticReport {
        SemanticReport { skipped: Some(reason), ..SemanticReport::default() }
    }

    fn unavailable(problem: SemanticProblem) -> SemanticReport {
        SemanticReport { problem: Some(problem), ..SemanticReport::skipped(Skipped::ModelUnavailable) }
    }
}

/// A place in the code that is near a question by meaning alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// Relative to the root, with `/`.
    pub path: String,
    /// First line.
    pub line_start: u32,
    /// Last line.
    pub line_end: u32,
    /// From -1 to 1; 1 is the same.
    pub nearness: f32,
}

/// The `limit` pieces of code that are nearest to `query` by meaning alone, nearest first; none
/// when there are no vectors.
pub fn nearest(snapshot: &Snapshot, semantic: &Semantic, query: &str, limit: usize) -> Result<Vec<Near>> {
    let Some(embedder) = &semantic.embedder else { return Ok(Vec::new()) };
    let Ok(vector) = embedder.embed_query(query) else { return Ok(Vec::new()) };
    let model = Header::of(embedder.as_ref());
    let mut hits = snapshot.search_vectors(model, &vector, limit.into(), &DocumentSet::default())?.unwrap_or_default();
    let place = |hit: &VectorHit| (snapshot.position(hit.version), hit.chunk);
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b))));
    let mut near = Vec::with_capacity(limit);
    for hit in hits.iter().take(limit) {
        let outline = snapshot.outline(hit.version)?;
        let (Some(path), Some(chunk)) = (snapshot.path_of(hit.version), outline.chunks.get(hit.chunk as usize)) else {
            continue;
        };
        let (line_start, line_end) = (chunk.span.start_line, chunk.span.end_line);
        near.push(Near { path: path.to_string(), line_start, line_end, nearness: hit.score });
    }
    Ok(near)
}

/// Asks for the chunks that mean most nearly what a query means.
#[derive(Serialize, Deserialize)]
pub(crate) struct Meaning {
    query: String,
    nearest: usize,
    compared: usize,
    /// Chunks whose similarity is asked for, however far they are.
    wanted: Vec<(VersionId, u32)>,
}

/// The chunks that a query was compared with, or why that was not possible.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Compared {
    hits: Vec<NearChunk>,
    report: SemanticReport,
}

#[derive(Serialize, Deserialize)]
struct NearChunk {
    version: VersionId,
    chunk: u32,
    score: f32,
    path: String,
}

impl Round for Meaning {
    type Reply = Compared;

    fn answer(self, shard: &mut Shard<'_>) -> Result<Compared> {
        let Shard { snapshot, options, .. } = *shard;
        let unavailable = |problem| Ok(Compared { hits: Vec::new(), report: SemanticReport::unavailable(problem) });
        // The store may have vectors, but the view has no chunks to compare with.
        if snapshot.view().totals.chunks == 0 {
            return Ok(Compared::default());
        }
        let embedder = options.semantic.as_ref().and_then(|semantic| semantic.embedder.as_deref());
        let Some(embedder) = embedder else { return unavailable(SemanticProblem::NoModel) };
        let model = Header::of(embedder);
        // No query vector is computed when there are no vectors to compare it with.
        if !snapshot.has_vectors_of(model)? {
            return unavailable(SemanticProblem::NoVectors(embedder.id().to_string()));
        }
        let vector = match embedder.embed_query(&self.query) {
            Ok(vector) => vector,
            Err(error) => return unavailable(SemanticProblem::Failed(error.to_string())),
        };
        let limits = VectorLimits { nearest: self.nearest, compared: self.compared };
        let hits = snapshot.search_vectors(model, &vector, limits, &self.wanted.into_iter().collect())?;
        let near = |VectorHit { version, chunk, score }| {
            let path = snapshot.path_of(version).unwrap_or_default().to_string();
            NearChunk { version, chunk, score, path }
        };
        let report = SemanticReport { model: Some(embedder.id().to_string()), ..SemanticReport::default() };
        Ok(Compared { hits: hits.into_iter().flatten().map(near).collect(), report })
    }
}

/// A file of one of the repositories.
type File = (usize, VersionId);

/// The similarity of chunks to a query.
#[derive(Default)]
pub(crate) struct Nearness {
    by_chunk: FxHashMap<(File, u32), f32>,
    by_file: FxHashMap<File, f32>,
    top: f32,
    /// The weight of the nearest document of the nearest file, relative to that of the best text of
    /// the best file.
    pub weight: f64,
}

/// Returns the similarity of the query to the chunks that text search found, and to the nearest
/// others. `sure` is the confidence of text search alone, from 0 to 1: the higher it is, the less
/// semantic evidence counts. It never counts more than `cap`.
pub(crate) fn nearness(
    asked: &Asked<'_>,
    config: &SemanticConfig,
    query: &str,
    found: &FoundChunks,
    (sure, cap): (f64, f64),
    tuning: &SearchConfig,
) -> Result<(Nearness, SemanticReport)> {
    if sure >= config.lexical_short_circuit_threshold {
        return Ok((Nearness::default(), SemanticReport::skipped(Skipped::LexicalHighConfidence)));
    }
    let limit = match config.mode {
        SemanticMode::Hybrid => weights::multiplied(meaning::NEAREST, tuning.semantic_limit_multiplier),
        _ => 0,
    };
    let compared = limit * weights::multiplied(meaning::OVERSAMPLING, tuning.semantic_fanout_multiplier);
    let wanted: FxHashSet<(usize, (VersionId, u32))> = found.places().collect();
    let of = |number| wanted.iter().filter(move |(repository, _)| *repository == number).map(|(_, place)| *place);
    let mut parts = asked.ask_all(|number| Meaning {
        query: query.to_string(),
        nearest: limit,
        compared,
        wanted: of(number).collect(),
    })?;
    let least = least_of_nearest(&parts, limit);
    let ratio = cap * (1.0 - meaning::LOST_TO_WORDS * sure);
    let mut nearness = Nearness { weight: ratio / (1.0 - ratio), ..Nearness::default() };
    let mut nearest: Option<(usize, &str)> = None;
    let near = meaning::NEAR.max(config.min_similarity as f32);
    // Those that could compare nothing count for nothing if others could.
    let place = |part: &&Compared| (part.report.model.is_none(), part.report.skipped.is_none());
    let report = parts.iter().min_by_key(place).map(|part| part.report.clone()).unwrap_or_default();
    if report.skipped.is_some() || report.model.is_none() {
        return Ok((Nearness::default(), report));
    }
    for (repository, part) in parts.iter_mut().enumerate() {
        part.hits.retain(|hit| {
            let is_near = limit > 0 && least.is_none_or(|least| hit.score >= least) && hit.score >= near;
            is_near || wanted.contains(&(repository, (hit.version, hit.chunk)))
        });
    }
    for (repository, part) in parts.iter().enumerate() {
        for hit in &part.hits {
            let file = (repository, hit.version);
            nearness.by_chunk.insert((file, hit.chunk), hit.score);
            let of_file = nearness.by_file.entry(file).or_default();
            *of_file = of_file.max(hit.score);
            // Of equal ones the first repository, and there the first path.
            let is_first = hit.score == nearness.top
                && nearest.is_some_and(|(known, path)| known == repository && hit.path.as_str() < path);
            if hit.score > nearness.top || is_first {
                nearness.top = hit.score;
                nearest = Some((repository, &hit.path));
            }
        }
    }
    let nearest_file = nearest.map(|(repository, path)| (repository, path.to_string()));
    let top = Some(f64::from(nearness.top));
    Ok((nearness, SemanticReport { ratio, nearest_file, nearness: top, ..report }))
}

/// Returns the least similarity of the nearest chunks of all repositories, as one store has it: the
/// first one behind the limit is the last that is near.
fn least_of_nearest(parts: &[Compared], limit: usize) -> Option<f32> {
    let mut scores: Vec<f32> = parts.iter().flat_map(|part| &part.hits).map(|hit| hit.score).collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    scores.get(limit).copied()
}

impl Nearness {
    /// Chunks that are near, in no order.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = (usize, (VersionId, u32))> {
        self.by_chunk.keys().map(|((repository, version), chunk)| (*repository, (*version, *chunk)))
    }

    /// Returns the similarity of a chunk, as a share of the nearest one's, or of `VERY_NEAR` if
    /// that is more.
    pub(crate) fn chunk(&self, file: File, chunk: u32) -> f64 {
        self.share(self.by_chunk.get(&(file, chunk)))
    }

    /// Returns the cosine itself, if the chunk was compared.
    pub(crate) fn similarity(&self, file: File, chunk: u32) -> Option<f32> {
        self.by_chunk.get(&(file, chunk)).copied()
    }

    /// Returns the same for the nearest chunk of a file.
    pub(crate) fn file(&self, file: File) -> f64 {
        self.share(self.by_file.get(&file))
    }

    fn share(&self, score: Option<&f32>) -> f64 {
        let score = score.copied().unwrap_or(0.0).max(0.0);
        f64::from(score / self.top.max(meaning::VERY_NEAR))
    }
}
