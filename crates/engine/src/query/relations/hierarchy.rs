//! The hierarchy around a symbol: containers and members, supertypes and subtypes, the methods that
//! a method overrides and those that implement it.

use codecompass_syntax::facts::{Definition, Kind};
use rustc_hash::FxHashSet;

use crate::error::{Error, Result};
use crate::query::filter::Filter;
use crate::query::hit::{Hit, Place};
use crate::query::left_out::LeftOut;
use crate::query::navigate::Navigator;
use crate::query::navigate::scope::Scope;
use crate::query::navigate::tally::Accounting;
use crate::query::page::Listed;
use crate::query::relations::type_relations::{Kin, Relation};
use crate::query::subject::Subject;
use crate::resolve::{Confidence, Symbol};

/// Options of `hierarchy`.
#[derive(Clone, Debug)]
pub struct HierarchyOptions {
    /// Restrictions on the symbols that an ambiguous argument may mean.
    pub filter: Filter,
    /// Containers, supertypes and overridden methods.
    pub up: bool,
    /// Members, subtypes and implementations.
    pub down: bool,
    /// The number of steps to follow supertypes and subtypes.
    pub depth: u32,
    /// At most this many of each.
    pub limit: usize,
    /// The types and members to list. What leads there is followed all the same.
    pub scope: Scope,
    /// Find the members of subtypes that override those of a type.
    pub overriding: bool,
}

/// The containers, members and relatives of a symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct HierarchyAnswer {
    /// The symbol.
    pub subject: Subject,
    /// The definitions around it, outermost first.
    pub containers: Vec<Hit>,
    /// Its members, in the order of the source.
    pub children: Listed<Hit>,
    /// Types it inherits from or implements, each behind the one it was reached from; of a
    /// function, the type that it extends.
    pub supertypes: Listed<Relative>,
    /// Types that inherit from it or implement it, likewise.
    pub subtypes: Listed<Relative>,
    /// Members of supertypes that a method overrides or implements; of a type those that its
    /// members do, one for each, which `of` names and `stated` is the place of.
    pub overrides: Listed<Relative>,
    /// Members of subtypes that override or implement it.
    pub implementations: Listed<Relative>,
    /// True if the search stopped before it had seen everything.
    pub is_cut: bool,
    /// Types and members outside of the scope.
    pub left_out_by_scope: LeftOut,
    /// All occurrences of the symbol's name; `None` without texts.
    pub accounting: Option<Accounting>,
}

/// A type or member above or below a symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct Relative {
    /// `None` when it is outside of the view, or was not found in it.
    pub hit: Option<Hit>,
    /// True if it is outside of the view.
    pub is_external: bool,
    /// Its qualified name, or, outside of the view, its name as written.
    pub name: String,
    /// The distance in steps.
    pub depth: u32,
    /// The name of the symbol that it is directly above or below.
    pub of: String,
    /// The kind of relation to that symbol.
    pub relation: Relation,
    /// The confidence in the relation.
    pub confidence: Confidence,
    /// The line that states it.
    pub stated: Option<Place>,
    /// Of a subtype, its members that override or implement those of the symbol.
    pub overriding: Vec<Overriding>,
}

/// A member of a subtype that overrides or implements a member of the symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overriding {
    /// The name that both have.
    pub name: String,
    /// The line of the name.
    pub line: u32,
}

/// Members of a type beyond this many are not compared with those of its supertypes.
const MAX_MEMBERS: usize = 200;
/// Types beyond this many are not looked at.
const MAX_TYPES: usize = 400;

/// Gives what stands above and below the definition that `symbol` means best.
/// Of a type outside of the view, gives the types below it.
pub fn hierarchy(navigator: &Navigator<'_>, symbol: &str, options: &HierarchyOptions) -> Result<HierarchyAnswer> {
    let (subject, symbol) = match navigator.meant(symbol, &options.filter) {
        Err(error @ Error::SymbolNotFound { .. }) => {
            return below_outside(navigator, symbol, options)?.ok_or(error);
        }
        // Another name of different case is only the second choice.
        Ok((subject, _)) if !symbol.contains(&subject.hit.name) && subject.hit.name.eq_ignore_ascii_case(symbol) => {
            match below_outside(navigator, symbol, options)? {
                Some(answer) => return Ok(answer),
                None => navigator.meant(symbol, &options.filter)?,
            }
        }
        found => found?,
    };
    let (subject, symbol) = behind_alias(navigator, subject, symbol)?;
    let accounting = navigator.account(&[symbol], None, false)?.map(|account| account.accounting);
    let mut answer = HierarchyAnswer::new(subject, accounting);
    let Some((file, definition)) = navigator.resolver.definition(symbol)? else { return Ok(answer) };
    let is_type = file.has_relatives(definition.kind);
    let is_member = definition.kind.is_callable() || definition.kind.is_value();
    let owners = if is_member { navigator.resolver.owners_of(symbol)? } else { Vec::new() };
    if options.up {
        answer.containers = containers(navigator, symbol)?;
        let above = HierarchyWalk::new(navigator, options, true);
        if is_type {
            let walked = above.from(symbol, Vec::new())?;
            answer.is_cut |= walked.is_cut;
            answer.supertypes = answer.listed(walked.relatives(navigator, None)?, options);
            if answer.supertypes.total > 0 {
                let found = overridden_by_members(navigator, symbol)?;
                answer.overrides = answer.listed(found, options);
            }
        } else if is_member {
            let found = overridden(navigator, &above, symbol, &definition, &owners)?;
            answer.overrides = answer.listed(found, options);
            answer.supertypes = answer.listed(extended(navigator, symbol, &definition)?, options);
        }
        if definition.kind == Kind::Component {
            answer.supertypes = answer.listed(navigator.props_of(symbol)?, options);
        }
    }
    if options.down {
        let children = navigator.resolver.members_of(symbol)?;
        answer.children = Listed { total: children.len(), items: Vec::new() };
        answer.children.items = navigator.hits(&children[..children.len().min(options.limit)])?;
        let below = HierarchyWalk::new(navigator, options, false);
        if is_type {
            let walked = below.from(symbol, Vec::new())?;
            answer.is_cut |= walked.is_cut;
            let mut relatives = walked.relatives(navigator, None)?;
            if options.overriding {
                walked.find_overriding(navigator, &children, &mut relatives)?;
            }
            relatives.extend(navigator.components_of(symbol)?);
            answer.subtypes = answer.listed(relatives, options);
        } else if is_member && !is_in_block(navigator, symbol)? {
            let mut found = Vec::new();
            for owner in &owners {
                let walked = below.from(*owner, Vec::new())?;
                answer.is_cut |= walked.is_cut;
                found.extend(walked.relatives(navigator, Some((symbol, &definition)))?);
            }
            answer.implementations = answer.listed(distinct(found), options);
        }
    }
    Ok(answer)
}

/// Returns the type that a constant is another name of (`Client = Server`), or else what is given.
fn behind_alias(navigator: &Navigator<'_>, subject: Subject, symbol: Symbol) -> Result<(Subject, Symbol)> {
    let Some((file, definition)) = navigator.resolver.definition(symbol)? else { return Ok((subject, symbol)) };
    if definition.kind != Kind::Constant || file.has_relatives(definition.kind) {
        return Ok((subject, symbol));
    }
    if let [only] = navigator.resolver.base_types(vec![symbol])?[..]
        && only != symbol
        && let Some(hit) = navigator.hit(only)?
    {
        return Ok((Subject { hit, ..subject }, only));
    }
    Ok((subject, symbol))
}

/// Gives the types below a type outside of the view; `None` if no type of the view names it.
fn below_outside(
    navigator: &Navigator<'_>,
    symbol: &str,
    options: &HierarchyOptions,
) -> Result<Option<HierarchyAnswer>> {
    let below = navigator.types_below_outside(symbol)?;
    let Some((version, line)) = below.first().and_then(|kin| kin.stated) else { return Ok(None) };
    let Some((subject, accounting)) = navigator.outside_subject(symbol, version, line)? else { return Ok(None) };
    let mut answer = HierarchyAnswer::new(subject, accounting);
    if !options.down {
        return Ok(Some(answer));
    }
    answer.is_cut = below.len() > MAX_TYPES;
    let walk =
        HierarchyWalk { depth: options.depth.saturating_sub(1), ..HierarchyWalk::new(navigator, options, false) };
    let mut found = Vec::new();
    for kin in below.into_iter().take(MAX_TYPES) {
        let hit = kin.symbol.map(|symbol| navigator.hit(symbol)).transpose()?.flatten();
        found.push(Relative {
            is_external: hit.is_none(),
            name: hit.as_ref().map_or(kin.written.clone(), |hit| hit.qualified_name.clone()),
            hit,
            depth: 1,
            of: answer.subject.hit.qualified_name.clone(),
            relation: kin.relation,
            confidence: kin.confidence,
            stated: place(navigator, kin.stated),
            overriding: Vec::new(),
        });
        if let Some(symbol) = kin.symbol.filter(|_| kin.relation != Relation::Anonymous) {
            let walked = walk.from(symbol, Vec::new())?;
            answer.is_cut |= walked.is_cut;
            let relatives = walked.relatives(navigator, None)?.into_iter();
            found.extend(relatives.map(|relative| Relative { depth: relative.depth + 1, ..relative }));
        }
    }
    answer.subtypes = answer.listed(distinct(found), options);
    Ok(Some(answer))
}

impl HierarchyAnswer {
    /// An answer about a symbol with nothing listed.
    fn new(subject: Subject, accounting: Option<Accounting>) -> HierarchyAnswer {
        HierarchyAnswer {
            subject,
            containers: Vec::new(),
            children: Listed::default(),
            supertypes: Listed::default(),
            subtypes: Listed::default(),
            overrides: Listed::default(),
            implementations: Listed::default(),
            is_cut: false,
            left_out_by_scope: LeftOut::default(),
            accounting,
        }
    }

    /// Returns the relatives within the scope, and counts the others.
    fn listed(&mut self, mut found: Vec<Relative>, options: &HierarchyOptions) -> Listed<Relative> {
        found.retain(|relative| {
            let refusal = relative.hit.as_ref().and_then(|hit| options.scope.refuses_hit(hit));
            refusal.into_iter().for_each(|refusal| self.left_out_by_scope.add(refusal, 1));
            refusal.is_none()
        });
        Listed::new(found, options.limit)
    }
}

/// Returns the definitions around a definition, outermost first. A block stands for the type it
/// adds to.
fn containers(navigator: &Navigator<'_>, symbol: Symbol) -> Result<Vec<Hit>> {
    let Some((file, definition)) = navigator.resolver.definition(symbol)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (ordinal, around) in file.outwards(definition.parent) {
        let around_symbol = Symbol { version: symbol.version, ordinal };
        match around.kind {
            Kind::Impl => found.extend(navigator.resolver.block_type(around_symbol)?),
            _ => found.push(around_symbol),
        }
    }
    if definition.parent.is_none() {
        found.extend(navigator.resolver.owners_of(symbol)?);
    }
    found.reverse();
    navigator.hits(&found)
}

fn is_in_block(navigator: &Navigator<'_>, symbol: Symbol) -> Result<bool> {
    Ok(block_around(navigator, symbol)?.is_some())
}

/// The block that a member stands in.
fn block_around(navigator: &Navigator<'_>, symbol: Symbol) -> Result<Option<Symbol>> {
    let Some((file, definition)) = navigator.resolver.definition(symbol)? else { return Ok(None) };
    let parent = definition
        .parent
        .filter(|parent| file.definitions().get(*parent as usize).is_some_and(|around| around.kind == Kind::Impl));
    Ok(parent.map(|ordinal| Symbol { version: symbol.version, ordinal }))
}

/// The members of supertypes that a member overrides or implements.
fn overridden(
    navigator: &Navigator<'_>,
    above: &HierarchyWalk<'_, '_>,
    symbol: Symbol,
    definition: &Definition,
    owners: &[Symbol],
) -> Result<Vec<Relative>> {
    let Some(block) = block_around(navigator, symbol)? else {
        let mut found = Vec::new();
        for owner in owners {
            found.extend(above.from(*owner, Vec::new())?.relatives(navigator, Some((symbol, definition)))?);
        }
        return Ok(distinct(found));
    };
    // A block implements what it names and nothing else.
    let mut found = Vec::new();
    for named in navigator.resolver.named_supertypes(block)? {
        let stated = place(navigator, Some((named.version, named.line)));
        if named.targets.is_empty() {
            found.push(Relative {
                hit: None,
                is_external: !named.is_lost,
                name: format!("{}::{}", named.written, definition.name),
                depth: 1,
                of: definition.qualified_name.clone(),
                relation: Relation::Block,
                confidence: Confidence::Static,
                stated: stated.clone(),
                overriding: Vec::new(),
            });
        }
        for target in named.targets {
            for member in navigator.resolver.members_named(target, &definition.name)? {
                let Some(hit) = navigator.hit(member)? else { continue };
                found.push(Relative {
                    name: hit.qualified_name.clone(),
                    hit: Some(hit),
                    is_external: false,
                    depth: 1,
                    of: definition.qualified_name.clone(),
                    relation: Relation::Block,
                    confidence: named.confidence,
                    stated: stated.clone(),
                    overriding: Vec::new(),
                });
            }
        }
    }
    Ok(distinct(found))
}

/// The members of supertypes that the members of a type override or implement, the nearest for
/// each.
fn overridden_by_members(navigator: &Navigator<'_>, symbol: Symbol) -> Result<Vec<Relative>> {
    let mut found = Vec::new();
    for member in navigator.resolver.members_of(symbol)?.into_iter().take(MAX_MEMBERS) {
        let Some(base) = navigator.overridden(member)?.first().copied() else { continue };
        let (Some(hit), Some((_, definition))) = (navigator.hit(base)?, navigator.resolver.definition(member)?) else {
            continue;
        };
        found.push(Relative {
            name: hit.qualified_name.clone(),
            hit: Some(hit),
            is_external: false,
            depth: 1,
            of: definition.qualified_name.clone(),
            relation: Relation::Declared,
            confidence: Confidence::Static,
            stated: place(navigator, Some((member.version, definition.name_line))),
            overriding: Vec::new(),
        });
    }
    Ok(found)
}

/// The type that a function which stands elsewhere is a member of.
fn extended(navigator: &Navigator<'_>, symbol: Symbol, definition: &Definition) -> Result<Vec<Relative>> {
    let Some((name, types)) = navigator.resolver.extends(symbol)? else { return Ok(Vec::new()) };
    let hit = types.first().map(|extended| navigator.hit(*extended)).transpose()?.flatten();
    Ok(vec![Relative {
        is_external: hit.is_none(),
        name: hit.as_ref().map_or(name, |hit| hit.qualified_name.clone()),
        hit,
        depth: 1,
        of: definition.qualified_name.clone(),
        relation: Relation::Extension,
        confidence: Confidence::Static,
        stated: place(navigator, Some((symbol.version, definition.name_line))),
        overriding: Vec::new(),
    }])
}

/// Keeps the first of several ways to one definition.
fn distinct(found: Vec<Relative>) -> Vec<Relative> {
    let mut seen = FxHashSet::default();
    let key = |relative: &Relative| match &relative.hit {
        Some(hit) => (hit.symbol_id, String::new()),
        None => (None, relative.name.clone()),
    };
    found.into_iter().filter(|relative| seen.insert(key(relative))).collect()
}

fn place(navigator: &Navigator<'_>, stated: Option<(crate::model::VersionId, u32)>) -> Option<Place> {
    let (version, line) = stated?;
    let path = navigator.snapshot().path_of(version)?.to_string();
    Some(Place { path, line_start: line, line_end: line, is_declaration: false })
}

/// Goes up or down from a type, nearest types first.
struct HierarchyWalk<'walk, 'view> {
    navigator: &'walk Navigator<'view>,
    depth: u32,
    up: bool,
}

/// A type on the way.
struct VisitedType {
    kin: Kin,
    depth: u32,
    from: Option<usize>,
}

struct Walked {
    start: Symbol,
    steps: Vec<VisitedType>,
    is_cut: bool,
}

impl<'walk, 'view> HierarchyWalk<'walk, 'view> {
    fn new(navigator: &'walk Navigator<'view>, options: &HierarchyOptions, up: bool) -> HierarchyWalk<'walk, 'view> {
        HierarchyWalk { navigator, depth: options.depth, up }
    }

    fn from(&self, start: Symbol, mut steps: Vec<VisitedType>) -> Result<Walked> {
        let mut seen: FxHashSet<Symbol> = self.navigator.same_symbol(start)?.into_iter().collect();
        let (mut outside, mut anonymous) = (FxHashSet::default(), FxHashSet::default());
        let mut pending = std::collections::VecDeque::from([(start, None, 0)]);
        let mut is_cut = false;
        while let Some((owner, from, depth)) = pending.pop_front() {
            if depth >= self.depth {
                continue;
            }
            let kin = if self.up { self.navigator.types_above(owner)? } else { self.navigator.types_below(owner)? };
            for mut kin in kin {
                kin.symbol = kin.symbol.map(|symbol| self.navigator.main_part(symbol)).transpose()?;
                let is_new = match kin.symbol {
                    // A function may make several.
                    Some(_) if kin.relation == Relation::Anonymous => anonymous.insert(kin.stated),
                    // A type in several parts is one.
                    Some(symbol) if seen.insert(symbol) => {
                        seen.extend(self.navigator.same_symbol(symbol)?);
                        true
                    }
                    Some(_) => false,
                    None => outside.insert((kin.written.clone(), kin.block)),
                };
                if !is_new {
                    continue;
                }
                if steps.len() >= MAX_TYPES {
                    is_cut = true;
                    break;
                }
                if let Some(symbol) = kin.symbol.filter(|_| kin.relation != Relation::Anonymous) {
                    pending.push_back((symbol, Some(steps.len()), depth + 1));
                }
                steps.push(VisitedType { kin, depth: depth + 1, from });
            }
        }
        Ok(Walked { start, steps, is_cut })
    }
}

impl Walked {
    /// The types, each behind the one it was reached from; or, of each, the members that go with a
    /// member of the start.
    fn relatives(&self, navigator: &Navigator<'_>, member: Option<(Symbol, &Definition)>) -> Result<Vec<Relative>> {
        let mut found = Vec::new();
        let mut pending: Vec<usize> = self.reached_from(None).collect();
        while let Some(at) = pending.pop() {
            pending.extend(self.reached_from(Some(at)));
            let step = &self.steps[at];
            let of = match step.from {
                Some(from) => self.steps[from].kin.written.clone(),
                None => navigator.hit(self.start)?.map(|hit| hit.qualified_name).unwrap_or_default(),
            };
            let hits: Vec<Option<Hit>> = match member {
                None => vec![step.kin.symbol.map(|symbol| navigator.hit(symbol)).transpose()?.flatten()],
                Some((symbol, definition)) => members_like(navigator, &step.kin, symbol, definition)?,
            };
            for hit in hits {
                found.push(Relative {
                    is_external: hit.is_none() && !step.kin.is_lost,
                    name: hit.as_ref().map_or(step.kin.written.clone(), |hit| hit.qualified_name.clone()),
                    hit,
                    depth: step.depth,
                    of: of.clone(),
                    relation: step.kin.relation,
                    confidence: step.kin.confidence,
                    stated: place(navigator, step.kin.stated),
                    overriding: Vec::new(),
                });
            }
        }
        Ok(found)
    }

    /// Finds the members of the types that have the names of callable `members` of the start. A
    /// block states itself what it implements, and a type that has all methods has these.
    fn find_overriding(&self, navigator: &Navigator<'_>, members: &[Symbol], relatives: &mut [Relative]) -> Result<()> {
        let names = callable_names(navigator, members)?;
        let names: FxHashSet<&str> = names.iter().map(|member| member.name.as_str()).collect();
        let is_plain = |relation| matches!(relation, Relation::Declared | Relation::Alias);
        let types = self.steps.iter().filter(|step| is_plain(step.kin.relation)).filter_map(|step| step.kin.symbol);
        for symbol in types {
            let Some(hit) = navigator.hit(symbol)? else { continue };
            // What blocks implement is not overridden by a type below.
            if navigator.implements_by_blocks(symbol)? {
                continue;
            }
            let is_it = |other: &Hit| other.symbol_id == hit.symbol_id;
            let is_of =
                |relative: &&mut Relative| is_plain(relative.relation) && relative.hit.as_ref().is_some_and(is_it);
            if let Some(relative) = relatives.iter_mut().find(is_of) {
                let members = callable_names(navigator, &navigator.resolver.members_of(symbol)?)?;
                relative.overriding = members.into_iter().filter(|member| names.contains(&*member.name)).collect();
            }
        }
        Ok(())
    }

    /// Steps right behind one, last first.
    fn reached_from(&self, from: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        (0..self.steps.len()).rev().filter(move |at| self.steps[*at].from == from)
    }
}

/// Returns the names of callable members, each once, in the order of their lines.
fn callable_names(navigator: &Navigator<'_>, members: &[Symbol]) -> Result<Vec<Overriding>> {
    let mut found: Vec<Overriding> = Vec::new();
    for member in members {
        let Some((_, definition)) = navigator.resolver.definition(*member)? else { continue };
        if definition.kind.is_callable() && found.iter().all(|other| other.name != definition.name) {
            found.push(Overriding { name: definition.name.clone(), line: definition.name_line });
        }
    }
    Ok(found)
}

/// Members of a type that have the name of another type's member and, where several do, as many
/// parameters.
fn members_like(
    navigator: &Navigator<'_>,
    kin: &Kin,
    symbol: Symbol,
    definition: &Definition,
) -> Result<Vec<Option<Hit>>> {
    let mut members = match (kin.block, kin.symbol) {
        (Some(block), _) => navigator.resolver.members_named(block, &definition.name)?,
        (None, Some(owner)) => navigator.resolver.members_named(owner, &definition.name)?,
        (None, None) => Vec::new(),
    };
    members.retain(|member| *member != symbol);
    let mut alike = Vec::new();
    for member in &members {
        let found = navigator.resolver.definition(*member)?;
        if found.is_some_and(|(_, found)| found.parameter_count() == definition.parameter_count()) {
            alike.push(*member);
        }
    }
    let chosen = if alike.is_empty() { members } else { alike };
    Ok(navigator.hits(&chosen)?.into_iter().map(Some).collect())
}
