//! Services: rpcs of `.proto` files, with the code that answers and calls them, and the root types
//! of GraphQL schemas (`graphql`). `specifications` compares OpenAPI files with endpoints.
//!
//! Nothing about services is stored. `declared` reads them from the facts of `.proto` files. The
//! names that each generator gives to bases and stubs (`names`) tell which files to look at, by the
//! text index. `implementations` finds the types that inherit from a base, `registrations` what is
//! registered as a server, and `clients` the calls on stubs.

pub(super) mod answer;
mod clients;
mod declared;
mod graphql;
mod implementations;
mod names;
mod registrations;
mod roles;
mod sites;
pub(super) mod specifications;

use std::sync::Arc;

use codecompass_syntax::generators::generators;

use crate::config::IndexConfig;
use crate::error::Result;
use crate::query::navigate::{Navigator, reading_rank};
use crate::query::page::Listed;
use crate::query::services::answer::{Service, ServiceList, ServiceOptions, ServicesAnswer};
use crate::query::services::clients::StubFinder;
use crate::query::services::names::GeneratorNames;
use crate::query::services::sites::SiteFinder;
use crate::scan::Source;

/// Lists the services of a view.
pub fn services(
    navigator: &Navigator<'_>,
    source: &Source,
    config: &IndexConfig,
    options: &ServiceOptions,
) -> Result<ServicesAnswer> {
    let list = service_list(navigator, source, config)?;
    let wanted = options.name.as_deref().map(NameFilter::new);
    let mut found = Vec::new();
    for service in &list.services {
        let fits_kind = options.kinds.is_empty() || options.kinds.contains(&service.kind);
        let is_in = |(path, _): &(String, u32)| options.files.iter().any(|pattern| pattern.matches(path));
        if !fits_kind || !options.files.is_empty() && !service.declared.iter().any(is_in) {
            continue;
        }
        match &wanted {
            None => found.push(service.clone()),
            Some(wanted) => found.extend(wanted.part_of(service)),
        }
    }
    let rpcs = || found.iter().flat_map(|service| &service.rpcs);
    Ok(ServicesAnswer {
        all: list.services.len(),
        rpcs: rpcs().count(),
        implemented: rpcs().filter(|rpc| !rpc.implementations.is_empty()).count(),
        called: rpcs().filter(|rpc| !rpc.clients.is_empty()).count(),
        unread: list.unread.clone(),
        services: Listed::new(found, options.limit),
    })
}

/// Services that schemas declare, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServiceCounts {
    /// gRPC services.
    pub grpc: usize,
    /// Their rpcs.
    pub rpcs: usize,
    /// Fields of the root types of GraphQL schemas.
    pub graphql_fields: usize,
}

/// Counts the services of a view; finds no code that answers or calls them.
pub(super) fn service_counts(
    navigator: &Navigator<'_>,
    source: &Source,
    config: &IndexConfig,
) -> Result<ServiceCounts> {
    let services = declared::services(navigator, &mut Vec::new())?;
    Ok(ServiceCounts {
        grpc: services.len(),
        rpcs: services.iter().map(|service| service.rpcs.len()).sum(),
        graphql_fields: graphql::field_count(navigator.snapshot(), source, config)?,
    })
}

/// Returns all services of a view, from the last question about the same state if it asked for
/// them.
pub(super) fn service_list(
    navigator: &Navigator<'_>,
    source: &Source,
    config: &IndexConfig,
) -> Result<Arc<ServiceList>> {
    navigator.memo.lists.get_or_make(|| find_services(navigator, source, config))
}

fn find_services(navigator: &Navigator<'_>, source: &Source, config: &IndexConfig) -> Result<ServiceList> {
    let mut list = ServiceList::default();
    list.services = declared::services(navigator, &mut list.unread)?;
    let finder = SiteFinder::new(navigator);
    if !list.services.is_empty() {
        for generator in generators() {
            let names = GeneratorNames::new(generator, &list.services);
            implementations::add(&finder, &names, &mut list.services)?;
            let calls = registrations::read(&finder, &names, &list.services, source, config)?;
            registrations::add(&finder, &names, &calls, &mut list.services)?;
            implementations::add_subtypes(&finder, &names, &mut list.services)?;
            implementations::add_structural(&finder, &names, &mut list.services)?;
            StubFinder::new(&finder, &names, &calls, &list.services).add(&mut list.services)?;
        }
    }
    list.services.extend(graphql::services(&finder, source, config)?);
    for service in &mut list.services {
        service.implementations.sort_by_cached_key(|one| {
            (reading_rank(one.site.role), one.site.path.clone(), one.site.line, one.site.name.clone())
        });
        for rpc in &mut service.rpcs {
            implementations::sort_sites(&mut rpc.implementations);
            implementations::sort_sites(&mut rpc.clients);
        }
    }
    list.services.sort_by_cached_key(|one| (reading_rank(one.role), one.declared.first().cloned(), one.name.clone()));
    list.unread.sort();
    Ok(list)
}

/// A restriction on names.
struct NameFilter<'a> {
    service: &'a str,
    rpc: Option<&'a str>,
}

impl<'a> NameFilter<'a> {
    fn new(written: &'a str) -> NameFilter<'a> {
        let written = written.trim().trim_start_matches('/');
        match written.split_once('/') {
            Some((service, rpc)) => NameFilter { service, rpc: Some(rpc) },
            None => NameFilter { service: written, rpc: None },
        }
    }

    /// Returns the part of a service that has the name: all of it, or some rpcs.
    fn part_of(&self, service: &Service) -> Option<Service> {
        let has = |name: &str, wanted: &str| name.to_lowercase().contains(&wanted.to_lowercase());
        let is_service = has(&service.full_name(), self.service);
        match self.rpc {
            Some(rpc) if is_service => Some(with_rpcs(service, &|name| name.eq_ignore_ascii_case(rpc))),
            Some(_) => None,
            None if is_service => Some(service.clone()),
            None => Some(with_rpcs(service, &|name| has(name, self.service))),
        }
        .filter(|service| is_service && self.rpc.is_none() || !service.rpcs.is_empty())
    }
}

fn with_rpcs(service: &Service, is_wanted: &dyn Fn(&str) -> bool) -> Service {
    let rpcs = service.rpcs.iter().filter(|rpc| is_wanted(&rpc.name)).cloned().collect();
    Service { rpcs, ..service.clone() }
}
