//! What speaks for and against a piece of code as the answer to a question in words. All ranking weights are here.

use codecompass_syntax::facts::{Definition, SymbolRole};

use crate::model::Role;
use crate::query::locate::kind_weight;
use crate::query::rank::Explanation;
use crate::tokenize;

/// A question, taken apart.
pub(super) struct Question {
    /// Search terms with their weights.
    pub terms: Vec<(String, f32)>,
    /// Words that look like identifiers, in lower case.
    identifiers: Vec<String>,
    wants_tests: bool,
    wants_docs: bool,
}

/// What is known about one candidate.
pub(super) struct Evidence<'a> {
    /// Its text score as a share of the best one's.
    pub lexical: f64,
    /// Its file's text score as a share of the best one's.
    pub file: f64,
    /// Which terms it holds.
    pub matched: u64,
    pub path: &'a str,
    pub role: Role,
    pub definition: Option<&'a Definition>,
}

/// Words of questions that say nothing about code.
#[rustfmt::skip]
const STOP_WORDS: &[&str] = &[
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "between", "by", "can", "code", "could", "did",
    "do", "does", "each", "find", "for", "from", "get", "happen", "happens", "has", "have", "how", "i", "if", "in",
    "into", "is", "it", "its", "logic", "me", "my", "of", "on", "or", "our", "place", "places", "should", "show", "so",
    "some", "that", "the", "their", "them", "there", "these", "they", "this", "those", "to", "used", "uses", "using",
    "via", "was", "we", "what", "when", "where", "which", "while", "who", "why", "will", "with", "work", "works",
    "would", "you",
];

/// Terms beyond this many are not searched for.
const MAX_TERMS: usize = 48;

impl Question {
    pub(super) fn new(query: &str) -> Question {
        let mut terms: Vec<(String, f32)> = Vec::new();
        let mut identifiers = Vec::new();
        let words: Vec<&str> = tokenize::words(query).collect();
        let tells = |word: &&&str| !STOP_WORDS.contains(&word.to_lowercase().as_str());
        let has_content = words.iter().any(|word| tells(&word));
        for word in words.iter().filter(|word| !has_content || tells(word)) {
            let is_identifier = looks_like_identifier(word);
            if is_identifier {
                identifiers.push(word.to_lowercase());
            }
            for term in tokenize::terms(word) {
                if terms.len() < MAX_TERMS && !terms.iter().any(|(known, _)| *known == term) {
                    terms.push((term, if is_identifier { 1.4 } else { 1.0 }));
                }
            }
        }
        let mentions = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.to_lowercase().as_str()));
        Question {
            terms,
            identifiers,
            wants_tests: mentions(&["test", "tests", "testing", "fixture", "fixtures", "spec"]),
            wants_docs: mentions(&["docs", "documentation", "readme", "changelog", "guide", "tutorial"]),
        }
    }

    /// Weighs the evidence; the parts add up to the score.
    pub(super) fn explain(&self, evidence: &Evidence<'_>) -> Explanation {
        let mut explanation = Explanation::default();
        explanation.add("text", 20.0 * evidence.lexical);
        explanation.add("file", 12.0 * evidence.file);
        explanation.add("coverage", 5.0 * self.coverage(evidence.matched));
        let stem = evidence.path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or("");
        explanation.add("file_name", 4.0 * self.overlap(stem));
        if let Some(definition) = evidence.definition {
            explanation.add("name", 6.0 * self.overlap(&definition.name));
            if self.identifiers.iter().any(|identifier| *identifier == definition.name.to_lowercase()) {
                explanation.add("identifier", 12.0);
            }
            explanation.add("kind", 0.4 * kind_weight(definition.kind));
            if definition.role == SymbolRole::Test && !self.wants_tests {
                explanation.discount("test", 0.2);
            }
        }
        explanation.discount(evidence.role.as_str(), self.role_discount(evidence.role));
        explanation
    }

    fn role_discount(&self, role: Role) -> f64 {
        match role {
            Role::Source => 0.0,
            Role::Test if self.wants_tests => 0.0,
            Role::Docs if self.wants_docs => 0.0,
            Role::Test => 0.35,
            Role::Docs => 0.45,
            Role::Example => 0.3,
            Role::Config => 0.25,
            Role::Generated | Role::Vendored => 0.4,
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

    /// How much a name and the question say the same: the mean of both shares.
    fn overlap(&self, name: &str) -> f64 {
        let parts = tokenize::parts(name);
        let stems: Vec<String> = parts.iter().flat_map(|part| tokenize::terms(part)).collect();
        if stems.is_empty() || self.terms.is_empty() {
            return 0.0;
        }
        let shared = stems.iter().filter(|stem| self.terms.iter().any(|(term, _)| term == *stem)).count() as f64;
        let of_question = shared / self.terms.len().min(4) as f64;
        (shared / stems.len() as f64 + of_question.min(1.0)) / 2.0
    }
}

/// `snake_case`, `camelCase` or `UPPER`: not a word of prose.
fn looks_like_identifier(word: &str) -> bool {
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
}
