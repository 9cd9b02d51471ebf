//! Numbers with bounds. One type gives the range of the flag, the range in the tool's schema, and
//! the check of both.

use std::borrow::Cow;
use std::fmt;

use clap::builder::{MapValueParser, RangedI64ValueParser, TypedValueParser, ValueParserFactory};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A count from `MIN` to `MAX` on the command line, and to `TOOL_MAX` in tools: people may want
/// everything in a file, while an agent pays for every item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounded<const MIN: u32, const MAX: u32, const TOOL_MAX: u32 = MAX>(u32);

impl<const MIN: u32, const MAX: u32, const TOOL_MAX: u32> Bounded<MIN, MAX, TOOL_MAX> {
    /// Returns the number, moved inside the bounds.
    pub const fn new(value: u32) -> Self {
        Bounded(if value < MIN {
            MIN
        } else if value > MAX {
            MAX
        } else {
            value
        })
    }

    pub const fn get(self) -> u32 {
        self.0
    }

    /// Returns the number as a length.
    pub(crate) const fn len(self) -> usize {
        self.get() as usize
    }
}

impl<const MIN: u32, const MAX: u32, const TOOL_MAX: u32> fmt::Display for Bounded<MIN, MAX, TOOL_MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<const MIN: u32, const MAX: u32, const TOOL_MAX: u32> ValueParserFactory for Bounded<MIN, MAX, TOOL_MAX> {
    type Parser = MapValueParser<RangedI64ValueParser<u32>, fn(u32) -> Self>;

    fn value_parser() -> Self::Parser {
        RangedI64ValueParser::new().range(i64::from(MIN)..=i64::from(MAX)).map(Self::new)
    }
}

impl<'de, const MIN: u32, const MAX: u32, const TOOL_MAX: u32> Deserialize<'de> for Bounded<MIN, MAX, TOOL_MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            value if (MIN..=TOOL_MAX).contains(&value) => Ok(Bounded(value)),
            value => Err(D::Error::custom(format!("{value} is not from {MIN} to {TOOL_MAX}"))),
        }
    }
}

// The schema shows defaults as they are serialized.
impl<const MIN: u32, const MAX: u32, const TOOL_MAX: u32> Serialize for Bounded<MIN, MAX, TOOL_MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<const MIN: u32, const MAX: u32, const TOOL_MAX: u32> JsonSchema for Bounded<MIN, MAX, TOOL_MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("Bounded_{MIN}_{TOOL_MAX}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": MIN, "maximum": TOOL_MAX})
    }
}

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(f64);

impl Share {
    pub fn get(self) -> f64 {
        self.0
    }

    fn new(value: f64) -> Result<Share, String> {
        (0.0..=1.0).contains(&value).then_some(Share(value)).ok_or_else(|| "not a number from 0 to 1".to_string())
    }
}

impl std::str::FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Share, String> {
        Share::new(text.trim().parse().unwrap_or(f64::NAN))
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Share, D::Error> {
        Share::new(f64::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl JsonSchema for Share {
    fn schema_name() -> Cow<'static, str> {
        "Share".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number", "minimum": 0, "maximum": 1})
    }
}
