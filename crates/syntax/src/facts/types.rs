//! Types as programs write them, with their structure.

use serde::{Deserialize, Serialize};

/// A type as written, on one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredType {
    /// The text, cut if it is long.
    pub text: String,
    /// The structure in preorder; empty for a type that is one name and nothing else.
    form: Vec<TypeNode>,
}

/// One node of a type's structure; its parts follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TypeNode {
    pub form: TypeForm,
    /// The place of a name in the text.
    pub start: u8,
    /// The end of the same.
    pub end: u8,
    /// The number of parts.
    pub parts: u8,
}

/// The form of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum TypeForm {
    Named,
    AnyOf,
    Tuple,
    List,
    Function,
    TypeOf,
    Unknown,
}

/// The structure of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeExpr<'a> {
    /// A name with its qualifiers, and its arguments.
    Named(Vec<&'a str>, Vec<TypeExpr<'a>>),
    /// One of several, or all of them at once: either way a member may be any one's.
    AnyOf(Vec<TypeExpr<'a>>),
    /// Several values.
    Tuple(Vec<TypeExpr<'a>>),
    /// Many values of one type.
    List(Box<TypeExpr<'a>>),
    /// A function that gives this.
    Function(Box<TypeExpr<'a>>),
    /// The type of a value, which is a name with its qualifiers.
    TypeOf(Vec<&'a str>),
    /// Nothing that has members.
    Unknown,
}

/// Types in types are read this far.
const MAX_DEPTH: usize = 32;

impl DeclaredType {
    pub(crate) fn new(text: String, form: Vec<TypeNode>) -> DeclaredType {
        let is_plain = |node: &TypeNode| {
            node.form == TypeForm::Named && node.start == 0 && usize::from(node.end) == text.len() && node.parts == 0
        };
        let form = if form.len() == 1 && is_plain(&form[0]) { Vec::new() } else { form };
        DeclaredType { text, form }
    }

    /// Returns the structure.
    pub fn expression(&self) -> TypeExpr<'_> {
        if self.form.is_empty() {
            return TypeExpr::Named(path(&self.text), Vec::new());
        }
        self.decode(&mut self.form.iter(), 0)
    }

    /// Returns the bytes that it takes beside its own size.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.form.len() * size_of::<TypeNode>()
    }

    fn decode<'a>(&'a self, nodes: &mut std::slice::Iter<'_, TypeNode>, depth: usize) -> TypeExpr<'a> {
        let Some(node) = nodes.next().filter(|_| depth < MAX_DEPTH) else { return TypeExpr::Unknown };
        let name = || path(self.text.get(usize::from(node.start)..usize::from(node.end)).unwrap_or(""));
        let mut parts: Vec<TypeExpr<'a>> = (0..node.parts).map(|_| self.decode(nodes, depth + 1)).collect();
        let mut only = || Box::new(parts.pop().unwrap_or(TypeExpr::Unknown));
        match node.form {
            TypeForm::List => TypeExpr::List(only()),
            TypeForm::Function => TypeExpr::Function(only()),
            TypeForm::Named => TypeExpr::Named(name(), parts),
            TypeForm::AnyOf => TypeExpr::AnyOf(parts),
            TypeForm::Tuple => TypeExpr::Tuple(parts),
            TypeForm::TypeOf => TypeExpr::TypeOf(name()),
            TypeForm::Unknown => TypeExpr::Unknown,
        }
    }
}

impl<'a> TypeExpr<'a> {
    /// Returns the name of a type that is a single name.
    pub fn as_name(&self) -> Option<&'a str> {
        match self {
            TypeExpr::Named(path, _) => path.first().copied().filter(|_| path.len() == 1),
            _ => None,
        }
    }
}

fn path(text: &str) -> Vec<&str> {
    text.split(is_mark).filter(|part| !part.is_empty()).collect()
}

fn is_mark(c: char) -> bool {
    matches!(c, '.' | ':' | '\\')
}
