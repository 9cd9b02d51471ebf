//! Files whose bytes on disk differ from their git blob although git calls them clean: line-end
//! conversion and the like.

use std::fs::File;
use std::time::{Duration, SystemTime};

use codecompass_engine::query::{self, Filter};
use codecompass_engine::{Config, Engine, NoProgress, SyncOptions, sync};
use codecompass_testkit::TestWorkspace;

#[test]
fn a_converted_file_is_not_taken_for_its_blob() {
    let workspace = TestWorkspace::git("//- /.gitattributes\n* text=auto\n//- /a.py\ndef first():\n    return 1\n");
    let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
    sync(&engine, SyncOptions::default(), &NoProgress).unwrap();

    // The same text with other line ends: git stores the same blob and vouches for the file.
    workspace.write("a.py", "def first():\r\n    return 1\r\n");
    let past = SystemTime::now() - Duration::from_secs(3600);
    File::options().write(true).open(workspace.root().join("a.py")).unwrap().set_modified(past).unwrap();
    workspace.run_git(&["add", "a.py"]);
    assert_eq!(workspace.run_git(&["status", "--porcelain"]), "");

    let (snapshot, report) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    assert_eq!(report.parsed, 1, "the bytes on disk are a content of their own");
    let shown = query::show(&snapshot, engine.source(), &engine.config().index, "first", &Filter::default()).unwrap();
    assert_eq!(shown.source, "def first():\r\n    return 1\r\n");

    // Back to the old bytes: known without parsing.
    workspace.write("a.py", "def first():\n    return 1\n");
    let (_, report) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    assert_eq!((report.parsed, report.published), (0, true));
}
