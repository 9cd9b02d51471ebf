//! The tables of the catalogue, and how one version of them becomes the next.
//!
//! `oldest_program` is the oldest schema version whose programs can still work with the tables, so
//! that old and new nodes run side by side during an upgrade: a migration that only adds leaves it
//! as it is, and one that older programs would misread raises it.

use postgres::Client;

use super::error::{ClusterError, Result};

/// The version of the tables that this program knows.
pub(crate) const SCHEMA_VERSION: i32 = 1;

/// The number of the advisory lock for migrations; any number will do.
const MIGRATION_LOCK: i64 = 0x00c0_dec0_57a5;

/// A step to a version of the tables.
struct Migration {
    version: i32,
    /// The oldest program that can work with the result.
    oldest_program: i32,
    statements: &'static str,
}

const MIGRATIONS: &[Migration] = &[Migration { version: 1, oldest_program: 1, statements: VERSION_1 }];

const VERSION_1: &str = "
CREATE SEQUENCE codecompass_tokens;
CREATE TABLE codecompass_settings (name text PRIMARY KEY, value text NOT NULL);
CREATE TABLE codecompass_nodes (
    name text PRIMARY KEY,
    address text NOT NULL,
    version text NOT NULL,
    format text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now(),
    is_draining boolean NOT NULL DEFAULT false,
    held integer NOT NULL DEFAULT 0,
    cache_bytes bigint NOT NULL DEFAULT 0,
    cache_limit bigint NOT NULL DEFAULT 0,
    questions bigint NOT NULL DEFAULT 0,
    failures bigint NOT NULL DEFAULT 0
);
CREATE TABLE codecompass_repositories (
    id bigserial PRIMARY KEY,
    name text NOT NULL UNIQUE,
    url text NOT NULL,
    branch text,
    groups text[] NOT NULL DEFAULT '{}',
    family text,
    generation bigint NOT NULL DEFAULT 0,
    served bigint NOT NULL DEFAULT 0,
    added_at timestamptz NOT NULL DEFAULT now(),
    poll_seconds integer NOT NULL,
    next_poll timestamptz NOT NULL DEFAULT now(),
    files bigint NOT NULL DEFAULT 0,
    symbols bigint NOT NULL DEFAULT 0,
    index_bytes bigint NOT NULL DEFAULT 0,
    source_bytes bigint NOT NULL DEFAULT 0,
    index_ms bigint NOT NULL DEFAULT 0,
    last_error text,
    failed_at timestamptz
);
CREATE INDEX ON codecompass_repositories (next_poll);
CREATE TABLE codecompass_generations (
    repository bigint NOT NULL REFERENCES codecompass_repositories ON DELETE CASCADE,
    generation bigint NOT NULL,
    commit_id text NOT NULL,
    family text NOT NULL,
    state text NOT NULL,
    format text NOT NULL,
    packs text[] NOT NULL,
    token bigint NOT NULL UNIQUE,
    node text NOT NULL,
    published_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (repository, generation)
);
CREATE TABLE codecompass_jobs (
    repository bigint PRIMARY KEY REFERENCES codecompass_repositories ON DELETE CASCADE,
    requested_at timestamptz NOT NULL DEFAULT now(),
    run_at timestamptz NOT NULL DEFAULT now(),
    attempts integer NOT NULL DEFAULT 0,
    is_wanted_again boolean NOT NULL DEFAULT false,
    is_repair boolean NOT NULL DEFAULT false,
    token bigint,
    node text,
    started_at timestamptz,
    lease_until timestamptz
);
CREATE INDEX ON codecompass_jobs (run_at);
CREATE TABLE codecompass_access (
    name text PRIMARY KEY,
    hash bytea NOT NULL UNIQUE,
    is_all boolean NOT NULL,
    repositories bigint[] NOT NULL,
    groups text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz
);
";

/// Makes the tables what this program knows, or refuses them. One program at a time does so.
pub(crate) fn migrate(client: &mut Client) -> Result<()> {
    let mut transaction = client.transaction()?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK])?;
    transaction.batch_execute(
        "CREATE TABLE IF NOT EXISTS codecompass_schema (version integer NOT NULL, oldest_program integer NOT NULL)",
    )?;
    let row = transaction.query_opt("SELECT version, oldest_program FROM codecompass_schema", &[])?;
    let (found, needed): (i32, i32) = row.map_or((0, 0), |row| (row.get(0), row.get(1)));
    if needed > SCHEMA_VERSION {
        return Err(ClusterError::NewerSchema { found, needed, known: SCHEMA_VERSION });
    }
    for migration in MIGRATIONS.iter().filter(|migration| migration.version > found) {
        transaction.batch_execute(migration.statements)?;
        transaction.execute("DELETE FROM codecompass_schema", &[])?;
        let versions = [&migration.version as &(dyn postgres::types::ToSql + Sync), &migration.oldest_program];
        transaction.execute("INSERT INTO codecompass_schema VALUES ($1, $2)", &versions)?;
    }
    transaction.commit()?;
    Ok(())
}
