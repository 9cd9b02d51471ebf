//! Jobs: repositories whose index must be made, each by one node at a time.
//!
//! A node that claims a job gets a lease and a token, which no one had before. It extends the lease
//! while it works. When a lease is over, another node claims the job with a greater token. What a
//! node publishes counts only if its token is the job's and its lease is not over, which is checked
//! in the transaction that publishes: a node that was stopped for a while cannot publish any more.

use std::time::Duration;

use postgres::Transaction;

use super::Catalogue;
use super::collection::{COLLECTION_LOCK, IS_COLLECTING};
use super::error::{ClusterError, Result};
use super::repositories::{GENERATION, Generation, RepositoryStats, generation};

/// A job that this node works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimedJob {
    /// The repository whose index is wanted.
    pub repository: i64,
    /// The fencing token.
    pub token: i64,
    /// The number of attempts before.
    pub attempts: i32,
    /// True if objects of the last generation are damaged: all of them are written anew.
    pub is_repair: bool,
}

/// The result of a job.
#[derive(Clone, Debug)]
pub(crate) struct NewGeneration {
    /// The commit that was indexed.
    pub commit: String,
    /// The first commit of the repository.
    pub family: String,
    /// The name of the state in the object store.
    pub state: String,
    /// The format of that state.
    pub format: String,
    /// The names of the git packs in the object store, oldest first.
    pub packs: Vec<String>,
    /// The numbers of the index.
    pub stats: RepositoryStats,
}

/// A job in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JobEntry {
    /// The name of the repository.
    pub repository: String,
    /// The node that works on it, if one does.
    pub node: Option<String>,
    /// The number of attempts that failed.
    pub attempts: i32,
    /// Seconds since it was asked for.
    pub age_seconds: i64,
}

impl Catalogue {
    /// Claims the job that waits for longest, if any. One of a node whose lease is over counts as
    /// waiting, and as an attempt: one that ends nodes is tried later each time. The node that
    /// failed last waits longer than others, which may have what it lacks. A node that is drained
    /// gets none, and so does every node during a collection.
    pub(crate) fn claim_job(&self, node: &str, lease: Duration) -> Result<Option<ClaimedJob>> {
        // If the answer is lost, the lease runs out, and the job is claimed again.
        self.once(|client| {
            let mut transaction = client.transaction()?;
            transaction.execute("SELECT pg_advisory_xact_lock_shared($1)", &[&COLLECTION_LOCK])?;
            let claim = format!(
                "UPDATE codecompass_jobs SET attempts = attempts + CASE WHEN token IS NULL THEN 0 ELSE 1 END, \
                 token = nextval('codecompass_tokens'), node = $1, started_at = now(), \
                 lease_until = now() + $2::float8 * interval '1 second' WHERE repository = (SELECT repository FROM \
                 codecompass_jobs WHERE ((token IS NULL AND run_at + CASE WHEN node = $1 THEN 2 ^ LEAST(attempts, 10) ELSE 0 END * \
                 interval '1 second' <= now()) OR \
                 lease_until + (2 ^ LEAST(attempts, 10) - 1) * interval '1 second' < now()) \
                 AND NOT EXISTS (SELECT 1 FROM codecompass_nodes WHERE name = $1 AND is_draining) AND NOT {IS_COLLECTING} \
                 ORDER BY run_at LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING repository, token, attempts, is_repair"
            );
            let row = transaction.query_opt(&claim, &[&node, &lease.as_secs_f64()])?;
            transaction.commit()?;
            Ok(row.map(|row| ClaimedJob {
                repository: row.get(0),
                token: row.get(1),
                attempts: row.get(2),
                is_repair: row.get(3),
            }))
        })
    }

    /// Extends the lease of a job; an error if it is over.
    pub(crate) fn extend_lease(&self, job: &ClaimedJob, lease: Duration) -> Result<()> {
        let extended = self.with(|client| {
            Ok(client.execute(
                "UPDATE codecompass_jobs SET lease_until = now() + $3::float8 * interval '1 second' \
                 WHERE repository = $1 AND token = $2 AND lease_until > now()",
                &[&job.repository, &job.token, &lease.as_secs_f64()],
            )?)
        })?;
        if extended == 0 { Err(ClusterError::LeaseLost) } else { Ok(()) }
    }

    /// Publishes what a job has made as the next generation, and ends the job. Only the holder of
    /// the lease can.
    pub(crate) fn publish(&self, job: &ClaimedJob, new: &NewGeneration, node: &str) -> Result<Generation> {
        self.with(|client| {
            let mut transaction = client.transaction()?;
            // The answer to an earlier attempt may have been lost.
            let select = format!("SELECT {GENERATION} FROM codecompass_generations WHERE token = $1");
            if let Some(row) = transaction.query_opt(&select, &[&job.token])? {
                return Ok(generation(&row));
            }
            hold(&mut transaction, job)?;
            let stats = &new.stats;
            let row = transaction.query_one(
                "UPDATE codecompass_repositories SET generation = generation + 1, family = $2, files = $3, symbols = $4, \
                 index_bytes = $5, source_bytes = $6, index_ms = $7, last_error = NULL, failed_at = NULL WHERE id = $1 \
                 RETURNING generation",
                &[
                    &job.repository,
                    &new.family,
                    &stats.files,
                    &stats.symbols,
                    &stats.index_bytes,
                    &stats.source_bytes,
                    &stats.index_ms,
                ],
            )?;
            let number: i64 = row.get(0);
            let insert = format!(
                "INSERT INTO codecompass_generations ({GENERATION}, token, node) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
            );
            transaction.execute(
                &insert,
                &[
                    &job.repository,
                    &number,
                    &new.commit,
                    &new.family,
                    &new.state,
                    &new.format,
                    &new.packs,
                    &job.token,
                    &node,
                ],
            )?;
            end(&mut transaction, job)?;
            // A statement may have waited; what counts is the lease at the end.
            transaction.commit()?;
            Ok(Generation {
                repository: job.repository,
                generation: number,
                commit: new.commit.clone(),
                family: new.family.clone(),
                state: new.state.clone(),
                format: new.format.clone(),
                packs: new.packs.clone(),
            })
        })
    }

    /// Ends a job that found nothing new.
    pub(crate) fn finish_job(&self, job: &ClaimedJob) -> Result<()> {
        self.once(|client| {
            let mut transaction = client.transaction()?;
            hold(&mut transaction, job)?;
            transaction.execute(
                "UPDATE codecompass_repositories SET last_error = NULL, failed_at = NULL WHERE id = $1",
                &[&job.repository],
            )?;
            end(&mut transaction, job)?;
            Ok(transaction.commit()?)
        })
    }

    /// Asks for all objects of a generation anew, because some are damaged; unless there is a later
    /// one.
    pub(crate) fn request_repair(&self, repository: i64, generation: i64) -> Result<()> {
        self.with(|client| {
            client.execute(
                "INSERT INTO codecompass_jobs AS j (repository, is_repair) SELECT id, true FROM codecompass_repositories \
                 WHERE id = $1 AND generation = $2 ON CONFLICT (repository) DO UPDATE SET is_repair = true, \
                 is_wanted_again = j.is_wanted_again OR (j.token IS NOT NULL AND NOT j.is_repair)",
                &[&repository, &generation],
            )?;
            Ok(())
        })
    }

    /// Ends an attempt that failed. The next one is later each time, within an hour. The job keeps
    /// the name of the node.
    pub(crate) fn fail_job(&self, job: &ClaimedJob, reason: &str, needs_repair: bool) -> Result<()> {
        self.once(|client| {
            let mut transaction = client.transaction()?;
            hold(&mut transaction, job)?;
            transaction.execute(
                "UPDATE codecompass_jobs SET token = NULL, lease_until = NULL, attempts = attempts + 1, \
                 run_at = now() + LEAST(3600, 2 ^ LEAST(attempts, 12)) * interval '1 second', is_repair = is_repair OR $2 \
                 WHERE repository = $1",
                &[&job.repository, &needs_repair],
            )?;
            let reason: String = reason.chars().take(500).collect();
            transaction.execute(
                "UPDATE codecompass_repositories SET last_error = $2, failed_at = now() WHERE id = $1",
                &[&job.repository, &reason],
            )?;
            Ok(transaction.commit()?)
        })
    }

    /// Gives a job back that was not begun or is not wanted here, without a mark.
    pub(crate) fn release_job(&self, job: &ClaimedJob) -> Result<()> {
        self.once(|client| {
            client.execute(
                "UPDATE codecompass_jobs SET token = NULL, node = NULL, lease_until = NULL WHERE repository = $1 AND token = $2",
                &[&job.repository, &job.token],
            )?;
            Ok(())
        })
    }

    /// Returns all jobs, those that wait for longest first.
    pub(crate) fn jobs(&self) -> Result<Vec<JobEntry>> {
        self.with(|client| {
            let rows = client.query(
                "SELECT r.name, CASE WHEN j.lease_until > now() THEN j.node END, j.attempts, \
                 EXTRACT(EPOCH FROM now() - j.requested_at)::bigint FROM codecompass_jobs j \
                 JOIN codecompass_repositories r ON r.id = j.repository ORDER BY j.run_at, r.name",
                &[],
            )?;
            let entry = |row: &postgres::Row| JobEntry {
                repository: row.get(0),
                node: row.get(1),
                attempts: row.get(2),
                age_seconds: row.get(3),
            };
            Ok(rows.iter().map(entry).collect())
        })
    }
}

/// Locks a job that this node still holds; an error if it does not.
fn hold(transaction: &mut Transaction<'_>, job: &ClaimedJob) -> Result<()> {
    let held = transaction.query_opt(
        "SELECT 1 FROM codecompass_jobs WHERE repository = $1 AND token = $2 AND lease_until > clock_timestamp() FOR UPDATE",
        &[&job.repository, &job.token],
    )?;
    held.map(|_| ()).ok_or(ClusterError::LeaseLost)
}

/// Ends a job; if it was asked for again while it ran, another one waits.
fn end(transaction: &mut Transaction<'_>, job: &ClaimedJob) -> Result<()> {
    transaction
        .execute("DELETE FROM codecompass_jobs WHERE repository = $1 AND NOT is_wanted_again", &[&job.repository])?;
    transaction.execute(
        "UPDATE codecompass_jobs SET token = NULL, node = NULL, lease_until = NULL, is_wanted_again = false, attempts = 0, \
         run_at = now() WHERE repository = $1",
        &[&job.repository],
    )?;
    Ok(())
}
