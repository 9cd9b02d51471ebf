//! Tools for uses, calls and changes.

use codecompass_app::api::navigate::calls::CallsRequest;
use codecompass_app::api::navigate::compare::CompareRequest;
use codecompass_app::api::navigate::diff::DiffRequest;
use codecompass_app::api::navigate::endpoints::EndpointsRequest;
use codecompass_app::api::navigate::impact::ImpactRequest;
use codecompass_app::api::navigate::refs::RefsRequest;
use codecompass_app::api::navigate::services::ServicesRequest;
use codecompass_app::api::navigate::trace::TraceRequest;

use super::{Tool, asks};
use crate::mcp::schema::Listing;

pub(super) const FIND_REFERENCES: Tool = Tool {
    is_core: true,
    ..asks::<RefsRequest>(
        "find_references",
        "Every use of a symbol, resolved, with confidence and enclosing definition. Use instead of grep.",
    )
};

pub(super) const GET_CALL_GRAPH: Tool = Tool {
    is_core: true,
    listing: Listing { source: true, ..Listing::PLAIN },
    ..asks::<CallsRequest>(
        "get_call_graph",
        "Who calls a function and what it calls, to a depth; source: bodies shows a whole flow.",
    )
};

pub(super) const TRACE_PATH: Tool = Tool {
    listing: Listing { source: true, ..Listing::PLAIN },
    ..asks::<TraceRequest>(
        "trace_path",
        "Chains of calls that lead to a symbol; or the way of a value, or of an error.",
    )
};

pub(super) const ANALYZE_IMPACT: Tool = Tool {
    is_core: true,
    ..asks::<ImpactRequest>(
        "analyze_impact",
        "Code, entry points and tests that a change of a symbol or of the branch may affect.",
    )
};

pub(super) const DIFF_CONTEXT: Tool = Tool {
    is_core: true,
    listing: Listing { detail: true, ..Listing::PLAIN },
    ..asks::<DiffRequest>(
        "diff_context",
        "Symbols added, modified, deleted, moved or renamed on ref (default: files on disk) since base.",
    )
};

pub(super) const COMPARE_SYMBOL_BETWEEN_COMMITS: Tool =
    asks::<CompareRequest>("compare_symbol_between_commits", "One symbol at two refs: both sources and their diff.");

pub(super) const LIST_ENDPOINTS: Tool =
    asks::<EndpointsRequest>("list_endpoints", "HTTP routes with handlers, prefixes joined; with base: what changed.");

pub(super) const LIST_SERVICES: Tool = asks::<ServicesRequest>(
    "list_services",
    "gRPC and GraphQL services: methods, types, the code that answers and calls them; OpenAPI files against the code.",
);
