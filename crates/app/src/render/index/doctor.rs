//! Text of `doctor`.

use std::fmt::Write as _;

use crate::api::index::doctor::rules::{INCLUDE, SkipRuleView, SkipRulesView};
use crate::api::index::doctor::{DoctorAnswer, DoctorRequest};
use crate::remedy::Audience;
use crate::terminal::output::{DIM, NAME};

pub fn text(_: &DoctorRequest, answer: &DoctorAnswer, _: Audience) -> String {
    let mut out = format!("codecompass {}\n", answer.version);
    for check in &answer.checks {
        let mark = if check.ok { "ok  " } else { "FAIL" };
        let _ = writeln!(out, "{mark} {NAME}{}{NAME:#}: {}", check.name, check.detail);
        if let Some(remediation) = &check.remediation {
            let _ = writeln!(out, "     {DIM}{}{DIM:#}", remediation.text());
        }
    }
    if let Some(rules) = &answer.skipped {
        rules_text(&mut out, rules);
    }
    out
}

/// Writes a table of the rules that skip most.
fn rules_text(out: &mut String, skipped: &SkipRulesView) {
    if skipped.rules.is_empty() {
        return;
    }
    out.push_str("rules that skip most:\n");
    let width = skipped.rules.iter().map(|rule| rule.count.words(", ").len()).max().unwrap_or_default();
    let is_included_again =
        |rule: &SkipRuleView| rule.remediation.as_ref().is_some_and(|advice| advice.text() == INCLUDE);
    for rule in &skipped.rules {
        let source = rule.source.as_ref().map(|source| format!("{source}: ")).unwrap_or_default();
        let _ = write!(out, "     {:<width$}  {source}{}", rule.count.words(", "), rule.rule);
        if let Some(advice) = rule.remediation.as_ref().filter(|_| !is_included_again(rule)) {
            let _ = write!(out, "  {DIM}{}{DIM:#}", advice.text());
        }
        out.push('\n');
    }
    let more = skipped.rule_count - skipped.rules.len();
    if more > 0 {
        let _ = writeln!(out, "     and {more} more of them");
    }
    if skipped.rules.iter().any(is_included_again) {
        let _ = writeln!(
            out,
            "     {DIM}what built-in rules and git's ignore files skip, a line `!NAME` in .codecompassignore includes \
             again{DIM:#}"
        );
    }
}

#[cfg(test)]
mod tests {
    use codecompass_engine::model::SkipReason;
    use codecompass_engine::scan::SkippedPath;

    use super::*;

    #[test]
    fn a_short_table_says_that_it_is_short() {
        let skipped = |number: usize| {
            let reason = SkipReason::IgnoreFile { file: "a/.gitignore".into(), pattern: format!("p{number:02}") };
            SkippedPath { path: format!("p{number}"), is_dir: false, reason }
        };
        let many: Vec<SkippedPath> = (0..15).map(skipped).collect();
        let mut out = String::new();
        let rules = SkipRulesView::new(&many);
        rules_text(&mut out, &rules);
        assert_eq!(out.lines().filter(|line| line.contains("a/.gitignore: p")).count(), 12);
        assert!(out.contains("\n     and 3 more of them\n"), "{out}");
        assert_eq!(rules.rules.len(), 12);
        let mut out = String::new();
        rules_text(&mut out, &SkipRulesView::new(&[]));
        assert_eq!(out, "");
    }
}
