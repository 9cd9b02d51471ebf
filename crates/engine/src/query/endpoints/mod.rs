//! Endpoints: the routes that web frameworks register, with the code that answers them.
//!
//! Nothing about routes is stored. The files that may declare some are found by the text index,
//! their route facts are read from their trees and kept by file version (`route_files`), and the
//! facts of all files are joined by the resolver (`join`): what is mounted where, which router a
//! name means, which functions are given one. `handlers` finds the code that answers.

pub(super) mod answer;
pub(super) mod changes;
mod file_routes;
mod handlers;
mod join;
mod route_files;

use std::sync::Arc;

use codecompass_syntax::routes::{framework_named, frameworks};

use crate::config::IndexConfig;
use crate::error::{Error, Result};
use crate::query::endpoints::answer::{
    ANY_METHOD, DetectedFramework, Endpoint, EndpointList, EndpointOptions, EndpointsAnswer,
};
use crate::query::endpoints::join::Join;
use crate::query::navigate::Navigator;
use crate::query::page::Listed;
use crate::scan::Source;
use crate::store::Snapshot;

/// Lists the endpoints of a view.
pub fn endpoints(
    navigator: &Navigator<'_>,
    source: &Source,
    config: &IndexConfig,
    options: &EndpointOptions,
) -> Result<EndpointsAnswer> {
    let wanted = WantedEndpoints::new(options)?;
    let list = endpoint_list(navigator, source, config)?;
    let endpoints: Vec<Endpoint> = list.endpoints.iter().filter(|endpoint| wanted.accepts(endpoint)).cloned().collect();
    Ok(EndpointsAnswer {
        all: list.endpoints.len(),
        unknown_parts: endpoints.iter().filter(|endpoint| endpoint.path.contains('…')).count(),
        endpoints: Listed::new(endpoints, options.limit),
        frameworks: list.frameworks.clone(),
        computed: list.computed.clone(),
    })
}

/// All endpoints, as they are kept.
struct KeptEndpoints(Arc<EndpointList>);

/// Endpoints that no test declares, as they are kept.
struct KeptProgramEndpoints(Arc<EndpointList>);

/// Returns all endpoints of a view, from the last question about the same state if it asked for
/// them.
pub(super) fn endpoint_list(
    navigator: &Navigator<'_>,
    source: &Source,
    config: &IndexConfig,
) -> Result<Arc<EndpointList>> {
    let read = || Ok(KeptEndpoints(Arc::new(read_list(navigator, source, config, true)?)));
    navigator.memo.lists.get_or_make(read).map(|kept| Arc::clone(&kept.0))
}

/// Returns the endpoints of a view that no test declares, as if there were no tests. Kept like all.
pub(super) fn program_endpoints(
    navigator: &Navigator<'_>,
    source: &Source,
    config: &IndexConfig,
) -> Result<Arc<EndpointList>> {
    let read = || Ok(KeptProgramEndpoints(Arc::new(read_list(navigator, source, config, false)?)));
    navigator.memo.lists.get_or_make(read).map(|kept| Arc::clone(&kept.0))
}

fn read_list(
    navigator: &Navigator<'_>,
    source: &Source,
    config: &IndexConfig,
    has_tests: bool,
) -> Result<EndpointList> {
    let files = route_files::read(navigator.snapshot(), source, config, has_tests)?;
    let mut list = EndpointList::default();
    for framework in frameworks() {
        let imported = files.importing(framework);
        let is_by_path = !framework.settings().file.is_empty();
        if imported == 0 {
            continue;
        }
        let mut join = Join::new(navigator, framework, &files, (source, config));
        join.connect()?;
        let mut found = join.endpoints()?;
        if is_by_path {
            found.extend(file_routes::endpoints(navigator, framework, &files)?);
        }
        list.frameworks.push(DetectedFramework {
            name: framework.name,
            display_name: framework.settings().display_name.clone(),
            files: imported,
            endpoints: found.len(),
        });
        list.computed.append(&mut join.computed);
        list.endpoints.append(&mut found);
    }
    let key = |endpoint: &Endpoint| {
        let rank = crate::query::navigate::reading_rank(endpoint.role);
        (rank, endpoint.declared_path.clone(), endpoint.declared_line, endpoint.path.clone(), endpoint.method.clone())
    };
    list.endpoints.sort_by_cached_key(|endpoint| (key(endpoint), endpoint.framework));
    list.endpoints.dedup_by(|a, b| key(a) == key(b));
    for framework in &mut list.frameworks {
        framework.endpoints = list.endpoints.iter().filter(|one| one.framework == framework.name).count();
    }
    list.frameworks.sort_by(|a, b| b.endpoints.cmp(&a.endpoints).then(a.name.cmp(b.name)));
    list.computed.sort();
    list.computed.dedup();
    Ok(list)
}

/// Returns the number of files that would be read to list the endpoints of a view.
pub(super) fn files_to_read(snapshot: &Snapshot) -> Result<usize> {
    route_files::count_candidates(snapshot)
}

/// Restrictions, checked.
struct WantedEndpoints<'a> {
    options: &'a EndpointOptions,
    path: Option<PathFilter>,
    methods: Vec<String>,
    frameworks: Vec<&'static str>,
}

enum PathFilter {
    Prefix(String),
    Pattern(regex::Regex),
}

impl<'a> WantedEndpoints<'a> {
    fn new(options: &'a EndpointOptions) -> Result<WantedEndpoints<'a>> {
        let mut known = Vec::new();
        for name in &options.frameworks {
            let is_called = |display: &str| display.eq_ignore_ascii_case(name);
            let found = framework_named(&name.to_lowercase())
                .or_else(|| frameworks().iter().find(|framework| is_called(&framework.settings().display_name)));
            known.push(found.ok_or_else(|| unknown_framework(name))?.name);
        }
        let path = options.path.as_deref().map(path_filter).transpose()?;
        let methods = options.methods.iter().map(|method| method.to_uppercase()).collect();
        Ok(WantedEndpoints { options, path, methods, frameworks: known })
    }

    fn accepts(&self, endpoint: &Endpoint) -> bool {
        let fits_path = match &self.path {
            None => true,
            Some(PathFilter::Prefix(prefix)) => is_below(&endpoint.path, prefix),
            Some(PathFilter::Pattern(pattern)) => pattern.is_match(&endpoint.path),
        };
        let fits_handler = |wanted: &String| {
            endpoint.handler.as_ref().is_some_and(|handler| {
                let place = handler.place.as_ref().map(|(path, line)| format!("{path}:{line}"));
                handler.name.contains(wanted.as_str()) || place.is_some_and(|place| place.contains(wanted.as_str()))
            })
        };
        let fits_method = self.methods.is_empty()
            || self.methods.contains(&endpoint.method)
            || endpoint.method == ANY_METHOD && !self.methods.is_empty();
        fits_path
            && fits_method
            && (self.frameworks.is_empty() || self.frameworks.contains(&endpoint.framework))
            && self.options.handler.as_ref().is_none_or(fits_handler)
            && (self.options.files.is_empty()
                || self.options.files.iter().any(|pattern| pattern.matches(&endpoint.declared_path)))
            && self.options.projects.as_ref().is_none_or(|projects| projects.accepts(&endpoint.declared_path))
    }
}

/// Returns whether a path is a prefix or below it; names of parameters do not count.
fn is_below(path: &str, prefix: &str) -> bool {
    let is_parameter = |part: &str| part.starts_with('{') && part.ends_with('}');
    let mut parts = path.split('/');
    let wanted = prefix.trim_end_matches('/');
    wanted.split('/').all(|wanted| {
        parts
            .next()
            .is_some_and(|part| part == wanted || is_parameter(part) && (is_parameter(wanted) || !wanted.is_empty()))
    })
}

fn path_filter(written: &str) -> Result<PathFilter> {
    let written = written.trim();
    if !written.contains('*') {
        let slash = if written.starts_with('/') || written.starts_with('…') { "" } else { "/" };
        return Ok(PathFilter::Prefix(format!("{slash}{written}")));
    }
    let mut pattern = String::from("^");
    let mut rest = written;
    while let Some(at) = rest.find('*') {
        pattern.push_str(&regex::escape(&rest[..at]));
        let is_double = rest[at..].starts_with("**");
        pattern.push_str(if is_double { ".*" } else { "[^/]*" });
        rest = &rest[at + if is_double { 2 } else { 1 }..];
    }
    pattern.push_str(&regex::escape(rest));
    pattern.push('$');
    let compiled = regex::Regex::new(&pattern).map_err(|error| Error::InvalidInput(error.to_string()))?;
    Ok(PathFilter::Pattern(compiled))
}

fn unknown_framework(name: &str) -> Error {
    let known: Vec<&str> = frameworks().iter().map(|framework| framework.name).collect();
    Error::InvalidInput(format!("`{name}` is no framework that is known; known are {}", known.join(", ")))
}
