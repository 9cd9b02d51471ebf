//! Path arguments with ranges of lines: `src/app.py:10-40,100-120`.

use codecompass_engine::Error as EngineError;
use codecompass_engine::query::LineRange;

use super::paths::{check_count, is_on_disk};
use crate::error::AppError;
use crate::session::Session;

/// A file with the lines to read of it; without any, all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileTarget {
    pub path: String,
    pub ranges: Vec<LineRange>,
}

/// Reads path arguments. `lines` are the ranges of files without their own.
pub(super) fn parse(session: &Session, given: &[String], lines: Option<&str>) -> Result<Vec<FileTarget>, AppError> {
    let usual = lines.map(ranges).transpose()?.unwrap_or_default();
    let mut targets = Vec::new();
    for argument in given {
        if is_on_disk(session, argument) {
            targets.push(FileTarget { path: argument.clone(), ranges: Vec::new() });
        } else {
            add_targets(argument, &mut targets)?;
        }
    }
    check_count(targets.len())?;
    if targets.is_empty() {
        return Err(EngineError::InvalidInput("the path is empty".into()).into());
    }
    targets.iter_mut().filter(|target| target.ranges.is_empty()).for_each(|target| target.ranges.clone_from(&usual));
    Ok(targets)
}

/// Adds the files of an argument: paths with commas between them, each with ranges.
fn add_targets(argument: &str, targets: &mut Vec<FileTarget>) -> Result<(), AppError> {
    let first = targets.len();
    for part in argument.split(',').map(str::trim) {
        if part.is_empty() && argument.contains(',') {
            continue;
        }
        match targets[first..].last_mut().filter(|last| !last.ranges.is_empty()) {
            Some(last) if is_range(part) => last.ranges.push(range(part)?),
            _ => targets.push(target(part)?),
        }
    }
    Ok(())
}

/// Reads a path with at most one range. A column behind a line is ignored.
fn target(text: &str) -> Result<FileTarget, AppError> {
    let whole = || FileTarget { path: text.to_string(), ranges: Vec::new() };
    let Some((path, end)) = text.rsplit_once(':').filter(|(path, end)| !path.is_empty() && is_range(end)) else {
        return Ok(whole());
    };
    if let Some((path, line)) = path.rsplit_once(':').filter(|(path, line)| !path.is_empty() && is_range(line)) {
        return Ok(FileTarget { path: path.to_string(), ranges: vec![range(line)?] });
    }
    Ok(FileTarget { path: path.to_string(), ranges: vec![range(end)?] })
}

fn ranges(text: &str) -> Result<Vec<LineRange>, AppError> {
    text.split(',').map(str::trim).map(range).collect()
}

/// Returns whether a text looks like a line or a range of lines.
fn is_range(text: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once('-') {
        Some((start, end)) => is_number(start) && (end.is_empty() || is_number(end)),
        None => is_number(text),
    }
}

/// Reads `10`, `10-40` or `10-`.
fn range(text: &str) -> Result<LineRange, AppError> {
    let wrong = || {
        let remedy = "give lines from 1 as 10, 10-40 or 10-, several with commas";
        AppError::invalid(format!("`{text}` is no range of lines"), remedy)
    };
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
    let (start, end) = match text.split_once('-') {
        Some((start, "")) => (number(start), Some(u32::MAX)),
        Some((start, end)) => (number(start), number(end)),
        None => (number(text), number(text)),
    };
    let range = start.zip(end).map(|(start, end)| LineRange { start, end });
    range.filter(|range| range.start <= range.end).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(argument: &str) -> Result<Vec<String>, String> {
        let mut targets = Vec::new();
        add_targets(argument, &mut targets).map_err(|error| error.message)?;
        let shown = |target: &FileTarget| {
            let ranges: Vec<String> =
                target.ranges.iter().map(|range| format!("{}..{}", range.start, range.end)).collect();
            format!("{} {}", target.path, ranges.join(" ")).trim_end().to_string()
        };
        Ok(targets.iter().map(shown).collect())
    }

    #[test]
    fn paths_and_ranges() {
        assert_eq!(targets("a.rs").unwrap(), ["a.rs"]);
        assert_eq!(targets("a.rs:7").unwrap(), ["a.rs 7..7"]);
        assert_eq!(targets("a.rs:7:3").unwrap(), ["a.rs 7..7"]);
        assert_eq!(targets("a.rs:10-40,100-").unwrap(), [format!("a.rs 10..40 100..{}", u32::MAX)]);
        assert_eq!(targets("a.rs:1-2,9-9, b/c.rs, d.rs:3").unwrap(), ["a.rs 1..2 9..9", "b/c.rs", "d.rs 3..3"]);
        // A number behind a file without ranges is a file, too.
        assert_eq!(targets("a.rs,10").unwrap(), ["a.rs", "10"]);
        assert_eq!(targets("C:x").unwrap(), ["C:x"]);
        for wrong in ["a.rs:0", "a.rs:4-2", "a.rs:1-2,0-4", "a.rs:99999999999"] {
            assert!(targets(wrong).unwrap_err().ends_with("is no range of lines"), "{wrong}");
        }
    }
}
