//! The code that answers an endpoint.

use codecompass_syntax::facts::Kind;
use codecompass_syntax::routes::{CodePlace, Framework, HandlerFact, RouteFacts};

use crate::error::Result;
use crate::query::endpoints::answer::{ANY_METHOD, EndpointHandler};
use crate::query::navigate::Navigator;
use crate::resolve::Symbol;

/// The name of handlers that have none.
const INLINE: &str = "(inline)";
/// HTTP methods that methods of classes are called like.
const VERBS: [&str; 7] = ["get", "post", "put", "patch", "delete", "head", "options"];

/// Finds handlers by what files say about them.
pub(super) struct HandlerFinder<'a, 'view> {
    navigator: &'a Navigator<'view>,
    framework: &'static Framework,
}

impl<'a, 'view> HandlerFinder<'a, 'view> {
    pub(super) fn new(navigator: &'a Navigator<'view>, framework: &'static Framework) -> HandlerFinder<'a, 'view> {
        HandlerFinder { navigator, framework }
    }

    /// Returns the handler for each HTTP method: several for a class whose methods are called like
    /// them.
    pub(super) fn handlers(
        &mut self,
        path: &str,
        fact: &HandlerFact,
        verbs: Vec<String>,
        has_default_verbs: bool,
        facts: &RouteFacts,
    ) -> Result<Vec<(String, Option<EndpointHandler>)>> {
        if let HandlerFact::Named { place, .. } | HandlerFact::Class { place, .. } = fact
            && let Some(symbol) = self.symbol(path, *place)?
            && (has_default_verbs || verbs.iter().all(|verb| verb == ANY_METHOD))
        {
            let methods = self.verb_methods(symbol)?;
            if !methods.is_empty() {
                return Ok(methods);
            }
        }
        let handler = self.handler(path, fact, facts)?;
        Ok(verbs.into_iter().map(|verb| (verb, handler.clone())).collect())
    }

    fn handler(&self, path: &str, fact: &HandlerFact, facts: &RouteFacts) -> Result<Option<EndpointHandler>> {
        Ok(match fact {
            HandlerFact::Unknown => None,
            HandlerFact::Inline(place) => {
                Some(EndpointHandler { name: INLINE.to_string(), place: Some((path.to_string(), place.line)) })
            }
            HandlerFact::Function { place, name } => {
                let symbol = self.navigator.symbol_at(path, place.line, Some(place.column))?;
                let named = symbol.map(|symbol| self.named(symbol)).transpose()?.flatten();
                let is_it = |handler: &EndpointHandler| handler.name.ends_with(name.rsplit('.').next().unwrap_or(name));
                named.filter(is_it).or_else(|| {
                    Some(EndpointHandler { name: name.clone(), place: Some((path.to_string(), place.line)) })
                })
            }
            HandlerFact::Named { place, text } | HandlerFact::Class { place, text } => {
                match self.symbol(path, *place)? {
                    Some(symbol) => self.named(symbol)?,
                    None => Some(self.in_file(path, text, facts)),
                }
            }
            HandlerFact::Wrapped { place, text, inner } => {
                let inner = self.handler(path, inner, facts)?;
                match inner.filter(|inner| inner.place.is_some()) {
                    Some(inner) => Some(inner),
                    None => match self.symbol(path, *place)? {
                        Some(symbol) => self.named(symbol)?,
                        None => Some(self.in_file(path, text, facts)),
                    },
                }
            }
            HandlerFact::Method { class, method, .. } => Some(self.method(class, method)?),
        })
    }

    /// A function of the same file that has the name, or the name alone.
    fn in_file(&self, path: &str, text: &str, facts: &RouteFacts) -> EndpointHandler {
        let is_bare = !text.contains('.');
        let found = facts.functions.iter().find(|one| is_bare && one.name == text);
        EndpointHandler { name: text.to_string(), place: found.map(|one| (path.to_string(), one.line)) }
    }

    fn symbol(&self, path: &str, place: CodePlace) -> Result<Option<Symbol>> {
        let used = self.navigator.use_at(path, place.line, place.column)?;
        match used {
            Some(used) => Ok(used.meaning.symbols().first().copied()),
            // A class that is decorated stands at its own name.
            None => self.navigator.definition_named_at(path, place.line, place.column),
        }
    }

    fn named(&self, symbol: Symbol) -> Result<Option<EndpointHandler>> {
        let Some(hit) = self.navigator.hit(symbol)? else { return Ok(None) };
        Ok(Some(EndpointHandler { name: hit.local_name, place: Some((hit.path, hit.name_line)) }))
    }

    /// Returns the methods of a class that are called like HTTP methods.
    fn verb_methods(&self, class: Symbol) -> Result<Vec<(String, Option<EndpointHandler>)>> {
        let outline = self.navigator.snapshot().outline(class.version)?;
        let is_class = outline.definitions.get(class.ordinal as usize).is_some_and(|one| one.kind.is_type());
        let mut found = Vec::new();
        for (ordinal, definition) in outline.definitions.iter().enumerate() {
            let is_verb = VERBS.contains(&definition.name.as_str()) && definition.kind == Kind::Method;
            if is_class && is_verb && definition.parent == Some(class.ordinal) {
                let handler = self.named(Symbol { version: class.version, ordinal: ordinal as u32 })?;
                found.push((definition.name.to_uppercase(), handler));
            }
        }
        Ok(found)
    }

    /// Finds the method of a class that is named by a text.
    fn method(&self, class: &str, method: &str) -> Result<EndpointHandler> {
        let plain = |name: &str| name.replace(['.', '\\', '#'], "::");
        let class = plain(class);
        let wanted = format!("{class}::{method}");
        let short = class.rsplit("::").next().unwrap_or(&class).to_string();
        let mut best: Option<(usize, Symbol)> = None;
        for symbol in self.navigator.resolver.named(method)?.iter() {
            let Some((_, definition)) = self.navigator.resolver.definition(*symbol)? else { continue };
            let name = plain(&definition.qualified_name);
            let owner = name.rsplit("::").nth(1).unwrap_or("");
            if owner != short || !definition.kind.is_callable() {
                continue;
            }
            let shared = name.bytes().rev().zip(wanted.bytes().rev()).take_while(|(a, b)| a == b).count();
            if best.is_none_or(|(most, _)| shared > most) {
                best = Some((shared, *symbol));
            }
        }
        let found = match best {
            Some((_, symbol)) => self.named(symbol)?,
            None => None,
        };
        let written = class.replace("::", if self.framework.settings().implicit { "::" } else { "\\" });
        Ok(found.unwrap_or(EndpointHandler { name: format!("{written}#{method}"), place: None }))
    }
}
