//! Git objects of repositories in the object store, where nodes take them from.
//!
//! ```text
//! git/FAMILY/HASH         the list of the pieces of a pack: hash and size of each
//! git/FAMILY/pieces/HASH  a piece
//! ```
//!
//! Names are BLAKE3 hashes of what they name. Nothing is believed: pieces are compared with their
//! hashes, the pack with its own, and git checks every object in it.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::time::Instant;

use codecompass_engine::objects::{ObjectError, ObjectStore};

/// The size of a piece.
const PIECE: usize = 16 << 20;
/// The longest list.
const MAX_LIST: u64 = 4 << 20;
/// The first line of a list.
const HEAD: &str = "codecompass pack 1";

/// The reason why a pack was not written or read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PackError {
    /// The object store has something else than was written to it.
    Damaged(String),
    Failed(String),
}

fn damaged(reason: &str) -> PackError {
    PackError::Damaged(reason.to_string())
}

/// Writes an object; one that is there already must be as large.
fn put(objects: &dyn ObjectStore, name: &str, bytes: &[u8], until: Instant) -> Result<(), PackError> {
    let unwritable = |error| PackError::Failed(format!("a pack cannot be stored: {error}"));
    if !objects.put_new(name, bytes, until).map_err(unwritable)?
        && objects.size(name, until).map_err(unwritable)? != Some(bytes.len() as u64)
    {
        return Err(damaged("a piece of a pack in the object store is damaged"));
    }
    Ok(())
}

/// Writes a pack and returns the name of its list.
pub(super) fn upload(
    objects: &dyn ObjectStore,
    family: &str,
    pack: &Path,
    until: Instant,
) -> Result<String, PackError> {
    let unreadable = |error: std::io::Error| PackError::Failed(format!("a pack cannot be read: {error}"));
    let mut file = File::open(pack).map_err(unreadable)?;
    let (mut whole, mut lines) = (blake3::Hasher::new(), Vec::new());
    loop {
        let mut piece = Vec::with_capacity(1 << 16);
        (&mut file).take(PIECE as u64).read_to_end(&mut piece).map_err(unreadable)?;
        if piece.is_empty() {
            break;
        }
        whole.update(&piece);
        let hash = blake3::hash(&piece).to_hex();
        put(objects, &format!("git/{family}/pieces/{hash}"), &piece, until)?;
        lines.push(format!("{hash} {}", piece.len()));
    }
    let list = format!("{HEAD}\n{}\n{}\n", whole.finalize().to_hex(), lines.join("\n"));
    let name = format!("git/{family}/{}", blake3::hash(list.as_bytes()).to_hex());
    put(objects, &name, list.as_bytes(), until)?;
    Ok(name)
}

/// The list of a pack: its hash, and the hash and size of each piece.
struct PackList {
    hash: String,
    pieces: Vec<(String, u64)>,
}

fn unreadable(error: ObjectError) -> PackError {
    match error {
        ObjectError::Malformed { .. } => PackError::Damaged(error.to_string()),
        error => PackError::Failed(error.to_string()),
    }
}

fn read_list(objects: &dyn ObjectStore, family: &str, name: &str, until: Instant) -> Result<PackList, PackError> {
    let wrong = || damaged("the list of a pack is damaged");
    let hash = name.strip_prefix(&format!("git/{family}/")).ok_or_else(wrong)?;
    let list = objects.get(name, MAX_LIST, until).map_err(unreadable)?;
    let list = list.ok_or_else(|| damaged("a pack is not in the object store"))?;
    if blake3::hash(&list).to_hex().as_str() != hash {
        return Err(wrong());
    }
    let list = String::from_utf8(list).map_err(|_| wrong())?;
    let mut lines = list.lines();
    let (head, whole) = (lines.next().ok_or_else(wrong)?, lines.next().ok_or_else(wrong)?);
    if head != HEAD {
        return Err(PackError::Failed("a pack is of a format that this program does not know".into()));
    }
    let piece = |line: &str| {
        let (hash, size) = line.split_once(' ')?;
        Some((hash.to_string(), size.parse().ok()?))
    };
    let pieces = lines.filter(|line| !line.is_empty()).map(piece).collect::<Option<_>>().ok_or_else(wrong)?;
    Ok(PackList { hash: whole.to_string(), pieces })
}

/// Returns the names of the objects that a pack consists of.
pub(super) fn objects_of(
    objects: &dyn ObjectStore,
    family: &str,
    name: &str,
    until: Instant,
) -> Result<Vec<String>, PackError> {
    let list = read_list(objects, family, name, until)?;
    let pieces = list.pieces.iter().map(|(hash, _)| format!("git/{family}/pieces/{hash}"));
    Ok(pieces.chain([name.to_string()]).collect())
}

/// Reads a pack into a file and returns its hash. At most `limit` bytes are read.
pub(super) fn download(
    objects: &dyn ObjectStore,
    family: &str,
    name: &str,
    into: &Path,
    (limit, until): (u64, Instant),
) -> Result<String, PackError> {
    let list = read_list(objects, family, name, until)?;
    let unwritable = |error: std::io::Error| PackError::Failed(format!("a pack cannot be written: {error}"));
    let mut file = File::create(into).map_err(unwritable)?;
    let mut left = limit;
    for (hash, size) in list.pieces {
        let too_large = || PackError::Failed("a pack is larger than allowed".into());
        left = left.checked_sub(size).filter(|_| size <= PIECE as u64).ok_or_else(too_large)?;
        let piece = objects.get(&format!("git/{family}/pieces/{hash}"), size, until).map_err(unreadable)?;
        let piece = piece.ok_or_else(|| damaged("a piece of a pack is not in the object store"))?;
        if blake3::hash(&piece).to_hex().as_str() != hash {
            return Err(damaged("the checksum of a piece of a pack does not match"));
        }
        file.write_all(&piece).map_err(unwritable)?;
    }
    Ok(list.hash)
}

/// Returns the packs that a source has already, by name.
pub(super) fn known(source: &Path) -> Vec<String> {
    let text = fs::read_to_string(source.join("codecompass-packs")).unwrap_or_default();
    text.lines().map(str::to_string).collect()
}

/// Notes that a source has a pack.
pub(super) fn note(source: &Path, name: &str) -> std::io::Result<()> {
    let mut file = fs::OpenOptions::new().create(true).append(true).open(source.join("codecompass-packs"))?;
    writeln!(file, "{name}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use codecompass_engine::objects::{self, PlaceOptions};

    use super::*;

    #[test]
    fn packs_come_back_and_damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("file://{}", folder.path().join("objects").display());
        let store = objects::open(&PlaceOptions { url, ..PlaceOptions::default() }).unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        let (pack, copy) = (folder.path().join("pack"), folder.path().join("copy"));
        let bytes: Vec<u8> = (0..PIECE + 1000).map(|at| (at / 7) as u8).collect();
        fs::write(&pack, &bytes).unwrap();
        let name = upload(store.as_ref(), "fa", &pack, until).unwrap();
        assert_eq!(upload(store.as_ref(), "fa", &pack, until).unwrap(), name);
        let hash = download(store.as_ref(), "fa", &name, &copy, (1 << 30, until)).unwrap();
        assert_eq!((hash.as_str(), fs::read(&copy).unwrap()), (blake3::hash(&bytes).to_hex().as_str(), bytes));
        let small = download(store.as_ref(), "fa", &name, &copy, (1000, until)).unwrap_err();
        assert_eq!(small, PackError::Failed("a pack is larger than allowed".into()));
        assert!(download(store.as_ref(), "fb", &name, &copy, (1 << 30, until)).is_err());
        let pieces = folder.path().join("objects/git/fa/pieces");
        let piece = fs::read_dir(pieces).unwrap().next().unwrap().unwrap().path();
        let mut damaged = fs::read(&piece).unwrap();
        damaged[5] ^= 1;
        fs::remove_file(&piece).unwrap();
        fs::write(&piece, damaged).unwrap();
        let error = download(store.as_ref(), "fa", &name, &copy, (1 << 30, until)).unwrap_err();
        assert!(matches!(&error, PackError::Damaged(reason) if reason.contains("checksum")), "{error:?}");
    }
}
