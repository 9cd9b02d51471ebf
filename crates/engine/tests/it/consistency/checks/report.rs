//! Numbers of checks, and the disagreements that they found.

use std::collections::BTreeMap;

/// The checks of one run.
#[derive(Default)]
pub(crate) struct Report {
    /// The number of comparisons by check and language.
    pub(crate) asked: BTreeMap<(&'static str, String), usize>,
    /// In the order in which they were found.
    pub(crate) disagreements: Vec<Disagreement>,
}

/// Two answers that do not agree.
#[derive(Clone)]
pub(crate) struct Disagreement {
    /// The name of the check.
    pub(crate) check: &'static str,
    /// The language of the symbol or file.
    pub(crate) language: String,
    /// The name and place of what was asked about.
    pub(crate) subject: String,
    /// The difference.
    pub(crate) difference: String,
    /// The arguments of two commands that show it.
    pub(crate) commands: [String; 2],
}

/// One comparison.
pub(crate) struct Comparison<'a> {
    pub(crate) check: &'static str,
    pub(crate) language: &'a str,
    pub(crate) subject: &'a str,
    pub(crate) commands: [String; 2],
}

impl Report {
    /// Counts a comparison, and keeps the difference if there is one.
    pub(crate) fn add(&mut self, comparison: Comparison<'_>, difference: Option<String>) {
        let Comparison { check, language, subject, commands } = comparison;
        *self.asked.entry((check, language.to_string())).or_default() += 1;
        if let Some(difference) = difference {
            let (language, subject) = (language.to_string(), subject.to_string());
            self.disagreements.push(Disagreement { check, language, subject, difference, commands });
        }
    }

    /// Adds the checks of another run.
    pub(crate) fn merge(&mut self, other: Report) {
        for (key, count) in other.asked {
            *self.asked.entry(key).or_default() += count;
        }
        self.disagreements.extend(other.disagreements);
    }
}
