//! Names that are alike.

/// Returns whether at most two characters were left out, added or mistaken.
pub(crate) fn is_typo(a: &str, b: &str) -> bool {
    const MAX_EDITS: usize = 2;
    const MAX_BYTES: usize = 100;
    if a.len().abs_diff(b.len()) > MAX_EDITS || a.len().max(b.len()) > MAX_BYTES {
        return false;
    }
    strsim::levenshtein(a, b) <= MAX_EDITS
}
