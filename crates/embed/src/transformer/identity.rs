//! The name under which a model's vectors are kept.
//!
//! Two models must never share it, so it has a hash of all that the vectors depend on. Model files
//! are large: of each, the size and blocks spread over it are hashed. Sister models of one size
//! differ in all their weights, but begin and end alike, so first and last bytes would not do.

use std::fs::File;
use std::io::{Error, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use blake3::Hasher;

use super::folder::Settings;

/// Goes up when vectors of the same folder come out otherwise, such as with another way to show the
/// path.
const VERSION: u8 = 1;
const BLOCKS: u64 = 256;
const BLOCK_BYTES: u64 = 4096;

/// The folder's name and a short hash of what it holds.
pub(super) fn id(folder: &Path, model: &Path, tokenizer: &Path, settings: &Settings) -> Result<String, String> {
    let mut hasher = Hasher::new();
    hasher.update(&[VERSION]);
    for file in parts(model) {
        hash_blocks(&file, &mut hasher).map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
    }
    let tokens =
        std::fs::read(tokenizer).map_err(|error| format!("{} cannot be read: {error}", tokenizer.display()))?;
    hasher.update(blake3::hash(&tokens).as_bytes());
    let Settings { pooling, pooling_is_given, query_prefix, document_prefix, max_tokens, padding } = settings;
    let pooling = (pooling.as_ref().ok(), pooling_is_given);
    let settings = format!("{pooling:?} {query_prefix:?} {document_prefix:?} {max_tokens} {padding:?}");
    hasher.update(settings.as_bytes());
    let hash = hasher.finalize().to_hex();
    let name = folder.file_name().map(|name| name.to_os_string());
    #[expect(clippy::disallowed_methods, reason = "only the last part is taken")]
    let name = name.or_else(|| folder.canonicalize().ok()?.file_name().map(|name| name.to_os_string()));
    let name = name.map_or_else(|| "model".into(), |name| name.to_string_lossy().into_owned());
    Ok(format!("{name}@{}", &hash[..16]))
}

/// The model file, and the files beside it that hold weights of a large model (`model.onnx_data`).
fn parts(model: &Path) -> Vec<PathBuf> {
    let (folder, name) = (model.parent().unwrap_or(model), model.file_name().unwrap_or_default().as_encoded_bytes());
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut parts: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|other| other.as_encoded_bytes().starts_with(name)))
        .filter(|path| path.is_file())
        .collect();
    parts.sort();
    parts
}

fn hash_blocks(path: &Path, hasher: &mut Hasher) -> Result<(), Error> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    hasher.update(&size.to_le_bytes());
    let blocks = BLOCKS.min(size.div_ceil(BLOCK_BYTES));
    let last = size.saturating_sub(BLOCK_BYTES);
    let mut block = Vec::new();
    for number in 0..blocks {
        let start = if size <= BLOCKS * BLOCK_BYTES { number * BLOCK_BYTES } else { last / (BLOCKS - 1) * number };
        file.seek(SeekFrom::Start(start))?;
        block.clear();
        file.by_ref().take(BLOCK_BYTES).read_to_end(&mut block)?;
        hasher.update(&block);
    }
    file.seek(SeekFrom::Start(last))?;
    block.clear();
    file.take(BLOCK_BYTES).read_to_end(&mut block)?;
    hasher.update(&block);
    Ok(())
}
