//! Questions about one definition or place: find it, show it, outline its file.

pub(super) mod goto_definition;
pub(super) mod locate;
pub(super) mod neighbours;
pub(super) mod outline;
pub(super) mod source_text;
pub(super) mod symbol_argument;
