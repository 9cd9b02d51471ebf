//! Wrong input, damaged files, killed processes, several at once, edits while questions are asked.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

mod bad_input;
mod concurrency;
mod crash;
mod damage;
#[cfg(unix)]
mod storm;
