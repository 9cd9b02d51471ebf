//! The command line of a node and of the commands that administer a cluster.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use codecompass_app::choices::{Answers, ColorWhen};
use codecompass_app::session::{CallContext, OutputFormat};

/// Serve many repositories from equal nodes, and administer the cluster that they form.
///
/// See docs/cluster.md.
#[derive(Debug, Parser)]
#[command(name = "codecompass-node", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Flags that every command takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// Print one JSON object instead of text.
    #[arg(long, global = true, help_heading = "Global options", display_order = 1000)]
    pub json: bool,
    /// When to use colours.
    #[arg(
        long, global = true, value_enum, default_value_t = ColorWhen::Auto, value_name = "WHEN",
        help_heading = "Global options", display_order = 1000
    )]
    pub color: ColorWhen,
    /// Say nothing on stderr but errors.
    #[arg(long, short = 'q', global = true, help_heading = "Global options", display_order = 1000)]
    pub quiet: bool,
}

impl Global {
    /// Returns what the flags say about any command.
    pub(crate) fn context(&self) -> CallContext {
        let format = if self.json { OutputFormat::Json } else { OutputFormat::Text };
        CallContext { format, color: self.color, quiet: self.quiet, ..CallContext::default() }
    }
}

#[derive(Debug, Args)]
pub(crate) struct NodeArgs {
    /// Listen on this address; port 0 picks a free one.
    #[arg(long, value_name = "ADDRESS", default_value_t = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 4870))]
    pub bind: SocketAddr,
    /// The address by which other nodes reach this one [default: the one it listens on].
    #[arg(long, value_name = "URL")]
    pub address: Option<String>,
    /// The name of the node, which no other has [default: host and port of its address].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// The folder for clones and indexes [default: `cluster` in the data directory].
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// The form of answers and errors of tools (text).
    #[arg(long, value_enum, value_name = "FORM")]
    pub answers: Option<Answers>,
    /// A question that takes longer than this many seconds gets an error.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub question_timeout: u64,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a node: it indexes repositories and answers for them until it is told to end.
    Serve(NodeArgs),
    #[command(flatten)]
    Admin(AdminCommand),
}

/// The commands that administer a cluster.
#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// Add repositories by their git URLs; `URL#branch` names another branch than the default one.
    Add(AddRepositoryArgs),
    /// Remove repositories.
    Remove(RemoveRepositoryArgs),
    /// List repositories, with the generation and the size of their indexes.
    List,
    /// Show nodes, jobs, and what failed.
    Status,
    /// Index repositories again now, as a webhook would.
    Update(RemoveRepositoryArgs),
    /// Let a node own nothing, so that it can be stopped; --undo lets it own again.
    Drain(DrainArgs),
    /// Have all nodes drop what they do not own any more and take what they do.
    Rebalance,
    /// Remove from the object store what no repository needs any more.
    ///
    /// Indexing pauses meanwhile: jobs that run begin anew afterwards. Questions are answered.
    Gc(CollectArgs),
    /// Add, list and remove access tokens.
    Token(TokenArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CollectArgs {
    /// Keep what was the newest index of a repository within the last N days, so that a backup of
    /// the database that is not older can be restored.
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u64).range(..=36500))]
    pub days: u64,
    /// Say what would be removed, and remove nothing.
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AddRepositoryArgs {
    #[arg(required = true, value_name = "GIT_URL")]
    pub urls: Vec<String>,
    /// The name in questions and answers, for one URL [default: the last part of the URL].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// A group that they belong to; may be given several times.
    #[arg(id = "group", long, value_name = "GROUP")]
    pub groups: Vec<String>,
    /// Seconds between two looks for new commits [default: `poll_seconds` of the settings].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=604_800))]
    pub poll: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct RemoveRepositoryArgs {
    #[arg(required = true, value_name = "NAME")]
    pub names: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DrainArgs {
    /// The name of the node, as `status` shows it.
    #[arg(value_name = "NODE")]
    pub node: String,
    /// Let it own repositories again.
    #[arg(long)]
    pub undo: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TokenArgs {
    #[command(subcommand)]
    pub command: TokenCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token and print it; only its hash is kept.
    Add(AddTokenArgs),
    /// List tokens, with what they may read.
    List,
    /// Remove a token; it is refused within seconds.
    Remove {
        /// The name of the token.
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AddTokenArgs {
    /// A name for the token.
    #[arg(value_name = "NAME")]
    pub name: String,
    /// A repository that it may read; may be given several times.
    #[arg(id = "repository", long, value_name = "NAME")]
    pub repositories: Vec<String>,
    /// A group whose repositories it may read, also those that are added later; may be given
    /// several times.
    #[arg(id = "group", long, value_name = "GROUP")]
    pub groups: Vec<String>,
    /// Let it read every repository.
    #[arg(long, conflicts_with_all = ["repository", "group"])]
    pub all: bool,
    /// Refuse it after this many days.
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u64).range(1..=36_500))]
    pub days: Option<u64>,
}
