//! Supertypes that a module takes in with the code of a macro: `use Plug` makes a module one that
//! has the behaviours which the macro of that module names.

use codecompass_syntax::facts::{Kind, RefKind, Reference};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Resolution, Symbol};
use crate::resolve::file::FileView;

/// Returns whether a reference names a module whose code is taken in, rather than a supertype.
pub(crate) fn takes_in(file: &FileView, reference: &Reference) -> bool {
    let is_import = || file.outline.imports.iter().any(|import| import.line == reference.line);
    !file.rules().using_macro.is_empty() && reference.kind == RefKind::Inherit && is_import()
}

impl Resolver<'_> {
    /// Returns the supertypes that the code of a module names which a reference takes in; `None` if
    /// it names a supertype itself.
    pub(super) fn supertypes_taken_in(&self, file: &FileView, reference: &Reference) -> Result<Option<Vec<Symbol>>> {
        if !takes_in(file, reference) {
            return Ok(None);
        }
        let mut found = Vec::new();
        let Some(_deeper) = self.inference.step() else { return Ok(Some(found)) };
        let Resolution::Found { targets, .. } = self.resolve_within(file, reference)? else { return Ok(Some(found)) };
        for target in targets {
            for code in self.own_members(target, &file.rules().using_macro)? {
                let Some(home) = self.file(code.version)? else { continue };
                for inner in home.uses.references.iter().filter(|inner| inner.kind == RefKind::Inherit) {
                    if !home.outwards(inner.enclosing).any(|(ordinal, _)| ordinal == code.ordinal) {
                        continue;
                    }
                    if let Some(taken) = self.supertypes_taken_in(&home, inner)? {
                        found.extend(taken);
                    } else if let Resolution::Found { targets, .. } = self.resolve_within(&home, inner)? {
                        found.extend(self.types_meant(targets)?);
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(Some(found))
    }

    /// Returns the module whose macro a reference to a supertype stands in: it is no supertype of
    /// the module, but of those that take its code in.
    pub(crate) fn macro_around<'file>(&self, file: &'file FileView, reference: &Reference) -> Option<&'file str> {
        let word = file.rules().using_macro.as_str();
        let is_macro = |name: &str| !word.is_empty() && name == word;
        let (_, code) = file.outwards(reference.enclosing).find(|(_, around)| is_macro(&around.name))?;
        let owner = file.definitions().get(code.parent? as usize)?;
        (owner.kind == Kind::Module).then_some(owner.name.as_str())
    }
}
