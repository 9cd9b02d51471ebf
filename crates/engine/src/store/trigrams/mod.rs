//! Filters that tell which files cannot match a pattern, so that a text search of a large tree
//! reads few of them.
//!
//! The filter of a file version is a set of bits, a few for each different trigram of its text, and
//! each trigram sets one of them. A text has a trigram only if its bit is set. Case does not count:
//! texts and patterns are folded in the same way. Versions without a filter may match anything.

mod cache;
mod large_files;

pub(crate) use cache::{TrigramCache, TrigramTable};
pub(crate) use large_files::{ContentStamp, LargeFileFilters};

use std::cell::RefCell;

/// Bits of a filter for each different trigram. One in six of the others finds its bit set.
const BITS_PER_TRIGRAM: usize = 5;
const CHECKSUM_BYTES: usize = 4;
/// Words of a set of all trigrams.
const SET_WORDS: usize = 1 << (24 - 6);

/// Three bytes of a folded text, hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Trigram(u32);

impl Trigram {
    /// Returns the trigrams of a text that is [folded](fold), in order.
    pub(crate) fn of(folded: &[u8]) -> impl Iterator<Item = Trigram> {
        folded.windows(3).map(|bytes| Trigram::hashed(packed(bytes)))
    }

    fn hashed(packed: u32) -> Trigram {
        let mut hash = packed.wrapping_mul(0x9e37_79b1);
        hash ^= hash >> 15;
        hash = hash.wrapping_mul(0x85eb_ca77);
        Trigram(hash ^ (hash >> 13))
    }

    /// The number of its bit in a filter of so many bytes.
    fn bit(self, bytes: usize) -> usize {
        ((u64::from(self.0) * (bytes as u64 * 8)) >> 32) as usize
    }
}

fn packed(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |packed, byte| packed << 8 | u32::from(*byte))
}

/// Alternatives, each a list of trigrams that a text must have.
pub(crate) type RequiredTrigrams = Vec<Vec<Trigram>>;

/// Appends a text with its ASCII letters in lower case, and so the two letters of Unicode that
/// differ from one of these only in case.
pub(crate) fn fold(text: &[u8], folded: &mut Vec<u8>) {
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        (rest, _) = match (first, behind) {
            // The long s.
            (0xc5, [0xbf, behind @ ..]) => (behind, folded.push(b's')),
            // The Kelvin sign.
            (0xe2, [0x84, 0xaa, behind @ ..]) => (behind, folded.push(b'k')),
            _ => (behind, folded.push(first.to_ascii_lowercase())),
        };
    }
}

thread_local! {
    /// Empty between texts.
    static SET: RefCell<TrigramSet> = RefCell::new(TrigramSet::default());
}

/// Makes the filter of a text, with a checksum before it.
pub(crate) fn filter(text: &[u8]) -> Vec<u8> {
    let bits = SET.with_borrow_mut(|set| {
        set.add(text);
        set.take_bits()
    });
    [&blake3::hash(&bits).as_bytes()[..CHECKSUM_BYTES], &bits].concat()
}

/// The different trigrams of a text that is read in parts.
#[derive(Default)]
pub(crate) struct TrigramSet {
    /// A bit for each possible trigram.
    seen: Vec<u64>,
    distinct: Vec<u32>,
    /// The last part, folded, after the end of the part before it.
    folded: Vec<u8>,
}

impl TrigramSet {
    /// Adds the next part of the text, which begins and ends between characters.
    pub(crate) fn add(&mut self, part: &[u8]) {
        self.seen.resize(SET_WORDS, 0);
        let kept = self.folded.len().saturating_sub(2);
        self.folded.drain(..kept);
        fold(part, &mut self.folded);
        for bytes in self.folded.windows(3) {
            let packed = packed(bytes);
            let (word, bit) = (&mut self.seen[packed as usize >> 6], 1 << (packed & 63));
            if *word & bit == 0 {
                *word |= bit;
                self.distinct.push(packed);
            }
        }
    }

    /// Returns the bits of the filter and forgets the text.
    pub(crate) fn take_bits(&mut self) -> Vec<u8> {
        let mut bits = vec![0_u8; (self.distinct.len() * BITS_PER_TRIGRAM).div_ceil(8).max(1)];
        for packed in self.distinct.drain(..) {
            self.seen[packed as usize >> 6] = 0;
            let bit = Trigram::hashed(packed).bit(bits.len());
            bits[bit / 8] |= 1 << (bit % 8);
        }
        self.folded.clear();
        bits
    }
}

/// Returns the bits of a stored filter; `None` if it is damaged.
fn checked(stored: &[u8]) -> Option<&[u8]> {
    let (sum, bits) = stored.split_at_checked(CHECKSUM_BYTES)?;
    (!bits.is_empty() && sum == &blake3::hash(bits).as_bytes()[..CHECKSUM_BYTES]).then_some(bits)
}

/// Returns whether a text with these bits may have all trigrams of an alternative.
fn may_match(bits: &[u8], required: &RequiredTrigrams) -> bool {
    let is_set = |trigram: &Trigram| {
        let bit = trigram.bit(bits.len());
        bits[bit / 8] & (1 << (bit % 8)) != 0
    };
    required.iter().any(|trigrams| trigrams.iter().all(is_set))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trigrams(text: &str) -> Vec<Trigram> {
        let mut folded = Vec::new();
        fold(text.as_bytes(), &mut folded);
        Trigram::of(&folded).collect()
    }

    fn may_have(text: &str, part: &str) -> bool {
        may_match(checked(&filter(text.as_bytes())).unwrap(), &vec![trigrams(part)])
    }

    #[test]
    fn a_text_has_its_parts_in_any_case() {
        let text = "static int Kmalloc_Array(size_t n)\n\tGRÖSSE \u{17f}et \u{212a}elvin";
        for part in ["kmalloc_array(size", "STATIC", "n)\n\t", "set KELVIN", "ize_t", "ÖSSE", ""] {
            assert!(may_have(text, part), "{part}");
        }
        assert!(!may_have(text, "kmalloc_node") && !may_have("", "abc") && !may_have("ab", "abc"));
    }

    #[test]
    fn filters_rule_out_most_of_what_a_text_lacks() {
        let text: String = (0..400).map(|number| format!("word{number} ")).collect();
        let filter = filter(text.as_bytes());
        assert!(filter.len() < text.len() / 5 + CHECKSUM_BYTES);
        let absent = (0..1000).map(|number| format!("{:x}", number * 7919 + 1_000_000_007_u64));
        let passed = absent.filter(|part| may_match(checked(&filter).unwrap(), &vec![trigrams(part)])).count();
        assert!(passed < 10, "{passed}");
    }

    #[test]
    fn parts_of_a_text_are_joined() {
        let mut set = TrigramSet::default();
        ["static ", "i", "", "nt\n", "Kmalloc"].iter().for_each(|part| set.add(part.as_bytes()));
        let whole = filter("static int\nKmalloc".as_bytes());
        assert_eq!(Some(set.take_bits().as_slice()), checked(&whole));
        set.add(b"other");
        assert_eq!(Some(set.take_bits().as_slice()), checked(&filter(b"other")));
    }

    #[test]
    fn damage_is_noticed() {
        let mut filter = filter(b"some text");
        assert!(checked(&filter).is_some());
        filter[5] ^= 1;
        assert!(checked(&filter).is_none() && checked(&[]).is_none() && checked(&[0; 4]).is_none());
    }
}
