//! Finds the nearest vectors by looking at all of them: nothing is built that depends on the order
//! in which a store grew, and a view's answer is the same whatever else the store holds. In large
//! views the signs of vectors are looked at first, and only those that seem near are compared.

use std::ops::Range;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;

use crate::model::VersionId;
use crate::parallel;
use crate::store::facts::live_set::LiveItems;
use crate::store::vectors::reader::VectorReader;
use crate::store::vectors::row::ZERO;
use crate::store::vectors::signs::{self, BitPlaneQuery, LiveRow, Signs};
use crate::weights::meaning;

/// Rows that are worth a thread of their own.
const PER_THREAD: usize = 50_000;
/// Rows that are looked at in one go.
const BLOCK: usize = 4096;
/// The largest value of a question's dimension; the sum over all dimensions stays far inside 32
/// bits.
const QUERY_SCALE: f32 = 8191.0;

/// A question, ready to be compared: its dimensions, those in the lower halves of bytes apart from
/// those in the upper.
pub(super) struct QuantizedQuery {
    lower: Vec<i16>,
    upper: Vec<i16>,
    /// The product of all dimensions with a row of half bytes that stand for zero.
    zero: i32,
}

impl QuantizedQuery {
    pub(super) fn new(query: &[f32]) -> QuantizedQuery {
        let value = |x: &f32| (x.clamp(-1.0, 1.0) * QUERY_SCALE) as i16;
        let lower: Vec<i16> = query.iter().step_by(2).map(value).collect();
        let mut upper: Vec<i16> = query.iter().skip(1).step_by(2).map(value).collect();
        upper.resize(lower.len(), 0);
        let zero = ZERO * lower.iter().chain(&upper).map(|x| i32::from(*x)).sum::<i32>();
        QuantizedQuery { lower, upper, zero }
    }
}

/// Documents of a view whose nearness is asked for, however far they are.
#[derive(Default)]
pub(crate) struct DocumentSet {
    versions: FixedBitSet,
    chunks: FxHashSet<(VersionId, u32)>,
}

impl DocumentSet {
    /// Returns whether the document is one of them.
    pub(crate) fn has(&self, version: VersionId, chunk: u32) -> bool {
        self.versions.contains(version.0 as usize) && self.chunks.contains(&(version, chunk))
    }
}

impl FromIterator<(VersionId, u32)> for DocumentSet {
    fn from_iter<T: IntoIterator<Item = (VersionId, u32)>>(chunks: T) -> DocumentSet {
        let chunks: FxHashSet<(VersionId, u32)> = chunks.into_iter().collect();
        DocumentSet { versions: chunks.iter().map(|(version, _)| version.0 as usize).collect(), chunks }
    }
}

/// A document of the view and its nearness to the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct VectorHit {
    pub version: VersionId,
    pub chunk: u32,
    /// The cosine of the angle between the two.
    pub score: f32,
}

impl VectorReader {
    /// The documents of the view that are nearest to the question, at most the limit, unsorted,
    /// with others that are as near as the last one; and those that are wanted. `documents` is how
    /// many the view has: where they are many, a few of the nearest may be missed.
    pub(crate) fn search(
        &self,
        query: &[f32],
        live: &LiveItems,
        documents: usize,
        limits: impl Into<VectorLimits>,
        wanted: &DocumentSet,
    ) -> Vec<VectorHit> {
        if query.len() != self.dimensions() {
            return Vec::new();
        }
        nearest(self, query, live, documents, limits.into(), wanted)
    }
}

impl VectorReader {
    /// Returns the sum of the vectors of some documents of the view; `None` when it has none of
    /// them.
    pub(crate) fn sum_of(&self, live: &LiveItems, documents: &DocumentSet) -> Option<Vec<f32>> {
        let mut sum: Option<Vec<f32>> = None;
        let mut rows = Vec::new();
        add_live_rows(self, live, 0..self.len(), &mut rows);
        rows.retain(|row| documents.has(row.version, row.chunk));
        // Rounding must not depend on the order of rows in the store.
        rows.sort_unstable_by_key(|row| row.chunk);
        for row in rows {
            let vector = self.row(row.row as usize).to_floats(self.dimensions());
            match &mut sum {
                Some(sum) => sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x),
                None => sum = Some(vector),
            }
        }
        sum
    }
}

/// The limits on the documents that a search by vector compares and returns.
#[derive(Clone, Copy)]
pub(crate) struct VectorLimits {
    /// The nearest documents.
    pub nearest: usize,
    /// Documents whose vectors are compared in full, in large views; the signs of vectors choose
    /// them.
    pub compared: usize,
}

impl From<usize> for VectorLimits {
    fn from(nearest: usize) -> VectorLimits {
        VectorLimits { nearest, compared: nearest.saturating_mul(meaning::OVERSAMPLING) }
    }
}

/// The documents of the view that are nearest to `query`, at most the limit, with others that are
/// as near as the last one, and those that are wanted. `documents` is how many the view has.
fn nearest(
    reader: &VectorReader,
    query: &[f32],
    live: &LiveItems,
    documents: usize,
    limits: VectorLimits,
    wanted: &DocumentSet,
) -> Vec<VectorHit> {
    // Only the view decides, or the answer would depend on what else the store holds.
    let signs = reader.signs.as_ref().filter(|_| documents >= signs::FROM);
    let probe = QuantizedQuery::new(query);
    let mut hits = match signs {
        Some(signs) => {
            let rows = seemingly_near(reader, signs, &BitPlaneQuery::new(query), live, limits.compared, wanted);
            let block = |range: Range<usize>, block: &mut Vec<LiveRow>| block.extend_from_slice(&rows[range]);
            compare(reader, &probe, rows.len(), limits.nearest, wanted, &block)
        }
        None => {
            let block = |range, block: &mut Vec<LiveRow>| add_live_rows(reader, live, range, block);
            compare(reader, &probe, reader.len(), limits.nearest, wanted, &block)
        }
    };
    hits.sort_unstable_by_key(|hit| (hit.version, hit.chunk));
    hits.dedup_by_key(|hit| (hit.version, hit.chunk));
    hits
}

/// Adds those of some rows that the view holds.
fn add_live_rows(reader: &VectorReader, live: &LiveItems, range: Range<usize>, rows: &mut Vec<LiveRow>) {
    for row in range {
        let item = reader.item(row);
        if let Some((version, chunk)) = live.place(item.origin, || item.number) {
            rows.push(LiveRow { row: row as u32, version, chunk });
        }
    }
}

/// Live rows that seem to be the `most` nearest, with others that seem as near as the last one, and
/// those that are wanted.
fn seemingly_near(
    reader: &VectorReader,
    signs: &Signs,
    question: &BitPlaneQuery,
    live: &LiveItems,
    most: usize,
    wanted: &DocumentSet,
) -> Vec<LiveRow> {
    let parts = in_parts(reader.len(), &|part| {
        let mut best = Best::new(most);
        let (mut rows, mut estimates) = (Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK));
        let mut asked_for = Vec::new();
        for start in part.clone().step_by(BLOCK) {
            rows.clear();
            add_live_rows(reader, live, start..(start + BLOCK).min(part.end), &mut rows);
            signs.estimate(question, &rows, &mut estimates);
            for (row, estimate) in rows.iter().zip(&estimates) {
                if wanted.has(row.version, row.chunk) { asked_for.push(*row) } else { best.add(*estimate, *row) }
            }
        }
        vec![(best, asked_for)]
    });
    let mut best = Best::new(most);
    let mut rows = Vec::new();
    for (of_part, asked_for) in parts {
        of_part.kept.into_iter().for_each(|(estimate, row)| best.add(estimate, row));
        rows.extend(asked_for);
    }
    best.cut();
    rows.extend(best.kept.into_iter().map(|(_, row)| row));
    rows
}

/// The items with the largest keys so far.
struct Best<T> {
    most: usize,
    /// Smaller keys are not among them.
    least: i32,
    kept: Vec<(i32, T)>,
    /// With so many the smallest are dropped.
    full: usize,
}

impl<T> Best<T> {
    fn new(most: usize) -> Best<T> {
        Best { most, least: i32::MIN, kept: Vec::new(), full: most.saturating_mul(2).max(BLOCK) }
    }

    fn add(&mut self, key: i32, item: T) {
        if key >= self.least && self.most > 0 {
            self.kept.push((key, item));
            if self.kept.len() >= self.full {
                self.cut();
                // Of many equal ones none is dropped: the next time there must be twice as many, or
                // each would be looked at for each that comes.
                self.full = self.full.max(self.kept.len().saturating_mul(2));
            }
        }
    }

    /// Drops what is too small. Equal keys are all kept, so that the order of rows does not matter.
    fn cut(&mut self) {
        if self.kept.len() > self.most {
            let (_, (least, _), _) = self.kept.select_nth_unstable_by(self.most - 1, |a, b| b.0.cmp(&a.0));
            self.least = *least;
            let least = *least;
            self.kept.retain(|(key, _)| *key >= least);
        }
    }
}

/// Compares the question with `count` rows, which `add_rows` gives in blocks. Returns those as near
/// as the nearest one behind the first `limit`, and those that are wanted, which may stand there
/// twice.
fn compare(
    reader: &VectorReader,
    probe: &QuantizedQuery,
    count: usize,
    limit: usize,
    wanted: &DocumentSet,
    add_rows: &(dyn Fn(Range<usize>, &mut Vec<LiveRow>) + Sync),
) -> Vec<VectorHit> {
    let most = if limit == 0 { 0 } else { limit.saturating_add(1) };
    let parts = in_parts(count, &|part| {
        let mut best = Best::new(most);
        let mut asked_for = Vec::new();
        let (mut rows, mut products) = (Vec::with_capacity(BLOCK), vec![0; BLOCK]);
        for start in part.clone().step_by(BLOCK) {
            rows.clear();
            add_rows(start..(start + BLOCK).min(part.end), &mut rows);
            dot_products(reader, probe, &rows, &mut products);
            for (row, product) in rows.iter().zip(&products) {
                let score = *product as f32 / QUERY_SCALE * reader.scale(row.row as usize);
                let hit = VectorHit { version: row.version, chunk: row.chunk, score };
                best.add(order(score), hit);
                if wanted.has(row.version, row.chunk) {
                    asked_for.push(hit);
                }
            }
        }
        vec![(best, asked_for)]
    });
    let mut best = Best::new(most);
    let mut hits = Vec::new();
    for (of_part, asked_for) in parts {
        of_part.kept.into_iter().for_each(|(key, hit)| best.add(key, hit));
        hits.extend(asked_for);
    }
    best.cut();
    hits.extend(best.kept.into_iter().map(|(_, hit)| hit));
    hits
}

/// Returns a number that is larger for a larger score, and the same for both zeros.
fn order(score: f32) -> i32 {
    let bits = (score + 0.0).to_bits() as i32;
    if bits < 0 { bits ^ i32::MAX } else { bits }
}

/// Runs `work` on parts of so many rows, several at once if there are many; results stay in order.
fn in_parts<T: Send>(rows: usize, work: &(dyn Fn(Range<usize>) -> Vec<T> + Sync)) -> Vec<T> {
    let threads = parallel::cores().min(rows / PER_THREAD + 1);
    if threads == 1 {
        return work(0..rows);
    }
    let size = rows.div_ceil(threads);
    std::thread::scope(|scope| {
        let parts = (0..rows).step_by(size).map(|start| start..(start + size).min(rows));
        let parts: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        parts.into_iter().flat_map(|part| part.join().unwrap_or_default()).collect()
    })
}

// Loops by number, not closures or iterators: those are functions of their own, which may be
// compiled apart from it and left out of the code for the larger registers.
#[multiversion::multiversion(targets("x86_64+avx2", "x86_64+sse4.2", "aarch64+neon"))]
fn dot_products(reader: &VectorReader, probe: &QuantizedQuery, rows: &[LiveRow], products: &mut [i32]) {
    let (all, size) = reader.all_bytes();
    let lower = &probe.lower[..size];
    let upper = &probe.upper[..size];
    let mut number = 0;
    while number < rows.len() {
        let start = rows[number].row as usize * size;
        let values = &all[start..start + size];
        let (mut sum, mut at) = (0, 0);
        while at < size {
            let value = values[at];
            sum += i32::from(lower[at]) * i32::from(value & 15) + i32::from(upper[at]) * i32::from(value >> 4);
            at += 1;
        }
        products[number] = sum - probe.zero;
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use fixedbitset::FixedBitSet;

    use super::*;
    use crate::store::facts::shared_items::Item;
    use crate::store::vectors::{Header, QuantizedVector, VectorWriter};

    const DIMENSIONS: usize = 64;

    /// Numbers that look random and are always the same.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> f32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
        }

        fn vector(&mut self, around: Option<&[f32]>) -> Vec<f32> {
            let mut vector: Vec<f32> = (0..DIMENSIONS).map(|_| self.next()).collect();
            if let Some(around) = around {
                vector.iter_mut().zip(around).for_each(|(x, center)| *x = *x * 0.1 + center);
            }
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            vector.iter().map(|x| x / length).collect()
        }
    }

    fn write(folder: &std::path::Path, vectors: &[Vec<f32>]) -> VectorReader {
        let mut writer = VectorWriter::create(folder, 1, Header::new("test", DIMENSIONS)).unwrap();
        for (vector, number) in vectors.iter().zip(0..) {
            // Version 1 has one document in two, version 2 the others.
            let item = Item { origin: VersionId(1 + number % 2), number: number / 2 };
            writer.add(item, &QuantizedVector::new(vector)).unwrap();
        }
        writer.flush().unwrap();
        VectorReader::open(folder, 1, vectors.len() as i64).unwrap()
    }

    fn all_live() -> LiveItems {
        LiveItems::of(FixedBitSet::from_iter([1, 2]))
    }

    #[test]
    fn nearest_are_those_of_the_plain_product() {
        let folder = tempfile::tempdir().unwrap();
        let mut numbers = Numbers(1);
        let vectors: Vec<Vec<f32>> = (0..500).map(|_| numbers.vector(None)).collect();
        let reader = write(folder.path(), &vectors);
        let query = numbers.vector(None);
        let mut hits = reader.search(&query, &all_live(), 500, 10, &DocumentSet::default());
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        let product = |vector: &Vec<f32>| vector.iter().zip(&query).map(|(a, b)| a * b).sum::<f32>();
        let mut wanted: Vec<(f32, u32)> = vectors.iter().map(product).zip(0..).collect();
        wanted.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (hit, (score, _)) in hits.iter().zip(&wanted) {
            let number = hit.chunk * 2 + hit.version.0 - 1;
            let own = wanted.iter().find(|(_, other)| *other == number).unwrap().0;
            // Rounding may swap neighbours.
            assert!((hit.score - own).abs() < 0.03 && (own - score).abs() < 0.06, "{hit:?} {own} {score}");
        }
        // Of one version only, and one that is asked for though it is far.
        let live = LiveItems::of(FixedBitSet::from_iter([2]));
        let far = wanted.iter().rev().find(|(_, number)| number % 2 == 1).unwrap().1;
        let wanted = DocumentSet::from_iter([(VersionId(2), far / 2)]);
        let hits = reader.search(&query, &live, 250, 3, &wanted);
        assert!(hits.iter().all(|hit| hit.version.0 == 2) && hits.iter().any(|hit| hit.chunk == far / 2));
        assert!(reader.search(&query[1..], &live, 250, 3, &wanted).is_empty());
    }

    #[test]
    fn half_bytes_lose_hardly_anything() {
        let folder = tempfile::tempdir().unwrap();
        let mut numbers = Numbers(2);
        let centers: Vec<Vec<f32>> = (0..200).map(|_| numbers.vector(None)).collect();
        let count = PER_THREAD + 10_000;
        let vectors: Vec<Vec<f32>> = (0..count).map(|n| numbers.vector(Some(&centers[n % 200]))).collect();
        let reader = write(folder.path(), &vectors);
        let mut found = 0;
        for n in 0..10 {
            let query = numbers.vector(Some(&centers[n * 7]));
            let mut exact: Vec<(f32, u32)> =
                vectors.iter().map(|vector| vector.iter().zip(&query).map(|(a, b)| a * b).sum()).zip(0..).collect();
            exact.sort_by(|a, b| b.0.total_cmp(&a.0));
            let hits = reader.search(&query, &all_live(), count, 300, &DocumentSet::default());
            let has = |number: u32| hits.iter().any(|hit| hit.chunk * 2 + hit.version.0 - 1 == number);
            found += exact[..300].iter().filter(|(_, number)| has(*number)).count();
        }
        assert!(found >= 2900, "{found} of 3000");
    }

    #[test]
    fn the_order_of_rows_does_not_matter() {
        let mut numbers = Numbers(3);
        // Many are equal, so that a limit could cut through them.
        let few: Vec<Vec<f32>> = (0..5).map(|_| numbers.vector(None)).collect();
        let vectors: Vec<Vec<f32>> = (0..200).map(|n| few[n % 5].clone()).collect();
        let folder = tempfile::tempdir().unwrap();
        let hits = write(folder.path(), &vectors).search(&few[0], &all_live(), 200, 10, &DocumentSet::default());
        assert_eq!(hits.len(), 40);
    }

    /// As many as this took minutes when each one made all of them be looked at.
    #[test]
    fn equal_ones_are_all_kept() {
        let live = |row| LiveRow { row, chunk: row, version: VersionId(1) };
        let mut best = Best::new(100);
        for row in 0..100_000 {
            best.add(i32::from(row >= 50_000), live(row));
        }
        best.cut();
        assert_eq!(best.kept.len(), 50_000);
        assert!(best.kept.iter().all(|(estimate, row)| *estimate == 1 && row.row >= 50_000));
        best.add(0, live(0));
        assert_eq!(best.kept.len(), 50_000);
    }

    #[test]
    fn signs_find_what_is_near() {
        let folder = tempfile::tempdir().unwrap();
        let mut numbers = Numbers(4);
        let centers: Vec<Vec<f32>> = (0..500).map(|_| numbers.vector(None)).collect();
        let vectors: Vec<Vec<f32>> =
            (0..signs::FROM).map(|n| numbers.vector(Some(&centers[n * 7 % centers.len()]))).collect();
        let reader = write(folder.path(), &vectors);
        let (live, none) = (all_live(), DocumentSet::default());
        let mut found = 0;
        for center in centers.iter().step_by(50) {
            let query = numbers.vector(Some(center));
            let exact = reader.search(&query, &live, signs::FROM - 1, 100, &none);
            let quick = reader.search(&query, &live, signs::FROM, 100, &none);
            found += exact.iter().filter(|hit| quick.contains(hit)).count();
        }
        assert!(found >= 990, "{found} of 1000");
        // The farthest is there if it is wanted.
        let far = reader.search(&centers[0].iter().map(|x| -x).collect::<Vec<_>>(), &live, 0, 1, &none)[0];
        let wanted = DocumentSet::from_iter([(far.version, far.chunk)]);
        let hits = reader.search(&centers[0], &live, signs::FROM, 10, &wanted);
        assert!(hits.iter().any(|hit| (hit.version, hit.chunk) == (far.version, far.chunk)));
        // Without signs all rows are compared.
        std::fs::remove_file(super::super::folder(folder.path()).join(signs::name(1))).unwrap();
        let bare = VectorReader::open(folder.path(), 1, vectors.len() as i64).unwrap();
        let exact = reader.search(&centers[3], &live, 0, 100, &none);
        assert_eq!(bare.search(&centers[3], &live, signs::FROM, 100, &none), exact);
    }
}
