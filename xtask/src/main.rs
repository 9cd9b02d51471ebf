//! Project chores:
//!
//! - `cargo xtask docs` writes the generated pages below docs/.
//! - `cargo xtask check` fails when they are stale or a house rule is broken.
//! - `cargo xtask bench` measures against limits and peers; see `bench.rs`, `bench_freshness.rs`, `bench_large.rs`,
//!   `bench_navigation.rs`, `bench_refs.rs`, `bench_resume.rs`, `bench_search.rs` and `bench_server/`.
//! - `cargo xtask truth` scores navigation against what compilers say; see `truth.rs`.
//! - `cargo xtask session` writes docs/agent-session.md from a real session; see `session/`.
//! - `cargo xtask histories` compares answers along random git histories; see `histories.rs`.
//! - `cargo xtask storm` judges answers while processes come, go and are killed; see `storm.rs`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a chore talks to the person who runs it")]

mod bench;
mod bench_freshness;
mod bench_large;
mod bench_navigation;
mod bench_refs;
mod bench_resume;
mod bench_search;
mod bench_server;
mod corpus;
mod docs;
#[cfg(unix)]
mod histories;
mod languages_page;
mod ranking_page;
mod session;
#[cfg(unix)]
mod storm;
mod tidy;
mod truth;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["docs"] => docs::write(&root()),
        ["check"] => tidy::check(&root()).and_then(|()| docs::check(&root())),
        ["bench", corpora @ ..] => bench::run(&root(), corpora),
        ["truth", args @ ..] => truth::run(args),
        ["session", repository] => session::run(&root(), repository, None),
        ["session", repository, binary] => session::run(&root(), repository, Some(binary)),
        #[cfg(unix)]
        ["histories", flags @ ..] => histories::run(flags),
        #[cfg(unix)]
        ["storm", flags @ ..] => storm::run(&root(), flags),
        _ => {
            eprintln!(
                "usage: cargo xtask docs | check | bench [django|go|linux]… | bench refs REPOSITORY | bench navigation | bench search | bench freshness | bench large [CORPUS] | bench resume [CORPUS] | bench server [TREE] | truth TRUTH SOURCES | session REPOSITORY [BINARY] | histories [--seed N] | storm [--seed N] [--seconds N]"
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

/// The repository's root.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `cargo xtask check` looks at.
    #[test]
    fn generated_docs_and_house_rules() {
        tidy::check(&root()).and_then(|()| docs::check(&root())).unwrap();
    }
}
