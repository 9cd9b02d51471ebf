//! Path arguments: one path, or several in a list or with commas between them.

use codecompass_engine::Error as EngineError;
use serde::Serialize;

use crate::api::part::parts;
use crate::error::AppError;
use crate::session::Session;

/// A path of several that has no part in the answer.
#[derive(Clone, Debug, Serialize)]
pub struct RefusedPath {
    pub path: String,
    pub reason: String,
}
parts!(RefusedPath { path, reason });

impl RefusedPath {
    pub fn new(path: &str, error: &AppError) -> RefusedPath {
        let advice = error.remediation.for_cli();
        // Only near paths are worth their words beside an answer.
        let near = if advice.starts_with("did you mean") { format!("; {advice}") } else { String::new() };
        RefusedPath { path: path.to_string(), reason: format!("{}{near}", error.message) }
    }
}

/// Splits path arguments at commas. A file whose name has a comma is taken as it is.
pub fn split(session: &Session, given: &[String]) -> Result<Vec<String>, AppError> {
    let mut paths = Vec::new();
    for path in given {
        if !path.contains(',') || is_on_disk(session, path) {
            paths.push(path.clone());
        } else {
            paths.extend(path.split(',').map(|part| part.trim().to_string()).filter(|part| !part.is_empty()));
        }
    }
    check_count(paths.len())?;
    Ok(paths)
}

/// Refuses more paths than one question may name.
pub(super) fn check_count(count: usize) -> Result<(), AppError> {
    const MAX_PATHS: usize = 200;
    if count > MAX_PATHS {
        Err(AppError::invalid(
            format!("{count} paths in one question, at most {MAX_PATHS} can be"),
            "name a folder, or ask in several questions",
        ))
    } else {
        Ok(())
    }
}

/// Returns whether a path as it is given is that of something on disk.
pub fn is_on_disk(session: &Session, path: &str) -> bool {
    session.engine.workspace().root.join(path).exists() || session.directory.join(path).exists()
}

/// Returns path arguments relative to the root, and those that cannot be: an error if no other is
/// left.
pub fn relative(session: &Session, given: &[String]) -> Result<(Vec<String>, Vec<RefusedPath>), AppError> {
    let (mut paths, mut refused, mut last) = (Vec::new(), Vec::new(), None);
    for path in given {
        if path.trim().is_empty() {
            return Err(empty());
        } else {
            match session.relative_path(path) {
                Ok(relative) => paths.push(relative),
                Err(error) => {
                    refused.push(RefusedPath::new(path, &error));
                    last = Some(error);
                }
            }
        }
    }
    match (paths.is_empty(), last) {
        (true, error) => Err(error.unwrap_or_else(empty)),
        (false, _) => Ok((paths, refused)),
    }
}

fn empty() -> AppError {
    EngineError::InvalidInput("the path is empty".into()).into()
}

/// Words why paths have no part in an answer; an error if no other has.
pub fn refused(
    session: &Session,
    errors: Vec<(String, EngineError)>,
    is_nothing_else: bool,
) -> Result<Vec<RefusedPath>, AppError> {
    let mut refused = Vec::new();
    for (path, error) in errors {
        let error = AppError::from(session.with_skip_reason(error));
        if is_nothing_else {
            return Err(error);
        }
        refused.push(RefusedPath::new(&path, &error));
    }
    Ok(refused)
}
