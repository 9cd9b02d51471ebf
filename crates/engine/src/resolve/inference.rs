//! The inference that is under way: the steps it has left, and the questions that lie in one
//! another. A question is asked in the middle of others, so its state belongs to the resolver; all
//! of it is changed here, and what is set for a part of the work is reset at the end of that part.

use std::cell::{Cell, RefCell};

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::model::VersionId;
use crate::resolve::entity::Symbol;
use crate::resolve::value::Substitution;

/// Steps of inference that one question may take, and each fact that is found on the way to it;
/// more means a knot that is not worth untying.
const FUEL: u32 = 600;
/// Questions that may lie in one another.
const MAX_DEPTH: u32 = 48;

/// The state of one resolver's inference.
pub(super) struct Inference {
    fuel: Cell<u32>,
    depth: Cell<u32>,
    /// Counts how often steps ran out.
    shortages: Cell<u32>,
    /// The outermost of the symbols in `asked` that the work under way went without, since they
    /// were being asked for already or too much was; `usize::MAX` if there is none. What is found
    /// without a symbol holds as soon as that symbol's own answer is found.
    missed: Cell<usize>,
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
            shortages: Cell::default(),
            missed: Cell::new(usize::MAX),
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
        if left == 0 {
            self.shortages.set(self.shortages.get() + 1);
            return None;
        }
        if depth >= MAX_DEPTH {
            self.missed.set(0);
            return None;
        }
        self.depth.set(depth + 1);
        Some(DepthGuard(&self.depth))
    }

    /// Answers a question about a symbol once; remembered in `known` when the answer is whole. It
    /// has steps of its own, so that the answer does not depend on who asks.
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
        let asked_at = self.asked.borrow().iter().position(|asked| *asked == (what, symbol));
        if let Some(at) = asked_at {
            self.missed.set(self.missed.get().min(at));
            return Ok(T::default());
        }
        let Some(_deeper) = self.step() else { return Ok(T::default()) };
        let place = self.asked.borrow().len();
        self.asked.borrow_mut().push((what, symbol));
        // What is remembered holds whatever the arguments of a type are.
        let substitutions = self.substitutions.take();
        let (fuel, shortages) = (self.fuel.replace(FUEL), self.shortages.get());
        let missed = self.missed.replace(usize::MAX);
        let found = find();
        let used = FUEL - self.fuel.get();
        let is_whole = self.missed.get() >= place;
        self.substitutions.replace(substitutions);
        self.asked.borrow_mut().pop();
        self.shortages.set(shortages);
        self.missed.set(if is_whole { missed } else { missed.min(self.missed.get()) });
        // What has to be found again is paid for by those who ask.
        self.fuel.set(if is_whole { fuel } else { fuel.saturating_sub(used) });
        let found = found?;
        if is_whole {
            known.borrow_mut().insert(symbol, found.clone());
        }
        Ok(found)
    }

    /// Returns what `work` finds, and whether it went without nothing.
    pub(super) fn noting_cuts<T>(&self, work: impl FnOnce() -> T) -> (T, bool) {
        let (missed, shortages) = (self.missed.replace(usize::MAX), self.shortages.get());
        let done = work();
        let is_whole = self.missed.get() == usize::MAX && self.shortages.get() == shortages;
        self.missed.set(missed.min(self.missed.get()));
        (done, is_whole)
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
