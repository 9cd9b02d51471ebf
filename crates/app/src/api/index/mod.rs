//! Questions about the index itself.

pub mod branches;
pub mod build;
pub mod doctor;
pub mod job;
pub mod server;
pub mod status;
pub mod switch;
pub mod sync;
pub mod watch;
pub mod watcher;
