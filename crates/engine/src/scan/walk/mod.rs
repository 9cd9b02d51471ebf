//! Lists a workspace: every file worth indexing with its stat data, and every other path with the
//! reason.
//!
//! Directories are jobs on a shared stack; each worker reads one, decides about its entries and
//! goes on with the sub-directories, of which it gives away half when another worker has nothing to
//! do. A directory that `.gitignore` skips although git tracks files below it is visited by way of
//! the index: only what is tracked is looked at there, so a huge ignored directory stays cheap.

pub(super) mod directories;

use std::fs::{self, DirEntry, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::config::{GIT_IGNORE, IndexConfig, OWN_IGNORE};
use crate::model::{SkipReason, Workspace};
use crate::scan::error::ScanError;
use crate::scan::git::{self, GitIndex, GitState};
use crate::scan::ignore::Chain;
use crate::scan::ignore::decision::{Decision, decide, is_among};
use crate::scan::ignore::rules::{self, DirectoryRule};
use crate::scan::listing::{ListedFile, Listing, SkippedPath};
use crate::scan::read::open::Root;
use crate::scan::stat::{is_absent, stat_of};
use crate::scan::walk::directories::{Directories, DirectoryScope, Entered, Tracked};

/// Directories that are read before helper threads are worth their start.
const SINGLE_THREADED_DIRECTORIES: usize = 16;

/// Lists a workspace as it is on disk now.
pub fn list(workspace: &Workspace, config: &IndexConfig) -> Result<Listing, ScanError> {
    check_root(&workspace.root)?;
    let git = GitState::read(workspace)?;
    let mut listing = walk(workspace, config, &git, WalkOutput::FILES, Start::Root);
    attach_git_ids(&mut listing.files, &git.index);
    Ok(listing)
}

/// The directories that a listing would enter now, and what decides about them. No file is looked
/// at.
pub(crate) fn directories(workspace: &Workspace, config: &IndexConfig) -> Result<Directories, ScanError> {
    check_root(&workspace.root)?;
    let git = GitState::read(workspace)?;
    let entered = Mutex::default();
    walk(workspace, config, &git, WalkOutput { files: false, entered: Some(&entered) }, Start::Root);
    let mut deciding = git::deciding_files(workspace)?;
    deciding.extend(git.excludes);
    let entered = entered.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Directories { entered, deciding, tracked: Tracked::of(&git.index) })
}

/// The files and directories at some places of a workspace, and below them.
#[cfg_attr(not(any(target_os = "linux", test)), expect(dead_code, reason = "elsewhere a watcher lists everything"))]
pub(crate) struct Below {
    pub(crate) listing: Listing,
    /// The directories that a listing enters there.
    pub(crate) entered: Vec<Entered>,
}

/// Looks at entries of directories, each a directory with a name in it, and at all that is below
/// them. As in a listing of everything, but for ids that git vouches for, if all rules keep them
/// (see [`Effect::Directory`](crate::scan::walk::directories::Effect::Directory)).
pub(crate) fn below(
    workspace: &Workspace,
    config: &IndexConfig,
    entries: &[(Entered, String)],
) -> Result<Below, ScanError> {
    check_root(&workspace.root)?;
    let git = GitState::read(workspace)?;
    let entered = Mutex::default();
    let listing =
        walk(workspace, config, &git, WalkOutput { files: true, entered: Some(&entered) }, Start::At(entries));
    Ok(Below { listing, entered: entered.into_inner().unwrap_or_else(PoisonError::into_inner) })
}

fn check_root(root: &Path) -> Result<(), ScanError> {
    let failed = |source| ScanError::Directory { path: root.to_path_buf(), source };
    if !fs::metadata(root).map_err(failed)?.is_dir() {
        return Err(ScanError::NotADirectory { path: root.to_path_buf() });
    }
    fs::read_dir(root).map(drop).map_err(failed)
}

/// The results that a walk is asked for.
#[derive(Clone, Copy)]
struct WalkOutput<'a> {
    /// True if it looks at files.
    files: bool,
    /// The list that entered directories are added to, if they are asked for.
    entered: Option<&'a Mutex<Vec<Entered>>>,
}

impl WalkOutput<'_> {
    const FILES: WalkOutput<'static> = WalkOutput { files: true, entered: None };
}

/// The start of a walk.
enum Start<'a> {
    Root,
    /// At these names in directories that were entered before.
    At(&'a [(Entered, String)]),
}

fn walk(
    workspace: &Workspace,
    config: &IndexConfig,
    git: &GitState,
    wanted: WalkOutput<'_>,
    start: Start<'_>,
) -> Listing {
    let root = workspace.root.as_path();
    let walk = Walk {
        root,
        files: Root::new(root),
        index: &git.index,
        in_git: workspace.git_dir.is_some(),
        max_file_bytes: config.max_file_bytes,
        wanted,
        stack: Mutex::default(),
        changed: Condvar::new(),
        waiting: AtomicUsize::new(0),
    };
    let mut listing = Listing::default();
    let jobs = match start {
        Start::Root => {
            let chain = Arc::new(Chain::at_root(&git.excludes));
            vec![WalkJob { path: String::new(), chain, tracked_only: false }]
        }
        Start::At(entries) => {
            let mut jobs = Vec::new();
            entries.iter().for_each(|(parent, name)| walk.look_at(parent, name, &mut listing, &mut jobs));
            jobs
        }
    };
    walk.lock().jobs = jobs;
    listing.append(walk.work(SINGLE_THREADED_DIRECTORIES));
    if !walk.lock().jobs.is_empty() {
        std::thread::scope(|scope| {
            let work = || walk.work(usize::MAX);
            // Where the system refuses another thread, those that there are do the work.
            let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
            let helpers: Vec<_> = (1..config.threads).filter_map(spawn).collect();
            listing.append(work());
            for helper in helpers {
                listing.append(helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
        });
    }
    // Each worker's part is sorted, and a stable sort merges sorted runs in linear time.
    listing.sort();
    listing
}

/// Walks along the files and the index, both sorted, once.
fn attach_git_ids(files: &mut [ListedFile], index: &GitIndex) {
    let mut entries = index.entries().peekable();
    for file in files {
        while entries.next_if(|entry| entry.path < file.path.as_bytes()).is_some() {}
        let Some(entry) = entries.peek() else { return };
        if entry.path == file.path.as_bytes() {
            file.git_id = index.trusted_id(*entry, &file.stat);
        }
    }
}

/// The state that workers share.
struct Walk<'a> {
    root: &'a Path,
    /// The root through which ignore files are opened.
    files: Root,
    index: &'a GitIndex,
    /// True if `.gitignore` files count. Outside a checkout they speak of a repository that is not
    /// there: unpacked source packages have been seen to ignore everything.
    in_git: bool,
    max_file_bytes: u64,
    wanted: WalkOutput<'a>,
    stack: Mutex<Stack>,
    /// Signalled when jobs were added or the last busy worker has finished.
    changed: Condvar,
    /// Workers that have nothing to do.
    waiting: AtomicUsize,
}

#[derive(Default)]
struct Stack {
    jobs: Vec<WalkJob>,
    /// Workers that are in a directory and may still add jobs.
    busy: usize,
}

/// A directory to read.
struct WalkJob {
    /// Relative to the root; empty for the root itself.
    path: String,
    /// The ignore files above the directory.
    chain: Arc<Chain>,
    /// True if git ignores the directory, so that only tracked paths count.
    tracked_only: bool,
}

/// Counts a worker as busy; dropped on panics too, so that the others do not wait for ever.
struct Busy<'w, 'a> {
    walk: &'w Walk<'a>,
    /// Directories that this worker has found and not read yet.
    own: Vec<WalkJob>,
}

impl Busy<'_, '_> {
    /// Gives the older half of the own jobs to the others.
    fn share(&mut self) {
        let half = self.own.len() / 2;
        self.walk.lock().jobs.extend(self.own.drain(..half));
        self.walk.changed.notify_all();
    }
}

impl Drop for Busy<'_, '_> {
    fn drop(&mut self) {
        let mut stack = self.walk.lock();
        stack.jobs.append(&mut self.own);
        stack.busy -= 1;
        if !stack.jobs.is_empty() || stack.busy == 0 {
            self.walk.changed.notify_all();
        }
    }
}

impl<'a> Walk<'a> {
    fn lock(&self) -> MutexGuard<'_, Stack> {
        self.stack.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next directory, waiting for busy workers to find one; `None` when all is done.
    fn next(&self) -> Option<WalkJob> {
        let mut stack = self.lock();
        loop {
            if let Some(job) = stack.jobs.pop() {
                stack.busy += 1;
                return Some(job);
            }
            if stack.busy == 0 {
                return None;
            }
            self.waiting.fetch_add(1, Ordering::Relaxed);
            stack = self.changed.wait(stack).unwrap_or_else(PoisonError::into_inner);
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Reads directories until there are none left, or `limit` of them.
    fn work(&self, limit: usize) -> Listing {
        let mut listing = Listing::default();
        let mut left = limit;
        while let Some(job) = (left > 0).then(|| self.next()).flatten() {
            let mut busy = Busy { walk: self, own: vec![job] };
            while left > 0
                && let Some(job) = busy.own.pop()
            {
                left -= 1;
                self.visit(job, &mut listing, &mut busy.own);
                if busy.own.len() > 1 && self.waiting.load(Ordering::Relaxed) > 0 {
                    busy.share();
                }
            }
        }
        listing.sort();
        listing
    }

    /// Looks at one name in a directory that was entered before.
    fn look_at(&self, parent: &Entered, name: &str, listing: &mut Listing, found: &mut Vec<WalkJob>) {
        let chain = Arc::clone(&parent.chain);
        let job = WalkJob { path: parent.path.clone(), chain: Arc::clone(&chain), tracked_only: false };
        let visit = Visit { walk: self, directory: self.root.join(&job.path), chain, job: &job };
        match visit.directory.join(name).symlink_metadata() {
            Ok(metadata) => {
                let entry = WalkEntry { name, kind: metadata.file_type(), source: StatSource::Stat(&metadata) };
                visit.entry(&entry, &|_| false, listing, found);
            }
            Err(error) if is_absent(&error) => {}
            Err(error) => skip(listing, visit.child(name), false, SkipReason::Unreadable(error.to_string())),
        }
    }

    /// Reads one directory.
    fn visit(&self, job: WalkJob, listing: &mut Listing, found: &mut Vec<WalkJob>) {
        let visit = Visit { walk: self, directory: self.root.join(&job.path), chain: job.chain.clone(), job: &job };
        let outcome = if job.tracked_only { visit.tracked(listing, found) } else { visit.all(listing, found) };
        if let Err(reason) = outcome {
            listing.skipped.push(SkippedPath { path: job.path, is_dir: true, reason });
        }
    }
}

/// One directory being read.
struct Visit<'w, 'a> {
    walk: &'w Walk<'a>,
    directory: PathBuf,
    job: &'w WalkJob,
    chain: Arc<Chain>,
}

impl Visit<'_, '_> {
    /// Visits everything in the directory; an error is the reason to skip it as a whole.
    fn all(mut self, out: &mut Listing, found: &mut Vec<WalkJob>) -> Result<(), SkipReason> {
        let entries = match fs::read_dir(&self.directory).and_then(|entries| entries.collect::<io::Result<Vec<_>>>()) {
            Ok(entries) => entries,
            Err(error) if is_absent(&error) => return Ok(()),
            Err(error) => return Err(SkipReason::Unreadable(error.to_string())),
        };
        let mut names = Vec::with_capacity(entries.len());
        for entry in &entries {
            names.push(entry.file_name().into_string().map_err(|name| name.to_string_lossy().into_owned()));
        }
        let has = |name: &str| names.iter().any(|other| other.as_deref() == Ok(name));
        if !self.job.path.is_empty() && has(".git") {
            self.note(DirectoryScope::Nested);
            return Err(SkipReason::NestedRepository);
        }
        if has(GIT_IGNORE) && self.walk.in_git {
            Arc::make_mut(&mut self.chain).push_git(&self.walk.files, &self.job.path);
        }
        if has(OWN_IGNORE) {
            Arc::make_mut(&mut self.chain).push_own(&self.walk.files, &self.job.path);
        }
        self.note(DirectoryScope::All);
        for (entry, name) in entries.iter().zip(&names) {
            let Ok(kind) = entry.file_type() else { continue };
            match name {
                Ok(name) => {
                    let beside = |marker: &str| is_among(&names, marker);
                    self.entry(&WalkEntry { name, kind, source: StatSource::Read(entry) }, &beside, out, found);
                }
                Err(lossy) => skip(out, self.child(lossy), kind.is_dir(), SkipReason::PathNotUtf8),
            }
        }
        Ok(())
    }

    /// Visits what git tracks in the directory; an error is the reason to skip it as a whole.
    fn tracked(mut self, out: &mut Listing, found: &mut Vec<WalkJob>) -> Result<(), SkipReason> {
        if self.directory.join(".git").symlink_metadata().is_ok() {
            self.note(DirectoryScope::Nested);
            return Err(SkipReason::NestedRepository);
        }
        if self.directory.join(OWN_IGNORE).symlink_metadata().is_ok() {
            Arc::make_mut(&mut self.chain).push_own(&self.walk.files, &self.job.path);
        }
        self.note(DirectoryScope::Tracked);
        for name in self.walk.index.children(&self.job.path) {
            match std::str::from_utf8(name) {
                Ok(name) => match self.directory.join(name).symlink_metadata() {
                    Ok(metadata) => {
                        let entry = WalkEntry { name, kind: metadata.file_type(), source: StatSource::Stat(&metadata) };
                        self.entry(&entry, &|_| false, out, found);
                    }
                    Err(error) if is_absent(&error) => {}
                    Err(error) => skip(out, self.child(name), false, SkipReason::Unreadable(error.to_string())),
                },
                Err(_) => skip(out, self.child(&String::from_utf8_lossy(name)), false, SkipReason::PathNotUtf8),
            }
        }
        Ok(())
    }

    /// Notes the directory for who asks for directories.
    fn note(&self, scope: DirectoryScope) {
        if let Some(entered) = self.walk.wanted.entered {
            let here = Entered { path: self.job.path.clone(), chain: self.chain.clone(), scope };
            entered.lock().unwrap_or_else(PoisonError::into_inner).push(here);
        }
    }

    fn child(&self, name: &str) -> String {
        match self.job.path.as_str() {
            "" => name.to_string(),
            parent => [parent, "/", name].concat(),
        }
    }

    /// Lists, skips or descends into one entry.
    fn entry(&self, entry: &WalkEntry<'_>, beside: &dyn Fn(&str) -> bool, out: &mut Listing, found: &mut Vec<WalkJob>) {
        let is_dir = entry.kind.is_dir();
        if !self.walk.wanted.files && !is_dir {
            return;
        }
        let path = self.child(entry.name);
        if entry.kind.is_symlink() {
            return skip(out, path, false, SkipReason::Symlink);
        }
        if !is_dir && !entry.kind.is_file() {
            return skip(out, path, false, SkipReason::NotAFile);
        }
        let built_in =
            || if is_dir { self.built_in_directory(entry.name, &path, beside) } else { rules::file(entry.name) };
        let decision = decide(&self.chain, self.job.tracked_only, entry.name, &path, is_dir, built_in);
        let index = self.walk.index;
        if is_dir {
            let (reason, tracked_only) = match decision {
                Decision::Keep => (None, self.job.tracked_only),
                Decision::Skip(reason) => return skip(out, path, true, reason),
                Decision::GitIgnored(reason) if index.tracks_below(&path) => (Some(reason), true),
                Decision::GitIgnored(reason) => return skip(out, path, true, reason),
            };
            if index.is_submodule(&path) {
                return skip(out, path, true, SkipReason::NestedRepository);
            }
            if let Some(reason) = reason {
                skip(out, path.clone(), true, reason);
            }
            return found.push(WalkJob { path, chain: self.chain.clone(), tracked_only });
        }
        match decision {
            Decision::Skip(reason) => return skip(out, path, false, reason),
            Decision::GitIgnored(reason) if index.entry(&path).is_none() => return skip(out, path, false, reason),
            Decision::GitIgnored(_) | Decision::Keep => {}
        }
        let stat = match entry.source {
            StatSource::Read(source) => source.metadata().map(|metadata| stat_of(&metadata)),
            StatSource::Stat(metadata) => Ok(stat_of(metadata)),
        };
        match stat {
            Ok(stat) if stat.size > self.walk.max_file_bytes => skip(out, path, false, SkipReason::TooLarge(stat.size)),
            Ok(stat) => out.files.push(ListedFile { path, stat, git_id: None }),
            Err(error) if is_absent(&error) => {}
            Err(error) => skip(out, path, false, SkipReason::Unreadable(error.to_string())),
        }
    }

    fn built_in_directory(&self, name: &str, path: &str, beside: &dyn Fn(&str) -> bool) -> Option<&'static str> {
        let evidence = match rules::directory(name)? {
            DirectoryRule::Always(reason) => return Some(reason),
            DirectoryRule::OnEvidence(evidence) => evidence,
        };
        let inside = |marker: &&str| self.directory.join(name).join(marker).symlink_metadata().is_ok();
        let found = evidence.beside.iter().any(|marker| beside(marker)) || evidence.inside.iter().any(inside);
        let index = self.walk.index;
        let kept = evidence.unless_tracked && (index.tracks_below(path) || index.is_submodule(path));
        (found && !kept).then_some(evidence.reason)
    }
}

struct WalkEntry<'a> {
    name: &'a str,
    kind: FileType,
    source: StatSource<'a>,
}

/// The origin of an entry's stat data.
enum StatSource<'a> {
    Read(&'a DirEntry),
    Stat(&'a Metadata),
}

fn skip(out: &mut Listing, path: String, is_dir: bool, reason: SkipReason) {
    out.skipped.push(SkippedPath { path, is_dir, reason });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::git::discover;
    use crate::scan::testing::{Sandbox, paths, skipped};

    #[test]
    fn tracked_files_are_not_hidden_by_git_patterns() {
        let git = Sandbox::git();
        for path in ["logs/kept/a.rs", "logs/kept/b.png", "logs/own/c.rs", "logs/node_modules/d.js", "kept.gen"] {
            git.write(path, "x");
        }
        git.run(&["add", "."]);
        git.write(".gitignore", "logs/\n*.gen\nnothing/\n");
        git.write(".codecompassignore", "own/\n");
        for path in ["logs/kept/untracked.rs", "other.gen", "nothing/x.rs"] {
            git.write(path, "x");
        }
        let listing = git.list();
        assert_eq!(paths(&listing), [".codecompassignore", ".gitignore", "kept.gen", "logs/kept/a.rs"]);
        assert_eq!(
            skipped(&listing),
            [
                ".git/ (built-in rule: version control)",
                "logs/ (.gitignore: logs/)",
                "logs/kept/b.png (built-in rule: image)",
                "logs/node_modules/ (built-in rule: dependencies)",
                "logs/own/ (.codecompassignore: own/)",
                "nothing/ (.gitignore: nothing/)",
                "other.gen (.gitignore: *.gen)",
            ]
        );
    }

    #[test]
    fn build_output_needs_evidence() {
        let plain = Sandbox::plain();
        let kept = ["src/go/build/build.go", "bin/tool.sh", "dist/a.rs", "x/target/t.rs", "env/a.py", "vendor/v.go"];
        for path in kept {
            plain.write(path, "x");
        }
        for path in ["js/package.json", "js/build/o.js", "rs/Cargo.toml", "rs/target/o.rs", "tag/target/CACHEDIR.TAG"] {
            plain.write(path, "x");
        }
        for path in ["net/a.csproj", "net/obj/o.cs", "py/venv/pyvenv.cfg", "py/venv/lib.py"] {
            plain.write(path, "x");
        }
        let listing = plain.list();
        assert!(kept.iter().all(|path| paths(&listing).contains(path)), "{:?}", paths(&listing));
        assert_eq!(
            skipped(&listing),
            [
                "js/build/ (built-in rule: build output)",
                "net/obj/ (built-in rule: build output)",
                "py/venv/ (built-in rule: virtual environment)",
                "rs/target/ (built-in rule: build output)",
                "tag/target/ (built-in rule: build output)",
            ]
        );

        let git = Sandbox::git();
        git.write("package.json", "{}");
        git.write("build/webpack.js", "x");
        git.write("dist/out.js", "x");
        git.run(&["add", "build"]);
        assert_eq!(paths(&git.list()), ["build/webpack.js", "package.json"]);
    }

    #[test]
    fn nested_repositories_are_their_own_projects() {
        let git = Sandbox::git();
        git.write("inner/a.rs", "x");
        git.write("inner/.git/HEAD", "x");
        git.write("pinned/readme", "x");
        git.run(&["update-index", "--add", "--cacheinfo", "160000,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,pinned"]);
        git.write("linked/.git", "gitdir: elsewhere");
        let listing = git.list();
        assert_eq!(paths(&listing), Vec::<&str>::new());
        let nested = |name: &str| format!("{name}/ (a repository of its own)");
        assert_eq!(skipped(&listing)[1..], [nested("inner"), nested("linked"), nested("pinned")]);
    }

    #[cfg(unix)]
    #[test]
    fn odd_entries_have_reasons() {
        use std::os::unix::ffi::OsStrExt;
        use std::os::unix::fs::{PermissionsExt, symlink};

        let plain = Sandbox::plain();
        let outside = plain.root.parent().unwrap().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secret.rs"), "x").unwrap();
        symlink(&outside, plain.root.join("dir_link")).unwrap();
        symlink(outside.join("secret.rs"), plain.root.join("file_link.rs")).unwrap();
        symlink("nowhere", plain.root.join("dangling.rs")).unwrap();
        fs::write(plain.root.join(std::ffi::OsStr::from_bytes(b"caf\xe9.rs")), "x").unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(plain.root.join("socket")).unwrap();
        plain.write("large.rs", vec![b'x'; 5 << 20]);
        plain.write("locked/a.rs", "x");
        fs::set_permissions(plain.root.join("locked"), fs::Permissions::from_mode(0o000)).unwrap();
        let can_read_all = fs::read_dir(plain.root.join("locked")).is_ok();
        let listing = plain.list();
        fs::set_permissions(plain.root.join("locked"), fs::Permissions::from_mode(0o700)).unwrap();
        let mut lines = skipped(&listing);
        if !can_read_all {
            let locked = lines.iter().position(|line| line.starts_with("locked/ (unreadable")).unwrap();
            lines.remove(locked);
        }
        assert_eq!(
            lines,
            [
                "caf\u{fffd}.rs (path is not UTF-8)",
                "dangling.rs (symbolic link)",
                "dir_link (symbolic link)",
                "file_link.rs (symbolic link)",
                "large.rs (too large (5242880 bytes))",
                "socket (not a regular file)",
            ]
        );
    }

    #[test]
    fn deep_and_wide_trees() {
        let plain = Sandbox::plain();
        let deep = vec!["d"; 200].join("/");
        plain.write(&format!("{deep}/end.rs"), "x");
        for number in 0..60 {
            plain.write(&format!("w{number}/.codecompassignore"), "skipped.rs\n");
            plain.write(&format!("w{number}/a.rs"), "x");
            plain.write(&format!("w{number}/skipped.rs"), "x");
        }
        let listing = plain.list();
        assert_eq!((listing.files.len(), listing.skipped.len()), (121, 60));
        assert!(listing.files.is_sorted_by(|a, b| a.path < b.path));
        let workspace = discover(&plain.root).unwrap();
        for threads in [0, 1, 8] {
            assert_eq!(list(&workspace, &IndexConfig { threads, ..IndexConfig::default() }).unwrap(), listing);
        }
    }

    #[test]
    fn missing_root_is_an_error() {
        let plain = Sandbox::plain();
        let workspace = discover(&plain.root).unwrap();
        fs::remove_dir(&plain.root).unwrap();
        assert!(matches!(list(&workspace, &IndexConfig::default()), Err(ScanError::Directory { .. })));
        fs::write(&plain.root, "x").unwrap();
        assert!(matches!(list(&workspace, &IndexConfig::default()), Err(ScanError::NotADirectory { .. })));
    }
}
