//! Arguments of `install` and `uninstall`.

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use crate::install::{AGENTS, GENERIC};

/// The arguments of `install`.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    #[command(flatten)]
    pub which: WhichArgs,
    /// Replace an entry named `codecompass` that starts something else.
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UninstallArgs {
    #[command(flatten)]
    pub which: WhichArgs,
    /// Remove an entry named `codecompass` that starts something else, too.
    #[arg(long)]
    pub force: bool,
}

/// The agents and files to act on.
#[derive(Debug, Args)]
pub(crate) struct WhichArgs {
    /// Only this agent; may be given several times. `generic` prints an entry for an agent that is
    /// not listed.
    #[arg(long, value_name = "NAME", value_parser = agents())]
    pub agent: Vec<String>,
    /// The settings of the user, for all projects, or those of the project, for all who work in it.
    #[arg(long, value_enum, default_value_t = ScopeArg::User)]
    pub scope: ScopeArg,
    /// Write nothing; show each file, its entry and the difference.
    #[arg(long)]
    pub print: bool,
    /// Go on without asking.
    #[arg(long, short = 'y')]
    pub yes: bool,
    /// The agent's instructions, too (CLAUDE.md, AGENTS.md, …): a marked block that says which tool
    /// answers what.
    #[arg(long)]
    pub instructions: bool,
}

/// Whom an installation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArg {
    /// The user.
    User,
    /// The project.
    Project,
}

fn agents() -> PossibleValuesParser {
    PossibleValuesParser::new(AGENTS.iter().map(|agent| agent.name).chain([GENERIC]))
}
