//! Questions about many commits at once: counts of them, files that change most, and what changes
//! together.

pub(super) mod activity;
pub(super) mod groups;
pub(super) mod together;
