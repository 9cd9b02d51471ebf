//! The only definition of a name, as the meaning of a call on something of which nothing is known.
//!
//! A name of several words that one type of the repository has is hardly another's by chance.
//! `docs/resolution.md` says how often that holds.

use codecompass_syntax::ModuleSystem;
use codecompass_syntax::facts::{ChainExpr, ChainRoot, Kind, RefKind, Reference};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Confidence, Resolution, ResolutionEvidence, Symbol};
use crate::resolve::file::FileView;
use crate::resolve::heuristics::is_telling;
use crate::resolve::members::arity::{Given, names_type};
use crate::resolve::visibility::is_beyond_values;

/// Definitions of more types are not compared.
const MAX_DEFINITIONS: usize = 24;

impl Resolver<'_> {
    /// Resolves a call of a member to the methods of its name, if all are one method with its
    /// overloads and those that override it.
    pub(super) fn only_definition(
        &self,
        file: &FileView,
        reference: &Reference,
        receiver: &ChainExpr<'_>,
    ) -> Result<Option<Resolution>> {
        let name = file.name(reference.name);
        let is_common = file.rules().common_methods.iter().any(|common| common == name);
        if reference.kind != RefKind::Call || is_common || !is_telling(name) || names_type(receiver) {
            return Ok(None);
        }
        // Where the type of nearly everything is known, what is not known comes from elsewhere, and
        // so does a supertype that is not in this view.
        if file.rules().modules == ModuleSystem::Crates || self.is_super(file, reference) {
            return Ok(None);
        }
        // What comes from a library is more likely to have a method of that library.
        if let ChainRoot::Name(first) = receiver.root
            && reference.root.is_none()
            && self.is_imported_from_outside(file, first)?
        {
            return Ok(None);
        }
        let methods = self.only_methods(file, name)?;
        let given = Given::by(file, reference, Some(receiver));
        let mut fitting = Vec::new();
        for method in methods {
            let arity = self.arity(method)?;
            if given.zip(arity).is_none_or(|(given, arity)| arity.admits(given)) {
                fitting.push(method);
            }
        }
        let found = Resolution::found(fitting, Confidence::Heuristic, ResolutionEvidence::UniqueName);
        Ok(Some(found).filter(|found| *found != Resolution::Unknown))
    }

    /// Returns the methods of a name that a file may call on something, overriding ones aside;
    /// nothing if other definitions have the name, or several types that are not related.
    fn only_methods(&self, file: &FileView, name: &str) -> Result<Vec<Symbol>> {
        let mut methods: Vec<(Symbol, Option<Symbol>)> = Vec::new();
        for symbol in self.named(name)?.iter() {
            let Some((home, definition)) = self.definition(*symbol)? else { continue };
            if home.language.group() != file.language.group() || definition.kind == Kind::Impl {
                continue;
            }
            let is_seen = self.seen_in(*symbol)?.is_none_or(|seen| seen.includes(Some(file.version), &file.path));
            let is_method = definition.kind == Kind::Method && !is_beyond_values(&home, &definition);
            if !is_method || !is_seen || methods.len() >= MAX_DEFINITIONS {
                return Ok(Vec::new());
            }
            let owners = self.owners(*symbol)?;
            methods.push((*symbol, owners.first().copied()));
        }
        let owned: Vec<(Symbol, Symbol)> =
            methods.iter().filter_map(|(symbol, owner)| Some((*symbol, (*owner)?))).collect();
        if owned.is_empty() {
            return Ok(if methods.len() == 1 { vec![methods[0].0] } else { Vec::new() });
        }
        let roots = self.without_overriding(&owned)?;
        let is_one = owned.len() == methods.len() && roots.iter().all(|(_, owner)| *owner == roots[0].1);
        Ok(if is_one { roots.into_iter().map(|(symbol, _)| symbol).collect() } else { Vec::new() })
    }
}
