//! Counts of the names and places of a long text, and the points that they give.

use codecompass_syntax::language_of;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::evidence::{IssuePoints, NamePoints};
use super::places::{self, NamedPlace, NearestPath};
use super::reading::{IssueText, NamedCode};
use crate::error::Result;
use crate::model::VersionId;
use crate::query::open_file::OpenFile;
use crate::query::search::exact_text::{self, ExactLines};
use crate::query::search::intent::Intent;
use crate::query::search::rounds::{Shard, sums};
use crate::store::Snapshot;
use crate::store::facts::symbols::SymbolRow;
use crate::weights::issue as weights;

/// Names of a text that are looked up.
const MAX_NAMES: usize = 150;
/// A name with more definitions says nothing.
const MAX_DEFINITIONS: usize = 60;

/// The counts of things that a text names, in one repository.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct IssueCounts {
    names: Vec<NameCounts>,
    /// The number of files of each module that a name begins with.
    modules: Vec<u64>,
    places: Vec<Option<NearestPath>>,
    /// Lines with each message.
    messages: Vec<Option<ExactLines>>,
}

/// The number of definitions with a name.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct NameCounts {
    /// With the very name.
    exact: u64,
    /// With the very name; in any case if no definition has that and the name is one of code.
    all: u64,
    /// Of these, in the container.
    inside: u64,
}

/// The names of a text that are looked up, with their last parts.
fn looked_up(text: &IssueText) -> impl Iterator<Item = (&NamedCode, &String)> {
    text.names.iter().take(MAX_NAMES).filter_map(|name| Some((name, name.parts.last()?)))
}

/// The modules that qualified names may begin with, by name, the longest first: `shop.cart.Cart`
/// leads to `shop/cart.py`.
fn modules(text: &IssueText) -> impl Iterator<Item = (usize, f64, &[String])> {
    let qualified = text.names.iter().filter(|name| name.parts.len() > 1).take(MAX_NAMES).enumerate();
    qualified
        .flat_map(|(at, name)| (2..=name.parts.len()).rev().map(move |length| (at, name.weight, &name.parts[..length])))
}

impl IssueCounts {
    /// Counts what a repository has.
    pub(crate) fn of(shard: &mut Shard<'_>, text: &IssueText) -> Result<IssueCounts> {
        let snapshot = shard.snapshot;
        let mut counts = IssueCounts::default();
        for (name, last) in looked_up(text) {
            let rows = shard.rows(last)?;
            let exact: Vec<SymbolRow> = rows.iter().filter(|row| row.name == *last).cloned().collect();
            let count = exact.len() as u64;
            let meant = if count > 0 || !name.is_code { exact } else { rows.clone() };
            let all = meant.len() as u64;
            let inside = match name.parts.iter().nth_back(1) {
                Some(container) => rows_inside(snapshot, meant, container)?.len() as u64,
                None => 0,
            };
            counts.names.push(NameCounts { exact: count, all, inside });
        }
        let modules: Vec<&[String]> = modules(text).map(|(.., module)| module).collect();
        files_of_modules(shard, &modules);
        let files = |module: &&[String]| shard.modules.get(*module).map_or(0, |files| files.len() as u64);
        counts.modules = modules.iter().map(files).collect();
        counts.places = places::nearest_paths(snapshot, &text.places);
        for message in &text.messages {
            counts.messages.push(exact_text::find(shard, message, Intent::Error)?);
        }
        Ok(counts)
    }
}

/// The points of what a text names.
#[derive(Default)]
pub(super) struct NamedCodePoints {
    /// By repository.
    pub points: Vec<IssuePoints>,
    /// The places of the text that some repository has.
    pub places: Vec<NamedPlace>,
    /// The names that something is called by.
    pub known_names: Vec<String>,
}

impl NamedCodePoints {
    /// Returns the points by how common things are in all repositories together.
    pub(super) fn of(text: &IssueText, parts: Vec<IssueCounts>) -> NamedCodePoints {
        let mut named = NamedCodePoints::default();
        let mut all = IssuePoints::default();
        for (at, (name, _)) in looked_up(text).enumerate() {
            let counts = || parts.iter().filter_map(|part| part.names.get(at));
            let is_exact = !name.is_code || counts().any(|counts| counts.exact > 0);
            // A repository without the very name has others in vain.
            let counted = || counts().filter(|counts| !is_exact || !name.is_code || counts.exact > 0);
            let inside: u64 = counted().map(|counts| counts.inside).sum();
            let mut count: u64 = counted().map(|counts| counts.all).sum();
            let mut points = name.weight * if name.is_code { 1.0 } else { weights::MAYBE_NAME };
            let in_container = name.parts.len() > 1 && inside > 0;
            if in_container {
                count = inside;
                points *= weights::QUALIFIED;
            } else if name.parts.len() > 1 {
                points *= weights::OTHER_CONTAINER;
            }
            if count > 0 && count <= MAX_DEFINITIONS as u64 {
                named.known_names.push(name.parts.join("."));
                let points = points / (count as f64).powf(weights::RARITY);
                all.names.push(NamePoints { parts: name.parts.clone(), is_exact, in_container, points });
            }
        }
        let counts = sums(parts.iter().map(|part| part.modules.clone()));
        let mut done = None;
        for ((at, weight, module), count) in modules(text).zip(counts) {
            if count > 0 && done != Some(at) {
                done = Some(at);
                all.modules.push((module.to_vec(), weight * weights::MODULE / count as f64));
            }
        }
        named.points = parts.iter().map(|_| all.clone()).collect();
        named.add_places(text, &parts);
        let mut messages: Vec<Vec<Option<ExactLines>>> = text.messages.iter().map(|_| Vec::new()).collect();
        for part in parts {
            messages.iter_mut().zip(part.messages).for_each(|(parts, lines)| parts.push(lines));
        }
        messages.into_iter().for_each(|parts| named.add_message(parts));
        named
    }

    fn add_places(&mut self, text: &IssueText, parts: &[IssueCounts]) {
        let nearest: Vec<&[Option<NearestPath>]> = parts.iter().map(|part| part.places.as_slice()).collect();
        let found = places::in_views(&text.places, &nearest);
        // The last frame is the innermost of one notation and the outermost of another, so both
        // ends count.
        let frames = found.iter().filter(|(place, _)| place.is_frame).count();
        let mut number = 0;
        for (place, repository) in found {
            let points = if place.is_frame {
                let from_end = frames - 1 - number;
                number += 1;
                weights::FRAME_DECAY.powi(number.min(from_end + 1).min(20) as i32 - 1)
            } else {
                1.0
            };
            self.points[repository].places.push((place.clone(), points));
            self.places.push(place);
        }
    }

    fn add_message(&mut self, parts: Vec<Option<ExactLines>>) {
        let found = exact_text::by_exact_text(parts).candidates;
        let points = 1.0 / (found.len() as f64).sqrt();
        for hit in found.into_iter().map(|one| one.hit) {
            let messages = &mut self.points[hit.repository].messages;
            messages.extend(hit.symbol_id.map(|id| (hit.path, id.ordinal, points)));
        }
    }
}

/// Finds the files of modules, which the shard keeps.
pub(super) fn files_of_modules(shard: &mut Shard<'_>, modules: &[&[String]]) {
    if modules.iter().all(|module| shard.modules.contains_key(*module)) {
        return;
    }
    let wanted: FxHashSet<&str> = modules.iter().filter_map(|module| module.last()).map(String::as_str).collect();
    let mut by_last: FxHashMap<String, Vec<(Vec<String>, VersionId)>> = FxHashMap::default();
    for (path, version) in shard.snapshot.files() {
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
    for module in modules {
        let files = module.last().and_then(|last| by_last.get(last)).into_iter().flatten();
        let files = files.filter(|(known, _)| known.ends_with(module)).map(|(_, version)| *version);
        shard.modules.insert(module.to_vec(), files.collect());
    }
}

/// Returns the definitions of a name that are inside something called `container`.
pub(super) fn rows_inside(snapshot: &Snapshot, rows: Vec<SymbolRow>, container: &str) -> Result<Vec<SymbolRow>> {
    let container = container.to_lowercase();
    let mut inside = Vec::new();
    for row in rows.into_iter().take(MAX_DEFINITIONS * 4) {
        let Some(file) = OpenFile::open(snapshot, row.version)? else { continue };
        let Some(definition) = file.outline.definitions.get(row.ordinal as usize) else { continue };
        let parts = file.full_name_parts(definition);
        if parts.iter().rev().skip(1).any(|part| *part == container) {
            inside.push(row);
        }
    }
    Ok(inside)
}
