//! Access tokens and the repositories that they may read. Only hashes of them are kept.

use std::time::Duration;

use super::Catalogue;
use super::error::{ClusterError, Result};

/// A token to add.
#[derive(Clone, Debug)]
pub(crate) struct NewAccess {
    /// The name, by which it is listed and removed.
    pub name: String,
    /// BLAKE3 of the token.
    pub hash: [u8; 32],
    /// True if it may read every repository.
    pub is_all: bool,
    /// Names of repositories that it may read.
    pub repositories: Vec<String>,
    /// Names of groups whose repositories it may read, also those that are added later.
    pub groups: Vec<String>,
    /// The time after which it is refused, if any.
    pub valid_for: Option<Duration>,
}

/// The repositories that a token may read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Access {
    /// The name of the token.
    pub name: String,
    /// The numbers of the repositories that it may read, ascending.
    pub repositories: Vec<i64>,
}

/// A token in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AccessEntry {
    /// The name.
    pub name: String,
    /// True if it may read every repository.
    pub is_all: bool,
    /// Names of repositories that it may read.
    pub repositories: Vec<String>,
    /// Names of groups whose repositories it may read.
    pub groups: Vec<String>,
    /// True if its time is over.
    pub is_expired: bool,
}

impl Catalogue {
    /// Adds a token.
    pub(crate) fn add_access(&self, new: &NewAccess) -> Result<()> {
        self.once(|client| {
            let mut transaction = client.transaction()?;
            let mut ids: Vec<i64> = Vec::new();
            for name in &new.repositories {
                let row = transaction.query_opt("SELECT id FROM codecompass_repositories WHERE name = $1", &[name])?;
                let unknown = || ClusterError::Unknown { what: "repository", name: name.clone() };
                ids.push(row.ok_or_else(unknown)?.get(0));
            }
            let seconds = new.valid_for.map(|time| time.as_secs_f64());
            let added = transaction.execute(
                "INSERT INTO codecompass_access (name, hash, is_all, repositories, groups, expires_at) VALUES ($1, $2, $3, $4, \
                 $5, now() + $6::float8 * interval '1 second') ON CONFLICT DO NOTHING",
                &[&new.name, &new.hash.as_slice(), &new.is_all, &ids, &new.groups, &seconds],
            )?;
            if added == 0 {
                return Err(ClusterError::Exists { what: "token", name: new.name.clone() });
            }
            Ok(transaction.commit()?)
        })
    }

    /// Removes a token.
    pub(crate) fn remove_access(&self, name: &str) -> Result<()> {
        let removed =
            self.once(|client| Ok(client.execute("DELETE FROM codecompass_access WHERE name = $1", &[&name])?))?;
        match removed {
            0 => Err(ClusterError::Unknown { what: "token", name: name.to_string() }),
            _ => Ok(()),
        }
    }

    /// Returns what the token with this hash may read; none if there is no such token, or if its
    /// time is over.
    pub(crate) fn access(&self, hash: &[u8; 32]) -> Result<Option<Access>> {
        self.with(|client| {
            let rows = client.query(
                "SELECT a.name, r.id FROM codecompass_access a LEFT JOIN codecompass_repositories r \
                 ON a.is_all OR r.id = ANY(a.repositories) OR r.groups && a.groups \
                 WHERE a.hash = $1 AND (a.expires_at IS NULL OR a.expires_at > now()) ORDER BY r.id",
                &[&hash.as_slice()],
            )?;
            let Some(first) = rows.first() else { return Ok(None) };
            let repositories = rows.iter().filter_map(|row| row.get::<_, Option<i64>>(1)).collect();
            Ok(Some(Access { name: first.get(0), repositories }))
        })
    }

    /// Returns all tokens by name.
    pub(crate) fn access_entries(&self) -> Result<Vec<AccessEntry>> {
        self.with(|client| {
            let rows = client.query(
                "SELECT a.name, a.is_all, ARRAY(SELECT r.name FROM codecompass_repositories r WHERE r.id = ANY(a.repositories) \
                 ORDER BY 1), a.groups, COALESCE(a.expires_at <= now(), false) FROM codecompass_access a ORDER BY a.name",
                &[],
            )?;
            let entry = |row: &postgres::Row| AccessEntry {
                name: row.get(0),
                is_all: row.get(1),
                repositories: row.get(2),
                groups: row.get(3),
                is_expired: row.get(4),
            };
            Ok(rows.iter().map(entry).collect())
        })
    }
}
