//! Resources: one declaration for the routes of all items and of one item, and controllers that
//! are named by texts.

use super::apply::{argument, decorator_call, words};
use super::facts::{ExtraAction, HandlerFact, PathPart, PathTemplate, RouteFact, RouterOrigin, RouterRef};
use super::framework::{RouteRule, RuleEffect};
use super::interpret::{Evaluated, Interpreter};
use crate::code::{Call, Class, CodePlace, CodeStatement, Expr, ExprKind};

/// The resource around.
#[derive(Clone)]
pub(super) struct ResourceContext {
    /// The router of all items.
    collection: RouterRef,
    /// The router of one item.
    member: RouterRef,
    /// The class that answers.
    controller: String,
}

impl<'a> Interpreter<'a> {
    /// Adds the routes of resources.
    pub(super) fn resource(
        &mut self,
        rule: &'a RouteRule,
        call: &Call,
        place: CodePlace,
        on: Option<RouterRef>,
    ) -> Evaluated {
        let Some(parent) = on.clone() else { return Evaluated::default() };
        let start = self.facts.routes.len();
        let scope = self.scope_of(&parent);
        let count = if rule.handler.is_empty() { usize::MAX } else { 1 };
        let names: Vec<String> = call.positional().take(count).filter_map(Expr::as_text).map(str::to_string).collect();
        for name in names {
            let path = call.named("path").and_then(Expr::as_text).map_or(name.clone(), str::to_string);
            let word = name.trim_matches('/').rsplit(['/', '.']).next().unwrap_or(&name).to_string();
            // `photos.comments` are the comments of a photo.
            let path = match path.split_once('.').filter(|_| self.framework.controller_ending.is_empty()) {
                Some((outer, inner)) => format!("{outer}/{{{}}}/{}", singular(outer), inner.replace('.', "/")),
                None => path,
            };
            let controller = self.resource_controller(rule, call, &word, &scope);
            let param = call.named("param").and_then(Expr::as_text).map_or_else(
                || if self.framework.controller_ending.is_empty() { singular(&word) } else { "id".to_string() },
                str::to_string,
            );
            let collection = self.new_router(RouterOrigin::Group);
            self.mount(parent.clone(), vec![PathPart::Literal(path)], collection.clone());
            if let RouterRef::Node(node) = &collection {
                self.facts.routers[*node as usize].scope = scope.clone();
            }
            let member = self.new_router(RouterOrigin::Group);
            let nested = self.new_router(RouterOrigin::Group);
            let (own, outer) = match (rule.singular, param.as_str()) {
                (true, _) => (String::new(), String::new()),
                (false, "id") => ("{id}".to_string(), format!("{{{}_id}}", singular(&word))),
                (false, param) if self.framework.controller_ending.is_empty() => {
                    (format!("{{{param}}}"), format!("{{{param}}}"))
                }
                (false, param) => (format!("{{{param}}}"), format!("{{{}_{param}}}", singular(&word))),
            };
            self.mount(collection.clone(), vec![PathPart::Literal(own.clone())], member.clone());
            self.mount(collection.clone(), vec![PathPart::Literal(outer)], nested.clone());
            self.add_actions(rule, call, &collection, &own, &controller, place);
            let context = ResourceContext { collection: collection.clone(), member, controller };
            let before = self.resource.replace(context);
            if let Some(block) = call.block() {
                if let RouterRef::Node(node) = &nested {
                    self.facts.routers[*node as usize].scope = scope.clone();
                }
                self.closure(block, Some(&nested));
            }
            self.resource = before;
        }
        Evaluated { router: on, routes: start..self.facts.routes.len() }
    }

    /// Returns the class that answers for a resource: the one that is given, or the one called like
    /// it.
    fn resource_controller(&self, rule: &RouteRule, call: &Call, word: &str, scope: &str) -> String {
        let given = argument(call, &rule.handler).filter(|_| !rule.handler.is_empty());
        let named = |given: &Expr| class_name(given).or_else(|| given.as_text().map(str::to_string));
        let option = || call.named("controller").and_then(Expr::as_text).map(str::to_string);
        match given.and_then(named).or_else(option) {
            Some(class) => self.controller(&class, scope),
            None if rule.singular => self.controller(&plural(word), scope),
            None => self.controller(word, scope),
        }
    }

    fn add_actions(
        &mut self,
        rule: &RouteRule,
        call: &Call,
        router: &RouterRef,
        id: &str,
        controller: &str,
        place: CodePlace,
    ) {
        let only = call.named("only").or_else(|| argument(call, "2.only")).map(words);
        let except = call.named("except").or_else(|| argument(call, "2.except")).map(words).unwrap_or_default();
        let is_meant = |name: &String| {
            only.as_ref().is_none_or(|only| only.contains(name))
                && !except.contains(name)
                && (rule.actions.is_empty() || rule.actions.contains(name))
        };
        for action in &self.framework.action {
            if !is_meant(&action.name) || rule.singular && !action.singular {
                continue;
            }
            let path = if rule.singular { action.path.replace("/{id}", "") } else { action.path.replace("{id}", id) };
            let handler = HandlerFact::Method { class: controller.to_string(), method: action.name.clone(), place };
            self.add_route(RouteFact {
                router: router.clone(),
                verbs: action.verbs.clone(),
                has_default_verbs: false,
                path: vec![PathPart::Literal(path)],
                handler,
                line: place.line,
                action: action.name.clone(),
                is_view_set: false,
            });
        }
    }

    /// Adds the routes of the actions that a class has; the reader of facts knows which.
    pub(super) fn view_set(
        &mut self,
        rule: &RouteRule,
        call: &Call,
        place: CodePlace,
        on: Option<RouterRef>,
    ) -> Evaluated {
        let (Some(router), Some(path), Some(class)) =
            (on.clone(), argument(call, &rule.path), argument(call, &rule.handler))
        else {
            return Evaluated::default();
        };
        let path = self.template(path);
        if let Some(text) = class.path() {
            self.add_route(RouteFact {
                router,
                verbs: Vec::new(),
                has_default_verbs: true,
                path,
                handler: HandlerFact::Class { place: class.place, text },
                line: place.line,
                action: String::new(),
                is_view_set: true,
            });
        }
        Evaluated { router: on, routes: 0..0 }
    }

    /// Reads the actions that decorators of methods add to those of a resource.
    pub(super) fn extra_actions(&self, class: &Class) -> Vec<ExtraAction> {
        let mut found = Vec::new();
        let functions = class.body.iter().filter_map(|statement| match statement {
            CodeStatement::Function(function) => Some(function),
            _ => None,
        });
        for function in functions {
            for decorator in &function.decorators {
                let call = decorator_call(decorator);
                let is_extra =
                    |rule: &&RouteRule| rule.does == RuleEffect::ExtraAction && rule.names.contains(&call.name);
                let Some(rule) = self.framework.rule.iter().find(is_extra) else { continue };
                let path = argument(&call, &rule.path).and_then(Expr::as_text).unwrap_or(&function.name).to_string();
                let is_detail = call.named(&rule.of).is_some_and(|value| value.last_name() == Some("True"));
                found.push(ExtraAction {
                    name: function.name.clone(),
                    place: function.place,
                    verbs: self.verbs_of(rule, &call),
                    path,
                    is_detail,
                });
            }
        }
        found
    }

    /// Keeps some of the actions of the resource before it, or leaves some out.
    pub(super) fn narrow_actions(&mut self, rule: &RouteRule, call: &Call, on: Evaluated) -> Evaluated {
        let named: Vec<String> = call.positional().flat_map(words).collect();
        let keeps = rule.does == RuleEffect::Only;
        let tail = self.facts.routes.split_off(on.routes.end.min(self.facts.routes.len()));
        let of_resource = self.facts.routes.split_off(on.routes.start.min(self.facts.routes.len()));
        let kept =
            of_resource.into_iter().filter(|route| route.action.is_empty() || named.contains(&route.action) == keeps);
        self.facts.routes.extend(kept);
        let end = self.facts.routes.len();
        self.facts.routes.extend(tail);
        Evaluated { router: on.router, routes: on.routes.start..end }
    }

    /// Returns the router of the items that a route in the block of a resource is about.
    pub(super) fn part_of_resource(&self, part: &str) -> Option<RouterRef> {
        let resource = self.resource.as_ref()?;
        match part {
            "member" => Some(resource.member.clone()),
            "collection" | "new" => Some(resource.collection.clone()),
            _ => None,
        }
    }

    /// Returns the part of a resource that an option of a route names.
    pub(super) fn part_option(&self, call: &Call) -> String {
        call.named("on").and_then(Expr::as_text).unwrap_or_default().to_string()
    }

    /// Returns the paths of a route; the key of a first pair is one, too (`get "/a" => "b#c"`).
    pub(super) fn paths_of_route(&self, rule: &RouteRule, call: &Call) -> Vec<PathTemplate> {
        if argument(call, &rule.path).is_none()
            && self.framework.implicit
            && let Some(first) = call.arguments.first()
            && let (Some(path), Some(_)) = (&first.name, first.value.as_text())
            && !matches!(path.as_str(), "to" | "as" | "via" | "action" | "controller")
        {
            return vec![vec![PathPart::Literal(path.clone())]];
        }
        if let Some(first) = rule.paths_from {
            return call.positional().skip(first).map(|path| self.template(path)).collect();
        }
        match argument(call, &rule.path).map(|path| (&path.kind, path)) {
            Some((ExprKind::List(items), _)) => items.iter().map(|item| self.template(item)).collect(),
            Some((ExprKind::Closure(_) | ExprKind::Map(_), _)) | None => vec![Vec::new()],
            Some((_, path)) if rule.path == rule.handler => {
                vec![if path.as_text().is_some() { self.template(path) } else { Vec::new() }]
            }
            Some((_, path)) => vec![self.template(path)],
        }
    }

    /// Returns the handler of a route.
    pub(super) fn handler_of(&self, rule: &RouteRule, call: &Call, path: &PathTemplate) -> HandlerFact {
        let place = |expr: &Expr| expr.place;
        let scope = self.around.as_ref().map(|around| self.scope_of(around)).unwrap_or_default();
        let given = argument(call, &rule.handler);
        if !rule.action.is_empty()
            && let (Some(class), Some(action)) = (given.and_then(Expr::path), argument(call, &rule.action))
            && let Some(method) = action.as_text()
        {
            return HandlerFact::Method {
                class: self.controller(&class, &scope),
                method: method.to_string(),
                place: action.place,
            };
        }
        if rule.class_handler
            && let Some(given) = given
            && let Some(text) = given.path()
        {
            return HandlerFact::Class { place: given.place, text };
        }
        if let Some(ExprKind::List(items)) = given.map(|given| &given.kind)
            && let [class, method] = items.as_slice()
            && let (Some(class), Some(method)) = (class_name(class), method.as_text())
        {
            return HandlerFact::Method {
                class,
                method: method.to_string(),
                place: given.map(place).unwrap_or_default(),
            };
        }
        let text = given.and_then(Expr::as_text).or_else(|| {
            let first = call.arguments.first().filter(|first| first.name.is_some() && self.framework.implicit)?;
            first.value.as_text()
        });
        if let Some(text) = text {
            return self.text_handler(text, &scope, given.map(place).unwrap_or_default());
        }
        if let Some(given) = given {
            if let Some(class) =
                class_name(given).filter(|_| matches!(&given.kind, ExprKind::Member(_, name) if name == "class"))
            {
                return HandlerFact::Method { class, method: "__invoke".to_string(), place: given.place };
            }
            return self.handler(given);
        }
        self.action_handler(path, &scope)
    }

    /// Returns the handler of a route that is called like its action.
    fn action_handler(&self, path: &PathTemplate, scope: &str) -> HandlerFact {
        let action = path.iter().map(|part| match part {
            PathPart::Literal(text) => text.trim_matches('/'),
            _ => "",
        });
        let action = action.collect::<String>();
        match (&self.resource, action.split_once('/')) {
            (Some(resource), None) if !action.is_empty() => {
                HandlerFact::Method { class: resource.controller.clone(), method: action, place: CodePlace::default() }
            }
            (None, Some((class, method)))
                if !self.framework.controller_ending.is_empty() && !method.contains(['/', ':']) =>
            {
                let class = self.controller(class, scope);
                HandlerFact::Method { class, method: method.to_string(), place: CodePlace::default() }
            }
            _ => HandlerFact::Unknown,
        }
    }

    /// Reads `users#index` and `UserController@index`.
    fn text_handler(&self, text: &str, scope: &str, place: CodePlace) -> HandlerFact {
        match text.split_once(['#', '@']) {
            Some((class, method)) => {
                HandlerFact::Method { class: self.controller(class, scope), method: method.to_string(), place }
            }
            None if !scope.is_empty() && !self.framework.implicit => {
                HandlerFact::Method { class: scope.to_string(), method: text.to_string(), place }
            }
            None => match &self.resource {
                Some(resource) => {
                    HandlerFact::Method { class: resource.controller.clone(), method: text.to_string(), place }
                }
                None => HandlerFact::Unknown,
            },
        }
    }

    /// Returns the name of the class that a text or path names, in a scope.
    fn controller(&self, text: &str, scope: &str) -> String {
        let ending = &self.framework.controller_ending;
        let is_path = text.starts_with(|c: char| c.is_ascii_lowercase()) && !ending.is_empty();
        let class = if is_path {
            format!("{}{ending}", text.split('/').map(camel).collect::<Vec<_>>().join("::"))
        } else {
            text.to_string()
        };
        if scope.is_empty() { class } else { format!("{scope}::{class}") }
    }

    fn scope_of(&self, router: &RouterRef) -> String {
        match router {
            RouterRef::Node(node) => self.facts.routers.get(*node as usize).map(|router| router.scope.clone()),
            _ => None,
        }
        .unwrap_or_default()
    }

    /// Returns the scope of controllers in a group.
    pub(super) fn group_scope(&self, rule: &RouteRule, call: &Call, parent: Option<&RouterRef>) -> String {
        let before = parent.or(self.around.as_ref()).map(|parent| self.scope_of(parent)).unwrap_or_default();
        let own = argument(call, &rule.scope).filter(|_| !rule.scope.is_empty());
        let own = own.and_then(|own| {
            own.as_text()
                .map(|text| text.split('/').map(camel).collect::<Vec<_>>().join("::"))
                .or_else(|| class_name(own))
        });
        match own {
            Some(own) if before.is_empty() || !self.framework.implicit => own,
            Some(own) => format!("{before}::{own}"),
            None => before,
        }
    }
}

/// Returns the class that `Users`, `Users::class` or `typeof(Users)` names.
fn class_name(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Member(object, name) if name == "class" => object.path(),
        ExprKind::Name(_) | ExprKind::Member(..) => expr.path(),
        _ => None,
    }
}

/// Writes `admin_users` as `AdminUsers`.
fn camel(word: &str) -> String {
    let part = |part: &str| {
        let mut letters = part.chars();
        letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
    };
    word.split(['_', '-']).map(part).collect()
}

/// Returns the singular of a word, by the commonest rules.
fn singular(word: &str) -> String {
    let word = word.replace('-', "_");
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    for ending in ["sses", "shes", "ches", "xes"] {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_string();
        }
    }
    match word.strip_suffix('s').filter(|stem| !stem.ends_with(['s', 'u', 'i'])) {
        Some(stem) => stem.to_string(),
        None => word,
    }
}

fn plural(word: &str) -> String {
    match word {
        _ if word.ends_with('s') => word.to_string(),
        _ if word.ends_with('y') => format!("{}ies", &word[..word.len() - 1]),
        _ => format!("{word}s"),
    }
}
