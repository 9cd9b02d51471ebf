//! The extent of a search for chains of calls that found none: how much of the program was seen
//! from both ends, and the places where a call may lead from one to the other.

use codecompass_syntax::facts::RefKind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::query::navigate::Navigator;
use crate::query::navigate::graph::{Node, Vertex};
use crate::resolve::{Resolution, Symbol};

/// Functions whose calls are followed from the start.
const MAX_FOLLOWED: usize = 500;
/// Functions without callers that are named.
const MAX_ENDS: usize = 5;
/// Calls that may connect the two that are named.
const MAX_GAPS: usize = 5;

/// The parts of a program that a search without result saw from its two ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// The number of functions that the start leads to.
    pub from_start: usize,
    /// True if a limit ended the walk from the start.
    pub is_start_cut: bool,
    /// The number of functions and files that lead to the end.
    pub to_end: usize,
    /// True if a limit ended the walk from the end.
    pub is_end_cut: bool,
    /// Code that leads to the end and that no call leads to, nearest to the end first and tests
    /// last; at most a few.
    pub ends: Vec<Node>,
    /// The number of these.
    pub ends_total: usize,
    /// Calls on the side of the start that were not resolved and have the name of a function that
    /// leads to the end, nearest to the end first; at most a few.
    pub gaps: Vec<Gap>,
    /// The number of these.
    pub gaps_total: usize,
}

/// A call that was not resolved and may connect two parts of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The definition around the call.
    pub from: Node,
    /// The line of the call, in the file of `from`.
    pub line: u32,
    /// A function of the name that is called.
    pub to: Node,
}

/// The walk from the end of the chains.
pub(super) struct Ended<'a> {
    /// Calls from what was seen to the end.
    pub distance: &'a FxHashMap<Vertex, u32>,
    /// The number of definitions that are the end.
    pub targets: usize,
    pub ends: &'a [Vertex],
    pub is_cut: bool,
}

/// A call by numbers, with the distance of the function that it may mean from the end.
struct OpenCall {
    distance: u32,
    from: Symbol,
    line: u32,
    to: Symbol,
}

impl Reach {
    /// Walks from the starts of the chains and compares what it sees with the walk from their end.
    pub(super) fn between(navigator: &Navigator<'_>, starts: &[Symbol], ended: Ended<'_>, depth: u32) -> Result<Reach> {
        let place = |symbol: Symbol| (navigator.snapshot().position(symbol.version), symbol.ordinal);
        let mut names: FxHashMap<String, (u32, Symbol)> = FxHashMap::default();
        for (vertex, distance) in ended.distance {
            let Vertex::Symbol(symbol) = vertex else { continue };
            let Some((_, definition)) = navigator.resolver.definition(*symbol)? else { continue };
            let known = names.entry(definition.name.clone()).or_insert((*distance, *symbol));
            if (*distance, place(*symbol)) < (known.0, place(known.1)) {
                *known = (*distance, *symbol);
            }
        }
        let (followed, is_start_cut) = follow(navigator, starts, depth)?;
        let mut open = Vec::new();
        for symbol in &followed {
            add_open_calls(navigator, *symbol, &names, &mut open)?;
        }
        open.sort_by_key(|call| call.distance);
        let mut gaps = Vec::new();
        for call in open.iter().take(MAX_GAPS) {
            let from = navigator.node(Vertex::Symbol(call.from))?;
            let to = navigator.node(Vertex::Symbol(call.to))?;
            gaps.extend(from.zip(to).map(|(from, to)| Gap { from, line: call.line, to }));
        }
        let mut ends = Vec::new();
        for end in ended.ends {
            ends.extend(navigator.node(*end)?);
        }
        ends.sort_by_key(|end| end.is_test);
        let ends_total = ends.len();
        ends.truncate(MAX_ENDS);
        Ok(Reach {
            from_start: followed.len() - starts.len(),
            is_start_cut,
            to_end: ended.distance.len() - ended.targets,
            is_end_cut: ended.is_cut,
            ends,
            ends_total,
            gaps,
            gaps_total: open.len(),
        })
    }
}

/// Returns what symbols lead to by calls, themselves first and nearest first, and whether a limit
/// ended the walk.
fn follow(navigator: &Navigator<'_>, starts: &[Symbol], depth: u32) -> Result<(Vec<Symbol>, bool)> {
    let mut seen: FxHashSet<Symbol> = starts.iter().copied().collect();
    let (mut followed, mut from) = (starts.to_vec(), 0);
    for _ in 0..depth {
        let level = from..followed.len();
        from = level.end;
        for at in level {
            for link in navigator.links_from(followed[at], at >= starts.len())? {
                if followed.len() >= MAX_FOLLOWED {
                    return Ok((followed, true));
                }
                if !seen.contains(&link.to) {
                    let parts = navigator.resolver.all_parts(link.to)?;
                    followed.extend(parts.iter().copied().filter(|part| seen.insert(*part)));
                }
            }
        }
    }
    let is_cut = from < followed.len();
    Ok((followed, is_cut))
}

/// Adds the calls in a definition that are not resolved and have one of the names.
fn add_open_calls(
    navigator: &Navigator<'_>,
    symbol: Symbol,
    names: &FxHashMap<String, (u32, Symbol)>,
    open: &mut Vec<OpenCall>,
) -> Result<()> {
    let Some((file, _)) = navigator.resolver.opened(symbol)? else { return Ok(()) };
    for (number, reference) in file.uses.references.iter().enumerate() {
        let Some((distance, to)) = names.get(file.name(reference.name)).copied() else { continue };
        let is_inside = || file.outwards(reference.enclosing).any(|(ordinal, _)| ordinal == symbol.ordinal);
        if reference.kind != RefKind::Call || !is_inside() {
            continue;
        }
        let may_mean = match &*navigator.meaning(&file, number as u32)? {
            Resolution::Overloaded { .. } | Resolution::Ambiguous(_) | Resolution::Unknown => true,
            Resolution::Found { .. } | Resolution::External | Resolution::Module(_) => false,
        };
        let line = reference.line;
        let is_known = |call: &OpenCall| (call.from.version, call.line, call.to) == (symbol.version, line, to);
        if may_mean && !open.iter().any(is_known) {
            open.push(OpenCall { distance, from: symbol, line, to });
        }
    }
    Ok(())
}
