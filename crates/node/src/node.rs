//! A node: what it knows of the cluster, and the threads that keep it up.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use codecompass_app::settings;
use codecompass_engine::objects::ObjectStore;
use codecompass_engine::{Config, SnapshotCache};
use codecompass_git::GitPolicy;

use super::delays::InstallDelays;
use super::indexing;
use super::peers::Peers;
use super::telemetry::{NodeFigures, log};
use super::views::ViewCache;
use crate::catalogue::{Access, Catalogue, ClusterError, Generation, NodeEntry, NodeReport, RepositoryEntry};
use crate::placement;

/// The time between two looks at the catalogue.
const TICK: Duration = Duration::from_millis(500);
/// The time for which access is remembered; a token that was removed is refused after that.
const ACCESS: Duration = Duration::from_secs(2);
/// The same while the catalogue cannot be reached.
const ACCESS_WITHOUT: Duration = Duration::from_secs(600);
/// The longest wait of a question for the catalogue.
const CATALOGUE: Duration = Duration::from_secs(4);
/// A catalogue that did not answer for so long is not asked by questions.
const SILENCE: Duration = Duration::from_secs(10);
/// Tokens that are remembered.
const MOST_ACCESS: usize = 10_000;

/// The setting of the catalogue that changes when nodes are to drop what they do not own.
pub(super) const REBALANCE: &str = "rebalance";

/// The settings of a node.
pub(super) struct NodeOptions {
    pub name: String,
    /// The address by which other nodes reach it.
    pub address: String,
    pub cache: PathBuf,
    pub cache_bytes: u64,
    pub lease: Duration,
    pub alive: Duration,
    /// Jobs at a time.
    pub jobs: usize,
    pub git: GitPolicy,
    pub engine: Config,
    /// The longest time of a question.
    pub question: Duration,
    pub webhook_secret: Option<String>,
}

impl NodeOptions {
    /// Returns the token for a git host that the environment of the node has.
    pub(super) fn git_token(&self, host: &str) -> Option<String> {
        settings::private_variable(&settings::git_token_variable(host))
    }
}

/// The cluster as the catalogue showed it last.
#[derive(Clone, Debug, Default)]
pub(super) struct Members {
    pub nodes: Vec<NodeEntry>,
    pub repositories: Vec<RepositoryEntry>,
}

/// The time at which the catalogue was asked about a token, and what it may read.
type KnownAccess = (Instant, Option<Arc<Access>>);

/// A node of the cluster.
pub(super) struct Node {
    pub options: NodeOptions,
    pub catalogue: Catalogue,
    pub objects: Box<dyn ObjectStore>,
    pub cache: ViewCache,
    pub peers: Peers,
    pub figures: NodeFigures,
    pub delays: InstallDelays,
    pub kept: Arc<SnapshotCache>,
    members: RwLock<Arc<Members>>,
    access: Mutex<HashMap<[u8; 32], KnownAccess>>,
    /// True while the catalogue answers.
    is_connected: AtomicBool,
    /// When the catalogue answered last.
    heard: Mutex<Instant>,
    is_ending: AtomicBool,
    /// The last order to rebalance that this node has seen.
    rebalanced: Mutex<Option<String>>,
    nonces: AtomicU64,
    pub started: Instant,
}

impl Node {
    pub(super) fn new(
        options: NodeOptions,
        catalogue: Catalogue,
        objects: Box<dyn ObjectStore>,
        cache: ViewCache,
        secret: String,
    ) -> Node {
        Node {
            options,
            catalogue,
            objects,
            cache,
            peers: Peers::new(secret),
            figures: NodeFigures::default(),
            delays: InstallDelays::default(),
            heard: Mutex::new(Instant::now()),
            kept: Arc::default(),
            members: RwLock::default(),
            access: Mutex::default(),
            is_connected: AtomicBool::new(true),
            is_ending: AtomicBool::new(false),
            rebalanced: Mutex::default(),
            nonces: AtomicU64::new(0),
            started: Instant::now(),
        }
    }

    /// Returns a name that nothing had before.
    pub(super) fn nonce(&self) -> String {
        crate::secrets::random_name(self.nonces.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    pub(super) fn is_connected(&self) -> bool {
        self.is_connected.load(Ordering::Relaxed)
    }

    /// Begins to end: no new jobs, and those that run stop.
    pub(super) fn end(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
    }

    pub(super) fn members(&self) -> Arc<Members> {
        self.members.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the owners of a repository, the first one first.
    pub(super) fn owners(&self, members: &Members, repository: i64) -> Vec<NodeEntry> {
        let may_own = members.nodes.iter().filter(|node| node.may_own());
        let names = placement::owners(repository, may_own.map(|node| node.name.as_str()));
        names.iter().filter_map(|name| members.nodes.iter().find(|node| node.name == *name).cloned()).collect()
    }

    /// Returns whether this node owns a repository.
    pub(super) fn owns(&self, repository: i64) -> bool {
        self.owners(&self.members(), repository).iter().any(|owner| owner.name == self.options.name)
    }

    /// Returns what a token may read; `None` if it is not known.
    pub(super) fn access(self: &Arc<Self>, token: &str) -> Result<Option<Arc<Access>>, ClusterError> {
        let hash = *blake3::hash(token.as_bytes()).as_bytes();
        let lock = || self.access.lock().unwrap_or_else(PoisonError::into_inner);
        let remembered = lock().get(&hash).cloned();
        if let Some((at, access)) = &remembered
            && at.elapsed() < ACCESS
        {
            return Ok(access.clone());
        }
        match self.within(move |node| node.catalogue.access(&hash)) {
            Ok(access) => {
                let access = access.map(Arc::new);
                let mut known = lock();
                if known.len() >= MOST_ACCESS {
                    known.clear();
                }
                known.insert(hash, (Instant::now(), access.clone()));
                Ok(access)
            }
            Err(error) => match remembered.filter(|(at, _)| at.elapsed() < ACCESS_WITHOUT) {
                Some((_, access)) => Ok(access),
                None => Err(error),
            },
        }
    }

    /// Looks at the catalogue, and says that this node is alive.
    pub(super) fn refresh(&self) -> Result<(), ClusterError> {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed) as i64;
        self.catalogue.report_node(&NodeReport {
            name: self.options.name.clone(),
            address: self.options.address.clone(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            format: indexing::format(),
            held: self.cache.repositories().len() as i32,
            cache_bytes: self.cache.bytes() as i64,
            cache_limit: self.cache.limit() as i64,
            questions: read(&self.figures.questions),
            failures: read(&self.figures.failures),
        })?;
        let nodes = self.catalogue.nodes(self.options.alive)?;
        let repositories = self.catalogue.repositories()?;
        *self.members.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(Members { nodes, repositories });
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        Ok(())
    }

    /// Asks the catalogue for a question, which does not wait for long: a server that hangs leaves
    /// connections open without an answer.
    pub(super) fn within<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Node) -> Result<T, ClusterError> + Send + 'static,
    ) -> Result<T, ClusterError> {
        let silent = || ClusterError::Unreachable("it does not answer".into());
        if self.heard.lock().unwrap_or_else(PoisonError::into_inner).elapsed() > SILENCE {
            return Err(silent());
        }
        let (sender, receiver) = channel();
        let node = self.clone();
        let spawned = thread::Builder::new().spawn(move || sender.send(work(&node)).is_ok());
        spawned.map_err(|error| ClusterError::Unreachable(error.to_string()))?;
        receiver.recv_timeout(CATALOGUE).unwrap_or_else(|_| Err(silent()))
    }

    /// Starts the threads of the node.
    pub(super) fn start(self: &Arc<Self>) -> Vec<thread::JoinHandle<()>> {
        let mut threads = vec![self.spawn("members", TICK, |node| node.refresh().map(|()| false))];
        threads.push(self.spawn("polls", TICK * 4, |node| node.catalogue.request_due().map(|_| false)));
        threads.push(self.spawn("installs", TICK, |node| node.install_owned()));
        for _ in 0..self.options.jobs {
            threads.push(self.spawn("jobs", TICK, indexing::work));
        }
        let node = self.clone();
        threads.push(thread::spawn(move || {
            while !node.is_ending() {
                thread::sleep(TICK);
                node.kept.close_unused(Duration::from_secs(300), Duration::from_secs(600));
            }
        }));
        threads
    }

    /// Runs `step` again and again, at once if there is more to do, else after a pause.
    fn spawn(
        self: &Arc<Self>,
        name: &'static str,
        pause: Duration,
        step: fn(&Arc<Node>) -> Result<bool, ClusterError>,
    ) -> thread::JoinHandle<()> {
        let node = self.clone();
        thread::spawn(move || {
            while !node.is_ending() {
                match step(&node) {
                    Ok(true) => continue,
                    Ok(false) => node.is_connected.store(true, Ordering::Relaxed),
                    Err(error) => {
                        if node.is_connected.swap(!error.is_unreachable(), Ordering::Relaxed) {
                            let reason = error.to_string();
                            log("catalogue_error", &[("thread", name.into()), ("reason", reason.into())]);
                        }
                    }
                }
                thread::sleep(pause);
            }
        })
    }

    /// Takes the newest generations of the repositories that this node owns, and forgets those that
    /// were removed.
    fn install_owned(self: &Arc<Self>) -> Result<bool, ClusterError> {
        let members = self.members();
        let is_missing = |entry: &&RepositoryEntry| {
            entry.generation > 0 && !self.cache.has(entry.id, entry.generation) && self.owns(entry.id)
        };
        if members.repositories.iter().any(|entry| is_missing(&entry)) {
            for generation in self.catalogue.newest_generations()? {
                if self.is_ending() {
                    return Ok(false);
                }
                if self.owns(generation.repository) && self.has_room(&generation) {
                    self.install_one(&generation)?;
                }
            }
        }
        // A view that this node made itself may have become the newest before it was its owner.
        for entry in members.repositories.iter().filter(|entry| entry.served < entry.generation) {
            if self.cache.has(entry.id, entry.generation) && self.owns(entry.id) {
                self.catalogue.serve(entry.id, entry.generation)?;
            }
        }
        self.rebalance()?;
        self.cache.sweep();
        let is_gone = |id: &i64| !members.repositories.iter().any(|entry| entry.id == *id);
        let gone: Vec<i64> = self.cache.folders().into_iter().filter(is_gone).collect();
        if !gone.is_empty() {
            // Those that were added since are not gone.
            let known: Vec<i64> = self.catalogue.repositories()?.iter().map(|entry| entry.id).collect();
            gone.into_iter().filter(|id| !known.contains(id)).for_each(|id| self.cache.remove(id));
        }
        Ok(false)
    }

    /// Drops views of generations that the catalogue does not have, or has with another commit: it
    /// may have been restored to an older state, and its next generations have the same numbers.
    pub(super) fn forget_unknown(&self) -> Result<(), ClusterError> {
        for repository in self.cache.repositories() {
            let Some(view) = self.cache.get(repository, 0) else { continue };
            let known = self.catalogue.generation(repository, view.mark.generation)?;
            if known.is_none_or(|known| known.commit != view.mark.commit) {
                drop(view);
                self.cache.remove(repository);
            }
        }
        Ok(())
    }

    /// Drops what this node does not own, if that was ordered.
    fn rebalance(&self) -> Result<(), ClusterError> {
        let order = self.catalogue.setting(REBALANCE, || "0".to_string())?;
        let mut seen = self.rebalanced.lock().unwrap_or_else(PoisonError::into_inner);
        let last = seen.replace(order.clone());
        drop(seen);
        if last.is_some_and(|last| last != order) {
            let foreign = self.cache.repositories().into_iter().filter(|repository| !self.owns(*repository));
            foreign.for_each(|repository| self.cache.remove(repository));
        }
        Ok(())
    }

    /// Returns whether a generation fits beside what is asked about; else it is taken when it is.
    fn has_room(&self, generation: &Generation) -> bool {
        let entry = |members: &Members| members.repositories.iter().find(|e| e.id == generation.repository).cloned();
        let bytes = entry(&self.members()).map_or(0, |entry| entry.stats.index_bytes + entry.stats.source_bytes);
        let is_held = self.cache.has(generation.repository, 0);
        is_held || self.cache.bytes() + bytes as u64 <= self.cache.limit()
    }

    fn install_one(&self, generation: &Generation) -> Result<(), ClusterError> {
        if self.cache.has(generation.repository, generation.generation) {
            return Ok(());
        }
        let is_known = self.delays.reason(generation.repository).is_some();
        match indexing::install(self, generation) {
            Ok(view) => self.catalogue.serve(generation.repository, view.mark.generation),
            // It is logged once, not for each look at it.
            Err(_) if is_known => Ok(()),
            Err(reason) => {
                let fields = [
                    ("repository", generation.repository.into()),
                    ("generation", generation.generation.into()),
                    ("reason", reason.into()),
                ];
                log("install_failed", &fields);
                Ok(())
            }
        }
    }
}
