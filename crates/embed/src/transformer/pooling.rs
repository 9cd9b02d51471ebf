//! From a vector for each token to one for the text.

use serde::Deserialize;

/// The choice of the tokens' vectors that become the text's.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Pooling {
    /// The mean of all.
    Mean,
    /// The one of the first token.
    Cls,
    /// The one of the last token that is not padding.
    Last,
}

impl Pooling {
    /// One vector of a row of vectors with `size` numbers each, of which the first `length` belong
    /// to the text.
    pub(super) fn apply(self, row: &[f32], length: usize, size: usize) -> Vec<f32> {
        let mut own = row.chunks_exact(size).take(length);
        match self {
            Pooling::Mean => {
                let mut sum = vec![0.0; size];
                for vector in own {
                    sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
                }
                sum.iter_mut().for_each(|x| *x /= length.max(1) as f32);
                sum
            }
            Pooling::Cls => own.take(1).flatten().copied().collect(),
            Pooling::Last => own.next_back().unwrap_or_default().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_not_pooled() {
        let row = [1.0, 2.0, 3.0, 6.0, 100.0, 100.0];
        assert_eq!(Pooling::Mean.apply(&row, 2, 2), [2.0, 4.0]);
        assert_eq!(Pooling::Cls.apply(&row, 2, 2), [1.0, 2.0]);
        assert_eq!(Pooling::Last.apply(&row, 2, 2), [3.0, 6.0]);
    }
}
