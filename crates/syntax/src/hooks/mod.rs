//! Language quirks that queries cannot say: one file for each language that has any, named in its
//! row and used nowhere else.

use std::ops::Range;

use tree_sitter::Tree;

use crate::facts::{Import, Kind, Span};
use crate::tree::{Node, SyntaxTree};

pub(crate) mod gomod;
pub(crate) mod rust;
pub(crate) mod rust_items;
pub(crate) mod rust_macros;
pub(crate) mod scala;
pub(crate) mod sql;
pub(crate) mod yaml;

/// The hooks of one language; most have none.
#[derive(Clone, Copy)]
pub(crate) struct Hooks {
    /// Reads the outline of a text where no grammar does.
    pub outline: Option<OutlineHook>,
    /// Expands an `@import.tree` capture into single imports.
    pub imports: Option<ImportHook>,
    /// Cuts a text into pieces that are parsed one by one.
    pub pieces: Option<PieceHook>,
    /// Finds names that macros make definitions of.
    pub macro_definitions: Option<MacroHook>,
    /// Finds code that the grammar leaves as a row of words.
    pub embedded: Option<EmbeddedHook>,
}

impl Hooks {
    /// No hook at all.
    pub(crate) const NONE: Hooks =
        Hooks { outline: None, imports: None, pieces: None, macro_definitions: None, embedded: None };
}

/// Finds the entries of a text's outline, in source order.
pub(crate) type OutlineHook = fn(&str) -> Vec<OutlineEntry>;

/// Expands one import statement into single imports; the caller fills in the line.
pub(crate) type ImportHook = fn(Node<'_>, &str) -> Vec<Import>;

/// Cuts a text into pieces that are parsed one by one.
pub(crate) type PieceHook = fn(&str) -> Pieces;

/// Finds names that macros of the same file make definitions of.
pub(crate) type MacroHook = for<'tree> fn(&'tree SyntaxTree, &str) -> Vec<MacroDefinition<'tree>>;

/// Finds code that a grammar leaves as a row of words, such as items in the arguments of a macro.
#[derive(Clone, Copy)]
pub(crate) struct EmbeddedHook {
    /// Finds places that may hold code.
    pub find: fn(&Tree, &str) -> Vec<Embedded>,
    /// Tells whether a place holds code, by the tree of what is in it.
    pub accepts: fn(tree_sitter::Node<'_>) -> bool,
}

/// A place that may hold code.
pub(crate) struct Embedded {
    /// The parts that are code.
    pub code: Vec<tree_sitter::Range>,
    /// Text to show the grammar in place of what is around them, of the same length.
    pub shown: Vec<(Range<usize>, String)>,
}

/// One entry of an outline.
pub(crate) struct OutlineEntry {
    pub kind: Kind,
    pub name: String,
    /// The place of the entry around it in the list.
    pub parent: Option<usize>,
    /// From the start of the name to the end of what belongs to the entry; whole lines but for the
    /// first.
    pub span: Span,
    /// Column of the name.
    pub column: u32,
}

/// A name that a macro makes a definition of.
pub(crate) struct MacroDefinition<'tree> {
    pub name: Node<'tree>,
    pub kind: Kind,
    /// The place of the result's type.
    pub declared: Option<Range<usize>>,
}

/// A text cut into pieces.
pub(crate) struct Pieces {
    /// The text as the grammar shall see it; every byte stays in its place.
    pub text: String,
    /// In source order, without overlaps.
    pub pieces: Vec<Piece>,
}

/// A part of a text that is parsed by itself.
pub(crate) struct Piece {
    pub range: Range<usize>,
    /// The end of the definition in it: a routine's head goes on with its body.
    pub until: usize,
}
