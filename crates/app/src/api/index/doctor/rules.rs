//! The rules that leave files out, as `doctor` lists them: where each comes from, how much it
//! skips, and what to do about it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use codecompass_engine::model::SkipReason;
use codecompass_engine::scan::SkippedPath;
use serde::Serialize;

use crate::api::part::parts;
use crate::remedy::{Advice, Remedy};
use crate::units;

/// So many rules are shown; `index --show-ignored` has every path.
const MAX_RULES: usize = 12;

/// The rules that skip something, those that skip most first.
#[derive(Clone, Debug, Serialize)]
pub struct SkipRulesView {
    #[serde(flatten)]
    pub total: PathCount,
    /// The number of rules, those that are not listed among them.
    pub rule_count: usize,
    pub rules: Vec<SkipRuleView>,
}
parts!(SkipRulesView { rules });

/// A rule, and what it skips.
#[derive(Clone, Debug, Serialize)]
pub struct SkipRuleView {
    pub rule: String,
    /// An ignore file, a setting, or the program itself; `None` where the reason is what the path
    /// is.
    pub source: Option<String>,
    pub reason: &'static str,
    #[serde(flatten)]
    pub count: PathCount,
    /// Advice on how to have it indexed all the same, where that is possible.
    pub remediation: Option<Advice>,
}
parts!(SkipRuleView { rule, source, remediation });

/// A reason to skip, without what is special about one path.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rule {
    source: Option<String>,
    text: String,
    code: &'static str,
}

/// A number of paths. A directory stands for all that it contains.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct PathCount {
    pub files: usize,
    pub directories: usize,
}

impl PathCount {
    fn add(&mut self, path: &SkippedPath) {
        *if path.is_dir { &mut self.directories } else { &mut self.files } += 1;
    }

    pub fn sum(self) -> usize {
        self.files + self.directories
    }

    /// Returns the numbers in words, files first.
    pub fn words(self, between: &str) -> String {
        let files = (self.files > 0 || self.directories == 0).then(|| units::count(self.files, "file"));
        let directories = (self.directories > 0).then(|| units::count(self.directories, "directory"));
        files.into_iter().chain(directories).collect::<Vec<_>>().join(between)
    }
}

/// The advice that most rules have in common.
pub const INCLUDE: &str = "a line `!NAME` in .codecompassignore includes it again";

impl Rule {
    /// Returns the rule behind a reason, with advice.
    fn of(reason: &SkipReason) -> (Rule, Option<Remedy>) {
        let (source, text, remedy): (Option<&str>, &str, Option<Remedy>) = match reason {
            SkipReason::BuiltIn(text @ "version control") => (Some("built-in"), text, None),
            SkipReason::BuiltIn(text) => (Some("built-in"), text, Some(INCLUDE.into())),
            SkipReason::IgnoreFile { file, pattern } if file.ends_with(".codecompassignore") => {
                (Some(file), pattern, Some("remove the line, or include it again by a line `!NAME` below".into()))
            }
            SkipReason::IgnoreFile { file, pattern } => (Some(file), pattern, Some(INCLUDE.into())),
            SkipReason::NestedRepository => {
                (None, "a repository of its own", Some("ask about it as a workspace of its own".into()))
            }
            SkipReason::Symlink => {
                (None, "symbolic link", Some("what it leads to is indexed if it is in the workspace".into()))
            }
            SkipReason::NotAFile => (None, "not a regular file", None),
            SkipReason::PathNotUtf8 => (None, "path is not UTF-8", Some("rename it".into())),
            SkipReason::TooLarge(_) => (Some("index.max_file_bytes"), "too large", Some("raise the setting".into())),
            SkipReason::Binary => (None, "binary content", None),
            SkipReason::LongLines => (Some("index.max_line_bytes"), "very long lines", Some(Remedy::RaiseAndRebuild)),
            SkipReason::Unreadable(_) => {
                (None, "unreadable", Some("let the user that runs codecompass read it".into()))
            }
            SkipReason::ParseTimeout => {
                (Some("index.parse_timeout_ms"), "parsing took too long", Some(Remedy::RaiseAndRebuild))
            }
        };
        (Rule { source: source.map(str::to_string), text: text.to_string(), code: reason.code() }, remedy)
    }
}

impl SkipRulesView {
    pub fn new(skipped: &[SkippedPath]) -> SkipRulesView {
        let mut by_rule: BTreeMap<Rule, (PathCount, Option<Remedy>)> = BTreeMap::new();
        let mut total = PathCount::default();
        for path in skipped {
            let (rule, remedy) = Rule::of(&path.reason);
            by_rule.entry(rule).or_insert_with(|| (PathCount::default(), remedy)).0.add(path);
            total.add(path);
        }
        let mut rules: Vec<SkipRuleView> = by_rule
            .into_iter()
            .map(|(rule, (count, remedy))| SkipRuleView {
                rule: rule.text,
                source: rule.source,
                reason: rule.code,
                count,
                remediation: remedy.map(Advice::from),
            })
            .collect();
        rules.sort_by_key(|rule| Reverse(rule.count.sum()));
        let rule_count = rules.len();
        rules.truncate(MAX_RULES);
        SkipRulesView { total, rule_count, rules }
    }

    /// Returns all in one line.
    pub(super) fn detail(&self) -> String {
        if self.rule_count == 0 {
            return "nothing".into();
        }
        format!(
            "{} by {}; `codecompass index --show-ignored` lists them with reasons",
            self.total.words(" and "),
            units::count(self.rule_count, "rule")
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn skipped(path: &str, is_dir: bool, reason: SkipReason) -> SkippedPath {
        SkippedPath { path: path.into(), is_dir, reason }
    }

    #[test]
    fn paths_are_counted_by_rule_and_the_most_come_first() {
        let by_git = |pattern: &str| SkipReason::IgnoreFile { file: ".gitignore".into(), pattern: pattern.into() };
        let rules = SkipRulesView::new(&[
            skipped("a.tmp", false, by_git("*.tmp")),
            skipped("b.tmp", false, by_git("*.tmp")),
            skipped("c.tmp", true, by_git("*.tmp")),
            skipped("x.rs", false, SkipReason::TooLarge(5)),
            skipped("y.rs", false, SkipReason::TooLarge(6)),
            skipped("locked", false, SkipReason::Unreadable("no".into())),
            skipped(".git", true, SkipReason::BuiltIn("version control")),
        ]);
        let json = json!(rules);
        assert_eq!((&json["files"], &json["directories"], &json["rule_count"]), (&5.into(), &2.into(), &4.into()));
        let first = json!({
            "rule": "*.tmp", "source": ".gitignore", "reason": "ignore_file", "files": 2, "directories": 1,
            "remediation": INCLUDE,
        });
        assert_eq!(json["rules"][0], first);
        let seen: Vec<_> = json["rules"].as_array().unwrap().iter().map(|rule| rule["rule"].clone()).collect();
        assert_eq!(seen, ["*.tmp", "too large", "unreadable", "version control"]);
        assert_eq!(
            rules.detail(),
            "5 files and 2 directories by 4 rules; `codecompass index --show-ignored` lists them with reasons"
        );
        assert_eq!(SkipRulesView::new(&[]).detail(), "nothing");
    }
}
