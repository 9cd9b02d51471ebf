//! Spends a budget on results: places first, then code.
//!
//! No line is shown twice. What lies within code that is shown is not listed by itself.

use std::collections::HashMap;

use codecompass_syntax::facts::Kind;
use rustc_hash::FxHashSet;

use crate::query::context::answer::{Code, Excerpt, Shown};
use crate::query::context::excerpt::Body;
use crate::query::hit::{Hit, HitKind};

/// A hit that may be shown.
pub(crate) struct Candidate {
    pub hit: Hit,
    body: Option<Body>,
    container: Option<String>,
    called_by: Option<String>,
    /// As it is put out; `None` when it is not.
    excerpt: Option<Excerpt>,
    /// Lies within code that another shows.
    is_covered: bool,
}

impl Candidate {
    pub(crate) fn new(hit: Hit, body: Option<Body>, container: Option<String>) -> Candidate {
        Candidate { hit, body, container, called_by: None, excerpt: None, is_covered: false }
    }

    fn shown(&self, shown: Shown, with_container: bool) -> Excerpt {
        let container = self.container.clone().filter(|_| with_container);
        Excerpt { hit: self.hit.clone(), container, called_by: self.called_by.clone(), shown }
    }

    fn is_long_container(&self) -> bool {
        let is_container = match self.hit.kind {
            HitKind::Symbol(kind) => kind.is_type() || kind == Kind::Module,
            kind => kind == HitKind::File,
        };
        is_container && self.hit.line_end - self.hit.line_start >= LONG_LINES
    }

    fn is_place(&self) -> bool {
        self.excerpt.as_ref().is_some_and(|excerpt| excerpt.shown == Shown::Location)
    }

    fn is_cut(&self) -> bool {
        matches!(&self.excerpt, Some(Excerpt { shown: Shown::Code(code), .. }) if code.left_out > 0)
    }
}

/// Code that is cut to fewer tokens than this says little: what is left goes to better results
/// then.
const LEAST_CUT: usize = 120;

/// Hardly any code costs less than this.
const LEAST_CODE: usize = 40;

/// The share of the remaining budget that one result may take, in percent.
#[derive(Clone, Copy)]
pub(crate) struct Share {
    /// For a result whose code is shown in full.
    pub whole: usize,
    /// For a result whose code has to be cut.
    pub cut: usize,
}

/// The share for a definition that a result calls.
const CALLEE: Share = Share { whole: 25, cut: 10 };

/// The share for a long type or file that has to be cut: the heads of its members say little.
const LONG_CONTAINER: usize = 12;

/// Lines from which on a type or file is long.
const LONG_LINES: u32 = 80;

/// Results that are listed by their place alone.
const MAX_PLACES: usize = 8;

/// Everything.
const REST: Share = Share { whole: 100, cut: 100 };

/// The budget and what it went to.
pub(crate) struct Pack<'a> {
    /// The hits of the search in their order, then what they call.
    pub candidates: Vec<Candidate>,
    budget: usize,
    used: usize,
    cost: &'a dyn Fn(&Excerpt) -> usize,
    /// The number of candidates that are hits of the search.
    found: usize,
}

impl<'a> Pack<'a> {
    pub(crate) fn new(candidates: Vec<Candidate>, budget: usize, cost: &'a dyn Fn(&Excerpt) -> usize) -> Pack<'a> {
        Pack { found: candidates.len(), candidates, budget, used: 0, cost }
    }

    /// Lists the best hit of each file while they cost no more than `share` together.
    pub(crate) fn list(&mut self, share: usize) {
        let mut files: FxHashSet<String> = FxHashSet::default();
        for rank in 0..self.found {
            if files.insert(self.candidates[rank].hit.path.clone()) {
                // The best place is worth the whole budget when it is all that fits.
                let share = if rank == 0 { self.budget } else { share };
                let place = self.candidates[rank].shown(Shown::Location, false);
                if files.len() <= MAX_PLACES && self.used + (self.cost)(&place) <= share {
                    self.put(rank, place);
                }
            }
        }
    }

    /// Shows the same part of the hits in their order, as many as fit.
    pub(crate) fn list_all(&mut self, shown: &Shown) {
        for rank in 0..self.found {
            let excerpt = self.candidates[rank].shown(shown.clone(), false);
            if (self.cost)(&excerpt) > self.left() {
                break;
            }
            self.put(rank, excerpt);
        }
    }

    /// Shows code of the hits in their order, each for at most a share of what is left.
    pub(crate) fn code(&mut self, share: Share) {
        for rank in 0..self.found {
            if self.left() < LEAST_CODE {
                break;
            }
            let cut = if self.candidates[rank].is_long_container() { LONG_CONTAINER } else { share.cut };
            self.code_of(rank, Share { cut, ..share }, false);
        }
    }

    /// Shows code of one candidate for at most a share of what is left; less of it when all is too
    /// much.
    pub(crate) fn code_of(&mut self, rank: usize, share: Share, with_container: bool) {
        let candidate = &self.candidates[rank];
        let before = candidate.excerpt.as_ref().map_or(0, self.cost);
        let room = |percent: usize| before + (self.left() * percent / 100).max(LEAST_CUT).min(self.left());
        let Some(body) = candidate.body.as_ref().filter(|_| !candidate.is_covered) else { return };
        if matches!(&candidate.excerpt, Some(Excerpt { shown: Shown::Code(code), .. }) if code.left_out == 0) {
            return;
        }
        let as_code = |code: &Code| candidate.shown(Shown::Code(code.clone()), with_container);
        let fits = |code: &Code, percent: usize| (self.cost)(&as_code(code)) <= room(percent);
        let taken = self.lines_of_others(rank);
        let is_free = |code: &Code| {
            let mut lines = code.pieces.iter().flat_map(|piece| (piece.first_line..).take(piece.lines.len()));
            lines.all(|line| !taken.shown.contains(&line))
        };
        let mut whole = [true, false].into_iter().map(|with_doc| body.whole(with_doc));
        let whole = whole.find(|code| is_free(code) && fits(code, share.whole));
        let covered = whole.as_ref().map(|_| body.span());
        let code = whole.or_else(|| {
            let is_enough = room(share.cut) >= LEAST_CUT;
            let cut = || body.best(&taken.shown, &taken.nested, &|code| fits(code, share.cut));
            is_enough.then(cut).flatten()
        });
        let Some(excerpt) = code.as_ref().map(as_code) else { return };
        self.put(rank, excerpt);
        if let Some(span) = covered {
            self.cover(rank, span);
        }
    }

    /// Adds what a hit calls: the code of what is short, the declaration of the rest.
    pub(crate) fn follow(&mut self, rank: usize, callees: Vec<Candidate>) {
        if !matches!(&self.candidates[rank].excerpt, Some(Excerpt { shown: Shown::Code(_), .. })) {
            return;
        }
        let caller = self.candidates[rank].hit.qualified_name.clone();
        for mut callee in callees {
            let is_same = |known: &Candidate| known.hit.symbol_id == callee.hit.symbol_id;
            if let Some(known) = self.candidates.iter().position(is_same) {
                self.code_of(known, CALLEE, false);
                continue;
            }
            let inside = self.lines_at(&callee.hit.path);
            if inside.contains(&callee.hit.line_start) {
                continue;
            }
            callee.called_by = Some(caller.clone());
            let excerpt = callee.shown(Shown::Signature, false);
            self.candidates.push(callee);
            if (self.cost)(&excerpt) <= self.left() / 4 {
                let at = self.candidates.len() - 1;
                self.put(at, excerpt);
                self.code_of(at, CALLEE, false);
            }
        }
    }

    /// Completes code that was cut, says more of what is only listed, and lists more.
    pub(crate) fn spend_the_rest(&mut self) {
        for rank in 0..self.candidates.len() {
            if self.candidates[rank].is_cut() {
                let has_container = self.candidates[rank].excerpt.as_ref().is_some_and(|e| e.container.is_some());
                self.code_of(rank, REST, has_container);
            }
        }
        self.drop_what_others_show();
        for shown in [Shown::Location, Shown::Signature] {
            for rank in 0..self.found {
                let candidate = &self.candidates[rank];
                let says_more = match &candidate.excerpt {
                    None => !candidate.is_covered,
                    Some(excerpt) => {
                        let has_signature = !candidate.hit.signature.is_empty();
                        excerpt.shown == Shown::Location && shown == Shown::Signature && has_signature
                    }
                };
                let is_room = shown != Shown::Location
                    || self.candidates.iter().filter(|candidate| candidate.is_place()).count() < MAX_PLACES;
                let next = candidate.shown(shown.clone(), false);
                let before = candidate.excerpt.as_ref().map_or(0, self.cost);
                if says_more && is_room && (self.cost)(&next) <= before + self.left() {
                    self.put(rank, next);
                }
            }
        }
    }

    /// Returns the excerpts in order, and the number of hits of the search that they cover.
    pub(crate) fn finish(self) -> (Vec<Excerpt>, usize) {
        let found = self.candidates.iter().take(self.found);
        let covered = found.filter(|candidate| candidate.excerpt.is_some() || candidate.is_covered).count();
        let mut files: HashMap<String, usize> = HashMap::new();
        for candidate in self.candidates.iter().filter(|candidate| candidate.excerpt.is_some()) {
            let next = files.len();
            files.entry(candidate.hit.path.clone()).or_insert(next);
        }
        let mut excerpts: Vec<Excerpt> =
            self.candidates.into_iter().filter_map(|candidate| candidate.excerpt).collect();
        excerpts.sort_by_key(|excerpt| {
            let hit = &excerpt.hit;
            (files.get(&hit.path).copied(), hit.line_start, hit.line_end)
        });
        (excerpts, covered)
    }

    fn left(&self) -> usize {
        self.budget.saturating_sub(self.used)
    }

    fn put(&mut self, rank: usize, excerpt: Excerpt) {
        self.take_back(rank);
        self.used += (self.cost)(&excerpt);
        self.candidates[rank].excerpt = Some(excerpt);
    }

    fn take_back(&mut self, rank: usize) {
        if let Some(earlier) = self.candidates[rank].excerpt.take() {
            self.used = self.used.saturating_sub((self.cost)(&earlier));
        }
    }

    /// Lines of the same file that others show, and lines of hits within this one, which are left
    /// to them.
    fn lines_of_others(&self, rank: usize) -> Taken {
        let mut taken = Taken::default();
        let this = &self.candidates[rank].hit;
        for (other, candidate) in self.candidates.iter().enumerate() {
            if other == rank || candidate.hit.path != this.path || candidate.is_covered {
                continue;
            }
            taken.shown.extend(lines_in(candidate));
            let hit = &candidate.hit;
            let is_within = hit.line_start > this.line_start && hit.line_end <= this.line_end;
            if is_within && candidate.excerpt.is_some() {
                taken.nested.extend(hit.line_start..=hit.line_end);
            }
        }
        taken
    }

    fn lines_at(&self, path: &str) -> FxHashSet<u32> {
        self.candidates.iter().filter(|candidate| candidate.hit.path == path).flat_map(lines_in).collect()
    }

    /// Takes back what is only listed although all of its lines are shown.
    fn drop_what_others_show(&mut self) {
        for rank in 0..self.candidates.len() {
            let candidate = &self.candidates[rank];
            let has_code = candidate.excerpt.as_ref().is_some_and(Excerpt::has_code);
            let Some(body) = candidate.body.as_ref().filter(|_| !has_code && !candidate.is_covered) else { continue };
            let shown = self.lines_at(&candidate.hit.path);
            if body.telling().next().is_some() && body.telling().all(|line| shown.contains(&line)) {
                self.take_back(rank);
                self.candidates[rank].is_covered = true;
            }
        }
    }

    /// Takes back what lies within the lines that `rank` shows in full.
    fn cover(&mut self, rank: usize, span: std::ops::RangeInclusive<u32>) {
        let path = self.candidates[rank].hit.path.clone();
        for other in 0..self.candidates.len() {
            let hit = &self.candidates[other].hit;
            let is_within = span.contains(&hit.line_start) && span.contains(&hit.line_end);
            if other != rank && hit.path == path && is_within {
                self.take_back(other);
                self.candidates[other].is_covered = true;
            }
        }
    }
}

#[derive(Default)]
struct Taken {
    shown: FxHashSet<u32>,
    nested: FxHashSet<u32>,
}

fn lines_in(candidate: &Candidate) -> Vec<u32> {
    match &candidate.excerpt {
        Some(Excerpt { shown: Shown::Code(code), .. }) => {
            code.pieces.iter().flat_map(|piece| (piece.first_line..).take(piece.lines.len())).collect()
        }
        _ => Vec::new(),
    }
}
