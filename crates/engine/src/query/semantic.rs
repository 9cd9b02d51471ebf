//! What code means, beside the words it is made of: nearness of vectors as evidence for an answer.

use std::fmt;
use std::sync::Arc;

use codecompass_embed::{Embedder, StaticModel};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::{SemanticConfig, SemanticMode};
use crate::error::Result;
use crate::model::VersionId;
use crate::store::Snapshot;
use crate::store::text::TextHit;
use crate::store::vectors::{Header, VectorHit};

/// What makes vectors of questions, and how much they count.
#[derive(Clone)]
pub struct Semantic {
    /// What made the vectors of the index.
    pub embedder: Arc<dyn Embedder>,
    /// How much they count.
    pub config: SemanticConfig,
}

impl Semantic {
    /// The model inside the program, with the usual settings; `None` when it cannot be used.
    pub fn built_in() -> Option<Semantic> {
        let embedder = StaticModel::embedded().ok()?;
        Some(Semantic { embedder, config: SemanticConfig::default() })
    }
}

impl fmt::Debug for Semantic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Semantic").field("embedder", &self.embedder.id()).field("config", &self.config).finish()
    }
}

/// Why meaning was not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skipped {
    /// The query is a name, a path or an error message.
    IntentNotNl,
    /// Words alone are sure of the answer.
    LexicalHighConfidence,
    /// It is switched off.
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

/// What meaning had to do with an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SemanticReport {
    /// Why it had nothing to do with it.
    pub skipped: Option<Skipped>,
    /// The share it had in the evidence.
    pub ratio: f64,
    /// What made the vectors that were compared.
    pub model: Option<String>,
    /// The file of the nearest document.
    pub(super) nearest_path: Option<String>,
}

impl SemanticReport {
    pub(super) fn skipped(reason: Skipped) -> SemanticReport {
        SemanticReport { skipped: Some(reason), ..SemanticReport::default() }
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

/// The `limit` pieces of code that are nearest to `query` by meaning alone, nearest first; none when there are no vectors.
pub fn nearest(snapshot: &Snapshot, semantic: &Semantic, query: &str, limit: usize) -> Result<Vec<Near>> {
    let Ok(vector) = semantic.embedder.embed_query(query) else { return Ok(Vec::new()) };
    let model = Header::of(semantic.embedder.as_ref());
    let mut hits = snapshot.search_vectors(model, &vector, limit, &|_, _| false)?.unwrap_or_default();
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

/// Documents that meaning alone may add.
const NEAREST: usize = 100;
/// What is less near than this is not found by meaning.
const NEAR: f32 = 0.3;
/// What is as near as this is as good as can be hoped for; a nearest document that is farther counts for less.
const VERY_NEAR: f32 = 0.5;

/// How near documents are to a question.
#[derive(Default)]
pub(super) struct Nearness {
    by_chunk: FxHashMap<(VersionId, u32), f32>,
    by_file: FxHashMap<VersionId, f32>,
    top: f32,
    /// What the nearest document of the nearest file is worth, in relation to what the best text of the best file is.
    pub weight: f64,
}

impl Semantic {
    /// How near the documents that words found are to the question, and others that are nearest. `sure` is how sure words
    /// alone are of the answer, from 0 to 1: the surer, the less meaning counts.
    pub(super) fn nearness(
        &self,
        snapshot: &Snapshot,
        query: &str,
        found: &[TextHit],
        sure: f64,
    ) -> Result<(Nearness, SemanticReport)> {
        let skipped = |reason| Ok((Nearness::default(), SemanticReport::skipped(reason)));
        if sure >= self.config.lexical_short_circuit_threshold {
            return skipped(Skipped::LexicalHighConfidence);
        }
        let Ok(vector) = self.embedder.embed_query(query) else { return skipped(Skipped::ModelUnavailable) };
        let wanted: FxHashSet<(VersionId, u32)> = found.iter().map(|hit| (hit.version, hit.chunk)).collect();
        let limit = if self.config.mode == SemanticMode::Hybrid { NEAREST } else { 0 };
        let is_wanted = |version: VersionId, chunk: u32| wanted.contains(&(version, chunk));
        let model = Header::of(self.embedder.as_ref());
        let Some(hits) = snapshot.search_vectors(model, &vector, limit, &is_wanted)? else {
            return skipped(Skipped::ModelUnavailable);
        };
        let ratio = self.config.ratio.clamp(0.0, 0.9) * (1.0 - sure / 2.0);
        let mut nearness = Nearness { weight: ratio / (1.0 - ratio), ..Nearness::default() };
        let mut nearest = None;
        let adds = |hit: &VectorHit| (limit > 0 && hit.score >= NEAR) || is_wanted(hit.version, hit.chunk);
        for hit in hits.iter().filter(|hit| adds(hit)) {
            nearness.by_chunk.insert((hit.version, hit.chunk), hit.score);
            let file = nearness.by_file.entry(hit.version).or_default();
            *file = file.max(hit.score);
            if hit.score > nearness.top {
                nearness.top = hit.score;
                nearest = snapshot.path_of(hit.version).map(str::to_string);
            }
        }
        let model = Some(self.embedder.id().to_string());
        Ok((nearness, SemanticReport { skipped: None, ratio, model, nearest_path: nearest }))
    }
}

impl Nearness {
    /// Documents that are near, in no order.
    pub(super) fn chunks(&self) -> impl Iterator<Item = (VersionId, u32)> {
        self.by_chunk.keys().copied()
    }

    /// How near a document is, as a share of the nearest one or of what is very near.
    pub(super) fn chunk(&self, version: VersionId, chunk: u32) -> f64 {
        self.share(self.by_chunk.get(&(version, chunk)))
    }

    /// The same for the nearest document of a file.
    pub(super) fn file(&self, version: VersionId) -> f64 {
        self.share(self.by_file.get(&version))
    }

    fn share(&self, score: Option<&f32>) -> f64 {
        let score = score.copied().unwrap_or(0.0).max(0.0);
        f64::from(score / self.top.max(VERY_NEAR))
    }
}
