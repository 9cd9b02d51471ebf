//! Reranking: the best hits are sent to a reranker, with their code, and its scores become part of
//! theirs. When it fails, the order stays as it was.

use std::sync::Arc;

use codecompass_embed::remote::Reranker;

use crate::config::IndexConfig;
use crate::error::Result;
use crate::query::hit::{Hit, by_score};
use crate::query::rank::score::Feature;
use crate::query::search::snippet::{Snippet, SnippetChoice, SnippetOptions, snippets};
use crate::scan::Source;
use crate::store::Snapshot;
use crate::weights::order;

/// A reranker, and the source that the code of hits is read from.
#[derive(Clone)]
pub struct Reranking {
    /// The reranker.
    pub reranker: Arc<dyn Reranker>,
    /// The source of the code of hits.
    pub source: Source,
    /// The settings to read it with.
    pub config: IndexConfig,
}

/// The outcome of reranking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reranked {
    /// The id of the reranker.
    pub by: String,
    /// The error that left the order unchanged, if any.
    pub problem: Option<String>,
}

/// Limits on the text of a hit that is sent to the reranker.
const MAX_LINES: usize = 24;
const MAX_BYTES: usize = 1_500;

/// Has the best of `hits`, which are in order, scored and puts all in order again. `None` when
/// there is nothing to order.
pub(crate) fn rerank(
    reranking: &Reranking,
    snapshot: &Snapshot,
    query: &str,
    hits: &mut [Hit],
) -> Result<Option<Reranked>> {
    if hits.len() < 2 {
        return Ok(None);
    }
    let Reranking { reranker, source, config } = reranking;
    let shown = &hits[..order::RERANKED.min(hits.len())];
    let options = SnippetOptions { lines: MAX_LINES, choice: SnippetChoice::Around };
    let snippets = snippets(snapshot, source, config, query, shown, options)?;
    let texts: Vec<String> = shown.iter().zip(&snippets).map(|(hit, snippet)| text(hit, snippet)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let by = reranker.id().to_string();
    match reranker.rerank(query, &texts) {
        Ok(relevances) => {
            blend(hits, &relevances);
            Ok(Some(Reranked { by, problem: None }))
        }
        Err(error) => Ok(Some(Reranked { by, problem: Some(error.to_string()) })),
    }
}

/// Returns the text of a hit for the reranker: its path, name and signature, and the lines that fit
/// the query best.
fn text(hit: &Hit, snippet: &Snippet) -> String {
    let mut text = hit.path.clone();
    for line in
        [hit.qualified_name.as_str(), &hit.signature].into_iter().chain(snippet.lines.iter().map(String::as_str))
    {
        if !line.is_empty() && line != hit.path {
            text.push('\n');
            text.push_str(line);
        }
    }
    text.truncate(text.floor_char_boundary(MAX_BYTES));
    text
}

/// Makes the relevances a part of the scores. The most relevant hit is worth what the best one had,
/// so that scores mean what they meant; hits that were not scored count as the least relevant.
fn blend(hits: &mut [Hit], relevances: &[f32]) {
    let most = relevances.iter().copied().fold(0.0, f32::max);
    let Some(best) = hits.first().map(|hit| hit.score).filter(|_| most > 0.0) else { return };
    let all = relevances.iter().copied().chain(std::iter::repeat(0.0));
    for (hit, relevance) in hits.iter_mut().zip(all) {
        let share = order::RERANK_SHARE * (best * f64::from(relevance / most) - hit.score);
        hit.explanation.add(Feature::Rerank, share);
        hit.score = hit.explanation.score();
    }
    hits.sort_by(by_score);
}

#[cfg(test)]
mod tests {
    use codecompass_syntax::facts::SymbolRole;

    use super::*;
    use crate::model::Role;
    use crate::query::hit::HitKind;
    use crate::query::rank::score::Explanation;

    fn hit(path: &str, score: f64) -> Hit {
        let mut explanation = Explanation::default();
        explanation.add(Feature::Text, score);
        Hit {
            repository: 0,
            path: path.into(),
            line_start: 1,
            line_end: 2,
            name_line: 1,
            kind: HitKind::Text,
            name: path.into(),
            qualified_name: path.into(),
            local_name: path.into(),
            language: "text".into(),
            signature: String::new(),
            doc: None,
            visibility: None,
            is_declaration: false,
            symbol_role: SymbolRole::Plain,
            file_role: Role::Source,
            symbol_id: None,
            symbol_stable_id: String::new(),
            other_places: Vec::new(),
            best_line: 1,
            score,
            explanation,
        }
    }

    #[test]
    fn relevance_changes_the_order_and_scores_still_add_up() {
        let mut hits = vec![hit("a", 30.0), hit("b", 29.0), hit("c", 20.0), hit("d", 19.0)];
        blend(&mut hits, &[0.1, 0.2, 0.4]);
        let paths: Vec<&str> = hits.iter().map(|hit| hit.path.as_str()).collect();
        assert_eq!(paths, ["c", "b", "a", "d"]);
        assert!(hits.iter().all(|hit| hit.score == hit.explanation.score() && hit.score <= 30.0));
        assert!(hits.iter().all(|hit| hit.explanation.parts.len() == 2));
    }

    #[test]
    fn no_relevance_changes_nothing() {
        let mut hits = vec![hit("a", 30.0), hit("b", 29.0)];
        let before = hits.clone();
        blend(&mut hits, &[0.0, 0.0]);
        assert_eq!(hits, before);
    }

    #[test]
    fn what_is_shown_is_bounded() {
        let snippet = Snippet { lines: vec!["é".repeat(2_000)], ..Snippet::default() };
        let text = text(&hit("a/b.rs", 1.0), &snippet);
        assert!(text.starts_with("a/b.rs\né") && text.len() <= MAX_BYTES);
    }
}
