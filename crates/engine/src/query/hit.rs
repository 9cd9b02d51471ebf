//! One result of a question: a symbol, or a piece of a file that belongs to none.

use codecompass_syntax::facts::{Kind, SymbolRole, Visibility};

use crate::model::{Role, SymbolId};
use crate::query::rank::score::Explanation;
use serde::{Deserialize, Serialize};

/// One place in the code that answers a question: a symbol, or a piece of a file that belongs to
/// none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The number of the repository among those that were asked; 0 if only one was.
    pub repository: usize,
    /// Relative to the root, with `/`.
    pub path: String,
    /// First line of the declaration, or of the piece.
    pub line_start: u32,
    /// Last line.
    pub line_end: u32,
    /// Line of the name; the first line for text.
    pub name_line: u32,
    /// The kind of symbol, or text or file.
    pub kind: HitKind,
    /// The bare name; for a piece of text the file's name.
    pub name: String,
    /// The name with its containers.
    pub qualified_name: String,
    /// The qualified name without the package or namespace of the file, where that has several
    /// parts.
    pub local_name: String,
    /// The file's language, `text` when none.
    pub language: String,
    /// The declaration on one line; empty for text.
    pub signature: String,
    /// The doc comment.
    pub doc: Option<String>,
    /// True if it only says that the symbol exists, as a prototype does.
    pub is_declaration: bool,
    /// The visibility of the symbol; `None` for text.
    pub visibility: Option<Visibility>,
    /// The role of the symbol.
    pub symbol_role: SymbolRole,
    /// The role of its file.
    pub file_role: Role,
    /// Identifies the definition in this content; `None` for text.
    pub symbol_id: Option<SymbolId>,
    /// Identifies the symbol across moves; empty for text.
    pub symbol_stable_id: String,
    /// Other places of the same symbol: parts of a partial type, declarations of what is defined
    /// here.
    pub other_places: Vec<Place>,
    /// The line that shows best why it was found; equals `line_start` when nothing is better.
    pub best_line: u32,
    /// The relevance to the query; only comparable within one answer.
    pub score: f64,
    /// The parts that make up the score.
    pub explanation: Explanation,
}

/// A stretch of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Relative to the root, with `/`.
    pub path: String,
    /// First line.
    pub line_start: u32,
    /// Last line.
    pub line_end: u32,
    /// True if it only declares the symbol.
    pub is_declaration: bool,
}

/// Kinds of hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum HitKind {
    /// A definition.
    Symbol(Kind),
    /// A stretch of a file that belongs to no definition.
    Text,
    /// A whole file, found by its path.
    File,
    /// A name that is imported and defined outside of the repository.
    External,
}

impl HitKind {
    /// The word used in JSON and filters.
    pub fn as_str(self) -> &'static str {
        match self {
            HitKind::Symbol(kind) => kind.as_str(),
            HitKind::Text => "text",
            HitKind::File => "file",
            HitKind::External => "external",
        }
    }
}

/// Best first; equal scores by repository and place, so that the order depends on nothing else.
pub(super) fn by_score(a: &Hit, b: &Hit) -> std::cmp::Ordering {
    let place = |hit: &Hit| (hit.line_start, hit.line_end);
    let by_file = || a.repository.cmp(&b.repository).then_with(|| a.path.cmp(&b.path));
    b.score.total_cmp(&a.score).then_with(by_file).then_with(|| place(a).cmp(&place(b)))
}
