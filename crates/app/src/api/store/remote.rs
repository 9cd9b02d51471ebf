//! `state push`, `pull`, `list` and `prune`: the index in an object store that machines share.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use codecompass_engine::objects::SigningKey;
use codecompass_engine::{PruneOptions, PushOptions, Remote, StateName, SyncOptions};
use serde::Serialize;

use crate::api::store::state::ImportSummary;
use crate::clock;
use crate::error::AppError;
use crate::session::{CallContext, Session};
use crate::terminal::output;

/// The longest time for a transfer that was asked for.
const PATIENCE: Duration = Duration::from_secs(3600);
/// The largest file with a key.
const MAX_KEY_BYTES: u64 = 10_000;

#[derive(Debug, Args)]
pub struct FamilyArgs {
    /// The id of the repository's first commit, for shallow clones, which do not know it.
    #[arg(long, value_name = "COMMIT")]
    pub family: Option<String>,
}

#[derive(Debug, Args)]
pub struct PushRequest {
    /// Sign the state with this private key: Ed25519, in PEM, as OpenSSL writes it.
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// Send everything, also what the remote says it has.
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    pub family: FamilyArgs,
}

#[derive(Debug, Args)]
pub struct PullRequest {
    /// Replace an index that is there already; it answers until the new one is complete.
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub family: FamilyArgs,
}

#[derive(Debug, Args)]
pub struct ListStatesRequest {
    #[command(flatten)]
    pub family: FamilyArgs,
}

#[derive(Debug, Args)]
pub struct PruneRequest {
    /// Keep so many of the newest states, of each version of the index.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    pub keep: u64,
    /// Keep what was written within the last N days, at least one; a push must end within them.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(i64).range(1..=36500))]
    pub days: i64,
    /// Say what would be removed, and remove nothing.
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub family: FamilyArgs,
}

#[derive(Clone, Debug, Serialize)]
pub struct PruneAnswer {
    pub remote: String,
    pub family: String,
    #[serde(rename = "dry_run")]
    pub is_dry: bool,
    pub kept_states: usize,
    pub removed_states: usize,
    pub removed_packs: usize,
    pub removed_bytes: u64,
    /// States that are left but cannot be read, so that no pack was removed.
    pub unreadable: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct PushAnswer {
    pub remote: String,
    pub family: String,
    pub state: String,
    /// False if the remote had the state already.
    #[serde(rename = "pushed")]
    pub is_new: bool,
    #[serde(rename = "signed")]
    pub is_signed: bool,
    pub commit: Option<String>,
    pub total_bytes: u64,
    /// Bytes that the remote lacked, before compression.
    pub new_bytes: u64,
    pub sent_bytes: u64,
    pub packs: usize,
}

#[derive(Clone, Debug, Serialize)]
pub struct PullAnswer {
    pub remote: String,
    pub family: String,
    pub state: String,
    pub commit: Option<String>,
    pub pushed_at: String,
    pub total_bytes: u64,
    pub received_bytes: u64,
    pub imported: ImportSummary,
}

#[derive(Clone, Debug, Serialize)]
pub struct StatesAnswer {
    pub remote: String,
    pub family: String,
    pub states: Vec<StateView>,
}

/// A state of the remote, as its name tells.
#[derive(Clone, Debug, Serialize)]
pub struct StateView {
    pub state: String,
    pub pushed_at: String,
    pub format: i64,
    pub facts_version: i64,
    #[serde(rename = "compatible")]
    pub is_compatible: bool,
}

impl PushRequest {
    pub fn answer(&self, context: &CallContext) -> Result<PushAnswer, AppError> {
        let session = Session::open_checkout(context)?;
        let key = self.key()?;
        let remote = session.open_remote(self.family.family.as_deref(), PATIENCE)?;
        // What is pushed is what is there now.
        session.with_repair(|| session.sync(SyncOptions::default()))?;
        let options = PushOptions { key: key.as_ref(), is_full: self.full };
        let push = |place: &Remote<'_>| session.with_progress(|bar| session.engine.push_state(place, &options, bar));
        let (pushed, traffic) = remote.with(push)?;
        Ok(PushAnswer {
            remote: remote.place().to_string(),
            family: remote.family.clone(),
            state: pushed.name,
            is_new: pushed.is_new,
            is_signed: key.is_some(),
            commit: pushed.commit,
            total_bytes: pushed.total_bytes,
            // The last block of a file is filled up.
            new_bytes: pushed.new_bytes.min(pushed.total_bytes),
            sent_bytes: traffic.sent,
            packs: pushed.packs,
        })
    }

    fn key(&self) -> Result<Option<SigningKey>, AppError> {
        let Some(file) = &self.key_file else { return Ok(None) };
        let unusable = |reason: String| {
            let message = format!("cannot use {}: {reason}", file.display());
            AppError::invalid(message, "make one with `openssl genpkey -algorithm ed25519`; see docs/remote.md")
        };
        let size = std::fs::metadata(file).map_err(|error| unusable(error.to_string()))?.len();
        if size > MAX_KEY_BYTES {
            return Err(unusable("it is too large for a key".into()));
        }
        let text = std::fs::read_to_string(file).map_err(|error| unusable(error.to_string()))?;
        SigningKey::from_pem(&text).map(Some).map_err(|error| unusable(error.to_string()))
    }
}

impl PullRequest {
    pub fn answer(&self, context: &CallContext) -> Result<PullAnswer, AppError> {
        let session = Session::open_checkout(context)?;
        let remote = session.open_remote(self.family.family.as_deref(), PATIENCE)?;
        let pull =
            || remote.with(|place| session.with_progress(|bar| session.engine.pull_state(place, self.force, bar)));
        // A panic on flawed data is caught below us, but not silent.
        let (pulled, traffic) = output::quiet_panics(AssertUnwindSafe(pull)).map_err(AppError::internal)??;
        Ok(PullAnswer {
            remote: remote.place().to_string(),
            family: remote.family.clone(),
            state: pulled.state.name,
            commit: pulled.commit,
            pushed_at: clock::rfc3339(pulled.state.time / 1000),
            total_bytes: pulled.imported.header.total_bytes(),
            received_bytes: traffic.received,
            imported: ImportSummary::new(&session, pulled.imported),
        })
    }
}

impl ListStatesRequest {
    pub fn answer(&self, context: &CallContext) -> Result<StatesAnswer, AppError> {
        let session = Session::open_checkout(context)?;
        let remote = session.open_remote(self.family.family.as_deref(), PATIENCE)?;
        let (states, _) = remote.with(|place| place.states())?;
        let view = |state: StateName| StateView {
            is_compatible: state.is_compatible(),
            pushed_at: clock::rfc3339(state.time / 1000),
            state: state.name,
            format: state.format,
            facts_version: state.facts,
        };
        Ok(StatesAnswer {
            remote: remote.place().to_string(),
            family: remote.family.clone(),
            states: states.into_iter().map(view).collect(),
        })
    }
}

impl PruneRequest {
    pub fn answer(&self, context: &CallContext) -> Result<PruneAnswer, AppError> {
        let session = Session::open_checkout(context)?;
        let remote = session.open_remote(self.family.family.as_deref(), PATIENCE)?;
        let options = PruneOptions {
            keeps: &|_: &StateName, place| (place as u64) < self.keep,
            written_before: clock::unix_seconds() - self.days * clock::DAY,
            is_dry: self.dry_run,
            may_remove: &|| Ok(()),
        };
        let (pruned, _) = remote.with(|place| place.prune(&options))?;
        Ok(PruneAnswer {
            remote: remote.place().to_string(),
            family: remote.family.clone(),
            is_dry: self.dry_run,
            kept_states: pruned.kept_states,
            removed_states: pruned.removed_states,
            removed_packs: pruned.removed_packs,
            removed_bytes: pruned.removed_bytes,
            unreadable: pruned.unreadable,
        })
    }
}
