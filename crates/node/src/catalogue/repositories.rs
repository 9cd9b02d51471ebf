//! Repositories of the catalogue, and the generations of their indexes.

use postgres::{Client, Row};

use super::Catalogue;
use super::error::{ClusterError, Result};

/// A repository to add.
#[derive(Clone, Debug)]
pub(crate) struct NewRepository {
    /// The name in questions and answers.
    pub name: String,
    /// The git URL.
    pub url: String,
    /// The branch; the default one if there is none.
    pub branch: Option<String>,
    /// Names of groups it belongs to.
    pub groups: Vec<String>,
    /// The time between two looks for new commits.
    pub poll_seconds: i32,
}

/// A repository of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RepositoryEntry {
    /// The number, which is never used again.
    pub id: i64,
    /// The name in questions and answers.
    pub name: String,
    /// The git URL.
    pub url: String,
    /// The branch; the default one if there is none.
    pub branch: Option<String>,
    /// Names of groups it belongs to.
    pub groups: Vec<String>,
    /// The newest generation; 0 if none was published.
    pub generation: i64,
    /// The generation that answers are of: the newest one that an owner has. Later answers are of
    /// this or a newer one.
    pub served: i64,
    /// The numbers of its index.
    pub stats: RepositoryStats,
    /// The reason why the last attempt failed, if it did.
    pub last_error: Option<String>,
}

/// The numbers of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RepositoryStats {
    /// Files that were indexed.
    pub files: i64,
    /// Definitions in them.
    pub symbols: i64,
    /// Bytes of the index.
    pub index_bytes: i64,
    /// Bytes of the git objects.
    pub source_bytes: i64,
    /// The time of the last job, in milliseconds.
    pub index_ms: i64,
}

/// A published state of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Generation {
    /// The repository.
    pub repository: i64,
    /// The number; later ones are greater.
    pub generation: i64,
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
}

const COLUMNS: &str = "id, name, url, branch, groups, generation, served, files, symbols, index_bytes, source_bytes, index_ms, \
                       last_error";

fn entry(row: &Row) -> RepositoryEntry {
    RepositoryEntry {
        id: row.get(0),
        name: row.get(1),
        url: row.get(2),
        branch: row.get(3),
        groups: row.get(4),
        generation: row.get(5),
        served: row.get(6),
        stats: RepositoryStats {
            files: row.get(7),
            symbols: row.get(8),
            index_bytes: row.get(9),
            source_bytes: row.get(10),
            index_ms: row.get(11),
        },
        last_error: row.get(12),
    }
}

pub(super) fn generation(row: &Row) -> Generation {
    Generation {
        repository: row.get(0),
        generation: row.get(1),
        commit: row.get(2),
        family: row.get(3),
        state: row.get(4),
        format: row.get(5),
        packs: row.get(6),
    }
}

pub(super) const GENERATION: &str = "repository, generation, commit_id, family, state, format, packs";

impl Catalogue {
    /// Adds a repository and asks for its index. The same once more changes nothing.
    pub(crate) fn add_repository(&self, new: &NewRepository) -> Result<RepositoryEntry> {
        self.with(|client| {
            let mut transaction = client.transaction()?;
            transaction.execute(
                "INSERT INTO codecompass_repositories (name, url, branch, groups, poll_seconds, next_poll) VALUES ($1, $2, $3, $4, $5::int4, \
                 now() + $5::int4 * interval '1 second') \
                 ON CONFLICT DO NOTHING",
                &[&new.name, &new.url, &new.branch, &new.groups, &new.poll_seconds],
            )?;
            let select = format!("SELECT {COLUMNS} FROM codecompass_repositories WHERE name = $1");
            let added = entry(&transaction.query_one(&select, &[&new.name])?);
            if (&added.url, &added.branch) != (&new.url, &new.branch) {
                return Err(ClusterError::Exists { what: "repository", name: new.name.clone() });
            }
            transaction.execute(
                "UPDATE codecompass_repositories SET groups = $2, poll_seconds = $3 WHERE id = $1",
                &[&added.id, &new.groups, &new.poll_seconds],
            )?;
            request(&mut transaction, added.id)?;
            transaction.commit()?;
            Ok(RepositoryEntry { groups: new.groups.clone(), ..added })
        })
    }

    /// Removes a repository; nodes forget it soon after.
    pub(crate) fn remove_repository(&self, name: &str) -> Result<()> {
        let removed =
            self.once(|client| Ok(client.execute("DELETE FROM codecompass_repositories WHERE name = $1", &[&name])?))?;
        match removed {
            0 => Err(ClusterError::Unknown { what: "repository", name: name.to_string() }),
            _ => Ok(()),
        }
    }

    /// Returns all repositories by name.
    pub(crate) fn repositories(&self) -> Result<Vec<RepositoryEntry>> {
        let select = format!("SELECT {COLUMNS} FROM codecompass_repositories ORDER BY name COLLATE \"C\"");
        self.with(|client| Ok(client.query(&select, &[])?.iter().map(entry).collect()))
    }

    /// Returns the newest generation of each repository that has one.
    pub(crate) fn newest_generations(&self) -> Result<Vec<Generation>> {
        let select = format!(
            "SELECT {GENERATION} FROM codecompass_generations g WHERE EXISTS (SELECT 1 FROM codecompass_repositories r \
             WHERE r.id = g.repository AND r.generation = g.generation)"
        );
        self.with(|client| Ok(client.query(&select, &[])?.iter().map(generation).collect()))
    }

    /// Returns one generation of a repository.
    pub(crate) fn generation(&self, repository: i64, number: i64) -> Result<Option<Generation>> {
        let select =
            format!("SELECT {GENERATION} FROM codecompass_generations WHERE repository = $1 AND generation = $2");
        self.with(|client| Ok(client.query_opt(&select, &[&repository, &number])?.as_ref().map(generation)))
    }

    /// Returns one repository by its number.
    pub(crate) fn repository(&self, id: i64) -> Result<Option<RepositoryEntry>> {
        let select = format!("SELECT {COLUMNS} FROM codecompass_repositories WHERE id = $1");
        self.with(|client| Ok(client.query_opt(&select, &[&id])?.as_ref().map(entry)))
    }

    /// Returns the generations that answers are of, by the numbers of their repositories.
    pub(crate) fn served(&self, repositories: &[i64]) -> Result<Vec<(i64, i64)>> {
        self.with(|client| {
            let rows = client.query(
                "SELECT id, served FROM codecompass_repositories WHERE id = ANY($1) ORDER BY id",
                &[&repositories],
            )?;
            Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
        })
    }

    /// Says that an owner can answer with a generation, so that no later answer is of an older one.
    pub(crate) fn serve(&self, repository: i64, generation: i64) -> Result<()> {
        self.with(|client| {
            let set = "UPDATE codecompass_repositories SET served = $2 WHERE id = $1 AND served < $2";
            Ok(client.execute(set, &[&repository, &generation]).map(|_| ())?)
        })
    }

    /// Asks for the index of a repository, as a webhook does; returns whether there is such a one.
    pub(crate) fn request_index(&self, name: &str) -> Result<bool> {
        self.with(|client| {
            let mut transaction = client.transaction()?;
            let row = transaction.query_opt("SELECT id FROM codecompass_repositories WHERE name = $1", &[&name])?;
            if let Some(row) = &row {
                request(&mut transaction, row.get(0))?;
            }
            transaction.commit()?;
            Ok(row.is_some())
        })
    }

    /// Asks for the indexes of those repositories that were not looked at for long; returns how
    /// many.
    pub(crate) fn request_due(&self) -> Result<u64> {
        self.with(|client| Ok(due(client)?))
    }
}

/// Asks for the index of a repository. A job that runs may have looked at the remote before, so
/// there is another one after it.
pub(super) fn request(transaction: &mut postgres::Transaction<'_>, repository: i64) -> Result<()> {
    transaction.execute(
        "INSERT INTO codecompass_jobs (repository) VALUES ($1) ON CONFLICT (repository) DO UPDATE SET \
         is_wanted_again = codecompass_jobs.token IS NOT NULL, run_at = LEAST(codecompass_jobs.run_at, now()), \
         node = CASE WHEN codecompass_jobs.token IS NOT NULL THEN codecompass_jobs.node END",
        &[&repository],
    )?;
    Ok(())
}

fn due(client: &mut Client) -> std::result::Result<u64, postgres::Error> {
    client.execute(
        "WITH due AS (SELECT id FROM codecompass_repositories WHERE next_poll <= now() ORDER BY next_poll LIMIT 100 \
         FOR UPDATE SKIP LOCKED), moved AS (UPDATE codecompass_repositories r SET next_poll = now() + poll_seconds * \
         interval '1 second' FROM due WHERE r.id = due.id RETURNING r.id) INSERT INTO codecompass_jobs (repository) \
         SELECT id FROM moved ON CONFLICT (repository) DO NOTHING",
        &[],
    )
}
