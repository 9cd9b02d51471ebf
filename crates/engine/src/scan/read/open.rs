//! Opens files below a root, and nothing else, whatever happens to the directories on the way.
//!
//! A check before opening is not enough: between the two, another process may replace a directory
//! by a link. So the opening itself follows no link. Linux does that in one step (`openat2`); where
//! that is not available, and on other Unix systems, each directory is opened from the one above
//! it. A link that leads from one folder of the root to another is resolved first, and its target
//! is opened in the same way. Windows has no such call; there the path is checked first.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::model::{FileStat, SkipReason};
use crate::scan::stat::stat_of;

/// An editor may rename a new file into place while we look, so what does not fit together deserves
/// another try.
const ATTEMPTS: usize = 5;

/// The reason why something that exists is not opened.
pub(crate) type Refusal = (SkipReason, FileStat);

/// A directory whose files are opened: the one that was there at the beginning, whatever has its
/// name later.
pub struct Root {
    path: PathBuf,
    #[cfg(unix)]
    handle: Result<std::os::fd::OwnedFd, rustix::io::Errno>,
}

impl Root {
    /// The directory at `path`, which is canonical. Whether it can be opened shows when something
    /// in it is asked for.
    pub fn new(path: &Path) -> Root {
        Root {
            path: cfg!(windows).then(|| spelled(path).ok()).flatten().unwrap_or_else(|| path.to_path_buf()),
            #[cfg(unix)]
            handle: unix::open_root(path),
        }
    }

    /// Opens the regular file at `path` below the root, without following a link there.
    pub(crate) fn open(&self, path: &str) -> io::Result<Result<File, Refusal>> {
        let path = plain(Path::new(path))?;
        for _ in 0..ATTEMPTS {
            if let Some(opened) = self.attempt(path)? {
                return Ok(opened);
            }
        }
        Err(io::Error::other("replaced again and again while it was opened"))
    }

    /// Opens the file at `path` even if it, too, is a link to another place below the root; nothing
    /// for one that leads out.
    pub fn open_resolved(&self, path: &str) -> io::Result<Option<File>> {
        let path = spelled(&self.path.join(plain(Path::new(path))?))?;
        match path.strip_prefix(&self.path) {
            Ok(inside) => self.open_exactly(inside)?.map(Some).ok_or_else(|| io::Error::other("it is no file")),
            Err(_) => Ok(None),
        }
    }

    /// The place below the root where what stands at `path` really is; nothing if a directory on
    /// the way leads out.
    fn resolve(&self, path: &Path) -> io::Result<Option<PathBuf>> {
        let Some((parent, name)) = path.parent().zip(path.file_name()) else { return Ok(None) };
        let parent = spelled(&self.path.join(parent))?;
        Ok(parent.strip_prefix(&self.path).ok().map(|parent| parent.join(name)))
    }

    /// Returns the reason why the entry at `path`, which is no file, is not opened; `None` if it
    /// became a file.
    fn refusal(&self, path: &Path) -> io::Result<Option<Refusal>> {
        let Some(real) = self.resolve(path)? else { return Ok(Some((SkipReason::Symlink, FileStat::default()))) };
        let entry = fs::symlink_metadata(self.path.join(real))?;
        Ok(match (entry.is_symlink(), entry.is_file()) {
            (true, _) => Some((SkipReason::Symlink, stat_of(&entry))),
            (_, false) => Some((SkipReason::NotAFile, stat_of(&entry))),
            (_, true) => None,
        })
    }
}

/// Returns the real location of a path in the spelling of `canonicalize`: on Windows, other
/// spellings differ between short and long paths, so they cannot be compared.
#[expect(clippy::disallowed_methods, reason = "nobody sees them")]
fn spelled(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

/// The path, if it only leads downwards.
fn plain(path: &Path) -> io::Result<&Path> {
    let is_plain = path.components().all(|component| matches!(component, Component::Normal(_)));
    if is_plain && path.file_name().is_some() {
        Ok(path)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "the path leads out of the workspace"))
    }
}

#[cfg(unix)]
mod unix {
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    #[cfg(any(target_os = "linux", target_os = "android"))]
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat};
    use rustix::io::Errno;

    use super::*;

    /// Flags for opening directories on the way: without the permission to list them where the
    /// system supports that.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

    /// Flags for opening files; opening a pipe that took the place of a file does not block.
    const FILE: OFlags =
        OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

    pub(crate) fn open_root(path: &Path) -> Result<OwnedFd, Errno> {
        rustix::fs::open(path, DIRECTORY, Mode::empty())
    }

    impl Root {
        fn handle(&self) -> io::Result<BorrowedFd<'_>> {
            self.handle.as_ref().map(AsFd::as_fd).map_err(|error| (*error).into())
        }

        /// One try; nothing if what was found was not what was opened.
        pub(crate) fn attempt(&self, path: &Path) -> io::Result<Option<Result<File, Refusal>>> {
            // Pipes and devices are better not opened at all. This look may be led astray, the
            // opening below may not.
            if !is_file(statat(self.handle()?, path, AtFlags::SYMLINK_NOFOLLOW)?.st_mode) {
                return Ok(self.refusal(path)?.map(Err));
            }
            match self.open_exactly(path) {
                Err(error) if is_misled(&error) => {}
                opened => return Ok(opened?.map(Ok)),
            }
            let Some(real) = self.resolve(path)? else {
                return Ok(Some(Err((SkipReason::Symlink, FileStat::default()))));
            };
            match self.open_exactly(&real) {
                Err(error) if is_misled(&error) => Ok(None),
                opened => Ok(opened?.map(Ok)),
            }
        }

        /// Opens what is at `path`, no part of which may be a link; nothing if it is no regular
        /// file.
        pub(crate) fn open_exactly(&self, path: &Path) -> io::Result<Option<File>> {
            let file = File::from(beneath(self.handle()?, path)?);
            Ok(file.metadata()?.is_file().then_some(file))
        }
    }

    fn is_file(mode: rustix::fs::RawMode) -> bool {
        FileType::from_raw_mode(mode) == FileType::RegularFile
    }

    /// Returns whether there is a link on the way, or things moved.
    fn is_misled(error: &io::Error) -> bool {
        let known = [Errno::LOOP, Errno::XDEV, Errno::AGAIN, Errno::NXIO, Errno::MLINK];
        Errno::from_io_error(error).is_some_and(|error| known.contains(&error))
    }

    /// Opens `path` below `root` without following any link.
    fn beneath(root: BorrowedFd<'_>, path: &Path) -> Result<OwnedFd, Errno> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            use rustix::fs::{ResolveFlags, openat2};
            /// Older kernels do not have it, and some sandboxes do not allow it.
            static HAS_OPENAT2: AtomicBool = AtomicBool::new(true);
            if HAS_OPENAT2.load(Ordering::Relaxed) {
                match openat2(root, path, FILE, Mode::empty(), ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS) {
                    Err(Errno::NOSYS | Errno::PERM) => HAS_OPENAT2.store(false, Ordering::Relaxed),
                    opened => return opened,
                }
            }
        }
        step_by_step(root, path)
    }

    /// Opens a file below a root, directory by directory.
    pub(crate) fn step_by_step(root: BorrowedFd<'_>, path: &Path) -> Result<OwnedFd, Errno> {
        let mut names = path.iter().peekable();
        let mut directory: Option<OwnedFd> = None;
        while let Some(name) = names.next() {
            let at = directory.as_ref().map_or(root, AsFd::as_fd);
            let is_last = names.peek().is_none();
            let opened = openat(at, name, if is_last { FILE } else { DIRECTORY }, Mode::empty());
            let opened = opened.map_err(|error| match statat(at, name, AtFlags::SYMLINK_NOFOLLOW) {
                // Systems call a link that is not followed by different names.
                Ok(entry) if FileType::from_raw_mode(entry.st_mode) == FileType::Symlink => Errno::LOOP,
                _ => error,
            })?;
            if is_last {
                return Ok(opened);
            }
            directory = Some(opened);
        }
        Err(Errno::INVAL)
    }
}

#[cfg(not(unix))]
impl Root {
    fn attempt(&self, path: &Path) -> io::Result<Option<Result<File, Refusal>>> {
        if let Some(refusal) = self.refusal(path)? {
            return Ok(Some(Err(refusal)));
        }
        let Some(real) = self.resolve(path)? else {
            return Ok(Some(Err((SkipReason::Symlink, FileStat::default()))));
        };
        Ok(self.open_exactly(&real)?.map(Ok))
    }

    /// Opens what is at `path`, if it is a regular file; that nothing on the way is a link was
    /// looked at before.
    fn open_exactly(&self, path: &Path) -> io::Result<Option<File>> {
        let file = File::open(self.path.join(path))?;
        Ok(file.metadata()?.is_file().then_some(file))
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::fd::AsFd;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;
    use crate::config::IndexConfig;
    use crate::scan::read::ReadOutcome;
    use crate::scan::source::Source;
    use crate::scan::testing::Sandbox;

    fn text(file: File) -> String {
        let mut text = String::new();
        { file }.read_to_string(&mut text).unwrap();
        text
    }

    /// A root with a file in a folder, a link to that folder, and links that lead out.
    fn linked() -> Sandbox {
        let plain = Sandbox::plain();
        plain.write("real/deep/file.rs", "inside");
        let outside = plain.root.parent().unwrap().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("file.rs"), "secret").unwrap();
        symlink(plain.root.join("real/deep"), plain.root.join("within")).unwrap();
        symlink("within", plain.root.join("twice")).unwrap();
        symlink(&outside, plain.root.join("out")).unwrap();
        symlink("../outside", plain.root.join("up")).unwrap();
        symlink(&plain.root, plain.root.join("round")).unwrap();
        symlink("real/deep/file.rs", plain.root.join("link.rs")).unwrap();
        plain
    }

    #[test]
    fn links_between_folders_are_followed_and_links_that_lead_out_are_not() {
        let plain = linked();
        let root = Root::new(&plain.root);
        for path in ["real/deep/file.rs", "within/file.rs", "twice/file.rs", "round/round/within/file.rs"] {
            assert_eq!(text(root.open(path).unwrap().unwrap()), "inside", "{path}");
        }
        for path in ["out/file.rs", "up/file.rs", "round/out/file.rs", "link.rs", "within", "out"] {
            let (reason, _) = root.open(path).unwrap().unwrap_err();
            assert_eq!(reason, SkipReason::Symlink, "{path}");
        }
        assert_eq!(root.open("real").unwrap().unwrap_err().0, SkipReason::NotAFile);
        // One that follows the last link, too, but not out.
        assert_eq!(text(root.open_resolved("link.rs").unwrap().unwrap()), "inside");
        assert!(root.open_resolved("out/file.rs").unwrap().is_none());
        assert_eq!(root.open_resolved("none").unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(root.open_resolved("../outside/file.rs").unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn the_long_way_is_the_same() {
        let plain = linked();
        let root = Root::new(&plain.root);
        let handle = root.handle.as_ref().unwrap().as_fd();
        let open = |path: &str| unix::step_by_step(handle, Path::new(path)).map(|file| text(file.into()));
        assert_eq!(open("real/deep/file.rs").unwrap(), "inside");
        for path in ["within/file.rs", "out/file.rs", "up/file.rs", "link.rs", "round/real/deep/file.rs"] {
            assert_eq!(open(path).unwrap_err(), rustix::io::Errno::LOOP, "{path}");
        }
        assert_eq!(open("real/deep/file.rs/below").unwrap_err(), rustix::io::Errno::NOTDIR);
        assert_eq!(open("real/none/file.rs").unwrap_err(), rustix::io::Errno::NOENT);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the library has no other way to make a pipe")]
    fn pipes_and_sockets_do_not_make_it_wait() {
        let plain = Sandbox::plain();
        let pipe = plain.root.join("pipe.rs");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let _socket = std::os::unix::net::UnixListener::bind(plain.root.join("socket.rs")).unwrap();
        let root = Root::new(&plain.root);
        for path in ["pipe.rs", "socket.rs"] {
            assert_eq!(root.open(path).unwrap().unwrap_err().0, SkipReason::NotAFile, "{path}");
            // Even if it took the place of a file after we had looked.
            assert!(root.open_exactly(Path::new(path)).ok().flatten().is_none(), "{path}");
        }
    }

    /// Lets two entries change their places, in one step where that can be done.
    #[cfg(target_os = "linux")]
    fn swap(one: &Path, other: &Path) {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
    }

    #[cfg(not(target_os = "linux"))]
    fn swap(one: &Path, other: &Path) {
        let aside = one.with_file_name("aside");
        fs::rename(one, &aside).unwrap();
        fs::rename(other, one).unwrap();
        fs::rename(&aside, other).unwrap();
    }

    /// While a folder is swapped thousands of times with a link that leads out of the root, no
    /// content from outside is read.
    #[test]
    fn a_folder_that_becomes_a_link_shows_nothing() {
        let plain = Sandbox::plain();
        let outside = plain.root.parent().unwrap().join("outside/sub");
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("file.rs"), "secret").unwrap();
        fs::write(outside.join("only_outside.rs"), "secret").unwrap();
        plain.write("folder/sub/file.rs", "inside");
        let (folder, link) = (plain.root.join("folder"), plain.root.join("link"));
        symlink(outside.parent().unwrap(), &link).unwrap();
        let (is_done, swaps) = (AtomicBool::new(false), AtomicUsize::new(0));
        let seen = [const { AtomicUsize::new(0) }; 2];
        let (source, root) = (Source::Directory(plain.root.clone()), Root::new(&plain.root));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    swap(&folder, &link);
                    swaps.fetch_add(1, Ordering::Relaxed);
                }
            });
            let readers: Vec<_> = (0..2)
                .map(|number| {
                    let (source, swaps, seen, handle) = (&source, &swaps, &seen, root.handle.as_ref().unwrap().as_fd());
                    scope.spawn(move || {
                        let reader = source.reader();
                        let path = ["folder/sub/file.rs", "folder/sub/only_outside.rs"][number];
                        let mut count = 0;
                        while count < 20_000 || swaps.load(Ordering::Relaxed) < 5_000 {
                            count += 1;
                            match reader.read(path, None, &IndexConfig::default()) {
                                ReadOutcome::Text(read) => {
                                    seen[0].fetch_add(1, Ordering::Relaxed);
                                    assert_eq!((read.text.as_str(), number), ("inside", 0));
                                }
                                ReadOutcome::Skipped { reason: SkipReason::Symlink, .. } => {
                                    seen[1].fetch_add(1, Ordering::Relaxed);
                                }
                                ReadOutcome::Skipped { .. } | ReadOutcome::Vanished => {}
                            }
                            // The long way has no link to follow, either.
                            if let Ok(file) = unix::step_by_step(handle, Path::new(path)) {
                                assert_eq!(text(file.into()), "inside");
                            }
                        }
                    })
                })
                .collect();
            let ended: Vec<_> = readers.into_iter().map(|reader| reader.join()).collect();
            is_done.store(true, Ordering::Relaxed);
            ended.into_iter().for_each(|ended| ended.unwrap());
        });
        let seen = seen.map(AtomicUsize::into_inner);
        assert!(seen.iter().all(|count| *count > 0), "both sides were met: {seen:?}");
    }
}
