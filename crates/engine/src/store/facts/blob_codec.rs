//! Blobs of the store: compressed with zstd, alone or against another text that they resemble,
//! guarded by a checksum.

use std::cell::RefCell;

use zstd::zstd_safe::{self, CCtx, CParameter, DCtx};

const CHECKSUM_BYTES: usize = 4;
const LEVEL: i32 = 1;
/// The level for data compressed against a base: the difference is small, so finding it is worth
/// more time.
const LEVEL_WITH_BASE: i32 = 6;
/// The magic number that begins every zstd frame; the store leaves it out.
const MAGIC: [u8; 4] = zstd_safe::MAGICNUMBER.to_le_bytes();
/// No blob of a file within the size limit decompresses to more.
const MAX_BYTES: usize = 1 << 30;

thread_local! {
    static COMPRESSOR: RefCell<Option<CCtx<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<DCtx<'static>>> = const { RefCell::new(None) };
}

/// Packs `plain` for the store. Who unpacks it needs the same base.
pub(crate) fn pack(plain: &[u8], base: Option<&[u8]>) -> Vec<u8> {
    let mut packed = Vec::with_capacity(zstd_safe::compress_bound(plain.len()));
    let compressed = match base {
        // A base is only borrowed, so the compressor cannot be kept.
        Some(base) => compressor(LEVEL_WITH_BASE).and_then(|mut compressor| {
            // The default window may be too short to see all of the base.
            let window = usize::BITS - (plain.len() + base.len()).leading_zeros();
            compressor.set_parameter(CParameter::WindowLog(window.clamp(10, 27)))?;
            compressor.ref_prefix(base)?;
            compressor.compress2(&mut packed, plain)
        }),
        None => COMPRESSOR.with_borrow_mut(|slot| {
            let compressor = match slot {
                Some(compressor) => compressor,
                None => slot.insert(compressor(LEVEL)?),
            };
            compressor.compress2(&mut packed, plain)
        }),
    };
    compressed.expect("compressing into memory that is large enough cannot fail");
    let packed = packed.strip_prefix(&MAGIC).unwrap_or_default();
    [checksum(packed).as_slice(), packed].concat()
}

fn compressor<'a>(level: i32) -> Result<CCtx<'a>, usize> {
    let mut compressor = CCtx::create();
    compressor.set_parameter(CParameter::CompressionLevel(level))?;
    Ok(compressor)
}

/// Unpacks what [`pack`] made; `None` if it is damaged.
pub(crate) fn unpack(blob: &[u8], base: Option<&[u8]>) -> Option<Vec<u8>> {
    let (sum, packed) = blob.split_at_checked(CHECKSUM_BYTES)?;
    if sum != checksum(packed) {
        return None;
    }
    let packed = [MAGIC.as_slice(), packed].concat();
    let size = zstd_safe::get_frame_content_size(&packed).ok()??;
    let mut plain = Vec::with_capacity(usize::try_from(size).ok()?.min(MAX_BYTES));
    let unpacked = match base {
        Some(base) => {
            let mut decompressor = DCtx::create();
            decompressor.ref_prefix(base).and_then(|_| decompressor.decompress(&mut plain, &packed))
        }
        None => DECOMPRESSOR.with_borrow_mut(|slot| {
            let decompressor = slot.get_or_insert_with(DCtx::create);
            decompressor.decompress(&mut plain, &packed)
        }),
    };
    unpacked.is_ok().then_some(plain)
}

fn checksum(packed: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut sum = [0; CHECKSUM_BYTES];
    sum.copy_from_slice(&blake3::hash(packed).as_bytes()[..CHECKSUM_BYTES]);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_damage() {
        let base: Vec<u8> = (0..5000_u32).flat_map(|n| (n * n).to_le_bytes()).collect();
        let plain = [b"something new", &base[100..], b"and more"].concat();
        for base in [None, Some(base.as_slice())] {
            let mut blob = pack(&plain, base);
            assert_eq!(unpack(&blob, base).as_ref(), Some(&plain));
            assert!(base.is_none() || blob.len() < 100);
            let last = blob.len() - 1;
            blob[last] ^= 1;
            assert_eq!(unpack(&blob, base), None);
        }
        assert_eq!(unpack(&[], None), None);
    }
}
