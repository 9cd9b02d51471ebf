//! Flags of the questions about answers: why they are as they are, and what to ask next.

use clap::Args;

use crate::api::arguments::{FilterArgs, MeaningArgs, PageArgs, RefArgs};

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// What was searched for; several words in quotes.
    #[arg(value_name = "QUERY")]
    pub query: String,
    /// One or two results: a rank, path:line, a path, a symbol id or a name. Two are compared. Without any the first
    /// results are explained.
    #[arg(value_name = "RESULT", num_args = 0..=2)]
    pub results: Vec<String>,
    /// Explain this many if no result is named.
    #[arg(long, short = 'n', default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub limit: u32,
    #[command(flatten)]
    pub page: PageArgs,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub at: RefArgs,
    #[command(flatten)]
    pub meaning: MeaningArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SuggestArgs {
    /// What was searched for last. Without it, and without --symbol, what the branch changed is looked at.
    #[arg(value_name = "QUERY", num_args = 0..)]
    pub query: Vec<String>,
    /// The symbol that is looked at; without it the best result of the query.
    #[arg(long, value_name = "SYMBOL")]
    pub symbol: Option<String>,
    #[command(flatten)]
    pub at: RefArgs,
}
