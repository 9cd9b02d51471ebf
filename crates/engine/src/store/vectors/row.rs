//! A vector as it is stored: a signed byte per dimension, a scale, and the signs.

/// A vector of length one, or of zeros, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// What a byte's value is to be multiplied by.
    pub scale: f32,
    /// Signed bytes, as bytes are written.
    pub values: Vec<u8>,
}

impl Row {
    /// Rounds a vector to bytes.
    pub(crate) fn new(vector: &[f32]) -> Row {
        let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
        let scale = if largest.is_finite() { largest / 127.0 } else { 0.0 };
        let byte = |x: &f32| if scale > 0.0 { (x / scale).round().clamp(-127.0, 127.0) as i8 as u8 } else { 0 };
        Row { scale, values: vector.iter().map(byte).collect() }
    }

    /// One bit per dimension: whether it is positive.
    pub(crate) fn signs(&self) -> Vec<u8> {
        let bits = |chunk: &[u8]| chunk.iter().zip(0..8).fold(0, |bits, (x, at)| bits | u8::from(*x as i8 > 0) << at);
        self.values.chunks(8).map(bits).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_near_the_vector() {
        let vector = [0.5, -0.5, 0.1, -0.7, 0.0, 0.0, 0.0, 0.0, 0.02];
        let row = Row::new(&vector);
        for (byte, x) in row.values.iter().zip(vector) {
            assert!((f32::from(*byte as i8) * row.scale - x).abs() <= row.scale / 2.0 + f32::EPSILON);
        }
        assert_eq!(row.signs(), [0b0000_0101, 1]);
    }

    #[test]
    fn nothing_stays_nothing() {
        assert_eq!(Row::new(&[0.0; 4]), Row { scale: 0.0, values: vec![0; 4] });
        assert_eq!(Row::new(&[f32::NAN, f32::INFINITY]).scale, 0.0);
    }
}
