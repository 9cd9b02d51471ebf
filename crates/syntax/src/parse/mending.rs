//! A text without the statements that a grammar cannot read, where it loses its way in everything
//! behind them (`hide_unread` in `language.toml`).
//!
//! First the contents of all blocks are blanked, then put back as far as the tree gets no new
//! errors: many blocks at once where all is well, else block by block, and in a block statement by
//! statement. Blocks and statements are found by the indentation of lines, so no strings and
//! comments need be known. Every byte keeps its place.

use std::ops::Range;
use std::time::Instant;

use tree_sitter::{Parser, Tree};

use super::trees;

/// A text is parsed at most this often; what has not been put back by then stays blank.
const MAX_TRIES: usize = 250;
/// It is parsed less often if that is more text than this.
const MAX_PARSED_BYTES: usize = 8 << 20;

/// The tree of a text without the statements that the parser cannot read.
pub(crate) struct Mended {
    pub trees: [Tree; 1],
    /// These statements, in source order.
    pub hidden: Vec<Range<usize>>,
}

/// Hides what the parser cannot read; `None` if nothing is gained by that. With `trusts_braces`
/// that is so where all blocks are blocks in the tree of the whole. Half of the time until
/// `deadline` is left for what comes after.
pub(super) fn mend(
    parser: &mut Parser,
    text: &str,
    whole: &Tree,
    trusts_braces: bool,
    deadline: Instant,
) -> Option<Mended> {
    let blocks = blocks(text);
    if trusts_braces && blocks.iter().all(|block| is_followed(text, whole, block)) {
        return None;
    }
    let now = Instant::now();
    let deadline = now + deadline.saturating_duration_since(now) / 2;
    let tries_left = MAX_TRIES.min(MAX_PARSED_BYTES / text.len().max(1));
    let mut mending = Mending { text, blocks, shown: text.as_bytes().to_vec(), tries_left, deadline };
    let outermost = mending.blocks_in(0..text.len());
    for block in &outermost {
        mending.hide(block);
    }
    let bare = mending.parse(parser)?;
    let allowed = trees::error_count(&bare);
    if allowed >= trees::error_count(whole) {
        return None;
    }
    let mut hidden = mending.put_back(parser, HiddenPart::blocks(outermost), allowed)?;
    hidden.retain(|range| !text[range.clone()].trim().is_empty());
    hidden.sort_unstable_by_key(|range| range.start);
    let tree = mending.parse(parser)?;
    Some(Mended { trees: [tree], hidden })
}

/// A part of the text that is hidden or shown.
#[derive(Clone)]
struct HiddenPart {
    range: Range<usize>,
    /// It is the contents of a block, not a statement.
    is_block: bool,
}

impl HiddenPart {
    fn blocks(ranges: Vec<Range<usize>>) -> Vec<HiddenPart> {
        ranges.into_iter().map(|range| HiddenPart { range, is_block: true }).collect()
    }
}

/// Parts that are hidden.
struct HiddenGroup {
    parts: Vec<HiddenPart>,
    /// The parser cannot read all of them.
    is_bad: bool,
    /// The next group is the other half of one that the parser cannot read.
    is_first_half: bool,
}

struct Mending<'text> {
    text: &'text str,
    /// The contents of all blocks, by their first byte.
    blocks: Vec<Range<usize>>,
    shown: Vec<u8>,
    tries_left: usize,
    deadline: Instant,
}

impl Mending<'_> {
    /// Puts parts back that are hidden, as far as there are no more errors than `allowed`; returns
    /// what stays hidden, or `None` when the deadline passes.
    fn put_back(&mut self, parser: &mut Parser, parts: Vec<HiddenPart>, allowed: usize) -> Option<Vec<Range<usize>>> {
        let mut hidden = Vec::new();
        // The whole of them is what the parser could not read.
        let mut groups = vec![HiddenGroup { parts, is_bad: true, is_first_half: false }];
        while let Some(HiddenGroup { parts: mut group, is_bad, is_first_half }) = groups.pop() {
            if group.is_empty() {
                continue;
            }
            if self.tries_left == 0 {
                hidden.extend(group.into_iter().map(|part| part.range));
                continue;
            }
            if !is_bad {
                group.iter().for_each(|part| self.show(&part.range));
                if self.is_read(parser, allowed)? {
                    if let Some(other_half) = groups.last_mut().filter(|_| is_first_half) {
                        other_half.is_bad = true;
                    }
                    continue;
                }
                group.iter().for_each(|part| self.hide(&part.range));
            }
            if group.len() > 1 {
                let rest = group.split_off(group.len() / 2);
                groups.push(HiddenGroup { parts: rest, is_bad: false, is_first_half: false });
                groups.push(HiddenGroup { parts: group, is_bad: false, is_first_half: true });
                continue;
            }
            let Some(HiddenPart { range, is_block }) = group.pop() else { continue };
            let inner = self.blocks_in(range.clone());
            if !inner.is_empty() {
                self.show(&range);
                inner.iter().for_each(|block| self.hide(block));
                if self.is_read(parser, allowed)? {
                    groups.push(HiddenGroup { parts: HiddenPart::blocks(inner), is_bad: true, is_first_half: false });
                    continue;
                }
            }
            self.hide(&range);
            if is_block {
                groups.push(HiddenGroup { parts: statements(self.text, range), is_bad: true, is_first_half: false });
            } else {
                hidden.push(range);
            }
        }
        Some(hidden)
    }

    fn is_read(&mut self, parser: &mut Parser, allowed: usize) -> Option<bool> {
        Some(trees::error_count(&self.parse(parser)?) <= allowed)
    }

    fn parse(&mut self, parser: &mut Parser) -> Option<Tree> {
        self.tries_left = self.tries_left.saturating_sub(1);
        trees::parse_bytes(parser, &self.shown, self.deadline)
    }

    /// Blanks whole lines.
    fn hide(&mut self, range: &Range<usize>) {
        for byte in &mut self.shown[range.clone()] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }

    fn show(&mut self, range: &Range<usize>) {
        self.shown[range.clone()].copy_from_slice(&self.text.as_bytes()[range.clone()]);
    }

    /// Returns the contents of the outermost blocks in a part of the text, but not of a block that
    /// is all of it.
    fn blocks_in(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut next = range.start;
        let from = self.blocks.partition_point(|block| block.start < range.start);
        let inside =
            self.blocks[from..].iter().take_while(|block| block.end <= range.end).filter(|block| **block != range);
        inside
            .filter(|block| {
                let is_outermost = block.start >= next;
                next = next.max(block.end);
                is_outermost
            })
            .cloned()
            .collect()
    }
}

/// A line with text in it.
struct Line<'text> {
    start: usize,
    end: usize,
    indent: usize,
    words: &'text str,
}

fn lines(text: &str, range: Range<usize>) -> impl Iterator<Item = Line<'_>> {
    let mut end = range.start;
    text[range].split_inclusive('\n').filter_map(move |line| {
        let start = end;
        end += line.len();
        let words = line.trim();
        (!words.is_empty()).then(|| Line { start, end, indent: line.len() - line.trim_start().len(), words })
    })
}

/// Finds the lines between one that opens a block and one with the same indentation that closes it;
/// all others between them are indented deeper.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    for line in lines(text, 0..text.len()) {
        while let Some((indent, start)) = open.last().copied().filter(|(indent, _)| line.indent <= *indent) {
            open.pop();
            if line.indent == indent && line.words.starts_with('}') {
                found.push(start..line.start);
                break;
            }
        }
        let opens = line.words.ends_with('{') || (line.words.ends_with("->") && line.words.contains('{'));
        if opens {
            open.push((line.indent, line.end));
        }
    }
    found.retain(|block| !block.is_empty());
    found.sort_unstable_by_key(|block| (block.start, std::cmp::Reverse(block.end)));
    found
}

/// Returns whether the braces around the contents of a block are a pair in the tree.
fn is_followed(text: &str, tree: &Tree, contents: &Range<usize>) -> bool {
    let Some(open) = text[..contents.start].rfind('{') else { return false };
    let Some(close) = text[contents.end..].find('}').map(|close| contents.end + close) else { return false };
    let around = |byte: usize| {
        let node = tree.root_node().descendant_for_byte_range(byte, byte + 1)?;
        (node.byte_range() == (byte..byte + 1)).then(|| node.parent()).flatten()
    };
    let (Some(first), Some(last)) = (around(open), around(close)) else { return false };
    first == last && !first.is_error()
}

/// Cuts the contents of a block into statements: each begins at a line that is indented as the
/// first one, unless that goes on with the statement before it.
fn statements(text: &str, block: Range<usize>) -> Vec<HiddenPart> {
    let mut starts: Vec<usize> = Vec::new();
    let mut base = None;
    for line in lines(text, block.clone()) {
        let goes_on = line.words.starts_with(['}', ')', ']', '.', '?', ',', '{']);
        if line.indent <= *base.get_or_insert(line.indent) && (starts.is_empty() || !goes_on) {
            starts.push(line.start);
        }
    }
    let ends = starts.iter().skip(1).copied().chain([block.end]);
    starts.iter().zip(ends).map(|(start, end)| HiddenPart { range: *start..end, is_block: false }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_by_indentation() {
        let text = "class A {\n  fun f() {\n    a()\n  } else {\n\n    b\n  }\n  x(1,\n  2) {\n y\n  }\n}\n";
        let found: Vec<&str> = blocks(text).into_iter().map(|block| text[block].trim()).collect();
        assert_eq!(found.len(), 3);
        assert!(found[0].starts_with("fun f()") && found[0].ends_with('}'));
        assert_eq!(found[1..], ["a()", "b"]);
        assert!(blocks("a {\n}\nb {\nc\n").is_empty());
    }

    #[test]
    fn statements_keep_what_goes_on_with_them() {
        let text = "  a(\n    1\n  )\n  b\n    .c()\n\n  d {\n  } else {\n  }\n";
        let found: Vec<&str> =
            statements(text, 0..text.len()).into_iter().map(|part| text[part.range].trim()).collect();
        assert_eq!(found, ["a(\n    1\n  )", "b\n    .c()", "d {\n  } else {\n  }"]);
    }
}
