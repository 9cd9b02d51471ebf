//! The command line: every flag with its help text.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Exact answers about code, for the checkout you stand in.
///
/// Run it in any directory: the first question indexes the repository, later ones look only at what changed.
#[derive(Debug, Parser)]
#[command(name = "codecompass", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Flags that every command takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// Answer for the repository or directory at DIR instead of the current one.
    #[arg(long, short = 'w', global = true, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long, global = true)]
    pub json: bool,
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t = ColorWhen::Auto, value_name = "WHEN")]
    pub color: ColorWhen,
    /// Say nothing on stderr but errors.
    #[arg(long, short = 'q', global = true)]
    pub quiet: bool,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find code by name, path, error message or a question in words.
    Search(SearchArgs),
    /// Find where a symbol is defined.
    Locate(LocateArgs),
    /// Show a file's skeleton.
    Outline(OutlineArgs),
    /// Show the source of a symbol.
    Show(ShowArgs),
    /// Index the workspace, or bring its index up to date.
    Index(IndexArgs),
    /// Bring the index up to date and say what changed.
    Sync,
    /// Show what the index holds.
    Status,
    /// Check the installation, the store and the settings.
    Doctor(DoctorArgs),
    /// Remove what no checkout holds any more from the store.
    Gc(GcArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
}

/// What to restrict an answer to.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FilterArgs {
    /// Only files of this language; may be given several times.
    #[arg(long, value_name = "LANGUAGE")]
    pub lang: Vec<String>,
    /// Only this kind of result (function, class, method, text, file, …); may be given several times.
    #[arg(long, value_name = "KIND")]
    pub kind: Vec<String>,
    /// Only below this folder, or paths that match this glob; may be given several times.
    #[arg(long, value_name = "PATH")]
    pub path: Vec<String>,
    /// Answer for this ref. Only the branch that is checked out here is indexed so far.
    #[arg(long = "ref", value_name = "REF")]
    pub reference: Option<String>,
}

/// How much to say about each result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Detail {
    /// Path, lines, kind and name.
    Location,
    /// And the signature and ids.
    #[default]
    Signature,
    /// And the first lines of the source.
    Context,
}

/// How much to say about scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Explain {
    /// Nothing.
    #[default]
    Off,
    /// The largest parts.
    Basic,
    /// All parts; they add up to the score.
    Full,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// A name, a path, an error message, or a question in words.
    #[arg(required = true, num_args = 1.., value_name = "QUERY")]
    pub query: Vec<String>,
    /// At most this many results.
    #[arg(long, short = 'n', default_value_t = 10, value_parser = limit_parser())]
    pub limit: u32,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// How much to say about each result.
    #[arg(long, value_enum, default_value_t = Detail::Signature)]
    pub detail: Detail,
    /// Leave out sources and snippets.
    #[arg(long)]
    pub compact: bool,
    /// Show what each score is made of.
    #[arg(long, value_enum, default_value_t = Explain::Off, num_args = 0..=1, default_missing_value = "full", require_equals = true)]
    pub explain: Explain,
}

#[derive(Debug, Args)]
pub(crate) struct LocateArgs {
    /// A name, a qualified name, a symbol id, or path:line.
    #[arg(value_name = "SYMBOL")]
    pub symbol: String,
    /// At most this many results.
    #[arg(long, short = 'n', default_value_t = 20, value_parser = limit_parser())]
    pub limit: u32,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Show what each score is made of.
    #[arg(long, value_enum, default_value_t = Explain::Off, num_args = 0..=1, default_missing_value = "full", require_equals = true)]
    pub explain: Explain,
}

#[derive(Debug, Args)]
pub(crate) struct OutlineArgs {
    /// The file; a unique end of its path will do.
    #[arg(value_name = "PATH")]
    pub path: String,
    /// Show only top-level definitions, or all.
    #[arg(long, value_enum, default_value_t = Depth::All)]
    pub depth: Depth,
    /// Answer for this ref. Only the branch that is checked out here is indexed so far.
    #[arg(long = "ref", value_name = "REF")]
    pub reference: Option<String>,
}

/// How deep an outline goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Depth {
    /// Top-level definitions.
    Top,
    /// All definitions.
    All,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// A name, a qualified name, a symbol id, or path:line.
    #[arg(value_name = "SYMBOL")]
    pub symbol: String,
    #[command(flatten)]
    pub filter: FilterArgs,
}

#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    /// Build the index anew from nothing; the old one answers until the new one is ready.
    #[arg(long)]
    pub force: bool,
    /// List what is skipped, and why.
    #[arg(long)]
    pub show_ignored: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Read the whole store and compare checksums.
    #[arg(long)]
    pub full: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GcArgs {
    /// Also remove what was let go only recently. Questions being answered right now may miss results.
    #[arg(long)]
    pub now: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

fn limit_parser() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=1000)
}
