//! Places where an error is raised, and where handlers and tests name it: by the uses of its types
//! and constants, and by the places of its message.

use codecompass_syntax::facts::RefKind;
use codecompass_syntax::flow::{ErrorUse, ValueRole};
use codecompass_syntax::routes::CodePlace;
use rustc_hash::FxHashSet;

use super::subject::ErrorSubject;
use crate::error::Result;
use crate::model::VersionId;
use crate::query::flow::parsed_files::ParsedFiles;
use crate::query::navigate::use_sites::UseClass;
use crate::resolve::{Confidence, Resolution, ResolutionEvidence, Symbol};

/// Uses of one definition that are looked at.
const MAX_USES: usize = 400;
/// Places where it is raised that are followed.
const MAX_RAISED: usize = 60;
/// Names that hold an error, and functions that make it, that are followed.
const MAX_HOLDERS: usize = 30;

/// A place where an error is raised.
#[derive(Clone, Debug)]
pub(super) struct RaiseOrigin {
    pub(super) version: VersionId,
    pub(super) byte: usize,
    /// The first line of the statement.
    pub(super) line: u32,
    pub(super) class: UseClass,
    pub(super) evidence: &'static str,
    /// The type of the error, where that is one of the repository.
    pub(super) kind: Option<Symbol>,
    /// The name of the type; empty where it is not known.
    pub(super) name: String,
    /// True if it is made there, and nothing tells where it is raised.
    pub(super) is_made_only: bool,
}

/// A place where a handler or a test names an error.
#[derive(Clone, Debug)]
pub(super) struct NamingPlace {
    pub(super) version: VersionId,
    pub(super) line: u32,
    pub(super) class: UseClass,
    pub(super) evidence: &'static str,
    pub(super) name: String,
}

/// The places that name an error.
#[derive(Default)]
pub(super) struct Origins {
    pub(super) raised: Vec<RaiseOrigin>,
    pub(super) handled: Vec<NamingPlace>,
    pub(super) tested: Vec<NamingPlace>,
    pub(super) is_cut: bool,
}

/// A use of something that stands for the error.
struct ErrorSite {
    version: VersionId,
    line: u32,
    column: u32,
    class: UseClass,
    evidence: &'static str,
    kind: Option<Symbol>,
    name: String,
    /// The error is the result of what is called there.
    is_result: bool,
    /// True for a call, and for a literal text.
    is_made: bool,
}

/// A definition that stands for the error: its type, a constant that holds it, a function that
/// makes it.
#[derive(Clone, Debug)]
struct ErrorHolder {
    symbol: Symbol,
    /// The type of the error, where that is one of the repository.
    kind: Option<Symbol>,
    /// The name of the type; that of the definition if it is not known.
    name: Option<String>,
    class: UseClass,
    /// True if only what a call gives is the error.
    is_result: bool,
}

/// The search for places.
struct OriginSearch<'f, 'a, 'view> {
    files: &'f ParsedFiles<'a, 'view>,
    found: Origins,
    seen: FxHashSet<(VersionId, usize)>,
    holders: Vec<ErrorHolder>,
    known: FxHashSet<Symbol>,
}

impl Origins {
    pub(super) fn find(files: &ParsedFiles<'_, '_>, asked: &ErrorSubject) -> Result<Origins> {
        let (found, seen, holders, known) = Default::default();
        let mut search = OriginSearch { files, found, seen, holders, known };
        for message in &asked.messages {
            search.message(message.version, message.byte)?;
        }
        for symbol in asked.all() {
            search.known.insert(symbol);
            let (kind, name, class, is_result) = (Some(symbol), None, UseClass::Static, false);
            search.uses(ErrorHolder { symbol, kind, name, class, is_result })?;
        }
        if let Some(name) = &asked.outside {
            search.outside(name)?;
        }
        let mut at = 0;
        while let Some(holder) = search.holders.get(at).cloned() {
            at += 1;
            search.uses(holder)?;
        }
        Ok(search.found)
    }
}

impl OriginSearch<'_, '_, '_> {
    /// Looks at the uses of a definition.
    fn uses(&mut self, holder: ErrorHolder) -> Result<()> {
        let ErrorHolder { symbol, kind, name, class, is_result } = holder;
        let navigator = self.files.navigator;
        let Some((_, definition)) = navigator.resolver.definition(symbol)? else { return Ok(()) };
        let name = name.unwrap_or_else(|| definition.qualified_name.clone());
        navigator.search_texts(symbol)?;
        let uses = navigator.uses_of(symbol)?;
        self.found.is_cut |= uses.len() > MAX_USES;
        let uses: Vec<_> = uses.iter().take(MAX_USES).cloned().collect();
        for site in navigator.use_sites(&uses)? {
            let is_made = !is_result || site.kind == Some(RefKind::Call);
            if matches!(site.kind, Some(RefKind::Import | RefKind::Inherit | RefKind::Declaration)) || !is_made {
                continue;
            }
            let Some(version) = navigator.snapshot().version_at(&site.path) else { continue };
            self.look_at(ErrorSite {
                version,
                line: site.line,
                column: site.column,
                class: site.class.max(class),
                evidence: site.evidence.as_str(),
                kind,
                name: name.clone(),
                is_result,
                is_made: site.kind == Some(RefKind::Call) && !is_result,
            })?;
        }
        Ok(())
    }

    /// Looks at the places that name a type from outside.
    fn outside(&mut self, name: &str) -> Result<()> {
        let navigator = self.files.navigator;
        let mut count = 0;
        for version in navigator.files_with(name)? {
            let Some(file) = navigator.resolver.file_that_names(version, name)? else { continue };
            for number in file.references_named(name) {
                let Some(reference) = file.uses.references.get(number as usize).copied() else { continue };
                if matches!(reference.kind, RefKind::Import | RefKind::Inherit | RefKind::Declaration) {
                    continue;
                }
                count += 1;
                if count > MAX_USES {
                    self.found.is_cut = true;
                    return Ok(());
                }
                let class = match &*navigator.meaning(&file, number)? {
                    Resolution::External => UseClass::Likely,
                    Resolution::Found { .. } | Resolution::Overloaded { .. } | Resolution::Module(_) => continue,
                    _ => UseClass::Likely,
                };
                self.look_at(ErrorSite {
                    version,
                    line: reference.line,
                    column: reference.column,
                    class,
                    evidence: "outside_name",
                    kind: None,
                    name: name.to_string(),
                    is_result: false,
                    is_made: reference.kind == RefKind::Call,
                })?;
            }
        }
        Ok(())
    }

    /// Looks at a literal text with the message.
    fn message(&mut self, version: VersionId, byte: usize) -> Result<()> {
        let Some(code) = self.files.code(version)? else { return Ok(()) };
        let CodePlace { line, column } = code.place_of(byte);
        let (class, evidence) = (UseClass::Static, "literal_text");
        let (kind, name, is_result, is_made) = (None, String::new(), false, true);
        self.look_at(ErrorSite { version, line, column, class, evidence, kind, name, is_result, is_made })
    }

    /// Notes what is done with the error at a place.
    fn look_at(&mut self, site: ErrorSite) -> Result<()> {
        let Some(code) = self.files.code(site.version)? else { return Ok(()) };
        let at = CodePlace { line: site.line, column: site.column };
        let Some(byte) = code.byte_at(at).filter(|byte| self.seen.insert((site.version, *byte))) else {
            return Ok(());
        };
        match code.error_use_at(byte) {
            ErrorUse::Raised { line, made_by } => self.raised(site, byte, line, made_by)?,
            ErrorUse::Stored { place } => self.stored(site, place)?,
            ErrorUse::Handled { line, .. } => self.named(site, line, true),
            ErrorUse::Tested { line } => self.named(site, line, false),
            ErrorUse::Other { made_by } => {
                // A function may make the error that its caller raises.
                let place = if site.is_result || site.kind.is_some() {
                    code.result_at(byte)
                } else {
                    code.value_at(byte, false)
                };
                let is_made = site.kind.is_some() || !site.name.is_empty() || made_by.is_some();
                let is_text = site.evidence == "literal_text" && !site.is_result;
                if place.role == ValueRole::Returned && is_made {
                    self.made(site)?;
                } else if !(is_text && self.message_of_type(&site)?) {
                    self.made_only(site, byte);
                }
            }
        }
        Ok(())
    }

    fn raised(&mut self, site: ErrorSite, byte: usize, line: u32, made_by: Option<CodePlace>) -> Result<()> {
        if self.found.raised.len() >= MAX_RAISED {
            self.found.is_cut = true;
            return Ok(());
        }
        let ErrorSite { version, class, evidence, mut kind, mut name, .. } = site;
        // A message tells its type by what is made with it.
        if let Some(place) = made_by.filter(|_| kind.is_none() && name.is_empty()) {
            let path = self.files.navigator.snapshot().path_of(version).unwrap_or("");
            if let Some(used) = self.files.navigator.use_at(path, place.line, place.column)? {
                name = used.name.clone();
                let symbols = used.meaning.symbols();
                let found = symbols.first().map(|symbol| self.type_of(*symbol)).transpose()?.flatten();
                kind = found.or(kind);
            }
        }
        let is_made_only = false;
        self.found.raised.push(RaiseOrigin { version, byte, line, class, evidence, kind, name, is_made_only });
        Ok(())
    }

    /// Notes a place that makes the error and does not raise it.
    fn made_only(&mut self, site: ErrorSite, byte: usize) {
        let ErrorSite { version, line, evidence, kind, name, is_made, .. } = site;
        if !is_made {
            return;
        }
        if self.found.raised.len() >= MAX_RAISED {
            self.found.is_cut = true;
            return;
        }
        let (class, is_made_only) = (UseClass::Possible, true);
        self.found.raised.push(RaiseOrigin { version, byte, line, class, evidence, kind, name, is_made_only });
    }

    /// Returns the type that a definition is, or makes instances of.
    fn type_of(&self, symbol: Symbol) -> Result<Option<Symbol>> {
        let Some((_, definition)) = self.files.navigator.resolver.definition(symbol)? else { return Ok(None) };
        if definition.kind.is_type() {
            return Ok(Some(symbol));
        }
        let is_made = definition.kind == codecompass_syntax::facts::Kind::Constructor;
        Ok(definition.parent.filter(|_| is_made).map(|ordinal| Symbol { ordinal, ..symbol }))
    }

    fn named(&mut self, site: ErrorSite, line: u32, is_handler: bool) {
        let ErrorSite { version, class, evidence, name, .. } = site;
        let place = NamingPlace { version, line, class, evidence, name };
        let list = if is_handler { &mut self.found.handled } else { &mut self.found.tested };
        if !list.iter().any(|known| (known.version, known.line) == (version, line)) {
            list.push(place);
        }
    }

    /// Follows a name that the error is given to: that of a constant, or a local one.
    fn stored(&mut self, site: ErrorSite, place: CodePlace) -> Result<()> {
        let navigator = self.files.navigator;
        let path = navigator.snapshot().path_of(site.version).unwrap_or("").to_string();
        if let Some(symbol) = navigator.definition_named_at(&path, place.line, place.column)? {
            self.hold(symbol, site, false);
            return Ok(());
        }
        if let Some(used) = navigator.use_at(&path, place.line, place.column)? {
            if let Resolution::Found { targets, confidence, .. } = &*used.meaning {
                let likely = *confidence == Confidence::Heuristic;
                let class = if likely { site.class.max(UseClass::Likely) } else { site.class };
                for symbol in targets.iter().take(1) {
                    let site = ErrorSite { class, name: site.name.clone(), ..site };
                    self.hold(*symbol, site, false);
                }
            }
            return Ok(());
        }
        let Some(code) = self.files.code(site.version)? else { return Ok(()) };
        let Some(byte) = code.byte_at(place) else { return Ok(()) };
        let before = self.found.raised.len();
        for used in code.uses_of_local(byte).into_iter().filter(|used| !used.is_written) {
            let CodePlace { line, column } = code.place_of(used.byte);
            let (name, evidence) = (site.name.clone(), ResolutionEvidence::Scope.as_str());
            let next = ErrorSite { line, column, evidence, name, is_result: false, is_made: false, ..site };
            if let ErrorUse::Raised { line, made_by } = code.error_use_at(used.byte)
                && self.seen.insert((site.version, used.byte))
            {
                self.raised(next, used.byte, line, made_by)?;
            }
        }
        let at = CodePlace { line: site.line, column: site.column };
        if let Some(byte) = code.byte_at(at).filter(|_| self.found.raised.len() == before) {
            self.made_only(site, byte);
        }
        Ok(())
    }

    /// Follows a function that makes the error: its calls stand for it.
    fn made(&mut self, site: ErrorSite) -> Result<()> {
        let (_, ordinal, _) = self.files.around(site.version, site.line)?;
        let Some(outline) = self.files.navigator.resolver.outline(site.version)? else { return Ok(()) };
        let function = outline.outwards(ordinal).find(|(_, around)| around.kind.is_callable());
        if let Some((ordinal, _)) = function {
            let class = site.class.max(UseClass::Likely);
            let symbol = Symbol { version: site.version, ordinal };
            self.hold(symbol, ErrorSite { class, ..site }, true);
        }
        Ok(())
    }

    fn hold(&mut self, symbol: Symbol, site: ErrorSite, is_result: bool) {
        if self.known.insert(symbol) && self.holders.len() < MAX_HOLDERS {
            let ErrorSite { kind, name, class, .. } = site;
            self.holders.push(ErrorHolder { symbol, kind, name: Some(name), class, is_result });
        }
    }

    /// Follows the type whose own text a message is: it stands in a method of the type. Says
    /// whether there is one.
    fn message_of_type(&mut self, site: &ErrorSite) -> Result<bool> {
        let (_, ordinal, _) = self.files.around(site.version, site.line)?;
        let Some(outline) = self.files.navigator.resolver.outline(site.version)? else { return Ok(false) };
        let around = outline.outwards(ordinal).find(|(_, around)| around.kind.is_type());
        let Some((ordinal, _)) = around else { return Ok(false) };
        let symbol = Symbol { version: site.version, ordinal };
        let owner = self.files.navigator.resolver.block_type(symbol)?.unwrap_or(symbol);
        if self.known.insert(owner) && self.holders.len() < MAX_HOLDERS {
            let found = self.files.navigator.resolver.definition(owner)?;
            let name = found.map(|(_, definition)| definition.qualified_name.clone());
            let (kind, class, is_result) = (Some(owner), UseClass::Likely, false);
            self.holders.push(ErrorHolder { symbol: owner, kind, name, class, is_result });
        }
        Ok(true)
    }
}
