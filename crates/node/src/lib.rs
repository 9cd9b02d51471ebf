//! The program `codecompass-node`. A cluster: many repositories, indexed once, behind equal nodes.
//!
//! ```text
//! clients ──> node ──┬──> views on this node      PostgreSQL: catalogue, jobs, tokens
//!             │      └──> other nodes             object store: indexes, git packs
//!             └── jobs: git URL ──> fetch ──> index ──> object store ──> publish
//! ```
//!
//! `node.rs` is a node and its threads, `indexing.rs` does jobs and takes generations, `views.rs`
//! is the cache, `delays.rs` has waits after failures, `questions.rs` routes questions,
//! `repositories.rs` asks each repository of several, `fan_out.rs` has several nodes answer one
//! question, `peers.rs` has their messages, `http.rs` the routes, `admin.rs` the commands.
//! `catalogue/` is what nodes must agree on, `placement.rs` says which of them own a repository,
//! `secrets.rs` has random numbers and signatures. See
//! docs/cluster.md.

mod admin;
mod catalogue;
mod cli;
mod collect;
mod delays;
mod fan_out;
mod http;
mod indexing;
mod node;
mod packs;
mod peers;
mod placement;
mod questions;
mod repositories;
mod secrets;
mod telemetry;
mod views;

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{CommandFactory, Parser};
use codecompass_app::choices::Answers;
use codecompass_app::error::{AppError, Code};
use codecompass_app::settings::{self, ClusterSettings};
use codecompass_app::terminal::output::{self, Outcome};
use codecompass_engine::objects::{self, ObjectStore, PlaceOptions};
use codecompass_git::GitPolicy;
use codecompass_server::mcp::{Ends, ListenOptions, Server, TOOLS, Tool, serve_routes};

use self::catalogue::{Catalogue, DatabaseOptions};
use self::cli::{Cli, Command, NodeArgs};
use self::http::NodeAnswerer;
use self::node::{Node, NodeOptions};
use self::secrets::random_secret;
use self::telemetry::log;
use self::views::ViewCache;

/// The longest silence of a client.
const SLOW_CLIENT: Duration = Duration::from_secs(60);
/// Connections at the same time.
const CONNECTIONS: u32 = 512;

/// Reads the arguments, runs one command, prints its answer and gives the exit code: 0 done, 2
/// error.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return output::usage(&error),
    };
    output::set_color(cli.global.color);
    let done = match &cli.command {
        Command::Serve(args) => run_node(args),
        Command::Admin(command) => admin::run(&cli.global.context(), command),
    };
    match done {
        Ok(outcome) => outcome.exit_code(),
        Err(error) => output::report(&error, cli.global.json),
    }
}

/// The arguments of the program, for generated documentation.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Opens the catalogue that settings name.
fn open_catalogue(settings: &ClusterSettings) -> Result<Catalogue, AppError> {
    let Some(url) = settings.database.clone() else {
        return Err(AppError::invalid(
            "no cluster is configured",
            "set `database` in [cluster] of your config.toml, or CODECOMPASS_CLUSTER_DATABASE; see docs/cluster.md",
        ));
    };
    let user = url.split_once("://").and_then(|(_, rest)| rest.rsplit_once('@')).map(|(user, _)| user);
    if user.is_some_and(|user| user.contains(':')) || url.contains("password=") {
        return Err(AppError::invalid(
            "the address of the database has a password in it",
            "leave it out, and set the variable PGPASSWORD",
        ));
    }
    let authorities = match &settings.authorities {
        None => None,
        Some(file) => Some(std::fs::read(file).map_err(|error| {
            AppError::invalid(format!("cannot read {file}: {error}"), "correct `authorities` in [cluster]")
        })?),
    };
    Ok(Catalogue::open(&DatabaseOptions { url, password: settings.password.clone(), authorities })?)
}

/// Opens the object store that settings name.
fn open_objects(settings: &ClusterSettings) -> Result<Box<dyn ObjectStore>, AppError> {
    let Some(url) = settings.objects.clone() else {
        return Err(AppError::invalid(
            "no object store is configured",
            "set `objects` in [cluster] of your config.toml, or CODECOMPASS_CLUSTER_OBJECTS",
        ));
    };
    let options = PlaceOptions {
        url,
        endpoint: settings.endpoint.clone(),
        region: settings.region.clone(),
        path_style: settings.path_style,
        credentials: settings.credentials.clone(),
        connect_timeout: None,
        concurrency: 8,
    };
    objects::open(&options).map_err(|error| {
        AppError::invalid(format!("the object store cannot be used: {error}"), "correct `objects` in [cluster]")
    })
}

/// Returns the rules for git URLs.
fn git_policy(settings: &ClusterSettings) -> GitPolicy {
    GitPolicy {
        schemes: settings.git_schemes.clone(),
        hosts: settings.git_hosts.clone(),
        allow_private_addresses: settings.git_private,
        max_bytes: settings.git_mib << 20,
        max_seconds: settings.git_seconds,
        ..GitPolicy::default()
    }
}

fn node_options(args: &NodeArgs, settings: &ClusterSettings, address: SocketAddr) -> Result<NodeOptions, AppError> {
    let own = || format!("http://{address}");
    if args.address.is_none() && address.ip().is_unspecified() {
        return Err(AppError::invalid(
            "other nodes cannot reach this one by the address that it listens on",
            "give the address by which they do with --address, such as http://node-1:4870",
        ));
    }
    let address = args.address.clone().unwrap_or_else(own);
    let name = args.name.clone().unwrap_or_else(|| address.trim_start_matches("http://").to_string());
    let homes = settings::homes()?;
    let cache = args.cache.clone().or_else(|| settings.cache.clone().map(PathBuf::from));
    Ok(NodeOptions {
        name,
        address,
        cache: cache.unwrap_or_else(|| homes.data.join("cluster")),
        cache_bytes: settings.cache_mib << 20,
        lease: Duration::from_secs(settings.lease_seconds),
        alive: Duration::from_secs(settings.alive_seconds),
        jobs: settings.jobs,
        git: git_policy(settings),
        engine: settings::load(&homes, Path::new("/"))?.engine,
        question: Duration::from_secs(args.question_timeout),
        webhook_secret: settings::private_variable("CODECOMPASS_WEBHOOK_SECRET"),
    })
}

/// The object with the identity of the cluster that an object store is of.
const OWNER: &str = "cluster";
/// The longest wait for the request about it.
const OWNER_PATIENCE: Duration = Duration::from_secs(10);

/// Returns the secret by which nodes know each other.
fn secret(catalogue: &Catalogue) -> Result<String, AppError> {
    let secret = catalogue.setting("secret", || random_secret().unwrap_or_default())?;
    match secret.is_empty() {
        true => Err(AppError::internal("the cluster has no secret")),
        false => Ok(secret),
    }
}

/// Returns the identity of the cluster with a secret, which does not tell the secret.
fn identity(secret: &str) -> String {
    blake3::hash(secret.as_bytes()).to_hex().to_string()
}

/// Refuses an object store of another cluster, whose objects this one does not know to be needed.
/// With `claims`, one that no node has used yet is this cluster's from then on.
fn check_owner(objects: &dyn ObjectStore, catalogue: &Catalogue, claims: bool) -> Result<(), AppError> {
    let (own, until) = (identity(&secret(catalogue)?), Instant::now() + OWNER_PATIENCE);
    let failed = |error| AppError::invalid(format!("the object store cannot be used: {error}"), "try again");
    if claims {
        objects.put_new(OWNER, own.as_bytes(), until).map_err(failed)?;
    }
    match objects.get(OWNER, 1000, until).map_err(failed)?.as_deref() {
        Some(found) if found == own.as_bytes() => Ok(()),
        None if !claims => Ok(()),
        _ => Err(AppError::invalid(
            "the object store is of a cluster with another database",
            "name the database of that cluster; if it is lost, remove the object `cluster` there and try again",
        )),
    }
}

/// Runs a node until it is told to end.
fn run_node(args: &NodeArgs) -> Result<Outcome, AppError> {
    let settings = settings::of_cluster()?;
    let catalogue = open_catalogue(&settings)?;
    let objects = open_objects(&settings)?;
    let secret = secret(&catalogue)?;
    let cluster = identity(&secret);
    // Which cluster an object store is of matters to a collection alone.
    let _ = objects.put_new(OWNER, cluster.as_bytes(), Instant::now() + OWNER_PATIENCE);
    let cannot_listen = |error: std::io::Error| {
        AppError::invalid(format!("cannot listen on {}: {error}", args.bind), "give another address with --bind")
    };
    let listener = TcpListener::bind(args.bind).map_err(cannot_listen)?;
    let options = node_options(args, &settings, listener.local_addr().map_err(cannot_listen)?)?;
    let cache = ViewCache::open(options.cache.clone(), options.cache_bytes, &cluster).map_err(|error| {
        let message = format!("the cache {} cannot be used: {error}", options.cache.display());
        AppError::new(Code::InternalError, message, "give another folder with --cache")
    })?;
    let node = Arc::new(Node::new(options, catalogue, objects, cache, secret));
    node.refresh()?;
    node.forget_unknown()?;
    let is_listed = |tool: &&Tool| tool.is_core && (tool.is_many() || questions::is_offered(tool));
    let listed = TOOLS.iter().filter(is_listed).collect();
    let server = Server::new(Arc::new(NodeAnswerer(node.clone())), listed, args.answers.unwrap_or(Answers::Text));
    let ends = Ends::default();
    let router = http::routes(&node, server, &ends);
    let fields = [("node", node.options.name.as_str().into()), ("address", node.options.address.as_str().into())];
    log("started", &fields);
    let threads = node.start();
    let listen = ListenOptions { patience: SLOW_CLIENT, connections: CONNECTIONS };
    let served = serve_routes(listener, router, listen, &ends);
    node.end();
    for thread in threads {
        let _ = thread.join();
    }
    let _ = node.catalogue.remove_node(&node.options.name);
    log("ended", &[]);
    served.map(|()| Outcome::Found)
}
