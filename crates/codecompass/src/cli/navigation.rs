//! The flags of the commands that follow names from use to definition and back.

use clap::{ArgGroup, Args, ValueEnum};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::api::arguments::{CertaintyArgs, PageArgs, RefArgs};

#[derive(Debug, Args)]
pub(crate) struct CallsArgs {
    /// A name, a qualified name, a symbol id, path:line, or path:line:column.
    #[arg(value_name = "SYMBOL")]
    pub symbol: String,
    /// Which way to look.
    #[arg(long, short = 'd', value_enum, default_value_t = DirectionArg::Both)]
    pub direction: DirectionArg,
    /// How many levels of calls.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10))]
    pub depth: u32,
    /// At most this many calls per level and direction [default: 100, with --json 1000].
    #[arg(long, short = 'n', value_parser = large_limit_parser())]
    pub limit: Option<u32>,
    /// Also calls of the methods that it overrides or implements.
    #[arg(long)]
    pub overrides: bool,
    #[command(flatten)]
    pub certainty: CertaintyArgs,
    #[command(flatten)]
    pub at: RefArgs,
    #[command(flatten)]
    pub page: PageArgs,
}

/// Which way to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DirectionArg {
    /// Who calls it.
    Callers,
    /// What it calls.
    Callees,
    /// Both, each for itself.
    Both,
}

#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// Where the chains end: a name, a qualified name, a symbol id, path:line, or path:line:column.
    #[arg(value_name = "SYMBOL")]
    pub to: String,
    /// Where they start. If not given: at entry points, request handlers, top-level code and functions that nobody calls;
    /// at tests if nothing else leads there.
    #[arg(long, value_name = "SYMBOL")]
    pub from: Option<String>,
    /// At most this many chains.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub max_paths: u32,
    /// Chains of at most this many calls.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub depth: u32,
    #[command(flatten)]
    pub page: PageArgs,
    #[command(flatten)]
    pub certainty: CertaintyArgs,
    #[command(flatten)]
    pub at: RefArgs,
}

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
