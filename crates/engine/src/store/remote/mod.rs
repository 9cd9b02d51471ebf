//! The state of a repository in an object store, where other machines find it.
//!
//! ```text
//! v1/FAMILY/states/TIME-fFORMAT.FACTS-HASH   a state: versions, files, where their blocks are
//! v1/FAMILY/packs/HASH                       blocks of files, compressed
//! v1/FAMILY/packs/HASH.index                 the hashes of those blocks
//! ```
//!
//! A family is all clones and forks of a repository; its name is the id of their first commit.
//! Files are cut into blocks of 4 KiB, the size of a page of the database. A push packs the blocks
//! that no pack of the newest state has, and a state is written last: what is there is whole, and a
//! push that dies leaves nothing that is looked at. Nothing is ever changed, and names are BLAKE3
//! hashes of what they name. What no state needs is removed on request. See docs/remote.md.

pub(crate) mod packs;
pub(crate) mod prune;
pub(crate) mod pull;
pub(crate) mod push;
pub(crate) mod state;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use codecompass_objects::{ListedObject, ObjectError, ObjectStore, PublicKey};

use crate::error::{Error, Result};
use crate::store::remote::state::RemoteState;
use crate::store::sqlite::db;

/// The states that are looked at before the search for a usable one ends.
const MAX_CANDIDATES: usize = 20;
/// The longest state.
const MAX_STATE: u64 = 64 << 20;

/// The remote of a workspace, and how to deal with it.
pub struct Remote<'a> {
    /// The objects.
    pub objects: &'a dyn ObjectStore,
    /// The name of the family: the id of its first commit.
    pub family: &'a str,
    /// All requests end before it.
    pub until: Instant,
    /// The number of requests at a time.
    pub concurrency: usize,
    /// States that this key did not sign are refused, if there is one.
    pub public_key: Option<PublicKey>,
    /// The name of the one state to take; the newest one if there is none.
    pub state: Option<&'a str>,
}

/// Returns the version of the format and of the facts of states that this program makes and takes.
pub fn state_versions() -> (i64, i64) {
    (db::FORMAT, db::FACTS)
}

/// The name of a state, which tells enough to choose one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateName {
    /// The whole name of the object.
    pub name: String,
    /// The time of the push in milliseconds since 1970.
    pub time: i64,
    /// The format of its store.
    pub format: i64,
    /// The version of the facts in it.
    pub facts: i64,
    /// BLAKE3 of the object, in hexadecimal.
    pub hash: String,
    /// The size of the object.
    pub size: u64,
}

impl StateName {
    fn parse(object: ListedObject) -> Option<StateName> {
        let (_, last) = object.name.rsplit_once('/')?;
        let mut parts = last.splitn(3, '-');
        let (time, versions, hash) = (parts.next()?, parts.next()?, parts.next()?);
        let (format, facts) = versions.strip_prefix('f')?.split_once('.')?;
        let is_hash = hash.len() == 2 * blake3::OUT_LEN && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let hash = Some(hash.to_string()).filter(|_| is_hash)?;
        let (time, format, facts) = (time.parse().ok()?, format.parse().ok()?, facts.parse().ok()?);
        Some(StateName { name: object.name, time, format, facts, hash, size: object.size })
    }

    /// Returns whether this program can use the state.
    pub fn is_compatible(&self) -> bool {
        (self.format, self.facts) == (db::FORMAT, db::FACTS)
    }
}

impl Remote<'_> {
    fn folder(&self, part: &str) -> String {
        format!("v1/{}/{part}/", self.family)
    }

    fn pack_name(&self, hash: &[u8; 32]) -> String {
        format!("{}{}", self.folder("packs"), blake3::Hash::from_bytes(*hash).to_hex())
    }

    fn unreachable(&self, source: ObjectError) -> Error {
        Error::RemoteUnavailable { place: self.objects.place().to_string(), source }
    }

    fn refused(&self, detail: impl Into<String>) -> Error {
        Error::RemoteRefused { place: self.objects.place().to_string(), detail: detail.into() }
    }

    /// Lists the states of the family, the newest first.
    pub fn states(&self) -> Result<Vec<StateName>> {
        let is_id = (40..=64).contains(&self.family.len()) && self.family.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_id {
            return Err(Error::InvalidInput("the name of a family is the id of a commit".into()));
        }
        let listed = self.objects.list(&self.folder("states"), self.until).map_err(|error| self.unreachable(error))?;
        let mut states: Vec<StateName> = listed.into_iter().filter_map(StateName::parse).collect();
        states.sort_by(|a, b| (b.time, &b.name).cmp(&(a.time, &a.name)));
        Ok(states)
    }

    /// Returns the states to choose from, the newest first.
    fn choice(&self) -> Result<Vec<StateName>> {
        let Some(name) = self.state else { return self.states() };
        let object = ListedObject { name: name.to_string(), size: 0, modified: None };
        let state = StateName::parse(object).filter(|_| name.starts_with(&self.folder("states")));
        state.map(|state| vec![state]).ok_or_else(|| self.refused("a state has a name that none has"))
    }

    /// Reads the newest state that this program can use and the settings accept.
    fn newest(&self) -> Result<(StateName, RemoteState)> {
        let states = self.choice()?;
        let usable: Vec<&StateName> = states.iter().filter(|state| state.is_compatible()).collect();
        let Some(newest) = states.first() else {
            let detail = "it has no state of this repository".to_string();
            return Err(Error::RemoteEmpty { place: self.objects.place().to_string(), detail });
        };
        if usable.is_empty() {
            let detail = format!(
                "its states have format {}.{}, this program uses {}.{}",
                newest.format,
                newest.facts,
                db::FORMAT,
                db::FACTS
            );
            return Err(Error::RemoteEmpty { place: self.objects.place().to_string(), detail });
        }
        let mut first_error = None;
        for name in usable.into_iter().take(MAX_CANDIDATES) {
            match self.read(name) {
                Ok(state) => return Ok((name.clone(), state)),
                // The next one may be whole, or signed.
                Err(error @ Error::RemoteRefused { .. }) => first_error = first_error.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        Err(first_error.unwrap_or_else(|| self.refused("no state can be read")))
    }

    /// Reads a state and checks all that it says.
    fn read(&self, name: &StateName) -> Result<RemoteState> {
        let bytes = self.objects.get(&name.name, MAX_STATE, self.until).map_err(|error| self.unreachable(error))?;
        let bytes = bytes.ok_or_else(|| self.refused("a state is listed, but not there"))?;
        if blake3::hash(&bytes).to_hex().as_str() != name.hash {
            return Err(self.refused("the checksum of a state does not match"));
        }
        let state = RemoteState::decode(&bytes, self.public_key.as_ref()).map_err(|flaw| self.refused(flaw))?;
        if state.family != self.family || (state.header.format, state.header.facts) != (name.format, name.facts) {
            return Err(self.refused("a state is not what its name says"));
        }
        Ok(state)
    }

    /// Reads an object whose name is its hash.
    fn get(&self, name: &str, hash: &[u8; 32], limit: u64) -> Result<Vec<u8>> {
        let bytes = self.objects.get(name, limit, self.until).map_err(|error| match error {
            // Too large, cut short: not a matter of the connection.
            ObjectError::Malformed { reason, .. } => self.refused(format!("an object cannot be used: {reason}")),
            error => self.unreachable(error),
        })?;
        let bytes = bytes.ok_or_else(|| self.refused("an object that a state needs is not there"))?;
        if blake3::hash(&bytes) == blake3::Hash::from_bytes(*hash) {
            Ok(bytes)
        } else {
            Err(self.refused("the checksum of an object does not match"))
        }
    }
}

/// Runs `work` for each item on some threads; no further item is begun after an error.
fn for_each<T: Sync>(threads: usize, items: &[T], work: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(None);
    let is_failed = || failed.lock().unwrap_or_else(PoisonError::into_inner).is_some();
    let run = || {
        while !is_failed() {
            let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            if let Err(error) = work(item) {
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(items.len()) {
            scope.spawn(run);
        }
        run();
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_time_and_versions() {
        let hash = "0".repeat(64);
        let parse = |name: String| StateName::parse(ListedObject { name, size: 7, modified: None });
        let state = parse(format!("v1/x/states/001763393000000-f6.9-{hash}")).unwrap();
        assert_eq!((state.time, state.format, state.facts, state.size), (1_763_393_000_000, 6, 9, 7));
        for name in ["x", "x/y", "x/1-f6.9-0", "x/1-6.9-0", "x/a-f6.9", &format!("x/1-f6-{hash}")] {
            assert!(parse(name.to_string()).is_none(), "{name}");
        }
    }
}
