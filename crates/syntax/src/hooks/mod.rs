//! Language quirks that queries cannot say: one file for each language that has any, named in its row and used by
//! nobody else.

use std::ops::Range;

use tree_sitter::Node;

use crate::facts::{Import, Kind};
use crate::outline::Entry;
use crate::pattern::Visited;

pub(crate) mod gomod;
pub(crate) mod rust;
pub(crate) mod rust_macros;
pub(crate) mod scala;
pub(crate) mod sql;
pub(crate) mod yaml;

/// Finds the entries of a text's outline, in source order.
pub(crate) type OutlineHook = fn(&str) -> Vec<Entry>;

/// Expands one import statement into single imports; the line is filled in by the caller.
pub(crate) type ImportHook = fn(Node<'_>, &str) -> Vec<Import>;

/// Finds names that macros of the same file make definitions of, and what they make.
pub(crate) type MadeHook = for<'tree> fn(&[Visited<'tree>], &str) -> Vec<MadeName<'tree>>;

/// A name that a macro makes a definition of.
pub(crate) struct MadeName<'tree> {
    pub name: Node<'tree>,
    pub kind: Kind,
    /// Where the type of its result is written.
    pub declared: Option<Range<usize>>,
}

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
