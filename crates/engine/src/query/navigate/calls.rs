//! Callers and callees: a call graph around a symbol, level by level.
//!
//! A symbol is expanded once, so cycles end. A level that has more calls than the limit is cut:
//! what is cut is counted, and its callers are not followed. Nor are those of a caller that has
//! very many itself: it is listed and named. A walk of several levels also goes through code that
//! passes a function on.

use codecompass_syntax::facts::{Kind, RefKind};
use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::query::left_out::{LeftOut, Restriction};
use crate::query::navigate::graph::{Edge, Follow, Link, Node, Vertex};
use crate::query::navigate::references::FEW_LEFT_OUT;
use crate::query::navigate::scope::Scope;
use crate::query::navigate::tally::Accounting;
use crate::query::navigate::use_sites::{UnresolvedCallee, UseClass, UseSite};
use crate::query::navigate::{Navigator, Use};
use crate::query::subject::Subject;
use crate::resolve::{Resolution, Symbol};

/// A caller with more calls than this is a hub: whatever calls it says little about the symbol that
/// was asked about.
pub const HUB_CALLS: usize = 100;

/// Directions of a walk through the call graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From a symbol to its callers.
    Callers,
    /// From a symbol to the symbols that it calls.
    Callees,
}

impl Direction {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Direction::Callers => "callers",
            Direction::Callees => "callees",
        }
    }
}

/// Options of `calls`.
#[derive(Clone, Debug)]
pub struct CallsOptions {
    /// The directions to follow, each for itself.
    pub directions: Vec<Direction>,
    /// The number of levels.
    pub depth: u32,
    /// At most this many calls per level.
    pub limit: usize,
    /// Also callers of the methods that a method overrides or implements.
    pub overrides: bool,
    /// The least certain class of calls to list and follow.
    pub least: UseClass,
    /// The callers and callees to list; others are not followed.
    pub scope: Scope,
}

impl CallsOptions {
    /// Returns the uses that lead from a function to its callers.
    fn follow(&self) -> Follow {
        if self.depth > 1 && self.least > UseClass::Static { Follow::Passed } else { Follow::Calls }
    }
}

/// The calls at one distance from the symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct CallLevel {
    /// The direction of the calls.
    pub direction: Direction,
    /// From 1.
    pub depth: u32,
    /// Source before tests, then in the order in which they were found; at most the limit, with
    /// whether the far end is expanded in the next level: it is not when an earlier call led there.
    pub edges: Vec<(Edge, bool)>,
    /// The number of calls at this distance, listed or not.
    pub total: usize,
}

/// A method that the symbol overrides or implements, and how often it is called by that name.
#[derive(Clone, Debug, PartialEq)]
pub struct OverriddenCalls {
    /// The method.
    pub method: Node,
    /// Calls of it that are not listed.
    pub calls: usize,
}

/// Uses as a value that are listed.
const MAX_PASSED_ON: usize = 5;

/// The calls around a symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct CallsAnswer {
    /// The symbol.
    pub subject: Subject,
    /// Callers first, then callees; each from the symbol outwards. A direction ends with its first
    /// empty level.
    pub levels: Vec<CallLevel>,
    /// Uses of it, other than imports, that are no calls: it may be passed on, and called from
    /// where it went.
    pub other_uses: usize,
    /// The first of those that name it as a value, within the scope. Empty where only callees are
    /// asked for, and where they are among the edges of several levels.
    pub passed_on: Vec<UseSite>,
    /// Places that may call it and are not among the levels, since each may mean many definitions.
    /// Empty where only callees are asked for.
    pub possible: Vec<UseSite>,
    /// Functions that it may call through fields that hold them. Empty where only callers are asked
    /// for.
    pub possible_callees: Vec<Edge>,
    /// All occurrences of its name; `None` without texts, and where only callees are asked for.
    pub accounting: Option<Accounting>,
    /// Names that it calls and that lead to no definition of the view, in the order of the first
    /// call. Empty where only callers are asked for.
    pub unresolved: Vec<UnresolvedCallee>,
    /// Callers with more than [`HUB_CALLS`] calls; their own callers are not looked up.
    pub hubs: Vec<Node>,
    /// Methods through which the symbol may also be called; empty when `overrides` lists those
    /// calls.
    pub through: Vec<OverriddenCalls>,
    /// Calls that the options leave out, of those that were looked at.
    pub left_out_by_scope: LeftOut,
    /// These calls, if they are few.
    pub few_left_out: Vec<Edge>,
}

/// Gives the calls around the definitions that `symbol` means.
pub fn calls(navigator: &Navigator<'_>, symbol: &str, options: &CallsOptions) -> Result<CallsAnswer> {
    options.scope.tell_roles(navigator)?;
    let (subject, symbols) = navigator.all_meant(symbol)?;
    let mut answer = CallsAnswer::new(subject);
    let asks = |direction: Direction| options.directions.contains(&direction);
    if asks(Direction::Callers)
        && let Some(first) = symbols.first()
    {
        navigator.search_texts(*first)?;
    }
    let mut parts = Vec::new();
    for symbol in &symbols {
        parts.extend(callers_meant(navigator, &answer.subject, *symbol)?);
    }
    for direction in &options.directions {
        let starts = if *direction == Direction::Callers { &symbols } else { &parts };
        walk(navigator, starts, *direction, options, &mut answer)?;
    }
    let is_other = |kind: RefKind| !matches!(kind, RefKind::Call | RefKind::Import | RefKind::Declaration);
    let mut uses = Vec::new();
    for symbol in &symbols {
        uses.extend(navigator.uses_of(*symbol)?.iter().cloned());
    }
    answer.other_uses = uses.iter().filter(|used| is_other(used.reference.kind)).count();
    if asks(Direction::Callers) {
        add_other_callers(navigator, &symbols, uses, options, &mut answer)?;
    }
    (answer.unresolved, answer.possible_callees) = unresolved_calls(navigator, parts, options)?;
    if answer.left_out_by_scope.total() > FEW_LEFT_OUT {
        answer.few_left_out.clear();
    }
    Ok(answer)
}

impl CallsAnswer {
    fn new(subject: Subject) -> CallsAnswer {
        CallsAnswer {
            subject,
            levels: Vec::new(),
            other_uses: 0,
            passed_on: Vec::new(),
            possible: Vec::new(),
            possible_callees: Vec::new(),
            accounting: None,
            unresolved: Vec::new(),
            hubs: Vec::new(),
            through: Vec::new(),
            left_out_by_scope: LeftOut::default(),
            few_left_out: Vec::new(),
        }
    }
}

/// Adds what may call symbols and is not among the levels: code that names them as values, places
/// that were not resolved, and calls of what they override. `uses` are those of the symbols.
fn add_other_callers(
    navigator: &Navigator<'_>,
    symbols: &[Symbol],
    uses: Vec<Use>,
    options: &CallsOptions,
    answer: &mut CallsAnswer,
) -> Result<()> {
    let is_value = |kind: RefKind| matches!(kind, RefKind::Read | RefKind::Address);
    let values: Vec<Use> = uses.into_iter().filter(|used| is_value(used.reference.kind)).collect();
    // A walk of several levels has them among its edges.
    let values = if options.follow() == Follow::Calls { values } else { Vec::new() };
    answer.passed_on = navigator.use_sites(&values)?;
    answer.passed_on.retain(|site| options.scope.refuses_site(site).is_none());
    answer.passed_on.truncate(MAX_PASSED_ON);
    let (accounting, mut possible) = navigator.account_or_ambiguous(symbols, None, false)?;
    answer.accounting = accounting;
    let may_call = |site: &UseSite| site.kind.is_none_or(|kind| kind == RefKind::Call);
    possible.retain(|site| site.class == UseClass::Possible && may_call(site));
    let mut followed = FxHashSet::default();
    for symbol in symbols {
        possible.extend(navigator.calls_through_fields(*symbol)?);
        followed.extend(places_followed(navigator, *symbol)?);
        if !options.overrides {
            answer.through.extend(overridden_calls(navigator, *symbol, symbols)?);
        }
    }
    possible.retain(|site| {
        options.least == UseClass::Possible && !followed.contains(&(site.path.as_str(), site.line, site.column))
    });
    possible.retain(|site| {
        let refusal = options.scope.refuses_site(site);
        refusal.into_iter().for_each(|refusal| answer.left_out_by_scope.add(refusal, 1));
        refusal.is_none()
    });
    answer.possible = possible;
    Ok(())
}

/// Returns the places of the possible calls of a symbol that are edges.
fn places_followed<'view>(navigator: &Navigator<'view>, symbol: Symbol) -> Result<FxHashSet<(&'view str, u32, u32)>> {
    let links = navigator.possible_links_into(symbol, Follow::Calls)?;
    let place = |link: &Link| {
        let path = navigator.snapshot().path_of(link.used.version)?;
        Some((path, link.used.reference.line, link.used.reference.column))
    };
    Ok(links.iter().filter_map(place).collect())
}

/// Returns the definitions whose calls are asked for: an argument that means overloads, or a getter
/// and a setter, asks for the calls of each.
fn callers_meant(navigator: &Navigator<'_>, subject: &Subject, symbol: Symbol) -> Result<Vec<Symbol>> {
    let is_one = subject.hit.other_places.is_empty() && subject.definitions.is_empty();
    if is_one { Ok(vec![symbol]) } else { navigator.same_symbol(symbol) }
}

/// Returns the names that definitions call and that lead to no definition of the view, and what
/// they may call through fields. Both are empty where only callers are asked for.
fn unresolved_calls(
    navigator: &Navigator<'_>,
    callers: Vec<Symbol>,
    options: &CallsOptions,
) -> Result<(Vec<UnresolvedCallee>, Vec<Edge>)> {
    let (mut unresolved, mut through_fields) = (Vec::new(), Vec::new());
    for caller in callers.into_iter().filter(|_| options.directions.contains(&Direction::Callees)) {
        unresolved.extend(navigator.unresolved_callees(caller)?);
        if options.least == UseClass::Possible {
            through_fields.extend(navigator.callees_through_fields(caller)?);
        }
    }
    Ok((unresolved, through_fields))
}

/// Returns the methods that a symbol overrides or implements, with the numbers of their calls.
/// Those that are asked about themselves are left out.
fn overridden_calls(navigator: &Navigator<'_>, symbol: Symbol, asked: &[Symbol]) -> Result<Vec<OverriddenCalls>> {
    let mut found = Vec::new();
    for base in navigator.overridden(symbol)?.into_iter().filter(|base| !asked.contains(base)) {
        let calls = navigator.links_into(base, Follow::Calls, false)?.len();
        let method = navigator.node(Vertex::Symbol(base))?;
        found.extend(method.map(|method| OverriddenCalls { method, calls }));
    }
    Ok(found)
}

/// Adds the levels of one direction, the hubs among them, and the calls that are left out.
fn walk(
    navigator: &Navigator<'_>,
    starts: &[Symbol],
    direction: Direction,
    options: &CallsOptions,
    answer: &mut CallsAnswer,
) -> Result<()> {
    let mut seen = FxHashSet::default();
    for start in starts {
        navigator.first_time(&mut seen, Vertex::Symbol(*start))?;
    }
    let mut frontier = starts.to_vec();
    for depth in 1..=options.depth {
        let mut links: Vec<Link> = Vec::new();
        for symbol in &frontier {
            links.extend(level_links(navigator, *symbol, direction, depth, options)?);
        }
        let found = links.len();
        links.retain(|link| link.confidence <= options.least);
        answer.left_out_by_scope.add(Restriction::Confidence, found - links.len());
        // Where not all can be listed, the program's own calls come before those of its tests.
        let mut ranked = Vec::with_capacity(links.len());
        for link in links {
            if let Some(refusal) = refusal(navigator, far_end(&link, direction), &options.scope)? {
                answer.left_out_by_scope.add(refusal, 1);
                if answer.few_left_out.len() <= FEW_LEFT_OUT {
                    answer.few_left_out.extend(navigator.edge(&link)?);
                }
                continue;
            }
            // Possible callers come behind all others; callees stay in the order of their calls.
            let is_open = direction == Direction::Callers && link.confidence == UseClass::Possible;
            ranked.push((is_open, navigator.rank(link.used.version)?, link));
        }
        ranked.sort_by_key(|(is_open, rank, _)| (*is_open, *rank));
        let mut links: Vec<Link> = ranked.into_iter().map(|(.., link)| link).collect();
        let total = links.len();
        links.truncate(options.limit);
        let mut edges = Vec::new();
        frontier.clear();
        for link in &links {
            let far = far_end(link, direction);
            // Overloads have the same callers, and each its own callees.
            let is_new = match direction {
                Direction::Callers => navigator.first_time(&mut seen, far)?,
                Direction::Callees => seen.insert(far),
            };
            let mut is_expanded = is_new;
            if let (true, Vertex::Symbol(symbol)) = (is_new, far) {
                let is_followed = depth < options.depth && direction == Direction::Callers;
                if is_followed && is_hub(navigator, symbol, options)? {
                    answer.hubs.extend(navigator.node(far)?);
                    is_expanded = false;
                } else if direction == Direction::Callees {
                    frontier.extend(navigator.resolver.all_parts(symbol)?.iter().copied());
                } else {
                    frontier.push(symbol);
                }
            }
            edges.extend(navigator.edge(link)?.map(|edge| (edge, is_expanded)));
        }
        answer.levels.push(CallLevel { direction, depth, edges, total });
        if frontier.is_empty() {
            break;
        }
    }
    Ok(())
}

/// Returns the links from one symbol to the next level.
fn level_links(
    navigator: &Navigator<'_>,
    symbol: Symbol,
    direction: Direction,
    depth: u32,
    options: &CallsOptions,
) -> Result<Vec<Link>> {
    let follows_possible = options.least == UseClass::Possible;
    match direction {
        Direction::Callers => {
            let mut links = navigator.links_into(symbol, options.follow(), options.overrides)?;
            if follows_possible {
                links.extend(navigator.possible_links_into(symbol, Follow::Calls)?);
            }
            Ok(links)
        }
        Direction::Callees => {
            let mut links = navigator.links_from(symbol, depth > 1)?;
            if follows_possible {
                links.extend(navigator.possible_links_from(symbol)?);
                links.sort_by_key(|link| link.used.number);
            }
            Ok(links)
        }
    }
}

/// Returns whether a symbol has more calls than [`HUB_CALLS`] in the files of the scope, in about
/// the time that finding so many takes; with `overrides` calls of what it overrides or implements
/// count, too.
fn is_hub(navigator: &Navigator<'_>, symbol: Symbol, options: &CallsOptions) -> Result<bool> {
    let Some((_, definition)) = navigator.resolver.definition(symbol)? else { return Ok(false) };
    let mut called = vec![symbol];
    let made = definition.parent.filter(|_| definition.kind == Kind::Constructor);
    called.extend(made.map(|ordinal| Symbol { ordinal, ..symbol }));
    if options.overrides {
        called.extend(navigator.overridden(symbol)?);
    }
    let mut calls = FxHashSet::default();
    for symbol in called {
        let targets: FxHashSet<Symbol> = navigator.same_symbol(symbol)?.into_iter().collect();
        for (version, number) in navigator.namesakes(symbol)?.iter().copied() {
            let path = || navigator.snapshot().path_of(version).unwrap_or("");
            if !options.scope.is_whole()
                && options.scope.refuses_file(path(), navigator.snapshot().file_info(version)?.role)
            {
                continue;
            }
            let Some(file) = navigator.resolver.file(version)? else { continue };
            let reference = file.uses.references.get(number as usize);
            if reference.is_none_or(|reference| reference.kind != RefKind::Call) {
                continue;
            }
            if let Resolution::Found { targets: meant, .. } = &*navigator.meaning(&file, number)?
                && meant.iter().any(|meant| targets.contains(meant))
            {
                calls.insert((version, number));
            }
            if calls.len() > HUB_CALLS {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns the restriction that leaves out a vertex, if one does.
fn refusal(navigator: &Navigator<'_>, vertex: Vertex, scope: &Scope) -> Result<Option<Restriction>> {
    if scope.is_whole() {
        return Ok(None);
    }
    Ok(navigator.node(vertex)?.and_then(|node| scope.refuses_node(&node)))
}

/// Returns the end of a call that is farther from the symbol asked about.
fn far_end(link: &Link, direction: Direction) -> Vertex {
    match direction {
        Direction::Callers => link.from,
        Direction::Callees => Vertex::Symbol(link.to),
    }
}
