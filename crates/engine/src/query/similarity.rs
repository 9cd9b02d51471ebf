//! Measures that questions about similar definitions share.

use std::cmp::Ordering;

use codecompass_syntax::facts::Kind;

/// Returns the number of common elements of two sorted lists as a share of all their elements, from
/// 0 to 1. Elements that are there twice count twice.
pub(super) fn jaccard<T: Ord>(a: &[T], b: &[T]) -> f64 {
    let (mut i, mut j, mut both) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            Ordering::Less => i += 1,
            Ordering::Greater => j += 1,
            Ordering::Equal => (i, j, both) = (i + 1, j + 1, both + 1),
        }
    }
    let all = a.len() + b.len() - both;
    if all == 0 { 0.0 } else { both as f64 / all as f64 }
}

/// Returns whether definitions of two kinds are compared: functions with functions, types with
/// types, values with values.
pub(super) fn is_like_kind(one: Kind, other: Kind) -> bool {
    let is_plain = |kind: Kind| kind != Kind::Impl && !kind.is_outline_only();
    is_plain(one)
        && (one == other
            || one.is_callable() && other.is_callable()
            || one.is_type() && other.is_type()
            || one.is_value() && other.is_value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_elements() {
        assert_eq!(jaccard(&["a", "b", "c"], &["b", "c", "d"]), 0.5);
        assert_eq!(jaccard(&[1, 1, 2], &[1, 2, 3]), 0.5);
        assert_eq!(jaccard::<u8>(&[], &[]), 0.0);
    }
}
