//! Facts of file versions as compact blobs; see `delta_codec` and `blob_codec` for what is in them.
//!
//! The outline (definitions, imports, chunks) is read for nearly every answer, the uses
//! (references) only for navigation, so they are two blobs. Those of a file that changed are stored
//! against those of an earlier version of the same path, its *base*, and cost about as much as what
//! changed. A base may have one itself, but that is all.

pub(crate) mod blob_codec;
pub(crate) mod definition_summary;
pub(crate) mod delta_codec;
pub(crate) mod imports_only;
pub(crate) mod live_set;
pub(crate) mod previous_versions;
pub(crate) mod shared_items;
pub(crate) mod symbols;

use codecompass_syntax::facts::{
    Binding, CallArgument, Chain, Chunk, DeclaredType, Definition, FileFacts, Import, Kind, Parameter, Problem,
    Reference, TextSpan,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::model::VersionId;
use crate::store::facts::imports_only::ImportsOnly;
use crate::store::sqlite::connection::Db;

/// The part of a file's facts that most answers need.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outline {
    pub line_count: u32,
    pub definitions: Vec<Definition>,
    pub imports: Vec<Import>,
    pub chunks: Vec<Chunk>,
    pub problems: Vec<Problem>,
}

/// The names a file uses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Uses {
    pub names: Vec<String>,
    pub types: Vec<DeclaredType>,
    pub chains: Vec<Chain>,
    pub references: Vec<Reference>,
    pub arguments: Vec<CallArgument>,
    pub bindings: Vec<Binding>,
    pub texts: Vec<TextSpan>,
    pub locals: Vec<u32>,
}

impl Outline {
    /// Returns the definition at a place: the one that is named there, or else the innermost that
    /// covers the line. Blocks that add members to a type do not count.
    pub(crate) fn definition_at(&self, line: u32, column: Option<u32>) -> Option<u32> {
        let counts = |definition: &Definition| definition.kind != Kind::Impl;
        let around = || self.innermost_at(line, counts, |definition| definition.span.start_line);
        self.named_at(line, column).or_else(around)
    }

    /// Returns the definition that is named on a line, the one at the column or else the first of
    /// several. Blocks that add members to a type do not count.
    pub(crate) fn named_at(&self, line: u32, column: Option<u32>) -> Option<u32> {
        let covers = |definition: &Definition, column: u32| {
            (definition.name_column..definition.name_column + definition.name.len() as u32).contains(&column)
        };
        let exact = column.and_then(|column| self.all_named_at(line).find(|(_, named)| covers(named, column)));
        exact.or_else(|| self.all_named_at(line).next()).map(|(ordinal, _)| ordinal)
    }

    /// Returns the definitions that are named on a line, in the order of their numbers. Blocks that
    /// add members to a type do not count.
    pub(crate) fn all_named_at(&self, line: u32) -> impl Iterator<Item = (u32, &Definition)> {
        let all = self.definitions.iter().enumerate().map(|(ordinal, definition)| (ordinal as u32, definition));
        all.filter(move |(_, definition)| definition.kind != Kind::Impl && definition.name_line == line)
    }

    /// Returns the innermost definition that covers a line, of those that `counts` accepts;
    /// `first_line` is where one begins.
    pub(crate) fn innermost_at(
        &self,
        line: u32,
        counts: impl Fn(&Definition) -> bool,
        first_line: impl Fn(&Definition) -> u32,
    ) -> Option<u32> {
        let around = self.definitions.iter().enumerate().filter(|(_, definition)| {
            counts(definition) && (first_line(definition)..=definition.span.end_line).contains(&line)
        });
        around
            .min_by_key(|(ordinal, d)| (d.span.end_byte - d.span.start_byte, usize::MAX - ordinal))
            .map(|(ordinal, _)| ordinal as u32)
    }

    /// About how much memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        let of_definition = |definition: &Definition| {
            let doc = definition.doc.as_ref().map_or(0, String::len);
            let parameters = definition.parameters.iter().flatten();
            let of_parameter = |it: &Parameter| {
                size_of::<Parameter>() + it.name.len() + it.declared.as_ref().map_or(0, DeclaredType::bytes)
            };
            let parameters: usize = parameters.map(of_parameter).sum();
            let declared = definition.declared_type.as_ref().map_or(0, DeclaredType::bytes);
            let decorators: usize = definition.decorators.iter().map(|text| size_of::<String>() + text.len()).sum();
            let names = definition.name.len() + definition.qualified_name.len() + definition.signature.len();
            size_of::<Definition>() + names + doc + decorators + parameters + declared
        };
        let of_import = |import: &Import| size_of::<Import>() + import.module.len();
        self.definitions.iter().map(of_definition).sum::<usize>()
            + self.imports.iter().map(of_import).sum::<usize>()
            + self.chunks.len() * size_of::<Chunk>()
    }
}

impl Uses {
    /// About how much memory they take.
    pub(crate) fn bytes(&self) -> usize {
        self.names.iter().map(|name| size_of::<String>() + name.len()).sum::<usize>()
            + self.types.iter().map(|it| size_of::<DeclaredType>() + it.bytes()).sum::<usize>()
            + self.chains.iter().map(|it| size_of::<Chain>() + it.bytes()).sum::<usize>()
            + self.references.len() * size_of::<Reference>()
            + self.arguments.len() * size_of::<CallArgument>()
            + self.bindings.len() * size_of::<Binding>()
            + self.texts.len() * size_of::<TextSpan>()
            + self.locals.len() * size_of::<u32>()
    }
}

/// Splits facts into their two stored parts.
pub(crate) fn split(facts: FileFacts) -> (Outline, Uses) {
    let FileFacts {
        line_count,
        names,
        types,
        chains,
        definitions,
        references,
        arguments,
        bindings,
        texts,
        locals,
        imports,
        chunks,
        problems,
    } = facts;
    let outline = Outline { line_count, definitions, imports, chunks, problems };
    (outline, Uses { names, types, chains, references, arguments, bindings, texts, locals })
}

/// Puts the two stored parts together again.
pub(crate) fn join(outline: Outline, uses: Uses) -> FileFacts {
    let Outline { line_count, definitions, imports, chunks, problems } = outline;
    let Uses { names, types, chains, references, arguments, bindings, texts, locals } = uses;
    FileFacts {
        line_count,
        names,
        types,
        chains,
        definitions,
        references,
        arguments,
        bindings,
        texts,
        locals,
        imports,
        chunks,
        problems,
    }
}

/// More than so many blobs besides its own are never needed to read a version's facts. The second
/// one halves what a version costs when a file changes for long, a third would save little more.
const MAX_DEPTH: usize = 2;

/// Facts that are shorter than this before compression are not worth keeping a base for.
const MIN_BYTES: usize = 200;

/// A version that others can be stored against, with its facts before compression.
pub(crate) struct Base {
    version: VersionId,
    outline: Vec<u8>,
    uses: Vec<u8>,
    /// The stored size of it and of all versions stored against it, together.
    stored_bytes: usize,
    /// The number of versions stored against it.
    dependents: usize,
}

/// Both parts of a file's facts as they are stored.
#[derive(Default)]
pub(crate) struct Encoded {
    /// The version they are stored against.
    pub base: Option<VersionId>,
    pub outline: Vec<u8>,
    pub uses: Vec<u8>,
}

/// Encodes both parts for the store, against the first base that pays.
pub(crate) fn encode(outline: &Outline, uses: &Uses, bases: &[Base]) -> Encoded {
    let (outline, uses) = (delta_codec::to_bytes(outline), delta_codec::to_bytes(uses));
    let bases = if outline.len() + uses.len() < MIN_BYTES { &[] } else { bases };
    for base in bases {
        let encoded = Encoded {
            base: Some(base.version),
            outline: blob_codec::pack(&outline, Some(&base.outline)),
            uses: blob_codec::pack(&uses, Some(&base.uses)),
        };
        // The further a file drifts from its base, the less they share. A new base is due as soon
        // as one more version costs more than all so far have on average, the base included.
        let bytes = encoded.outline.len() + encoded.uses.len();
        if bytes * (base.dependents + 1) <= base.stored_bytes {
            return encoded;
        }
    }
    Encoded { base: None, outline: blob_codec::pack(&outline, None), uses: blob_codec::pack(&uses, None) }
}

/// Returns the bases that the next version of a path can be stored against, nearest first, and the
/// outline of the newest version so far.
pub(crate) fn bases(db: &Db, path_id: i64, newest: VersionId) -> Result<(Vec<Base>, Outline)> {
    let mut bases: Vec<Base> = Vec::new();
    for (version, [outline, uses]) in chain(db, newest, BOTH)? {
        let own_bytes = outline.len() + uses.len();
        let nearest = bases.last();
        let outline = plain(db, version, &outline, nearest.map(|base| base.outline.as_slice()))?;
        let uses = plain(db, version, &uses, nearest.map(|base| base.uses.as_slice()))?;
        let sql = "SELECT count(*), coalesce(sum(length(f.outline) + length(f.uses)), 0) FROM file_version v \
                   JOIN facts f ON f.version_id = v.version_id WHERE v.path_id = ?1 AND f.base_id = ?2";
        let (dependents, bytes): (i64, i64) =
            db.prepare(sql)?.query_row((path_id, version.0), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let stored_bytes = own_bytes + bytes.max(0) as usize;
        bases.push(Base { version, outline, uses, stored_bytes, dependents: dependents.max(0) as usize });
    }
    let newest_outline = match bases.last() {
        Some(base) => delta_codec::from_bytes(&base.outline).ok_or_else(|| damaged(db, newest, NONSENSE))?,
        None => Outline::default(),
    };
    bases.truncate(MAX_DEPTH);
    bases.reverse();
    Ok((bases, newest_outline))
}

/// Reads the outline of a version; empty for one that was skipped.
pub(crate) fn outline(db: &Db, version: VersionId) -> Result<Outline> {
    read(db, version, OUTLINE)
}

/// Reads the imports of a version, and nothing else of its outline.
pub(crate) fn imports(db: &Db, version: VersionId) -> Result<Vec<Import>> {
    Ok(read::<ImportsOnly>(db, version, OUTLINE)?.imports)
}

/// Reads the uses of a version; empty for one that was skipped.
pub(crate) fn uses(db: &Db, version: VersionId) -> Result<Uses> {
    read(db, version, USES)
}

/// Both parts of a version's facts as they are stored, with all that they are stored against.
pub(crate) struct StoredFacts(Vec<(VersionId, [Vec<u8>; 2])>);

impl StoredFacts {
    /// Reads the facts of a version.
    pub(crate) fn read(db: &Db, version: VersionId) -> Result<StoredFacts> {
        chain(db, version, BOTH).map(StoredFacts)
    }

    /// Decodes them; `None` if there are none, or if they are damaged.
    pub(crate) fn decode(&self) -> Option<(Outline, Uses)> {
        let mut nearest: Option<[Vec<u8>; 2]> = None;
        for (_, [outline, uses]) in &self.0 {
            let (outline_base, uses_base) = nearest.as_ref().map(|[outline, uses]| (&**outline, &**uses)).unzip();
            nearest = Some([blob_codec::unpack(outline, outline_base)?, blob_codec::unpack(uses, uses_base)?]);
        }
        let [outline, uses] = nearest?;
        Some((delta_codec::from_bytes(&outline)?, delta_codec::from_bytes(&uses)?))
    }
}

fn read<T: DeserializeOwned + Default>(db: &Db, version: VersionId, sql: &str) -> Result<T> {
    let mut nearest: Option<Vec<u8>> = None;
    for (version, [blob]) in chain(db, version, sql)? {
        nearest = Some(plain(db, version, &blob, nearest.as_deref())?);
    }
    match nearest {
        Some(plain) => delta_codec::from_bytes(&plain).ok_or_else(|| damaged(db, version, NONSENSE)),
        None => Ok(T::default()),
    }
}

const OUTLINE: &str = "SELECT base_id, outline FROM facts WHERE version_id = ?1";
const USES: &str = "SELECT base_id, uses FROM facts WHERE version_id = ?1";
const BOTH: &str = "SELECT base_id, outline, uses FROM facts WHERE version_id = ?1";

/// The stored parts of a version and of all that they are stored against, farthest first; none if
/// it has no facts.
fn chain<const PARTS: usize>(db: &Db, version: VersionId, sql: &str) -> Result<Vec<(VersionId, [Vec<u8>; PARTS])>> {
    let mut statement = db.prepare(sql)?;
    let mut chain = Vec::new();
    let mut next = Some(version);
    while let Some(version) = next {
        let row = statement.query_optional([version.0], |row| {
            let mut parts = [const { Vec::new() }; PARTS];
            for (at, part) in parts.iter_mut().enumerate() {
                *part = row.get(at + 1)?;
            }
            Ok((row.get::<_, Option<u32>>(0)?, parts))
        });
        match row? {
            None if chain.is_empty() => break,
            Some((base, parts)) if chain.len() <= MAX_DEPTH => {
                chain.push((version, parts));
                next = base.map(VersionId);
            }
            _ => return Err(damaged(db, version, "their base is missing")),
        }
    }
    chain.reverse();
    Ok(chain)
}

fn plain(db: &Db, version: VersionId, blob: &[u8], base: Option<&[u8]>) -> Result<Vec<u8>> {
    blob_codec::unpack(blob, base).ok_or_else(|| damaged(db, version, "checksum mismatch"))
}

const NONSENSE: &str = "they make no sense";

fn damaged(db: &Db, version: VersionId, detail: &str) -> Error {
    db.corrupt(format!("facts of file version {}: {detail}", version.0))
}
