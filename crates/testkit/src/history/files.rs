//! Edits of files in a worktree, whatever stands in their way.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{History, contents};

/// Few enough to meet again. Some are below each other, some differ by case only, some fall under
/// built-in rules.
const PATHS: &[&str] = &[
    "main.rs",
    "src/app.py",
    "src/App.py",
    "src/util.rs",
    "src/util/mod.rs",
    "src/util/deep.ts",
    "web/view.ts",
    "web/view.py",
    "tests/test_app.py",
    "docs/guide.md",
    "README.md",
    "logs/run.py",
    "logs/deep/more.rs",
    "build/made.py",
    "package.json",
    "node_modules/dep.ts",
    "notes.txt",
    "src/w\u{f6}rter.py",
];

const IGNORE_FILES: &[&str] =
    &[".gitignore", ".codecompassignore", "src/.gitignore", "web/.codecompassignore", "logs/.gitignore"];

const PATTERNS: &[&str] = &[
    "*.py\n",
    "logs/\n",
    "!*.py\n",
    "/web\n*.md\n",
    "",
    "app.*\n!App.py\n",
    "src/util\n",
    "build/\n!logs/\n",
    "*.ts\r\n",
];

const ATTRIBUTES: &[&str] = &[
    "* text=auto eol=crlf\n",
    "*.py text eol=crlf\n",
    "",
    "*.py ident\n",
    "* -text\n",
    "*.md working-tree-encoding=UTF-16LE\n",
];

impl History {
    /// A path that files may have.
    pub(super) fn path(&mut self) -> &'static str {
        self.random.pick(PATHS)
    }

    /// One edit of a worktree.
    pub(super) fn edit(&mut self, worktree: &Path) {
        let path = self.path();
        let number = self.random.below(30);
        let what = match number {
            14..=19 => self.rearrange(number, worktree, path),
            20..=21 => self.change_type(number, worktree, path),
            23 | 26..=28 => self.write_elsewhere(number, worktree),
            _ => self.rewrite(number, worktree, path),
        };
        let place = worktree.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.note(format!("{place}: {what} {path}"));
        self.age(worktree);
    }

    /// Gives a file another text.
    fn rewrite(&mut self, number: u64, worktree: &Path, path: &str) -> &'static str {
        let file = worktree.join(path);
        match number {
            0..=11 => {
                let text = contents::text(&mut self.random, path);
                put(worktree, &file, text.as_bytes());
                "write"
            }
            12..=13 => {
                let mut text = bytes_of(&file).unwrap_or_default();
                text.extend_from_slice(contents::text(&mut self.random, path).as_bytes());
                put(worktree, &file, &text);
                "append to"
            }
            22 => {
                put(worktree, &file, b"def parse_header(): pass\n\0\x01\x02");
                "make binary"
            }
            24 => {
                let text = "x = 1\n".repeat(if self.random.chance(50) { 6000 } else { 100 });
                put(worktree, &file, text.as_bytes());
                "make large"
            }
            25 => {
                let line = format!("x = '{}'\n", "y".repeat(21_000));
                put(worktree, &file, line.as_bytes());
                "make long-lined"
            }
            _ => {
                if let Some(bytes) = bytes_of(&file) {
                    let swap = |byte: &u8| match *byte {
                        b'a' => b'o',
                        b'o' => b'a',
                        byte => byte,
                    };
                    put(worktree, &file, &bytes.iter().map(swap).collect::<Vec<u8>>());
                }
                "change within its size"
            }
        }
    }

    /// Removes, moves or copies a file, or swaps it with a directory.
    fn rearrange(&mut self, number: u64, worktree: &Path, path: &str) -> &'static str {
        let file = worktree.join(path);
        match number {
            14..=15 => {
                remove(&file);
                "remove"
            }
            16 => {
                let to = worktree.join(self.path());
                if let Some(bytes) = bytes_of(&file) {
                    remove(&file);
                    put(worktree, &to, &bytes);
                }
                "move"
            }
            17 => {
                // Nearly the same text elsewhere.
                let to = worktree.join(self.path());
                if let Some(mut bytes) = bytes_of(&file) {
                    bytes.extend_from_slice(b"\n");
                    put(worktree, &to, &bytes);
                }
                "copy"
            }
            18 => {
                if file.is_dir() {
                    put(worktree, &file, contents::text(&mut self.random, path).as_bytes());
                } else {
                    put(worktree, &file.join("inner.py"), contents::text(&mut self.random, "inner.py").as_bytes());
                }
                "swap file and directory at"
            }
            _ => {
                let (upper, lower) = (worktree.join("src/App.py"), worktree.join("src/app.py"));
                let (from, to) = if upper.is_file() { (upper, lower) } else { (lower, upper) };
                let _ = fs::rename(from, to);
                "rename by case only"
            }
        }
    }

    /// Gives a file another mode, or replaces it by a link.
    fn change_type(&mut self, number: u64, worktree: &Path, path: &str) -> &'static str {
        let file = worktree.join(path);
        match number {
            20 => {
                if bytes_of(&file).is_some() {
                    let mode = if self.random.chance(50) { 0o755 } else { 0o644 };
                    fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
                }
                "change the mode of"
            }
            _ => {
                remove(&file);
                if let Some(parent) = file.parent().filter(|parent| parent.is_dir()) {
                    let target = self.random.pick(&["main.rs", "src", "nowhere", "/etc/passwd"]);
                    symlink(target, parent.join(file.file_name().unwrap())).unwrap();
                }
                "make a link of"
            }
        }
    }

    /// Writes a file that is none of the usual ones.
    fn write_elsewhere(&mut self, number: u64, worktree: &Path) -> &'static str {
        match number {
            23 => {
                let odd: &[u8] = self.random.pick(&[b"src/caf\xe9.py".as_slice(), b"d\xff/x.py".as_slice()]);
                put(worktree, &worktree.join(OsStr::from_bytes(odd)), b"def odd_name(): pass\n");
                "write a name that is not UTF-8, not"
            }
            28 => {
                let attributes = self.random.pick(ATTRIBUTES);
                put(worktree, &worktree.join(".gitattributes"), attributes.as_bytes());
                "set attributes, not"
            }
            _ => {
                let (file, pattern) = (self.random.pick(IGNORE_FILES), self.random.pick(PATTERNS));
                put(worktree, &worktree.join(file), pattern.as_bytes());
                "ignore, not"
            }
        }
    }

    /// Gives files that were just written a time in the past, each time another. Git looks closer
    /// at files as young as its index, so that what it does would depend on the clock.
    pub(super) fn age(&mut self, worktree: &Path) {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(LONG_AGO + self.number());
        let young = SystemTime::UNIX_EPOCH + Duration::from_secs(LONG_AGO * 2);
        for path in walk(worktree) {
            let metadata = path.symlink_metadata().ok().filter(|metadata| metadata.is_file());
            if metadata.and_then(|metadata| metadata.modified().ok()).is_some_and(|modified| modified > young) {
                fs::File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
            }
        }
    }
}

/// Seconds since the epoch; twice as many are still past.
const LONG_AGO: u64 = 800_000_000;

/// Appends what is in a directory to `text`, git's own files excepted.
pub(super) fn describe(root: &Path, text: &mut String) {
    for path in walk(root) {
        let metadata = path.symlink_metadata().unwrap();
        let content = match () {
            _ if metadata.is_symlink() => format!("-> {:?}", fs::read_link(&path)),
            _ if metadata.is_dir() => String::new(),
            _ => format!("{:?}", fs::read(&path).map(|bytes| bytes.escape_ascii().to_string())),
        };
        text.push_str(&format!("\n{path:?} {:?} {content}", metadata.file_type()));
    }
}

/// Everything below a directory, sorted; what is called `.git` is named but not entered.
fn walk(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![root.to_path_buf()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && entry.file_name() != ".git" {
                pending.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

/// Returns the content of a file that is not reached through a link.
fn bytes_of(file: &Path) -> Option<Vec<u8>> {
    fs::read(file).ok().filter(|_| file.symlink_metadata().is_ok_and(|metadata| metadata.is_file()))
}

/// Writes a file, whatever stands in its way.
pub(super) fn put(worktree: &Path, file: &Path, bytes: &[u8]) {
    for above in file.ancestors().skip(1).take_while(|above| *above != worktree) {
        if above.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir()) {
            fs::remove_file(above).unwrap();
        }
    }
    if file.symlink_metadata().is_ok_and(|metadata| !metadata.is_file()) {
        remove(file);
    }
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, bytes).unwrap();
}

/// Removes whatever stands at a path.
pub(super) fn remove(path: &Path) {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path).unwrap(),
        Ok(_) => fs::remove_file(path).unwrap(),
        Err(_) => {}
    }
}
