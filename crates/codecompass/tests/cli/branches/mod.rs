//! Other refs: answers for them, and changes between two of them.

mod refs;
mod renames;
