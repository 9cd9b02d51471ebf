//! Flags of the questions about answers: why they are as they are, and what to ask next.

use clap::Args;

use crate::api::arguments::RefArgs;

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
