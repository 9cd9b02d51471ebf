//! The inference that is under way: the steps it has left, and the questions that lie in one
//! another. A question is asked in the middle of others, so its state belongs to the resolver; all
//! of it is changed here, and what is set for a part of the work is reset at the end of that part.

use std::cell::{Cell, RefCell};

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::model::VersionId;
use crate::resolve::entity::Symbol;
use crate::resolve::value::Substitution;

/// Steps of inference that one question may take; more means a knot that is not worth untying.
const FUEL: u32 = 600;
/// Questions that may lie in one another.
const MAX_DEPTH: u32 = 48;

/// The state of one resolver's inference.
pub(super) struct Inference {
    fuel: Cell<u32>,
    depth: Cell<u32>,
    /// Counts answers that were cut short, by fuel, depth or a cycle; what was computed meanwhile
    /// is not remembered.
    cuts: Cell<u32>,
    /// True if the answer so far rests on a guess.
    is_guess: Cell<bool>,
    /// Set while the first part of a path is looked up in wildcard imports.
    is_in_wildcards: Cell<bool>,
    /// The arguments that the type parameters of types stand for, innermost last.
    substitutions: RefCell<Vec<Substitution>>,
    /// Symbols whose owners, supertypes or results are being asked for.
    asked: RefCell<Vec<(&'static str, Symbol)>>,
    /// Imports that are being followed: file and number.
    followed: RefCell<Vec<(VersionId, usize)>>,
}

/// One question inside another; its end gives the depth back.
pub(super) struct DepthGuard<'a>(&'a Cell<u32>);

impl Drop for DepthGuard<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl Default for Inference {
    fn default() -> Inference {
        Inference {
            fuel: Cell::new(FUEL),
            depth: Cell::default(),
            cuts: Cell::default(),
            is_guess: Cell::default(),
            is_in_wildcards: Cell::default(),
            substitutions: RefCell::default(),
            asked: RefCell::default(),
            followed: RefCell::default(),
        }
    }
}

impl Inference {
    /// Begins a question: it has all steps.
    pub(super) fn begin(&self) {
        self.fuel.set(FUEL);
    }

    /// Takes a step; `None` when there are none left, or when questions lie too deep in one
    /// another.
    pub(super) fn step(&self) -> Option<DepthGuard<'_>> {
        let (left, depth) = (self.fuel.get(), self.depth.get());
        self.fuel.set(left.saturating_sub(1));
        if left == 0 || depth >= MAX_DEPTH {
            self.cut();
            return None;
        }
        self.depth.set(depth + 1);
        Some(DepthGuard(&self.depth))
    }

    fn cut(&self) {
        self.cuts.set(self.cuts.get() + 1);
    }

    /// Answers a question about a symbol once; remembered in `known` when the answer is whole.
    pub(super) fn remembered<T: Default + Clone>(
        &self,
        what: &'static str,
        known: &RefCell<FxHashMap<Symbol, T>>,
        symbol: Symbol,
        find: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        if let Some(known) = known.borrow().get(&symbol) {
            return Ok(known.clone());
        }
        let is_cycle = self.asked.borrow().contains(&(what, symbol));
        let Some(_deeper) = self.step().filter(|_| !is_cycle) else {
            self.cut();
            return Ok(T::default());
        };
        let before = self.cuts.get();
        self.asked.borrow_mut().push((what, symbol));
        // What is remembered holds whatever the arguments of a type are.
        let substitutions = self.substitutions.take();
        let found = find();
        self.substitutions.replace(substitutions);
        self.asked.borrow_mut().pop();
        let found = found?;
        if self.cuts.get() == before || self.asked.borrow().is_empty() && self.fuel.get() > 0 {
            known.borrow_mut().insert(symbol, found.clone());
        }
        Ok(found)
    }

    /// Returns whether a question about a symbol is being answered.
    pub(super) fn is_asked(&self, what: &'static str, symbol: Symbol) -> bool {
        self.asked.borrow().contains(&(what, symbol))
    }

    /// Notes that the answer rests on a guess.
    pub(super) fn guess(&self) {
        self.is_guess.set(true);
    }

    /// Returns what `work` does, and whether it guessed.
    pub(super) fn noting_guesses<T>(&self, work: impl FnOnce() -> T) -> (T, bool) {
        let before = self.is_guess.replace(false);
        let done = work();
        (done, self.is_guess.replace(before))
    }

    /// Does `work` while the parameters of a type stand for its arguments.
    pub(super) fn substituting<T>(&self, substitution: Substitution, work: impl FnOnce() -> T) -> T {
        self.substitutions.borrow_mut().push(substitution);
        let done = work();
        self.substitutions.borrow_mut().pop();
        done
    }

    /// Returns the innermost type whose parameters stand for arguments.
    pub(super) fn substitution(&self) -> Option<Substitution> {
        self.substitutions.borrow().last().cloned()
    }

    /// Follows an import, by its file and number, unless it is being followed already.
    pub(super) fn follow<T: Default>(&self, import: (VersionId, usize), work: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.followed.borrow().contains(&import) {
            return Ok(T::default());
        }
        self.followed.borrow_mut().push(import);
        let done = work();
        self.followed.borrow_mut().pop();
        done
    }

    /// Looks into wildcard imports for the first part of a path, unless that is being done already.
    pub(super) fn in_wildcards<T: Default>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.is_in_wildcards.replace(true) {
            return Ok(T::default());
        }
        let done = work();
        self.is_in_wildcards.set(false);
        done
    }
}
