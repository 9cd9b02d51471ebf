//! Roles that only the whole program tells: functions that register endpoints, and code that
//! answers them and rpcs. `services/roles.rs` finds them.

use std::sync::Arc;

use codecompass_syntax::facts::SymbolRole;
use rustc_hash::FxHashMap;

use crate::query::endpoints::answer::{ANY_METHOD, EndpointList};
use crate::query::services::answer::ServiceList;
use crate::resolve::Symbol;

/// Endpoints that are suggested for one that is not there.
const MAX_SUGGESTIONS: usize = 5;

/// An endpoint or rpc that a function answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Answered {
    /// By its number in the list of endpoints.
    Endpoint(u32),
    /// By the numbers of the service and of the rpc.
    Rpc(u32, u32),
}

/// Roles of functions, and what they answer.
#[derive(Default)]
pub(crate) struct ProgramRoles {
    pub endpoints: Arc<EndpointList>,
    pub services: Arc<ServiceList>,
    pub(super) roles: FxHashMap<Symbol, SymbolRole>,
    pub(super) answered: FxHashMap<Symbol, Vec<Answered>>,
}

impl ProgramRoles {
    /// Returns the role of a function, if endpoints or rpcs tell one.
    pub(crate) fn role(&self, symbol: Symbol) -> Option<SymbolRole> {
        self.roles.get(&symbol).copied()
    }

    /// Returns all functions with their roles.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Symbol, SymbolRole)> {
        self.roles.iter().map(|(symbol, role)| (*symbol, *role))
    }

    /// Returns what a function answers.
    pub(crate) fn answered(&self, symbol: Symbol) -> &[Answered] {
        self.answered.get(&symbol).map_or(&[], Vec::as_slice)
    }

    /// Returns the functions that answer an endpoint or rpc.
    pub(crate) fn answering(&self, wanted: Answered) -> Vec<Symbol> {
        let answers = |(symbol, all): (&Symbol, &Vec<Answered>)| all.contains(&wanted).then_some(*symbol);
        let mut found: Vec<Symbol> = self.answered.iter().filter_map(answers).collect();
        found.sort();
        found
    }

    /// Returns the HTTP method and path of an endpoint, or the name of an rpc.
    pub(crate) fn label(&self, answered: Answered) -> Option<(Option<String>, String)> {
        match answered {
            Answered::Endpoint(number) => {
                let endpoint = self.endpoints.endpoints.get(number as usize)?;
                Some((Some(endpoint.method.clone()), endpoint.path.clone()))
            }
            Answered::Rpc(service, rpc) => {
                let service = self.services.services.get(service as usize)?;
                let rpc = service.rpcs.get(rpc as usize)?;
                Some((None, format!("{}/{}", service.full_name(), rpc.name)))
            }
        }
    }

    pub(super) fn answers(&mut self, symbol: Symbol, answered: Answered) {
        self.roles.insert(symbol, SymbolRole::Handler);
        let known = self.answered.entry(symbol).or_default();
        if !known.contains(&answered) {
            known.push(answered);
        }
    }
}

/// An endpoint or rpc as a question names it.
pub(super) enum AskedRoute<'a> {
    Endpoint { method: Option<&'a str>, path: &'a str },
    Rpc { service: &'a str, rpc: &'a str },
}

impl<'a> AskedRoute<'a> {
    pub(super) fn new(text: &'a str) -> Option<AskedRoute<'a>> {
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

impl ProgramRoles {
    /// Returns the endpoints that share most parts with a path.
    pub(super) fn like(&self, path: &str) -> Vec<String> {
        let parts = |path: &str| -> Vec<String> { path.split('/').skip(1).map(str::to_lowercase).collect() };
        let wanted = parts(path);
        let mut found: Vec<(usize, String)> = Vec::new();
        for endpoint in &self.endpoints.endpoints {
            let shared = parts(&endpoint.path).iter().filter(|part| wanted.contains(part)).count();
            found.push((shared, format!("{} {}", endpoint.method, endpoint.path)));
        }
        found.retain(|(shared, _)| *shared > 0);
        found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        found.into_iter().take(MAX_SUGGESTIONS).map(|(_, label)| label).collect()
    }

    pub(super) fn asked(&self, asked: &AskedRoute<'_>) -> Vec<Answered> {
        let mut found = Vec::new();
        match asked {
            AskedRoute::Endpoint { method, path } => {
                for (number, endpoint) in self.endpoints.endpoints.iter().enumerate() {
                    let is_method = method.is_none_or(|method| {
                        endpoint.method.eq_ignore_ascii_case(method) || endpoint.method == ANY_METHOD
                    });
                    if is_method && is_same_path(&endpoint.path, path) {
                        found.push(Answered::Endpoint(number as u32));
                    }
                }
            }
            AskedRoute::Rpc { service, rpc } => {
                for (number, one) in self.services.services.iter().enumerate() {
                    if one.name != *service && one.full_name() != *service {
                        continue;
                    }
                    let named = one.rpcs.iter().enumerate().filter(|(_, one)| one.name.eq_ignore_ascii_case(rpc));
                    found.extend(named.map(|(rpc, _)| Answered::Rpc(number as u32, rpc as u32)));
                }
            }
        }
        found
    }
}

/// Returns whether two paths are one; names of parameters do not count, and a value may stand for
/// one. An unknown prefix fits any.
pub(crate) fn is_same_path(path: &str, wanted: &str) -> bool {
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
