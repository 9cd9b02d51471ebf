//! `cargo xtask session FOLDER [BINARY] [--only NAME]`: scripted agent sessions, written to
//! docs/agent-session.md.
//!
//! An agent's questions about real repositories, in order, to one server for each on stdin and
//! stdout; and beside each question, what a search by `rg` and reading the files would have cost.
//! The questions are in `xtask/sessions`; FOLDER has the clones. A repository that is not there is
//! skipped.

mod grep;
mod page;
mod questions;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tiktoken_rs::CoreBPE;

use self::grep::{Habit, Searched};
use self::questions::{Question, Script, Step};
use crate::bench::measure;
use crate::outcome::Outcome;
use crate::stdio_client::StdioClient;

/// One question, answered both ways.
struct Exchange<'a> {
    question: &'a Question,
    answer: String,
    ours: Cost,
    sparing: Cost,
    plain: Cost,
}

/// The cost of one way, and how many of the words that an answer must have it has.
#[derive(Clone, Copy, Default)]
struct Cost {
    calls: usize,
    tokens: usize,
    has: usize,
}

/// A whole session.
struct Session<'a> {
    script: &'a Script,
    handshake: usize,
    tools: usize,
    exchanges: Vec<Exchange<'a>>,
}

/// Holds the sessions whose repositories are in the folder and writes the page; with `--only`,
/// holds one and prints its answers.
pub(crate) fn run(root: &Path, args: &[&str]) -> Outcome<()> {
    let (folder, binary, only) = match args {
        [folder] => (folder, None, None),
        [folder, "--only", name] => (folder, None, Some(*name)),
        [folder, binary] => (folder, Some(binary), None),
        [folder, binary, "--only", name] => (folder, Some(binary), Some(*name)),
        _ => return Err("session FOLDER [BINARY] [--only NAME]".into()),
    };
    let folder = dunce::canonicalize(folder)?;
    let binary = match binary {
        Some(binary) => dunce::canonicalize(binary)?,
        None => measure::build(root, "codecompass")?,
    };
    let scripts = questions::scripts(root)?;
    let (mut sessions, mut skipped) = (Vec::new(), Vec::new());
    for script in scripts.iter().filter(|script| only.is_none_or(|only| script.name() == only)) {
        match checked_out(script, &folder)? {
            Some(work) => sessions.push(hold(&binary, script, work.path())?),
            None => {
                println!("{}: skipped, no clone with {} in {}", script.repository, script.commit, folder.display());
                skipped.push(script);
            }
        }
    }
    print!("{}", page::summary(&sessions));
    if only.is_some() {
        sessions.iter().for_each(|session| print!("{}", page::whole(session)));
        return Ok(());
    }
    if sessions.is_empty() {
        return Err("no repository was found".into());
    }
    std::fs::write(root.join("docs/agent-session.md"), page::write(&sessions, &skipped))?;
    println!("docs/agent-session.md: {} sessions", sessions.len());
    Ok(())
}

/// Clones the script's repository at its commit, on a branch of its own, into a temporary folder;
/// `None` where the folder has no clone with that commit.
fn checked_out(script: &Script, folder: &Path) -> Outcome<Option<tempfile::TempDir>> {
    let Some(source) = script.clone_in(folder) else { return Ok(None) };
    let source = source.to_str().ok_or("a path that is not UTF-8")?;
    if git(folder, &["-C", source, "cat-file", "-e", &format!("{}^{{commit}}", script.commit)]).is_err() {
        return Ok(None);
    }
    let work = tempfile::tempdir()?;
    git(work.path(), &["clone", "--quiet", "--no-checkout", source, script.name()])?;
    let clone = clone_of(script, work.path());
    git(&clone, &["switch", "--quiet", "--force-create", "work", &script.commit])?;
    Ok(Some(work))
}

fn clone_of(script: &Script, work: &Path) -> PathBuf {
    work.join(script.name())
}

fn hold<'a>(binary: &Path, script: &'a Script, work: &Path) -> Outcome<Session<'a>> {
    let (clone, home) = (clone_of(script, work), work.join("home"));
    let count = tiktoken_rs::o200k_base()?;
    // Everything is indexed before the first question: what is measured is the answers.
    let mut texts = StdioClient::start(binary, &clone, &home, &["--answers", "text"])?;
    let handshake = texts.begin()?;
    // The same answers for the program: where names are followed, the other way takes them from
    // here.
    let mut objects = StdioClient::start(binary, &clone, &home, &["--answers", "structured"])?;
    objects.begin()?;
    let tools = texts.request("tools/list", json!({}))?["tools"].clone();
    let mut exchanges = Vec::new();
    let mut edit = script.edit.as_ref();
    for question in &script.questions {
        if let Some(edit) = edit.take_if(|_| question.is_after_the_edit) {
            let text = std::fs::read_to_string(clone.join(&edit.path))?;
            if !text.contains(&edit.before) {
                return Err(format!("{} does not have the text that the session edits", edit.path).into());
            }
            std::fs::write(clone.join(&edit.path), text.replacen(&edit.before, &edit.after, 1))?;
        }
        let searched = Searched { clone: &clone, types: &script.types };
        let held = exchange(question, &mut texts, &mut objects, searched, &count);
        exchanges.push(held.map_err(|error| format!("{}: {}: {error}", script.repository, question.words))?);
    }
    texts.end()?;
    objects.end()?;
    Ok(Session {
        script,
        handshake: tokens(&count, &handshake.to_string()),
        tools: tokens(&count, &tools.to_string()),
        exchanges,
    })
}

/// Returns the paths of files that an answer lists below the name of their folder.
fn whole_paths(answer: &str) -> String {
    let mut folder = "";
    let mut paths = String::new();
    for line in answer.lines() {
        match line.strip_prefix(' ') {
            Some(file) if !file.starts_with(' ') => paths.push_str(&format!("{folder}{file}\n")),
            None => folder = if line.ends_with('/') { line } else { "" },
            Some(_) => {}
        }
    }
    paths
}

fn exchange<'a>(
    question: &'a Question,
    texts: &mut StdioClient,
    objects: &mut StdioClient,
    searched: Searched,
    count: &CoreBPE,
) -> Outcome<Exchange<'a>> {
    let mut answer = String::new();
    for call in &question.calls {
        let result = texts.request("tools/call", params(call)?)?;
        let text = result["content"][0]["text"].as_str().ok_or("an answer without text")?;
        if result["isError"] == true {
            return Err(format!("{call}: {text}").into());
        }
        answer.push_str(text);
        answer.push('\n');
    }
    let follows = question.steps.iter().any(|step| matches!(step, Step::Follow(_)));
    let object = match question.calls.first().filter(|_| follows) {
        Some(call) => objects.request("tools/call", params(call)?)?["structuredContent"].take(),
        None => Value::Null,
    };
    let sparing = grep::answer(Habit::Sparing, question, &object, searched)?;
    let plain = grep::answer(Habit::Plain, question, &object, searched)?;
    let cost = |calls: usize, asked: &str, got: &str, paths: &str| Cost {
        calls,
        tokens: tokens(count, asked) + tokens(count, got),
        has: question.needed.iter().filter(|word| got.contains(word.as_str()) || paths.contains(word.as_str())).count(),
    };
    let ours = cost(question.calls.len(), &question.calls.join("\n"), &answer, &whole_paths(&answer));
    let [sparing, plain] =
        [sparing, plain].map(|found| cost(question.steps.len(), &found.asked, &found.got, &found.paths));
    Ok(Exchange { question, answer, ours, sparing, plain })
}

/// The parameters of a call that a script has as `tool {arguments}`.
fn params(call: &str) -> Outcome<Value> {
    let (tool, arguments) = call.split_once(' ').ok_or_else(|| format!("`{call}` has no arguments"))?;
    let arguments: Value = serde_json::from_str(arguments).map_err(|error| format!("{call}: {error}"))?;
    Ok(json!({"name": tool, "arguments": arguments}))
}

fn tokens(count: &CoreBPE, text: &str) -> usize {
    count.encode_ordinary(text).len()
}

#[expect(clippy::disallowed_methods, reason = "a chore runs git and rg, as the agent of the session would")]
fn output(program: &str, args: &[&str], folder: &Path) -> Outcome<String> {
    let output = Command::new(program).args(args).current_dir(folder).output()?;
    let found_nothing = program == "rg" && output.status.code() == Some(1);
    if !output.status.success() && !found_nothing {
        return Err(format!("{program} {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn git(folder: &Path, args: &[&str]) -> Outcome<String> {
    output("git", args, folder)
}
