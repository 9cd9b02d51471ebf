//! Chains of calls from one symbol to another, shortest first.
//!
//! The callers of the target are followed level by level until the start, or until code that
//! nothing in the view calls. Work is bounded by [`MAX_EXPANDED`], and an answer says when the
//! bound was reached. Dynamic dispatch counts: a caller of a method may call the methods that
//! override it. So do functions that are passed on. Both make a chain heuristic.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use codecompass_syntax::facts::SymbolRole;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::query::filter::Filter;
use crate::query::filter::project_scope::ProjectScope;
use crate::query::navigate::Navigator;
use crate::query::navigate::graph::{Edge, Follow, Link, MAX_EXPANDED, Vertex};
use crate::query::navigate::reach::{Ended, Reach};
use crate::query::subject::Subject;
use crate::resolve::{Confidence, Symbol};

/// Options of `trace`.
#[derive(Clone, Debug)]
pub struct TraceOptions {
    /// Chains of at most this many calls.
    pub depth: u32,
    /// At most this many chains.
    pub max_paths: usize,
    /// Only proven calls.
    pub static_only: bool,
    /// The projects that chains must begin in, where no start is asked for.
    pub projects: Option<ProjectScope>,
}

/// One chain of calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The calls, from the start on: each begins where the one before it ends.
    pub steps: Vec<Edge>,
    /// Heuristic when any step is.
    pub confidence: Confidence,
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
    /// True if the bound on work was reached, so that there may be more, even shorter ones.
    pub is_cut: bool,
    /// The extent of the search, if it found no chain from the start that was asked for.
    pub reach: Option<Reach>,
}

/// Beginnings of chains that one question puts together.
const MAX_PARTIAL: usize = 50_000;

/// Finds chains of calls that end at `to`: from the definition that `from` means, from what answers
/// the endpoint or rpc that it names, or from entry points.
pub fn trace(navigator: &Navigator<'_>, from: Option<&str>, to: &str, options: &TraceOptions) -> Result<TraceAnswer> {
    navigator.tell_roles()?;
    let (to, target) = navigator.meant(to, &Filter::default())?;
    let mut starts = Vec::new();
    let start = match from {
        Some(from) => match navigator.route_start(from)? {
            Some((subject, symbols)) => {
                starts = symbols;
                starts.first().map(|first| (subject, *first))
            }
            None => {
                let (subject, symbol) = navigator.meant(from, &Filter::default())?;
                starts.push(symbol);
                Some((subject, symbol))
            }
        },
        None => None,
    };
    let mut goals: Vec<Symbol> = Vec::new();
    for symbol in starts {
        goals.extend(navigator.same_symbol(symbol)?);
    }
    let mut search = Search::new(navigator, target, options);
    let goal_vertices: FxHashSet<Vertex> = goals.iter().copied().map(Vertex::Symbol).collect();
    search.spread(start.is_some().then_some(&goal_vertices))?;
    let only_tests = search.starts.is_empty() && !search.tests.is_empty();
    let starts = if only_tests { search.tests.clone() } else { search.starts.clone() };
    let paths = search.paths(starts)?;
    let reach = match &start {
        Some(_) if paths.is_empty() => {
            let ended =
                Ended { distance: &search.distance, ends: &search.ends, is_cut: search.is_cut || search.is_deep };
            Some(Reach::between(navigator, &goals, ended, options.depth)?)
        }
        _ => None,
    };
    Ok(TraceAnswer {
        from: start.map(|(from, _)| from),
        to,
        only_tests: only_tests && !paths.is_empty(),
        paths,
        expanded: search.expanded,
        has_more: search.has_more,
        is_cut: search.is_cut,
        reach,
    })
}

/// The part of the graph that was looked at.
struct Search<'a, 'view> {
    navigator: &'a Navigator<'view>,
    options: &'a TraceOptions,
    target: Symbol,
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
    is_cut: bool,
    /// True if the greatest length of chains left users to look up.
    is_deep: bool,
}

impl<'a, 'view> Search<'a, 'view> {
    fn new(navigator: &'a Navigator<'view>, target: Symbol, options: &'a TraceOptions) -> Search<'a, 'view> {
        let distance = FxHashMap::from_iter([(Vertex::Symbol(target), 0)]);
        Search {
            navigator,
            options,
            target,
            out: FxHashMap::default(),
            distance,
            starts: Vec::new(),
            tests: Vec::new(),
            ends: Vec::new(),
            expanded: 0,
            has_more: false,
            is_cut: false,
            is_deep: false,
        }
    }

    /// Follows callers, level by level, until there are enough starts.
    fn spread(&mut self, goals: Option<&FxHashSet<Vertex>>) -> Result<()> {
        let mut frontier = vec![self.target];
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
                    if symbol != self.target && goals.is_none() {
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
        for link in self.navigator.links_into(symbol, Follow::Passed, true)? {
            if self.options.static_only && link.confidence != Confidence::Static {
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
        let is_entry = matches!(node.role, SymbolRole::EntryPoint | SymbolRole::Handler);
        Ok(is_entry || node.is_test || matches!(vertex, Vertex::File(_)))
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

    /// The shortest chains from any of the starts; of equally long ones those with fewer heuristic
    /// steps first.
    fn paths(&mut self, starts: Vec<Vertex>) -> Result<Vec<Trace>> {
        let mut chains: Vec<(Vec<Vertex>, Vec<Link>)> = Vec::new();
        let mut queue = BinaryHeap::new();
        for start in starts {
            let left = self.distance.get(&start).copied().unwrap_or(0);
            queue.push(Reverse((left, 0, chains.len())));
            chains.push((vec![start], Vec::new()));
        }
        let end = Vertex::Symbol(self.target);
        let mut found = Vec::new();
        while let Some(Reverse((_, guesses, at))) = queue.pop() {
            let (vertices, links) = chains[at].clone();
            let last = vertices.last().copied().unwrap_or(end);
            if last == end && !links.is_empty() {
                found.push(self.trace(&links)?);
                if found.len() == self.options.max_paths {
                    self.has_more |= !queue.is_empty();
                    return Ok(found);
                }
                continue;
            }
            for link in self.out.get(&last).into_iter().flatten() {
                let next = Vertex::Symbol(link.to);
                let Some(left) = self.distance.get(&next).filter(|_| next == end || !vertices.contains(&next)) else {
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
                queue.push(Reverse((
                    length,
                    guesses + u32::from(link.confidence == Confidence::Heuristic),
                    chains.len(),
                )));
                let vertices = vertices.iter().copied().chain([next]).collect();
                chains.push((vertices, links.iter().cloned().chain([link.clone()]).collect()));
            }
        }
        Ok(found)
    }

    fn trace(&self, links: &[Link]) -> Result<Trace> {
        let mut steps = Vec::new();
        for link in links {
            steps.extend(self.navigator.edge(link)?);
        }
        let is_sure = links.iter().all(|link| link.confidence == Confidence::Static);
        Ok(Trace { steps, confidence: if is_sure { Confidence::Static } else { Confidence::Heuristic } })
    }
}
