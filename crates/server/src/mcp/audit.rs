//! The audit log: one JSON line for each call of a tool, saying who asked what about which
//! workspace and how it ended. Of arguments it has names and lengths only, so neither code nor
//! questions get into it.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use codecompass_app::clock;
use codecompass_app::error::AppError;
use codecompass_app::terminal::output;
use rmcp::model::JsonObject;
use serde::Serialize;
use serde_json::Value;

use super::answer::SentAnswer;

/// A larger log becomes `FILE.1`, in place of what had that name.
const MOST_BYTES: u64 = 10_000_000;

/// Longer names are cut: they come from clients.
const MOST_NAME_CHARS: usize = 200;

/// The log file, which gets a line for each call.
pub struct AuditLog {
    file: PathBuf,
    most_bytes: u64,
    has_failed: AtomicBool,
}

impl AuditLog {
    pub fn new(file: PathBuf) -> AuditLog {
        AuditLog { file, most_bytes: MOST_BYTES, has_failed: AtomicBool::new(false) }
    }

    /// Writes a line; if that fails, it is said once and the call goes on.
    fn write(&self, entry: &Value) {
        if let Err(error) = self.append(&format!("{entry}\n"))
            && !self.has_failed.swap(true, Ordering::Relaxed)
        {
            output::note(&format!("cannot write the audit log {}: {error}", self.file.display()));
        }
    }

    /// The file is opened for each line: another server may share it, and have put it aside
    /// meanwhile.
    fn append(&self, line: &str) -> io::Result<()> {
        let mut file = open(&self.file)?;
        if file.metadata()?.len() >= self.most_bytes {
            // Of several that find it too large, the first puts it aside and the others see that it
            // did.
            file.lock()?;
            if std::fs::metadata(&self.file).is_ok_and(|now| now.len() >= self.most_bytes) {
                std::fs::rename(&self.file, aside(&self.file))?;
            }
            file = open(&self.file)?;
        }
        // In one piece, at the end, wherever that is by now.
        file.write_all(line.as_bytes())
    }
}

fn open(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)
}

fn aside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_os_string();
    name.push(".1");
    name.into()
}

/// One call, from when it came to when it ends; its line is written when this is dropped.
pub(super) struct AuditEntry {
    log: Option<Arc<AuditLog>>,
    start: Instant,
    line: AuditLine,
}

/// A line of the log.
#[derive(Default, Serialize)]
struct AuditLine {
    time: String,
    tool: String,
    client: Option<String>,
    workspace: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    /// The length of each argument in bytes.
    arguments: BTreeMap<String, usize>,
    duration_ms: u64,
    outcome: &'static str,
    answer_tokens: Option<usize>,
}

impl AuditEntry {
    pub(super) fn new(
        log: Option<Arc<AuditLog>>,
        tool: &str,
        arguments: &JsonObject,
        client: impl FnOnce() -> Option<String>,
    ) -> AuditEntry {
        // An entry that gets no outcome, not even an error, is that of a cancelled call.
        let mut line = AuditLine { outcome: "cancelled", ..AuditLine::default() };
        if log.is_some() {
            line.time = clock::now();
            line.tool = tool.to_string();
            line.client = client().as_deref().map(cut);
            line.reference = arguments.get("ref").and_then(Value::as_str).map(cut);
            line.arguments = arguments.iter().map(|(name, value)| (cut(name), length(value))).collect();
        }
        AuditEntry { log, start: Instant::now(), line }
    }

    /// Notes what the call is about.
    pub(super) fn about(&mut self, root: &Path) {
        if self.log.is_some() {
            self.line.workspace = Some(root.to_string_lossy().into_owned());
        }
    }

    /// Notes how it ended; `how` where that says more than the error's code.
    pub(super) fn end(&mut self, answer: &Result<SentAnswer, AppError>, how: Option<&'static str>) {
        match answer {
            Ok(answer) => {
                self.line.outcome = "ok";
                self.line.answer_tokens = self.log.as_ref().map(|_| answer.tokens());
            }
            Err(error) => self.line.outcome = how.unwrap_or(error.code.as_str()),
        }
    }
}

impl AuditEntry {
    /// Notes how a page ended: with an error of this code, or without one.
    pub(super) fn end_page(&mut self, error: Option<&'static str>) {
        self.line.outcome = error.unwrap_or("ok");
    }
}

impl Drop for AuditEntry {
    fn drop(&mut self) {
        let Some(log) = &self.log else { return };
        self.line.duration_ms = self.start.elapsed().as_millis() as u64;
        log.write(&serde_json::to_value(&self.line).unwrap_or_default());
    }
}

/// Bytes of a text, or of the JSON of anything else.
fn length(value: &Value) -> usize {
    value.as_str().map_or_else(|| value.to_string().len(), str::len)
}

fn cut(name: &str) -> String {
    name.chars().take(MOST_NAME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use codecompass_app::error::Code;

    #[test]
    fn lines_say_no_more_than_they_should() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("audit.log");
        let log = Arc::new(AuditLog::new(file.clone()));
        let arguments = json!({"query": "my secret question", "limit": 10, "ref": "main", "path": ["a"]});
        let begin = || {
            AuditEntry::new(Some(Arc::clone(&log)), "search_code", arguments.as_object().unwrap(), || {
                Some("c".repeat(999))
            })
        };
        let mut answered = begin();
        answered.about(Path::new("/a"));
        answered.end(&Ok(SentAnswer::Text("some answer".into())), None);
        drop(answered);
        begin().end(&Err(AppError::new(Code::FileNotFound, "secret", "secret")), None);
        begin().end(&Err(AppError::internal("secret")), Some("timed_out"));
        drop(begin());
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(!text.contains("secret"), "{text}");
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let outcomes: Vec<&str> = lines.iter().map(|line| line["outcome"].as_str().unwrap()).collect();
        assert_eq!(outcomes, ["ok", "file_not_found", "timed_out", "cancelled"]);
        let first = &lines[0];
        assert_eq!(first["arguments"], json!({"query": 18, "limit": 2, "ref": 4, "path": 5}));
        assert_eq!(
            (&first["tool"], &first["workspace"], &first["ref"]),
            (&json!("search_code"), &json!("/a"), &json!("main"))
        );
        assert_eq!(first["client"].as_str().unwrap().len(), MOST_NAME_CHARS);
        assert!(
            first["answer_tokens"].is_u64() && first["duration_ms"].is_u64() && lines[1]["answer_tokens"].is_null()
        );
    }

    #[test]
    fn it_does_not_grow_without_end() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("audit.log");
        // Two servers with one log.
        let logs = [(); 2].map(|()| AuditLog { most_bytes: 1_000, ..AuditLog::new(file.clone()) });
        let entry = json!({"text": "x".repeat(90)});
        (0..95).for_each(|number| logs[number % 2].write(&entry));
        let sizes = [&file, &aside(&file)].map(|file| std::fs::metadata(file).unwrap().len());
        assert!(sizes.iter().all(|size| *size <= 1_101), "{sizes:?}");
        let whole = entry.to_string();
        assert!(std::fs::read_to_string(&file).unwrap().lines().all(|line| line == whole));
        // What cannot be written is no reason to fail.
        let nowhere = AuditLog::new(dir.path().join("no/such/folder/log"));
        nowhere.write(&entry);
        assert!(nowhere.has_failed.load(Ordering::Relaxed));
    }
}
