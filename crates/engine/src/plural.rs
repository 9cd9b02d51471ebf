//! Numbers and their nouns in messages.

/// Returns a count with the phrase that goes with it: `one` for 1, `many` for every other number.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn only_one_is_singular() {
        let uses = |count| counted(count, "use", "uses");
        assert_eq!([0, 1, 2, 11, 21, 101].map(uses).join(", "), "0 uses, 1 use, 2 uses, 11 uses, 21 uses, 101 uses");
    }
}
