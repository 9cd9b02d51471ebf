//! The evidence of a repository for code that a long text names, and for whole files.

use codecompass_syntax::facts::Definition;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::named::{files_of_modules, rows_inside};
use super::places::NamedPlace;
use crate::error::Result;
use crate::model::VersionId;
use crate::query::search::rounds::Shard;
use crate::query::search::text_candidates::Terms;
use crate::store::Snapshot;
use crate::store::facts::Outline;
use crate::store::text::bm25f::TextHit;
use crate::weights::{self, issue as points};

/// The points of what a text names, as far as one repository has it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct IssuePoints {
    pub names: Vec<NamePoints>,
    /// Of modules.
    pub modules: Vec<(Vec<String>, f64)>,
    pub places: Vec<(NamedPlace, f64)>,
    /// Of definitions that have or use messages, by path and number.
    pub messages: Vec<(String, u32, f64)>,
}

/// The points of each definition with a name.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NamePoints {
    pub parts: Vec<String>,
    /// True if only the very name counts, not one in another case.
    pub is_exact: bool,
    /// True if only definitions in its container count.
    pub in_container: bool,
    pub points: f64,
}

/// The evidence of names and places.
#[derive(Debug, Default)]
pub(crate) struct NamedEvidence {
    /// Of definitions, by version and ordinal: points of their names.
    definitions: FxHashMap<(VersionId, u32), f64>,
    /// Of files: points of the names that they define.
    files: FxHashMap<VersionId, f64>,
    /// Of files: points of paths and modules that the text names.
    paths: FxHashMap<VersionId, f64>,
    /// Of definitions: points of the frames that lead into them.
    frames: FxHashMap<(VersionId, u32), f64>,
    /// Of files: points of the frames that lead into them.
    file_frames: FxHashMap<VersionId, f64>,
    /// Of definitions: points of the messages that they have or use.
    messages: FxHashMap<(VersionId, u32), f64>,
}

/// The evidence of names and places for one candidate.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct IssueEvidence {
    /// Points of its name, and of its container's.
    pub name: f64,
    pub container: f64,
    pub frame: f64,
    pub message: f64,
    /// Points of the names in its file, of the file's path, and of frames that lead into it.
    pub file_names: f64,
    pub path: f64,
    pub file_frame: f64,
}

/// The text scores of a whole file.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct FileText {
    /// The sum over the best chunks.
    pub best_chunks: f64,
    /// BM25 with a file as the document and its chunks as occurrences.
    pub whole: f64,
}

/// Keeps the larger of the points that something has.
fn raise<K: std::hash::Hash + Eq>(known: &mut FxHashMap<K, f64>, key: K, points: f64) {
    let known = known.entry(key).or_default();
    *known = known.max(points);
}

impl NamedEvidence {
    /// Looks up what a text names.
    pub(crate) fn of(shard: &mut Shard<'_>, points: IssuePoints) -> Result<NamedEvidence> {
        let snapshot = shard.snapshot;
        let mut named = NamedEvidence::default();
        for name in &points.names {
            named.add_name(shard, name)?;
        }
        let modules: Vec<&[String]> = points.modules.iter().map(|(module, _)| module.as_slice()).collect();
        files_of_modules(shard, &modules);
        for (module, points) in &points.modules {
            let files = shard.modules.get(module).into_iter().flatten();
            files.for_each(|version| raise(&mut named.paths, *version, *points));
        }
        for (place, points) in &points.places {
            named.add_place(snapshot, place, *points)?;
        }
        for (path, ordinal, points) in &points.messages {
            let version = snapshot.version_at(path);
            version.into_iter().for_each(|version| raise(&mut named.messages, (version, *ordinal), *points));
        }
        Ok(named)
    }

    fn add_name(&mut self, shard: &mut Shard<'_>, name: &NamePoints) -> Result<()> {
        let snapshot = shard.snapshot;
        let Some(last) = name.parts.last() else { return Ok(()) };
        let rows = shard.rows(last)?.iter().filter(|row| !name.is_exact || row.name == *last).cloned().collect();
        let rows = match name.parts.iter().nth_back(1).filter(|_| name.in_container) {
            Some(container) => rows_inside(snapshot, rows, container)?,
            None => rows,
        };
        let mut files = FxHashSet::default();
        for row in rows {
            *self.definitions.entry((row.version, row.ordinal)).or_default() += name.points;
            files.insert(row.version);
        }
        for version in files {
            *self.files.entry(version).or_default() += name.points;
        }
        Ok(())
    }

    fn add_place(&mut self, snapshot: &Snapshot, place: &NamedPlace, points: f64) -> Result<()> {
        let Some(version) = snapshot.version_at(&place.path) else { return Ok(()) };
        match place.is_frame {
            true => raise(&mut self.file_frames, version, points),
            false => raise(&mut self.paths, version, points::PATH),
        }
        if let Some(ordinal) = definition_at(&*snapshot.outline(version)?, place) {
            raise(&mut self.frames, (version, ordinal), points);
        }
        Ok(())
    }

    /// Adds the chunks of definitions that names and frames bring.
    pub(crate) fn add_chunks(&self, snapshot: &Snapshot, others: &mut FxHashSet<(VersionId, u32)>) -> Result<()> {
        for (version, ordinal) in self.definitions.keys().chain(self.frames.keys()).chain(self.messages.keys()) {
            let outline = snapshot.outline(*version)?;
            let chunk = outline.chunks.iter().position(|chunk| chunk.definition == Some(*ordinal));
            others.extend(chunk.map(|chunk| (*version, chunk as u32)));
        }
        // Of a file that is named, the whole of it may be meant.
        others.extend(self.paths.keys().map(|version| (*version, 0)));
        Ok(())
    }

    /// Returns the evidence for a chunk, which may be of a definition.
    pub(crate) fn evidence(&self, version: VersionId, definition: Option<u32>, outline: &Outline) -> IssueEvidence {
        let of_file = |points: &FxHashMap<VersionId, f64>| points.get(&version).copied().unwrap_or(0.0);
        let of = |points: &FxHashMap<(VersionId, u32), f64>, ordinal: Option<u32>| {
            ordinal.and_then(|ordinal| points.get(&(version, ordinal))).copied().unwrap_or(0.0)
        };
        let parent = definition.and_then(|ordinal| outline.definitions.get(ordinal as usize)?.parent);
        IssueEvidence {
            name: of(&self.definitions, definition),
            container: of(&self.definitions, parent),
            frame: of(&self.frames, definition),
            message: of(&self.messages, definition),
            file_names: of_file(&self.files),
            path: of_file(&self.paths),
            file_frame: of_file(&self.file_frames),
        }
    }
}

impl FileText {
    /// Returns the scores of the files of chunks.
    pub(crate) fn of_all(
        shard: &mut Shard<'_>,
        terms: &Terms,
        chunks: &[TextHit],
    ) -> Result<Vec<(VersionId, FileText)>> {
        let snapshot = shard.snapshot;
        let scored = shard.scored(terms)?;
        let versions: FxHashSet<VersionId> = chunks.iter().map(|hit| hit.version).collect();
        let mut by_file: FxHashMap<VersionId, Vec<TextHit>> = FxHashMap::default();
        for hit in scored.of_versions(&versions) {
            by_file.entry(hit.version).or_default().push(hit);
        }
        let text = |(version, mut hits): (VersionId, Vec<TextHit>)| {
            hits.sort_by(|a, b| b.score.total_cmp(&a.score));
            let best = hits.iter().take(weights::evidence::FILE_CHUNKS).rev();
            let best_chunks = best.fold(0.0, |rest, hit| f64::from(hit.score) + weights::evidence::FILE_DECAY * rest);
            let length = snapshot.outline(version)?.chunks.len() as f64;
            let norm = 1.0 - points::FILE_LENGTH + points::FILE_LENGTH * length / points::FILE_PIVOT;
            let mut whole = 0.0;
            for at in 0..terms.terms.len() {
                let count = hits.iter().filter(|hit| hit.matched & (1 << at) != 0).count() as f64;
                whole +=
                    f64::from(scored.rarity(at)) * count * (points::FILE_K1 + 1.0) / (count + points::FILE_K1 * norm);
            }
            Ok((version, FileText { best_chunks, whole }))
        };
        by_file.into_iter().map(text).collect()
    }
}

/// The definition that a place leads into: the function that a frame names, since lines move
/// between versions and names do not, or the innermost one at the line.
fn definition_at(outline: &Outline, place: &NamedPlace) -> Option<u32> {
    let numbered = || (0..).zip(&outline.definitions);
    let by_line = |line: u32| {
        let holds = |one: &Definition| one.span.start_line <= line && line <= one.span.end_line;
        let inside = numbered().filter(|(_, one)| holds(one));
        inside.min_by_key(|(_, one)| one.span.end_line - one.span.start_line).map(|(at, _)| at)
    };
    let at_line = place.line.and_then(by_line);
    let Some(name) = &place.function else { return at_line };
    let called: Vec<u32> = numbered().filter(|(_, one)| one.name == *name).map(|(at, _)| at).collect();
    at_line.filter(|at| called.contains(at)).or(called.first().copied())
}
