//! The size of an answer: how much it says about each result, and what is left out to keep to a token limit.
//!
//! The files that begin with `value_` do the same for answers that are plain JSON.

pub(crate) mod fit_budget;
mod pages;
pub(crate) mod value_budget;
pub(crate) mod value_detail;
pub(crate) mod value_pages;
