//! Flags of the questions about how symbols and files stand to each other.

use clap::Args;

use super::limit_parser;
use crate::api::arguments::{FilterArgs, PageArgs, RefArgs};
use crate::choices::Explain;

#[derive(Debug, Args)]
pub(crate) struct SimilarArgs {
    /// A name, a qualified name, a symbol id, path:line or path:line:column.
    #[arg(value_name = "SYMBOL")]
    pub symbol: String,
    /// At most this many results.
    #[arg(long, short = 'n', default_value_t = 10, value_parser = limit_parser())]
    pub limit: u32,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub at: RefArgs,
    /// Show what each score is made of.
    #[arg(long, value_enum, default_value_t = Explain::Off, num_args = 0..=1, default_missing_value = "full", require_equals = true)]
    pub explain: Explain,
    #[command(flatten)]
    pub page: PageArgs,
}
