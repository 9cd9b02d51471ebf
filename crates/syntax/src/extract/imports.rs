//! Import statements.

use rustc_hash::FxHashSet;

use super::{Arguments, Claim, Collector, MatchParts};
use crate::facts::{Import, RefKind};
use crate::query::{Part, PatternProperties};
use crate::tree::Node;

impl<'tree> Collector<'_, 'tree> {
    pub(super) fn import(&mut self, parts: &MatchParts<'tree>, pattern: usize) {
        let Some(statement) = parts.get(Part::Import) else { return };
        let properties = &self.query.patterns[pattern];
        // What a file exports under a name that is not written is used there as anywhere.
        if properties.import_alias.is_some() {
            let imports = self.imports_of(statement, parts, properties);
            self.found.imports.extend(imports);
            return;
        }
        self.found.import_ranges.push(statement.byte_range());
        for name in [Part::ImportName, Part::ImportAlias].into_iter().filter_map(|part| parts.get(part)) {
            let (kind, arguments) = (RefKind::Import, Arguments::Unknown);
            self.claim(name, pattern, Claim::Reference { kind, receiver: None, arguments, binds: false });
        }
        let imports = self.imports_of(statement, parts, &self.query.patterns[pattern]);
        self.found.imports.extend(imports);
    }

    fn imports_of(&self, statement: Node<'_>, parts: &MatchParts<'_>, properties: &PatternProperties) -> Vec<Import> {
        let settings = self.language.settings();
        let node_text = |part: Part| Some(settings.trim_name(&self.text[parts.range(part)?]).to_string());
        let module = || {
            let whole = &self.text[parts.range(Part::ImportModule)?];
            let inner = whole.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(whole);
            let module = settings.trim_name(inner);
            let prefix = properties.import_prefix.as_deref().filter(|_| !module.starts_with(['.', '/']));
            Some(format!("{}{module}", prefix.unwrap_or_default()))
        };
        let is_empty = parts.get(Part::ImportModule).is_none() && parts.get(Part::ImportName).is_none();
        let mut imports = match (parts.get(Part::ImportTree), self.language.hooks.imports) {
            (Some(tree), Some(hook)) => hook(tree, self.text),
            _ if is_empty => Vec::new(),
            _ => vec![Import {
                module: module().unwrap_or_default(),
                name: node_text(Part::ImportName).or_else(|| properties.import_name.clone()),
                alias: node_text(Part::ImportAlias).or_else(|| properties.import_alias.clone()),
                ..Import::default()
            }],
        };
        for import in &mut imports {
            if settings.imports_split && import.name.is_none() {
                import.split(self.language.separator());
            }
            import.line = statement.start_position().row as u32 + 1;
            import.reexport = properties.reexport;
            if import.alias == import.name {
                import.alias = None;
            }
        }
        imports
    }
}

/// Drops imports of a whole module where the same line also says what is taken from it.
pub(super) fn drop_bare_imports(imports: &mut Vec<Import>) {
    let is_bare = |import: &Import| import.name.is_none() && import.alias.is_none();
    if !imports.iter().any(is_bare) {
        return;
    }
    let named: FxHashSet<(u32, String)> =
        imports.iter().filter(|import| !is_bare(import)).map(|import| (import.line, import.module.clone())).collect();
    imports.retain(|import| !is_bare(import) || !named.contains(&(import.line, import.module.clone())));
}
