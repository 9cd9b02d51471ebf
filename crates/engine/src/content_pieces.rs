//! Contents of files in pieces, by which a file is found under another path: lines, or 64 bytes of
//! longer ones. Their order does not count. Git measures the similarity of files in the same way.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

/// The most bytes of a piece.
const MAX_BYTES: usize = 64;

/// The pieces of a content.
pub(crate) struct ContentPieces {
    /// Hashes of pieces, sorted, each with the bytes in the pieces that have it.
    sizes: Vec<(u64, u64)>,
}

impl ContentPieces {
    /// Cuts a content into pieces. In texts the two kinds of line ends are the same.
    pub(crate) fn new(bytes: &[u8], is_text: bool) -> ContentPieces {
        let mut sizes: FxHashMap<u64, u64> = FxHashMap::default();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let unix = line.strip_suffix(b"\r\n").filter(|_| is_text);
            let (line, end) = unix.map_or((line, &[][..]), |line| (line, b"\n"));
            let mut rest = line;
            while rest.len() + end.len() > MAX_BYTES {
                let (piece, after) = rest.split_at(MAX_BYTES.min(rest.len()));
                add(&mut sizes, piece, &[]);
                rest = after;
            }
            if rest.len() + end.len() > 0 {
                add(&mut sizes, rest, end);
            }
        }
        let mut sizes: Vec<(u64, u64)> = sizes.into_iter().collect();
        sizes.sort_unstable();
        ContentPieces { sizes }
    }

    /// Returns the bytes in pieces that both have.
    pub(crate) fn common_bytes(&self, other: &ContentPieces) -> u64 {
        let mut theirs = other.sizes.iter().peekable();
        let mut common = 0;
        for (hash, size) in &self.sizes {
            while theirs.next_if(|(other, _)| other < hash).is_some() {}
            common += theirs.next_if(|(other, _)| other == hash).map_or(0, |(_, other)| *size.min(other));
        }
        common
    }
}

fn add(sizes: &mut FxHashMap<u64, u64>, piece: &[u8], end: &[u8]) {
    let mut hasher = FxHasher::default();
    let size = (piece.len() + end.len()) as u64;
    piece.iter().chain(end).for_each(|byte| hasher.write_u8(*byte));
    hasher.write_u64(size);
    *sizes.entry(hasher.finish()).or_default() += size;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(a: &str, b: &str) -> u64 {
        ContentPieces::new(a.as_bytes(), true).common_bytes(&ContentPieces::new(b.as_bytes(), true))
    }

    #[test]
    fn lines_in_any_order() {
        assert_eq!(common("one\ntwo\nthree\n", "three\none\nfour\n"), 10);
        assert_eq!(common("one\none\n", "one\n"), 4);
        assert_eq!(common("one\r\ntwo", "one\ntwo"), 7);
        assert_eq!(common("", "one\n"), 0);
    }

    #[test]
    fn long_lines_are_cut() {
        let (start, end) = ("a".repeat(64), "b".repeat(10));
        assert_eq!(common(&format!("{start}{end}\n"), &format!("{start}c\n")), 64);
        assert_eq!(common(&format!("{start}\r\n"), &format!("{start}\n")), 65);
    }
}
