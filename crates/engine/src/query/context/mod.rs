//! The best code for a question inside a budget.
//!
//! Takes what `search` ranks and shows as much of it as the budget allows: symbols, not windows. What a result costs is
//! the caller's to say, because only the caller knows how it is put out; `pack` spends the budget, `excerpt` chooses the
//! lines of what does not fit.

pub(super) mod excerpt;
pub(super) mod pack;
pub(super) mod tokens;

use std::collections::HashMap;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::config::{IndexConfig, SearchConfig};
use crate::error::Result;
use crate::query::context::excerpt::Body;
use crate::query::context::pack::{Candidate, Pack, Share};
use crate::query::rank::features::Question;
use crate::query::search::intent::Routed;
use crate::query::search::semantic::Semantic;
use crate::query::search::{SearchOptions, search};
use crate::query::symbols::source_text;
use crate::query::{Filter, Hit, HitKind, Navigator, OpenFile, searched_part};
use crate::resolve::{Confidence, Symbol};
use crate::scan::Source;
use crate::store::Snapshot;

/// What to spend the budget on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Many files and symbols, and the code of the best.
    #[default]
    Breadth,
    /// The best symbols in full, with what they call.
    Depth,
}

impl Strategy {
    /// All values, the default first.
    pub const ALL: [Strategy; 2] = [Strategy::Breadth, Strategy::Depth];

    /// The word used in JSON and flags.
    pub fn as_str(self) -> &'static str {
        match self {
            Strategy::Breadth => "breadth",
            Strategy::Depth => "depth",
        }
    }

    /// The value a word stands for.
    pub fn from_name(word: &str) -> Option<Strategy> {
        Strategy::ALL.into_iter().find(|strategy| strategy.as_str() == word)
    }
}

/// How much to give.
#[derive(Clone, Debug, Default)]
pub struct ContextOptions {
    /// What to leave out.
    pub filter: Filter,
    /// At most this many hits of the search are looked at.
    pub limit: usize,
    /// What all results together may cost.
    pub budget: usize,
    /// What to spend it on.
    pub strategy: Strategy,
    /// Looks at what code means, too.
    pub semantic: Option<Semantic>,
    /// Weights that users may change.
    pub tuning: SearchConfig,
}

/// A result with as much of it as is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Excerpt {
    /// What was found.
    pub hit: Hit,
    /// The declaration of what holds it, where that is shown.
    pub container: Option<String>,
    /// The better result that calls it; it was not found by itself then.
    pub called_by: Option<String>,
    /// How much of it is shown.
    pub shown: Shown,
}

impl Excerpt {
    /// Whether any of its lines are shown.
    pub fn has_code(&self) -> bool {
        matches!(self.shown, Shown::Code(_))
    }
}

/// How much of a result is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Where it is.
    Location,
    /// And its declaration on one line.
    Signature,
    /// And its lines.
    Code(Code),
}

/// Lines of a result, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// Stretches with gaps between them.
    pub pieces: Vec<Piece>,
    /// Lines of the result, empty ones aside, that are shown neither here nor in another result.
    pub left_out: usize,
}

/// Lines that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Number of the first.
    pub first_line: u32,
    /// Without line ends.
    pub lines: Vec<String>,
}

/// What was found and chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextAnswer {
    /// How the query was understood.
    pub routed: Routed,
    /// By file, the file with the best hit first, and by line within a file.
    pub excerpts: Vec<Excerpt>,
    /// Hits of the search.
    pub total: usize,
    /// Hits of the search that are neither listed nor part of code that is shown.
    pub remaining: usize,
}

impl ContextAnswer {
    /// Whether anything that was found is not shown in full.
    pub fn is_truncated(&self) -> bool {
        let is_whole = |excerpt: &Excerpt| matches!(&excerpt.shown, Shown::Code(code) if code.left_out == 0);
        self.remaining > 0 || !self.excerpts.iter().all(is_whole)
    }
}

/// The callees of so many of the best hits are shown in depth, and so many of each.
const FOLLOWED: usize = 3;
const CALLEES: usize = 8;

/// Answers `query` with code. `cost` says what putting out a result costs; the sum over all results stays within the budget.
pub fn context(
    snapshot: &Snapshot,
    source: &Source,
    config: &IndexConfig,
    query: &str,
    options: &ContextOptions,
    cost: &dyn Fn(&Excerpt) -> usize,
) -> Result<ContextAnswer> {
    let query = searched_part(query);
    let found = search(
        snapshot,
        query,
        &SearchOptions {
            filter: options.filter.clone(),
            limit: options.limit,
            semantic: options.semantic.clone(),
            tuning: options.tuning.clone(),
            ..SearchOptions::default()
        },
    )?;
    let reader = Reader { snapshot, source, config, question: Question::new(query), texts: HashMap::new() };
    let (candidates, reader) = reader.candidates(found.hits)?;
    let mut pack = Pack::new(candidates, options.budget, cost);
    match options.strategy {
        Strategy::Breadth => {
            pack.list(options.budget * 2 / 5);
            pack.code(Share { whole: 40, cut: 33 });
        }
        Strategy::Depth => {
            pack.list(options.budget / 8);
            let mut reader = reader;
            for rank in 0..pack.candidates.len().min(FOLLOWED) {
                pack.code_of(rank, Share { whole: 90, cut: 60 }, true);
                pack.follow(rank, reader.callees(&pack.candidates[rank].hit)?);
            }
            pack.code(Share { whole: 60, cut: 50 });
        }
    }
    pack.spend_the_rest();
    let (excerpts, covered) = pack.finish();
    Ok(ContextAnswer {
        routed: found.routed,
        excerpts,
        total: found.total,
        remaining: found.total.saturating_sub(covered),
    })
}

/// Reads what is needed of the files of hits, once each.
struct Reader<'a> {
    snapshot: &'a Snapshot,
    source: &'a Source,
    config: &'a IndexConfig,
    question: Question,
    texts: HashMap<String, Option<Rc<Vec<String>>>>,
}

impl Reader<'_> {
    fn candidates(mut self, hits: Vec<Hit>) -> Result<(Vec<Candidate>, Self)> {
        let candidates = hits.into_iter().map(|hit| self.candidate(hit)).collect::<Result<_>>()?;
        Ok((candidates, self))
    }

    /// A hit with its lines. A file that changed meanwhile has none; its hits are still listed.
    fn candidate(&mut self, hit: Hit) -> Result<Candidate> {
        let (snapshot, source, config) = (self.snapshot, self.source, self.config);
        let lines = self.texts.entry(hit.path.clone()).or_insert_with(|| {
            let text = source_text::current_text(snapshot, source, config, &hit.path).ok()?;
            Some(Rc::new(text.lines().map(str::to_string).collect()))
        });
        let Some(lines) = lines.clone() else { return Ok(Candidate::new(hit, None, None)) };
        let Some(version) = snapshot.version_at(&hit.path) else { return Ok(Candidate::new(hit, None, None)) };
        let outline = snapshot.outline(version)?;
        let ordinal = ordinal(&hit);
        let definition = ordinal.and_then(|ordinal| outline.definitions.get(ordinal as usize));
        let is_member =
            |parent: Option<u32>| if hit.kind == HitKind::File { parent.is_none() } else { parent == ordinal };
        let has_members = hit.kind == HitKind::File || ordinal.is_some();
        let members = outline.definitions.iter().filter(|member| has_members && is_member(member.parent));
        let members: Vec<u32> = members.map(|member| member.name_line).collect();
        let outer_start = definition.map_or(hit.line_start, |definition| definition.outer_start_line);
        let container = definition.and_then(|definition| outline.definitions.get(definition.parent? as usize));
        let container = container.map(|container| container.signature.clone()).filter(|text| !text.is_empty());
        let body = Body::new(lines, &hit, outer_start, &members, &self.question);
        Ok(Candidate::new(hit, Some(body), container))
    }

    /// What a hit calls for sure, in the order of its calls; not what tests provide.
    fn callees(&mut self, hit: &Hit) -> Result<Vec<Candidate>> {
        let (Some(version), Some(ordinal)) = (self.snapshot.version_at(&hit.path), ordinal(hit)) else {
            return Ok(Vec::new());
        };
        let navigator = Navigator::new(self.snapshot);
        let mut seen = FxHashSet::default();
        let mut callees = Vec::new();
        for link in navigator.links_from(Symbol { version, ordinal }, false)? {
            let is_new = link.confidence == Confidence::Static && seen.insert(link.to);
            let Some(file) = OpenFile::open(self.snapshot, link.to.version)?.filter(|_| is_new) else { continue };
            if let Some(hit) = file.symbol_hit(link.to.ordinal) {
                callees.push(self.candidate(hit)?);
            }
            if callees.len() == CALLEES {
                break;
            }
        }
        Ok(callees)
    }
}

/// The number of a hit's definition in its file.
fn ordinal(hit: &Hit) -> Option<u32> {
    hit.symbol_id.rsplit('.').next()?.parse().ok()
}
