//! Times of searches: the first question of a view that was just opened is cold, the others are
//! warm.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use super::report::{Asked, rounded};

/// Times in milliseconds, in all and by category.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LatencyReport {
    #[serde(flatten)]
    overall: Latency,
    by_category: BTreeMap<String, Latency>,
}

/// Times of a group of questions. `p50` and `p95` are those of warm questions, or of all where
/// there are no warm ones.
#[derive(Clone, Copy, Debug, Serialize)]
struct Latency {
    p50: f64,
    p95: f64,
    cold: Option<Percentiles>,
    warm: Option<Percentiles>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Percentiles {
    queries: usize,
    p50: f64,
    p95: f64,
}

/// Sums up what was asked.
pub(crate) fn report(asked: &[Asked]) -> LatencyReport {
    let mut categories: BTreeMap<String, Vec<&Asked>> = BTreeMap::new();
    for one in asked {
        categories.entry(one.category.clone()).or_default().push(one);
    }
    LatencyReport {
        overall: Latency::of(&asked.iter().collect::<Vec<_>>()),
        by_category: categories.into_iter().map(|(name, group)| (name, Latency::of(&group))).collect(),
    }
}

impl Latency {
    fn of(group: &[&Asked]) -> Latency {
        let times = |keep: &dyn Fn(&Asked) -> bool| {
            Percentiles::of(group.iter().filter(|one| keep(one)).map(|one| one.milliseconds).collect())
        };
        let (cold, warm) = (times(&|one| one.is_cold), times(&|one| !one.is_cold));
        let usual = warm.or(cold);
        Latency { p50: usual.map_or(0.0, |times| times.p50), p95: usual.map_or(0.0, |times| times.p95), cold, warm }
    }
}

impl Percentiles {
    fn of(mut times: Vec<f64>) -> Option<Percentiles> {
        times.sort_by(f64::total_cmp);
        let at = |share: f64| rounded(percentile(&times, share));
        (!times.is_empty()).then(|| Percentiles { queries: times.len(), p50: at(0.5), p95: at(0.95) })
    }
}

/// The value below which a share of the sorted values lies, interpolated.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let at = sorted.len().saturating_sub(1) as f64 * share;
    let value = |index: f64| sorted.get(index as usize).copied().unwrap_or(0.0);
    value(at.floor()) + (value(at.ceil()) - value(at.floor())) * at.fract()
}

/// The same as lines of text.
pub(crate) fn table(report: &LatencyReport) -> String {
    let mut out = String::new();
    let mut line = |title: &str, latency: &Latency| {
        let _ = write!(out, "{title:<26}");
        for (name, times) in [("warm", latency.warm), ("cold", latency.cold)] {
            if let Some(Percentiles { p50, p95, .. }) = times {
                let _ = write!(out, " {name} p50 {p50:.1} ms, p95 {p95:.1} ms");
            }
        }
        out.push('\n');
    };
    line("latency", &report.overall);
    if report.by_category.len() > 1 {
        report.by_category.iter().for_each(|(name, latency)| line(&format!("category {name}"), latency));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_lie_between_values() {
        assert_eq!(percentile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert_eq!(percentile(&[], 0.5), 0.0);
    }
}
