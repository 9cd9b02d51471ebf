//! Doc comments: which comments document a definition, and their text without comment marks.

use tree_sitter::Node;

use crate::settings::DocRules;

/// Doc texts longer than this are cut; no reader of an answer wants more.
const MAX_DOC_BYTES: usize = 4000;

/// The text of the comments in `lead` that document what follows them.
pub(crate) fn leading_doc(
    text: &str,
    lead: &[Node<'_>],
    is_comment: impl Fn(&Node<'_>) -> bool,
    rules: &DocRules,
) -> Option<String> {
    let mut lines: Vec<&str> = Vec::new();
    for node in lead.iter().filter(|node| is_comment(node)) {
        let comment = text[node.byte_range()].trim_end();
        let documents =
            rules.prefixes.is_empty() || rules.prefixes.iter().any(|prefix| comment.starts_with(prefix.as_str()));
        if !documents || rules.not.iter().any(|prefix| comment.starts_with(prefix.as_str())) {
            continue;
        }
        lines.extend(comment_lines(comment));
    }
    finish(&lines)
}

/// The text of a string literal that documents the definition it stands in.
pub(crate) fn docstring(literal: &str) -> Option<String> {
    let start = literal.find(['"', '\''])?;
    let body = literal[start..].trim_matches(|c| c == '"' || c == '\'');
    finish(&body.lines().map(str::trim).collect::<Vec<_>>())
}

fn comment_lines(comment: &str) -> Vec<&str> {
    if let Some(block) = comment.strip_prefix("/*") {
        let block = block.strip_suffix("*/").unwrap_or(block).trim_start_matches(['*', '!']);
        return block.lines().map(|line| line.trim().trim_start_matches('*').trim()).collect();
    }
    comment.lines().map(|line| line.trim().trim_start_matches(['/', '!', '#']).trim()).collect()
}

fn finish(lines: &[&str]) -> Option<String> {
    let first = lines.iter().position(|line| !line.is_empty())?;
    let last = lines.iter().rposition(|line| !line.is_empty())?;
    let mut doc = lines[first..=last].join("\n");
    truncate(&mut doc, MAX_DOC_BYTES);
    Some(doc)
}

/// Cuts `text` to at most `limit` bytes at a character boundary.
pub(crate) fn truncate(text: &mut String, limit: usize) {
    if text.len() > limit {
        text.truncate(text.floor_char_boundary(limit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_removed() {
        assert_eq!(comment_lines("/// One."), ["One."]);
        assert_eq!(finish(&comment_lines("/**\n * One.\n *\n * Two.\n */")).as_deref(), Some("One.\n\nTwo."));
        assert_eq!(comment_lines("# One"), ["One"]);
        assert_eq!(docstring("r\"\"\"One.\n    Two.\n    \"\"\"").as_deref(), Some("One.\nTwo."));
        assert_eq!(docstring("''"), None);
    }

    #[test]
    fn long_docs_are_cut_at_a_character() {
        let mut text = "é".repeat(10);
        truncate(&mut text, 5);
        assert_eq!(text, "éé");
    }
}
