//! The part of a tree that is asked about.

use codecompass_testkit::Random;

/// The part of a tree that is asked about.
pub(crate) struct Extent {
    /// At most this many definitions.
    pub(crate) symbols: usize,
    /// At most this many names in texts.
    pub(crate) names: usize,
    /// At most this many uses of each.
    pub(crate) uses: usize,
    /// The choice among them.
    pub(crate) random: Random,
}

impl Extent {
    /// Chooses some of several things.
    pub(super) fn some_of<'a, T: ?Sized>(&mut self, things: &[&'a T]) -> Vec<&'a T> {
        let mut left = things.to_vec();
        let mut chosen = Vec::new();
        while chosen.len() < self.uses && !left.is_empty() {
            chosen.push(left.swap_remove(self.random.below(left.len() as u64) as usize));
        }
        chosen
    }
}
