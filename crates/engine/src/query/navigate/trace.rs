//! Chains of calls from one symbol to another, shortest first.
//!
//! The callers of the target are followed level by level until the start, or until code that
//! nothing in the view calls. Work is bounded by [`MAX_EXPANDED`], and an answer says when the
//! bound was reached. Dynamic dispatch counts: a caller of a method may call the methods that
//! override it. So do functions that are passed on. Both make a chain likely. To a value that
//! nothing calls, chains end where it is read or written. Where there is no chain, calls that were
//! not resolved and have few candidates are followed, too.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use codecompass_syntax::facts::{Kind, RefKind, SymbolRole};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::query::filter::Filter;
use crate::query::filter::project_scope::ProjectScope;
use crate::query::navigate::Navigator;
use crate::query::navigate::graph::{Edge, Follow, Link, MAX_EXPANDED, Vertex};
use crate::query::navigate::reach::{Ended, Reach};
use crate::query::navigate::use_sites::{UseClass, UseSite};
use crate::query::subject::Subject;
use crate::resolve::Symbol;

/// Options of `trace`.
#[derive(Clone, Debug)]
pub struct TraceOptions {
    /// Chains of at most this many calls.
    pub depth: u32,
    /// At most this many chains.
    pub max_paths: usize,
    /// Chains that differ from one before in a single function come after all others; they are left
    /// out otherwise.
    pub with_variants: bool,
    /// The least certain class of calls to follow. Possible ones are followed where there is no
    /// other chain.
    pub least: UseClass,
    /// The projects that chains must begin in, where no start is asked for.
    pub projects: Option<ProjectScope>,
}

/// One chain of calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The calls, from the start on: each begins where the one before it ends.
    pub steps: Vec<Edge>,
    /// That of the least certain step.
    pub confidence: UseClass,
}

/// The chains found.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceAnswer {
    /// The start of the chains, when one was asked for.
    pub from: Option<Subject>,
    /// The end of the chains.
    pub to: Subject,
    /// Shortest first.
    pub paths: Vec<Trace>,
    /// True if only tests lead there, so that the chains start at tests.
    pub only_tests: bool,
    /// The number of symbols whose callers were looked up.
    pub expanded: usize,
    /// True if the limit on chains left out others, or others were not looked for because of it.
    pub has_more: bool,
    /// Chains that differ from a listed one in a single function and so are left out.
    pub variants: usize,
    /// True if the bound on work was reached, so that there may be more, even shorter ones.
    pub is_cut: bool,
    /// The extent of the search, if it found no chain from the start that was asked for.
    pub reach: Option<Reach>,
    /// If no chain was found, the places that may call the end, or any of too many definitions.
    pub open_calls: usize,
}

/// Beginnings of chains that one question puts together.
const MAX_PARTIAL: usize = 50_000;

/// Finds chains of calls that end at `to`: from the definition that `from` means, from what answers
/// the endpoint or rpc that it names, or from entry points.
pub fn trace(navigator: &Navigator<'_>, from: Option<&str>, to: &str, options: &TraceOptions) -> Result<TraceAnswer> {
    navigator.tell_roles()?;
    let (to, targets) = end(navigator, to)?;
    let mut starts = Vec::new();
    let start = match from {
        Some(from) => match navigator.route_start(from)? {
            Some((subject, symbols)) => {
                starts = symbols;
                starts.first().map(|first| (subject, *first))
            }
            None => {
                let (subject, symbols) = end(navigator, from)?;
                starts = symbols;
                starts.first().map(|first| (subject, *first))
            }
        },
        None => None,
    };
    let mut goals: Vec<Symbol> = Vec::new();
    for symbol in starts {
        goals.extend(navigator.same_symbol(symbol)?);
    }
    let goal_vertices: FxHashSet<Vertex> = goals.iter().copied().map(Vertex::Symbol).collect();
    let goal_vertices = start.is_some().then_some(&goal_vertices);
    let mut search = Search::new(navigator, &targets, options);
    let (mut paths, mut only_tests) = search.find(goal_vertices)?;
    if paths.is_empty() && are_values(navigator, &targets)? {
        let mut reading = Search { follows_reads: true, ..Search::new(navigator, &targets, options) };
        (paths, only_tests) = reading.find(goal_vertices)?;
        search = reading;
    }
    if paths.is_empty() && options.least == UseClass::Possible {
        let follows_reads = search.follows_reads;
        let mut wider = Search { follows_possible: true, follows_reads, ..Search::new(navigator, &targets, options) };
        (paths, only_tests) = wider.find(goal_vertices)?;
        if !paths.is_empty() {
            search = wider;
        }
    }
    let reach = match &start {
        Some(_) if paths.is_empty() => {
            let ended = Ended {
                distance: &search.distance,
                targets: targets.len(),
                ends: &search.ends,
                is_cut: search.is_cut || search.is_deep,
            };
            Some(Reach::between(navigator, &goals, ended, options.depth)?)
        }
        _ => None,
    };
    let open_calls = match (paths.is_empty(), options.least) {
        (true, UseClass::Possible) => open_calls(navigator, &targets)?,
        _ => 0,
    };
    Ok(TraceAnswer {
        from: start.map(|(from, _)| from),
        to,
        only_tests: only_tests && !paths.is_empty(),
        paths,
        expanded: search.expanded,
        has_more: search.has_more,
        variants: search.variants,
        is_cut: search.is_cut,
        reach,
        open_calls,
    })
}

/// Returns the number of places that may call symbols, whatever else they may mean.
fn open_calls(navigator: &Navigator<'_>, symbols: &[Symbol]) -> Result<usize> {
    let (_, sites) = navigator.account_or_ambiguous(symbols, None, false)?;
    let may_call = |site: &&UseSite| site.kind.is_none_or(|kind| kind == RefKind::Call);
    Ok(sites.iter().filter(|site| site.class == UseClass::Possible).filter(may_call).count())
}

/// Returns the definitions that one end of the chains means: all of them, or the best one if they
/// are too many.
fn end(navigator: &Navigator<'_>, argument: &str) -> Result<(Subject, Vec<Symbol>)> {
    let (subject, symbols) = navigator.all_meant(argument)?;
    if !symbols.is_empty() {
        return Ok((subject, symbols));
    }
    let (subject, best) = navigator.meant(argument, &Filter::default())?;
    Ok((subject, vec![best]))
}

/// Returns whether symbols hold values: code that reads or writes them leads there.
fn are_values(navigator: &Navigator<'_>, symbols: &[Symbol]) -> Result<bool> {
    for symbol in symbols {
        let found = navigator.resolver.definition(*symbol)?;
        if found.is_none_or(|(_, definition)| !definition.kind.is_value() && definition.kind != Kind::Property) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The part of the graph that was looked at.
struct Search<'a, 'view> {
    navigator: &'a Navigator<'view>,
    options: &'a TraceOptions,
    targets: &'a [Symbol],
    /// One link for each user of a symbol, by user, in the order in which they were found.
    out: FxHashMap<Vertex, Vec<Link>>,
    /// Calls from a vertex to the target.
    distance: FxHashMap<Vertex, u32>,
    /// The vertices that chains begin at.
    starts: Vec<Vertex>,
    /// The tests that chains begin at.
    tests: Vec<Vertex>,
    /// Vertices that nothing leads to, nearest to the target first.
    ends: Vec<Vertex>,
    expanded: usize,
    has_more: bool,
    variants: usize,
    is_cut: bool,
    /// True if the greatest length of chains left users to look up.
    is_deep: bool,
    follows_possible: bool,
    /// True if all uses of the targets count, and not only calls.
    follows_reads: bool,
}

impl<'a, 'view> Search<'a, 'view> {
    fn new(navigator: &'a Navigator<'view>, targets: &'a [Symbol], options: &'a TraceOptions) -> Search<'a, 'view> {
        let distance = targets.iter().map(|target| (Vertex::Symbol(*target), 0)).collect();
        Search {
            navigator,
            options,
            targets,
            out: FxHashMap::default(),
            distance,
            starts: Vec::new(),
            tests: Vec::new(),
            ends: Vec::new(),
            expanded: 0,
            has_more: false,
            variants: 0,
            is_cut: false,
            is_deep: false,
            follows_possible: false,
            follows_reads: false,
        }
    }

    /// Finds the chains from the goals, or from entry points if there are none; says whether they
    /// begin at tests, since only these lead there.
    fn find(&mut self, goals: Option<&FxHashSet<Vertex>>) -> Result<(Vec<Trace>, bool)> {
        self.spread(goals)?;
        let only_tests = self.starts.is_empty() && !self.tests.is_empty();
        let starts = if only_tests { self.tests.clone() } else { self.starts.clone() };
        Ok((self.paths(starts, goals.is_some())?, only_tests))
    }

    /// Follows callers, level by level, until there are enough starts.
    fn spread(&mut self, goals: Option<&FxHashSet<Vertex>>) -> Result<()> {
        let mut frontier = self.targets.to_vec();
        for depth in 1..=self.options.depth {
            let mut next = Vec::new();
            for symbol in frontier {
                if self.expanded >= MAX_EXPANDED {
                    self.is_cut = true;
                    return Ok(());
                }
                self.expanded += 1;
                let links = self.users(symbol)?;
                if links.is_empty() {
                    self.ends.push(Vertex::Symbol(symbol));
                    if !self.targets.contains(&symbol) && goals.is_none() {
                        self.start(Vertex::Symbol(symbol))?;
                    }
                }
                for link in links {
                    let user = link.from;
                    self.out.entry(user).or_default().push(link);
                    let is_goal = goals.is_some_and(|goals| goals.contains(&user));
                    if is_goal && !self.starts.contains(&user) {
                        self.starts.push(user);
                    }
                    if self.distance.contains_key(&user) {
                        continue;
                    }
                    self.distance.insert(user, depth);
                    match user {
                        _ if is_goal => {}
                        _ if goals.is_none() && self.is_start(user)? => self.start(user)?,
                        Vertex::Symbol(user) => next.push(user),
                        Vertex::File(_) => self.ends.push(user),
                    }
                }
            }
            if next.is_empty() {
                return Ok(());
            }
            if self.starts.len() >= self.options.max_paths {
                self.has_more = true;
                return Ok(());
            }
            frontier = next;
        }
        self.is_deep = true;
        Ok(())
    }

    /// One link for each user of a symbol: a proven one before others, then the first.
    fn users(&self, symbol: Symbol) -> Result<Vec<Link>> {
        let mut links: Vec<Link> = Vec::new();
        let mut places: FxHashMap<Vertex, usize> = FxHashMap::default();
        let is_read = self.follows_reads && self.targets.contains(&symbol);
        let follow = if is_read { Follow::Uses } else { Follow::Passed };
        let mut all = self.navigator.links_into(symbol, follow, true)?;
        if self.follows_possible {
            all.extend(self.navigator.possible_links_into(symbol, Follow::Calls)?);
        }
        for link in all {
            if link.confidence > self.options.least {
                continue;
            }
            match places.get(&link.from).map(|at| &mut links[*at]) {
                Some(known) if link.confidence < known.confidence => *known = Link { more: known.more + 1, ..link },
                Some(known) => known.more += 1,
                None => {
                    places.insert(link.from, links.len());
                    links.push(link);
                }
            }
        }
        Ok(links)
    }

    /// Returns whether chains begin at a vertex, even if other code calls it.
    fn is_start(&self, vertex: Vertex) -> Result<bool> {
        let Some(node) = self.navigator.node(vertex)? else { return Ok(false) };
        let is_entry = match (node.role, vertex) {
            (SymbolRole::EntryPoint, _) => true,
            (SymbolRole::Handler, Vertex::Symbol(symbol)) => !self.is_called(symbol)?,
            _ => false,
        };
        Ok(is_entry || node.is_test || matches!(vertex, Vertex::File(_)))
    }

    /// Returns whether other code than tests certainly calls a function: what only looks like a
    /// handler may help one.
    fn is_called(&self, symbol: Symbol) -> Result<bool> {
        for link in self.navigator.links_into(symbol, Follow::Calls, true)? {
            if link.confidence == UseClass::Static
                && link.from != Vertex::Symbol(symbol)
                && self.navigator.node(link.from)?.is_some_and(|node| !node.is_test)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn start(&mut self, vertex: Vertex) -> Result<()> {
        let node = self.navigator.node(vertex)?;
        if let (Some(node), Some(projects)) = (&node, &self.options.projects)
            && !projects.accepts(&node.path)
        {
            return Ok(());
        }
        if node.is_some_and(|node| node.is_test) {
            self.tests.push(vertex)
        } else {
            self.starts.push(vertex)
        }
        Ok(())
    }

    /// The shortest chains from any of the starts; of equally long ones those with fewer steps that
    /// are not proven first. Where the start was asked for, variants of a chain come last or are
    /// left out.
    fn paths(&mut self, starts: Vec<Vertex>, has_goals: bool) -> Result<Vec<Trace>> {
        let mut chains: Vec<(Vec<Vertex>, Vec<Link>)> = Vec::new();
        let mut queue = BinaryHeap::new();
        for start in starts {
            let left = self.distance.get(&start).copied().unwrap_or(0);
            queue.push(Reverse((left, 0, chains.len())));
            chains.push((vec![start], Vec::new()));
        }
        let targets = self.targets;
        let is_end = |vertex: Vertex| matches!(vertex, Vertex::Symbol(symbol) if targets.contains(&symbol));
        let (mut found, mut ways): (Vec<Trace>, Vec<Vec<Vertex>>) = (Vec::new(), Vec::new());
        let mut variants = Vec::new();
        while let Some(Reverse((_, guesses, at))) = queue.pop() {
            let (vertices, links) = chains[at].clone();
            let Some(last) = vertices.last().copied() else { continue };
            if is_end(last) && !links.is_empty() {
                let way = vertices[1..vertices.len() - 1].to_vec();
                if has_goals && ways.iter().any(|known| is_variant(known, &way)) {
                    variants.push(at);
                    continue;
                }
                ways.push(way);
                found.push(self.trace(&links)?);
                if found.len() == self.options.max_paths {
                    self.has_more |= !queue.is_empty();
                    break;
                }
                continue;
            }
            for link in self.out.get(&last).into_iter().flatten() {
                let next = Vertex::Symbol(link.to);
                let Some(left) = self.distance.get(&next).filter(|_| is_end(next) || !vertices.contains(&next)) else {
                    continue;
                };
                let length = links.len() as u32 + 1 + left;
                if length > self.options.depth {
                    continue;
                }
                if chains.len() >= MAX_PARTIAL {
                    self.is_cut = true;
                    break;
                }
                queue.push(Reverse((length, guesses + u32::from(link.confidence != UseClass::Static), chains.len())));
                let vertices = vertices.iter().copied().chain([next]).collect();
                chains.push((vertices, links.iter().cloned().chain([link.clone()]).collect()));
            }
        }
        let room = if self.options.with_variants { self.options.max_paths - found.len() } else { 0 };
        for at in variants.iter().take(room) {
            found.push(self.trace(&chains[*at].1)?);
        }
        self.variants = variants.len().saturating_sub(room);
        Ok(found)
    }

    fn trace(&self, links: &[Link]) -> Result<Trace> {
        let mut steps = Vec::new();
        for link in links {
            steps.extend(self.navigator.edge(link)?);
        }
        let confidence = links.iter().map(|link| link.confidence).max().unwrap_or(UseClass::Static);
        Ok(Trace { steps, confidence })
    }
}

/// Returns whether a way between the same ends has nearly the functions of another: it shares some
/// and differs in one.
fn is_variant(known: &[Vertex], way: &[Vertex]) -> bool {
    let shared = way.iter().filter(|vertex| known.contains(vertex)).count();
    shared > 0 && shared + 1 >= way.len()
}
