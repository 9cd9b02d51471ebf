//! The plain form of facts: like postcard, but numbers as differences.
//!
//! Each number is written as its difference to the last one in the same place of the same type: a
//! line number as the distance to that of the definition before. A line that is inserted at the top
//! of a file then changes one difference and not every position below it, which is what makes two
//! versions of a file look alike to a compressor. Numbers that stand for names are written as how
//! long ago the same name was last used, since a name that is new to a file gives others to all
//! names after it. Numbers of 64 bits are taken for hashes and written as they are.
//!
//! The form follows the types by way of serde, so a new field needs nothing here. Nothing in it
//! says what it is: who reads it must know the type that was written.

mod reader;
mod writer;

use rustc_hash::FxHashMap;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Fields whose numbers stand for names, and for chains of them.
const NUMBERED_FIELDS: [(&str, Numbered); 4] = [
    ("name", Numbered::Names),
    ("steps", Numbered::Names),
    ("receiver", Numbered::Chains),
    ("value", Numbered::Chains),
];

/// Writes plain data.
pub(crate) fn to_bytes<T: Serialize>(value: &T) -> Vec<u8> {
    let mut writer = writer::DeltaWriter::default();
    value.serialize(writer.root()).expect("facts are plain data, which can always be written");
    writer.out
}

/// Reads what [`to_bytes`] wrote; `None` if that makes no sense.
pub(crate) fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let mut reader = reader::DeltaReader::new(bytes);
    let value = T::deserialize(reader.root()).ok()?;
    reader.is_at_end().then_some(value)
}

/// The reason why data cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Flaw(String);

impl serde::ser::Error for Flaw {
    fn custom<T: std::fmt::Display>(message: T) -> Flaw {
        Flaw(message.to_string())
    }
}

impl serde::de::Error for Flaw {
    fn custom<T: std::fmt::Display>(message: T) -> Flaw {
        Flaw(message.to_string())
    }
}

/// The last number in each place of a type. Every value with something in it has a block of places
/// for that: one for each field, or one for all elements of a list.
struct LastValues {
    places: Vec<LastValue>,
    /// By [`Numbered`].
    numbered: [NumberedUses; 2],
}

/// The table of a file's facts that a number is an index of.
#[derive(Clone, Copy)]
enum Numbered {
    Names,
    Chains,
}

/// The names, or chains, that were used so far.
#[derive(Default)]
struct NumberedUses {
    used: Vec<u32>,
    /// The index into `used` of the last use of each name; only the writer needs it.
    last_use: FxHashMap<u32, u32>,
    newest: u32,
}

/// The encoding of a name: the number of uses since its last one, or the difference to the newest
/// name if the name is new.
enum NameCode {
    Uses(u32),
    New(u32),
}

#[derive(Clone, Copy, Default)]
struct LastValue {
    last: u32,
    /// The first of the places inside the value, and their number; 0 at first.
    inner: u32,
    count: u32,
    /// The table that numbers here are indexes of, if they are.
    numbered: Option<Numbered>,
    /// The keys that the places inside were last named by, so that the reader need not name them
    /// again.
    keys: Option<&'static [&'static str]>,
}

const ROOT: usize = 0;

impl Default for LastValues {
    fn default() -> LastValues {
        LastValues { places: vec![LastValue::default()], numbered: Default::default() }
    }
}

impl LastValues {
    /// The first of `count` places for what is in a value. A value that had fewer before, an
    /// enum's, gets new ones.
    fn inner(&mut self, place: usize, count: usize) -> usize {
        let LastValue { inner, count: known, numbered, .. } = self.places[place];
        if count <= known as usize {
            return inner as usize;
        }
        let inner = self.places.len();
        self.places.resize(inner + count, LastValue { numbered, ..LastValue::default() });
        self.places[place] = LastValue { inner: inner as u32, count: count as u32, ..self.places[place] };
        inner
    }

    /// Says what the field in a place is called.
    fn call(&mut self, place: usize, key: &str) {
        self.places[place].numbered = NUMBERED_FIELDS.iter().find(|(field, _)| *field == key).map(|(_, table)| *table);
    }

    /// The number to write for `value`: small for small differences of either sign.
    fn difference(&mut self, place: usize, value: u32) -> u32 {
        difference(&mut self.places[place].last, value)
    }

    /// The value that `written` stands for.
    fn value(&mut self, place: usize, written: u32) -> u32 {
        add_difference(&mut self.places[place].last, written)
    }
}

impl NumberedUses {
    /// Returns the encoding of the next name.
    fn code(&mut self, name: u32) -> NameCode {
        let now = self.used.len() as u32;
        self.used.push(name);
        match self.last_use.insert(name, now) {
            Some(last) => NameCode::Uses(now - last),
            None => NameCode::New(difference(&mut self.newest, name)),
        }
    }

    /// The next name; `None` if there cannot be one that is written so.
    fn name(&mut self, code: NameCode) -> Option<u32> {
        let name = match code {
            NameCode::Uses(ago) => *self.used.get(self.used.len().checked_sub(ago as usize)?)?,
            NameCode::New(written) => add_difference(&mut self.newest, written),
        };
        self.used.push(name);
        Some(name)
    }
}

fn difference(last: &mut u32, value: u32) -> u32 {
    let difference = value.wrapping_sub(std::mem::replace(last, value)) as i32;
    ((difference << 1) ^ (difference >> 31)) as u32
}

fn add_difference(last: &mut u32, written: u32) -> u32 {
    let difference = (written >> 1) ^ (written & 1).wrapping_neg();
    *last = last.wrapping_add(difference);
    *last
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Everything {
        numbers: (u8, u16, u32, u64, i8, i16, i32, i64, f32, f64),
        more: Vec<(bool, char, String, ())>,
        option: Option<Option<u32>>,
        uses: Vec<Use>,
        variants: Vec<Variant>,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Use {
        name: u32,
        line: u32,
        receiver: Option<u32>,
        arguments: Option<u8>,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Wrapped(u32);

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Variant {
        Plain,
        One(Wrapped),
        Two(u32, u32),
        Three { a: u32, b: Vec<u32>, c: String },
        Four { a: u32, name: (u32, Option<u32>) },
        Five { name: u32, b: u32 },
        Six(Use),
    }

    fn a_use(name: u32, receiver: Option<u32>) -> Use {
        Use { name, line: name / 2, receiver, arguments: receiver.map(|receiver| receiver as u8) }
    }

    fn everything() -> Everything {
        let variants = vec![
            Variant::Two(7, u32::MAX),
            Variant::Three { a: 1, b: vec![3, 2, 1], c: "text".into() },
            Variant::Plain,
            Variant::One(Wrapped(9)),
            Variant::Two(0, 1),
            Variant::Four { a: 5, name: (1, None) },
            Variant::Five { name: 1, b: 1 },
            Variant::Two(1, 1),
            Variant::Six(Use { name: 1, line: 3, receiver: Some(1), arguments: Some(u8::MAX) }),
            Variant::One(Wrapped(2)),
            Variant::Four { a: 1, name: (5, Some(1)) },
        ];
        let uses = [(0, None), (1, Some(0)), (1, Some(u32::MAX)), (u32::MAX, Some(2)), (2, None), (0, Some(1))];
        Everything {
            numbers: (1, 2, u32::MAX, u64::MAX, -1, -2, i32::MIN, i64::MIN, 0.5, -0.5),
            more: vec![(true, 'ß', String::new(), ()), (false, 'x', "läng".into(), ())],
            option: Some(Some(3)),
            uses: uses.into_iter().map(|(name, receiver)| a_use(name, receiver)).collect(),
            variants,
        }
    }

    #[test]
    fn round_trip() {
        for value in [everything(), Everything::default()] {
            assert_eq!(from_bytes::<Everything>(&to_bytes(&value)), Some(value));
        }
    }

    #[test]
    fn damage_is_no_panic() {
        let bytes = to_bytes(&everything());
        for length in 0..bytes.len() {
            assert_eq!(from_bytes::<Everything>(&bytes[..length]), None);
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                let _ = from_bytes::<Everything>(&damaged);
            }
        }
        assert_eq!(from_bytes::<Everything>(&[bytes, vec![0]].concat()), None);
    }

    #[test]
    fn an_insertion_changes_little() {
        let uses = |from: u32, count: u32| -> Vec<Use> {
            let names =
                (0..count).map(|n| Use { name: from + n % 50, line: from + n, receiver: None, arguments: None });
            names.collect()
        };
        // One name more before all others, and every line one further down.
        let (before, mut after) = (uses(0, 500), uses(1, 500));
        after.insert(0, Use { name: 0, line: 0, receiver: None, arguments: None });
        let (before, after) = (to_bytes(&before), to_bytes(&after));
        let same_end = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
        assert!(same_end + 10 > before.len(), "{same_end} of {}", before.len());
    }
}
