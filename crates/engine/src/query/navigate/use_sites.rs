//! Uses of a definition, and the meaning of the name at a place.

use codecompass_syntax::ModuleSystem;
use codecompass_syntax::facts::{ChainRoot, Definition, Import, Kind, RefKind, Reference, SymbolRole};

use crate::error::Result;
use crate::model::{Role, SkipReason, VersionId};
use crate::query::hit::{Hit, Place};
use crate::query::navigate::{NameUse, Navigator, Use};
use crate::resolve::{Arity, Confidence, FileOutline, FileView, Resolution, ResolutionEvidence, Symbol};
use serde::{Deserialize, Serialize};

/// A use of a symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct UseSite {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Line of the name.
    pub line: u32,
    /// Column of the name, counted in bytes.
    pub column: u32,
    /// The way in which the name is used; `None` where only its text is known, and of declarations.
    pub kind: Option<RefKind>,
    /// True if it is another declaration of the symbol: a prototype, a signature, a part.
    pub is_declaration: bool,
    /// The name as written there.
    pub name: String,
    /// The definition around the use; `None` at the top of a file.
    pub enclosing: Option<Enclosing>,
    /// True if it is in a test or in a file of tests.
    pub is_test: bool,
    /// The certainty that the name means the symbol.
    pub class: UseClass,
    /// The evidence for that.
    pub evidence: ResolutionEvidence,
    /// The reason why the file comes last: `generated`, `vendored` or `minified`.
    pub file_mark: Option<&'static str>,
    /// Of an answer about several definitions, the number of the one that is used, or their count
    /// for a call of one of them that nothing tells apart; 0 for possible uses.
    pub definition: usize,
}

/// The kind of a use of which only the text of the name is known.
pub(super) const UNKNOWN: &str = "unknown";

impl UseSite {
    /// The word for the way in which the name is used.
    pub fn kind_name(&self) -> &'static str {
        match (self.kind, self.is_declaration) {
            (Some(kind), _) => kind.as_str(),
            (None, true) => RefKind::Declaration.as_str(),
            (None, false) => UNKNOWN,
        }
    }
}

/// The certainty of a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UseClass {
    /// Proven by scope, import or type.
    Static,
    /// The most likely meaning.
    Likely,
    /// Not resolved: it may be a use.
    Possible,
}

impl UseClass {
    /// All of them, the most certain first.
    pub const ALL: [UseClass; 3] = [UseClass::Static, UseClass::Likely, UseClass::Possible];

    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            UseClass::Static => "static",
            UseClass::Likely => "likely",
            UseClass::Possible => "possible",
        }
    }
}

/// The definition around a use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enclosing {
    /// The bare name.
    pub name: String,
    /// The name with its containers.
    pub qualified_name: String,
    /// The qualified name without the package or namespace of the file, where that has several
    /// parts.
    pub local_name: String,
    /// The kind of symbol.
    pub kind: Kind,
    /// Line of its name.
    pub line: u32,
}

impl Enclosing {
    /// Returns a definition of a file whose definitions are `all`.
    pub(crate) fn new(definition: &Definition, all: &[Definition]) -> Enclosing {
        Enclosing {
            name: definition.name.clone(),
            qualified_name: definition.qualified_name.clone(),
            local_name: definition.local_name(all).to_string(),
            kind: definition.kind,
            line: definition.name_line,
        }
    }
}

/// A name that is called and leads to no definition of the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnresolvedCallee {
    /// The name with what stands before it, as written but without arguments.
    pub name: String,
    /// True if it is defined outside of the repository; false if nothing is known of it.
    pub is_external: bool,
    /// True if it needs no import: it belongs to the language or what runs it.
    pub is_builtin: bool,
    /// The lines of the calls.
    pub lines: Vec<u32>,
    /// The number of definitions of the view that it may mean.
    pub candidates: usize,
}

/// The meaning of the name at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Meaning {
    /// The definitions, best first.
    pub hits: Vec<Hit>,
    /// The confidence in it; `None` when nothing tells the candidates apart.
    pub confidence: Option<Confidence>,
    /// The evidence for it.
    pub evidence: Option<ResolutionEvidence>,
    /// True if the name means something outside of the repository.
    pub is_external: bool,
}

impl Navigator<'_> {
    /// The uses of the definition at a place, in the order of paths and lines; empty when none
    /// stands there.
    pub fn references_at(&self, path: &str, line: u32, column: Option<u32>) -> Result<Vec<UseSite>> {
        let Some(symbol) = self.symbol_at(path, line, column)? else { return Ok(Vec::new()) };
        self.use_sites(&self.uses_of(symbol)?)
    }

    pub(crate) fn use_sites(&self, uses: &[Use]) -> Result<Vec<UseSite>> {
        let mut sites = Vec::with_capacity(uses.len());
        for used in uses {
            let Some(file) = self.resolver.outline(used.version)? else { continue };
            let enclosing = used.reference.enclosing.and_then(|index| file.definitions().get(index as usize));
            sites.push(UseSite {
                path: file.path.clone(),
                line: used.reference.line,
                column: used.reference.column,
                kind: Some(used.reference.kind),
                is_declaration: false,
                name: used.name.to_string(),
                enclosing: enclosing.map(|definition| Enclosing::new(definition, file.definitions())),
                is_test: self.is_test(&file, used.reference.enclosing)?,
                class: used.confidence.into(),
                evidence: used.evidence,
                file_mark: self.file_mark(used.version)?,
                definition: 0,
            });
        }
        Ok(sites)
    }

    /// Returns the word for a file that is not written by hand in this repository.
    pub(crate) fn file_mark(&self, version: VersionId) -> Result<Option<&'static str>> {
        let info = self.snapshot().file_info(version)?;
        Ok(match info.role {
            Role::Generated | Role::Vendored => Some(info.role.as_str()),
            _ if info.skip.as_deref() == Some(SkipReason::LongLines.code()) => Some("minified"),
            _ => None,
        })
    }

    /// Returns whether a definition of a file, or its top level, belongs to a test.
    pub(crate) fn is_test(&self, file: &FileOutline, ordinal: Option<u32>) -> Result<bool> {
        let in_test = file.outwards(ordinal).any(|(_, definition)| definition.role == SymbolRole::Test);
        Ok(in_test || self.snapshot().file_info(file.version)?.role == Role::Test)
    }

    /// Returns what the name at a place means; `None` when no name that leads anywhere stands
    /// there.
    pub fn meaning_at(&self, path: &str, line: u32, column: u32) -> Result<Option<Meaning>> {
        if let Some(NameUse { meaning, .. }) = self.use_at(path, line, column)? {
            let (confidence, evidence) = meaning.proof().unzip();
            let (hits, is_external) = (self.hits(meaning.symbols())?, *meaning == Resolution::External);
            return Ok(Some(Meaning { hits, confidence, evidence, is_external }));
        }
        let Some(symbol) = self.definition_named_at(path, line, column)? else { return Ok(None) };
        let (confidence, evidence) = (Some(Confidence::Static), Some(ResolutionEvidence::Scope));
        Ok(Some(Meaning { hits: self.hits(&[symbol])?, confidence, evidence, is_external: false }))
    }

    pub(crate) fn hits(&self, symbols: &[Symbol]) -> Result<Vec<Hit>> {
        let mut hits = Vec::new();
        for symbol in symbols {
            hits.extend(self.hit(*symbol)?);
        }
        Ok(hits)
    }

    /// The places where the definition at a place is called from.
    pub fn callers_at(&self, path: &str, line: u32, column: Option<u32>) -> Result<Vec<UseSite>> {
        let mut sites = self.references_at(path, line, column)?;
        sites.retain(|site| site.kind == Some(RefKind::Call));
        Ok(sites)
    }

    /// Returns the definitions that the definition at a place calls, with the places of the calls.
    pub fn callees_at(&self, path: &str, line: u32, column: Option<u32>) -> Result<Vec<(Hit, Place, Confidence)>> {
        let Some(symbol) = self.symbol_at(path, line, column)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for (target, used) in self.called_by(symbol)? {
            if let Some(hit) = self.hit(target)? {
                let path = self.snapshot().path_of(used.version).unwrap_or("").to_string();
                let line = used.reference.line;
                let place = Place { path, line_start: line, line_end: line, is_declaration: false };
                found.push((hit, place, used.confidence));
            }
        }
        Ok(found)
    }

    /// Returns the names that a definition calls and that lead to no definition of the view, or to
    /// too many to follow. What may mean a definition of the view is not called external.
    pub(crate) fn unresolved_callees(&self, symbol: Symbol) -> Result<Vec<UnresolvedCallee>> {
        let Some((file, _)) = self.resolver.opened(symbol)? else { return Ok(Vec::new()) };
        let mut found: Vec<UnresolvedCallee> = Vec::new();
        for (number, reference) in file.uses.references.iter().enumerate() {
            let inside = || file.outwards(reference.enclosing).any(|(ordinal, _)| ordinal == symbol.ordinal);
            if reference.kind != RefKind::Call || !inside() {
                continue;
            }
            let is_external = match &*self.meaning(&file, number as u32)? {
                Resolution::External => true,
                Resolution::Unknown | Resolution::Ambiguous(_) | Resolution::Overloaded { .. } => false,
                Resolution::Found { .. } | Resolution::Module(_) => continue,
            };
            let candidates = self.candidates_at(&file, number as u32)?;
            if !candidates.few().is_empty() {
                continue;
            }
            let (candidates, is_external) = (candidates.total, is_external && candidates.total == 0);
            let name = file.written_name(reference);
            match found.iter_mut().find(|known| known.name == name) {
                Some(known) => known.lines.push(reference.line),
                None => {
                    let is_builtin = is_external && is_builtin(&file, reference);
                    let lines = vec![reference.line];
                    found.push(UnresolvedCallee { name, is_external, is_builtin, lines, candidates })
                }
            }
        }
        Ok(found)
    }

    /// Returns the definitions that a definition calls, in the order of the calls.
    pub(crate) fn called_by(&self, symbol: Symbol) -> Result<Vec<(Symbol, Use)>> {
        let Some((file, _)) = self.resolver.opened(symbol)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for (number, reference) in file.uses.references.iter().enumerate() {
            let inside = file.outwards(reference.enclosing).any(|(ordinal, _)| ordinal == symbol.ordinal);
            if reference.kind != RefKind::Call || !inside {
                continue;
            }
            if let Resolution::Found { targets, confidence, evidence } = &*self.meaning(&file, number as u32)? {
                for target in self.one_of_overloads(&file, reference, targets)? {
                    let (confidence, evidence, number) = (*confidence, *evidence, number as u32);
                    let (version, reference, name) = (file.version, *reference, file.name(reference.name).into());
                    let used = Use { version, number, reference, name, confidence, evidence };
                    found.push((target, used));
                }
            }
        }
        Ok(found)
    }

    /// Of the signatures of one function, keeps the last, which has the body, where each file is a
    /// module with one function of a name.
    fn last_signatures(&self, file: &FileView, targets: &[Symbol]) -> Result<Vec<Symbol>> {
        if file.rules().modules != ModuleSystem::Files {
            return Ok(targets.to_vec());
        }
        let mut kept: Vec<Symbol> = Vec::new();
        for target in self.in_order(targets)? {
            let same = self.same_symbol(target)?;
            let found = self.resolver.definition(target)?;
            let is_function = found.is_some_and(|(_, definition)| definition.kind.is_callable());
            match kept.iter_mut().find(|known| is_function && known.version == target.version && same.contains(known)) {
                Some(known) => *known = target,
                None => kept.push(target),
            }
        }
        Ok(kept)
    }

    /// Of the overloads of one type that a call may mean, keeps the one with the parameters that it
    /// gives, or the first of them, and of the parts of a type one: a call is one edge.
    fn one_of_overloads(&self, file: &FileView, reference: &Reference, targets: &[Symbol]) -> Result<Vec<Symbol>> {
        if targets.len() < 2 {
            return Ok(targets.to_vec());
        }
        if !file.rules().overloads_apart {
            let targets = self.last_signatures(file, targets)?;
            // A type and an interface of its name are called for different things.
            let is_merged = file.rules().modules == ModuleSystem::Files;
            return if is_merged { Ok(targets) } else { self.one_of_alternatives(targets) };
        }
        let mut kept: Vec<(Symbol, String, bool)> = Vec::new();
        for target in self.in_order(targets)? {
            let Some((home, definition)) = self.resolver.definition(target)? else { continue };
            if !definition.kind.is_callable() {
                let main = self.main_part(target)?;
                if !kept.iter().any(|(known, ..)| *known == main) {
                    kept.push((main, String::new(), true));
                }
                continue;
            }
            let arity = Arity::of(&definition, home.language);
            let is_exact =
                arity.is_some_and(|arity| Some(arity.parameters) == reference.call_arguments().map(usize::from));
            let name = &definition.qualified_name;
            match kept.iter_mut().find(|(_, known, _)| known == name) {
                Some(known) if is_exact && !known.2 => *known = (target, name.clone(), true),
                Some(_) => {}
                None => kept.push((target, name.clone(), is_exact)),
            }
        }
        self.one_of_alternatives(kept.into_iter().map(|(target, ..)| target).collect())
    }

    /// Of definitions that exclude each other, keeps one: a call means each, and is one edge.
    fn one_of_alternatives(&self, targets: Vec<Symbol>) -> Result<Vec<Symbol>> {
        let mut kept: Vec<Symbol> = Vec::with_capacity(targets.len());
        for target in self.in_order(&targets)? {
            let parts = self.resolver.all_parts(target)?;
            if !kept.iter().any(|known| parts.contains(known)) {
                kept.push(target);
            }
        }
        Ok(kept)
    }
}

/// Returns whether a name from outside of the repository is there without an import: no binding of
/// the file stands before it, and no import has its first name.
fn is_builtin(file: &FileView, reference: &Reference) -> bool {
    let name = match reference.receiver.map(|receiver| file.chain(receiver)) {
        None => file.name(reference.name),
        Some(chain) => match chain.root {
            ChainRoot::Name(first) if reference.root.is_none() => first,
            _ => return false,
        },
    };
    let binds = |import: &Import| {
        let module = || import.module.rsplit(['.', '/', ':', '\\']).next();
        let bound = import.alias.as_deref().or(import.name.as_deref()).or_else(module);
        bound == Some(name) || import.module.split(['.', '/', ':', '\\']).next() == Some(name)
    };
    !file.outline.imports.iter().any(binds)
}
