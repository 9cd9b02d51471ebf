//! The features of a piece of code that decide its score as an answer to a question in words.
//!
//! There are three kinds: the text of the piece, the text of its whole file, and the names of the
//! definition, the file and the folder. Names are few and chosen with care, so one that the
//! question spells out in full (`cookies.py`, "how are cookies stored") counts more than any number
//! of words in a body. The weights are in `weights`.

use codecompass_syntax::facts::SymbolRole;

use crate::config::SearchConfig;
use crate::model::Role;
use crate::query::hit::{Hit, HitKind};
use crate::query::rank::score::{Explanation, Feature};
use crate::tokenize;
use crate::weights::{self, evidence as points, meaning, similarity, text};

/// A question, taken apart.
pub(crate) struct Question {
    /// Search terms with their weights.
    pub terms: Vec<(String, f32)>,
    /// Words that look like identifiers, in lower case.
    pub identifiers: Vec<String>,
    wants_tests: bool,
    wants_docs: bool,
    wants_old: bool,
}

/// The evidence for one candidate.
pub(crate) struct CandidateFeatures<'a> {
    /// Its text score as a share of the best one's.
    pub lexical: f64,
    /// Its file's text score as a share of the best one's.
    pub file: f64,
    /// The similarity of its vector to the query's, as a share of the best one's.
    pub meaning: f64,
    /// The same for the most similar chunk of its file.
    pub file_meaning: f64,
    /// The weight of semantic evidence relative to text; 0 when semantic search was not used.
    pub meaning_weight: f64,
    /// The terms that it holds, one bit each.
    pub matched: u64,
    pub place: &'a PlaceEvidence,
    /// The candidate without its score.
    pub hit: &'a Hit,
}

/// The evidence that a file's path gives for a question; the same for all candidates of the file.
pub(crate) struct PlaceEvidence {
    file_name: f64,
    folder: f64,
    is_old: bool,
}

impl PlaceEvidence {
    /// The similarity of the file's name to the question.
    pub(crate) fn file_name(&self) -> f64 {
        self.file_name
    }

    /// The similarity of the folder's name to the question.
    pub(crate) fn folder(&self) -> f64 {
        self.folder
    }
}

/// Words of questions that say nothing about code.
#[rustfmt::skip]
const STOP_WORDS: &[&str] = &[
    "a", "about", "across", "all", "an", "and", "any", "are", "as", "at", "be", "between", "by", "can", "code", "could", "did",
    "do", "does", "each", "every", "everywhere", "find", "for", "from", "get", "happen", "happens", "has", "have", "how", "i", "if", "in",
    "into", "is", "it", "its", "logic", "me", "my", "of", "on", "or", "our", "place", "places", "should", "show", "so",
    "some", "that", "the", "their", "them", "there", "these", "they", "this", "those", "throughout", "to", "used", "uses", "using",
    "via", "was", "we", "what", "when", "where", "which", "while", "who", "why", "will", "with", "work", "works",
    "would", "you",
];

/// Words in the path of code that is kept for those who have not moved on.
const OLD: &[&str] = &["legacy", "deprecated", "obsolete"];

impl Question {
    pub(crate) fn new(query: &str) -> Question {
        let mut terms: Vec<(String, f32)> = Vec::new();
        let mut identifiers = Vec::new();
        let words: Vec<&str> = tokenize::words(query).collect();
        let tells = |word: &&&str| !is_stop_word(word);
        let has_content = words.iter().any(|word| tells(&word));
        for word in words.iter().filter(|word| !has_content || tells(word)) {
            let is_identifier = looks_like_identifier(word);
            if is_identifier {
                identifiers.push(word.to_lowercase());
            }
            for term in tokenize::terms(word) {
                if terms.len() < text::MAX_TERMS && !terms.iter().any(|(known, _)| *known == term) {
                    terms.push((term, if is_identifier { text::IDENTIFIER_TERM } else { 1.0 }));
                }
            }
        }
        let mentions = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.to_lowercase().as_str()));
        Question {
            terms,
            identifiers,
            wants_tests: mentions(&["test", "tests", "testing", "fixture", "fixtures", "spec"]),
            wants_docs: mentions(&["docs", "documentation", "readme", "changelog", "guide", "tutorial"]),
            wants_old: mentions(OLD) || mentions(&["old", "backward", "backwards", "compatibility", "migration"]),
        }
    }

    /// Returns the evidence of a file's path; `is_old` is what the path says of it.
    pub(crate) fn place(&self, path: &str, is_old: bool, tuning: &SearchConfig) -> PlaceEvidence {
        let overlap = |name: &str| self.overlap(name, tuning.local_rerank_phrase_boost);
        let mut names = path.rsplit('/');
        let stem = names.next().and_then(|name| name.split('.').find(|part| !part.is_empty())).unwrap_or("");
        PlaceEvidence { file_name: overlap(stem), folder: names.next().map_or(0.0, overlap), is_old }
    }

    /// Returns whether the path says that what stands there is old, and the question does not ask
    /// for that. `has_folder` tells whether the view has a folder.
    pub(crate) fn is_old(&self, path: &str, has_folder: &dyn Fn(&str) -> bool) -> bool {
        let says_so = || tokenize::words(path).flat_map(tokenize::parts).any(|part| OLD.contains(&part.as_str()));
        (!self.wants_old && says_so()) || self.is_outdone(path, has_folder)
    }

    /// Returns whether the path leads through the folder of a version, `v1`, that has a newer one
    /// beside it, and the question does not ask for that version.
    fn is_outdone(&self, path: &str, has_folder: &dyn Fn(&str) -> bool) -> bool {
        let mut start = 0;
        for (end, _) in path.match_indices('/') {
            let (before, name) = (&path[..start], &path[start..end]);
            start = end + 1;
            let Some(version) = name.strip_prefix('v').and_then(|number| number.parse::<u32>().ok()) else { continue };
            let newer = version.saturating_add(1)..=version.saturating_add(3);
            if !self.terms.iter().any(|(term, _)| term == name) {
                return newer.into_iter().any(|newer| has_folder(&format!("{before}v{newer}")));
            }
        }
        false
    }

    /// Weighs the evidence; the parts add up to the score.
    pub(crate) fn explain(&self, evidence: &CandidateFeatures<'_>, tuning: &SearchConfig) -> Explanation {
        let mut explanation = Explanation::default();
        explanation.add(Feature::Text, points::TEXT * evidence.lexical);
        explanation.add(Feature::File, points::FILE * evidence.file);
        let meaning_weight = (points::TEXT + points::FILE) * evidence.meaning_weight;
        explanation.add(Feature::Meaning, meaning::OWN * meaning_weight * evidence.meaning);
        explanation.add(Feature::FileMeaning, meaning::FILE * meaning_weight * evidence.file_meaning);
        let coverage = self.coverage(evidence.matched);
        explanation.add(Feature::Coverage, tuning.local_rerank_token_overlap_weight * coverage);
        explanation.add(Feature::FileName, points::FILE_NAME * evidence.place.file_name);
        explanation.add(Feature::Folder, points::FOLDER * evidence.place.folder);
        let Hit { name, kind, symbol_role, file_role, .. } = evidence.hit;
        if let HitKind::Symbol(kind) = *kind {
            let overlap = self.overlap(name, tuning.local_rerank_phrase_boost);
            explanation.add(Feature::Name, points::NAME * overlap);
            if self.identifiers.iter().any(|identifier| *identifier == name.to_lowercase()) {
                explanation.add(Feature::Identifier, points::IDENTIFIER);
            }
            explanation.add(Feature::Kind, points::KIND * weights::kind(kind));
            if *symbol_role == SymbolRole::Test && !self.wants_tests {
                explanation.discount(Feature::Test, points::TEST_DISCOUNT);
            }
        }
        if evidence.place.is_old {
            explanation.discount(Feature::Old, points::OLD_DISCOUNT);
        }
        if !self.asks_for(*file_role) {
            let share = weights::role(*file_role).search_discount;
            explanation.discount(Feature::Role(*file_role), share);
        }
        explanation
    }

    /// Returns whether the question asks for files of this role, so that they lose nothing by it.
    pub(crate) fn asks_for(&self, role: Role) -> bool {
        match role {
            Role::Test => self.wants_tests,
            Role::Docs => self.wants_docs,
            _ => false,
        }
    }

    /// The share of the question's terms that a candidate holds.
    fn coverage(&self, matched: u64) -> f64 {
        let total: f32 = self.terms.iter().map(|(_, weight)| weight).sum();
        let held: f32 = self
            .terms
            .iter()
            .enumerate()
            .filter(|(n, _)| matched & (1 << n.min(&63)) != 0)
            .map(|(_, (_, weight))| weight)
            .sum();
        if total > 0.0 { f64::from(held / total) } else { 0.0 }
    }

    /// Returns the similarity of a name and the question, from 0 to 1: `phrase_boost`, usually half
    /// of it, for a name that the question spells out in full, the rest for the share of the name
    /// that the question has, and a little for the share of the question.
    pub(crate) fn overlap(&self, name: &str, phrase_boost: f64) -> f64 {
        let (mut parts, mut sum, mut least) = (0, 0.0, 1.0_f64);
        for part in tokenize::parts(name).iter().flat_map(|part| tokenize::terms(part)) {
            let best = self.terms.iter().map(|(term, _)| likeness(&part, term)).fold(0.0, f64::max);
            parts += 1;
            sum += best;
            least = least.min(best);
        }
        if parts == 0 || self.terms.is_empty() {
            return 0.0;
        }
        let of_name = sum / f64::from(parts);
        let of_question = (sum / self.terms.len().min(similarity::QUESTION_TERMS) as f64).min(1.0);
        // A single word stands in a question by chance more often than two.
        let spelt_out = if parts == 1 { similarity::SINGLE_WORD * least } else { least };
        phrase_boost * spelt_out + similarity::OF_NAME * of_name + similarity::OF_QUESTION * of_question
    }
}

/// Returns whether a part of a name and a term are the same word. People shorten words in names and
/// lengthen them in questions: `auth` is authentication, `cert` certificates, `parser` what parses.
fn likeness(part: &str, term: &str) -> f64 {
    let (short, long) = if part.len() < term.len() { (part, term) } else { (term, part) };
    match long.strip_prefix(short) {
        Some("") => 1.0,
        Some(_) if short.len() >= similarity::PREFIX_LETTERS => similarity::PREFIX,
        _ => 0.0,
    }
}

/// Returns whether a word says nothing about code.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(&word.to_lowercase().as_str())
}

/// `snake_case`, `camelCase` or `UPPER`: not a word of prose.
pub(crate) fn looks_like_identifier(word: &str) -> bool {
    let inner_upper = word.chars().skip(1).any(char::is_uppercase);
    let lower = word.chars().any(char::is_lowercase);
    (word.contains('_') && word.len() > 2) || (inner_upper && lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_lose_their_filler() {
        let question = Question::new("how does the parser handle errors in parse_header?");
        let terms: Vec<_> = question.terms.iter().map(|(term, _)| term.as_str()).collect();
        assert_eq!(terms, ["parser", "handl", "error", "pars", "header", "parseheader"]);
        assert_eq!(question.identifiers, ["parse_header"]);
        assert!(!Question::new("how does it work").terms.is_empty());
    }

    #[test]
    fn names_that_are_spelt_out_come_first() {
        let question = Question::new("how does authentication middleware retry a request");
        let overlaps = ["retry_middleware", "auth", "auth_cache", "cache"].map(|name| question.overlap(name, 0.5));
        assert!(overlaps.is_sorted_by(|a, b| a > b), "{overlaps:?}");
        assert!(question.overlap("authentication", 0.5) > question.overlap("auth", 0.5));
        assert_eq!(overlaps[3], 0.0);
    }

    #[test]
    fn old_code_is_told_by_its_path() {
        let is_old = |query: &str| Question::new(query).is_old("src/HttpCacheLegacy.kt", &|_| false);
        assert!(is_old("where are answers cached"));
        assert!(!is_old("the legacy cache"));
        let is_old = |query: &str, path: &str| Question::new(query).is_old(path, &|folder| folder == "api/v2");
        assert!(is_old("where are users listed", "api/v1/users.go"));
        assert!(!is_old("where does v1 list users", "api/v1/users.go"));
        assert!(!is_old("where are users listed", "api/v2/users.go"));
        assert!(!is_old("where are users listed", "web/v1/users.go"));
    }
}
