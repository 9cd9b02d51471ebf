//! Points for code that tests name: a test often has the words of a question when the code that it
//! tests does not.
//!
//! Names are compared as they are written, without resolving them: that costs a few steps, and a
//! name that many candidates have counts the less.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::model::Role;
use crate::query::hit::Hit;
use crate::query::rank::score::Feature;
use crate::store::Snapshot;
use crate::weights::tested as weights;

/// Adds points to candidates that the best tests among them name.
pub(super) fn add_points(snapshot: &Snapshot, hits: &mut [Hit]) -> Result<()> {
    // Tests lose a share of their points for being tests; here they are compared without that.
    let gained = |hit: &Hit| hit.explanation.parts.iter().map(|part| part.value.max(0.0)).sum::<f64>();
    let best = hits.iter().map(gained).fold(0.0, f64::max);
    let is_test = |hit: &Hit| hit.file_role == Role::Test && hit.symbol_id.is_some();
    let mut tests: Vec<usize> = (0..hits.len()).filter(|at| is_test(&hits[*at])).collect();
    tests.sort_by(|a, b| gained(&hits[*b]).total_cmp(&gained(&hits[*a])).then_with(|| a.cmp(b)));
    tests.truncate(weights::TESTS);
    let mut candidates: FxHashMap<&str, f64> = FxHashMap::default();
    for hit in hits.iter().filter(|hit| hit.symbol_id.is_some()) {
        *candidates.entry(&hit.name).or_default() += 1.0;
    }
    let mut named: FxHashMap<String, f64> = FxHashMap::default();
    for test in tests.iter().map(|at| &hits[*at]) {
        for name in names_in(snapshot, test)? {
            if candidates.contains_key(name.as_str()) {
                *named.entry(name).or_default() += gained(test) / best;
            }
        }
    }
    for (name, sum) in &mut named {
        *sum /= candidates.get(name.as_str()).copied().unwrap_or(1.0);
    }
    for hit in hits.iter_mut().filter(|hit| hit.symbol_id.is_some() && hit.file_role != Role::Test) {
        let Some(sum) = named.get(&hit.name) else { continue };
        hit.explanation.add(Feature::NamedByTests, weights::NAMED * sum / (sum + 1.0));
        hit.score = hit.explanation.score();
    }
    Ok(())
}

/// The names in the body of a definition.
fn names_in(snapshot: &Snapshot, hit: &Hit) -> Result<FxHashSet<String>> {
    let (Some(version), Some(id)) = (snapshot.version_at(&hit.path), hit.symbol_id) else {
        return Ok(FxHashSet::default());
    };
    let uses = snapshot.uses(version)?;
    let inside = uses.references.iter().filter(|one| one.enclosing == Some(id.ordinal));
    Ok(inside.filter_map(|one| uses.names.get(one.name as usize)).cloned().collect())
}
