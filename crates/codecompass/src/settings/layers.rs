//! The layers of settings, in order: the user's file, the repository's, variables.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::Path;

use codecompass_engine::embed::Secret;
use codecompass_engine::scan::Root;

use super::hint::unknown;
use super::table::{RepoPolicy, SETTINGS, Setting, is_section, setting};
use super::value::Written;
use super::{Homes, Settings};
use crate::error::AppError;

const EMBEDDING_KEY: &str = "CODECOMPASS_EMBEDDING_API_KEY";
const RERANK_KEY: &str = "CODECOMPASS_RERANK_API_KEY";

/// A repository's own file.
const OWN_FILE: &str = ".codecompass/config.toml";

/// The remedy for a repository that wants more than it may.
const OWN_REMEDY: &str = "remove it there; who wants it sets it in their own config.toml or as a variable";

/// Looks up a variable.
pub(super) type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The owner of a settings file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    User,
    Repository,
}

/// Reads the layers that no repository has a part in.
pub(super) fn load_of_user(homes: &Homes, variables: Variables<'_>) -> Result<Settings, AppError> {
    let mut settings = Settings::default();
    apply_file(&mut settings, &homes.config_file, std::fs::read_to_string(&homes.config_file), Owner::User)?;
    apply_variables(&mut settings, variables)?;
    Ok(settings)
}

/// Reads all layers.
pub(super) fn load(homes: &Homes, root: &Path, variables: Variables<'_>) -> Result<Settings, AppError> {
    let mut settings = Settings::default();
    apply_file(&mut settings, &homes.config_file, std::fs::read_to_string(&homes.config_file), Owner::User)?;
    let mut without = settings.clone();
    let own = root.join(OWN_FILE);
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
    apply_file(&mut settings, &own, text, Owner::Repository)?;
    apply_variables(&mut settings, variables)?;
    apply_variables(&mut without, variables)?;
    // No single value tells this: where the user has switched meaning off, the repository may have
    // switched it on.
    if settings.reach().into_iter().zip(without.reach()).any(|(with, without)| with && !without) {
        let message = format!("{}: [semantic] would make more leave this machine than you allow", own.display());
        return Err(AppError::invalid(message, OWN_REMEDY));
    }
    settings.providers.embedding.key = key(variables, EMBEDDING_KEY)?;
    settings.providers.rerank.key = key(variables, RERANK_KEY)?;
    Ok(settings)
}

fn apply_variables(settings: &mut Settings, variables: Variables<'_>) -> Result<(), AppError> {
    for setting in SETTINGS {
        let variable = setting.variable();
        if let Some(value) = variables(&variable) {
            apply(settings, setting, &Written::Variable(value.to_str()), &variable)?;
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
fn apply_file(settings: &mut Settings, file: &Path, text: io::Result<String>, owner: Owner) -> Result<(), AppError> {
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
    apply_section(settings, &table, "", &place, owner)
}

/// Applies what stands in a section, and in those below it; `section` is its full name, empty at
/// the top.
fn apply_section(
    settings: &mut Settings,
    table: &toml::Table,
    section: &str,
    place: &str,
    owner: Owner,
) -> Result<(), AppError> {
    for (key, value) in table {
        let name = if section.is_empty() { key.clone() } else { format!("{section}.{key}") };
        match (value.as_table(), setting(section, key)) {
            (Some(below), _) if is_section(&name) => apply_section(settings, below, &name, place, owner)?,
            (_, Some(setting)) => {
                let (written, place) = (Written::Toml(value), format!("{place}: {name}"));
                apply(settings, setting, &written, &place)?;
                if owner == Owner::Repository && !is_allowed(setting, &written) {
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

fn apply(settings: &mut Settings, setting: &Setting, written: &Written<'_>, place: &str) -> Result<(), AppError> {
    match setting.kind.put(settings, written) {
        true => Ok(()),
        false => Err(AppError::invalid(format!("{place} is not {}", setting.kind.wanted()), "correct the value")),
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
