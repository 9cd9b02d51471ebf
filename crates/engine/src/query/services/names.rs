//! The names that generators give to the services of a view.

use codecompass_syntax::facts::{ChainExpr, ChainRoot, ChainStep};
use codecompass_syntax::generators::{Generator, GeneratorSettings, NamePath, expand};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::query::services::answer::{Service, ServiceKind};

/// A name of a generator, and the service that it is of.
struct NameMeaning {
    qualifier: Option<String>,
    is_made: bool,
    service: usize,
}

/// Names by their last part.
#[derive(Default)]
pub(super) struct NameTable {
    by_name: FxHashMap<String, Vec<NameMeaning>>,
    /// A word that each file with one of the names has.
    pub words: FxHashSet<String>,
}

impl NameTable {
    /// Expands templates for all services.
    pub(super) fn new(templates: &[String], services: &[Service]) -> NameTable {
        let mut table = NameTable::default();
        for (number, service) in services.iter().enumerate().filter(|(_, one)| one.kind == ServiceKind::Grpc) {
            for template in templates {
                let NamePath { qualifier, name, is_made } = expand(template, &service.name, "");
                if name.is_empty() || qualifier.as_ref().is_some_and(String::is_empty) {
                    continue;
                }
                table.words.insert(word_of(template, &name, qualifier.as_deref()));
                table.by_name.entry(name).or_default().push(NameMeaning { qualifier, is_made, service: number });
            }
        }
        table
    }

    /// Returns whether a name is the last part of one.
    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Returns the services that a name means with one of the names before it.
    pub(super) fn services(&self, name: &str, is_before: &dyn Fn(&str) -> bool, is_made: bool) -> Vec<usize> {
        let fits = |meaning: &&NameMeaning| {
            meaning.qualifier.as_deref().is_none_or(is_before) && (is_made || !meaning.is_made)
        };
        let mut found: Vec<usize> =
            self.by_name.get(name).into_iter().flatten().filter(fits).map(|meaning| meaning.service).collect();
        found.dedup();
        found
    }

    /// Returns the services that one of the words of a type means.
    pub(super) fn in_type(&self, text: &str) -> Vec<usize> {
        let words: Vec<&str> =
            text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
        for (at, word) in words.iter().enumerate().filter(|(_, word)| self.has(word)) {
            let before = at.checked_sub(1).and_then(|at| words.get(at)).copied();
            let found = self.services(word, &|wanted| before == Some(wanted), false);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Returns the services that a name of an expression means, with the names that follow it.
    pub(super) fn in_chain<'a>(&self, chain: &ChainExpr<'a>) -> Option<(Vec<usize>, Vec<&'a str>)> {
        let (root, is_new) = match chain.root {
            ChainRoot::Name(name) => (Some(name), false),
            ChainRoot::New(name) => (Some(name), true),
            ChainRoot::Cast(declared) => {
                let found = self.in_type(&declared.text);
                return (!found.is_empty()).then(|| (found, Vec::new()));
            }
            _ => (None, false),
        };
        let steps = chain.steps.iter().filter_map(|step| match step {
            ChainStep::Member(name) | ChainStep::Segment(name) => Some(*name),
            _ => None,
        });
        let names: Vec<&str> = root.into_iter().chain(steps).collect();
        // The name of what is made is the last before the first call.
        let is_name = |step: &&ChainStep<&str, _>| matches!(step, ChainStep::Member(_) | ChainStep::Segment(_));
        let made_at = is_new.then(|| chain.steps.iter().take_while(is_name).count());
        for (at, name) in names.iter().enumerate().filter(|(_, name)| self.has(name)) {
            let before = at.checked_sub(1).and_then(|at| names.get(at)).copied();
            let found = self.services(name, &|wanted| before == Some(wanted), made_at == Some(at));
            if !found.is_empty() {
                return Some((found, names[at + 1..].to_vec()));
            }
        }
        None
    }
}

/// Returns the longest part of a name that has the service in it.
fn word_of(template: &str, name: &str, qualifier: Option<&str>) -> String {
    let template = template.rsplit('.').next().unwrap_or(template);
    let has_service = template.contains("{service");
    match qualifier {
        Some(qualifier) if !has_service || qualifier.len() > name.len() => qualifier.to_string(),
        _ => name.to_string(),
    }
}

/// The names of rpcs' methods: to the services that have one of the name, and its number there.
pub(super) fn methods(templates: &[String], services: &[Service]) -> FxHashMap<String, Vec<(usize, usize)>> {
    let mut found: FxHashMap<String, Vec<(usize, usize)>> = FxHashMap::default();
    for (number, service) in services.iter().enumerate().filter(|(_, one)| one.kind == ServiceKind::Grpc) {
        for (rpc, declared) in service.rpcs.iter().enumerate() {
            for template in templates {
                let name = expand(template, &service.name, &declared.name).name;
                let known = found.entry(name).or_default();
                if !known.contains(&(number, rpc)) {
                    known.push((number, rpc));
                }
            }
        }
    }
    found
}

/// Returns the names of one rpc's method.
pub(super) fn method_names(templates: &[String], service: &str, rpc: &str) -> Vec<String> {
    templates.iter().map(|template| expand(template, service, rpc).name).collect()
}

/// A generator with its names for the services of a view.
pub(super) struct GeneratorNames {
    pub generator: &'static Generator,
    pub bases: NameTable,
    pub stubs: NameTable,
    /// By name on stubs.
    pub client_methods: FxHashMap<String, Vec<(usize, usize)>>,
}

impl GeneratorNames {
    pub(super) fn new(generator: &'static Generator, services: &[Service]) -> GeneratorNames {
        let settings = generator.settings();
        GeneratorNames {
            generator,
            bases: NameTable::new(&settings.bases, services),
            stubs: NameTable::new(&settings.stubs, services),
            client_methods: methods(settings.methods_of_stubs(), services),
        }
    }

    pub(super) fn settings(&self) -> &'static GeneratorSettings {
        self.generator.settings()
    }
}
