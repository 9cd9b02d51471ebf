//! Doc comments: which comments document a definition, and their text without comment marks.

use crate::settings::DocRules;
use crate::source_text::truncate;
use crate::tree::Node;

/// Doc texts longer than this are cut; no reader of an answer wants more.
const MAX_DOC_BYTES: usize = 4000;

/// So much is kept of the lines behind that which the rules say matter.
const MAX_TAG_BYTES: usize = 32_000;

/// The text of the comments in `lead` that document what follows them.
pub(crate) fn leading_doc(
    text: &str,
    lead: &[Node<'_>],
    is_comment: impl Fn(&Node<'_>) -> bool,
    rules: &DocRules,
) -> Option<String> {
    let mut lines: Vec<&str> = Vec::new();
    let attribute = lead
        .iter()
        .rev()
        .map(|node| &text[node.byte_range()])
        .find(|attribute| rules.attributes.iter().any(|mark| attribute.starts_with(mark.as_str())));
    if let Some(doc) = attribute.and_then(docstring) {
        return Some(doc);
    }
    for node in lead.iter().filter(|node| is_comment(node)) {
        let comment = text[node.byte_range()].trim_end();
        let documents =
            rules.prefixes.is_empty() || rules.prefixes.iter().any(|prefix| comment.starts_with(prefix.as_str()));
        if !documents || rules.not.iter().any(|prefix| comment.starts_with(prefix.as_str())) {
            continue;
        }
        lines.extend(comment_lines(comment));
    }
    if rules.xml {
        return finish(&without_tags(&lines.join("\n")).lines().map(str::trim).collect::<Vec<_>>());
    }
    finish_with_tags(&lines, &rules.kept_tags)
}

/// The text of an XML comment; of its tags only the names they mention stay.
fn without_tags(doc: &str) -> String {
    let mut text = String::with_capacity(doc.len());
    let mut rest = doc;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        let is_tag = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
        let Some(end) = rest.find('>').filter(|_| is_tag) else {
            text.push('<');
            rest = &rest[1..];
            continue;
        };
        let tag = &rest[1..end];
        rest = &rest[end + 1..];
        let name = tag.split(['"', '\'']).nth(1).filter(|_| !tag.starts_with('!')).unwrap_or("");
        // `T:System.String` says what kind of thing it is.
        text.push_str(name.get(2..).filter(|_| name.get(1..2) == Some(":")).unwrap_or(name));
        if !name.is_empty() && !tag.ends_with('/') {
            text.push_str(": ");
        }
    }
    text.push_str(rest);
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    // A line that held nothing but a tag says nothing.
    let tag_only = |(after, before): &(&str, &str)| !after.trim().is_empty() || before.trim().is_empty();
    let lines = text.lines().zip(doc.lines()).filter(tag_only).map(|(after, _)| after);
    if text.lines().count() == doc.lines().count() { lines.collect::<Vec<_>>().join("\n") } else { text }
}

/// The text of one comment.
pub(crate) fn comment_doc(comment: &str) -> Option<String> {
    finish(&comment_lines(comment.trim_end()))
}

/// The text of a string literal that documents the definition it stands in.
pub(crate) fn docstring(literal: &str) -> Option<String> {
    let start = literal.find(['"', '\''])?;
    let body = literal[start..].trim_matches(|c| c == '"' || c == '\'');
    finish(&body.lines().map(str::trim).collect::<Vec<_>>())
}

fn comment_lines(comment: &str) -> Vec<&str> {
    for (open, close) in BLOCKS {
        if let Some(block) = comment.strip_prefix(open) {
            let block = block.strip_suffix(close).unwrap_or(block).trim_start_matches(['*', '!', '-', ' ', '|', '^']);
            return block.lines().map(|line| line.trim().trim_start_matches('*').trim()).collect();
        }
    }
    comment.lines().map(bare_line).collect()
}

/// The marks that open and close a comment of several lines.
const BLOCKS: [(&str, &str); 7] =
    [("/*", "*/"), ("{-", "-}"), ("--[==[", "]==]"), ("--[[", "]]"), ("(*", "*)"), ("=begin", "=end"), ("<!--", "-->")];

fn bare_line(line: &str) -> &str {
    let line = line.trim();
    match line.strip_prefix("--") {
        // Haddock marks the side that is documented.
        Some(rest) => rest.trim_start_matches('-').trim_start().trim_start_matches(['|', '^']).trim(),
        None => line.trim_start_matches(['/', '!', '#', ';', '%']).trim(),
    }
}

fn finish(lines: &[&str]) -> Option<String> {
    let first = lines.iter().position(|line| !line.is_empty())?;
    let last = lines.iter().rposition(|line| !line.is_empty())?;
    let mut doc = lines[first..=last].join("\n");
    truncate(&mut doc, MAX_DOC_BYTES);
    Some(doc)
}

/// Joins lines as `finish` does, but keeps lines that begin with a tag wherever they stand: what is
/// cut is the text, and the parameters of members that tags declare.
fn finish_with_tags(lines: &[&str], tags: &[String]) -> Option<String> {
    let doc = finish(lines)?;
    if tags.is_empty() || doc.len() < MAX_DOC_BYTES {
        return Some(doc);
    }
    // The last line may be cut.
    let shown = doc.rfind('\n').map_or(doc.as_str(), |end| &doc[..end]);
    let first = lines.iter().position(|line| !line.is_empty())?;
    let behind = lines.get(first + shown.lines().count()..)?;
    let mut kept = String::from(shown);
    for tag in tags {
        for line in behind.iter().filter(|line| line.starts_with(tag.as_str())) {
            let line = line.split('(').next().unwrap_or(line).trim_end();
            if kept.len() + line.len() > shown.len() + MAX_TAG_BYTES {
                return Some(kept);
            }
            kept.push('\n');
            kept.push_str(line);
        }
    }
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_removed() {
        assert_eq!(comment_lines("/// One."), ["One."]);
        assert_eq!(finish(&comment_lines("/**\n * One.\n *\n * Two.\n */")).as_deref(), Some("One.\n\nTwo."));
        assert_eq!(comment_lines("# One"), ["One"]);
        assert_eq!(comment_lines("-- | One."), ["One."]);
        assert_eq!(comment_lines("--[[ One. ]]"), ["One."]);
        assert_eq!(comment_lines("{- | One.\n-}").first(), Some(&"One."));
        assert_eq!(docstring("r\"\"\"One.\n    Two.\n    \"\"\"").as_deref(), Some("One.\nTwo."));
        assert_eq!(docstring("''"), None);
    }

    #[test]
    fn tags_behind_the_cut_are_kept() {
        let mut lines = vec!["", "One."];
        lines.extend(std::iter::repeat_n("@method static Store find(int $key, array $rest = [])", 200));
        lines.extend(["Two.", "@method static Store last(int $key)", "@see Manager", ""]);
        let tags = ["@see".to_string(), "@method".to_string()];
        let doc = finish_with_tags(&lines, &tags).unwrap();
        assert!(doc.starts_with("One.\n@method static Store find(int $key, array $rest = [])\n"));
        assert!(doc.lines().all(|line| !line.starts_with("Two")));
        assert_eq!(doc.lines().filter(|line| line.starts_with("@method static Store find")).count(), 200);
        assert!(doc.contains("\n@see Manager\n") && doc.ends_with("\n@method static Store last"));
        assert_eq!(finish_with_tags(&lines, &[]).unwrap().len(), MAX_DOC_BYTES);
        let long = "x".repeat(2 * MAX_DOC_BYTES);
        assert!(finish_with_tags(&[&long, "@see Manager"], &tags).unwrap().ends_with("x\n@see Manager"));
    }

    #[test]
    fn tags_are_removed() {
        let doc = "<summary>\nReads a <see cref=\"T:A.Store\"/> if a &lt; b.\n</summary>\n<param name=\"path\">Where.</param>";
        assert_eq!(without_tags(doc), "Reads a A.Store if a < b.\npath: Where.");
        assert_eq!(without_tags("a < b <c"), "a < b <c");
        assert_eq!(without_tags("one\n\n<para>two</para>"), "one\n\ntwo");
        assert_eq!(without_tags("<"), "<");
    }
}
