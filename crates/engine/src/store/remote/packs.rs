//! Packs: blocks of files, compressed together, and the list of their hashes.

use std::io;

use rustc_hash::FxHashMap;

use crate::store::remote::state::{BLOCK, BlockPack, BlockRun, MAX_BLOCKS};

/// The largest list of hashes.
pub(crate) const MAX_INDEX: u64 = MAX_BLOCKS as u64 * HASH as u64;

/// Bytes of a block's hash. They only tell which blocks are alike; a file's whole checksum is
/// compared when it is put together.
const HASH: usize = 16;
const LEVEL: i32 = 5;

/// The hash of a block.
pub(crate) type BlockHash = [u8; HASH];

/// Returns the hash of a block.
pub(crate) fn block_hash(block: &[u8]) -> BlockHash {
    let mut hash = [0; HASH];
    hash.copy_from_slice(&blake3::hash(block).as_bytes()[..HASH]);
    hash
}

/// A pack that is being filled.
#[derive(Default)]
pub(crate) struct OpenPack {
    content: Vec<u8>,
    hashes: Vec<u8>,
}

/// A pack that is ready to be written, with the list of its hashes.
pub(crate) struct SealedPack {
    pub pack: BlockPack,
    pub bytes: Vec<u8>,
    pub index: Vec<u8>,
}

impl OpenPack {
    /// Adds a block, filled up with zeros; returns its number.
    pub(crate) fn add(&mut self, block: &[u8], hash: &BlockHash) -> u32 {
        let number = self.blocks();
        self.content.extend_from_slice(block);
        self.content.resize((number as usize + 1) * BLOCK, 0);
        self.hashes.extend_from_slice(hash);
        number
    }

    /// Returns the number of blocks.
    pub(crate) fn blocks(&self) -> u32 {
        (self.content.len() / BLOCK) as u32
    }

    /// Compresses the blocks.
    pub(crate) fn seal(self) -> io::Result<SealedPack> {
        let blocks = self.blocks();
        let bytes = zstd::bulk::compress(&self.content, LEVEL)?;
        let pack = BlockPack {
            hash: *blake3::hash(&bytes).as_bytes(),
            index: *blake3::hash(&self.hashes).as_bytes(),
            bytes: bytes.len() as u64,
            blocks,
        };
        Ok(SealedPack { pack, bytes, index: self.hashes })
    }
}

/// Returns the blocks of a pack whose checksum was compared; `None` if they are not as many as it
/// says.
pub(crate) fn unpack(pack: &BlockPack, bytes: &[u8]) -> Option<Vec<u8>> {
    let wanted = pack.blocks as usize * BLOCK;
    zstd::bulk::decompress(bytes, wanted).ok().filter(|content| content.len() == wanted)
}

/// The blocks that packs hold, by their hashes.
#[derive(Default)]
pub(crate) struct KnownBlocks {
    places: FxHashMap<BlockHash, (u32, u32)>,
}

impl KnownBlocks {
    /// Adds the blocks of a pack from the list of their hashes; returns whether it is one.
    pub(crate) fn add_pack(&mut self, number: u32, pack: &BlockPack, index: &[u8]) -> bool {
        if index.len() != pack.blocks as usize * HASH {
            return false;
        }
        for (block, hash) in index.chunks_exact(HASH).enumerate() {
            let hash = BlockHash::try_from(hash).unwrap_or_default();
            self.add(hash, number, block as u32);
        }
        true
    }

    /// Adds a block.
    pub(crate) fn add(&mut self, hash: BlockHash, pack: u32, block: u32) {
        self.places.entry(hash).or_insert((pack, block));
    }

    /// Returns the pack and the number of a block in it.
    pub(crate) fn place(&self, hash: &BlockHash) -> Option<(u32, u32)> {
        self.places.get(hash).copied()
    }
}

/// Appends a block to the places of a file.
pub(crate) fn append(runs: &mut Vec<BlockRun>, pack: u32, block: u32) {
    match runs.last_mut() {
        Some(last) if last.pack == pack && last.first + last.count == block => last.count += 1,
        _ => runs.push(BlockRun { pack, first: block, count: 1 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_out_as_they_went_in() {
        let mut open = OpenPack::default();
        let blocks = [vec![1; BLOCK], vec![2; 10], (0..BLOCK).map(|n| n as u8).collect()];
        for (number, block) in blocks.iter().enumerate() {
            assert_eq!(open.add(block, &block_hash(block)), number as u32);
        }
        let sealed = open.seal().unwrap();
        let content = unpack(&sealed.pack, &sealed.bytes).unwrap();
        for (number, block) in blocks.iter().enumerate() {
            assert_eq!(&content[number * BLOCK..][..block.len()], block);
        }
        let mut known = KnownBlocks::default();
        assert!(known.add_pack(7, &sealed.pack, &sealed.index));
        assert_eq!(known.place(&block_hash(&blocks[1])), Some((7, 1)));
        assert_eq!(known.place(&block_hash(b"other")), None);
        assert!(!known.add_pack(8, &sealed.pack, &sealed.index[1..]));
        for blocks in [2, 4] {
            assert_eq!(unpack(&BlockPack { blocks, ..sealed.pack }, &sealed.bytes), None);
        }
        assert_eq!(unpack(&sealed.pack, b"no pack"), None);
    }

    #[test]
    fn neighbours_are_one_run() {
        let mut runs = Vec::new();
        for (pack, block) in [(0, 0), (0, 1), (0, 2), (1, 3), (1, 5), (1, 6)] {
            append(&mut runs, pack, block);
        }
        let run = |pack, first, count| BlockRun { pack, first, count };
        assert_eq!(runs, [run(0, 0, 3), run(1, 3, 1), run(1, 5, 2)]);
    }
}
