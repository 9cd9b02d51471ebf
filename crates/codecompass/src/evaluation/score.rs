//! Scores a ranking for one question. Relevance is binary; a target is hit by the first result in
//! its file that overlaps its lines or is its symbol. Several results of one file use up ranks.

use std::path::Path;

use codecompass_engine::query::Hit;

use super::suite::Target;

/// Results that most measures look at.
pub(crate) const TOP: usize = 10;

/// Results that the recall of longer lists looks at.
pub(crate) const DEEP: usize = 20;

/// Results that the measures of short lists look at.
const SHORT: usize = 5;

/// The measures of one question.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Score {
    /// Per target, the rank of the result among the first ten that hits it, from 1.
    pub ranks: Vec<Option<usize>>,
    pub ndcg: f64,
    pub reciprocal_rank: f64,
    pub success: f64,
    pub recall: f64,
    /// The share of five places whose results hit a target.
    pub precision_at_5: f64,
    /// 1 if one of the first five results hits a target.
    pub success_at_5: f64,
    pub recall_at_20: f64,
}

/// Compares results, best first, with what was expected.
pub(crate) fn score(root: &Path, hits: &[Hit], targets: &[Target]) -> Score {
    let rank = |target: &Target| hits.iter().take(DEEP).position(|hit| answers(root, hit, target)).map(|at| at + 1);
    let is_good = |hit: &Hit| targets.iter().any(|target| answers(root, hit, target));
    let good = hits.iter().take(SHORT).filter(|hit| is_good(hit)).count();
    Score {
        precision_at_5: good as f64 / SHORT as f64,
        success_at_5: f64::from(u8::from(good > 0)),
        ..of_ranks(targets.iter().map(rank).collect())
    }
}

/// Computes what follows from the ranks of the targets within [`DEEP`] results.
fn of_ranks(mut ranks: Vec<Option<usize>>) -> Score {
    let recall_at_20 = ranks.iter().flatten().count() as f64 / ranks.len().max(1) as f64;
    ranks.iter_mut().for_each(|rank| *rank = rank.filter(|rank| *rank <= TOP));
    let mut found: Vec<usize> = ranks.iter().flatten().copied().collect();
    let recall = found.len() as f64 / ranks.len().max(1) as f64;
    found.sort_unstable();
    let best = found.first().copied();
    // One result may hit several targets; it gains once.
    found.dedup();
    let gain = |rank: usize| 1.0 / ((rank + 1) as f64).log2();
    let ideal: f64 = (1..=ranks.len().min(TOP)).map(gain).sum();
    let gained: f64 = found.iter().copied().map(gain).sum();
    Score {
        ndcg: if ideal > 0.0 { gained / ideal } else { 0.0 },
        reciprocal_rank: best.map_or(0.0, |rank| 1.0 / rank as f64),
        success: f64::from(u8::from(best == Some(1))),
        recall,
        recall_at_20,
        ranks,
        ..Score::default()
    }
}

fn answers(root: &Path, hit: &Hit, target: &Target) -> bool {
    let overlaps = |(first, last): (u64, u64)| u64::from(hit.line_end) >= first && u64::from(hit.line_start) <= last;
    let is_symbol = |symbol: &String| hit.qualified_name == *symbol || hit.name == *symbol;
    is_file(root, &hit.path, &target.path)
        && target.lines.is_none_or(overlaps)
        && target.symbol.as_ref().is_none_or(is_symbol)
}

/// Returns whether a path relative to the root ends as a target says.
pub(crate) fn is_file(root: &Path, path: &str, target: &str) -> bool {
    let path = format!("{}/{path}", root.to_string_lossy().replace('\\', "/"));
    path.strip_suffix(target).is_some_and(|head| head.is_empty() || head.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_follow_the_ranks() {
        let perfect = of_ranks(vec![Some(2), Some(1)]);
        assert_eq!((perfect.ndcg, perfect.reciprocal_rank, perfect.success, perfect.recall), (1.0, 1.0, 1.0, 1.0));
        let late = of_ranks(vec![None, Some(3)]);
        assert!((late.ndcg - 0.5 / (1.0 + 1.0 / 3.0_f64.log2())).abs() < 1e-12);
        assert_eq!((late.success, late.recall), (0.0, 0.5));
        let deep = of_ranks(vec![Some(15), Some(1)]);
        assert_eq!((deep.recall, deep.recall_at_20), (0.5, 1.0));
        assert_eq!(deep.ranks, [None, Some(1)]);
        let missed = of_ranks(vec![None]);
        assert_eq!((missed.ndcg, missed.reciprocal_rank, missed.recall), (0.0, 0.0, 0.0));
    }
}
