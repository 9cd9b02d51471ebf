//! Semantic search: similarity of vectors as evidence for an answer, beside the words of the code.

use std::fmt;
use std::sync::Arc;

use codecompass_embed::{Embedder, StaticModel};
use rustc_hash::FxHashMap;

use crate::config::{SemanticConfig, SemanticMode};
use crate::error::Result;
use crate::model::VersionId;
use crate::query::search::answer::SearchOptions;
use crate::query::search::intent::Intent;
use crate::query::search::rerank::Reranking;
use crate::query::shards::{self, Shard};
use crate::store::Snapshot;
use crate::store::text::bm25f::TextHit;
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

    /// Returns the largest share that semantic evidence may have in an answer to this kind of
    /// query.
    pub(crate) fn cap(&self, intent: Intent) -> f64 {
        let overrides = &self.config.overrides;
        let own = match intent {
            Intent::Symbol => overrides.symbol,
            Intent::Path => overrides.path,
            Intent::Error => overrides.error,
            Intent::NaturalLanguage | Intent::Issue => overrides.natural_language,
        };
        self.config.ratio.min(own).clamp(0.0, meaning::MAX_RATIO)
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

/// The similarity of documents to a query.
#[derive(Default)]
pub(crate) struct Nearness {
    by_chunk: FxHashMap<(VersionId, u32), f32>,
    by_file: FxHashMap<VersionId, f32>,
    top: f32,
    /// The weight of the nearest document of the nearest file, relative to that of the best text of
    /// the best file.
    pub weight: f64,
}

impl Semantic {
    /// Returns the similarity of the query to the documents that text search found, and to the
    /// nearest others. `sure` is the confidence of text search alone, from 0 to 1: the higher it
    /// is, the less semantic evidence counts. It never counts more than `cap`.
    pub(crate) fn nearness(
        &self,
        snapshot: &Snapshot,
        query: &str,
        found: &[TextHit],
        (sure, cap): (f64, f64),
        options: &SearchOptions,
    ) -> Result<(Nearness, SemanticReport)> {
        if sure >= self.config.lexical_short_circuit_threshold {
            return Ok((Nearness::default(), SemanticReport::skipped(Skipped::LexicalHighConfidence)));
        }
        let shard = options.shard.as_ref();
        let limit = match self.config.mode {
            SemanticMode::Hybrid => weights::multiplied(meaning::NEAREST, options.tuning.semantic_limit_multiplier),
            _ => 0,
        };
        let oversampling = weights::multiplied(meaning::OVERSAMPLING, options.tuning.semantic_fanout_multiplier);
        let limits = VectorLimits { nearest: limit, compared: limit * oversampling };
        let wanted: DocumentSet = found.iter().map(|hit| (hit.version, hit.chunk)).collect();
        let mut compared = self.compare(snapshot, query, limits, &wanted)?;
        if shard.is_some() {
            keep_nearest_of_all(shard, &mut compared.hits, limit, &wanted)?;
        }
        let ratio = cap * (1.0 - meaning::LOST_TO_WORDS * sure);
        let mut nearness = Nearness { weight: ratio / (1.0 - ratio), ..Nearness::default() };
        let mut nearest: Option<&str> = None;
        let near = meaning::NEAR.max(self.config.min_similarity as f32);
        let adds = |hit: &VectorHit| (limit > 0 && hit.score >= near) || wanted.has(hit.version, hit.chunk);
        for hit in compared.hits.iter().filter(|hit| adds(hit)) {
            nearness.by_chunk.insert((hit.version, hit.chunk), hit.score);
            let file = nearness.by_file.entry(hit.version).or_default();
            *file = file.max(hit.score);
            let path = snapshot.path_of(hit.version);
            let is_first = hit.score == nearness.top && nearest.is_some() && path < nearest;
            if hit.score > nearness.top || is_first {
                nearness.top = hit.score;
                nearest = path;
            }
        }
        let number = shard.map_or(0, |shard| shard.number());
        let own = OwnNearest {
            report: compared.report,
            top: nearness.top,
            file: nearest.map(|path| (number, path.to_string())),
        };
        let all = shards::combined(shard, own, OwnNearest::of_all)?;
        if all.report.skipped.is_some() || all.report.model.is_none() {
            return Ok((Nearness::default(), all.report.clone()));
        }
        nearness.top = all.top;
        let (nearest_file, top) = (all.file.clone(), Some(f64::from(all.top)));
        Ok((nearness, SemanticReport { ratio, nearest_file, nearness: top, ..all.report.clone() }))
    }

    /// Compares the query with the vectors of a snapshot, or says why that is not possible.
    fn compare(
        &self,
        snapshot: &Snapshot,
        query: &str,
        limits: VectorLimits,
        wanted: &DocumentSet,
    ) -> Result<Compared> {
        let unavailable = |problem| Ok(Compared { hits: Vec::new(), report: SemanticReport::unavailable(problem) });
        // The store may have vectors, but the view has no chunks to compare with.
        if snapshot.view().totals.chunks == 0 {
            return Ok(Compared { hits: Vec::new(), report: SemanticReport::default() });
        }
        let Some(embedder) = self.embedder.as_deref() else { return unavailable(SemanticProblem::NoModel) };
        let model = Header::of(embedder);
        // No query vector is computed when there are no vectors to compare it with.
        if !snapshot.has_vectors_of(model)? {
            return unavailable(SemanticProblem::NoVectors(embedder.id().to_string()));
        }
        let vector = match embedder.embed_query(query) {
            Ok(vector) => vector,
            Err(error) => return unavailable(SemanticProblem::Failed(error.to_string())),
        };
        let hits = snapshot.search_vectors(model, &vector, limits, wanted)?.unwrap_or_default();
        let report = SemanticReport { model: Some(embedder.id().to_string()), ..SemanticReport::default() };
        Ok(Compared { hits, report })
    }
}

/// The vectors that a query was compared with.
struct Compared {
    hits: Vec<VectorHit>,
    report: SemanticReport,
}

/// The nearest document of a shard.
#[derive(Serialize, Deserialize)]
struct OwnNearest {
    report: SemanticReport,
    top: f32,
    file: Option<(usize, String)>,
}

impl OwnNearest {
    /// Returns the nearest of all; the shards that could compare nothing count for nothing if
    /// others could.
    fn of_all(parts: Vec<OwnNearest>) -> OwnNearest {
        let place = |part: &OwnNearest| (part.report.model.is_none(), part.report.skipped.is_none());
        let report = parts.iter().min_by_key(|part| place(part)).map(|part| part.report.clone()).unwrap_or_default();
        let compared = parts.into_iter().filter(|part| part.report.model.is_some());
        let first = OwnNearest { report, top: 0.0, file: None };
        compared.fold(first, |best, part| match part.top > best.top {
            true => OwnNearest { report: best.report, ..part },
            false => best,
        })
    }
}

/// Keeps the nearest documents of all shards together with others that are as near as the last one,
/// and those that are wanted.
fn keep_nearest_of_all(
    shard: Option<&Arc<Shard>>,
    hits: &mut Vec<VectorHit>,
    limit: usize,
    wanted: &DocumentSet,
) -> Result<()> {
    let mut scores: Vec<f32> = hits.iter().map(|hit| hit.score).collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    // As one store does it, where the first one behind the limit is the last that is near.
    scores.truncate(limit + 1);
    let least = *shards::combined(shard, scores, move |parts: Vec<Vec<f32>>| {
        let mut all = parts.concat();
        all.sort_by(|a, b| b.total_cmp(a));
        all.get(limit).copied()
    })?;
    let is_near = |score: f32| limit > 0 && least.is_none_or(|least| score >= least);
    hits.retain(|hit| is_near(hit.score) || wanted.has(hit.version, hit.chunk));
    Ok(())
}

impl Nearness {
    /// Documents that are near, in no order.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = (VersionId, u32)> {
        self.by_chunk.keys().copied()
    }

    /// Returns the similarity of a document, as a share of the nearest one's, or of `VERY_NEAR` if
    /// that is more.
    pub(crate) fn chunk(&self, version: VersionId, chunk: u32) -> f64 {
        self.share(self.by_chunk.get(&(version, chunk)))
    }

    /// Returns the cosine itself, if the document was compared.
    pub(crate) fn similarity(&self, version: VersionId, chunk: u32) -> Option<f32> {
        self.by_chunk.get(&(version, chunk)).copied()
    }

    /// Returns the same for the nearest document of a file.
    pub(crate) fn file(&self, version: VersionId) -> f64 {
        self.share(self.by_file.get(&version))
    }

    fn share(&self, score: Option<&f32>) -> f64 {
        let score = score.copied().unwrap_or(0.0).max(0.0);
        f64::from(score / self.top.max(meaning::VERY_NEAR))
    }
}
