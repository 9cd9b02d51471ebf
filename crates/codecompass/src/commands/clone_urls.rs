//! Replaces git URLs among the workspaces of a command by the directories of their clones.

use std::path::PathBuf;

use codecompass_app::clones::{self, CloneOptions};
use codecompass_app::error::AppError;
use codecompass_app::uri;

use crate::cli::{Cli, Command};

/// Opens the clone of each workspace that is given as a git URL. `index` and `sync` fetch new
/// commits first; other commands use what was fetched.
pub(crate) fn open_urls(cli: &mut Cli) -> Result<(), AppError> {
    let options = CloneOptions {
        newest: matches!(cli.command, Command::Index(_) | Command::Sync(_)),
        quiet: cli.global.quiet,
        listens: matches!(cli.command, Command::Watch(_) | Command::Ui(_) | Command::ServeMcp(_)),
    };
    replace(&mut cli.global.workspace, options)?;
    // These have a `--workspace` of their own.
    match &mut cli.command {
        Command::Grep(args) => replace(&mut args.workspace, options),
        Command::ServeMcp(args) => replace(&mut args.workspaces, options),
        Command::Ui(args) => replace(&mut args.workspaces, options),
        _ => Ok(()),
    }
}

fn replace(workspaces: &mut [PathBuf], options: CloneOptions) -> Result<(), AppError> {
    for place in workspaces.iter_mut().filter(|place| uri::is_git_url(place)) {
        *place = clones::open(&place.to_string_lossy(), options)?;
    }
    Ok(())
}
