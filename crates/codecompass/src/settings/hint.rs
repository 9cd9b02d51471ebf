//! What was probably meant by a setting that there is not.

use super::table::SETTINGS;
use crate::error::AppError;

/// The error for an unknown setting, `key` being its full name.
pub(super) fn unknown(place: &str, key: &str) -> AppError {
    let names = SETTINGS.iter().map(|setting| setting.name());
    let sections = SETTINGS.iter().map(|setting| setting.section.to_string());
    let near = names.chain(sections).min_by_key(|known| distance(known, key));
    let hint = match near.filter(|near| distance(near, key) <= 3) {
        _ if key.ends_with("key") => {
            "keys are no settings: they come from the variables CODECOMPASS_EMBEDDING_API_KEY and CODECOMPASS_RERANK_API_KEY"
                .to_string()
        }
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let known: Vec<String> = SETTINGS.iter().map(|setting| setting.name()).collect();
            format!("known settings are {}", known.join(", "))
        }
    };
    AppError::invalid(format!("{place}: unknown setting `{key}`"), hint)
}

/// Edit distance; both sides are short.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}
