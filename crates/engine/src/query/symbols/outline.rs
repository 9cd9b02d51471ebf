//! The skeleton of a file: its definitions as a tree.

use codecompass_syntax::facts::{Import, Kind, Visibility};

use crate::error::{Error, Result};
use crate::query::files::paths::{file_not_found, resolve_path};
use crate::query::open_file::OpenFile;
use crate::store::Snapshot;

/// A file's skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct OutlineAnswer {
    /// Relative to the root.
    pub path: String,
    /// The file's language, `text` when none.
    pub language: String,
    /// Lines in the file.
    pub line_count: u32,
    /// Bytes in the file, as text.
    pub byte_count: u32,
    /// The names that it brings in from elsewhere, in source order.
    pub imports: Vec<Import>,
    /// Top-level definitions.
    pub symbols: Vec<OutlineNode>,
    /// Places the grammar could not make sense of: line and message.
    pub problems: Vec<(u32, String)>,
}

/// One definition and what it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct OutlineNode {
    /// The kind of definition.
    pub kind: Kind,
    /// The bare name.
    pub name: String,
    /// First line.
    pub line_start: u32,
    /// Last line.
    pub line_end: u32,
    /// The declaration on one line.
    pub signature: String,
    /// The visibility of the definition.
    pub visibility: Visibility,
    /// Definitions inside it.
    pub children: Vec<OutlineNode>,
}

/// Gives the skeleton of the file at `path`; a unique end of a path will do.
pub fn outline(snapshot: &Snapshot, path: &str) -> Result<OutlineAnswer> {
    let path = resolve_path(snapshot, path)?;
    let file = open(snapshot, &path)?;
    let definitions = &file.outline.definitions;
    let mut nodes: Vec<OutlineNode> = definitions
        .iter()
        .map(|definition| OutlineNode {
            kind: definition.kind,
            name: definition.name.clone(),
            line_start: definition.span.start_line,
            line_end: definition.span.end_line,
            signature: definition.signature.clone(),
            visibility: definition.visibility,
            children: Vec::new(),
        })
        .collect();
    // Children follow their parents, so going backwards every node is complete when it is handed
    // up.
    let mut roots = Vec::new();
    for (index, definition) in definitions.iter().enumerate().rev() {
        let mut node = nodes.remove(index);
        node.children.reverse();
        match definition.parent {
            Some(parent) => nodes[parent as usize].children.push(node),
            None => roots.push(node),
        }
    }
    roots.reverse();
    Ok(OutlineAnswer {
        path,
        language: file.info.language.clone().unwrap_or_else(|| "text".into()),
        line_count: file.outline.line_count,
        byte_count: file.outline.chunks.iter().map(|chunk| chunk.span.end_byte).max().unwrap_or(0),
        imports: file.outline.imports.clone(),
        symbols: roots,
        problems: file.outline.problems.iter().map(|problem| (problem.line, problem.message.clone())).collect(),
    })
}

/// The file of the view at `path`; the error says when it is not there, or why it was skipped.
pub(crate) fn open<'view>(snapshot: &'view Snapshot, path: &str) -> Result<OpenFile<'view>> {
    let version = snapshot.version_at(path).ok_or_else(|| file_not_found(snapshot, path))?;
    let file = OpenFile::open(snapshot, version)?.ok_or_else(|| file_not_found(snapshot, path))?;
    match &file.info.skip {
        None => Ok(file),
        Some(reason) => Err(Error::FileNotFound {
            path: path.to_string(),
            reason: Some(reason.replace('_', " ")),
            suggestions: Vec::new(),
        }),
    }
}
