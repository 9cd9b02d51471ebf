//! Expressions as chains: a root and the steps that follow it, without arguments.
//!
//! Receivers, values of variables and results of functions are kept in this form. Its text is
//! short, and the same whatever the arguments, comments and line breaks are:
//!
//! | written | shown |
//! |---|---|
//! | `f(x, y)`, `m!(…)` | `f()`, `m!()` |
//! | `xs[i]` | `xs[]` |
//! | `Point { x: 1 }` | `Point{}` |
//! | `a?.b`, `a->b`, `a!.b` | `a.b` |
//! | `a::b::<T>::c`, `x.get::<Point>()` | `a::b::c`, `x.get()<Point>` |
//! | `\A\B` | `A::B` |
//! | `new Point(1, 2)`, `new List<Point>()` | `new Point()`, `new List()` |
//! | `mock(Point.class)` | `mock()<Point>` |
//! | `await f()`, `&f()`, `(f())`, `f()?`, `f() or g()` | `f()` |
//! | `x as Point`, `x.(Point)`, `(Point) x` | `as Point` |
//! | `((Point) x).y` | `(as Point).y` |
//! | `<T as Trait>::f`, `<Type as Trait>::f` | `Trait::f`, `Type::f` |
//! | `"text"`, `12`, `[1, 2]`, `{a: 1}`, `()` | `""`, `0`, `[]`, `{}`, `(,)` |
//! | anything else | `?` |

use std::fmt;

use serde::{Deserialize, Serialize};

use super::DeclaredType;

/// An expression without its arguments: `a.get(x).b` is the name `a`, the member `get`, a call and
/// the member `b`. Names and types are indexes into [`FileFacts::names`](super::FileFacts::names)
/// and [`FileFacts::types`](super::FileFacts::types), or what stands there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Chain<Name = u32, Type = u32> {
    /// The start.
    pub root: ChainRoot<Name, Type>,
    /// The rest, in source order.
    pub steps: Vec<ChainStep<Name, Type>>,
}

/// The start of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ChainRoot<Name = u32, Type = u32> {
    /// A name.
    Name(Name),
    /// The first name of a type that an instance is made of (`new a.B()`).
    New(Name),
    /// A literal text.
    String,
    /// A literal number.
    Number,
    /// A literal list.
    List,
    /// A literal map or object.
    Map,
    /// No value at all.
    Unit,
    /// The root of all names (`::a::b`).
    Global,
    /// Anything that is said to be of a type.
    Cast(Type),
    /// Something else.
    Unknown,
}

/// One step of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ChainStep<Name = u32, Type = u32> {
    /// A member (`.b`).
    Member(Name),
    /// A part of a path (`::b`).
    Segment(Name),
    /// A call.
    Call,
    /// A call of a macro.
    MacroCall,
    /// An element.
    Index,
    /// The fields of a type's instance.
    Braces,
    /// The type that the call before it is asked to give; behind a type that an instance is made
    /// of, that type with its arguments.
    TypeArguments(Type),
}

/// A chain with its names and types.
pub type ChainExpr<'a> = Chain<&'a str, &'a DeclaredType>;

/// A step with its name or type.
pub type StepExpr<'a> = ChainStep<&'a str, &'a DeclaredType>;

impl Chain {
    /// Looks the names and types up.
    pub fn expression<'a>(&self, names: &'a [String], types: &'a [DeclaredType]) -> ChainExpr<'a> {
        let name = |index: u32| names.get(index as usize).map(String::as_str);
        let root = match self.root {
            ChainRoot::Name(index) => name(index).map(ChainRoot::Name),
            ChainRoot::New(index) => name(index).map(ChainRoot::New),
            ChainRoot::Cast(index) => types.get(index as usize).map(ChainRoot::Cast),
            ChainRoot::String => Some(ChainRoot::String),
            ChainRoot::Number => Some(ChainRoot::Number),
            ChainRoot::List => Some(ChainRoot::List),
            ChainRoot::Map => Some(ChainRoot::Map),
            ChainRoot::Unit => Some(ChainRoot::Unit),
            ChainRoot::Global => Some(ChainRoot::Global),
            ChainRoot::Unknown => None,
        };
        let step = |step: &ChainStep| match *step {
            ChainStep::Member(index) => name(index).map(ChainStep::Member),
            ChainStep::Segment(index) => name(index).map(ChainStep::Segment),
            ChainStep::TypeArguments(index) => types.get(index as usize).map(ChainStep::TypeArguments),
            ChainStep::Call => Some(ChainStep::Call),
            ChainStep::MacroCall => Some(ChainStep::MacroCall),
            ChainStep::Index => Some(ChainStep::Index),
            ChainStep::Braces => Some(ChainStep::Braces),
        };
        Chain { root: root.unwrap_or(ChainRoot::Unknown), steps: self.steps.iter().filter_map(step).collect() }
    }

    /// Returns the bytes that it takes beside its own size.
    pub fn bytes(&self) -> usize {
        self.steps.len() * size_of::<ChainStep>()
    }

    /// Calls a function with each index of a name.
    pub(crate) fn for_each_name(&mut self, mut change: impl FnMut(&mut u32)) {
        if let ChainRoot::Name(name) | ChainRoot::New(name) = &mut self.root {
            change(name);
        }
        for step in &mut self.steps {
            if let ChainStep::Member(name) | ChainStep::Segment(name) = step {
                change(name);
            }
        }
    }

    /// Calls a function with each index of a type.
    pub(crate) fn for_each_type(&mut self, mut change: impl FnMut(&mut u32)) {
        if let ChainRoot::Cast(declared) = &mut self.root {
            change(declared);
        }
        for step in &mut self.steps {
            if let ChainStep::TypeArguments(declared) = step {
                change(declared);
            }
        }
    }
}

impl<Name: Copy, Type> Chain<Name, Type> {
    /// Returns the name of a variable, function or type that it starts with.
    pub fn root_name(&self) -> Option<Name> {
        match self.root {
            ChainRoot::Name(name) | ChainRoot::New(name) => {
                (!matches!(self.steps.first(), Some(ChainStep::MacroCall))).then_some(name)
            }
            _ => None,
        }
    }

    /// Returns true if nothing is known of it, and nothing in it is named.
    pub fn is_unknown(&self) -> bool {
        let is_nameless = |step: &ChainStep<Name, Type>| {
            !matches!(step, ChainStep::Member(_) | ChainStep::Segment(_) | ChainStep::TypeArguments(_))
        };
        matches!(self.root, ChainRoot::Unknown) && self.steps.iter().all(is_nameless)
    }
}

impl<'a> ChainExpr<'a> {
    /// Makes a chain of which nothing is known.
    pub fn unknown() -> ChainExpr<'a> {
        Chain { root: ChainRoot::Unknown, steps: Vec::new() }
    }

    /// Makes the chain of a path of names.
    pub fn of_path(path: &[&'a str]) -> ChainExpr<'a> {
        let (root, rest) =
            path.split_first().map_or((ChainRoot::Unknown, path), |(first, rest)| (ChainRoot::Name(*first), rest));
        Chain { root, steps: rest.iter().map(|name| ChainStep::Member(*name)).collect() }
    }

    /// Returns its names, if it is a path of names and nothing else; the first is empty for a path
    /// from the root of all names.
    pub fn as_path(&self) -> Option<Vec<&'a str>> {
        let first = match self.root {
            ChainRoot::Name(first) => first,
            ChainRoot::Global => "",
            _ => return None,
        };
        let rest = self.steps.iter().map(|step| match step {
            ChainStep::Member(name) | ChainStep::Segment(name) => Some(*name),
            _ => None,
        });
        std::iter::once(Some(first)).chain(rest).collect()
    }

    /// Returns its name, if it is one name and nothing else.
    pub fn as_name(&self) -> Option<&'a str> {
        match self.root {
            ChainRoot::Name(name) if self.steps.is_empty() => Some(name),
            _ => None,
        }
    }

    /// Returns the name at its end, if there is one.
    pub fn last_name(&self) -> Option<&'a str> {
        match (self.steps.last(), self.root) {
            (Some(ChainStep::Member(name) | ChainStep::Segment(name)), _) => Some(*name),
            (None, ChainRoot::Name(name)) => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for ChainExpr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.root {
            ChainRoot::Name(name) => f.write_str(name)?,
            ChainRoot::New(name) => write!(f, "new {name}")?,
            ChainRoot::String => f.write_str("\"\"")?,
            ChainRoot::Number => f.write_str("0")?,
            ChainRoot::List => f.write_str("[]")?,
            ChainRoot::Map => f.write_str("{}")?,
            ChainRoot::Unit => f.write_str("(,)")?,
            ChainRoot::Global => {}
            ChainRoot::Cast(declared) if self.steps.is_empty() => write!(f, "as {}", declared.text)?,
            ChainRoot::Cast(declared) => write!(f, "(as {})", declared.text)?,
            ChainRoot::Unknown => f.write_str("?")?,
        }
        for step in &self.steps {
            match step {
                ChainStep::Member(name) => write!(f, ".{name}")?,
                ChainStep::Segment(name) => write!(f, "::{name}")?,
                ChainStep::Call => f.write_str("()")?,
                ChainStep::MacroCall => f.write_str("!()")?,
                ChainStep::Index => f.write_str("[]")?,
                ChainStep::Braces => f.write_str("{}")?,
                ChainStep::TypeArguments(_) if matches!(self.root, ChainRoot::New(_)) => {}
                ChainStep::TypeArguments(declared) => write!(f, "<{}>", declared.text)?,
            }
        }
        Ok(())
    }
}
