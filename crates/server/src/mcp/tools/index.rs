//! Tools for branches and the index.

use codecompass_app::api::index::branches::BranchesRequest;
use codecompass_app::api::index::build::IndexRequest;
use codecompass_app::api::index::doctor::DoctorRequest;
use codecompass_app::api::index::status::StatusRequest;
use codecompass_app::api::index::switch::SwitchRequest;
use codecompass_app::api::index::sync::SyncRequest;

use super::{Tool, asks};

pub(super) const INDEX_STATUS: Tool = Tool {
    needs_index: false,
    ..asks::<StatusRequest>("index_status", "What the index holds, whether it is fresh, and how far indexing is.")
};

pub(super) const LIST_REFS: Tool = Tool {
    needs_index: false,
    ..asks::<BranchesRequest>("list_refs", "Branches: where they are checked out, ahead and behind, whether indexed.")
};

pub(super) const HEALTH_CHECK: Tool = Tool {
    needs_index: false,
    ..asks::<DoctorRequest>("health_check", "Whether workspace, store and index are sound, and what to do if not.")
};

pub(super) const SYNC_REPO: Tool = Tool {
    reads_only: false,
    ..asks::<SyncRequest>(
        "sync_repo",
        "Bring the index up to date now and say what changed. Questions do so by themselves.",
    )
};

pub(super) const INDEX_REPO: Tool = Tool {
    reads_only: false,
    ..asks::<IndexRequest>(
        "index_repo",
        "Index the workspace now, with all vectors. Rarely needed: questions keep the index up to date.",
    )
};

pub(super) const SWITCH_REF: Tool = Tool {
    needs_index: false,
    reads_only: false,
    ..asks::<SwitchRequest>(
        "switch_ref",
        "Choose the ref that calls without ref are about, for everybody in this workspace; git's checkout stays.",
    )
};
