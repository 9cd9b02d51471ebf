//! The version of the ranking: the formula and the weights in force.

use codecompass_syntax::facts::Kind;

use crate::config::SearchConfig;
use crate::model::Role;
use crate::weights::{self, RoleWeights};

/// The version of the formula; raise it when scores change although no weight does.
const PROFILE: u32 = 1;

/// Returns a short text that names the formula and the weights in force: equal texts rank alike.
pub fn rank_profile_version(config: &SearchConfig) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut add = |name: &str, value: &str| {
        for text in [name, "=", value, "\n"] {
            hasher.update(text.as_bytes());
        }
    };
    for section in weights::SECTIONS {
        for weight in section.weights {
            add(&format!("{}.{}", section.name, weight.name), weight.value);
        }
    }
    for field in weights::FIELDS {
        add(field.name, &format!("{} {} {}", field.weight, field.length_normalization, field.pivot));
    }
    for one in Role::ALL {
        let RoleWeights { search_discount, locate_points, reading_rank } = weights::role(one);
        add(one.as_str(), &format!("{search_discount} {locate_points} {reading_rank}"));
        add(one.as_str(), &config.role_factors.of(one).to_string());
    }
    for one in Kind::ALL {
        add(one.as_str(), &weights::kind(*one).to_string());
    }
    for (tunable, value) in config.values() {
        add(tunable.setting, &value.to_string());
    }
    let mut paths: Vec<_> = config.path_factors.iter().collect();
    paths.sort_by(|a, b| a.path.cmp(&b.path));
    for path in paths {
        add(&path.path, &path.factor.to_string());
    }
    format!("{PROFILE}-{}", &hasher.finalize().to_hex()[..8])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::PathFactor;

    #[test]
    fn the_profile_changes_with_each_setting() {
        let default = SearchConfig::default();
        let mut all = vec![default.clone()];
        for change in [
            |config: &mut SearchConfig| config.local_rerank_token_overlap_weight = 3.0,
            |config: &mut SearchConfig| config.local_rerank_phrase_boost = 1.0,
            |config: &mut SearchConfig| config.confidence_top_score_weight = 0.6,
            |config: &mut SearchConfig| config.confidence_score_margin_weight = 0.3,
            |config: &mut SearchConfig| config.confidence_channel_agreement_weight = 0.4,
            |config: &mut SearchConfig| config.lexical_fanout_multiplier = 2.0,
            |config: &mut SearchConfig| config.semantic_limit_multiplier = 2.0,
            |config: &mut SearchConfig| config.semantic_fanout_multiplier = 2.0,
            |config: &mut SearchConfig| config.role_factors.test = 2.0,
            |config: &mut SearchConfig| config.role_factors.docs = 2.0,
            |config: &mut SearchConfig| config.path_factors = vec![PathFactor { path: "src".into(), factor: 2.0 }],
        ] {
            let mut changed = default.clone();
            change(&mut changed);
            all.push(changed);
        }
        let mut versions: Vec<String> = all.iter().map(rank_profile_version).collect();
        assert_eq!(versions[0], rank_profile_version(&SearchConfig::default()));
        assert!(versions.iter().all(|version| version.starts_with("1-") && version.len() == 10), "{versions:?}");
        versions.sort();
        versions.dedup();
        assert_eq!(versions.len(), all.len());
    }
}
