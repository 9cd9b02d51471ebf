//! From a file's text and facts to what the store keeps of it. Runs in the parsing threads, so that the one writer has
//! nothing left to compute.

use std::time::Duration;

use codecompass_syntax::facts::{Definition, FileFacts, Kind};
use codecompass_syntax::{Language, Parsed, language_of, parse};

use crate::model::{Role, SkipReason};
use crate::scan::{self, SourceText};
use crate::store::facts;
use crate::store::recall::Recall;
use crate::store::text::ChunkDocument;
use crate::store::writer::{NewVersion, SymbolKey};

/// Parses a source text, or recalls what an equal one gave, and prepares everything to be stored about it. Says whether
/// it was parsed.
pub(crate) fn prepare(
    path: &str,
    source: &SourceText,
    parse_limit: Duration,
    recall: Option<&Recall>,
) -> (NewVersion, bool) {
    let language = language_of(path, &source.text);
    let name = language.map(|language| language.name);
    if let Some(facts) = recall.and_then(|recall| recall.facts(&source.content_id, name)) {
        return (with_facts(path, source, language, facts), false);
    }
    let version = match parse(&source.text, language, parse_limit) {
        Parsed::Facts(facts) => with_facts(path, source, language, facts),
        Parsed::TimedOut => NewVersion {
            language: language.map(|language| language.name),
            ..without_facts(source.content_id, source.text.len() as u64, &SkipReason::ParseTimeout)
        },
    };
    (version, true)
}

/// What is stored of a content that has no facts, so that it need not be read again to know so.
pub(crate) fn without_facts(content_id: crate::model::ContentId, size: u64, reason: &SkipReason) -> NewVersion {
    NewVersion {
        content_id,
        size,
        language: None,
        role: Role::Source,
        skip: Some(reason.code()),
        line_count: 0,
        outline: Vec::new(),
        uses: Vec::new(),
        symbols: Vec::new(),
        documents: Vec::new(),
    }
}

fn with_facts(path: &str, source: &SourceText, language: Option<&'static Language>, facts: FileFacts) -> NewVersion {
    let role = match scan::role(path) {
        Role::Source if scan::has_generated_header(&source.text) => Role::Generated,
        Role::Source if !language.is_some_and(Language::is_code) => Role::Docs,
        role => role,
    };
    let documents = documents(&source.text, &facts);
    let symbols = facts
        .definitions
        .iter()
        .enumerate()
        .map(|(ordinal, definition)| SymbolKey {
            name: definition.name.clone(),
            ordinal: ordinal as u32,
            kind: definition.kind,
        })
        .collect();
    let line_count = facts.line_count;
    let (outline, uses) = facts::split(facts);
    NewVersion {
        content_id: source.content_id,
        size: source.stat.size,
        language: language.map(|language| language.name),
        role,
        skip: None,
        line_count,
        outline: facts::encode(&outline),
        uses: facts::encode(&uses),
        symbols,
        documents,
    }
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
