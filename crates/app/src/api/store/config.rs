//! `config show`: the settings in force, and where each comes from.

use std::path::Path;

use clap::Args;
use serde::Serialize;

use crate::error::AppError;
use crate::session::{self, CallContext};
use crate::settings::{self, KeyInForce};
pub use crate::settings::{SettingInForce, SettingSource};

#[derive(Clone, Debug, Args)]
pub struct ConfigShowRequest {
    /// Settings or sections, such as `index.threads` or `semantic`; all if none are given.
    #[arg(value_name = "SETTING")]
    pub names: Vec<String>,
    /// Only settings that a file, a variable or a flag sets.
    #[arg(long)]
    pub changed: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct ConfigShowAnswer {
    pub root: String,
    /// The user's file.
    pub user_file: SettingsFile,
    /// The repository's file.
    pub repository_file: SettingsFile,
    pub settings: Vec<SettingInForce>,
    /// The variables with keys, which are never shown.
    pub keys: Vec<KeyInForce>,
}

/// A file with settings.
#[derive(Clone, Debug, Serialize)]
pub struct SettingsFile {
    pub path: String,
    pub exists: bool,
}

impl SettingsFile {
    fn new(path: &Path) -> SettingsFile {
        SettingsFile { path: path.to_string_lossy().into_owned(), exists: path.is_file() }
    }
}

impl ConfigShowRequest {
    /// Reads the layers of settings.
    pub fn answer(&self, context: &CallContext) -> Result<ConfigShowAnswer, AppError> {
        let root = session::root(context)?;
        let mut found = settings::in_force(&settings::homes()?, &root, &self.names)?;
        let policy = found.settings.iter_mut().find(|setting| setting.name == "freshness.policy");
        if let (Some(policy), Some(flag)) = (policy, context.freshness) {
            policy.value = flag.name().into();
            policy.source = SettingSource::Flag;
        }
        if self.changed {
            found.settings.retain(|setting| setting.source != SettingSource::Default);
        }
        Ok(ConfigShowAnswer {
            root: root.to_string_lossy().into_owned(),
            user_file: SettingsFile::new(&found.user_file),
            repository_file: SettingsFile::new(&found.repository_file),
            settings: found.settings,
            keys: found.keys,
        })
    }
}
