//! Questions about commits: who changed what, when and why.
//!
//! ```text
//! git objects ──> commit table ──> range, people, times, messages, paths ─┐
//!      └────────> change index ──> changed lines: `git log -S`, `-G` ─────┴─> commits
//! ```
//!
//! The **commit table** is made by the first question and extended by the next: the walk from the
//! asked commits ends at those that are stored. The **change index** holds the changed lines of
//! commits; a question about changes adds what is missing, the newest commits first. Both are in
//! `store::history`, shared by all worktrees, and never touched by a sync. Servers and watchers
//! make them ahead of questions, in the background.
//!
//! Rewritten history leaves nothing wrong behind: a commit is what its id says, and each question
//! computes from the stored parents what the asked refs reach.

mod changed_text;
mod dates;
mod definition;
mod documents;
mod evolution;
mod graph;
mod lines;
mod meaning;
mod objects;
mod people;
mod pipeline;
mod range;
mod reader;
mod renames;
mod search;
mod upkeep;
mod words;

pub use crate::history::changed_text::TextQuery;
pub use crate::history::dates::{PeriodEnd, format_time, parse_date};
pub use crate::history::definition::blame::{Blame, BlamePlace, BlameRun, BlamedCommit, blame};
pub use crate::history::definition::symbol::{
    SymbolChangeKind, SymbolCommit, SymbolHistory, SymbolPlace, symbol_history,
};
pub use crate::history::evolution::activity::{
    HotFile, HotFolder, HotSpotOptions, HotSpots, PathAuthor, hot_spots, is_history_ready,
};
pub use crate::history::evolution::groups::{HistoryGroup, HistoryGrouping};
pub use crate::history::evolution::together::{
    ChangedSymbol, ChangedWith, ChangesWith, files_changed_with, symbols_changed_with,
};
pub use crate::history::lines::FoundLine;
pub use crate::history::search::{FoundCommit, FoundFile, HistoryAnswer, HistoryOptions, search_history};
pub use crate::history::upkeep::build::{HistoryState, build_history, history_state};
pub use crate::history::upkeep::collect::{CollectedHistory, collect_history, history_sizes};
pub use crate::store::history::record::{ChangeStatus, CommitId, Person};
