//! A file of a snapshot, and the hits that are made of it.

use std::sync::Arc;

use codecompass_syntax::facts::{Definition, SymbolRole};
use codecompass_syntax::language_named;

use crate::error::Result;
use crate::model::{SymbolId, VersionId};
use crate::query::arguments::name_parts;
use crate::query::hit::{Hit, HitKind};
use crate::query::rank::score::Explanation;
use crate::store::Snapshot;
use crate::store::facts::Outline;
use crate::store::read::file_info::FileInfo;

/// A file of the snapshot with everything needed to make hits of it.
#[derive(Clone)]
pub(super) struct OpenFile<'a> {
    pub(super) path: &'a str,
    pub(super) info: Arc<FileInfo>,
    pub(super) outline: Arc<Outline>,
}

impl<'a> OpenFile<'a> {
    pub(super) fn open(snapshot: &'a Snapshot, version: VersionId) -> Result<Option<OpenFile<'a>>> {
        let Some(path) = snapshot.path_of(version) else { return Ok(None) };
        let info = snapshot.file_info(version)?;
        Ok(Some(OpenFile { path, info, outline: snapshot.outline(version)? }))
    }

    pub(super) fn symbol_hit(&self, ordinal: u32) -> Option<Hit> {
        let definition = self.outline.definitions.get(ordinal as usize)?;
        let language = self.info.language.as_deref().unwrap_or("text");
        Some(Hit {
            repository: 0,
            path: self.path.to_string(),
            line_start: definition.span.start_line,
            line_end: definition.span.end_line,
            name_line: definition.name_line,
            kind: HitKind::Symbol(definition.kind),
            name: definition.name.clone(),
            qualified_name: definition.qualified_name.clone(),
            local_name: definition.local_name(&self.outline.definitions).to_string(),
            language: language.to_string(),
            signature: definition.signature.clone(),
            doc: definition.doc.clone(),
            is_declaration: definition.modifiers.contains("declare"),
            visibility: Some(definition.visibility),
            symbol_role: definition.role,
            file_role: self.info.role,
            symbol_id: Some(SymbolId::new(self.path, &self.info.content_id, ordinal)),
            symbol_stable_id: definition.stable_id(language),
            other_places: Vec::new(),
            best_line: definition.span.start_line,
            score: 0.0,
            explanation: Explanation::default(),
        })
    }

    pub(super) fn text_hit(&self, kind: HitKind, line_start: u32, line_end: u32) -> Hit {
        let name = self.path.rsplit('/').next().unwrap_or(self.path);
        Hit {
            repository: 0,
            path: self.path.to_string(),
            line_start,
            line_end,
            name_line: line_start,
            kind,
            name: name.to_string(),
            qualified_name: self.path.to_string(),
            local_name: self.path.to_string(),
            language: self.info.language.clone().unwrap_or_else(|| "text".into()),
            signature: String::new(),
            doc: None,
            is_declaration: false,
            visibility: None,
            symbol_role: SymbolRole::Plain,
            file_role: self.info.role,
            symbol_id: None,
            symbol_stable_id: String::new(),
            other_places: Vec::new(),
            best_line: line_start,
            score: 0.0,
            explanation: Explanation::default(),
        }
    }

    /// The module path and qualified name together, in lower-case parts, for matching qualified
    /// queries.
    pub(super) fn full_name_parts(&self, definition: &Definition) -> Vec<String> {
        let language = self.info.language.as_deref().and_then(language_named);
        let module = language.map(|language| language.module_path(self.path)).unwrap_or_default();
        name_parts(&module).chain(name_parts(&definition.qualified_name)).collect()
    }
}
