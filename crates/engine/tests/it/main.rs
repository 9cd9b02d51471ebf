//! Tests of the engine through its public interface, as one program: linking is most of what a
//! test program costs to build.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests may fail loudly, read variables and run rg")]

mod architecture;
mod consistency;
mod context;
mod equivalence;
mod exact_text;
mod family;
mod formats;
mod git_filters;
mod grep;
#[cfg(unix)]
mod histories;
mod navigation;
mod resolve_languages;
mod resume;
mod retention;
mod semantic;
mod shards;
mod snapshots;
mod state;
mod tokens;
mod watch;
