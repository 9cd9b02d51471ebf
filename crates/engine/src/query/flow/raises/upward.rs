//! From the places that raise an error upwards: through the callers, breadth first, until handlers
//! take it.

use std::collections::{BTreeSet, VecDeque};

use codecompass_syntax::facts::RefKind;
use codecompass_syntax::flow::HandlerEffect;
use codecompass_syntax::routes::CodePlace;
use rustc_hash::FxHashSet;

use super::handlers::{TakingHandler, TypesAbove};
use super::origins::{Origins, RaiseOrigin};
use super::subject::{ErrorSubject, last_name};
use super::{RaiseEvent, RaiseStep, RaisesOptions};
use crate::error::Result;
use crate::model::VersionId;
use crate::query::flow::parsed_files::ParsedFiles;
use crate::query::navigate::graph::{Follow, Link, Vertex};
use crate::query::navigate::use_sites::UseClass;
use crate::resolve::Symbol;

/// Places that are listed.
const MAX_STEPS: usize = 220;
/// Functions whose callers are looked up.
const MAX_FUNCTIONS: usize = 120;
/// Callers of one function that are followed.
const MAX_CALLERS: usize = 30;
/// A function with a name that so many places have is not followed.
const MAX_NAMESAKES: usize = 2_500;
/// Handlers elsewhere, and tests, that are listed.
const MAX_ELSEWHERE: usize = 30;

/// A function that lets the error out to its callers.
struct Leaving {
    vertex: Vertex,
    from: usize,
    /// The line where the error comes to it.
    line: u32,
    depth: u32,
    class: UseClass,
    /// The type of the error, and its name.
    kind: Option<Symbol>,
    name: String,
}

/// A place that an error comes to.
struct ErrorPlace {
    version: VersionId,
    byte: usize,
    line: u32,
    class: UseClass,
    evidence: &'static str,
    depth: u32,
    from: Option<usize>,
}

/// The walk to the callers.
pub(super) struct Ascent<'f, 'a, 'view> {
    files: &'f ParsedFiles<'a, 'view>,
    asked: &'f ErrorSubject,
    origins: &'f Origins,
    options: &'f RaisesOptions,
    types: TypesAbove<'f, 'a, 'view>,
    pub(super) steps: Vec<RaiseStep>,
    pub(super) counts: [usize; 7],
    pub(super) not_followed: BTreeSet<String>,
    pub(super) is_cut: bool,
    pending: VecDeque<Leaving>,
    /// Functions that were looked at, by the type of the error.
    seen: FxHashSet<(Vertex, Option<Symbol>, String)>,
    /// Lines of handlers that are listed.
    caught: FxHashSet<(VersionId, u32)>,
    /// The same with the lines of the calls that they guard.
    guarded: FxHashSet<(VersionId, u32, u32)>,
    expanded: usize,
    /// Places of calls that were looked at, by the type of the error.
    visited: FxHashSet<(VersionId, usize, Option<Symbol>, String)>,
    /// Calls of functions that let the error out anyway.
    pub(super) merged: usize,
}

impl<'f, 'a, 'view> Ascent<'f, 'a, 'view> {
    pub(super) fn new(
        files: &'f ParsedFiles<'a, 'view>,
        asked: &'f ErrorSubject,
        origins: &'f Origins,
        options: &'f RaisesOptions,
    ) -> Ascent<'f, 'a, 'view> {
        let (steps, counts, not_followed, pending, seen) = Default::default();
        let (caught, guarded, visited) = Default::default();
        let types = TypesAbove::new(files);
        Ascent {
            files,
            asked,
            origins,
            options,
            types,
            steps,
            counts,
            not_followed,
            is_cut: false,
            pending,
            seen,
            caught,
            guarded,
            expanded: 0,
            visited,
            merged: 0,
        }
    }

    /// Follows the error from all places that raise it.
    pub(super) fn walk(&mut self) -> Result<()> {
        for origin in &self.origins.raised {
            self.begin(origin)?;
        }
        while let Some(leaving) = self.pending.pop_front() {
            if self.expanded >= MAX_FUNCTIONS {
                self.is_cut = true;
                break;
            }
            self.expanded += 1;
            self.callers(&leaving)?;
        }
        Ok(())
    }

    fn begin(&mut self, origin: &RaiseOrigin) -> Result<()> {
        if origin.class > self.options.least {
            return Ok(());
        }
        let (_, _, is_test) = self.files.around(origin.version, origin.line)?;
        let RaiseOrigin { version, byte, line, class, evidence, .. } = *origin;
        let place = ErrorPlace { version, byte, line, class, evidence, depth: 0, from: None };
        let is_other = |name: &String| !name.is_empty() && last_name(name) != last_name(&self.asked.text);
        let mut note = Some(origin.name.clone()).filter(is_other);
        if origin.is_made_only {
            note = Some("made here; where it is raised was not found".to_string());
        }
        if is_test {
            self.add(RaiseEvent::Tested, &place, note, None, line)?;
            return Ok(());
        }
        let Some(step) = self.add(RaiseEvent::Raised, &place, note, None, line)? else { return Ok(()) };
        if origin.is_made_only {
            return Ok(());
        }
        self.go_on(&place, step, origin.kind, &origin.name)
    }

    /// Looks for handlers around a place, and lets the error out of the function if none takes it.
    fn go_on(&mut self, place: &ErrorPlace, step: usize, kind: Option<Symbol>, name: &str) -> Result<()> {
        let types = self.types.of(kind, name, place.version)?;
        if let Some(code) = self.files.code(place.version)? {
            for guard in code.guards_at(place.byte) {
                for taken in self.types.taken(place.version, &guard.handlers, &types)? {
                    if self.take(place, step, &taken)? {
                        return Ok(());
                    }
                }
            }
        }
        let vertex = self.function_at(place)?;
        if self.tested_behind(place, step, vertex)? || !self.seen.insert((vertex, kind, name.to_string())) {
            return Ok(());
        }
        let (depth, class) = (place.depth, place.class);
        let (line, name) = (place.line, name.to_string());
        self.pending.push_back(Leaving { vertex, from: step, line, depth, class, kind, name });
        Ok(())
    }

    /// Returns the function around a place, or the top level of its file.
    fn function_at(&self, place: &ErrorPlace) -> Result<Vertex> {
        let (_, ordinal, _) = self.files.around(place.version, place.line)?;
        let outline = self.files.navigator.resolver.outline(place.version)?;
        let function = outline.as_ref().and_then(|outline| {
            outline.outwards(ordinal).find(|(_, around)| around.kind.is_callable()).map(|(ordinal, _)| ordinal)
        });
        Ok(match function {
            Some(ordinal) => Vertex::Symbol(Symbol { version: place.version, ordinal }),
            None => Vertex::File(place.version),
        })
    }

    /// Returns whether an error at a place comes to nothing new: no handler is around it, and the
    /// function lets the same error out at another place.
    fn is_known(&mut self, place: &ErrorPlace, kind: Option<Symbol>, name: &str) -> Result<bool> {
        // The same call may lead to several functions that raise.
        if !self.visited.insert((place.version, place.byte, kind, name.to_string())) {
            return Ok(true);
        }
        let vertex = self.function_at(place)?;
        if !self.seen.contains(&(vertex, kind, name.to_string())) {
            return Ok(false);
        }
        let code = self.files.code(place.version)?;
        Ok(code.is_none_or(|code| code.guards_at(place.byte).iter().all(|guard| guard.handlers.is_empty())))
    }

    /// Adds the step of a handler; says whether the error goes no further.
    fn take(&mut self, place: &ErrorPlace, step: usize, taken: &TakingHandler) -> Result<bool> {
        let is_sure = taken.class < UseClass::Possible;
        let class = place.class.max(taken.class);
        if class > self.options.least {
            return Ok(false);
        }
        let what = if taken.name.is_empty() { "everything".to_string() } else { taken.name.clone() };
        let (event, note, ends) = match taken.effect {
            HandlerEffect::Ends => (RaiseEvent::Caught, format!("as {what}"), true),
            HandlerEffect::Maps(line) => (RaiseEvent::Mapped, format!("as {what}, another error at line {line}"), true),
            HandlerEffect::Raises(_) if self.asked_in(place.version, taken).is_some() => {
                let line = self.asked_in(place.version, taken).unwrap_or(taken.line);
                (RaiseEvent::Caught, format!("as {what}, which asks for the type at line {line}"), true)
            }
            HandlerEffect::Raises(line) => {
                (RaiseEvent::Caught, format!("as {what}, raised again at line {line}"), false)
            }
        };
        let note = if is_sure { note } else { format!("{note}, if it is above the error") };
        let at = ErrorPlace { from: Some(step), class, line: taken.line, evidence: "handler", ..*place };
        if self.guarded.insert((place.version, taken.line, place.line)) {
            self.add(event, &at, Some(note), Some(place.line), taken.line)?;
        }
        self.caught.insert((place.version, taken.line));
        self.caught.extend(self.asked_in(place.version, taken).map(|line| (place.version, line)));
        Ok(ends && is_sure)
    }

    /// Returns the line on which a handler asks for the type of the error.
    fn asked_in(&self, version: VersionId, taken: &TakingHandler) -> Option<u32> {
        let lines = taken.line..=taken.end_line;
        self.origins
            .tested
            .iter()
            .find(|test| test.version == version && lines.contains(&test.line))
            .map(|test| test.line)
    }

    /// Takes a test of the error behind the call for its handler, if errors are returned.
    fn tested_behind(&mut self, place: &ErrorPlace, step: usize, vertex: Vertex) -> Result<bool> {
        let returns = self.files.code(place.version)?.is_some_and(|code| code.returns_errors());
        if !returns || place.depth == 0 {
            return Ok(false);
        }
        let origins = self.origins;
        let here = origins.tested.iter().filter(|test| test.version == place.version && test.line >= place.line);
        for test in here {
            let class = place.class.max(UseClass::Likely);
            let at = ErrorPlace { from: Some(step), class, line: test.line, evidence: "tested", ..*place };
            if self.function_at(&at)? == vertex {
                let note = Some(format!("tested for {}", test.name));
                self.add(RaiseEvent::Caught, &at, note, Some(place.line), test.line)?;
                self.caught.insert((test.version, test.line));
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Follows the callers of a function that lets the error out.
    fn callers(&mut self, leaving: &Leaving) -> Result<()> {
        let navigator = self.files.navigator;
        let Vertex::Symbol(function) = leaving.vertex else { return self.leave(leaving, 0) };
        if leaving.depth >= self.options.depth {
            self.is_cut = true;
            return Ok(());
        }
        if navigator.namesakes_count(function)? > MAX_NAMESAKES {
            let named = navigator.resolver.definition(function)?;
            self.not_followed.extend(named.map(|(_, definition)| definition.qualified_name.clone()));
            return Ok(());
        }
        let mut links = navigator.links_into(function, Follow::Passed, true)?;
        links.retain(|link| link.from != leaving.vertex);
        if links.is_empty() && self.options.least == UseClass::Possible {
            links = navigator.possible_links_into(function, Follow::Calls)?;
            links.retain(|link| link.from != leaving.vertex);
        }
        let (mut programs, mut tests) = (Vec::new(), 0);
        for link in links {
            let is_test = navigator.node(link.from)?.is_some_and(|node| node.is_test);
            if is_test { tests += 1 } else { programs.push(link) }
        }
        if programs.is_empty() {
            return self.leave(leaving, tests);
        }
        if programs.len() > MAX_CALLERS {
            let named = navigator.resolver.definition(function)?;
            self.not_followed.extend(named.map(|(_, definition)| {
                format!("{} more callers of {}", programs.len() - MAX_CALLERS, definition.qualified_name)
            }));
            self.is_cut = true;
        }
        for link in programs.into_iter().take(MAX_CALLERS) {
            self.call(leaving, &link)?;
        }
        Ok(())
    }

    /// Adds the step of a call that the error comes out of.
    fn call(&mut self, leaving: &Leaving, link: &Link) -> Result<()> {
        let class = leaving.class.max(link.confidence);
        if class > self.options.least {
            return Ok(());
        }
        let reference = &link.used.reference;
        let (line, column) = (reference.line, reference.column);
        let code = self.files.code(link.used.version)?;
        let byte = code.and_then(|code| code.byte_at(CodePlace { line, column })).unwrap_or(0);
        let place = ErrorPlace {
            version: link.used.version,
            byte,
            line,
            class,
            evidence: link.used.evidence.as_str(),
            depth: leaving.depth + 1,
            from: Some(leaving.from),
        };
        if self.is_known(&place, leaving.kind, &leaving.name)? {
            self.merged += 1;
            return Ok(());
        }
        let callee = self.files.navigator.resolver.definition(link.to)?;
        let callee = callee.map(|(file, definition)| definition.local_name(file.definitions()).to_string());
        let callee = callee.unwrap_or_default();
        let verb = match reference.kind {
            RefKind::Call => "calls",
            RefKind::Declaration => "defines",
            _ => "passes on",
        };
        let Some(step) = self.add(RaiseEvent::Passed, &place, Some(format!("{verb} {callee}")), None, line)? else {
            return Ok(());
        };
        self.go_on(&place, step, leaving.kind, &leaving.name)
    }

    /// Notes that no caller takes the error.
    fn leave(&mut self, leaving: &Leaving, tests: usize) -> Result<()> {
        let Some(node) = self.files.navigator.node(leaving.vertex)? else { return Ok(()) };
        let Some(version) = self.files.navigator.snapshot().version_at(&node.path) else { return Ok(()) };
        let called = match (leaving.vertex, tests) {
            (Vertex::File(_), _) => "the top level of the file".to_string(),
            (_, 0) => format!("{}, which no code that was found calls", node.local_name),
            (_, tests) => format!("{}, which only tests call ({tests})", node.local_name),
        };
        let line = if matches!(leaving.vertex, Vertex::File(_)) { leaving.line } else { node.line };
        let place = ErrorPlace {
            version,
            byte: 0,
            line,
            class: leaving.class,
            evidence: "no_caller",
            depth: leaving.depth,
            from: Some(leaving.from),
        };
        self.add(RaiseEvent::Leaves, &place, Some(format!("out of {called}")), None, line)?;
        Ok(())
    }

    /// Adds the handlers and tests that name the error, or a type above it, and that no chain led
    /// to.
    pub(super) fn add_handlers_elsewhere(&mut self) -> Result<()> {
        let origins = self.origins;
        let mut places: Vec<(RaiseEvent, super::origins::NamingPlace)> =
            origins.handled.iter().map(|one| (RaiseEvent::Handler, one.clone())).collect();
        places.extend(origins.tested.iter().map(|one| (RaiseEvent::Handler, one.clone())));
        let above = self.handlers_above()?;
        places.extend(above.into_iter().map(|one| (RaiseEvent::Handler, one)));
        let mut listed = [0, 0];
        for (event, named) in places {
            let (version, line) = (named.version, named.line);
            if named.class > self.options.least || !self.caught.insert((version, line)) {
                continue;
            }
            let (_, _, is_test) = self.files.around(version, line)?;
            let event = if is_test { RaiseEvent::Tested } else { event };
            let at = usize::from(event == RaiseEvent::Tested);
            listed[at] += 1;
            if listed[at] > MAX_ELSEWHERE {
                self.counts[event as usize] += 1;
                self.is_cut = true;
                continue;
            }
            let (class, evidence) = (named.class, named.evidence);
            let place = ErrorPlace { version, byte: 0, line, class, evidence, depth: 0, from: None };
            self.add(event, &place, Some(format!("names {}", named.name)), None, line)?;
        }
        Ok(())
    }

    /// Returns the handlers that name a type of the repository above the error.
    fn handlers_above(&self) -> Result<Vec<super::origins::NamingPlace>> {
        let mut above: Vec<Symbol> = Vec::new();
        for symbol in &self.asked.asked {
            // What handles another variant names the type of all.
            let found = self.files.navigator.resolver.definition(*symbol)?;
            if !found.is_some_and(|(_, definition)| definition.kind.is_type()) {
                continue;
            }
            let types = self.types.of(Some(*symbol), "", symbol.version)?;
            above.extend(types.symbols.iter().filter(|one| !self.asked.all().any(|known| known == **one)));
        }
        above.sort_unstable();
        above.dedup();
        let above = self.files.navigator.in_order(&above)?;
        let types = ErrorSubject { asked: above, ..ErrorSubject::default() };
        Ok(if types.asked.is_empty() { Vec::new() } else { Origins::find(self.files, &types)?.handled })
    }

    /// Adds a step at a line and returns its number; `None` where there are too many.
    fn add(
        &mut self,
        event: RaiseEvent,
        place: &ErrorPlace,
        note: Option<String>,
        call_line: Option<u32>,
        line: u32,
    ) -> Result<Option<usize>> {
        self.counts[event as usize] += 1;
        if self.steps.len() >= MAX_STEPS {
            self.is_cut = true;
            return Ok(None);
        }
        let (enclosing, _, _) = self.files.around(place.version, line)?;
        let path = self.files.navigator.snapshot().path_of(place.version).unwrap_or("").to_string();
        let source = self.files.code(place.version)?.map(|code| code.line(line).to_string()).unwrap_or_default();
        let (from, class, evidence, depth) = (place.from, place.class, place.evidence, place.depth);
        self.steps.push(RaiseStep {
            event,
            path,
            line,
            enclosing,
            source,
            note,
            call_line,
            from,
            class,
            evidence,
            depth,
        });
        Ok(Some(self.steps.len() - 1))
    }
}
