//! Commits of few documents to the text index: a segment of its own is written and named by the
//! next state of the index.
//!
//! Tantivy's own writer is made for many documents. It starts threads, prepares tables for
//! megabytes of them and looks at all files of the folder, which takes several times as long as
//! writing the documents of one saved file. The caller holds the writer's lock of the store, so
//! that no other process writes the index.

use std::fs;
use std::path::Path;

use tantivy::directory::Directory;
use tantivy::index::SegmentId;
use tantivy::indexer::{AddOperation, MergeCandidate, MergePolicy, SegmentWriter};
use tantivy::{Segment, TantivyDocument};

use crate::error::Result;
use crate::model::VersionId;
use crate::store::error::AtStore as _;
use crate::store::text::index::{self, ChunkDocument, Stamp, TextIndex};
use crate::store::text::no_fsync_directory;

/// For the tables that a segment begins with; they grow.
const BUDGET: usize = 1 << 20;
/// From so many segments on they are merged: every search looks into each of them.
const MOST_SEGMENTS: usize = 32;
/// The list of all files that Tantivy has made and may remove.
const MANAGED: &str = ".managed.json";
/// Extensions of a segment's files.
const EXTENSIONS: [&str; 7] = ["fast", "fieldnorm", "idx", "pos", "store", "store.temp", "term"];

/// A segment that is being written.
pub(crate) struct SmallWriter {
    text: TextIndex,
    segment: Segment,
    writer: SegmentWriter,
    operations: u64,
}

impl SmallWriter {
    /// Begins a segment of the index of a data folder.
    pub(crate) fn begin(data: &Path) -> Result<SmallWriter> {
        let id = SegmentId::generate_random();
        announce(&index::folder(data), id).at(&index::root(data))?;
        let text = TextIndex::open_without_fsync(data)?;
        let segment = text.index.segment(text.index.new_segment_meta(id, 0));
        let writer = SegmentWriter::for_segment(BUDGET, segment.clone()).at(&text.root)?;
        Ok(SmallWriter { text, segment, writer, operations: 0 })
    }

    /// Adds the documents that a file version brings; they are numbered in order.
    pub(crate) fn add(&mut self, version: VersionId, path: &str, documents: Vec<ChunkDocument>) -> Result<()> {
        for document in index::documents(self.text.fields, version, path, documents) {
            self.operations += 1;
            let operation: AddOperation<TantivyDocument> = AddOperation { opstamp: self.operations, document };
            self.writer.add_document(operation).at(&self.text.root)?;
        }
        Ok(())
    }

    /// Makes what was added visible, and gives the index for [`merge_if_many`].
    pub(crate) fn commit(self, stamp: Stamp) -> Result<TextIndex> {
        let SmallWriter { text, segment, writer, operations } = self;
        let count = writer.max_doc();
        writer.finalize().at(&text.root)?;
        let mut meta = text.index.load_metas().at(&text.root)?;
        if count > 0 {
            meta.segments.push(segment.with_max_doc(count).meta().clone());
        }
        meta.opstamp += operations + 1;
        meta.payload = Some(stamp.payload());
        let bytes = serde_json::to_vec_pretty(&meta).map_err(std::io::Error::from);
        let directory: &dyn Directory = text.index.directory();
        let written = bytes.and_then(|bytes| directory.atomic_write(Path::new("meta.json"), &bytes));
        written.at(&text.root)?;
        Ok(text)
    }
}

/// Puts the files of a segment on the list before it is made, all at once: Tantivy would write the
/// list anew for each, so that what a killed process leaves is removed.
fn announce(folder: &Path, id: SegmentId) -> std::io::Result<()> {
    let listed = match fs::read(folder.join(MANAGED)) {
        Ok(bytes) => serde_json::from_slice(&bytes)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    let mut listed: Vec<String> = listed;
    listed.extend(EXTENSIONS.map(|extension| format!("{}.{extension}", id.uuid_string())));
    no_fsync_directory::replace(&folder.join(MANAGED), &serde_json::to_vec(&listed)?)
}

/// Merges segments if there are many. No writer may be open.
pub(crate) fn merge_if_many(text: &TextIndex) -> Result<()> {
    let segments = text.index.load_metas().at(&text.root)?.segments;
    if segments.len() < MOST_SEGMENTS {
        return Ok(());
    }
    let candidates = index::merge_policy().compute_merge_candidates(&segments);
    // While these values are alive, Tantivy does not remove the segments' files.
    drop(segments);
    if candidates.is_empty() {
        return Ok(());
    }
    let mut writer = text.writer(0, 1)?;
    for MergeCandidate(segments) in candidates {
        writer.merge(&segments)?;
    }
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(name: &str) -> ChunkDocument {
        let body = format!("def {name}(): return shared_word");
        let symbols = vec![name.to_string()];
        ChunkDocument { symbols, name: name.into(), signature: String::new(), doc: String::new(), body }
    }

    fn stamp(high_water: i64) -> Stamp {
        Stamp { high_water, gc_epoch: 0 }
    }

    fn commit_small(folder: &Path, version: u32) -> TextIndex {
        let mut small = SmallWriter::begin(folder).unwrap();
        let documents = vec![document(&format!("first_{version}")), document(&format!("second_{version}"))];
        small.add(VersionId(version), "a.py", documents).unwrap();
        small.commit(stamp(i64::from(version))).unwrap()
    }

    fn segments(text: &TextIndex) -> usize {
        text.index.load_metas().unwrap().segments.len()
    }

    #[test]
    fn small_and_large_commits_in_turn() {
        let folder = tempfile::tempdir().unwrap();
        TextIndex::create(folder.path()).unwrap();
        let open = || TextIndex::open_without_fsync(folder.path()).unwrap();
        commit_small(folder.path(), 1);
        let mut large = open().writer(0, 1).unwrap();
        large.add(VersionId(2), "b.py", vec![document("large")]).unwrap();
        large.commit(stamp(2)).unwrap();
        large.finish().unwrap();
        commit_small(folder.path(), 3);
        let text = TextIndex::open(folder.path()).unwrap();
        assert_eq!((text.stamp().unwrap(), text.documents().unwrap().len()), (stamp(3), 5));

        // Deletions reach what small commits wrote.
        let mut large = open().writer(0, 1).unwrap();
        large.delete(VersionId(3));
        large.commit(stamp(4)).unwrap();
        large.finish().unwrap();
        assert_eq!((text.stamp().unwrap(), text.documents().unwrap().len()), (stamp(4), 3));
        assert_eq!(text.verify().unwrap(), Vec::<String>::new());
    }

    #[test]
    fn many_are_merged_and_nothing_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        TextIndex::create(folder.path()).unwrap();
        for version in 1..80 {
            let text = commit_small(folder.path(), version);
            merge_if_many(&text).unwrap();
            assert!(segments(&text) < MOST_SEGMENTS);
        }
        let text = TextIndex::open(folder.path()).unwrap();
        assert_eq!(text.stamp().unwrap(), stamp(79));
        assert_eq!(text.documents().unwrap().len(), 158);
        assert_eq!(text.verify().unwrap(), Vec::<String>::new());
        let found = text.reader().unwrap().similar_symbols("first_17", 0).unwrap();
        assert_eq!(found, ["first_17"]);
        // One that was begun and not committed goes with the next merge.
        let mut begun = SmallWriter::begin(folder.path()).unwrap();
        begun.add(VersionId(90), "a.py", vec![document("lost")]).unwrap();
        drop(begun);
        (100..140).for_each(|version| drop(commit_small(folder.path(), version)));
        merge_if_many(&TextIndex::open_without_fsync(folder.path()).unwrap()).unwrap();
        assert!(text.reader().unwrap().similar_symbols("lost", 0).unwrap().is_empty());
        let known = text.files().unwrap();
        let is_lock = |name: &str| name.ends_with(".lock");
        let files = fs::read_dir(index::folder(folder.path()))
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap());
        let unknown: Vec<String> = files.filter(|name| !known.contains(name) && !is_lock(name)).collect();
        assert_eq!(unknown, Vec::<String>::new());
    }
}
