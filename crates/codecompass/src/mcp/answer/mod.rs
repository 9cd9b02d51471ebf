//! The size of an answer: how much it says about each result, and what is left out to keep to a token limit.

pub(crate) mod fit_budget;
mod pages;
