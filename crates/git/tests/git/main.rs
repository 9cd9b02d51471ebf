//! Clones with the real git: from folders, over HTTP on this machine, from hostile remotes, within
//! limits, and packs between nodes.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests may fail loudly and start processes")]

mod remote;
mod server;
mod fetching;
mod hostile;
mod limits;
mod packs;
