//! Tools for definitions.

use super::{Tool, asks};
use crate::api::symbols::locate::LocateRequest;
use crate::api::symbols::outline::OutlineRequest;
use crate::api::symbols::show::ShowRequest;

pub(super) const LOCATE_SYMBOL: Tool = Tool {
    is_core: true,
    ..asks::<LocateRequest>(
        "locate_symbol",
        "Where a symbol is defined. Give symbol, or at to resolve the name at a place. Typos are forgiven.",
    )
};

pub(super) const GET_SYMBOL: Tool =
    Tool { is_core: true, ..asks::<ShowRequest>("get_symbol", "Full source, signature and doc of one symbol.") };

pub(super) const GET_FILE_OUTLINE: Tool = Tool {
    is_core: true,
    ..asks::<OutlineRequest>(
        "get_file_outline",
        "Definitions of files or a folder with lines and signatures; cheaper than reading.",
    )
};
