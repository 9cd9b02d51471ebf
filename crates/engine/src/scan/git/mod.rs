//! Git data of a workspace: the location of its checkout, the target of HEAD, and the entries of
//! the index.
//!
//! Only reads, and only through `gix`; no git process is started. Objects are read in `objects`.

mod ahead_behind;
pub(super) mod first_commit;
pub(super) mod objects;
pub(super) mod refs;

use std::fs;
use std::path::{Path, PathBuf};

use gix::bstr::{BStr, ByteSlice};
use gix::hash::Kind;
use gix::index::entry::{Flags, Mode, Stat};

use crate::model::{ContentId, FileStat, Head, ViewKind, Workspace};
use crate::scan::error::ScanError;

/// Finds the workspace that `dir` belongs to: the enclosing git checkout, or else the directory
/// itself.
///
/// The nearest ancestor with a `.git` entry is the root. `core.worktree` and variables such as
/// `GIT_DIR` have no say: where a question is asked decides what it is about.
pub fn discover(dir: &Path) -> Result<Workspace, ScanError> {
    let failed = |source| ScanError::Directory { path: dir.to_path_buf(), source };
    let dir = dunce::canonicalize(dir).map_err(failed)?;
    if !dir.metadata().map_err(failed)?.is_dir() {
        return Err(ScanError::NotADirectory { path: dir });
    }
    for ancestor in dir.ancestors() {
        let dot_git = ancestor.join(".git");
        match fs::metadata(&dot_git) {
            // A `.git` file that leads nowhere is an error for git as well, whereas a directory
            // that only has the name is passed over.
            Ok(metadata) if metadata.is_file() || gix::discover::is_git(&dot_git).is_ok() => {
                return checkout(ancestor, &dot_git);
            }
            _ => {}
        }
        if ancestor.join("HEAD").exists() && gix::discover::is_git(ancestor).is_ok() {
            let repository = open(ancestor)?;
            // A directory that is no checkout's `.git` has commits to ask about, whether or not it
            // calls itself bare.
            let is_of_checkout = ancestor.components().any(|part| part.as_os_str() == ".git");
            return if is_of_checkout && !is_bare(&repository) {
                Err(ScanError::NoCheckout { path: ancestor.to_path_buf() })
            } else {
                Ok(bare(ancestor, ancestor.to_path_buf()))
            };
        }
    }
    Ok(Workspace { root: dir, kind: ViewKind::Live, git_common_dir: None, git_dir: None })
}

fn checkout(root: &Path, dot_git: &Path) -> Result<Workspace, ScanError> {
    let repository = open(dot_git)?;
    let canonical = |path: &Path| {
        dunce::canonicalize(path)
            .map_err(|source| ScanError::Repository { path: path.to_path_buf(), source: source.into() })
    };
    let git_dir = canonical(repository.git_dir())?;
    let common_dir = canonical(repository.common_dir())?;
    // Linked worktrees of a bare repository share its configuration but do have a checkout.
    if git_dir == common_dir && is_bare(&repository) {
        return Ok(bare(root, git_dir));
    }
    Ok(Workspace {
        root: root.to_path_buf(),
        kind: ViewKind::Worktree,
        git_common_dir: Some(common_dir),
        git_dir: Some(git_dir),
    })
}

fn is_bare(repository: &gix::Repository) -> bool {
    repository.config_snapshot().boolean("core.bare") == Some(true)
}

/// A repository without a checkout: its commits are what can be asked about.
fn bare(root: &Path, git_dir: PathBuf) -> Workspace {
    Workspace {
        root: root.to_path_buf(),
        kind: ViewKind::Commit,
        git_common_dir: Some(git_dir.clone()),
        git_dir: Some(git_dir),
    }
}

/// Opens a repository for reading. A repository of another user is opened too, without trusting its
/// configuration.
pub(super) fn open(git_dir: &Path) -> Result<gix::Repository, ScanError> {
    // A commit is what its id says, whatever `git replace` puts in its place.
    let options = gix::open::Options::default()
        .open_path_as_is(true)
        .lossy_config(true)
        .config_overrides(["core.useReplaceRefs=false"]);
    gix::open_opts(git_dir, options)
        .map_err(|source| ScanError::Repository { path: git_dir.to_path_buf(), source: source.into() })
}

/// Opens the repository around a workspace for reading.
pub(crate) fn open_repository(workspace: &Workspace) -> Result<gix::Repository, ScanError> {
    open(workspace.git_dir.as_deref().unwrap_or(&workspace.root))
}

/// Opens the repository with a git directory for reading.
pub(crate) fn open_git_dir(git_dir: &Path) -> Result<gix::Repository, ScanError> {
    open(git_dir)
}

/// Reads what is checked out in a workspace; `None` outside git.
pub fn head(workspace: &Workspace) -> Result<Option<Head>, ScanError> {
    let Some(git_dir) = &workspace.git_dir else { return Ok(None) };
    let repository = open(git_dir)?;
    let head = repository.head().map_err(|source| ScanError::Head { path: git_dir.clone(), source: source.into() })?;
    Ok(Some(Head {
        reference: head.referent_name().map(|name| name.shorten().to_str_lossy().into_owned()),
        commit: head.id().map(|id| id.to_string()),
    }))
}

/// Files of the repository, apart from its objects and patterns, that decide what is tracked and
/// what HEAD is. They need not exist.
pub(super) fn deciding_files(workspace: &Workspace) -> Result<Vec<PathBuf>, ScanError> {
    let (Some(git_dir), Some(common_dir)) = (&workspace.git_dir, &workspace.git_common_dir) else {
        // A repository that is being made is none before it has all of these.
        return Ok(["HEAD", "config", "objects", "refs"].map(|name| workspace.root.join(".git").join(name)).into());
    };
    let own = ["HEAD", "index", "config.worktree"].map(|name| git_dir.join(name));
    let shared = ["config", "packed-refs"].map(|name| common_dir.join(name));
    let mut files: Vec<PathBuf> = own.into_iter().chain(shared).collect();
    let repository = open(git_dir)?;
    // A HEAD that cannot be read now may become readable, and that shows.
    if let Ok(head) = repository.head()
        && let Some(name) = head.referent_name()
        && let Ok(path) = gix::path::from_byte_slice(name.as_bstr())
    {
        files.push(common_dir.join(path));
    }
    Ok(files)
}

/// Returns whether the repository fetches contents only when they are needed, so that some may be
/// missing now.
pub fn is_partial_clone(workspace: &Workspace) -> Result<bool, ScanError> {
    let Some(git_dir) = &workspace.git_dir else { return Ok(false) };
    let repository = open(git_dir)?;
    let config = repository.config_snapshot();
    let mut remotes = config.plumbing().sections_by_name("remote").into_iter().flatten();
    Ok(remotes.any(|remote| remote.value("promisor").is_some_and(|value| value == "true")))
}

/// Data that a listing needs from a repository, gathered by opening it once.
pub(super) struct GitState {
    pub(super) index: GitIndex,
    /// Files with patterns for the whole checkout, weakest first.
    pub(super) excludes: Vec<PathBuf>,
}

impl GitState {
    pub(super) fn read(workspace: &Workspace) -> Result<GitState, ScanError> {
        let Some(git_dir) = &workspace.git_dir else {
            return Ok(GitState { index: GitIndex::empty(), excludes: Vec::new() });
        };
        let repository = open(git_dir)?;
        let excludes = GitState::excludes(&repository);
        let mut index = GitIndex::load(&git_dir.join("index"), repository.object_hash())?;
        index.is_filtered = has_filters(&repository);
        index.expand(&repository, &workspace.root);
        Ok(GitState { index, excludes })
    }

    /// Files with patterns for every checkout of a repository, weakest first.
    pub(super) fn excludes(repository: &gix::Repository) -> Vec<PathBuf> {
        // An invalid value is git's to complain about; here it only means that there are no such
        // patterns.
        let configured = repository.config_snapshot().trusted_path("core.excludesFile").unwrap_or_default();
        let user = configured.or_else(|| gix::path::env::xdg_config("ignore", &mut gix::path::env::var));
        let mut excludes = Vec::from_iter(user);
        excludes.push(repository.common_dir().join("info/exclude"));
        excludes
    }
}

/// Returns whether programs are set up that rewrite files on checkout. Large file storage puts a
/// short pointer into the blob, which no file's size is mistaken for; what others do is not known.
fn has_filters(repository: &gix::Repository) -> bool {
    let config = repository.config_snapshot();
    let mut sections = config.plumbing().sections_by_name("filter").into_iter().flatten();
    sections.any(|section| section.header().subsection_name().is_some_and(|name| name != "lfs"))
}

/// Git's index, decoded: which paths are tracked, with which blob and which stat data.
pub struct GitIndex {
    state: gix::index::State,
    /// The modification time of the index file, in nanoseconds since the epoch.
    mtime_ns: i64,
    has_submodules: bool,
    /// True if files may differ from their blobs in more than their size shows.
    is_filtered: bool,
}

/// One path of the index.
#[derive(Clone, Copy)]
pub struct IndexEntry<'a> {
    /// Relative to the checkout, with `/`; any bytes.
    pub path: &'a [u8],
    entry: &'a gix::index::Entry,
}

impl GitIndex {
    fn empty() -> GitIndex {
        GitIndex { state: gix::index::State::new(Kind::Sha1), mtime_ns: 0, has_submodules: false, is_filtered: false }
    }

    /// Decodes an index file; a missing one is empty.
    pub fn load(file: &Path, hash: Kind) -> Result<GitIndex, ScanError> {
        // As in git, the checksum over the whole file is not verified on reading: it would double
        // the time.
        let options = gix::index::decode::Options { thread_limit: Some(1), ..Default::default() };
        let state = gix::index::File::at_or_default(file, hash, true, options)
            .map_err(|source| ScanError::Index { path: file.to_path_buf(), source: source.into() })?
            .into_parts()
            .0;
        let time = state.timestamp();
        let mtime_ns = time.unix_seconds().saturating_mul(1_000_000_000).saturating_add(i64::from(time.nanoseconds()));
        let has_submodules = state.entries().iter().any(|entry| entry.mode == Mode::COMMIT);
        Ok(GitIndex { state, mtime_ns, has_submodules, is_filtered: false })
    }

    /// Replaces directories that a sparse index has as one entry by the files in them, where they
    /// are on disk after all: a file that is there is tracked, whatever the index leaves out.
    fn expand(&mut self, repository: &gix::Repository, root: &Path) {
        let sparse = |entry: &gix::index::Entry| entry.mode == Mode::DIR;
        let mut pending: Vec<(Vec<u8>, gix::ObjectId)> = self
            .state
            .entries()
            .iter()
            .filter(|entry| sparse(entry))
            .map(|entry| (entry.path(&self.state).trim_end_with(|c| c == '/').to_vec(), entry.id))
            .collect();
        if pending.is_empty() {
            return;
        }
        let is_there = |path: &[u8]| gix::path::from_byte_slice(path).is_ok_and(|path| root.join(path).is_dir());
        pending.retain(|(path, _)| is_there(path));
        let mut is_changed = false;
        while let Some((path, id)) = pending.pop() {
            // What cannot be read is as unknown as before.
            let Ok(tree) = repository.find_tree(id) else { continue };
            for entry in tree.iter().filter_map(Result::ok) {
                let below = [path.as_slice(), b"/", entry.filename()].concat();
                let mode = match entry.mode().kind() {
                    gix::object::tree::EntryKind::Tree if is_there(&below) => {
                        pending.push((below, entry.object_id()));
                        continue;
                    }
                    gix::object::tree::EntryKind::Tree => Mode::DIR,
                    gix::object::tree::EntryKind::Blob => Mode::FILE,
                    gix::object::tree::EntryKind::BlobExecutable => Mode::FILE_EXECUTABLE,
                    gix::object::tree::EntryKind::Link => Mode::SYMLINK,
                    gix::object::tree::EntryKind::Commit => Mode::COMMIT,
                };
                let (stat, flags) = (Stat::default(), Flags::SKIP_WORKTREE);
                self.state.dangerously_push_entry(stat, entry.object_id(), flags, mode, BStr::new(&below));
                is_changed = true;
            }
        }
        if is_changed {
            self.state.sort_entries();
            self.has_submodules = self.state.entries().iter().any(|entry| entry.mode == Mode::COMMIT);
        }
    }

    /// All entries, sorted by path bytes; a path in conflict appears once per stage.
    pub fn entries(&self) -> impl Iterator<Item = IndexEntry<'_>> {
        self.state.entries().iter().map(|entry| IndexEntry { path: entry.path(&self.state), entry })
    }

    /// The entry of a path, at any stage.
    pub fn entry(&self, path: &str) -> Option<IndexEntry<'_>> {
        let entry = self.state.entry_by_path(BStr::new(path))?;
        Some(IndexEntry { path: entry.path(&self.state), entry })
    }

    /// Returns whether anything below a directory is tracked.
    pub fn tracks_below(&self, directory: &str) -> bool {
        !self.below(directory).is_empty()
    }

    /// Returns whether the path is a submodule, checked out or not.
    pub fn is_submodule(&self, path: &str) -> bool {
        self.has_submodules && self.entry(path).is_some_and(|found| found.entry.mode == Mode::COMMIT)
    }

    /// The names directly in a directory that are tracked or have something tracked below them.
    pub fn children(&self, directory: &str) -> Vec<&[u8]> {
        let skip = if directory.is_empty() { 0 } else { directory.len() + 1 };
        let mut names = Vec::new();
        for entry in self.below(directory) {
            let name = entry.path(&self.state)[skip..].split(|byte| *byte == b'/').next().unwrap_or_default();
            if !name.is_empty() && names.last() != Some(&name) {
                names.push(name);
            }
        }
        names
    }

    fn below(&self, directory: &str) -> &[gix::index::Entry] {
        if directory.is_empty() || self.state.entries().is_empty() {
            return self.state.entries();
        }
        self.state.prefixed_entries(BStr::new(&format!("{directory}/"))).unwrap_or_default()
    }

    /// The content of a file with this stat data, when the index vouches for it: the entry is a
    /// plain one, its stat data are the file's, and the file was last written before the index was.
    ///
    /// The last point is git's "racily clean" rule: a write in the same clock tick as the index's
    /// own leaves no trace.
    pub fn trusted_id(&self, found: IndexEntry<'_>, stat: &FileStat) -> Option<ContentId> {
        let entry = found.entry;
        let odd = Flags::STAGE_MASK | Flags::ASSUME_VALID | Flags::SKIP_WORKTREE | Flags::INTENT_TO_ADD;
        if !matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE) || entry.flags.intersects(odd) {
            return None;
        }
        let older = if entry.stat.mtime.nsecs == 0 {
            i64::from(entry.stat.mtime.secs) < self.mtime_ns / 1_000_000_000
        } else {
            stat.mtime_ns < self.mtime_ns
        };
        // Git for Windows converts line ends by a default that lives in its installation, which is
        // not consulted.
        let convertible = cfg!(windows) || self.is_filtered || self.state.object_hash() != Kind::Sha1;
        (older && !convertible && same_stat(&entry.stat, stat)).then(|| ContentId::from_slice(entry.id.as_slice()))?
    }
}

/// Compares as git does: its fields hold the low 32 bits, and a zero means that the writer did not
/// know.
fn same_stat(index: &Stat, file: &FileStat) -> bool {
    const SECOND: i64 = 1_000_000_000;
    let same_time = |recorded: gix::index::entry::stat::Time, actual: i64| {
        recorded.secs == actual.div_euclid(SECOND) as u32
            && (recorded.nsecs == 0 || i64::from(recorded.nsecs) == actual.rem_euclid(SECOND))
    };
    index.size == file.size as u32
        && same_time(index.mtime, file.mtime_ns)
        && (index.ctime.secs == 0 || file.ctime_ns == 0 || same_time(index.ctime, file.ctime_ns))
        && (index.ino == 0 || file.inode == 0 || index.ino == file.inode as u32)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::scan::testing::{Sandbox, git_in};

    #[test]
    fn plain_directory_and_checkout() {
        let plain = Sandbox::plain();
        plain.write("a/b.txt", "x");
        let workspace = discover(&plain.root.join("a")).unwrap();
        assert_eq!((workspace.kind, &workspace.root), (ViewKind::Live, &plain.root.join("a")));
        assert_eq!(head(&workspace).unwrap(), None);

        let git = Sandbox::git();
        git.write("a/b.txt", "x");
        let workspace = discover(&git.root.join("a")).unwrap();
        assert_eq!((workspace.kind, &workspace.root), (ViewKind::Worktree, &git.root));
        assert_eq!(workspace.git_dir, workspace.git_common_dir);
        assert_eq!(head(&workspace).unwrap(), Some(Head { reference: Some("main".into()), commit: None }));
        git.run(&["add", "."]);
        git.run(&["commit", "-qm", "one"]);
        let commit = Some(git.run(&["rev-parse", "HEAD"]));
        assert_eq!(head(&workspace).unwrap().unwrap().commit, commit);
        git.run(&["checkout", "-q", "--detach"]);
        assert_eq!(head(&workspace).unwrap(), Some(Head { reference: None, commit }));
    }

    #[test]
    fn linked_worktree_and_submodule() {
        let git = Sandbox::git();
        git.run(&["commit", "-q", "--allow-empty", "-m", "one"]);
        git.run(&["worktree", "add", "-q", "-b", "feature/x", "../linked"]);
        let linked = git.root.parent().unwrap().join("linked");
        let workspace = discover(&linked).unwrap();
        assert_eq!(workspace.root, linked);
        assert_eq!(workspace.git_common_dir, Some(git.root.join(".git")));
        assert_eq!(workspace.git_dir, Some(git.root.join(".git/worktrees/linked")));
        assert_eq!(head(&workspace).unwrap().unwrap().reference.as_deref(), Some("feature/x"));

        let outer = Sandbox::git();
        outer.run(&["submodule", "--quiet", "add", git.root.to_str().unwrap(), "sub"]);
        let workspace = discover(&outer.root.join("sub")).unwrap();
        assert_eq!(workspace.root, outer.root.join("sub"));
        assert_eq!(workspace.git_common_dir, Some(outer.root.join(".git/modules/sub")));
    }

    #[test]
    fn no_checkout_or_broken() {
        let git = Sandbox::git();
        assert!(matches!(discover(&git.root.join(".git/refs")), Err(ScanError::NoCheckout { .. })));
        let bare = git.root.parent().unwrap().join("bare.git");
        git.run(&["init", "-q", "--bare", bare.to_str().unwrap()]);
        let found = discover(&bare).unwrap();
        assert_eq!((found.kind, &found.root, found.git_dir.as_ref()), (ViewKind::Commit, &bare, Some(&bare)));
        for words in [&["config", "core.bare", "false"][..], &["config", "--unset", "core.bare"]] {
            git_in(&bare, words);
            assert_eq!(discover(&bare).unwrap(), found, "{words:?}");
        }
        let hidden = Sandbox::plain();
        git_in(&hidden.root, &["init", "-q", "--bare", ".bare"]);
        hidden.write(".git", "gitdir: ./.bare\n");
        let found = discover(&hidden.root).unwrap();
        assert_eq!((found.kind, &found.root), (ViewKind::Commit, &hidden.root));

        let broken = Sandbox::plain();
        broken.write(".git", "gitdir: /nowhere/at/all\n");
        let error = discover(&broken.root).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("cannot open the git repository at {}", broken.root.join(".git").display())
        );
        broken.write(".git", "");
        assert!(matches!(discover(&broken.root), Err(ScanError::Repository { .. })));

        assert!(matches!(discover(&broken.root.join("gone")), Err(ScanError::Directory { .. })));
        let file = broken.write("file", "");
        assert!(matches!(discover(&file), Err(ScanError::NotADirectory { .. })));
    }

    fn set_mtime(file: &Path, ago: u64) {
        let time = SystemTime::now() - Duration::from_secs(ago);
        fs::File::options().write(true).open(file).unwrap().set_modified(time).unwrap();
    }

    #[test]
    #[cfg_attr(windows, ignore = "there git may have changed what it wrote, so that its ids say nothing")]
    fn index_vouches_only_for_settled_plain_entries() {
        let git = Sandbox::git();
        let names = ["settled.rs", "racy.rs", "modified.rs", "assumed.rs", "touched.rs"];
        for name in names {
            set_mtime(&git.write(name, format!("// {name}\n")), 100);
        }
        set_mtime(&git.root.join("racy.rs"), 10);
        git.run(&["add", "."]);
        git.run(&["update-index", "--assume-unchanged", "assumed.rs"]);
        set_mtime(&git.write("modified.rs", "// MODIFIED.rs\n"), 50);
        git.write("intended.rs", "x");
        git.run(&["add", "-N", "intended.rs"]);
        set_mtime(&git.root.join("touched.rs"), 99);
        // Now the index is as old as this one file, as when both were written in one clock tick.
        let racy = git.root.join("racy.rs").metadata().unwrap().modified().unwrap();
        fs::File::options().write(true).open(git.root.join(".git/index")).unwrap().set_modified(racy).unwrap();

        let listing = git.list();
        let ids: Vec<_> = listing.files.iter().filter(|file| file.git_id.is_some()).collect();
        assert_eq!(ids.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["settled.rs"]);
        assert_eq!(ids[0].git_id.unwrap().to_string(), git.run(&["hash-object", "settled.rs"]));
    }

    #[test]
    fn broken_index_is_an_error() {
        let git = Sandbox::git();
        git.write(".git/index", "DIRC nonsense");
        let workspace = discover(&git.root).unwrap();
        assert!(matches!(GitState::read(&workspace), Err(ScanError::Index { .. })));
    }
}
