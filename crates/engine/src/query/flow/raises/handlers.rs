//! Tells whether a handler takes an error: it names its type, one above it, or everything.

use std::cell::RefCell;
use std::rc::Rc;

use codecompass_syntax::facts::Kind;
use codecompass_syntax::flow::{ErrorHandler, HandlerEffect};
use codecompass_syntax::routes::CodePlace;
use rustc_hash::{FxHashMap, FxHashSet};

use super::subject::last_name;
use crate::error::Result;
use crate::model::VersionId;
use crate::query::flow::parsed_files::ParsedFiles;
use crate::query::navigate::use_sites::UseClass;
use crate::resolve::{Confidence, Resolution, Symbol};

/// Types above one that count.
const MAX_ABOVE: usize = 40;

/// The types that an error is of.
pub(super) struct ErrorTypes {
    /// The type and those above it.
    pub(super) symbols: FxHashSet<Symbol>,
    /// The names of all of these, and of those from outside.
    names: FxHashSet<String>,
    /// True if types above are not known: they are from outside, or the type itself is unknown.
    is_open: bool,
    /// True for one variant of a type.
    is_variant: bool,
}

/// A type of the view, if it is one, and its name.
type TypeNamed = (Option<Symbol>, String);

/// The types of errors, each looked up once.
pub(super) struct TypesAbove<'f, 'a, 'view> {
    files: &'f ParsedFiles<'a, 'view>,
    known: RefCell<FxHashMap<TypeNamed, Rc<ErrorTypes>>>,
}

/// A handler that takes an error, or may.
pub(super) struct TakingHandler {
    /// The line of the handler.
    pub(super) line: u32,
    /// Its last line.
    pub(super) end_line: u32,
    /// The type that it names; empty if it takes everything.
    pub(super) name: String,
    pub(super) class: UseClass,
    pub(super) effect: HandlerEffect,
}

impl<'f, 'a, 'view> TypesAbove<'f, 'a, 'view> {
    pub(super) fn new(files: &'f ParsedFiles<'a, 'view>) -> TypesAbove<'f, 'a, 'view> {
        TypesAbove { files, known: RefCell::default() }
    }

    /// Returns the types of an error.
    pub(super) fn of(&self, kind: Option<Symbol>, name: &str, version: VersionId) -> Result<Rc<ErrorTypes>> {
        let key = (kind, name.to_string());
        if let Some(known) = self.known.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let found = Rc::new(self.find(kind, name, version)?);
        self.known.borrow_mut().insert(key, Rc::clone(&found));
        Ok(found)
    }

    fn find(&self, kind: Option<Symbol>, name: &str, version: VersionId) -> Result<ErrorTypes> {
        let navigator = self.files.navigator;
        let names = FxHashSet::from_iter([last_name(name).to_string()].into_iter().filter(|name| !name.is_empty()));
        let mut types = ErrorTypes { symbols: FxHashSet::default(), names, is_open: false, is_variant: false };
        let mut outside: Vec<String> = types.names.iter().filter(|_| kind.is_none()).cloned().collect();
        types.is_open = kind.is_none() && outside.is_empty();
        let mut pending: Vec<Symbol> = kind.into_iter().collect();
        let mut at = 0;
        while let Some(symbol) = pending.get(at).copied().filter(|_| at < MAX_ABOVE) {
            at += 1;
            types.symbols.extend(navigator.same_symbol(symbol)?);
            let Some((file, definition)) = navigator.resolver.definition(symbol)? else { continue };
            types.names.insert(definition.name.clone());
            types.is_variant |= definition.kind == Kind::Variant;
            // A variant is handled with its type.
            let owner = definition.parent.and_then(|parent| file.definitions().get(parent as usize));
            if let (Some(parent), Some(owner)) = (definition.parent, owner)
                && owner.kind.is_type()
                && !definition.kind.is_type()
            {
                pending.push(Symbol { ordinal: parent, ..symbol });
            }
            if !definition.kind.is_type() {
                continue;
            }
            for kin in navigator.types_above(symbol)? {
                let written = last_name(kin.written.split(['<', '(', '[']).next().unwrap_or("")).to_string();
                match kin.symbol {
                    Some(above) if !pending.contains(&above) => pending.push(above),
                    Some(_) => {}
                    None => outside.push(written.clone()),
                }
                types.names.insert(written);
            }
        }
        let home = kind.map_or(version, |kind| kind.version);
        self.add_parents(home, outside, &mut types)?;
        Ok(types)
    }

    /// Adds the types above types from outside, as far as the language's library is known.
    fn add_parents(&self, home: VersionId, outside: Vec<String>, types: &mut ErrorTypes) -> Result<()> {
        let code = self.files.code(home)?;
        for name in outside {
            let mut at = name;
            for _ in 0..MAX_ABOVE {
                let parent = code.as_ref().and_then(|code| code.error_parent(&at));
                types.names.insert(at);
                match parent {
                    Some("") => break,
                    Some(parent) => at = parent.to_string(),
                    None => {
                        types.is_open = true;
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the handlers of a guard that take an error: the first that surely does, and before
    /// it those that may.
    pub(super) fn taken(
        &self,
        version: VersionId,
        handlers: &[ErrorHandler],
        types: &ErrorTypes,
    ) -> Result<Vec<TakingHandler>> {
        let path = self.files.navigator.snapshot().path_of(version).unwrap_or("");
        let mut found = Vec::new();
        for handler in handlers {
            if types.is_variant && self.is_for_other_variants(path, handler, types)? {
                continue;
            }
            let named = handler.types.iter().map(|(name, place)| self.matches(path, name, *place, types));
            let mut best: Option<(UseClass, String)> = None;
            for (matched, (name, _)) in named.zip(&handler.types) {
                let Some(class) = matched? else { continue };
                if best.as_ref().is_none_or(|(known, _)| class < *known) {
                    best = Some((class, name.clone()));
                }
            }
            if handler.is_for_all && best.as_ref().is_none_or(|(class, _)| *class != UseClass::Static) {
                let name = handler.types.first().map(|(name, _)| name.clone());
                best = Some((UseClass::Static, name.unwrap_or_default()));
            }
            let Some((class, name)) = best else { continue };
            found.push(TakingHandler {
                line: handler.line,
                end_line: handler.end_line,
                name,
                class,
                effect: handler.effect,
            });
            if class < UseClass::Possible {
                break;
            }
        }
        Ok(found)
    }

    /// Returns whether a handler names variants, and none of the error.
    fn is_for_other_variants(&self, path: &str, handler: &ErrorHandler, types: &ErrorTypes) -> Result<bool> {
        let mut is_other = false;
        for (_, at) in &handler.types {
            let Some(used) = self.files.navigator.use_at(path, at.line, at.column)? else { continue };
            for symbol in used.meaning.symbols() {
                let found = self.files.navigator.resolver.definition(*symbol)?;
                if found.is_some_and(|(_, definition)| definition.kind == Kind::Variant) {
                    if types.symbols.contains(symbol) {
                        return Ok(false);
                    }
                    is_other = true;
                }
            }
        }
        Ok(is_other)
    }

    /// Returns how certain it is that a name in a handler means a type of the error; `None` if it
    /// does not.
    fn matches(&self, path: &str, name: &str, at: CodePlace, types: &ErrorTypes) -> Result<Option<UseClass>> {
        let used = self.files.navigator.use_at(path, at.line, at.column)?;
        let symbols = used.as_ref().map(|used| used.meaning.symbols().to_vec()).unwrap_or_default();
        if symbols.iter().any(|symbol| types.symbols.contains(symbol)) {
            let is_static = used
                .is_some_and(|used| matches!(&*used.meaning, Resolution::Found { confidence: Confidence::Static, .. }));
            return Ok(Some(if is_static { UseClass::Static } else { UseClass::Likely }));
        }
        if types.names.contains(name) && symbols.is_empty() {
            return Ok(Some(UseClass::Likely));
        }
        // Another type from outside may be above it.
        let may_be_above = types.is_open && symbols.is_empty() && name.starts_with(char::is_uppercase);
        Ok(may_be_above.then_some(UseClass::Possible))
    }
}
