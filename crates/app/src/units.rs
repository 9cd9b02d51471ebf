//! Numbers with their units, in words.

use std::borrow::Cow;

/// Returns a number of things, such as `2 files`.
pub fn count(count: usize, singular: &str) -> String {
    format!("{count} {}", noun(count, singular))
}

/// Returns a noun in the form that goes with a number.
pub fn noun(count: usize, singular: &str) -> Cow<'_, str> {
    if count == 1 {
        return singular.into();
    }
    match singular.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies").into(),
        _ => format!("{singular}s").into(),
    }
}

/// Returns a number of bytes in the largest unit that leaves a digit before the point.
pub fn bytes(count: u64) -> String {
    match count {
        0..=9_999 => format!("{count} B"),
        10_000..=9_999_999 => format!("{:.1} KB", count as f64 / 1e3),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn nouns_follow_their_number() {
        let counts = |noun| [0, 1, 2].map(|number| count(number, noun)).join(", ");
        assert_eq!(counts("file"), "0 files, 1 file, 2 files");
        assert_eq!(counts("directory"), "0 directories, 1 directory, 2 directories");
        assert_eq!(counts("day"), "0 days, 1 day, 2 days");
    }
}
