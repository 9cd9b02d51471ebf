//! OpenAPI specifications compared with the endpoints of the code.
//!
//! Operations are read from the outlines of YAML and JSON files; only the addresses of servers need
//! the text. A path of the specification stands below one of its base paths, or below the prefix
//! under which most of its operations are found.

use std::collections::BTreeMap;

use codecompass_syntax::facts::{Definition, Kind};
use regex::Regex;

use crate::config::IndexConfig;
use crate::error::{Error, Result};
use crate::model::{ContentId, Role, VersionId};
use crate::query::endpoints::answer::{ANY_METHOD, Endpoint};
use crate::query::endpoints::program_endpoints;
use crate::query::filter::PathPattern;
use crate::query::navigate::Navigator;
use crate::query::services::answer::UnreadFile;
use crate::scan::{ReadOutcome, Source};

/// Words of files that may be specifications, with the versions that are read.
const MARKS: [&str; 2] = ["openapi", "swagger"];
/// Extensions of such files.
const EXTENSIONS: [&str; 3] = [".yaml", ".yml", ".json"];
/// HTTP methods of operations.
const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
/// Operations of one file that are read.
const MAX_OPERATIONS: usize = 20_000;

/// An operation of a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The HTTP method in capitals.
    pub method: String,
    /// The path as it is written.
    pub path: String,
    /// The line.
    pub line: u32,
}

/// An OpenAPI specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specification {
    /// Its file.
    pub path: String,
    /// The version of OpenAPI or Swagger as written.
    pub version: String,
    /// The role of the file.
    pub role: Role,
    /// The number of operations.
    pub operations: usize,
    /// The number of those that an endpoint of the code answers.
    pub matched: usize,
    /// The number of those of them that only an endpoint with an unknown prefix fits.
    pub likely: usize,
    /// Base paths that the specification names.
    pub bases: Vec<String>,
    /// The prefix that all paths of the code have before those of the specification, if it names
    /// none.
    pub prefix: String,
    /// Operations that no endpoint of the code answers.
    pub missing: Vec<Operation>,
}

/// Specifications of a view, compared with its endpoints.
#[derive(Clone, Debug, Default)]
pub struct SpecificationsAnswer {
    /// In the order of paths.
    pub specifications: Vec<Specification>,
    /// Endpoints of the code that no specification has. Empty if none of them has any endpoint of
    /// the code.
    pub undocumented: Vec<Endpoint>,
    /// The number of endpoints that were compared.
    pub endpoints: usize,
    /// Specifications that were not read in full.
    pub unread: Vec<UnreadFile>,
}

/// Compares all specifications of a view with its endpoints; tests are left out.
pub fn specifications(
    navigator: &Navigator<'_>,
    source: &Source,
    config: &IndexConfig,
    files: &[PathPattern],
) -> Result<SpecificationsAnswer> {
    let (mut found, mut unread) = (Vec::new(), Vec::new());
    for (path, version) in candidates(navigator)? {
        if !files.is_empty() && !files.iter().any(|pattern| pattern.matches(&path)) {
            continue;
        }
        let read = read(navigator, source, config, &path, version)?;
        unread.extend(fault(navigator, &path, version, read.as_ref().map(|(_, operations)| operations.len()))?);
        found.extend(read);
    }
    if found.is_empty() {
        return Ok(SpecificationsAnswer { unread, ..SpecificationsAnswer::default() });
    }
    let list = program_endpoints(navigator, source, config)?;
    let endpoints: Vec<EndpointKey<'_>> = list.endpoints.iter().map(EndpointKey::new).collect();
    let mut documented = vec![false; endpoints.len()];
    let mut answer = SpecificationsAnswer { endpoints: endpoints.len(), unread, ..SpecificationsAnswer::default() };
    for (specification, operations) in found {
        answer.specifications.push(compare(specification, operations, &endpoints, &mut documented));
    }
    if documented.contains(&true) {
        let rest = list.endpoints.iter().zip(&documented).filter(|(_, is_documented)| !**is_documented);
        answer.undocumented = rest.map(|(endpoint, _)| endpoint.clone()).collect();
    }
    Ok(answer)
}

/// Returns the reason why a file with so many operations was not read in full, if there is one; no
/// number is that of a file which is no specification, as far as it can be read.
fn fault(
    navigator: &Navigator<'_>,
    path: &str,
    version: VersionId,
    operations: Option<usize>,
) -> Result<Option<UnreadFile>> {
    let outline = navigator.snapshot().outline(version)?;
    let problem = outline.problems.first().map(|problem| (problem.line, problem.message.clone()));
    let count = match operations {
        Some(0) => Some((1, "no operation was found below `paths`".to_string())),
        Some(MAX_OPERATIONS) => Some((1, format!("only {MAX_OPERATIONS} operations are read"))),
        _ => None,
    };
    Ok(problem.or(count).map(|(line, reason)| UnreadFile { path: path.to_string(), line, reason }))
}

/// Returns the files that may be specifications, in the order of paths.
fn candidates(navigator: &Navigator<'_>) -> Result<BTreeMap<String, VersionId>> {
    let snapshot = navigator.snapshot();
    let mut found = BTreeMap::new();
    for mark in MARKS {
        for version in snapshot.versions_with_word(mark)?.unwrap_or_default() {
            let path =
                snapshot.path_of(version).filter(|path| EXTENSIONS.iter().any(|extension| path.ends_with(extension)));
            found.extend(path.map(|path| (path.to_string(), version)));
        }
    }
    Ok(found)
}

/// Reads a specification; `None` for a file that is none.
fn read(
    navigator: &Navigator<'_>,
    source: &Source,
    config: &IndexConfig,
    path: &str,
    version: VersionId,
) -> Result<Option<(Specification, Vec<Operation>)>> {
    let snapshot = navigator.snapshot();
    let outline = snapshot.outline(version)?;
    let definitions = &outline.definitions;
    let top = |name: &str| {
        let is_it = |(_, one): &(usize, &Definition)| one.parent.is_none() && one.kind == Kind::Key && one.name == name;
        definitions.iter().enumerate().find(is_it)
    };
    let mark = MARKS.iter().find_map(|mark| top(mark));
    let (Some((_, mark)), Some((paths, _))) = (mark, top("paths")) else { return Ok(None) };
    let mut operations = Vec::new();
    let below =
        |parent: usize| definitions.iter().enumerate().filter(move |(_, one)| one.parent == Some(parent as u32));
    for (at, route) in below(paths).filter(|(_, route)| route.name.starts_with('/')) {
        for (_, operation) in below(at).filter(|(_, one)| METHODS.contains(&one.name.as_str())) {
            if operations.len() < MAX_OPERATIONS {
                let (method, line) = (operation.name.to_uppercase(), operation.name_line);
                operations.push(Operation { method, path: route.name.clone(), line });
            }
        }
    }
    let info = snapshot.file_info(version)?;
    let mut bases = Vec::new();
    if let Some((_, base)) = top("basePath") {
        bases.push(value_of(&base.signature));
    }
    if let Some((_, servers)) = top("servers")
        && let Some(content) = ContentId::from_slice(&info.content_id)
        && let ReadOutcome::Text(text) = source.reader().read(path, Some(content), config)
        && text.content_id == content
    {
        let (start, end) = (servers.span.start_byte as usize, servers.span.end_byte as usize);
        bases.extend(server_paths(text.text.get(start..end).unwrap_or(""))?);
    }
    bases.retain(|base| base != "/" && !base.is_empty());
    bases.sort();
    bases.dedup();
    let specification = Specification {
        path: path.to_string(),
        version: value_of(&mark.signature),
        role: info.role,
        operations: operations.len(),
        matched: 0,
        likely: 0,
        bases,
        prefix: String::new(),
        missing: Vec::new(),
    };
    Ok(Some((specification, operations)))
}

/// Returns the value of `key: value` without quotes.
fn value_of(signature: &str) -> String {
    let value = signature.split_once(':').map_or("", |(_, value)| value);
    value.split(" #").next().unwrap_or("").trim().trim_matches(['"', '\'', ',', ' ']).trim_end_matches('/').to_string()
}

/// Returns the paths of the addresses in a list of servers. Variables of addresses are unknown
/// parts.
fn server_paths(text: &str) -> Result<Vec<String>> {
    let url = Regex::new(r#"["']?\burl["']?\s*:\s*["']?([^"'\s,}]+(?:\}[^"'\s,}]*)*)"#)
        .map_err(|error| Error::InvalidInput(error.to_string()))?;
    let path = |address: &str| {
        let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
        let path = if address.contains("://") { rest.find('/').map_or("", |at| &rest[at..]) } else { rest };
        path.trim_end_matches('/').to_string()
    };
    Ok(url.captures_iter(text).filter_map(|found| found.get(1)).map(|found| path(found.as_str())).collect())
}

/// An endpoint with its path in parts.
struct EndpointKey<'a> {
    method: &'a str,
    parts: Vec<String>,
    has_unknown: bool,
}

impl<'a> EndpointKey<'a> {
    fn new(endpoint: &'a Endpoint) -> EndpointKey<'a> {
        let has_unknown = endpoint.path.starts_with('…');
        EndpointKey { method: &endpoint.method, parts: parts(endpoint.path.trim_start_matches('…')), has_unknown }
    }

    fn has_method(&self, method: &str) -> bool {
        self.method == method || self.method == ANY_METHOD
    }
}

/// Returns the parts of a path; all parameters are the same.
fn parts(path: &str) -> Vec<String> {
    let part =
        |part: &str| if part.contains('{') || part.contains('…') { "{}".to_string() } else { part.to_lowercase() };
    path.split('/').filter(|part| !part.is_empty()).map(part).collect()
}

/// Compares the operations of a specification with endpoints, and marks those that it documents.
fn compare(
    mut specification: Specification,
    operations: Vec<Operation>,
    endpoints: &[EndpointKey<'_>],
    documented: &mut [bool],
) -> Specification {
    let mut prefixes: Vec<Vec<String>> = specification.bases.iter().map(|base| parts(base)).collect();
    prefixes.push(Vec::new());
    if !operations.iter().any(|one| fits_below(&prefixes, one, endpoints)) {
        let common = common_prefix(&operations, endpoints);
        specification.prefix = common.iter().map(|part| format!("/{part}")).collect();
        prefixes.push(common);
    }
    for operation in operations {
        let own = parts(&operation.path);
        let wholes: Vec<Vec<String>> =
            prefixes.iter().map(|prefix| prefix.iter().chain(&own).cloned().collect()).collect();
        let mut best: Option<bool> = None;
        for (at, endpoint) in endpoints.iter().enumerate().filter(|(_, one)| one.has_method(&operation.method)) {
            let is_exact = !endpoint.has_unknown && wholes.contains(&endpoint.parts);
            let is_likely = endpoint.has_unknown
                && !endpoint.parts.is_empty()
                && wholes.iter().any(|whole| whole.ends_with(&endpoint.parts));
            if is_exact || is_likely {
                documented[at] = true;
                best = Some(best.unwrap_or(false) || is_exact);
            }
        }
        match best {
            Some(is_exact) => {
                specification.matched += 1;
                specification.likely += usize::from(!is_exact);
            }
            None => specification.missing.push(operation),
        }
    }
    specification
}

/// Returns whether an operation is an endpoint below one of some prefixes.
fn fits_below(prefixes: &[Vec<String>], operation: &Operation, endpoints: &[EndpointKey<'_>]) -> bool {
    let own = parts(&operation.path);
    prefixes.iter().any(|prefix| {
        let whole: Vec<String> = prefix.iter().chain(&own).cloned().collect();
        endpoints.iter().any(|one| !one.has_unknown && one.has_method(&operation.method) && one.parts == whole)
    })
}

/// Returns the prefix below which most operations are endpoints of the code.
fn common_prefix(operations: &[Operation], endpoints: &[EndpointKey<'_>]) -> Vec<String> {
    let mut counts: BTreeMap<&[String], usize> = BTreeMap::new();
    for operation in operations {
        let own = parts(&operation.path);
        let fitting = endpoints.iter().filter(|one| {
            !own.is_empty() && !one.has_unknown && one.has_method(&operation.method) && one.parts.ends_with(&own)
        });
        for endpoint in fitting {
            *counts.entry(&endpoint.parts[..endpoint.parts.len() - own.len()]).or_default() += 1;
        }
    }
    let best = counts.into_iter().max_by_key(|(prefix, count)| (*count, std::cmp::Reverse(prefix.len())));
    best.map(|(prefix, _)| prefix.to_vec()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_servers() {
        let text = "servers:\n  - url: https://api.example.com/v1/\n  - url: '/v2'\n  - url: https://{host}/x\n";
        assert_eq!(server_paths(text).unwrap(), ["/v1", "/v2", "/x"]);
        assert_eq!(
            server_paths("\"servers\": [{\"url\": \"http://a/b\"}, {\"url\": \"http://a\"}]").unwrap(),
            ["/b", ""]
        );
    }

    #[test]
    fn values_of_keys() {
        assert_eq!(value_of("openapi: 3.0.3"), "3.0.3");
        assert_eq!(value_of("\"basePath\": \"/api/\","), "/api");
        assert_eq!(value_of("swagger: '2.0' # old"), "2.0");
    }
}
