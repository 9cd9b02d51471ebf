//! Commits by meaning: of those that words find, the best are put in order anew with vectors of
//! their messages and paths, by the model inside the binary.
//!
//! The vectors are made for each question: those of some hundred messages cost milliseconds, and
//! nothing has to be stored for commits that no question is about.

use codecompass_embed::{Document, Embedder, StaticModel};

use crate::history::words::{Words, split_message};

/// The number of commits that are put in order anew.
pub(super) const MAX_REORDERED: usize = 200;
/// A question with fewer terms than this is looked up by its words alone.
pub(super) const MIN_TERMS: usize = 3;
/// The part of the similarity in a score; the rest is that of the words.
const SIMILARITY: f64 = 0.5;
/// An occurrence of a word in the subject counts as much as this many in a path.
const SUBJECT: usize = 6;
/// An occurrence of a word in the body counts as much as this many in a path.
const BODY: usize = 2;
/// Bytes of a body and numbers of paths that are looked at.
const MAX_BODY: usize = 1200;
const MAX_PATHS: usize = 10;

/// Mixes the scores of commits by words with the similarity of their messages to the question. Both
/// are measured by the best of these commits. Returns the scores as they are if there is no model.
pub(super) fn mix(question: &str, commits: &[Words<'_>], scores: &[f64]) -> Vec<f64> {
    let similarities = similarities(question, commits).unwrap_or_else(|| vec![0.0; commits.len()]);
    let most = |values: &[f64]| values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let (by_words, by_meaning) = (most(scores), most(&similarities));
    let mixed = |(score, similarity): (&f64, &f64)| {
        (1.0 - SIMILARITY) * score / by_words + SIMILARITY * similarity.max(0.0) / by_meaning
    };
    scores.iter().zip(&similarities).map(mixed).collect()
}

fn similarities(question: &str, commits: &[Words<'_>]) -> Option<Vec<f64>> {
    let model = StaticModel::embedded().ok()?;
    let asked = model.embed_query(question).ok()?;
    let texts: Vec<String> = commits.iter().map(text).collect();
    let documents: Vec<Document<'_>> = texts.iter().map(|text| Document { path: "", text }).collect();
    let vectors = model.embed_documents(&documents).ok()?;
    let dot = |vector: &Vec<f32>| vector.iter().zip(&asked).map(|(a, b)| f64::from(a * b)).sum();
    Some(vectors.iter().map(dot).collect())
}

/// Writes a commit as the model reads it: words count by how often they are repeated.
fn text(commit: &Words<'_>) -> String {
    let (subject, body) = split_message(commit.message);
    let body = &body[..body.floor_char_boundary(MAX_BODY)];
    let mut text = format!("{subject}\n").repeat(SUBJECT);
    text.push_str(&format!("{body}\n").repeat(BODY));
    for change in commit.changes.iter().take(MAX_PATHS) {
        text.push_str(&change.path);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_words_of_the_same_meaning_count() {
        let messages = [
            "Remove the list of users\n",
            "Delete cookies on redirect to another host\n\nThey must not leak.\n",
            "Redirect the docs\n",
        ];
        let commits: Vec<Words<'_>> = messages.iter().map(|message| Words { message, changes: &[] }).collect();
        let mixed = mix("drop cookies when redirected cross-origin", &commits, &[1.0, 1.0, 1.0]);
        assert!(mixed[1] > mixed[0] && mixed[1] > mixed[2], "{mixed:?}");
        // Words decide where meanings are alike.
        let alike = [Words { message: "Fix a bug", changes: &[] }, Words { message: "Fix a bug", changes: &[] }];
        let mixed = mix("fix that bug", &alike, &[1.0, 2.0]);
        assert!(mixed[1] > mixed[0], "{mixed:?}");
        assert_eq!(mix("a question", &[], &[]), Vec::<f64>::new());
    }
}
