//! The Tantivy side of a store: one search document per chunk, found by our own BM25F (see
//! `bm25f`).
//!
//! Tantivy's own scoring counts every document of the index, dead ones of other branches included,
//! so the same view would score differently depending on what else the store holds. Here document
//! frequencies are counted over the live set alone and lengths are measured against fixed pivots; a
//! score depends on the view and the query only, and an incrementally grown index ranks exactly
//! like a fresh one. Posting lists, term dictionary and merging are Tantivy's.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tantivy::columnar::Column;
use tantivy::index::SegmentId;
use tantivy::indexer::{LogMergePolicy, UserOperation};
use tantivy::query::{BooleanQuery, FuzzyTermQuery, Query, RangeQuery, TermQuery};
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer};
use tantivy::{
    DocSet, Index, IndexReader, IndexWriter, ReloadPolicy, Searcher, SegmentReader, TERMINATED, TantivyDocument, Term,
};

use crate::error::{Error, Result};
use crate::model::VersionId;
use crate::store::error::AtStore as _;
use crate::store::facts::live_set::LiveItems;
use crate::store::facts::shared_items::Item;
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::meta;
use crate::store::text::no_fsync_directory::NoFsyncDirectory;
use crate::weights::FIELDS;
use crate::{files, tokenize};

/// The fields of a search document; `weights::FIELDS` says how much each counts.
#[derive(Clone, Copy)]
pub(crate) struct Fields {
    version: Field,
    chunk: Field,
    symbol: Field,
    pub(crate) scored: [Field; 5],
}

/// The fields that one chunk contributes to the index.
pub(crate) struct ChunkDocument {
    /// Lower-case names of all definitions that start in the chunk.
    pub symbols: Vec<String>,
    pub name: String,
    pub signature: String,
    pub doc: String,
    pub body: String,
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let code = TextFieldIndexing::default()
        .set_tokenizer("code")
        .set_index_option(IndexRecordOption::WithFreqs)
        .set_fieldnorms(true);
    let raw = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_index_option(IndexRecordOption::Basic)
        .set_fieldnorms(false);
    let version = builder.add_u64_field("version", INDEXED | FAST);
    let chunk = builder.add_u64_field("chunk", FAST);
    let symbol = builder.add_text_field("symbol", TextOptions::default().set_indexing_options(raw));
    let scored = FIELDS
        .map(|field| builder.add_text_field(field.name, TextOptions::default().set_indexing_options(code.clone())));
    (builder.build(), Fields { version, chunk, symbol, scored })
}

/// An open text index.
#[derive(Clone)]
pub(crate) struct TextIndex {
    pub(super) index: Index,
    pub(super) fields: Fields,
    /// The store's directory.
    pub(super) root: PathBuf,
}

impl TextIndex {
    /// Makes an empty index in a data folder.
    pub(crate) fn create(data: &Path) -> Result<TextIndex> {
        let (schema, fields) = schema();
        let root = root(data);
        let folder = folder(data);
        std::fs::create_dir_all(&folder).map_err(|source| files::unwritable(&root, source))?;
        let index = Index::create_in_dir(folder, schema).at(&root)?;
        Ok(TextIndex { index: with_tokenizer(index), fields, root })
    }

    /// Opens the index of a data folder.
    pub(crate) fn open(data: &Path) -> Result<TextIndex> {
        let root = root(data);
        TextIndex::of(Index::open_in_dir(folder(data)).at(&root)?, root)
    }

    /// Opens the index of a data folder for a writer that does not wait for the disk.
    pub(crate) fn open_without_fsync(data: &Path) -> Result<TextIndex> {
        let root = root(data);
        let directory = NoFsyncDirectory::open(&folder(data)).at(&root)?;
        TextIndex::of(Index::open(directory).at(&root)?, root)
    }

    fn of(index: Index, root: PathBuf) -> Result<TextIndex> {
        let (schema, fields) = schema();
        if index.schema() != schema {
            return Err(Error::Corrupt { path: root, detail: "the text index has other fields".into() });
        }
        Ok(TextIndex { index: with_tokenizer(index), fields, root })
    }

    /// Reads the stamp of the last commit.
    pub(crate) fn stamp(&self) -> Result<Stamp> {
        Ok(Stamp::parse(self.index.load_metas().at(&self.root)?.payload.as_deref().unwrap_or("")))
    }

    /// Names of the files that the last commit is made of, and of those that name them.
    pub(crate) fn files(&self) -> Result<BTreeSet<String>> {
        let mut files = self.index.load_metas().at(&self.root)?.list_segment_files();
        files.extend(["meta.json", ".managed.json"].map(PathBuf::from));
        let directory = self.index.directory();
        files.retain(|file| tantivy::Directory::exists(directory, file).unwrap_or(true));
        Ok(files.into_iter().map(|file| file.to_string_lossy().into_owned()).collect())
    }

    /// All documents.
    pub(crate) fn documents(&self) -> Result<BTreeSet<Item>> {
        let mut documents = BTreeSet::new();
        for segment in self.reader()?.searcher.segment_readers() {
            let version = segment.fast_fields().u64("version").at(&self.root)?;
            let chunk = segment.fast_fields().u64("chunk").at(&self.root)?;
            documents.extend(segment.doc_ids_alive().filter_map(|doc| {
                let origin = VersionId(version.first(doc)? as u32);
                Some(Item { origin, number: chunk.first(doc)? as u32 })
            }));
        }
        Ok(documents)
    }

    /// Reads the whole index and compares checksums; returns the damaged files.
    pub(crate) fn verify(&self) -> Result<Vec<String>> {
        let mut damaged: Vec<_> =
            self.index.validate_checksum().at(&self.root)?.into_iter().map(|path| path.display().to_string()).collect();
        damaged.sort();
        Ok(damaged)
    }

    /// Opens the state of the last commit for reading.
    pub(crate) fn reader(&self) -> Result<TextReader> {
        let reader = self.index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into();
        let reader: IndexReader = reader.at(&self.root)?;
        let (searcher, root) = (reader.searcher(), self.root.clone());
        Ok(TextReader { searcher, fields: self.fields, root, columns: OnceLock::new() })
    }

    /// Opens the index for writing with a memory budget in bytes.
    pub(crate) fn writer(&self, budget: usize, threads: usize) -> Result<TextWriter> {
        const MIN_BYTES_PER_THREAD: usize = 15_000_000;
        let threads = threads.clamp(1, (budget / MIN_BYTES_PER_THREAD).max(1));
        let bytes = budget.max(threads * MIN_BYTES_PER_THREAD);
        let writer: IndexWriter = self.index.writer_with_num_threads(threads, bytes).at(&self.root)?;
        writer.set_merge_policy(Box::new(merge_policy()));
        // Lists of deleted documents have predictable names: one left by a killed writer would be
        // in the way.
        writer.garbage_collect_files().wait().at(&self.root)?;
        Ok(TextWriter { writer, fields: self.fields, root: self.root.clone() })
    }
}

/// Eight segments of about the same size become one of eight times that size, down to those of a
/// single file. By default all below 10,000 documents count as the same size, so that every eighth
/// save writes all of them anew.
pub(crate) fn merge_policy() -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(8);
    policy.set_level_log_size(3.0);
    policy.set_min_layer_size(64);
    policy.set_del_docs_ratio_before_merge(0.5);
    policy
}

/// Said of a text index whose stamp does not fit the database.
pub(crate) const TORN: &str = "the text index does not belong to the database";

/// The payload of a commit: the newest file version it knows and the number of times that gc has
/// deleted from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub high_water: i64,
    pub gc_epoch: i64,
}

impl Stamp {
    /// As a commit carries it.
    pub(crate) fn payload(self) -> String {
        format!("{} {}", self.high_water, self.gc_epoch)
    }

    /// Returns whether a text index with this stamp has the documents of all versions that the
    /// database knows: it is not behind the database, and no collection that the database does not
    /// know of went over it.
    pub(crate) fn is_complete(self, db: &Db) -> Result<bool> {
        Ok(self.high_water >= meta::get(db, meta::TEXT_HIGH_WATER)? && self.gc_epoch <= meta::get(db, meta::GC_EPOCH)?)
    }

    fn parse(payload: &str) -> Stamp {
        let mut numbers = payload.split(' ').map(|number| number.parse().unwrap_or(0));
        Stamp { high_water: numbers.next().unwrap_or(0), gc_epoch: numbers.next().unwrap_or(0) }
    }
}

/// The documents that a file version brings, numbered in order.
pub(crate) fn documents(
    fields: Fields,
    version: VersionId,
    path: &str,
    documents: Vec<ChunkDocument>,
) -> impl ExactSizeIterator<Item = TantivyDocument> {
    documents.into_iter().enumerate().map(move |(number, document)| {
        let mut made = TantivyDocument::default();
        made.add_u64(fields.version, u64::from(version.0));
        made.add_u64(fields.chunk, number as u64);
        for symbol in &document.symbols {
            made.add_text(fields.symbol, symbol);
        }
        let texts = [&document.name, &document.signature, &document.doc, path, &document.body];
        for (field, text) in fields.scored.into_iter().zip(texts) {
            if !text.is_empty() {
                made.add_text(field, text);
            }
        }
        made
    })
}

/// The writer of a text index for many documents, and for deletions; see `segment_append` for few.
pub(crate) struct TextWriter {
    writer: IndexWriter,
    fields: Fields,
    /// The store's directory.
    root: PathBuf,
}

impl TextWriter {
    /// Adds the documents that a file version brings; they are numbered in order.
    pub(crate) fn add(&self, version: VersionId, path: &str, documents: Vec<ChunkDocument>) -> Result<()> {
        let operations = self::documents(self.fields, version, path, documents).map(UserOperation::Add);
        self.writer.run(operations).at(&self.root)?;
        Ok(())
    }

    /// Removes all documents that a file version brought, if there are any.
    pub(crate) fn delete(&self, version: VersionId) {
        self.writer.delete_term(Term::from_field_u64(self.fields.version, u64::from(version.0)));
    }

    /// Removes one document.
    pub(crate) fn delete_document(&self, document: Item) -> Result<()> {
        let version = Term::from_field_u64(self.fields.version, u64::from(document.origin.0));
        let chunk = Term::from_field_u64(self.fields.chunk, u64::from(document.number));
        let both: [Box<dyn Query>; 2] = [
            Box::new(TermQuery::new(version, IndexRecordOption::Basic)),
            Box::new(RangeQuery::new(Bound::Included(chunk.clone()), Bound::Included(chunk))),
        ];
        self.writer.delete_query(Box::new(BooleanQuery::intersection(both.into()))).at(&self.root)?;
        Ok(())
    }

    /// Makes everything since the last commit durable and visible.
    pub(crate) fn commit(&mut self, stamp: Stamp) -> Result<()> {
        let mut prepared = self.writer.prepare_commit().at(&self.root)?;
        prepared.set_payload(&stamp.payload());
        prepared.commit().at(&self.root)?;
        Ok(())
    }

    /// Makes one segment of several, and removes their files.
    pub(crate) fn merge(&mut self, segments: &[SegmentId]) -> Result<()> {
        self.writer.merge(segments).wait().at(&self.root)?;
        self.writer.garbage_collect_files().wait().at(&self.root)?;
        Ok(())
    }

    /// Waits for merges to end; without this a short-lived process would leave them undone for
    /// ever.
    pub(crate) fn finish(self) -> Result<()> {
        self.writer.wait_merging_threads().at(&self.root)
    }
}

/// One committed state of the index.
pub(crate) struct TextReader {
    pub(super) searcher: Searcher,
    pub(super) fields: Fields,
    /// The store's directory.
    pub(super) root: PathBuf,
    /// The columns of each segment, once they were needed.
    columns: OnceLock<Vec<DocumentColumns>>,
}

/// The columns of a segment that say what its documents are.
pub(super) struct DocumentColumns {
    version: Column<u64>,
    chunk: Column<u64>,
}

impl DocumentColumns {
    /// Returns the version that brought a document.
    pub(super) fn origin(&self, doc: u32) -> VersionId {
        VersionId(self.version.first(doc).unwrap_or(0) as u32)
    }

    /// Returns the number of a document among those of its version.
    pub(super) fn number(&self, doc: u32) -> u32 {
        self.chunk.first(doc).unwrap_or(0) as u32
    }

    /// Returns whether a view holds a document.
    pub(super) fn is_live(&self, doc: u32, live: &LiveItems) -> bool {
        live.holds(self.origin(doc), || self.number(doc))
    }
}

impl TextReader {
    /// Returns the columns of each segment.
    pub(super) fn columns(&self) -> Result<&[DocumentColumns]> {
        if let Some(columns) = self.columns.get() {
            return Ok(columns);
        }
        let open = |segment: &SegmentReader| -> tantivy::Result<DocumentColumns> {
            let fields = segment.fast_fields();
            Ok(DocumentColumns { version: fields.u64("version")?, chunk: fields.u64("chunk")? })
        };
        let columns = self.searcher.segment_readers().iter().map(open).collect::<tantivy::Result<_>>();
        let columns = columns.at(&self.root)?;
        Ok(self.columns.get_or_init(|| columns))
    }

    /// The versions of a view that have a chunk whose body holds `term`.
    pub(crate) fn versions_with(&self, term: &str, live: &LiveItems) -> Result<BTreeSet<VersionId>> {
        let body = self.fields.scored[FIELDS.len() - 1];
        let term = Term::from_field_text(body, term);
        let mut versions = Vec::new();
        for (segment, columns) in self.searcher.segment_readers().iter().zip(self.columns()?) {
            let inverted = segment.inverted_index(body).at(&self.root)?;
            let postings = inverted.read_postings(&term, IndexRecordOption::Basic);
            let Some(mut postings) = postings.at(&self.root)? else { continue };
            while postings.doc() != TERMINATED {
                let doc = postings.doc();
                // Most chunks of a file come one after another.
                if let Some((version, _)) = live.place(columns.origin(doc), || columns.number(doc))
                    && versions.last() != Some(&version)
                    && !segment.is_deleted(doc)
                {
                    versions.push(version);
                }
                postings.advance();
            }
        }
        Ok(versions.into_iter().collect())
    }

    /// Lower-case symbol names within `distance` edits of `key`, sorted; names of dead versions may
    /// be among them.
    pub(crate) fn similar_symbols(&self, key: &str, distance: u8) -> Result<Vec<String>> {
        let query = FuzzyTermQuery::new(Term::from_field_text(self.fields.symbol, key), distance, true);
        let mut names = BTreeSet::new();
        for segment in self.searcher.segment_readers() {
            let inverted = segment.inverted_index(self.fields.symbol).at(&self.root)?;
            let automaton = query.automaton().at(&self.root)?;
            let mut stream = inverted.terms().search(automaton).into_stream().at(&self.root)?;
            while stream.advance() {
                if let Ok(name) = std::str::from_utf8(stream.key()) {
                    names.insert(name.to_string());
                }
            }
        }
        Ok(names.into_iter().collect())
    }
}

/// Returns the weight of a term, from the number of live chunks and of those that hold it.
pub(crate) fn inverse_frequency(total: u64, with_term: u64) -> f32 {
    let (total, with_term) = (total.max(with_term) as f32, with_term as f32);
    (1.0 + (total - with_term + 0.5) / (with_term + 0.5)).ln()
}

/// The folder of the text index in a data folder.
pub(crate) fn folder(data: &Path) -> PathBuf {
    data.join("text")
}

/// The directory of the store that a data folder belongs to.
pub(super) fn root(data: &Path) -> PathBuf {
    data.parent().unwrap_or(data).to_path_buf()
}

fn with_tokenizer(index: Index) -> Index {
    index.tokenizers().register("code", TextAnalyzer::from(CodeTokenizer::default()));
    index
}

/// [`tokenize::tokenize`] in the shape Tantivy wants.
#[derive(Clone, Default)]
struct CodeTokenizer {
    terms: String,
    ends: Vec<usize>,
    token: Token,
}

struct CodeTokens<'a> {
    tokenizer: &'a mut CodeTokenizer,
    next: usize,
}

impl Tokenizer for CodeTokenizer {
    type TokenStream<'a> = CodeTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> CodeTokens<'a> {
        self.terms.clear();
        self.ends.clear();
        self.token.reset();
        let (terms, ends) = (&mut self.terms, &mut self.ends);
        tokenize::tokenize(text, &mut |term| {
            terms.push_str(term);
            ends.push(terms.len());
        });
        CodeTokens { tokenizer: self, next: 0 }
    }
}

impl TokenStream for CodeTokens<'_> {
    fn advance(&mut self) -> bool {
        let CodeTokenizer { terms, ends, token } = &mut *self.tokenizer;
        let Some(end) = ends.get(self.next) else { return false };
        let start = if self.next == 0 { 0 } else { ends[self.next - 1] };
        token.text.clear();
        token.text.push_str(&terms[start..*end]);
        token.position = self.next;
        self.next += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.tokenizer.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.tokenizer.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::text::bm25f::TextStatistics;

    fn document(name: &str, body: &str) -> ChunkDocument {
        ChunkDocument {
            symbols: vec![name.to_lowercase()],
            name: name.into(),
            signature: String::new(),
            doc: String::new(),
            body: body.into(),
        }
    }

    #[test]
    fn scores_depend_on_the_live_set_only() {
        let folder = tempfile::tempdir().unwrap();
        let index = TextIndex::create(folder.path()).unwrap();
        let mut writer = index.writer(15_000_000, 1).unwrap();
        writer.add(VersionId(1), "a.rs", vec![document("parseHeader", "reads a header")]).unwrap();
        writer.commit(Stamp { high_water: 1, gc_epoch: 0 }).unwrap();
        let score = |versions: std::ops::Range<usize>| {
            let live = LiveItems::of(versions.collect());
            {
                let statistics = TextStatistics { chunks: 10, frequencies: None };
                index.reader().unwrap().score(&[("header".into(), 1.0)], &live, statistics).unwrap().best(100)
            }
        };
        let alone = score(1..2);
        for version in 2..20 {
            writer.add(VersionId(version), "b.rs", vec![document("header", "header header")]).unwrap();
        }
        writer.commit(Stamp { high_water: 19, gc_epoch: 2 }).unwrap();
        assert_eq!(score(1..2), alone);
        assert_eq!(score(1..20).len(), 19);
        assert_eq!(index.stamp().unwrap(), Stamp { high_water: 19, gc_epoch: 2 });
        writer.delete(VersionId(1));
        writer.commit(Stamp::default()).unwrap();
        assert!(score(1..2).is_empty());
    }

    #[test]
    fn single_documents_can_be_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let index = TextIndex::create(folder.path()).unwrap();
        let mut writer = index.writer(15_000_000, 1).unwrap();
        for version in 1..3 {
            let documents = (0..3).map(|n| document(&format!("name{n}"), "same")).collect();
            writer.add(VersionId(version), "a.rs", documents).unwrap();
        }
        writer.commit(Stamp::default()).unwrap();
        writer.delete_document(Item { origin: VersionId(2), number: 1 }).unwrap();
        writer.delete(VersionId(1));
        writer.commit(Stamp::default()).unwrap();
        let left = [0, 2].map(|number| Item { origin: VersionId(2), number });
        assert_eq!(index.documents().unwrap().into_iter().collect::<Vec<_>>(), left);
    }

    #[test]
    fn similar_symbols_are_found_by_edits() {
        let folder = tempfile::tempdir().unwrap();
        let index = TextIndex::create(folder.path()).unwrap();
        let mut writer = index.writer(15_000_000, 1).unwrap();
        writer.add(VersionId(1), "a.rs", vec![document("parseHeader", ""), document("other", "")]).unwrap();
        writer.commit(Stamp::default()).unwrap();
        let reader = index.reader().unwrap();
        assert_eq!(reader.similar_symbols("parseheadr", 2).unwrap(), ["parseheader"]);
        assert!(reader.similar_symbols("unrelated", 2).unwrap().is_empty());
    }
}
