//! The command line: every flag with its help text.

mod history;
mod install;
mod watch;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use codecompass_app::choices::{ColorWhen, Freshness, MetadataLevel};
use codecompass_app::session::{CallContext, OutputFormat, RepositoryChoice, Scope};
use codecompass_server::args::{ServeMcpArgs, UiArgs};
pub(crate) use install::{InstallArgs, ScopeArg, UninstallArgs, WhichArgs};
pub(crate) use watch::WatchArgs;

/// The heading of the flags that every command takes.
const GLOBAL_OPTIONS: &str = "Global options";

/// Exact answers about code, for the checkout you stand in.
///
/// Run it in any directory: the first question indexes the repository, later ones look only at what
/// changed.
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
#[command(next_help_heading = GLOBAL_OPTIONS)]
pub(crate) struct Global {
    /// Answer for the repository or directory at DIR instead of the current one, for the clone of a
    /// git URL, or for a group of repositories, @NAME; may be given several times.
    #[arg(long, short = 'w', global = true, value_name = "DIR")]
    pub workspace: Vec<PathBuf>,
    /// Ask all repositories that are indexed on this machine.
    #[arg(long, global = true, conflicts_with = "workspace")]
    pub all: bool,
    /// Print one JSON object instead of text.
    #[arg(long, global = true)]
    pub json: bool,
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t = ColorWhen::Auto, value_name = "WHEN")]
    pub color: ColorWhen,
    /// The amount of metadata in `--json` answers about the view they speak for: `full` adds root,
    /// commit, dirty files and generation.
    #[arg(long, global = true, value_enum, default_value_t = MetadataLevel::Brief, value_name = "LEVEL")]
    pub metadata: MetadataLevel,
    /// Wait for the index to catch up with the files on disk [default: the setting
    /// `freshness.policy`, else balanced].
    #[arg(long, global = true, value_enum, value_name = "POLICY")]
    pub freshness: Option<Freshness>,
    /// Say nothing on stderr but errors.
    #[arg(long, short = 'q', global = true)]
    pub quiet: bool,
}

impl Cli {
    /// Returns what the flags say about any question.
    pub(crate) fn context(&self) -> CallContext {
        let flags = &self.global;
        let workspaces = match &self.command {
            Command::Grep(args) if !args.workspace.is_empty() => &args.workspace,
            // `codecompass --workspace DIR grep PATTERN` has it before the command.
            _ => &flags.workspace,
        };
        // These have an `--all` of their own.
        let has_own_all = matches!(self.command, Command::Branches(_) | Command::Gc(_));
        CallContext {
            scope: if flags.all && !has_own_all {
                Scope::Several(RepositoryChoice::Indexed)
            } else {
                Scope::named(workspaces)
            },
            format: if flags.json { OutputFormat::Json } else { OutputFormat::Text },
            color: flags.color,
            metadata: flags.metadata,
            freshness: flags.freshness,
            quiet: flags.quiet,
            control: None,
        }
    }
}

/// The flags of `grep`. It has a `--workspace` of its own, since `-w` means what it means to
/// ripgrep.
#[derive(Debug, Args)]
pub(crate) struct GrepArgs {
    #[command(flatten)]
    pub request: codecompass_app::api::find::grep::GrepRequest,
    /// Answer for the repository or directory at DIR instead of the current one, for the clone of a
    /// git URL, or for a group of repositories, @NAME; may be given several times.
    #[arg(id = "workspace", long, help_heading = GLOBAL_OPTIONS, value_name = "DIR")]
    pub workspace: Vec<PathBuf>,
}

/// The flags of `blame`.
#[derive(Debug, Args)]
pub(crate) struct BlameArgs {
    /// A name, a qualified name, path:line or path::name.
    #[arg(value_name = "SYMBOL")]
    pub symbol: String,
    #[command(flatten)]
    pub at: codecompass_app::api::arguments::RefArgs,
}

/// The flags of `history`.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// The files that changed most lately, with their authors, instead of commits. Only --path,
    /// --lang, --since, --ref, --limit and --offset go with it.
    #[arg(long)]
    pub hot: bool,
    #[command(flatten)]
    pub request: codecompass_app::api::history::commits::HistoryRequest,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find code by name, path, error message or a question in words.
    Search(codecompass_app::api::find::search::SearchRequest),
    /// Find the lines that a regular expression or a literal matches.
    ///
    /// Patterns, flags and the set of matching lines are those of ripgrep, over the files of the
    /// index, those with very long lines and those over `index.max_file_bytes` included. Each match
    /// has the definition around it. Matches in source files come first, then documentation, tests,
    /// and generated and vendored files.
    Grep(GrepArgs),
    /// Give the best code for a question inside a token budget.
    ///
    /// The budget holds for everything that is printed, counted on the safe side. Results are
    /// symbols with their code as it is in the file; long ones are cut to their head and the lines
    /// that speak of the question.
    Context(codecompass_app::api::find::context::ContextRequest),
    /// Have a chat model of your choice explain the code for a question.
    ///
    /// Code, endpoints and the question go to the provider of `[semantic.chat]`, only if both
    /// privacy switches are on. Every place in its text is looked up in the index before it is
    /// shown. Without a provider, what it would be given is shown.
    Analyze(codecompass_app::api::find::analyze::AnalyzeRequest),
    /// Find where a symbol is defined, or go to the definition of what stands at a place.
    Locate(codecompass_app::api::symbols::locate::LocateRequest),
    /// List the definitions with given attributes: kind, visibility, modifiers, types, decorators.
    ///
    /// All options must fit; of several values of one option any, but of modifiers all. Names and
    /// types are case-sensitive.
    Symbols(codecompass_app::api::symbols::find::FindRequest),
    /// Show the skeleton of files or folders.
    ///
    /// The text costs at most about 15% of the tokens of a file: long signatures and groups of
    /// names are shortened until it does.
    Outline(codecompass_app::api::symbols::outline::OutlineRequest),
    /// Show the source of a symbol.
    Show(codecompass_app::api::symbols::show::ShowRequest),
    /// Show lines of files, of any ref.
    ///
    /// Files that are not worth indexing, such as lock files, can be read, too; those that ignore
    /// files name, secrets and binary files cannot.
    Read(codecompass_app::api::files::read::ReadRequest),
    /// List a folder, or a tree of folders, with the lines and definitions of each.
    ///
    /// Only files of the index are listed. A folder that holds nothing but another folder is joined
    /// with it.
    Ls(codecompass_app::api::files::list::ListRequest),
    /// List the uses of a symbol, with how sure each is.
    Refs(codecompass_app::api::navigate::refs::RefsRequest),
    /// Show who calls a symbol, and what it calls.
    Calls(codecompass_app::api::navigate::calls::CallsRequest),
    /// Show how the program gets to a symbol: chains of calls, shortest first.
    Trace(codecompass_app::api::navigate::trace::TraceRequest),
    /// Show what a change of a symbol or of a branch may affect: code, entry points, tests.
    Impact(codecompass_app::api::navigate::impact::ImpactRequest),
    /// Show the containers, members, supertypes, subtypes and overrides of a symbol.
    Hierarchy(codecompass_app::api::relations::hierarchy::HierarchyRequest),
    /// Show what a file or module imports, who imports it, and import cycles.
    Deps(codecompass_app::api::relations::deps::DepsRequest),
    /// Find what belongs together with a symbol: its tests, what it uses, what is used with it.
    Related(codecompass_app::api::relations::related::RelatedRequest),
    /// Find symbols like a symbol: copies, like names, like signatures, like bodies.
    Similar(codecompass_app::api::relations::similar::SimilarRequest),
    /// List the HTTP endpoints that the program answers: method, path, handler.
    ///
    /// Prefixes of groups, mounts and classes are joined across files; parts that only a run of the
    /// program tells are shown as `…`. See docs/endpoints.md.
    Endpoints(codecompass_app::api::navigate::endpoints::EndpointsRequest),
    /// List gRPC and GraphQL services: methods with their types, the code that answers and calls
    /// them.
    ///
    /// Services are read from `.proto` files and GraphQL schemas; generated code need not be in the
    /// repository. OpenAPI files are compared with the endpoints of the code. See docs/services.md.
    Services(codecompass_app::api::navigate::services::ServicesRequest),
    /// Show the repository on one page: languages, projects, entry points, endpoints, tests.
    ///
    /// The text has at most 1,000 tokens, whatever the repository is; --json has all. See
    /// docs/projects.md.
    Overview(codecompass_app::api::relations::overview::OverviewRequest),
    /// List the projects of the repository, and their dependencies on each other.
    ///
    /// Projects are the packages, crates and modules that manifests declare: Cargo.toml,
    /// package.json, go.mod, pyproject.toml, pom.xml, settings.gradle, .csproj, composer.json,
    /// mix.exs. Other commands take --project. See docs/projects.md.
    Projects(codecompass_app::api::relations::projects::ProjectsRequest),
    /// Show what changed on a branch, in symbols: added, modified, deleted, moved, renamed.
    Diff(codecompass_app::api::navigate::diff::DiffRequest),
    /// Show how one symbol differs between two refs.
    Compare(codecompass_app::api::navigate::compare::CompareRequest),
    /// Find commits by words, by what they changed, by author, date and path.
    ///
    /// Questions about changes have the meaning of `git log -S` and `-G`. The first one reads the
    /// changes of all commits in question and keeps them; later ones take a fraction of a second.
    /// See docs/history.md.
    ///
    /// With --symbol alone: the commits that changed one definition, followed through renames and
    /// moves, with what each changed in it. With --count or --by: a small chart. With --hot: the
    /// files that changed most lately, and who changed them.
    History(HistoryArgs),
    /// Show the commit that each line of a definition comes from, as `git blame` does.
    Blame(BlameArgs),
    /// List branches: where they are checked out, ahead and behind, what is indexed.
    Branches(codecompass_app::api::index::branches::BranchesRequest),
    /// Choose the ref that questions are about when they do not name one.
    Switch(codecompass_app::api::index::switch::SwitchRequest),
    /// Explain why a result of `search` stands where it stands, or why it is missing.
    ///
    /// The parts of a score add up to it. Two results are compared part by part.
    Explain(codecompass_app::api::find::explain::ExplainRequest),
    /// Suggest what to ask next after a query, or about a symbol.
    ///
    /// Each suggestion is a command line with the fact that speaks for it; all of them have an
    /// answer.
    Suggest(codecompass_app::api::find::suggest::SuggestRequest),
    /// Index the workspace, or bring its index up to date.
    Index(codecompass_app::api::index::build::IndexRequest),
    /// Bring the index up to date and say what changed.
    Sync(codecompass_app::api::index::sync::SyncRequest),
    /// Keep the index up to date while files are edited, until Ctrl-C.
    ///
    /// Questions are answered for what is on disk without it, too; it makes them wait less after
    /// large changes. See docs/watch.md.
    Watch(WatchArgs),
    /// Show what the index holds.
    Status(codecompass_app::api::index::status::StatusRequest),
    /// Check the installation, the store and the settings.
    ///
    /// Also says which rules leave files out of the index, and whether some process keeps it up to
    /// date. See docs/doctor.md.
    Doctor(codecompass_app::api::index::doctor::DoctorRequest),
    /// Drop unused views, and remove what no view holds any more.
    Gc(codecompass_app::api::store::gc::GcRequest),
    /// List what was indexed on this machine, when it was last used and what it costs.
    Workspaces,
    /// Show what the answers to agents cost in tokens, and what they replaced.
    ///
    /// Only calls to `serve-mcp` are counted. The sums are kept on this machine, without questions
    /// or paths; see docs/savings.md.
    Savings(codecompass_app::api::store::savings::SavingsRequest),
    /// Show the settings in force, and where each comes from.
    Config(ConfigArgs),
    /// Carry the index of a repository to another place or machine.
    State(StateArgs),
    /// Ask questions with known answers and measure the ranking.
    Eval(EvalArgs),
    /// Open a page on this machine to look at the code: search, files, symbols, branches, modules.
    ///
    /// It is served until Ctrl-C, reads and never writes, and loads nothing from elsewhere. See
    /// docs/ui.md.
    Ui(UiArgs),
    /// Serve agents over the Model Context Protocol, on stdin and stdout or over HTTP.
    ///
    /// The index is brought up to date in the background; see docs/mcp.md.
    ServeMcp(ServeMcpArgs),
    /// Add the MCP server to coding agents: writes `codecompass serve-mcp` into their settings.
    ///
    /// Without --agent all agents that are found on this machine are listed with what would be
    /// done, and you are asked. Comments, order and everything else in the files stay as they are.
    /// See docs/install.md.
    Install(InstallArgs),
    /// Remove the MCP server from the settings of coding agents.
    ///
    /// Files that no other program has changed become what they were before, to the byte.
    Uninstall(UninstallArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    /// A JSON file with questions, or a folder with `repos.json` and `annotations/`; see
    /// docs/evaluation.md.
    #[arg(value_name = "SUITE")]
    pub suite: PathBuf,
    /// The directory that the questions are about; for a folder, the directory that holds its
    /// repositories. The suite says which when this does not.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Ask only the questions of this part of the suite.
    #[arg(long, value_name = "PART")]
    pub split: Option<codecompass_app::choices::Split>,
    /// Write the report to FILE, as JSON.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Compare with the report in FILE; the exit code is 1 when anything is worse.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// By how much a measure may fall before it is worse.
    #[arg(long, default_value_t = 0.02, value_name = "SHARE")]
    pub tolerance: f64,
    /// Also measure how many of the files asked for `context` gives within budgets of 500 to 4000
    /// tokens.
    #[arg(long)]
    pub context: bool,
    /// Leave out times, so that equal rankings give equal reports.
    #[arg(long)]
    pub no_latency: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub command: ConfigCommand,
}

/// Actions on settings.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show each setting with its value, and the file, variable or flag that it comes from.
    ///
    /// Values without a comment are defaults. Keys of providers and servers are never shown. See
    /// docs/settings.md.
    Show(codecompass_app::api::store::config::ConfigShowRequest),
}

#[derive(Debug, Args)]
pub(crate) struct StateArgs {
    #[command(subcommand)]
    pub command: StateCommand,
}

/// Actions on the state.
#[derive(Debug, Subcommand)]
pub(crate) enum StateCommand {
    /// Write the repository's index to an archive, for a CI cache or another machine.
    ///
    /// All views are in it, as of their last sync. The same index gives the same bytes. An existing
    /// FILE is replaced once the new one is complete.
    Export(codecompass_app::api::store::state::ExportRequest),
    /// Take the index from an archive.
    ///
    /// The repository may lie at another path than where it was exported: the view of the checkout
    /// that was exported becomes this checkout's. Views of commits are kept, those of checkouts
    /// that are not here are left out. All checksums are compared before anything changes, and the
    /// next question parses only contents that the archive does not know.
    Import(codecompass_app::api::store::state::ImportRequest),
    /// Say what is in an archive, and whether it is whole.
    Inspect(codecompass_app::api::store::state::InspectRequest),
    /// Bring the index up to date and write it to the remote, where other machines find it.
    ///
    /// The remote is a folder or a bucket that the user's settings name, see docs/remote.md. Only
    /// what the remote lacks is sent, and nothing there is changed. All clones and forks of a
    /// repository share what is pushed: they are recognised by their first commit.
    Push(codecompass_app::api::store::remote::PushRequest),
    /// Take the newest index of this repository from the remote.
    ///
    /// It may have been made from any commit: the next question parses only what differs. All
    /// checksums, versions and names, and the signature if settings have a public key, are checked
    /// before anything changes.
    Pull(codecompass_app::api::store::remote::PullRequest),
    /// List the states of this repository that the remote has, the newest first.
    List(codecompass_app::api::store::remote::ListStatesRequest),
    /// Remove old states of this repository from the remote, and what no other state needs.
    ///
    /// The newest states stay, and so does what was written lately, so that machines may push and
    /// pull meanwhile.
    Prune(codecompass_app::api::store::remote::PruneRequest),
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}
