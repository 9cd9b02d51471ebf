//! Finds the nearest vectors by looking at all of them: nothing is built, so nothing depends on the order in which a
//! store grew, and a view's answer is the same whatever else the store holds.
//!
//! Up to [`EXACT`] live rows every one is compared in full. Beyond that the signs come first, an eighth of the memory to
//! read: the rows whose signs agree best with the question's are compared in full, the others not at all.

use super::reader::{VectorHit, VectorReader};
use crate::model::VersionId;
use crate::store::live::LiveItems;

/// Up to this many live rows are compared in full.
pub(super) const EXACT: usize = 60_000;
/// How many of more than that are.
const CHOSEN: usize = 8_000;
/// Rows that are worth a thread of their own.
const PER_THREAD: usize = 20_000;
/// The largest value of a question's dimension; the sum over all dimensions stays far inside 32 bits.
const QUERY_SCALE: f32 = 8191.0;

/// A question, ready to be compared.
pub(super) struct Probe {
    values: Vec<i16>,
    signs: Vec<u8>,
}

impl Probe {
    pub(super) fn new(query: &[f32]) -> Probe {
        let signs = query
            .chunks(8)
            .map(|chunk| chunk.iter().zip(0..8).fold(0, |bits, (x, at)| bits | u8::from(*x > 0.0) << at));
        Probe {
            values: query.iter().map(|x| (x.clamp(-1.0, 1.0) * QUERY_SCALE) as i16).collect(),
            signs: signs.collect(),
        }
    }
}

/// A live row and where its document stands.
#[derive(Clone, Copy)]
struct Live {
    row: u32,
    chunk: u32,
    version: VersionId,
}

pub(super) fn nearest(
    reader: &VectorReader,
    probe: &Probe,
    live: &LiveItems,
    limit: usize,
    is_wanted: &dyn Fn(VersionId, u32) -> bool,
) -> Vec<VectorHit> {
    let mut rows: Vec<Live> = Vec::new();
    for row in 0..reader.len() {
        let item = reader.item(row);
        let place = live.place(item.origin, || item.number);
        rows.extend(place.map(|(version, chunk)| Live { row: row as u32, version, chunk }));
    }
    let wanted: Vec<Live> = rows.iter().filter(|row| is_wanted(row.version, row.chunk)).copied().collect();
    if rows.len() > EXACT {
        keep_agreeing(reader, probe, &mut rows);
    }
    let mut hits = compare(reader, probe, &rows);
    if hits.len() > limit {
        let (_, last, _) = hits.select_nth_unstable_by(limit, |a, b| b.score.total_cmp(&a.score));
        let least = last.score;
        // Equal scores are all kept or the answer would depend on the order of rows.
        hits.retain(|hit| hit.score >= least);
    }
    hits.extend(compare(reader, probe, &wanted));
    hits.sort_unstable_by_key(|hit| (hit.version, hit.chunk));
    hits.dedup_by_key(|hit| (hit.version, hit.chunk));
    hits
}

/// Keeps the [`CHOSEN`] rows whose signs agree best with the question's, and those that agree as well as the last one.
fn keep_agreeing(reader: &VectorReader, probe: &Probe, rows: &mut Vec<Live>) {
    let distances = in_parts(rows, &|part| {
        let mut distances = vec![0; part.len()];
        sign_distances(reader, probe, part, &mut distances);
        distances
    });
    let mut counts = vec![0_usize; probe.signs.len() * 8 + 1];
    for distance in &distances {
        counts[*distance as usize] += 1;
    }
    let mut seen = 0;
    let enough = counts.iter().position(|count| {
        seen += count;
        seen >= CHOSEN
    });
    let most = enough.unwrap_or(counts.len()) as u32;
    let mut distances = distances.into_iter();
    rows.retain(|_| distances.next().is_some_and(|distance| distance <= most));
}

fn compare(reader: &VectorReader, probe: &Probe, rows: &[Live]) -> Vec<VectorHit> {
    in_parts(rows, &|part| {
        let mut products = vec![0; part.len()];
        dot_products(reader, probe, part, &mut products);
        let hit = |(row, product): (&Live, i32)| VectorHit {
            version: row.version,
            chunk: row.chunk,
            score: product as f32 / QUERY_SCALE * reader.scale(row.row as usize),
        };
        part.iter().zip(products).map(hit).collect()
    })
}

/// Runs `work` on parts of `rows`, several at once if there are many; results stay in order.
fn in_parts<T: Send>(rows: &[Live], work: &(dyn Fn(&[Live]) -> Vec<T> + Sync)) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(rows.len() / PER_THREAD + 1);
    if threads == 1 {
        return work(rows);
    }
    let size = rows.len().div_ceil(threads);
    std::thread::scope(|scope| {
        let parts: Vec<_> = rows.chunks(size).map(|part| scope.spawn(move || work(part))).collect();
        parts.into_iter().flat_map(|part| part.join().unwrap_or_default()).collect()
    })
}

#[multiversion::multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt", "x86_64+sse4.2+popcnt", "aarch64+neon"))]
fn dot_products(reader: &VectorReader, probe: &Probe, rows: &[Live], products: &mut [i32]) {
    for (row, product) in rows.iter().zip(products) {
        let values = reader.bytes(row.row as usize);
        *product = probe.values.iter().zip(values).map(|(q, d)| i32::from(*q) * i32::from(*d as i8)).sum();
    }
}

#[multiversion::multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt", "x86_64+sse4.2+popcnt", "aarch64+neon"))]
fn sign_distances(reader: &VectorReader, probe: &Probe, rows: &[Live], distances: &mut [u32]) {
    for (row, distance) in rows.iter().zip(distances) {
        let signs = reader.signs(row.row as usize);
        let (words, rest) = signs.as_chunks::<8>();
        let (own_words, own_rest) = probe.signs.as_chunks::<8>();
        let of_words =
            words.iter().zip(own_words).map(|(a, b)| (u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b)).count_ones());
        let of_rest = rest.iter().zip(own_rest).map(|(a, b)| (a ^ b).count_ones());
        *distance = of_words.sum::<u32>() + of_rest.sum::<u32>();
    }
}
