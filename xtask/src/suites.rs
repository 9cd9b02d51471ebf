//! `cargo xtask suites [--write] [LOG]`: a table of all test suites with their times, from the
//! output of `cargo test`, which is run unless a log of it is given. `--write` puts the table into
//! CONTRIBUTING.md.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;

use crate::outcome::Outcome;

const PAGE: &str = "CONTRIBUTING.md";
const BEGIN: &str = "<!-- written by `cargo xtask suites --write` -->\n";
const END: &str = "<!-- end of suites -->";

/// One test binary, or the examples in the documentation of a crate.
#[derive(Debug, PartialEq)]
struct Suite {
    krate: String,
    name: String,
    tests: usize,
    seconds: f64,
}

/// Prints the table, or writes it.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> Outcome<()> {
    let (is_written, log) = match arguments {
        ["--write", log @ ..] => (true, log),
        log => (false, log),
    };
    let (output, is_success) = match log {
        [] => test(root)?,
        [log] => (std::fs::read_to_string(log)?, true),
        _ => return Err("usage: cargo xtask suites [--write] [LOG]".into()),
    };
    if !is_success {
        return Err("tests failed, so their times mean nothing".into());
    }
    let table = table(&suites(&output, &|path| crate_with(root, path)));
    if !is_written {
        print!("{table}");
        return Ok(());
    }
    let page = std::fs::read_to_string(root.join(PAGE))?;
    let (before, rest) = page.split_once(BEGIN).ok_or("the page has no mark where the table begins")?;
    let (_, after) = rest.split_once(END).ok_or("the page has no mark where the table ends")?;
    Ok(std::fs::write(root.join(PAGE), format!("{before}{BEGIN}{table}{END}{after}"))?)
}

/// Runs all tests; returns what cargo and they print, and whether all passed.
#[expect(clippy::disallowed_methods, reason = "a chore runs cargo")]
fn test(root: &Path) -> Outcome<(String, bool)> {
    // One pipe for both, since cargo names a suite on stderr and the suite its result on stdout.
    let (reader, writer) = std::io::pipe()?;
    let mut command = Command::new("cargo");
    command.args(["test", "--workspace", "--locked"]).current_dir(root);
    let mut child = command.stdout(writer.try_clone()?).stderr(writer).spawn()?;
    // The command holds the ends to write to; the reader sees the end when they are gone.
    drop(command);
    let mut output = String::new();
    for line in BufReader::new(reader).lines() {
        let line = line?;
        println!("{line}");
        output.push_str(&line);
        output.push('\n');
    }
    Ok((output, child.wait()?.success()))
}

/// Reads the suites out of the output of `cargo test`; `crate_with` finds the crate that has a test
/// file.
fn suites(output: &str, crate_with: &dyn Fn(&str) -> Option<String>) -> Vec<Suite> {
    let mut suites = Vec::new();
    let mut current: Option<(String, String)> = None;
    for line in output.lines() {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("Running ") {
            current = named(rest, crate_with);
        } else if let Some(library) = line.strip_prefix("Doc-tests ") {
            current = Some((short(library), "examples in documentation".to_string()));
        } else if let Some(result) = line.strip_prefix("test result: ")
            && let Some((krate, name)) = current.take()
            && let Some((tests, seconds)) = numbers(result)
        {
            suites.push(Suite { krate, name, tests, seconds });
        }
    }
    suites
}

/// The crate and name of a suite: `unittests src/lib.rs
/// (target/debug/deps/codecompass_engine-0123)`, or `tests/cli/main.rs (…)`.
fn named(text: &str, crate_with: &dyn Fn(&str) -> Option<String>) -> Option<(String, String)> {
    let (path, binary) = text.split_once(" (")?;
    match path.strip_prefix("unittests ") {
        Some(_) => {
            let binary = binary.trim_end_matches(')').replace('\\', "/");
            let stem = binary.rsplit('/').next()?.rsplit_once('-')?.0;
            Some((short(stem), "unit tests".to_string()))
        }
        None => {
            let path = path.replace('\\', "/");
            let name = path.trim_start_matches("tests/").trim_end_matches(".rs").trim_end_matches("/main");
            Some((crate_with(&path).unwrap_or_else(|| "?".to_string()), name.to_string()))
        }
    }
}

/// The folder of a crate by the name of its library.
fn short(library: &str) -> String {
    library.trim_start_matches("codecompass_").to_string()
}

/// The first crate with such a file.
fn crate_with(root: &Path, path: &str) -> Option<String> {
    let mut names: Vec<String> = std::fs::read_dir(root.join("crates"))
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| root.join("crates").join(name).join(path).is_file())
        .collect();
    names.sort();
    names.into_iter().next()
}

/// The number of tests and their time: `ok. 3 passed; 0 failed; …; finished in 0.61s`.
fn numbers(result: &str) -> Option<(usize, f64)> {
    let count = |word: &str| -> Option<usize> {
        let before = result.split(word).next()?.trim_end();
        before.rsplit(' ').next()?.parse().ok()
    };
    let seconds = result.rsplit_once("finished in ")?.1.trim_end_matches('s').parse().ok()?;
    Some((count(" passed")? + count(" failed")?, seconds))
}

fn table(suites: &[Suite]) -> String {
    let mut suites: Vec<&Suite> = suites.iter().filter(|suite| suite.tests > 0).collect();
    suites.sort_by(|a, b| (&a.krate, &a.name).cmp(&(&b.krate, &b.name)));
    let mut table = String::from("| crate | suite | tests | seconds |\n|---|---|---|---|\n");
    for suite in &suites {
        let _ = writeln!(table, "| {} | {} | {} | {:.1} |", suite.krate, suite.name, suite.tests, suite.seconds);
    }
    let tests: usize = suites.iter().map(|suite| suite.tests).sum();
    let seconds: f64 = suites.iter().map(|suite| suite.seconds).sum();
    let _ = writeln!(table, "| all | | {tests} | {seconds:.0} |");
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
   Compiling codecompass v0.1.0
     Running unittests src/lib.rs (target/debug/deps/codecompass_engine-0a1b2c)

running 2 tests
test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.61s

     Running tests/cli/main.rs (target/debug/deps/cli-0a1b2c)
skipped test: full_disk: this user may not mount a file system
test result: ok. 7 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 12.04s

   Doc-tests codecompass_engine
test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

    #[test]
    fn suites_are_read_from_the_output_of_cargo() {
        let suites = suites(OUTPUT, &|path| (path == "tests/cli/main.rs").then(|| "codecompass".to_string()));
        assert_eq!(suites.len(), 3);
        assert_eq!(
            table(&suites),
            "| crate | suite | tests | seconds |\n|---|---|---|---|\n| codecompass | cli | 7 | 12.0 |\n\
             | engine | unit tests | 2 | 0.6 |\n| all | | 9 | 13 |\n"
        );
    }
}
