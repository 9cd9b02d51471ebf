//! Folders in one file: test data that would be many files, or that must not be found beside the
//! real code.

use std::fs;
use std::path::Path;

/// Slow, small and deterministic: archives are written once and committed.
const LEVEL: i32 = 19;

/// Packs the files at the paths below `folder` as a `.tar.zst`. The result depends on their
/// contents alone.
pub fn pack(folder: &Path, paths: &[String]) -> Vec<u8> {
    let mut archive = tar::Builder::new(zstd::Encoder::new(Vec::new(), LEVEL).unwrap());
    for path in paths {
        let bytes = fs::read(folder.join(path)).unwrap();
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, path, bytes.as_slice()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

/// Unpacks a `.tar.zst` into a folder.
pub fn unpack(archive: &Path, folder: &Path) {
    let file = fs::File::open(archive).unwrap_or_else(|error| panic!("{}: {error}", archive.display()));
    tar::Archive::new(zstd::Decoder::new(file).unwrap()).unpack(folder).unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(from.path().join("a")).unwrap();
        fs::write(from.path().join("a/b"), "text").unwrap();
        let packed = pack(from.path(), &["a/b".to_string()]);
        assert_eq!(packed, pack(from.path(), &["a/b".to_string()]));
        fs::write(from.path().join("packed"), packed).unwrap();
        unpack(&from.path().join("packed"), to.path());
        assert_eq!(fs::read_to_string(to.path().join("a/b")).unwrap(), "text");
    }
}
