//! Nodes of the cluster, and whether they live.

use std::time::Duration;

use super::Catalogue;
use super::error::{ClusterError, Result};

/// The state that a node tells of itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeReport {
    /// The name, which no other node has.
    pub name: String,
    /// The address by which other nodes reach it.
    pub address: String,
    /// The version of the program.
    pub version: String,
    /// The format of indexes that it reads and writes.
    pub format: String,
    /// Repositories in its cache.
    pub held: i32,
    /// Bytes in its cache.
    pub cache_bytes: i64,
    /// The most bytes in its cache.
    pub cache_limit: i64,
    /// Questions that it has answered.
    pub questions: i64,
    /// Questions that it could not answer.
    pub failures: i64,
}

/// A node of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NodeEntry {
    /// The name.
    pub name: String,
    /// The address by which other nodes reach it.
    pub address: String,
    /// The version of the program.
    pub version: String,
    /// True if it is to own nothing any more.
    pub is_draining: bool,
    /// True if it was heard of lately.
    pub is_alive: bool,
    /// Seconds since it was heard of.
    pub seen_seconds: i64,
    /// Repositories in its cache.
    pub held: i32,
    /// Bytes in its cache.
    pub cache_bytes: i64,
    /// The most bytes in its cache.
    pub cache_limit: i64,
    /// Questions that it has answered.
    pub questions: i64,
}

impl NodeEntry {
    /// Returns whether it may own repositories.
    pub(crate) fn may_own(&self) -> bool {
        self.is_alive && !self.is_draining
    }
}

impl Catalogue {
    /// Enters a node or says that it is alive.
    pub(crate) fn report_node(&self, report: &NodeReport) -> Result<()> {
        self.with(|client| {
            client.execute(
                "INSERT INTO codecompass_nodes (name, address, version, format, held, cache_bytes, cache_limit, questions, \
                 failures) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (name) DO UPDATE SET address = $2, \
                 version = $3, format = $4, held = $5, cache_bytes = $6, cache_limit = $7, questions = $8, failures = $9, \
                 seen_at = now()",
                &[
                    &report.name,
                    &report.address,
                    &report.version,
                    &report.format,
                    &report.held,
                    &report.cache_bytes,
                    &report.cache_limit,
                    &report.questions,
                    &report.failures,
                ],
            )?;
            Ok(())
        })
    }

    /// Removes a node that ends, so that the others need not wait until they notice.
    pub(crate) fn remove_node(&self, name: &str) -> Result<()> {
        self.with(|client| Ok(client.execute("DELETE FROM codecompass_nodes WHERE name = $1", &[&name]).map(|_| ())?))
    }

    /// Returns all nodes by name; those are alive that were heard of within `alive`.
    pub(crate) fn nodes(&self, alive: Duration) -> Result<Vec<NodeEntry>> {
        self.with(|client| {
            let rows = client.query(
                "SELECT name, address, version, is_draining, seen_at > now() - $1::float8 * interval '1 second', \
                 EXTRACT(EPOCH FROM now() - seen_at)::bigint, held, cache_bytes, cache_limit, questions \
                 FROM codecompass_nodes ORDER BY name COLLATE \"C\"",
                &[&alive.as_secs_f64()],
            )?;
            let entry = |row: &postgres::Row| NodeEntry {
                name: row.get(0),
                address: row.get(1),
                version: row.get(2),
                is_draining: row.get(3),
                is_alive: row.get(4),
                seen_seconds: row.get(5),
                held: row.get(6),
                cache_bytes: row.get(7),
                cache_limit: row.get(8),
                questions: row.get(9),
            };
            Ok(rows.iter().map(entry).collect())
        })
    }

    /// Says that a node is to own nothing any more, or that it may again.
    pub(crate) fn drain_node(&self, name: &str, is_draining: bool) -> Result<()> {
        let changed = self.with(|client| {
            let set = "UPDATE codecompass_nodes SET is_draining = $2 WHERE name = $1";
            Ok(client.execute(set, &[&name, &is_draining])?)
        })?;
        match changed {
            0 => Err(ClusterError::Unknown { what: "node", name: name.to_string() }),
            _ => Ok(()),
        }
    }
}
