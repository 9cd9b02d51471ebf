//! Errors of the catalogue. None holds a password or a server's words about values.

use std::error::Error as _;

/// The result of anything that asks the catalogue.
pub(crate) type Result<T> = std::result::Result<T, ClusterError>;

/// Reasons why the catalogue did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClusterError {
    /// The settings cannot be used.
    #[error("{0}")]
    Settings(String),
    /// The database cannot be reached or does not answer.
    #[error("the cluster's database cannot be reached: {0}")]
    Unreachable(String),
    /// The database refuses a statement.
    #[error("the cluster's database refuses a statement: {0}")]
    Refused(String),
    /// The schema was made by a newer program that older ones cannot work with.
    #[error(
        "the cluster's database has schema version {found}, and needs a program that knows version {needed} or later; this one knows {known}"
    )]
    NewerSchema {
        /// The version in the database.
        found: i32,
        /// The oldest version whose programs may still use it.
        needed: i32,
        /// The version of this program.
        known: i32,
    },
    /// The lease of a job is over, or another node has it.
    #[error("the lease of the job is over; nothing was published")]
    LeaseLost,
    /// Another collection goes on.
    #[error("another collection goes on in the cluster")]
    Collecting,
    /// There is nothing of this name.
    #[error("there is no {what} `{name}` in the cluster")]
    Unknown {
        /// The kind of thing.
        what: &'static str,
        /// The name that was given.
        name: String,
    },
    /// The name is in use.
    #[error("there is a {what} `{name}` in the cluster already")]
    Exists {
        /// The kind of thing.
        what: &'static str,
        /// The name that was given.
        name: String,
    },
}

impl ClusterError {
    /// Returns whether the same may succeed a little later, by another connection.
    pub(crate) fn is_unreachable(&self) -> bool {
        matches!(self, ClusterError::Unreachable(_))
    }
}

impl From<postgres::Error> for ClusterError {
    fn from(error: postgres::Error) -> ClusterError {
        match error.as_db_error() {
            // Shutdown, crash, recovery, too many connections, read-only after a failover.
            Some(refused) if refused.code().code().starts_with("57P") || is_passing(refused.code().code()) => {
                ClusterError::Unreachable(refused.message().to_string())
            }
            // The detail would have values of rows.
            Some(refused) => ClusterError::Refused(format!("{} ({})", refused.message(), refused.code().code())),
            None => {
                let cause = error.source().map(|source| format!(": {source}")).unwrap_or_default();
                ClusterError::Unreachable(format!("{error}{cause}"))
            }
        }
    }
}

/// Returns whether a state of SQL passes by itself: no slot, wrong server, serialization, deadlock.
fn is_passing(code: &str) -> bool {
    code.starts_with("08") || matches!(code, "53300" | "25006" | "40001" | "40P01")
}
