//! Checks and parts of the texts that questions are asked with.

use crate::error::{Error, Result};

/// Longer questions are refused: none needs more, and a pasted file is a mistake.
const MAX_QUERY_BYTES: usize = 16 * 1024;

/// A query or symbol without blanks around it; the error calls it `what`.
pub(super) fn checked<'a>(asked: &'a str, what: &str) -> Result<&'a str> {
    let asked = asked.trim();
    match asked.len() {
        0 => Err(Error::InvalidInput(format!("the {what} is empty"))),
        1..=MAX_QUERY_BYTES => Ok(asked),
        size => Err(Error::InvalidInput(format!("the {what} has {size} bytes, at most {MAX_QUERY_BYTES} are allowed"))),
    }
}

/// The parts of a qualified name in any notation, in lower case.
pub(super) fn name_parts(name: &str) -> impl Iterator<Item = String> {
    name.split(['.', ':', '#', '/', '\\']).filter(|part| !part.is_empty()).map(str::to_lowercase)
}
