//! Reads the routes of one framework from the code of one file.
//!
//! Statements are followed in order. Every variable, parameter and result that may hold a router
//! has a number; rules of the framework say which calls make routers, put them below each other,
//! and add routes. Nothing is run: a path that is not written down is [`PathPart::Unknown`].

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::facts::{
    ClassFact, FunctionFact, HandlerFact, PassFact, PathPart, PathTemplate, RouteFact, RouteFacts, RouterFact,
    RouterOrigin, RouterRef, VariableFact,
};
use super::framework::{FrameworkSettings, RouteRule, RuleEffect, RuleReceiver};
use crate::code::last_segment;
use crate::code::{Call, Class, Closure, CodeParameter, CodePlace, CodeStatement, Expr, ExprKind, Function, TextPiece};

/// Facts of one file that are more than this are not recorded.
const MAX_FACTS: usize = 20_000;

/// Reads the routes of a framework from statements.
pub(crate) fn interpret(
    statements: &[CodeStatement],
    framework: &FrameworkSettings,
    imports_framework: bool,
    first_is_self: bool,
) -> RouteFacts {
    let mut interpreter = Interpreter::new(framework, first_is_self);
    interpreter.facts.imports_framework = imports_framework;
    if framework.file_is_router && imports_framework {
        interpreter.around = Some(interpreter.new_router(RouterOrigin::Root));
    }
    interpreter.block(statements);
    interpreter.facts
}

/// Reads the texts that constants of a file hold, by the line of their name.
pub(crate) fn constants(statements: &[CodeStatement]) -> Vec<(u32, String, PathTemplate)> {
    let framework = FrameworkSettings::default();
    let mut interpreter = Interpreter::new(&framework, false);
    let mut found = Vec::new();
    interpreter.collect_constants(statements, &mut found, 0);
    found
}

pub(super) struct Interpreter<'a> {
    pub(super) framework: &'a FrameworkSettings,
    first_is_self: bool,
    pub(super) facts: RouteFacts,
    /// Routers by the names of variables and parameters, innermost last.
    scopes: Vec<FxHashMap<String, u32>>,
    /// Texts that constants hold.
    constants: FxHashMap<String, PathTemplate>,
    /// The router that calls without a receiver are on.
    pub(super) around: Option<RouterRef>,
    pub(super) class: Option<ClassContext>,
    /// The router that the function around returns.
    result: Option<u32>,
    /// Variables that hold a router for certain, and whether it is a group.
    known: FxHashMap<u32, bool>,
    /// The router that static calls are on where none is around.
    pub(super) default_root: Option<RouterRef>,
    /// The resource around.
    pub(super) resource: Option<super::resources::ResourceContext>,
}

/// The class around.
#[derive(Clone)]
pub(super) struct ClassContext {
    pub(super) name: String,
    pub(super) router: u32,
}

/// The value of an expression, as far as it matters here.
#[derive(Clone, Debug, Default)]
pub(super) struct Evaluated {
    pub(super) router: Option<RouterRef>,
    /// Routes that it added.
    pub(super) routes: Range<usize>,
}

impl Evaluated {
    pub(super) fn of(router: RouterRef) -> Evaluated {
        Evaluated { router: Some(router), routes: 0..0 }
    }
}

impl<'a> Interpreter<'a> {
    fn new(framework: &'a FrameworkSettings, first_is_self: bool) -> Interpreter<'a> {
        Interpreter {
            framework,
            first_is_self,
            facts: RouteFacts::default(),
            scopes: Vec::new(),
            constants: FxHashMap::default(),
            around: None,
            class: None,
            result: None,
            resource: None,
            default_root: None,
            known: FxHashMap::default(),
        }
    }

    pub(super) fn new_router(&mut self, origin: RouterOrigin) -> RouterRef {
        RouterRef::Node(self.new_node(origin))
    }

    pub(super) fn new_node(&mut self, origin: RouterOrigin) -> u32 {
        self.facts.routers.push(RouterFact { origin, ..RouterFact::default() });
        self.facts.routers.len() as u32 - 1
    }

    fn is_full(&self) -> bool {
        self.facts.routers.len() + self.facts.routes.len() + self.facts.passes.len() > MAX_FACTS
    }

    /// Follows statements in a scope of their own.
    pub(super) fn block(&mut self, statements: &[CodeStatement]) {
        let mut names = FxHashMap::default();
        for statement in statements {
            let target = match statement {
                CodeStatement::Assign { target: Expr { kind: ExprKind::Name(name), .. }, .. } => name,
                _ => continue,
            };
            if self.lookup(target).is_none() && !names.contains_key(target) {
                let node = self.new_node(RouterOrigin::Value);
                names.insert(target.clone(), node);
            }
        }
        self.scopes.push(names);
        for statement in statements {
            if self.is_full() {
                break;
            }
            self.statement(statement);
        }
        self.scopes.pop();
    }

    fn lookup(&self, name: &str) -> Option<u32> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    fn statement(&mut self, statement: &CodeStatement) {
        match statement {
            CodeStatement::Assign { target, value } => self.assign(target, value),
            CodeStatement::Value(value) => {
                self.eval(value);
            }
            CodeStatement::Return(value) => {
                let value = self.eval(value);
                if let (Some(result), Some(router)) = (self.result, value.router) {
                    self.facts.aliases.push((RouterRef::Node(result), router));
                }
            }
            CodeStatement::Export(value) => self.export(value),
            CodeStatement::Function(function) => self.function(function),
            CodeStatement::Class(class) => self.class(class),
        }
    }

    fn export(&mut self, value: &Expr) {
        if let Some(closure) = value.as_closure() {
            self.facts.export_function = Some(self.facts.functions.len());
            self.closure_function("", value.place, closure);
            return;
        }
        let router = self.eval(value).router;
        self.facts.export = router.or_else(|| {
            let text = value.path()?;
            Some(RouterRef::Value { place: value.place, text })
        });
    }

    fn assign(&mut self, target: &Expr, value: &Expr) {
        let path = target.path().unwrap_or_default();
        if !self.framework.root_setting.is_empty() && path == self.framework.root_setting {
            self.facts.roots.extend(value.as_text().map(str::to_string));
        }
        if path.ends_with("module.exports") || path == "exports" {
            return self.export(value);
        }
        if let Some(closure) = value.as_closure() {
            let name = target.last_name().unwrap_or_default().to_string();
            self.closure_function(&name, target.place, closure);
            return;
        }
        self.remember_constant(target, value);
        let Some(router) = self.eval(value).router else { return };
        let own = match &target.kind {
            ExprKind::Name(name) => self.lookup(name),
            _ => None,
        };
        let line = target.place.line;
        match (own, &router) {
            (Some(node), _) => {
                if !path.is_empty() && path == self.framework.module_variable {
                    self.facts.routers[node as usize].origin = RouterOrigin::Router;
                }
                if self.is_router(&router) {
                    let is_group = self.is_group(&router);
                    self.known.insert(node, is_group);
                }
                self.facts.aliases.push((RouterRef::Node(node), router));
                self.facts.variables.push(VariableFact { name: path, line, router: node });
            }
            (None, _) if !path.is_empty() => {
                let own = self.new_node(RouterOrigin::Value);
                let written = RouterRef::Value { place: target.place, text: path };
                self.facts.aliases.push((RouterRef::Node(own), written));
                self.facts.aliases.push((RouterRef::Node(own), router));
                let name = target.last_name().unwrap_or_default().to_string();
                self.facts.variables.push(VariableFact { name, line, router: own });
            }
            _ => {}
        }
    }

    fn remember_constant(&mut self, target: &Expr, value: &Expr) {
        if !matches!(value.kind, ExprKind::Text(_) | ExprKind::Sum(_) | ExprKind::Name(_) | ExprKind::Member(..)) {
            return;
        }
        let template = self.template(value);
        let is_known = template.iter().all(|part| matches!(part, PathPart::Literal(_)));
        if let Some(path) = target.path().filter(|_| is_known) {
            if let Some(class) = &self.class {
                self.constants.insert(format!("{}.{path}", class.name), template.clone());
            }
            self.constants.insert(path, template);
        }
    }

    fn collect_constants(
        &mut self,
        statements: &[CodeStatement],
        found: &mut Vec<(u32, String, PathTemplate)>,
        depth: u32,
    ) {
        for statement in statements {
            match statement {
                CodeStatement::Assign { target, value } => {
                    if matches!(value.kind, ExprKind::Text(_) | ExprKind::Sum(_)) {
                        let name = target.last_name().unwrap_or_default().to_string();
                        found.push((target.place.line, name, self.template(value)));
                    }
                    self.remember_constant(target, value);
                    if let ExprKind::Map(pairs) = &value.kind {
                        for (name, value) in pairs {
                            found.extend(value.as_text().map(|text| {
                                (value.place.line, name.clone(), vec![PathPart::Literal(text.to_string())])
                            }));
                        }
                    }
                }
                CodeStatement::Class(class) if depth < 8 => self.collect_constants(&class.body, found, depth + 1),
                _ => {}
            }
        }
    }

    fn function(&mut self, function: &Function) {
        let in_class = self.class.is_some() && self.first_is_self;
        let parameters = match (in_class, function.parameters.as_slice()) {
            (true, [_, rest @ ..]) => rest,
            (_, all) => all,
        };
        let (names, parameters) = self.bind_parameters(parameters);
        let is_extension = self.framework.types.contains(&function.receiver);
        let receiver = is_extension.then(|| self.new_node(RouterOrigin::Typed));
        let is_decorated = !function.decorators.is_empty();
        let own = self.new_node(if is_decorated { RouterOrigin::Router } else { RouterOrigin::Value });
        let result = self.new_node(RouterOrigin::Value);
        let (name, line) = (function.name.clone(), function.place.line);
        self.facts.functions.push(FunctionFact { name, line, parameters, receiver, result, own });
        if !function.decorators.is_empty() {
            self.decorated_function(function, own);
        }
        let around = match receiver {
            Some(receiver) => Some(RouterRef::Node(receiver)),
            None if self.framework.implicit => None,
            None => self.around.clone(),
        };
        let before = (std::mem::replace(&mut self.around, around), self.result.replace(result));
        self.scopes.push(names);
        self.block(&function.body);
        self.scopes.pop();
        (self.around, self.result) = before;
    }

    /// Follows a function without a name that is given a name by what holds it.
    fn closure_function(&mut self, name: &str, place: CodePlace, closure: &Closure) {
        let function = Function {
            name: name.to_string(),
            place,
            parameters: closure.parameters.clone(),
            receiver: String::new(),
            decorators: Vec::new(),
            body: Vec::new(),
        };
        let (names, parameters) = self.bind_parameters(&function.parameters);
        let (result, own) = (self.new_node(RouterOrigin::Value), self.new_node(RouterOrigin::Value));
        let (name, line) = (function.name, place.line);
        self.facts.functions.push(FunctionFact { name, line, parameters, receiver: None, result, own });
        let before = self.result.replace(result);
        self.scopes.push(names);
        self.block(&closure.body);
        self.scopes.pop();
        self.result = before;
    }

    fn bind_parameters(&mut self, parameters: &[CodeParameter]) -> (FxHashMap<String, u32>, Vec<(String, u32)>) {
        let mut names = FxHashMap::default();
        let mut list = Vec::new();
        for parameter in parameters {
            let declared = last_segment(&parameter.declared);
            let origin = match declared {
                "" | "any" | "Any" => RouterOrigin::Parameter,
                declared if self.framework.types.iter().any(|known| known == declared) => RouterOrigin::Typed,
                _ => RouterOrigin::Value,
            };
            let node = self.new_node(origin);
            names.insert(parameter.name.clone(), node);
            list.push((parameter.name.clone(), node));
        }
        (names, list)
    }

    fn class(&mut self, class: &Class) {
        let router = self.new_node(RouterOrigin::Root);
        let is_client = |decorator: &Expr| {
            decorator.last_name().is_some_and(|name| self.framework.client_classes.iter().any(|one| one == name))
        };
        if class.decorators.iter().any(is_client) {
            return;
        }
        let texts = class.body.iter().filter_map(|statement| match statement {
            CodeStatement::Assign { target, value } => Some((target.path()?, value.as_text()?.to_string())),
            _ => None,
        });
        let texts = texts.collect();
        let methods = class.body.iter().filter_map(|statement| match statement {
            CodeStatement::Function(function) => Some((function.name.clone(), function.place)),
            _ => None,
        });
        let (methods, line) = (methods.collect(), class.place.line);
        let (name, supertypes) = (class.name.clone(), class.supertypes.clone());
        let is_base = supertypes.iter().any(|one| self.framework.bases.iter().any(|base| one.ends_with(base.as_str())));
        let extras = self.extra_actions(class);
        self.facts.classes.push(ClassFact { name: name.clone(), line, supertypes, methods, extras, texts, router });
        let context = ClassContext { name, router };
        let before = self.class.replace(context);
        self.class_prefixes(class, router);
        let around = if is_base { Some(RouterRef::Node(router)) } else { self.around.clone() };
        let around = std::mem::replace(&mut self.around, around);
        self.block(&class.body);
        self.around = around;
        self.class = before;
    }

    pub(super) fn eval(&mut self, expr: &Expr) -> Evaluated {
        match &expr.kind {
            ExprKind::Name(name) => Evaluated::of(match self.lookup(name) {
                Some(node) => RouterRef::Node(node),
                None => RouterRef::Value { place: expr.place, text: name.clone() },
            }),
            ExprKind::Member(object, name) => {
                if self.framework.transparent.contains(name) {
                    return self.eval(object);
                }
                match expr.path() {
                    Some(text) => Evaluated::of(RouterRef::Value { place: expr.place, text }),
                    None => {
                        self.eval(object);
                        Evaluated::default()
                    }
                }
            }
            ExprKind::Call(call) => self.call(call, expr.place),
            ExprKind::List(items) => self.list(items),
            ExprKind::Map(pairs) => {
                pairs.iter().for_each(|(_, value)| {
                    self.eval(value);
                });
                Evaluated::default()
            }
            ExprKind::Closure(closure) => {
                self.closure(closure, None);
                Evaluated::default()
            }
            ExprKind::Sum(parts) => {
                let routers: Vec<RouterRef> = parts.iter().filter_map(|part| self.eval(part).router).collect();
                if routers.is_empty() || parts.iter().any(|part| part.as_text().is_some()) {
                    return Evaluated::default();
                }
                let sum = self.new_router(RouterOrigin::Value);
                routers.into_iter().for_each(|router| self.mount(sum.clone(), Vec::new(), router));
                Evaluated::of(sum)
            }
            ExprKind::Text(_) | ExprKind::Other => Evaluated::default(),
        }
    }

    /// Makes a router of the routes and routers in a list.
    pub(super) fn list(&mut self, items: &[Expr]) -> Evaluated {
        if items.iter().all(|item| item.as_text().is_some() || matches!(item.kind, ExprKind::Other)) {
            return Evaluated::default();
        }
        let list = self.new_router(RouterOrigin::Value);
        let before = self.around.replace(list.clone());
        let start = self.facts.routes.len();
        for item in items {
            let value = self.eval(item);
            match value.router {
                Some(RouterRef::Result { .. }) | None => {}
                Some(router) if router != list => self.mount(list.clone(), Vec::new(), router),
                Some(_) => {}
            }
        }
        self.around = before;
        Evaluated { router: Some(list), routes: start..self.facts.routes.len() }
    }

    /// Follows a function without a name; its first parameter is `router`, if it is given one.
    pub(super) fn closure(&mut self, closure: &Closure, router: Option<&RouterRef>) {
        let (mut names, parameters) = self.bind_parameters(&closure.parameters);
        if let Some(RouterRef::Node(node)) = router
            && let Some((name, _)) = parameters.first()
        {
            names.insert(name.clone(), *node);
        }
        let around = router.cloned().or_else(|| self.around.clone());
        let before = (std::mem::replace(&mut self.around, around), self.result.take());
        self.scopes.push(names);
        self.block(&closure.body);
        self.scopes.pop();
        (self.around, self.result) = before;
    }

    fn call(&mut self, call: &Call, place: CodePlace) -> Evaluated {
        if self.is_full() {
            return Evaluated::default();
        }
        let receiver = call.receiver.as_ref().map(|receiver| self.eval(receiver)).unwrap_or_default();
        if self.framework.loads.contains(&call.name)
            && let Some(module) = call.positional().next().and_then(Expr::as_text)
        {
            return Evaluated::of(RouterRef::Module { module: module.to_string(), variable: String::new() });
        }
        // `require("x")()` calls what the module exports.
        if call.name.is_empty()
            && let Some(RouterRef::Module { module, .. }) = &receiver.router
        {
            let makes = |rule: &&RouteRule| rule.does == RuleEffect::Router && rule.names.contains(module);
            if let Some(rule) = self.framework.rule.iter().find(makes) {
                return self.apply(rule, call, place, Evaluated::default());
            }
        }
        if let Some(rule) = self.rule_for(call, &receiver) {
            return self.apply(rule, call, place, receiver);
        }
        self.other_call(call, place, receiver)
    }

    /// Follows a call that no rule is about.
    fn other_call(&mut self, call: &Call, place: CodePlace, receiver: Evaluated) -> Evaluated {
        let module = match &receiver.router {
            Some(RouterRef::Module { module, .. }) if call.name.is_empty() => Some(module.clone()),
            _ => None,
        };
        let mut number = 0;
        for argument in &call.arguments {
            let router = self.eval(&argument.value).router;
            let position = argument.name.is_none().then_some(number);
            number += u32::from(argument.name.is_none());
            if let Some(router) = router.filter(|router| self.may_be_passed(router)) {
                self.facts.passes.push(PassFact {
                    callee: place,
                    name: call.name.clone(),
                    module: module.clone(),
                    argument: position,
                    keyword: argument.name.clone(),
                    router,
                });
            }
        }
        // What is called on a router may be a function of ours that adds to it.
        let on = match call.receiver {
            Some(_) => receiver.router.clone().filter(|_| !self.framework.types.is_empty()),
            None => self.around.clone().filter(|_| self.framework.implicit),
        };
        if let Some(router) = on.filter(|router| self.may_be_passed(router)) {
            let (name, keyword) = (call.name.clone(), None);
            self.facts.passes.push(PassFact { callee: place, name, module: None, argument: None, keyword, router });
        }
        let is_chain = self.framework.transparent.contains(&call.name)
            || receiver.router.as_ref().is_some_and(|router| self.is_router(router));
        match receiver.router {
            Some(router) if is_chain => Evaluated { router: Some(router), routes: receiver.routes },
            _ if call.name.is_empty() => Evaluated::default(),
            _ => {
                let prefix = self.prefix_of_making(call);
                self.facts.makings.extend(prefix.map(|prefix| (place, prefix)));
                Evaluated::of(RouterRef::Result { place, name: call.name.clone() })
            }
        }
    }

    /// Returns whether a router of this file is one for certain.
    pub(super) fn is_router(&self, router: &RouterRef) -> bool {
        let RouterRef::Node(node) = router else { return false };
        let is_one = |router: &RouterFact| {
            !matches!(router.origin, RouterOrigin::Value | RouterOrigin::Parameter) || !router.prefixes.is_empty()
        };
        self.known.contains_key(node) || self.facts.routers.get(*node as usize).is_some_and(is_one)
    }

    /// Returns whether a router was made below another.
    fn is_group(&self, router: &RouterRef) -> bool {
        let RouterRef::Node(node) = router else { return false };
        let origin = self.facts.routers.get(*node as usize).map(|router| router.origin);
        origin == Some(RouterOrigin::Group) || self.known.get(node) == Some(&true)
    }

    fn may_be_passed(&self, router: &RouterRef) -> bool {
        match router {
            RouterRef::Node(node) => {
                let origin = self.facts.routers.get(*node as usize).map(|router| router.origin);
                matches!(origin, Some(RouterOrigin::Parameter | RouterOrigin::Value)) || self.is_router(router)
            }
            RouterRef::Value { .. } => true,
            RouterRef::Result { .. } | RouterRef::Module { .. } => false,
        }
    }

    /// Finds the rule that a call follows.
    fn rule_for(&self, call: &Call, receiver: &Evaluated) -> Option<&'a RouteRule> {
        let framework: &'a FrameworkSettings = self.framework;
        framework.rule.iter().find(|rule| rule.names.contains(&call.name) && self.fits(rule, call, receiver))
    }

    fn fits(&self, rule: &RouteRule, call: &Call, receiver: &Evaluated) -> bool {
        if rule.args.is_some_and(|count| count != call.positional().count()) {
            return false;
        }
        if rule.does == RuleEffect::Router && !self.facts.imports_framework {
            return false;
        }
        let written = call.receiver.as_ref().and_then(Expr::path);
        let fits_receiver = match rule.on {
            _ if !rule.receiver.is_empty() => {
                written.as_deref().is_some_and(|path| last_segment(path) == rule.receiver)
                    || call.receiver.as_ref().and_then(Expr::as_call).is_some_and(|inner| inner.name == rule.receiver)
            }
            RuleReceiver::Router if rule.does == RuleEffect::Router => true,
            RuleReceiver::Router => receiver.router.is_some(),
            RuleReceiver::Group => receiver.router.as_ref().is_some_and(|router| self.is_group(router)),
            RuleReceiver::Free => call.receiver.is_none() && (self.around.is_some() || !self.framework.implicit),
            RuleReceiver::Any => true,
            RuleReceiver::Method | RuleReceiver::Class => false,
        };
        if !fits_receiver {
            return false;
        }
        match rule.does {
            RuleEffect::Route => !rule.handler.is_empty() && self.has_path_and_handler(rule, call),
            RuleEffect::ExtraAction => false,
            RuleEffect::Narrow | RuleEffect::Only | RuleEffect::Except => !receiver.routes.is_empty(),
            _ => true,
        }
    }

    /// Returns the path that an expression stands for, as far as this file tells.
    pub(super) fn template(&self, expr: &Expr) -> PathTemplate {
        match &expr.kind {
            ExprKind::Text(pieces) => pieces
                .iter()
                .flat_map(|piece| match piece {
                    TextPiece::Literal(text) => vec![PathPart::Literal(text.clone())],
                    TextPiece::Code(code) => self.template(code),
                })
                .collect(),
            ExprKind::Sum(parts) => parts.iter().flat_map(|part| self.template(part)).collect(),
            ExprKind::Name(_) | ExprKind::Member(..) => {
                let path = expr.path().unwrap_or_default();
                let short = path.strip_prefix("this.").or_else(|| path.strip_prefix("self.")).unwrap_or(&path);
                match self.constants.get(short) {
                    Some(template) => template.clone(),
                    None => vec![PathPart::Constant(expr.place, path)],
                }
            }
            _ => vec![PathPart::Unknown],
        }
    }

    /// Returns the handler that an expression names.
    pub(super) fn handler(&self, expr: &Expr) -> HandlerFact {
        match &expr.kind {
            ExprKind::Closure(_) => HandlerFact::Inline(expr.place),
            ExprKind::Name(_) | ExprKind::Member(..) => match expr.path() {
                Some(text) => HandlerFact::Named { place: expr.place, text },
                None => HandlerFact::Unknown,
            },
            ExprKind::List(items) => items.last().map_or(HandlerFact::Unknown, |last| self.handler(last)),
            ExprKind::Call(call) => {
                if self.framework.unwrap.contains(&call.name) {
                    let inner = call.receiver.as_ref().or_else(|| call.positional().next());
                    return inner.map_or(HandlerFact::Unknown, |inner| self.handler(inner));
                }
                let given = call.positional().rev().map(|argument| self.handler(argument));
                let inner = given.into_iter().find(|inner| *inner != HandlerFact::Unknown);
                match inner {
                    Some(inline @ HandlerFact::Inline(_)) => inline,
                    inner => HandlerFact::Wrapped {
                        place: expr.place,
                        text: call.name.clone(),
                        inner: Box::new(inner.unwrap_or(HandlerFact::Unknown)),
                    },
                }
            }
            _ => HandlerFact::Unknown,
        }
    }

    pub(super) fn add_route(&mut self, route: RouteFact) {
        if !self.is_full() {
            self.facts.routes.push(route);
        }
    }
}
