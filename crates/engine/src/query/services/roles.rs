//! Finds the roles that endpoints and services tell.

use std::sync::Arc;

use codecompass_syntax::facts::{Definition, SymbolRole};

use crate::error::{Error, Result};
use crate::query::endpoints::answer::Endpoint;
use crate::query::endpoints::program_endpoints;
use crate::query::navigate::Navigator;
use crate::query::program_roles::{Answered, AskedRoute, ProgramRoles};
use crate::query::services::service_list;
use crate::query::symbols::symbol_argument::Subject;
use crate::resolve::Symbol;

impl Navigator<'_> {
    /// Returns the roles of functions that endpoints and services tell; `None` without texts. What
    /// was found for the same state of the view is kept.
    pub(in crate::query) fn program_roles(&self) -> Result<Option<Arc<ProgramRoles>>> {
        if let Some(known) = self.memo.roles.borrow().clone() {
            return Ok(Some(known));
        }
        let Some((source, config)) = self.texts() else { return Ok(None) };
        let mut roles = ProgramRoles {
            endpoints: program_endpoints(self, source, config)?,
            services: service_list(self, source, config)?,
            ..ProgramRoles::default()
        };
        let (endpoints, services) = (Arc::clone(&roles.endpoints), Arc::clone(&roles.services));
        for endpoint in &endpoints.endpoints {
            if let Some(router) = self.router_of(endpoint)? {
                roles.roles.entry(router).or_insert(SymbolRole::Router);
            }
        }
        for (number, endpoint) in endpoints.endpoints.iter().enumerate() {
            if let Some(handler) = self.handler_of(endpoint)? {
                roles.answers(handler, Answered::Endpoint(number as u32));
            }
        }
        for (number, service) in services.services.iter().enumerate() {
            for (rpc, declared) in service.rpcs.iter().enumerate() {
                for symbol in declared.implementations.iter().filter_map(|site| site.symbol) {
                    roles.answers(symbol, Answered::Rpc(number as u32, rpc as u32));
                }
            }
        }
        let roles = Arc::new(roles);
        *self.memo.roles.borrow_mut() = Some(Arc::clone(&roles));
        Ok(Some(roles))
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
        let found = roles.asked(&asked);
        if found.is_empty() {
            return match asked {
                // A path of a file, or a name with a slash.
                AskedRoute::Rpc { .. } | AskedRoute::Endpoint { method: None, .. } => Ok(None),
                AskedRoute::Endpoint { method: Some(_), path } => {
                    let suggestions = roles.like(path);
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
        Ok(Some((Subject { hit, others_total: hits.len(), others: hits }, symbols)))
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

/// Returns the innermost function around a line.
fn around(definitions: &[Definition], line: u32) -> Option<u32> {
    let covers = |definition: &Definition| (definition.span.start_line..=definition.span.end_line).contains(&line);
    let functions = definitions.iter().enumerate().filter(|(_, one)| one.kind.is_callable() && covers(one));
    functions.min_by_key(|(_, one)| one.span.end_line - one.span.start_line).map(|(ordinal, _)| ordinal as u32)
}
