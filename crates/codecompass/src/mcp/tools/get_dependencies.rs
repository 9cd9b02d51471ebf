//! `get_dependencies`: imports, importers and import cycles.

use super::{Tool, asks};
use crate::api::relations::deps::DepsRequest;

pub(super) const TOOL: Tool =
    asks::<DepsRequest>("get_dependencies", "What a file or module imports, who imports it, and import cycles.");
