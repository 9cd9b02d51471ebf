//! The other way to answer: `rg`, and reading the lines around what it found.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::questions::{Question, Step};
use super::{git, output};
use crate::outcome::Outcome;

/// Lines read before and after the one that matters.
pub(super) const AROUND: usize = 40;

/// A way to read files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Habit {
    /// Only the lines around what matters, as plain text.
    Sparing,
    /// Whole, with line numbers.
    Plain,
}

/// A command line and its output.
pub(super) struct Found {
    pub asked: String,
    pub got: String,
}

/// Takes the question's steps. `answer` is ours: where names are followed from one to the next, the
/// steps take the right ones from it, so no wrong one is ever tried.
pub(super) fn answer(habit: Habit, question: &Question, answer: &Value, clone: &Path) -> Outcome<Found> {
    let mut found = Found { asked: String::new(), got: String::new() };
    for step in question.grep {
        let (asked, got) = match step {
            Step::Search(args) => search(args, clone)?,
            Step::Follow(list) => {
                let names = names(&answer[*list]);
                let args: Vec<&str> = names.iter().flat_map(|name| ["-e", name]).collect();
                search(&[&["-w"], args.as_slice()].concat(), clone)?
            }
            Step::Read(path, mark) => read(habit, path, mark, clone)?,
            Step::Git(args) => (format!("git {}", args.join(" ")), git(clone, args)?),
        };
        found.asked.push_str(&asked);
        found.asked.push('\n');
        found.got.push_str(&got);
    }
    Ok(found)
}

fn search(args: &[&str], clone: &Path) -> Outcome<(String, String)> {
    let typed: Vec<String> =
        args.iter().map(|arg| if arg.contains(' ') { format!("'{arg}'") } else { arg.to_string() }).collect();
    let all = [&["-n", "-t", "py", "--sort", "path"], args, &["."]].concat();
    let got = output("rg", &all, clone)?;
    // Without the `./` that naming the folder puts before every path.
    let got = got.lines().map(|line| format!("{}\n", line.strip_prefix("./").unwrap_or(line))).collect();
    Ok((format!("rg -n -t py {}", typed.join(" ")), got))
}

fn read(habit: Habit, path: &str, mark: &str, clone: &Path) -> Outcome<(String, String)> {
    let text = std::fs::read_to_string(clone.join(path))?;
    let lines: Vec<&str> = text.lines().collect();
    if habit == Habit::Plain {
        let numbered = lines.iter().enumerate().map(|(at, line)| format!("{}\t{line}\n", at + 1)).collect();
        return Ok((format!("read {path}"), numbered));
    }
    let at = lines.iter().position(|line| line.contains(mark)).ok_or_else(|| format!("no `{mark}` in {path}"))?;
    let (from, to) = (at.saturating_sub(AROUND), (at + AROUND + 1).min(lines.len()));
    let got = lines[from..to].iter().map(|line| format!("{line}\n")).collect();
    Ok((format!("read {path} {}-{to}", from + 1), got))
}

/// The names in a list, without those at the last depth: nothing was looked for behind them.
fn names(list: &Value) -> BTreeSet<&str> {
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let last = items.iter().filter_map(|item| item["depth"].as_u64()).max();
    items.iter().filter(|item| item["depth"].as_u64() < last).filter_map(|item| item["name"].as_str()).collect()
}
