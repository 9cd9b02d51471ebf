//! The pages, one file each, and their table.

mod branch;
mod compare;
mod endpoints;
mod file;
mod folder;
mod health;
mod history;
mod map;
mod projects;
mod refs;
mod search;
mod services;
mod symbol;

use codecompass_app::error::AppError;

use super::asker::{Asker, Reply};
use super::links::AddressTarget;

/// A page.
pub(super) struct PageKind {
    /// The name in addresses.
    name: &'static str,
    /// The name in the audit log.
    pub log_name: &'static str,
    /// True if it waits for the first index run.
    pub needs_index: bool,
    pub make: fn(&Asker<'_>, &AddressTarget) -> Result<Reply, AppError>,
}

const fn page(
    name: &'static str,
    log_name: &'static str,
    make: fn(&Asker<'_>, &AddressTarget) -> Result<Reply, AppError>,
) -> PageKind {
    PageKind { name, log_name, needs_index: true, make }
}

/// Files and folders.
const PATHS: PageKind = page("", "ui_path", file::page);

/// All others.
const PAGES: [PageKind; 15] = [
    page("search", "ui_search", search::page),
    page("symbol", "ui_symbol", symbol::page),
    page("branch", "ui_branch", branch::page),
    page("compare", "ui_compare", compare::page),
    page("map", "ui_map", map::page),
    page("endpoints", "ui_endpoints", endpoints::page),
    page("services", "ui_services", services::page),
    page("projects", "ui_projects", projects::page),
    page("history", "ui_history", history::page),
    PageKind { needs_index: false, ..page("branches", "ui_branches", refs::page) },
    PageKind { needs_index: false, ..page("at", "ui_at", refs::change) },
    PageKind { needs_index: false, ..page("health", "ui_health", health::page) },
    page("skipped", "ui_skipped", health::left_out),
    page("uses", "ui_uses", symbol::uses),
    page("files", "ui_files", folder::page),
];

/// Returns the page that an address means.
pub(super) fn find(target: &AddressTarget) -> Option<&'static PageKind> {
    match target {
        AddressTarget::Path(_) => Some(&PATHS),
        AddressTarget::Page(name) => PAGES.iter().find(|page| page.name == name),
    }
}
