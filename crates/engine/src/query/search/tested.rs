//! Points for code that tests name: a test often has the words of a question when the code that it
//! tests does not.
//!
//! Names are compared as they are written, without resolving them: that costs a few steps, and a
//! name that many candidates have counts the less.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::model::Role;
use crate::query::hit::Hit;
use crate::query::rank::score::Feature;
use crate::query::search::parts::Candidate;
use crate::query::search::rounds::{Asked, Round, Shard};
use crate::weights::tested as weights;

/// Adds points to candidates that the best tests among them name.
pub(super) fn with_points(asked: &Asked<'_>, mut candidates: Vec<Candidate>) -> Result<Vec<Candidate>> {
    // Tests lose a share of their points for being tests; here they are compared without that.
    let gained = |hit: &Hit| hit.explanation.parts.iter().map(|part| part.value.max(0.0)).sum::<f64>();
    let best = candidates.iter().map(|one| gained(&one.hit)).fold(0.0, f64::max);
    let is_test = |hit: &&Hit| hit.file_role == Role::Test && hit.symbol_id.is_some();
    let mut tests: Vec<&Hit> = candidates.iter().map(|one| &one.hit).filter(is_test).collect();
    tests.sort_by(|a, b| gained(b).total_cmp(&gained(a)));
    tests.truncate(weights::TESTS);
    let place = |hit: &Hit| Some((hit.path.clone(), hit.symbol_id?.ordinal));
    let wanted = tests.iter().filter_map(|hit| Some((hit.repository, place(hit)?)));
    let replies = asked.ask_for(wanted, |_, definitions| NamesIn { definitions })?;
    let mut names: FxHashMap<usize, _> =
        replies.into_iter().map(|(repository, names)| (repository, names.into_iter())).collect();
    let mut shared: FxHashMap<&str, f64> = FxHashMap::default();
    for hit in candidates.iter().map(|one| &one.hit).filter(|hit| hit.symbol_id.is_some()) {
        *shared.entry(&hit.name).or_default() += 1.0;
    }
    let mut named: FxHashMap<String, f64> = FxHashMap::default();
    for test in tests {
        let names = names.get_mut(&test.repository).and_then(Iterator::next).unwrap_or_default();
        for name in names.into_iter().filter(|name| shared.contains_key(name.as_str())) {
            *named.entry(name).or_default() += gained(test) / best;
        }
    }
    // A name is shared by the candidates that have it.
    for (name, sum) in &mut named {
        *sum /= shared.get(name.as_str()).copied().unwrap_or(1.0);
    }
    for Candidate { hit, .. } in &mut candidates {
        let sum = named.get(&hit.name).filter(|_| hit.symbol_id.is_some() && hit.file_role != Role::Test);
        let Some(sum) = sum else { continue };
        hit.explanation.add(Feature::NamedByTests, weights::NAMED * sum / (sum + 1.0));
        hit.score = hit.explanation.score();
    }
    Ok(candidates)
}

/// Asks for the names in the bodies of definitions, given by path and number.
#[derive(Serialize, Deserialize)]
pub(crate) struct NamesIn {
    definitions: Vec<(String, u32)>,
}

impl Round for NamesIn {
    type Reply = Vec<FxHashSet<String>>;

    fn answer(self, shard: &mut Shard<'_>) -> Result<Self::Reply> {
        let names = |(path, ordinal): (String, u32)| {
            let Some(version) = shard.snapshot.version_at(&path) else { return Ok(FxHashSet::default()) };
            let uses = shard.snapshot.uses(version)?;
            let inside = uses.references.iter().filter(|one| one.enclosing == Some(ordinal));
            Ok(inside.filter_map(|one| uses.names.get(one.name as usize)).cloned().collect())
        };
        self.definitions.into_iter().map(names).collect()
    }
}
