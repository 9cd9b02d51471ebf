//! The commits of an answer counted by week, month, year or author.

use rustc_hash::FxHashMap;

use crate::history::dates;
use crate::store::history::record::{CommitHead, Person};

/// The way in which commits are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryGrouping {
    /// By the ISO week of the author's date.
    Week,
    /// By its month.
    Month,
    /// By its year.
    Year,
    /// By the name of the author.
    Author,
}

/// Commits that belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryGroup {
    /// The period, such as `2026-11`, `2026-W47` or `2026`, or the author.
    pub key: String,
    /// The number of commits.
    pub commits: usize,
    /// Added lines with the text, if one is asked for.
    pub added: usize,
    /// Removed lines with the text.
    pub removed: usize,
}

/// A commit as far as groups are concerned.
pub(in crate::history) struct CountedCommit<'c> {
    pub head: &'c CommitHead,
    pub author: &'c Person,
    /// Added and removed lines with the text.
    pub lines: (usize, usize),
}

/// Counts commits: the newest period first, or the author with most commits.
pub(in crate::history) fn count<'c>(
    grouping: HistoryGrouping,
    commits: impl Iterator<Item = CountedCommit<'c>>,
) -> Vec<HistoryGroup> {
    let mut groups: FxHashMap<String, HistoryGroup> = FxHashMap::default();
    for commit in commits {
        let key = key(grouping, &commit);
        let group = groups.entry(key.clone()).or_insert_with(|| HistoryGroup { key, ..HistoryGroup::default() });
        group.commits += 1;
        group.added += commit.lines.0;
        group.removed += commit.lines.1;
    }
    let mut groups: Vec<HistoryGroup> = groups.into_values().collect();
    match grouping {
        HistoryGrouping::Author => groups.sort_by(|a, b| b.commits.cmp(&a.commits).then_with(|| a.key.cmp(&b.key))),
        _ => groups.sort_by(|a, b| b.key.cmp(&a.key)),
    }
    groups
}

fn key(grouping: HistoryGrouping, commit: &CountedCommit<'_>) -> String {
    let date = || dates::local_date(commit.head.author_time, commit.head.author_offset);
    match grouping {
        HistoryGrouping::Author => commit.author.name.clone(),
        HistoryGrouping::Year => format!("{:04}", date().year()),
        HistoryGrouping::Month => {
            let date = date();
            format!("{:04}-{:02}", date.year(), date.month())
        }
        HistoryGrouping::Week => {
            let week = date().iso_week_date();
            format!("{:04}-W{:02}", week.year(), week.week())
        }
    }
}
