//! `locate_symbol`: the definitions of a name, and the meaning of a name at a place.

use super::{Tool, asks};
use crate::api::symbols::locate::LocateRequest;

pub(super) const TOOL: Tool = Tool {
    is_core: true,
    ..asks::<LocateRequest>(
        "locate_symbol",
        "Where a symbol is defined. Give symbol, or at to resolve the name at a place. Typos are forgiven.",
    )
};
