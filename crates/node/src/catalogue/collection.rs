//! Collections: removal of objects that no generation needs.
//!
//! A job may build on objects that a collection is about to remove. So a collection takes the
//! leases of all jobs that run, none of which can publish after that, and no job is claimed until
//! it ends or its own lease is over.

use std::time::Duration;

use super::Catalogue;
use super::error::{ClusterError, Result};
use super::repositories::{GENERATION, Generation, generation};

/// The number of the advisory lock that a claim of a job shares and the begin of a collection has
/// alone; any number will do.
pub(super) const COLLECTION_LOCK: i64 = 0x00c0_dec0_57a6;

/// The condition that a collection goes on; `codecompass_settings` has its name and its end.
pub(super) const IS_COLLECTING: &str = "EXISTS (SELECT 1 FROM codecompass_settings WHERE name = 'collection' AND \
                                        split_part(value, ' ', 2)::float8 > extract(epoch FROM clock_timestamp()))";

impl Catalogue {
    /// Begins a collection under a name that none had before: jobs that run lose their leases, and
    /// none is claimed. An error if another one goes on.
    pub(crate) fn begin_collection(&self, name: &str, lease: Duration) -> Result<()> {
        self.once(|client| {
            let mut transaction = client.transaction()?;
            transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&COLLECTION_LOCK])?;
            if transaction.query_one(&format!("SELECT {IS_COLLECTING}"), &[])?.get(0) {
                return Err(ClusterError::Collecting);
            }
            transaction.execute(
                "INSERT INTO codecompass_settings SELECT 'collection', $1 || ' ' || \
                 (extract(epoch FROM clock_timestamp()) + $2::float8)::text \
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                &[&name, &lease.as_secs_f64()],
            )?;
            transaction.execute(
                "UPDATE codecompass_jobs SET token = NULL, node = NULL, lease_until = NULL WHERE token IS NOT NULL",
                &[],
            )?;
            Ok(transaction.commit()?)
        })
    }

    /// Extends the lease of a collection; an error if it is over.
    pub(crate) fn extend_collection(&self, name: &str, lease: Duration) -> Result<()> {
        let extended = self.with(|client| {
            let update = format!(
                "UPDATE codecompass_settings SET value = $1 || ' ' || (extract(epoch FROM clock_timestamp()) + \
                 $2::float8)::text WHERE name = 'collection' AND split_part(value, ' ', 1) = $1 AND {IS_COLLECTING}"
            );
            Ok(client.execute(&update, &[&name, &lease.as_secs_f64()])?)
        })?;
        if extended == 0 { Err(ClusterError::LeaseLost) } else { Ok(()) }
    }

    /// Ends a collection, so that jobs are claimed again.
    pub(crate) fn end_collection(&self, name: &str) -> Result<()> {
        self.with(|client| {
            client.execute(
                "DELETE FROM codecompass_settings WHERE name = 'collection' AND split_part(value, ' ', 1) = $1",
                &[&name],
            )?;
            Ok(())
        })
    }

    /// Returns the generations whose objects are needed: the newest one of each repository, the one
    /// that answers, and those that were the newest within the time given.
    pub(crate) fn needed_generations(&self, within: Duration) -> Result<Vec<Generation>> {
        let select = format!("SELECT {GENERATION} FROM codecompass_generations g WHERE {IS_NEEDED} ORDER BY 1, 2");
        let seconds = within.as_secs_f64();
        self.with(|client| Ok(client.query(&select, &[&seconds])?.iter().map(generation).collect()))
    }

    /// Removes the other generations from the catalogue; returns how many.
    pub(crate) fn forget_generations(&self, within: Duration) -> Result<u64> {
        let delete = format!("DELETE FROM codecompass_generations g WHERE NOT ({IS_NEEDED})");
        self.with(|client| Ok(client.execute(&delete, &[&within.as_secs_f64()])?))
    }

    /// Returns the newest generation of another repository with the same first commit, in a format.
    pub(crate) fn relative(&self, repository: i64, family: &str, format: &str) -> Result<Option<Generation>> {
        let select = format!(
            "SELECT {GENERATION} FROM codecompass_generations g WHERE repository <> $1 AND starts_with(family, $2) AND \
             format = $3 AND EXISTS (SELECT 1 FROM codecompass_repositories r WHERE r.id = g.repository AND \
             r.generation = g.generation) ORDER BY published_at DESC, repository LIMIT 1"
        );
        self.with(|client| Ok(client.query_opt(&select, &[&repository, &family, &format])?.as_ref().map(generation)))
    }
}

/// The condition that a generation `g` is needed; `$1` has the seconds.
const IS_NEEDED: &str = "EXISTS (SELECT 1 FROM codecompass_repositories r WHERE r.id = g.repository AND \
                         g.generation >= r.served) OR EXISTS (SELECT 1 FROM codecompass_generations n WHERE \
                         n.repository = g.repository AND n.generation > g.generation AND \
                         n.published_at > now() - $1::float8 * interval '1 second' AND NOT EXISTS (SELECT 1 FROM \
                         codecompass_generations b WHERE b.repository = g.repository AND \
                         b.generation > g.generation AND b.generation < n.generation))";
