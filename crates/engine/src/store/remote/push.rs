//! Push: writes the state of a store to its remote, and only the blocks that the remote lacks.
//!
//! A copy of the database is made and the other files are linked while the writer's lock is held;
//! they are read and sent after that, so that questions and syncs go on. The copy keeps the pages
//! of the original where they are: what did not change is the same block as before.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use codecompass_objects::SigningKey;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::{Error, Result};
use crate::files;
use crate::model::{ViewKind, Workspace};
use crate::progress::{Progress, Stage};
use crate::store::archive::export_import::{CHECKOUT, header_of, other_files};
use crate::store::archive::header::{ArchiveHeader, ArchivedFile, DATABASE};
use crate::store::disk::layout::{self, LOCK_TIMEOUT};
use crate::store::handle::Store;
use crate::store::remote::packs::{self, KnownBlocks, MAX_INDEX, OpenPack, SealedPack};
use crate::store::remote::state::{BLOCK, BlockPack, BlockRun, MAX_BLOCKS, RemoteState};
use crate::store::remote::{Remote, for_each};
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::{db, meta, view};
use crate::store::text::index::{self, TextIndex};

/// A pack with fewer blocks is small; when there are too many of them, they become one.
const SMALL_PACK: u32 = MAX_BLOCKS / 4;
const MAX_SMALL_PACKS: usize = 24;

/// The options of a push.
#[derive(Default)]
pub struct PushOptions<'a> {
    /// The key that signs the state.
    pub key: Option<&'a SigningKey>,
    /// Sends everything, whatever the remote has.
    pub is_full: bool,
}

/// The result of a push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pushed {
    /// The name of the state.
    pub name: String,
    /// False if the remote had it already.
    pub is_new: bool,
    /// The commit that is checked out.
    pub commit: Option<String>,
    /// Bytes of all files.
    pub total_bytes: u64,
    /// Bytes of the blocks that the remote lacked, before compression.
    pub new_bytes: u64,
    /// The packs that hold the state, those that were there included.
    pub packs: usize,
}

/// The files of a store as they were at one moment.
struct Frozen {
    header: ArchiveHeader,
    /// Names, places and sizes.
    files: Vec<(String, PathBuf, u64)>,
}

impl Store {
    /// Writes the state of the store to its remote.
    pub(crate) fn push(
        &self,
        remote: &Remote<'_>,
        options: &PushOptions<'_>,
        workspace: &Workspace,
        progress: &dyn Progress,
    ) -> Result<Pushed> {
        let missing = || Error::NotIndexed { path: workspace.root.clone() };
        layout::current_data(self.root())?.ok_or_else(missing)?;
        let _turn = self.take_turn()?;
        let scratch = self.root().join("push");
        // What a killed push left.
        let _ = fs::remove_dir_all(&scratch);
        let pushed = fs::create_dir(&scratch)
            .map_err(|source| files::unwritable(self.root(), source))
            .and_then(|()| self.freeze(&scratch, workspace, progress))
            .and_then(|frozen| send(remote, options, frozen, progress));
        let _ = fs::remove_dir_all(&scratch);
        pushed
    }

    /// One push at a time; the lock is released when the process dies.
    fn take_turn(&self) -> Result<File> {
        let unwritable = |source| files::unwritable(self.root(), source);
        let file = File::create(self.root().join("push.lock")).map_err(unwritable)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => {
                Err(Error::InvalidInput("another process pushes this index already".into()))
            }
            Err(TryLockError::Error(source)) => Err(unwritable(source)),
        }
    }

    /// Copies the database and links the other files.
    fn freeze(&self, scratch: &Path, workspace: &Workspace, progress: &dyn Progress) -> Result<Frozen> {
        let _lock = layout::lock_writer(self.root(), LOCK_TIMEOUT, progress)?;
        let data = layout::current_data(self.root())?;
        let data = data.ok_or_else(|| Error::NotIndexed { path: workspace.root.clone() })?;
        let db = db::open_for_reading(&data)?;
        let text_index = TextIndex::open(&data)?;
        if !text_index.stamp()?.is_complete(&db)? {
            return Err(Error::Corrupt { path: data, detail: index::TORN.into() });
        }
        let copy = db::file(scratch);
        db.with(|connection| connection.backup("main", &copy, None::<fn(rusqlite::backup::Progress)>))?;
        let vector_file = meta::get(&db, meta::VECTOR_FILE)?;
        drop(db);
        let db = db::open(scratch)?;
        clean(&db, workspace)?;
        let own = (workspace.kind != ViewKind::Commit).then(|| CHECKOUT.to_string());
        let mut header = header_of(&db, workspace, own)?;
        header.repository.path.clear();
        drop(db);
        let mut files = vec![(DATABASE.to_string(), copy)];
        for (name, place) in other_files(&data, &text_index, vector_file)? {
            let link = scratch.join(name.replace('/', "-"));
            // Without links the file is copied.
            fs::hard_link(&place, &link)
                .or_else(|_| fs::copy(&place, &link).map(|_| ()))
                .map_err(|source| files::unwritable(&link, source))?;
            files.push((name, link));
        }
        let files = files.into_iter().map(|(name, place)| {
            let size = fs::metadata(&place).map_err(|source| files::unwritable(&place, source))?.len();
            Ok((name, place, size))
        });
        Ok(Frozen { header, files: files.collect::<Result<_>>()? })
    }
}

/// Removes from a copy of the database what is of use on this machine only. Freed pages are
/// cleared, so that they cost nothing; all others stay where they are.
fn clean(db: &Db, workspace: &Workspace) -> Result<()> {
    db.with(|connection| {
        connection.pragma_update(None, "journal_mode", "delete")?;
        connection.pragma_update(None, "secure_delete", true)
    })?;
    let transaction = db.transaction()?;
    transaction.execute_batch("DELETE FROM file_stat")?;
    let own = workspace.root.to_string_lossy();
    for (id, root) in view::checkouts(&transaction)? {
        if root == own {
            transaction.execute("UPDATE view SET name = ?2 WHERE view_id = ?1", (id, CHECKOUT)).map(|_| ())?
        } else {
            view::drop_view(&transaction, id)?
        }
    }
    view::drop_orphan_layers(&transaction)?;
    transaction.execute_batch("UPDATE view SET used_at = NULL")?;
    transaction.commit()
}

/// Sends the blocks that the remote lacks, then the state.
fn send(remote: &Remote<'_>, options: &PushOptions<'_>, mut frozen: Frozen, progress: &dyn Progress) -> Result<Pushed> {
    let before = match remote.newest() {
        _ if options.is_full => None,
        Ok(found) => Some(found),
        Err(Error::RemoteEmpty { .. } | Error::RemoteRefused { .. }) => None,
        Err(error) => return Err(error),
    };
    let reused = match &before {
        Some((_, state)) => reusable(remote, state)?,
        None => Reused::default(),
    };
    let total_bytes: u64 = frozen.files.iter().map(|(_, _, size)| size).sum();
    let packed = pack(remote, reused, &frozen.files, total_bytes, progress)?;
    frozen.header.files = packed.files;
    let (packs, places) = compact(packed.packs, packed.places);
    let own_view = frozen.header.views.iter().find(|view| view.name == CHECKOUT);
    let commit = own_view.or(frozen.header.views.first()).and_then(|view| view.head_commit.clone());
    let (new_bytes, pack_count) = (packed.new_bytes, packs.len());
    let pushed = |name, is_new| Pushed { name, is_new, commit, total_bytes, new_bytes, packs: pack_count };
    let state = RemoteState { family: remote.family.to_string(), header: frozen.header, packs, places };
    // With a key, a state that is there may still be one that is not signed.
    if let Some((name, before)) = before.filter(|(_, before)| *before == state && options.key.is_none()) {
        debug_assert_eq!(before.header, state.header);
        return Ok(pushed(name.name, false));
    }
    check_packs(remote, &state)?;
    let bytes = state.encode(options.key).map_err(|detail| remote.refused(detail))?;
    let (header, hash) = (&state.header, blake3::hash(&bytes).to_hex());
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_millis());
    let name = format!("{}{:015}-f{}.{}-{hash}", remote.folder("states"), time, header.format, header.facts);
    remote.objects.put_new(&name, &bytes, remote.until).map_err(|error| remote.unreachable(error))?;
    Ok(pushed(name, true))
}

/// Refuses to name packs that a prune has removed since they were found to be there.
fn check_packs(remote: &Remote<'_>, state: &RemoteState) -> Result<()> {
    let listed = remote.objects.list(&remote.folder("packs"), remote.until).map_err(|e| remote.unreachable(e))?;
    let names: FxHashSet<&str> = listed.iter().map(|object| object.name.as_str()).collect();
    if state.packs.iter().all(|pack| names.contains(remote.pack_name(&pack.hash).as_str())) {
        Ok(())
    } else {
        Err(remote.refused("objects were removed while the state was pushed; push again"))
    }
}

/// The packs of the last state that the next one may use.
#[derive(Default)]
struct Reused {
    packs: Vec<BlockPack>,
    known: KnownBlocks,
}

/// Finds the packs that are there, that are mostly in use, and that are not too many small ones.
fn reusable(remote: &Remote<'_>, state: &RemoteState) -> Result<Reused> {
    let listed = remote.objects.list(&remote.folder("packs"), remote.until).map_err(|e| remote.unreachable(e))?;
    let sizes: FxHashMap<&str, u64> = listed.iter().map(|object| (object.name.as_str(), object.size)).collect();
    let mut used = vec![0_u64; state.packs.len()];
    for run in state.places.iter().flatten() {
        used[run.pack as usize] += u64::from(run.count);
    }
    let is_there = |pack: &BlockPack| sizes.get(remote.pack_name(&pack.hash).as_str()) == Some(&pack.bytes);
    let mut packs: Vec<BlockPack> = state
        .packs
        .iter()
        .zip(&used)
        .map(|(pack, used)| (*pack, *used))
        .filter(|(pack, used)| used * 2 >= u64::from(pack.blocks) && is_there(pack))
        .map(|(pack, _)| pack)
        .collect();
    if packs.iter().filter(|pack| pack.blocks < SMALL_PACK).count() > MAX_SMALL_PACKS {
        packs.retain(|pack| pack.blocks >= SMALL_PACK);
    }
    let indexes: Mutex<FxHashMap<usize, Vec<u8>>> = Mutex::default();
    let numbers: Vec<usize> = (0..packs.len()).collect();
    for_each(remote.concurrency, &numbers, |number| {
        let pack = &packs[*number];
        match remote.get(&format!("{}.index", remote.pack_name(&pack.hash)), &pack.index, MAX_INDEX) {
            Ok(index) => {
                indexes.lock().unwrap_or_else(PoisonError::into_inner).insert(*number, index);
                Ok(())
            }
            // Its blocks are sent again.
            Err(Error::RemoteRefused { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    })?;
    let indexes = indexes.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut known = KnownBlocks::default();
    for (number, index) in &indexes {
        known.add_pack(*number as u32, &packs[*number], index);
    }
    Ok(Reused { packs, known })
}

/// The files of a state, cut and packed.
struct Packed {
    files: Vec<ArchivedFile>,
    packs: Vec<BlockPack>,
    places: Vec<Vec<BlockRun>>,
    new_bytes: u64,
}

/// Cuts files into blocks and sends those that no pack has. One thread reads; others compress and
/// send.
fn pack(
    remote: &Remote<'_>,
    reused: Reused,
    sources: &[(String, PathBuf, u64)],
    total: u64,
    progress: &dyn Progress,
) -> Result<Packed> {
    let Reused { mut packs, known } = reused;
    let first_new = packs.len() as u32;
    let (queue, packs_to_send) = sync_channel::<(u32, OpenPack)>(1);
    let packs_to_send = Mutex::new(packs_to_send);
    let sent: Mutex<Result<Vec<(u32, BlockPack)>>> = Mutex::new(Ok(Vec::new()));
    let mut cutter = Cutter { known, open: OpenPack::default(), next: first_new, queue: Some(queue), new_blocks: 0 };
    let cut = std::thread::scope(|scope| {
        for _ in 0..remote.concurrency.max(1) {
            scope.spawn(|| send_packs(remote, &packs_to_send, &sent));
        }
        let cut = cutter.cut_all(sources, total, progress);
        cutter.queue = None;
        cut
    });
    let mut new_packs = sent.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    let (files, places) = cut?;
    new_packs.sort_unstable_by_key(|(number, _)| *number);
    packs.extend(new_packs.into_iter().map(|(_, pack)| pack));
    Ok(Packed { files, packs, places, new_bytes: cutter.new_blocks * BLOCK as u64 })
}

/// Cuts files into blocks and gathers those that no pack has.
struct Cutter {
    known: KnownBlocks,
    open: OpenPack,
    /// The number of the pack that is being filled.
    next: u32,
    queue: Option<SyncSender<(u32, OpenPack)>>,
    new_blocks: u64,
}

type FilesAndPlaces = (Vec<ArchivedFile>, Vec<Vec<BlockRun>>);

impl Cutter {
    fn cut_all(
        &mut self,
        sources: &[(String, PathBuf, u64)],
        total: u64,
        progress: &dyn Progress,
    ) -> Result<FilesAndPlaces> {
        let (mut files, mut places) = (Vec::new(), Vec::new());
        let mut done = 0;
        for (name, place, size) in sources {
            let mut runs = Vec::new();
            let mut hasher = blake3::Hasher::new();
            let read = self.cut(place, *size, |cutter, block| {
                hasher.update(block);
                cutter.add(block, &mut runs)
            });
            read.map_err(|source| files::unwritable(place, source))?;
            done += size;
            progress.report(Stage::Copying, done as usize, total as usize);
            if progress.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let blake3 = hasher.finalize().to_hex().to_string();
            files.push(ArchivedFile { name: name.clone(), size: *size, blake3 });
            places.push(runs);
        }
        self.hand_over();
        Ok((files, places))
    }

    /// Reads a file block by block.
    fn cut(&mut self, place: &Path, size: u64, mut take: impl FnMut(&mut Cutter, &[u8])) -> io::Result<()> {
        let mut file = File::open(place)?.take(size);
        let mut buffer = vec![0; BLOCK * 64];
        let mut left = size;
        while left > 0 {
            let wanted = left.min(buffer.len() as u64) as usize;
            file.read_exact(&mut buffer[..wanted])?;
            buffer[..wanted].chunks(BLOCK).for_each(|block| take(self, block));
            left -= wanted as u64;
        }
        Ok(())
    }

    fn add(&mut self, block: &[u8], runs: &mut Vec<BlockRun>) {
        let hash = packs::block_hash(block);
        let (pack, number) = match self.known.place(&hash) {
            Some(place) => place,
            None => {
                let place = (self.next, self.open.add(block, &hash));
                self.known.add(hash, place.0, place.1);
                self.new_blocks += 1;
                place
            }
        };
        packs::append(runs, pack, number);
        if self.open.blocks() >= MAX_BLOCKS {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        if self.open.blocks() > 0 {
            let full = std::mem::take(&mut self.open);
            // Senders that failed say so themselves.
            let _ = self.queue.as_ref().map(|queue| queue.send((self.next, full)));
            self.next += 1;
        }
    }
}

/// Compresses and sends packs until there are no more, or one fails.
fn send_packs(
    remote: &Remote<'_>,
    queue: &Mutex<Receiver<(u32, OpenPack)>>,
    sent: &Mutex<Result<Vec<(u32, BlockPack)>>>,
) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, open)) = next else { break };
        // After a failure packs are only taken, so that the reader is not held up.
        if sent.lock().unwrap_or_else(PoisonError::into_inner).is_err() {
            continue;
        }
        let sealed = open.seal().map_err(|error| remote.refused(format!("packing failed: {error}")));
        let outcome = sealed.and_then(|sealed| put(remote, &sealed).map(|()| sealed.pack));
        let mut sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
        match (outcome, &mut *sent) {
            (Ok(pack), Ok(packs)) => packs.push((number, pack)),
            (Err(error), Ok(_)) => *sent = Err(error),
            (_, Err(_)) => {}
        }
    }
}

/// Writes a pack and its list of hashes; one that is there must be as large.
fn put(remote: &Remote<'_>, sealed: &SealedPack) -> Result<()> {
    let name = remote.pack_name(&sealed.pack.hash);
    for (name, bytes) in [(format!("{name}.index"), &sealed.index), (name, &sealed.bytes)] {
        let is_new = remote.objects.put_new(&name, bytes, remote.until).map_err(|error| remote.unreachable(error))?;
        if !is_new {
            let size = remote.objects.size(&name, remote.until).map_err(|error| remote.unreachable(error))?;
            if size != Some(bytes.len() as u64) {
                return Err(remote.refused(format!("the object {name} is damaged; remove it and push again")));
            }
        }
    }
    Ok(())
}

/// Leaves out packs that no file uses.
fn compact(packs: Vec<BlockPack>, mut places: Vec<Vec<BlockRun>>) -> (Vec<BlockPack>, Vec<Vec<BlockRun>>) {
    let mut is_used = vec![false; packs.len()];
    for run in places.iter().flatten() {
        is_used[run.pack as usize] = true;
    }
    let mut numbers = vec![0; packs.len()];
    let mut kept = Vec::new();
    for (number, pack) in packs.into_iter().enumerate().filter(|(number, _)| is_used[*number]) {
        numbers[number] = kept.len() as u32;
        kept.push(pack);
    }
    for run in places.iter_mut().flatten() {
        run.pack = numbers[run.pack as usize];
    }
    (kept, places)
}
