//! Reads one file of a workspace: never through a symbolic link, never outside the root, and
//! knowing whether the content is settled, that is whether an equal stat will mean an equal
//! content.

pub(super) mod open;

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;
use std::time::SystemTime;

use gix::hash::Kind;

use crate::config::IndexConfig;
use crate::model::{ContentId, FileStat, SkipReason};
use crate::scan::read::open::Root;
use crate::scan::stat::{is_absent, nanoseconds_since_epoch, stat_of};

/// The outcome of reading a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadOutcome {
    /// The file is text.
    Text(SourceText),
    /// The file is there but is not indexed.
    Skipped {
        /// The reason for skipping it.
        reason: SkipReason,
        /// Its content, when it was read completely.
        content_id: Option<ContentId>,
        /// Its stat data, as far as known.
        stat: FileStat,
        /// True if a later equal stat proves that the file would be skipped again.
        settled: bool,
    },
    /// The file is not there (any more).
    Vanished,
}

/// The text of one file and the identity of what was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceText {
    /// The content, decoded.
    pub text: String,
    /// The id of the bytes on disk, before decoding.
    pub content_id: ContentId,
    /// The stat data that belong to the content.
    pub stat: FileStat,
    /// True if a later equal stat proves an equal content; if not, the file must be read again.
    pub settled: bool,
    /// True if bytes that are no valid text were replaced.
    pub lossy: bool,
}

/// A write this recent may be followed by another one with the same timestamp.
const CLOCK_GRAIN_NS: i64 = 50_000_000;
/// The number of bytes at the start of a file that are searched for NUL to tell text from binary
/// data.
pub(crate) const SAMPLE_BYTES: usize = 8 << 10;
const ATTEMPTS: usize = 3;

/// Reads a file given by its path relative to the canonical `root`.
pub fn read(root: &Path, path: &str, config: &IndexConfig) -> ReadOutcome {
    read_below(&Root::new(root), path, config)
}

pub(super) fn read_below(root: &Root, path: &str, config: &IndexConfig) -> ReadOutcome {
    match root.open(path).and_then(|opened| match opened {
        Ok(mut file) => Ok(Ok(read_steadily(&mut file, config.max_file_bytes)?)),
        Err(refused) => Ok(Err(refused)),
    }) {
        Ok(Ok(content)) => judge(content, config),
        Ok(Err((reason, stat))) => skipped(reason, stat),
        Err(error) if is_absent(&error) => ReadOutcome::Vanished,
        Err(error) => {
            // Permissions show in the stat; other trouble, such as too many open files, may pass
            // without a trace.
            let settled = error.kind() == io::ErrorKind::PermissionDenied;
            let reason = SkipReason::Unreadable(error.to_string());
            ReadOutcome::Skipped { reason, content_id: None, stat: FileStat::default(), settled }
        }
    }
}

/// The id that git gives to a blob with this content.
pub fn content_id(bytes: &[u8]) -> ContentId {
    let id = gix::objs::compute_hash(Kind::Sha1, gix::objs::Kind::Blob, bytes);
    let known = id.ok().and_then(|id| ContentId::from_slice(id.as_slice()));
    // Git refuses content that is made to collide in SHA-1; it still needs an id of its own here.
    known.unwrap_or_else(|| {
        let mut id = [0; 20];
        id.copy_from_slice(&blake3::hash(bytes).as_bytes()[..20]);
        ContentId(id)
    })
}

fn skipped(reason: SkipReason, stat: FileStat) -> ReadOutcome {
    ReadOutcome::Skipped { reason, content_id: None, stat, settled: false }
}

struct Content {
    bytes: Vec<u8>,
    stat: FileStat,
    settled: bool,
}

/// Reads at most one byte more than `limit`, again when the file changes meanwhile.
fn read_steadily(file: &mut File, limit: u64) -> io::Result<Content> {
    let now_ns = nanoseconds_since_epoch(SystemTime::now());
    let mut before = stat_of(&file.metadata()?);
    let mut bytes = Vec::new();
    let mut steady = false;
    for _ in 0..ATTEMPTS {
        bytes.clear();
        bytes.reserve(usize::try_from(before.size.min(limit)).unwrap_or(0).saturating_add(1));
        file.rewind()?;
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        let after = stat_of(&file.metadata()?);
        let complete = bytes.len() as u64 == after.size || after.size > limit;
        steady = before == after && complete;
        before = after;
        if steady {
            break;
        }
    }
    let newest = before.mtime_ns.max(before.ctime_ns);
    Ok(Content { bytes, stat: before, settled: steady && newest < now_ns - CLOCK_GRAIN_NS })
}

/// Returns the outcome for an object with these bytes.
pub(super) fn judge_bytes(bytes: Vec<u8>, config: &IndexConfig) -> ReadOutcome {
    let stat = FileStat { size: bytes.len() as u64, ..FileStat::default() };
    judge(Content { bytes, stat, settled: true }, config)
}

/// Returns the outcome for a file or object that is too large.
pub(super) fn too_large(size: u64) -> ReadOutcome {
    skipped(SkipReason::TooLarge(size), FileStat::default())
}

fn judge(content: Content, config: &IndexConfig) -> ReadOutcome {
    let Content { bytes, stat, settled } = content;
    let length = bytes.len() as u64;
    if length > config.max_file_bytes {
        return skipped(SkipReason::TooLarge(stat.size.max(length)), stat);
    }
    let content_id = content_id(&bytes);
    // A file that was caught growing has another size by now than what was read of it.
    let stat = FileStat { size: length, ..stat };
    let skip = |reason| ReadOutcome::Skipped { reason, content_id: Some(content_id), stat, settled };
    let Some((text, lossy)) = decode(bytes) else { return skip(SkipReason::Binary) };
    if is_data(text.as_bytes(), config.max_line_bytes) {
        return skip(SkipReason::LongLines);
    }
    ReadOutcome::Text(SourceText { text, content_id, stat, settled, lossy })
}

/// The text and whether something was replaced in it; `None` for binary data.
pub(crate) fn decode(bytes: Vec<u8>) -> Option<(String, bool)> {
    match bytes.as_slice() {
        // The byte order mark of UTF-32 begins like that of UTF-16. UTF-32 is not supported.
        [0xff, 0xfe, 0, 0, ..] => return None,
        [0xff, 0xfe, rest @ ..] => return decode_utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => return decode_utf16(rest, u16::from_be_bytes),
        _ => {}
    }
    if bytes[..bytes.len().min(SAMPLE_BYTES)].contains(&0) {
        return None;
    }
    match String::from_utf8(bytes) {
        Ok(text) => Some((text, false)),
        Err(error) => plausible(String::from_utf8_lossy(error.as_bytes()).into_owned()).map(|text| (text, true)),
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<(String, bool)> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut lossy = !rest.is_empty();
    let characters = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)));
    let text = characters.map(|character| {
        character.unwrap_or_else(|_| {
            lossy = true;
            char::REPLACEMENT_CHARACTER
        })
    });
    let text = text.collect::<String>();
    let sample = &text.as_bytes()[..text.len().min(SAMPLE_BYTES)];
    if sample.contains(&0) {
        return None;
    }
    if lossy { plausible(text).map(|text| (text, true)) } else { Some((text, false)) }
}

/// Text with replaced bytes is still text when they are few: accents in an old encoding, not
/// compressed data.
fn plausible(text: String) -> Option<String> {
    let sample = || text.chars().take(SAMPLE_BYTES);
    let replaced = sample().filter(|character| *character == char::REPLACEMENT_CHARACTER).count();
    // A handful is forgiven, or a short file with one accent would count as binary.
    (replaced <= 4 || replaced * 10 <= sample().count()).then_some(text)
}

/// Ordinary lines for each long one that make a text a source file with some data in it.
const LINES_PER_LONG_LINE: usize = 50;

/// Returns whether a text with lines of more than `limit` bytes is minified code or data: it has
/// few others. A source file may hold a line of data.
fn is_data(text: &[u8], limit: usize) -> bool {
    if !has_long_line(text, limit) {
        return false;
    }
    let lines = || text.split(|byte| *byte == b'\n');
    let long = lines().filter(|line| line.len() > limit).count();
    let others = lines().filter(|line| line.len() <= limit && !line.trim_ascii().is_empty()).count();
    others < long.saturating_mul(LINES_PER_LONG_LINE)
}

/// Returns whether some line has more than `limit` bytes; looks only at the surroundings of every
/// `limit`-th byte.
fn has_long_line(text: &[u8], limit: usize) -> bool {
    let mut start = 0;
    while text.len() - start > limit {
        // A line from `start` on may have `limit` bytes, so its end must be among the next `limit +
        // 1`.
        match text[start..=start + limit].iter().rposition(|byte| *byte == b'\n') {
            Some(end) => start += end + 1,
            None => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::scan::testing::Sandbox;

    fn read_bytes(bytes: impl AsRef<[u8]>) -> ReadOutcome {
        let plain = Sandbox::plain();
        plain.write("file", bytes);
        read(&plain.root, "file", &IndexConfig { max_file_bytes: 1 << 20, ..IndexConfig::default() })
    }

    fn text(outcome: ReadOutcome) -> SourceText {
        match outcome {
            ReadOutcome::Text(text) => text,
            other => panic!("{other:?}"),
        }
    }

    fn reason(outcome: ReadOutcome) -> SkipReason {
        match outcome {
            ReadOutcome::Skipped { reason, .. } => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn content_id_is_gits() {
        let git = Sandbox::git();
        for content in ["", "fn main() {}\n", "größer\n"] {
            git.write("a.rs", content);
            let id = git.run(&["hash-object", "--no-filters", "a.rs"]);
            assert_eq!(text(read(&git.root, "a.rs", &IndexConfig::default())).content_id.to_string(), id);
        }
    }

    #[test]
    fn encodings() {
        let utf16: Vec<u8> = "\u{feff}int größe;\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let decoded = text(read_bytes(&utf16));
        assert_eq!(
            (decoded.text.as_str(), decoded.lossy, decoded.content_id),
            ("int größe;\n", false, content_id(&utf16))
        );
        let utf16: Vec<u8> = "\u{feff}x = 1\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(text(read_bytes(utf16)).text, "x = 1\n");

        let latin1 = text(read_bytes(b"caf\xe9\n"));
        assert_eq!((latin1.text.as_str(), latin1.lossy), ("caf\u{fffd}\n", true));

        let noise: Vec<u8> = (0..4000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8 | 1).collect();
        for binary in [b"ELF\0rest".as_slice(), &noise, b"\xff\xfe\0\0a\0\0\0"] {
            assert_eq!(reason(read_bytes(binary)), SkipReason::Binary);
        }
        assert!(matches!(read_bytes("a\0"), ReadOutcome::Skipped { content_id: Some(_), .. }));
    }

    #[test]
    fn limits() {
        assert_eq!(reason(read_bytes(vec![b'x'; (1 << 20) + 1])), SkipReason::TooLarge((1 << 20) + 1));
        assert_eq!(reason(read_bytes(format!("a\n{}\nb", "x".repeat(20_001)))), SkipReason::LongLines);
        assert!(matches!(read_bytes(format!("{0}\n{0}", "x".repeat(20_000))), ReadOutcome::Text(_)));
        for (line, long) in
            [("", false), ("12345", false), ("123456", true), ("1\n12345\n", false), ("\n\n123456", true)]
        {
            assert_eq!(has_long_line(line.as_bytes(), 5), long, "{line:?}");
        }
        assert!(has_long_line(b"x", 0) && !has_long_line(b"\n\n", 0));
        let source = |lines: usize| format!("{}{}\nend", "a = 1\n\n".repeat(lines), "x".repeat(20_001));
        assert!(matches!(read_bytes(source(49)), ReadOutcome::Text(_)));
        assert_eq!(reason(read_bytes(source(48))), SkipReason::LongLines);
    }

    #[test]
    fn settled_only_after_a_while() {
        let plain = Sandbox::plain();
        let file = plain.write("a.rs", "x");
        // A busy machine may pause between writing and reading, hence several tries.
        assert!((0..50).any(|_| {
            plain.write("a.rs", "x");
            !text(read(&plain.root, "a.rs", &IndexConfig::default())).settled
        }));
        // The status change time cannot be set, so there is no way around waiting for it.
        let mut settled = false;
        for _ in 0..100 {
            std::thread::sleep(Duration::from_millis(10));
            settled = text(read(&plain.root, "a.rs", &IndexConfig::default())).settled;
            if settled {
                break;
            }
        }
        assert!(settled);
        let future = SystemTime::now() + Duration::from_secs(3600);
        File::options().write(true).open(file).unwrap().set_modified(future).unwrap();
        assert!(!text(read(&plain.root, "a.rs", &IndexConfig::default())).settled);
    }

    #[test]
    fn growing_file_is_never_settled_with_a_wrong_stat() {
        let plain = Sandbox::plain();
        let path = plain.write("a.rs", "x\n");
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut file = File::options().append(true).open(&path).unwrap();
                while !done.load(Ordering::Relaxed) {
                    file.write_all(b"more\n").unwrap();
                }
            });
            for _ in 0..50 {
                match read(&plain.root, "a.rs", &IndexConfig::default()) {
                    ReadOutcome::Text(read) => assert!(!read.settled || read.text.len() as u64 == read.stat.size),
                    ReadOutcome::Skipped { reason: SkipReason::TooLarge(_), .. } => {}
                    other => panic!("{other:?}"),
                }
            }
            done.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn nothing_outside_the_root() {
        let plain = Sandbox::plain();
        let config = IndexConfig::default();
        fs::write(plain.root.parent().unwrap().join("secret"), "x").unwrap();
        for path in ["../secret", "/etc/passwd", "a/../../secret", "", "."] {
            assert!(matches!(reason(read(&plain.root, path, &config)), SkipReason::Unreadable(_)), "{path}");
        }
        assert_eq!(read(&plain.root, "gone/file", &config), ReadOutcome::Vanished);
        plain.write("dir/file", "x");
        assert_eq!(reason(read(&plain.root, "dir", &config)), SkipReason::NotAFile);
        assert_eq!(read(&plain.root, "dir/file/below", &config), ReadOutcome::Vanished);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        use std::os::unix::fs::symlink;
        let plain = Sandbox::plain();
        let outside = plain.root.parent().unwrap().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secret.rs"), "x").unwrap();
        symlink(&outside, plain.root.join("dir")).unwrap();
        symlink(outside.join("secret.rs"), plain.root.join("file.rs")).unwrap();
        for path in ["dir/secret.rs", "file.rs"] {
            assert_eq!(reason(read(&plain.root, path, &IndexConfig::default())), SkipReason::Symlink);
        }
    }
}
