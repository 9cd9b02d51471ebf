//! Flags of the questions about how symbols and files stand to each other.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Deserialize;

use super::limit_parser;
use crate::api::arguments::{FilterArgs, PageArgs, RefArgs};
use crate::choices::Explain;

#[derive(Debug, Args)]
pub(crate) struct HierarchyArgs {
    /// A name, a qualified name, a symbol id, path:line or path:line:column.
    #[arg(value_name = "SYMBOL")]
    pub symbol: String,
    /// Up: containers, supertypes and what a method overrides. Down: members, subtypes and implementations.
    #[arg(long, value_enum, default_value_t = Direction::Both)]
    pub direction: Direction,
    /// Follow supertypes and subtypes this many steps.
    #[arg(long, default_value_t = 10, value_parser = depth_parser())]
    pub depth: u32,
    /// At most this many of each.
    #[arg(long, short = 'n', default_value_t = 50, value_parser = limit_parser())]
    pub limit: u32,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub at: RefArgs,
    #[command(flatten)]
    pub page: PageArgs,
}

/// Where to look from a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Direction {
    /// To what is above it.
    Up,
    /// To what is below it.
    Down,
    /// To both.
    Both,
}

#[derive(Debug, Args)]
pub(crate) struct DepsArgs {
    /// A file, a folder, the end of a path, or a module. Without it the import cycles of the repository are listed.
    #[arg(value_name = "PATH")]
    pub path: Option<String>,
    /// Show who imports it.
    #[arg(long, short = 'r', requires = "path")]
    pub reverse: bool,
    /// Follow imports of imports, too.
    #[arg(long, short = 't', requires = "path")]
    pub transitive: bool,
    /// With --transitive, follow imports this many steps.
    #[arg(long, default_value_t = 10, requires = "transitive", value_parser = depth_parser())]
    pub depth: u32,
    /// At most this many imports, and cycles.
    #[arg(long, short = 'n', default_value_t = 100, value_parser = limit_parser())]
    pub limit: u32,
    #[command(flatten)]
    pub at: RefArgs,
    #[command(flatten)]
    pub page: PageArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RelatedArgs {
    /// A name, a qualified name, a symbol id, path:line or path:line:column.
    #[arg(value_name = "SYMBOL")]
    pub symbol: String,
    /// Only this: `test` (tests of it), `used` (what it uses), `used-together` (what the same functions use), `beside`
    /// (what stands in the same type or file); may be given several times.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub only: Vec<Only>,
    /// At most this many of each.
    #[arg(long, short = 'n', default_value_t = 8, value_parser = limit_parser())]
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

/// What belongs together with a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Only {
    /// Its tests.
    Test,
    /// What it uses.
    Used,
    /// What is used by the same functions.
    UsedTogether,
    /// What stands in the same type or file.
    Beside,
}

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

fn depth_parser() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=50)
}
