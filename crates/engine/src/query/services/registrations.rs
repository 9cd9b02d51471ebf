//! Calls that register a server, and decorators that make a method answer an rpc.
//!
//! Facts have no arguments, so the few files that have such a call are read and parsed.

use std::time::Duration;

use codecompass_syntax::Language;
use codecompass_syntax::facts::{ChainExpr, ChainStep, Definition};
use codecompass_syntax::generators::{ArgumentFact, CallFact, CallTarget, RegistrationRule, expand, named_calls};
use codecompass_syntax::routes::CodePlace;
use rustc_hash::FxHashSet;

use crate::config::IndexConfig;
use crate::error::Result;
use crate::model::{ContentId, VersionId};
use crate::parallel;
use crate::query::services::answer::{Service, ServiceImplementation, ServiceKind, ServiceSite};
use crate::query::services::implementations::add_class;
use crate::query::services::names::{GeneratorNames, NameTable, method_names};
use crate::query::services::sites::{SiteFinder, by_package};
use crate::resolve::{Confidence, FileView, Symbol, language_of};
use crate::scan::{ReadOutcome, Source};

/// The time that one file may take.
const LIMIT: Duration = Duration::from_secs(5);

/// Calls of files, in the order of paths.
pub(super) type FileCalls = Vec<(VersionId, Vec<CallFact>)>;

/// A call that registers a server: the number of its rule, and its file.
struct RegisteredCall<'a> {
    file: &'a FileView,
    call: &'a CallFact,
    rule: &'a RegistrationRule,
}

/// Returns the last parts of the names that a generator's calls have.
fn call_names(names: &GeneratorNames, services: &[Service]) -> FxHashSet<String> {
    let settings = names.settings();
    let mut wanted = FxHashSet::default();
    for rule in &settings.registration {
        for service in services.iter().filter(|service| service.kind == ServiceKind::Grpc) {
            wanted.insert(expand(&rule.name, &service.name, "").name);
        }
    }
    wanted.extend(settings.decorator.iter().flat_map(|rule| rule.names.iter().cloned()));
    wanted.extend(settings.client_call.iter().flat_map(|rule| rule.names.iter().cloned()));
    wanted
}

/// Reads the calls of a generator's files that register servers, make stubs of the service they are
/// given, or decorate methods.
pub(super) fn read(
    finder: &SiteFinder<'_, '_>,
    names: &GeneratorNames,
    services: &[Service],
    source: &Source,
    config: &IndexConfig,
) -> Result<FileCalls> {
    let wanted = call_names(names, services);
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let snapshot = finder.navigator.snapshot();
    let settings = names.settings();
    // Files that name a service in some form; others cannot register one.
    let templates: Vec<String> = settings
        .registration
        .iter()
        .flat_map(|rule| rule.service_names.iter().chain(rule.service.is_none().then_some(&rule.name)))
        .chain(settings.client_call.iter().flat_map(|rule| &rule.service_names))
        .cloned()
        .collect();
    let mut words = NameTable::new(&templates, services).words;
    if !settings.decorator.is_empty() {
        words.extend(services.iter().map(|service| service.name.clone()));
    }
    let with_service = finder.files_with(&words, names.generator)?;
    let plain: FxHashSet<VersionId> = finder.files_with(&wanted, names.generator)?.into_iter().collect();
    let mut candidates: Vec<(VersionId, &str, &'static Language, Option<ContentId>)> = Vec::new();
    for version in with_service.into_iter().filter(|version| plain.contains(version)) {
        let (Some(path), Some(language)) = (snapshot.path_of(version), language_of(snapshot, version)?) else {
            continue;
        };
        let content = ContentId::from_slice(&snapshot.file_info(version)?.content_id);
        candidates.push((version, path, language, content));
    }
    let is_wanted = |name: &str| wanted.contains(name);
    let read = parallel::map(
        &candidates,
        || source.reader(),
        |reader, (_, path, language, content)| match reader.read(path, *content, config) {
            ReadOutcome::Text(read) if Some(read.content_id) == *content => {
                named_calls(&read.text, language, &is_wanted, LIMIT)
            }
            _ => Vec::new(),
        },
    );
    Ok(candidates.iter().zip(read).map(|((version, ..), calls)| (*version, calls)).collect())
}

/// Adds the servers that calls register.
pub(super) fn add(
    finder: &SiteFinder<'_, '_>,
    names: &GeneratorNames,
    calls: &FileCalls,
    services: &mut [Service],
) -> Result<()> {
    for (version, calls) in calls {
        let Some(file) = finder.navigator.resolver.file(*version)? else { continue };
        if finder.is_generated(&file, names)? {
            continue;
        }
        for call in calls {
            for rule in &names.settings().registration {
                let candidates = registered(rule, call, services);
                for service in by_package(candidates, &file, services) {
                    let call = RegisteredCall { file: &file, call, rule };
                    register(finder, names, &call, service, services)?;
                }
            }
            add_decorated(finder, names, &file, call, services)?;
        }
    }
    Ok(())
}

/// Returns the services that a call registers by a rule.
fn registered(rule: &RegistrationRule, call: &CallFact, services: &[Service]) -> Vec<usize> {
    let named = |number: &usize| {
        let Some(service) = services.get(*number).filter(|service| service.kind == ServiceKind::Grpc) else {
            return false;
        };
        let wanted = expand(&rule.name, &service.name, "");
        let qualifier = call.receiver.last();
        if wanted.name != call.name || wanted.qualifier.as_ref().is_some_and(|wanted| Some(wanted) != qualifier) {
            return false;
        }
        match rule.service {
            None => true,
            Some(at) => call.arguments.get(at).is_some_and(|argument| names_service(argument, rule, service)),
        }
    };
    (0..services.len()).filter(named).collect()
}

fn names_service(argument: &ArgumentFact, rule: &RegistrationRule, service: &Service) -> bool {
    is_named(argument, &rule.service_names, &service.name)
}

/// Returns whether an argument is one of a service's names.
pub(super) fn is_named(argument: &ArgumentFact, templates: &[String], service: &str) -> bool {
    let path = match argument {
        ArgumentFact::Path(path, _) | ArgumentFact::Call(path, _) => path.as_slice(),
        ArgumentFact::Text(text) => return text == service,
        _ => return false,
    };
    templates.iter().any(|template| {
        let wanted = expand(template, service, "");
        let before = path.len().checked_sub(2).and_then(|at| path.get(at));
        path.last() == Some(&wanted.name) && wanted.qualifier.is_none_or(|wanted| Some(&wanted) == before)
    })
}

fn register(
    finder: &SiteFinder<'_, '_>,
    names: &GeneratorNames,
    registered: &RegisteredCall<'_>,
    service: usize,
    services: &mut [Service],
) -> Result<()> {
    let RegisteredCall { file, call, rule } = registered;
    let Some(argument) = call.arguments.get(rule.implementation) else { return Ok(()) };
    let place = (file.path.clone(), call.place.line);
    if let ArgumentFact::Map(entries) = argument {
        return add_object(finder, names, registered, entries, &mut services[service]);
    }
    for class in classes(finder, file, call, argument)? {
        let Some(home) = finder.navigator.resolver.file(class.version)? else { continue };
        if finder.is_generated(&home, names)? {
            continue;
        }
        let same = same_type(finder, &services[service], class)?;
        if same.is_none() {
            add_class(finder, names, class, Confidence::Static, service, services)?;
        }
        let class = same.unwrap_or(class);
        for one in services[service].implementations.iter_mut().filter(|one| one.site.symbol == Some(class)) {
            one.registered.get_or_insert_with(|| place.clone());
        }
    }
    Ok(())
}

/// Returns the implementation that is the same type: a block of it, or another part.
fn same_type(finder: &SiteFinder<'_, '_>, service: &Service, class: Symbol) -> Result<Option<Symbol>> {
    let Some((_, wanted)) = finder.navigator.resolver.definition(class)? else { return Ok(None) };
    for known in service.implementations.iter().filter_map(|one| one.site.symbol) {
        let Some((_, definition)) = finder.navigator.resolver.definition(known)? else { continue };
        if known == class || definition.qualified_name == wanted.qualified_name && known.version == class.version {
            return Ok(Some(known));
        }
    }
    Ok(None)
}

/// Adds an object whose entries answer rpcs.
fn add_object(
    finder: &SiteFinder<'_, '_>,
    names: &GeneratorNames,
    registered: &RegisteredCall<'_>,
    entries: &[(String, ArgumentFact)],
    service: &mut Service,
) -> Result<()> {
    let RegisteredCall { file, call, .. } = registered;
    let object = finder.place_site(file, "(object)", call.place.line)?;
    let is_known = |one: &ServiceImplementation| one.site.path == object.path && one.site.line == object.line;
    if service.implementations.iter().any(is_known) {
        return Ok(());
    }
    let mut missing = 0;
    for rpc in &mut service.rpcs {
        let wanted = method_names(&names.settings().methods, &service.name, &rpc.name);
        match entries.iter().find(|(key, _)| wanted.contains(key)) {
            Some((key, value)) => rpc.implementations.push(entry_site(finder, file, key, value, call.place)?),
            None => missing += 1,
        }
    }
    let registered = Some((file.path.clone(), call.place.line));
    service.implementations.push(ServiceImplementation { site: object, registered, missing });
    Ok(())
}

/// Returns the function that an entry of an object names, or the entry itself.
fn entry_site(
    finder: &SiteFinder<'_, '_>,
    file: &FileView,
    key: &str,
    value: &ArgumentFact,
    call: CodePlace,
) -> Result<ServiceSite> {
    let (path, place) = match value {
        ArgumentFact::Path(path, place) => (path.as_slice(), Some(*place)),
        // `handler.bind(this)`
        ArgumentFact::Call(path, place) => (path.split_last().map_or(&[][..], |(_, before)| before), Some(*place)),
        ArgumentFact::Inline(place) | ArgumentFact::Other(place) => return finder.place_site(file, key, place.line),
        _ => (&[][..], None),
    };
    let is_path = matches!(value, ArgumentFact::Path(..));
    if let Some(place) = place.filter(|_| is_path)
        && let Some(used) = finder.navigator.use_at(&file.path, place.line, place.column)?
        && let Some(symbol) = used.meaning.symbols().first()
        && let Some(site) = finder.symbol_site(*symbol, Confidence::Static)?
    {
        return Ok(site);
    }
    let named = path.last().and_then(|name| {
        let is_callable = |ordinal: &&u32| {
            file.definitions().get(**ordinal as usize).is_some_and(|one| one.kind.is_callable() || one.kind.is_value())
        };
        file.named(name).iter().find(is_callable)
    });
    if let Some(ordinal) = named
        && let Some(site) =
            finder.symbol_site(Symbol { version: file.version, ordinal: *ordinal }, Confidence::Static)?
    {
        return Ok(site);
    }
    finder.place_site(file, key, place.map_or(call.line, |place| place.line))
}

/// Returns the types that an argument may be an instance of.
fn classes(
    finder: &SiteFinder<'_, '_>,
    file: &FileView,
    call: &CallFact,
    argument: &ArgumentFact,
) -> Result<Vec<Symbol>> {
    let resolver = &finder.navigator.resolver;
    let line = call.place.line;
    let enclosing = file.outline.innermost_at(line, |_| true, |one: &Definition| one.span.start_line);
    let (path, is_call, place) = match argument {
        ArgumentFact::Path(path, place) => (path, false, *place),
        ArgumentFact::Call(path, place) => (path, true, *place),
        ArgumentFact::Other(place) => return literal_type(finder, file, *place),
        _ => return Ok(Vec::new()),
    };
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    let mut chain = ChainExpr::of_path(&names);
    if is_call {
        chain.steps.push(ChainStep::Call);
    }
    let is_root = |binding: &&codecompass_syntax::facts::Binding| {
        Some(file.name(binding.name)) == names.first().copied()
            && binding.line <= line
            && file.outwards(enclosing).any(|(around, _)| Some(around) == binding.enclosing)
    };
    let root = file.uses.bindings.iter().rposition(|binding| is_root(&binding)).map(|at| at as u32);
    let values = resolver.value_of(file, enclosing, &chain, root)?;
    let mut found: Vec<Symbol> = values.iter().filter_map(|value| value.type_symbol()).collect();
    if found.is_empty()
        && let Some(used) = finder.navigator.use_at(&file.path, place.line, place.column)?
    {
        for symbol in used.meaning.symbols() {
            let Some((_, definition)) = resolver.definition(*symbol)? else { continue };
            if definition.kind.is_type() {
                found.push(*symbol)
            } else {
                found.extend(resolver.result_of(*symbol, None)?.iter().filter_map(|value| value.type_symbol()))
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Returns the type that a literal at a place names first.
fn literal_type(finder: &SiteFinder<'_, '_>, file: &FileView, place: CodePlace) -> Result<Vec<Symbol>> {
    for (number, reference) in file.uses.references.iter().enumerate() {
        if reference.line != place.line || reference.column < place.column {
            continue;
        }
        for symbol in finder.navigator.meaning(file, number as u32)?.symbols() {
            let Some((_, definition)) = finder.navigator.resolver.definition(*symbol)? else { continue };
            if definition.kind.is_type() {
                return Ok(vec![*symbol]);
            }
        }
    }
    Ok(Vec::new())
}

/// Adds a method that a decorator makes answer an rpc.
fn add_decorated(
    finder: &SiteFinder<'_, '_>,
    names: &GeneratorNames,
    file: &FileView,
    call: &CallFact,
    services: &mut [Service],
) -> Result<()> {
    let Some(CallTarget::Method { name, place }) = &call.target else { return Ok(()) };
    let text = |at: usize| match call.arguments.get(at) {
        Some(ArgumentFact::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    for rule in names.settings().decorator.iter().filter(|rule| rule.names.contains(&call.name)) {
        let Some(wanted) = text(rule.service) else { continue };
        for service in services.iter_mut().filter(|service| service.name == wanted) {
            let is_rpc = |rpc: &str| match text(rule.rpc) {
                Some(written) => rpc == written,
                None => method_names(&names.settings().methods, wanted, rpc).contains(name),
            };
            let Some(rpc) = service.rpcs.iter_mut().find(|rpc| is_rpc(&rpc.name)) else { continue };
            let symbol = finder.navigator.symbol_at(&file.path, place.line, Some(place.column))?;
            let site = symbol.map(|symbol| finder.symbol_site(symbol, Confidence::Static)).transpose()?.flatten();
            match site {
                Some(site) => rpc.implementations.push(site),
                None => rpc.implementations.push(finder.place_site(file, name, place.line)?),
            }
        }
    }
    Ok(())
}
