//! Path arguments with ranges of lines: `src/app.py:10-40,100-120`.

use codecompass_engine::Error as EngineError;
use codecompass_engine::query::LineRange;

use super::paths::{check_count, is_on_disk};
use crate::error::AppError;
use crate::session::Session;

/// A file with the lines to read of it; without any, all of them.
#[derive(Debug)]
pub(super) struct FileTarget {
    pub path: String,
    pub ranges: Vec<LineRange>,
    /// The reason why it cannot be read.
    pub wrong: Option<AppError>,
}

impl FileTarget {
    fn new(path: &str) -> FileTarget {
        FileTarget { path: path.to_string(), ranges: Vec::new(), wrong: None }
    }

    /// Adds a range; one that makes no sense spoils this file alone.
    fn add(&mut self, text: &str) {
        match range(text) {
            Ok(range) => self.ranges.push(range),
            Err(error) => self.wrong = Some(error),
        }
    }
}

/// Reads path arguments. `lines` are the ranges of files without their own.
pub(super) fn parse(session: &Session, given: &[String], lines: Option<&str>) -> Result<Vec<FileTarget>, AppError> {
    let usual = lines.map(ranges).transpose()?.unwrap_or_default();
    let mut targets = Vec::new();
    for argument in given {
        if is_on_disk(session, argument) {
            targets.push(FileTarget::new(argument));
        } else {
            add_targets(argument, &mut targets);
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
fn add_targets(argument: &str, targets: &mut Vec<FileTarget>) {
    let first = targets.len();
    for part in argument.split(',').map(str::trim) {
        if part.is_empty() && argument.contains(',') {
            continue;
        }
        match targets[first..].last_mut().filter(|last| !last.ranges.is_empty() || last.wrong.is_some()) {
            Some(last) if is_range(part) => last.add(part),
            _ => targets.push(target(part)),
        }
    }
}

/// Reads a path with at most one range. A column behind a line is ignored.
fn target(text: &str) -> FileTarget {
    let Some((path, end)) = text.rsplit_once(':').filter(|(path, end)| !path.is_empty() && is_range(end)) else {
        return FileTarget::new(text);
    };
    let line = path.rsplit_once(':').filter(|(path, line)| !path.is_empty() && is_range(line));
    let (path, lines) = line.unwrap_or((path, end));
    let mut target = FileTarget::new(path);
    target.add(lines);
    target
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
        add_targets(argument, &mut targets);
        if let Some(wrong) = targets.iter().find_map(|target| target.wrong.as_ref()) {
            return Err(wrong.message.clone());
        }
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
        let mut several = Vec::new();
        add_targets("a.rs:0,4-5,b.rs:3", &mut several);
        let found = several.iter().map(|target| (target.path.as_str(), target.wrong.is_some()));
        assert_eq!(found.collect::<Vec<_>>(), [("a.rs", true), ("b.rs", false)]);
    }
}
