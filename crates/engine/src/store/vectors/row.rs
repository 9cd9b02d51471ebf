//! A vector as it is stored: four bits per dimension and a scale.
//!
//! Four bits are enough: what rounding adds to a product is about a hundredth, and documents that a
//! question is about are tenths away from others.

/// The largest value of four bits, either way.
const MOST: f32 = 7.0;
/// The stored half byte that stands for zero.
pub(super) const ZERO: i32 = 8;
/// Few dimensions are larger than this many times the usual one; those are cut, and all others kept
/// more exactly.
const CUT: f32 = 3.0;

/// A vector of length one, or of zeros, in half bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QuantizedVector {
    /// The factor that each value is multiplied by.
    pub scale: f32,
    /// Two values a byte, the first one in the lower half; each plus eight.
    pub values: Vec<u8>,
}

impl QuantizedVector {
    /// Rounds a vector.
    pub(crate) fn new(vector: &[f32]) -> QuantizedVector {
        let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
        let usual = (vector.iter().map(|x| x * x).sum::<f32>() / vector.len().max(1) as f32).sqrt();
        let scale = if largest.is_finite() { largest.min(CUT * usual) / MOST } else { 0.0 };
        let half = |x: Option<&f32>| match x {
            Some(x) if scale > 0.0 => ((x / scale).round().clamp(-MOST, MOST) as i32 + ZERO) as u8,
            _ => ZERO as u8,
        };
        let values = vector.chunks(2).map(|pair| half(pair.first()) | half(pair.get(1)) << 4).collect();
        QuantizedVector { scale, values }
    }

    /// Returns the vector that the row stands for.
    pub(crate) fn to_floats(&self, dimensions: usize) -> Vec<f32> {
        let halves = self.values.iter().flat_map(|byte| [byte & 15, byte >> 4]);
        halves.take(dimensions).map(|half| (i32::from(half) - ZERO) as f32 * self.scale).collect()
    }
}

/// Bytes of the values of a row.
pub(super) fn size(dimensions: usize) -> usize {
    dimensions.div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_near_the_vector() {
        let vector = [0.5, -0.5, 0.1, -0.45, 0.0, 0.02, 0.3];
        let row = QuantizedVector::new(&vector);
        let value = |at: usize| i32::from(row.values[at / 2] >> (4 * (at % 2)) & 15) - ZERO;
        for (at, x) in vector.iter().enumerate() {
            assert!((value(at) as f32 * row.scale - x).abs() <= row.scale / 2.0 + f32::EPSILON, "{at}");
        }
        assert_eq!((row.values.len(), value(7)), (size(7), 0));
        let floats: Vec<f32> = (0..7).map(|at| value(at) as f32 * row.scale).collect();
        assert_eq!(row.to_floats(7), floats);
    }

    #[test]
    fn nothing_stays_nothing() {
        assert_eq!(QuantizedVector::new(&[0.0; 4]), QuantizedVector { scale: 0.0, values: vec![0x88; 2] });
        assert_eq!(QuantizedVector::new(&[f32::NAN, f32::INFINITY]).scale, 0.0);
        assert_eq!(QuantizedVector::new(&[]).values, Vec::<u8>::new());
    }
}
