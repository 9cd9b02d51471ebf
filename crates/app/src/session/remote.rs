//! The remote of a session: where other machines put the index of this repository.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use codecompass_engine::objects::{self, Metered, ObjectError, ObjectStore, PlaceOptions, PublicKey};
use codecompass_engine::{Error as EngineError, Pulled, Remote};

use super::Session;
use crate::error::AppError;
use crate::settings::RemoteSettings;
use crate::terminal::output;

/// The longest wait for a connection that was not asked for.
const FIRST_CONNECT: Duration = Duration::from_secs(3);

/// The remote that settings name, opened.
pub struct OpenRemote {
    objects: Box<dyn ObjectStore>,
    public_key: Option<PublicKey>,
    concurrency: usize,
    /// The name of the repository's family.
    pub family: String,
    until: Instant,
}

/// Bytes that went over the line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traffic {
    pub sent: u64,
    pub received: u64,
}

impl OpenRemote {
    /// Returns the place, for messages.
    pub fn place(&self) -> &str {
        self.objects.place()
    }

    /// Runs `work` on the remote and counts what it sends and reads.
    pub fn with<T>(
        &self,
        work: impl FnOnce(&Remote<'_>) -> Result<T, EngineError>,
    ) -> Result<(T, Traffic), EngineError> {
        let metered = Metered::new(self.objects.as_ref());
        let remote = Remote {
            objects: &metered,
            family: &self.family,
            until: self.until,
            concurrency: self.concurrency,
            public_key: self.public_key,
            state: None,
        };
        let done = work(&remote)?;
        let (sent, received) = (metered.sent.load(Ordering::Relaxed), metered.received.load(Ordering::Relaxed));
        Ok((done, Traffic { sent, received }))
    }
}

impl Session {
    /// Opens the remote for the family of this repository, or the one that is given.
    pub fn open_remote(&self, family: Option<&str>, time: Duration) -> Result<OpenRemote, AppError> {
        if self.remote.url.is_none() {
            return Err(AppError::invalid(
                "no remote is configured",
                "set `url` in [remote] of your config.toml, or CODECOMPASS_REMOTE_URL; see docs/remote.md",
            ));
        }
        self.open_place(family, time, None).map_err(AppError::from)
    }

    fn open_place(
        &self,
        family: Option<&str>,
        time: Duration,
        connect_timeout: Option<Duration>,
    ) -> Result<OpenRemote, EngineError> {
        let settings = &self.remote;
        let url = settings.url.clone().unwrap_or_default();
        let place = place(&url);
        let unusable = |source| EngineError::RemoteUnavailable { place: place.clone(), source };
        let options = PlaceOptions {
            url,
            endpoint: settings.endpoint.clone(),
            region: settings.region.clone(),
            path_style: settings.path_style,
            credentials: settings.credentials.clone(),
            connect_timeout,
            concurrency: settings.concurrency,
        };
        let objects = objects::open(&options).map_err(unusable)?;
        let public_key = public_key(settings).map_err(unusable)?;
        let family = family.map_or_else(|| self.engine.family(), |family| Ok(family.to_ascii_lowercase()))?;
        let concurrency = settings.concurrency;
        Ok(OpenRemote { objects, public_key, concurrency, family, until: Instant::now() + time })
    }

    /// Takes the index from the remote if there is none here and settings name one. Whatever goes
    /// wrong is said in one line, and the index is made here.
    pub(super) fn pull_at_first_use(&self) {
        if self.remote.url.is_none() || !self.remote.auto_pull || !self.engine.has_no_index() {
            return;
        }
        let time = Duration::from_secs(self.remote.auto_pull_seconds);
        let pulled = output::quiet_panics(AssertUnwindSafe(|| {
            let remote = self.open_place(None, time, Some(FIRST_CONNECT))?;
            let pull = |remote: &Remote<'_>| self.with_progress(|bar| self.engine.pull_state(remote, false, bar));
            Ok((remote.with(pull)?.0, remote.place().to_string()))
        }));
        match pulled {
            Ok(Ok((pulled, place))) => self.note(&taken(&pulled, &place)),
            // Another process was first.
            Ok(Err(EngineError::StoreExists { .. })) => {}
            Ok(Err(error)) => self.note(&format!("{error}; the index is made here")),
            Err(_) => self.note("the remote index cannot be read; the index is made here"),
        }
    }
}

fn public_key(settings: &RemoteSettings) -> Result<Option<PublicKey>, ObjectError> {
    settings.public_key.as_deref().map(PublicKey::parse).transpose()
}

/// Returns a URL without what may be a password.
fn place(url: &str) -> String {
    let clean = url.rsplit_once('@').map_or(url, |(_, host)| host);
    clean.chars().take(200).collect()
}

fn taken(pulled: &Pulled, place: &str) -> String {
    let commit = pulled.commit.as_deref().map(|commit| format!(" of commit {}", &commit[..commit.len().min(12)]));
    format!("took the index{} from {place}; what differs is parsed", commit.unwrap_or_default())
}
