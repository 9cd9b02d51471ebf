//! Tools for files and folders.

use codecompass_app::api::files::list::ListRequest;
use codecompass_app::api::files::read::ReadRequest;

use super::{Tool, asks};

pub(super) const READ_FILE: Tool = asks::<ReadRequest>(
    "read_file",
    "Numbered lines of files, of any ref. For one definition use get_symbol, for an overview get_file_outline.",
);

pub(super) const LIST_DIRECTORY: Tool = asks::<ListRequest>(
    "list_directory",
    "Files with their lines and folders with their totals, as a tree to a depth; ignored files are left out.",
);
