//! Names, types and chains of a file, each kept once.

use rustc_hash::FxHashMap;

use crate::facts::{Chain, DeclaredType};

/// Numbers texts in the order in which they are first seen.
#[derive(Default)]
pub(super) struct Interner<'text> {
    list: Vec<String>,
    numbers: FxHashMap<&'text str, u32>,
}

impl<'text> Interner<'text> {
    pub(super) fn intern(&mut self, text: &'text str) -> u32 {
        *self.numbers.entry(text).or_insert_with(|| {
            self.list.push(text.to_string());
            self.list.len() as u32 - 1
        })
    }

    /// Returns all texts; their places are their numbers.
    pub(super) fn into_list(self) -> Vec<String> {
        self.list
    }
}

/// The types of bindings and in chains, each kept once.
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

/// Receivers and values, each kept once.
#[derive(Default)]
pub(super) struct ChainTable {
    list: Vec<Chain>,
    numbers: FxHashMap<Chain, u32>,
}

impl ChainTable {
    pub(super) fn intern(&mut self, chain: Chain) -> u32 {
        if let Some(index) = self.numbers.get(&chain) {
            return *index;
        }
        let index = self.list.len() as u32;
        self.list.push(chain.clone());
        self.numbers.insert(chain, index);
        index
    }

    /// Returns all chains; their places are their numbers.
    pub(super) fn into_list(self) -> Vec<Chain> {
        self.list
    }
}
