//! Names of decorators, annotations and attributes, as texts of them are written.

use super::Definition;

impl Definition {
    /// Returns the names of its decorators without marks and arguments, in source order.
    pub fn decorator_names(&self) -> impl Iterator<Item = &str> {
        self.decorators.iter().flat_map(|text| decorator_names(text))
    }
}

/// Returns the names in one decorator: `app.route` of `@app.route("/")`, `Test` and `Category` of
/// `[Test, Category("slow")]`.
pub(crate) fn decorator_names(text: &str) -> impl Iterator<Item = &str> {
    let inner = text.trim_start_matches(['#', '[', '@', '!', '\\']);
    let is_list = inner.len() < text.len() && text.contains('[') && !text.starts_with('@');
    let inner = if is_list { inner.trim_end_matches(']') } else { inner };
    let mut rest = Some(inner);
    std::iter::from_fn(move || {
        let part = rest.take()?;
        let (own, more) = match top_level_comma(part).filter(|_| is_list) {
            Some(at) => (&part[..at], Some(&part[at + 1..])),
            None => (part, None),
        };
        rest = more;
        Some(name(own))
    })
    .filter(|name| !name.is_empty())
}

/// Returns the name that a decorator begins with.
fn name(text: &str) -> &str {
    let text = text.trim().trim_start_matches('\\');
    let end = text.find(|c: char| c == '(' || c == '<' || c == '=' || c.is_whitespace());
    // `return: NotNull` says what it is put on.
    match end.map(|end| (&text[..end], &text[end..])) {
        Some((target, rest)) if target.ends_with(':') => name(rest),
        Some((own, _)) => own,
        None => text,
    }
}

fn top_level_comma(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_any_notation() {
        for (text, names) in [
            ("@app.route(\"/a, b\", methods=[\"GET\"])", vec!["app.route"]),
            ("@Override", vec!["Override"]),
            ("@available(*, deprecated, renamed: \"x\")", vec!["available"]),
            ("@JvmStatic", vec!["JvmStatic"]),
            ("#[derive(Debug, Clone)]", vec!["derive"]),
            ("#[tokio::test(flavor = \"x\")]", vec!["tokio::test"]),
            ("#[deprecated = \"gone\"]", vec!["deprecated"]),
            ("#[Route('/users', methods: ['GET']), \\Override]", vec!["Route", "Override"]),
            ("[Test, Category(\"slow, and more\")]", vec!["Test", "Category"]),
            ("[return: NotNull]", vec!["NotNull"]),
            ("[Obsolete(\"use Ledger\"), Audited(Level", vec!["Obsolete", "Audited"]),
            ("[[nodiscard]]", vec!["nodiscard"]),
            ("@", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(decorator_names(text).collect::<Vec<_>>(), names, "{text}");
        }
    }
}
