//! Types and members above and below a symbol against its uses, and up against down.

use codecompass_engine::Result;
use codecompass_engine::query::{Place, Relation, Relative, UseSite};
use codecompass_engine::syntax::facts::{Kind, RefKind};

use super::report::Report;
use super::tree::{CheckedSymbol, CheckedTree, kind_of, place_of};
use super::uses::comparison;

/// The types below a type are those that name it as their base, and what is above a symbol has it
/// below.
pub(super) fn hierarchy(tree: &CheckedTree<'_>, symbol: &CheckedSymbol, report: &mut Report) -> Result<()> {
    let answer = tree.hierarchy(&symbol.place)?;
    if symbol.kind().is_some_and(|kind| kind.is_type()) {
        below(tree, symbol, &answer.subtypes.items, report);
        for above in direct(&answer.supertypes.items) {
            mirrored(tree, symbol, above, "supertypes", report)?;
        }
    }
    for above in direct(&answer.overrides.items) {
        mirrored(tree, symbol, above, "overrides", report)?;
    }
    Ok(())
}

/// Compares the types below a type with the uses as a base.
fn below(tree: &CheckedTree<'_>, symbol: &CheckedSymbol, subtypes: &[Relative], report: &mut Report) {
    let heirs = symbol.sure().filter(|site| site.kind == Some(RefKind::Inherit));
    for heir in heirs {
        let is_stated = |relative: &Relative| {
            let is_line = relative.stated.as_ref().is_some_and(|at| at.path == heir.path && at.line_start == heir.line);
            let around = heir.enclosing.as_ref();
            // Parts of a type are one.
            let is_hit = around.is_some_and(|around| relative.name == around.qualified_name);
            is_line || is_hit
        };
        // A block may be broken, so that no type is named.
        let is_nameless =
            heir.enclosing.as_ref().is_none_or(|around| !tree.has_name(&heir.path, heir.line, &around.name));
        let is_missing = !is_nameless && !symbol.contains(&heir.path, heir.line) && !subtypes.iter().any(is_stated);
        let difference = is_missing.then(|| format!("nothing below it at {}", place_of(heir)));
        let hierarchy = format!("hierarchy --only subtypes {}", symbol.place);
        report.add(comparison("subtypes", symbol, [format!("refs {}", symbol.place), hierarchy]), difference);
    }
    for stated in direct(subtypes).filter(|relative| matches!(relative.relation, Relation::Declared | Relation::Block))
    {
        let Some(place) = &stated.stated else { continue };
        // A variable may hold the type.
        if !tree.has_name(&place.path, place.line_start, &symbol.hit.name) {
            continue;
        }
        let is_used = symbol.sure().any(|site| site.path == place.path && site.line == place.line_start);
        let difference = (!is_used)
            .then(|| format!("{} is below it by {}:{}, which is no use", stated.name, place.path, place.line_start));
        let hierarchy = format!("hierarchy --only subtypes {}", symbol.place);
        report.add(comparison("subtypes", symbol, [hierarchy, format!("refs {}", symbol.place)]), difference);
    }
}

fn direct(relatives: &[Relative]) -> impl Iterator<Item = &Relative> {
    relatives.iter().filter(|relative| relative.depth == 1)
}

fn is_base(site: &UseSite, at: &Place) -> bool {
    site.kind == Some(RefKind::Inherit) && site.path == at.path && site.line == at.line_start
}

/// Checks that something above a symbol has the symbol below.
fn mirrored(
    tree: &CheckedTree<'_>,
    symbol: &CheckedSymbol,
    above: &Relative,
    check: &'static str,
    report: &mut Report,
) -> Result<()> {
    let Some(hit) = &above.hit else { return Ok(()) };
    // An alias is what it stands for.
    let place = tree.place_of_hit(hit).filter(|_| above.relation != Relation::Alias);
    let Some(place) = place else { return Ok(()) };
    // What a call mixes in is named by no declaration.
    let is_named = |at: &Place| {
        let uses = tree.symbol(&place).map(|named| named.sure().any(|site| is_base(site, at)));
        uses.unwrap_or(true)
    };
    if !above.stated.as_ref().is_none_or(is_named) {
        return Ok(());
    }
    let answer = tree.hierarchy(&place)?;
    // A module has types below only where it can be mixed in.
    if kind_of(hit) == Some(Kind::Module) && answer.subtypes.items.is_empty() {
        return Ok(());
    }
    let below = answer.subtypes.items.iter().chain(&answer.implementations.items);
    let is_below = below.filter_map(|relative| relative.hit.as_ref()).any(|hit| symbol.is(&hit.path, hit.name_line));
    let difference = (!is_below).then(|| format!("{} {place} is above it and does not have it below", above.name));
    let commands = [format!("hierarchy {}", symbol.place), format!("hierarchy {place}")];
    report.add(comparison(check, symbol, commands), difference);
    Ok(())
}
