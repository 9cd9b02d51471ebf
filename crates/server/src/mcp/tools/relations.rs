//! Tools for relations between symbols and files.

use codecompass_app::api::relations::deps::DepsRequest;
use codecompass_app::api::relations::hierarchy::HierarchyRequest;
use codecompass_app::api::relations::overview::OverviewRequest;
use codecompass_app::api::relations::projects::ProjectsRequest;
use codecompass_app::api::relations::related::RelatedRequest;
use codecompass_app::api::relations::similar::SimilarRequest;

use super::{Tool, asks};

pub(super) const GET_SYMBOL_HIERARCHY: Tool = Tool {
    is_core: true,
    ..asks::<HierarchyRequest>(
        "get_symbol_hierarchy",
        "Subtypes and implementations of a type, direct and inherited, its supertypes and members; what overrides a \
         method.",
    )
};

pub(super) const GET_DEPENDENCIES: Tool =
    asks::<DepsRequest>("get_dependencies", "What a file or module imports, who imports it, and import cycles.");

pub(super) const GET_ARCHITECTURE: Tool = Tool {
    is_core: true,
    ..asks::<OverviewRequest>(
        "get_architecture",
        "The repository on one page: languages, projects, entry points, central files, endpoints, tests. For a first \
         look.",
    )
};

pub(super) const LIST_PROJECTS: Tool = asks::<ProjectsRequest>(
    "list_projects",
    "Packages, crates and modules of the repository, from its manifests, with their dependencies on each other. Other \
     tools take `project`.",
);

pub(super) const FIND_RELATED_SYMBOLS: Tool = asks::<RelatedRequest>(
    "find_related_symbols",
    "Tests of a symbol, what it uses, what is used together with it, what stands beside it.",
);

pub(super) const SEARCH_SIMILAR_SYMBOL: Tool = asks::<SimilarRequest>(
    "search_similar_symbol",
    "Copies of a symbol and symbols with like names, signatures or bodies.",
);
