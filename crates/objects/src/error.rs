//! Errors of object stores. No message has a key, a URL with a password or a server's words.

use std::io;

/// An error of an object store.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// The settings make no sense.
    #[error("{0}")]
    Settings(String),
    /// The server cannot be reached.
    #[error("{host} cannot be reached: {reason}")]
    Unreachable {
        /// The host.
        host: String,
        /// The reason.
        reason: &'static str,
    },
    /// The time is over.
    #[error("{place} did not answer in time")]
    TimedOut {
        /// The host or folder.
        place: String,
    },
    /// The server refuses the request.
    #[error("{host} refused the request (status {status}{})", hint(*status))]
    Refused {
        /// The host.
        host: String,
        /// The status of HTTP.
        status: u16,
    },
    /// The server has trouble of its own.
    #[error("{host} failed (status {status})")]
    Failed {
        /// The host.
        host: String,
        /// The status of HTTP.
        status: u16,
    },
    /// The answer is not what it must be.
    #[error("the answer of {place} makes no sense: {reason}")]
    Malformed {
        /// The host or folder.
        place: String,
        /// The reason.
        reason: &'static str,
    },
    /// A folder cannot be read or written.
    #[error("cannot {action} {path}: {source}")]
    File {
        /// `read`, `write` or `list`.
        action: &'static str,
        /// The file or folder.
        path: String,
        /// The operating system's error.
        source: io::Error,
    },
    /// A key cannot be read.
    #[error("the key cannot be used: {0}")]
    Key(&'static str),
}

fn hint(status: u16) -> &'static str {
    match status {
        401 | 403 => ": the keys in the environment do not open it",
        404 => ": there is no such bucket",
        301 | 307 => ": the bucket is in another region",
        _ => "",
    }
}
