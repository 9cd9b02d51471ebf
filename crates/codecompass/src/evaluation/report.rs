//! The totals of the scores of a suite, as JSON and as a table, and what became worse since an
//! earlier report.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::doubt::{self, DoubtReport};
use super::latency::{self, LatencyReport};
use super::localisation::{self, LocalisationReport, Localised};
use super::score::Score;
use super::token_cost::{self, TokenCost, TokenCostReport};

/// One question that was asked.
pub(crate) struct Asked {
    pub root: String,
    pub query: String,
    pub category: String,
    pub language: String,
    pub score: Score,
    /// The tokens that a reader has read up to the end of the first good result; all of them when
    /// there is none.
    pub tokens: f64,
    pub milliseconds: f64,
    /// True for the first question of a view that was just opened.
    pub is_cold: bool,
    /// True if there is an answer.
    pub is_answerable: bool,
    /// True if the answer says that it is not sure.
    pub is_doubted: bool,
    /// The ranks of files and functions, if the question is the text of an issue.
    pub localised: Option<Localised>,
    /// The measures of `context`, if they were asked for.
    pub token_cost: Option<TokenCost>,
}

/// Everything that was measured. It is also read again, to compare with it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Report {
    suite: String,
    overall: Measures,
    by_category: BTreeMap<String, Measures>,
    by_language: BTreeMap<String, Measures>,
    by_root: BTreeMap<String, Measures>,
    /// Present if the suite has texts of issues.
    #[serde(skip_serializing_if = "Option::is_none")]
    localisation: Option<LocalisationReport>,
    not_sure: DoubtReport,
    results: Vec<ResultRow>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    context: Option<TokenCostReport>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    latency_ms: Option<LatencyReport>,
    /// Present if it was compared with another report.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub regressions: Option<Vec<String>>,
}

/// Means over a group of questions.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Measures {
    queries: usize,
    ndcg_at_10: f64,
    mrr: f64,
    success_at_1: f64,
    recall_at_10: f64,
    precision_at_5: f64,
    success_at_5: f64,
    recall_at_20: f64,
    tokens_to_first: f64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct ResultRow {
    root: String,
    query: String,
    category: String,
    language: String,
    ranks: Vec<Option<usize>>,
    ndcg_at_10: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    localised: Option<Localised>,
    /// Present, and false, if there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    answerable: Option<bool>,
    /// True if the answer says that it is not sure.
    not_sure: bool,
}

/// A measure: its name or heading, and its value.
type Measure = (&'static str, fn(&Measures) -> f64);

/// The columns of the table before the last, which counts tokens.
const COLUMNS: [Measure; 7] = [
    ("NDCG@10", |measures| measures.ndcg_at_10),
    ("MRR", |measures| measures.mrr),
    ("success@1", |measures| measures.success_at_1),
    ("success@5", |measures| measures.success_at_5),
    ("prec@5", |measures| measures.precision_at_5),
    ("recall@10", |measures| measures.recall_at_10),
    ("recall@20", |measures| measures.recall_at_20),
];

/// Measures that must not become worse in all.
const GUARDED: [Measure; 4] = [
    GUARDED_BY_CATEGORY,
    ("mrr", |measures| measures.mrr),
    ("success_at_1", |measures| measures.success_at_1),
    ("recall_at_10", |measures| measures.recall_at_10),
];

/// The measure that must not become worse in any category. These groups are small, so one is
/// enough.
const GUARDED_BY_CATEGORY: Measure = ("ndcg_at_10", |measures| measures.ndcg_at_10);

/// Longer questions are cut in lists.
const SHOWN_CHARACTERS: usize = 120;

/// Sums up what was asked.
pub(crate) fn report(suite: &str, asked: &[Asked], with_latency: bool) -> Report {
    let everything: Vec<&Asked> = asked.iter().filter(|one| one.is_answerable).collect();
    Report {
        suite: suite.to_string(),
        overall: by_root_mean(&everything),
        by_category: groups(asked, |one| &one.category, means),
        by_language: groups(asked, |one| &one.language, by_root_mean),
        by_root: groups(asked, |one| &one.root, means),
        localisation: localisation::report(asked),
        not_sure: doubt::report(asked),
        results: asked.iter().map(ResultRow::from).collect(),
        context: asked.iter().any(|one| one.token_cost.is_some()).then(|| token_cost::report(asked)),
        latency_ms: with_latency.then(|| latency::report(asked)),
        regressions: None,
    }
}

impl From<&Asked> for ResultRow {
    fn from(asked: &Asked) -> ResultRow {
        ResultRow {
            root: asked.root.clone(),
            query: asked.query.clone(),
            category: asked.category.clone(),
            language: asked.language.clone(),
            ranks: asked.score.ranks.clone(),
            ndcg_at_10: rounded(asked.score.ndcg),
            localised: asked.localised,
            answerable: (!asked.is_answerable).then_some(false),
            not_sure: asked.is_doubted,
        }
    }
}

fn groups(
    asked: &[Asked],
    key: impl Fn(&Asked) -> &String,
    measure: impl Fn(&[&Asked]) -> Measures,
) -> BTreeMap<String, Measures> {
    let mut groups: BTreeMap<String, Vec<&Asked>> = BTreeMap::new();
    for one in asked.iter().filter(|one| one.is_answerable) {
        groups.entry(key(one).clone()).or_default().push(one);
    }
    groups.into_iter().map(|(name, group)| (name, measure(&group))).collect()
}

impl Measures {
    fn new(queries: usize, mean: impl Fn(fn(&Asked) -> f64) -> f64) -> Measures {
        Measures {
            queries,
            ndcg_at_10: rounded(mean(|asked| asked.score.ndcg)),
            mrr: rounded(mean(|asked| asked.score.reciprocal_rank)),
            success_at_1: rounded(mean(|asked| asked.score.success)),
            recall_at_10: rounded(mean(|asked| asked.score.recall)),
            precision_at_5: rounded(mean(|asked| asked.score.precision_at_5)),
            success_at_5: rounded(mean(|asked| asked.score.success_at_5)),
            recall_at_20: rounded(mean(|asked| asked.score.recall_at_20)),
            tokens_to_first: rounded(mean(|asked| asked.tokens)),
        }
    }
}

/// Means over questions.
fn means(group: &[&Asked]) -> Measures {
    Measures::new(group.len(), |value| mean(group.iter().map(|one| value(one))))
}

/// Means over roots of the means over their questions, so that each root counts the same.
fn by_root_mean(group: &[&Asked]) -> Measures {
    Measures::new(group.len(), |value| by_root(group, value))
}

/// The mean over roots of the means over their questions.
pub(super) fn by_root(group: &[&Asked], value: impl Fn(&Asked) -> f64) -> f64 {
    let mut roots: BTreeMap<&str, Vec<&Asked>> = BTreeMap::new();
    for one in group {
        roots.entry(&one.root).or_default().push(one);
    }
    mean(roots.values().map(|root| mean(root.iter().map(|one| value(one)))))
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value));
    if count > 0.0 { sum / count } else { 0.0 }
}

pub(super) fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// The report as a table.
pub(crate) fn table(report: &Report) -> String {
    let mut out = report.localisation.as_ref().map(localisation::table).unwrap_or_default();
    let _ = write!(out, "{:<26} {:>7}", "", "queries");
    for heading in COLUMNS.iter().map(|(heading, _)| *heading).chain(["tokens"]) {
        let _ = write!(out, " {heading:>9}");
    }
    out.push('\n');
    row(&mut out, "overall", &report.overall);
    let groups = [("category", &report.by_category), ("language", &report.by_language), ("root", &report.by_root)];
    for (title, groups) in groups.into_iter().filter(|(_, groups)| groups.len() > 1) {
        groups.iter().for_each(|(name, group)| row(&mut out, &format!("{title} {name}"), group));
    }
    if let Some(context) = &report.context {
        out.push_str(&token_cost::table(context));
    }
    out.push_str(&doubt::table(&report.not_sure));
    if let Some(latency) = &report.latency_ms {
        out.push_str(&latency::table(latency));
    }
    out
}

fn row(out: &mut String, title: &str, group: &Measures) {
    let _ = write!(out, "{title:<26} {:>7}", group.queries);
    for (_, value) in COLUMNS {
        let _ = write!(out, " {:>9.3}", value(group));
    }
    let _ = writeln!(out, " {:>9.0}", group.tokens_to_first);
}

/// Lists what is worse than in an earlier report of the same suite by more than `tolerance`, one
/// line each.
pub(crate) fn regressions(report: &Report, baseline: &Report, tolerance: f64) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |title: &str, now: &Measures, before: &Measures, (measure, value): Measure| {
        let (now, before) = (value(now), value(before));
        if now < before - tolerance {
            found.push(format!("{title}: {measure} fell from {before:.3} to {now:.3}"));
        }
    };
    for measure in GUARDED {
        compare("overall", &report.overall, &baseline.overall, measure);
    }
    for (category, before) in &baseline.by_category {
        let now = report.by_category.get(category).copied().unwrap_or_default();
        compare(category, &now, before, GUARDED_BY_CATEGORY);
    }
    if let Some((now, before)) = report.localisation.as_ref().zip(baseline.localisation.as_ref()) {
        found.extend(localisation::regressions(now, before, tolerance));
    }
    found.extend(doubt::regressions(&report.not_sure, &baseline.not_sure, tolerance));
    found
}

/// Questions that are answered worse than in an earlier report, the worst first.
pub(crate) fn worse_answers(report: &Report, baseline: &Report) -> Vec<String> {
    fn key(result: &ResultRow) -> (&str, &str) {
        (&result.root, &result.query)
    }
    let before: BTreeMap<_, f64> = baseline.results.iter().map(|result| (key(result), result.ndcg_at_10)).collect();
    let mut worse: Vec<(f64, String)> = report
        .results
        .iter()
        .filter_map(|result| {
            let (now, before) = (result.ndcg_at_10, *before.get(&key(result))?);
            let line = || format!("{before:.2} -> {now:.2}  {}", shortened(&result.query));
            (now < before).then(|| (now - before, line()))
        })
        .collect();
    worse.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    worse.into_iter().map(|(_, line)| line).collect()
}

/// The first line of a question, and no more of it than fits a line.
fn shortened(query: &str) -> String {
    query.lines().next().unwrap_or_default().chars().take(SHOWN_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(root: &str, category: &str, ndcg: f64) -> Asked {
        let score =
            Score { ranks: vec![Some(1)], ndcg, reciprocal_rank: ndcg, success: 1.0, recall: 1.0, ..Score::default() };
        Asked {
            root: root.into(),
            query: format!("{root} {category}"),
            category: category.into(),
            language: "rust".into(),
            score,
            tokens: 40.0,
            milliseconds: 2.0,
            is_cold: false,
            is_answerable: true,
            is_doubted: false,
            localised: None,
            token_cost: None,
        }
    }

    #[test]
    fn every_root_counts_the_same() {
        let report =
            report("s", &[asked("a", "symbol", 1.0), asked("b", "symbol", 0.0), asked("b", "other", 0.5)], true);
        assert_eq!(report.overall.ndcg_at_10, 0.625);
        assert_eq!(report.by_category["symbol"].ndcg_at_10, 0.5);
        assert!(table(&report).contains("warm p50 2.0 ms"), "{}", table(&report));
        assert!(table(&report).contains("root b"));
    }

    #[test]
    fn regressions_are_told_beyond_the_tolerance() {
        let before = report("s", &[asked("a", "symbol", 1.0), asked("a", "other", 0.8)], false);
        let after = report("s", &[asked("a", "symbol", 1.0), asked("a", "other", 0.7)], false);
        assert!(regressions(&after, &before, 0.11).is_empty());
        let found = regressions(&after, &before, 0.06);
        assert_eq!(found, ["other: ndcg_at_10 fell from 0.800 to 0.700"]);
        assert_eq!(worse_answers(&after, &before), ["0.80 -> 0.70  a other"]);
        assert!(regressions(&before, &after, 0.0).is_empty());
    }

    #[test]
    fn questions_without_an_answer_are_counted_apart() {
        let no_answer = |is_doubted| Asked { is_answerable: false, is_doubted, ..asked("a", "symbol", 0.0) };
        let alarm = Asked { is_doubted: true, ..asked("a", "symbol", 1.0) };
        let before = report("s", &[asked("a", "symbol", 1.0), alarm, no_answer(true)], false);
        assert_eq!((before.overall.queries, before.overall.ndcg_at_10), (2, 1.0));
        let doubt = before.not_sure.overall;
        assert_eq!((doubt.recognised, doubt.false_alarms), (Some(1.0), Some(0.5)));
        let after = report("s", &[asked("a", "symbol", 1.0), no_answer(true), no_answer(false)], false);
        assert_eq!(regressions(&after, &before, 0.1), ["overall: recognised fell from 1.000 to 0.500"]);
        assert_eq!(regressions(&before, &after, 0.1), ["overall: false_alarms rose from 0.000 to 0.500"]);
    }
}
