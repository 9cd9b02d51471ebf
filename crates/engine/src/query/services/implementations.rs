//! Types that inherit from the generated base of a service.

use codecompass_syntax::facts::{Kind, RefKind, Reference};
use codecompass_syntax::language_named;
use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::model::{Role, VersionId};
use crate::query::navigate::Navigator;
use crate::query::services::answer::{Service, ServiceImplementation, ServiceSite};
use crate::query::services::names::{GeneratorNames, NameTable, method_names};
use crate::query::services::sites::SiteFinder;
use crate::resolve::{Confidence, FileView, Resolution, Symbol};

/// Types below the implementations of one service that are looked at.
const MAX_SUBTYPES: usize = 500;

/// Finds the types that implement services, and their methods.
pub(super) fn add(finder: &SiteFinder<'_, '_>, names: &GeneratorNames, services: &mut [Service]) -> Result<()> {
    for version in finder.files_with(&names.bases.words, names.generator)? {
        let Some(file) = finder.navigator.resolver.file(version)? else { continue };
        if finder.is_generated(&file, names)? {
            continue;
        }
        for (number, reference) in file.uses.references.iter().enumerate() {
            let is_base = names.bases.has(file.name(reference.name));
            if !is_base || reference.kind != RefKind::Inherit && !is_in_head(&file, reference) {
                continue;
            }
            let candidates = inherited(&file, reference, &names.bases);
            let Some(ordinal) = reference.enclosing.filter(|_| !candidates.is_empty()) else { continue };
            let class = Symbol { version, ordinal };
            if is_of_the_view(finder, &file, number as u32, names)? || is_interface(&file, ordinal) {
                continue;
            }
            for service in finder.narrowed(candidates, &file, class, names, services)? {
                add_class(finder, names, class, Confidence::Static, service, services)?;
            }
        }
    }
    Ok(())
}

/// Returns whether a type stands in the head of a type, whatever the grammar takes it for.
fn is_in_head(file: &FileView, reference: &Reference) -> bool {
    let around = reference.enclosing.and_then(|ordinal| file.definitions().get(ordinal as usize));
    let Some(around) = around.filter(|one| reference.kind == RefKind::Type && one.kind.is_type()) else { return false };
    let mut words = around.signature.split(|c: char| !c.is_alphanumeric() && c != '_');
    reference.line <= around.name_line + 1 && words.any(|word| word == file.name(reference.name))
}

/// Returns whether a definition only declares what others implement.
fn is_interface(file: &FileView, ordinal: u32) -> bool {
    file.definitions().get(ordinal as usize).is_some_and(|one| matches!(one.kind, Kind::Interface | Kind::Trait))
}

/// Returns the services whose base a reference names.
fn inherited(file: &FileView, reference: &Reference, bases: &NameTable) -> Vec<usize> {
    let name = file.name(reference.name);
    let before = reference.receiver.and_then(|chain| file.chain(chain).last_name());
    let is_before = |wanted: &str| match before {
        Some(before) => before == wanted,
        None => file.outline.imports.iter().any(|import| {
            let is_name = import.name.as_deref().is_some_and(|one| one == name || one == "*");
            is_name && import.module.rsplit(['.', ':', '/', '\\']).next() == Some(wanted)
        }),
    };
    bases.services(name, &is_before, false)
}

/// Returns whether a base is written by hand in the view: then it only has the name of one.
fn is_of_the_view(finder: &SiteFinder<'_, '_>, file: &FileView, number: u32, names: &GeneratorNames) -> Result<bool> {
    let meaning = finder.navigator.meaning(file, number)?;
    let Resolution::Found { targets, confidence: Confidence::Static, .. } = &*meaning else { return Ok(false) };
    for target in targets {
        let Some(home) = finder.navigator.resolver.file(target.version)? else { continue };
        if finder.is_generated_file(&home, names)? {
            return Ok(false);
        }
    }
    Ok(!targets.is_empty())
}

/// Adds a type to a service, with the methods that answer its rpcs.
pub(super) fn add_class(
    finder: &SiteFinder<'_, '_>,
    names: &GeneratorNames,
    class: Symbol,
    confidence: Confidence,
    service: usize,
    services: &mut [Service],
) -> Result<()> {
    let Some(service) = services.get_mut(service) else { return Ok(()) };
    let is_known = |one: &ServiceImplementation| one.site.symbol == Some(class);
    if service.implementations.iter().any(is_known) {
        return Ok(());
    }
    let Some(site) = finder.symbol_site(class, confidence)? else { return Ok(()) };
    let mut missing = 0;
    for rpc in &mut service.rpcs {
        let templates = &names.settings().methods;
        let found = finder.method(class, &method_names(templates, &service.name, &rpc.name))?;
        let Some(method) = found else {
            missing += 1;
            continue;
        };
        if let Some(site) = finder.symbol_site(method, confidence)? {
            rpc.implementations.push(site);
        }
    }
    service.implementations.push(ServiceImplementation { site, registered: None, missing });
    Ok(())
}

/// Adds the types that inherit from an implementation and have a method of their own for an rpc.
pub(super) fn add_subtypes(
    finder: &SiteFinder<'_, '_>,
    names: &GeneratorNames,
    services: &mut [Service],
) -> Result<()> {
    for number in 0..services.len() {
        let of_language =
            |site: &ServiceSite| language_named(site.language).is_some_and(|one| names.generator.makes(one));
        let known = services[number].implementations.iter().filter(|one| of_language(&one.site));
        let mut pending: Vec<Symbol> = known.filter_map(|one| one.site.symbol).collect();
        let mut at = 0;
        while let Some(class) = pending.get(at).copied().filter(|_| at < MAX_SUBTYPES) {
            at += 1;
            for used in finder.navigator.uses_of(class)?.iter() {
                let Some(ordinal) = used.reference.enclosing.filter(|_| used.reference.kind == RefKind::Inherit) else {
                    continue;
                };
                let subtype = Symbol { version: used.version, ordinal };
                if pending.contains(&subtype) {
                    continue;
                }
                pending.push(subtype);
                let mut has_own = false;
                for rpc in &services[number].rpcs {
                    for name in method_names(&names.settings().methods, &services[number].name, &rpc.name) {
                        has_own |= !finder.navigator.resolver.members_named(subtype, &name)?.is_empty();
                    }
                }
                if has_own {
                    add_class(finder, names, subtype, used.confidence, number, services)?;
                }
            }
        }
    }
    Ok(())
}

/// Adds types that have methods of the names and request types of a service that nothing else
/// implements: most of them, and at least one.
pub(super) fn add_structural(
    finder: &SiteFinder<'_, '_>,
    names: &GeneratorNames,
    services: &mut [Service],
) -> Result<()> {
    if !names.settings().is_structural {
        return Ok(());
    }
    for number in 0..services.len() {
        let service = &services[number];
        if service.implementations.iter().any(|one| one.site.role != Role::Test) {
            continue;
        }
        let mut owners: FxHashMap<Symbol, usize> = FxHashMap::default();
        let templates = &names.settings().methods;
        for rpc in &service.rpcs {
            let request = rpc.request.name.rsplit('.').next().unwrap_or("");
            for name in method_names(templates, &service.name, &rpc.name) {
                for owner in owners_of(finder.navigator, names, &name, request)? {
                    *owners.entry(owner).or_default() += 1;
                }
            }
        }
        let wanted = service.rpcs.len().div_ceil(2).max(1);
        let mut owners: Vec<Symbol> =
            owners.into_iter().filter(|(_, count)| *count >= wanted).map(|(owner, _)| owner).collect();
        owners.sort();
        for owner in owners {
            let Some(file) = finder.navigator.resolver.file(owner.version)? else { continue };
            if !finder.is_generated(&file, names)? {
                add_class(finder, names, owner, Confidence::Heuristic, number, services)?;
            }
        }
    }
    Ok(())
}

/// Returns the types with a method of a name whose declaration names the request type.
fn owners_of(navigator: &Navigator<'_>, names: &GeneratorNames, method: &str, request: &str) -> Result<Vec<Symbol>> {
    let mut found = Vec::new();
    for symbol in navigator.resolver.named(method)?.iter() {
        let Some((file, definition)) = navigator.resolver.definition(*symbol)? else { continue };
        let is_method = definition.kind == Kind::Method && names.generator.makes(file.language);
        let names_request = definition
            .signature
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|word| word == request && !request.is_empty());
        if is_method && names_request && !is_test(navigator, file.version)? {
            let owners = navigator.resolver.owners_of(*symbol)?;
            found.extend(owners.into_iter().filter(|owner| {
                let outline = navigator.snapshot().outline(owner.version);
                let kind = outline.ok().and_then(|one| one.definitions.get(owner.ordinal as usize).map(|d| d.kind));
                kind.is_some_and(|kind| !matches!(kind, Kind::Interface | Kind::Trait))
            }));
        }
    }
    Ok(found)
}

fn is_test(navigator: &Navigator<'_>, version: VersionId) -> Result<bool> {
    Ok(navigator.snapshot().file_info(version)?.role == Role::Test)
}

/// Puts code that is no test first, then what is certain, then by place.
pub(super) fn sort_sites(sites: &mut Vec<ServiceSite>) {
    let key = |site: &ServiceSite| {
        (crate::query::navigate::reading_rank(site.role), site.path.clone(), site.line, site.confidence)
    };
    sites.sort_by_cached_key(key);
    sites.dedup_by(|a, b| a.path == b.path && a.line == b.line && a.name == b.name);
}
