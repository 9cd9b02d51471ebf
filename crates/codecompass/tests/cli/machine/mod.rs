//! Commands about this machine rather than a repository.

mod clones;
mod config;
