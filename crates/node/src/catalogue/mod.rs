//! The catalogue of a cluster: what its nodes must agree on, in PostgreSQL.
//!
//! Times are those of the database, so that clocks of nodes do not matter. Every change is one
//! transaction. What is asked again because a connection broke has the effect of one request.

mod access;
mod collection;
mod error;
mod jobs;
mod nodes;
mod repositories;
mod schema;
mod tls;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use postgres::{Client, Config};

pub(crate) use self::access::{Access, NewAccess};
pub(crate) use self::error::ClusterError;
pub(crate) use self::error::Result;
pub(crate) use self::jobs::{ClaimedJob, JobEntry, NewGeneration};
pub(crate) use self::nodes::{NodeEntry, NodeReport};
pub(crate) use self::repositories::{Generation, NewRepository, RepositoryEntry, RepositoryStats};
use self::tls::Tls;

/// Connections that are kept open.
const MOST_IDLE: usize = 4;
/// The longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// The longest time of a statement, in milliseconds.
const STATEMENT_MS: u64 = 15_000;

/// The catalogue.
pub(crate) struct Catalogue {
    config: Config,
    tls: Tls,
    idle: Mutex<Vec<Client>>,
}

/// The way to the database.
#[derive(Clone, Default)]
pub(crate) struct DatabaseOptions {
    /// `postgres://user@host,host/database?options`.
    pub url: String,
    /// The password, where the URL has none.
    pub password: Option<String>,
    /// Certificate authorities in PEM, instead of the usual ones.
    pub authorities: Option<Vec<u8>>,
}

impl Catalogue {
    /// Connects, and makes or checks the tables.
    pub(crate) fn open(options: &DatabaseOptions) -> Result<Catalogue> {
        let unusable = |error: postgres::Error| {
            // The parser's words name the option, not its value.
            ClusterError::Settings(format!("the address of the cluster's database cannot be used: {error}"))
        };
        let mut config: Config = options.url.parse().map_err(unusable)?;
        if config.get_hosts().is_empty() {
            return Err(ClusterError::Settings("the address of the cluster's database names no host".into()));
        }
        if let (Some(password), None) = (&options.password, config.get_password()) {
            config.password(password);
        }
        config.application_name("codecompass");
        config.connect_timeout(CONNECT);
        config.keepalives_idle(Duration::from_secs(10));
        config.tcp_user_timeout(CONNECT);
        // After a failover, the other server of the list is the one that takes changes.
        config.target_session_attrs(postgres::config::TargetSessionAttrs::ReadWrite);
        let limits =
            format!("-c statement_timeout={STATEMENT_MS} -c idle_in_transaction_session_timeout={STATEMENT_MS}");
        let given = config.get_options().unwrap_or_default().to_string();
        config.options(format!("{given} {limits}").trim());
        let tls = Tls::new(options.authorities.as_deref())?;
        let catalogue = Catalogue { config, tls, idle: Mutex::default() };
        catalogue.once(schema::migrate)?;
        Ok(catalogue)
    }

    /// Runs `work` on a connection, and once more on a new one if that was broken. So `work` must
    /// have the same effect if it is done twice.
    fn with<T>(&self, work: impl Fn(&mut Client) -> Result<T>) -> Result<T> {
        match self.once(&work) {
            Err(error) if error.is_unreachable() => {
                // The others were made before the server went away, too.
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
                self.once(work)
            }
            done => done,
        }
    }

    /// Runs `work` on a connection.
    fn once<T>(&self, work: impl FnOnce(&mut Client) -> Result<T>) -> Result<T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut client = match idle.filter(|client| !client.is_closed()) {
            Some(client) => client,
            None => self.config.connect(self.tls.clone())?,
        };
        let done = work(&mut client);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        // A transaction that failed half-way is rolled back when it is dropped.
        if !client.is_closed() && idle.len() < MOST_IDLE && !matches!(&done, Err(error) if error.is_unreachable()) {
            idle.push(client);
        }
        done
    }

    /// Returns the setting of this name; makes it what `new` gives where there is none.
    pub(crate) fn setting(&self, name: &str, new: impl Fn() -> String) -> Result<String> {
        self.with(|client| {
            client
                .execute("INSERT INTO codecompass_settings VALUES ($1, $2) ON CONFLICT DO NOTHING", &[&name, &new()])?;
            Ok(client.query_one("SELECT value FROM codecompass_settings WHERE name = $1", &[&name])?.get(0))
        })
    }

    /// Changes a setting.
    pub(crate) fn set(&self, name: &str, value: &str) -> Result<()> {
        self.with(|client| {
            client.execute(
                "INSERT INTO codecompass_settings VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2",
                &[&name, &value],
            )?;
            Ok(())
        })
    }
}
