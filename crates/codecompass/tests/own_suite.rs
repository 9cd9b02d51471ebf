//! The questions in `eval/codecompass.json`, asked about the code that they were written for: the
//! ranking must not become worse unnoticed. That code is kept in an archive, so only a change of
//! the program changes the answers.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests may fail loudly and read variables")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use codecompass_testkit::{TestWorkspace, unpack};
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_codecompass");

/// One question that loses its first place exceeds it.
const TOLERANCE: &str = "0.01";

/// `UPDATE_EXPECT=1` stores the answers of today as the baseline.
#[test]
fn own_questions_are_answered_as_well_as_before() {
    let eval = dunce::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../eval")).unwrap();
    let workspace = TestWorkspace::plain("");
    unpack(&eval.join("codecompass.corpus.tar.zst"), &workspace.root());
    let (suite, baseline) = (eval.join("codecompass.json"), eval.join("codecompass.baseline.json"));
    let [suite, baseline] = [&suite, &baseline].map(|path| path.to_str().unwrap());
    let comparison = match std::env::var_os("UPDATE_EXPECT") {
        Some(_) => vec!["--report", baseline],
        None => vec!["--baseline", baseline, "--tolerance", TOLERANCE],
    };
    let arguments = [&["eval", suite, "--root", ".", "--no-latency", "--quiet"], comparison.as_slice()].concat();
    let answer = workspace.run(PROGRAM, &arguments);
    assert_eq!(answer.code, Some(0), "{}{}", answer.stdout, answer.stderr);
}

const FIXTURE: &str = r#"
//- /src/cookies.py
def store(jar):
    """Keeps the cookies of an answer."""
    return jar
//- /src/session.py
def send(jar):
    return jar.cookies
//- /suite.json
{"paths": ["src"], "queries": [
    {"query": "store", "relevant": [{"path": "src/cookies.py", "symbol": "store"}]},
    {"query": "how are cookies kept", "relevant": ["cookies.py"]},
    {"query": "where is the moon", "relevant": [{"path": "cookies.py", "start_line": 100, "end_line": 101}]}
]}
"#;

#[test]
fn a_suite_is_measured_and_compared() {
    let workspace = TestWorkspace::plain(FIXTURE);
    let json = workspace.run(PROGRAM, &["eval", "suite.json", "--json", "--report", "before.json"]).found();
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["by_category"]["symbol"]["ndcg_at_10"], 1.0);
    assert_eq!(report["by_category"]["architecture"]["success_at_1"], 1.0);
    assert_eq!(report["by_category"]["semantic"]["recall_at_10"], 0.0);
    assert_eq!(report["overall"]["queries"], 3);
    assert!(report["latency_ms"]["p50"].as_f64().is_some());
    assert!(report["context"].is_null());

    let json = workspace.run(PROGRAM, &["eval", "suite.json", "--json", "--context"]).found();
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["context"]["by_category"]["symbol"]["as_text"]["500"]["recall"], 1.0);
    assert_eq!(report["context"]["overall"]["as_json"]["4000"]["recall"], 0.6667);
    let table = workspace.run(PROGRAM, &["eval", "suite.json", "--context"]).found();
    assert!(table.contains("context: recall of files"), "{table}");

    let same = workspace.run(PROGRAM, &["eval", "suite.json", "--baseline", "before.json", "--no-latency"]).found();
    assert!(same.contains("no worse than before.json") && !same.contains("latency"), "{same}");

    workspace.remove("src/cookies.py");
    let worse = workspace.run(PROGRAM, &["eval", "suite.json", "--baseline", "before.json"]).ended_with(1);
    assert!(worse.stdout.contains("worse: overall: ndcg_at_10 fell from 0.667 to 0.000"), "{}", worse.stdout);

    for arguments in [&["eval", "nowhere.json"][..], &["eval", "src/session.py"], &["eval", "src"]] {
        assert!(workspace.run(PROGRAM, arguments).ended_with(2).stderr.contains("docs/evaluation.md"));
    }
}

/// A suite about two commits, of which only the first has `load`.
const ISSUES: &str = r#"
{"name": "shop", "paths": ["src"], "queries": [
    {"query": "load returns old orders when the store was closed", "ref": "before", "relevant": ["src/store.py"],
     "functions": [{"path": "src/store.py", "symbol": "load"}]},
    {"query": "close drops orders", "relevant": ["src/store.py", "src/gone.py"], "functions": [{"path": "src/store.py", "symbol": "close"}]}
]}
"#;

#[test]
fn issues_are_localised_at_their_commits() {
    let store = |name: &str| format!("def {name}(store):\n    return store.orders\n");
    let workspace = TestWorkspace::git("");
    workspace.write("src/store.py", &store("load"));
    workspace.commit("load");
    workspace.run_git(&["tag", "before"]);
    workspace.write("src/store.py", &store("close"));
    workspace.commit("close");
    workspace.write("issues.json", ISSUES);
    let json = workspace.run(PROGRAM, &["eval", "issues.json", "--json", "--report", "before.json"]).found();
    let report: Value = serde_json::from_str(&json).unwrap();
    let overall = &report["localisation"]["overall"];
    assert_eq!((&overall["queries"], &overall["files_acc_at"]["1"]), (&2.into(), &0.5.into()));
    assert_eq!(overall["functions_any_at"]["10"], 1.0);
    assert_eq!(report["results"][0]["localised"]["files"], 1);
    assert!(report["results"][1]["localised"]["files"].is_null());

    let same = workspace.run(PROGRAM, &["eval", "issues.json", "--baseline", "before.json"]).found();
    assert!(same.contains("any-hit@10") && same.contains("no worse than before.json"), "{same}");
    workspace.write("issues.json", &ISSUES.replace("\"ref\": \"before\", ", ""));
    let worse = workspace.run(PROGRAM, &["eval", "issues.json", "--baseline", "before.json"]).ended_with(1);
    assert!(worse.stdout.contains("functions any-hit@10 fell from 1.000 to 0.500"), "{}", worse.stdout);
}

#[test]
fn questions_without_an_answer_and_splits_are_measured() {
    let workspace = TestWorkspace::plain(FIXTURE);
    let suite = r#"{"paths": ["src"], "queries": [
        {"query": "store", "split": "tune", "relevant": ["src/cookies.py"]},
        {"query": "GraphqlResolver", "split": "tune", "relevant": [], "answerable": false},
        {"query": "send", "split": "held", "relevant": ["src/session.py"]}
    ]}"#;
    workspace.write("suite.json", suite);
    let json = workspace.run(PROGRAM, &["eval", "suite.json", "--json", "--split", "tune"]).found();
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["overall"]["queries"], 1);
    assert_eq!(report["not_sure"]["overall"]["recognised"], 1.0);
    assert_eq!(report["not_sure"]["overall"]["false_alarms"], 0.0);
    assert!(report["latency_ms"]["by_category"]["symbol"]["cold"]["p50"].as_f64().is_some());
    let held = workspace.run(PROGRAM, &["eval", "suite.json", "--json", "--split", "held"]).found();
    let report: Value = serde_json::from_str(&held).unwrap();
    assert_eq!((&report["overall"]["queries"], &report["overall"]["success_at_5"]), (&1.into(), &1.0.into()));
    assert!(report["not_sure"]["overall"]["recognised"].is_null());
}

/// FNV-1a, which decides about the part of a question: seven of ten go to `tune`.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn suite_of_archetypes_keeps_its_format() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../eval/archetypes");
    let read =
        |path: &str| -> Value { serde_json::from_str(&std::fs::read_to_string(folder.join(path)).unwrap()).unwrap() };
    let repositories = read("repos.json");
    let mut languages = BTreeSet::new();
    let (mut questions, mut unanswerable, mut tune) = (0, 0, 0);
    let mut by_archetype: BTreeMap<String, usize> = BTreeMap::new();
    for repository in repositories.as_array().unwrap() {
        languages.insert(repository["language"].as_str().unwrap().to_string());
        assert_eq!(repository["revision"].as_str().unwrap().len(), 40);
        for question in read(&format!("annotations/{}.json", repository["name"].as_str().unwrap())).as_array().unwrap()
        {
            let query = question["query"].as_str().unwrap();
            let split = if hash(query) % 10 < 7 { "tune" } else { "held" };
            assert_eq!(question["split"], split, "{query}");
            let places = question["relevant"].as_array().unwrap().len();
            let is_answerable = question["answerable"].as_bool().unwrap_or(true);
            assert_eq!(is_answerable, places > 0, "{query}");
            assert!(places <= 8, "{query}");
            *by_archetype.entry(question["category"].as_str().unwrap().to_string()).or_default() += 1;
            questions += 1;
            unanswerable += usize::from(!is_answerable);
            tune += usize::from(split == "tune");
        }
    }
    assert!(questions >= 100 && unanswerable >= 15, "{questions} questions, {unanswerable} without an answer");
    let archetypes: Vec<&str> = by_archetype.keys().map(String::as_str).collect();
    assert_eq!(archetypes, ["cross-cutting", "error-message", "how-does-it-work", "symbol", "where-is-it"]);
    assert!(by_archetype.values().all(|count| *count >= 15), "{by_archetype:?}");
    assert_eq!(languages.len(), 5);
    assert!((0.6..0.8).contains(&(tune as f64 / questions as f64)), "{tune} of {questions}");
}
