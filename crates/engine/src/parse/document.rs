//! From a file's text and facts to what the store keeps of it. Runs in the parsing threads, so that
//! the one writer has nothing left to compute.

use std::time::Duration;

use codecompass_embed::{Document, Embedder};
use codecompass_syntax::facts::{Definition, FileFacts, Kind};
use codecompass_syntax::{Language, Parsed, language_of, parse};

use crate::model::{Role, SkipReason};
use crate::scan::{self, SourceText};
use crate::store::facts;
use crate::store::facts::previous_versions::{Earlier, GONE};
use crate::store::facts::shared_items::{self, Item, OWN, SharedItems};
use crate::store::read::lookup::FactLookup;
use crate::store::text::index::ChunkDocument;
use crate::store::trigrams;
use crate::store::vectors::QuantizedVector;
use crate::store::write::new_version::{NewVersion, SymbolKey};

/// The limit, store and model that a parsing thread works with.
#[derive(Clone, Copy)]
pub(crate) struct ParseContext<'a> {
    /// The longest time one file may take.
    pub parse_limit: Duration,
    /// Looks up facts and earlier versions that the store has already.
    pub recall: Option<&'a FactLookup>,
    /// The model that makes vectors, if they are made while parsing.
    pub embedder: Option<&'a dyn Embedder>,
    /// True if texts get filters for text searches.
    pub makes_trigrams: bool,
}

/// Parses a source text, or recalls what an equal one gave, and prepares everything to be stored
/// about it. Says whether it was parsed.
pub(crate) fn prepare(path: &str, source: &SourceText, context: &ParseContext<'_>) -> (NewVersion, bool) {
    let (version, is_parsed) = prepare_facts(path, source, context);
    // Texts that were decoded are searched in another form, and the search of others ends at a NUL.
    let is_searched_as_it_is = !source.lossy && source.text.len() as u64 == source.stat.size;
    let has_trigrams =
        context.makes_trigrams && is_searched_as_it_is && memchr::memchr(0, source.text.as_bytes()).is_none();
    let trigrams = has_trigrams.then(|| trigrams::filter(source.text.as_bytes()));
    (NewVersion { trigrams, ..version }, is_parsed)
}

fn prepare_facts(path: &str, source: &SourceText, context: &ParseContext<'_>) -> (NewVersion, bool) {
    let ParseContext { parse_limit, recall, embedder, .. } = *context;
    let language = language_of(path, &source.text);
    let name = language.map(|language| language.name);
    let earlier = || recall.map(|recall| recall.earlier(path)).unwrap_or_default();
    if let Some(facts) = recall.and_then(|recall| recall.facts(&source.content_id, name)) {
        return (with_facts(path, source, language, facts, &earlier(), embedder), false);
    }
    let version = match parse(&source.text, language, parse_limit) {
        Parsed::Facts(facts) => with_facts(path, source, language, *facts, &earlier(), embedder),
        Parsed::TimedOut => NewVersion {
            language: language.map(|language| language.name),
            ..without_facts(source.content_id, source.text.len() as u64, &SkipReason::ParseTimeout)
        },
    };
    (version, true)
}

/// Returns the version to store for a content without facts, so that the next sync need not read it
/// again.
pub(crate) fn without_facts(content_id: crate::model::ContentId, size: u64, reason: &SkipReason) -> NewVersion {
    NewVersion {
        content_id,
        size,
        language: None,
        role: Role::Source,
        skip: Some(reason.code()),
        line_count: 0,
        chunk_count: 0,
        symbol_count: 0,
        facts: facts::Encoded::default(),
        shared: None,
        symbols: Vec::new(),
        documents: Vec::new(),
        hashes: Vec::new(),
        vectors: Vec::new(),
        trigrams: None,
    }
}

fn with_facts(
    path: &str,
    source: &SourceText,
    language: Option<&'static Language>,
    facts: FileFacts,
    earlier: &Earlier,
    embedder: Option<&dyn Embedder>,
) -> NewVersion {
    let role = match scan::role(path) {
        Role::Source if scan::has_generated_header(&source.text) => Role::Generated,
        Role::Source if !language.is_some_and(Language::is_code) => Role::Docs,
        role => role,
    };
    let mut documents = documents(&source.text, &facts);
    let mut hashes: Vec<u64> = documents.iter().map(hash).collect();
    let chunk_count = documents.len();
    let is_symbol = |definition: &Definition| definition.kind != Kind::Impl;
    let symbol_count = facts.definitions.iter().filter(|definition| is_symbol(definition)).count();

    let shared = share(&facts.definitions, &hashes, earlier);
    let mut is_own = shared.documents.items().map(|item| item.origin == OWN);
    documents.retain(|_| is_own.next().unwrap_or(true));
    let mut is_own = shared.documents.items().map(|item| item.origin == OWN);
    hashes.retain(|_| is_own.next().unwrap_or(true));
    let symbols = facts
        .definitions
        .iter()
        .zip(shared.definitions.items())
        .filter(|(_, item)| item.origin == OWN)
        .map(|(definition, item)| SymbolKey {
            name: definition.name.clone(),
            ordinal: item.number,
            kind: definition.kind,
        })
        .collect();
    let vectors = embedder.map_or_else(Vec::new, |embedder| embed(path, &documents, embedder));
    let line_count = facts.line_count;
    let (outline, uses) = facts::split(facts);
    NewVersion {
        content_id: source.content_id,
        size: source.stat.size,
        language: language.map(|language| language.name),
        role,
        skip: None,
        line_count,
        chunk_count,
        symbol_count,
        facts: facts::encode(&outline, &uses, &earlier.bases),
        shared: shared.encode(),
        symbols,
        documents,
        hashes,
        vectors,
        trigrams: None,
    }
}

/// The vectors of search documents; none when they cannot be made, which is tried again another
/// time.
pub(crate) fn embed(path: &str, documents: &[ChunkDocument], embedder: &dyn Embedder) -> Vec<QuantizedVector> {
    let texts: Vec<Document<'_>> = documents.iter().map(|document| Document { path, text: &document.body }).collect();
    let vectors = embedder.embed_documents(&texts).unwrap_or_default();
    vectors.iter().map(|vector| QuantizedVector::new(vector)).collect()
}

/// Finds what earlier versions of the path have already.
fn share(definitions: &[Definition], hashes: &[u64], earlier: &Earlier) -> SharedItems {
    let names = definitions.iter().map(|definition| (definition.kind, definition.name.as_str()));
    let definitions =
        shared_items::list(earlier.definitions(), names, |ordinal| Item { origin: OWN, number: ordinal as u32 });
    let mut brought = 0..;
    let documents = shared_items::list(earlier.documents(), hashes.iter().copied(), |_| Item {
        origin: OWN,
        number: brought.next().unwrap_or(u32::MAX),
    });
    SharedItems { definitions, documents }
}

/// The hash by which a search document is known among those of its path.
fn hash(document: &ChunkDocument) -> u64 {
    let ChunkDocument { symbols, name, signature, doc, body } = document;
    let mut hasher = blake3::Hasher::new();
    for part in [name, signature, doc, body].into_iter().chain(symbols) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut bytes = [0; 8];
    hasher.finalize_xof().fill(&mut bytes);
    u64::from_le_bytes(bytes).max(GONE + 1)
}

fn documents(text: &str, facts: &FileFacts) -> Vec<ChunkDocument> {
    let mut names: Vec<Vec<&Definition>> = vec![Vec::new(); facts.chunks.len()];
    let is_symbol = |definition: &&Definition| definition.kind != Kind::Impl && !definition.kind.is_outline_only();
    for definition in facts.definitions.iter().filter(is_symbol) {
        let at = facts.chunks.partition_point(|chunk| chunk.span.end_line < definition.name_line);
        if let Some(names) = names.get_mut(at) {
            names.push(definition);
        }
    }
    facts
        .chunks
        .iter()
        .zip(names)
        .map(|(chunk, names)| {
            let shown = chunk.definition.map(|index| &facts.definitions[index as usize]);
            let mut symbols: Vec<String> = names.iter().map(|definition| definition.name.to_lowercase()).collect();
            symbols.sort_unstable();
            symbols.dedup();
            ChunkDocument {
                symbols,
                name: shown.map_or_else(String::new, |definition| definition.qualified_name.clone()),
                signature: shown.map_or_else(String::new, |definition| definition.signature.clone()),
                doc: shown.and_then(|definition| definition.doc.clone()).unwrap_or_default(),
                body: text[chunk.span.start_byte as usize..chunk.span.end_byte as usize].to_string(),
            }
        })
        .collect()
}
