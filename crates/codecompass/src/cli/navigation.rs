//! The flags of the commands that follow names from use to definition and back.

use clap::{ArgGroup, Args};

use crate::api::arguments::{CertaintyArgs, PageArgs, RefArgs};

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").required(true).args(["symbol", "diff"]))]
pub(crate) struct ImpactArgs {
    /// What would change: a name, a qualified name, a symbol id, path:line, or path:line:column.
    #[arg(value_name = "SYMBOL")]
    pub symbol: Option<String>,
    /// What changed since BASE, the default branch if not given: the symbols that `codecompass diff BASE` lists as modified,
    /// renamed or deleted.
    #[arg(long, value_name = "BASE", num_args = 0..=1, default_missing_value = "")]
    pub diff: Option<String>,
    /// How many uses away.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10))]
    pub depth: u32,
    /// At most this many symbols and tests each; all are counted [default: 50, with --json 1000].
    #[arg(long, short = 'n', value_parser = large_limit_parser())]
    pub limit: Option<u32>,
    #[command(flatten)]
    pub certainty: CertaintyArgs,
    #[command(flatten)]
    pub at: RefArgs,
    #[command(flatten)]
    pub page: PageArgs,
}

/// Programs may want all there is.
fn large_limit_parser() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=100_000)
}
