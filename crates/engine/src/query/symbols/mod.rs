//! Questions about definitions and places: find them, show them, outline their file.

pub(super) mod attributes;
pub(super) mod counts;
mod definitions_meant;
pub(super) mod find;
pub(super) mod goto_definition;
pub(super) mod locate;
pub(super) mod marks;
pub(super) mod neighbours;
pub(super) mod outline;
pub(super) mod public_api;
pub(super) mod source_lines;
pub(super) mod source_text;
pub(super) mod symbol_argument;
