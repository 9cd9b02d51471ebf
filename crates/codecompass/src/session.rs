//! What a command works with: the engine for the caller's workspace, brought up to date, and mended if it is damaged.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;

use codecompass_engine::{Engine, Error as EngineError, Snapshot, SyncOptions, SyncReport, scan, sync};

use crate::cli::Global;
use crate::error::{AppError, Code};
use crate::output;
use crate::progress::Bar;
use crate::settings;

/// How often a question is asked again when a file changes under it.
const MAX_ATTEMPTS: usize = 5;

/// An engine and how to speak while it works.
pub(crate) struct Session {
    pub engine: Engine,
    /// The directory that relative paths of the caller mean.
    pub directory: PathBuf,
    quiet: bool,
}

impl Session {
    /// Opens the engine for the workspace that the flags name.
    #[expect(clippy::disallowed_methods, reason = "here the current directory becomes an argument")]
    pub(crate) fn open(global: &Global) -> Result<Session, AppError> {
        let directory = match &global.workspace {
            Some(directory) => directory.clone(),
            None => std::env::current_dir().map_err(|error| {
                AppError::new(
                    Code::ProjectNotFound,
                    format!("cannot tell the current directory: {error}"),
                    "change into a directory that exists, or give one with --workspace",
                )
            })?,
        };
        let homes = settings::homes()?;
        let root = scan::discover(&directory).map_err(EngineError::from)?.root;
        let config = settings::load(&homes, &root)?;
        let engine = Engine::open(&directory, &homes.data, config)?;
        let directory = directory.canonicalize().unwrap_or(directory);
        Ok(Session { engine, directory, quiet: global.quiet })
    }

    /// Syncs and runs `question` on the fresh snapshot. A damaged store is set aside and rebuilt, once.
    pub(crate) fn ask<T>(&self, question: impl Fn(&Snapshot) -> Result<T, EngineError>) -> Result<T, AppError> {
        self.mending(|| {
            let mut attempts = 0;
            loop {
                let (snapshot, _) = self.sync(SyncOptions::default())?;
                attempts += 1;
                match question(&snapshot) {
                    // Somebody saved the file in this very moment.
                    Err(EngineError::FileChanged { .. }) if attempts < MAX_ATTEMPTS => {}
                    answer => return answer,
                }
            }
        })
    }

    /// Syncs, with progress on stderr.
    pub(crate) fn sync(&self, options: SyncOptions) -> Result<(Snapshot, SyncReport), EngineError> {
        let bar = Bar::new(self.quiet);
        let outcome = sync(&self.engine, options, &bar);
        bar.finish();
        outcome
    }

    /// Runs `work`; if the store turns out to be damaged, sets it aside, says so and runs `work` again.
    pub(crate) fn mending<T>(&self, work: impl Fn() -> Result<T, EngineError>) -> Result<T, AppError> {
        let run = || output::quiet_panics(AssertUnwindSafe(|| work().map_err(|error| self.engine.located(error))));
        let detail = match run() {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(EngineError::Corrupt { detail, .. })) => detail,
            // Damage has many faces; whether it is one is found out before anything is set aside.
            Ok(Err(error @ (EngineError::Text(_) | EngineError::Database(_)))) => error.to_string(),
            Ok(Err(error)) => return Err(error.into()),
            // Damaged files can make a reader trip over itself; if the store is sound, it is a bug of ours.
            Err(_) => "reading it fails".to_string(),
        };
        let aside =
            output::quiet_panics(AssertUnwindSafe(|| self.engine.quarantine())).map_err(AppError::internal)??;
        if let Some(aside) = aside {
            output::note(&format!(
                "the index was damaged ({detail}); moved it to {} and building a new one",
                aside.display()
            ));
        }
        // If nothing was set aside, somebody else has mended it meanwhile, or the second run fails like the first.
        Ok(run().map_err(AppError::internal)??)
    }

    /// Refuses refs other than the one that is checked out.
    pub(crate) fn check_ref(&self, reference: Option<&str>) -> Result<(), AppError> {
        let Some(wanted) = reference else { return Ok(()) };
        let head = scan::head(self.engine.workspace()).map_err(EngineError::from)?;
        let current = head.and_then(|head| head.reference);
        if current.as_deref() == Some(wanted) {
            return Ok(());
        }
        let here = current.map_or_else(|| "no branch".to_string(), |branch| format!("`{branch}`"));
        Err(AppError::new(
            Code::RefNotIndexed,
            format!("ref `{wanted}` is not indexed; {here} is checked out here"),
            "check the ref out in a worktree (`git worktree add`) and ask there",
        ))
    }

    /// A path the user gave, relative to the workspace root and with `/`.
    pub(crate) fn relative_path(&self, path: &str) -> Result<String, AppError> {
        let root = &self.engine.workspace().root;
        let given = PathBuf::from(path);
        // A path may be meant from where the user stands or from the root; the former wins when it exists.
        let from_here = self.directory.join(&given);
        let absolute =
            if from_here.exists() { from_here.canonicalize().unwrap_or(from_here) } else { root.join(&given) };
        let mut clean = PathBuf::new();
        for part in absolute.components() {
            match part {
                std::path::Component::ParentDir => {
                    clean.pop();
                }
                std::path::Component::CurDir => {}
                part => clean.push(part),
            }
        }
        match clean.strip_prefix(root) {
            Ok(relative) => Ok(relative.to_string_lossy().replace('\\', "/")),
            Err(_) => Err(EngineError::PathOutside { path: path.to_string() }.into()),
        }
    }
}
