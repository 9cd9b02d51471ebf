//! Words in braces that are a key and a value at once: only one of the two gets the new name.

use codecompass_syntax::Language;

/// Bytes before a word in which its brace is looked for.
const MAX_BACK: usize = 4_000;

/// Returns what stands for a word at a byte of a text if the symbol that it means is renamed;
/// `None` where the new name alone does. `is_member` says that the symbol is the key.
pub(super) fn replacement(
    language: &Language,
    text: &str,
    at: usize,
    name: &str,
    new_name: &str,
    is_member: bool,
) -> Option<String> {
    if !language.resolve_rules().shorthand_keys || !is_shorthand(text, at, name.len(), is_member) {
        return None;
    }
    Some(if is_member { format!("{new_name}: {name}") } else { format!("{name}: {new_name}") })
}

fn is_shorthand(text: &str, at: usize, length: usize, is_member: bool) -> bool {
    let behind = text[at + length..].trim_start();
    let is_default = is_member && behind.starts_with('=') && !behind.starts_with("==") && !behind.starts_with("=>");
    if !behind.starts_with([',', '}']) && !is_default {
        return false;
    }
    let Some(brace) = brace_before(text, at) else { return false };
    let before = &text[..brace];
    let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    let statement = line.trim_start();
    let is_list = statement.starts_with("import ")
        || statement.starts_with("export ") && !statement.starts_with("export default");
    // What CommonJS exports is imported by that name.
    let is_exported = before.trim_end().trim_end_matches('=').trim_end().ends_with("exports");
    if is_list && !line.contains(['=', '(']) || is_exported || before.ends_with("::") {
        return false;
    }
    // A value alone in braces is a block, or a value in a template.
    let trimmed = before.trim_end();
    let is_object = trimmed.ends_with(['(', ',', ':', '[', '?', '|', '&']) || ends_with_word(trimmed);
    is_member || is_object || trimmed.ends_with('=') && trimmed.len() < before.len()
}

fn ends_with_word(before: &str) -> bool {
    ["return", "default"].iter().any(|word| {
        let rest = before.strip_suffix(word);
        rest.is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$'))
    })
}

/// Returns the byte of the brace around a word that stands right behind it or behind a comma.
fn brace_before(text: &str, at: usize) -> Option<usize> {
    let before = text[..at].trim_end();
    match before.bytes().last()? {
        b'{' => return Some(before.len() - 1),
        b',' => {}
        _ => return None,
    }
    let mut depth = 0_usize;
    for (byte, c) in before.char_indices().rev().take(MAX_BACK) {
        match c {
            ')' | ']' | '}' => depth += 1,
            '{' if depth == 0 => return Some(byte),
            '(' | '[' if depth == 0 => return None,
            '(' | '[' | '{' => depth -= 1,
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_are_values() {
        let is = |text: &str, is_member: bool| {
            let at = text.find("name").unwrap();
            is_shorthand(text, at, 4, is_member)
        };
        for text in ["f({ name })", "return { a: 1, name }", "x = { name, b }", "export default { name }"] {
            assert!(is(text, false) && is(text, true), "{text}");
        }
        for text in ["const { name } = user", "let { name = 1, b } = user;", "({ a, name }) => 1", "Point { name, .. }"]
        {
            assert!(is(text, true), "{text}");
        }
        for text in [
            "import { a, name } from 'x'",
            "module.exports = { a, name }",
            "export { name };",
            "use a::{name, b};",
            "f(a, name)",
            "[name, b]",
        ] {
            assert!(!is(text, false) && !is(text, true), "{text}");
        }
        for text in ["if (x) { name }", "<a>{name}</a>", "<a b={name} />", "`${name}`"] {
            assert!(!is(text, false), "{text}");
        }
    }
}
