//! `savings`: what the answers to agents cost, and what they replaced.

use std::collections::BTreeMap;

use clap::Args;
use serde::Serialize;

use crate::error::AppError;
use crate::savings::{CallSums, LedgerFile, LedgerRows};
use crate::settings;

#[derive(Clone, Debug, Args)]
pub struct SavingsRequest {
    /// Print what was counted, and begin anew.
    #[arg(long)]
    pub reset: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct SavingsAnswer {
    /// False if the setting `savings.enabled` says that calls are not counted.
    pub enabled: bool,
    /// The first day, or the first month.
    pub since: Option<String>,
    pub total: CallSums,
    /// By tool, the one that replaced most first.
    pub tools: Vec<ToolSums>,
    /// True if everything was forgotten afterwards.
    pub is_reset: bool,
    /// Lines of the ledger that are damaged and not counted.
    pub unreadable_lines: usize,
    pub rule: &'static str,
}

/// The calls of one tool.
#[derive(Clone, Debug, Serialize)]
pub struct ToolSums {
    pub tool: String,
    #[serde(flatten)]
    pub sums: CallSums,
}

/// The rule, in a few words.
const RULE: &str = "Each place that an answer cites counts as one line of ripgrep's output, the first three also as a \
read of 40 lines around them; errors and empty answers replace nothing. Answers are estimated too high, what they \
replace too low.";

impl SavingsRequest {
    /// Reads the ledger.
    pub fn answer(&self) -> Result<SavingsAnswer, AppError> {
        let file = LedgerFile::new(&settings::homes()?.data);
        let read = if self.reset {
            file.reset().map_err(|error| {
                AppError::invalid(format!("cannot reset the ledger: {error}"), "make the data directory writable")
            })?
        } else {
            file.read()
        };
        Ok(SavingsAnswer::new(read, settings::of_server()?.savings, self.reset))
    }
}

impl SavingsAnswer {
    fn new(read: LedgerRows, enabled: bool, is_reset: bool) -> SavingsAnswer {
        let mut tools: BTreeMap<&str, CallSums> = BTreeMap::new();
        for ((_, tool), sums) in &read.rows {
            *tools.entry(tool).or_default() += *sums;
        }
        let mut tools: Vec<ToolSums> =
            tools.into_iter().map(|(tool, sums)| ToolSums { tool: tool.to_string(), sums }).collect();
        tools.sort_by_key(|tool| std::cmp::Reverse((tool.sums.replaced_tokens, tool.sums.calls)));
        SavingsAnswer {
            enabled,
            since: read.rows.keys().next().map(|(day, _)| day.clone()),
            total: read.total(),
            tools,
            is_reset,
            unreadable_lines: read.unreadable,
            rule: RULE,
        }
    }
}
