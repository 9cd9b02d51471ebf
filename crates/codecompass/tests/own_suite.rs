//! The questions in `eval/codecompass.json`, asked about the code that they were written for: the
//! ranking must not become worse unnoticed. That code is kept in an archive, so only a change of
//! the program changes the answers.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests may fail loudly and read variables")]

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
