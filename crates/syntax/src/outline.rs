//! Facts of a text whose outline a hook reads without a grammar.

use crate::chunks;
use crate::facts::{Definition, FileFacts, Modifiers, SymbolRole, Visibility};
use crate::hooks::OutlineHook;
use crate::registry::Language;
use crate::source_text::{body_hash, line_count, one_line};

/// Signatures longer than this are cut.
const MAX_SIGNATURE_BYTES: usize = 160;

/// Builds the facts of `text`: an outline and chunks.
pub(crate) fn facts(text: &str, language: &Language, hook: OutlineHook) -> FileFacts {
    let mut definitions: Vec<Definition> = Vec::new();
    for entry in hook(text) {
        let body = &text[entry.span.start_byte as usize..entry.span.end_byte as usize];
        let around =
            entry.parent.and_then(|parent| definitions.get(parent)).map(|parent| parent.qualified_name.as_str());
        let qualified_name = match around {
            Some(around) => [around, &entry.name].join(language.separator()),
            None => entry.name.clone(),
        };
        definitions.push(Definition {
            qualified_name,
            kind: entry.kind,
            signature: one_line(body.lines().next().unwrap_or(""), MAX_SIGNATURE_BYTES),
            doc: None,
            visibility: Visibility::Public,
            modifiers: Modifiers::default(),
            decorators: Vec::new(),
            parent: entry.parent.map(|parent| parent as u32),
            span: entry.span,
            outer_start_line: entry.span.start_line,
            outer_start_byte: entry.span.start_byte,
            name_line: entry.span.start_line,
            name_column: entry.column,
            body_hash: body_hash(body),
            role: SymbolRole::Plain,
            parameters: None,
            declared_type: None,
            value: None,
            value_root: None,
            name: entry.name,
        });
    }
    let chunks = chunks::code_chunks(text, &definitions);
    FileFacts { line_count: line_count(text), definitions, chunks, ..FileFacts::default() }
}
