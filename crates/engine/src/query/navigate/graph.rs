//! The graph of uses between symbols, as `calls`, `trace` and `impact` walk it. Its edges are
//! resolved on demand.

use codecompass_syntax::facts::{Definition, Kind, RefKind, Reference, SymbolRole, TypeExpr};
use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::model::{Role, VersionId};
use crate::query::hit::HitKind;
use crate::query::navigate::use_sites::UseClass;
use crate::query::navigate::{Navigator, Use};
use crate::resolve::{Confidence, FileOutline, Resolution, ResolutionEvidence, Symbol};

/// Symbols whose users one question looks up at most.
pub const MAX_EXPANDED: usize = 2000;

/// A definition, or the code at the top level of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The bare name; of a file its own.
    pub name: String,
    /// The name with its containers; of a file its path.
    pub qualified_name: String,
    /// The qualified name without the package or namespace of the file, where that has several
    /// parts.
    pub local_name: String,
    /// The kind of symbol, or file.
    pub kind: HitKind,
    /// Relative to the root, with `/`.
    pub path: String,
    /// Line of the name; 1 for a file.
    pub line: u32,
    /// The role of the symbol.
    pub role: SymbolRole,
    /// True if it is a test, or stands in a file of tests.
    pub is_test: bool,
    /// The role of its file.
    pub file_role: Role,
}

/// One use that ties two nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The definition or file that contains the use.
    pub from: Node,
    /// The symbol that is used.
    pub to: Node,
    /// Path of the use, relative to the root.
    pub path: String,
    /// Line of the name in the use.
    pub line: u32,
    /// Column of the name in the use, in bytes.
    pub column: u32,
    /// The way in which the name is used.
    pub kind: RefKind,
    /// The certainty that the name means `to`.
    pub confidence: UseClass,
    /// The evidence for that.
    pub evidence: ResolutionEvidence,
    /// The method named there, when `to` overrides or implements it.
    pub through: Option<Node>,
    /// The number of other uses between the same nodes that it stands for.
    pub more: usize,
    /// The number of definitions that the name may mean, if it was not resolved; 0 otherwise.
    pub candidates: usize,
}

/// A node by number: what the walk remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Vertex {
    Symbol(Symbol),
    /// The top level of a file.
    File(VersionId),
}

/// An edge by numbers.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub from: Vertex,
    pub to: Symbol,
    pub used: Use,
    pub confidence: UseClass,
    pub through: Option<Symbol>,
    /// The number of other uses between the same ends that it stands for.
    pub more: usize,
    /// The number of definitions that the name may mean, if it was not resolved; 0 otherwise.
    pub candidates: usize,
}

impl Link {
    /// Returns a link by a use that was resolved.
    pub(super) fn sure(from: Vertex, to: Symbol, used: Use) -> Link {
        let confidence = used.confidence.into();
        Link { from, to, used, confidence, through: None, more: 0, candidates: 0 }
    }
}

/// Kinds of use that count as edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Follow {
    /// Calls.
    Calls,
    /// Calls, and functions that are passed on and may be called by the code that receives them.
    Passed,
    /// Everything but imports and declarations: a change of a symbol may affect any code that names
    /// it.
    Uses,
}

/// Returns whether a class that inherits from something right in a definition of this kind has no
/// name of its own: functions and variables are no types.
pub(crate) fn is_anonymous_host(kind: Kind) -> bool {
    kind.is_callable() || kind.is_value()
}

impl Follow {
    pub(super) fn accepts(self, kind: RefKind, is_callable: bool) -> bool {
        match self {
            Follow::Calls => kind == RefKind::Call,
            Follow::Passed => kind == RefKind::Call || matches!(kind, RefKind::Read | RefKind::Address) && is_callable,
            Follow::Uses => !matches!(kind, RefKind::Import | RefKind::Declaration),
        }
    }
}

impl Navigator<'_> {
    /// The edges that end at a symbol, in the order of paths and places; with `overrides` also
    /// those that end at what it overrides or implements. A function that no code names is reached
    /// from the one that defines it, or from code that makes its type.
    pub(crate) fn links_into(&self, symbol: Symbol, follow: Follow, overrides: bool) -> Result<Vec<Link>> {
        let Some((file, definition)) = self.resolver.definition(symbol)? else { return Ok(Vec::new()) };
        let is_callable = definition.kind.is_callable();
        let mut links = Vec::new();
        let mut add = |used: &Use, through: Option<Symbol>| -> Result<()> {
            let Some(user) = self.resolver.outline(used.version)? else { return Ok(()) };
            // Code that passes a function on does not call it itself.
            let is_sure = matches!(used.reference.kind, RefKind::Call | RefKind::Inherit)
                || follow == Follow::Uses
                || is_read_by_running(&definition);
            let confidence = if is_sure && through.is_none() { used.confidence.into() } else { UseClass::Likely };
            links.push(Link {
                from: user_at(&user, used, follow),
                to: symbol,
                used: used.clone(),
                confidence,
                through,
                more: 0,
                candidates: 0,
            });
            Ok(())
        };
        for used in self.uses_of(symbol)?.iter() {
            if follow.accepts(used.reference.kind, is_callable) || self.is_anonymous_class(used)? {
                add(used, None)?;
            }
        }
        if overrides {
            for base in self.overridden(symbol)? {
                for used in self.uses_of(base)?.iter().filter(|used| follow.accepts(used.reference.kind, is_callable)) {
                    // `super` asks for the base's own.
                    let user = self.resolver.file(used.version)?;
                    if !user.is_some_and(|user| self.resolver.is_super(&user, &used.reference)) {
                        add(used, Some(base))?;
                    }
                }
            }
        }
        let place = |link: &Link| (self.snapshot().position(link.used.version), link.used.number);
        links.sort_by_key(|link| (place(link), link.through.is_some()));
        links.dedup_by_key(|link| place(link));
        if follow != Follow::Calls && links.iter().all(|link| link.through.is_some()) {
            links.extend(self.links_without_a_name(symbol, &file, &definition, follow)?);
        }
        Ok(links)
    }

    /// Returns the links to a function that no code names: from calls of the fields that it is
    /// assigned to and from the function that defines it, or else from the code that makes
    /// instances of its type, if that inherits from outside of the repository, where the call may
    /// be.
    fn links_without_a_name(
        &self,
        symbol: Symbol,
        file: &FileOutline,
        definition: &Definition,
        follow: Follow,
    ) -> Result<Vec<Link>> {
        let mut links = self.links_through_fields(symbol)?;
        links.extend(container_link(file, symbol, definition));
        if !links.is_empty() {
            return Ok(links);
        }
        let owner = definition.parent.filter(|_| definition.kind == Kind::Method && follow == Follow::Passed);
        let Some(owner) = owner.map(|ordinal| Symbol { ordinal, ..symbol }) else { return Ok(Vec::new()) };
        if !self.inherits_from_outside(owner)? {
            return Ok(Vec::new());
        }
        for used in self.uses_of(owner)?.iter().filter(|used| used.reference.kind == RefKind::Call) {
            let Some(user) = self.resolver.outline(used.version)? else { continue };
            let (confidence, evidence) = (Confidence::Heuristic, ResolutionEvidence::InstanceMade);
            let used = Use { confidence, evidence, ..used.clone() };
            let from = user_at(&user, &used, follow);
            links.push(Link::sure(from, symbol, used));
        }
        Ok(links)
    }

    /// Returns whether a type names a supertype that the view does not define.
    fn inherits_from_outside(&self, owner: Symbol) -> Result<bool> {
        let Some(file) = self.resolver.file(owner.version)? else { return Ok(false) };
        for (number, reference) in file.uses.references.iter().enumerate() {
            if reference.kind == RefKind::Inherit
                && reference.enclosing == Some(owner.ordinal)
                && matches!(&*self.meaning(&file, number as u32)?, Resolution::External | Resolution::Unknown)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether a use makes an instance of a class without a name that inherits from what is
    /// used.
    pub(super) fn is_anonymous_class(&self, used: &Use) -> Result<bool> {
        let Some(around) = used.reference.enclosing.filter(|_| used.reference.kind == RefKind::Inherit) else {
            return Ok(false);
        };
        let Some(file) = self.resolver.outline(used.version)? else { return Ok(false) };
        Ok(file.definitions().get(around as usize).is_some_and(|around| is_anonymous_host(around.kind)))
    }

    /// The calls that a symbol makes, in the order of places, then of what is called. Of a type
    /// that is itself only called, those that its constructors make.
    pub(crate) fn links_from(&self, symbol: Symbol, is_called: bool) -> Result<Vec<Link>> {
        let Some((file, definition)) = self.resolver.definition(symbol)? else { return Ok(Vec::new()) };
        let mut callers = vec![symbol];
        if is_called && definition.kind.is_type() {
            let made = file.definitions().iter().enumerate();
            let made = made.filter(|(_, d)| d.parent == Some(symbol.ordinal) && d.kind == Kind::Constructor);
            callers = made.map(|(ordinal, _)| Symbol { ordinal: ordinal as u32, ..symbol }).collect();
        }
        let mut links = Vec::new();
        for caller in callers {
            for (to, used) in self.called_by(caller)? {
                links.push(Link::sure(Vertex::Symbol(symbol), to, used));
            }
        }
        links.sort_by_key(|link| (link.used.number, self.snapshot().position(link.to.version), link.to.ordinal));
        Ok(links)
    }

    /// The methods of supertypes that a method overrides or implements, nearest first.
    pub(crate) fn overridden(&self, symbol: Symbol) -> Result<Vec<Symbol>> {
        /// Types above one that are looked at.
        const MAX_TYPES: usize = 64;
        let Some((file, definition)) = self.resolver.definition(symbol)? else { return Ok(Vec::new()) };
        if !matches!(definition.kind, Kind::Method | Kind::Property) {
            return Ok(Vec::new());
        }
        let mut pending = match definition.parent {
            Some(ordinal) => vec![Symbol { version: file.version, ordinal }],
            None => self.resolver.owners_of(symbol)?,
        };
        let is_structural = file.rules().structural_interfaces;
        let mut found = if is_structural { self.methods_implemented(&definition, &pending)? } else { Vec::new() };
        let mut at = 0;
        while let Some(owner) = pending.get(at).copied().filter(|_| at < MAX_TYPES) {
            at += 1;
            let Some(file) = self.resolver.file(owner.version)? else { continue };
            for (number, reference) in file.uses.references.iter().enumerate() {
                if reference.kind != RefKind::Inherit || reference.enclosing != Some(owner.ordinal) {
                    continue;
                }
                let Resolution::Found { targets, .. } = &*self.meaning(&file, number as u32)? else { continue };
                for above in self.resolver.base_types(self.in_order(targets)?)? {
                    if pending.contains(&above) {
                        continue;
                    }
                    pending.push(above);
                    let Some(file) = self.resolver.file(above.version)? else { continue };
                    let members =
                        file.named(&definition.name).iter().map(|ordinal| Symbol { ordinal: *ordinal, ..above });
                    found.extend(members.filter(|member| {
                        let other = file.definitions().get(member.ordinal as usize);
                        let is_member = |other: &&Definition| {
                            let is_callable = other.kind.is_callable() || holds_function(other);
                            other.parent == Some(above.ordinal) && is_callable
                        };
                        let other = other.filter(is_member);
                        other.is_some_and(|other| self.resolver.may_be_one(&file, &definition, other))
                    }));
                }
            }
        }
        Ok(found)
    }

    /// A vertex with its names; `None` for what is not in the view.
    pub(crate) fn node(&self, vertex: Vertex) -> Result<Option<Node>> {
        let (version, ordinal) = match vertex {
            Vertex::Symbol(symbol) => (symbol.version, Some(symbol.ordinal)),
            Vertex::File(version) => (version, None),
        };
        let Some(file) = self.resolver.outline(version)? else { return Ok(None) };
        let is_test = self.is_test(&file, ordinal)?;
        let file_role = self.snapshot().file_info(version)?.role;
        let definition = ordinal.and_then(|ordinal| file.definitions().get(ordinal as usize));
        let told = ordinal.and_then(|ordinal| self.told_role(Symbol { version, ordinal }));
        Ok(Some(match definition {
            Some(definition) => Node {
                name: definition.name.clone(),
                qualified_name: definition.qualified_name.clone(),
                local_name: definition.local_name(file.definitions()).to_string(),
                kind: HitKind::Symbol(definition.kind),
                path: file.path.clone(),
                line: definition.name_line,
                role: told.unwrap_or(definition.role),
                is_test,
                file_role,
            },
            None => Node {
                name: file.path.rsplit('/').next().unwrap_or(&file.path).to_string(),
                qualified_name: file.path.clone(),
                local_name: file.path.clone(),
                kind: HitKind::File,
                path: file.path.clone(),
                line: 1,
                role: SymbolRole::Plain,
                is_test,
                file_role,
            },
        }))
    }

    /// A link with the names of its ends.
    pub(crate) fn edge(&self, link: &Link) -> Result<Option<Edge>> {
        let (from, to) = (self.node(link.from)?, self.node(Vertex::Symbol(link.to))?);
        let through = link.through.map(|symbol| self.node(Vertex::Symbol(symbol))).transpose()?.flatten();
        let path = self.snapshot().path_of(link.used.version).unwrap_or("").to_string();
        let reference = &link.used.reference;
        Ok(from.zip(to).map(|(from, to)| Edge {
            from,
            to,
            path,
            line: reference.line,
            column: reference.column,
            kind: reference.kind,
            confidence: link.confidence,
            evidence: link.used.evidence,
            through,
            more: link.more,
            candidates: link.candidates,
        }))
    }

    /// Takes a vertex, with all parts of its symbol, into `seen`; says whether it is new there.
    pub(crate) fn first_time(&self, seen: &mut FxHashSet<Vertex>, vertex: Vertex) -> Result<bool> {
        if !seen.insert(vertex) {
            return Ok(false);
        }
        if let Vertex::Symbol(symbol) = vertex {
            seen.extend(self.same_symbol(symbol)?.into_iter().map(Vertex::Symbol));
        }
        Ok(true)
    }
}

/// Returns the link from the function around a function to it: what makes a closure, or an instance
/// of a class without a name, is likely to see it called, though by code that does not name it.
fn container_link(file: &FileOutline, symbol: Symbol, definition: &Definition) -> Option<Link> {
    let is_function = |kind: Kind| kind.is_callable() && kind != Kind::Macro;
    let mut around = file.outwards(definition.parent).take_while(|(_, around)| around.kind != Kind::Module);
    let (ordinal, _) = around.find(|(_, around)| is_function(around.kind)).filter(|_| is_function(definition.kind))?;
    let reference = Reference {
        name: u32::MAX,
        kind: RefKind::Declaration,
        receiver: None,
        root: None,
        enclosing: definition.parent,
        line: definition.name_line,
        column: definition.name_column,
        arguments: None,
    };
    let (confidence, evidence) = (Confidence::Heuristic, ResolutionEvidence::DefinedInside);
    let name = definition.name.as_str().into();
    let used = Use { version: symbol.version, number: u32::MAX, reference, name, confidence, evidence };
    let from = Vertex::Symbol(Symbol { version: symbol.version, ordinal });
    Some(Link::sure(from, symbol, used))
}

/// Returns whether a field is declared to hold a function, which a method can be.
fn holds_function(field: &Definition) -> bool {
    fn is_function(written: &TypeExpr<'_>) -> bool {
        match written {
            TypeExpr::Function(_) => true,
            TypeExpr::AnyOf(parts) => parts.iter().any(is_function),
            _ => false,
        }
    }
    let written = field.declared_type.as_ref().filter(|_| matches!(field.kind, Kind::Field | Kind::Property));
    written.is_some_and(|written| is_function(&written.expression()))
}

/// Returns whether reading it runs it.
fn is_read_by_running(definition: &Definition) -> bool {
    definition.kind == Kind::Property || definition.modifiers.contains("get") || !definition.kind.is_callable()
}

/// Returns the user of a name: the innermost function or field around the use, or the type or
/// variable if there is none, or the file.
pub(super) fn user_at(file: &FileOutline, used: &Use, follow: Follow) -> Vertex {
    let symbol = |ordinal: u32| Vertex::Symbol(Symbol { version: file.version, ordinal });
    let around = || file.outwards(used.reference.enclosing);
    let is_field = |definition: &Definition| {
        let owner = definition.parent.and_then(|parent| file.definitions().get(parent as usize));
        let is_value = definition.kind.is_value() && definition.kind != Kind::Variant;
        is_value && owner.is_some_and(|owner| owner.kind.is_type())
    };
    // The initialiser of a field is the field's code.
    if let Some((ordinal, _)) = around().find(|(_, around)| around.kind.is_callable() || is_field(around)) {
        return symbol(ordinal);
    }
    let holder = around().find(|(_, definition)| definition.kind != Kind::Module);
    // A variable that holds a function, such as a wrapped one, is called in its place.
    let is_followed = |definition: &Definition| match follow {
        Follow::Calls => false,
        Follow::Passed => definition.kind.is_value(),
        Follow::Uses => true,
    };
    match holder.filter(|(_, definition)| is_followed(definition)) {
        // A block speaks for its type.
        Some((_, block)) if block.kind == Kind::Impl => {
            let is_type = |ordinal: &&u32| {
                file.definitions().get(**ordinal as usize).is_some_and(|d| d.kind.is_type() && d.kind != Kind::Impl)
            };
            let owner = file.named(&block.name).iter().find(is_type);
            owner.map_or(Vertex::File(file.version), |ordinal| symbol(*ordinal))
        }
        Some((ordinal, _)) => symbol(ordinal),
        None => Vertex::File(file.version),
    }
}
