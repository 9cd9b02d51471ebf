//! The line that accounts for all occurrences of a name, and the definitions that a name means.

use crate::api::navigate::accounting::AccountingView;
use crate::api::views::SubjectDefinitionView;
use crate::remedy::Audience;
use crate::render::shown;
use crate::terminal::output::{DIM, KIND, LINE, NAME, PATH};
use crate::units;

/// Lines of comments and strings that are named.
const MAX_TEXT: usize = 2;
/// Other definitions that are named.
const MAX_TARGETS: usize = 3;
/// Definitions to choose from that are listed.
const MAX_DEFINITIONS: usize = 30;

/// Returns whether every occurrence that may be a use is proven to be one.
pub fn is_proven(accounting: &AccountingView) -> bool {
    accounting.likely + accounting.possible == 0 && accounting.unread.is_empty()
}

/// Returns one line that accounts for every occurrence of a name.
pub fn account_text(accounting: &AccountingView) -> String {
    let AccountingView { definitions, proven, likely, possible, .. } = accounting;
    let name = shown(&accounting.name);
    let own = definitions + proven + likely;
    let are = |count: usize| if count == 1 { "is" } else { "are" };
    let mut parts = vec![format!("{own} {} this one", are(own))];
    if *possible > 0 {
        parts.push(format!("{possible} may be"));
    }
    if accounting.other > 0 {
        parts.push(format!("{} {} not{}", accounting.other, are(accounting.other), targets(accounting)));
    }
    parts.extend(texts_text(accounting));
    let mut out = format!("of {} of `{name}` {}", units::count(accounting.occurrences, "occurrence"), parts.join(", "));
    if accounting.under_other_names > 0 {
        out.push_str(&format!("; {} under another name", units::count(accounting.under_other_names, "more use")));
    }
    out.push_str(&unread_text(accounting));
    out
}

/// Counts the occurrences in comments and strings, and names their lines if they are few.
pub fn texts_text(accounting: &AccountingView) -> Option<String> {
    let text = format!("{} in comments and strings{}", accounting.text, few(&accounting.text_lines));
    (accounting.text > 0).then_some(text)
}

/// Names the files whose occurrences could not be counted.
pub fn unread_text(accounting: &AccountingView) -> String {
    match accounting.unread.as_slice() {
        [] => String::new(),
        unread => format!("; not counted, search there with `grep`: {}", shown(&unread.join(", "))),
    }
}

/// Returns lines in parentheses if they are few.
fn few(lines: &[(String, u32)]) -> String {
    if (1..=MAX_TEXT).contains(&lines.len()) {
        let lines: Vec<String> = lines.iter().map(|(path, line)| format!("{}:{line}", shown(path))).collect();
        format!(" ({})", lines.join(", "))
    } else {
        String::new()
    }
}

/// Names the definitions that most other occurrences mean, in parentheses.
fn targets(accounting: &AccountingView) -> String {
    let named = accounting.targets.iter().take(MAX_TARGETS);
    let mut parts: Vec<String> = named.map(|(name, count)| format!("{count} {}", shown(last_names(name)))).collect();
    if parts.is_empty() {
        return String::new();
    }
    let named: usize = accounting.targets.iter().take(MAX_TARGETS).map(|(_, count)| count).sum();
    let rest = accounting.other.saturating_sub(named);
    if rest > 0 {
        parts.push(format!("{rest} others"));
    }
    format!(" ({})", parts.join(", "))
}

/// Returns the last two parts of a qualified name.
pub fn last_names(name: &str) -> &str {
    let is_separator = |c: char| !(c.is_alphanumeric() || c == '_');
    let before = |at: usize| name[..at].trim_end_matches(is_separator).rfind(is_separator).map(|at| at + 1);
    name.rfind(is_separator).and_then(before).map_or(name, |at| &name[at..])
}

/// Writes the definitions that an answer is about, or those to choose from, with the numbers of
/// their uses. `open` is the number of those to choose from that are not among them.
pub fn definitions_text(
    out: &mut String,
    definitions: &[SubjectDefinitionView],
    open: Option<usize>,
    audience: Audience,
) {
    let Some(first) = definitions.first() else { return };
    let ask = if open.is_some() { "; ask for one by path:line or with its container" } else { "" };
    let total = definitions.len() + open.unwrap_or(0);
    out.push_str(&format!("{total} definitions of `{}`{ask}:\n", shown(&first.name)));
    let mut most_used: Vec<&SubjectDefinitionView> = definitions.iter().collect();
    most_used.sort_by_key(|definition| std::cmp::Reverse(definition.uses));
    for definition in most_used.into_iter().take(MAX_DEFINITIONS) {
        let uses = units::count(definition.uses, "use");
        let (path, line, name) = (shown(&definition.path), definition.line, shown(&definition.local_name));
        out.push_str(&format!(
            "  {uses:>8}  {PATH}{path}{PATH:#}:{LINE}{line}{LINE:#}  {KIND}{}{KIND:#}  {NAME}{name}{NAME:#}\n",
            definition.kind
        ));
    }
    if total > definitions.len().min(MAX_DEFINITIONS) {
        let more = total - definitions.len().min(MAX_DEFINITIONS);
        let locate = audience.question("locate", "locate_symbol");
        out.push_str(&format!("  {DIM}{more} more, which {locate} lists{DIM:#}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_reads_as_one_sentence() {
        let accounting = AccountingView {
            name: "run".into(),
            occurrences: 12,
            definitions: 1,
            proven: 2,
            likely: 1,
            possible: 3,
            other: 4,
            text: 1,
            other_symbols: Default::default(),
            under_other_names: 0,
            unread: Vec::new(),
            targets: vec![("a.b.Job.run".into(), 3)],
            possible_lines: Vec::new(),
            text_lines: vec![("a.py".into(), 7)],
        };
        assert_eq!(
            account_text(&accounting),
            "of 12 occurrences of `run` 4 are this one, 3 may be, 4 are not (3 Job.run, 1 others), 1 in comments and strings (a.py:7)"
        );
        assert!(!is_proven(&accounting));
    }
}
