//! Measures what `context` finds for how many tokens: the share of a question's files that are in
//! an answer of a given budget.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use codecompass_app::api::find::context::{ContextMetadata, CountedForm, DEFAULT_LIMIT, JsonForm, within_budget};
use codecompass_app::api::metadata::Metadata;
use codecompass_app::remedy::Audience;
use codecompass_app::render::find::context::TextForm;
use codecompass_engine::query::{ContextOptions, Filter};
use codecompass_engine::{Engine, Error as EngineError, Snapshot};
use serde::Serialize;

use super::report::{Asked, by_root, rounded};
use super::score::is_file;
use super::suite::Target;

/// Budgets that are measured.
const BUDGETS: [usize; 4] = [500, 1000, 2000, 4000];

/// The measures of one question, per budget.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TokenCost {
    pub text: [Measured; BUDGETS.len()],
    pub json: [Measured; BUDGETS.len()],
}

/// The measures of one answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Measured {
    /// The share of the question's files that have a result.
    pub recall: f64,
    /// The tokens that the answer cost.
    pub tokens: f64,
    /// Results with code.
    pub with_code: f64,
}

/// Asks for code at every budget. `metadata` is what JSON answers say about themselves.
pub(crate) fn measure(
    snapshot: &Snapshot,
    engine: &Engine,
    query: &str,
    targets: &[Target],
    filter: &Filter,
    metadata: &Metadata<ContextMetadata>,
) -> Result<TokenCost, EngineError> {
    let mut cost = TokenCost::default();
    for (at, budget) in BUDGETS.into_iter().enumerate() {
        let (filter, semantic) = (filter.clone(), engine.semantic());
        let limit = DEFAULT_LIMIT.get() as usize;
        let tuning = engine.config().search.clone();
        let options = ContextOptions { filter, limit, budget, semantic, tuning, ..ContextOptions::default() };
        let ask = |form: &dyn CountedForm| -> Result<Measured, EngineError> {
            let answer = within_budget(snapshot, engine, query, &options, form, metadata)?;
            let Some(answer) = answer else { return Ok(Measured::default()) };
            let paths: Vec<&str> = answer.results.iter().map(|result| result.path.as_str()).collect();
            Ok(Measured {
                recall: recall(&engine.workspace().root, &paths, targets),
                tokens: answer.metadata.extra.map_or(0, |extra| extra.estimated_tokens) as f64,
                with_code: answer.results.iter().filter(|result| result.code.is_some()).count() as f64,
            })
        };
        cost.text[at] = ask(&TextForm { is_styled: false, audience: Audience::Cli })?;
        cost.json[at] = ask(&JsonForm)?;
    }
    Ok(cost)
}

fn recall(root: &Path, paths: &[&str], targets: &[Target]) -> f64 {
    let wanted: BTreeSet<&str> = targets.iter().map(|target| target.path.as_str()).collect();
    let found = wanted.iter().filter(|target| paths.iter().any(|path| is_file(root, path, target))).count();
    found as f64 / wanted.len().max(1) as f64
}

/// Means over roots of the means over their questions, in all and by category.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TokenCostReport {
    overall: TokenCostMeans,
    by_category: BTreeMap<String, TokenCostMeans>,
}

/// Means of a group of questions, by budget.
#[derive(Clone, Debug, Serialize)]
struct TokenCostMeans {
    queries: usize,
    as_text: BTreeMap<usize, Measured>,
    as_json: BTreeMap<usize, Measured>,
}

/// Sums up what was asked.
pub(crate) fn report(asked: &[Asked]) -> TokenCostReport {
    let mut categories: BTreeMap<&str, Vec<&Asked>> = BTreeMap::new();
    for one in asked.iter().filter(|one| one.is_answerable) {
        categories.entry(&one.category).or_default().push(one);
    }
    let everything: Vec<&Asked> = asked.iter().filter(|one| one.is_answerable).collect();
    TokenCostReport {
        overall: means(&everything),
        by_category: categories.into_iter().map(|(name, group)| (name.to_string(), means(&group))).collect(),
    }
}

fn means(group: &[&Asked]) -> TokenCostMeans {
    TokenCostMeans {
        queries: group.len(),
        as_text: means_by_budget(group, |cost| &cost.text),
        as_json: means_by_budget(group, |cost| &cost.json),
    }
}

fn means_by_budget(group: &[&Asked], side: fn(&TokenCost) -> &[Measured; BUDGETS.len()]) -> BTreeMap<usize, Measured> {
    let mean = |at: usize| {
        let of = |asked: &Asked| asked.token_cost.as_ref().map(|cost| side(cost)[at]).unwrap_or_default();
        Measured {
            recall: rounded(by_root(group, |asked| of(asked).recall)),
            tokens: rounded(by_root(group, |asked| of(asked).tokens)),
            with_code: rounded(by_root(group, |asked| of(asked).with_code)),
        }
    };
    BUDGETS.into_iter().enumerate().map(|(at, budget)| (budget, mean(at))).collect()
}

/// The same as a table.
pub(crate) fn table(report: &TokenCostReport) -> String {
    let mut out = format!("{:<26} {:>7}", "context: recall of files", "queries");
    for side in ["text", "JSON"] {
        BUDGETS.iter().for_each(|budget| {
            let _ = write!(out, " {:>9}", format!("{side} {budget}"));
        });
    }
    out.push('\n');
    let mut row = |title: &str, group: &TokenCostMeans| {
        let _ = write!(out, "{title:<26} {:>7}", group.queries);
        for measured in group.as_text.values().chain(group.as_json.values()) {
            let _ = write!(out, " {:>9.3}", measured.recall);
        }
        out.push('\n');
    };
    row("overall", &report.overall);
    report.by_category.iter().for_each(|(name, group)| row(&format!("category {name}"), group));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_count_once() {
        let target = |path: &str, lines| Target { path: path.into(), lines, symbol: None };
        let targets = [target("src/a.rs", Some((1, 2))), target("src/a.rs", Some((8, 9))), target("b.rs", None)];
        let recall = |paths: &[&str]| recall(Path::new("/root"), paths, &targets);
        assert_eq!(recall(&["src/a.rs"]), 0.5);
        assert_eq!(recall(&["c.rs", "deep/b.rs", "src/a.rs"]), 1.0);
        assert_eq!(recall(&["xb.rs"]), 0.0);
    }
}
