//! Questions about one definition: the commits that changed it, and those that its lines come from.

pub(super) mod blame;
pub(super) mod symbol;
