//! Batches for the providers' limits, and checks of their answers.

use std::ops::Range;

use crate::EmbedError;

/// Splits a list of sizes into runs of at most `max_count` that are together at most `max_bytes`;
/// one that is larger stands alone.
pub(super) fn batches(sizes: &[usize], max_count: usize, max_bytes: usize) -> Vec<Range<usize>> {
    let mut batches: Vec<Range<usize>> = Vec::new();
    let mut bytes = 0_usize;
    for (at, size) in sizes.iter().enumerate() {
        bytes = bytes.saturating_add(*size);
        match batches.last_mut() {
            Some(batch) if batch.len() < max_count && bytes <= max_bytes => batch.end = at + 1,
            _ => {
                batches.push(at..at + 1);
                bytes = *size;
            }
        }
    }
    batches
}

/// Puts `count` numbered things in order; each number must occur once.
pub(super) fn in_order<T>(count: usize, items: impl Iterator<Item = (usize, T)>) -> Result<Vec<T>, EmbedError> {
    let mut places: Vec<Option<T>> = Vec::new();
    places.resize_with(count, || None);
    for (index, item) in items {
        match places.get_mut(index) {
            Some(place @ None) => *place = Some(item),
            Some(Some(_)) => return Err(EmbedError::Malformed("an index occurs twice".into())),
            None => return Err(EmbedError::Malformed("an index is beyond the last text".into())),
        }
    }
    let all: Option<Vec<T>> = places.into_iter().collect();
    all.ok_or_else(|| EmbedError::Malformed("it does not cover every text".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_keep_both_limits() {
        assert_eq!(batches(&[1, 1, 1, 1, 1], 2, 100), [0..2, 2..4, 4..5]);
        assert_eq!(batches(&[60, 40, 1, 500, 99, 1], 9, 100), [0..2, 2..3, 3..4, 4..6]);
        assert!(batches(&[], 2, 100).is_empty());
    }

    #[test]
    fn every_index_occurs_once() {
        assert_eq!(in_order(3, [(2, 'c'), (0, 'a'), (1, 'b')].into_iter()).unwrap(), ['a', 'b', 'c']);
        assert!(in_order(2, [(0, 'a')].into_iter()).is_err());
        assert!(in_order(2, [(0, 'a'), (0, 'b')].into_iter()).is_err());
        assert!(in_order(2, [(0, 'a'), (2, 'b')].into_iter()).is_err());
        assert!(in_order(1, [(0, 'a'), (1, 'b')].into_iter()).is_err());
    }
}
