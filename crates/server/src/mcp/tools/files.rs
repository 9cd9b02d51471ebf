//! Tools for files and folders.

use codecompass_app::api::files::list::ListRequest;
use codecompass_app::api::files::read::ReadRequest;

use super::{Tool, asks};

pub(super) const READ_FILE: Tool = Tool {
    is_core: true,
    ..asks::<ReadRequest>("read_file", "Numbered lines of files and definitions, several places at once, of any ref.")
};

pub(super) const LIST_DIRECTORY: Tool = asks::<ListRequest>(
    "list_directory",
    "Files with their lines and folders with their totals, as a tree to a depth; ignored files are left out.",
);
