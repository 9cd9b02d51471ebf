//! The shared state of a cluster: a catalogue in PostgreSQL, and clones of the repositories in it.
//!
//! Nothing here knows what an index is. Nodes are equal; whatever they must agree on is a row of
//! the catalogue, and is changed in one transaction.

mod catalogue;
mod error;
pub mod git;
pub mod placement;
mod schema;
mod tls;

pub use crate::catalogue::{
    Access, AccessEntry, Catalogue, ClaimedJob, DatabaseOptions, Generation, JobEntry, NewAccess, NewGeneration,
    NewRepository, NodeEntry, NodeReport, RepositoryEntry, RepositoryStats,
};
pub use crate::error::ClusterError;
use crate::error::Result;
pub use crate::schema::SCHEMA_VERSION;

/// Returns a secret of 32 random bytes, in hexadecimal digits.
pub fn random_secret() -> Result<String> {
    use ring::rand::SecureRandom as _;
    let mut bytes = [0; 32];
    let random = ring::rand::SystemRandom::new();
    random.fill(&mut bytes).map_err(|_| ClusterError::Settings("the system has no random numbers".into()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns a name that no other process makes; `count` tells those of one process apart.
pub fn random_name(count: u64) -> String {
    match random_secret() {
        Ok(secret) => secret[..16].to_string(),
        Err(_) => format!("{}-{count}", std::process::id()),
    }
}

/// Returns whether `signature`, in hexadecimal digits, is that of a message by HMAC-SHA256.
pub fn is_signed(secret: &str, message: &[u8], signature: &str) -> bool {
    let digit = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let Some(bytes) = signature.as_bytes().chunks(2).map(digit).collect::<Option<Vec<u8>>>() else { return false };
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes());
    ring::hmac::verify(&key, message, &bytes).is_ok()
}
