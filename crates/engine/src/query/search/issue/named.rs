//! Definitions and files that the names and places of a text lead to.

use std::sync::Arc;

use codecompass_syntax::facts::Definition;
use codecompass_syntax::language_of;
use rustc_hash::{FxHashMap, FxHashSet};

use super::places::{self, NamedPlace};
use super::reading::{IssueText, NamedCode};
use crate::error::Result;
use crate::model::VersionId;
use crate::query::open_file::OpenFile;
use crate::query::search::answer::SearchOptions;
use crate::query::search::exact_text::by_exact_text;
use crate::query::search::intent::Intent;
use crate::query::shards::{self, Shard};
use crate::store::Snapshot;
use crate::store::facts::Outline;
use crate::store::facts::symbols::SymbolRow;
use crate::weights::issue as weights;

/// Names of a text that are looked up.
const MAX_NAMES: usize = 150;
/// A name with more definitions says nothing.
const MAX_DEFINITIONS: usize = 60;

/// The evidence of names and places.
#[derive(Debug, Default)]
pub(crate) struct NamedEvidence {
    /// Of definitions, by version and ordinal: points of their names.
    pub definitions: FxHashMap<(VersionId, u32), f64>,
    /// Of files: points of the names that they define.
    pub files: FxHashMap<VersionId, f64>,
    /// Of files: points of paths and modules that the text names.
    pub paths: FxHashMap<VersionId, f64>,
    /// Of definitions: points of the frames that lead into them.
    pub frames: FxHashMap<(VersionId, u32), f64>,
    /// Of files: points of the frames that lead into them.
    pub file_frames: FxHashMap<VersionId, f64>,
    /// Of definitions: points of the messages that they have or use.
    pub messages: FxHashMap<(VersionId, u32), f64>,
    /// The places of the text that the view has.
    pub places: Vec<NamedPlace>,
    /// The names that something is called by.
    pub known_names: Vec<String>,
}

/// Looks up the names and places of a text.
pub(crate) fn look_up(snapshot: &Snapshot, reading: &IssueText, options: &SearchOptions) -> Result<NamedEvidence> {
    let mut named = NamedEvidence::default();
    let shard = options.shard.as_ref();
    named.add_names(snapshot, &reading.names, shard)?;
    named.add_modules(snapshot, &reading.names, shard)?;
    let places = places::in_view(snapshot, &reading.places, shard)?;
    named.add_places(snapshot, &places)?;
    named.places = places.into_iter().map(|(place, _)| place).collect();
    named.add_messages(snapshot, reading, options)?;
    Ok(named)
}

impl NamedEvidence {
    /// Adds the definitions of names. A name is as rare as it is in all shards of the question.
    fn add_names(&mut self, snapshot: &Snapshot, names: &[NamedCode], shard: Option<&Arc<Shard>>) -> Result<()> {
        let names: Vec<(&NamedCode, &String)> =
            names.iter().take(MAX_NAMES).filter_map(|name| Some((name, name.parts.last()?))).collect();
        let mut rows = Vec::with_capacity(names.len());
        for (_, last) in &names {
            rows.push(snapshot.symbols_named(last)?);
        }
        let exact =
            names.iter().zip(&rows).map(|((_, last), rows)| count(rows.iter().filter(|row| row.name == **last)));
        let exact = shards::sums(shard, exact.collect())?;
        let mut inside = Vec::with_capacity(names.len());
        for (((name, last), rows), exact) in names.iter().zip(&mut rows).zip(exact) {
            if exact > 0 || !name.is_code {
                rows.retain(|row| row.name == **last);
            }
            inside.push(match name.parts.iter().nth_back(1) {
                Some(container) => rows_inside(snapshot, rows, container)?,
                None => Vec::new(),
            });
        }
        let counts = shards::sums(shard, rows.iter().chain(&inside).map(|rows| count(rows.iter())).collect())?;
        let (all, in_container) = counts.split_at(names.len());
        for (at, (name, _)) in names.into_iter().enumerate() {
            let mut points = name.weight * if name.is_code { 1.0 } else { weights::MAYBE_NAME };
            let (mut count, mut meant) = (all[at], &rows[at]);
            if name.parts.len() > 1 && in_container[at] > 0 {
                (count, meant) = (in_container[at], &inside[at]);
                points *= weights::QUALIFIED;
            } else if name.parts.len() > 1 {
                points *= weights::OTHER_CONTAINER;
            }
            if count > 0 && count <= MAX_DEFINITIONS as u64 {
                self.known_names.push(name.parts.join("."));
                self.add_rows(meant, points / (count as f64).powf(weights::RARITY));
            }
        }
        Ok(())
    }

    fn add_rows(&mut self, rows: &[SymbolRow], points: f64) {
        let mut files = FxHashSet::default();
        for row in rows {
            *self.definitions.entry((row.version, row.ordinal)).or_default() += points;
            files.insert(row.version);
        }
        for version in files {
            *self.files.entry(version).or_default() += points;
        }
    }

    /// Files of the modules that qualified names begin with: `shop.cart.Cart` leads to
    /// `shop/cart.py`.
    fn add_modules(&mut self, snapshot: &Snapshot, names: &[NamedCode], shard: Option<&Arc<Shard>>) -> Result<()> {
        let qualified: Vec<&NamedCode> = names.iter().filter(|name| name.parts.len() > 1).take(MAX_NAMES).collect();
        if qualified.is_empty() {
            return Ok(());
        }
        let wanted: FxHashSet<&str> = qualified.iter().flat_map(|name| &name.parts[1..]).map(String::as_str).collect();
        let mut by_last: FxHashMap<String, Vec<(Vec<String>, VersionId)>> = FxHashMap::default();
        for (path, version) in snapshot.files() {
            let mut names = path.rsplit('/');
            let stem = names.next().and_then(|file| file.split('.').next()).unwrap_or("");
            if !wanted.contains(stem) && !names.next().is_some_and(|folder| wanted.contains(folder)) {
                continue;
            }
            let Some(language) = language_of(path, "") else { continue };
            let module = language.module_path(path);
            let parts: Vec<String> =
                module.split(['.', ':', '/', '\\']).filter(|part| !part.is_empty()).map(str::to_string).collect();
            if let Some(last) = parts.last().filter(|last| wanted.contains(last.as_str())) {
                by_last.entry(last.clone()).or_default().push((parts, *version));
            }
        }
        // Of each name its beginnings, the longest first.
        let mut beginnings: Vec<(usize, f64, Vec<VersionId>)> = Vec::new();
        for (at, name) in qualified.into_iter().enumerate() {
            for length in (2..=name.parts.len()).rev() {
                let module = &name.parts[..length];
                let files = by_last.get(&name.parts[length - 1]).into_iter().flatten();
                let files = files.filter(|(known, _)| known.ends_with(module)).map(|(_, version)| *version);
                beginnings.push((at, name.weight, files.collect()));
            }
        }
        let counts = shards::sums(shard, beginnings.iter().map(|(.., files)| count(files.iter())).collect())?;
        let mut done = None;
        for ((at, weight, files), count) in beginnings.into_iter().zip(counts) {
            if count == 0 || done == Some(at) {
                continue;
            }
            done = Some(at);
            let points = weight * weights::MODULE / count as f64;
            for version in files {
                let known = self.paths.entry(version).or_default();
                *known = known.max(points);
            }
        }
        Ok(())
    }

    fn add_messages(&mut self, snapshot: &Snapshot, reading: &IssueText, options: &SearchOptions) -> Result<()> {
        let Some(source) = &options.source else { return Ok(()) };
        for message in &reading.messages {
            let found = by_exact_text(snapshot, source, message, Intent::Error, options)?;
            let all = shards::sums(options.shard.as_ref(), vec![count(found.hits.iter())])?;
            let points = 1.0 / (all.first().copied().unwrap_or(0) as f64).sqrt();
            for hit in found.hits {
                let (Some(id), Some(version)) = (hit.symbol_id, snapshot.version_at(&hit.path)) else { continue };
                let known = self.messages.entry((version, id.ordinal)).or_default();
                *known = known.max(points);
            }
        }
        Ok(())
    }

    /// Adds the places of the text that some shard has; those of this one are marked.
    fn add_places(&mut self, snapshot: &Snapshot, places: &[(NamedPlace, bool)]) -> Result<()> {
        // The last frame is the innermost of one notation and the outermost of another, so both
        // ends count.
        let frames = places.iter().filter(|(place, _)| place.is_frame).count();
        let mut number = 0;
        for (place, is_here) in places {
            let points = if place.is_frame {
                let from_end = frames - 1 - number;
                number += 1;
                weights::FRAME_DECAY.powi(number.min(from_end + 1).min(20) as i32 - 1)
            } else {
                1.0
            };
            let Some(version) = snapshot.version_at(&place.path).filter(|_| *is_here) else { continue };
            if !place.is_frame {
                let known = self.paths.entry(version).or_default();
                *known = known.max(weights::PATH);
            }
            if place.is_frame {
                let known = self.file_frames.entry(version).or_default();
                *known = known.max(points);
            }
            let outline = snapshot.outline(version)?;
            let ordinal = definition_at(&outline, place);
            if let Some(ordinal) = ordinal {
                let known = self.frames.entry((version, ordinal)).or_default();
                *known = known.max(points);
            }
        }
        Ok(())
    }
}

/// Returns how many there are.
fn count<T>(items: impl Iterator<Item = T>) -> u64 {
    items.count() as u64
}

/// Returns the definitions of a name that are inside something called `container`.
fn rows_inside(snapshot: &Snapshot, rows: &[SymbolRow], container: &str) -> Result<Vec<SymbolRow>> {
    let container = container.to_lowercase();
    let mut inside = Vec::new();
    for row in rows.iter().take(MAX_DEFINITIONS * 4) {
        let Some(file) = OpenFile::open(snapshot, row.version)? else { continue };
        let Some(definition) = file.outline.definitions.get(row.ordinal as usize) else { continue };
        let parts = file.full_name_parts(definition);
        if parts.iter().rev().skip(1).any(|part| *part == container) {
            inside.push(row.clone());
        }
    }
    Ok(inside)
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
