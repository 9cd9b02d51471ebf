//! A state in an object store: what it is of, its files, and the packs that hold their blocks.
//!
//! ```text
//! "CodeCompass remote state\n"   25 bytes
//! version                        4 bytes, little endian
//! 0, or 1, a public key (32 bytes) and a signature (64 bytes) over the above and what follows
//! the state                      postcard, in one zstd frame
//! ```

use std::collections::BTreeSet;

use codecompass_objects::{PublicKey, SigningKey};
use serde::{Deserialize, Serialize};

use crate::store::archive::header::ArchiveHeader;

/// The size of a block: a page of the database.
pub(crate) const BLOCK: usize = 4096;
/// The most blocks of a pack.
pub(crate) const MAX_BLOCKS: u32 = 1024;
/// The largest pack when it is compressed; what cannot be compressed grows a little.
pub(crate) const MAX_PACK: u64 = (MAX_BLOCKS as u64 * BLOCK as u64) + (64 << 10);

const MAGIC: &[u8; 25] = b"CodeCompass remote state\n";
/// The version that this program writes and reads.
const VERSION: u32 = 1;
/// The largest state when it is unpacked.
const MAX_UNPACKED: usize = 512 << 20;
const LEVEL: i32 = 9;
/// A block may stand in many places, but no store is this many times as large as its packs, beyond
/// [`SMALL`].
const MAX_EXPANSION: u64 = 64;
const SMALL: u64 = 1 << 30;

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RemoteState {
    /// The id of the repository's first commit.
    pub family: String,
    /// Versions, views and the list of files.
    pub header: ArchiveHeader,
    /// The packs that hold the blocks.
    pub packs: Vec<BlockPack>,
    /// For each file the places of its blocks.
    pub places: Vec<Vec<BlockRun>>,
}

/// A pack of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct BlockPack {
    /// BLAKE3 of the object.
    pub hash: [u8; 32],
    /// BLAKE3 of the object with the hashes of the blocks.
    pub index: [u8; 32],
    /// The size of the object.
    pub bytes: u64,
    /// The number of blocks.
    pub blocks: u32,
}

/// Blocks that follow each other in a file and in a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BlockRun {
    /// The pack's position in the list.
    pub pack: u32,
    /// The first block in the pack.
    pub first: u32,
    /// The number of blocks.
    pub count: u32,
}

impl RemoteState {
    /// Returns the object that holds the state, signed if there is a key.
    pub(crate) fn encode(&self, key: Option<&SigningKey>) -> Result<Vec<u8>, String> {
        let text = postcard::to_stdvec(self).map_err(|error| error.to_string())?;
        let body = zstd::bulk::compress(&text, LEVEL).map_err(|error| error.to_string())?;
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        match key {
            None => out.push(0),
            Some(key) => {
                let signature = key.sign(&signed(&body));
                out.push(1);
                out.extend(key.public().as_bytes());
                out.extend(signature);
            }
        }
        out.extend(body);
        Ok(out)
    }

    /// Reads a state. With a key, only what it signed is accepted; a wrong signature never is.
    pub(crate) fn decode(bytes: &[u8], key: Option<&PublicKey>) -> Result<RemoteState, String> {
        let rest = bytes.strip_prefix(MAGIC).ok_or("it is no state")?;
        let (version, rest) = rest.split_first_chunk::<4>().ok_or("it is cut short")?;
        let version = u32::from_le_bytes(*version);
        if version != VERSION {
            return Err(format!("a state has version {version}, this program reads {VERSION}"));
        }
        let body = match rest.split_first().ok_or("it is cut short")? {
            (0, _) if key.is_some() => return Err("a state is not signed, and your settings have a public key".into()),
            (0, body) => body,
            (1, rest) => {
                let (signer, rest) = rest.split_first_chunk::<32>().ok_or("it is cut short")?;
                let (signature, body) = rest.split_first_chunk::<64>().ok_or("it is cut short")?;
                let signer = PublicKey::from_bytes(*signer);
                if key.is_some_and(|key| *key != signer) {
                    return Err("a state is signed with another key than the one in your settings".into());
                }
                if !signer.has_signed(&signed(body), signature) {
                    return Err("the signature of a state is wrong".into());
                }
                body
            }
            _ => return Err("it is no state".into()),
        };
        let text = zstd::bulk::decompress(body, MAX_UNPACKED).map_err(|_| "a state is damaged")?;
        let state: RemoteState = postcard::from_bytes(&text).map_err(|_| "a state makes no sense")?;
        match state.flaw() {
            Some(flaw) => Err(format!("a state cannot be used: {flaw}")),
            None => Ok(state),
        }
    }

    /// Returns the reason why this cannot be a state, if there is one.
    fn flaw(&self) -> Option<String> {
        if let Some(flaw) = self.header.flaw() {
            return Some(flaw);
        }
        if self.places.len() != self.header.files.len() {
            return Some("a file has no place".into());
        }
        let is_pack = |pack: &BlockPack| (1..=MAX_BLOCKS).contains(&pack.blocks) && pack.bytes <= MAX_PACK;
        if !self.packs.iter().all(is_pack) {
            return Some("a pack is too large".into());
        }
        let hashes: BTreeSet<&[u8; 32]> = self.packs.iter().map(|pack| &pack.hash).collect();
        if hashes.len() != self.packs.len() {
            return Some("it names a pack twice".into());
        }
        let packed: u64 = self.packs.iter().map(|pack| pack.bytes).sum();
        if self.header.total_bytes() > SMALL + packed.saturating_mul(MAX_EXPANSION) {
            return Some("its sizes are impossible".into());
        }
        for (file, runs) in self.header.files.iter().zip(&self.places) {
            let mut blocks = 0_u64;
            for run in runs {
                let pack = self.packs.get(run.pack as usize);
                let end = run.first.checked_add(run.count);
                if run.count == 0 || pack.is_none_or(|pack| end.is_none_or(|end| end > pack.blocks)) {
                    return Some("a block is in no pack".into());
                }
                blocks += u64::from(run.count);
            }
            if blocks != file.size.div_ceil(BLOCK as u64) {
                return Some(format!("the size of `{}` is wrong", file.name));
            }
        }
        None
    }
}

/// Returns what is signed: the kind and version of the object, and the state.
fn signed(body: &[u8]) -> Vec<u8> {
    [MAGIC.as_slice(), &VERSION.to_le_bytes(), body].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::archive::header::{ArchivedFile, ArchivedRepository};
    use crate::store::sqlite::db;

    const KEY: &str = "-----BEGIN PRIVATE KEY-----\n\
        MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
        -----END PRIVATE KEY-----\n";

    fn state() -> RemoteState {
        let file = |name: &str, size| ArchivedFile { name: name.into(), size, blake3: "0".repeat(64) };
        let run = |first, count| BlockRun { pack: 0, first, count };
        RemoteState {
            family: "a".repeat(40),
            header: ArchiveHeader {
                archive: 1,
                format: db::FORMAT,
                facts: db::FACTS,
                program: "0".into(),
                repository: ArchivedRepository { kind: "git".into(), name: "x".into(), path: String::new() },
                root: None,
                views: Vec::new(),
                files: vec![file("index.db", 3 * BLOCK as u64), file("text/meta.json", 10)],
            },
            packs: vec![BlockPack { hash: [1; 32], index: [2; 32], bytes: 100, blocks: 4 }],
            places: vec![vec![run(0, 2), run(2, 1)], vec![run(3, 1)]],
        }
    }

    #[test]
    fn what_goes_in_comes_out() {
        let (key, state) = (SigningKey::from_pem(KEY).unwrap(), state());
        let other = PublicKey::from_bytes([9; 32]);
        let plain = state.encode(None).unwrap();
        assert_eq!(RemoteState::decode(&plain, None).unwrap(), state);
        let unsigned = RemoteState::decode(&plain, Some(&key.public())).unwrap_err();
        assert!(unsigned.contains("not signed"), "{unsigned}");
        let signed = state.encode(Some(&key)).unwrap();
        assert_eq!(RemoteState::decode(&signed, Some(&key.public())).unwrap(), state);
        assert_eq!(RemoteState::decode(&signed, None).unwrap(), state);
        assert!(RemoteState::decode(&signed, Some(&other)).unwrap_err().contains("another key"));
    }

    #[test]
    fn no_changed_byte_gets_through() {
        let key = SigningKey::from_pem(KEY).unwrap();
        let signed = state().encode(Some(&key)).unwrap();
        for position in 0..signed.len() {
            let mut changed = signed.clone();
            changed[position] ^= 1;
            assert!(RemoteState::decode(&changed, Some(&key.public())).is_err(), "{position}");
            assert!(RemoteState::decode(&signed[..position], Some(&key.public())).is_err(), "{position}");
        }
    }

    #[test]
    fn impossible_states_are_refused() {
        let check = |edit: &dyn Fn(&mut RemoteState)| {
            let mut state = state();
            edit(&mut state);
            RemoteState::decode(&state.encode(None).unwrap(), None).unwrap_err()
        };
        for edit in [
            (&|state: &mut RemoteState| state.places[0][0].count = 3) as &dyn Fn(&mut RemoteState),
            &|state| state.places[0][0].first = u32::MAX,
            &|state| state.places[0][0].pack = 1,
            &|state| state.places[0][0].count = 0,
            &|state| state.places[1].clear(),
            &|state| drop(state.places.pop()),
            &|state| state.packs[0].blocks = MAX_BLOCKS + 1,
            &|state| state.packs[0].bytes = MAX_PACK + 1,
            &|state| state.packs.push(state.packs[0]),
            &|state| state.header.files[1].name = "../evil".into(),
            &|state| state.header.files[0].size = u64::MAX - 20,
            &|state| state.header.files[0].size = 1 << 50,
        ] {
            let refused = check(edit);
            assert!(refused.starts_with("a state cannot be used"), "{refused}");
        }
    }
}
