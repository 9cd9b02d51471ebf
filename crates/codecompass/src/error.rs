//! One error for users: a code that never changes its meaning, what happened, and what to do about it.

use std::error::Error as _;

use codecompass_engine::Error as EngineError;
use codecompass_engine::scan::ScanError;
use serde_json::{Value, json};

/// An error as the user sees it.
#[derive(Debug)]
pub(crate) struct AppError {
    pub code: Code,
    pub message: String,
    /// What to do; empty only where nothing can be done.
    pub remediation: String,
}

macro_rules! codes {
    ($($name:ident = $text:literal: $meaning:literal,)*) => {
        /// The registry of error codes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Code {
            $(#[doc = $meaning] $name,)*
        }

        impl Code {
            /// All codes.
            pub(crate) const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The word in JSON and docs.
            pub(crate) fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }

            /// What it says, for the docs.
            pub(crate) fn meaning(self) -> &'static str {
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
    InternalError = "internal_error": "Something failed that should not: a full disk, an unwritable or damaged index, a bug.",
}

impl AppError {
    pub(crate) fn new(code: Code, message: impl Into<String>, remediation: impl Into<String>) -> AppError {
        AppError { code, message: message.into(), remediation: remediation.into() }
    }

    /// The error as the object that programs read.
    pub(crate) fn to_json(&self) -> Value {
        json!({"error": {
            "code": self.code.as_str(),
            "message": self.message,
            "data": {"remediation": self.remediation},
        }})
    }

    pub(crate) fn invalid(message: impl Into<String>, remediation: impl Into<String>) -> AppError {
        AppError::new(Code::InvalidInput, message, remediation)
    }

    pub(crate) fn internal(message: impl Into<String>) -> AppError {
        let remedy = "this is a bug; `codecompass doctor --full` shows the state of the index, `codecompass index --force` builds it anew";
        AppError::new(Code::InternalError, message, remedy)
    }
}

impl From<EngineError> for AppError {
    fn from(error: EngineError) -> AppError {
        let message = with_causes(&error);
        let (code, remediation) = match error {
            EngineError::Scan(ScanError::Reference { suggestions, .. }) => (
                Code::RefNotIndexed,
                did_you_mean(
                    &suggestions,
                    "`codecompass branches` lists what there is; a shallow or partial clone may lack old commits",
                ),
            ),
            EngineError::Scan(_) => (
                Code::ProjectNotFound,
                "give an existing, readable directory with --workspace, or change into one".to_string(),
            ),
            EngineError::Corrupt { .. } => {
                (Code::InternalError, "run `codecompass index --force` to build the index anew".to_string())
            }
            EngineError::Incompatible { .. } => (
                Code::IndexIncompatible,
                "update codecompass, or run `codecompass index --force` to replace the index with one of this version"
                    .to_string(),
            ),
            EngineError::Outdated { .. } => {
                (Code::IndexIncompatible, "run `codecompass index` to replace it".to_string())
            }
            EngineError::ForeignStore { .. } => (
                Code::WorkspaceNotRegistered,
                "remove that directory, or move it back to where it came from; the next question makes a new index"
                    .to_string(),
            ),
            EngineError::NotIndexed { .. } => {
                (Code::WorkspaceNotRegistered, "run `codecompass index` first".to_string())
            }
            EngineError::StoreExists { .. } => {
                (Code::InvalidInput, "give --force to replace it; it answers until the import is complete".to_string())
            }
            EngineError::ArchiveFile { .. } => {
                (Code::InvalidInput, "check the path, its permissions and the space on its disk".to_string())
            }
            EngineError::Archive { .. } => {
                (Code::InvalidInput, "fetch or export the archive again; nothing was changed here".to_string())
            }
            EngineError::ArchiveIncompatible { .. } => (
                Code::IndexIncompatible,
                "export it again with this version of codecompass; nothing was changed here".to_string(),
            ),
            EngineError::ArchiveForeign { .. } => (
                Code::WorkspaceNotRegistered,
                "import it where it belongs; `codecompass index` indexes this workspace".to_string(),
            ),
            EngineError::Busy { .. } => {
                (Code::IndexInProgress, "wait for it to finish, or stop that process, then ask again".to_string())
            }
            EngineError::Unwritable { .. } => {
                (Code::InternalError, "make the directory writable, or set CODECOMPASS_HOME to one that is".to_string())
            }
            EngineError::DiskFull { .. } => (
                Code::InternalError,
                "free some space, or set CODECOMPASS_HOME to a directory on another disk; the last index is intact"
                    .to_string(),
            ),
            EngineError::Cancelled => (Code::InternalError, "run the command again to finish".to_string()),
            EngineError::FileNotFound { reason: Some(_), .. } => {
                (Code::FileNotFound, "`codecompass index --show-ignored` lists what is skipped, and why".to_string())
            }
            EngineError::FileNotFound { suggestions, .. } => (
                Code::FileNotFound,
                did_you_mean(
                    &suggestions,
                    "give a path below the workspace root; `codecompass index --show-ignored` lists what is skipped, and why",
                ),
            ),
            EngineError::FileChanged { .. } => {
                (Code::IndexStale, "ask again once the file is no longer being written".to_string())
            }
            EngineError::PathOutside { .. } => {
                (Code::WorkspaceNotAllowed, "give a path below the workspace root, or another --workspace".to_string())
            }
            EngineError::SymbolNotFound { suggestions, .. } => (
                Code::SymbolNotFound,
                did_you_mean(&suggestions, "check the spelling, or describe it in words with `codecompass search`"),
            ),
            EngineError::NothingAt { .. } => (
                Code::SymbolNotFound,
                "`codecompass outline` lists what a file defines, `codecompass locate --at` says what a name means; \
                 path:line without a column means the definition around it"
                    .to_string(),
            ),
            EngineError::AmbiguousSymbol { candidates, .. } => {
                (Code::AmbiguousSymbol, format!("name one of them by its place: {}", first_few(&candidates)))
            }
            EngineError::InvalidInput(_) => (Code::InvalidInput, "see `codecompass help`".to_string()),
            EngineError::Storage { .. } => (
                Code::InternalError,
                "run `codecompass doctor --full`; `codecompass index --force` builds the index anew".to_string(),
            ),
        };
        AppError { code, message, remediation }
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

fn did_you_mean(suggestions: &[String], otherwise: &str) -> String {
    match suggestions {
        [] => otherwise.to_string(),
        names => {
            format!("did you mean {}?", names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
        }
    }
}
