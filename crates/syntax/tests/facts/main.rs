//! Facts of small programs: arguments and parameters of functions, chains of calls, types.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

mod arguments;
mod chains;
mod manifests;
mod parameters;
mod texts;
mod types;
