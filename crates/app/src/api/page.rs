//! Long lists in pages: what to skip, and where the next page begins.

use codecompass_engine::query::Listed;

use super::arguments::PageArgs;
use super::metadata::{Completeness, Metadata};
use crate::remedy::Remedy;

/// The stretch of each list that an answer shows.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    offset: usize,
    limit: usize,
}

impl Page {
    pub fn new(args: PageArgs, limit: usize) -> Page {
        Page { offset: args.offset as usize, limit }
    }

    /// The number of items before the page.
    pub fn offset(self) -> usize {
        self.offset
    }

    /// The largest number of items of the page.
    pub fn limit(self) -> usize {
        self.limit
    }

    /// Returns the number of items to ask for so that the page is among them.
    pub fn end(self) -> usize {
        self.offset.saturating_add(self.limit)
    }

    /// Drops what stands before the page.
    pub fn skip<T>(self, items: &mut Vec<T>) {
        items.drain(..self.offset.min(items.len()));
    }

    /// The lines of a text that the page shows, and how many stand before them.
    pub fn lines(self, text: &str) -> (String, usize) {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let skipped = self.offset.min(lines.len());
        self.skip(&mut lines);
        (lines.concat(), skipped)
    }

    /// The same for a list that knows its length.
    pub fn skip_listed<T>(self, listed: &mut Listed<T>) {
        self.skip(&mut listed.items);
    }

    /// Returns the number of items, of `total`, that follow the `shown` ones.
    pub fn behind(self, total: usize, shown: usize) -> usize {
        total.saturating_sub(self.offset.saturating_add(shown))
    }

    /// Sets where the page stands, and where the next one begins if any list of these lengths goes
    /// on.
    pub fn mark<E>(self, metadata: &mut Metadata<E>, totals: &[usize]) {
        metadata.offset = Some(self.offset).filter(|offset| *offset > 0);
        if let (Some(total), Some(returned)) = (metadata.total_candidates, metadata.returned) {
            let before: usize = totals.iter().map(|total| self.offset.min(*total)).sum();
            metadata.set_remaining(total.saturating_sub(before + returned));
        }
        if totals.iter().any(|total| *total > self.end()) {
            metadata.next_offset = Some(self.end());
            let advice = format!("go on with offset {}, raise the limit, or narrow the question", self.end());
            metadata.suggestion = Some(Remedy::from(advice).into());
        } else if self.offset > 0 && metadata.result_completeness == Some(Completeness::Truncated) {
            // What is not here was on the pages before.
            metadata.result_completeness = metadata.complete();
        }
    }
}
