//! The end of a walk: what only the whole file can tell. Visibility said elsewhere, components, and which uses mean a
//! function's own names.

use super::Walk;
use crate::facts::{FileFacts, Kind, RefKind, Reference, Visibility};

impl Walk<'_, '_> {
    pub(super) fn finish(self) -> FileFacts {
        let Walk { mut facts, language, matches, scopes, nameless, nameless_around, components, marked, .. } = self;
        let lists_exports = language.settings().visibility.export_list && !matches.exported.is_empty();
        for definition in facts.definitions.iter_mut().filter(|definition| definition.parent.is_none()) {
            if matches.exported.contains(&definition.name) {
                definition.visibility = Visibility::Public;
            } else if lists_exports && definition.kind != Kind::Impl {
                definition.visibility = Visibility::Private;
            }
        }
        if lists_exports {
            let inherits = |kind: Kind| language.settings().visibility.inherit_from.iter().any(|k| k == kind.as_str());
            for index in 0..facts.definitions.len() {
                let parent = facts.definitions[index].parent.map(|parent| &facts.definitions[parent as usize]);
                if let Some(visibility) = parent.filter(|parent| inherits(parent.kind)).map(|parent| parent.visibility)
                {
                    facts.definitions[index].visibility = visibility;
                }
            }
        }
        if !marked.is_empty() {
            for definition in &mut facts.definitions {
                if let Some(visibility) = marked.get(&(definition.parent, definition.name.clone())) {
                    definition.visibility = *visibility;
                }
            }
        }
        for index in components {
            let definition = &mut facts.definitions[index as usize];
            let capitalised = definition.name.chars().next().is_some_and(char::is_uppercase);
            if capitalised && matches!(definition.kind, Kind::Function | Kind::Class | Kind::Variable | Kind::Constant)
            {
                definition.kind = Kind::Component;
            }
        }
        let definitions = &facts.definitions;
        let is_nameless_local = |reference: &Reference, innermost: Option<usize>| {
            let mut outwards = std::iter::successors(innermost, |index| nameless[*index].outer).take(MAX_SCOPES);
            reference.kind != RefKind::Type && outwards.any(|index| nameless[index].names.contains(&reference.name))
        };
        let is_local = |reference: &Reference| {
            let outwards = std::iter::successors(reference.enclosing, |index| definitions[*index as usize].parent);
            outwards.take(MAX_SCOPES).filter_map(|index| scopes.get(&index)).any(|scope| {
                let is_value = || scope.values.contains(&reference.name) && !scope.nonlocals.contains(&reference.name);
                scope.types.contains(&reference.name) || (reference.kind != RefKind::Type && is_value())
            })
        };
        let calls_apart = language.settings().calls_apart;
        let mut nameless_around = nameless_around.into_iter();
        facts.references.retain(|reference| {
            let innermost = nameless_around.next().flatten();
            let is_function = calls_apart && reference.kind == RefKind::Call;
            let bare = reference.receiver.is_none() && reference.kind != RefKind::Import && !is_function;
            !(bare && (is_local(reference) || is_nameless_local(reference, innermost)))
        });
        keep_used_names(&mut facts);
        facts
    }
}

/// Names are looked up in at most this many definitions around a use, so that nesting cannot make a file slow.
const MAX_SCOPES: usize = 64;

/// Drops the names that only left-out references used.
fn keep_used_names(facts: &mut FileFacts) {
    const UNUSED: u32 = u32::MAX;
    let mut moved = vec![UNUSED; facts.names.len()];
    let mut names = Vec::new();
    let mut keep = |name: &mut u32| {
        let index = *name as usize;
        if moved[index] == UNUSED {
            moved[index] = names.len() as u32;
            names.push(std::mem::take(&mut facts.names[index]));
        }
        *name = moved[index];
    };
    for reference in &mut facts.references {
        keep(&mut reference.name);
        reference.receiver.as_mut().map(&mut keep);
    }
    facts.names = names;
}
