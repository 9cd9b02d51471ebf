//! Batches of texts that go through the model together.
//!
//! All texts of a run must have one width and are filled up to it. Sums over a wider row may differ
//! in the last bit, so the width of a text follows from its own length, never from its neighbours:
//! texts of one width share a run.

use std::collections::BTreeMap;

/// Tokens in one run, at most; it bounds the memory. A single text may be longer.
const MAX_TOKENS_A_RUN: usize = 4096;
const LEAST_STEP: usize = 8;

/// Texts that go through the model together.
#[derive(Debug, PartialEq)]
pub(super) struct Batch {
    /// Tokens of each row, padding included.
    pub(super) width: usize,
    /// The indexes of its texts.
    pub(super) members: Vec<usize>,
}

/// Puts texts of like length together. Texts without tokens are left out.
pub(super) fn plan(texts: &[Vec<i32>], max_tokens: usize, batch_size: usize) -> Vec<Batch> {
    let mut by_width: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, tokens) in texts.iter().enumerate().filter(|(_, tokens)| !tokens.is_empty()) {
        by_width.entry(width(tokens.len(), max_tokens)).or_default().push(place);
    }
    let batches = by_width.into_iter().flat_map(|(width, members)| {
        let rows = (MAX_TOKENS_A_RUN / width).clamp(1, batch_size);
        members.chunks(rows).map(|members| Batch { width, members: members.to_vec() }).collect::<Vec<_>>()
    });
    batches.collect()
}

/// The length rounded up by an eighth or less of the next power of two: few widths, little padding.
fn width(length: usize, max_tokens: usize) -> usize {
    let step = (length.next_power_of_two() / 8).max(LEAST_STEP);
    length.next_multiple_of(step).min(max_tokens.max(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_follow_from_the_length() {
        let widths = [1, 8, 9, 65, 70, 129, 500, 512].map(|length| width(length, 512));
        assert_eq!(widths, [8, 8, 16, 80, 80, 160, 512, 512]);
        assert_eq!(width(99, 100), 100);
        assert_eq!(width(5, 5), 5);
    }

    #[test]
    fn texts_of_one_width_share_a_run() {
        let texts: Vec<Vec<i32>> = [3, 0, 20, 5, 8, 6].iter().map(|length| vec![1; *length]).collect();
        let expected = [
            Batch { width: 8, members: vec![0, 3, 4] },
            Batch { width: 8, members: vec![5] },
            Batch { width: 24, members: vec![2] },
        ];
        assert_eq!(plan(&texts, 512, 3), expected);
        let long: Vec<Vec<i32>> = vec![vec![1; 5000]; 2];
        assert_eq!(plan(&long, 8192, 32).len(), 2);
    }
}
