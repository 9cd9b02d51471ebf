//! Points for code that tests name: a test often has the words of a question when the code that it
//! tests does not.
//!
//! Names are compared as they are written, without resolving them: that costs a few steps, and a
//! name that many candidates have counts the less.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::model::Role;
use crate::query::hit::Hit;
use crate::query::rank::score::Feature;
use serde::{Deserialize, Serialize};

use crate::query::shards::{self, Shard};
use crate::store::Snapshot;
use crate::weights::tested as weights;

/// Adds points to candidates that the best tests among them name.
pub(super) fn add_points(snapshot: &Snapshot, shard: Option<&Arc<Shard>>, hits: &mut [Hit]) -> Result<()> {
    // Tests lose a share of their points for being tests; here they are compared without that.
    let gained = |hit: &Hit| hit.explanation.parts.iter().map(|part| part.value.max(0.0)).sum::<f64>();
    let best = shards::greatest(shard, hits.iter().map(gained).fold(0.0, f64::max))?;
    let is_test = |hit: &Hit| hit.file_role == Role::Test && hit.symbol_id.is_some();
    let mut tests: Vec<usize> = (0..hits.len()).filter(|at| is_test(&hits[*at])).collect();
    tests.sort_by(|a, b| gained(&hits[*b]).total_cmp(&gained(&hits[*a])).then_with(|| a.cmp(b)));
    tests.truncate(weights::TESTS);
    let mut own = OwnTests::default();
    for hit in hits.iter().filter(|hit| hit.symbol_id.is_some()) {
        *own.candidates.entry(hit.name.clone()).or_default() += 1.0;
    }
    for test in tests.iter().map(|at| &hits[*at]) {
        own.tests.push((gained(test) / best, names_in(snapshot, test)?));
    }
    let named = shards::combined(shard, own, points_of_names)?;
    for hit in hits.iter_mut().filter(|hit| hit.symbol_id.is_some() && hit.file_role != Role::Test) {
        let Some(sum) = named.get(&hit.name) else { continue };
        hit.explanation.add(Feature::NamedByTests, weights::NAMED * sum / (sum + 1.0));
        hit.score = hit.explanation.score();
    }
    Ok(())
}

/// The tests among a shard's candidates.
#[derive(Default, Serialize, Deserialize)]
struct OwnTests {
    /// The share of the best candidate's points, and the names, of the best ones.
    tests: Vec<(f64, FxHashSet<String>)>,
    /// The number of candidates with each name.
    candidates: FxHashMap<String, f64>,
}

/// Returns the points of names that the best tests of all shards have, each shared by the
/// candidates with the name.
fn points_of_names(parts: Vec<OwnTests>) -> FxHashMap<String, f64> {
    let mut tests = Vec::new();
    let mut candidates: FxHashMap<String, f64> = FxHashMap::default();
    for part in parts {
        tests.extend(part.tests);
        for (name, count) in part.candidates {
            *candidates.entry(name).or_default() += count;
        }
    }
    tests.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut named: FxHashMap<String, f64> = FxHashMap::default();
    for (share, names) in tests.into_iter().take(weights::TESTS) {
        for name in names.into_iter().filter(|name| candidates.contains_key(name)) {
            *named.entry(name).or_default() += share;
        }
    }
    for (name, sum) in &mut named {
        *sum /= candidates.get(name.as_str()).copied().unwrap_or(1.0);
    }
    named
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
