//! Names and short texts of a file, each kept once.

use rustc_hash::FxHashMap;

use crate::facts::DeclaredType;

/// Numbers texts in the order in which they are first seen.
#[derive(Default)]
pub(super) struct Interner<'text> {
    list: Vec<String>,
    /// Texts that stand in the source as they are.
    borrowed: FxHashMap<&'text str, u32>,
    /// Texts that do not.
    owned: FxHashMap<String, u32>,
}

impl<'text> Interner<'text> {
    pub(super) fn intern(&mut self, text: &'text str) -> u32 {
        *self.borrowed.entry(text).or_insert_with(|| {
            self.list.push(text.to_string());
            self.list.len() as u32 - 1
        })
    }

    pub(super) fn intern_owned(&mut self, text: String) -> u32 {
        if let Some(index) = self.borrowed.get(text.as_str()) {
            return *index;
        }
        *self.owned.entry(text.clone()).or_insert_with(|| {
            self.list.push(text);
            self.list.len() as u32 - 1
        })
    }

    /// Returns all texts; their places are their numbers.
    pub(super) fn into_list(self) -> Vec<String> {
        self.list
    }
}

/// The types of bindings, each kept once.
#[derive(Default)]
pub(super) struct TypeTable {
    list: Vec<DeclaredType>,
    by_text: FxHashMap<String, u32>,
}

impl TypeTable {
    pub(super) fn intern(&mut self, declared: DeclaredType) -> u32 {
        *self.by_text.entry(declared.text.clone()).or_insert_with(|| {
            self.list.push(declared);
            self.list.len() as u32 - 1
        })
    }

    /// Returns all types; their places are their numbers.
    pub(super) fn into_list(self) -> Vec<DeclaredType> {
        self.list
    }
}
