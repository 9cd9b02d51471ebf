//! Classes as routers and as handlers: prefixes of superclasses, classes that inherit from a
//! router, and classes whose actions are routes.

use std::collections::BTreeSet;

use codecompass_syntax::routes::{
    ClassFact, CodePlace, Framework, HandlerFact, PathTemplate, RouteFact, RouteFacts, RouteRule, RuleEffect,
};
use rustc_hash::FxHashMap;

use super::{Join, RouterTarget};
use crate::error::Result;
use crate::model::VersionId;

/// A route of an action that a class has.
pub(super) struct ViewSetRoute {
    pub(super) verbs: Vec<String>,
    pub(super) path: String,
    /// File, place and name.
    pub(super) handler: (VersionId, CodePlace, String),
}

impl<'a> Join<'a, '_> {
    /// Returns the prefixes of a router as they are written; a class may have those of its
    /// superclass.
    pub(super) fn prefixes_of(
        &self,
        version: VersionId,
        node: u32,
        class: Option<&ClassFact>,
    ) -> (VersionId, &'a [PathTemplate]) {
        let own = |version: VersionId, node: u32| -> &'a [PathTemplate] {
            let router = self.facts.get(&version).and_then(|facts| facts.routers.get(node as usize));
            router.map(|router| router.prefixes.as_slice()).unwrap_or(&[])
        };
        let (mut home, mut found, mut supertypes) = (version, own(version, node), class.map(|one| &one.supertypes));
        for _ in 0..4 {
            let Some(above) = supertypes.filter(|_| found.is_empty() && self.framework.settings().inherits_prefix)
            else {
                break;
            };
            supertypes = None;
            for (file, class) in self.classes_called(above) {
                (home, found, supertypes) = (file, own(file, class.router), Some(&class.supertypes));
                if !found.is_empty() {
                    break;
                }
            }
        }
        (home, found)
    }

    /// Returns classes by their names, in the order of paths.
    pub(super) fn classes_called(&self, names: &[String]) -> Vec<(VersionId, &'a ClassFact)> {
        let mut found = Vec::new();
        for name in names {
            let name = name.rsplit(['.', ':', '\\']).next().unwrap_or(name);
            for version in &self.order {
                let classes = self.facts[version].classes.iter().filter(|class| class.name == name);
                found.extend(classes.map(|class| (*version, class)));
            }
        }
        found
    }

    /// Returns the routes of the actions that a class has: HTTP methods, path and handler.
    pub(super) fn view_set(&mut self, version: VersionId, route: &RouteFact) -> Result<Vec<ViewSetRoute>> {
        let HandlerFact::Class { place, text } = &route.handler else { return Ok(Vec::new()) };
        let last = text.rsplit('.').next().unwrap_or(text).to_string();
        let symbol = match self.target(version, *place)? {
            Some(RouterTarget::Symbol(symbol)) => Some(symbol.version),
            _ => None,
        };
        let classes = self.classes_called(&[last]);
        let first = classes.iter().find(|(file, _)| Some(*file) == symbol).or(classes.first()).copied();
        let Some(first) = first else { return Ok(Vec::new()) };
        let (mut all, mut at) = (vec![first], 0);
        let mut provided: BTreeSet<String> = BTreeSet::new();
        while let Some((_, class)) = all.get(at).copied() {
            at += 1;
            for above in &class.supertypes {
                let name = above.rsplit('.').next().unwrap_or(above);
                provided.extend(self.framework.settings().provides.get(name).cloned().unwrap_or_default());
            }
            for above in self.classes_called(&class.supertypes) {
                if all.len() < 16 && !all.iter().any(|(_, one)| std::ptr::eq(*one, above.1)) {
                    all.push(above);
                }
            }
        }
        let text = |name: &str| {
            let texts = all.iter().flat_map(|(_, class)| &class.texts);
            texts.into_iter().find(|(key, _)| key == name).map(|(_, text)| text.clone())
        };
        let id = text("lookup_url_kwarg").or_else(|| text("lookup_field")).unwrap_or_else(|| "pk".to_string());
        let method = |name: &str| {
            all.iter().find_map(|(file, class)| {
                let (_, place) = class.methods.iter().find(|(own, _)| own == name)?;
                Some((*file, *place, format!("{}.{name}", class.name)))
            })
        };
        let class_place = (first.0, CodePlace { line: first.1.line, column: 1 }, first.1.name.clone());
        let mut found = Vec::new();
        for action in &self.framework.settings().action {
            let own = method(&action.name);
            if own.is_some() || provided.contains(&action.name) {
                let path = action.path.replace("<id>", &format!("<{id}>"));
                let verbs = action.verbs.clone();
                found.push(ViewSetRoute { verbs, path, handler: own.unwrap_or_else(|| class_place.clone()) });
            }
        }
        for (file, class) in &all {
            for extra in &class.extras {
                let id = if extra.is_detail { format!("/<{id}>") } else { String::new() };
                let handler = (*file, extra.place, format!("{}.{}", class.name, extra.name));
                let verbs = if extra.verbs.is_empty() { vec!["GET".to_string()] } else { extra.verbs.clone() };
                found.push(ViewSetRoute { verbs, path: format!("{id}/{}/", extra.path), handler });
            }
        }
        Ok(found)
    }
}

/// Returns the classes that inherit from a router of a framework.
pub(super) fn router_classes<'a>(
    framework: &'static Framework,
    facts: &FxHashMap<VersionId, &'a RouteFacts>,
) -> FxHashMap<&'a str, bool> {
    let makers = framework.settings().rule.iter().filter(|rule| rule.does == RuleEffect::Router);
    let makers: Vec<&RouteRule> = makers.filter(|rule| rule.receiver.is_empty()).collect();
    let mut found: FxHashMap<&str, bool> = FxHashMap::default();
    for _ in 0..4 {
        for class in facts.values().flat_map(|facts| &facts.classes) {
            for above in &class.supertypes {
                let above = above.rsplit(['.', ':', '\\']).next().unwrap_or(above);
                let maker = makers.iter().find(|rule| rule.names.iter().any(|name| name == above));
                if let Some(is_root) = maker.map(|rule| rule.root).or_else(|| found.get(above).copied()) {
                    found.insert(&class.name, is_root);
                }
            }
        }
    }
    found
}
