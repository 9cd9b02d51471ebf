//! The options of the server: flags, and where there is none, the user's settings.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use codecompass_app::choices::Answers;
use codecompass_app::error::AppError;
use codecompass_app::session::CallContext;
use codecompass_app::settings::{self, ServerSettings, absolute};

use super::transport::http::{HttpOptions, PageOptions, PageRoutes, Token};
use super::workspace::AutoOptions;
use crate::args::{ServeMcpArgs, Transport};

/// All of it, checked as far as that can be done without a look at the disk.
pub(super) struct Options {
    pub tools: Vec<String>,
    pub answers: Answers,
    pub call_timeout: Duration,
    pub index_wait: Duration,
    pub audit_log: Option<PathBuf>,
    /// True if the savings ledger is kept.
    pub savings: bool,
    /// True if workspaces are watched.
    pub watch: bool,
    pub auto: Option<AutoOptions>,
    /// Nothing for stdin and stdout.
    pub http: Option<HttpOptions>,
}

impl Options {
    pub(super) fn new(context: &CallContext, args: &ServeMcpArgs, pages: PageRoutes) -> Result<Options, AppError> {
        let settings = settings::of_server()?;
        let or =
            |flags: &[String], settings: &[String]| if flags.is_empty() { settings.to_vec() } else { flags.to_vec() };
        let audit_log = match (&args.audit_log, &settings.audit_log) {
            (Some(file), _) => Some(file.clone()),
            (None, Some(file)) => Some(absolute("audit_log", file)?),
            (None, None) => None,
        };
        let call_timeout = Duration::from_secs(args.call_timeout.unwrap_or(settings.call_timeout));
        let http = match args.transport {
            Transport::Stdio => None,
            Transport::Http => Some(HttpOptions {
                bind: address(args, &settings)?,
                token: token(args, &settings)?,
                hosts: or(&args.allowed_hosts, &settings.allowed_hosts),
                origins: or(&args.allowed_origins, &settings.allowed_origins),
                session_idle: session_idle(args, &settings, call_timeout),
                slow_client: Duration::from_secs(args.slow_client.unwrap_or(settings.slow_client)),
                page: page(args, &settings, pages),
                quiet: context.quiet,
            }),
        };
        Ok(Options {
            tools: or(&args.tools, &settings.tools),
            answers: args.answers.unwrap_or(settings.answers),
            call_timeout,
            index_wait: Duration::from_secs(args.index_wait.unwrap_or(settings.index_wait)),
            audit_log,
            savings: settings.savings,
            watch: !args.no_watch && settings.watch,
            auto: auto(args, &settings)?,
            http,
        })
    }
}

/// The page, where a flag, a setting or a command of its own asks for it.
fn page(args: &ServeMcpArgs, settings: &ServerSettings, routes: PageRoutes) -> Option<PageOptions> {
    match &args.page {
        Some(start) => Some(PageOptions { routes, open: start.open, any_port: start.any_port }),
        None => (args.ui || settings.ui).then_some(PageOptions { routes, open: None, any_port: false }),
    }
}

fn address(args: &ServeMcpArgs, settings: &ServerSettings) -> Result<SocketAddr, AppError> {
    match args.bind {
        Some(address) => Ok(address),
        None => settings.bind.parse().map_err(|_| {
            AppError::invalid("server.bind is not an address with a port", "write one like \"127.0.0.1:4747\"")
        }),
    }
}

/// A session in which a call is under way is in use, and the SDK counts from the call's beginning.
fn session_idle(args: &ServeMcpArgs, settings: &ServerSettings, call_timeout: Duration) -> Duration {
    let asked = Duration::from_secs(args.session_idle.unwrap_or(settings.session_idle));
    asked.max(call_timeout + Duration::from_secs(1))
}

/// A file that a flag names wins over the variable, which wins over a file that a setting names.
fn token(args: &ServeMcpArgs, settings: &ServerSettings) -> Result<Option<Token>, AppError> {
    if let Some(file) = &args.token_file {
        return Token::from_file(file).map(Some);
    }
    match (settings::server_token()?, &settings.token_file) {
        (Some(token), _) => Token::new(&token, settings::SERVER_TOKEN).map(Some),
        (None, Some(file)) => Token::from_file(&absolute("token_file", file)?).map(Some),
        (None, None) => Ok(None),
    }
}

fn auto(args: &ServeMcpArgs, settings: &ServerSettings) -> Result<Option<AutoOptions>, AppError> {
    if !args.auto_workspace && !settings.auto_workspace {
        return Ok(None);
    }
    let roots = match args.allowed_roots.as_slice() {
        [] => {
            let roots = settings.allowed_roots.iter();
            roots.map(|root| absolute("allowed_roots", root)).collect::<Result<Vec<_>, _>>()?
        }
        roots => roots.to_vec(),
    };
    if roots.is_empty() {
        return Err(AppError::invalid(
            "--auto-workspace alone would let calls read any directory",
            "say which they may read with --allowed-root DIR, once or several times",
        ));
    }
    Ok(Some(AutoOptions {
        roots,
        most: args.max_workspaces.map_or(settings.max_workspaces, |most| most as usize),
        idle: Duration::from_secs(args.evict_after.unwrap_or(settings.evict_after)),
    }))
}
