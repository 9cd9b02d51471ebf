//! Rules out files that are too large to be indexed by filters, so that a process which answers
//! many questions reads each of them once and then only where it may have what is looked for.

use std::fs::File;
use std::io::{self, Read};
use std::time::{Duration, SystemTime};

use crate::model::ContentId;
use crate::scan::{RawContent, SourceReader, file_stat};
use crate::store::trigrams::{ContentStamp, LargeFileFilters, RequiredTrigrams, TrigramSet};

/// Larger files have no filter.
const MAX_BYTES: u64 = 256 << 20;
/// Bytes that are read together.
const PART_BYTES: usize = 1 << 20;
/// A file that changed less than this ago may change again without a new time.
const SETTLED: Duration = Duration::from_secs(2);

/// Returns whether the file at `path` may have the trigrams; makes its filter if it has none. A
/// file that cannot be read or has NUL bytes may have all of them.
pub(crate) fn may_match(
    filters: &LargeFileFilters,
    reader: &SourceReader,
    path: &str,
    content: Option<ContentId>,
    required: &RequiredTrigrams,
) -> bool {
    if !filters.is_keeping() {
        return true;
    }
    let object = content.filter(|_| matches!(reader, SourceReader::Objects(_))).map(ContentStamp::Object);
    if let Some(known) = object.and_then(|stamp| filters.may_match(path, stamp, required)) {
        return known;
    }
    let stamp = match reader.open(path, content, MAX_BYTES) {
        Ok(Some(RawContent::File(file))) => {
            let Some(stat) = file_stat(&file) else { return true };
            let stamp = ContentStamp::File(stat);
            if let Some(known) = filters.may_match(path, stamp, required) {
                return known;
            }
            let Ok(bits) = bits_of(&file) else { return true };
            if file_stat(&file) != Some(stat) || !is_settled(&file) {
                return true;
            }
            filters.insert(path, stamp, bits);
            stamp
        }
        Ok(Some(RawContent::Bytes(bytes))) => {
            let (Some(stamp), Ok(bits)) = (object, bits_of(bytes.as_slice())) else { return true };
            filters.insert(path, stamp, bits);
            stamp
        }
        _ => return true,
    };
    filters.may_match(path, stamp, required).unwrap_or(true)
}

/// Returns whether a file would have another time if it changed now.
fn is_settled(file: &File) -> bool {
    let changed = file.metadata().and_then(|metadata| metadata.modified());
    changed.is_ok_and(|changed| SystemTime::now().duration_since(changed).is_ok_and(|age| age > SETTLED))
}

/// Returns the bits of the filter of a text; `None` of a file with NUL bytes or with lines that are
/// longer than what is read together.
fn bits_of(mut text: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut set = TrigramSet::default();
    let mut part = vec![0; PART_BYTES];
    let mut filled = 0;
    loop {
        let read = text.read(&mut part[filled..])?;
        if part[filled..filled + read].contains(&0) {
            return Ok(None);
        }
        filled += read;
        if read == 0 {
            set.add(&part[..filled]);
            return Ok(Some(set.take_bits()));
        }
        // Characters never reach over the end of a line.
        if let Some(end) = part[..filled].iter().rposition(|byte| *byte == b'\n').map(|at| at + 1) {
            set.add(&part[..end]);
            part.copy_within(end..filled, 0);
            filled -= end;
        } else if filled == part.len() {
            return Ok(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::Source;
    use crate::store::trigrams::Trigram;

    fn bits(text: &[u8]) -> Option<Vec<u8>> {
        bits_of(text).unwrap()
    }

    #[test]
    fn filters_are_those_of_the_whole_text() {
        let line = "int regDC_HPD1_CONTROL = 0x1234; // \u{17f}\n";
        let text: String = (0..60_000).map(|number| line.replace("1234", &number.to_string())).collect();
        assert!(text.len() > 2 * PART_BYTES);
        let mut whole = TrigramSet::default();
        whole.add(text.as_bytes());
        assert_eq!(bits(text.as_bytes()), Some(whole.take_bits()));
        assert_eq!(bits(b""), Some(TrigramSet::default().take_bits()));
    }

    #[test]
    fn a_file_is_read_once_until_it_changes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("large.h");
        let source = Source::Directory(dunce::canonicalize(dir.path()).unwrap());
        let filters = LargeFileFilters::keeping();
        let required = |text: &str| vec![Trigram::of(text.as_bytes()).collect()];
        let asked = |text| may_match(&filters, &source.reader(), "large.h", None, &required(text));
        let known = |text: &str| {
            let stamp = ContentStamp::File(file_stat(&File::open(&path).unwrap()).unwrap());
            filters.may_match("large.h", stamp, &required(text))
        };
        let write = |text: &str, age| {
            std::fs::write(&path, text).unwrap();
            let file = File::options().write(true).open(&path).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
        };
        write("#define ALPHA 1\n", 10 * SETTLED);
        assert_eq!(known("alpha"), None);
        assert!(asked("alpha") && !asked("gamma"));
        assert_eq!((known("alpha"), known("gamma")), (Some(true), Some(false)));
        write("#define GAMMA 1\n", Duration::ZERO);
        assert_eq!((known("gamma"), asked("gamma"), known("gamma")), (None, true, None));
        write("#define GAMMA 2\n", 10 * SETTLED);
        assert!(asked("gamma") && !asked("alpha"));
        assert!(may_match(&LargeFileFilters::default(), &source.reader(), "large.h", None, &required("alpha")));
    }

    #[test]
    fn binary_files_and_endless_lines_have_none() {
        assert_eq!(bits(b"a text\nwith \0 in it\n"), None);
        assert_eq!(bits(&vec![b'x'; PART_BYTES + 1]), None);
        assert!(bits(&vec![b'x'; PART_BYTES - 1]).is_some());
    }
}
