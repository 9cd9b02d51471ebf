//! Possible values of an expression.

use std::sync::Arc;

use codecompass_syntax::ResolveRules;
use codecompass_syntax::facts::{ChainStep, StepExpr};

use crate::resolve::entity::{Module, Symbol};

/// A possible value of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A module.
    Module(Module),
    /// A type itself.
    Type(Symbol),
    /// An instance of a type, with what its arguments are instances of.
    Instance(Symbol, Arc<Vec<Vec<Value>>>),
    /// A function or method that was not called yet, and what it is a member of.
    Function(Symbol, Option<Box<Value>>),
    /// Something that gives this when called.
    Callable(Arc<Vec<Value>>),
    /// An instance of a type outside of the repository: the last part of its name, and what its
    /// arguments are instances of.
    Foreign(Arc<str>, Arc<Vec<Vec<Value>>>),
    /// Many of this.
    List(Arc<Vec<Value>>),
    /// Several values.
    Tuple(Arc<Vec<Vec<Value>>>),
    /// Something outside of the repository.
    External,
}

/// The type of a parameter.
#[derive(Clone, Debug)]
pub(in crate::resolve) enum ParameterType {
    Unknown,
    /// A type parameter without a bound, or a list of such.
    Parameter,
    Parameters,
    Type(Value),
}

/// A generic type and the values of its arguments.
#[derive(Clone)]
pub(super) struct Substitution {
    pub owner: Symbol,
    pub arguments: Arc<Vec<Vec<Value>>>,
}

impl Value {
    /// The type whose members it has.
    pub(crate) fn type_symbol(&self) -> Option<Symbol> {
        match self {
            Value::Type(symbol) | Value::Instance(symbol, _) => Some(*symbol),
            _ => None,
        }
    }

    pub(crate) fn instance(symbol: Symbol) -> Value {
        Value::Instance(symbol, Arc::default())
    }
}

/// Returns whether a step waits for a value.
pub(super) fn is_await(rules: &ResolveRules, step: &StepExpr<'_>) -> bool {
    matches!(step, ChainStep::Member(name) if !name.is_empty() && *name == rules.await_word)
}
