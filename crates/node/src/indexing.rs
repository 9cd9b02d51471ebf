//! Index jobs: from a git URL to a published generation, and from there to a view.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use codecompass_engine::{
    Engine, Error as EngineError, Progress, PushOptions, Remote, Stage, SyncOptions, query, state_versions, sync,
};
use codecompass_git::{self as git, GitUrl};
use serde_json::Value;

use super::node::Node;
use super::packs::{self, PackError};
use super::telemetry::{add, log};
use super::views::{NewView, View, ViewMark};
use crate::catalogue::{ClaimedJob, ClusterError, Generation, NewGeneration, RepositoryEntry, RepositoryStats};

/// The longest time of all requests of a job to the object store.
const OBJECTS: Duration = Duration::from_secs(1800);
/// Requests at a time.
const CONCURRENCY: usize = 8;
/// More packs become one.
const MOST_PACKS: usize = 12;

/// The reason why a job did not end well.
enum JobFailure {
    /// The lease is over; another node does the job.
    LeaseLost,
    /// The node ends.
    Ending,
    /// An object in the object store is damaged.
    Damaged(String),
    Failed(String),
}

impl From<ClusterError> for JobFailure {
    fn from(error: ClusterError) -> JobFailure {
        match error {
            ClusterError::LeaseLost => JobFailure::LeaseLost,
            error => JobFailure::Failed(error.to_string()),
        }
    }
}

impl From<EngineError> for JobFailure {
    fn from(error: EngineError) -> JobFailure {
        match error {
            EngineError::RemoteRefused { .. } => JobFailure::Damaged(error.to_string()),
            error => JobFailure::Failed(error.to_string()),
        }
    }
}

impl From<PackError> for JobFailure {
    fn from(error: PackError) -> JobFailure {
        match error {
            PackError::Damaged(reason) => JobFailure::Damaged(reason),
            PackError::Failed(reason) => JobFailure::Failed(reason),
        }
    }
}

impl From<std::io::Error> for JobFailure {
    fn from(error: std::io::Error) -> JobFailure {
        JobFailure::Failed(format!("the cache cannot be written: {error}"))
    }
}

impl From<git::GitError> for JobFailure {
    fn from(error: git::GitError) -> JobFailure {
        JobFailure::Failed(error.to_string())
    }
}

/// Stops work whose lease is over.
struct LeaseWatch(Arc<AtomicBool>);

impl Progress for LeaseWatch {
    fn report(&self, _: Stage, _: usize, _: usize) {}

    fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Stops work of a node that ends.
struct NodeWatch<'a>(&'a Node);

impl Progress for NodeWatch<'_> {
    fn report(&self, _: Stage, _: usize, _: usize) {}

    fn is_cancelled(&self) -> bool {
        self.0.is_ending()
    }
}

/// Returns the format of states that this program makes and takes.
pub(super) fn format() -> String {
    let (format, facts) = state_versions();
    format!("{format}.{facts}")
}

/// Claims a job and does it; returns false if there is none.
pub(super) fn work(node: &Arc<Node>) -> Result<bool, ClusterError> {
    let lease = node.options.lease;
    let Some(job) = node.catalogue.claim_job(&node.options.name, lease)? else { return Ok(false) };
    let over = Arc::new(AtomicBool::new(false));
    let done = Arc::new(AtomicBool::new(false));
    let keeper = {
        let (node, job, over, done) = (node.clone(), job.clone(), over.clone(), done.clone());
        thread::spawn(move || keep_lease(&node, &job, &over, &done))
    };
    let began = Instant::now();
    let outcome = run(node, &job, &over, began).map_err(|failure| match failure {
        // Work that was stopped fails in one way or another.
        _ if over.load(Ordering::Relaxed) && node.is_ending() => JobFailure::Ending,
        _ if over.load(Ordering::Relaxed) => JobFailure::LeaseLost,
        failure => failure,
    });
    done.store(true, Ordering::Relaxed);
    keeper.thread().unpark();
    let (id, ms) = (job.repository, began.elapsed().as_millis() as u64);
    let fields: [(&str, Value); 3] = [("repository", id.into()), ("token", job.token.into()), ("ms", ms.into())];
    match outcome {
        Ok(generation) => {
            add(&node.figures.jobs_done);
            let published = generation.map(|generation| generation.generation);
            log("job_done", &[&fields[..], &[("generation", published.into())]].concat());
        }
        Err(JobFailure::LeaseLost) => {
            add(&node.figures.leases_lost);
            log("job_lease_lost", &fields);
        }
        Err(JobFailure::Ending) => node.catalogue.release_job(&job)?,
        Err(JobFailure::Failed(reason)) => fail(node, &job, &reason, false, &fields)?,
        Err(JobFailure::Damaged(reason)) => fail(node, &job, &reason, true, &fields)?,
    }
    Ok(true)
}

fn fail(
    node: &Node,
    job: &ClaimedJob,
    reason: &str,
    needs_repair: bool,
    fields: &[(&str, Value)],
) -> Result<(), ClusterError> {
    add(&node.figures.jobs_failed);
    log("job_failed", &[fields, &[("reason", reason.into())]].concat());
    match node.catalogue.fail_job(job, reason, needs_repair) {
        Err(ClusterError::LeaseLost) => Ok(()),
        done => done,
    }
}

/// Extends the lease until the job is done; notes when it is over.
fn keep_lease(node: &Node, job: &ClaimedJob, over: &AtomicBool, done: &AtomicBool) {
    let lease = node.options.lease;
    let mut extended = Instant::now();
    while !done.load(Ordering::Relaxed) {
        thread::park_timeout(lease / 4);
        if done.load(Ordering::Relaxed) {
            return;
        }
        match node.catalogue.extend_lease(job, lease) {
            Ok(()) => extended = Instant::now(),
            Err(ClusterError::LeaseLost) => over.store(true, Ordering::Relaxed),
            // The database may come back in time.
            Err(_) if extended.elapsed() < lease => {}
            Err(_) => over.store(true, Ordering::Relaxed),
        }
        if node.is_ending() {
            over.store(true, Ordering::Relaxed);
        }
    }
}

/// Does a job; returns the generation that it published, if there was anything new.
fn run(
    node: &Arc<Node>,
    job: &ClaimedJob,
    over: &Arc<AtomicBool>,
    began: Instant,
) -> Result<Option<Generation>, JobFailure> {
    let stopped = || over.load(Ordering::Relaxed);
    let check = || match stopped() {
        true if node.is_ending() => Err(JobFailure::Ending),
        true => Err(JobFailure::LeaseLost),
        false => Ok(()),
    };
    let Some(entry) = node.catalogue.repository(job.repository)? else { return Err(JobFailure::LeaseLost) };
    let last = node.catalogue.generation(entry.id, entry.generation)?;
    let policy = &node.options.git;
    let turn = node.cache.turn(entry.id);
    let turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
    let url = GitUrl::parse(&entry.url, policy)?;
    let token = url.host().and_then(|host| node.options.git_token(host));
    let source = node.cache.source(entry.id);
    let fetched = git::fetch(&url, entry.branch.as_deref(), &source, policy, token.as_deref(), &stopped)?;
    check()?;
    if !job.is_repair && last.as_ref().is_some_and(|last| last.commit == fetched.commit && last.format == format()) {
        node.catalogue.finish_job(job)?;
        return Ok(None);
    }
    // What is damaged is not believed in any part.
    let last = last.filter(|_| !job.is_repair);
    let new = node.cache.begin(entry.id, &node.nonce())?;
    let progress = LeaseWatch(over.clone());
    git::make_view(&new.root(), &source, &fetched.commit)?;
    let engine = Engine::open(&new.root(), &new.home(), node.options.engine.clone())?;
    let base = last.or_else(|| relative(node, job, &engine));
    let (mut stats, is_damaged) = index(node, &engine, base.as_ref(), &progress)?;
    check()?;
    // What is damaged in a relative's folder is not for this repository to name, either.
    let is_apart = job.is_repair || is_damaged && base.as_ref().is_some_and(|base| base.repository != entry.id);
    let base = base.filter(|_| !is_apart);
    let family = folder(engine.family()?, base.as_ref(), is_apart.then(|| node.nonce()));
    let pushed = engine.push_state(&remote(node, &family, None), &PushOptions::default(), &progress)?;
    check()?;
    let (names, bytes) = store_source(node, &entry, &source, (&family, &fetched.commit), base.as_ref(), &stopped)?;
    drop(turn);
    check()?;
    (stats.index_bytes, stats.source_bytes) = (pushed.total_bytes as i64, bytes as i64);
    stats.index_ms = began.elapsed().as_millis() as i64;
    let made = NewGeneration {
        commit: fetched.commit.clone(),
        family,
        state: pushed.name,
        format: format(),
        packs: names,
        stats,
    };
    publish(node, job, new, &made).map(Some)
}

/// Publishes a generation and makes its view the one that answers.
fn publish(node: &Node, job: &ClaimedJob, new: NewView, made: &NewGeneration) -> Result<Generation, JobFailure> {
    let published = node.catalogue.publish(job, made, &node.options.name)?;
    let (repository, generation) = (published.repository, published.generation);
    let mark = ViewMark { repository, generation, commit: published.commit.clone() };
    // Before this node answers with it, so that no other answers with an older one after that.
    if node.owns(repository) {
        node.catalogue.serve(repository, generation)?;
    }
    node.cache.finish(new, mark)?;
    Ok(published)
}

/// Returns the folder of a repository's objects: the first commit, and more digits since they were
/// damaged once. No object is ever written over, so a repair is in a folder of its own.
fn folder(family: String, last: Option<&Generation>, repair: Option<String>) -> String {
    let base = &family[..family.len().min(48)];
    match (repair, last) {
        (Some(nonce), _) => format!("{base}{nonce}"),
        (None, Some(last)) if last.family.starts_with(base) => last.family.clone(),
        (None, _) => family,
    }
}

/// Returns the newest generation of a fork or mirror of a repository that has none itself. Its
/// index begins with that one's, and what both have is stored once.
fn relative(node: &Node, job: &ClaimedJob, engine: &Engine) -> Option<Generation> {
    if job.is_repair {
        return None;
    }
    let relative = node.catalogue.relative(job.repository, &engine.family().ok()?, &format()).ok()??;
    log("start_from_relative", &[("repository", job.repository.into()), ("relative", relative.repository.into())]);
    Some(relative)
}

/// Makes the index of a view, from that of an earlier generation where there is one. Returns also
/// whether that one is damaged.
fn index(
    node: &Node,
    engine: &Engine,
    base: Option<&Generation>,
    progress: &dyn Progress,
) -> Result<(RepositoryStats, bool), JobFailure> {
    let mut is_damaged = false;
    if let Some(last) = base.filter(|last| last.format == format()) {
        // Without it everything is parsed.
        if let Err(error) = pull(node, engine, last, progress) {
            let reason = error.to_string();
            log("start_without_state", &[("repository", last.repository.into()), ("reason", reason.into())]);
            if matches!(error, EngineError::RemoteRefused { .. } | EngineError::RemoteEmpty { .. }) {
                is_damaged = true;
                repair(node, last);
            }
        }
    }
    let (snapshot, _) = sync(engine, SyncOptions::default(), progress)?;
    let status = query::status(&snapshot)?;
    let stats = RepositoryStats { files: status.files, symbols: status.symbols, ..RepositoryStats::default() };
    Ok((stats, is_damaged))
}

/// Asks for the objects of a generation anew. If that cannot be said now, the next to notice will.
fn repair(node: &Node, generation: &Generation) {
    log("repair", &[("repository", generation.repository.into()), ("generation", generation.generation.into())]);
    let _ = node.catalogue.request_repair(generation.repository, generation.generation);
}

/// Returns the states of a family, or one of them.
fn remote<'a>(node: &'a Node, family: &'a str, state: Option<&'a str>) -> Remote<'a> {
    Remote {
        objects: node.objects.as_ref(),
        family,
        until: Instant::now() + OBJECTS,
        concurrency: CONCURRENCY,
        public_key: None,
        state,
    }
}

fn pull(node: &Node, engine: &Engine, generation: &Generation, progress: &dyn Progress) -> Result<(), EngineError> {
    let remote = remote(node, &generation.family, Some(&generation.state));
    engine.pull_state(&remote, true, progress).map(|_| ())
}

/// Puts the git objects of a commit into the object store, those that the last generation has not.
/// Returns the names of the packs, and the bytes of the source.
fn store_source(
    node: &Node,
    entry: &RepositoryEntry,
    source: &Path,
    (family, commit): (&str, &str),
    last: Option<&Generation>,
    stopped: &dyn Fn() -> bool,
) -> Result<(Vec<String>, u64), JobFailure> {
    let policy = &node.options.git;
    let is_known = |last: &&Generation| {
        let is_whole = || git::is_complete(source, &last.commit, policy, stopped).unwrap_or(false);
        // Several packs of another repository may have commits that it has no more.
        let is_own = last.repository == entry.id || last.packs.len() == 1;
        is_own && last.family == family && last.packs.len() < MOST_PACKS && is_whole()
    };
    let last = last.filter(is_known);
    let mut names = last.map(|last| last.packs.clone()).unwrap_or_default();
    if last.is_none_or(|last| last.commit != commit) {
        let have: Vec<String> = last.iter().map(|last| last.commit.clone()).collect();
        let file = node.cache.work(entry.id)?.join(format!("{}.pack", node.nonce()));
        let packed = git::pack(source, commit, &have, &file, policy, stopped).map_err(JobFailure::from);
        let stored = packed.and_then(|_| {
            let until = Instant::now() + OBJECTS;
            Ok(packs::upload(node.objects.as_ref(), family, &file, until)?)
        });
        let _ = std::fs::remove_file(&file);
        names.push(stored?);
    }
    // What is here need not be read from there.
    for name in &names {
        if !packs::known(source).contains(name) {
            packs::note(source, name)?;
        }
    }
    let bytes = std::fs::read_dir(source.join("objects/pack"))?;
    let bytes = bytes.filter_map(|entry| entry.ok()?.metadata().ok()).map(|data| data.len()).sum();
    Ok((names, bytes))
}

/// Takes a generation from the object store, unless it is here. Returns its view.
pub(super) fn install(node: &Node, generation: &Generation) -> Result<Arc<View>, String> {
    if let Some(view) = node.cache.get(generation.repository, generation.generation) {
        return Ok(view);
    }
    let turn = node.cache.turn(generation.repository);
    let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(view) = node.cache.get(generation.repository, generation.generation) {
        return Ok(view);
    }
    if let Some(reason) = node.delays.reason(generation.repository) {
        return Err(reason);
    }
    let began = Instant::now();
    let view = take(node, generation).map_err(|failure| match failure {
        JobFailure::Failed(reason) => node.delays.note(generation.repository, reason),
        JobFailure::Damaged(reason) => {
            repair(node, generation);
            node.delays.note(generation.repository, reason)
        }
        JobFailure::LeaseLost | JobFailure::Ending => "the node ends".to_string(),
    })?;
    node.delays.forget(generation.repository);
    add(&node.figures.installed);
    let ms = began.elapsed().as_millis() as u64;
    let fields =
        [("repository", generation.repository.into()), ("generation", generation.generation.into()), ("ms", ms.into())];
    log("installed", &fields);
    Ok(view)
}

fn take(node: &Node, generation: &Generation) -> Result<Arc<View>, JobFailure> {
    let stopped = || node.is_ending();
    let policy = &node.options.git;
    let source = node.cache.source(generation.repository);
    let known = packs::known(&source);
    for name in generation.packs.iter().filter(|name| !known.contains(name)) {
        let file = node.cache.work(generation.repository)?.join(format!("{}.pack", node.nonce()));
        let limits = (policy.max_bytes, Instant::now() + OBJECTS);
        let read = packs::download(node.objects.as_ref(), &generation.family, name, &file, limits);
        let unpacked = read.map_err(JobFailure::from).and_then(|hash| {
            git::unpack(&source, &file, &hash, policy, &stopped).map_err(|error| match error {
                git::GitError::Damaged(_) => JobFailure::Damaged(error.to_string()),
                error => error.into(),
            })
        });
        let _ = std::fs::remove_file(&file);
        unpacked?;
        packs::note(&source, name)?;
    }
    if let Err(error) = git::adopt(&source, &generation.commit, policy, &stopped) {
        if matches!(error, git::GitError::Incomplete) {
            // What is here may be of no use; the next attempt begins anew.
            node.cache.remove_held(generation.repository);
            return Err(JobFailure::Damaged(error.to_string()));
        }
        return Err(error.into());
    }
    let new = node.cache.begin(generation.repository, &node.nonce())?;
    git::make_view(&new.root(), &source, &generation.commit)?;
    let engine = Engine::open(&new.root(), &new.home(), node.options.engine.clone())?;
    index(node, &engine, Some(generation), &NodeWatch(node))?;
    drop(engine);
    let mark = ViewMark {
        repository: generation.repository,
        generation: generation.generation,
        commit: generation.commit.clone(),
    };
    Ok(node.cache.finish(new, mark)?)
}
