//! What `doctor` says about the rules that leave files out: where each comes from, how much it skips, and what to do about it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use codecompass_engine::model::SkipReason;
use codecompass_engine::scan::SkippedPath;
use serde_json::{Value, json};

use crate::render;
use crate::terminal::output::DIM;

/// So many rules are shown; `index --show-ignored` has every path.
const MOST: usize = 12;

/// All rules that skip something, those that skip most first.
pub(super) struct Rules {
    rules: Vec<(Rule, Count)>,
    total: Count,
}

/// A reason to skip, without what is special about one path.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rule {
    /// An ignore file, a setting, or the program itself; `None` where the reason is what the path is.
    source: Option<String>,
    text: String,
    code: &'static str,
    /// How to have it indexed all the same, where that is possible.
    remedy: Option<&'static str>,
}

/// What was skipped. A directory stands for all that it contains.
#[derive(Clone, Copy, Default)]
struct Count {
    files: usize,
    directories: usize,
}

impl Count {
    fn add(&mut self, path: &SkippedPath) {
        *if path.is_dir { &mut self.directories } else { &mut self.files } += 1;
    }

    fn sum(self) -> usize {
        self.files + self.directories
    }

    fn words(self, between: &str) -> String {
        let files = (self.files > 0 || self.directories == 0).then(|| render::count(self.files, "file"));
        let directories = (self.directories > 0).then(|| match self.directories {
            1 => "1 directory".to_string(),
            many => format!("{many} directories"),
        });
        files.into_iter().chain(directories).collect::<Vec<_>>().join(between)
    }
}

const INCLUDE: &str = "a line `!NAME` in .codecompassignore includes it again";

impl Rule {
    fn of(reason: &SkipReason) -> Rule {
        let (source, text, remedy): (Option<&str>, &str, Option<&str>) = match reason {
            SkipReason::BuiltIn(text @ "version control") => (Some("built-in"), text, None),
            SkipReason::BuiltIn(text) => (Some("built-in"), text, Some(INCLUDE)),
            SkipReason::IgnoreFile { file, pattern } if file.ends_with(".codecompassignore") => {
                (Some(file), pattern, Some("remove the line, or include it again by a line `!NAME` below"))
            }
            SkipReason::IgnoreFile { file, pattern } => (Some(file), pattern, Some(INCLUDE)),
            SkipReason::NestedRepository => {
                (None, "a repository of its own", Some("ask about it as a workspace of its own"))
            }
            SkipReason::Symlink => {
                (None, "symbolic link", Some("what it leads to is indexed if it is in the workspace"))
            }
            SkipReason::NotAFile => (None, "not a regular file", None),
            SkipReason::PathNotUtf8 => (None, "path is not UTF-8", Some("rename it")),
            SkipReason::TooLarge(_) => (Some("index.max_file_bytes"), "too large", Some("raise the setting")),
            SkipReason::Binary => (None, "binary content", None),
            SkipReason::LongLines => (
                Some("index.max_line_bytes"),
                "very long lines",
                Some("raise the setting, then run `codecompass index --force`"),
            ),
            SkipReason::Unreadable(_) => (None, "unreadable", Some("let the user that runs codecompass read it")),
            SkipReason::ParseTimeout => (
                Some("index.parse_timeout_ms"),
                "parsing took too long",
                Some("raise the setting, then run `codecompass index --force`"),
            ),
        };
        Rule { source: source.map(str::to_string), text: text.to_string(), code: reason.code(), remedy }
    }

    fn line(&self) -> String {
        self.source.as_ref().map_or_else(|| self.text.clone(), |source| format!("{source}: {}", self.text))
    }
}

impl Rules {
    pub(super) fn of(skipped: &[SkippedPath]) -> Rules {
        let mut by_rule: BTreeMap<Rule, Count> = BTreeMap::new();
        let mut total = Count::default();
        for path in skipped {
            by_rule.entry(Rule::of(&path.reason)).or_default().add(path);
            total.add(path);
        }
        let mut rules: Vec<_> = by_rule.into_iter().collect();
        rules.sort_by_key(|(_, count)| Reverse(count.sum()));
        Rules { rules, total }
    }

    /// All in one line.
    pub(super) fn detail(&self) -> String {
        if self.rules.is_empty() {
            return "nothing".into();
        }
        format!(
            "{} by {}; `codecompass index --show-ignored` lists them with reasons",
            self.total.words(" and "),
            render::count(self.rules.len(), "rule")
        )
    }

    /// A table for people.
    pub(super) fn print(&self, out: &mut String) {
        if self.rules.is_empty() {
            return;
        }
        out.push_str("rules that skip most:\n");
        let shown = &self.rules[..self.rules.len().min(MOST)];
        let width = shown.iter().map(|(_, count)| count.words(", ").len()).max().unwrap_or_default();
        for (rule, count) in shown {
            let remedy = rule.remedy.filter(|remedy| *remedy != INCLUDE);
            let remedy = remedy.map(|remedy| format!("  {DIM}{remedy}{DIM:#}")).unwrap_or_default();
            out.push_str(&format!("     {:<width$}  {}{remedy}\n", count.words(", "), rule.line()));
        }
        if self.rules.len() > MOST {
            out.push_str(&format!("     and {} more of them\n", self.rules.len() - MOST));
        }
        if shown.iter().any(|(rule, _)| rule.remedy == Some(INCLUDE)) {
            out.push_str(&format!(
                "     {DIM}what built-in rules and git's ignore files skip, a line `!NAME` in .codecompassignore includes \
                 again{DIM:#}\n"
            ));
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let rules: Vec<_> = self
            .rules
            .iter()
            .take(MOST)
            .map(|(rule, count)| {
                json!({
                    "rule": rule.text, "source": rule.source, "reason": rule.code, "files": count.files,
                    "directories": count.directories, "remediation": rule.remedy,
                })
            })
            .collect();
        json!({
            "files": self.total.files, "directories": self.total.directories, "rule_count": self.rules.len(),
            "rules": rules,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(path: &str, is_dir: bool, reason: SkipReason) -> SkippedPath {
        SkippedPath { path: path.into(), is_dir, reason }
    }

    #[test]
    fn paths_are_counted_by_rule_and_the_most_come_first() {
        let by_git = |pattern: &str| SkipReason::IgnoreFile { file: ".gitignore".into(), pattern: pattern.into() };
        let rules = Rules::of(&[
            skipped("a.tmp", false, by_git("*.tmp")),
            skipped("b.tmp", false, by_git("*.tmp")),
            skipped("c.tmp", true, by_git("*.tmp")),
            skipped("x.rs", false, SkipReason::TooLarge(5)),
            skipped("y.rs", false, SkipReason::TooLarge(6)),
            skipped("locked", false, SkipReason::Unreadable("no".into())),
            skipped(".git", true, SkipReason::BuiltIn("version control")),
        ]);
        let json = rules.to_json();
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
    }

    #[test]
    fn a_short_table_says_that_it_is_short() {
        let mut many = Vec::new();
        for number in 0..MOST + 3 {
            let reason = SkipReason::IgnoreFile { file: "a/.gitignore".into(), pattern: format!("p{number:02}") };
            many.push(skipped(&format!("p{number}"), false, reason));
        }
        let mut out = String::new();
        let rules = Rules::of(&many);
        rules.print(&mut out);
        assert_eq!(out.lines().filter(|line| line.contains("a/.gitignore: p")).count(), MOST);
        assert!(out.contains("\n     and 3 more of them\n"), "{out}");
        assert_eq!(rules.to_json()["rules"].as_array().unwrap().len(), MOST);
        let mut out = String::new();
        Rules::of(&[]).print(&mut out);
        assert_eq!((out.as_str(), Rules::of(&[]).detail().as_str()), ("", "nothing"));
    }
}
