//! Commands that search: by words, by meaning, for context, and how results are ranked.

mod analyze;
mod attributes;
mod context;
mod grep;
mod history;
mod meanings;
mod paths;
mod provider;
mod ranking;
mod search;
mod semantic;
