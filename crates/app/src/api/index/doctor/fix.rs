//! The repairs of `codecompass doctor --fix`: whatever is safe, since the index can always be made
//! again from the files.

use codecompass_engine::{Compatibility, SyncOptions};

use crate::error::AppError;
use crate::session::{At, CallContext, Session};
use crate::units;

/// Sets a damaged index aside and brings the index up to date. Says what was done; nothing when
/// nothing was wrong. An index of a newer version is left alone, with the error that says so.
pub(super) fn fix(context: &CallContext, full: bool) -> Result<Vec<String>, AppError> {
    let session = Session::open_with_models(context, At::Checkout, |_| {})?;
    let engine = &session.engine;
    let mut done = Vec::new();
    let compatibility = super::look(|| engine.compatibility())?;
    let is_damaged = match compatibility {
        Compatibility::CorruptManifest => true,
        Compatibility::Compatible if full => {
            super::look(|| engine.store_problems()).map_or(true, |problems| !problems.is_empty())
        }
        _ => false,
    };
    if is_damaged && let Some(aside) = super::look(|| engine.quarantine())? {
        done.push(format!("moved the damaged index to {}", aside.display()));
    }
    let (_, report) = session.with_repair(|| session.sync(SyncOptions::default()))?;
    if report.published {
        let (parsed, removed) = (report.parsed, report.removed);
        let files = units::count(report.files, "file");
        done.push(format!("brought the index up to date: {files}, {parsed} parsed, {removed} removed"));
    }
    Ok(done)
}
