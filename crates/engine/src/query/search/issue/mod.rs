//! Answers to long questions: the text of an issue, a failing test, a stack trace with words around
//! it.
//!
//! Such a text is a document with parts (see `reading`). Its words are weighed by the part that
//! they stand in and by their rarity in the view; names of code, frames and paths are looked up
//! (see `named`); and what a file has in common with the whole text counts beside what one
//! definition has.

pub(crate) mod evidence;
pub(crate) mod named;
pub(crate) mod places;
pub(crate) mod reading;
#[cfg(test)]
mod tests;

use self::evidence::{FileText, IssueEvidence};
use self::named::{IssueCounts, NamedCodePoints};
use self::places::NamedPlace;
use self::reading::IssueText;
use crate::config::{SearchConfig, SemanticConfig};
use crate::error::Result;
use crate::model::Role;
use crate::query::hit::{Hit, HitKind};
use crate::query::rank::features::Question;
use crate::query::rank::score::{Explanation, Feature};
use crate::query::search::answer::QueryParts;
use crate::query::search::parts::Candidate;
use crate::query::search::path_rules;
use crate::query::search::rounds::Asked;
use crate::query::search::semantic::{self, Nearness, SemanticReport, Skipped};
use crate::query::search::text_candidates::{ByText, Features, FoundChunk, FoundChunks, TermCounts, Terms};
use crate::store::text::index::inverse_frequency;
use crate::weights::{self, issue as points, meaning};
use codecompass_syntax::facts::SymbolRole;

/// Terms that are searched for; documents note which of them they hold in one word.
const MAX_TERMS: usize = 63;

/// Terms that are named among the parts of a text.
const SHOWN_TERMS: usize = 20;

/// Finds and scores the code that a long text is about. `counts` are those of its heaviest terms.
pub(crate) fn by_issue(
    asked: &Asked<'_>,
    text: &IssueText,
    counts: TermCounts,
    named: Vec<IssueCounts>,
    tuning: &SearchConfig,
    semantic: std::result::Result<(&SemanticConfig, f64), Skipped>,
) -> Result<(ByText, QueryParts)> {
    let named = NamedCodePoints::of(text, named);
    let terms = best_terms(&heaviest(text), counts);
    let mut found = FoundChunks::by_words(asked, &terms, tuning)?;
    let (nearness, report) = match semantic {
        Ok((config, cap)) => semantic::nearness(asked, config, &text.summary, &found, (0.0, cap), tuning)?,
        Err(reason) => (Nearness::default(), SemanticReport::skipped(reason)),
    };
    let of = |number: usize| move |(repository, _): &(usize, _)| *repository == number;
    let features = asked.ask_all(|number| Features {
        terms: terms.clone(),
        chunks: found.texts().filter(|(repository, _)| *repository == number).map(|(_, text)| text).collect(),
        others: nearness.chunks().filter(of(number)).map(|(_, place)| place).collect(),
        issue: named.points.get(number).cloned(),
    })?;
    found.take_features(asked, features.into_iter().enumerate().collect());
    let weigher = IssueWeigher { tuning, title: Question::new(&text.title), nearness: &nearness };
    weigher.weigh(&mut found);
    let candidates = found.chunks.into_iter().filter_map(|found| found.candidate).collect();
    let shown = |place: &NamedPlace| match place.line {
        Some(line) => format!("{}:{line}", place.path),
        None => place.path.clone(),
    };
    let parts = QueryParts {
        title: text.title.clone(),
        names: named.known_names,
        places: named.places.iter().map(shown).collect(),
        messages: text.messages.clone(),
        terms: terms.terms.into_iter().take(SHOWN_TERMS).map(|(term, _)| term).collect(),
    };
    // A long text has words that no code has, whatever it is about.
    Ok((ByText { candidates, report, known: None }, parts))
}

/// The terms of a text that weigh most, of which it is counted how common they are.
pub(super) fn heaviest(text: &IssueText) -> Vec<(String, f32)> {
    let mut heaviest = text.terms.clone();
    heaviest.sort_by(|a, b| b.1.total_cmp(&a.1));
    heaviest.truncate(points::COUNTED_TERMS);
    heaviest
}

/// The terms that tell most: by weight, and by rarity.
fn best_terms(terms: &[(String, f32)], TermCounts { chunks, frequencies }: TermCounts) -> Terms {
    let telling = |at: usize| terms[at].1 * inverse_frequency(chunks, frequencies[at]);
    let mut order: Vec<usize> = (0..terms.len().min(frequencies.len())).filter(|at| frequencies[*at] > 0).collect();
    order.sort_by(|a, b| telling(*b).total_cmp(&telling(*a)).then_with(|| a.cmp(b)));
    order.truncate(MAX_TERMS);
    let counts = TermCounts { chunks, frequencies: order.iter().map(|at| frequencies[*at]).collect() };
    Terms { terms: order.into_iter().map(|at| terms[at].clone()).collect(), counts: Some(counts) }
}

struct IssueWeigher<'a> {
    tuning: &'a SearchConfig,
    title: Question,
    nearness: &'a Nearness,
}

impl IssueWeigher<'_> {
    fn weigh(&self, found: &mut FoundChunks) {
        let greatest = |scores: &mut dyn Iterator<Item = f64>| scores.fold(0.0, f64::max);
        let top = greatest(&mut found.texts().map(|(_, text)| f64::from(text.score))).max(f64::MIN_POSITIVE);
        let best_chunks = greatest(&mut found.files.values().map(|file| file.best_chunks));
        let whole = greatest(&mut found.files.values().map(|file| file.whole));
        let share = |score: f64, top: f64| if top > 0.0 { score / top } else { score };
        let FoundChunks { chunks, files, .. } = found;
        for FoundChunk { repository, text, candidate, evidence } in chunks {
            let (Some(Candidate { hit, .. }), Some(evidence)) = (candidate, evidence) else { continue };
            let file = (*repository, text.version);
            let file_text = files.get(&file).map_or(FileText { best_chunks: 0.0, whole: 0.0 }, |text| FileText {
                best_chunks: share(text.best_chunks, best_chunks),
                whole: share(text.whole, whole),
            });
            let weight = points::MEANING * self.nearness.weight.min(1.0);
            let mut explanation = Explanation::default();
            explanation.add(Feature::Text, points::TEXT * (f64::from(text.score) / top));
            explanation.add(Feature::File, points::FILE * file_text.best_chunks);
            explanation.add(Feature::FileTerms, points::WHOLE_FILE * file_text.whole);
            explanation.add(Feature::Meaning, meaning::OWN * weight * self.nearness.chunk(file, text.chunk));
            explanation.add(Feature::FileMeaning, meaning::FILE * weight * self.nearness.file(file));
            self.add_names(&mut explanation, hit, evidence);
            hit.explanation = explanation;
            path_rules::apply(hit, &self.title, self.tuning);
        }
    }

    /// Adds what names and places say of a candidate.
    fn add_names(&self, explanation: &mut Explanation, hit: &Hit, evidence: &IssueEvidence) {
        let place = self.title.place(&hit.path, false, self.tuning);
        explanation.add(Feature::FileName, points::FILE_NAME * place.file_name());
        explanation.add(Feature::Folder, points::FOLDER * place.folder());
        explanation.add(Feature::FileNames, points::FILE_NAMES * saturated(evidence.file_names));
        explanation.add(Feature::PathMatch, points::PATHS * evidence.path.min(1.0));
        explanation.add(Feature::FileFrame, points::FILE_FRAMES * evidence.file_frame);
        if let HitKind::Symbol(kind) = hit.kind {
            explanation.add(Feature::Identifier, points::NAMES * saturated(evidence.name));
            explanation.add(Feature::Container, points::CONTAINER * saturated(evidence.container));
            explanation.add(Feature::StackFrame, points::FRAMES * evidence.frame);
            explanation.add(Feature::ExactText, points::MESSAGES * evidence.message);
            let overlap = self.title.overlap(&hit.name, self.tuning.local_rerank_phrase_boost);
            explanation.add(Feature::Name, points::TITLE_NAME * overlap);
            explanation.add(Feature::Kind, points::KIND * weights::kind(kind));
            if hit.symbol_role == SymbolRole::Test {
                explanation.discount(Feature::Test, weights::evidence::TEST_DISCOUNT);
            }
        }
        let share = match hit.file_role {
            Role::Source => 0.0,
            Role::Test => points::TEST_FILE_DISCOUNT,
            role => weights::role(role).search_discount.max(points::OTHER_FILE_DISCOUNT),
        };
        explanation.discount(Feature::Role(hit.file_role), share);
    }
}

/// Points of names, which add up ever more slowly, from 0 to 1.
fn saturated(points: f64) -> f64 {
    points / (points + 1.0)
}
