//! The end of a walk: what only the whole file can tell. Visibility said elsewhere, components, and which uses mean a
//! function's own names.

use rustc_hash::FxHashMap;

use super::Walk;
use super::bind::{self, Lookup, Place};
use crate::expression;
use crate::facts::{BindingKind, FileFacts, Kind, RefKind, Reference, Visibility};

impl Walk<'_, '_> {
    pub(super) fn finish(self) -> FileFacts {
        let Walk { mut facts, language, matches, scopes, nameless, around, components, marked, .. } = self;
        let (bound, values_at) = (self.bound, self.values_at);
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
        let numbers: FxHashMap<&str, u32> =
            facts.names.iter().enumerate().map(|(index, name)| (name.as_str(), index as u32)).collect();
        let lookup = Lookup {
            definitions: &facts.definitions,
            scopes: &scopes,
            nameless: &nameless,
            bound: &bound,
            declared_before_use: language.settings().declared_before_use,
        };
        // A variable is bound without the marks around its name (`$x`).
        let bare = |short| expression::root(short).map(|name| language.settings().trim_name(name));
        let root_of = |text: u32, place: Place| {
            let name = bare(&facts.names[text as usize])?;
            lookup.value(*numbers.get(name)?, place)
        };
        let calls_apart = language.settings().calls_apart;
        let is_own = |reference: &Reference, place: Place| {
            let is_function = calls_apart && reference.kind == RefKind::Call;
            if reference.receiver.is_some() || reference.kind == RefKind::Import || is_function {
                return false;
            }
            lookup.is_type_parameter(reference.name, reference.enclosing)
                || (reference.kind != RefKind::Type
                    && lookup.value(reference.name, place).is_some_and(|index| !is_type(&bound[index as usize])))
        };
        let mut references = Vec::with_capacity(facts.references.len());
        for (reference, (nameless, byte)) in facts.references.iter().zip(around) {
            let place = Place { enclosing: reference.enclosing, nameless, byte };
            if !is_own(reference, place) {
                let root = reference.receiver.and_then(|receiver| root_of(receiver, place));
                references.push(Reference { root, ..*reference });
            }
        }
        let roots = bound.iter().map(|bound| bound.binding.value.and_then(|value| root_of(value, bound.place())));
        let roots = roots.collect();
        let value_roots: Vec<(u32, u32)> = values_at
            .into_iter()
            .filter_map(|(index, place)| {
                let value = facts.definitions[index as usize].value.as_deref()?;
                Some((index, lookup.value(*numbers.get(bare(value)?)?, place)?))
            })
            .collect();
        facts.references = references;
        bind::keep_used(&mut facts, &bound, roots, &value_roots);
        keep_used_names(&mut facts);
        facts
    }
}

fn is_type(bound: &bind::Bound) -> bool {
    bound.binding.kind == BindingKind::Type
}

/// Drops the names that only left-out references and bindings used.
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
    for binding in &mut facts.bindings {
        keep(&mut binding.name);
        binding.declared.as_mut().map(&mut keep);
        binding.value.as_mut().map(&mut keep);
    }
    facts.names = names;
}
