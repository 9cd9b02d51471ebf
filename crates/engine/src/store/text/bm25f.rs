//! Scores of a view's documents for the words of a query, by our own BM25F; see `index` for why it
//! is our own.
//!
//! A common word is in millions of documents of a very large tree. Each costs a few steps while it
//! is scored, and nothing afterwards: only the best, and those that the caller asks for, become
//! [hits](TextHit).

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use tantivy::postings::Postings as _;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet as _, SegmentReader, TERMINATED, Term};

use crate::error::Result;
use crate::model::VersionId;
use crate::store::error::AtStore as _;
use crate::store::facts::live_set::LiveItems;
use crate::store::text::index::{DocumentColumns, TextReader, inverse_frequency};
use crate::store::text::slots::Slots;
use crate::weights::{FIELDS, FieldWeights, text};

/// A chunk that matches a query.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TextHit {
    pub version: VersionId,
    pub chunk: u32,
    pub score: f32,
    /// Bit N is set when the query's term N occurs.
    pub matched: u64,
}

/// The counts by which the rarity of terms is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextStatistics<'a> {
    /// The number of chunks of all views that are searched.
    pub chunks: u64,
    /// Of each term the number of those with it; `None` if only this view is searched.
    pub frequencies: Option<&'a [u64]>,
}

impl TextStatistics<'_> {
    fn frequency(&self, term: usize, own: u64) -> u64 {
        self.frequencies.and_then(|all| all.get(term)).copied().unwrap_or(own)
    }
}

/// The live documents that hold a term, with their scores.
pub(crate) struct Scored<'a> {
    live: &'a LiveItems,
    segments: Vec<Segment<'a>>,
    /// Of each term its weight, multiplied by its rarity.
    rarities: Vec<f32>,
    /// The sum of these for the terms that no document has.
    unknown: f32,
}

/// A part of the index.
struct Segment<'a> {
    reader: &'a SegmentReader,
    columns: &'a DocumentColumns,
    slots: Slots,
    /// The documents with a term.
    found: Vec<u32>,
}

impl TextReader {
    /// Scores all live chunks with at least one of `terms`. `live` knows the documents of the view;
    /// each term has a weight.
    pub(crate) fn score<'a>(
        &'a self,
        terms: &[(String, f32)],
        live: &'a LiveItems,
        statistics: TextStatistics<'_>,
    ) -> Result<Scored<'a>> {
        let mut segments = Vec::new();
        for (reader, columns) in self.searcher.segment_readers().iter().zip(self.columns()?) {
            let slots = Slots::take(reader.max_doc() as usize);
            segments.push(Segment { reader, columns, slots, found: Vec::new() });
        }
        let mut touched: Vec<Vec<u32>> = vec![Vec::new(); segments.len()];
        let (mut rarities, mut unknown) = (Vec::with_capacity(terms.len()), 0.0);
        for (term_number, (term, weight)) in terms.iter().enumerate() {
            let mut document_frequency = 0;
            for (segment, touched) in segments.iter_mut().zip(&mut touched) {
                touched.clear();
                for (field, weights) in self.fields.scored.into_iter().zip(FIELDS) {
                    segment.count(field, weights, term, live, touched).at(&self.root)?;
                }
                document_frequency += touched.len() as u64;
            }
            let document_frequency = statistics.frequency(term_number, document_frequency);
            let rarity = inverse_frequency(statistics.chunks, document_frequency) * weight;
            rarities.push(rarity);
            if document_frequency == 0 {
                unknown += rarity;
            }
            for (segment, touched) in segments.iter_mut().zip(&touched) {
                segment.add(touched, rarity, 1 << term_number.min(63));
            }
        }
        Ok(Scored { live, segments, rarities, unknown })
    }

    /// Counts the live chunks with each of `terms`.
    pub(crate) fn document_frequencies(&self, terms: &[(String, f32)], live: &LiveItems) -> Result<Vec<u64>> {
        let mut counts = vec![0; terms.len()];
        for (reader, columns) in self.searcher.segment_readers().iter().zip(self.columns()?) {
            let mut seen = FixedBitSet::with_capacity(reader.max_doc() as usize);
            let mut touched = Vec::new();
            for ((term, _), count) in terms.iter().zip(&mut counts) {
                for field in self.fields.scored {
                    let is_live = |doc| columns.is_live(doc, live);
                    mark(reader, field, term, &is_live, &mut seen, &mut touched).at(&self.root)?;
                }
                *count += touched.len() as u64;
                touched.drain(..).for_each(|doc: u32| seen.remove(doc as usize));
            }
        }
        Ok(counts)
    }
}

/// Notes the live documents that have a term in one field, without counting it.
fn mark(
    reader: &SegmentReader,
    field: Field,
    term: &str,
    is_live: &dyn Fn(u32) -> bool,
    seen: &mut FixedBitSet,
    touched: &mut Vec<u32>,
) -> tantivy::Result<()> {
    let inverted = reader.inverted_index(field)?;
    let postings = inverted.read_postings(&Term::from_field_text(field, term), IndexRecordOption::Basic)?;
    let Some(mut postings) = postings else { return Ok(()) };
    while postings.doc() != TERMINATED {
        let doc = postings.doc();
        if !seen.contains(doc as usize) && !reader.is_deleted(doc) && is_live(doc) {
            seen.insert(doc as usize);
            touched.push(doc);
        }
        postings.advance();
    }
    Ok(())
}

impl Segment<'_> {
    /// Counts a term in one field of all live documents, and notes those that it is in.
    fn count(
        &mut self,
        field: Field,
        FieldWeights { weight, length_normalization: b, pivot, .. }: FieldWeights,
        term: &str,
        live: &LiveItems,
        touched: &mut Vec<u32>,
    ) -> tantivy::Result<()> {
        let inverted = self.reader.inverted_index(field)?;
        let term = Term::from_field_text(field, term);
        let postings = inverted.read_postings(&term, IndexRecordOption::WithFreqs)?;
        let Some(mut postings) = postings else { return Ok(()) };
        let norms = self.reader.get_fieldnorms_reader(field)?;
        while postings.doc() != TERMINATED {
            let doc = postings.doc();
            let frequency = &mut self.slots.frequency[doc as usize];
            // What another field has counted is known to be live.
            let is_counted = *frequency != 0.0;
            if is_counted || !self.reader.is_deleted(doc) && self.columns.is_live(doc, live) {
                if !is_counted {
                    touched.push(doc);
                }
                let norm = 1.0 - b + b * norms.fieldnorm(doc) as f32 / pivot;
                *frequency += weight * postings.term_freq() as f32 / norm;
            }
            postings.advance();
        }
        Ok(())
    }

    /// Adds what a term gives to the documents it is in.
    fn add(&mut self, touched: &[u32], rarity: f32, bit: u64) {
        for number in touched {
            let doc = *number as usize;
            let frequency = std::mem::take(&mut self.slots.frequency[doc]);
            self.slots.score[doc] += rarity * frequency * (text::K1 + 1.0) / (frequency + text::K1);
            if self.slots.matched[doc] == 0 {
                self.found.push(*number);
            }
            self.slots.matched[doc] |= bit;
        }
    }

    fn score(&self, doc: u32) -> f32 {
        self.slots.score[doc as usize]
    }

    fn hit(&self, doc: u32, live: &LiveItems) -> Option<TextHit> {
        let place = live.place(self.columns.origin(doc), || self.columns.number(doc));
        let (score, matched) = (self.score(doc), self.slots.matched[doc as usize]);
        place.map(|(version, chunk)| TextHit { version, chunk, score, matched })
    }
}

impl Drop for Scored<'_> {
    fn drop(&mut self) {
        for segment in &mut self.segments {
            std::mem::take(&mut segment.slots).keep(&segment.found);
        }
    }
}

impl Scored<'_> {
    /// Returns the number of documents.
    pub(crate) fn count(&self) -> usize {
        self.segments.iter().map(|segment| segment.found.len()).sum()
    }

    /// The `limit` best ones, with others that are as good as the last of them, in no order.
    pub(crate) fn best(&self, limit: usize) -> Vec<TextHit> {
        let least = self.least_of_best(limit);
        let is_best = |segment: &Segment<'_>, doc: u32| segment.score(doc) >= least;
        self.hits(&is_best)
    }

    /// Those of `wanted`, by version and chunk, that hold a term, in no order.
    pub(crate) fn among(&self, wanted: &FxHashSet<(VersionId, u32)>) -> Vec<TextHit> {
        let versions: FxHashSet<VersionId> = wanted.iter().map(|(version, _)| *version).collect();
        // Only where a document is another version's, too, its place tells more than its origin.
        let may_be = |segment: &Segment<'_>, doc: u32| {
            let origin = segment.columns.origin(doc);
            versions.contains(&origin) || !self.live.is_whole(origin)
        };
        let mut hits = self.hits(&may_be);
        hits.retain(|hit| wanted.contains(&(hit.version, hit.chunk)));
        hits
    }

    /// Those of `versions` that hold a term, in no order.
    pub(crate) fn of_versions(&self, versions: &FxHashSet<VersionId>) -> Vec<TextHit> {
        let may_be = |segment: &Segment<'_>, doc: u32| {
            let origin = segment.columns.origin(doc);
            versions.contains(&origin) || !self.live.is_whole(origin)
        };
        let mut hits = self.hits(&may_be);
        hits.retain(|hit| versions.contains(&hit.version));
        hits
    }

    /// Returns the share of the terms that any document has, by weight and rarity, from 0 to 1;
    /// `None` without terms.
    pub(crate) fn known(&self) -> Option<f64> {
        let all: f32 = self.rarities.iter().sum();
        (all > 0.0).then(|| f64::from(1.0 - self.unknown / all))
    }

    /// The weight of a term, multiplied by its rarity.
    pub(crate) fn rarity(&self, term: usize) -> f32 {
        self.rarities.get(term).copied().unwrap_or(0.0)
    }

    fn hits(&self, wanted: &dyn Fn(&Segment<'_>, u32) -> bool) -> Vec<TextHit> {
        let mut hits = Vec::new();
        for segment in &self.segments {
            let found = segment.found.iter().copied().filter(|doc| wanted(segment, *doc));
            hits.extend(found.filter_map(|doc| segment.hit(doc, self.live)));
        }
        hits
    }

    /// The least score of the `limit` best documents; less than all scores if there are no more
    /// than that.
    fn least_of_best(&self, limit: usize) -> f32 {
        /// Scores that are put aside before the best of them are chosen.
        const AT_ONCE: usize = 4096;
        if self.count() <= limit {
            return f32::NEG_INFINITY;
        }
        let Some(last) = limit.checked_sub(1) else { return f32::INFINITY };
        let (mut best, mut least) = (Vec::with_capacity(limit + AT_ONCE), f32::NEG_INFINITY);
        let cut = |best: &mut Vec<f32>| {
            if best.len() > limit {
                best.select_nth_unstable_by(last, |a, b| b.total_cmp(a));
                best.truncate(limit);
            }
            best.get(last).copied().unwrap_or(f32::NEG_INFINITY)
        };
        for segment in &self.segments {
            for doc in &segment.found {
                let score = segment.score(*doc);
                if score > least {
                    best.push(score);
                    if best.len() >= limit + AT_ONCE {
                        least = cut(&mut best);
                    }
                }
            }
        }
        cut(&mut best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::text::index::{ChunkDocument, Stamp, TextIndex};

    /// Two versions with thousands of chunks each that hold one or two of three words, more or less
    /// often.
    fn index(folder: &std::path::Path) -> TextIndex {
        let index = TextIndex::create(folder).unwrap();
        let mut writer = index.writer(15_000_000, 1).unwrap();
        for version in 1..=2_usize {
            let document = |number: usize| ChunkDocument {
                symbols: Vec::new(),
                name: if number.is_multiple_of(11) { "alpha".into() } else { String::new() },
                signature: String::new(),
                doc: String::new(),
                body: format!("{}{}", "beta ".repeat(number % 13), "gamma ".repeat((number + version) % 7)),
            };
            writer.add(VersionId(version as u32), "a.rs", (0..5000).map(document).collect()).unwrap();
            writer.commit(Stamp { high_water: version as i64, gc_epoch: 0 }).unwrap();
        }
        index
    }

    fn sorted(mut hits: Vec<TextHit>) -> Vec<TextHit> {
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| (a.version, a.chunk).cmp(&(b.version, b.chunk))));
        hits
    }

    #[test]
    fn the_best_are_the_first_of_all() {
        let folder = tempfile::tempdir().unwrap();
        let reader = index(folder.path()).reader().unwrap();
        let live = LiveItems::of([1, 2].into_iter().collect());
        let terms = ["alpha", "beta", "gamma"].map(|term| (term.to_string(), 1.0));
        let statistics = TextStatistics { chunks: 10_000, frequencies: None };
        let scored = reader.score(&terms, &live, statistics).unwrap();
        let all = sorted(scored.best(usize::MAX));
        assert_eq!(all.len(), scored.count());
        assert!((9_000..10_000).contains(&all.len()), "{}", all.len());
        for limit in [0, 1, 2, 300, 4_096, 5_000, all.len() - 1, all.len()] {
            let best = sorted(scored.best(limit));
            assert_eq!(best[..limit.min(best.len())], all[..limit], "{limit}");
            // Those that are as good as the last one, and no others.
            let least = limit.checked_sub(1).map_or(f32::INFINITY, |last| all[last].score);
            assert_eq!(best.len(), all.iter().filter(|hit| hit.score >= least).count(), "{limit}");
        }
        let wanted: FxHashSet<(VersionId, u32)> = all.iter().step_by(97).map(|hit| (hit.version, hit.chunk)).collect();
        let among: FxHashSet<_> = scored.among(&wanted).iter().map(|hit| (hit.version, hit.chunk)).collect();
        assert_eq!(among, wanted);
        // What holds no term is not there though it is asked for.
        assert!(scored.among(&[(VersionId(1), 13), (VersionId(3), 0)].into_iter().collect()).is_empty());
    }

    #[test]
    fn a_query_leaves_nothing_to_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let reader = index(folder.path()).reader().unwrap();
        let live = LiveItems::of([1, 2].into_iter().collect());
        let statistics = TextStatistics { chunks: 10_000, frequencies: None };
        let ask = |words: &[&str]| {
            let terms: Vec<(String, f32)> = words.iter().map(|word| (word.to_string(), 1.0)).collect();
            let scored = reader.score(&terms, &live, statistics).unwrap();
            let counts = reader.document_frequencies(&terms, &live).unwrap();
            (sorted(scored.best(usize::MAX)), counts)
        };
        let questions: [&[&str]; 4] = [&["alpha"], &["beta", "gamma"], &["gamma", "alpha", "beta"], &["nowhere"]];
        let first = questions.map(ask);
        // The number of documents is that of the hits, term by term.
        assert_eq!(first[0].1, [first[0].0.len() as u64]);
        assert_eq!(first[3], (Vec::new(), vec![0]));
        // Several at once, each after any other.
        std::thread::scope(|scope| {
            for turn in 0..4 {
                let (first, ask) = (&first, &ask);
                scope.spawn(move || {
                    for step in 0..20 {
                        let at = (turn + step * 3) % questions.len();
                        assert_eq!(ask(questions[at]), first[at]);
                    }
                });
            }
        });
    }
}
