//! A list that may be longer than what an answer shows of it.

/// Items of a list that may be longer than what is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed<T> {
    /// At most as many as were asked for.
    pub items: Vec<T>,
    /// The length of the whole list.
    pub total: usize,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Listed { items: Vec::new(), total: 0 }
    }
}

impl<T> Listed<T> {
    pub(super) fn new(mut items: Vec<T>, limit: usize) -> Listed<T> {
        let total = items.len();
        items.truncate(limit);
        Listed { items, total }
    }

    /// Returns the number of items left out.
    pub fn left_out(&self) -> usize {
        self.total.saturating_sub(self.items.len())
    }
}
