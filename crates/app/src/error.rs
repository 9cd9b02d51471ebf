//! One error for users: a code that never changes its meaning, what happened, and what to do about
//! it.

use std::error::Error as _;

use codecompass_engine::Error as EngineError;
use codecompass_engine::scan::ScanError;
use serde_json::{Value, json};

use crate::remedy::{Audience, Remedy};

/// An error as the user sees it.
#[derive(Debug)]
pub struct AppError {
    pub code: Code,
    pub message: String,
    pub remediation: Remedy,
    /// Names that look like the one that was not found; the advice has them, too.
    pub suggestions: Vec<String>,
}

macro_rules! codes {
    ($($name:ident = $text:literal: $meaning:literal,)*) => {
        /// The registry of error codes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code {
            $(#[doc = $meaning] $name,)*
        }

        impl Code {
            /// All codes.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The word in JSON and docs.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }

            /// Returns the meaning of the code, for the docs.
            pub fn meaning(self) -> &'static str {
                match self { $(Code::$name => $meaning,)* }
            }
        }
    };
}

codes! {
    InvalidInput = "invalid_input": "An argument, a setting or a settings file is wrong.",
    InvalidStrategy = "invalid_strategy": "There is no such strategy to spend a token budget.",
    InvalidMaxTokens = "invalid_max_tokens": "The token budget is no number, or has no room for an answer.",
    ProjectNotFound = "project_not_found": "The workspace does not exist or cannot be read.",
    WorkspaceNotRegistered = "workspace_not_registered": "The workspace has no index, a server was not started for it, or the index or archive in question belongs to another one.",
    WorkspaceNotAllowed = "workspace_not_allowed": "A path lies outside the workspace, or outside what a server may read.",
    WorkspaceLimitExceeded = "workspace_limit_exceeded": "A server has as many workspaces open as it may, and all of them are in use.",
    IndexInProgress = "index_in_progress": "The index is being written, by this process or another one, and was not finished in time.",
    IndexStale = "index_stale": "A file changes faster than it can be indexed.",
    IndexIncompatible = "index_incompatible": "The index has a format that this program cannot use.",
    RefNotIndexed = "ref_not_indexed": "No such ref, or its commit is not in this clone.",
    MergeBaseFailed = "merge_base_failed": "Two refs have no common commit to compare from.",
    SymbolNotFound = "symbol_not_found": "No definition answers to the name.",
    AmbiguousSymbol = "ambiguous_symbol": "Several definitions may be meant, and nothing tells which.",
    FileNotFound = "file_not_found": "No indexed file has the path.",
    RemoteUnavailable = "remote_unavailable": "The remote index or a git URL cannot be reached, has nothing for this repository, or is damaged.",
    InternalError = "internal_error": "Something failed that should not: a full disk, an unwritable or damaged index, a bug.",
}

impl AppError {
    pub fn new(code: Code, message: impl Into<String>, remediation: impl Into<Remedy>) -> AppError {
        AppError { code, message: message.into(), remediation: remediation.into(), suggestions: Vec::new() }
    }

    /// Returns the error as the object that programs read, with advice for `audience`.
    pub fn to_json(&self, audience: Audience) -> Value {
        json!({"error": {
            "code": self.code.as_str(),
            "message": self.message,
            "data": {"remediation": self.remediation.words(audience)},
        }})
    }

    pub fn invalid(message: impl Into<String>, remediation: impl Into<Remedy>) -> AppError {
        AppError::new(Code::InvalidInput, message, remediation)
    }

    pub fn internal(message: impl Into<String>) -> AppError {
        AppError::new(Code::InternalError, message, Remedy::Bug)
    }
}

impl From<EngineError> for AppError {
    fn from(error: EngineError) -> AppError {
        let suggestions = match &error {
            EngineError::FileNotFound { suggestions, .. } | EngineError::SymbolNotFound { suggestions, .. } => {
                suggestions.clone()
            }
            _ => Vec::new(),
        };
        AppError { code: code(&error), message: with_causes(&error), remediation: remedy(error), suggestions }
    }
}

fn code(error: &EngineError) -> Code {
    match error {
        EngineError::Scan(ScanError::Reference { .. } | ScanError::NotInGit { .. }) => Code::RefNotIndexed,
        EngineError::Scan(_) => Code::ProjectNotFound,
        EngineError::Incompatible { .. } | EngineError::Outdated { .. } | EngineError::ArchiveIncompatible { .. } => {
            Code::IndexIncompatible
        }
        EngineError::ForeignStore { .. }
        | EngineError::NotIndexed { .. }
        | EngineError::StoreRemoved
        | EngineError::ArchiveForeign { .. } => Code::WorkspaceNotRegistered,
        EngineError::StoreExists { .. }
        | EngineError::ArchiveFile { .. }
        | EngineError::Archive { .. }
        | EngineError::InvalidPattern { .. }
        | EngineError::LineEndInPattern { .. }
        | EngineError::ProjectNotFound { .. }
        | EngineError::AmbiguousProject { .. }
        | EngineError::InvalidInput(_) => Code::InvalidInput,
        EngineError::RemoteUnavailable { .. } | EngineError::RemoteEmpty { .. } | EngineError::RemoteRefused { .. } => {
            Code::RemoteUnavailable
        }
        EngineError::NoFamily { .. } => Code::InvalidInput,
        EngineError::Busy { .. } | EngineError::Moved { .. } => Code::IndexInProgress,
        EngineError::FileNotFound { .. } | EngineError::NoFileMatches { .. } | EngineError::AmbiguousPath { .. } => {
            Code::FileNotFound
        }
        EngineError::FileChanged { .. } => Code::IndexStale,
        EngineError::PathOutside { .. } => Code::WorkspaceNotAllowed,
        EngineError::SymbolNotFound { .. } | EngineError::SymbolNotIndexed { .. } | EngineError::NothingAt { .. } => {
            Code::SymbolNotFound
        }
        EngineError::AmbiguousSymbol { .. } => Code::AmbiguousSymbol,
        EngineError::Corrupt { .. }
        | EngineError::Unwritable { .. }
        | EngineError::DiskFull { .. }
        | EngineError::Cancelled
        | EngineError::UnreadableRound { .. }
        | EngineError::Storage { .. } => Code::InternalError,
    }
}

fn remedy(error: EngineError) -> Remedy {
    match error {
        EngineError::Scan(ScanError::Reference { suggestions, .. }) => did_you_mean(&suggestions, Remedy::ListRefs),
        EngineError::Scan(ScanError::NotInGit { .. }) => Remedy::NeedsGit,
        EngineError::Scan(_) => Remedy::GiveDirectory,
        EngineError::Corrupt { .. } => Remedy::Rebuild,
        EngineError::Incompatible { .. } => Remedy::UpdateOrRebuild,
        EngineError::Outdated { .. } => Remedy::Reindex,
        EngineError::ForeignStore { .. } => {
            "remove that directory, or move it back to where it came from; the next question makes a new index".into()
        }
        EngineError::NotIndexed { .. } | EngineError::StoreRemoved => Remedy::IndexFirst,
        EngineError::StoreExists { .. } => {
            Remedy::Startup("give --force to replace it; it answers until the import is complete".into())
        }
        EngineError::ArchiveFile { .. } => "check the path, its permissions and the space on its disk".into(),
        EngineError::Archive { .. } => "fetch or export the archive again; nothing was changed here".into(),
        EngineError::ArchiveIncompatible { .. } => {
            "export it again with this version of codecompass; nothing was changed here".into()
        }
        EngineError::ArchiveForeign { .. } => Remedy::IndexHere,
        EngineError::RemoteUnavailable { .. } => {
            "check [remote] in your settings, the keys in the environment and the server; the index here is as it was"
                .into()
        }
        EngineError::RemoteEmpty { .. } => {
            Remedy::Startup("run `codecompass state push` in another clone, with this version of codecompass".into())
        }
        EngineError::RemoteRefused { .. } => Remedy::Startup(
            "push a whole state with `codecompass state push --full`, signed with --key-file if your settings have a \
             public key; the index here is as it was"
                .into(),
        ),
        EngineError::NoFamily { .. } => {
            Remedy::Startup("fetch the whole history, or name the first commit with --family".into())
        }
        EngineError::Moved { .. } => "ask again".into(),
        EngineError::Busy { .. } => "wait for it to finish, or stop that process, then ask again".into(),
        EngineError::Unwritable { .. } => "make the directory writable, or set CODECOMPASS_HOME to one that is".into(),
        EngineError::DiskFull { .. } => {
            "free some space, or set CODECOMPASS_HOME to a directory on another disk; the last index is intact".into()
        }
        EngineError::Cancelled => "run the command again to finish".into(),
        EngineError::UnreadableRound { .. } => "use the same version of codecompass on all nodes".into(),
        EngineError::FileNotFound { reason: Some(_), .. } => Remedy::ListSkipped,
        EngineError::FileNotFound { suggestions, .. } | EngineError::NoFileMatches { suggestions, .. } => {
            did_you_mean(&suggestions, Remedy::CheckPath)
        }
        EngineError::AmbiguousPath { candidates, .. } => {
            format!("give more of the path: {}", first_few(&candidates)).into()
        }
        EngineError::ProjectNotFound { suggestions, .. } if suggestions.is_empty() => Remedy::NoProjects,
        EngineError::ProjectNotFound { suggestions, are_near: true, .. } => Remedy::NearProjects(quoted(&suggestions)),
        EngineError::ProjectNotFound { suggestions, .. } => Remedy::OtherProjects(quoted(&suggestions)),
        EngineError::AmbiguousProject { candidates, .. } => Remedy::SeveralProjects(quoted(&candidates)),
        EngineError::FileChanged { .. } => "ask again once the file is no longer being written".into(),
        EngineError::PathOutside { .. } => Remedy::StayInWorkspace,
        EngineError::SymbolNotFound { suggestions, .. } => did_you_mean(&suggestions, Remedy::DescribeInWords),
        EngineError::SymbolNotIndexed { symbol, .. } => Remedy::GrepOversized(symbol),
        EngineError::NothingAt { .. } => Remedy::ListDefinitions,
        EngineError::AmbiguousSymbol { candidates, .. } => {
            format!("name one of them by its place: {}", first_few(&candidates)).into()
        }
        EngineError::InvalidPattern { .. } => Remedy::SearchLiterally,
        EngineError::LineEndInPattern { .. } => Remedy::SearchMultiLine,
        EngineError::InvalidInput(_) => Remedy::SeeUsage,
        EngineError::Storage { .. } => Remedy::CheckAndRebuild,
    }
}

fn with_causes(error: &EngineError) -> String {
    let mut message = error.to_string();
    if let EngineError::FileNotFound { reason: Some(reason), .. } = error {
        message.push_str(&format!(": the file is skipped ({reason})"));
    }
    let mut cause = match error {
        // These carry their cause in their own text.
        EngineError::Scan(error) => error.source(),
        _ => None,
    };
    while let Some(error) = cause {
        message.push_str(&format!(": {error}"));
        cause = error.source();
    }
    message
}

fn first_few(places: &[String]) -> String {
    const SHOWN: usize = 10;
    let more = places.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", places.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", "))
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    first_few(&names)
}

fn did_you_mean(suggestions: &[String], otherwise: Remedy) -> Remedy {
    match suggestions {
        [] => otherwise,
        names => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("did you mean {}?", names.join(", ")).into()
        }
    }
}
