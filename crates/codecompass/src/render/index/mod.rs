//! Text of the answers about the index itself.

pub(crate) mod branches;
pub(crate) mod build;
pub(crate) mod doctor;
pub(crate) mod status;
pub(crate) mod switch;
pub(crate) mod sync;
pub(crate) mod watch;
