//! Modules that are folders: the path of an import is a module's published path and a folder below it.

use codecompass_syntax::Language;
use codecompass_syntax::facts::Kind;

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Module};
use crate::resolve::names::modules::layout::joined;

impl Resolver<'_> {
    pub(super) fn folder_module(&self, module: &str) -> Result<Vec<Entity>> {
        let modules = self.modules()?;
        for (published, folder) in &modules.published {
            let Some(rest) = module.strip_prefix(published.as_str()) else { continue };
            if rest.is_empty() || rest.starts_with('/') {
                let path = joined(folder, rest.trim_start_matches('/'));
                return Ok(vec![Entity::Module(Module::Folder(path.trim_end_matches('/').to_string()))]);
            }
        }
        // Without a manifest: a folder by that very path, as in a standard library.
        let known = modules.published.is_empty() && !modules.in_folder(module).is_empty();
        Ok(vec![if known { Entity::Module(Module::Folder(module.to_string())) } else { Entity::External }])
    }

    /// Top-level definitions of a name in the files of a folder.
    pub(in crate::resolve) fn in_folder(
        &self,
        folder: &str,
        name: &str,
        language: &'static Language,
    ) -> Result<Vec<Entity>> {
        let mut found = Vec::new();
        for symbol in self.named(name)?.iter() {
            let path = self.snapshot.path_of(symbol.version).unwrap_or("");
            if crate::resolve::names::modules::layout::folder_of(path) != folder {
                continue;
            }
            let Some((file, definition)) = self.definition(*symbol)? else { continue };
            if file.language.group() == language.group() && is_top_level(&definition) {
                found.push(Entity::Symbol(*symbol));
            }
        }
        if found.is_empty() {
            let module = Module::Folder(folder.to_string());
            found.extend(self.dotted_submodule_of(&module, name, language)?);
        }
        Ok(found)
    }

    fn dotted_submodule_of(&self, module: &Module, name: &str, language: &'static Language) -> Result<Option<Entity>> {
        match language.resolve_rules().modules {
            codecompass_syntax::ModuleSystem::Dotted => self.dotted_below(module, name, language),
            _ => Ok(None),
        }
    }
}

fn is_top_level(definition: &codecompass_syntax::facts::Definition) -> bool {
    definition.parent.is_none() && !matches!(definition.kind, Kind::Method | Kind::Field | Kind::Impl)
}
