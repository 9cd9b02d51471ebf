//! Measures doubt: how often an answer says that it is not sure where there is no answer, and where
//! there is one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::report::{Asked, rounded};

/// The shares of questions whose answers say that they are not sure, in all and by category.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct DoubtReport {
    pub overall: Doubt,
    pub by_category: BTreeMap<String, Doubt>,
}

/// Doubt in a group of questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Doubt {
    pub answerable: usize,
    pub unanswerable: usize,
    /// The share of questions without an answer whose answers are not sure; `None` without such
    /// questions.
    pub recognised: Option<f64>,
    /// The share of the other questions whose answers are not sure.
    pub false_alarms: Option<f64>,
}

/// Sums up what was asked.
pub(crate) fn report(asked: &[Asked]) -> DoubtReport {
    let mut categories: BTreeMap<String, Vec<&Asked>> = BTreeMap::new();
    for one in asked {
        categories.entry(one.category.clone()).or_default().push(one);
    }
    DoubtReport {
        overall: of(&asked.iter().collect::<Vec<_>>()),
        by_category: categories.into_iter().map(|(name, group)| (name, of(&group))).collect(),
    }
}

fn of(group: &[&Asked]) -> Doubt {
    let flagged = |is_answerable: bool| {
        let (mut all, mut flagged) = (0, 0);
        for one in group.iter().filter(|one| one.is_answerable == is_answerable) {
            all += 1;
            flagged += usize::from(one.is_doubted);
        }
        (all, (all > 0).then(|| rounded(flagged as f64 / all as f64)))
    };
    let ((unanswerable, recognised), (answerable, false_alarms)) = (flagged(false), flagged(true));
    Doubt { answerable, unanswerable, recognised, false_alarms }
}

/// The same as lines of text; nothing where every question has an answer and none is doubted.
pub(crate) fn table(report: &DoubtReport) -> String {
    let line = |title: &str, doubt: &Doubt| {
        let share = |value: Option<f64>, all: usize| match value {
            Some(value) => format!("{value:.3} of {all}"),
            None => "-".to_string(),
        };
        let recognised = share(doubt.recognised, doubt.unanswerable);
        let false_alarms = share(doubt.false_alarms, doubt.answerable);
        format!("{title:<26} recognised {recognised:>12}, false alarms {false_alarms}\n")
    };
    let mut out = line("not sure", &report.overall);
    if report.overall.unanswerable > 0 {
        report.by_category.iter().for_each(|(name, doubt)| out.push_str(&line(&format!("category {name}"), doubt)));
    }
    out
}

/// Lists what is worse than in an earlier report by more than `tolerance`.
pub(crate) fn regressions(now: &DoubtReport, before: &DoubtReport, tolerance: f64) -> Vec<String> {
    let mut found = Vec::new();
    if let Some((now, before)) = now.overall.recognised.zip(before.overall.recognised)
        && now < before - tolerance
    {
        found.push(format!("overall: recognised fell from {before:.3} to {now:.3}"));
    }
    if let Some((now, before)) = now.overall.false_alarms.zip(before.overall.false_alarms)
        && now > before + tolerance
    {
        found.push(format!("overall: false_alarms rose from {before:.3} to {now:.3}"));
    }
    found
}
