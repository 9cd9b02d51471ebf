//! The model inside the binary: a vector for each known piece of a word, and a weighted sum of them
//! for a text.
//!
//! It needs no library and no download, and encodes tens of thousands of functions a second.
//! `model/static-code-256/SPEC.md` says how the numbers are meant and where they come from.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use safetensors::SafeTensors;

use crate::tokenizer::Vocabulary;
use crate::{Document, EmbedError, Embedder, normalise};

static WEIGHTS: &[u8] = include_bytes!("../model/static-code-256/model.safetensors");
static VOCABULARY: &str = include_str!("../model/static-code-256/vocab.txt");

const DIMENSIONS: usize = 256;
/// An occurrence in the path counts as much as this many in the text.
const PATH_WEIGHT: u32 = 9;
/// A piece that occurs n times in a document counts n to this power.
const REPETITION: f32 = 0.65;
const MAX_TEXT_PIECES: usize = 1000;
const MAX_PATH_PIECES: usize = 60;

/// The static code model.
pub struct StaticModel {
    vocabulary: Vocabulary,
    table: &'static [u8],
    scale: Vec<f32>,
    /// The weights of small counts, by count: each to the power [`REPETITION`].
    powers: Vec<f32>,
}

/// Room for counting, kept from one text to the next.
#[derive(Default)]
struct Counts {
    by_piece: Vec<u32>,
    seen: Vec<u32>,
}

thread_local! {
    static COUNTS: RefCell<Counts> = RefCell::default();
}

impl StaticModel {
    /// The model that is part of this program.
    pub fn embedded() -> Result<Arc<StaticModel>, EmbedError> {
        static MODEL: OnceLock<Result<Arc<StaticModel>, String>> = OnceLock::new();
        let model = MODEL.get_or_init(|| StaticModel::read(WEIGHTS, VOCABULARY).map(Arc::new));
        model.clone().map_err(EmbedError::Model)
    }

    fn read(weights: &'static [u8], vocabulary: &'static str) -> Result<StaticModel, String> {
        let tensors = SafeTensors::deserialize(weights).map_err(|error| error.to_string())?;
        let tensor = |name: &str| tensors.tensor(name).map_err(|error| error.to_string());
        let (table, scale) = (tensor("table")?.data(), tensor("scale")?.data());
        let vocabulary = Vocabulary::new(vocabulary);
        if table.len() != vocabulary.len() * DIMENSIONS || scale.len() != vocabulary.len() * 2 {
            return Err("the table and the vocabulary are not of one size".into());
        }
        let scale = scale.as_chunks::<2>().0.iter().map(|bytes| half_to_single(u16::from_le_bytes(*bytes))).collect();
        let powers = (0..256).map(|count| (count as f32).powf(REPETITION)).collect();
        Ok(StaticModel { vocabulary, table, scale, powers })
    }

    fn encode(&self, count: impl FnOnce(&mut dyn FnMut(&str, usize, u32)), power: impl Fn(u32) -> f32) -> Vec<f32> {
        let mut sum = vec![0.0; DIMENSIONS];
        COUNTS.with_borrow_mut(|counts| {
            counts.by_piece.resize(self.vocabulary.len(), 0);
            count(&mut |text, limit, weight| {
                self.vocabulary.pieces(text, limit, &mut |piece| {
                    let slot = &mut counts.by_piece[piece as usize];
                    if *slot == 0 {
                        counts.seen.push(piece);
                    }
                    *slot += weight;
                });
            });
            for piece in counts.seen.drain(..) {
                let piece = piece as usize;
                let weight = power(std::mem::take(&mut counts.by_piece[piece])) * self.scale[piece];
                add_weighted(&mut sum, &self.table[piece * DIMENSIONS..(piece + 1) * DIMENSIONS], weight);
            }
        });
        normalise(&mut sum);
        sum
    }

    /// The vector of one document.
    pub fn document(&self, document: Document<'_>) -> Vec<f32> {
        let count = |add: &mut dyn FnMut(&str, usize, u32)| {
            add(document.text, MAX_TEXT_PIECES, 1);
            add(&path_text(document.path), MAX_PATH_PIECES, PATH_WEIGHT);
        };
        self.encode(count, |count| match self.powers.get(count as usize) {
            Some(power) => *power,
            None => (count as f32).powf(REPETITION),
        })
    }

    /// The vector of a question.
    pub fn query(&self, query: &str) -> Vec<f32> {
        self.encode(|add| add(query, usize::MAX, 1), |count| count as f32)
    }
}

impl Embedder for StaticModel {
    fn id(&self) -> &str {
        "static-code-256@1"
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn is_fast(&self) -> bool {
        true
    }

    fn embed_documents(&self, documents: &[Document<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(documents.iter().map(|document| self.document(*document)).collect())
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(self.query(query))
    }
}

/// Adds a row of the table, weighted.
#[multiversion::multiversion(targets("x86_64+avx2", "x86_64+sse4.1", "aarch64+neon"))]
fn add_weighted(sum: &mut [f32], row: &[u8], weight: f32) {
    for (sum, value) in sum.iter_mut().zip(row) {
        *sum += weight * f32::from(*value as i8);
    }
}

/// The last three names of a path without the extension.
fn path_text(path: &str) -> String {
    let names: Vec<&str> = path.split('/').collect();
    let text = names[names.len().saturating_sub(3)..].join(" ");
    match text.rsplit_once('.') {
        Some((stem, extension)) if extension.chars().count() <= 5 => stem.to_string(),
        _ => text,
    }
}

/// The value of a floating point number of 16 bits.
fn half_to_single(half: u16) -> f32 {
    let sign = if half & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(half >> 10 & 0x1f), f32::from(half & 0x3ff));
    match exponent {
        0 => sign * fraction * 2f32.powi(-24),
        0x1f if fraction == 0.0 => sign * f32::INFINITY,
        0x1f => f32::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_their_extension_and_far_folders() {
        assert_eq!(path_text("a/b/c/user_store.test.ts"), "b c user_store.test");
        assert_eq!(path_text("Makefile"), "Makefile");
        assert_eq!(path_text("docs/v1.version"), "docs v1.version");
    }

    #[test]
    fn halves_are_read() {
        let values = [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_95), (0x0001, 2f32.powi(-24)), (0, 0.0)];
        assert!(values.iter().all(|(half, single)| half_to_single(*half) == *single));
    }

    #[test]
    fn nothing_known_is_all_zeros() {
        let model = StaticModel::embedded().unwrap();
        assert!(model.query("☃ 1234567").iter().all(|x| *x == 0.0));
        assert!(model.document(Document { path: "", text: "" }).iter().all(|x| *x == 0.0));
    }
}
