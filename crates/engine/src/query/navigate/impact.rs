//! Code that a change of a symbol, or of a branch, may affect: its users, their users, and so on.
//!
//! A change of a symbol may affect any code that names it, other than in an import: callers,
//! subtypes, code that passes it on. A caller of a method may also call the methods that override
//! it, which is a heuristic. Uses that were not resolved and have few candidates are followed after
//! all others, so that they hide none of these. Work is bounded by [`MAX_EXPANDED`] and
//! [`MAX_LOOKED_AT`].

use codecompass_syntax::facts::{RefKind, SymbolRole};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::model::VersionId;
use crate::query::diff::{ChangeKind, DiffAnswer};
use crate::query::hit::Hit;
use crate::query::left_out::LeftOut;
use crate::query::navigate::Navigator;
use crate::query::navigate::graph::{Edge, Follow, Link, MAX_EXPANDED, Node, Vertex};
use crate::query::navigate::references::FEW_LEFT_OUT;
use crate::query::navigate::scope::Scope;
use crate::query::navigate::tally::Accounting;
use crate::query::navigate::use_sites::{UseClass, UseSite};
use crate::query::program_roles::ProgramRoles;
use crate::query::subject::Subject;
use crate::resolve::{ResolutionEvidence, Symbol};

/// Names that are looked at for possible uses at most: each is resolved.
pub const MAX_LOOKED_AT: usize = 60_000;

/// Options of `impact`.
#[derive(Clone, Debug)]
pub struct ImpactOptions {
    /// The number of levels.
    pub depth: u32,
    /// The least certain class of uses to follow.
    pub least: UseClass,
    /// At most this many affected symbols are listed; all are counted.
    pub limit: usize,
    /// The affected code to list and count. What leads there is followed all the same.
    pub scope: Scope,
}

/// A symbol or file that the change may affect.
#[derive(Clone, Debug, PartialEq)]
pub struct Affected {
    /// The symbol or file itself.
    pub node: Node,
    /// The distance from the change: the number of uses on the shortest way.
    pub depth: u32,
    /// That of the least certain use on the way.
    pub confidence: UseClass,
    /// The changed or affected symbol that it uses.
    pub uses: Node,
    /// Line of that use. Its path is the node's own.
    pub line: u32,
    /// Column of the name in that use, in bytes.
    pub column: u32,
    /// The way in which the symbol is used.
    pub kind: RefKind,
    /// The evidence that it is a use of that symbol.
    pub evidence: ResolutionEvidence,
    /// True if it only used the symbol before the change, which deletes it.
    pub is_broken: bool,
}

impl Affected {
    /// Returns the use that leads to it; nothing if that is gone.
    pub fn edge(&self) -> Option<Edge> {
        (!self.is_broken).then(|| Edge {
            from: self.node.clone(),
            to: self.uses.clone(),
            path: self.node.path.clone(),
            line: self.line,
            column: self.column,
            kind: self.kind,
            confidence: self.confidence,
            evidence: self.evidence,
            through: None,
            more: 0,
            candidates: 0,
        })
    }
}

/// An endpoint or rpc whose answers a change may affect.
#[derive(Clone, Debug, PartialEq)]
pub struct AffectedRoute {
    /// The HTTP method; `None` for an rpc.
    pub method: Option<String>,
    /// The path, or the rpc with its service.
    pub path: String,
    /// The code that answers.
    pub handler: Node,
    /// The distance of that code from the change; 0 if it is what changes.
    pub depth: u32,
    /// The certainty that it is affected.
    pub confidence: UseClass,
}

/// The code that a change may affect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImpactAnswer {
    /// The symbol that was asked about; `None` for a diff.
    pub subject: Option<Subject>,
    /// The changed symbols: the subject, or those of a diff.
    pub changed: Vec<Hit>,
    /// Nearest first, then source before examples, then by path and line; at most the limit. Tests
    /// are not among them.
    pub affected: Vec<Affected>,
    /// The number of affected symbols and files, listed or not, without tests.
    pub affected_total: usize,
    /// The number of them, and of tests, at depth 1, 2, …
    pub per_depth: Vec<usize>,
    /// Tests, at most the limit: functions that are tests, other code of test files, or the top
    /// level of such files.
    pub tests: Vec<Affected>,
    /// The number of tests, listed or not.
    pub tests_total: usize,
    /// Entry points of programs and request handlers, at most the limit; they are among the
    /// affected as well.
    pub entry_points: Vec<Affected>,
    /// The number of entry points, listed or not.
    pub entry_points_total: usize,
    /// Files of all affected code, tests included, with how much there is in each.
    pub files: Vec<(String, usize)>,
    /// Endpoints and rpcs that changed or affected code answers, nearest first; at most the limit.
    /// Empty without texts.
    pub routes: Vec<AffectedRoute>,
    /// The number of endpoints, listed or not.
    pub endpoints_total: usize,
    /// The number of rpcs, listed or not.
    pub rpcs_total: usize,
    /// True if the bound on work was reached, so that there may be more.
    pub is_cut: bool,
    /// Affected symbols, files and tests outside of the scope.
    pub left_out_by_scope: LeftOut,
    /// These, if they are few.
    pub few_left_out: Vec<Affected>,
    /// All occurrences of the symbol's name. `None` without texts and for a diff.
    pub accounting: Option<Accounting>,
    /// Possible uses of the symbol that are not followed, since each may mean many definitions; at
    /// most the limit.
    pub possible: Vec<UseSite>,
    /// The number of these, listed or not.
    pub possible_total: usize,
}

/// Tells what a change of the definitions that `symbol` means may affect. A type stands for its
/// members, too.
pub fn impact(navigator: &Navigator<'_>, symbol: &str, options: &ImpactOptions) -> Result<ImpactAnswer> {
    let (subject, symbols) = navigator.all_meant(symbol)?;
    let mut walk = ImpactWalk::new(navigator, options);
    let mut members = Vec::new();
    for symbol in &symbols {
        navigator.search_texts(*symbol)?;
        walk.change(*symbol);
        members.extend(navigator.members_in_file(*symbol)?);
    }
    members.into_iter().for_each(|member| walk.change(member));
    walk.run(Vec::new())?;
    let followed = std::mem::take(&mut walk.followed);
    let answer = walk.answer(navigator.hits(&symbols)?)?;
    let (accounting, mut possible) = navigator.account_or_ambiguous(&symbols, None, false)?;
    possible.retain(|site| {
        let is_listed = site.class == UseClass::Possible && options.least == UseClass::Possible;
        let place = navigator.snapshot().version_at(&site.path).map(|version| (version, site.line, site.column));
        is_listed && !place.is_some_and(|place| followed.contains(&place)) && options.scope.refuses_site(site).is_none()
    });
    let possible_total = possible.len();
    possible.truncate(options.limit);
    Ok(ImpactAnswer { subject: Some(subject), accounting, possible, possible_total, ..answer })
}

/// Tells what the modified, renamed and deleted symbols of a diff may affect. What is gone is
/// looked up in the earlier view: its users there that are still here are affected.
pub fn impact_of_diff(
    before: &Navigator<'_>,
    after: &Navigator<'_>,
    diff: &DiffAnswer,
    options: &ImpactOptions,
) -> Result<ImpactAnswer> {
    let mut walk = ImpactWalk::new(after, options);
    let (mut changed, mut broken) = (Vec::new(), Vec::new());
    for change in &diff.symbols {
        match change.kind {
            ChangeKind::Added | ChangeKind::Moved => continue,
            ChangeKind::Modified => {}
            // The old name is gone, and code that still uses it breaks.
            ChangeKind::Deleted | ChangeKind::Renamed => {
                let gone = change.before.as_ref().and_then(|hit| before.symbol_of(hit));
                broken.extend(gone.map(|symbol| walk.users_before(before, symbol)).transpose()?.into_iter().flatten());
            }
        }
        if let Some(symbol) = change.after.as_ref().and_then(|hit| after.symbol_of(hit)) {
            walk.change(symbol);
        }
        changed.extend(change.after.clone().or_else(|| change.before.clone()));
    }
    walk.run(broken)?;
    walk.answer(changed)
}

/// A vertex that was reached.
struct Reached {
    vertex: Vertex,
    affected: Affected,
}

struct ImpactWalk<'a, 'view> {
    navigator: &'a Navigator<'view>,
    options: &'a ImpactOptions,
    changed: Vec<Symbol>,
    seen: FxHashSet<Vertex>,
    reached: Vec<Reached>,
    /// The places of possible uses that were followed.
    followed: FxHashSet<(VersionId, u32, u32)>,
    expanded: usize,
    /// The number of names that were looked at for possible uses.
    looked_at: usize,
    is_cut: bool,
}

impl<'a, 'view> ImpactWalk<'a, 'view> {
    fn new(navigator: &'a Navigator<'view>, options: &'a ImpactOptions) -> ImpactWalk<'a, 'view> {
        ImpactWalk {
            navigator,
            options,
            changed: Vec::new(),
            seen: FxHashSet::default(),
            reached: Vec::new(),
            followed: FxHashSet::default(),
            expanded: 0,
            looked_at: 0,
            is_cut: false,
        }
    }

    /// Adds a symbol that changes. Its overloads are code of their own: those that call it are
    /// affected.
    fn change(&mut self, symbol: Symbol) {
        if self.seen.insert(Vertex::Symbol(symbol)) {
            self.changed.push(symbol);
        }
    }

    /// Follows users from what changed, level by level, and then what may be one. `broken` are
    /// users of what is no longer there.
    fn run(&mut self, broken: Vec<Reached>) -> Result<()> {
        let changed: Vec<(Symbol, UseClass)> = self.changed.iter().map(|symbol| (*symbol, UseClass::Static)).collect();
        self.spread(changed.clone(), broken)?;
        if self.options.least == UseClass::Possible && !self.is_cut {
            // Possible users of all that was found, by its distance.
            let mut levels = vec![changed];
            for reached in &self.reached {
                let depth = reached.affected.depth as usize;
                levels.resize(levels.len().max(depth + 1), Vec::new());
                if let Vertex::Symbol(symbol) = reached.vertex {
                    levels[depth].push((symbol, reached.affected.confidence));
                }
            }
            self.spread_possible(levels)?;
        }
        Ok(())
    }

    /// Follows resolved uses from one level on.
    fn spread(&mut self, first: Vec<(Symbol, UseClass)>, broken: Vec<Reached>) -> Result<()> {
        let (mut frontier, mut broken) = (first, broken);
        for depth in 1..=self.options.depth {
            let mut level: Vec<Reached> = std::mem::take(&mut broken);
            for (symbol, confidence) in frontier {
                if !self.may_expand() {
                    break;
                }
                let links = self.navigator.links_into(symbol, Follow::Uses, true)?;
                self.add_users(links, depth, confidence, &mut level)?;
            }
            frontier = self.take_level(level);
            if self.is_cut || frontier.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Follows possible uses of what was found, and all uses of what that finds. `levels` has what
    /// was found by its distance.
    fn spread_possible(&mut self, levels: Vec<Vec<(Symbol, UseClass)>>) -> Result<()> {
        let mut new: Vec<(Symbol, UseClass)> = Vec::new();
        for depth in 1..=self.options.depth {
            let known = levels.get(depth as usize - 1).map_or(&[][..], Vec::as_slice);
            let mut level = Vec::new();
            for (at, (symbol, confidence)) in known.iter().copied().chain(std::mem::take(&mut new)).enumerate() {
                let is_new = at >= known.len();
                if is_new && !self.may_expand() || !self.may_look_at(symbol)? {
                    break;
                }
                let mut links = self.navigator.possible_links_into(symbol, Follow::Uses)?;
                let place = |link: &Link| (link.used.version, link.used.reference.line, link.used.reference.column);
                self.followed.extend(links.iter().map(place));
                if is_new {
                    links.extend(self.navigator.links_into(symbol, Follow::Uses, true)?);
                }
                self.add_users(links, depth, confidence, &mut level)?;
            }
            new = self.take_level(level);
        }
        Ok(())
    }

    /// Counts a symbol whose users are looked up; says whether there is room for it.
    fn may_expand(&mut self) -> bool {
        self.expanded += 1;
        self.is_cut |= self.expanded > MAX_EXPANDED;
        !self.is_cut
    }

    /// Counts the names that are looked at for possible uses of a symbol; says whether there is
    /// room for them.
    fn may_look_at(&mut self, symbol: Symbol) -> Result<bool> {
        self.looked_at += self.navigator.namesakes(symbol)?.len();
        let has_room = self.looked_at <= MAX_LOOKED_AT;
        self.is_cut |= !has_room;
        Ok(has_room)
    }

    fn add_users(&self, links: Vec<Link>, depth: u32, so_far: UseClass, level: &mut Vec<Reached>) -> Result<()> {
        for link in links {
            if let Some(affected) = self.affected(self.navigator, &link, depth, so_far)? {
                level.push(Reached { vertex: link.from, affected });
            }
        }
        Ok(())
    }

    /// Adds what a level reached for the first time; returns the symbols among it.
    fn take_level(&mut self, mut level: Vec<Reached>) -> Vec<(Symbol, UseClass)> {
        // Of several ways to a vertex the surest, then the first.
        level.sort_by_key(|reached| (reached.affected.confidence, !reached.affected.is_broken));
        let mut new = Vec::new();
        for reached in level {
            if !self.seen.insert(reached.vertex) {
                continue;
            }
            if let Vertex::Symbol(symbol) = reached.vertex {
                new.push((symbol, reached.affected.confidence));
            }
            self.reached.push(reached);
        }
        new
    }

    fn affected(&self, view: &Navigator<'_>, link: &Link, depth: u32, so_far: UseClass) -> Result<Option<Affected>> {
        let confidence = link.confidence.max(so_far);
        if confidence > self.options.least {
            return Ok(None);
        }
        Ok(view.edge(link)?.map(|edge| Affected {
            node: edge.from,
            depth,
            confidence,
            uses: edge.to,
            line: edge.line,
            column: edge.column,
            kind: edge.kind,
            evidence: edge.evidence,
            is_broken: false,
        }))
    }

    /// Returns the users of a symbol in the earlier view that still exist.
    fn users_before(&self, before: &Navigator<'_>, symbol: Symbol) -> Result<Vec<Reached>> {
        let mut users = Vec::new();
        for link in before.links_into(symbol, Follow::Uses, true)? {
            let Some(affected) = self.affected(before, &link, 1, UseClass::Static)? else { continue };
            let Some(vertex) = self.navigator.still_there(&affected.node)? else { continue };
            let Some(node) = self.navigator.node(vertex)? else { continue };
            // The line of the use is the earlier view's; the name's is what still holds.
            let line = node.line;
            users.push(Reached { vertex, affected: Affected { node, line, is_broken: true, ..affected } });
        }
        Ok(users)
    }

    /// Adds the endpoints and rpcs that changed and reached code answers.
    fn add_routes(&self, roles: &ProgramRoles, answer: &mut ImpactAnswer) -> Result<()> {
        let mut found: Vec<(usize, Symbol, u32, UseClass)> = Vec::new();
        let changed = self.changed.iter().map(|symbol| (*symbol, 0, UseClass::Static));
        let reached = self.reached.iter().filter_map(|reached| match reached.vertex {
            Vertex::Symbol(symbol) => Some((symbol, reached.affected.depth, reached.affected.confidence)),
            Vertex::File(_) => None,
        });
        for (symbol, depth, confidence) in changed.chain(reached) {
            let new = roles.answered(symbol).iter().filter(|one| !found.iter().any(|(known, ..)| known == *one));
            let new: Vec<usize> = new.copied().collect();
            found.extend(new.into_iter().map(|one| (one, symbol, depth, confidence)));
        }
        found.sort_by_key(|(one, _, depth, _)| (*depth, *one));
        for (route, symbol, depth, confidence) in found {
            let Some(mut handler) = self.navigator.node(Vertex::Symbol(symbol))? else { continue };
            handler.role = SymbolRole::Handler;
            if self.options.scope.refuses_node(&handler).is_some() {
                continue;
            }
            let Some((method, path)) = roles.label(route) else { continue };
            match method {
                Some(_) => answer.endpoints_total += 1,
                None => answer.rpcs_total += 1,
            }
            if answer.routes.len() < self.options.limit {
                answer.routes.push(AffectedRoute { method, path, handler, depth, confidence });
            }
        }
        Ok(())
    }

    fn answer(self, changed: Vec<Hit>) -> Result<ImpactAnswer> {
        let mut answer = ImpactAnswer { changed, is_cut: self.is_cut, ..ImpactAnswer::default() };
        let mut files: FxHashMap<String, usize> = FxHashMap::default();
        let mut all: Vec<(u8, Affected)> = Vec::with_capacity(self.reached.len());
        let roles =
            if self.changed.is_empty() && self.reached.is_empty() { None } else { self.navigator.program_roles()? };
        if let Some(roles) = &roles {
            self.add_routes(roles, &mut answer)?;
        }
        for Reached { vertex, mut affected } in self.reached {
            if let (Vertex::Symbol(symbol), Some(roles)) = (vertex, &roles) {
                affected.node.role = roles.role(symbol).unwrap_or(affected.node.role);
            }
            if let Some(refusal) = self.options.scope.refuses_node(&affected.node) {
                answer.left_out_by_scope.add(refusal, 1);
                if answer.few_left_out.len() <= FEW_LEFT_OUT {
                    answer.few_left_out.push(affected);
                }
                continue;
            }
            let (Vertex::Symbol(Symbol { version, .. }) | Vertex::File(version)) = vertex;
            all.push((self.navigator.rank(version)?, affected));
        }
        if answer.few_left_out.len() > FEW_LEFT_OUT {
            answer.few_left_out.clear();
        }
        all.sort_by(|(a_rank, a), (b_rank, b)| {
            let key = |affected: &Affected| (affected.confidence == UseClass::Possible, affected.depth);
            (key(a), a_rank, &a.node.path, a.node.line).cmp(&(key(b), b_rank, &b.node.path, b.node.line))
        });
        for (_, affected) in all {
            answer.per_depth.resize(answer.per_depth.len().max(affected.depth as usize), 0);
            answer.per_depth[affected.depth as usize - 1] += 1;
            *files.entry(affected.node.path.clone()).or_default() += 1;
            if matches!(affected.node.role, SymbolRole::EntryPoint | SymbolRole::Handler) && !affected.node.is_test {
                answer.entry_points.push(affected.clone());
            }
            let list = if affected.node.is_test { &mut answer.tests } else { &mut answer.affected };
            list.push(affected);
        }
        (answer.affected_total, answer.tests_total) = (answer.affected.len(), answer.tests.len());
        answer.entry_points_total = answer.entry_points.len();
        answer.entry_points.truncate(self.options.limit);
        answer.affected.truncate(self.options.limit);
        answer.tests.truncate(self.options.limit);
        answer.files = files.into_iter().collect();
        answer.files.sort();
        Ok(answer)
    }
}

impl Navigator<'_> {
    /// Returns the definitions of a type's own file whose qualified names lie within the type.
    fn members_in_file(&self, symbol: Symbol) -> Result<Vec<Symbol>> {
        let Some((file, owner)) = self.resolver.definition(symbol)? else { return Ok(Vec::new()) };
        if !owner.kind.is_type() {
            return Ok(Vec::new());
        }
        let is_member = |name: &str| {
            name.strip_prefix(&owner.qualified_name).is_some_and(|rest| rest.starts_with(['.', ':', '#', '\\', '/']))
        };
        let members = file.definitions().iter().enumerate().filter(|(_, d)| is_member(&d.qualified_name));
        Ok(members.map(|(ordinal, _)| Symbol { ordinal: ordinal as u32, ..symbol }).collect())
    }

    /// The vertex of this view that a node of another one is.
    fn still_there(&self, node: &Node) -> Result<Option<Vertex>> {
        let Some(version) = self.snapshot().version_at(&node.path) else { return Ok(None) };
        let Some(file) = self.resolver.outline(version)? else { return Ok(None) };
        if node.kind == crate::query::hit::HitKind::File {
            return Ok(Some(Vertex::File(version)));
        }
        let same = file.definitions().iter().position(|d| {
            d.qualified_name == node.qualified_name && crate::query::hit::HitKind::Symbol(d.kind) == node.kind
        });
        Ok(same.map(|ordinal| Vertex::Symbol(Symbol { version, ordinal: ordinal as u32 })))
    }
}
