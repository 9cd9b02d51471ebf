//! Settings: defaults, then the user's `config.toml`, then the repository's
//! `.codecompass/config.toml`, then variables `CODECOMPASS_<SECTION>_<KEY>`. Raw values are checked
//! here (`table.rs` has a row for each, `value.rs` their kinds, `layers.rs` the order, `show.rs`
//! the values in force); the engine gets final ones.

#![expect(clippy::disallowed_methods, reason = "here variables become settings")]

mod cluster;
mod environment;
mod hint;
mod layers;
mod providers;
mod remote;
mod server;
mod show;
mod table;
#[cfg(test)]
mod tests;
mod value;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use codecompass_engine::Config;
use codecompass_git::GitPolicy;
use etcetera::BaseStrategy;

use crate::choices::Freshness;
use crate::error::AppError;
use crate::uri;
pub use cluster::ClusterSettings;
pub use environment::{Environment, environment};
pub use layers::SettingSource;
pub use providers::{ChatSettings, EmbeddingSettings, Profile, ProviderSettings};
pub use remote::RemoteSettings;
pub use server::{ServerSettings, absolute};
pub use show::{KeyInForce, SettingInForce, SettingsInForce};

/// All settings, checked.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The settings of the engine.
    pub engine: Config,
    /// The models and providers to use.
    pub providers: ProviderSettings,
    /// The settings of the server for agents.
    pub server: ServerSettings,
    /// The settings of the remote index.
    pub remote: RemoteSettings,
    /// The settings of a cluster.
    pub cluster: ClusterSettings,
    /// The rules for clones of git URLs.
    pub clones: GitPolicy,
    /// Groups of workspaces: `NAME=DIR`, a name once for each of its directories.
    pub groups: Vec<String>,
    /// The policy for waiting until the index has caught up with the files on disk.
    pub freshness: Freshness,
}

/// The places of the store and of the user's settings.
pub struct Homes {
    /// The data directory.
    pub data: PathBuf,
    /// The user's settings file, which need not exist.
    pub config_file: PathBuf,
}

/// Finds the data directory: `CODECOMPASS_HOME`, else the platform's.
pub fn homes() -> Result<Homes, AppError> {
    if let Some(home) = std::env::var_os("CODECOMPASS_HOME").filter(|home| !home.is_empty()) {
        let home = PathBuf::from(home);
        let home = std::path::absolute(&home).unwrap_or(home);
        return Ok(Homes { config_file: home.join("config.toml"), data: home });
    }
    let base = etcetera::choose_base_strategy().map_err(|error| {
        AppError::invalid(
            format!("cannot find your home directory: {error}"),
            "set CODECOMPASS_HOME to a directory for the index",
        )
    })?;
    Ok(Homes {
        data: base.data_dir().join("codecompass"),
        config_file: base.config_dir().join("codecompass/config.toml"),
    })
}

/// The variable with the token that clients of a server need.
pub const SERVER_TOKEN: &str = "CODECOMPASS_SERVER_TOKEN";

/// The token that clients of a server need, if one is set. Nothing of it is ever said.
pub fn server_token() -> Result<Option<String>, AppError> {
    match std::env::var_os(SERVER_TOKEN).filter(|token| !token.is_empty()) {
        None => Ok(None),
        Some(token) => match token.into_string() {
            Ok(token) => Ok(Some(token)),
            Err(_) => Err(AppError::invalid(format!("{SERVER_TOKEN} is not a text"), "correct the value, or unset it")),
        },
    }
}

/// Reads what the user says about the server; no repository is asked.
pub fn of_server() -> Result<ServerSettings, AppError> {
    Ok(layers::load_of_user(&homes()?, &|name| std::env::var_os(name))?.server)
}

/// Reads what the user says about the cluster, with the keys that the environment has.
pub fn of_cluster() -> Result<ClusterSettings, AppError> {
    let variables = |name: &str| std::env::var_os(name);
    let mut settings = layers::load_of_user(&homes()?, &variables)?.cluster;
    settings.credentials = layers::credentials(&variables);
    settings.password = variables("PGPASSWORD").and_then(|password| password.into_string().ok());
    Ok(settings)
}

/// Reads what the user says about clones of git URLs, with the search path and the ssh agent that
/// the environment has.
pub fn of_clones() -> Result<GitPolicy, AppError> {
    let mut policy = layers::load_of_user(&homes()?, &|name| std::env::var_os(name))?.clones;
    let path = std::env::var_os("PATH").unwrap_or_default();
    // A relative folder would mean another one in each repository.
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    policy.path = std::env::join_paths(folders).ok().filter(|path| !path.is_empty());
    policy.ssh_agent = std::env::var_os("SSH_AUTH_SOCK").filter(|socket| !socket.is_empty());
    Ok(policy)
}

/// Returns the name of the variable with the token for a git host.
pub fn git_token_variable(host: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' };
    format!("CODECOMPASS_GIT_TOKEN_{}", host.chars().map(plain).collect::<String>())
}

/// Returns the value of a variable that a node or an administrator may set.
pub fn private_variable(name: &str) -> Option<String> {
    std::env::var_os(name).and_then(|value| value.into_string().ok()).filter(|value| !value.trim().is_empty())
}

/// Returns the directories and git URLs of a group of workspaces that the user's settings name.
pub fn group(name: &str) -> Result<Vec<PathBuf>, AppError> {
    let groups = layers::load_of_user(&homes()?, &|name| std::env::var_os(name))?.groups;
    let pairs: Vec<(&str, &str)> = groups.iter().filter_map(|group| group.split_once('=')).collect();
    let named = pairs.iter().filter(|(group, _)| group.trim() == name);
    let found: Vec<PathBuf> = named.map(|(_, place)| PathBuf::from(place.trim())).collect();
    if found.is_empty() {
        let known: BTreeSet<&str> = pairs.iter().map(|(group, _)| group.trim()).collect();
        let hint = if known.is_empty() {
            "set `groups` in [workspaces] of your config.toml, such as [\"shop=/home/me/api\"]".to_string()
        } else {
            format!("known groups are {}", known.into_iter().collect::<Vec<_>>().join(", "))
        };
        return Err(AppError::invalid(format!("no group of workspaces is named `{name}`"), hint));
    }
    match found.iter().find(|place| !place.is_absolute() && !uri::is_git_url(place)) {
        Some(place) => {
            let message =
                format!("the group `{name}` has {}, which is neither an absolute path nor a git URL", place.display());
            Err(AppError::invalid(message, "correct `groups` in [workspaces] of your config.toml"))
        }
        None => Ok(found),
    }
}

/// Reads all layers for the workspace at `root`.
pub fn load(homes: &Homes, root: &Path) -> Result<Settings, AppError> {
    Ok(layers::load(homes, root, &|name| std::env::var_os(name))?.settings)
}

/// Returns the settings of these names and sections, or all, with the layer of each value.
pub fn in_force(homes: &Homes, root: &Path, names: &[String]) -> Result<SettingsInForce, AppError> {
    show::in_force(homes, root, &|name| std::env::var_os(name), names)
}
