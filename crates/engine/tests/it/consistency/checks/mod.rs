//! Holds the answers about a tree against each other. No truth is needed: the same fact must be the
//! same in every answer.
//!
//! `cargo xtask consistency` and the test of all fixtures run these checks. They ask the public
//! questions of the library, as the commands do.

mod counts;
mod extent;
mod files;
mod graph;
mod names;
pub(crate) mod report;
mod run;
mod sample;
mod tree;
mod types;
mod uses;

pub(crate) use extent::Extent;
pub(crate) use report::Report;
pub(crate) use run::check;
pub(crate) use tree::CheckedTree;
