//! Roles that only the whole program tells: functions that register endpoints, and code that
//! answers them and rpcs. `services/roles.rs` finds them.

use codecompass_syntax::facts::SymbolRole;
use rustc_hash::FxHashMap;

use crate::resolve::Symbol;

/// An endpoint or rpc.
pub(crate) enum ProgramRoute {
    Endpoint { method: String, path: String },
    Rpc { service: String, full_service: String, name: String },
}

/// Roles of functions, and the routes that they answer.
#[derive(Default)]
pub(crate) struct ProgramRoles {
    /// Endpoints, then rpcs; functions name them by their numbers.
    pub routes: Vec<ProgramRoute>,
    pub(super) roles: FxHashMap<Symbol, SymbolRole>,
    answered: FxHashMap<Symbol, Vec<usize>>,
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

    /// Returns the routes that a function answers.
    pub(crate) fn answered(&self, symbol: Symbol) -> &[usize] {
        self.answered.get(&symbol).map_or(&[], Vec::as_slice)
    }

    /// Returns the functions that answer a route.
    pub(crate) fn answering(&self, route: usize) -> Vec<Symbol> {
        let answers = |(symbol, all): (&Symbol, &Vec<usize>)| all.contains(&route).then_some(*symbol);
        let mut found: Vec<Symbol> = self.answered.iter().filter_map(answers).collect();
        found.sort();
        found
    }

    /// Returns the HTTP method and path of an endpoint, or the name of an rpc.
    pub(crate) fn label(&self, route: usize) -> Option<(Option<String>, String)> {
        Some(match self.routes.get(route)? {
            ProgramRoute::Endpoint { method, path } => (Some(method.clone()), path.clone()),
            ProgramRoute::Rpc { full_service, name, .. } => (None, format!("{full_service}/{name}")),
        })
    }

    /// Notes that a function answers the route that was added last.
    pub(super) fn answers_last(&mut self, symbol: Symbol) {
        let route = self.routes.len() - 1;
        self.roles.insert(symbol, SymbolRole::Handler);
        let known = self.answered.entry(symbol).or_default();
        if !known.contains(&route) {
            known.push(route);
        }
    }
}
