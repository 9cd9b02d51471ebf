//! The account of all occurrences of a symbol's name.

use std::collections::BTreeMap;

use codecompass_engine::query::Accounting;
use serde::Serialize;

/// The occurrences of a name by class; the classes add up to `occurrences`.
#[derive(Clone, Debug, Serialize)]
pub struct AccountingView {
    pub name: String,
    pub occurrences: usize,
    /// The names of the symbol's own definitions.
    pub definitions: usize,
    /// Proven uses.
    #[serde(rename = "static")]
    pub proven: usize,
    pub likely: usize,
    pub possible: usize,
    pub other: usize,
    pub text: usize,
    /// The most frequent definitions that other occurrences mean.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub other_symbols: BTreeMap<String, usize>,
    /// Uses that are written in another way, and so are no occurrences of the name.
    #[serde(skip_serializing_if = "is_zero")]
    pub under_other_names: usize,
    /// Files whose occurrences could not be counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// The same definitions, most frequent first.
    #[serde(skip)]
    pub targets: Vec<(String, usize)>,
    /// The first lines of possible uses; text names them if they are few.
    #[serde(skip)]
    pub possible_lines: Vec<(String, u32)>,
    /// The first lines in comments and strings.
    #[serde(skip)]
    pub text_lines: Vec<(String, u32)>,
}

impl From<Accounting> for AccountingView {
    fn from(accounting: Accounting) -> AccountingView {
        AccountingView {
            name: accounting.name,
            occurrences: accounting.occurrences,
            proven: accounting.proven,
            likely: accounting.likely,
            possible: accounting.possible,
            other: accounting.other,
            text: accounting.text,
            definitions: accounting.definitions,
            other_symbols: accounting.targets.iter().cloned().collect(),
            under_other_names: accounting.renamed,
            unread: accounting.unread,
            targets: accounting.targets,
            possible_lines: accounting.possible_lines,
            text_lines: accounting.text_lines,
        }
    }
}

/// Numbers of uses by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ClassCounts {
    #[serde(rename = "static")]
    pub proven: usize,
    pub likely: usize,
    pub possible: usize,
}

impl ClassCounts {
    pub fn is_empty(&self) -> bool {
        *self == ClassCounts::default()
    }
}

impl From<[usize; 3]> for ClassCounts {
    fn from([proven, likely, possible]: [usize; 3]) -> ClassCounts {
        ClassCounts { proven, likely, possible }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}
