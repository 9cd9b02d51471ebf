//! Finds the roles that endpoints and services tell.

use std::sync::Arc;

use codecompass_syntax::facts::{Definition, SymbolRole};

use crate::config::IndexConfig;
use crate::error::{Error, Result};
use crate::query::endpoints::answer::{ANY_METHOD, Endpoint};
use crate::query::endpoints::program_endpoints;
use crate::query::filter::role_filter::RoleFilter;
use crate::query::navigate::Navigator;
use crate::query::program_roles::{ProgramRoles, ProgramRoute};
use crate::query::services::service_list;
use crate::query::subject::Subject;
use crate::resolve::Symbol;
use crate::scan::Source;

/// Endpoints that are suggested for one that is not there.
const MAX_SUGGESTIONS: usize = 5;

impl Navigator<'_> {
    /// Returns the roles of functions that endpoints and services tell; `None` without texts. What
    /// was found for the same state of the view is kept.
    pub(in crate::query) fn program_roles(&self) -> Result<Option<Arc<ProgramRoles>>> {
        if let Some(known) = self.memo.lists.get() {
            return Ok(Some(known));
        }
        let Some((source, config)) = self.texts() else { return Ok(None) };
        self.memo.lists.get_or_make(|| self.find_roles(source, config)).map(Some)
    }

    fn find_roles(&self, source: &Source, config: &IndexConfig) -> Result<ProgramRoles> {
        let mut roles = ProgramRoles::default();
        let endpoints = program_endpoints(self, source, config)?;
        let services = service_list(self, source, config)?;
        for endpoint in &endpoints.endpoints {
            if let Some(router) = self.router_of(endpoint)? {
                roles.roles.entry(router).or_insert(SymbolRole::Router);
            }
        }
        for endpoint in &endpoints.endpoints {
            let Endpoint { method, path, .. } = endpoint;
            roles.routes.push(ProgramRoute::Endpoint { method: method.clone(), path: path.clone() });
            if let Some(handler) = self.handler_of(endpoint)? {
                roles.answers_last(handler);
            }
        }
        for service in &services.services {
            for rpc in &service.rpcs {
                let (full_service, name) = (service.full_name(), rpc.name.clone());
                roles.routes.push(ProgramRoute::Rpc { service: service.name.clone(), full_service, name });
                for symbol in rpc.implementations.iter().filter_map(|site| site.symbol) {
                    roles.answers_last(symbol);
                }
            }
        }
        Ok(roles)
    }

    /// Lets nodes have the roles that endpoints and services tell.
    pub(in crate::query) fn tell_roles(&self) -> Result<()> {
        let roles = self.program_roles()?;
        *self.roles.borrow_mut() = roles;
        Ok(())
    }

    /// Returns the role of a function that endpoints or services tell, if the question asked for
    /// such roles.
    pub(in crate::query) fn told_role(&self, symbol: Symbol) -> Option<SymbolRole> {
        self.roles.borrow().as_ref().and_then(|roles| roles.role(symbol))
    }

    /// Returns the definitions that answer the endpoint (`GET /users/{id}`) or rpc (`Carts/Get`)
    /// that a text names; `None` for a text that names neither.
    pub(in crate::query) fn route_start(&self, text: &str) -> Result<Option<(Subject, Vec<Symbol>)>> {
        let Some(roles) = self.program_roles()? else { return Ok(None) };
        let Some(asked) = AskedRoute::new(text) else { return Ok(None) };
        let found: Vec<usize> = (0..roles.routes.len()).filter(|at| asked.is(&roles.routes[*at])).collect();
        if found.is_empty() {
            return match asked {
                // A path of a file, or a name with a slash.
                AskedRoute::Rpc { .. } | AskedRoute::Endpoint { method: None, .. } => Ok(None),
                AskedRoute::Endpoint { method: Some(_), path } => {
                    let suggestions = endpoints_like(&roles, path);
                    Err(Error::SymbolNotFound { symbol: text.to_string(), suggestions })
                }
            };
        }
        let mut symbols: Vec<Symbol> = found.iter().flat_map(|one| roles.answering(*one)).collect();
        symbols.sort();
        symbols.dedup();
        let mut hits = Vec::new();
        for symbol in &symbols {
            hits.extend(self.hit(*symbol)?);
        }
        if hits.is_empty() {
            return Err(Error::InvalidInput(format!("the code that answers `{text}` is not known")));
        }
        let hit = hits.remove(0);
        Ok(Some((Subject { others_total: hits.len(), others: hits, ..Subject::only(hit) }, symbols)))
    }

    /// Returns the definition that answers an endpoint.
    fn handler_of(&self, endpoint: &Endpoint) -> Result<Option<Symbol>> {
        let Some((path, line)) = endpoint.handler.as_ref().and_then(|handler| handler.place.as_ref()) else {
            return Ok(None);
        };
        let Some(version) = self.snapshot().version_at(path) else { return Ok(None) };
        let outline = self.snapshot().outline(version)?;
        // A function without a name is code of the one around it.
        let ordinal = outline.named_at(*line, None).or_else(|| around(&outline.definitions, *line));
        Ok(ordinal.map(|ordinal| Symbol { version, ordinal }))
    }

    /// Returns the function that registers an endpoint.
    fn router_of(&self, endpoint: &Endpoint) -> Result<Option<Symbol>> {
        let Some(version) = self.snapshot().version_at(&endpoint.declared_path) else { return Ok(None) };
        let outline = self.snapshot().outline(version)?;
        let ordinal = around(&outline.definitions, endpoint.declared_line);
        Ok(ordinal.map(|ordinal| Symbol { version, ordinal }))
    }
}

impl RoleFilter {
    /// Adds the roles that endpoints and services tell, if any is wanted.
    pub fn with_program(mut self, navigator: &Navigator<'_>) -> Result<RoleFilter> {
        if self.needs_program()
            && let Some(roles) = navigator.program_roles()?
        {
            let place = |(symbol, role): (Symbol, SymbolRole)| {
                let path = navigator.snapshot().path_of(symbol.version)?;
                Some(((path.to_string(), symbol.ordinal), role))
            };
            self.told = roles.all().filter_map(place).collect();
        }
        Ok(self)
    }
}

/// Returns the innermost function around a line.
fn around(definitions: &[Definition], line: u32) -> Option<u32> {
    let covers = |definition: &Definition| (definition.span.start_line..=definition.span.end_line).contains(&line);
    let functions = definitions.iter().enumerate().filter(|(_, one)| one.kind.is_callable() && covers(one));
    functions.min_by_key(|(_, one)| one.span.end_line - one.span.start_line).map(|(ordinal, _)| ordinal as u32)
}

/// An endpoint or rpc as a question names it.
enum AskedRoute<'a> {
    Endpoint { method: Option<&'a str>, path: &'a str },
    Rpc { service: &'a str, rpc: &'a str },
}

impl<'a> AskedRoute<'a> {
    fn new(text: &'a str) -> Option<AskedRoute<'a>> {
        let text = text.trim();
        if let Some((method, path)) = text.split_once(' ') {
            let (is_method, path) = (method.chars().all(|c| c.is_ascii_alphabetic()), path.trim());
            let is_path = path.starts_with(['/', '…']);
            return (is_method && is_path).then_some(AskedRoute::Endpoint { method: Some(method), path });
        }
        if text.starts_with('/') {
            return Some(AskedRoute::Endpoint { method: None, path: text });
        }
        let (service, rpc) = text.split_once('/')?;
        let is_name = |name: &str, dots: bool| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || dots && c == '.')
        };
        (is_name(service, true) && is_name(rpc, false)).then_some(AskedRoute::Rpc { service, rpc })
    }
}

/// Returns the endpoints that share most parts with a path.
fn endpoints_like(roles: &ProgramRoles, path: &str) -> Vec<String> {
    let parts = |path: &str| -> Vec<String> { path.split('/').skip(1).map(str::to_lowercase).collect() };
    let wanted = parts(path);
    let mut found: Vec<(usize, String)> = Vec::new();
    for route in &roles.routes {
        if let ProgramRoute::Endpoint { method, path } = route {
            let shared = parts(path).iter().filter(|part| wanted.contains(part)).count();
            found.push((shared, format!("{method} {path}")));
        }
    }
    found.retain(|(shared, _)| *shared > 0);
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.into_iter().take(MAX_SUGGESTIONS).map(|(_, label)| label).collect()
}

impl AskedRoute<'_> {
    fn is(&self, route: &ProgramRoute) -> bool {
        match (self, route) {
            (AskedRoute::Endpoint { method: wanted, path: wanted_path }, ProgramRoute::Endpoint { method, path }) => {
                let is_method = wanted.is_none_or(|wanted| method.eq_ignore_ascii_case(wanted) || method == ANY_METHOD);
                is_method && is_same_path(path, wanted_path)
            }
            (AskedRoute::Rpc { service: wanted, rpc }, ProgramRoute::Rpc { service, full_service, name }) => {
                (service == wanted || full_service == wanted) && name.eq_ignore_ascii_case(rpc)
            }
            _ => false,
        }
    }
}

/// Returns whether two paths are one; names of parameters do not count, and a value may stand for
/// one. An unknown prefix fits any.
fn is_same_path(path: &str, wanted: &str) -> bool {
    let parts = |path: &str| -> Vec<String> {
        path.trim_start_matches('…').split('/').filter(|part| !part.is_empty()).map(str::to_string).collect()
    };
    let (own, asked) = (parts(path), parts(wanted));
    let has_unknown = path.starts_with('…') || wanted.starts_with('…');
    let is_parameter = |part: &str| part.contains('{') || part.contains('…');
    let fits = |(own, asked): (&String, &String)| own == asked || is_parameter(own) || is_parameter(asked);
    let is_length = own.len() == asked.len() || has_unknown && !own.is_empty() && !asked.is_empty();
    is_length && own.iter().rev().zip(asked.iter().rev()).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_part_by_part() {
        for (path, wanted, is_same) in [
            ("/users/{id}", "/users/{name}", true),
            ("/users/{id}", "/users/7", true),
            ("/users/{id}", "/users", false),
            ("/users", "/orders", false),
            ("…/users", "/api/users", true),
            ("…/users", "/api/orders", false),
            ("/", "/", true),
        ] {
            assert_eq!(is_same_path(path, wanted), is_same, "{path} {wanted}");
        }
    }

    #[test]
    fn routes_and_rpcs_are_told_from_symbols() {
        let kind = |text: &str| match AskedRoute::new(text) {
            Some(AskedRoute::Endpoint { .. }) => "endpoint",
            Some(AskedRoute::Rpc { .. }) => "rpc",
            None => "symbol",
        };
        for (text, expected) in [
            ("GET /users/{id}", "endpoint"),
            ("/users", "endpoint"),
            ("get …/users", "endpoint"),
            ("shop.v1.Carts/Get", "rpc"),
            ("Carts.Get", "symbol"),
            ("a/b/c.py:3", "symbol"),
            ("src/main.rs::run", "symbol"),
            ("operator new", "symbol"),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
    }
}
