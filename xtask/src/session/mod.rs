//! `cargo xtask session REPOSITORY [BINARY]`: a scripted agent session, written to
//! docs/agent-session.md.
//!
//! An agent's questions about a real repository, in order, to one server on stdin and stdout; and
//! beside each, what a search by `rg` and reading the files would have cost. The questions are
//! about Django; see `questions.rs`.

mod client;
mod grep;
mod page;
mod questions;

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tiktoken_rs::CoreBPE;

use self::client::StdioClient;
use self::grep::Habit;
use self::questions::{EDIT, QUESTIONS, Question};
use crate::bench::measure;
use crate::outcome::Outcome;

/// One question, answered both ways.
struct Exchange {
    question: &'static Question,
    answer: String,
    ours: Cost,
    sparing: Cost,
    plain: Cost,
}

/// The cost of one way, and how many of the words that an answer must have it has.
struct Cost {
    tokens: usize,
    has: usize,
}

/// A whole session.
struct Session {
    commit: String,
    handshake: usize,
    tools: usize,
    exchanges: Vec<Exchange>,
}

/// Runs the session on a clone of `repository` and writes the page.
pub(crate) fn run(root: &Path, repository: &str, binary: Option<&str>) -> Outcome<()> {
    let binary = match binary {
        Some(binary) => dunce::canonicalize(binary)?,
        None => measure::build(root)?,
    };
    let folder = tempfile::tempdir()?;
    let (clone, home) = (folder.path().join("django"), folder.path().join("home"));
    git(folder.path(), &["clone", "--quiet", repository, "django"])?;
    git(&clone, &["switch", "--quiet", "--create", "sha256"])?;
    let session = hold(&binary, &clone, &home)?;
    std::fs::write(root.join("docs/agent-session.md"), page::write(&session))?;
    println!("docs/agent-session.md: {} questions", session.exchanges.len());
    Ok(())
}

fn hold(binary: &Path, clone: &Path, home: &Path) -> Outcome<Session> {
    let count = tiktoken_rs::o200k_base()?;
    // Everything is indexed before the first question: what is measured is the answers.
    let mut client = StdioClient::start(binary, clone, home, "text")?;
    let handshake = client.begin()?;
    // The same answers for the program: where names are followed, the other way takes them from
    // here.
    let mut objects = StdioClient::start(binary, clone, home, "structured")?;
    objects.begin()?;
    let tools = client.request("tools/list", json!({}))?["tools"].clone();
    let mut exchanges = Vec::new();
    for question in QUESTIONS {
        if question.is_after_the_edit {
            let (path, before, after) = EDIT;
            let text = std::fs::read_to_string(clone.join(path))?;
            if !text.contains(before) {
                return Err(format!("{path} does not have the text that the session edits").into());
            }
            std::fs::write(clone.join(path), text.replacen(before, after, 1))?;
        }
        exchanges.push(exchange(question, (&mut client, &mut objects), clone, &count)?);
    }
    client.end()?;
    objects.end()?;
    Ok(Session {
        commit: git(clone, &["rev-parse", "HEAD"])?.trim().to_string(),
        handshake: tokens(&count, &handshake.to_string()),
        tools: tokens(&count, &tools.to_string()),
        exchanges,
    })
}

fn exchange(
    question: &'static Question,
    (texts, objects): (&mut StdioClient, &mut StdioClient),
    clone: &Path,
    count: &CoreBPE,
) -> Outcome<Exchange> {
    let arguments: Value = serde_json::from_str(question.arguments)?;
    let call = json!({"name": question.tool, "arguments": arguments});
    let result = texts.request("tools/call", call.clone())?;
    let text = result["content"][0]["text"].as_str().ok_or("an answer without text")?;
    if result["isError"] == true {
        return Err(format!("{} {}: {text}", question.tool, question.arguments).into());
    }
    let answer = objects.request("tools/call", call)?["structuredContent"].clone();
    let sparing = grep::answer(Habit::Sparing, question, &answer, clone)?;
    let plain = grep::answer(Habit::Plain, question, &answer, clone)?;
    let cost = |asked: &str, got: &str| Cost {
        tokens: tokens(count, asked) + tokens(count, got),
        has: question.needed.iter().filter(|word| got.contains(**word)).count(),
    };
    let ours = cost(&format!("{} {}", question.tool, question.arguments), text);
    let (sparing, plain) = (cost(&sparing.asked, &sparing.got), cost(&plain.asked, &plain.got));
    Ok(Exchange { question, answer: text.to_string(), ours, sparing, plain })
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
