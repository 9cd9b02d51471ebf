//! The functions that calls lead through, with their source: numbered steps, each function once.
//!
//! `blocks.rs` finds the conditions around a line, `body.rs` the lines of a function to show.
//! `values/` follows a value through its copies, `raises/` an error to its handlers;
//! `parsed_files.rs` parses the files that they look into.

pub(super) mod blocks;
pub(super) mod body;
mod parsed_files;
pub(super) mod raises;
pub(super) mod values;

use std::ops::RangeInclusive;
use std::sync::Arc;

use codecompass_syntax::ModuleSystem;
use codecompass_syntax::facts::{Kind, RefKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::query::files::current_text::current_text;
use crate::query::flow::blocks::{Blocks, Condition};
use crate::query::flow::body::{BodyLines, FlowBody, body};
use crate::query::hit::{Hit, HitKind};
use crate::query::navigate::Navigator;
use crate::query::navigate::calls::Direction;
use crate::query::navigate::graph::{Edge, Node, Vertex};
use crate::query::navigate::use_sites::UseClass;
use crate::resolve::Symbol;

/// Candidates of a call that are named.
const MAX_CANDIDATES: usize = 3;
/// A type of so many lines is shown whole; of a longer one its head and its constructors.
const SHORT_TYPE: u32 = 20;

/// One call of a flow, as a question about calls found it.
#[derive(Clone, Copy, Debug)]
pub struct FlowCall<'a> {
    /// The call.
    pub edge: &'a Edge,
    /// The direction in which it leads to the next function.
    pub direction: Direction,
}

/// Options of `flow`.
#[derive(Clone, Copy, Debug)]
pub struct FlowOptions {
    /// The functions to read; more have a place alone.
    pub most: usize,
    /// True if each of several candidates of a call that was not resolved is a step. Otherwise the
    /// function that has the call names them.
    pub follows_candidates: bool,
    /// True if functions name their calls that were not resolved and have candidates.
    pub names_open_calls: bool,
}

/// A function of a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowStep {
    /// The function, or the top level of a file.
    pub node: Node,
    /// The first line of its code.
    pub line_start: u32,
    /// The last line of its code.
    pub line_end: u32,
    /// The first call that leads to it; `None` where the flow begins.
    pub arrival: Option<Arrival>,
    /// Its lines; empty ones where its file is not readable or it was not to be read.
    pub body: FlowBody,
    /// Its calls that lead to steps: their lines, in order.
    pub followed: Vec<FollowedCall>,
    /// Its calls that were not resolved and may mean definitions of the view.
    pub open_calls: Vec<FlowOpenCall>,
}

/// The call by which a step was reached first.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// The number of the step at the other end, from 0.
    pub step: usize,
    /// The call.
    pub edge: Edge,
    /// The direction in which it was followed.
    pub direction: Direction,
    /// The condition under which the call is reached.
    pub condition: Option<Condition>,
}

/// A call that leads to a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FollowedCall {
    /// The line of the call.
    pub line: u32,
    /// The number of the step, from 0.
    pub step: usize,
}

/// A call that was not resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowOpenCall {
    /// The name with what stands before it.
    pub name: String,
    /// The lines of the calls.
    pub lines: Vec<u32>,
    /// The first of the definitions that it may mean.
    pub candidates: Vec<FlowCandidate>,
    /// The number of these definitions.
    pub total: usize,
}

/// A definition that a call may mean.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowCandidate {
    /// The definition.
    pub node: Node,
    /// The number of its step, from 0, if it is one.
    pub step: Option<usize>,
}

/// The functions of a flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flow {
    /// Those where it begins, then the others in the order of the calls.
    pub steps: Vec<FlowStep>,
    /// For each call the numbers of the steps that it leads from and to, if both are steps.
    pub ends: Vec<Option<[usize; 2]>>,
}

/// Returns the functions that `calls` lead through, in their order, behind those that `starts`
/// show.
pub fn flow(navigator: &Navigator<'_>, starts: &[&Hit], calls: &[FlowCall<'_>], options: &FlowOptions) -> Result<Flow> {
    let (all, numbers, texts) = Default::default();
    let mut steps = KnownSteps { navigator, all, numbers, texts };
    for hit in starts {
        if let Some(symbol) = navigator.symbol_of(hit) {
            let vertex = steps.home(Vertex::Symbol(symbol))?;
            steps.add(vertex, None)?;
        }
    }
    let ends = steps.follow(calls, options)?;
    let most = steps.all.len().min(options.most);
    for number in 0..most {
        steps.read(number, options)?;
    }
    for number in 0..most {
        steps.find_condition(number);
    }
    Ok(Flow { steps: steps.all.into_iter().map(|known| known.step).collect(), ends })
}

/// A step while the flow is put together.
struct KnownStep {
    step: FlowStep,
    /// The definition; `None` for the top level of a file.
    symbol: Option<Symbol>,
    /// The lines of its code.
    ranges: Vec<RangeInclusive<u32>>,
    /// The definitions whose calls are its own: of a type its constructors.
    callers: Vec<Symbol>,
}

impl KnownStep {
    fn is_caller(&self) -> bool {
        self.step.arrival.as_ref().is_some_and(|arrival| arrival.direction == Direction::Callers)
    }
}

/// The steps that are known, and what was read for them.
struct KnownSteps<'a, 'view> {
    navigator: &'a Navigator<'view>,
    all: Vec<KnownStep>,
    numbers: FxHashMap<Vertex, usize>,
    /// Texts by path; empty ones of files that are not readable.
    texts: FxHashMap<String, Arc<str>>,
}

impl KnownSteps<'_, '_> {
    /// Adds the functions that calls lead to, and notes the calls between steps.
    fn follow(&mut self, calls: &[FlowCall<'_>], options: &FlowOptions) -> Result<Vec<Option<[usize; 2]>>> {
        // What is left to the step that names it, and what only that leads to.
        let mut left: FxHashSet<Vertex> = FxHashSet::default();
        let mut ends = Vec::with_capacity(calls.len());
        for call in calls {
            let found = self.follow_one(call, options, &mut left)?;
            if let Some([caller, callee]) = found {
                let step = &mut self.all[caller].step;
                let followed = FollowedCall { line: call.edge.line, step: callee };
                // What stands in another part has its line there.
                if step.node.path == call.edge.path && !step.followed.contains(&followed) {
                    step.followed.push(followed);
                }
            }
            ends.push(found);
        }
        self.all.iter_mut().for_each(|known| known.step.followed.sort_unstable());
        Ok(ends)
    }

    /// Returns the steps at both ends of a call, the caller's first; adds what is not there.
    fn follow_one(
        &mut self,
        call: &FlowCall<'_>,
        options: &FlowOptions,
        left: &mut FxHashSet<Vertex>,
    ) -> Result<Option<[usize; 2]>> {
        let FlowCall { edge, direction } = call;
        let is_back = *direction == Direction::Callers;
        let (near, far) = if is_back { (&edge.to, &edge.from) } else { (&edge.from, &edge.to) };
        let (near, far) =
            if is_back { (self.vertex(near)?, self.caller(edge)?) } else { (self.caller(edge)?, self.vertex(far)?) };
        let (Some(near), Some(far)) = (near, far) else { return Ok(None) };
        let is_choice = edge.confidence == UseClass::Possible && edge.candidates > 1;
        let is_unknown = !self.numbers.contains_key(&near) && left.contains(&near);
        if is_unknown || is_choice && !options.follows_candidates && !is_back {
            left.insert(far);
            return Ok(None);
        }
        let Some(from) = self.add(near, None)? else { return Ok(None) };
        let (edge, direction, condition) = ((*edge).clone(), *direction, None);
        let to = self.add(far, Some(Arrival { step: from, edge, direction, condition }))?;
        Ok(to.map(|to| if is_back { [to, from] } else { [from, to] }))
    }

    /// Returns the vertex of a node, that of its main part for a function with several.
    fn vertex(&self, node: &Node) -> Result<Option<Vertex>> {
        let Some(version) = self.navigator.snapshot().version_at(&node.path) else { return Ok(None) };
        if node.kind == HitKind::File {
            return Ok(Some(Vertex::File(version)));
        }
        let outline = self.navigator.snapshot().outline(version)?;
        let ordinal = outline.definitions.iter().position(|definition| {
            definition.name_line == node.line
                && HitKind::Symbol(definition.kind) == node.kind
                && definition.qualified_name == node.qualified_name
        });
        let symbol = ordinal.map(|ordinal| Symbol { version, ordinal: ordinal as u32 });
        symbol.map(|symbol| self.home(Vertex::Symbol(symbol))).transpose()
    }

    /// Returns the vertex of the function that a call stands in: the alternative around it.
    fn caller(&self, edge: &Edge) -> Result<Option<Vertex>> {
        let vertex = self.vertex(&edge.from)?;
        let Some(Vertex::Symbol(symbol)) = vertex else { return Ok(vertex) };
        for part in self.navigator.resolver.all_parts(symbol)?.iter() {
            let Some((file, definition)) = self.navigator.resolver.definition(*part)? else { continue };
            let lines = definition.span.start_line..=definition.span.end_line;
            if file.path == edge.path && lines.contains(&edge.line) {
                return Ok(Some(Vertex::Symbol(*part)));
            }
        }
        Ok(vertex)
    }

    /// Returns the part of a function that has its code: the last of its signatures, the longest of
    /// what its declaration announces, or itself.
    fn home(&self, vertex: Vertex) -> Result<Vertex> {
        let Vertex::Symbol(symbol) = vertex else { return Ok(vertex) };
        let Some((file, definition)) = self.navigator.resolver.definition(symbol)? else { return Ok(vertex) };
        if !definition.kind.is_callable() {
            return Ok(vertex);
        }
        if file.rules().modules == ModuleSystem::Files {
            let is_signature = |part: &Symbol| {
                let part = file.definitions().get(part.ordinal as usize).filter(|_| part.version == symbol.version);
                part.is_some_and(|part| part.kind == definition.kind)
            };
            let same = self.navigator.same_symbol(symbol)?.into_iter().filter(is_signature);
            return Ok(Vertex::Symbol(same.max_by_key(|part| part.ordinal).unwrap_or(symbol)));
        }
        if !definition.modifiers.contains("declare") {
            return Ok(vertex);
        }
        let (mut best, mut most) = (symbol, 0);
        for part in self.navigator.in_order(&self.navigator.resolver.all_parts(symbol)?)? {
            let Some((_, definition)) = self.navigator.resolver.definition(part)? else { continue };
            let lines = definition.span.end_line + 1 - definition.span.start_line;
            if lines > most {
                (best, most) = (part, lines);
            }
        }
        Ok(Vertex::Symbol(best))
    }

    /// Adds a step for a vertex if there is none, and returns its number.
    fn add(&mut self, vertex: Vertex, arrival: Option<Arrival>) -> Result<Option<usize>> {
        if let Some(number) = self.numbers.get(&vertex) {
            return Ok(Some(*number));
        }
        let number = self.all.len();
        let Some(node) = self.navigator.node(vertex)? else { return Ok(None) };
        let symbol = match vertex {
            Vertex::Symbol(symbol) => Some(symbol),
            Vertex::File(_) => None,
        };
        let (ranges, callers) = match symbol {
            Some(symbol) => self.code_of(symbol)?,
            None => Default::default(),
        };
        let line_start = ranges.first().map_or(node.line, |range| *range.start());
        let line_end = match symbol.map(|symbol| self.navigator.resolver.definition(symbol)).transpose()?.flatten() {
            Some((_, definition)) => definition.span.end_line,
            None => line_start,
        };
        let (body, followed, open_calls) = Default::default();
        let step = FlowStep { node, line_start, line_end, arrival, body, followed, open_calls };
        self.all.push(KnownStep { step, symbol, ranges, callers });
        self.numbers.insert(vertex, number);
        Ok(Some(number))
    }

    /// Returns the lines of a definition's code, and the definitions whose calls are its own.
    fn code_of(&self, symbol: Symbol) -> Result<(Vec<RangeInclusive<u32>>, Vec<Symbol>)> {
        let Some((file, definition)) = self.navigator.resolver.definition(symbol)? else {
            return Ok(Default::default());
        };
        let whole = definition.span.start_line..=definition.span.end_line;
        if !definition.kind.is_type() {
            return Ok((vec![whole], vec![symbol]));
        }
        let made = file.definitions().iter().enumerate();
        let made = made.filter(|(_, d)| d.parent == Some(symbol.ordinal) && d.kind == Kind::Constructor);
        let (mut ranges, mut callers) = (vec![*whole.start()..=definition.name_line], Vec::new());
        for (ordinal, constructor) in made {
            ranges.push(constructor.span.start_line..=constructor.span.end_line);
            callers.push(Symbol { ordinal: ordinal as u32, ..symbol });
        }
        if whole.end() - whole.start() < SHORT_TYPE {
            ranges = vec![whole];
        }
        Ok((ranges, callers))
    }

    /// Reads the lines of a step, and its calls that were not resolved.
    fn read(&mut self, number: usize, options: &FlowOptions) -> Result<()> {
        let text = self.text(&self.all[number].step.node.path.clone());
        let mut open_calls = Vec::new();
        if options.names_open_calls && !self.all[number].is_caller() {
            open_calls = self.open_calls(number)?;
        }
        let known = &mut self.all[number];
        let mut calls: Vec<u32> = known.step.followed.iter().map(|call| call.line).collect();
        calls.extend(open_calls.iter().flat_map(|call| &call.lines));
        let is_end = known.step.followed.is_empty();
        let wanted = BodyLines { ranges: &known.ranges, calls: &calls, is_caller: known.is_caller(), is_end };
        known.step.body = body(&Blocks::new(&text), &wanted);
        known.step.open_calls = open_calls;
        Ok(())
    }

    /// Finds the condition under which the call is reached that leads to a step.
    fn find_condition(&mut self, number: usize) {
        let Some(arrival) = &self.all[number].step.arrival else { return };
        let caller = if arrival.direction == Direction::Callers { number } else { arrival.step };
        let (path, line, column) = (arrival.edge.path.clone(), arrival.edge.line, arrival.edge.column);
        let around = self.all[caller].ranges.iter().find(|range| range.contains(&line));
        let first = around.map_or(1, |range| *range.start());
        let text = self.text(&path);
        if let Some(arrival) = &mut self.all[number].step.arrival {
            arrival.condition = Blocks::new(&text).condition(line, column, first);
        }
    }

    /// Returns the text of a file; an empty one if it is not readable.
    fn text(&mut self, path: &str) -> Arc<str> {
        if let Some(text) = self.texts.get(path) {
            return Arc::clone(text);
        }
        let text = self
            .navigator
            .texts()
            .and_then(|(source, config)| current_text(self.navigator.snapshot(), source, config, path).ok());
        let text = text.unwrap_or_default();
        self.texts.insert(path.to_string(), Arc::clone(&text));
        text
    }

    /// Returns the calls of a step that were not resolved and have candidates; without those whose
    /// only candidate is a step that the call leads to.
    fn open_calls(&self, number: usize) -> Result<Vec<FlowOpenCall>> {
        let known = &self.all[number];
        let Some(symbol) = known.symbol else { return Ok(Vec::new()) };
        let Some(file) = self.navigator.resolver.file(symbol.version)? else { return Ok(Vec::new()) };
        let is_own = |ordinal: u32| known.callers.iter().any(|caller| caller.ordinal == ordinal);
        let mut found: Vec<FlowOpenCall> = Vec::new();
        for (at, reference) in file.uses.references.iter().enumerate() {
            let is_inside = || file.outwards(reference.enclosing).any(|(ordinal, _)| is_own(ordinal));
            if reference.kind != RefKind::Call || !is_inside() {
                continue;
            }
            let candidates = self.navigator.candidates_at(&file, at as u32)?;
            if candidates.total == 0 {
                continue;
            }
            let mut named = Vec::new();
            for candidate in candidates.symbols.iter().take(MAX_CANDIDATES) {
                let vertex = self.home(Vertex::Symbol(*candidate))?;
                let step = self.numbers.get(&vertex).copied();
                named.extend(self.navigator.node(vertex)?.map(|node| FlowCandidate { node, step }));
            }
            let leads_on = |candidate: &FlowCandidate| {
                let step = candidate.step;
                known.step.followed.iter().any(|call| call.line == reference.line && Some(call.step) == step)
            };
            if candidates.total == 1 && named.iter().all(leads_on) {
                continue;
            }
            let name = file.written_name(reference);
            match found.iter_mut().find(|call| call.name == name) {
                Some(call) => call.lines.push(reference.line),
                None => {
                    let (lines, total) = (vec![reference.line], candidates.total);
                    found.push(FlowOpenCall { name, lines, candidates: named, total });
                }
            }
        }
        found.iter_mut().for_each(|call| call.lines.dedup());
        Ok(found)
    }
}
