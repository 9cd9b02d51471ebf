//! Commits by words: BM25 over subjects, bodies and changed paths of the commits in question.

use crate::store::history::record::PathChange;
use crate::tokenize;

/// The weight of a word in the subject, in comparison with one in the body.
const SUBJECT: f64 = 3.0;
/// The weight of a word in a changed path, in comparison with one in the body.
const PATH: f64 = 0.5;
/// More paths of a commit are not looked at: who changes so many changes none in particular.
const MAX_PATHS: usize = 50;
const K1: f64 = 1.2;
const B: f64 = 0.5;

/// A commit as far as words are concerned.
pub(super) struct Words<'c> {
    pub message: &'c str,
    pub changes: &'c [PathChange],
}

/// Counts the terms of a question in commits.
pub(super) fn count_terms(terms: &[String], commits: &[Words<'_>]) -> Vec<TermCounts> {
    crate::parallel::map(commits, || (), |(), commit| count(terms, commit))
}

/// Scores commits by the number of times that they have each of `terms` terms; those without any
/// get 0.
pub(super) fn score(terms: usize, counted: &[TermCounts]) -> Vec<f64> {
    let total = counted.len() as f64;
    let mean = counted.iter().map(|counts| counts.length).sum::<f64>() / total.max(1.0);
    let rarity: Vec<f64> = (0..terms)
        .map(|term| {
            let having = counted.iter().filter(|counts| counts.weights[term] > 0.0).count() as f64;
            (1.0 + (total - having + 0.5) / (having + 0.5)).ln()
        })
        .collect();
    let score = |counts: &TermCounts| {
        let norm = K1 * (1.0 - B + B * counts.length / mean.max(1.0));
        let parts = counts.weights.iter().zip(&rarity);
        parts.map(|(weight, rarity)| rarity * weight * (K1 + 1.0) / (weight + norm)).sum()
    };
    counted.iter().map(score).collect()
}

/// The number of times that a commit has each term of a question.
pub(super) struct TermCounts {
    /// The weighted number of occurrences of each term.
    weights: Vec<f64>,
    length: f64,
}

fn count(terms: &[String], commit: &Words<'_>) -> TermCounts {
    let mut counts = TermCounts { weights: vec![0.0; terms.len()], length: 0.0 };
    let mut add = |text: &str, weight: f64, counts_length: bool| {
        tokenize::tokenize(text, &mut |term| {
            counts.length += f64::from(u8::from(counts_length));
            if let Some(at) = terms.iter().position(|wanted| wanted == term) {
                counts.weights[at] += weight;
            }
        });
    };
    let (subject, body) = split_message(commit.message);
    add(&subject, SUBJECT, true);
    add(body, 1.0, true);
    commit.changes.iter().take(MAX_PATHS).for_each(|change| add(&change.path, PATH, false));
    counts
}

/// Splits a message as git does: the first paragraph, on one line, and the rest.
pub(super) fn split_message(message: &str) -> (String, &str) {
    let message = message.trim_start_matches(['\n', '\r', ' ']);
    let mut end = 0;
    for line in message.split_inclusive('\n') {
        if line.trim().is_empty() {
            break;
        }
        end += line.len();
    }
    let subject = message[..end].lines().map(str::trim).collect::<Vec<_>>().join(" ");
    (subject, message[end..].trim_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_is_the_first_paragraph() {
        assert_eq!(split_message("\nFix a\nthing\n\nBody\n\nmore\n"), ("Fix a thing".to_string(), "Body\n\nmore"));
        assert_eq!(split_message("one"), ("one".to_string(), ""));
        assert_eq!(split_message(""), (String::new(), ""));
    }

    #[test]
    fn rare_words_in_subjects_count_most() {
        let commits = ["Fix the parser\n", "Fix typo\n\nIn the parser.\n", "Fix docs\n"];
        let words: Vec<Words<'_>> = commits.iter().map(|message| Words { message, changes: &[] }).collect();
        let terms = tokenize::terms("fix parser");
        let scores = score(terms.len(), &count_terms(&terms, &words));
        assert!(scores[0] > scores[1] && scores[1] > scores[2] && scores[2] > 0.0, "{scores:?}");
    }
}
