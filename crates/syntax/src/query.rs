//! Query files, compiled: every capture becomes an enum value, every `(#set! …)` a typed property.
//!
//! Query files use these captures:
//!
//! - `@definition.KIND` + `@name`: a definition. `@body` ends its signature and may stand after it,
//!   `@container` names a type that is elsewhere, `@receiver` says that a field is declared by
//!   assignment through an instance (`self.x = 1`).
//! - `@qualifier`, beside a definition's `@name`: comes before it in the qualified name and is no
//!   type (a schema).
//! - `@reference.KIND` + `@name`: a use; `@receiver` is what stands before the name.
//! - `@local`: a name bound for the enclosing function only; beside a field's `@name`, a parameter
//!   that declares it; beside a use's `@name`, a name that is used and bound at once.
//! - `@local.type`: a type parameter of the enclosing definition.
//! - `@nonlocal`: a name that the enclosing function assigns to without owning it.
//! - `@skip`: a name that is no use of anything (the name of a keyword argument).
//! - `@local.all`, `@skip.all`, `@type.all`: a node in which every name is bound (a pattern), no
//!   use of anything, or a type, where nothing else is said of it; of nested ones the innermost
//!   counts.
//! - `@exported`: a name whose top-level definition in this file is public; with
//!   `(#set! visibility …)`, a name whose definition in the same container has that visibility.
//! - `@section`, with `(#set! visibility …)`: what follows in the same body has that visibility.
//! - `@arity`: the parameters of a clause; clauses are merged when they are as many. Beside a use's
//!   `@name`, the number of arguments that is written there.
//! - `@package`: the package, the first part of every qualified name after it.
//! - `@bind`: a name of which the same pattern says more. `@bind.type` is its type, or that of a
//!   function's result, `@bind.value` what it is set to, `@bind.element` what it runs through.
//!   `@bind.member` is the member of the value that it is where that has another name.
//!   `(#set! part 0)` and `(#set! part member)` say that it is one part of that,
//!   `(#set! part "payload 0")` that the value names the variant which holds it there,
//!   `(#set! first)` that it is the first parameter.
//! - `@narrow` + `@narrow.type`: a name of which a test says that it holds this type in
//!   `@narrow.in`, or, by `@narrow.after`, up to the end of what is around that node.
//! - `@returned`: an expression that the function around returns.
//! - `@import` + `@import.module`, `.name`, `.alias`: one imported name; `@import.tree` leaves the
//!   rest to the row's hook.
//!
//! `(#set! visibility public)`, `(#set! modifier async)`, `(#set! role test)`, `(#set! separator
//! "#")`, `(#set! qualifier "var")`, `(#set! level 2)`, `(#set! reexport)`, `(#set! import.name
//! default)`, `(#set! import.alias default)` (the file exports the name as that, and the name stays
//! what it is) and `(#set! arguments 1)` (so many of a call stand outside of its list) say what the
//! tree does not. A later pattern beats an earlier one. A captured name may be wrapped in the nodes
//! that `language.toml` lists as `declarators`.

use crate::facts::{Kind, Modifiers, Projection, RefKind, SymbolRole, Visibility};
use crate::pattern::PatternSet;

/// A query with its captures understood.
pub(crate) struct CompiledQuery {
    pub set: PatternSet,
    /// By capture number.
    pub captures: Vec<Capture>,
    /// By pattern number.
    pub patterns: Vec<PatternProperties>,
}

/// One kind of capture; the table above says what each means.
#[derive(Clone, Copy)]
pub(crate) enum Capture {
    Definition(Kind),
    Reference(RefKind),
    /// A node that says more of what another capture of the same match found.
    Part(Part),
    Local,
    LocalType,
    Nonlocal,
    Skip,
    All(NameRole),
    Exported,
    Section,
    Package,
    Returned,
    Helper,
}

/// A node of a match beside its main capture.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Name,
    Receiver,
    Container,
    Qualifier,
    Body,
    Arity,
    Import,
    ImportModule,
    ImportName,
    ImportAlias,
    ImportTree,
    Bind,
    BindType,
    BindValue,
    BindMember,
    BindElement,
    Narrow,
    NarrowType,
    NarrowIn,
    NarrowAfter,
}

impl Part {
    /// Number of parts that there are.
    pub(crate) const COUNT: usize = Part::NarrowAfter as usize + 1;
}

/// The role of all names inside a node, unless the query says more of them.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum NameRole {
    Local,
    Skip,
    Type,
}

/// The properties that `(#set! …)` gives a pattern.
#[derive(Clone, Default)]
pub(crate) struct PatternProperties {
    pub visibility: Option<Visibility>,
    pub modifiers: Modifiers,
    pub import_name: Option<String>,
    pub import_prefix: Option<String>,
    pub import_alias: Option<String>,
    pub separator: Option<String>,
    pub qualifier: Option<String>,
    pub level: Option<u8>,
    pub role: Option<SymbolRole>,
    pub reexport: bool,
    pub projection: Option<Projection>,
    pub is_first: bool,
    pub arguments: Option<u8>,
}

impl CompiledQuery {
    pub(crate) fn new(grammar: &tree_sitter::Language, source: &str) -> Result<CompiledQuery, String> {
        let set = PatternSet::new(grammar, source)?;
        let captures = set.capture_names.iter().map(|name| capture(name)).collect::<Result<_, _>>()?;
        let mut patterns = vec![PatternProperties::default(); set.len()];
        for (index, properties) in patterns.iter_mut().enumerate() {
            for setting in set.properties(index) {
                properties.set(&setting.key, setting.value.as_deref())?;
            }
        }
        Ok(CompiledQuery { set, captures, patterns })
    }
}

impl PatternProperties {
    fn set(&mut self, key: &str, value: Option<&str>) -> Result<(), String> {
        match (key, value) {
            ("reexport", _) => self.reexport = true,
            ("first", _) => self.is_first = true,
            ("role", Some(word)) => {
                self.role = Some(SymbolRole::from_name(word).ok_or_else(|| format!("unknown role `{word}`"))?);
            }
            ("visibility", Some(word)) => {
                let visibility = Visibility::from_name(word).ok_or_else(|| format!("unknown visibility `{word}`"))?;
                self.visibility = Some(visibility);
            }
            ("modifier", Some(word)) if self.modifiers.insert(word) => {}
            ("separator", Some(text)) => self.separator = Some(text.to_string()),
            ("qualifier", Some(text)) => self.qualifier = Some(text.to_string()),
            ("level", Some(number)) => self.level = Some(parse_number(number)?),
            ("arguments", Some(number)) => self.arguments = Some(parse_number(number)?),
            ("part", Some("member")) => self.projection = Some(Projection::Member),
            ("part", Some(words)) => {
                self.projection = Some(match words.strip_prefix("payload ") {
                    Some(place) => Projection::Payload(parse_number(place)?),
                    None => Projection::Part(parse_number(words)?),
                });
            }
            ("import.name", Some(name)) => self.import_name = Some(name.to_string()),
            ("import.prefix", Some(prefix)) => self.import_prefix = Some(prefix.to_string()),
            ("import.alias", Some(name)) => self.import_alias = Some(name.to_string()),
            (key, _) => return Err(format!("unknown property `{key}`")),
        }
        Ok(())
    }
}

fn parse_number(text: &str) -> Result<u8, String> {
    text.parse().map_err(|_| format!("bad number `{text}`"))
}

fn capture(name: &str) -> Result<Capture, String> {
    let unknown = || format!("unknown capture `@{name}`");
    Ok(match name {
        "name" => Capture::Part(Part::Name),
        "receiver" => Capture::Part(Part::Receiver),
        "container" => Capture::Part(Part::Container),
        "qualifier" => Capture::Part(Part::Qualifier),
        "body" => Capture::Part(Part::Body),
        "arity" => Capture::Part(Part::Arity),
        "import" => Capture::Part(Part::Import),
        "import.module" => Capture::Part(Part::ImportModule),
        "import.name" => Capture::Part(Part::ImportName),
        "import.alias" => Capture::Part(Part::ImportAlias),
        "import.tree" => Capture::Part(Part::ImportTree),
        "bind" => Capture::Part(Part::Bind),
        "bind.type" => Capture::Part(Part::BindType),
        "bind.value" => Capture::Part(Part::BindValue),
        "bind.member" => Capture::Part(Part::BindMember),
        "bind.element" => Capture::Part(Part::BindElement),
        "narrow" => Capture::Part(Part::Narrow),
        "narrow.type" => Capture::Part(Part::NarrowType),
        "narrow.in" => Capture::Part(Part::NarrowIn),
        "narrow.after" => Capture::Part(Part::NarrowAfter),
        "local" => Capture::Local,
        "local.type" => Capture::LocalType,
        "nonlocal" => Capture::Nonlocal,
        "skip" => Capture::Skip,
        "local.all" => Capture::All(NameRole::Local),
        "skip.all" => Capture::All(NameRole::Skip),
        "type.all" => Capture::All(NameRole::Type),
        "exported" => Capture::Exported,
        "section" => Capture::Section,
        "package" => Capture::Package,
        "returned" => Capture::Returned,
        _ => match name.split_once('.') {
            Some(("definition", kind)) => Capture::Definition(Kind::from_name(kind).ok_or_else(unknown)?),
            Some(("reference", kind)) => Capture::Reference(RefKind::from_name(kind).ok_or_else(unknown)?),
            _ if name.starts_with('_') => Capture::Helper,
            _ => return Err(unknown()),
        },
    })
}
