//! Names that are alike.

/// Returns whether at most two characters were left out, added or mistaken.
pub(crate) fn is_typo(a: &str, b: &str) -> bool {
    const MAX_EDITS: usize = 2;
    const MAX_BYTES: usize = 100;
    if a.len().abs_diff(b.len()) > MAX_EDITS || a.len().max(b.len()) > MAX_BYTES {
        return false;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()] <= MAX_EDITS
}
