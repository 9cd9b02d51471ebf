//! Text of `config show`: TOML that could stand in a settings file, with comments that say where
//! values come from.

use std::fmt::Write as _;

use serde_json::Value;

use crate::api::store::config::{ConfigShowAnswer, SettingInForce, SettingSource, SettingsFile};
use crate::render::shown;
use crate::terminal::output::{DIM, NAME};

pub fn text(answer: &ConfigShowAnswer) -> String {
    let mut out = String::new();
    file(&mut out, "user file", &answer.user_file);
    file(&mut out, "repository file", &answer.repository_file);
    let mut section = "";
    for setting in &answer.settings {
        if setting.section != section {
            section = setting.section;
            let _ = writeln!(out, "\n{NAME}[{section}]{NAME:#}");
        }
        line(&mut out, setting);
    }
    if answer.settings.is_empty() {
        let _ = writeln!(out, "\n{DIM}# all settings have their defaults{DIM:#}");
    }
    for key in answer.keys.iter().filter(|key| key.is_set) {
        let _ = writeln!(out, "\n{DIM}# {} is set and never shown{DIM:#}", key.variable);
    }
    out
}

fn file(out: &mut String, name: &str, file: &SettingsFile) {
    let state = if file.exists { "" } else { " (not there)" };
    let _ = writeln!(out, "{DIM}# {name}: {}{state}{DIM:#}", shown(&file.path));
}

fn line(out: &mut String, setting: &SettingInForce) {
    let origin = match setting.source {
        SettingSource::Default => String::new(),
        SettingSource::User => format!("  {DIM}# user file{DIM:#}"),
        SettingSource::Repository => format!("  {DIM}# repository file{DIM:#}"),
        SettingSource::Environment => format!("  {DIM}# {}{DIM:#}", setting.variable),
        SettingSource::Flag => format!("  {DIM}# flag{DIM:#}"),
    };
    let _ = match toml_value(&setting.value) {
        Some(value) => writeln!(out, "{} = {}{origin}", setting.key, shown(&value)),
        None => writeln!(out, "{DIM}# {} is not set{DIM:#}{origin}", setting.key),
    };
}

/// Returns a value as TOML writes it; `None` for null.
fn toml_value(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Object(entries) => {
            let entry = |(key, value): (&String, &Value)| {
                Some(format!("{} = {}", Value::from(key.as_str()), toml_value(value)?))
            };
            let entries: Vec<String> = entries.iter().filter_map(entry).collect();
            Some(if entries.is_empty() { "{}".into() } else { format!("{{ {} }}", entries.join(", ")) })
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().filter_map(toml_value).collect();
            Some(format!("[{}]", items.join(", ")))
        }
        other => Some(other.to_string()),
    }
}
