//! The types of what components are given: a component's own, and the components of a type.

use codecompass_syntax::facts::{Definition, Kind, RefKind, Reference};

use crate::error::Result;
use crate::query::hit::Place;
use crate::query::navigate::Navigator;
use crate::query::relations::hierarchy::Relative;
use crate::query::relations::type_relations::Relation;
use crate::resolve::{Confidence, Resolution, Symbol};

impl Navigator<'_> {
    /// Returns the types that the declaration of a component names for what it is given.
    pub(super) fn props_of(&self, component: Symbol) -> Result<Vec<Relative>> {
        let Some((file, definition)) = self.resolver.opened(component)? else { return Ok(Vec::new()) };
        let mut found: Vec<Relative> = Vec::new();
        for (number, reference) in file.uses.references.iter().enumerate() {
            let is_here = reference.enclosing == Some(component.ordinal);
            if !is_here || !is_in_signature(&definition, reference, file.name(reference.name)) {
                continue;
            }
            let meaning = self.meaning(&file, number as u32)?;
            let Resolution::Found { targets, confidence, .. } = &*meaning else { continue };
            for target in targets.iter().take(1) {
                let stated = Place {
                    path: file.path.clone(),
                    line_start: reference.line,
                    line_end: reference.line,
                    is_declaration: false,
                };
                found.extend(self.props_relative(*target, &definition.qualified_name, stated, *confidence)?);
            }
        }
        found.dedup_by(|a, b| a.name == b.name);
        Ok(found)
    }

    /// Returns the components whose declarations name a type for what they are given.
    pub(super) fn components_of(&self, props: Symbol) -> Result<Vec<Relative>> {
        let Some((home, definition)) = self.resolver.definition(props)? else { return Ok(Vec::new()) };
        let has_components = matches!(definition.kind, Kind::Interface | Kind::TypeAlias | Kind::Class);
        if !has_components || home.rules().default_export.is_empty() {
            return Ok(Vec::new());
        }
        let mut found: Vec<Relative> = Vec::new();
        for used in self.uses_of(props)?.iter() {
            let Some(file) = self.resolver.outline(used.version)? else { continue };
            let Some(ordinal) = used.reference.enclosing else { continue };
            let Some(around) = file.definitions().get(ordinal as usize) else { continue };
            if around.kind != Kind::Component || !is_in_signature(around, &used.reference, &used.name) {
                continue;
            }
            let (path, line) = (file.path.clone(), used.reference.line);
            let stated = Place { path, line_start: line, line_end: line, is_declaration: false };
            let component = Symbol { version: used.version, ordinal };
            found.extend(self.props_relative(component, &definition.qualified_name, stated, used.confidence)?);
        }
        found.dedup_by(|a, b| a.name == b.name);
        Ok(found)
    }

    fn props_relative(
        &self,
        symbol: Symbol,
        of: &str,
        stated: Place,
        confidence: Confidence,
    ) -> Result<Option<Relative>> {
        let hit = self.hit(symbol)?;
        Ok(hit.map(|hit| Relative {
            name: hit.qualified_name.clone(),
            hit: Some(hit),
            is_external: false,
            depth: 1,
            of: of.to_string(),
            relation: Relation::Props,
            confidence,
            stated: Some(stated),
            overriding: Vec::new(),
        }))
    }
}

/// Returns whether a type is named in the signature of a definition.
fn is_in_signature(definition: &Definition, reference: &Reference, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let mut words = definition.signature.split(|c: char| !is_word(c));
    reference.kind == RefKind::Type && words.any(|word| word == name)
}
