//! `config show`: the settings in force, and where they come from.

use std::fs;

use codecompass_testkit::{Answer, TestWorkspace};
use expect_test::expect;
use serde_json::{Value, json};

use crate::{PROGRAM, workspace};

fn with_settings(user: &str, own: &str) -> TestWorkspace {
    let workspace = workspace();
    fs::write(workspace.home().join("config.toml"), user).unwrap();
    fs::create_dir_all(workspace.root().join(".codecompass")).unwrap();
    fs::write(workspace.root().join(".codecompass/config.toml"), own).unwrap();
    workspace
}

fn json(workspace: &TestWorkspace, args: &[&str]) -> Value {
    serde_json::from_str(&workspace.run(PROGRAM, args).ended_with(0).stdout).unwrap()
}

#[test]
fn each_value_names_its_layer() {
    let user = "[index]\nthreads = 3\nmax_line_bytes = 5000\n";
    let workspace = with_settings(user, "[index]\nmax_line_bytes = 6000\ngenerated = [\"api/**\"]\n");
    let answer = json(&workspace, &["config", "show", "index", "freshness", "--json", "--freshness", "strict"]);
    let setting = |name: &str| {
        let found = answer["settings"].as_array().unwrap().iter().find(|setting| setting["name"] == name);
        let found = found.unwrap_or_else(|| panic!("{name}: {answer}"));
        (found["value"].clone(), found["source"].as_str().unwrap().to_string())
    };
    assert_eq!(setting("index.threads"), (json!(3), "user".into()));
    assert_eq!(setting("index.max_line_bytes"), (json!(6000), "repository".into()));
    assert_eq!(setting("index.generated"), (json!(["api/**"]), "repository".into()));
    assert_eq!(setting("index.keep_views_days"), (json!(14), "default".into()));
    assert_eq!(setting("freshness.policy"), (json!("strict"), "flag".into()));
    assert!(answer["settings"].as_array().unwrap().iter().all(|it| !it["name"].as_str().unwrap().starts_with("watch")));
    assert_eq!((&answer["user_file"]["exists"], &answer["repository_file"]["exists"]), (&json!(true), &json!(true)));
}

#[test]
fn the_text_is_toml_with_comments() {
    let workspace = with_settings("[semantic]\nmode = \"off\"\n", "[search]\npath_factors = { src = 1.5 }\n");
    let text = workspace.run(PROGRAM, &["config", "show", "--changed"]).ended_with(0).stdout;
    let lines: Vec<&str> = text.lines().skip(2).collect();
    expect![[r#"

        [semantic]
        mode = "off"  # user file

        [search]
        path_factors = { "src" = 1.5 }  # repository file"#]]
    .assert_eq(&lines.join("\n"));
    let all = workspace.run(PROGRAM, &["config", "show"]).ended_with(0).stdout;
    let read: toml::Table = all.parse().unwrap();
    assert_eq!(read["semantic"]["mode"].as_str(), Some("off"));
    assert_eq!(read["semantic"]["embedding"]["batch_size"].as_integer(), Some(32));
    assert!(all.contains("# model is not set"), "{all}");
}

#[test]
fn keys_stay_hidden_and_unknown_names_are_told() {
    let workspace = workspace();
    let variables = [("CODECOMPASS_EMBEDDING_API_KEY", "abc123"), ("CODECOMPASS_INDEX_THREADS", "7")];
    let answer = Answer::of(workspace.command(PROGRAM, &["config", "show"]).envs(variables)).ended_with(0);
    assert!(answer.stdout.contains("threads = 7  # CODECOMPASS_INDEX_THREADS"), "{}", answer.stdout);
    assert!(answer.stdout.contains("# CODECOMPASS_EMBEDDING_API_KEY is set and never shown"), "{}", answer.stdout);
    assert!(!answer.stdout.contains("abc123"));
    let refused = workspace.run(PROGRAM, &["config", "show", "index.thread"]).ended_with(2);
    assert!(refused.stderr.contains("unknown setting `index.thread`"), "{}", refused.stderr);
    assert!(refused.stderr.contains("did you mean `index.threads`?"), "{}", refused.stderr);
    let refused = workspace.run(PROGRAM, &["config", "show", "output"]).ended_with(2);
    assert!(
        refused.stderr.contains("known sections are clone, cluster, freshness, history, index"),
        "{}",
        refused.stderr
    );
}
