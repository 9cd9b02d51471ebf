//! `analyze`: what is sent, what is believed, and what is shown without a provider.

use codecompass_testkit::{Answer, TestWorkspace};
use expect_test::expect;
use serde_json::{Value, json};

use crate::find::provider::Provider;
use crate::{PROGRAM, workspace};

const QUESTION: &str = "how are orders loaded from a file";
const SWITCHES: &str = "[semantic]\nexternal_provider_enabled = true\nallow_code_payload_to_external = true\n";

fn scene(settings: &str) -> TestWorkspace {
    let workspace = workspace();
    std::fs::create_dir_all(workspace.home()).unwrap();
    std::fs::write(workspace.home().join("config.toml"), settings).unwrap();
    workspace
}

fn chat(provider: &Provider, more: &str) -> String {
    format!("[semantic.chat]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"{}\"\n{more}", provider.url())
}

/// Runs a command with a key in the environment, which is never said.
#[track_caller]
fn run(workspace: &TestWorkspace, args: &[&str]) -> Answer {
    let mut command = workspace.command(PROGRAM, args);
    command.env("CODECOMPASS_CHAT_API_KEY", "key-of-chat");
    let answer = Answer::of(&mut command);
    assert!(!format!("{answer:?}").contains("key-of-"), "{answer:?}");
    answer
}

#[track_caller]
fn json_of(workspace: &TestWorkspace, args: &[&str]) -> Value {
    let answer = run(workspace, &[args, &["--json"]].concat());
    serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"))
}

#[test]
fn places_of_a_narrative_are_looked_up() {
    let provider = Provider::start();
    let workspace = scene(&(SWITCHES.to_string() + &chat(&provider, "")));
    let answer = run(&workspace, &["analyze", QUESTION]).ended_with(0);
    expect![[r#"
        Orders are read by `load_orders` (src/store.rs:22-24), which src/store.rs:13 calls.

        - The server at http://localhost:8080/orders is cmd/serve/main.go:4.
        - Prices are in billing/prices.py:3 (not in the index) and billing/invoice.py:900 (not in the index). \u{1b}[31mRed

        written by openai:m; 3 places found in the index, 2 not and marked
    "#]].assert_eq(&answer.stdout);
    let requests = provider.requests();
    let [request] = requests.as_slice() else { panic!("{} requests", requests.len()) };
    assert_eq!((request.path.as_str(), request.authorization.as_str()), ("/v1/chat/completions", "Bearer key-of-chat"));
    let sent = request.body["messages"][1]["content"].as_str().unwrap();
    assert!(sent.starts_with(&format!("Question: {QUESTION}\n")), "{sent}");
    assert!(sent.contains("src/store.rs:22-24 function load_orders") && sent.contains("\n23     panic!("), "{sent}");

    let answer = json_of(&workspace, &["analyze", QUESTION, "--context"]);
    assert_eq!(answer["provider"], json!({"state": "answered"}));
    assert_eq!(answer["narrative"]["model"], "openai:m");
    let unverified = json!([{"path": "billing/prices.py", "line": 3}, {"path": "billing/invoice.py", "line": 900}]);
    assert_eq!(answer["narrative"]["unverified"], unverified);
    assert_eq!(answer["narrative"]["verified"][0], json!({"path": "src/store.rs", "line": 22, "line_end": 24}));
    assert!(!answer["results"].as_array().unwrap().is_empty());
}

#[test]
fn nothing_is_sent_unless_both_switches_are_on() {
    let provider = Provider::start();
    let last = |workspace: &TestWorkspace| {
        let answer = run(workspace, &["analyze", QUESTION]).ended_with(0);
        assert!(answer.stdout.contains("src/store.rs:22-24 function load_orders"), "{answer:?}");
        answer.stdout.lines().last().unwrap().to_string()
    };
    expect!["the code that was found, without a narrative: no chat model is configured; set provider, model and base_url in [semantic.chat] and both switches of [semantic]"].assert_eq(&last(&scene("")));
    let one = "[semantic]\nexternal_provider_enabled = true\n".to_string() + &chat(&provider, "");
    expect!["the code that was found, without a narrative: semantic.allow_code_payload_to_external is off; nothing was sent; switch it on in your own settings to let code leave this machine"].assert_eq(&last(&scene(&one)));
    let blocked = json_of(&scene(&one), &["analyze", QUESTION]);
    assert_eq!(blocked["provider"]["state"], "blocked");
    assert!(blocked.get("narrative").is_none());
    assert_eq!(provider.connections(), 0);
}

#[test]
fn a_provider_that_fails_costs_only_the_narrative() {
    let provider = Provider::start();
    provider.set_broken(true);
    let workspace = scene(&(SWITCHES.to_string() + &chat(&provider, "")));
    let answer = run(&workspace, &["analyze", QUESTION]).ended_with(0);
    assert!(answer.stdout.contains("src/store.rs:22-24 function load_orders"), "{answer:?}");
    let port = provider.url().replace("http://", "").replace("/v1", "");
    expect!["the code that was found, without a narrative: HOST refused the request (status 400); try again, or correct [semantic.chat]"].assert_eq(&answer.stdout.lines().last().unwrap().replace(&port, "HOST"));
    let without_model = SWITCHES.to_string() + "[semantic.chat]\nprovider = \"openai\"\n";
    let answer = json_of(&scene(&without_model), &["analyze", QUESTION]);
    assert_eq!(answer["provider"], json!({"state": "failed", "problem": "semantic.chat.model must be given"}));
}

#[test]
fn a_repository_cannot_choose_the_provider() {
    let provider = Provider::start();
    let workspace = scene(SWITCHES);
    workspace.write(".codecompass/config.toml", &chat(&provider, ""));
    let answer = run(&workspace, &["analyze", QUESTION]).ended_with(2);
    assert!(answer.stderr.contains("semantic.chat"), "{answer:?}");
    assert_eq!(provider.connections(), 0);
}
