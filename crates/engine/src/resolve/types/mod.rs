//! Types of expressions: inference, annotations and bindings.

pub(super) mod annotations;
pub(super) mod bindings;
pub(super) mod generics;
pub(super) mod infer;
pub(super) mod type_arity;
