//! `grep_code`: the lines that a pattern matches.

use super::{Tool, asks};
use crate::api::find::grep::GrepRequest;

pub(super) const TOOL: Tool = Tool {
    is_core: true,
    ..asks::<GrepRequest>(
        "grep_code",
        "Every line that a regex or literal matches, as ripgrep finds them, with the enclosing definition; any ref. \
         For exact text: messages, keys, operators. For uses of a symbol: find_references.",
    )
};
