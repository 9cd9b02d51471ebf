//! Carries out a plan. A file is replaced by rename, so that it is whole at every moment, and keeps
//! its permissions.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use codecompass_app::error::{AppError, Code};

use super::plan::{Edit, Plan};
use super::receipt::Receipts;

/// Writes all files of `plan`. Nothing is written if one of them is no longer what the plan was
/// made for.
pub(crate) fn apply(plan: &Plan, data: &Path) -> Result<(), AppError> {
    let edits: Vec<&Edit> = plan.steps.iter().filter_map(|step| step.edit.as_ref()).collect();
    for edit in &edits {
        check(edit)?;
    }
    let receipts = Receipts::at(data);
    for edit in &edits {
        carry_out(edit, &receipts)?;
    }
    for file in &plan.stale_receipts {
        receipts.forget(file);
    }
    Ok(())
}

fn check(edit: &Edit) -> Result<(), AppError> {
    let place = edit.path.display();
    let now = match fs::read(&edit.path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(unwritable(&edit.path, &error)),
    };
    if now.as_deref() != edit.before.as_deref().map(str::as_bytes) {
        let message = format!("{place} was changed by somebody else in this moment");
        return Err(AppError::new(Code::InvalidInput, message, "run the command again; nothing was written"));
    }
    // A rename would replace a file that its owner has locked.
    if now.is_some() && fs::metadata(&edit.path).is_ok_and(|file| file.permissions().readonly()) {
        let message = format!("{place} is read-only");
        return Err(AppError::invalid(
            message,
            "make it writable, or leave this agent out with --agent; nothing was written",
        ));
    }
    Ok(())
}

fn carry_out(edit: &Edit, receipts: &Receipts) -> Result<(), AppError> {
    let failed = |error: io::Error| unwritable(&edit.path, &error);
    match &edit.after {
        Some(text) => {
            if let Some(folder) = edit.path.parent() {
                fs::create_dir_all(folder).map_err(failed)?;
            }
            // First the receipt: without the file it does no harm.
            match &edit.receipt {
                Some(receipt) => receipts.store(&edit.path, receipt).map_err(failed)?,
                None => receipts.forget(&edit.path),
            }
            write(&edit.path, text.as_bytes(), false).map_err(failed)
        }
        None => {
            fs::remove_file(&edit.path).map_err(failed)?;
            for folder in edit.folders.iter().rev() {
                // Who put something else there meanwhile keeps it.
                let _ = fs::remove_dir(folder);
            }
            receipts.forget(&edit.path);
            Ok(())
        }
    }
}

fn unwritable(path: &Path, error: &io::Error) -> AppError {
    let message = format!("cannot write {}: {error}", path.display());
    AppError::invalid(message, "check the permissions of the file and its directory, and the space on its disk")
}

/// Replaces `path` by rename; a new file is for its owner alone if `private`.
pub(super) fn write(path: &Path, bytes: &[u8], private: bool) -> io::Result<()> {
    let old = fs::metadata(path).ok();
    let temporary = beside(path, private || old.is_some())?;
    let written = (|| {
        let (mut file, name) = (&temporary.0, &temporary.1);
        file.write_all(bytes)?;
        if let Some(old) = &old {
            keep_owner(name, old);
            fs::set_permissions(name, old.permissions())?;
        }
        file.sync_all()?;
        fs::rename(name, path)
    })();
    written.inspect_err(|_| drop(fs::remove_file(&temporary.1)))
}

/// A new file in the directory of `path`.
fn beside(path: &Path, private: bool) -> io::Result<(fs::File, PathBuf)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = private;
    let mut attempt = 0;
    loop {
        // One with the same number may be left from a process that was killed.
        let temporary = path.with_file_name(format!(".{name}.{}-{attempt}.tmp", std::process::id()));
        match options.open(&temporary) {
            Ok(file) => return Ok((file, temporary)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < 16 => attempt += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Gives a file its old owner, so that running as root does not take files away from their owners.
#[cfg(unix)]
fn keep_owner(file: &Path, old: &fs::Metadata) {
    use std::os::unix::fs::MetadataExt;
    if fs::metadata(file).is_ok_and(|new| (new.uid(), new.gid()) != (old.uid(), old.gid())) {
        let _ = std::os::unix::fs::chown(file, Some(old.uid()), Some(old.gid()));
    }
}

#[cfg(not(unix))]
fn keep_owner(_file: &Path, _old: &fs::Metadata) {}
