//! Results that are parts of one symbol are one result.

use codecompass_syntax::{PartScope, language_named};

use crate::error::Result;
use crate::model::Role;
use crate::query::hit::Hit;
use crate::query::navigate::Navigator;
use crate::resolve::Symbol;
use crate::store::Snapshot;

/// Keeps the best of the parts of a symbol, written ones before generated ones, with the places of
/// the others.
pub(super) fn fold(snapshot: &Snapshot, hits: &mut Vec<Hit>) -> Result<()> {
    let navigator = Navigator::new(snapshot);
    let mut kept: Vec<Hit> = Vec::with_capacity(hits.len());
    let mut first_parts: Vec<(Symbol, usize)> = Vec::new();
    for mut hit in hits.drain(..) {
        let Some(symbol) = part(&navigator, &hit)? else {
            kept.push(hit);
            continue;
        };
        let parts = navigator.resolver.all_parts(symbol)?;
        match first_parts.iter().find(|(first, _)| parts.contains(first)).map(|(_, at)| *at) {
            Some(at) if kept[at].file_role == Role::Generated && hit.file_role != Role::Generated => {
                hit.other_places = navigator.other_parts(symbol)?;
                kept[at] = hit;
            }
            Some(_) => {}
            None => {
                hit.other_places = navigator.other_parts(symbol)?;
                first_parts.push((symbol, kept.len()));
                kept.push(hit);
            }
        }
    }
    *hits = kept;
    Ok(())
}

/// The definition that a hit shows, if others of the same file or project may be parts of it.
fn part(navigator: &Navigator<'_>, hit: &Hit) -> Result<Option<Symbol>> {
    let Some(language) = language_named(&hit.language) else { return Ok(None) };
    let Some(symbol) = navigator.symbol_of(hit) else { return Ok(None) };
    let outline = navigator.snapshot().outline(symbol.version)?;
    let definition = outline.definitions.get(symbol.ordinal as usize);
    let scope = definition.and_then(|definition| language.part_scope(definition));
    Ok(matches!(scope, Some(PartScope::Project)).then_some(symbol))
}
