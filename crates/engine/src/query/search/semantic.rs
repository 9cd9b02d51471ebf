//! What code means, beside the words it is made of: nearness of vectors as evidence for an answer.

use std::fmt;
use std::sync::Arc;

use codecompass_embed::{Embedder, StaticModel};
use rustc_hash::FxHashMap;

use crate::config::{SearchConfig, SemanticConfig, SemanticMode};
use crate::error::Result;
use crate::model::VersionId;
use crate::query::search::intent::Intent;
use crate::query::search::rerank::Reranking;
use crate::store::Snapshot;
use crate::store::text::bm25f::TextHit;
use crate::store::vectors::{DocumentSet, Header, VectorHit, VectorLimits};
use crate::weights::{self, meaning};

/// What makes vectors of questions, and how much they count.
#[derive(Clone)]
pub struct Semantic {
    /// What made the vectors of the index; `None` when that cannot be used.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// How much they count.
    pub config: SemanticConfig,
    /// Who has the last word on the order of answers to questions in words, if anybody.
    pub reranking: Option<Reranking>,
}

impl Semantic {
    /// The model inside the program, with the usual settings; `None` when it cannot be used.
    pub fn built_in() -> Option<Semantic> {
        let embedder = StaticModel::embedded().ok()?;
        Some(Semantic { embedder: Some(embedder), config: SemanticConfig::default(), reranking: None })
    }

    /// The largest share that meaning may have in the evidence for an answer to this kind of
    /// question.
    pub(crate) fn cap(&self, intent: Intent) -> f64 {
        let overrides = &self.config.overrides;
        let own = match intent {
            Intent::Symbol => overrides.symbol,
            Intent::Path => overrides.path,
            Intent::Error => overrides.error,
            Intent::NaturalLanguage => overrides.natural_language,
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

/// Why meaning was not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skipped {
    /// The query is a name, a path or an error message, and settings do not ask for meaning there.
    IntentNotNl,
    /// Words alone are sure of the answer.
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

/// Why a model had nothing to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// There is none that can be used.
    NoModel,
    /// The index has no vectors of this model.
    NoVectors(String),
    /// It failed, for this reason.
    Failed(String),
}

/// What meaning had to do with an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SemanticReport {
    /// Why it had nothing to do with it.
    pub skipped: Option<Skipped>,
    /// What is wrong with the model, when that is why.
    pub problem: Option<Problem>,
    /// The share it had in the evidence.
    pub ratio: f64,
    /// What made the vectors that were compared.
    pub model: Option<String>,
    /// The file of the nearest document.
    pub(crate) nearest_path: Option<String>,
}

impl SemanticReport {
    pub(crate) fn skipped(reason: Skipped) -> SemanticReport {
        SemanticReport { skipped: Some(reason), ..SemanticReport::default() }
    }

    fn unavailable(problem: Problem) -> SemanticReport {
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

/// How near documents are to a question.
#[derive(Default)]
pub(crate) struct Nearness {
    by_chunk: FxHashMap<(VersionId, u32), f32>,
    by_file: FxHashMap<VersionId, f32>,
    top: f32,
    /// What the nearest document of the nearest file is worth, in relation to what the best text of
    /// the best file is.
    pub weight: f64,
}

impl Semantic {
    /// How near the documents that words found are to the question, and others that are nearest.
    /// `sure` is how sure words alone are of the answer, from 0 to 1: the surer, the less meaning
    /// counts, and never more than `cap`.
    pub(crate) fn nearness(
        &self,
        snapshot: &Snapshot,
        query: &str,
        found: &[TextHit],
        (sure, cap): (f64, f64),
        tuning: &SearchConfig,
    ) -> Result<(Nearness, SemanticReport)> {
        let unavailable = |problem| Ok((Nearness::default(), SemanticReport::unavailable(problem)));
        // Whatever the store has, here is nothing to compare with.
        if snapshot.view().totals.chunks == 0 {
            return Ok((Nearness::default(), SemanticReport::default()));
        }
        if sure >= self.config.lexical_short_circuit_threshold {
            return Ok((Nearness::default(), SemanticReport::skipped(Skipped::LexicalHighConfidence)));
        }
        let Some(embedder) = self.embedder.as_deref() else { return unavailable(Problem::NoModel) };
        let model = Header::of(embedder);
        // Nobody is asked for a vector that there is nothing to compare with.
        if !snapshot.has_vectors_of(model)? {
            return unavailable(Problem::NoVectors(embedder.id().to_string()));
        }
        let vector = match embedder.embed_query(query) {
            Ok(vector) => vector,
            Err(error) => return unavailable(Problem::Failed(error.to_string())),
        };
        let wanted: DocumentSet = found.iter().map(|hit| (hit.version, hit.chunk)).collect();
        let limit = match self.config.mode {
            SemanticMode::Hybrid => weights::multiplied(meaning::NEAREST, tuning.semantic_limit_multiplier),
            _ => 0,
        };
        let oversampling = weights::multiplied(meaning::OVERSAMPLING, tuning.semantic_fanout_multiplier);
        let limits = VectorLimits { nearest: limit, compared: limit * oversampling };
        let hits = snapshot.search_vectors(model, &vector, limits, &wanted)?.unwrap_or_default();
        let ratio = cap * (1.0 - meaning::LOST_TO_WORDS * sure);
        let mut nearness = Nearness { weight: ratio / (1.0 - ratio), ..Nearness::default() };
        let mut nearest: Option<&str> = None;
        let adds = |hit: &VectorHit| (limit > 0 && hit.score >= meaning::NEAR) || wanted.has(hit.version, hit.chunk);
        for hit in hits.iter().filter(|hit| adds(hit)) {
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
        let nearest = nearest.map(str::to_string);
        let model = Some(embedder.id().to_string());
        Ok((nearness, SemanticReport { ratio, model, nearest_path: nearest, ..SemanticReport::default() }))
    }
}

impl Nearness {
    /// Documents that are near, in no order.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = (VersionId, u32)> {
        self.by_chunk.keys().copied()
    }

    /// How near a document is, as a share of the nearest one or of what is very near.
    pub(crate) fn chunk(&self, version: VersionId, chunk: u32) -> f64 {
        self.share(self.by_chunk.get(&(version, chunk)))
    }

    /// The same for the nearest document of a file.
    pub(crate) fn file(&self, version: VersionId) -> f64 {
        self.share(self.by_file.get(&version))
    }

    fn share(&self, score: Option<&f32>) -> f64 {
        let score = score.copied().unwrap_or(0.0).max(0.0);
        f64::from(score / self.top.max(meaning::VERY_NEAR))
    }
}
