//! The sums on disk: one line of JSON for each day and tool, added at the end. A file that has
//! become large is written anew with one line for each day and tool, and for each month and tool of
//! the time before.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::CallSums;
use crate::clock;

/// A larger file is merged.
const MAX_BYTES: u64 = 256 << 10;

/// Days that are kept apart; those before are merged by month.
const DAYS: u64 = 31;

/// The ledger of a data directory. Several processes may add to it.
#[derive(Clone, Debug)]
pub struct LedgerFile {
    folder: PathBuf,
    max_bytes: u64,
}

/// Sums by day (or month, as `2026-11`) and tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerRows {
    pub rows: BTreeMap<(String, String), CallSums>,
    /// Lines that are damaged.
    pub unreadable: usize,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct LedgerLine {
    day: String,
    tool: String,
    #[serde(flatten)]
    sums: CallSums,
}

impl LedgerLine {
    /// Returns whether it is one that this program writes: damage must not reach an answer.
    fn is_valid(&self) -> bool {
        let is_day = matches!(self.day.len(), 7 | 10) && self.day.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        let is_tool = (1..=64).contains(&self.tool.len());
        is_day && is_tool && self.tool.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
    }
}

impl LedgerRows {
    /// Returns the sums over everything.
    pub fn total(&self) -> CallSums {
        self.rows.values().copied().sum()
    }

    fn parse(text: &[u8]) -> LedgerRows {
        let mut all = LedgerRows::default();
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice::<LedgerLine>(line).ok().filter(LedgerLine::is_valid) {
                Some(line) => *all.rows.entry((line.day, line.tool)).or_default() += line.sums,
                None => all.unreadable += 1,
            }
        }
        all
    }

    fn merge_before(self, day: &str) -> LedgerRows {
        let mut merged = LedgerRows::default();
        for ((mut on, tool), sums) in self.rows {
            if on.as_str() < day && on.len() > 7 {
                on.truncate(7);
            }
            *merged.rows.entry((on, tool)).or_default() += sums;
        }
        merged
    }

    fn to_text(&self) -> String {
        let line = |((day, tool), sums): (&(String, String), &CallSums)| {
            let line = LedgerLine { day: day.clone(), tool: tool.clone(), sums: *sums };
            serde_json::to_string(&line).map(|line| line + "\n").unwrap_or_default()
        };
        self.rows.iter().map(line).collect()
    }
}

impl LedgerFile {
    pub fn new(data: &Path) -> LedgerFile {
        LedgerFile { folder: data.join("savings"), max_bytes: MAX_BYTES }
    }

    /// Reads all rows; a file that is not there has none.
    pub fn read(&self) -> LedgerRows {
        fs::read(self.file()).map(|text| LedgerRows::parse(&text)).unwrap_or_default()
    }

    /// Adds rows.
    pub fn append(&self, added: &LedgerRows) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let _lock = self.lock()?;
        let mut file = open_private(&self.file())?;
        let length = file.metadata()?.len();
        // A line that a power cut has cut short must not take the next one with it.
        let start = if ends_with_line(&mut file, length)? { "" } else { "\n" };
        file.write_all(format!("{start}{}", added.to_text()).as_bytes())?;
        if length > self.max_bytes { self.merge() } else { Ok(()) }
    }

    /// Forgets everything, and returns what was there.
    pub fn reset(&self) -> io::Result<LedgerRows> {
        if !self.file().exists() {
            return Ok(LedgerRows::default());
        }
        let _lock = self.lock()?;
        let rows = self.read();
        fs::remove_file(self.file())?;
        Ok(rows)
    }

    fn file(&self) -> PathBuf {
        self.folder.join("ledger.jsonl")
    }

    /// Keeps other processes out; the system frees it when this process ends.
    fn lock(&self) -> io::Result<File> {
        let file = open_private(&self.folder.join("lock"))?;
        file.lock()?;
        Ok(file)
    }

    fn merge(&self) -> io::Result<()> {
        let month_ago = SystemTime::now() - Duration::from_secs(DAYS * 86_400);
        let merged = self.read().merge_before(&clock::day(month_ago));
        let new = self.folder.join("ledger.new");
        let _ = fs::remove_file(&new);
        open_private(&new)?.write_all(merged.to_text().as_bytes())?;
        fs::rename(new, self.file())
    }
}

fn open_private(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)
}

fn ends_with_line(file: &mut File, length: u64) -> io::Result<bool> {
    if length == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::Start(length - 1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[(&str, &str, u64)]) -> LedgerRows {
        let sums = |calls| CallSums { calls, answer_tokens: calls * 10, ..CallSums::default() };
        let row = |(day, tool, calls): &(&str, &str, u64)| ((day.to_string(), tool.to_string()), sums(*calls));
        LedgerRows { rows: rows.iter().map(row).collect(), unreadable: 0 }
    }

    #[test]
    fn lines_add_up_and_damage_costs_a_line() {
        let dir = tempfile::tempdir().unwrap();
        let file = LedgerFile::new(dir.path());
        assert_eq!(file.read(), LedgerRows::default());
        file.append(&rows(&[("2026-11-17", "grep_code", 2), ("2026-11-17", "get_symbol", 1)])).unwrap();
        file.append(&rows(&[("2026-11-17", "grep_code", 3), ("2026-11-18", "grep_code", 1)])).unwrap();
        let whole =
            rows(&[("2026-11-17", "get_symbol", 1), ("2026-11-17", "grep_code", 5), ("2026-11-18", "grep_code", 1)]);
        assert_eq!(file.read(), whole);
        let mut text = fs::read(file.file()).unwrap();
        text.extend(
            b"\xff\xfe no line\n{\"day\":\"2026-11-18\",\"tool\":\"\\u001b[31m\",\"calls\":1}\n{\"day\":\"2026-1",
        );
        fs::write(file.file(), &text).unwrap();
        assert_eq!(file.read(), LedgerRows { unreadable: 3, ..whole.clone() });
        file.append(&rows(&[("2026-11-18", "grep_code", 1)])).unwrap();
        assert_eq!(file.read().total().calls, 8, "the line after a cut one counts");
        assert_eq!(file.reset().unwrap().total().calls, 8);
        assert_eq!(file.read(), LedgerRows::default());
        assert_eq!(file.reset().unwrap(), LedgerRows::default());
    }

    #[test]
    fn large_files_are_merged_whoever_writes() {
        let dir = tempfile::tempdir().unwrap();
        let file = LedgerFile { max_bytes: 2_000, ..LedgerFile::new(dir.path()) };
        let today = clock::day(SystemTime::now());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for day in ["2001-02-03", "2001-02-04", today.as_str()] {
                        (0..20).for_each(|_| file.append(&rows(&[(day, "grep_code", 1)])).unwrap());
                    }
                });
            }
        });
        let read = file.read();
        assert_eq!((read.total().calls, read.total().answer_tokens, read.unreadable), (240, 2_400, 0));
        assert!(read.rows.contains_key(&("2001-02".to_string(), "grep_code".to_string())), "{read:?}");
        assert_eq!(read.rows[&(today, "grep_code".to_string())].calls, 80);
        assert!(fs::metadata(file.file()).unwrap().len() < 4_000);
    }
}
