//! The numbers of arguments and of type arguments that a use of a name is written with, in one
//! byte: few uses have any, and a field of its own would be kept for all of them.

use super::Reference;

/// Bits of the number of arguments; the others are those of the number of type arguments.
const CALL_BITS: u32 = 5;
/// Stands for a number of arguments that is not known.
const UNKNOWN: u8 = (1 << CALL_BITS) - 1;
/// Stands for so many type arguments or more.
const MANY_TYPES: u8 = u8::MAX >> CALL_BITS;

impl Reference {
    /// Packs the number of arguments of a call, if it is known, and the number of type arguments.
    pub(crate) fn packed(call: Option<u8>, types: usize) -> Option<u8> {
        let call = call.filter(|count| *count < UNKNOWN);
        let types = types.min(usize::from(MANY_TYPES)) as u8;
        (call.is_some() || types > 0).then(|| types << CALL_BITS | call.unwrap_or(UNKNOWN))
    }

    /// Returns the number of arguments that it is called with; `None` where nothing is called,
    /// where the text does not tell (`f(*xs)`), or where there are more than thirty.
    pub fn call_arguments(&self) -> Option<u8> {
        self.arguments.map(|packed| packed & UNKNOWN).filter(|count| *count != UNKNOWN)
    }

    /// Returns the number of type arguments that stand behind the name, in languages whose types
    /// differ by it (`types_by_arity`); `None` if there are too many to be counted.
    pub fn type_arguments(&self) -> Option<usize> {
        let count = self.arguments.map_or(0, |packed| packed >> CALL_BITS);
        (count != MANY_TYPES).then_some(usize::from(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::RefKind;

    #[test]
    fn both_numbers_come_back() {
        let unpacked = |call, types| {
            let arguments = Reference::packed(call, types);
            let place = Reference {
                name: 0,
                kind: RefKind::Call,
                receiver: None,
                root: None,
                enclosing: None,
                line: 1,
                column: 1,
                arguments,
            };
            (place.call_arguments(), place.type_arguments())
        };
        assert_eq!(Reference::packed(None, 0), None);
        assert_eq!(Reference::packed(Some(3), 0), Some(3));
        assert_eq!(unpacked(None, 0), (None, Some(0)));
        assert_eq!(unpacked(Some(0), 2), (Some(0), Some(2)));
        assert_eq!(unpacked(None, 1), (None, Some(1)));
        assert_eq!(unpacked(Some(30), 6), (Some(30), Some(6)));
        assert_eq!(unpacked(Some(31), 9), (None, None));
    }
}
