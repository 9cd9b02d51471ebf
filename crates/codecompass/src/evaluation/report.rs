//! The totals of the scores of a suite, as JSON and as a table, and what became worse since an
//! earlier report.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::score::Score;
use super::token_cost::{self, TokenCost};

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
    /// The measures of `context`, if they were asked for.
    pub token_cost: Option<TokenCost>,
}

/// The measures that a report has of a group of questions: name, heading and value.
type Measure = (&'static str, &'static str, fn(&Asked) -> f64);

const MEASURES: [Measure; 5] = [
    ("ndcg_at_10", "NDCG@10", |asked| asked.score.ndcg),
    ("mrr", "MRR", |asked| asked.score.reciprocal_rank),
    ("success_at_1", "success@1", |asked| asked.score.success),
    ("recall_at_10", "recall@10", |asked| asked.score.recall),
    ("tokens_to_first", "tokens", |asked| asked.tokens),
];

/// Measures that must not become worse, in all and by category. Groups by category are small, so
/// one is enough there.
const GUARDED: [&str; 4] = ["ndcg_at_10", "mrr", "success_at_1", "recall_at_10"];
const GUARDED_BY_CATEGORY: &str = "ndcg_at_10";

/// Everything that was measured.
pub(crate) fn report(suite: &str, asked: &[Asked], with_latency: bool) -> Value {
    let everything: Vec<&Asked> = asked.iter().collect();
    let results: Vec<Value> = asked
        .iter()
        .map(|one| {
            json!({
                "root": one.root,
                "query": one.query,
                "category": one.category,
                "language": one.language,
                "ranks": one.score.ranks,
                "ndcg_at_10": rounded(one.score.ndcg),
            })
        })
        .collect();
    let mut report = json!({
        "suite": suite,
        "overall": by_root_mean(&everything),
        "by_category": groups(asked, |one| &one.category, means),
        "by_language": groups(asked, |one| &one.language, by_root_mean),
        "by_root": groups(asked, |one| &one.root, means),
        "results": results,
    });
    if asked.iter().any(|one| one.token_cost.is_some()) {
        report["context"] = token_cost::report(asked);
    }
    if with_latency {
        let mut times: Vec<f64> = asked.iter().map(|one| one.milliseconds).collect();
        times.sort_by(f64::total_cmp);
        report["latency_ms"] =
            json!({"p50": rounded(percentile(&times, 0.5)), "p95": rounded(percentile(&times, 0.95))});
    }
    report
}

fn groups(
    asked: &[Asked],
    key: impl Fn(&Asked) -> &String,
    measure: impl Fn(&[&Asked]) -> Value,
) -> BTreeMap<String, Value> {
    let mut groups: BTreeMap<String, Vec<&Asked>> = BTreeMap::new();
    for one in asked {
        groups.entry(key(one).clone()).or_default().push(one);
    }
    groups.into_iter().map(|(name, group)| (name, measure(&group))).collect()
}

/// Means over questions.
fn means(group: &[&Asked]) -> Value {
    let mut means = json!({"queries": group.len()});
    for (name, _, value) in MEASURES {
        means[name] = json!(rounded(mean(group.iter().map(|one| value(one)))));
    }
    means
}

/// Means over roots of the means over their questions, so that each root counts the same.
fn by_root_mean(group: &[&Asked]) -> Value {
    let mut means = json!({"queries": group.len()});
    for (name, _, value) in MEASURES {
        means[name] = json!(rounded(by_root(group, value)));
    }
    means
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

/// The value below which a share of the sorted values lies, interpolated.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let at = sorted.len().saturating_sub(1) as f64 * share;
    let value = |index: f64| sorted.get(index as usize).copied().unwrap_or(0.0);
    value(at.floor()) + (value(at.ceil()) - value(at.floor())) * at.fract()
}

pub(super) fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// The report as a table.
pub(crate) fn table(report: &Value) -> String {
    let mut out = format!("{:<26} {:>7}", "", "queries");
    for (_, heading, _) in MEASURES {
        let _ = write!(out, " {heading:>9}");
    }
    out.push('\n');
    row(&mut out, "overall", &report["overall"]);
    for (title, key) in [("category", "by_category"), ("language", "by_language"), ("root", "by_root")] {
        let groups = report[key].as_object();
        for (name, group) in groups.into_iter().flatten().filter(|_| groups.is_some_and(|all| all.len() > 1)) {
            row(&mut out, &format!("{title} {name}"), group);
        }
    }
    if report["context"].is_object() {
        out.push_str(&token_cost::table(&report["context"]));
    }
    if let Some(latency) = report["latency_ms"].as_object() {
        let _ = writeln!(out, "latency p50 {:.1} ms, p95 {:.1} ms", number(&latency["p50"]), number(&latency["p95"]));
    }
    out
}

fn row(out: &mut String, title: &str, group: &Value) {
    let _ = write!(out, "{title:<26} {:>7}", number(&group["queries"]));
    for (name, ..) in MEASURES {
        let digits = if name == "tokens_to_first" { 0 } else { 3 };
        let _ = write!(out, " {:>9.digits$}", number(&group[name]));
    }
    out.push('\n');
}

pub(super) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

/// Lists what is worse than in an earlier report of the same suite by more than `tolerance`, one
/// line each.
pub(crate) fn regressions(report: &Value, baseline: &Value, tolerance: f64) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |title: &str, now: &Value, before: &Value, measure: &str| {
        let (now, before) = (number(&now[measure]), number(&before[measure]));
        if now < before - tolerance {
            found.push(format!("{title}: {measure} fell from {before:.3} to {now:.3}"));
        }
    };
    for measure in GUARDED {
        compare("overall", &report["overall"], &baseline["overall"], measure);
    }
    for (category, before) in baseline["by_category"].as_object().into_iter().flatten() {
        compare(category, &report["by_category"][category], before, GUARDED_BY_CATEGORY);
    }
    found
}

/// Questions that are answered worse than in an earlier report, the worst first.
pub(crate) fn worse_answers(report: &Value, baseline: &Value) -> Vec<String> {
    let key = |result: &Value| (result["root"].to_string(), result["query"].to_string());
    let list = |report: &Value| report["results"].as_array().cloned().unwrap_or_default();
    let before: BTreeMap<_, f64> =
        list(baseline).iter().map(|result| (key(result), number(&result["ndcg_at_10"]))).collect();
    let mut worse: Vec<(f64, String)> = list(report)
        .iter()
        .filter_map(|result| {
            let (now, before) = (number(&result["ndcg_at_10"]), *before.get(&key(result))?);
            let line = || format!("{before:.2} -> {now:.2}  {}", result["query"].as_str().unwrap_or_default());
            (now < before).then(|| (now - before, line()))
        })
        .collect();
    worse.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    worse.into_iter().map(|(_, line)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(root: &str, category: &str, ndcg: f64) -> Asked {
        let score = Score { ranks: vec![Some(1)], ndcg, reciprocal_rank: ndcg, success: 1.0, recall: 1.0 };
        Asked {
            root: root.into(),
            query: format!("{root} {category}"),
            category: category.into(),
            language: "rust".into(),
            score,
            tokens: 40.0,
            milliseconds: 2.0,
            token_cost: None,
        }
    }

    #[test]
    fn every_root_counts_the_same() {
        let report =
            report("s", &[asked("a", "symbol", 1.0), asked("b", "symbol", 0.0), asked("b", "other", 0.5)], true);
        assert_eq!(report["overall"]["ndcg_at_10"], json!(0.625));
        assert_eq!(report["by_category"]["symbol"]["ndcg_at_10"], json!(0.5));
        assert_eq!(report["latency_ms"]["p95"], json!(2.0));
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
        assert_eq!(percentile(&[1.0, 2.0, 4.0], 0.75), 3.0);
    }
}
