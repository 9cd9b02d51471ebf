//! The other way to answer: `rg`, and reading the lines around what it found.

use std::collections::BTreeSet;
use std::io::{Seek, Write};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::questions::{Question, Step};
use super::{git, output};
use crate::outcome::Outcome;

/// A way to read files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Habit {
    /// Only the lines around what matters, as plain text.
    Sparing,
    /// Whole, with line numbers.
    Plain,
}

/// Command lines and their output.
pub(super) struct Found {
    pub asked: String,
    pub got: String,
    /// The paths of the files that were read, which the reader knows without being told.
    pub paths: String,
}

/// A clone, and the type of files that are searched in it.
#[derive(Clone, Copy)]
pub(super) struct Searched<'a> {
    pub clone: &'a Path,
    pub types: &'a str,
}

/// Takes the question's steps. `answer` is ours: where names are followed from one to the next, the
/// steps take the right ones from it, so no wrong one is ever tried.
pub(super) fn answer(habit: Habit, question: &Question, answer: &Value, searched: Searched) -> Outcome<Found> {
    let mut found = Found { asked: String::new(), got: String::new(), paths: String::new() };
    for step in &question.steps {
        let (asked, got) = match step {
            Step::Search(args) => search(args, searched)?,
            Step::Follow(list) => {
                let names = names(&answer[list]).into_iter().flat_map(|name| ["-e", name]);
                let args: Vec<String> = ["-w"].into_iter().chain(names).map(str::to_string).collect();
                search(&args, searched)?
            }
            Step::Read { path, mark, around } => {
                found.paths.push_str(path);
                found.paths.push('\n');
                read(habit, path, mark, *around, searched.clone)?
            }
            Step::Git(args) => {
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                (format!("git {}", args.join(" ")), git(searched.clone, &args)?)
            }
            Step::Diff { lines, args } => (piped(lines, args), diff(lines, args, searched.clone)?),
        };
        found.asked.push_str(&asked);
        found.asked.push('\n');
        found.got.push_str(&got);
    }
    Ok(found)
}

fn search(args: &[String], Searched { clone, types }: Searched) -> Outcome<(String, String)> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let heading: &[&str] = if has_context(&args) { &["--heading"] } else { &[] };
    let all = [&["-n", "-t", types, "--sort", "path"], heading, args.as_slice(), &["."]].concat();
    let got = output("rg", &all, clone)?;
    // Without the `./` that naming the folder puts before every path.
    let got = got.lines().map(|line| format!("{}\n", line.strip_prefix("./").unwrap_or(line))).collect();
    Ok((typed(&args, types), got))
}

/// Returns whether lines around the matches are asked for; then paths are best said once.
fn has_context(args: &[&str]) -> bool {
    args.iter().any(|arg| ["-A", "-B", "-C"].contains(arg))
}

/// The command as it is typed.
pub(super) fn typed(args: &[&str], types: &str) -> String {
    let heading = if has_context(args) { "--heading " } else { "" };
    let is_plain = |arg: &str| arg.chars().all(|c| c.is_alphanumeric() || "-_./=:,".contains(c));
    let args: Vec<String> =
        args.iter().map(|arg| if is_plain(arg) { arg.to_string() } else { format!("'{arg}'") }).collect();
    format!("rg -n -t {types} {heading}{}", args.join(" "))
}

/// The command for the lines of a diff that an expression matches.
pub(super) fn piped(lines: &str, args: &[String]) -> String {
    format!("git diff -U0 {} | rg '{lines}'", args.join(" "))
}

#[expect(clippy::disallowed_methods, reason = "a chore runs rg, as the agent of the session would")]
fn diff(lines: &str, args: &[String], clone: &Path) -> Outcome<String> {
    let args: Vec<&str> = ["diff", "-U0"].into_iter().chain(args.iter().map(String::as_str)).collect();
    let mut diff = tempfile::tempfile()?;
    diff.write_all(git(clone, &args)?.as_bytes())?;
    diff.rewind()?;
    let output = Command::new("rg").arg(lines).stdin(diff).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn read(habit: Habit, path: &str, mark: &str, around: usize, clone: &Path) -> Outcome<(String, String)> {
    let text = std::fs::read_to_string(clone.join(path)).map_err(|error| format!("{path}: {error}"))?;
    let lines: Vec<&str> = text.lines().collect();
    if habit == Habit::Plain {
        let numbered = lines.iter().enumerate().map(|(at, line)| format!("{}\t{line}\n", at + 1)).collect();
        return Ok((format!("read {path}"), numbered));
    }
    let at = lines.iter().position(|line| line.contains(mark)).ok_or_else(|| format!("no `{mark}` in {path}"))?;
    let (from, to) = (at.saturating_sub(around), (at + around + 1).min(lines.len()));
    let got = lines[from..to].iter().map(|line| format!("{line}\n")).collect();
    Ok((format!("read {path} {}-{to}", from + 1), got))
}

/// The names in a list, without those at the last depth: nothing was looked for behind them.
fn names(list: &Value) -> BTreeSet<&str> {
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let last = items.iter().filter_map(|item| item["depth"].as_u64()).max();
    items.iter().filter(|item| item["depth"].as_u64() < last).filter_map(|item| item["name"].as_str()).collect()
}
