//! The environment: where this program and the settings of others are.

#![expect(clippy::disallowed_methods, reason = "here variables become arguments")]

use std::path::{Path, PathBuf};

use crate::error::AppError;

/// The directories by which the settings of other programs are found, and the path of this one.
pub struct Environment {
    /// The user's home directory.
    pub home: PathBuf,
    /// This program.
    pub program: PathBuf,
    variables: Vec<(&'static str, PathBuf)>,
    search_path: Vec<PathBuf>,
}

impl Environment {
    /// The directory that a variable names.
    pub fn variable(&self, name: &str) -> Option<&Path> {
        self.variables.iter().find(|(other, _)| *other == name).map(|(_, directory)| directory.as_path())
    }

    /// A program in the search path.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        let endings: &[&str] = if cfg!(windows) { &["exe", "cmd"] } else { &[""] };
        let mut files = self
            .search_path
            .iter()
            .flat_map(|directory| endings.iter().map(move |ending| directory.join(name).with_extension(ending)));
        files.find(|file| file.is_file())
    }
}

/// Reads the home directory, the search path and the given variables, of which only absolute paths
/// count.
pub fn environment(names: &[&'static str]) -> Result<Environment, AppError> {
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
    Ok(Environment { home, program, variables, search_path })
}
