//! Items in the rules of a macro: they are declared in every module that calls the macro.

use std::sync::Arc;

use codecompass_syntax::facts::{Kind, RefKind};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, MacroCall, Module, Symbol};
use crate::resolve::file::FileView;

impl Resolver<'_> {
    /// Returns the entities called `name` that a module of a file has from the macros it calls.
    pub(super) fn in_called_macros(
        &self,
        file: &FileView,
        module: Option<u32>,
        name: &str,
        depth: usize,
    ) -> Result<Vec<Entity>> {
        let mut found = Vec::new();
        for (_, called) in self.macro_calls(file)?.iter().filter(|(caller, _)| *caller == module) {
            let Some(home) = self.file(called.version)? else { continue };
            let definitions = home.definitions();
            let named = home.named(name).iter().map(|ordinal| (*ordinal, &definitions[*ordinal as usize]));
            let declared = named.filter(|(_, item)| item.parent == Some(called.ordinal) && item.kind != Kind::Impl);
            found.extend(declared.map(|(ordinal, item)| {
                let symbol = Symbol { version: home.version, ordinal };
                match item.kind {
                    Kind::Module => Entity::Module(match self.module_file_below(file, module, name) {
                        Some(version) if !has_contents(&home, ordinal) => Module::File(version),
                        _ => Module::Inline(symbol),
                    }),
                    _ => Entity::Symbol(symbol),
                }
            }));
            for (number, import) in home.outline.imports.iter().enumerate() {
                let is_declared = home.enclosing_line(import.line) == Some(called.ordinal);
                if is_declared && self.binds(&home, import, name)? {
                    let imported = || self.imported(&home, import, depth);
                    found.extend(self.inference.follow((home.version, number), imported)?);
                }
            }
        }
        Ok(found)
    }

    /// The calls of macros with items in their rules that stand outside of functions in a file.
    fn macro_calls(&self, file: &FileView) -> Result<Arc<Vec<MacroCall>>> {
        if let Some(known) = self.memo.macro_calls.borrow().get(&file.version) {
            return Ok(Arc::clone(known));
        }
        let mut calls = Vec::new();
        for reference in &file.uses.references {
            let around = reference.enclosing.map(|ordinal| file.definitions()[ordinal as usize].kind);
            if reference.kind == RefKind::Call && around.is_none_or(|around| around == Kind::Module) {
                let called = self.macro_with_items(file, file.name(reference.name))?;
                calls.extend(called.map(|called| (reference.enclosing, called)));
            }
        }
        calls.dedup();
        let calls = Arc::new(calls);
        self.memo.macro_calls.borrow_mut().insert(file.version, Arc::clone(&calls));
        Ok(calls)
    }

    /// The macro of a name that a file can call, if its rules have items: one of the same file, or
    /// the only one of the crate.
    fn macro_with_items(&self, file: &FileView, name: &str) -> Result<Option<Symbol>> {
        let root = self.crate_root(file)?;
        let mut of_crate = Vec::new();
        for symbol in self.named(name)?.iter() {
            let Some((home, definition)) = self.definition(*symbol)? else { continue };
            if definition.kind != Kind::Macro || home.language.group() != file.language.group() {
                continue;
            }
            let has_items = home.definitions().iter().any(|item| item.parent == Some(symbol.ordinal));
            if home.version == file.version {
                return Ok(has_items.then_some(*symbol));
            }
            if !root.is_empty() && self.crate_root(&home)? == root {
                of_crate.push((*symbol, has_items));
            }
        }
        Ok(match of_crate[..] {
            [(symbol, true)] => Some(symbol),
            _ => None,
        })
    }
}

/// Returns whether something is written inside a module.
fn has_contents(file: &FileView, module: u32) -> bool {
    let imports = &file.outline.imports;
    file.definitions().iter().any(|item| item.parent == Some(module))
        || imports.iter().any(|import| file.module_of_line(import.line) == Some(module))
}
