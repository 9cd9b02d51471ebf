//! Joins the route facts of all files of one framework: routers that are one, routers below
//! others, and from these the whole paths of routes.

mod classes;
mod paths;

use std::collections::BTreeSet;

use codecompass_syntax::facts::{Import, Kind};
use codecompass_syntax::routes::{
    CodePlace, Framework, FunctionFact, HandlerFact, MountFact, PathTemplate, RouteFact, RouteFacts, RouterOrigin,
    RouterRef, UNKNOWN_PART, join_paths, normal_path,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::IndexConfig;
use crate::error::Result;
use crate::model::{Role, VersionId};
use crate::query::endpoints::answer::{ANY_METHOD, Endpoint, EndpointHandler};
use crate::query::endpoints::handlers::HandlerFinder;
use crate::query::endpoints::join::classes::router_classes;
use crate::query::endpoints::join::paths::RouterPath;
use crate::query::endpoints::route_files::RouteFiles;
use crate::query::navigate::Navigator;
use crate::resolve::{Confidence, Entity, Module, Resolution, ResolutionEvidence, Symbol};
use crate::scan::Source;

/// Rounds in which routers are handed on from function to function.
const MAX_ROUNDS: usize = 12;

/// A router of the view.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum RouterKey {
    /// Of a file, by its number.
    Node(VersionId, u32),
    /// The value of a definition.
    Symbol(Symbol),
    /// The application that a setting of a file is for.
    First(VersionId),
    /// A name as it is written in a file.
    Text(VersionId, String),
    /// An instance of a class that inherits from a router, by the place of the call.
    Made(VersionId, CodePlace),
}

/// One router below another.
struct MountEdge {
    parent: usize,
    prefix: PathTemplate,
    child: usize,
    overrides: bool,
    version: VersionId,
}

pub(super) struct Join<'a, 'view> {
    navigator: &'a Navigator<'view>,
    framework: &'static Framework,
    facts: FxHashMap<VersionId, &'a RouteFacts>,
    order: Vec<VersionId>,
    texts: (&'a Source, &'a IndexConfig),
    keys: FxHashMap<RouterKey, usize>,
    /// Each router leads to one that it is the same as.
    same: Vec<usize>,
    mounts: Vec<MountEdge>,
    /// Classes that inherit from a router, and whether it is an application.
    router_classes: FxHashMap<&'a str, bool>,
    /// Names of variables and functions that may be routers.
    names: FxHashSet<&'a str>,
    resolved: FxHashMap<(VersionId, CodePlace), Option<RouterTarget>>,
    /// Routers of files by the one that they are the same as, once all are known.
    members: FxHashMap<usize, Vec<RouterKey>>,
    /// Mounts by the router that they put below another.
    incoming: FxHashMap<usize, Vec<usize>>,
    /// Places of routes whose path is computed.
    pub(super) computed: Vec<(String, u32)>,
}

/// The meaning of a name at a place.
#[derive(Clone)]
enum RouterTarget {
    Symbol(Symbol),
    /// For its name alone: other code may have a function of the same name.
    Guess(Symbol),
    File(VersionId),
}

impl<'a, 'view> Join<'a, 'view> {
    pub(super) fn new(
        navigator: &'a Navigator<'view>,
        framework: &'static Framework,
        files: &'a RouteFiles,
        texts: (&'a Source, &'a IndexConfig),
    ) -> Join<'a, 'view> {
        let facts: FxHashMap<VersionId, &RouteFacts> = files.facts(framework).collect();
        let mut order: Vec<VersionId> = facts.keys().copied().collect();
        order.sort_unstable_by_key(|version| navigator.snapshot().position(*version));
        let mut names = FxHashSet::default();
        for facts in facts.values() {
            names.extend(facts.variables.iter().map(|one| one.name.rsplit('.').next().unwrap_or("")));
            names.extend(facts.functions.iter().map(|one| one.name.as_str()));
        }
        let router_classes = router_classes(framework, &facts);
        Join {
            navigator,
            framework,
            facts,
            order,
            texts,
            keys: FxHashMap::default(),
            same: Vec::new(),
            mounts: Vec::new(),
            router_classes,
            names,
            resolved: FxHashMap::default(),
            members: FxHashMap::default(),
            incoming: FxHashMap::default(),
            computed: Vec::new(),
        }
    }

    fn key(&mut self, key: RouterKey) -> usize {
        if let Some(known) = self.keys.get(&key) {
            return self.find(*known);
        }
        let number = self.same.len();
        self.same.push(number);
        self.keys.insert(key, number);
        number
    }

    fn find(&self, mut number: usize) -> usize {
        while self.same[number] != number {
            number = self.same[number];
        }
        number
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.same[b.max(a)] = a.min(b);
    }

    /// Finds out which routers are one and which are below others.
    pub(super) fn connect(&mut self) -> Result<()> {
        for version in self.order.clone() {
            let facts = self.facts[&version];
            for (a, b) in &facts.aliases {
                if let (Some(a), Some(b)) = (self.router(version, a)?, self.router(version, b)?) {
                    self.unite(a, b);
                }
            }
        }
        for version in self.order.clone() {
            let facts = self.facts[&version];
            for mount in &facts.mounts {
                self.add_mount(version, mount)?;
            }
            for module in &facts.roots {
                let root = RouterRef::Module {
                    module: module.clone(),
                    variable: self.framework.settings().module_variable.clone(),
                };
                if let Some(root) = self.router(version, &root)? {
                    let parent = self.key(RouterKey::First(version));
                    self.mounts.push(MountEdge { parent, prefix: Vec::new(), child: root, overrides: false, version });
                }
            }
        }
        for version in self.order.clone() {
            for route in &self.facts[&version].routes {
                self.router(version, &route.router)?;
            }
        }
        self.hand_on()
    }

    fn add_mount(&mut self, version: VersionId, mount: &MountFact) -> Result<()> {
        let Some(parent) = self.router(version, &mount.parent)? else { return Ok(()) };
        let child = if mount.is_plugin {
            match self.plugin(version, &mount.child)? {
                Some(child) => Some(child),
                None => self.router(version, &mount.child)?,
            }
        } else {
            self.router(version, &mount.child)?
        };
        if let Some(child) = child.filter(|child| *child != parent) {
            let (prefix, overrides) = (mount.prefix.clone(), mount.overrides);
            self.mounts.push(MountEdge { parent, prefix, child, overrides, version });
        }
        Ok(())
    }

    /// Returns the first parameter of the function that a router's name means.
    fn plugin(&mut self, version: VersionId, named: &RouterRef) -> Result<Option<usize>> {
        let function = match named {
            RouterRef::Value { place, text } => self.function_at(version, *place, text)?,
            RouterRef::Module { module, .. } => match self.module_file(version, module)? {
                Some(file) => self.exported_function(file),
                None => None,
            },
            _ => None,
        };
        let Some((home, function)) = function else { return Ok(None) };
        let first = function.parameters.first().map(|(_, node)| *node).or(function.receiver);
        Ok(first.map(|node| self.key(RouterKey::Node(home, node))))
    }

    /// Follows routers that are given to functions.
    fn hand_on(&mut self) -> Result<()> {
        let mut done = FxHashSet::default();
        for _ in 0..MAX_ROUNDS {
            let grounded = self.grounded();
            let mut changed = false;
            for version in self.order.clone() {
                let facts = self.facts[&version];
                for (number, pass) in facts.passes.iter().enumerate() {
                    if done.contains(&(version, number))
                        || !self.names.contains(pass.name.as_str()) && pass.module.is_none()
                    {
                        continue;
                    }
                    let Some(router) = self.router(version, &pass.router)? else { continue };
                    if !grounded.contains(&self.find(router)) {
                        continue;
                    }
                    done.insert((version, number));
                    let function = match &pass.module {
                        Some(module) => match self.module_file(version, module)? {
                            Some(file) => self.exported_function(file),
                            None => None,
                        },
                        None => self.function_at(version, pass.callee, &pass.name)?,
                    };
                    let Some((home, function)) = function else { continue };
                    let node = match (&pass.argument, &pass.keyword) {
                        (Some(at), _) => function.parameters.get(*at as usize).map(|(_, node)| *node),
                        (None, Some(name)) => {
                            function.parameters.iter().find(|(own, _)| own == name).map(|(_, node)| *node)
                        }
                        (None, None) => function.receiver.or_else(|| self.extension_parameter(function, home)),
                    };
                    let Some(node) = node else { continue };
                    let child = self.key(RouterKey::Node(home, node));
                    if child != router {
                        let edge = MountEdge { parent: router, prefix: Vec::new(), child, overrides: false, version };
                        self.mounts.push(edge);
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        Ok(())
    }

    /// Returns the first parameter of a function that is called on it.
    fn extension_parameter(&self, function: &FunctionFact, home: VersionId) -> Option<u32> {
        let (_, node) = function.parameters.first()?;
        let router = self.facts.get(&home)?.routers.get(*node as usize)?;
        (router.origin == RouterOrigin::Typed).then_some(*node)
    }

    /// Returns the routers that are routers for certain, or below one.
    fn grounded(&self) -> FxHashSet<usize> {
        let mut grounded = FxHashSet::default();
        for (key, number) in &self.keys {
            let is_router = match key {
                RouterKey::Node(version, node) => self.origin(*version, *node).is_some_and(|origin| {
                    matches!(origin, RouterOrigin::Root | RouterOrigin::Router | RouterOrigin::Typed)
                }),
                RouterKey::First(_) | RouterKey::Made(..) => true,
                RouterKey::Symbol(_) | RouterKey::Text(..) => false,
            };
            if is_router {
                grounded.insert(self.find(*number));
            }
        }
        loop {
            let before = grounded.len();
            for edge in &self.mounts {
                if grounded.contains(&self.find(edge.parent)) {
                    grounded.insert(self.find(edge.child));
                }
            }
            if grounded.len() == before {
                return grounded;
            }
        }
    }

    fn origin(&self, version: VersionId, node: u32) -> Option<RouterOrigin> {
        self.facts.get(&version)?.routers.get(node as usize).map(|router| router.origin)
    }

    /// Returns the router that an expression of a file names.
    fn router(&mut self, version: VersionId, named: &RouterRef) -> Result<Option<usize>> {
        Ok(match named {
            RouterRef::Node(node) => Some(self.key(RouterKey::Node(version, *node))),
            RouterRef::Value { place, text } => {
                let last = text.rsplit('.').next().unwrap_or(text);
                if !self.names.contains(last) {
                    // Names of imports may differ from those of what they import.
                    if text.contains('.') {
                        return Ok(None);
                    }
                }
                match self.target(version, *place)? {
                    Some(RouterTarget::Symbol(symbol)) => self.router_of_symbol(symbol)?,
                    Some(RouterTarget::File(file)) => self.export(file, "")?,
                    Some(RouterTarget::Guess(_)) => None,
                    None if self.names.contains(last) => Some(self.key(RouterKey::Text(version, text.clone()))),
                    None => None,
                }
            }
            RouterRef::Result { place, name } => {
                if self.router_classes.contains_key(name.as_str()) {
                    return Ok(Some(self.key(RouterKey::Made(version, *place))));
                }
                if !self.names.contains(name.as_str()) {
                    return Ok(None);
                }
                let function = self.function_at(version, *place, name)?;
                function.map(|(home, function)| self.key(RouterKey::Node(home, function.result)))
            }
            RouterRef::Module { module, variable } => match self.module_file(version, module)? {
                Some(file) => self.export(file, variable)?,
                None => None,
            },
        })
    }

    fn router_of_symbol(&mut self, symbol: Symbol) -> Result<Option<usize>> {
        let Some((file, definition)) = self.navigator.resolver.definition(symbol)? else { return Ok(None) };
        let (name, line) = (definition.name.clone(), definition.name_line);
        drop((file, definition));
        let Some(facts) = self.facts.get(&symbol.version).copied() else {
            return Ok(Some(self.key(RouterKey::Symbol(symbol))));
        };
        let called = || facts.variables.iter().filter(|one| one.name.rsplit('.').next() == Some(name.as_str()));
        if let Some(variable) = called().find(|one| one.line == line).or_else(|| called().next()) {
            return Ok(Some(self.key(RouterKey::Node(symbol.version, variable.router))));
        }
        let function = facts.functions.iter().find(|one| one.name == name && one.line == line);
        if let Some(function) = function {
            let is_used = facts.routes.iter().any(|route| route.router == RouterRef::Node(function.own));
            let first = function.parameters.first().map(|(_, node)| *node);
            let node = if is_used { function.own } else { first.unwrap_or(function.result) };
            return Ok(Some(self.key(RouterKey::Node(symbol.version, node))));
        }
        let class = facts.classes.iter().find(|one| one.name == name);
        Ok(Some(match class {
            Some(class) => self.key(RouterKey::Node(symbol.version, class.router)),
            None => self.key(RouterKey::Symbol(symbol)),
        }))
    }

    /// Returns the router that a file exports, or that its variable holds.
    fn export(&mut self, file: VersionId, variable: &str) -> Result<Option<usize>> {
        let Some(facts) = self.facts.get(&file).copied() else { return Ok(None) };
        if !variable.is_empty() {
            let found = facts.variables.iter().find(|one| one.name == variable);
            return Ok(found.map(|found| self.key(RouterKey::Node(file, found.router))));
        }
        match &facts.export {
            Some(export) => self.router(file, &export.clone()),
            None => match facts.variables.iter().find(|one| one.name.starts_with("exports.")) {
                Some(one) => Ok(Some(self.key(RouterKey::Node(file, one.router)))),
                None => Ok(None),
            },
        }
    }

    fn exported_function(&mut self, file: VersionId) -> Option<(VersionId, &'a FunctionFact)> {
        let facts = self.facts.get(&file).copied()?;
        if let Some(number) = facts.export_function {
            return facts.functions.get(number).map(|function| (file, function));
        }
        match &facts.export {
            Some(RouterRef::Value { text, .. }) => {
                facts.functions.iter().find(|one| one.name == *text).map(|function| (file, function))
            }
            _ => None,
        }
    }

    /// Returns the function that a name at a place means.
    fn function_at(
        &mut self,
        version: VersionId,
        place: CodePlace,
        name: &str,
    ) -> Result<Option<(VersionId, &'a FunctionFact)>> {
        match self.target(version, place)? {
            Some(RouterTarget::Guess(symbol)) => {
                let Some((_, definition)) = self.navigator.resolver.definition(symbol)? else { return Ok(None) };
                let Some(facts) = self.facts.get(&symbol.version).copied() else { return Ok(None) };
                let is_it = |one: &&FunctionFact| one.name == definition.name && one.line == definition.name_line;
                let takes_router = |one: &&FunctionFact| {
                    one.receiver.is_some() || self.extension_parameter(one, symbol.version).is_some()
                };
                let found = facts.functions.iter().find(is_it).filter(takes_router);
                Ok(found.map(|function| (symbol.version, function)))
            }
            Some(RouterTarget::Symbol(symbol)) => {
                let Some((_, definition)) = self.navigator.resolver.definition(symbol)? else { return Ok(None) };
                let Some(facts) = self.facts.get(&symbol.version).copied() else { return Ok(None) };
                if definition.kind.is_type() {
                    let outline = self.navigator.snapshot().outline(symbol.version)?;
                    let is_constructor = |one: &&FunctionFact| {
                        outline.definitions.iter().any(|own| {
                            own.parent == Some(symbol.ordinal)
                                && own.kind == Kind::Constructor
                                && own.name_line == one.line
                        })
                    };
                    return Ok(facts.functions.iter().find(is_constructor).map(|one| (symbol.version, one)));
                }
                let called = || facts.functions.iter().filter(|one| one.name == definition.name);
                let found = called().find(|one| one.line == definition.name_line).or_else(|| called().next());
                Ok(found.map(|function| (symbol.version, function)))
            }
            Some(RouterTarget::File(file)) => Ok(self.exported_function(file)),
            None => {
                let last = name.rsplit('.').next().unwrap_or(name);
                let facts = self.facts[&version];
                let is_called = |one: &&FunctionFact| one.name == last && !last.is_empty();
                if let Some(own) = facts.functions.iter().find(is_called) {
                    return Ok(Some((version, own)));
                }
                // A function that is added to routers, if there is one of the name alone.
                let order = self.order.iter();
                let all = order.flat_map(|file| self.facts[file].functions.iter().map(move |one| (*file, one)));
                let mut added = all.filter(|(_, one)| is_called(one) && one.receiver.is_some());
                Ok(added.next().filter(|_| added.next().is_none()))
            }
        }
    }

    fn target(&mut self, version: VersionId, place: CodePlace) -> Result<Option<RouterTarget>> {
        if let Some(known) = self.resolved.get(&(version, place)) {
            return Ok(known.clone());
        }
        let path = self.navigator.snapshot().path_of(version).unwrap_or("");
        let used = self.navigator.use_at(path, place.line, place.column)?;
        // What is called or mounted by the name of a whole module is what it exports.
        let whole = self.imported_module(version, place, |name, _| name.is_none_or(|name| name == "*"))?;
        let target = match used.as_ref().map(|used| &*used.meaning) {
            _ if whole.is_some() => whole,
            Some(Resolution::Found { targets, evidence, .. }) => targets.first().map(|symbol| {
                if is_guess(*evidence) { RouterTarget::Guess(*symbol) } else { RouterTarget::Symbol(*symbol) }
            }),
            Some(Resolution::Module(Module::File(file))) => Some(RouterTarget::File(*file)),
            _ => None,
        };
        let target = match target {
            Some(target) => Some(target),
            None => self.imported_module(version, place, |name, default| name == Some(default))?,
        };
        self.resolved.insert((version, place), target.clone());
        Ok(target)
    }

    /// Returns the file that is imported by the name at a place, by an import that `is_meant`,
    /// given the name that it imports and that of exports without one.
    fn imported_module(
        &self,
        version: VersionId,
        place: CodePlace,
        is_meant: impl Fn(Option<&str>, &str) -> bool,
    ) -> Result<Option<RouterTarget>> {
        let path = self.navigator.snapshot().path_of(version).unwrap_or("");
        let Some(used) = self.navigator.use_at(path, place.line, place.column)? else { return Ok(None) };
        let default_export = &used.file.rules().default_export;
        if used.is_member || default_export.is_empty() {
            return Ok(None);
        }
        let is_it = |import: &&Import| {
            import.alias.as_deref() == Some(used.name.as_str()) && is_meant(import.name.as_deref(), default_export)
        };
        let Some(import) = used.file.outline.imports.iter().find(is_it) else { return Ok(None) };
        Ok(self.module_file(version, &import.module)?.map(RouterTarget::File))
    }

    fn module_file(&self, version: VersionId, module: &str) -> Result<Option<VersionId>> {
        let Some(file) = self.navigator.resolver.file(version)? else { return Ok(None) };
        let found = self.navigator.resolver.module_of_import(&file, module, 1)?;
        Ok(found.into_iter().find_map(|entity| match entity {
            Entity::Module(Module::File(file)) => Some(file),
            _ => None,
        }))
    }

    /// Notes members and mounts by router, once all are known.
    fn group_by_router(&mut self) {
        for (key, number) in &self.keys {
            self.members.entry(self.find(*number)).or_default().push(key.clone());
        }
        for (number, edge) in self.mounts.iter().enumerate() {
            self.incoming.entry(self.find(edge.child)).or_default().push(number);
        }
    }

    /// Returns the endpoints of all routes whose router is known.
    pub(super) fn endpoints(&mut self) -> Result<Vec<Endpoint>> {
        let grounded = self.grounded();
        self.group_by_router();
        let mut known: FxHashMap<usize, Vec<RouterPath>> = FxHashMap::default();
        let globals = self.global_prefixes()?;
        let mut finder = HandlerFinder::new(self.navigator, self.framework);
        let mut found = Vec::new();
        for version in self.order.clone() {
            let facts = self.facts[&version];
            let Some(path) = self.navigator.snapshot().path_of(version) else { continue };
            let role = self.navigator.snapshot().file_info(version)?.role;
            for route in &facts.routes {
                let Some(router) = self.router(version, &route.router)? else { continue };
                let router = self.find(router);
                let is_grounded = grounded.contains(&router);
                if !is_grounded && !self.is_likely_parameter(version, &route.router, facts) {
                    continue;
                }
                let Some((own, own_certain)) = self.text_of(version, &route.path)? else {
                    self.computed.push((path.to_string(), route.line));
                    continue;
                };
                let bases = match known.get(&router) {
                    Some(bases) => bases.clone(),
                    None => self.paths(router, &grounded, &mut Vec::new())?,
                };
                known.insert(router, bases.clone());
                let view_set = if route.is_view_set { self.view_set(version, route)? } else { Vec::new() };
                for (base, one) in bases.iter().flat_map(|base| view_set.iter().map(move |one| (base, one))) {
                    let whole = self.whole_path(path, &globals, &base.text, &format!("{own}{}", one.path));
                    let (home, place, name) = one.handler.clone();
                    let file = self.navigator.snapshot().path_of(home).unwrap_or("").to_string();
                    let handler = Some(EndpointHandler { name, place: Some((file, place.line)) });
                    let is_certain = base.is_certain && own_certain && is_grounded;
                    for method in &one.verbs {
                        found.push(self.endpoint(
                            (path, role, route.line),
                            method,
                            &whole,
                            handler.clone(),
                            is_certain,
                        ));
                    }
                }
                for base in bases.iter().filter(|_| !route.is_view_set || view_set.is_empty()) {
                    let is_method = matches!(route.handler, HandlerFact::Function { .. });
                    let whole = if self.framework.settings().absolute_paths && is_method && is_absolute(&own) {
                        self.whole_path(path, &globals, "", own.trim_start_matches('~'))
                    } else {
                        self.whole_path(path, &globals, &base.text, &own)
                    };
                    let is_certain = base.is_certain && own_certain && is_grounded;
                    self.add(&mut found, &mut finder, (version, path, role), route, whole, is_certain)?;
                }
            }
        }
        Ok(found)
    }

    fn add(
        &self,
        found: &mut Vec<Endpoint>,
        finder: &mut HandlerFinder<'_, 'view>,
        (version, path, role): (VersionId, &str, Role),
        route: &RouteFact,
        whole: String,
        is_certain: bool,
    ) -> Result<()> {
        let verbs = if route.verbs.is_empty() { vec![ANY_METHOD.to_string()] } else { route.verbs.clone() };
        for (method, handler) in
            finder.handlers(path, &route.handler, verbs, route.has_default_verbs, self.facts[&version])?
        {
            found.push(self.endpoint((path, role, route.line), &method, &whole, handler, is_certain));
        }
        Ok(())
    }

    fn endpoint(
        &self,
        (path, role, line): (&str, Role, u32),
        method: &str,
        whole: &str,
        handler: Option<EndpointHandler>,
        is_certain: bool,
    ) -> Endpoint {
        Endpoint {
            method: method.to_string(),
            path: whole.to_string(),
            handler,
            declared_path: path.to_string(),
            declared_line: line,
            role,
            framework: self.framework.name,
            confidence: if is_certain { Confidence::Static } else { Confidence::Heuristic },
        }
    }

    /// Returns whether a route is on a parameter of which nothing is known, in a file that imports
    /// the framework.
    fn is_likely_parameter(&self, version: VersionId, router: &RouterRef, facts: &RouteFacts) -> bool {
        let RouterRef::Node(node) = router else { return false };
        facts.imports_framework && self.origin(version, *node) == Some(RouterOrigin::Parameter)
    }

    fn whole_path(&self, file: &str, globals: &[String], base: &str, own: &str) -> String {
        let settings = self.framework.settings();
        let mut whole = join_paths(base, own, settings.plain_join && !base.is_empty());
        if let Some(prefix) = globals.first() {
            whole = join_paths(prefix, &whole, false);
        }
        for (ending, prefix) in &settings.file_prefixes {
            if file.ends_with(ending.as_str()) {
                whole = join_paths(prefix, &whole, false);
            }
        }
        normal_path(&whole, &settings.params, settings.drop_slash)
    }

    fn global_prefixes(&mut self) -> Result<Vec<String>> {
        let mut found = BTreeSet::new();
        for version in self.order.clone() {
            if self.navigator.snapshot().file_info(version)?.role == Role::Test {
                continue;
            }
            for template in &self.facts[&version].globals {
                found.insert(self.text_of(version, template)?.map_or(UNKNOWN_PART.to_string(), |(text, _)| text));
            }
        }
        // Several applications have several: nothing tells whose routes are whose.
        Ok(match found.len() {
            0 | 1 => found.into_iter().collect(),
            _ => vec![UNKNOWN_PART.to_string()],
        })
    }
}

/// Returns whether a path of a method is not below the prefix of its class.
fn is_absolute(path: &str) -> bool {
    path.trim_start_matches('~').starts_with('/')
}

/// Returns whether a name is taken to mean a definition for its name alone.
fn is_guess(evidence: ResolutionEvidence) -> bool {
    use ResolutionEvidence::{Arity, NameOnly, UniqueName};
    matches!(evidence, Arity | NameOnly | UniqueName)
}
