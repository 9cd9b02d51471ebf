//! Project chores:
//!
//! - `cargo xtask docs` writes the generated pages below docs/.
//! - `cargo xtask check` fails when they are stale or a house rule is broken; see `check/`.
//! - `cargo xtask bench` measures against limits and peers; see `bench/`.
//! - `cargo xtask suites` makes a table of test suites and their times; see `suites.rs`.
//! - `cargo xtask truth` scores navigation against what compilers say; see `truth.rs`.
//! - `cargo xtask accounting` checks the accounts of names by an independent scanner; see
//!   `accounting.rs`.
//! - `cargo xtask consistency` holds the answers about a tree against each other; see
//!   `consistency/`.
//! - `cargo xtask session` writes docs/agent-session.md from a real session; see `session/`.
//! - `cargo xtask histories` compares answers along random git histories; see `histories.rs`.
//! - `cargo xtask history-truth` compares answers about commits with `git log` and `git blame`; see
//!   `history_truth.rs`.
//! - `cargo xtask storm` judges answers while processes come, go and are killed; see `storm.rs`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a chore talks to the person who runs it")]

#[cfg(unix)]
mod accounting;
mod bench;
mod check;
mod consistency;
mod docs;
#[cfg(unix)]
mod histories;
mod history_truth;
mod languages_page;
mod outcome;
mod ranking_page;
mod session;
mod stdio_client;
#[cfg(unix)]
mod storm;
mod suites;
mod truth;

use std::process::ExitCode;

use outcome::root;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["docs"] => docs::write(&root()),
        ["check", flags @ ..] => check::run(&root(), flags),
        ["bench", corpora @ ..] => bench::run(&root(), corpora),
        ["suites", args @ ..] => suites::run(&root(), args),
        ["truth", args @ ..] => truth::run(args),
        #[cfg(unix)]
        ["accounting", args @ ..] => accounting::run(args),
        ["consistency", args @ ..] => consistency::run(&root(), args),
        ["session", args @ ..] => session::run(&root(), args),
        #[cfg(unix)]
        ["histories", flags @ ..] => histories::run(flags),
        ["history-truth", args @ ..] => history_truth::run(args),
        #[cfg(unix)]
        ["storm", flags @ ..] => storm::run(&root(), flags),
        _ => {
            eprintln!(
                "usage: cargo xtask docs | check [--list RULE | --figures | --lower | --accept | --wrap [PATH…] | --write-edges] | bench [--program PATH] [django|go|linux]… | bench refs REPOSITORY | bench history REPOSITORY | bench grep | bench graph [TREE] | bench navigation | bench search | bench freshness | bench large [CORPUS] | bench resume [CORPUS] | bench server [TREE] | bench tools TREE… | suites [--write] [LOG] | truth TRUTH SOURCES | accounting TREE… [--names N] [--seed N] | consistency TREE… [--symbols N] [--seed N] [--binary PATH] [--json] | session FOLDER [BINARY] [--only NAME] | histories [--seed N] | history-truth TREE… [--questions N] [--blame N] [--seed N] | storm [--seed N] [--seconds N]"
            );
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `cargo xtask check`.
    #[test]
    fn generated_docs_and_house_rules() {
        check::run(&root(), &[]).unwrap();
    }
}
