//! `state`: carries the index of a repository to another place or machine.

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};

use clap::Args;
use codecompass_engine::{
    ArchiveHeader, ArchivedFile, ArchivedRepository, ArchivedView, Error as EngineError, Imported, inspect_archive,
};
use serde::Serialize;

use crate::error::AppError;
use crate::session::{CallContext, Session};
use crate::terminal::output;
use crate::terminal::progress::Bar;

#[derive(Debug, Args)]
pub struct ExportRequest {
    /// The archive to write.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

#[derive(Debug, Args)]
pub struct ImportRequest {
    /// The archive to read.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Replace an index that is there already; it answers until the import is complete.
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct InspectRequest {
    /// The archive to read.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// An archive, as it describes itself.
#[derive(Clone, Debug, Serialize)]
pub struct ArchiveAnswer {
    pub file: String,
    pub archive_bytes: u64,
    pub total_bytes: u64,
    pub archive_version: u32,
    pub format: i64,
    pub facts_version: i64,
    pub program: String,
    #[serde(rename = "compatible")]
    pub is_compatible: bool,
    pub repository: ArchivedRepository,
    pub root: Option<String>,
    pub views: Vec<ArchivedView>,
    files: Vec<ArchivedFile>,
}

impl ArchiveAnswer {
    fn new(file: &Path, header: ArchiveHeader) -> ArchiveAnswer {
        ArchiveAnswer {
            file: file.to_string_lossy().into_owned(),
            archive_bytes: file.metadata().map_or(0, |file| file.len()),
            total_bytes: header.total_bytes(),
            archive_version: header.archive,
            format: header.format,
            facts_version: header.facts,
            is_compatible: header.is_compatible(),
            program: header.program,
            repository: header.repository,
            root: header.root,
            views: header.views,
            files: header.files,
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct ImportAnswer {
    #[serde(flatten)]
    pub archive: ArchiveAnswer,
    pub imported: ImportSummary,
}

/// The outcome of an import.
#[derive(Clone, Debug, Serialize)]
pub struct ImportSummary {
    pub root: String,
    /// The root whose view became that of `root`.
    pub taken_from: Option<String>,
    pub kept_views: usize,
    /// Roots that are no checkout of this repository here.
    pub dropped_roots: Vec<String>,
    /// True if there was an index before.
    #[serde(rename = "replaced")]
    pub has_replaced: bool,
    store: String,
}

impl ExportRequest {
    pub fn answer(&self, context: &CallContext) -> Result<ArchiveAnswer, AppError> {
        let session = Session::open_checkout(context)?;
        let header = session.with_progress(|bar| session.engine.export_state(&self.file, bar))?;
        Ok(ArchiveAnswer::new(&self.file, header))
    }
}

impl ImportRequest {
    pub fn answer(&self, context: &CallContext) -> Result<ImportAnswer, AppError> {
        let session = Session::open_checkout(context)?;
        let import = || session.with_progress(|bar| session.engine.import_state(&self.file, self.force, bar));
        // A panic on a flawed archive is caught below us, but not silent.
        let imported = output::quiet_panics(AssertUnwindSafe(import)).map_err(AppError::internal)??;
        Ok(ImportAnswer {
            archive: ArchiveAnswer::new(&self.file, imported.header.clone()),
            imported: ImportSummary::new(&session, imported),
        })
    }
}

impl ImportSummary {
    pub fn new(session: &Session, imported: Imported) -> ImportSummary {
        ImportSummary {
            root: session.engine.workspace().root.to_string_lossy().into_owned(),
            taken_from: imported.taken_from,
            kept_views: imported.kept_views,
            dropped_roots: imported.dropped_roots,
            has_replaced: imported.replaced,
            store: session.engine.store_root().to_string_lossy().into_owned(),
        }
    }
}

impl InspectRequest {
    pub fn answer(&self, context: &CallContext) -> Result<ArchiveAnswer, AppError> {
        let bar = Bar::new(context.quiet, context.progress());
        let header = inspect_archive(&self.file, &bar);
        bar.finish();
        let header = header.map_err(|error| match error {
            // Nothing was to be imported.
            EngineError::Archive { path, detail } => {
                let message = format!("{} is not a whole archive: {detail}", path.display());
                AppError::invalid(message, "fetch it or export it again")
            }
            error => error.into(),
        })?;
        Ok(ArchiveAnswer::new(&self.file, header))
    }
}
