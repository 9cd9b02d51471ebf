//! `cargo xtask bench refs REPOSITORY`: what branches and worktrees cost. REPOSITORY is a git clone
//! with a long history, bare or not; it is cloned, not changed.

use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use codecompass_syntax::{build_tree, language_of};

use crate::bench::measure::{Table, folder_bytes, median, program, ratio, timed};
use crate::outcome::Outcome;

const BRANCHES: usize = 100;
/// Commits between two branches; each distance is measured with a store of its own.
const STEPS: [usize; 2] = [1, 5];
const CHANGED_FILES: usize = 50;
const QUERY_RUNS: usize = 15;
const PARSE_RUNS: usize = 5;
const LIST_RUNS: usize = 5;

/// Measures with the program at `binary`.
pub(crate) fn run(binary: &Path, repository: &str) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let tree = folder.path().join("clone");
    let mut home = folder.path().join("home");
    git(folder.path(), &["clone", "--quiet", repository, "clone"])?;
    let mut table = Table::default();
    println!("\n{repository}: {} commits", git(&tree, &["rev-list", "--count", "HEAD"])?);

    let tips = git(&tree, &["rev-list", "--first-parent", "HEAD"])?;
    let tips: Vec<&str> = tips.lines().collect();
    for step in STEPS {
        home = folder.path().join(format!("home-{step}"));
        let tips: Vec<&str> = tips.iter().copied().step_by(step).take(BRANCHES + 1).collect();
        branches(binary, &home, &tree, &tips, step, &mut table)?;
    }
    let run = |args: &[&str]| timed(program(binary, &home, &tree, args).stdout(Stdio::null())).map(|(time, _)| time);

    let (mut here, mut there, mut start) = (Vec::new(), Vec::new(), Vec::new());
    let reference = format!("old-{}-{}", STEPS[STEPS.len() - 1], BRANCHES.min(tips.len() / STEPS[1]) / 2);
    for _ in 0..QUERY_RUNS {
        here.push(run(&["search", "read the configuration file"])?);
        there.push(run(&["search", "read the configuration file", "--ref", &reference])?);
        start.push(run(&["--version"])?);
    }
    table.line("query at a ref / query in the worktree", ratio(median(&mut there), median(&mut here)), "x", Some(1.2));
    list_of_refs(&run, &tree, &mut table)?;

    let changed = change_files(&tree)?;
    let mut parse: Vec<Duration> = (0..PARSE_RUNS).map(|_| parse_alone(&tree, &changed)).collect();
    let parse = median(&mut parse);
    git(&tree, &["checkout", "--quiet", "-b", "changed"])?;
    git(&tree, &["commit", "--quiet", "-am", "change many files"])?;
    git(&tree, &["checkout", "--quiet", "-"])?;
    let added = run(&["index", "--ref", "changed"])?.saturating_sub(median(&mut start));
    let beyond = added.as_secs_f64() * 1e3 - parse.as_secs_f64() * 1.3e3;
    println!("  a branch that changes {} files: {added:.0?}; parsing them alone: {parse:.0?}", changed.len());
    table.line("indexing that branch, beyond 1.3 x parsing its files", beyond, "ms", Some(150.0));

    let before = folder_bytes(&home)?;
    for number in 0..BRANCHES {
        let place = folder.path().join(format!("worktree-{number}"));
        let place = place.to_string_lossy();
        git(&tree, &["worktree", "add", "--quiet", "--detach", &place])?;
        run(&["index", "--workspace", &place])?;
    }
    let each = (folder_bytes(&home)?.saturating_sub(before)) as f64 / BRANCHES as f64 / 1e6;
    table.line("store growth for each of 100 worktrees", each, "MB", Some(1.0));
    table.verdict()
}

/// Measures the list of all branches and tags with the commits that each is ahead and behind.
fn list_of_refs(run: &impl Fn(&[&str]) -> Outcome<Duration>, tree: &Path, table: &mut Table) -> Outcome<()> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..LIST_RUNS {
        ours.push(run(&["branches", "--all", "--limit", "100000"])?);
        let start = Instant::now();
        git(tree, &["for-each-ref", "--format=%(refname) %(objectname) %(ahead-behind:HEAD)"])?;
        theirs.push(start.elapsed());
    }
    let refs = git(tree, &["for-each-ref"])?.lines().count();
    println!("  list of {refs} refs: {:.0?}; git for-each-ref: {:.0?}", median(&mut ours), median(&mut theirs));
    table.line(
        "branches --all / git for-each-ref with ahead-behind",
        ratio(median(&mut ours), median(&mut theirs)),
        "x",
        Some(2.0),
    );
    Ok(())
}

/// Measures a store of many branches: `tips`, the first of which is what is checked out.
fn branches(binary: &Path, home: &Path, tree: &Path, tips: &[&str], step: usize, table: &mut Table) -> Outcome<()> {
    let run = |args: &[&str]| timed(program(binary, home, tree, args).stdout(Stdio::null())).map(|(time, _)| time);
    run(&["index"])?;
    let one = folder_bytes(home)?;
    let mut times = Vec::new();
    for (number, tip) in tips.iter().enumerate().skip(1) {
        let name = format!("old-{step}-{number}");
        git(tree, &["branch", &name, tip])?;
        times.push(run(&["index", "--ref", &name])?);
    }
    let all = folder_bytes(home)?;
    println!(
        "  {} branches, {step} commits apart; store of one {:.1} MB, of all {:.1} MB; {:.0?} to index one more",
        tips.len() - 1,
        one as f64 / 1e6,
        all as f64 / 1e6,
        median(&mut times)
    );
    // Nothing that remembers every line can do with less.
    table.line("lines of all branches / lines of one, each once", distinct_lines(tree, tips)?, "x", None);
    table.line("store of all branches / store of one", all as f64 / one as f64, "x", Some(1.5));
    Ok(())
}

/// Returns the bytes of lines in all of `tips` that the first does not have.
fn distinct_lines(tree: &Path, tips: &[&str]) -> Outcome<f64> {
    let mut seen = HashSet::new();
    let (mut one, mut all) = (0, 0);
    for path in git(tree, &["ls-files"])?.lines() {
        let Ok(text) = std::fs::read_to_string(tree.join(path)) else { continue };
        for line in text.lines().filter(|line| seen.insert(format!("{path}\n{line}"))) {
            one += line.len() + 1;
        }
    }
    for pair in tips.windows(2) {
        let difference = git(tree, &["diff", "--unified=0", "--no-renames", "--no-color", pair[0], pair[1]])?;
        let mut path = "";
        for line in difference.lines() {
            if let Some(named) = line.strip_prefix("+++ ") {
                path = named.strip_prefix("b/").unwrap_or(named);
            } else if let Some(line) = line.strip_prefix('+').filter(|line| seen.insert(format!("{path}\n{line}"))) {
                all += line.len() + 1;
            }
        }
    }
    Ok((one + all) as f64 / f64::from(one.max(1) as u32))
}

/// Appends a line to many source files; returns their paths.
fn change_files(tree: &Path) -> Outcome<Vec<String>> {
    let listed = git(tree, &["ls-files"])?;
    let mut changed = Vec::new();
    for path in listed.lines() {
        let Ok(text) = std::fs::read_to_string(tree.join(path)) else { continue };
        if language_of(path, &text).is_some_and(|language| language.is_code() && language.has_grammar()) {
            std::fs::write(tree.join(path), format!("{text}\n\n"))?;
            changed.push(path.to_string());
        }
        if changed.len() == CHANGED_FILES {
            break;
        }
    }
    Ok(changed)
}

/// Reads and parses files, and nothing else.
fn parse_alone(tree: &Path, paths: &[String]) -> Duration {
    let start = Instant::now();
    for path in paths {
        let Ok(text) = std::fs::read_to_string(tree.join(path)) else { continue };
        if let Some(language) = language_of(path, &text) {
            build_tree(&text, language);
        }
    }
    start.elapsed()
}

#[expect(clippy::disallowed_methods, reason = "the histories that are measured are made with the real git")]
fn git(directory: &Path, args: &[&str]) -> Outcome<String> {
    let output = Command::new("git")
        .args(["-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "advice.detachedHead=false"])
        .args(args)
        .current_dir(directory)
        .output()?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
    } else {
        Err(format!("git {args:?}: {}", String::from_utf8_lossy(&output.stderr)).into())
    }
}
