//! The archive of a store: one file that carries it to another machine.
//!
//! ```text
//! "CodeCompass state\n"   18 bytes
//! archive version         4 bytes, little endian
//! one zstd frame:
//!     header length       4 bytes, little endian
//!     header              JSON, see `header`
//!     header checksum     32 bytes of BLAKE3
//!     files               one after the other, as the header lists them
//! ```
//!
//! There are no links or permissions in it: a file is `index.db`, or `text/` or `vectors/` and a
//! plain name, and a header that names anything else is refused before a byte is written. Nothing
//! in it depends on the clock: the same store gives the same bytes.

pub(crate) mod export_import;
pub(crate) mod header;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::files;
use crate::progress::{Progress, Stage};
use crate::store::archive::header::{ArchiveHeader, ArchivedFile};

/// The archive version that this program writes and reads.
pub(crate) const ARCHIVE: u32 = 1;

const MAGIC: &[u8; 18] = b"CodeCompass state\n";
const MAX_HEADER: u32 = 64 << 20;
const LEVEL: i32 = 3;
const BUFFER: usize = 1 << 17;

/// Writes `sources`, by name and place, to an archive at `path`, which is replaced by rename. The
/// header's list of files is filled in and the whole header returned.
pub(crate) fn write(
    path: &Path,
    mut header: ArchiveHeader,
    sources: &[(String, PathBuf)],
    progress: &dyn Progress,
) -> Result<ArchiveHeader> {
    header.files.clear();
    for (name, place) in sources {
        let mut hasher = blake3::Hasher::new();
        let size = File::open(place)
            .and_then(|mut file| copy(&mut file, u64::MAX, &mut hasher, &mut |_| Ok(())))
            .map_err(|source| files::unwritable(place, source))?;
        header.files.push(ArchivedFile { name: name.clone(), size, blake3: hasher.finalize().to_hex().to_string() });
    }
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.new", std::process::id()));
    let temporary = PathBuf::from(temporary);
    let written = write_to(&temporary, &header, sources, progress).and_then(|()| fs::rename(&temporary, path));
    match written {
        Ok(()) => Ok(header),
        Err(source) => {
            let _ = fs::remove_file(&temporary);
            Err(if progress.is_cancelled() {
                Error::Cancelled
            } else {
                Error::ArchiveFile { action: "write", path: path.to_path_buf(), source }
            })
        }
    }
}

fn write_to(
    path: &Path,
    header: &ArchiveHeader,
    sources: &[(String, PathBuf)],
    progress: &dyn Progress,
) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    out.write_all(MAGIC)?;
    out.write_all(&ARCHIVE.to_le_bytes())?;
    let mut out = zstd::Encoder::new(out, LEVEL)?;
    let text = serde_json::to_vec(header)?;
    out.write_all(&(text.len() as u32).to_le_bytes())?;
    out.write_all(&text)?;
    out.write_all(blake3::hash(&text).as_bytes())?;
    let mut meter = Meter::new(progress, header.total_bytes());
    for (file, (_, place)) in header.files.iter().zip(sources) {
        let mut hasher = blake3::Hasher::new();
        let size = copy(&mut File::open(place)?, file.size, &mut hasher, &mut |bytes| {
            meter.advance(bytes.len())?;
            out.write_all(bytes)
        })?;
        if size != file.size || hasher.finalize().to_hex().as_str() != file.blake3 {
            return Err(io::Error::other(format!("{} changed while it was read", file.name)));
        }
    }
    let file = out.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()
}

/// An archive that is being read.
pub(crate) struct Archive {
    path: PathBuf,
    pub(crate) header: ArchiveHeader,
    body: zstd::Decoder<'static, BufReader<File>>,
}

impl Archive {
    /// Opens an archive and reads its header.
    pub(crate) fn open(path: &Path) -> Result<Archive> {
        let unreadable = |source| Error::ArchiveFile { action: "read", path: path.to_path_buf(), source };
        let refused = |detail: &str| Error::Archive { path: path.to_path_buf(), detail: detail.into() };
        let damaged = |error: io::Error| damaged(path, &error);
        let mut file = File::open(path).map_err(unreadable)?;
        if !file.metadata().map_err(unreadable)?.is_file() {
            return Err(refused("it is not a file"));
        }
        let mut prefix = [0; MAGIC.len() + 4];
        let (magic, version) = match file.read_exact(&mut prefix) {
            Ok(()) => prefix.split_at(MAGIC.len()),
            Err(_) => return Err(refused("it is not an archive of a store")),
        };
        if magic != MAGIC {
            return Err(refused("it is not an archive of a store"));
        }
        let found = u32::from_le_bytes(version.try_into().expect("four bytes are left"));
        if found != ARCHIVE {
            let (found, supported) = (i64::from(found), i64::from(ARCHIVE));
            return Err(Error::ArchiveIncompatible {
                path: path.to_path_buf(),
                what: "archive version",
                found,
                supported,
            });
        }
        let mut body = zstd::Decoder::new(file).map_err(unreadable)?.single_frame();
        let mut length = [0; 4];
        body.read_exact(&mut length).map_err(damaged)?;
        let length = u32::from_le_bytes(length);
        if length > MAX_HEADER {
            return Err(refused("its header is too long"));
        }
        let mut text = Vec::new();
        (&mut body).take(length.into()).read_to_end(&mut text).map_err(damaged)?;
        let mut checksum = [0; blake3::OUT_LEN];
        body.read_exact(&mut checksum).map_err(damaged)?;
        if blake3::hash(&text) != blake3::Hash::from_bytes(checksum) {
            return Err(refused("the checksum of its header does not match"));
        }
        let header: ArchiveHeader =
            serde_json::from_slice(&text).map_err(|error| refused(&format!("its header makes no sense: {error}")))?;
        match header.flaw() {
            Some(flaw) => Err(refused(&flaw)),
            None => Ok(Archive { path: path.to_path_buf(), header, body }),
        }
    }

    /// Reads all files and compares their checksums; writes them below `folder`, or nowhere.
    pub(crate) fn unpack(mut self, folder: Option<&Path>, progress: &dyn Progress) -> Result<ArchiveHeader> {
        let refused = |detail: String| Error::Archive { path: self.path.clone(), detail };
        let mut meter = Meter::new(progress, self.header.total_bytes());
        for file in &self.header.files {
            let unwritable = |source| files::unwritable(folder.unwrap_or(&self.path), source);
            let mut out = match folder {
                Some(folder) => {
                    let place = folder.join(&file.name);
                    place.parent().map_or(Ok(()), fs::create_dir_all).map_err(unwritable)?;
                    Some(File::create_new(place).map_err(unwritable)?)
                }
                None => None,
            };
            let mut hasher = blake3::Hasher::new();
            let mut failed = None;
            let size = copy(&mut self.body, file.size, &mut hasher, &mut |bytes| {
                meter.advance(bytes.len())?;
                let written = out.as_mut().map_or(Ok(()), |out| out.write_all(bytes));
                written.map_err(|error| {
                    failed = Some(error);
                    io::Error::other("the copy cannot be written")
                })
            });
            let size = match (size, failed) {
                (_, Some(error)) => return Err(unwritable(error)),
                (Err(_), None) if progress.is_cancelled() => return Err(Error::Cancelled),
                (size, None) => size.map_err(|error| damaged(&self.path, &error))?,
            };
            if size != file.size {
                return Err(refused("it is cut short".into()));
            }
            if hasher.finalize().to_hex().as_str() != file.blake3 {
                return Err(refused(format!("the checksum of `{}` does not match", file.name)));
            }
        }
        let more = self.body.read(&mut [0]).map_err(|error| damaged(&self.path, &error))?;
        let rest = self.body.finish().fill_buf().map_or(0, <[u8]>::len);
        match more + rest {
            0 => Ok(self.header),
            _ => Err(Error::Archive { path: self.path, detail: "something follows its last file".into() }),
        }
    }
}

fn damaged(path: &Path, error: &io::Error) -> Error {
    let detail = match error.kind() {
        io::ErrorKind::UnexpectedEof => "it is cut short".to_string(),
        _ => format!("it is damaged: {error}"),
    };
    Error::Archive { path: path.to_path_buf(), detail }
}

/// Hands up to `limit` bytes to `sink`, hashing them; returns how many there were.
fn copy(
    from: &mut dyn Read,
    limit: u64,
    hasher: &mut blake3::Hasher,
    sink: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<u64> {
    let mut buffer = vec![0; BUFFER];
    let mut done = 0;
    while done < limit {
        let wanted = usize::try_from(limit - done).map_or(BUFFER, |left| left.min(BUFFER));
        let count = match from.read(&mut buffer[..wanted]) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(&buffer[..count]);
        sink(&buffer[..count])?;
        done += count as u64;
    }
    Ok(done)
}

/// Tells how far the work is, in bytes.
struct Meter<'a> {
    progress: &'a dyn Progress,
    done: u64,
    total: u64,
}

impl Meter<'_> {
    fn new(progress: &dyn Progress, total: u64) -> Meter<'_> {
        progress.report(Stage::Copying, 0, total as usize);
        Meter { progress, done: 0, total }
    }

    fn advance(&mut self, bytes: usize) -> io::Result<()> {
        self.done += bytes as u64;
        self.progress.report(Stage::Copying, self.done as usize, self.total as usize);
        if self.progress.is_cancelled() { Err(io::Error::other("cancelled")) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use codecompass_testkit::TestWorkspace;

    use super::*;
    use crate::config::Config;
    use crate::engine::Engine;
    use crate::progress::NoProgress;
    use crate::store::archive::header::ArchivedRepository;
    use crate::store::disk::layout;
    use crate::store::sqlite::db;
    use crate::sync;
    use crate::sync::SyncOptions;

    /// Writes an archive with a header and files of the caller's choice.
    fn forged(folder: &Path, edit: impl FnOnce(&mut ArchiveHeader), files: &[(&str, &[u8])]) -> PathBuf {
        let repository = ArchivedRepository { kind: "git".into(), name: "x".into(), path: "/x/.git".into() };
        let mut header = ArchiveHeader {
            archive: ARCHIVE,
            format: db::FORMAT,
            facts: db::FACTS,
            program: "0".into(),
            repository,
            root: None,
            views: Vec::new(),
            files: Vec::new(),
        };
        edit(&mut header);
        let mut sources = Vec::new();
        for (number, (name, content)) in files.iter().enumerate() {
            let place = folder.join(format!("source{number}"));
            fs::write(&place, content).unwrap();
            sources.push((name.to_string(), place));
        }
        let path = folder.join("archive");
        write(&path, header, &sources, &NoProgress).unwrap();
        path
    }

    const PLAIN: [(&str, &[u8]); 2] = [("index.db", b"database"), ("text/meta.json", b"{}")];

    #[test]
    fn what_goes_in_comes_out() {
        let folder = tempfile::tempdir().unwrap();
        let large = (0..BUFFER * 3 + 7).map(|n| (n * n % 251) as u8).collect::<Vec<u8>>();
        let files: [(&str, &[u8]); 4] = [PLAIN[0], ("text/.managed.json", b""), PLAIN[1], ("text/a.idx", &large)];
        let path = forged(folder.path(), |_| {}, &files);
        let out = folder.path().join("out");
        fs::create_dir_all(out.join("text")).unwrap();
        let header = Archive::open(&path).unwrap().unpack(Some(&out), &NoProgress).unwrap();
        assert_eq!(header.files.len(), 4);
        for (name, content) in files {
            assert!(fs::read(out.join(name)).unwrap() == content, "{name}");
        }
        // What is there is never written over.
        let again = Archive::open(&path).unwrap().unpack(Some(&out), &NoProgress);
        assert!(matches!(again, Err(Error::Unwritable { .. })));
    }

    #[test]
    fn names_cannot_lead_out() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["../escaped", "/tmp/escaped", "text/../../escaped", "text/sub/file", "current", "index.db-wal"] {
            let path = forged(folder.path(), |_| {}, &[PLAIN[0], PLAIN[1], (name, b"evil")]);
            let refused = Archive::open(&path).err().unwrap().to_string();
            assert!(refused.ends_with("which is no file of a store"), "{refused}");
        }
        let twice = forged(folder.path(), |_| {}, &[PLAIN[0], PLAIN[1], PLAIN[1]]);
        assert!(Archive::open(&twice).err().unwrap().to_string().ends_with("it holds `text/meta.json` twice"));
        let missing = forged(folder.path(), |_| {}, &PLAIN[1..]);
        assert!(Archive::open(&missing).err().unwrap().to_string().ends_with("it lacks `index.db`"));
    }

    #[test]
    fn imports_check_more_than_checksums() {
        let workspace = TestWorkspace::git("//- /a.py\ndef first(): pass\n");
        let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
        sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
        let exported = workspace.beside("exported");
        let header = engine.export_state(&exported, &NoProgress).unwrap();
        let unpacked = workspace.beside("unpacked");
        fs::create_dir_all(unpacked.join("text")).unwrap();
        Archive::open(&exported).unwrap().unpack(Some(&unpacked), &NoProgress).unwrap();
        let sources: Vec<_> = header.files.iter().map(|file| (file.name.clone(), unpacked.join(&file.name))).collect();
        let import = |edit: &dyn Fn(&mut ArchiveHeader)| {
            let mut header = header.clone();
            edit(&mut header);
            let forged = workspace.beside("forged");
            write(&forged, header, &sources, &NoProgress).unwrap();
            engine.import_state(&forged, true, &NoProgress)
        };
        for (what, edit) in [
            ("format", (&|header: &mut ArchiveHeader| header.format += 1) as &dyn Fn(&mut ArchiveHeader)),
            ("format", &|header| header.format -= 1),
            ("facts version", &|header| header.facts += 1),
            ("facts version", &|header| header.facts -= 1),
        ] {
            let refused = import(edit);
            assert!(matches!(&refused, Err(Error::ArchiveIncompatible { what: w, .. }) if *w == what), "{refused:?}");
        }
        // The header may lie; the database does not.
        let database = unpacked.join("index.db");
        let change = |sql: &str| rusqlite::Connection::open(&database).unwrap().execute_batch(sql).unwrap();
        let current = layout::current_data(engine.store_root()).unwrap();
        let own_format = format!("PRAGMA user_version = {}", db::FORMAT);
        for (apply, undo) in [
            ("PRAGMA user_version = 99", own_format.as_str()),
            ("PRAGMA user_version = 1", &own_format),
            ("CREATE TRIGGER evil AFTER INSERT ON view BEGIN DELETE FROM view; END", "DROP TRIGGER evil"),
            ("CREATE TABLE more (x)", "DROP TABLE more"),
            ("ALTER TABLE shared RENAME TO gone", "ALTER TABLE gone RENAME TO shared"),
            ("UPDATE meta SET value = value + 1 WHERE key = 'text_high_water'", "SELECT 1"),
        ] {
            change(apply);
            let refused = import(&|_| {});
            assert!(matches!(refused, Err(Error::Archive { .. } | Error::Incompatible { .. })), "{apply}: {refused:?}");
            assert_eq!(layout::current_data(engine.store_root()).unwrap(), current);
            change(undo);
        }
        change("UPDATE meta SET value = value - 1 WHERE key = 'text_high_water'");
        import(&|_| {}).unwrap();
        for file in header.files.iter().filter(|file| file.name.starts_with("text/") && file.size > 0) {
            let place = unpacked.join(&file.name);
            let sound = fs::read(&place).unwrap();
            for flaw in [&sound[..sound.len() / 2], b"", &vec![0xa5; sound.len()]] {
                fs::write(&place, flaw).unwrap();
                let refused = import(&|_| {});
                assert!(matches!(refused, Err(Error::Archive { .. })), "{}: {refused:?}", file.name);
            }
            fs::write(&place, sound).unwrap();
        }
        fs::write(&database, "no database at all").unwrap();
        let refused = import(&|_| {});
        assert!(matches!(refused, Err(Error::Archive { .. })), "{refused:?}");
        assert_eq!(sync(&engine, SyncOptions::default(), &NoProgress).unwrap().1.parsed, 0);
    }
}
