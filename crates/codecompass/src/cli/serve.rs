//! The flags of the server.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ServeMcpArgs {
    /// Answer for the repository or directory at DIR; may be given several times. The first one answers calls that name
    /// none, and no call gets an answer for any other.
    #[arg(id = "workspace", long, short = 'w', value_name = "DIR")]
    pub workspaces: Vec<PathBuf>,
    /// Which tools to list: `core`, `all`, or names with commas between them.
    #[arg(long, default_value = "core", value_delimiter = ',', value_name = "TOOLS")]
    pub tools: Vec<String>,
    /// A call that takes longer than this many seconds gets an error; its work goes on.
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub call_timeout: u64,
    /// While the index is built, a call waits this many seconds for it, then answers from the last one or says that there
    /// is none yet.
    #[arg(long, default_value_t = 10, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(0..=600))]
    pub index_wait: u64,
}
