//! The savings ledger: how many calls agents made, what the answers cost in tokens, and what the
//! lines and files that they replace would have cost.
//!
//! `rule.rs` says what an answer replaces, `ledger.rs` adds up the calls of a server in a thread of
//! its own, `file.rs` keeps the sums in the data directory. Only numbers, names of tools and days
//! are kept, and nothing is sent anywhere.

mod file;
mod ledger;
pub mod rule;

use std::iter::Sum;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

pub use self::file::{LedgerFile, LedgerRows};
pub use self::ledger::Ledger;

/// Sums over some calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSums {
    pub calls: u64,
    /// Calls whose answer replaces nothing: errors, empty answers, questions about the index.
    pub without_places: u64,
    /// The tokens of all answers, an upper estimate.
    pub answer_tokens: u64,
    /// The tokens of the lines and files that the answers replace, a lower estimate.
    pub replaced_tokens: u64,
}

impl CallSums {
    /// Returns the sums over one call.
    pub fn of_call(answer_tokens: u64, replaced_tokens: u64) -> CallSums {
        CallSums { calls: 1, without_places: u64::from(replaced_tokens == 0), answer_tokens, replaced_tokens }
    }
}

impl AddAssign for CallSums {
    fn add_assign(&mut self, other: CallSums) {
        let add = |sum: &mut u64, number: u64| *sum = sum.saturating_add(number);
        add(&mut self.calls, other.calls);
        add(&mut self.without_places, other.without_places);
        add(&mut self.answer_tokens, other.answer_tokens);
        add(&mut self.replaced_tokens, other.replaced_tokens);
    }
}

impl Sum for CallSums {
    fn sum<I: Iterator<Item = CallSums>>(all: I) -> CallSums {
        let mut total = CallSums::default();
        all.for_each(|sums| total += sums);
        total
    }
}
