//! Language quirks that queries cannot say: one file for each language that has any, named in its row and used by
//! nobody else.

use std::ops::Range;

use tree_sitter::Node;

use crate::facts::Import;
use crate::outline::Entry;

pub(crate) mod rust;
pub(crate) mod scala;
pub(crate) mod sql;
pub(crate) mod yaml;

/// Finds the entries of a text's outline, in source order.
pub(crate) type OutlineHook = fn(&str) -> Vec<Entry>;

/// Expands one import statement into single imports; the line is filled in by the caller.
pub(crate) type ImportHook = fn(Node<'_>, &str) -> Vec<Import>;

/// Cuts a text into pieces that are parsed one by one.
pub(crate) type PieceHook = fn(&str) -> Pieces;

/// What is parsed instead of a text as a whole.
pub(crate) struct Pieces {
    /// The text as the grammar shall see it; every byte stays in its place.
    pub text: String,
    /// In source order, without overlaps.
    pub pieces: Vec<Piece>,
}

/// A part of a text that is parsed by itself.
pub(crate) struct Piece {
    /// Where it is.
    pub range: Range<usize>,
    /// What it defines reaches to here: a routine's head goes on with its body.
    pub until: usize,
}
