//! Pull: makes a store from the newest state of its family.
//!
//! Everything is read into a new data folder, each pack and each whole file is compared with its
//! checksum, both parts are opened and looked at, and the views are fitted to this machine. Only
//! then does the store use it; whatever happens before leaves the old state as it is.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::files;
use crate::progress::{Progress, Stage};
use crate::store::archive::export_import::{Destination, Imported, settle_safely};
use crate::store::disk::layout::{self, LOCK_TIMEOUT};
use crate::store::handle::Store;
use crate::store::remote::packs::unpack;
use crate::store::remote::state::{BLOCK, BlockPack, RemoteState};
use crate::store::remote::{Remote, StateName, for_each};

/// The result of a pull.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pulled {
    /// The state that was taken.
    pub state: StateName,
    /// The commit that it was made from.
    pub commit: Option<String>,
    /// Views that it brought, and what it replaced.
    pub imported: Imported,
}

/// Blocks of a pack that belong to a file.
struct FilePiece {
    file: usize,
    /// The first block in the file.
    at: u64,
    /// The first block in the pack.
    first: u32,
    count: u32,
}

impl Store {
    /// Replaces the store by the newest state of its family; if there is one already, only with
    /// `force`.
    pub(crate) fn pull(
        &self,
        remote: &Remote<'_>,
        destination: &Destination<'_>,
        force: bool,
        progress: &dyn Progress,
    ) -> Result<Pulled> {
        self.check_replaceable(force)?;
        let (name, state) = remote.newest()?;
        let _lock = layout::lock_writer(self.root(), LOCK_TIMEOUT, progress)?;
        let replaced = self.check_replaceable(force)?;
        let data = layout::next_data(self.root())?;
        let commit = state.header.views.iter().find(|view| Some(&view.name) == state.header.root.as_ref());
        let commit = commit.or(state.header.views.first()).and_then(|view| view.head_commit.clone());
        let pulled = fs::create_dir_all(&data)
            .map_err(|source| files::unwritable(self.root(), source))
            .and_then(|()| fetch(remote, &state, &data, progress))
            .and_then(|()| {
                settle_safely(&data, &data, state.header, destination).map_err(|error| match error {
                    Error::Archive { detail, .. } => remote.refused(detail),
                    error => error,
                })
            })
            .and_then(|imported| {
                self.claim_place()?;
                layout::make_current(self.root(), &data)?;
                Ok(Pulled { state: name, commit, imported: Imported { replaced, ..imported } })
            });
        if pulled.is_err() && !matches!(layout::current_data(self.root()), Ok(Some(current)) if current == data) {
            let _ = fs::remove_dir_all(&data);
        }
        pulled
    }
}

/// Reads all packs that the state uses and puts its files together below `data`.
fn fetch(remote: &Remote<'_>, state: &RemoteState, data: &Path, progress: &dyn Progress) -> Result<()> {
    let listed = &state.header.files;
    let made: Vec<Mutex<File>> = listed
        .iter()
        .map(|file| make(&data.join(&file.name), file.size).map(Mutex::new))
        .collect::<io::Result<_>>()
        .map_err(|source| files::unwritable(data, source))?;
    let needed = pieces(state);
    let total: u64 = needed.iter().map(|(pack, _)| pack.bytes).sum();
    let done = AtomicU64::new(0);
    progress.report(Stage::Copying, 0, total as usize);
    for_each(remote.concurrency, &needed, |(pack, pieces)| {
        if progress.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let bytes = remote.get(&remote.pack_name(&pack.hash), &pack.hash, pack.bytes)?;
        let blocks = unpack(pack, &bytes).ok_or_else(|| remote.refused("a pack is damaged"))?;
        for piece in pieces {
            let mut file = made[piece.file].lock().unwrap_or_else(PoisonError::into_inner);
            put(&mut file, piece, &blocks, listed[piece.file].size)
                .map_err(|source| files::unwritable(data, source))?;
        }
        let done = done.fetch_add(pack.bytes, Ordering::Relaxed) + pack.bytes;
        progress.report(Stage::Copying, done as usize, total as usize);
        Ok(())
    })?;
    drop(made);
    for_each(remote.concurrency, listed, |file| {
        if hash(&data.join(&file.name)).map_err(|source| files::unwritable(data, source))? == file.blake3 {
            Ok(())
        } else {
            Err(remote.refused(format!("the checksum of `{}` does not match", file.name)))
        }
    })
}

/// Returns the packs that are needed, each with the blocks that are.
fn pieces(state: &RemoteState) -> Vec<(BlockPack, Vec<FilePiece>)> {
    let mut needed: Vec<(BlockPack, Vec<FilePiece>)> = state.packs.iter().map(|pack| (*pack, Vec::new())).collect();
    for (file, runs) in state.places.iter().enumerate() {
        let mut at = 0;
        for run in runs {
            needed[run.pack as usize].1.push(FilePiece { file, at, first: run.first, count: run.count });
            at += u64::from(run.count);
        }
    }
    needed.retain(|(_, pieces)| !pieces.is_empty());
    needed
}

/// Makes a file of this size. Its name was checked with the state.
fn make(path: &Path, size: u64) -> io::Result<File> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    let file = File::create_new(path)?;
    file.set_len(size)?;
    Ok(file)
}

fn put(file: &mut File, piece: &FilePiece, blocks: &[u8], size: u64) -> io::Result<()> {
    let start = piece.at * BLOCK as u64;
    // The last block of a file is filled up in its pack.
    let length = (u64::from(piece.count) * BLOCK as u64).min(size - start) as usize;
    file.seek(SeekFrom::Start(start))?;
    file.write_all(&blocks[piece.first as usize * BLOCK..][..length])
}

fn hash(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 1 << 17];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finalize().to_hex().to_string()),
            count => hasher.update(&buffer[..count]),
        };
    }
}
