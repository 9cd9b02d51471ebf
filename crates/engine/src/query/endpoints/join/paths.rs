//! The paths of routers, and the texts of paths.

use std::collections::BTreeSet;

use codecompass_syntax::routes::{CodePlace, PathPart, PathTemplate, RouterOrigin, UNKNOWN_PART, join_paths};
use rustc_hash::FxHashSet;

use super::{Join, RouterKey, RouterTarget};
use crate::error::Result;
use crate::model::{Role, VersionId};
use crate::query::endpoints::route_files;

/// Paths of one router beyond this many are not listed.
const MAX_PATHS: usize = 64;
/// Routers that may lie below each other.
const MAX_DEPTH: usize = 24;

/// A path of a router, as far as it is known.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RouterPath {
    pub(super) text: String,
    pub(super) is_certain: bool,
}

impl Join<'_, '_> {
    /// Returns the paths that routes of a router begin with.
    pub(super) fn paths(
        &mut self,
        router: usize,
        grounded: &FxHashSet<usize>,
        above: &mut Vec<usize>,
    ) -> Result<Vec<RouterPath>> {
        if above.contains(&router) || above.len() > MAX_DEPTH {
            return Ok(Vec::new());
        }
        above.push(router);
        let incoming = self.incoming.get(&router).cloned().unwrap_or_default().into_iter();
        let is_grounded = |number: &usize| grounded.contains(&self.find(self.mounts[*number].parent));
        let incoming: Vec<usize> = incoming.filter(is_grounded).collect();
        let incoming = self.without_tests(incoming)?;
        let (own, is_root) = self.own_prefixes(router)?;
        let mut found = BTreeSet::new();
        for number in &incoming {
            let edge = &self.mounts[*number];
            let (parent, version, prefix, overrides) =
                (self.find(edge.parent), edge.version, edge.prefix.clone(), edge.overrides);
            let between = self.text_of(version, &prefix)?;
            let (between, is_certain) = between.unwrap_or((UNKNOWN_PART.to_string(), false));
            let is_plain = self.framework.settings().plain_join;
            for base in self.paths(parent, grounded, above)? {
                let below = join_paths(&base.text, &between, is_plain);
                let own = if overrides { vec![(String::new(), true)] } else { own.clone() };
                for (own, own_certain) in own {
                    let text = join_paths(&below, &own, is_plain);
                    found.insert(RouterPath { text, is_certain: base.is_certain && is_certain && own_certain });
                }
            }
            if found.len() > MAX_PATHS {
                break;
            }
        }
        above.pop();
        if found.is_empty() && incoming.is_empty() {
            for (own, own_certain) in own {
                let text = if is_root { own } else { join_paths(UNKNOWN_PART, &own, false) };
                found.insert(RouterPath { text, is_certain: is_root && own_certain });
            }
        }
        // An unknown alternative says nothing beside a known one.
        if found.iter().any(|path| !path.text.contains(UNKNOWN_PART)) {
            found.retain(|path| !path.text.contains(UNKNOWN_PART));
        }
        Ok(found.into_iter().take(MAX_PATHS).collect())
    }

    /// Leaves mounts in tests out for routers of other code, unless there are no others.
    fn without_tests(&self, incoming: Vec<usize>) -> Result<Vec<usize>> {
        let mut others = Vec::new();
        for number in &incoming {
            let role = self.navigator.snapshot().file_info(self.mounts[*number].version)?.role;
            if !matches!(role, Role::Test | Role::Example) {
                others.push(*number);
            }
        }
        Ok(if others.is_empty() { incoming } else { others })
    }

    /// Returns the prefixes that a router has by itself, and whether it is an application.
    pub(super) fn own_prefixes(&mut self, router: usize) -> Result<(Vec<(String, bool)>, bool)> {
        let mut nodes: Vec<(VersionId, u32)> = Vec::new();
        let mut made: Vec<(VersionId, CodePlace)> = Vec::new();
        let mut is_root = false;
        for key in self.members.get(&router).into_iter().flatten() {
            match key {
                RouterKey::Node(version, node) => nodes.push((*version, *node)),
                RouterKey::First(_) => is_root = true,
                RouterKey::Made(version, place) => made.push((*version, *place)),
                RouterKey::Symbol(_) | RouterKey::Text(..) => {}
            }
        }
        nodes.sort_unstable();
        made.sort_unstable();
        let mut own = BTreeSet::new();
        for (version, place) in made {
            is_root |= self.router_classes.values().all(|is_root| *is_root);
            for (_, template) in self.facts[&version].makings.iter().filter(|(at, _)| *at == place) {
                own.insert(self.text_of(version, template)?.unwrap_or((UNKNOWN_PART.to_string(), false)));
            }
        }
        for (version, node) in nodes {
            is_root |= self.origin(version, node) == Some(RouterOrigin::Root);
            let facts = self.facts[&version];
            let class = facts.classes.iter().find(|class| class.router == node);
            let (home, templates) = self.prefixes_of(version, node, class);
            for template in templates {
                let (text, is_certain) = self.text_of(home, template)?.unwrap_or((UNKNOWN_PART.to_string(), false));
                let ending = &self.framework.settings().controller_ending;
                let name = class.map_or("", |class| class.name.as_str());
                let name = name.strip_suffix(ending.as_str()).unwrap_or(name);
                own.insert((text.replace("[controller]", name), is_certain));
            }
        }
        let own = if own.is_empty() { vec![(String::new(), true)] } else { own.into_iter().collect() };
        Ok((own, is_root))
    }

    /// Returns the text of a path and whether all of it is known; `None` where nothing is.
    pub(super) fn text_of(&mut self, version: VersionId, template: &PathTemplate) -> Result<Option<(String, bool)>> {
        let (mut text, mut is_certain, mut is_known) = (String::new(), true, template.is_empty());
        for part in template {
            let value = match part {
                PathPart::Literal(literal) => Some((literal.clone(), true)),
                PathPart::Unknown => None,
                PathPart::Constant(place, _) => self.constant(version, *place, 0)?,
            };
            match value {
                Some((value, certain)) => {
                    is_known = true;
                    is_certain &= certain;
                    text.push_str(&value);
                }
                None => {
                    is_certain = false;
                    if !text.ends_with(UNKNOWN_PART) {
                        text.push_str(UNKNOWN_PART);
                    }
                }
            }
        }
        Ok(is_known.then_some((text, is_certain)))
    }

    /// Returns the text that a constant holds.
    fn constant(&mut self, version: VersionId, place: CodePlace, depth: usize) -> Result<Option<(String, bool)>> {
        let Some(RouterTarget::Symbol(symbol)) = self.target(version, place)?.filter(|_| depth < 4) else {
            return Ok(None);
        };
        let Some((_, definition)) = self.navigator.resolver.definition(symbol)? else { return Ok(None) };
        let (name, line) = (definition.name.clone(), definition.name_line);
        let snapshot = self.navigator.snapshot();
        let routes = route_files::read_one(snapshot, self.texts.0, self.texts.1, symbol.version)?;
        let Some((_, _, template)) = routes.constants.iter().find(|one| one.0 == line && one.1 == name) else {
            return Ok(None);
        };
        let mut text = String::new();
        let mut is_certain = true;
        for part in template {
            match part {
                PathPart::Literal(literal) => text.push_str(literal),
                PathPart::Constant(place, _) => match self.constant(symbol.version, *place, depth + 1)? {
                    Some((value, certain)) => {
                        text.push_str(&value);
                        is_certain &= certain;
                    }
                    None => return Ok(None),
                },
                PathPart::Unknown => return Ok(None),
            }
        }
        Ok(Some((text, is_certain)))
    }
}
