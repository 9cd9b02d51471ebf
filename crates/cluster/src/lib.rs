//! The shared state of a cluster: a catalogue in PostgreSQL, and clones of the repositories in it.
//!
//! Nothing here knows what an index is. Nodes are equal; whatever they must agree on is a row of
//! the catalogue, and is changed in one transaction.

pub mod git;
