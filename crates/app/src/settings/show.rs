//! The settings in force: each value, its default, and the layer that it comes from.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::hint::near_setting;
use super::layers::{self, CHAT_KEY, EMBEDDING_KEY, RERANK_KEY, S3_KEYS, SettingSource, Variables};
use super::table::{SETTINGS, Setting, is_section};
use super::{Homes, SERVER_TOKEN, Settings};
use crate::error::AppError;

/// All settings that were asked for, and the places they come from.
#[derive(Clone, Debug)]
pub struct SettingsInForce {
    pub settings: Vec<SettingInForce>,
    pub user_file: PathBuf,
    pub repository_file: PathBuf,
    /// The variables with keys.
    pub keys: Vec<KeyInForce>,
}

/// One setting.
#[derive(Clone, Debug, Serialize)]
pub struct SettingInForce {
    pub name: String,
    #[serde(skip)]
    pub section: &'static str,
    #[serde(skip)]
    pub key: &'static str,
    /// Null if it has none.
    pub value: Value,
    pub default: Value,
    pub source: SettingSource,
    /// The variable that sets it.
    pub variable: String,
}

/// A variable with a key, which is never shown.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct KeyInForce {
    pub variable: &'static str,
    pub is_set: bool,
}

/// Reads all layers and returns the settings that `names` name, sections included; all if there are
/// none.
pub(super) fn in_force(
    homes: &Homes,
    root: &Path,
    variables: Variables<'_>,
    names: &[String],
) -> Result<SettingsInForce, AppError> {
    if let Some(unknown) = names.iter().find(|name| !SETTINGS.iter().any(|setting| is_named(setting, name))) {
        let hint = near_setting(unknown, !unknown.contains('.') || is_section(unknown));
        return Err(AppError::invalid(format!("unknown setting `{unknown}`"), hint));
    }
    let layers = layers::load(homes, root, variables)?;
    let usual = Settings::default();
    let wanted = SETTINGS.iter().filter(|setting| names.is_empty() || names.iter().any(|name| is_named(setting, name)));
    let shown = |setting: &Setting| {
        let name = setting.name();
        SettingInForce {
            section: setting.section,
            key: setting.key,
            value: masked((setting.get)(&layers.settings)),
            default: (setting.get)(&usual),
            source: layers.sources.get(&name).copied().unwrap_or_default(),
            variable: setting.variable(),
            name,
        }
    };
    let key = |variable: &'static str| KeyInForce {
        variable,
        is_set: variables(variable).is_some_and(|value| !value.is_empty()),
    };
    Ok(SettingsInForce {
        settings: wanted.map(shown).collect(),
        user_file: homes.config_file.clone(),
        repository_file: layers::own_file(root),
        keys: [EMBEDDING_KEY, RERANK_KEY, CHAT_KEY, SERVER_TOKEN].into_iter().chain(S3_KEYS).map(key).collect(),
    })
}

/// Returns whether `name` is the name of the setting or of a section above it.
fn is_named(setting: &Setting, name: &str) -> bool {
    setting.name().strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Hides what a URL has besides host and path, which may be a password or a key.
fn masked(value: Value) -> Value {
    match &value {
        Value::String(url) if url.contains("://") && url.contains(['@', '?', '#']) => {
            let (scheme, rest) = url.split_once("://").unwrap_or_default();
            let rest = rest.split(['?', '#']).next().unwrap_or_default();
            let shown = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
            format!("{scheme}://…{shown}…").into()
        }
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_urls_are_hidden() {
        let shown = |url: &str| masked(url.into()).as_str().unwrap_or_default().to_string();
        assert_eq!(shown("https://me:secret@host/v1?key=secret"), "https://…host/v1…");
        assert_eq!(shown("https://host/v1"), "https://host/v1");
    }
}
