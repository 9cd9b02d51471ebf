//! Suggests what was probably meant by a setting that there is not.

use std::collections::BTreeSet;

use strsim::levenshtein;

use super::table::SETTINGS;
use crate::error::AppError;

/// Makes the error for an unknown setting, or section if `is_table`; `key` is its full name.
pub(super) fn unknown(place: &str, key: &str, is_table: bool) -> AppError {
    AppError::invalid(format!("{place}: unknown setting `{key}`"), near_setting(key, is_table))
}

/// Returns the setting or section that was probably meant by `key`, or what there is.
pub(super) fn near_setting(key: &str, is_table: bool) -> String {
    let names = SETTINGS.iter().map(|setting| setting.name());
    let sections = SETTINGS.iter().map(|setting| setting.section.to_string());
    let near = names.chain(sections).min_by_key(|known| levenshtein(known, key));
    let own_name = key.rsplit('.').next().unwrap_or(key);
    // A third of the letters may be wrong: with more, short names are all near each other.
    let most = own_name.chars().count().div_ceil(3).min(3);
    match near.filter(|near| levenshtein(near, key) <= most) {
        _ if key.ends_with("key") => {
            "keys are no settings: they come from the variables CODECOMPASS_EMBEDDING_API_KEY, \
             CODECOMPASS_RERANK_API_KEY and CODECOMPASS_CHAT_API_KEY"
                .to_string()
        }
        Some(near) => format!("did you mean `{near}`?"),
        None if is_table => {
            let known: BTreeSet<&str> = SETTINGS.iter().map(|setting| setting.section).collect();
            format!("known sections are {}", Vec::from_iter(known).join(", "))
        }
        None => {
            let known: Vec<String> = SETTINGS.iter().map(|setting| setting.name()).collect();
            format!("known settings are {}", known.join(", "))
        }
    }
}
