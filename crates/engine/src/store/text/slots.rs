//! Numbers of documents while a query is scored. Zeroed memory for all documents of a segment costs
//! more than most queries do with it, so it is used again: a query makes zero what it touched.

use std::sync::{Mutex, PoisonError};

/// Slots of more documents are not kept; the system provides zeroed pages for them as they are
/// touched.
const MAX_DOCUMENTS: usize = 1 << 18;
/// The most documents of all slots that are kept.
const MAX_KEPT: usize = 1 << 21;

static IDLE: Mutex<Vec<Slots>> = Mutex::new(Vec::new());

/// A place for each document of a segment; those of documents without a term are zero.
#[derive(Default)]
pub(super) struct Slots {
    /// The weighted count of the term that is looked at.
    pub frequency: Vec<f32>,
    pub score: Vec<f32>,
    /// Bit N is set when the query's term N occurs.
    pub matched: Vec<u64>,
}

impl Slots {
    /// Returns zeroed slots for at least `size` documents.
    pub(super) fn take(size: usize) -> Slots {
        let idle = if size <= MAX_DOCUMENTS { IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop() } else { None };
        let Some(mut slots) = idle else {
            return Slots { frequency: vec![0.0; size], score: vec![0.0; size], matched: vec![0; size] };
        };
        if slots.frequency.len() < size {
            slots.frequency.resize(size, 0.0);
            slots.score.resize(size, 0.0);
            slots.matched.resize(size, 0);
        }
        slots
    }

    /// Keeps slots for another query, after those of `found` were made zero: no other may be
    /// anything else.
    pub(super) fn keep(mut self, found: &[u32]) {
        let size = self.frequency.len();
        if size > MAX_DOCUMENTS {
            return;
        }
        for doc in found.iter().map(|doc| *doc as usize) {
            self.score[doc] = 0.0;
            self.matched[doc] = 0;
        }
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.iter().map(|slots| slots.frequency.len()).sum::<usize>() + size <= MAX_KEPT {
            idle.push(self);
        }
    }
}
