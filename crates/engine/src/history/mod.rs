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
//! `store::history`, shared by all worktrees, and never touched by a sync.
//!
//! Rewritten history leaves nothing wrong behind: a commit is what its id says, and each question
//! computes from the stored parents what the asked refs reach.

mod changed_text;
mod collect;
mod dates;
mod documents;
mod graph;
mod lines;
mod objects;
mod people;
mod pipeline;
mod range;
mod renames;
mod search;
mod symbol;
mod words;

pub use crate::history::changed_text::TextQuery;
pub use crate::history::collect::{CollectedHistory, collect_history, history_sizes};
pub use crate::history::dates::{PeriodEnd, format_time, parse_date};
pub use crate::history::graph::{RecentChanges, recent_changes};
pub use crate::history::search::{FoundCommit, FoundFile, FoundLine, HistoryAnswer, HistoryOptions, search_history};
pub use crate::history::symbol::{SymbolChangeKind, SymbolCommit, SymbolHistory, SymbolPlace, symbol_history};
pub use crate::store::history::record::{ChangeStatus, CommitId, Person};
