//! Calls of some names with their arguments, as one file has them.

use std::time::{Duration, Instant};

use crate::code::{Call, CodePlace, CodeStatement, Expr, ExprKind};
use crate::registry::Language;

/// Calls of one file that are read.
const MAX_CALLS: usize = 10_000;
/// Expressions in one another that are read.
const MAX_DEPTH: u32 = 100;

/// A call.
#[derive(Clone, Debug)]
pub struct CallFact {
    /// The name that is called.
    pub name: String,
    /// The names before it; empty if there are none, or if they are no names.
    pub receiver: Vec<String>,
    /// The place of the name.
    pub place: CodePlace,
    /// The arguments without a name, in order.
    pub arguments: Vec<ArgumentFact>,
    /// The variable or field that the result is given to, or the method that it decorates.
    pub target: Option<CallTarget>,
}

/// The user of a call's result.
#[derive(Clone, Debug)]
pub enum CallTarget {
    /// A variable or field: its last name.
    Variable(String),
    /// A method that is decorated.
    Method {
        /// Its name.
        name: String,
        /// The place of the name.
        place: CodePlace,
    },
}

/// An argument.
#[derive(Clone, Debug)]
pub enum ArgumentFact {
    /// A path of names.
    Path(Vec<String>, CodePlace),
    /// A call: the path of what is called.
    Call(Vec<String>, CodePlace),
    /// Keys and values.
    Map(Vec<(String, ArgumentFact)>),
    /// A literal text.
    Text(String),
    /// A function without a name.
    Inline(CodePlace),
    /// Something else.
    Other(CodePlace),
}

/// Reads the calls and decorators of a text whose names are asked for. Broken code gives what can
/// be read of it.
pub fn named_calls(
    text: &str,
    language: &'static Language,
    is_wanted: &dyn Fn(&str) -> bool,
    limit: Duration,
) -> Vec<CallFact> {
    if !language.has_grammar() {
        return Vec::new();
    }
    let compiled = language.compiled();
    if compiled.grammar.too_deep(text).is_some() {
        return Vec::new();
    }
    let Some(parsed) = compiled.grammar.parse(text, Instant::now() + limit) else { return Vec::new() };
    let rules = &language.settings().code;
    let mut reader = CallReader { is_wanted, found: Vec::new(), values: Vec::new(), depth: 0 };
    for tree in &parsed.trees {
        let statements = crate::code::statements(tree.root_node(), &parsed.text, compiled.code_kinds(rules));
        reader.values(&statements);
        reader.block(&statements);
    }
    reader.found
}

struct CallReader<'a> {
    is_wanted: &'a dyn Fn(&str) -> bool,
    found: Vec<CallFact>,
    /// Maps and results of calls that variables hold.
    values: Vec<(String, ArgumentFact)>,
    depth: u32,
}

impl CallReader<'_> {
    /// Remembers the maps and results of calls that variables of the top level and of functions are
    /// given.
    fn values(&mut self, statements: &[CodeStatement]) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        for statement in statements {
            match statement {
                CodeStatement::Assign { target, value } => {
                    let is_known = matches!(value.kind, ExprKind::Map(_) | ExprKind::Call(_));
                    if let Some(name) = target.path().filter(|_| is_known) {
                        let value = self.argument(value);
                        self.values.push((name, value));
                    }
                }
                CodeStatement::Function(function) => self.values(&function.body),
                CodeStatement::Class(class) => self.values(&class.body),
                _ => {}
            }
        }
        self.depth -= 1;
    }

    /// Returns the only value that a variable is given.
    fn value_of(&self, path: &str) -> Option<&ArgumentFact> {
        let mut given = self.values.iter().filter(|(name, _)| name == path);
        given.next().filter(|_| given.next().is_none()).map(|(_, value)| value)
    }

    fn block(&mut self, statements: &[CodeStatement]) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        for statement in statements {
            match statement {
                CodeStatement::Assign { target, value } => {
                    let variable = target.last_name().map(|name| CallTarget::Variable(name.to_string()));
                    self.expr(value, variable);
                }
                CodeStatement::Value(value) | CodeStatement::Return(value) | CodeStatement::Export(value) => {
                    self.expr(value, None);
                }
                CodeStatement::Function(function) => {
                    for decorator in &function.decorators {
                        let target = CallTarget::Method { name: function.name.clone(), place: function.place };
                        self.expr(decorator, Some(target));
                    }
                    self.block(&function.body);
                }
                CodeStatement::Class(class) => {
                    for decorator in &class.decorators {
                        self.expr(decorator, None);
                    }
                    self.block(&class.body);
                }
            }
        }
        self.depth -= 1;
    }

    fn expr(&mut self, expr: &Expr, target: Option<CallTarget>) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        match &expr.kind {
            ExprKind::Call(call) => self.call(expr, call, target),
            ExprKind::Member(object, _) => self.expr(object, None),
            ExprKind::List(items) | ExprKind::Sum(items) => items.iter().for_each(|item| self.expr(item, None)),
            ExprKind::Map(entries) => entries.iter().for_each(|(_, value)| self.expr(value, None)),
            ExprKind::Closure(closure) => self.block(&closure.body),
            ExprKind::Name(_) if target.is_some() => self.bare_decorator(expr, target),
            ExprKind::Text(_) | ExprKind::Name(_) | ExprKind::Other => {}
        }
        self.depth -= 1;
    }

    /// Takes a decorator without arguments for a call.
    fn bare_decorator(&mut self, expr: &Expr, target: Option<CallTarget>) {
        let name = expr.last_name().unwrap_or("");
        let is_method = matches!(target, Some(CallTarget::Method { .. }));
        if is_method && (self.is_wanted)(name) && self.found.len() < MAX_CALLS {
            let name = name.to_string();
            self.found.push(CallFact { name, receiver: vec![], place: expr.place, arguments: vec![], target });
        }
    }

    fn call(&mut self, expr: &Expr, call: &Call, target: Option<CallTarget>) {
        if (self.is_wanted)(&call.name) && self.found.len() < MAX_CALLS {
            let receiver = call.receiver.as_ref().and_then(Expr::path);
            self.found.push(CallFact {
                name: call.name.clone(),
                receiver: receiver.map(|path| parts(&path)).unwrap_or_default(),
                place: expr.place,
                arguments: call.positional().map(|argument| self.argument(argument)).collect(),
                target,
            });
        }
        if let Some(receiver) = &call.receiver {
            self.expr(receiver, None);
        }
        for argument in &call.arguments {
            self.expr(&argument.value, None);
        }
    }

    fn argument(&self, expr: &Expr) -> ArgumentFact {
        match &expr.kind {
            ExprKind::Map(entries) => {
                ArgumentFact::Map(entries.iter().map(|(key, value)| (key.clone(), self.argument(value))).collect())
            }
            ExprKind::Closure(_) => ArgumentFact::Inline(expr.place),
            ExprKind::Text(_) => match expr.as_text() {
                Some(text) => ArgumentFact::Text(text.to_string()),
                None => ArgumentFact::Other(expr.place),
            },
            ExprKind::Call(call) => {
                let path = match call.receiver.as_ref().map(Expr::path) {
                    Some(Some(receiver)) => parts(&format!("{receiver}.{}", call.name)),
                    Some(None) => return ArgumentFact::Other(expr.place),
                    None => vec![call.name.clone()],
                };
                ArgumentFact::Call(path, expr.place)
            }
            _ => match expr.path() {
                Some(path) => match self.value_of(&path) {
                    Some(value) => value.clone(),
                    None => ArgumentFact::Path(parts(&path), expr.place),
                },
                None => ArgumentFact::Other(expr.place),
            },
        }
    }
}

fn parts(path: &str) -> Vec<String> {
    path.split('.').map(str::to_string).collect()
}
