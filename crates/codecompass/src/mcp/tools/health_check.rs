//! `health_check`: whether everything is as it should be.

use super::{Tool, asks};
use crate::api::index::doctor::DoctorRequest;

pub(super) const TOOL: Tool = Tool {
    needs_index: false,
    ..asks::<DoctorRequest>("health_check", "Whether workspace, store and index are sound, and what to do if not.")
};
