//! The best code for a question inside a budget.
//!
//! Takes what `search` ranks and shows as much of it as the budget allows: symbols, not windows.
//! The caller gives the cost of a result, because only the caller knows how it is put out; `pack`
//! spends the budget, `excerpt` chooses the lines of what does not fit.

pub(super) mod answer;
pub(super) mod excerpt;
pub(super) mod pack;
pub(super) mod tokens;

use std::collections::HashMap;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::config::IndexConfig;
use crate::error::Result;
use crate::query::arguments::searched_part;
use crate::query::context::answer::{ContextAnswer, ContextDetail, ContextOptions, Excerpt, Shown, Strategy};
use crate::query::context::excerpt::Body;
use crate::query::context::pack::{Candidate, Pack, Share};
use crate::query::files::current_text::current_text;
use crate::query::hit::{Hit, HitKind};
use crate::query::navigate::Navigator;
use crate::query::navigate::use_sites::UseClass;
use crate::query::open_file::OpenFile;
use crate::query::rank::features::Question;
use crate::query::search::answer::SearchOptions;
use crate::query::search::{question, search};
use crate::resolve::Symbol;
use crate::scan::Source;
use crate::store::Snapshot;

/// The callees of so many of the best hits are shown in depth, and so many of each.
const FOLLOWED: usize = 3;
const CALLEES: usize = 8;

/// Answers `query` with code. `cost` says what putting out a result costs; the sum over all results
/// stays within the budget.
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
            source: Some(source.clone()),
            ..SearchOptions::default()
        },
    )?;
    let reader = HitReader { snapshot, source, config, question: question::of(query), texts: HashMap::new() };
    let (candidates, reader) = reader.candidates(found.hits)?;
    let mut pack = Pack::new(candidates, options.budget, cost);
    match (options.detail, options.strategy) {
        (ContextDetail::Location, _) => pack.list_all(&Shown::Location),
        (ContextDetail::Signature, _) => pack.list_all(&Shown::Signature),
        (ContextDetail::Code, Strategy::Breadth) => {
            pack.list(options.budget / 5);
            pack.code(Share { whole: 40, cut: 33 });
            pack.spend_the_rest();
        }
        (ContextDetail::Code, Strategy::Depth) => {
            pack.list(options.budget / 8);
            let mut reader = reader;
            for rank in 0..pack.candidates.len().min(FOLLOWED) {
                pack.code_of(rank, Share { whole: 90, cut: 60 }, true);
                pack.follow(rank, reader.callees(&pack.candidates[rank].hit)?);
            }
            pack.code(Share { whole: 60, cut: 50 });
            pack.spend_the_rest();
        }
    }
    let (excerpts, covered) = pack.finish();
    Ok(ContextAnswer {
        routed: found.routed,
        excerpts,
        total: found.total,
        remaining: found.total.saturating_sub(covered),
        detail: options.detail,
    })
}

/// Reads what is needed of the files of hits, once each.
struct HitReader<'a> {
    snapshot: &'a Snapshot,
    source: &'a Source,
    config: &'a IndexConfig,
    question: Question,
    texts: HashMap<String, Option<Rc<Vec<String>>>>,
}

impl HitReader<'_> {
    fn candidates(mut self, hits: Vec<Hit>) -> Result<(Vec<Candidate>, Self)> {
        let candidates = hits.into_iter().map(|hit| self.candidate(hit)).collect::<Result<_>>()?;
        Ok((candidates, self))
    }

    /// A hit with its lines. A file that changed meanwhile has none; its hits are still listed.
    fn candidate(&mut self, hit: Hit) -> Result<Candidate> {
        let (snapshot, source, config) = (self.snapshot, self.source, self.config);
        let lines = self.texts.entry(hit.path.clone()).or_insert_with(|| {
            let text = current_text(snapshot, source, config, &hit.path).ok()?;
            Some(Rc::new(text.lines().map(str::to_string).collect()))
        });
        let Some(lines) = lines.clone() else { return Ok(Candidate::new(hit, None, None)) };
        let Some(version) = snapshot.version_at(&hit.path) else { return Ok(Candidate::new(hit, None, None)) };
        let outline = snapshot.outline(version)?;
        let ordinal = hit.symbol_id.map(|id| id.ordinal);
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

    /// Returns the definitions that a hit calls, in the order of its calls. Heuristic links are
    /// left out.
    fn callees(&mut self, hit: &Hit) -> Result<Vec<Candidate>> {
        let (Some(version), Some(ordinal)) = (self.snapshot.version_at(&hit.path), hit.symbol_id.map(|id| id.ordinal))
        else {
            return Ok(Vec::new());
        };
        let navigator = Navigator::new(self.snapshot);
        let mut seen = FxHashSet::default();
        let mut callees = Vec::new();
        for link in navigator.links_from(Symbol { version, ordinal }, false)? {
            let is_new = link.confidence == UseClass::Static && seen.insert(link.to);
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
