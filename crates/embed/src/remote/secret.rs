//! A key that is revealed to the provider alone.

use std::fmt;

/// A provider's key. It cannot be printed, and there is no way to serialise it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a key; blanks and line ends around it, as files and shells leave them, do not count.
    pub fn new(key: &str) -> Secret {
        Secret(key.trim().to_string())
    }

    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hidden")
    }
}
