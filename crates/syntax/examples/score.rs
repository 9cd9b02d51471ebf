//! Compares definitions with those of Universal Ctags, `cargo score [--misses LANGUAGE] FOLDER…`,
//! or of compilers, `cargo score [--misses LANGUAGE] --truth FILE.json.gz… FOLDER` (the format of
//! the navigation truth; FOLDER holds the source trees by repository name).
//!
//! For every language that both know it prints how many of the other side's functions, methods,
//! classes and types we have too, and how many definitions of ours it lacks. Which kinds of ctags'
//! count is in each `language.toml`. A definition is the same when file and name agree and the
//! lines are at most one apart, or the other's line lies between our start and our name, or is a
//! further clause of ours. Left out as misread are tags whose name does not stand in their line
//! (names that ctags makes up), tags inside strings and comments, and those that `language.toml`
//! knows; their number is printed.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "it prints, and runs the tool it compares with"
)]

#[path = "support/files.rs"]
mod files;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use codecompass_syntax::facts::Definition;
use codecompass_syntax::{CtagsRules, Language, Parsed, language_of, parse, quoted_lines};
use files::Without;
use regex::Regex;
use serde::Deserialize;

const WITHOUT: Without = Without { folders: &[".git", "node_modules"], above_bytes: (1 << 20) - 1 };

/// One line of ctags' JSON.
#[derive(Deserialize)]
struct Tag {
    name: String,
    path: String,
    language: Option<String>,
    line: Option<u32>,
    kind: Option<String>,
}

/// The part of a truth file that is about definitions.
#[derive(Deserialize)]
struct Truth {
    repo: String,
    symbols: Vec<TruthSymbol>,
}

#[derive(Deserialize)]
struct TruthSymbol {
    name: String,
    kind: String,
    def: TruthPlace,
}

#[derive(Deserialize)]
struct TruthPlace {
    path: String,
    line: u32,
}

#[derive(Default)]
struct Score {
    files: usize,
    theirs: usize,
    misread: usize,
    shared: usize,
    ours: usize,
    ours_alone: usize,
    unparsed: usize,
    with_problems: usize,
    /// By ctags' kind: all, missed.
    by_kind: BTreeMap<String, (usize, usize)>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut misses = None;
    let mut truths = Vec::new();
    let mut folders = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--misses" => misses = Some(arguments.next().ok_or("--misses needs a language")?),
            "--truth" => {}
            file if file.ends_with(".json.gz") => truths.push(argument),
            _ => folders.push(PathBuf::from(argument)),
        }
    }
    if folders.is_empty() {
        return Err("usage: cargo score [--misses LANGUAGE] [--truth FILE.json.gz…] FOLDER…".into());
    }
    let mut tags = Vec::new();
    for truth in &truths {
        tags.extend(read_truth(truth, &folders[0])?);
    }
    let mut files = Vec::new();
    for folder in folders.iter().filter(|_| truths.is_empty()) {
        WITHOUT.walk(folder, &mut files)?;
    }
    files.extend(tags.iter().map(|tag| PathBuf::from(&tag.path)));
    files.sort();
    files.dedup();
    let tags = (!truths.is_empty()).then_some(tags);
    let scores = score(&files, tags, misses.as_deref())?;
    println!(
        "| language | files | with syntax problems | they have | misread | we have too | ours | they lack | missed by kind |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (language, score) in scores {
        let percent = if score.theirs == 0 { 100.0 } else { 100.0 * score.shared as f64 / score.theirs as f64 };
        let kinds: Vec<String> = score
            .by_kind
            .iter()
            .filter(|(_, (_, missed))| *missed > 0)
            .map(|(kind, (all, missed))| format!("{kind} {missed}/{all}"))
            .collect();
        println!(
            "| {language} | {} | {} | {} | {} | {} ({percent:.1}%) | {} | {} | {} |",
            score.files,
            score.with_problems + score.unparsed,
            score.theirs,
            score.misread,
            score.shared,
            score.ours,
            score.ours_alone,
            kinds.join(", ")
        );
    }
    Ok(())
}

/// Longer lines are not written by people.
const MAX_LINE_BYTES: usize = 2000;

struct Ours {
    language: &'static Language,
    lines: Vec<String>,
    /// Lines inside strings and comments.
    quoted: Vec<u32>,
    definitions: Vec<Definition>,
    used: Vec<bool>,
}

/// The tags of ctags that count, for one language.
struct Counted<'a> {
    rules: &'a CtagsRules,
    misread: Vec<Regex>,
    must: &'a HashMap<String, String>,
}

impl<'a> Counted<'a> {
    fn new(rules: &'a CtagsRules) -> Result<Counted<'a>, regex::Error> {
        let misread = rules.misread.iter().map(|expression| Regex::new(expression)).collect::<Result<_, _>>()?;
        Ok(Counted { rules, misread, must: &rules.must })
    }

    /// Returns whether a line matches the expression for definitions of `name`.
    fn meets(&self, expression: &str, name: &str, line: &str) -> bool {
        let expression = expression.replace("{name}", &regex::escape(name));
        Regex::new(&expression).is_ok_and(|expression| expression.is_match(line))
    }

    fn is_misread(&self, name: &str, kind: &str, line: &str) -> bool {
        let last_part = name.rsplit(['.', ':', '\\', '#']).next().unwrap_or(name);
        !line.contains(last_part.split_whitespace().last().unwrap_or(name))
            || self.misread.iter().any(|expression| expression.is_match(line))
            || self.must.get(kind).is_some_and(|expression| !self.meets(expression, last_part, line))
    }
}

fn score(
    files: &[PathBuf],
    truth: Option<Vec<Tag>>,
    misses: Option<&str>,
) -> Result<BTreeMap<&'static str, Score>, Box<dyn Error>> {
    let mut scores: BTreeMap<&'static str, Score> = BTreeMap::new();
    let mut ours: HashMap<String, Ours> = HashMap::new();
    for file in files {
        let Ok(text) = std::fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()) else { continue };
        // Minified files are not indexed either.
        if text.lines().any(|line| line.len() > MAX_LINE_BYTES) {
            continue;
        }
        let path = file.display().to_string();
        let Some(language) = language_of(&path, &text).filter(|language| language.is_code()) else { continue };
        let score = scores.entry(language.name).or_default();
        score.files += 1;
        let Parsed::Facts(facts) = parse(&text, Some(language), Duration::from_secs(20)) else {
            eprintln!("{path}: not parsed within 20 s");
            score.unparsed += 1;
            continue;
        };
        score.with_problems += usize::from(!facts.problems.is_empty());
        score.ours += facts.definitions.len();
        let used = vec![false; facts.definitions.len()];
        let lines = text.lines().map(str::to_string).collect();
        let quoted = quoted_lines(&text, language);
        ours.insert(path, Ours { language, lines, quoted, definitions: facts.definitions, used });
    }
    let mut seen = BTreeSet::new();
    let mut counted: HashMap<&str, Counted<'_>> = HashMap::new();
    let is_ctags = truth.is_none();
    let tags = match truth {
        Some(truth) => truth,
        None => run_ctags(ours.keys())?,
    };
    for tag in tags {
        let (Some(line), Some(kind)) = (tag.line, tag.kind) else { continue };
        let Some(file) = ours.get_mut(&tag.path) else { continue };
        let counts = match (file.language.ctags().filter(|_| is_ctags), is_ctags) {
            (None, true) => continue,
            (None, false) => None,
            (Some(rules), _) => match counted.entry(file.language.name) {
                Entry::Occupied(known) => Some(known.into_mut()),
                Entry::Vacant(slot) => Some(slot.insert(Counted::new(rules)?)),
            },
        };
        if counts.as_ref().is_some_and(|counts| tag.language.as_deref() != Some(&counts.rules.language))
            || !seen.insert((tag.path.clone(), line, tag.name.clone(), kind.clone()))
        {
            continue;
        }
        let found = find(file, &tag.name, line);
        let score = scores.entry(file.language.name).or_default();
        if let Some(counts) = counts {
            if !counts.rules.kinds.contains(&kind) {
                continue;
            }
            let text = file.lines.get(line as usize - 1).map_or("", String::as_str);
            let is_quoted = file.quoted.binary_search(&line).is_ok();
            if !found && (is_quoted || counts.is_misread(&tag.name, &kind, text)) {
                score.misread += 1;
                continue;
            }
        }
        let of_kind = score.by_kind.entry(kind.clone()).or_default();
        score.theirs += 1;
        of_kind.0 += 1;
        if found {
            score.shared += 1;
            continue;
        }
        of_kind.1 += 1;
        if misses == Some(file.language.name) {
            println!("{}:{line} {kind} {}", tag.path, tag.name);
        }
    }
    for file in ours.values() {
        let score = scores.entry(file.language.name).or_default();
        score.ours_alone += file.used.iter().filter(|used| !**used).count();
    }
    Ok(scores)
}

/// Looks for a definition of ours that is ctags' one, and marks it as known to both.
fn find(file: &mut Ours, name: &str, line: u32) -> bool {
    let bare = |name: &str| name.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let wanted = bare(name);
    let last_part = |name: &str| name.rsplit(['.', ':', '\\', '#']).next().unwrap_or("").to_string();
    let mut found = false;
    for (definition, used) in file.definitions.iter().zip(&mut file.used) {
        let near = definition.name_line.abs_diff(line) <= 1
            || (definition.outer_start_line <= line && line <= definition.name_line)
            // To ctags every clause is a definition.
            || (file.language.merges_clauses() && definition.name_line <= line && line <= definition.span.end_line);
        let ours = bare(&definition.name);
        if near && (ours == wanted || last_part(&ours) == last_part(&wanted)) {
            *used = true;
            found = true;
        }
    }
    found
}

fn read_truth(file: &str, trees: &Path) -> Result<Vec<Tag>, Box<dyn Error>> {
    let output = Command::new("gzip").args(["-dc", file]).output()?;
    let truth: Truth = serde_json::from_slice(&output.stdout).map_err(|error| format!("{file}: {error}"))?;
    let name = truth.repo.rsplit('/').next().unwrap_or(&truth.repo);
    let tree = trees.join(name);
    let tag = |symbol: TruthSymbol| Tag {
        name: symbol.name,
        path: tree.join(symbol.def.path).display().to_string(),
        language: None,
        line: Some(symbol.def.line),
        kind: Some(symbol.kind),
    };
    Ok(truth.symbols.into_iter().map(tag).collect())
}

fn run_ctags<'a>(paths: impl Iterator<Item = &'a String>) -> Result<Vec<Tag>, Box<dyn Error>> {
    let mut paths: Vec<&String> = paths.collect();
    paths.sort();
    let mut ctags = Command::new("ctags")
        .args([
            "--options=NONE",
            "--output-format=json",
            "--fields=+neKl",
            "--kinds-all=*",
            "--sort=no",
            "-o",
            "-",
            "-L",
            "-",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot run ctags (Debian: universal-ctags): {error}"))?;
    let mut input = ctags.stdin.take().ok_or("ctags takes no input")?;
    let list: String = paths.iter().map(|path| format!("{path}\n")).collect();
    let feeder = std::thread::spawn(move || input.write_all(list.as_bytes()));
    let output = ctags.wait_with_output()?;
    feeder.join().map_err(|_| "the list of files could not be passed on")??;
    let tags = String::from_utf8_lossy(&output.stdout);
    Ok(tags.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}
