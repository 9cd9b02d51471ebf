//! The definitions around a hit: the one it stands in, names in it or beside it, and how many call
//! it.

use codecompass_syntax::facts::Definition;

use crate::error::Result;
use crate::query::hit::{Hit, HitKind};
use crate::query::navigate::Navigator;
use crate::query::navigate::use_sites::Enclosing;
use crate::query::symbols::attributes::attributes;
use crate::query::symbols::counts::SymbolCounts;
use crate::store::Snapshot;
use crate::store::facts::Outline;
use serde::{Deserialize, Serialize};

/// Names that are listed.
const MAX_NAMES: usize = 8;

/// The definitions around a hit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Neighbours {
    /// The definition that the hit stands in.
    pub parent: Option<Enclosing>,
    /// Names of the definitions in it; if there are none, of those beside it, nearest first.
    pub names: Vec<String>,
    /// The modules that a file imports, in the order of its statements; empty for definitions.
    pub imports: Vec<String>,
    /// The numbers of symbols that are tied to it; `None` for text.
    pub counts: Option<SymbolCounts>,
    /// True if the project offers it to others; `None` for text.
    pub is_public_api: Option<bool>,
}

/// Gives the definitions around each hit. A piece of text stands in the innermost one around its
/// best line.
pub fn neighbours(snapshot: &Snapshot, hits: &[Hit]) -> Result<Vec<Neighbours>> {
    let navigator = Navigator::new(snapshot);
    let mut found = Vec::with_capacity(hits.len());
    for hit in hits {
        let mut neighbours = around(snapshot, hit)?;
        if let Some(symbol) = navigator.symbol_of(hit) {
            neighbours.counts = Some(navigator.counts(symbol)?);
            neighbours.is_public_api = attributes(snapshot, hit)?.map(|attributes| attributes.is_public_api);
        }
        found.push(neighbours);
    }
    Ok(found)
}

fn around(snapshot: &Snapshot, hit: &Hit) -> Result<Neighbours> {
    let Some(version) = snapshot.version_at(&hit.path) else { return Ok(Neighbours::default()) };
    let outline = snapshot.outline(version)?;
    let all = &outline.definitions;
    let is_hit = |definition: &&Definition| {
        definition.name_line == hit.name_line && definition.name == hit.name && hit.symbol_id.is_some()
    };
    let at = all.iter().position(|definition| is_hit(&definition));
    let parent = match at {
        Some(at) => all[at].parent,
        None => all
            .iter()
            .rposition(|definition| (definition.span.start_line..=definition.span.end_line).contains(&hit.best_line))
            .map(|at| at as u32),
    };
    let inside = |of: Option<u32>| {
        let is_inside = move |(_, definition): &(usize, &Definition)| definition.parent == of;
        all.iter().enumerate().filter(is_inside)
    };
    let mut named: Vec<(usize, &Definition)> = match at {
        Some(at) => inside(Some(at as u32)).collect(),
        None => Vec::new(),
    };
    if named.is_empty() {
        named = inside(parent).filter(|(other, _)| Some(*other) != at).collect();
        named.sort_by_key(|(_, definition)| definition.name_line.abs_diff(hit.line_start));
    }
    let mut names: Vec<String> = named.into_iter().map(|(_, definition)| definition.name.clone()).collect();
    names.dedup();
    names.truncate(MAX_NAMES);
    let parent = parent.and_then(|parent| all.get(parent as usize)).map(|parent| Enclosing::new(parent, all));
    Ok(Neighbours { parent, names, imports: imports(&outline, hit), ..Neighbours::default() })
}

/// Returns the modules that a file imports.
fn imports(outline: &Outline, hit: &Hit) -> Vec<String> {
    if hit.kind != HitKind::File {
        return Vec::new();
    }
    let mut modules: Vec<String> = Vec::new();
    for import in &outline.imports {
        if modules.len() < MAX_NAMES && !modules.contains(&import.module) {
            modules.push(import.module.clone());
        }
    }
    modules
}
