//! Settings: defaults, then the user's `config.toml`, then the repository's `.codecompass/config.toml`, then variables
//! `CODECOMPASS_<SECTION>_<KEY>`. Raw values are checked here; the engine gets final ones.

#![expect(clippy::disallowed_methods, reason = "here variables become settings")]

use std::path::{Path, PathBuf};

use codecompass_engine::Config;
use etcetera::BaseStrategy;

use crate::error::AppError;

/// Where the store and the user's settings are.
pub(crate) struct Homes {
    /// The data directory.
    pub data: PathBuf,
    /// The user's settings file, which need not exist.
    pub config_file: PathBuf,
}

/// Finds the data directory: `CODECOMPASS_HOME`, else the platform's.
pub(crate) fn homes() -> Result<Homes, AppError> {
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

/// What the settings of other programs are found by, and how this one is called.
pub(crate) struct Surroundings {
    /// The user's home directory.
    pub home: PathBuf,
    /// This program.
    pub program: PathBuf,
    variables: Vec<(&'static str, PathBuf)>,
    search_path: Vec<PathBuf>,
}

impl Surroundings {
    /// The directory that a variable names.
    pub(crate) fn variable(&self, name: &str) -> Option<&Path> {
        self.variables.iter().find(|(other, _)| *other == name).map(|(_, directory)| directory.as_path())
    }

    /// A program in the search path.
    pub(crate) fn find_program(&self, name: &str) -> Option<PathBuf> {
        let endings: &[&str] = if cfg!(windows) { &["exe", "cmd"] } else { &[""] };
        let mut files = self
            .search_path
            .iter()
            .flat_map(|directory| endings.iter().map(move |ending| directory.join(name).with_extension(ending)));
        files.find(|file| file.is_file())
    }
}

/// Reads the home directory, the search path and the given variables, of which only absolute paths count.
pub(crate) fn surroundings(names: &[&'static str]) -> Result<Surroundings, AppError> {
    let home = etcetera::home_dir().ok().filter(|home| home.is_absolute()).ok_or_else(|| {
        AppError::invalid("cannot find your home directory", "set HOME to the directory that holds your settings")
    })?;
    let program = std::env::current_exe().map_err(|error| {
        AppError::invalid(format!("cannot tell where this program is: {error}"), "call it by its full path")
    })?;
    let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let variables = names.iter().filter_map(|name| Some((*name, variable(name)?))).collect();
    let search_path = std::env::var_os("PATH").unwrap_or_default();
    let search_path = std::env::split_paths(&search_path).filter(|path| path.is_absolute()).collect();
    Ok(Surroundings { home, program, variables, search_path })
}

/// One setting: its key, and how a value changes the configuration.
struct Setting {
    section: &'static str,
    key: &'static str,
    set: fn(&mut Config, u64),
    range: std::ops::RangeInclusive<u64>,
}

const SETTINGS: &[Setting] = &[
    Setting { section: "index", key: "max_file_bytes", set: |c, v| c.index.max_file_bytes = v, range: 1..=1 << 30 },
    Setting {
        section: "index",
        key: "max_line_bytes",
        set: |c, v| c.index.max_line_bytes = v as usize,
        range: 100..=1 << 30,
    },
    Setting { section: "index", key: "threads", set: |c, v| c.index.threads = v as usize, range: 1..=256 },
    Setting {
        section: "index",
        key: "memory_budget_mb",
        set: |c, v| c.index.memory_budget_bytes = (v as usize) << 20,
        range: 32..=65_536,
    },
    Setting {
        section: "index",
        key: "parse_timeout_ms",
        set: |c, v| c.index.parse_timeout_ms = v,
        range: 10..=600_000,
    },
    Setting { section: "index", key: "keep_views_days", set: |c, v| c.index.keep_views_days = v, range: 1..=3650 },
];

/// Reads all layers for the workspace at `root`.
pub(crate) fn load(homes: &Homes, root: &Path) -> Result<Config, AppError> {
    let mut config = Config::default();
    apply_file(&mut config, &homes.config_file)?;
    let own = root.join(".codecompass").join("config.toml");
    // A repository may come from anywhere; a link in it must not make us read, and quote, other files.
    if own.canonicalize().is_ok_and(|file| !file.starts_with(root)) {
        let message = format!("{} leads out of the workspace", own.display());
        return Err(AppError::invalid(message, "replace the link by a file, or remove it"));
    }
    apply_file(&mut config, &own)?;
    for setting in SETTINGS {
        let variable = format!("CODECOMPASS_{}_{}", setting.section.to_uppercase(), setting.key.to_uppercase());
        if let Some(value) = std::env::var_os(&variable) {
            apply(&mut config, setting, value.to_str().and_then(|value| value.trim().parse().ok()), &variable)?;
        }
    }
    Ok(config)
}

fn apply_file(config: &mut Config, file: &Path) -> Result<(), AppError> {
    let place = file.display();
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error)
            if error.kind() == std::io::ErrorKind::NotFound || error.kind() == std::io::ErrorKind::NotADirectory =>
        {
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
    for (section, values) in &table {
        let Some(values) = values.as_table() else {
            return Err(unknown(&place.to_string(), section));
        };
        if !SETTINGS.iter().any(|setting| setting.section == section) {
            return Err(unknown(&place.to_string(), section));
        }
        for (key, value) in values {
            let Some(setting) = SETTINGS.iter().find(|setting| setting.section == section && setting.key == key) else {
                return Err(unknown(&place.to_string(), &format!("{section}.{key}")));
            };
            let number = value.as_integer().and_then(|number| u64::try_from(number).ok());
            apply(config, setting, number, &format!("{place}: {section}.{key}"))?;
        }
    }
    Ok(())
}

fn apply(config: &mut Config, setting: &Setting, value: Option<u64>, place: &str) -> Result<(), AppError> {
    match value.filter(|value| setting.range.contains(value)) {
        Some(value) => {
            (setting.set)(config, value);
            Ok(())
        }
        None => {
            let (low, high) = (setting.range.start(), setting.range.end());
            Err(AppError::invalid(format!("{place} is not a number from {low} to {high}"), "correct the value"))
        }
    }
}

fn unknown(place: &str, key: &str) -> AppError {
    let known: Vec<String> = SETTINGS.iter().map(|setting| format!("{}.{}", setting.section, setting.key)).collect();
    let near = known.iter().min_by_key(|known| distance(known, key));
    let hint = match near.filter(|near| distance(near, key) <= 3) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known settings are {}", known.join(", ")),
    };
    AppError::invalid(format!("{place}: unknown setting `{key}`"), hint)
}

/// Edit distance; both sides are short.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_text(text: &str) -> Result<Config, AppError> {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.toml"), text).unwrap();
        let homes = Homes { data: home.path().to_path_buf(), config_file: home.path().join("config.toml") };
        load(&homes, home.path())
    }

    #[test]
    fn values_are_taken_and_checked() {
        assert_eq!(load_text("[index]\nthreads = 3\n").unwrap().index.threads, 3);
        let error = load_text("[index]\nthreads = 0\n").unwrap_err();
        assert!(error.message.contains("index.threads is not a number from 1 to 256"), "{}", error.message);
        let error = load_text("[index]\nthread = 3\n").unwrap_err();
        assert_eq!(error.remediation, "did you mean `index.threads`?");
        assert!(load_text("[index\n").is_err());
    }
}
