//! From a text to syntax trees: one for the whole, or one for each piece where the grammar lost its way in the whole.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, Parser, Point, Range, Tree};

use crate::hooks::Pieces;
use crate::languages::{Compiled, Language};

/// A text is cut into at most this many pieces.
const MAX_PIECES: usize = 5000;

/// The tree of the whole text; `None` when `deadline` passes.
pub(crate) fn whole(text: &str, compiled: &Compiled, deadline: Instant) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&compiled.grammar).ok()?;
    parse(&mut parser, &compiled.disguised(text), deadline)
}

/// The trees of the text's pieces, each up to a place where a top-level definition ends for sure (`resync_after` in
/// `language.toml`). Empty when no node of `whole` runs across such a place, so that nothing could be gained.
pub(crate) fn pieces(text: &str, language: &Language, whole: &Tree, deadline: Instant) -> Vec<Tree> {
    let Some(ends) = language.resync_after() else { return Vec::new() };
    let mut cuts: Vec<usize> = ends.find_iter(text).map(|end| end.end()).filter(|cut| *cut < text.len()).collect();
    if cuts.is_empty() || cuts.len() > MAX_PIECES || !runs_across(whole, &cuts) {
        return Vec::new();
    }
    cuts.push(text.len());
    let mut parser = Parser::new();
    if parser.set_language(&language.compiled().grammar).is_err() {
        return Vec::new();
    }
    let shown = language.compiled().disguised(text);
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
        match parse(&mut parser, &shown, deadline) {
            Some(tree) => trees.push(tree),
            None => return Vec::new(),
        }
        (start_byte, start_point) = (end_byte, end_point);
    }
    trees
}

/// One tree for each of the pieces that a hook made.
pub(crate) fn of_pieces(compiled: &Compiled, pieces: &Pieces, deadline: Instant) -> Option<Vec<Tree>> {
    let mut parser = Parser::new();
    parser.set_language(&compiled.grammar).ok()?;
    let Pieces { text, pieces } = pieces;
    let mut trees = Vec::with_capacity(pieces.len());
    let mut place = Place::default();
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
struct Place {
    byte: usize,
    point: Point,
}

impl Place {
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

/// Whether one of the outermost nodes goes on after one of the cuts in it.
fn runs_across(tree: &Tree, cuts: &[usize]) -> bool {
    let root = tree.root_node();
    let mut cursor = root.walk();
    let across = |range: std::ops::Range<usize>| {
        let next = cuts.partition_point(|cut| *cut <= range.start);
        cuts.get(next).is_some_and(|cut| *cut < range.end)
    };
    root.is_error() || root.children(&mut cursor).any(|child| across(child.byte_range()))
}

/// How many places of a tree the grammar could not make sense of.
pub(crate) fn error_count(tree: &Tree) -> usize {
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

fn parse(parser: &mut Parser, text: &str, deadline: Instant) -> Option<Tree> {
    let mut stop = |_: &tree_sitter::ParseState| match Instant::now() > deadline {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let options = ParseOptions::new().progress_callback(&mut stop);
    parser.parse_with_options(&mut |byte, _| &text.as_bytes()[byte.min(text.len())..], None, Some(options))
}

/// The first line that is indented by `limit` columns or more.
pub(crate) fn too_deep(text: &str, limit: usize) -> Option<u32> {
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

/// The tree of `text`, one node per line with its field and, for leaves, its text.
pub(crate) fn syntax_tree(text: &str, language: &'static Language) -> String {
    let deadline = Instant::now() + Duration::from_secs(60);
    let trees = match language.piece_hook {
        Some(hook) => of_pieces(language.compiled(), &hook(text), deadline),
        None => whole(text, language.compiled(), deadline).map(|tree| vec![tree]),
    };
    trees.unwrap_or_default().iter().map(|tree| tree_lines(text, tree)).collect()
}

fn tree_lines(text: &str, tree: &Tree) -> String {
    let mut lines = String::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let indent = "  ".repeat(cursor.depth() as usize);
        let field = cursor.field_name().map(|field| format!("{field}: ")).unwrap_or_default();
        let kind = if node.is_named() { format!("({})", node.kind()) } else { format!("{:?}", node.kind()) };
        let leaf = if node.child_count() == 0 && node.is_named() { &text[node.byte_range()] } else { "" };
        let missing = if node.is_missing() { " MISSING" } else { "" };
        let line = node.start_position().row + 1;
        lines.push_str(&format!("{line:>4} {indent}{field}{kind}{missing} {}\n", leaf.escape_debug()));
        if cursor.goto_first_child() || cursor.goto_next_sibling() {
            continue;
        }
        while cursor.goto_parent() {
            if cursor.goto_next_sibling() {
                break;
            }
        }
        if cursor.depth() == 0 {
            return lines;
        }
    }
}

/// The lines of `text` that lie inside a string or comment of several lines, sorted. For judging other tools' finds.
pub(crate) fn quoted_lines(text: &str, language: &'static Language) -> Vec<u32> {
    let Some(tree) = whole(text, language.compiled(), Instant::now() + Duration::from_secs(60)) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let (first, last) = (node.start_position().row as u32 + 1, node.end_position().row as u32 + 1);
        let is_text = ["string", "heredoc", "comment", "sigil", "template", "quoted", "raw_text"];
        let quotes = last > first && node.is_named() && is_text.iter().any(|word| node.kind().contains(word));
        if quotes {
            lines.extend(first + 1..=last);
        }
        if (last > first && !quotes && cursor.goto_first_child()) || cursor.goto_next_sibling() {
            continue;
        }
        loop {
            if !cursor.goto_parent() {
                lines.sort_unstable();
                lines.dedup();
                return lines;
            }
            if cursor.goto_next_sibling() {
                break;
            }
        }
    }
}

/// Builds and drops a tree; for benchmarks.
pub(crate) fn build_tree(text: &str, language: &'static Language) {
    drop(whole(text, language.compiled(), Instant::now() + Duration::from_secs(60)));
}
