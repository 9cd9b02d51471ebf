//! Names that decorators give to definitions for code of other languages (`@JvmName("create")`).

use codecompass_syntax::facts::{Definition, Reference};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::Resolution;
use crate::resolve::file::{FileOutline, FileView};

impl Resolver<'_> {
    /// Leaves out what has another name in the language of a file, which most languages have no way
    /// to give.
    pub(in crate::resolve) fn of_decorated_names(
        &self,
        file: &FileView,
        reference: &Reference,
        found: Resolution,
    ) -> Result<Resolution> {
        if file.rules().naming_decorator.is_empty() {
            return Ok(found);
        }
        let Resolution::Found { targets, confidence, evidence } = found else { return Ok(found) };
        let mut kept = Vec::with_capacity(targets.len());
        for target in targets {
            let is_other = match self.definition(target)? {
                Some((home, definition)) if home.language.name != file.language.name => {
                    name_elsewhere(&home, &definition).is_some_and(|name| name != file.name(reference.name))
                }
                _ => false,
            };
            if !is_other {
                kept.push(target);
            }
        }
        Ok(Resolution::found(kept, confidence, evidence))
    }
}

/// Returns the name that a decorator gives a definition for other languages.
fn name_elsewhere<'definition>(home: &FileOutline, definition: &'definition Definition) -> Option<&'definition str> {
    let decorator = &home.rules().naming_decorator;
    if decorator.is_empty() {
        return None;
    }
    definition.decorators.iter().find_map(|text| {
        let arguments =
            text.trim_start_matches('@').strip_prefix(decorator.as_str())?.trim_start().strip_prefix('(')?;
        arguments.trim_start().strip_prefix('"')?.split_once('"').map(|(name, _)| name)
    })
}
