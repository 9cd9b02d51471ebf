//! The flags of the server.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use codecompass_app::choices::Answers;

/// The transport of the messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Transport {
    /// Stdin and stdout, for one client.
    #[default]
    Stdio,
    /// Streamable HTTP, for any number of them.
    Http,
}

#[derive(Debug, Default, Args)]
pub struct ServeMcpArgs {
    /// Answer for the repository or directory at DIR, or for the clone of a git URL; may be given
    /// several times. The first one answers calls that name none, and no call gets an answer for
    /// any other but with --auto-workspace.
    #[arg(id = "workspace", long, short = 'w', value_name = "DIR")]
    pub workspaces: Vec<PathBuf>,
    /// Which tools to list: `core` (the default), `all`, or names with commas between them.
    #[arg(long, value_delimiter = ',', value_name = "TOOLS")]
    pub tools: Vec<String>,
    /// The form of answers and errors of tools (text).
    #[arg(long, value_enum, value_name = "FORM")]
    pub answers: Option<Answers>,
    /// The transport of the messages.
    #[arg(long, value_enum, default_value_t = Transport::Stdio, value_name = "TRANSPORT")]
    pub transport: Transport,
    /// Serve HTTP at this address, by default 127.0.0.1:4747; port 0 picks a free one. Another
    /// address than one of the loopback interface needs a token, in the variable
    /// CODECOMPASS_SERVER_TOKEN or a file.
    #[arg(long, value_name = "ADDRESS")]
    pub bind: Option<SocketAddr>,
    /// Clients over HTTP must send the token in this file.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// HTTP clients may call the server by this name, too; may be given several times.
    #[arg(id = "allowed-host", long, value_name = "HOST")]
    pub allowed_hosts: Vec<String>,
    /// Web pages from this origin may ask over HTTP; may be given several times.
    #[arg(id = "allowed-origin", long, value_name = "ORIGIN")]
    pub allowed_origins: Vec<String>,
    /// Over HTTP: a session that is unused for this many seconds (1800) ends.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86400))]
    pub session_idle: Option<u64>,
    /// Over HTTP: a client gets this many seconds (30) to send the head of a request, to send its
    /// message, and to go on reading an answer; then it is disconnected.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub slow_client: Option<u64>,
    /// A call that takes longer than this many seconds (60) gets an error; its work goes on.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub call_timeout: Option<u64>,
    /// While the index is built, a call waits this many seconds (10) for it, then answers from the
    /// last one or says that there is none yet.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(0..=600))]
    pub index_wait: Option<u64>,
    /// Let calls name any directory inside the allowed roots as their workspace.
    #[arg(long)]
    pub auto_workspace: bool,
    /// With --auto-workspace: calls may name directories inside DIR; may be given several times.
    #[arg(id = "allowed-root", long, value_name = "DIR")]
    pub allowed_roots: Vec<PathBuf>,
    /// With --auto-workspace: so many workspaces (16) are open at the same time.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub max_workspaces: Option<u64>,
    /// With --auto-workspace: a workspace without calls for this many seconds (600) makes room for
    /// another.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(0..=86400))]
    pub evict_after: Option<u64>,
    /// Over HTTP: also serve the page for people, and answers as JSON; see docs/ui.md.
    #[arg(long)]
    pub ui: bool,
    /// The way that `ui` starts the page.
    #[arg(skip)]
    pub page: Option<PageStart>,
    /// Do not watch the files: each call looks at all of them.
    #[arg(long)]
    pub no_watch: bool,
    /// Write a line about each call to FILE: when, which tool and workspace, how long, and how it
    /// ended; nothing of questions and answers.
    #[arg(long, value_name = "FILE")]
    pub audit_log: Option<PathBuf>,
}

/// The way that the page is started by its own command.
#[derive(Clone, Copy, Debug)]
pub struct PageStart {
    /// Called with the address of the page.
    pub open: Option<fn(&str)>,
    /// True if any free port will do when the wanted one is taken.
    pub any_port: bool,
}

/// The port of the page if none is given.
const PAGE_PORT: u16 = 4748;

/// The flags of `ui`.
#[derive(Debug, Args)]
pub struct UiArgs {
    /// Show the repository or directory at DIR, or the clone of a git URL; may be given several
    /// times.
    #[arg(id = "workspace", long, short = 'w', value_name = "DIR")]
    pub workspaces: Vec<PathBuf>,
    /// Serve the page at this port of 127.0.0.1; 0 picks a free one [default: 4748, or a free one
    /// if that is taken].
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Do not open the page in a browser.
    #[arg(long)]
    pub no_open: bool,
}

impl UiArgs {
    /// Returns the flags of the server that serves the page; `open` opens an address in a browser.
    pub fn server(&self, open: fn(&str)) -> ServeMcpArgs {
        ServeMcpArgs {
            workspaces: self.workspaces.clone(),
            transport: Transport::Http,
            bind: Some(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), self.port.unwrap_or(PAGE_PORT))),
            ui: true,
            page: Some(PageStart { open: (!self.no_open).then_some(open), any_port: self.port.is_none() }),
            ..ServeMcpArgs::default()
        }
    }
}
