//! Calls of rpcs on stubs.
//!
//! A receiver is a stub when its expression, its declared type or its value has the name of one:
//! here, or where the variable or field is defined. In a file that names the stub, a call of an rpc
//! on something of which nothing is known is likely one.

use codecompass_syntax::facts::{ChainExpr, ChainStep, Definition, RefKind, Reference};
use codecompass_syntax::generators::CallTarget;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::model::VersionId;
use crate::query::services::answer::{Service, ServiceSite};
use crate::query::services::names::GeneratorNames;
use crate::query::services::registrations::{FileCalls, is_named};
use crate::query::services::sites::{SiteFinder, by_package};
use crate::resolve::{Confidence, FileView, Resolution, Symbol, Value};

/// Bindings that lead from one to the next.
const MAX_STEPS: u32 = 6;
/// Definitions that hold stubs and whose uses in other files are looked for.
const MAX_HOLDERS: usize = 2_000;

/// Services that a name stands for.
type StubServices = Vec<usize>;

/// The stubs of a view in the languages of one generator.
pub(super) struct StubFinder<'a, 'view> {
    finder: &'a SiteFinder<'a, 'view>,
    names: &'a GeneratorNames,
    /// Variables that are given a stub by a call with the service as an argument.
    made: FxHashMap<(VersionId, String), StubServices>,
    /// Definitions that hold stubs, by name.
    holders: FxHashMap<String, Vec<(Symbol, StubServices)>>,
}

impl<'a, 'view> StubFinder<'a, 'view> {
    pub(super) fn new(
        finder: &'a SiteFinder<'a, 'view>,
        names: &'a GeneratorNames,
        calls: &FileCalls,
        services: &[Service],
    ) -> StubFinder<'a, 'view> {
        let mut made: FxHashMap<(VersionId, String), StubServices> = FxHashMap::default();
        for (version, calls) in calls {
            for call in calls {
                let Some(CallTarget::Variable(variable)) = &call.target else { continue };
                for rule in names.settings().client_call.iter().filter(|rule| rule.names.contains(&call.name)) {
                    let Some(argument) = call.arguments.get(rule.service) else { continue };
                    let is_it = |number: &usize| is_named(argument, &rule.service_names, &services[*number].name);
                    let found: StubServices = (0..services.len()).filter(is_it).collect();
                    if !found.is_empty() {
                        made.entry((*version, variable.clone())).or_default().extend(found);
                    }
                }
            }
        }
        StubFinder { finder, names, made, holders: FxHashMap::default() }
    }

    /// Adds the calls of all rpcs.
    pub(super) fn add(&mut self, services: &mut [Service]) -> Result<()> {
        let mut files = self.finder.files_with(&self.names.stubs.words, self.names.generator)?;
        let known: FxHashSet<VersionId> = files.iter().copied().collect();
        let mut made: Vec<VersionId> = self.made.keys().map(|(version, _)| *version).collect();
        made.sort_unstable();
        made.dedup();
        files.extend(made.into_iter().filter(|version| !known.contains(version)));
        for version in &files {
            self.find_holders(*version)?;
        }
        let mut others: FxHashSet<VersionId> = FxHashSet::default();
        let words: Vec<String> = self.holders.keys().cloned().collect();
        let rpcs: FxHashSet<VersionId> = if words.is_empty() {
            FxHashSet::default()
        } else {
            self.finder.files_with(self.names.client_methods.keys(), self.names.generator)?.into_iter().collect()
        };
        others.extend(self.finder.files_with(&words, self.names.generator)?);
        let mut others: Vec<VersionId> = others.into_iter().filter(|one| rpcs.contains(one)).collect();
        others.retain(|version| !files.contains(version));
        others.sort_unstable_by_key(|version| self.finder.navigator.snapshot().position(*version));
        files.extend(others);
        for version in files {
            self.find_calls(version, services)?;
        }
        Ok(())
    }

    /// Finds the variables, fields and functions of a file that hold or give a stub.
    fn find_holders(&mut self, version: VersionId) -> Result<()> {
        let Some(file) = self.finder.navigator.resolver.file(version)? else { return Ok(()) };
        if self.finder.is_generated(&file, self.names)? {
            return Ok(());
        }
        for (ordinal, definition) in file.definitions().iter().enumerate() {
            let is_holder = definition.kind.is_value() || definition.kind.is_callable();
            if !is_holder || definition.name.len() < 2 || self.holders.len() >= MAX_HOLDERS {
                continue;
            }
            let found = self.held(&file, definition);
            if !found.is_empty() {
                let symbol = Symbol { version, ordinal: ordinal as u32 };
                self.holders.entry(definition.name.clone()).or_default().push((symbol, found));
            }
        }
        Ok(())
    }

    /// Returns the services whose stub a definition has as its type or value.
    fn held(&self, file: &FileView, definition: &Definition) -> StubServices {
        if let Some(declared) = &definition.declared_type {
            let found = self.names.stubs.in_type(&declared.text);
            if !found.is_empty() {
                return found;
            }
        }
        if let Some(found) = self.made.get(&(file.version, definition.name.clone())) {
            return found.clone();
        }
        match definition.value {
            Some(value) => self.of_chain(file, &file.chain(value), definition.value_root, MAX_STEPS),
            None => Vec::new(),
        }
    }

    /// Returns the services whose stub an expression is, by the names in it and by its variables.
    fn of_chain(&self, file: &FileView, chain: &ChainExpr<'_>, root: Option<u32>, steps: u32) -> StubServices {
        if let Some((found, behind)) = self.names.stubs.in_chain(chain) {
            // What an rpc gives is no stub.
            let is_result = behind.iter().any(|name| {
                let rpcs = self.names.client_methods.get(*name);
                rpcs.is_some_and(|rpcs| rpcs.iter().any(|(service, _)| found.contains(service)))
            });
            return if is_result { Vec::new() } else { found };
        }
        let Some(binding) = root.and_then(|root| file.binding(root)).filter(|_| steps > 0) else { return Vec::new() };
        if let Some(declared) = binding.declared.and_then(|declared| file.declared(declared)) {
            let found = self.names.stubs.in_type(&declared.text);
            if !found.is_empty() {
                return found;
            }
        }
        let name = file.name(binding.name);
        if let Some(found) = self.made.get(&(file.version, name.to_string())) {
            return found.clone();
        }
        match binding.value {
            Some(value) => self.of_chain(file, &file.chain(value), binding.root, steps - 1),
            None => Vec::new(),
        }
    }

    fn find_calls(&self, version: VersionId, services: &mut [Service]) -> Result<()> {
        let Some(file) = self.finder.navigator.resolver.file(version)? else { return Ok(()) };
        if self.finder.is_generated(&file, self.names)? {
            return Ok(());
        }
        let mut likely = Vec::new();
        let mut certain: FxHashSet<usize> = self
            .holders
            .values()
            .flatten()
            .filter(|(symbol, _)| symbol.version == version)
            .flat_map(|(_, found)| found.iter().copied())
            .collect();
        for (number, reference) in file.uses.references.iter().enumerate() {
            let is_use = matches!(reference.kind, RefKind::Call | RefKind::Read);
            let Some(rpcs) = self.names.client_methods.get(file.name(reference.name)).filter(|_| is_use) else {
                continue;
            };
            let Some(receiver) = reference.receiver else { continue };
            let chain = file.chain(receiver);
            let Some((found, confidence)) = self.stub_of(&file, number as u32, reference, &chain)? else { continue };
            let fitting: StubServices =
                found.into_iter().filter(|one| rpcs.iter().any(|(own, _)| own == one)).collect();
            for service in by_package(fitting, &file, services) {
                let Some((_, rpc)) = rpcs.iter().find(|(own, _)| *own == service) else { continue };
                let site = self.site(&file, reference, confidence)?;
                match confidence {
                    Confidence::Static => {
                        certain.insert(service);
                        services[service].rpcs[*rpc].clients.push(site);
                    }
                    Confidence::Heuristic => likely.push((service, *rpc, site)),
                }
            }
        }
        // In a file that has a stub for certain, other receivers are something else.
        for (service, rpc, site) in likely.into_iter().filter(|(service, ..)| !certain.contains(service)) {
            services[service].rpcs[rpc].clients.push(site);
        }
        Ok(())
    }

    /// Returns the services whose stub a receiver is.
    fn stub_of(
        &self,
        file: &FileView,
        number: u32,
        reference: &Reference,
        chain: &ChainExpr<'_>,
    ) -> Result<Option<(StubServices, Confidence)>> {
        let found = self.of_chain(file, chain, reference.root, MAX_STEPS);
        if !found.is_empty() {
            return Ok(Some((found, Confidence::Static)));
        }
        let own = self.held_here(file, chain);
        if !own.is_empty() {
            return Ok(Some((own, Confidence::Static)));
        }
        for value in self.finder.navigator.resolver.value_of(file, reference.enclosing, chain, reference.root)? {
            let name = match &value {
                Value::Foreign(name, _) => name.to_string(),
                value => match value.type_symbol().map(|symbol| self.finder.navigator.resolver.definition(symbol)) {
                    Some(defined) => defined?.map(|(_, definition)| definition.name.clone()).unwrap_or_default(),
                    None => continue,
                },
            };
            let found = self.names.stubs.in_type(&name);
            if !found.is_empty() {
                return Ok(Some((found, Confidence::Static)));
            }
        }
        let meaning = self.finder.navigator.meaning(file, number)?;
        if matches!(&*meaning, Resolution::Found { confidence: Confidence::Static, .. }) {
            return Ok(None);
        }
        if let Some(name) = chain.last_name()
            && let Some(held) = self.holders.get(name)
        {
            return self.held_elsewhere(file, reference, name, held);
        }
        Ok(self.named_in(file, reference).map(|found| (found, Confidence::Heuristic)))
    }

    /// Returns the services whose stub a name of an expression holds in the same file: the last
    /// such name, as methods of stubs give stubs (`stub.withDeadline(…)`).
    fn held_here(&self, file: &FileView, chain: &ChainExpr<'_>) -> StubServices {
        let mut names: Vec<&str> = chain.root_name().into_iter().collect();
        names.extend(chain.steps.iter().filter_map(|step| match step {
            ChainStep::Member(name) | ChainStep::Segment(name) => Some(*name),
            _ => None,
        }));
        for name in names.iter().rev() {
            if self.names.client_methods.contains_key(*name) {
                return Vec::new();
            }
            let variants = [*name, plain(name)];
            let held = variants.iter().filter_map(|name| self.holders.get(*name)).flatten();
            let own: StubServices = held
                .filter(|(symbol, _)| symbol.version == file.version)
                .flat_map(|(_, found)| found.iter().copied())
                .collect();
            if !own.is_empty() {
                return own;
            }
        }
        Vec::new()
    }

    /// Returns the stub that a name holds which another file defines.
    fn held_elsewhere(
        &self,
        file: &FileView,
        reference: &Reference,
        name: &str,
        held: &[(Symbol, StubServices)],
    ) -> Result<Option<(StubServices, Confidence)>> {
        let before = file.uses.references.iter().enumerate().filter(|(_, other)| {
            other.line == reference.line && other.column < reference.column && file.name(other.name) == name
        });
        for (number, _) in before {
            let meaning = self.finder.navigator.meaning(file, number as u32)?;
            for symbol in meaning.symbols() {
                if let Some((_, found)) = held.iter().find(|(holder, _)| holder == symbol) {
                    return Ok(Some((found.clone(), Confidence::Static)));
                }
            }
            if matches!(&*meaning, Resolution::Found { confidence: Confidence::Static, .. }) {
                return Ok(None);
            }
        }
        let mut all: StubServices = held.iter().flat_map(|(_, found)| found.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        Ok(Some((all, Confidence::Heuristic)))
    }

    /// Returns the services whose stubs the file names, if the call is on a name of which nothing
    /// is known.
    fn named_in(&self, file: &FileView, reference: &Reference) -> Option<StubServices> {
        if reference.kind != RefKind::Call {
            return None;
        }
        let mut found = Vec::new();
        for name in file.uses.names.iter().filter(|name| self.names.stubs.has(name)) {
            found.extend(self.names.stubs.services(
                name,
                &|wanted| file.uses.names.iter().any(|one| one == wanted),
                false,
            ));
        }
        found.sort_unstable();
        found.dedup();
        (!found.is_empty()).then_some(found)
    }

    fn site(&self, file: &FileView, reference: &Reference, confidence: Confidence) -> Result<ServiceSite> {
        let around = file.outwards(reference.enclosing).find(|(_, around)| around.kind.is_callable());
        let around = around.or_else(|| file.outwards(reference.enclosing).next());
        let symbol = around.map(|(ordinal, _)| Symbol { version: file.version, ordinal });
        let name = around.map_or("", |(_, around)| around.local_name(file.definitions()));
        let site = self.finder.place_site(file, name, reference.line)?;
        Ok(ServiceSite { confidence, symbol, ..site })
    }
}

/// Returns a name without the marks of variables.
fn plain(name: &str) -> &str {
    name.trim_start_matches(['@', '$'])
}
