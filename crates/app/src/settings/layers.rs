//! The layers of settings, in order: the user's file, the repository's, variables.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use codecompass_engine::embed::Secret;
use codecompass_engine::embed::remote::EmbeddingProvider;
use codecompass_engine::objects::Credentials;
use codecompass_engine::scan::Root;
use serde::Serialize;

use super::hint::unknown;
use super::providers::Detected;
use super::table::{RepoPolicy, SETTINGS, Setting, is_section, setting};
use super::value::Written;
use super::{Homes, Settings};
use crate::error::AppError;

pub(super) const EMBEDDING_KEY: &str = "CODECOMPASS_EMBEDDING_API_KEY";
pub(super) const RERANK_KEY: &str = "CODECOMPASS_RERANK_API_KEY";
/// The variables with the keys of S3: the id, the secret and the token of temporary ones.
pub(super) const S3_KEYS: [&str; 3] = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];
pub(super) const CHAT_KEY: &str = "CODECOMPASS_CHAT_API_KEY";

/// A repository's own file.
const OWN_FILE: &str = ".codecompass/config.toml";

/// The remedy for a repository that wants more than it may.
const OWN_REMEDY: &str = "remove it there; who wants it sets it in their own config.toml or as a variable";

/// Looks up a variable.
pub(super) type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The layer that the value in force comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingSource {
    #[default]
    Default,
    /// The user's file.
    User,
    /// The repository's file.
    Repository,
    /// A variable.
    Environment,
    /// A flag of this call.
    Flag,
}

/// Settings, and the layer of each that some layer sets, by its name.
#[derive(Clone, Default)]
pub(super) struct Layers {
    pub settings: Settings,
    pub sources: BTreeMap<String, SettingSource>,
}

/// Reads the layers that no repository has a part in.
pub(super) fn load_of_user(homes: &Homes, variables: Variables<'_>) -> Result<Settings, AppError> {
    let mut layers = Layers::default();
    let text = std::fs::read_to_string(&homes.config_file);
    apply_file(&mut layers, &homes.config_file, text, SettingSource::User)?;
    apply_variables(&mut layers, variables)?;
    Ok(layers.settings)
}

/// Returns the path of the repository's own file, which need not exist.
pub(super) fn own_file(root: &Path) -> PathBuf {
    root.join(OWN_FILE)
}

/// Reads all layers.
pub(super) fn load(homes: &Homes, root: &Path, variables: Variables<'_>) -> Result<Layers, AppError> {
    let mut layers = Layers::default();
    let text = std::fs::read_to_string(&homes.config_file);
    apply_file(&mut layers, &homes.config_file, text, SettingSource::User)?;
    let mut without = layers.clone();
    let own = own_file(root);
    // A repository may come from anywhere; a link in it must not make us read, and quote, other
    // files.
    let text = match Root::new(root).open_resolved(OWN_FILE) {
        Ok(Some(mut file)) => {
            let mut text = String::new();
            file.read_to_string(&mut text).map(|_| text)
        }
        Ok(None) => {
            let message = format!("{} leads out of the workspace", own.display());
            return Err(AppError::invalid(message, "replace the link by a file, or remove it"));
        }
        Err(error) => Err(error),
    };
    apply_file(&mut layers, &own, text, SettingSource::Repository)?;
    apply_variables(&mut layers, variables)?;
    apply_variables(&mut without, variables)?;
    let settings = &mut layers.settings;
    // No single value tells this: where the user has switched meaning off, the repository may have
    // switched it on.
    if settings.reach().into_iter().zip(without.settings.reach()).any(|(with, without)| with && !without) {
        let message = format!("{}: [semantic] would make more leave this machine than you allow", own.display());
        return Err(AppError::invalid(message, OWN_REMEDY));
    }
    let embedding = &mut settings.providers.embedding;
    embedding.key = key(variables, EMBEDDING_KEY)?;
    // A provider's own key goes to its own address and nowhere else.
    if let (None, None, Some(provider)) = (&embedding.key, &embedding.base_url, embedding.provider) {
        embedding.key = key(variables, provider.key_variable())?;
    }
    let is_set = |detected: &Detected| variables(detected.variable).is_some_and(|value| !value.is_empty());
    settings.providers.detected = Detected::ALL.into_iter().filter(is_set).collect();
    settings.providers.rerank.key = key(variables, RERANK_KEY)?;
    let chat = &mut settings.providers.chat;
    chat.key = key(variables, CHAT_KEY)?;
    if chat.key.is_none() && chat.base_url.is_none() && chat.is_asked_for {
        chat.key = key(variables, EmbeddingProvider::OpenAi.key_variable())?;
    }
    if settings.remote.url.as_deref().is_some_and(|url| url.starts_with("s3:")) {
        settings.remote.credentials = credentials(variables);
    }
    Ok(layers)
}

/// The keys of S3, under the names that other programs use; nothing of them is ever said.
pub(super) fn credentials(variables: Variables<'_>) -> Option<Credentials> {
    let text = |name| variables(name)?.into_string().ok().filter(|text| !text.trim().is_empty());
    let [id, secret, token] = S3_KEYS.map(text);
    // One without the other opens nothing; a bucket may be open to all.
    id.zip(secret).map(|(id, secret)| Credentials { id, secret, token })
}

fn apply_variables(layers: &mut Layers, variables: Variables<'_>) -> Result<(), AppError> {
    /// The names of the variables; a question to many repositories reads settings for each.
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| SETTINGS.iter().map(Setting::variable).collect());
    for (setting, variable) in SETTINGS.iter().zip(NAMES.iter()) {
        if let Some(value) = variables(variable) {
            let written = Written::Variable(value.to_str());
            apply(layers, setting, &written, variable, SettingSource::Environment)?;
        }
    }
    Ok(())
}

/// A provider's key; nothing of it is ever said.
fn key(variables: Variables<'_>, name: &str) -> Result<Option<Secret>, AppError> {
    match variables(name).filter(|key| !key.is_empty()) {
        None => Ok(None),
        Some(key) => match key.to_str() {
            Some(key) => Ok(Some(Secret::new(key)).filter(|_| !key.trim().is_empty())),
            None => Err(AppError::invalid(format!("{name} is not a text"), "correct the value, or unset it")),
        },
    }
}

/// Applies the text of a file, if there is one.
fn apply_file(
    layers: &mut Layers,
    file: &Path,
    text: io::Result<String>,
    source: SettingSource,
) -> Result<(), AppError> {
    let place = file.display().to_string();
    let text = match text {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound || error.kind() == io::ErrorKind::NotADirectory => {
            return Ok(());
        }
        Err(error) => {
            return Err(AppError::invalid(
                format!("cannot read {place}: {error}"),
                "make the file readable, or remove it",
            ));
        }
    };
    let table: toml::Table =
        text.parse().map_err(|error| AppError::invalid(format!("{place}: {error}"), "mend the file, or remove it"))?;
    apply_section(layers, &table, "", &place, source)
}

/// Applies what stands in a section, and in those below it; `section` is its full name, empty at
/// the top.
fn apply_section(
    layers: &mut Layers,
    table: &toml::Table,
    section: &str,
    place: &str,
    source: SettingSource,
) -> Result<(), AppError> {
    for (key, value) in table {
        let name = if section.is_empty() { key.clone() } else { format!("{section}.{key}") };
        match (value.as_table(), setting(section, key)) {
            (Some(below), _) if is_section(&name) => apply_section(layers, below, &name, place, source)?,
            (_, Some(setting)) => {
                let (written, place) = (Written::Toml(value), format!("{place}: {name}"));
                apply(layers, setting, &written, &place, source)?;
                if source == SettingSource::Repository && !is_allowed(setting, &written) {
                    return Err(refused(setting, &place));
                }
            }
            _ if is_section(&name) => {
                let message = format!("{place}: `{name}` is a section and has no value");
                return Err(AppError::invalid(message, format!("write [{name}] and its settings below")));
            }
            _ => return Err(unknown(place, &name, value.is_table())),
        }
    }
    Ok(())
}

fn apply(
    layers: &mut Layers,
    setting: &Setting,
    written: &Written<'_>,
    place: &str,
    source: SettingSource,
) -> Result<(), AppError> {
    if setting.kind.put(&mut layers.settings, written) {
        layers.sources.insert(setting.name(), source);
        Ok(())
    } else {
        Err(AppError::invalid(format!("{place} is not {}", setting.kind.wanted()), "correct the value"))
    }
}

/// Returns whether a repository's own file may say this.
fn is_allowed(setting: &Setting, written: &Written<'_>) -> bool {
    match setting.policy {
        RepoPolicy::Anything => true,
        RepoPolicy::Off(words) => written.is_off(words),
        RepoPolicy::Nothing => false,
    }
}

fn refused(setting: &Setting, place: &str) -> AppError {
    let message = match setting.policy {
        RepoPolicy::Nothing => format!("{place} is not for a repository to say"),
        RepoPolicy::Off([]) => format!("{place}: a repository may only set it to false"),
        RepoPolicy::Off(words) => format!("{place}: a repository may only set it to \"{}\"", words.join("\" or \"")),
        RepoPolicy::Anything => format!("{place} is refused"),
    };
    AppError::invalid(message, OWN_REMEDY)
}
