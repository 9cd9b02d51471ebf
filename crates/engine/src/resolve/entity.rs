//! Results of name resolution: definitions, modules, and the confidence and evidence of an answer.

use serde::{Deserialize, Serialize};

use crate::model::VersionId;

/// A definition: a file version and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Symbol {
    pub version: VersionId,
    pub ordinal: u32,
}

/// A call of a macro outside of functions: the module that it stands in, and the macro.
pub(in crate::resolve) type MacroCall = (Option<u32>, Symbol);

/// Something that names can be looked up in.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Module {
    /// A file.
    File(VersionId),
    /// All files of a language in a folder.
    Folder(String),
    /// A module or namespace inside a file.
    Inline(Symbol),
}

/// The target of a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Entity {
    /// A definition of this view.
    Symbol(Symbol),
    /// A module of this view.
    Module(Module),
    /// Something outside of the repository.
    External,
}

/// The certainty of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Confidence {
    /// Proven by scope, import or type.
    Static,
    /// The most likely one.
    Heuristic,
}

impl Confidence {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Confidence::Static => "static",
            Confidence::Heuristic => "likely",
        }
    }
}

/// The reason why a name is taken to mean a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResolutionEvidence {
    /// Defined in a function, type or module around the use.
    Scope,
    /// Imported, perhaps through other files.
    Import,
    /// In the same package, folder or namespace.
    Package,
    /// A member of the type around the use.
    EnclosingType,
    /// A member of what the receiver is.
    ReceiverType,
    /// A member of the module before it.
    ModuleMember,
    /// The type that has all the members used of the same variable.
    MembersUsed,
    /// The only definition of this name that takes so many arguments.
    Arity,
    /// The only definition of this name that fits.
    UniqueName,
    /// Nothing but the name.
    NameOnly,
    /// A call of a field that holds the function.
    StoredFunction,
    /// Not named by any code: the function around it defines it.
    DefinedInside,
    /// Not named by any code: its type, which inherits from outside, is made there.
    InstanceMade,
}

impl ResolutionEvidence {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            ResolutionEvidence::Scope => "scope",
            ResolutionEvidence::Import => "import",
            ResolutionEvidence::Package => "package",
            ResolutionEvidence::EnclosingType => "enclosing_type",
            ResolutionEvidence::ReceiverType => "receiver_type",
            ResolutionEvidence::ModuleMember => "module_member",
            ResolutionEvidence::MembersUsed => "members_used",
            ResolutionEvidence::Arity => "arity",
            ResolutionEvidence::UniqueName => "unique_name",
            ResolutionEvidence::NameOnly => "name_only",
            ResolutionEvidence::StoredFunction => "stored_function",
            ResolutionEvidence::DefinedInside => "defined_inside",
            ResolutionEvidence::InstanceMade => "instance_made",
        }
    }
}

/// The result of resolving a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Resolution {
    /// These definitions: several when overloads, parts or alternatives are all meant.
    Found { targets: Vec<Symbol>, confidence: Confidence, evidence: ResolutionEvidence },
    /// One of these overloads, and the arguments do not tell which.
    Overloaded { targets: Vec<Symbol>, evidence: ResolutionEvidence },
    /// One of these, and nothing tells which.
    Ambiguous(Vec<Symbol>),
    /// Something outside of the repository.
    External,
    /// A module of the repository.
    Module(Module),
    /// Nothing is known.
    Unknown,
}

impl Resolution {
    /// Returns the definitions that are meant, or one of which is.
    pub(crate) fn symbols(&self) -> &[Symbol] {
        match self {
            Resolution::Found { targets: symbols, .. }
            | Resolution::Overloaded { targets: symbols, .. }
            | Resolution::Ambiguous(symbols) => symbols,
            Resolution::External | Resolution::Module(_) | Resolution::Unknown => &[],
        }
    }

    /// Returns the confidence and evidence of definitions that were found.
    pub(crate) fn proof(&self) -> Option<(Confidence, ResolutionEvidence)> {
        match self {
            Resolution::Found { confidence, evidence, .. } => Some((*confidence, *evidence)),
            _ => None,
        }
    }

    pub(super) fn found(mut targets: Vec<Symbol>, confidence: Confidence, evidence: ResolutionEvidence) -> Resolution {
        targets.sort_unstable();
        targets.dedup();
        if targets.is_empty() {
            return Resolution::Unknown;
        }
        Resolution::Found { targets, confidence, evidence }
    }

    pub(super) fn of(entities: Vec<Entity>, confidence: Confidence, evidence: ResolutionEvidence) -> Resolution {
        let symbols: Vec<Symbol> =
            entities.iter().filter_map(|e| if let Entity::Symbol(s) = e { Some(*s) } else { None }).collect();
        if !symbols.is_empty() {
            return Resolution::found(symbols, confidence, evidence);
        }
        match entities.into_iter().next() {
            Some(Entity::Module(module)) => Resolution::Module(module),
            Some(Entity::External) => Resolution::External,
            _ => Resolution::Unknown,
        }
    }
}

/// Keeps the modules, if there are any.
pub(crate) fn modules_if_any(mut found: Vec<Entity>) -> Vec<Entity> {
    if found.iter().any(|entity| matches!(entity, Entity::Module(_))) {
        found.retain(|entity| matches!(entity, Entity::Module(_)));
    }
    found
}
