//! Whatever is asked, and wherever: an answer, or an error with a code and what to do about it.
//! Never a panic, never a look outside the workspace.

mod arguments;
mod contents;
mod paths;
mod questions;
mod settings;
mod unknown;
mod workspaces;

use codecompass_testkit::{Answer, TestWorkspace};
use expect_test::Expect;
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_codecompass");

const FIXTURE: &str = "
//- /src/lib.rs
/// Greets somebody.
pub fn greet(name: &str) -> String {
    format!(\"hello {name}\")
}
//- /src/deep/util.py
def helper():
    return 1
";

fn workspace() -> TestWorkspace {
    TestWorkspace::git(FIXTURE)
}

/// The refusal of a command as one text: code, message, remedy. What it says as text is what it
/// says as JSON.
#[track_caller]
fn refusal(workspace: &TestWorkspace, args: &[&str]) -> String {
    let text = workspace.run(PROGRAM, args).ended_with(2);
    let refusal = refusal_of(workspace, workspace.run(PROGRAM, &[&["--json"], args].concat()));
    let (_, message) = refusal.split_once(": ").unwrap();
    assert_eq!(workspace.normalised(&text.stderr), format!("error: {message}"), "{args:?}");
    assert_eq!(text.stdout, "", "{args:?}");
    refusal
}

/// The refusal in an answer as JSON.
#[track_caller]
fn refusal_of(workspace: &TestWorkspace, answer: Answer) -> String {
    let answer = answer.ended_with(2);
    assert_eq!(answer.stdout, "", "{answer:?}");
    let value: Value = serde_json::from_str(&answer.stderr).unwrap_or_else(|error| panic!("{error}: {answer:?}"));
    let error = &value["error"];
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).unwrap().to_string();
    let (code, message) = (text(&error["code"]), text(&error["message"]));
    let remedy = text(&error["data"]["remediation"]);
    // Control characters of a file are not sent to a terminal.
    let printable: String = message.chars().filter(|c| !c.is_control() || *c == '\n').collect();
    workspace.normalised(&format!("{code}: {printable}\nhelp: {remedy}\n"))
}

/// Compares the refusal of a command.
#[track_caller]
fn check_refused(workspace: &TestWorkspace, args: &[&str], expected: Expect) {
    expected.assert_eq(&refusal(workspace, args));
}

/// The refusals of a command with each of several words in place of the `{}` in its arguments.
#[track_caller]
fn refusals(workspace: &TestWorkspace, args: &[&str], words: &[&str]) -> String {
    let mut shown = String::new();
    for word in words {
        let args: Vec<String> = args.iter().map(|arg| arg.replace("{}", word)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        shown += &format!("> {word}\n{}", refusal(workspace, &args));
    }
    shown
}

/// The one text that all of several are.
#[track_caller]
fn alike(texts: impl IntoIterator<Item = String>) -> String {
    let mut texts = texts.into_iter();
    let first = texts.next().unwrap();
    texts.for_each(|text| assert_eq!(text, first));
    first
}

/// Everything that a command says.
fn shown(workspace: &TestWorkspace, args: &[&str]) -> String {
    workspace.run(PROGRAM, args).shown(workspace)
}

/// Compares everything that a command says.
#[track_caller]
fn check(workspace: &TestWorkspace, args: &[&str], expected: Expect) {
    expected.assert_eq(&shown(workspace, args));
}

/// Runs a command that may find something or not, but must end well.
#[track_caller]
fn answered(workspace: &TestWorkspace, args: &[&str]) -> Answer {
    let answer = workspace.run(PROGRAM, args);
    let code = answer.code.unwrap_or(-1);
    assert!(code == 0 || code == 1, "{args:?}: {answer:?}");
    answer.ended_with(code)
}

/// Commands that take a question.
const QUESTIONS: [&str; 5] = ["search", "context", "locate", "show", "outline"];

/// Commands that take none.
const CHORES: [&str; 5] = ["index", "sync", "status", "doctor", "gc"];

/// Commands that are about one definition.
const ABOUT_A_SYMBOL: [&str; 8] = ["show", "refs", "calls", "trace", "impact", "hierarchy", "related", "similar"];

/// Compares what the parser of arguments says, as JSON and in the first line as text.
#[track_caller]
fn check_usage(workspace: &TestWorkspace, args: &[&str], expected: Expect) {
    expected.assert_eq(&usage(workspace, args));
}

#[track_caller]
fn usage(workspace: &TestWorkspace, args: &[&str]) -> String {
    let text = workspace.run(PROGRAM, args).ended_with(2);
    let refusal = refusal_of(workspace, workspace.run(PROGRAM, &[args, &["--json"]].concat()));
    let first = text.stderr.lines().next().unwrap().replace("error: ", "invalid_input: ");
    assert!(refusal.starts_with(&first), "{refusal}\n{text:?}");
    refusal
}
