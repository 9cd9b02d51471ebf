//! The code of a file in the form that frameworks are read from: statements, calls, literals and
//! names, the same for every language. Control flow is left out: what stands in a branch or loop
//! stands in the block around it.

mod flow_rules;
mod lower;

use serde::Deserialize;

pub(crate) use self::flow_rules::FlowRules;
pub(crate) use self::lower::{CodeKinds, NodeRole, last_segment, literal_body, statements};

/// The kinds of nodes that code is read from, as `[code]` in `language.toml` lists them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CodeRules {
    /// Calls, instances that are made, and applied macros.
    pub calls: Vec<String>,
    /// The lists of arguments of calls.
    pub arguments: Vec<String>,
    /// Nodes around an argument, with or without its name.
    pub wrapped_arguments: Vec<String>,
    /// Members of an object, and parts of a path.
    pub members: Vec<String>,
    /// Names.
    pub names: Vec<String>,
    /// Literal texts.
    pub strings: Vec<String>,
    /// Code inside of literal texts.
    pub interpolations: Vec<String>,
    /// Words that stand for themselves (`:index`).
    pub symbols: Vec<String>,
    /// Literal lists.
    pub lists: Vec<String>,
    /// Literal maps and objects.
    pub maps: Vec<String>,
    /// A key with its value, in maps and arguments.
    pub pairs: Vec<String>,
    /// Operations, of which concatenations are read.
    pub operations: Vec<String>,
    /// Signs of concatenation.
    pub joins: Vec<String>,
    /// Nodes around an expression that mean the same.
    pub same: Vec<String>,
    /// Functions without a name, and blocks that are given to calls.
    pub closures: Vec<String>,
    /// Functions with a name.
    pub functions: Vec<String>,
    /// Types with members.
    pub classes: Vec<String>,
    /// Values that are given to names: `left` and `right`, or `name` and `value`.
    pub assignments: Vec<String>,
    /// Loops that give the elements of a list to a name, one after the other.
    pub loops: Vec<String>,
    /// Results of functions.
    pub returns: Vec<String>,
    /// Values that a module gives to those who import it without a name.
    pub exports: Vec<String>,
    /// Decorators, annotations and attributes.
    pub decorators: Vec<String>,
    /// Parameters of functions.
    pub parameters: Vec<String>,
    /// Lists of supertypes.
    pub supertypes: Vec<String>,
    /// Calls that are functions by their name (`def`).
    pub function_calls: Vec<String>,
    /// The last value of a function is its result.
    pub last_is_result: bool,
    /// The first parameter of a method is the instance.
    pub first_is_self: bool,
}

/// A place in a file; both count from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CodePlace {
    /// The line.
    pub line: u32,
    /// The column, in bytes.
    pub column: u32,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub kind: ExprKind,
    /// The place of its last name.
    pub place: CodePlace,
}

/// The kind of an expression.
#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    /// A literal text.
    Text(Vec<TextPiece>),
    /// A name.
    Name(String),
    /// A member of an object, or a part of a path.
    Member(Box<Expr>, String),
    /// A call.
    Call(Box<Call>),
    /// A literal list.
    List(Vec<Expr>),
    /// A literal map.
    Map(Vec<(String, Expr)>),
    /// A function without a name.
    Closure(Box<Closure>),
    /// Values one after the other.
    Sum(Vec<Expr>),
    /// Anything else.
    Other,
}

/// A piece of a literal text.
#[derive(Clone, Debug)]
pub(crate) enum TextPiece {
    /// As it is.
    Literal(String),
    /// The value of an expression.
    Code(Expr),
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub receiver: Option<Expr>,
    pub name: String,
    /// In order; a block that follows the others is the last.
    pub arguments: Vec<Argument>,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub name: Option<String>,
    pub value: Expr,
}

/// A function without a name.
#[derive(Clone, Debug)]
pub(crate) struct Closure {
    pub parameters: Vec<CodeParameter>,
    pub body: Vec<CodeStatement>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(crate) struct CodeParameter {
    pub name: String,
    /// Its type as written; empty if none is.
    pub declared: String,
}

/// A function with a name.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub name: String,
    pub place: CodePlace,
    pub parameters: Vec<CodeParameter>,
    /// The type that it is added to from outside; empty for others.
    pub receiver: String,
    pub decorators: Vec<Expr>,
    pub body: Vec<CodeStatement>,
}

/// A type with members.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub name: String,
    pub place: CodePlace,
    /// Names of its supertypes as written, without arguments.
    pub supertypes: Vec<String>,
    pub decorators: Vec<Expr>,
    pub body: Vec<CodeStatement>,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) enum CodeStatement {
    Assign {
        target: Expr,
        value: Expr,
    },
    Value(Expr),
    Return(Expr),
    /// The value that a module exports without a name.
    Export(Expr),
    Function(Function),
    Class(Class),
}

impl Expr {
    /// Returns the dotted names of an expression that has nothing else.
    pub(crate) fn path(&self) -> Option<String> {
        match &self.kind {
            ExprKind::Name(name) => Some(name.clone()),
            ExprKind::Member(object, name) => Some(format!("{}.{name}", object.path()?)),
            _ => None,
        }
    }

    /// Returns the call that it is.
    pub(crate) fn as_call(&self) -> Option<&Call> {
        match &self.kind {
            ExprKind::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Returns the function without a name that it is.
    pub(crate) fn as_closure(&self) -> Option<&Closure> {
        match &self.kind {
            ExprKind::Closure(closure) => Some(closure),
            _ => None,
        }
    }

    /// Returns its text, if it is one without code.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.kind {
            ExprKind::Text(pieces) => match pieces.as_slice() {
                [] => Some(""),
                [TextPiece::Literal(text)] => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns its last name.
    pub(crate) fn last_name(&self) -> Option<&str> {
        match &self.kind {
            ExprKind::Name(name) | ExprKind::Member(_, name) => Some(name),
            ExprKind::Call(call) => Some(&call.name),
            _ => None,
        }
    }
}

impl Call {
    /// Returns the arguments without a name, in order.
    pub(crate) fn positional(&self) -> impl DoubleEndedIterator<Item = &Expr> {
        self.arguments.iter().filter(|argument| argument.name.is_none()).map(|argument| &argument.value)
    }

    /// Returns the argument of a name.
    pub(crate) fn named(&self, name: &str) -> Option<&Expr> {
        self.arguments.iter().find(|argument| argument.name.as_deref() == Some(name)).map(|argument| &argument.value)
    }

    /// Returns the function without a name that is its last argument.
    pub(crate) fn block(&self) -> Option<&Closure> {
        self.arguments.iter().rev().find_map(|argument| argument.value.as_closure())
    }
}
