//! The questions in `eval/codecompass.json`, asked about this very repository: the ranking must not become worse unnoticed.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

use std::path::Path;

use codecompass_testkit::TestWorkspace;
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_codecompass");

/// The code moves under the questions, so single answers may change; the whole must hold.
const TOLERANCE: &str = "0.06";

#[test]
fn own_questions_are_answered_as_well_as_before() {
    let workspace = TestWorkspace::plain("");
    let root = dunce::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap();
    let (suite, baseline) = (root.join("eval/codecompass.json"), root.join("eval/codecompass.baseline.json"));
    let paths = [&suite, &root, &baseline].map(|path| path.to_str().unwrap());
    let [suite, root, baseline] = paths;
    let arguments = ["eval", suite, "--root", root, "--baseline", baseline, "--tolerance", TOLERANCE, "--quiet"];
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
