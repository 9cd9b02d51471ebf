//! Calls and chains of calls against uses.

use std::collections::BTreeSet;

use codecompass_engine::query::{CallsAnswer, Direction, Edge, HitKind, UseClass, UseSite};
use codecompass_engine::syntax::facts::{Kind, RefKind};
use codecompass_engine::{ResolutionEvidence, Result};

use super::extent::Extent;
use super::report::Report;
use super::tree::{CheckedSymbol, CheckedTree, place_of};
use super::uses::comparison;

/// Differences that one disagreement names.
const MAX_NAMED: usize = 2;

type NamePlace = (String, u32, u32);

/// The callers of a symbol are its uses that are calls, and no possible call is denied.
pub(super) fn callers(tree: &CheckedTree<'_>, symbol: &CheckedSymbol, report: &mut Report) -> Result<()> {
    let answer = tree.calls(&symbol.place, Direction::Callers, false)?;
    let listed = |sites: &mut dyn Iterator<Item = &UseSite>| -> BTreeSet<NamePlace> {
        sites.map(|site| (site.path.clone(), site.line, site.column)).collect()
    };
    let by_refs = listed(&mut symbol.sure().filter(|site| site.kind == Some(RefKind::Call)));
    let inherited = listed(&mut symbol.sure().filter(|site| site.kind == Some(RefKind::Inherit)));
    let by_calls: BTreeSet<NamePlace> = sure(&answer).map(|edge| (edge.path.clone(), edge.line, edge.column)).collect();
    let without = by_refs.difference(&by_calls).collect::<Vec<_>>();
    // A class without a name is made where it inherits.
    let beyond = by_calls.difference(&by_refs).filter(|place| !inherited.contains(*place)).collect::<Vec<_>>();
    let difference = (!without.is_empty() || !beyond.is_empty()).then(|| {
        format!(
            "only refs: {:?}, only calls: {:?}",
            &without[..without.len().min(MAX_NAMED)],
            &beyond[..beyond.len().min(MAX_NAMED)]
        )
    });
    let calls = format!("calls --direction callers --depth 1 {}", symbol.place);
    report.add(comparison("calls", symbol, [format!("refs {}", symbol.place), calls.clone()]), difference);
    let may_call =
        |site: &&UseSite| site.class == UseClass::Possible && site.kind.is_none_or(|kind| kind == RefKind::Call);
    let possible = listed(&mut symbol.answer.uses.iter().filter(may_call));
    let mut told = listed(&mut answer.possible.iter());
    told.extend(edges(&answer).map(|edge| (edge.path.clone(), edge.line, edge.column)));
    let denied: Vec<&NamePlace> = possible.difference(&told).collect();
    let difference = (!denied.is_empty())
        .then(|| format!("possible by refs, not told by calls: {:?}", &denied[..denied.len().min(MAX_NAMED)]));
    report.add(comparison("denial", symbol, [format!("refs {}", symbol.place), calls]), difference);
    Ok(())
}

/// A function around a call of the symbol has the symbol among its callees, and a chain of one call
/// leads from it to the symbol.
pub(super) fn callees(
    tree: &CheckedTree<'_>,
    symbol: &CheckedSymbol,
    extent: &mut Extent,
    report: &mut Report,
) -> Result<()> {
    let sites: Vec<&UseSite> = symbol.sure().filter(|site| site.kind == Some(RefKind::Call)).collect();
    for site in extent.some_of(&sites) {
        let Some(around) = site.enclosing.as_ref().filter(|around| is_function(around.kind)) else { continue };
        let kind = HitKind::Symbol(around.kind);
        let Some(place) = tree.place(&site.path, around.line, &around.name, kind) else { continue };
        let answer = tree.calls(&place, Direction::Callees, false)?;
        let is_same = |edge: &Edge| {
            (edge.line, edge.column) == (site.line, site.column)
                && (symbol.is(&edge.to.path, edge.to.line) || edge.to.qualified_name == symbol.hit.qualified_name)
        };
        let difference =
            (!edges(&answer).any(is_same)).then(|| format!("not called by {place}, but at {}", place_of(site)));
        let calls = format!("calls --direction callees --depth 1 {place}");
        report.add(comparison("callees", symbol, [format!("refs {}", symbol.place), calls]), difference);
        if symbol.is(&site.path, around.line) {
            continue;
        }
        let chains = tree.trace(Some(&place), &symbol.place)?;
        let is_found = chains.paths.iter().any(|path| path.steps.len() == 1);
        let difference =
            (!is_found).then(|| format!("no chain of one call from {place}, which calls it at {}", place_of(site)));
        let trace = format!("trace --from {place} {}", symbol.place);
        report.add(comparison("chain", symbol, [format!("refs {}", symbol.place), trace]), difference);
    }
    Ok(())
}

/// Checks that what a function calls has that call among its uses.
pub(super) fn listed(
    tree: &CheckedTree<'_>,
    symbol: &CheckedSymbol,
    extent: &mut Extent,
    report: &mut Report,
) -> Result<()> {
    let answer = tree.calls(&symbol.place, Direction::Callees, false)?;
    let calls: Vec<&Edge> = sure(&answer).collect();
    for edge in extent.some_of(&calls) {
        let Some(place) = tree.place_of_node(&edge.to) else { continue };
        let called = tree.symbol(&place)?;
        let is_listed =
            called.sure().any(|site| site.path == edge.path && (site.line, site.column) == (edge.line, edge.column));
        let difference = (!is_listed)
            .then(|| format!("calls {place} at {}:{}:{}, which refs does not list", edge.path, edge.line, edge.column));
        let calls = format!("calls --direction callees --depth 1 {}", symbol.place);
        report.add(comparison("listed", symbol, [calls, format!("refs {place}")]), difference);
    }
    Ok(())
}

/// Each call of a chain is an edge of the call graph and a use, and begins where the one before it
/// ends.
pub(super) fn chains(tree: &CheckedTree<'_>, symbol: &CheckedSymbol, report: &mut Report) -> Result<()> {
    let answer = tree.trace(None, &symbol.place)?;
    for path in &answer.paths {
        let mut difference = None;
        for pair in path.steps.windows(2).filter(|pair| pair[0].to != pair[1].from) {
            difference =
                Some(format!("{} does not begin at {}", pair[1].from.qualified_name, pair[0].to.qualified_name));
        }
        let mut refs = symbol.place.clone();
        for step in &path.steps {
            // Nothing names what is reached in these ways.
            let is_unnamed = matches!(
                step.evidence,
                ResolutionEvidence::StoredFunction
                    | ResolutionEvidence::DefinedInside
                    | ResolutionEvidence::InstanceMade
            );
            let named = step.through.as_ref().unwrap_or(&step.to);
            let Some(place) = tree.place_of_node(named) else { continue };
            let used = tree.symbol(&place)?;
            let is_use =
                |site: &UseSite| site.path == step.path && (site.line, site.column) == (step.line, step.column);
            let is_listed = match step.confidence {
                UseClass::Possible => used.answer.uses.iter().any(is_use),
                _ => used.sure().any(is_use),
            };
            if !is_unnamed && !is_listed {
                difference = Some(format!("{}:{}:{} is no use of {place}", step.path, step.line, step.column));
                refs = place;
            }
        }
        let trace = format!("trace {}", symbol.place);
        report.add(comparison("trace", symbol, [trace, format!("refs {refs}")]), difference);
    }
    Ok(())
}

/// The calls that are proven or likely.
fn sure(answer: &CallsAnswer) -> impl Iterator<Item = &Edge> {
    edges(answer).filter(|edge| edge.confidence != UseClass::Possible)
}

fn edges(answer: &CallsAnswer) -> impl Iterator<Item = &Edge> {
    answer.levels.iter().filter(|level| level.depth == 1).flat_map(|level| level.edges.iter().map(|(edge, _)| edge))
}

fn is_function(kind: Kind) -> bool {
    matches!(kind, Kind::Function | Kind::Method | Kind::Constructor)
}
