//! `get_symbol`: source and facts of one symbol.

use super::{Tool, asks};
use crate::api::symbols::show::ShowRequest;

pub(super) const TOOL: Tool =
    Tool { is_core: true, ..asks::<ShowRequest>("get_symbol", "Full source, signature and doc of one symbol.") };
