//! Factors that settings give to scores, by the path and the role of the file.

use crate::config::SearchConfig;
use crate::model::Role;
use crate::query::hit::Hit;
use crate::query::rank::features::Question;
use crate::query::rank::score::Feature;

/// Multiplies the score of a hit by the factors of its file's role and path.
pub(crate) fn apply(hit: &mut Hit, question: &Question, tuning: &SearchConfig) {
    hit.explanation.multiply(Feature::PathRule, factor(&hit.path, hit.file_role, question, tuning));
    hit.score = hit.explanation.score();
}

/// Returns the factor of a file. Of several paths that lead to it, the one that ends deepest
/// counts, then the longest one.
fn factor(path: &str, role: Role, question: &Question, tuning: &SearchConfig) -> f64 {
    let of_role = if question.asks_for(role) { 1.0 } else { tuning.role_factors.of(role) };
    let rules = tuning.path_factors.iter().filter_map(|rule| Some((rule.depth(path)?, rule)));
    let of_path = rules.max_by_key(|(depth, rule)| (*depth, rule.path.len()));
    of_role * of_path.map_or(1.0, |(_, rule)| rule.factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{PathFactor, RoleFactors};

    #[test]
    fn the_deepest_path_counts_and_roles_multiply() {
        let rule = |path: &str, factor| PathFactor { path: path.into(), factor };
        let tuning = SearchConfig {
            role_factors: RoleFactors { test: 0.5, ..RoleFactors::default() },
            path_factors: vec![rule("src", 2.0), rule("core", 3.0), rule("app/src/core", 4.0)],
            ..SearchConfig::default()
        };
        let factor = |path: &str, role, query: &str| factor(path, role, &Question::new(query), &tuning);
        assert_eq!(factor("main.py", Role::Source, "where"), 1.0);
        assert_eq!(factor("src/main.py", Role::Source, "where"), 2.0);
        assert_eq!(factor("src/core/main.py", Role::Source, "where"), 3.0);
        assert_eq!(factor("core/src/main.py", Role::Source, "where"), 2.0);
        assert_eq!(factor("app/src/core/main.py", Role::Source, "where"), 4.0);
        assert_eq!(factor("src/test_main.py", Role::Test, "where"), 1.0);
        assert_eq!(factor("src/test_main.py", Role::Test, "which tests"), 2.0);
    }
}
