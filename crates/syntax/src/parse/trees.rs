//! From a text to syntax trees: one for the whole, or one for each piece where the grammar lost its
//! way in the whole.

use std::ops::ControlFlow;
use std::time::Instant;

use tree_sitter::{ParseOptions, Parser, Point, Range, Tree};

use super::Grammar;
use crate::hooks::Pieces;

/// A text is cut into at most this many pieces.
const MAX_PIECES: usize = 5000;

/// Parses the whole text; `None` when `deadline` passes.
pub(super) fn whole(text: &str, grammar: &Grammar, deadline: Instant) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language).ok()?;
    parse(&mut parser, &grammar.patches.apply(text), deadline)
}

/// Parses the text in pieces, each up to a place where a top-level definition ends for sure
/// (`resync_after` in `language.toml`). The grammar sees `shown`. Empty when no node of `whole`
/// runs across such a place, so that nothing could be gained.
pub(super) fn pieces(text: &str, shown: &str, grammar: &Grammar, whole: &Tree, deadline: Instant) -> Vec<Tree> {
    let Some(ends) = grammar.resync_after() else { return Vec::new() };
    let mut cuts: Vec<usize> = ends.find_iter(text).map(|end| end.end()).filter(|cut| *cut < text.len()).collect();
    if cuts.is_empty() || cuts.len() > MAX_PIECES || !runs_across(whole, &cuts) {
        return Vec::new();
    }
    cuts.push(text.len());
    let mut parser = Parser::new();
    if parser.set_language(&grammar.language).is_err() {
        return Vec::new();
    }
    let mut trees = Vec::with_capacity(cuts.len());
    let (mut start_byte, mut start_point) = (0, Point::new(0, 0));
    for end_byte in cuts {
        let rows = text[start_byte..end_byte].bytes().filter(|byte| *byte == b'\n').count();
        let column = text[..end_byte].rfind('\n').map_or(end_byte, |newline| end_byte - newline - 1);
        let end_point = Point::new(start_point.row + rows, column);
        let piece = Range { start_byte, end_byte, start_point, end_point };
        if parser.set_included_ranges(&[piece]).is_err() {
            return Vec::new();
        }
        match parse(&mut parser, shown, deadline) {
            Some(tree) => trees.push(tree),
            None => return Vec::new(),
        }
        (start_byte, start_point) = (end_byte, end_point);
    }
    trees
}

/// Parses each of the pieces that a hook made.
pub(super) fn of_pieces(grammar: &Grammar, pieces: &Pieces, deadline: Instant) -> Option<Vec<Tree>> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language).ok()?;
    let Pieces { text, pieces } = pieces;
    let mut trees = Vec::with_capacity(pieces.len());
    let mut place = TextPosition::default();
    for piece in pieces {
        let (start_point, end_point) = (place.advance(text, piece.range.start), place.advance(text, piece.range.end));
        let (start_byte, end_byte) = (piece.range.start, piece.range.end);
        parser.set_included_ranges(&[Range { start_byte, end_byte, start_point, end_point }]).ok()?;
        trees.push(parse(&mut parser, text, deadline)?);
    }
    Some(trees)
}

/// A byte with its row and column.
#[derive(Default)]
struct TextPosition {
    byte: usize,
    point: Point,
}

impl TextPosition {
    fn advance(&mut self, text: &str, byte: usize) -> Point {
        let between = &text.as_bytes()[self.byte..byte];
        match between.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => {
                self.point.row += between.iter().filter(|byte| **byte == b'\n').count();
                self.point.column = between.len() - last - 1;
            }
            None => self.point.column += between.len(),
        }
        self.byte = byte;
        self.point
    }
}

/// Returns whether one of the outermost nodes goes on after one of the cuts in it.
fn runs_across(tree: &Tree, cuts: &[usize]) -> bool {
    let root = tree.root_node();
    let mut cursor = root.walk();
    let across = |range: std::ops::Range<usize>| {
        let next = cuts.partition_point(|cut| *cut <= range.start);
        cuts.get(next).is_some_and(|cut| *cut < range.end)
    };
    root.is_error() || root.children(&mut cursor).any(|child| across(child.byte_range()))
}

/// Counts the places of a tree that the grammar could not make sense of.
pub(super) fn error_count(tree: &Tree) -> usize {
    let mut count = 0;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        count += usize::from(node.is_error() || node.is_missing());
        if (node.has_error() && cursor.goto_first_child()) || cursor.goto_next_sibling() {
            continue;
        }
        loop {
            if !cursor.goto_parent() {
                return count;
            }
            if cursor.goto_next_sibling() {
                break;
            }
        }
    }
}

pub(super) fn parse(parser: &mut Parser, text: &str, deadline: Instant) -> Option<Tree> {
    parse_bytes(parser, text.as_bytes(), deadline)
}

pub(super) fn parse_bytes(parser: &mut Parser, text: &[u8], deadline: Instant) -> Option<Tree> {
    let mut stop = |_: &tree_sitter::ParseState| {
        if Instant::now() > deadline { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut stop);
    parser.parse_with_options(&mut |byte, _| &text[byte.min(text.len())..], None, Some(options))
}

/// Returns the first line that is indented by `limit` columns or more.
pub(super) fn too_deep(text: &str, limit: usize) -> Option<u32> {
    if limit == 0 {
        return None;
    }
    let columns = |line: &str| -> usize {
        line.bytes()
            .map_while(|byte| matches!(byte, b' ' | b'\t' | 0x0c).then_some(if byte == b'\t' { 8 } else { 1 }))
            .sum()
    };
    let deep = text.lines().position(|line| line.len() * 8 >= limit && columns(line) >= limit)?;
    Some(deep as u32 + 1)
}
