//! The commands that administer a cluster. They connect to the database and to no node, so access
//! to the database is access to all of them.

use std::time::Duration;

use codecompass_app::error::AppError;
use codecompass_app::render::shown;
use codecompass_app::session::CallContext;
use codecompass_app::settings::{self, ClusterSettings};
use codecompass_app::terminal::output::{self, Outcome};
use codecompass_app::units;
use codecompass_git::GitUrl;
use serde_json::{Value, json};

use super::node::REBALANCE;
use super::{collect, git_policy, open_catalogue};
use crate::catalogue::{Catalogue, JobEntry, NewAccess, NewRepository, NodeEntry, RepositoryEntry};
use crate::cli::{AddRepositoryArgs, AddTokenArgs, AdminCommand, DrainArgs, RemoveRepositoryArgs, TokenCommand};
use crate::secrets::random_secret;

/// Runs a command.
pub(crate) fn run(context: &CallContext, command: &AdminCommand) -> Result<Outcome, AppError> {
    let settings = settings::of_cluster()?;
    let catalogue = open_catalogue(&settings)?;
    let (text, value) = match command {
        AdminCommand::Add(args) => add(&catalogue, &settings, args)?,
        AdminCommand::Remove(args) => remove(&catalogue, args)?,
        AdminCommand::Update(args) => update(&catalogue, args)?,
        AdminCommand::List => list(&catalogue)?,
        AdminCommand::Status => status(&catalogue, &settings)?,
        AdminCommand::Drain(args) => drain(&catalogue, args)?,
        AdminCommand::Rebalance => {
            catalogue.set(REBALANCE, &random_secret()?)?;
            let text = "nodes drop what they do not own, and take what they do\n".to_string();
            (text, json!({"rebalance": "ordered"}))
        }
        AdminCommand::Gc(args) => collect::run(context, &catalogue, &settings, args)?,
        AdminCommand::Token(args) => match &args.command {
            TokenCommand::Add(args) => add_token(&catalogue, args)?,
            TokenCommand::List => list_tokens(&catalogue)?,
            TokenCommand::Remove { name } => {
                catalogue.remove_access(name)?;
                (format!("removed the token {}\n", shown(name)), json!({"removed": name}))
            }
        },
    };
    if context.is_json() {
        output::object(&value);
    } else {
        output::text(&text);
    }
    Ok(Outcome::Found)
}

/// Returns whether a name can stand in questions and answers.
fn is_name(name: &str) -> bool {
    let plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | '/');
    (1..=100).contains(&name.len()) && name.chars().all(plain) && !name.starts_with(['-', '/', '.'])
}

fn checked(name: &str) -> Result<&str, AppError> {
    match is_name(name) {
        true => Ok(name),
        false => Err(AppError::invalid(
            format!("`{}` cannot be a name here", shown(name)),
            "give at most 100 letters, digits, `-`, `_`, `.` and `/`, with a letter or digit first",
        )),
    }
}

fn add(
    catalogue: &Catalogue,
    settings: &ClusterSettings,
    args: &AddRepositoryArgs,
) -> Result<(String, Value), AppError> {
    if args.name.is_some() && args.urls.len() > 1 {
        return Err(AppError::invalid("--name is for one URL", "add the repositories one by one"));
    }
    let policy = git_policy(settings);
    let mut urls = Vec::new();
    for text in &args.urls {
        let url = GitUrl::parse(text, &policy).map_err(|error| {
            AppError::invalid(
                format!("{}: {error}", shown(&without_user(text))),
                "`git_schemes`, `git_hosts` and `git_private` in [cluster] say what is allowed; see docs/cluster.md",
            )
        })?;
        urls.push(url);
    }
    args.groups.iter().try_for_each(|group| checked(group).map(|_| ()))?;
    let poll = args.poll.unwrap_or(settings.poll_seconds);
    let (mut text, mut values) = (String::new(), Vec::new());
    for url in urls {
        let name = args.name.clone().unwrap_or_else(|| url.name());
        let new = NewRepository {
            name: checked(&name)?.to_string(),
            url: url.address(),
            branch: url.branch().map(str::to_string),
            groups: args.groups.clone(),
            poll_seconds: i32::try_from(poll).unwrap_or(i32::MAX),
        };
        let added = catalogue.add_repository(&new)?;
        text.push_str(&format!("added {} ({})\n", shown(&added.name), shown(&url.to_string())));
        values.push(json!({"name": added.name, "url": url.to_string(), "groups": added.groups}));
    }
    Ok((text, json!({"added": values})))
}

/// Returns a URL without what may be a password in it, to be shown.
fn without_user(url: &str) -> String {
    match url.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.rsplit_once('@')?))) {
        Some((scheme, (_, rest))) => format!("{scheme}://{rest}"),
        None => url.to_string(),
    }
}

fn remove(catalogue: &Catalogue, args: &RemoveRepositoryArgs) -> Result<(String, Value), AppError> {
    for name in &args.names {
        catalogue.remove_repository(name)?;
    }
    let text = args.names.iter().map(|name| format!("removed {}\n", shown(name))).collect();
    Ok((text, json!({"removed": args.names})))
}

fn update(catalogue: &Catalogue, args: &RemoveRepositoryArgs) -> Result<(String, Value), AppError> {
    for name in &args.names {
        if !catalogue.request_index(name)? {
            let message = format!("there is no repository `{}` in the cluster", shown(name));
            return Err(AppError::invalid(message, "`codecompass-node list` shows what there is"));
        }
    }
    let text = args.names.iter().map(|name| format!("queued {}\n", shown(name))).collect();
    Ok((text, json!({"queued": args.names})))
}

fn repository_json(entry: &RepositoryEntry) -> Value {
    json!({
        "name": entry.name,
        "groups": entry.groups,
        "branch": entry.branch,
        "generation": entry.generation,
        "served": entry.served,
        "files": entry.stats.files,
        "symbols": entry.stats.symbols,
        "index_bytes": entry.stats.index_bytes,
        "source_bytes": entry.stats.source_bytes,
        "index_ms": entry.stats.index_ms,
        "last_error": entry.last_error,
    })
}

fn list(catalogue: &Catalogue) -> Result<(String, Value), AppError> {
    let entries = catalogue.repositories()?;
    let mut text = String::new();
    for entry in &entries {
        let state = match (entry.served, &entry.last_error) {
            (0, Some(_)) => "failed".to_string(),
            (0, None) => "waiting".to_string(),
            (served, _) => format!("generation {served}"),
        };
        let size = units::bytes((entry.stats.index_bytes + entry.stats.source_bytes).max(0) as u64);
        let groups = match entry.groups.is_empty() {
            true => String::new(),
            false => format!("  @{}", entry.groups.join(" @")),
        };
        text.push_str(&format!("{}  {state}, {} files, {size}{groups}\n", shown(&entry.name), entry.stats.files));
        if let Some(reason) = &entry.last_error {
            text.push_str(&format!("  {}\n", shown(reason)));
        }
    }
    if entries.is_empty() {
        text.push_str("no repositories; add one with `codecompass-node add GIT_URL`\n");
    }
    Ok((text, json!({"repositories": entries.iter().map(repository_json).collect::<Vec<_>>()})))
}

fn node_line(node: &NodeEntry) -> String {
    let state = match (node.is_alive, node.is_draining) {
        (false, _) => format!("gone for {} s", node.seen_seconds),
        (true, true) => "draining".to_string(),
        (true, false) => "alive".to_string(),
    };
    let (used, limit) = (units::bytes(node.cache_bytes.max(0) as u64), units::bytes(node.cache_limit.max(0) as u64));
    format!(
        "  {}  {state}, {}, version {}, {} repositories, {used} of {limit}, {} questions\n",
        node.name, node.address, node.version, node.held, node.questions
    )
}

fn job_line(job: &JobEntry) -> String {
    let state = match &job.node {
        Some(node) => format!("on {node}"),
        None if job.attempts > 0 => format!("waits for attempt {}", job.attempts + 1),
        None => "waits".to_string(),
    };
    format!("  {}  {state}, asked for {} s ago\n", shown(&job.repository), job.age_seconds)
}

/// The most lines of jobs and of failures.
const MOST_LINES: usize = 20;

fn status(catalogue: &Catalogue, settings: &ClusterSettings) -> Result<(String, Value), AppError> {
    let nodes = catalogue.nodes(Duration::from_secs(settings.alive_seconds))?;
    let (repositories, jobs) = (catalogue.repositories()?, catalogue.jobs()?);
    let ready = repositories.iter().filter(|entry| entry.served > 0).count();
    let failed: Vec<&RepositoryEntry> = repositories.iter().filter(|entry| entry.last_error.is_some()).collect();
    let running = jobs.iter().filter(|job| job.node.is_some()).count();
    let mut text = format!("{ready} of {} repositories can be asked\n", repositories.len());
    text.push_str(&format!("nodes ({} alive):\n", nodes.iter().filter(|node| node.is_alive).count()));
    nodes.iter().for_each(|node| text.push_str(&node_line(node)));
    text.push_str(&format!("jobs ({} running, {} waiting):\n", running, jobs.len() - running));
    jobs.iter().take(MOST_LINES).for_each(|job| text.push_str(&job_line(job)));
    if jobs.len() > MOST_LINES {
        text.push_str(&format!("  and {} more\n", jobs.len() - MOST_LINES));
    }
    if !failed.is_empty() {
        text.push_str(&format!("failed ({}):\n", failed.len()));
    }
    for entry in failed.iter().take(MOST_LINES) {
        text.push_str(&format!("  {}: {}\n", shown(&entry.name), shown(entry.last_error.as_deref().unwrap_or(""))));
    }
    let node_json = |node: &NodeEntry| {
        json!({
            "name": node.name,
            "address": node.address,
            "version": node.version,
            "is_alive": node.is_alive,
            "is_draining": node.is_draining,
            "repositories": node.held,
            "cache_bytes": node.cache_bytes,
            "cache_limit": node.cache_limit,
            "questions": node.questions,
        })
    };
    let job_json = |job: &JobEntry| json!({"repository": job.repository, "node": job.node, "attempts": job.attempts, "age_seconds": job.age_seconds});
    let value = json!({
        "repositories": repositories.len(),
        "ready": ready,
        "nodes": nodes.iter().map(node_json).collect::<Vec<_>>(),
        "jobs": jobs.iter().map(job_json).collect::<Vec<_>>(),
        "failed": failed.iter().map(|entry| json!({"repository": entry.name, "reason": entry.last_error})).collect::<Vec<_>>(),
    });
    Ok((text, value))
}

fn drain(catalogue: &Catalogue, args: &DrainArgs) -> Result<(String, Value), AppError> {
    catalogue.drain_node(&args.node, !args.undo)?;
    let text = match args.undo {
        false => format!("{} owns nothing any more; stop it when others have its repositories\n", shown(&args.node)),
        true => format!("{} owns repositories again\n", shown(&args.node)),
    };
    Ok((text, json!({"node": args.node, "is_draining": !args.undo})))
}

fn add_token(catalogue: &Catalogue, args: &AddTokenArgs) -> Result<(String, Value), AppError> {
    if !args.all && args.repositories.is_empty() && args.groups.is_empty() {
        return Err(AppError::invalid("the token could read nothing", "give --repository, --group or --all"));
    }
    let secret = random_secret()?;
    catalogue.add_access(&NewAccess {
        name: checked(&args.name)?.to_string(),
        hash: *blake3::hash(secret.as_bytes()).as_bytes(),
        is_all: args.all,
        repositories: args.repositories.clone(),
        groups: args.groups.clone(),
        valid_for: args.days.map(|days| Duration::from_secs(days * 24 * 3600)),
    })?;
    Ok((format!("{secret}\n"), json!({"name": args.name, "token": secret})))
}

fn list_tokens(catalogue: &Catalogue) -> Result<(String, Value), AppError> {
    let entries = catalogue.access_entries()?;
    let mut text = String::new();
    let mut values = Vec::new();
    for entry in &entries {
        let mut may: Vec<String> = entry.repositories.clone();
        may.extend(entry.groups.iter().map(|group| format!("@{group}")));
        let may = if entry.is_all { "everything".to_string() } else { may.join(" ") };
        let expired = if entry.is_expired { ", expired" } else { "" };
        text.push_str(&format!("{}  reads {may}{expired}\n", shown(&entry.name)));
        values.push(json!({
            "name": entry.name,
            "is_all": entry.is_all,
            "repositories": entry.repositories,
            "groups": entry.groups,
            "is_expired": entry.is_expired,
        }));
    }
    if entries.is_empty() {
        text.push_str("no tokens; make one with `codecompass-node token add NAME --all`\n");
    }
    Ok((text, json!({"tokens": values})))
}
