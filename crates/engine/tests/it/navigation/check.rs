//! One function per question. They are the only ones here that call the engine, so a change of its
//! API is one here.
//!
//! A fixture is the text of a few files, each under a line `//- /path`; `$0` marks the place that
//! is asked about. Answers are compared as text, one line per thing found; an error is its message.
//! `UPDATE_EXPECT=1` writes expectations anew.

#[cfg(not(unix))]
#[path = "../histories/account.rs"]
mod account;

use std::fmt::Write as _;

use codecompass_engine::config::{IndexConfig, SemanticConfig, SemanticMode};
use codecompass_engine::query::{
    self, AtMeaning, DepsOptions, Direction, Edge, EdgeKind, Hit, ImpactOptions, Listed, Node, RaiseStep,
    RaisesOptions, RelatedOptions, Relative, Scope, Side, SimilarOptions, UseClass, UseSite, ValueStep, ValuesOptions,
};
use codecompass_engine::{Config, Engine, NoProgress, ResolutionEvidence, Result, Snapshot, SyncOptions, sync};
use codecompass_testkit::{Cursor, TestWorkspace};
use expect_test::Expect;

#[cfg(unix)]
use crate::histories::compare::account;

pub(crate) use codecompass_engine::query::{
    CallsOptions, DecoratorPattern, Filter, FindOptions, FindOrder, FindRole, HierarchyOptions, LocateOptions,
    NamePattern, Navigator, PathPattern, RefsAnswer, RefsOptions, TestUses, TraceOptions,
};

/// An indexed workspace.
pub(crate) struct Project {
    pub(crate) workspace: TestWorkspace,
    pub(crate) engine: Engine,
    pub(crate) snapshot: Snapshot,
}

impl Project {
    pub(crate) fn new(fixture: &str) -> Project {
        Project::with(fixture, IndexConfig::default())
    }

    /// Indexes a fixture with other settings.
    pub(crate) fn with(fixture: &str, index: IndexConfig) -> Project {
        let workspace = TestWorkspace::in_memory(fixture);
        // No question here looks at vectors, and a few files are read faster than threads are
        // started.
        let semantic = SemanticConfig { mode: SemanticMode::Off, ..SemanticConfig::default() };
        let index = IndexConfig { threads: 1, ..index };
        let config = Config { index, semantic, ..Config::default() };
        let engine = Engine::open(&workspace.root(), &workspace.home(), config).unwrap();
        let snapshot = sync(&engine, SyncOptions::default(), &NoProgress).unwrap().0;
        Project { workspace, engine, snapshot }
    }

    /// Indexes a fixture with a `$0`; returns the place of that, too.
    #[track_caller]
    pub(crate) fn at_cursor(fixture: &str) -> (Project, Cursor) {
        let (fixture, cursor) = Cursor::extract(fixture);
        (Project::new(&fixture), cursor)
    }

    /// Indexes what the files have become.
    pub(crate) fn sync(&self) -> Snapshot {
        sync(&self.engine, SyncOptions::default(), &NoProgress).unwrap().0
    }

    fn navigator(&self) -> Navigator<'_> {
        Navigator::new(&self.snapshot).reading(self.engine.source(), &self.engine.config().index)
    }

    /// Returns the definitions with given attributes.
    pub(crate) fn found(&self, options: &FindOptions) -> String {
        let options = FindOptions { limit: 100, ..options.clone() };
        shown(query::find_symbols(&self.navigator(), &options), |answer, out| {
            for found in &answer.symbols {
                let Hit { path, name_line, qualified_name, .. } = &found.hit;
                let _ = writeln!(out, "{path}:{name_line} {qualified_name}");
            }
        })
    }

    pub(crate) fn definition(&self, place: &Cursor) -> String {
        let side = Side { snapshot: &self.snapshot, source: self.engine.source() };
        let place = (place.path.as_str(), place.line, place.column);
        let answer = query::at(&self.navigator(), side, &self.engine.config().index, place, 10);
        shown(answer, |answer, out| {
            let meaning = match &answer.meaning {
                AtMeaning::Found { confidence, evidence } => format!("{} {}", confidence.as_str(), evidence.as_str()),
                AtMeaning::Definition => "defined here".into(),
                AtMeaning::Ambiguous => "ambiguous".into(),
                AtMeaning::External => "external".into(),
                AtMeaning::Module { folder } => format!("module {}", folder.as_deref().unwrap_or("")),
                AtMeaning::Local { of, line, declared } => {
                    let declared = declared.as_ref().map(|declared| format!(": {declared}")).unwrap_or_default();
                    format!("local{declared} of {} bound on line {line}", of.qualified_name)
                }
                AtMeaning::Unknown => "unknown".into(),
                AtMeaning::Nothing => "nothing".into(),
            };
            let name = if answer.name.is_empty() { String::new() } else { format!("`{}` ", answer.name) };
            let _ = writeln!(out, "{name}{}", meaning.trim_end());
            answer.hits.iter().for_each(|hit| hit_line(out, hit));
        })
    }

    pub(crate) fn locate(&self, symbol: &str, options: &LocateOptions) -> String {
        shown(query::locate(&self.snapshot, symbol, options), |answer, out| {
            let _ = writeln!(out, "{}", answer.class.map_or("nothing", |class| class.as_str()));
            answer.hits.iter().for_each(|hit| hit_line(out, hit));
            if answer.total > answer.hits.len() {
                let _ = writeln!(out, "{} of {}", answer.hits.len(), answer.total);
            }
        })
    }

    pub(crate) fn references(&self, symbol: &str, options: &RefsOptions) -> String {
        let answer = query::refs(&self.navigator(), symbol, options);
        if let Ok(RefsAnswer { accounting: Some(accounting), subject, .. }) = &answer {
            let texts = account::Texts::read(&self.snapshot, &self.workspace.root());
            assert_eq!(account::flaw(accounting, &texts.places(&accounting.name, &subject.hit.path)), None);
        }
        references(&self.navigator(), symbol, options)
    }

    pub(crate) fn calls(&self, symbol: &str, options: &CallsOptions) -> String {
        shown(query::calls(&self.navigator(), symbol, options), |answer, out| {
            for level in &answer.levels {
                for (edge, is_new) in &level.edges {
                    let far = match level.direction {
                        Direction::Callers => &edge.from,
                        Direction::Callees => &edge.to,
                    };
                    let near = match level.direction {
                        Direction::Callers => format!("calls {}", edge.to.qualified_name),
                        Direction::Callees => format!("called by {}", edge.from.qualified_name),
                    };
                    let indent = "  ".repeat(level.depth as usize - 1);
                    let confidence = format!("{} {}", edge.confidence.as_str(), edge.evidence.as_str());
                    let through = edge
                        .through
                        .as_ref()
                        .map(|node| format!(" through {}", node.qualified_name))
                        .unwrap_or_default();
                    let known = if *is_new { "" } else { " (known)" };
                    let (far, place) = (node(far), format!("{}:{}", edge.path, edge.line));
                    let _ = writeln!(out, "{indent}{far} {near} at {place}, {confidence}{through}{known}");
                }
                if level.total > level.edges.len() {
                    let _ = writeln!(out, "{} of {} at depth {}", level.edges.len(), level.total, level.depth);
                }
            }
            for hub in &answer.hubs {
                let _ = writeln!(out, "not followed: {}", node(hub));
            }
            for overridden in &answer.through {
                let calls = count(overridden.calls, "call");
                let _ = writeln!(out, "perhaps through {}: {calls}", node(&overridden.method));
            }
            for callee in &answer.unresolved {
                let outside = if callee.is_external { "outside" } else { "unknown" };
                let any = if callee.candidates > 0 { format!(", any of {}", callee.candidates) } else { String::new() };
                let _ = writeln!(out, "{outside} {} on {:?}{any}", callee.name, callee.lines);
            }
            for edge in &answer.possible_callees {
                let field = edge.through.as_ref().map_or("", |field| field.qualified_name.as_str());
                let _ = writeln!(out, "perhaps {} at {}:{} through {field}", node(&edge.to), edge.path, edge.line);
            }
            if !answer.possible.is_empty() {
                let _ = writeln!(out, "{}", count(answer.possible.len(), "possible call"));
            }
            let is_stored = |site: &&UseSite| site.evidence == ResolutionEvidence::StoredFunction;
            answer.possible.iter().filter(is_stored).for_each(|site| use_line(out, site));
            if answer.other_uses > 0 {
                let _ = writeln!(out, "{}", count(answer.other_uses, "other use"));
            }
        })
    }

    pub(crate) fn values(&self, name: &str) -> String {
        let options = ValuesOptions { hops: 3, least: UseClass::Possible };
        shown(query::values(&self.navigator(), name, &options), |answer, out| {
            for (at, step) in answer.steps.iter().enumerate() {
                let ValueStep { used, path, line, column, .. } = step;
                let within = step.enclosing.as_ref().map_or("", |around| around.local_name.as_str());
                let from = step.from.map_or(String::new(), |from| format!(" from {}", from + 1));
                let way = step.way.as_ref().map_or(String::new(), |way| format!(" {way}"));
                let class = format!("{} {}", step.class.as_str(), step.evidence);
                let number = at + 1;
                let _ = writeln!(out, "{number} {} {path}:{line}:{column} {within}{from},{way} {class}", used.as_str());
            }
            if !answer.not_followed.is_empty() {
                let _ = writeln!(out, "not followed: {}", answer.not_followed.join(", "));
            }
            if answer.is_cut {
                let _ = writeln!(out, "cut");
            }
        })
    }

    pub(crate) fn raises(&self, name: &str) -> String {
        let options = RaisesOptions { depth: 6, least: UseClass::Possible };
        shown(query::raises(&self.navigator(), name, &options), |answer, out| {
            if !answer.types.is_empty() {
                let _ = writeln!(out, "with {}", answer.types.join(", "));
            }
            for (at, step) in answer.steps.iter().enumerate() {
                let RaiseStep { event, path, line, .. } = step;
                let within = step.enclosing.as_ref().map_or("", |around| around.local_name.as_str());
                let from = step.from.map_or(String::new(), |from| format!(" from {}", from + 1));
                let note = step.note.as_ref().map_or(String::new(), |note| format!(" {note};"));
                let class = format!("{} {}", step.class.as_str(), step.evidence);
                let number = at + 1;
                let _ = writeln!(out, "{number} {} {path}:{line} {within}{from},{note} {class}", event.as_str());
            }
            if !answer.not_followed.is_empty() {
                let _ = writeln!(out, "not followed: {}", answer.not_followed.join(", "));
            }
            if answer.is_cut {
                let _ = writeln!(out, "cut");
            }
        })
    }

    pub(crate) fn trace(&self, from: Option<&str>, to: &str, options: &TraceOptions) -> String {
        shown(query::trace(&self.navigator(), from, to, options), |answer, out| {
            for path in &answer.paths {
                let start = path.steps.first().map(|step| node(&step.from)).unwrap_or_default();
                let more = |step: &Edge| if step.more > 0 { format!(" (+{})", step.more) } else { String::new() };
                let steps: Vec<String> =
                    path.steps.iter().map(|step| format!("{}{}", node(&step.to), more(step))).collect();
                let _ = writeln!(out, "{start} > {}, {}", steps.join(" > "), path.confidence.as_str());
            }
            if let Some(reach) = &answer.reach {
                let _ = writeln!(out, "{} reached from the start, {} lead there", reach.from_start, reach.to_end);
                reach.gaps.iter().for_each(|gap| {
                    let _ = writeln!(out, "{} may call {} on line {}", node(&gap.from), node(&gap.to), gap.line);
                });
                reach.ends.iter().for_each(|end| _ = writeln!(out, "no caller: {}", node(end)));
                for (is_cut, side) in [(reach.is_start_cut, "start"), (reach.is_end_cut, "end")] {
                    if is_cut {
                        let _ = writeln!(out, "cut from the {side}");
                    }
                }
            }
            for (is_so, note) in
                [(answer.has_more, "has more"), (answer.is_cut, "cut"), (answer.only_tests, "only tests lead there")]
            {
                if is_so {
                    let _ = writeln!(out, "{note}");
                }
            }
        })
    }

    fn impact(&self, symbol: &str) -> String {
        let options = ImpactOptions { depth: 3, least: UseClass::Possible, limit: 100, scope: Scope::default() };
        shown(query::impact(&self.navigator(), symbol, &options), |answer, out| {
            for (list, affected) in
                [("code", &answer.affected), ("test", &answer.tests), ("entry point", &answer.entry_points)]
            {
                for affected in affected {
                    let (kind, used) = (affected.kind.as_str(), &affected.uses.qualified_name);
                    let uses = format!("{kind} of {used} on line {}", affected.line);
                    let (node, confidence) = (node(&affected.node), affected.confidence.as_str());
                    let _ = writeln!(out, "{list} at depth {}: {node}, {uses}, {confidence}", affected.depth);
                }
            }
            let _ = writeln!(out, "{:?} in {}", answer.per_depth, count(answer.files.len(), "file"));
            answer.possible.iter().for_each(|site| use_line(out, site));
        })
    }

    pub(crate) fn hierarchy(&self, symbol: &str, options: &HierarchyOptions) -> String {
        shown(query::hierarchy(&self.navigator(), symbol, options), |answer, out| {
            answer.containers.iter().for_each(|hit| _ = writeln!(out, "in {}", hit.qualified_name));
            relatives(out, "above", &answer.supertypes);
            relatives(out, "overrides", &answer.overrides);
            relatives(out, "below", &answer.subtypes);
            relatives(out, "implemented by", &answer.implementations);
            answer.children.items.iter().for_each(|hit| _ = writeln!(out, "has {} {}", hit.kind.as_str(), hit.name));
            left_out(out, "has", &answer.children);
        })
    }

    pub(crate) fn deps(&self, path: Option<&str>, reverse: bool, depth: u32) -> String {
        let options = DepsOptions { reverse, depth, limit: 50, projects: None };
        shown(query::deps(&self.navigator(), path, &options), |answer, out| {
            for edge in &answer.edges.items {
                let kind = if edge.kind == EdgeKind::File { "" } else { edge.kind.as_str() };
                let names = edge.names.join(",");
                let to = if edge.to.is_empty() { "./" } else { &edge.to };
                let line = format!("{} {}:{} -> {to} {kind} {names}", edge.depth, edge.from, edge.line);
                let _ = writeln!(out, "{}", line.trim_end());
            }
            for cycle in &answer.cycles.items {
                let steps: Vec<String> =
                    cycle.steps.iter().map(|step| format!("{}:{}", step.path, step.line)).collect();
                let _ = writeln!(out, "cycle {}", steps.join(" -> "));
            }
            let _ = write!(out, "{}", count(answer.files, "file"));
            for (number, what) in
                [(answer.external, "external"), (answer.unresolved, "unresolved"), (answer.inside, "inside")]
            {
                if number > 0 {
                    let _ = write!(out, ", {number} {what}");
                }
            }
            out.push('\n');
            answer.others.iter().for_each(|other| _ = writeln!(out, "or {other}"));
        })
    }

    pub(crate) fn related(&self, symbol: &str) -> String {
        let options = RelatedOptions { filter: Filter::default(), only: Vec::new(), limit: 20 };
        shown(query::related(&self.navigator(), symbol, &options), |answer, out| {
            for (tie, listed) in &answer.groups {
                for item in &listed.items {
                    let parts: f64 = item.hit.explanation.parts.iter().map(|part| part.value).sum();
                    assert!((parts - item.hit.score).abs() < 1e-6, "the parts add up to the score");
                    let _ = writeln!(out, "{} {} {}", tie.as_str(), item.hit.qualified_name, reasons(&item.hit));
                }
            }
        })
    }

    pub(crate) fn similar(&self, symbol: &str) -> String {
        let options = SimilarOptions { filter: Filter::default(), limit: 5 };
        shown(query::similar(&self.navigator(), symbol, &options), |answer, out| {
            for similar in &answer.similar {
                let hit = &similar.hit;
                let _ = writeln!(out, "{}:{} {} {}", hit.path, hit.line_start, hit.name, reasons(hit));
            }
        })
    }
}

/// The uses of a symbol as text.
pub(crate) fn references(navigator: &Navigator<'_>, symbol: &str, options: &RefsOptions) -> String {
    shown(query::refs(navigator, symbol, options), |answer, out| {
        answer.uses.iter().for_each(|site| use_line(out, site));
        let _ = write!(out, "{} in {}", count(answer.total, "use"), count(answer.by_file.len(), "file"));
        if answer.filtered.total() > 0 {
            let _ = write!(out, ", {} filtered", answer.filtered.total());
        }
        if let Some(account) = &answer.accounting {
            let _ = write!(out, ", {}", count(account.occurrences, "occurrence"));
            for (number, what) in [(account.other, "other"), (account.text, "text"), (account.renamed, "renamed")] {
                if number > 0 {
                    let _ = write!(out, ", {number} {what}");
                }
            }
        }
        out.push('\n');
        for part in &answer.parts {
            let _ = writeln!(out, "also at {}:{}", part.path, part.name_line);
        }
        for definition in &answer.subject.definitions {
            let hit = &definition.hit;
            let uses = count(definition.uses, "use");
            let _ = writeln!(out, "{}:{} {} has {uses}", hit.path, hit.name_line, hit.qualified_name);
        }
        for other in &answer.subject.others {
            let _ = writeln!(out, "or {}:{} {}", other.path, other.name_line, other.qualified_name);
        }
    })
}

/// Compares what the name at the cursor means.
#[track_caller]
pub(crate) fn check_definition(fixture: &str, expected: Expect) {
    let (project, cursor) = Project::at_cursor(fixture);
    expected.assert_eq(&project.definition(&cursor));
}

/// Compares all uses of what stands at the cursor.
#[track_caller]
pub(crate) fn check_references(fixture: &str, expected: Expect) {
    check_references_with(fixture, &all_uses(), expected);
}

/// Compares the uses that fit `options`.
#[track_caller]
pub(crate) fn check_references_with(fixture: &str, options: &RefsOptions, expected: Expect) {
    let (project, cursor) = Project::at_cursor(fixture);
    expected.assert_eq(&project.references(&cursor.to_string(), options));
}

/// Lists everything.
pub(crate) fn all_uses() -> RefsOptions {
    RefsOptions { limit: 100, ..RefsOptions::default() }
}

/// Compares who calls what stands at the cursor, up to a depth.
#[track_caller]
pub(crate) fn check_callers(fixture: &str, depth: u32, expected: Expect) {
    check_calls_with(fixture, &CallsOptions { depth, ..callers() }, expected);
}

/// Compares what the function at the cursor calls, up to a depth.
#[track_caller]
pub(crate) fn check_callees(fixture: &str, depth: u32, expected: Expect) {
    check_calls_with(fixture, &CallsOptions { directions: vec![Direction::Callees], depth, ..callers() }, expected);
}

/// Compares the calls that fit `options`.
#[track_caller]
pub(crate) fn check_calls_with(fixture: &str, options: &CallsOptions, expected: Expect) {
    let (project, cursor) = Project::at_cursor(fixture);
    expected.assert_eq(&project.calls(&cursor.to_string(), options));
}

/// Asks for direct callers.
pub(crate) fn callers() -> CallsOptions {
    CallsOptions {
        directions: vec![Direction::Callers],
        depth: 1,
        limit: 100,
        overrides: false,
        least: UseClass::Possible,
        scope: Scope::default(),
    }
}

/// Compares the chains of calls from entry points, or from the definition `from`, to what stands at
/// the cursor.
#[track_caller]
pub(crate) fn check_trace(fixture: &str, from: Option<&str>, expected: Expect) {
    let (project, cursor) = Project::at_cursor(fixture);
    expected.assert_eq(&project.trace(from, &cursor.to_string(), &five_chains()));
}

/// Asks for up to five chains.
pub(crate) fn five_chains() -> TraceOptions {
    TraceOptions { depth: 10, max_paths: 5, with_variants: false, least: UseClass::Possible, projects: None }
}

/// Compares what a change of the definition at the cursor may affect.
#[track_caller]
pub(crate) fn check_impact(fixture: &str, expected: Expect) {
    let (project, cursor) = Project::at_cursor(fixture);
    expected.assert_eq(&project.impact(&cursor.to_string()));
}

/// Compares everything above and below what stands at the cursor.
#[track_caller]
pub(crate) fn check_hierarchy(fixture: &str, expected: Expect) {
    check_hierarchy_with(fixture, &whole_hierarchy(), expected);
}

/// Compares what `options` ask for.
#[track_caller]
pub(crate) fn check_hierarchy_with(fixture: &str, options: &HierarchyOptions, expected: Expect) {
    let (project, cursor) = Project::at_cursor(fixture);
    expected.assert_eq(&project.hierarchy(&cursor.to_string(), options));
}

/// Asks for everything.
pub(crate) fn whole_hierarchy() -> HierarchyOptions {
    HierarchyOptions {
        filter: Filter::default(),
        up: true,
        down: true,
        depth: 10,
        limit: 50,
        scope: Scope::default(),
        overriding: true,
    }
}

/// The text of an answer, or the message of an error with what it suggests.
fn shown<T>(answer: Result<T>, show: impl FnOnce(T, &mut String)) -> String {
    let mut out = String::new();
    match answer {
        Ok(answer) => show(answer, &mut out),
        Err(error) => {
            let _ = writeln!(out, "error: {error}");
            let (codecompass_engine::Error::SymbolNotFound { suggestions, .. }
            | codecompass_engine::Error::FileNotFound { suggestions, .. }
            | codecompass_engine::Error::AmbiguousSymbol { candidates: suggestions, .. }) = error
            else {
                return out;
            };
            suggestions.iter().for_each(|suggestion| _ = writeln!(out, "or {suggestion}"));
        }
    }
    out
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn node(node: &Node) -> String {
    format!("{}:{}", node.qualified_name, node.line)
}

fn hit_line(out: &mut String, hit: &Hit) {
    let _ = writeln!(out, "{}:{} {} {}", hit.path, hit.name_line, hit.kind.as_str(), hit.qualified_name);
}

fn use_line(out: &mut String, site: &UseSite) {
    let place = format!("{}:{}:{}", site.path, site.line, site.column);
    let around = site.enclosing.as_ref().map(|around| format!(" in {}", around.qualified_name)).unwrap_or_default();
    let other = if site.is_declaration { "declaration" } else { "unknown" };
    let kind = site.kind.map_or(other, |kind| kind.as_str());
    let (class, evidence) = (site.class.as_str(), site.evidence.as_str());
    let _ = writeln!(out, "{place} {kind} {}{around}, {class} {evidence}", site.name);
}

fn relatives(out: &mut String, title: &str, listed: &Listed<Relative>) {
    for relative in &listed.items {
        let place = relative.hit.as_ref().map_or("outside".into(), |hit| format!("{}:{}", hit.path, hit.line_start));
        let (indent, relation) = ("  ".repeat(relative.depth as usize - 1), relative.relation.as_str());
        let _ = writeln!(out, "{title} {indent}{} {place} {relation}", relative.name);
    }
    left_out(out, title, listed);
}

fn left_out<T>(out: &mut String, title: &str, listed: &Listed<T>) {
    if listed.left_out() > 0 {
        let _ = writeln!(out, "{title} {} more", listed.left_out());
    }
}

fn reasons(hit: &Hit) -> String {
    let reasons: Vec<&str> = hit.explanation.parts.iter().map(|part| part.name()).collect();
    reasons.join(" ")
}
