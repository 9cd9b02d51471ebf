//! Tools for definitions.

use codecompass_app::api::symbols::find::FindRequest;
use codecompass_app::api::symbols::locate::LocateRequest;
use codecompass_app::api::symbols::outline::OutlineRequest;
use codecompass_app::api::symbols::show::ShowRequest;

use super::{Tool, asks};
use crate::mcp::schema::Listing;

pub(super) const LOCATE_SYMBOL: Tool = Tool {
    is_core: true,
    listing: Listing { detail: true, workspaces: true, ..Listing::PLAIN },
    ..asks::<LocateRequest>(
        "locate_symbol",
        "Where a symbol is defined. Give symbol, or at to resolve the name at a place. Typos are forgiven.",
    )
};

pub(super) const GET_SYMBOL: Tool =
    Tool { is_core: true, ..asks::<ShowRequest>("get_symbol", "Full source, signature and doc of symbols.") };

pub(super) const GET_FILE_OUTLINE: Tool = Tool {
    is_core: true,
    listing: Listing { detail: true, ..Listing::PLAIN },
    ..asks::<OutlineRequest>(
        "get_file_outline",
        "Definitions of files or a folder with lines and signatures; cheaper than reading.",
    )
};

pub(super) const FIND_SYMBOLS: Tool = Tool {
    listing: Listing { rare: true, detail: true, ..Listing::PLAIN },
    ..asks::<FindRequest>(
        "find_symbols",
        "Every definition with given attributes: kind, visibility, modifiers, decorator, return type, number of \
         parameters, doc, role, path. Lists of values mean any of them; modifiers all. For one name: locate_symbol.",
    )
};
