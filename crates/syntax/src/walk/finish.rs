//! The end of a walk: what only the whole file can tell. Visibility said elsewhere, components, and
//! which uses mean a function's own names.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Walk;
use super::bindings::{self, Bound, Lookup, LookupPlace};
use crate::extract::Matches;
use crate::facts::{
    Binding, BindingKind, CallArgument, ChainRoot, ChainStep, Definition, FileFacts, Kind, Projection, RefKind,
    Reference, Visibility,
};
use crate::settings::Settings;

impl Walk<'_, '_> {
    pub(super) fn finish(self) -> FileFacts {
        let Walk { mut facts, text, language, matches, scopes, uses, outline, names, types, chains, .. } = self;
        let settings = language.settings();
        facts.names = names.into_list();
        facts.types = types.into_list();
        facts.chains = chains.into_list();
        apply_exports(&mut facts.definitions, &matches, settings);
        apply_marks(&mut facts.definitions, &outline.marked);
        name_components(&mut facts.definitions, &outline.components);
        let roots = {
            let lookup = Lookup {
                definitions: &facts.definitions,
                scopes: &scopes.of_definitions,
                nameless: &scopes.nameless,
                bound: &scopes.bound,
                narrowed: &scopes.narrowed,
                declared_before_use: settings.declared_before_use,
            };
            Roots::find(text, &facts, lookup, settings, &uses.around, &scopes.values_at)
        };
        facts.references = roots.references;
        facts.arguments = roots.arguments;
        facts.locals = uses.bound_at;
        facts.locals.extend(roots.own);
        facts.locals.sort_unstable();
        facts.locals.dedup();
        bindings::keep_used(&mut facts, &scopes.bound, roots.of_bindings, &roots.of_values);
        keep_used_chains(&mut facts);
        keep_used_names(&mut facts);
        keep_used_types(&mut facts);
        facts
    }
}

/// Applies a list of exported names to the definitions at the top of the file and their members.
fn apply_exports(definitions: &mut [Definition], matches: &Matches<'_>, settings: &Settings) {
    let rules = &settings.visibility;
    let lists_exports = rules.export_list && !matches.exported.is_empty();
    for definition in definitions.iter_mut().filter(|definition| definition.parent.is_none()) {
        if matches.exported.contains(&definition.name) {
            definition.visibility = Visibility::Public;
        } else if lists_exports && definition.kind != Kind::Impl {
            definition.visibility = Visibility::Private;
        }
    }
    if !lists_exports {
        return;
    }
    let inherits = |parent: &&Definition| rules.inherit_from.iter().any(|kind| kind == parent.kind.as_str());
    for index in 0..definitions.len() {
        let parent = definitions[index].parent.map(|parent| &definitions[parent as usize]);
        if let Some(visibility) = parent.filter(inherits).map(|parent| parent.visibility) {
            definitions[index].visibility = visibility;
        }
    }
}

/// Applies visibilities that are said elsewhere than at the definition.
fn apply_marks(definitions: &mut [Definition], marked: &FxHashMap<(Option<u32>, String), Visibility>) {
    if marked.is_empty() {
        return;
    }
    for definition in definitions {
        if let Some(visibility) = marked.get(&(definition.parent, definition.name.clone())) {
            definition.visibility = *visibility;
        }
    }
}

/// Makes components of capitalised functions and variables with a component marker in them. A class
/// stays one: it has members.
fn name_components(definitions: &mut [Definition], components: &FxHashSet<u32>) {
    for index in components {
        let definition = &mut definitions[*index as usize];
        let capitalised = definition.name.chars().next().is_some_and(char::is_uppercase);
        if capitalised && matches!(definition.kind, Kind::Function | Kind::Variable | Kind::Constant) {
            definition.kind = Kind::Component;
        }
    }
}

/// The bindings that receivers and values start with, as indexes of all bindings of the walk.
struct Roots {
    /// The references that mean something outside of functions, with their roots.
    references: Vec<Reference>,
    /// The arguments of these.
    arguments: Vec<CallArgument>,
    /// The first bytes of the others.
    own: Vec<u32>,
    of_bindings: Vec<Option<u32>>,
    /// Definitions and the roots of their values.
    of_values: Vec<(u32, u32)>,
}

impl Roots {
    fn find(
        text: &str,
        facts: &FileFacts,
        lookup: Lookup<'_>,
        settings: &Settings,
        around: &[(Option<usize>, usize)],
        values_at: &[(u32, LookupPlace)],
    ) -> Roots {
        let numbers: FxHashMap<&str, u32> =
            facts.names.iter().enumerate().map(|(index, name)| (name.as_str(), index as u32)).collect();
        let instance_words = &settings.resolve.instance_words;
        let root_of = |chain: u32, place: LookupPlace| {
            let name = &facts.names[facts.chains[chain as usize].root_name()? as usize];
            // A variable is bound without the marks around its name (`$x`).
            let number = *numbers.get(settings.trim_name(name))?;
            let narrowed = if instance_words.contains(name) {
                lookup.narrowed_instance(number, place)
            } else {
                lookup.narrowed(number, place)
            };
            narrowed.or_else(|| lookup.value(number, place))
        };
        // A member of the instance need not have it before its name.
        let instances: Vec<u32> = if settings.resolve.implicit_members && !lookup.narrowed.is_empty() {
            instance_words.iter().filter_map(|word| numbers.get(word.as_str()).copied()).collect()
        } else {
            Vec::new()
        };
        let implicit = |reference: &Reference, place: LookupPlace| {
            let is_use = matches!(reference.kind, RefKind::Call | RefKind::Read | RefKind::Write);
            instances.iter().filter(|_| is_use).find_map(|number| lookup.narrowed_instance(*number, place))
        };
        let mut references = Vec::with_capacity(facts.references.len());
        let mut own = Vec::new();
        let functions = functions_before_variables(facts, settings);
        let (mut arguments, mut given) = (Vec::with_capacity(facts.arguments.len()), facts.arguments.as_slice());
        for (number, (reference, (nameless, byte))) in facts.references.iter().zip(around).enumerate() {
            let place = LookupPlace { enclosing: reference.enclosing, nameless: *nameless, byte: *byte };
            let (of_reference, others) = given.split_at(given.partition_point(|it| it.reference as usize <= number));
            given = others;
            let kept = references.len() as u32;
            let (leads, follows) = in_path(text, *byte, &facts.names[reference.name as usize], settings);
            let is_function = functions.contains(facts.names[reference.name as usize].as_str())
                && calls_variable(facts, &lookup, reference, place);
            let is_constructor = calls_own_type(facts, settings, reference);
            if !is_function && !is_constructor && is_own(&lookup, settings, reference, place, leads) {
                match member_called(facts, &lookup, settings, reference, place) {
                    // A call of what was taken out of an object calls the object's member.
                    Some((receiver, from)) => {
                        let (receiver, root) = (Some(receiver), root_of(receiver, from));
                        references.push(Reference { receiver, root, ..*reference });
                    }
                    None => own.push(*byte as u32),
                }
            } else {
                let root = match reference.receiver {
                    Some(receiver) => root_of(receiver, place),
                    None => implicit(reference, place),
                };
                let root = root.filter(|root| !follows || !lookup.is_variable(*root));
                references.push(Reference { root, ..*reference });
            }
            if references.len() as u32 > kept {
                let rooted =
                    |it: &CallArgument| CallArgument { reference: kept, root: root_of(it.value, place), ..*it };
                arguments.extend(of_reference.iter().map(rooted));
            }
        }
        let of_binding = |bound: &Bound| root_of(bound.binding.value?, bound.place());
        let of_value = |(index, place): &(u32, LookupPlace)| {
            Some((*index, root_of(facts.definitions[*index as usize].value?, *place)?))
        };
        Roots {
            references,
            arguments,
            own,
            of_bindings: lookup.bound.iter().map(of_binding).collect(),
            of_values: values_at.iter().filter_map(of_value).collect(),
        }
    }
}

/// Returns the functions of the file, where a call means one of them rather than a variable.
fn functions_before_variables<'a>(facts: &'a FileFacts, settings: &Settings) -> FxHashSet<&'a str> {
    let functions = facts.definitions.iter().filter(|definition| definition.kind.is_callable());
    functions.filter(|_| settings.calls_before_variables).map(|definition| definition.name.as_str()).collect()
}

/// Returns whether a name goes on as a path, and whether it continues one.
fn in_path(text: &str, byte: usize, name: &str, settings: &Settings) -> (bool, bool) {
    if !settings.paths_apart {
        return (false, false);
    }
    let separator = settings.separator.as_str();
    let after = text.get(byte + name.len()..).unwrap_or("");
    let before = text.get(..byte).unwrap_or("");
    (after.starts_with(separator), before.trim_end().ends_with(separator))
}

/// Returns whether a reference means a name that the function around it binds.
/// A name that leads a path is no variable.
fn is_own(
    lookup: &Lookup<'_>,
    settings: &Settings,
    reference: &Reference,
    place: LookupPlace,
    leads_path: bool,
) -> bool {
    // Where functions are called by their names alone, a name without arguments may be a variable.
    let is_clear = !settings.resolve.bare_calls || reference.call_arguments().is_some();
    let is_function = settings.calls_apart && reference.kind == RefKind::Call && is_clear;
    let is_outside = matches!(reference.kind, RefKind::Import | RefKind::Declaration);
    if reference.receiver.is_some() || is_outside || is_function {
        return false;
    }
    let may_be_variable = reference.kind != RefKind::Type && !leads_path;
    lookup.is_type_parameter(reference.name, reference.enclosing)
        || (may_be_variable && lookup.value(reference.name, place).is_some_and(|index| lookup.is_variable(index)))
}

/// Returns whether a call makes an instance by the name that a method has for its own type
/// (`cls()`).
fn calls_own_type(facts: &FileFacts, settings: &Settings, reference: &Reference) -> bool {
    let rules = &settings.resolve;
    let is_listed = |words: &[String]| words.contains(&facts.names[reference.name as usize]);
    reference.kind == RefKind::Call
        && reference.receiver.is_none()
        && is_listed(&rules.type_words)
        && is_listed(&rules.constructor_words)
}

/// Returns whether a name is called that a variable has which is hardly a function: it has no
/// declared type, and its value is an expression that leads somewhere. Functions may be passed for
/// parameters, and be parts of other values.
fn calls_variable(facts: &FileFacts, lookup: &Lookup<'_>, reference: &Reference, place: LookupPlace) -> bool {
    let variable = || lookup.value(reference.name, place).map(|index| &lookup.bound[index as usize].binding);
    let is_plain = |binding: &Binding| {
        let value = binding.value.and_then(|value| facts.chains.get(value as usize));
        binding.kind == BindingKind::Variable
            && binding.declared.is_none()
            && binding.projection == Projection::Whole
            && value.is_some_and(|value| value.root != ChainRoot::Unknown)
    };
    reference.kind == RefKind::Call && variable().is_some_and(is_plain)
}

/// Returns the object that a called name was taken out of, if that is a name with its qualifiers,
/// and the place where it was.
fn member_called(
    facts: &FileFacts,
    lookup: &Lookup<'_>,
    settings: &Settings,
    reference: &Reference,
    place: LookupPlace,
) -> Option<(u32, LookupPlace)> {
    if reference.kind != RefKind::Call || !settings.calls_taken_members {
        return None;
    }
    let bound = lookup.taken(reference.name, place)?;
    let receiver = bound.binding.value?;
    let chain = facts.chains.get(receiver as usize)?;
    let is_path = chain.steps.iter().all(|step| matches!(step, ChainStep::Member(_)));
    (is_path && matches!(chain.root, ChainRoot::Name(_))).then(|| (receiver, bound.place()))
}

/// Drops the chains that only left-out references and bindings used.
fn keep_used_chains(facts: &mut FileFacts) {
    let mut moved: FxHashMap<u32, u32> = FxHashMap::default();
    let mut chains = Vec::new();
    let mut keep = |chain: &mut u32| {
        *chain = *moved.entry(*chain).or_insert_with(|| {
            chains.push(facts.chains[*chain as usize].clone());
            chains.len() as u32 - 1
        });
    };
    facts.references.iter_mut().filter_map(|reference| reference.receiver.as_mut()).for_each(&mut keep);
    facts.arguments.iter_mut().for_each(|argument| keep(&mut argument.value));
    facts.bindings.iter_mut().filter_map(|binding| binding.value.as_mut()).for_each(&mut keep);
    facts.definitions.iter_mut().filter_map(|definition| definition.value.as_mut()).for_each(&mut keep);
    facts.chains = chains;
}

/// Drops the names that nothing uses any more.
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
    }
    for binding in &mut facts.bindings {
        keep(&mut binding.name);
    }
    for chain in &mut facts.chains {
        chain.for_each_name(&mut keep);
    }
    facts.names = names;
}

/// Drops the types that only left-out bindings and chains have.
fn keep_used_types(facts: &mut FileFacts) {
    let mut moved: FxHashMap<u32, u32> = FxHashMap::default();
    let mut types = Vec::new();
    let mut keep = |declared: &mut u32| {
        *declared = *moved.entry(*declared).or_insert_with(|| {
            types.push(facts.types[*declared as usize].clone());
            types.len() as u32 - 1
        });
    };
    facts.bindings.iter_mut().filter_map(|binding| binding.declared.as_mut()).for_each(&mut keep);
    facts.chains.iter_mut().for_each(|chain| chain.for_each_type(&mut keep));
    facts.types = types;
}
