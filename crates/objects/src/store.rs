//! The interface of object stores: names, the trait, settings of a place, and a meter.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::error::ObjectError;

/// The longest name of an object.
const MAX_NAME: usize = 400;

/// A place that holds objects.
pub trait ObjectStore: Send + Sync {
    /// Reads an object of at most `limit` bytes; `None` if there is none of this name.
    fn get(&self, name: &str, limit: u64, until: Instant) -> Result<Option<Vec<u8>>, ObjectError>;

    /// Writes an object unless there is one of this name; returns whether it was written.
    fn put_new(&self, name: &str, bytes: &[u8], until: Instant) -> Result<bool, ObjectError>;

    /// Returns the size of an object; `None` if there is none of this name.
    fn size(&self, name: &str, until: Instant) -> Result<Option<u64>, ObjectError>;

    /// Returns all objects whose names begin with `prefix`, which ends with a slash, by name.
    fn list(&self, prefix: &str, until: Instant) -> Result<Vec<ListedObject>, ObjectError>;

    /// Removes an object; one that is not there counts as removed.
    fn remove(&self, name: &str, until: Instant) -> Result<(), ObjectError>;

    /// Describes the place in messages, without anything secret.
    fn place(&self) -> &str;
}

/// An object in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedObject {
    /// The name, the prefix included.
    pub name: String,
    /// In bytes.
    pub size: u64,
    /// The time of the write in Unix seconds, by the clock of the place, if it is told.
    pub modified: Option<i64>,
}

/// The settings of a place.
#[derive(Clone, Debug, Default)]
pub struct PlaceOptions {
    /// `file:///folder` or `s3://bucket/prefix`.
    pub url: String,
    /// The address of the S3 server; Amazon's for the region if there is none.
    pub endpoint: Option<String>,
    /// The region; `us-east-1` if there is none.
    pub region: Option<String>,
    /// True if the bucket is in the path, false if it is in the name of the host; by default in the
    /// path if an endpoint is given.
    pub path_style: Option<bool>,
    /// The keys; without them requests are not signed.
    pub credentials: Option<Credentials>,
    /// The longest time to wait for a connection.
    pub connect_timeout: Option<Duration>,
    /// The number of requests at a time.
    pub concurrency: usize,
}

/// The keys of a user of S3. Nothing prints them.
#[derive(Clone)]
pub struct Credentials {
    /// The access key's id.
    pub id: String,
    /// The secret access key.
    pub secret: String,
    /// The token of temporary keys.
    pub token: Option<String>,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials")
    }
}

/// Returns whether objects may have this name.
pub fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        !part.is_empty() && !part.starts_with('.') && part.bytes().all(plain)
    };
    name.len() <= MAX_NAME && name.split('/').all(is_part)
}

/// Counts the bytes and requests of a store.
pub struct Metered<'a> {
    store: &'a dyn ObjectStore,
    /// Bytes that were written.
    pub sent: AtomicU64,
    /// Bytes that were read.
    pub received: AtomicU64,
    /// Requests of all kinds.
    pub requests: AtomicU64,
}

impl<'a> Metered<'a> {
    /// Counts what goes to and comes from `store`.
    pub fn new(store: &'a dyn ObjectStore) -> Metered<'a> {
        Metered { store, sent: AtomicU64::new(0), received: AtomicU64::new(0), requests: AtomicU64::new(0) }
    }

    fn request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }
}

impl ObjectStore for Metered<'_> {
    fn get(&self, name: &str, limit: u64, until: Instant) -> Result<Option<Vec<u8>>, ObjectError> {
        self.request();
        let found = self.store.get(name, limit, until)?;
        self.received.fetch_add(found.as_ref().map_or(0, |bytes| bytes.len() as u64), Ordering::Relaxed);
        Ok(found)
    }

    fn put_new(&self, name: &str, bytes: &[u8], until: Instant) -> Result<bool, ObjectError> {
        self.request();
        let is_new = self.store.put_new(name, bytes, until)?;
        self.sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(is_new)
    }

    fn size(&self, name: &str, until: Instant) -> Result<Option<u64>, ObjectError> {
        self.request();
        self.store.size(name, until)
    }

    fn list(&self, prefix: &str, until: Instant) -> Result<Vec<ListedObject>, ObjectError> {
        self.request();
        self.store.list(prefix, until)
    }

    fn remove(&self, name: &str, until: Instant) -> Result<(), ObjectError> {
        self.request();
        self.store.remove(name, until)
    }

    fn place(&self) -> &str {
        self.store.place()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        for name in ["a", "packs/0af3", "v1/abc/states/20260101T000000Z-f6.9-ff"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "/a", "a/", "a//b", "../a", "a/../b", ".hidden", "a/.b", "a b", "a\\b", "a?b", "a%2e", "ä"] {
            assert!(!is_name(name), "{name}");
        }
        assert!(!is_name(&"a".repeat(MAX_NAME + 1)));
    }
}
