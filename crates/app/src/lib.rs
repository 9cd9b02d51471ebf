//! The parts that the programs of CodeCompass share: questions with their answers and texts,
//! sessions that keep an index current, settings, errors and the terminal. `codecompass` and
//! `codecompass-node` are built on it; use `codecompass-engine` to ask questions from Rust.

pub mod render;
pub mod api;
pub mod session;
pub mod clones;
pub mod savings;
pub mod settings;
pub mod terminal;
pub mod choices;
pub mod clock;
pub mod error;
pub mod remedy;
pub mod signals;
pub mod units;
pub mod uri;
pub mod workers;

/// Parsing allocates and frees millions of small pieces from several threads. With this allocator,
/// which also serves the C code of tree-sitter and SQLite, a full index takes about a fifth less
/// time than with glibc's.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
