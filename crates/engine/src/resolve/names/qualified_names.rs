//! The qualified names of the definitions that have one bare name.

use rustc_hash::FxHashMap;

use crate::resolve::entity::Symbol;

/// The definitions with one bare name by their qualified names.
#[derive(Default)]
pub(in crate::resolve) struct QualifiedNames {
    /// By the parts of the name.
    parts: FxHashMap<String, Vec<Symbol>>,
    /// By the name as it is written, for those with a part that no path can have.
    written: FxHashMap<String, Vec<Symbol>>,
}

impl QualifiedNames {
    pub(in crate::resolve) fn add(&mut self, qualified: &str, separator: &str, symbol: Symbol) {
        let parts = joined(qualified.split(separator));
        if parts.contains(SIGNS) {
            self.written.entry(qualified.to_string()).or_default().push(symbol);
        } else {
            self.parts.entry(parts).or_default().push(symbol);
        }
    }

    /// Returns the definitions with the parts of a path in any notation.
    pub(in crate::resolve) fn get(&self, path: &str) -> impl Iterator<Item = Symbol> {
        let found = [self.parts.get(&joined(path.split(SIGNS))), self.written.get(path)];
        found.into_iter().flatten().flatten().copied()
    }
}

/// The signs between the parts of a path.
const SIGNS: [char; 3] = ['\\', '.', ':'];

fn joined<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    parts.join("\0")
}
