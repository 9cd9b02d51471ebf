//! Text of the answers about the index itself.

pub mod branches;
pub mod build;
pub mod doctor;
pub mod status;
pub mod switch;
pub mod sync;
pub mod watch;
