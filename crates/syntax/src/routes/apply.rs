//! The effects of rules: routers, groups, mounts, routes and decorators.

use super::facts::{HandlerFact, MountFact, PathPart, PathTemplate, RouteFact, RouterOrigin, RouterRef};
use super::framework::{RouteRule, RuleEffect, RuleReceiver};
use super::interpret::{Evaluated, Interpreter};
use crate::code::{Call, Class, CodePlace, Expr, ExprKind, Function};

/// Returns the argument that a specification names: alternatives with `|`, each a number among
/// those without a name, `last`, or a name, and perhaps the key of a map after a dot.
pub(super) fn argument<'c>(call: &'c Call, specification: &str) -> Option<&'c Expr> {
    specification.split('|').filter(|one| !one.is_empty()).find_map(|one| {
        let (one, key) = one.split_once('.').map_or((one, None), |(one, key)| (one, Some(key)));
        let found = match (one, one.parse::<usize>()) {
            (_, Ok(number)) => call.positional().nth(number),
            ("last", _) => call.positional().next_back(),
            (name, _) => call.named(name),
        }?;
        match key {
            None => Some(found),
            Some(key) => match &found.kind {
                ExprKind::Map(pairs) => pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value),
                _ => None,
            },
        }
    })
}

/// Returns the texts of an expression: one, or those of a list; last names count as texts.
pub(super) fn words(expr: &Expr) -> Vec<String> {
    match &expr.kind {
        ExprKind::List(items) => items.iter().flat_map(words).collect(),
        ExprKind::Name(name) | ExprKind::Member(_, name) => vec![name.clone()],
        _ => expr.as_text().map(str::to_string).into_iter().collect(),
    }
}

fn upper(verbs: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = verbs.into_iter().map(|verb| verb_name(&verb)).collect();
    all.dedup();
    if all.iter().any(|verb| verb == "ANY") { Vec::new() } else { all }
}

/// Returns the HTTP method that a word means: `MethodGet` and `get` mean `GET`.
fn verb_name(word: &str) -> String {
    let word = word.strip_prefix("Method").filter(|rest| !rest.is_empty()).unwrap_or(word).to_uppercase();
    match word.as_str() {
        "ALL" | "ANY" | "*" => "ANY".to_string(),
        "DEL" => "DELETE".to_string(),
        _ => word,
    }
}

impl<'a> Interpreter<'a> {
    pub(super) fn mount(&mut self, parent: RouterRef, prefix: PathTemplate, child: RouterRef) {
        self.facts.mounts.push(MountFact { parent, prefix, child, overrides: false, is_plugin: false });
    }

    pub(super) fn has_path_and_handler(&self, rule: &RouteRule, call: &Call) -> bool {
        let is_path = |path: &Expr| match &path.kind {
            ExprKind::Text(_) | ExprKind::Sum(_) | ExprKind::Name(_) | ExprKind::Member(..) | ExprKind::List(_) => true,
            ExprKind::Call(_) => !rule.path_optional,
            _ => false,
        };
        let is_handler =
            |handler: &Expr| !matches!(handler.kind, ExprKind::Map(_) | ExprKind::Other | ExprKind::Sum(_));
        let (path, handler) = (argument(call, &rule.path), argument(call, &rule.handler));
        if rule.named_first
            && (call.positional().next().and_then(Expr::as_text).is_none() || path.and_then(Expr::as_text).is_none())
        {
            return false;
        }
        match (path, handler) {
            (None, None) => rule.handler_optional && !call.arguments.is_empty(),
            (None, Some(handler)) => {
                rule.path_optional && is_handler(handler) && (handler.as_text().is_none() || rule.handler_optional)
            }
            (Some(path), None) => rule.handler_optional && is_path(path),
            (Some(path), Some(handler)) if std::ptr::eq(path, handler) => {
                rule.path_optional && (path.as_text().is_none() || rule.handler_optional)
            }
            (Some(path), Some(handler)) => is_path(path) && is_handler(handler),
        }
    }

    pub(super) fn apply(&mut self, rule: &'a RouteRule, call: &Call, place: CodePlace, on: Evaluated) -> Evaluated {
        let is_static = !rule.receiver.is_empty() || rule.on == RuleReceiver::Free;
        let router = if is_static && !matches!(rule.does, RuleEffect::Router) {
            on.router.clone().filter(|router| self.is_router(router)).or_else(|| self.router_around(rule))
        } else {
            on.router.clone()
        };
        match rule.does {
            RuleEffect::Router => self.make_router(rule, call),
            RuleEffect::List => {
                let items: Vec<Expr> = call.positional().cloned().collect();
                match items.as_slice() {
                    [one] => self.eval(one),
                    all => self.list(all),
                }
            }
            RuleEffect::Global => {
                let prefix = argument(call, &rule.path).map(|path| self.template(path));
                self.facts.globals.extend(prefix);
                on
            }
            RuleEffect::Narrow => {
                let verbs = upper(call.positional().flat_map(words));
                for route in &mut self.facts.routes[on.routes.clone()] {
                    route.verbs.clone_from(&verbs);
                }
                on
            }
            RuleEffect::Only | RuleEffect::Except => self.narrow_actions(rule, call, on),
            RuleEffect::Prefix | RuleEffect::ExtraAction => on,
            RuleEffect::ViewSet => self.view_set(rule, call, place, router),
            RuleEffect::Group => {
                let parent = argument(call, &rule.parent).filter(|_| !rule.parent.is_empty()).cloned();
                let router = match parent {
                    Some(parent) => self.eval(&parent).router,
                    None => router,
                };
                self.group(rule, call, router, place)
            }
            RuleEffect::Mount => self.mount_call(rule, call, router),
            RuleEffect::Resource => self.resource(rule, call, place, router),
            RuleEffect::Route => self.route_call(rule, call, place, router),
        }
    }

    /// Returns the router around; for static calls there is always one.
    fn router_around(&mut self, rule: &RouteRule) -> Option<RouterRef> {
        if self.around.is_some() || rule.receiver.is_empty() {
            return self.around.clone();
        }
        if self.default_root.is_none() {
            self.default_root = Some(self.new_router(RouterOrigin::Root));
        }
        self.default_root.clone()
    }

    /// Returns the prefix that a call would give to a router if it made one.
    pub(super) fn prefix_of_making(&self, call: &Call) -> Option<PathTemplate> {
        let makers = self.framework.rule.iter().filter(|rule| rule.does == RuleEffect::Router);
        let named = makers.filter(|rule| rule.path.starts_with(|c: char| c.is_ascii_alphabetic()));
        named.filter_map(|rule| argument(call, &rule.path)).map(|path| self.template(path)).next()
    }

    fn make_router(&mut self, rule: &RouteRule, call: &Call) -> Evaluated {
        let node = self.new_node(if rule.root { RouterOrigin::Root } else { RouterOrigin::Router });
        let router = RouterRef::Node(node);
        let prefix = argument(call, &rule.path).map(|path| self.template(path));
        self.facts.routers[node as usize].prefixes.extend(prefix);
        let child = argument(call, &rule.child).cloned();
        for given in call.arguments.iter().map(|argument| &argument.value) {
            match given.as_closure() {
                Some(closure) => self.closure(closure, Some(&router)),
                None => {
                    let value = self.eval(given).router;
                    let is_child = child.as_ref().is_some_and(|child| child.place == given.place);
                    if let Some(value) = value.filter(|_| is_child) {
                        self.mount(router.clone(), Vec::new(), value);
                    }
                }
            }
        }
        Evaluated::of(router)
    }

    fn group(&mut self, rule: &RouteRule, call: &Call, router: Option<RouterRef>, place: CodePlace) -> Evaluated {
        let origin = if rule.root { RouterOrigin::Root } else { RouterOrigin::Group };
        let node = self.new_node(origin);
        let group = RouterRef::Node(node);
        let path = argument(call, &rule.path);
        let is_text = |path: &&Expr| !matches!(path.kind, ExprKind::Closure(_) | ExprKind::Map(_) | ExprKind::Other);
        let mut prefix = path.filter(is_text).map(|path| self.template(path)).unwrap_or_default();
        if rule.named {
            let words = call.positional().find_map(|name| name.as_text().map(str::to_string));
            prefix = path
                .map(|path| self.template(path))
                .unwrap_or_else(|| vec![PathPart::Literal(words.clone().unwrap_or_default())]);
        }
        self.facts.routers[node as usize].scope = self.group_scope(rule, call, router.as_ref());
        if let Some(parent) = router.clone().filter(|_| !rule.root) {
            let parent = self.part_of_resource(&rule.of).unwrap_or(parent);
            self.mount(parent, prefix, group.clone());
        } else {
            self.facts.routers[node as usize].prefixes.push(prefix);
        }
        let resource = if rule.of.is_empty() { self.resource.take() } else { self.resource.clone() };
        for given in call.arguments.iter().map(|argument| &argument.value) {
            match given.as_closure() {
                Some(closure) => self.closure(closure, Some(&group)),
                None if given.as_text().is_some() => {}
                None => {
                    let value = self.eval(given).router;
                    // A function that adds routes to the group.
                    if let Some(child @ (RouterRef::Value { .. } | RouterRef::Module { .. })) = value
                        && given.place != place
                    {
                        let parent = group.clone();
                        self.facts.mounts.push(MountFact {
                            parent,
                            prefix: Vec::new(),
                            child,
                            overrides: false,
                            is_plugin: true,
                        });
                    }
                }
            }
        }
        self.resource = resource;
        Evaluated::of(group)
    }

    fn mount_call(&mut self, rule: &RouteRule, call: &Call, router: Option<RouterRef>) -> Evaluated {
        let Some(parent) = router.clone() else { return Evaluated::default() };
        let child_place = match rule.child.as_str() {
            "rest" => None,
            child => argument(call, child).map(|child| child.place),
        };
        let path = argument(call, &rule.path).filter(|path| {
            // Where the child is certain, anything else is the path.
            let is_apart = child_place.is_some_and(|child| child != path.place);
            is_apart && matches!(path.kind, ExprKind::Call(_) | ExprKind::Other)
                || matches!(path.kind, ExprKind::Text(_) | ExprKind::Sum(_))
                || matches!(path.kind, ExprKind::Name(_) | ExprKind::Member(..)) && call.arguments.len() > 1
        });
        let prefixes = match path {
            Some(path) => vec![self.template(path)],
            None => match argument(call, &rule.path).map(|path| &path.kind) {
                Some(ExprKind::List(items)) => items.iter().map(|item| self.template(item)).collect(),
                _ => vec![Vec::new()],
            },
        };
        let path_place = path.map(|path| path.place);
        let children: Vec<Expr> = call.arguments.iter().map(|argument| argument.value.clone()).collect();
        for given in children {
            if Some(given.place) == path_place && given.as_closure().is_none() {
                continue;
            }
            let is_child = child_place.is_none_or(|place| place == given.place);
            let child = match given.as_closure() {
                Some(closure) if rule.plugin && is_child => {
                    let child = self.new_router(RouterOrigin::Group);
                    self.closure(closure, Some(&child));
                    Some(child)
                }
                _ => self.eval(&given).router,
            };
            for prefix in prefixes.iter().filter(|_| is_child) {
                if let Some(child) = child.clone().filter(|child| *child != parent) {
                    self.facts.mounts.push(MountFact {
                        parent: parent.clone(),
                        prefix: prefix.clone(),
                        child,
                        overrides: rule.overrides && path.is_some(),
                        is_plugin: rule.plugin,
                    });
                }
            }
        }
        Evaluated { router, routes: 0..0 }
    }

    /// Returns the HTTP methods of a rule for a call; empty for all.
    pub(super) fn verbs_of(&self, rule: &RouteRule, call: &Call) -> Vec<String> {
        if let Some(given) = argument(call, &rule.verbs_in).filter(|_| !rule.verbs_in.is_empty()) {
            let given = upper(words(given));
            if !given.is_empty() {
                return given;
            }
        }
        if rule.verb_is_name {
            return upper([call.name.clone()]);
        }
        if !rule.verb_after.is_empty() {
            return upper(call.name.strip_prefix(rule.verb_after.as_str()).map(str::to_string));
        }
        if !rule.verb_before.is_empty() {
            return upper(call.name.strip_suffix(rule.verb_before.as_str()).map(str::to_string));
        }
        upper(if rule.verbs.is_empty() { rule.default_verbs.clone() } else { rule.verbs.clone() })
    }

    /// Returns the paths of a rule for a call: more than one for a list.
    fn paths_of(&self, rule: &RouteRule, call: &Call) -> Vec<PathTemplate> {
        let path = argument(call, &rule.path).filter(|_| !rule.path.is_empty());
        let none = || vec![Vec::new()];
        match path.map(|path| (&path.kind, path)) {
            Some((ExprKind::List(items), _)) if items.is_empty() => none(),
            Some((ExprKind::List(items), _)) => items.iter().map(|item| self.template(item)).collect(),
            Some((ExprKind::Closure(_) | ExprKind::Map(_), _)) => none(),
            Some((_, path)) => vec![self.template(path)],
            None => none(),
        }
    }

    fn route_call(&mut self, rule: &'a RouteRule, call: &Call, place: CodePlace, on: Option<RouterRef>) -> Evaluated {
        let Some(router) = on.clone() else { return Evaluated::default() };
        let start = self.facts.routes.len();
        let handler = argument(call, &rule.handler).cloned();
        let included = handler.as_ref().and_then(Expr::as_call).filter(|inner| rule.includes.contains(&inner.name));
        if let Some(included) = included {
            let prefix = argument(call, &rule.path).map(|path| self.template(path)).unwrap_or_default();
            self.include(router, prefix, included);
            return Evaluated { router: on, routes: start..self.facts.routes.len() };
        }
        let verbs = self.verbs_of(rule, call);
        let has_default_verbs = !rule.default_verbs.is_empty() && argument(call, &rule.verbs_in).is_none();
        let paths = self.paths_of_route(rule, call);
        let line = place.line;
        let router = self.part_of_resource(&self.part_option(call)).unwrap_or(router);
        for mut path in paths {
            let mut verbs = verbs.clone();
            if rule.path_has_verb {
                split_verb(&mut path, &mut verbs);
            }
            let handlers = match (&handler, rule.handler_chain) {
                (Some(handler), true) => self.chain(handler),
                _ => vec![(None, self.handler_of(rule, call, &path))],
            };
            for (verb, handler) in handlers {
                let verbs = verb.map_or(verbs.clone(), |verb| upper([verb]));
                let (router, path, action) = (router.clone(), path.clone(), String::new());
                self.add_route(RouteFact {
                    router,
                    verbs,
                    has_default_verbs,
                    path,
                    handler,
                    line,
                    action,
                    is_view_set: false,
                });
            }
        }
        let end = self.facts.routes.len();
        // Functions inside of arguments may add routes, too; texts are no routers.
        for given in call.arguments.iter().map(|argument| &argument.value) {
            if given.as_closure().is_some() && self.framework.implicit {
                continue;
            }
            if matches!(given.kind, ExprKind::Closure(_) | ExprKind::Map(_)) {
                self.eval(given);
            }
        }
        Evaluated { router: on, routes: start..end }
    }

    /// Puts what a call includes below a router: a module, a variable or a list.
    fn include(&mut self, parent: RouterRef, prefix: PathTemplate, included: &Call) {
        let Some(given) = included.positional().next() else { return };
        // A list of routes may stand with its name in a pair.
        let given = match &given.kind {
            ExprKind::List(items) => match items.first().map(|first| &first.kind) {
                Some(ExprKind::Text(_) | ExprKind::Name(_) | ExprKind::Member(..) | ExprKind::List(_)) => &items[0],
                _ => given,
            },
            _ => given,
        };
        let variable = self.framework.module_variable.clone();
        let child = match given.as_text() {
            Some(module) => Some(RouterRef::Module { module: module.to_string(), variable }),
            None => self.eval(given).router,
        };
        if let Some(child) = child {
            self.mount(parent, prefix, child);
        }
    }

    /// Reads a chain of calls that are HTTP methods: `get(a).post(b)`, `web::get().to(a)`.
    fn chain(&self, expr: &Expr) -> Vec<(Option<String>, HandlerFact)> {
        const VERBS: [&str; 9] = ["get", "post", "put", "patch", "delete", "head", "options", "any", "trace"];
        let mut found = Vec::new();
        let mut at = Some(expr);
        while let Some(call) = at.and_then(Expr::as_call) {
            let name = call.name.strip_suffix("_service").unwrap_or(&call.name);
            if VERBS.contains(&name)
                && let Some(handler) = call.positional().next()
            {
                found.push((Some(name.to_string()), self.handler(handler)));
            }
            let verb = call.receiver.as_ref().and_then(Expr::as_call).map(|inner| inner.name.clone());
            if call.name == "to"
                && let Some(handler) = call.positional().next()
            {
                let verb = verb.filter(|verb| VERBS.contains(&verb.as_str()));
                found.push((Some(verb.unwrap_or_else(|| "any".to_string())), self.handler(handler)));
                break;
            }
            at = call.receiver.as_ref();
        }
        found.reverse();
        if found.is_empty() { vec![(None, self.handler(expr))] } else { found }
    }

    /// Reads the prefixes of a class, and the routes that it answers as a whole.
    pub(super) fn class_prefixes(&mut self, class: &Class, router: u32) {
        let rules = &self.framework.rule;
        for decorator in &class.decorators {
            let call = decorator_call(decorator);
            let is_route = |rule: &&RouteRule| {
                rule.on == RuleReceiver::Router && rule.does == RuleEffect::Route && rule.names.contains(&call.name)
            };
            if let (Some(receiver), Some(rule)) = (&call.receiver, rules.iter().find(is_route))
                && let Some(router) = self.eval(receiver).router
            {
                let verbs = self.verbs_of(rule, &call);
                for path in self.paths_of(rule, &call) {
                    let handler = HandlerFact::Class { place: class.place, text: class.name.clone() };
                    self.add_route(RouteFact {
                        router: router.clone(),
                        verbs: verbs.clone(),
                        has_default_verbs: true,
                        path,
                        handler,
                        line: decorator.place.line,
                        action: String::new(),
                        is_view_set: false,
                    });
                }
            }
            let rule = rules.iter().find(|rule| rule.on == RuleReceiver::Class && rule.names.contains(&call.name));
            let Some(rule) = rule else { continue };
            let paths = self.paths_of(rule, &call);
            match rule.does {
                RuleEffect::Global => self.facts.globals.extend(paths),
                _ => self.facts.routers[router as usize].prefixes.extend(paths),
            }
        }
    }

    /// Reads the routes that decorators of a function add.
    pub(super) fn decorated_function(&mut self, function: &Function, own: u32) {
        let class = self.class.clone();
        let home = match &class {
            Some(class) if self.framework.class_is_router => RouterRef::Node(class.router),
            _ => RouterRef::Node(own),
        };
        let name = match &class {
            Some(class) => format!("{}.{}", class.name, function.name),
            None => function.name.clone(),
        };
        let handler = HandlerFact::Function { place: function.place, name };
        let calls: Vec<Call> = function.decorators.iter().map(decorator_call).collect();
        let rules = &self.framework.rule;
        let on_method =
            |call: &Call| rules.iter().find(|rule| rule.on == RuleReceiver::Method && rule.names.contains(&call.name));
        let mut below: Vec<PathTemplate> = Vec::new();
        for call in &calls {
            if let Some(rule) = on_method(call).filter(|rule| rule.does == RuleEffect::Prefix) {
                below.extend(self.paths_of(rule, call));
            }
        }
        let has_verbs = calls.iter().any(|call| on_method(call).is_some_and(|rule| rule.does == RuleEffect::Route));
        for (call, decorator) in calls.iter().zip(&function.decorators) {
            let rule = on_method(call);
            let on_router = |rule| Some((rule, home.clone()));
            let Some((rule, router)) = rule.map_or_else(|| self.router_decorator(call), on_router) else { continue };
            let is_alone = rule.does == RuleEffect::Prefix && !has_verbs && !rule.default_verbs.is_empty();
            if rule.does != RuleEffect::Route && !is_alone {
                continue;
            }
            let verbs = self.verbs_of(rule, call);
            let has_default_verbs = !rule.default_verbs.is_empty() && argument(call, &rule.verbs_in).is_none();
            for path in self.paths_of(rule, call) {
                let paths = match (below.is_empty() || is_alone, path.is_empty()) {
                    (true, _) | (false, false) => vec![path],
                    (false, true) => below.clone(),
                };
                for path in paths {
                    let path = self.with_names(path, &function.name);
                    let (router, verbs, handler) = (router.clone(), verbs.clone(), handler.clone());
                    let (line, action) = (decorator.place.line, String::new());
                    self.add_route(RouteFact {
                        router,
                        verbs,
                        has_default_verbs,
                        path,
                        handler,
                        line,
                        action,
                        is_view_set: false,
                    });
                }
            }
        }
    }

    /// Returns the rule of a decorator that is a method of a router, and the router.
    fn router_decorator(&mut self, call: &Call) -> Option<(&'a RouteRule, RouterRef)> {
        let router = self.eval(call.receiver.as_ref()?).router?;
        let is_route = |rule: &&RouteRule| {
            rule.on == RuleReceiver::Router && rule.names.contains(&call.name) && rule.does == RuleEffect::Route
        };
        Some((self.framework.rule.iter().find(is_route)?, router))
    }

    /// Puts the name of a method in the place of `[action]`.
    fn with_names(&self, template: PathTemplate, method: &str) -> PathTemplate {
        let part = |part: PathPart| match part {
            PathPart::Literal(text) if text.contains('[') => PathPart::Literal(text.replace("[action]", method)),
            part => part,
        };
        template.into_iter().map(part).collect()
    }
}

/// Returns a decorator as a call.
pub(super) fn decorator_call(decorator: &Expr) -> Call {
    match &decorator.kind {
        ExprKind::Call(call) => (**call).clone(),
        ExprKind::Member(object, name) => {
            Call { receiver: Some((**object).clone()), name: name.clone(), arguments: Vec::new() }
        }
        _ => {
            Call { receiver: None, name: decorator.last_name().unwrap_or_default().to_string(), arguments: Vec::new() }
        }
    }
}

/// Takes the HTTP method from the beginning of a path (`GET /users`), and the host behind it.
fn split_verb(path: &mut PathTemplate, verbs: &mut Vec<String>) {
    let Some(PathPart::Literal(text)) = path.first_mut() else { return };
    if let Some((verb, rest)) = text.split_once(' ')
        && !verb.is_empty()
        && verb.chars().all(|c| c.is_ascii_uppercase())
    {
        *verbs = vec![verb.to_string()];
        *text = rest.trim_start().to_string();
    }
    if !text.starts_with('/')
        && let Some(at) = text.find('/')
    {
        text.drain(..at);
    }
    if let Some(PathPart::Literal(text)) = path.last_mut()
        && text.ends_with("/{$}")
    {
        text.truncate(text.len() - 3);
    }
}
