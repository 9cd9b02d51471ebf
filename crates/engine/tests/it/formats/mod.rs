//! A sample store of each index format, as the program of its time wrote it, is read or replaced.
//!
//! When the format or the facts version is raised, `WRITE_SAMPLE=1 cargo test -p codecompass-engine
//! --test it formats` writes the sample of the new one; those of older formats stay as they are.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use codecompass_engine::query::{self, LocateOptions, Navigator, SearchOptions};
use codecompass_engine::{Compatibility, Config, Engine, Error, NoProgress, Snapshot, SyncOptions, sync};
use codecompass_testkit::{TestStore, TestWorkspace, pack, unpack};
use rusqlite::Connection;

const FIXTURE: &str = "\
//- /src/store.py
from src.text import trimmed

class Store:
    \"\"\"Keeps orders.\"\"\"

    def save(self, order):
        return trimmed(order)
//- /src/text.py
def trimmed(text):
    return text.strip()
//- /src/main.rs
//! Runs the shop.
fn main() {
    serve(8080);
}

/// Answers requests.
fn serve(port: u16) {}
//- /README.md
# Shop

Orders are kept in a store.
";

/// The repository that samples are of. Its commit has the same id everywhere; its path differs, so
/// samples hold the view of a commit, not that of a directory.
fn repository() -> TestWorkspace {
    let workspace = TestWorkspace::git(FIXTURE);
    // A second version of a file is stored as a difference to the first.
    index(&workspace, &workspace.home());
    workspace
        .write("src/text.py", "def trimmed(text):\n    return text.strip()\n\n\ndef joined(a, b):\n    return a + b\n");
    workspace.commit("second");
    workspace
}

fn engine(workspace: &TestWorkspace, home: &Path) -> Engine {
    Engine::open(&workspace.root(), home, Config::default()).unwrap().at_ref("HEAD~0").unwrap()
}

fn index(workspace: &TestWorkspace, home: &Path) -> Snapshot {
    sync(&engine(workspace, home), SyncOptions::default(), &NoProgress).unwrap().0
}

/// Everything that a snapshot holds, by questions of all kinds.
fn describe(engine: &Engine, snapshot: &Snapshot) -> String {
    let paths: Vec<String> = snapshot.paths().map(str::to_string).collect();
    let outlines: Vec<_> = paths.iter().map(|path| query::outline(snapshot, path).unwrap()).collect();
    let options = SearchOptions { limit: 20, semantic: engine.semantic(), ..SearchOptions::default() };
    let found = query::search(snapshot, "which code keeps orders", &options).unwrap();
    let located = query::locate(snapshot, "trimmed", &LocateOptions { limit: 5, ..LocateOptions::default() }).unwrap();
    let uses = Navigator::new(snapshot).references_at("src/text.py", 1, None).unwrap();
    format!("{paths:#?}\n{outlines:#?}\n{:#?}\n{:#?}\n{uses:#?}", found.hits, located.hits)
}

/// The folder of the samples, with a new one of this format if that is asked for.
static SAMPLES: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/formats");
    if std::env::var_os("WRITE_SAMPLE").is_some() {
        let workspace = repository();
        drop(index(&workspace, &workspace.home()));
        let store = workspace.store();
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(sample_name(&store)), pack(store.root(), &files_of(store.root()))).unwrap();
    }
    folder
});

/// The name of the sample of a store's format and facts version.
fn sample_name(store: &TestStore) -> String {
    let db = Connection::open(store.database()).unwrap();
    let number = |sql| db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let format = number("PRAGMA user_version");
    let facts = number("SELECT value FROM meta WHERE key = 'facts_version'");
    format!("format-{format}-facts-{facts}.tar.zst")
}

/// The files of a store but those that name places on this machine or belong to running processes.
fn files_of(store: &Path) -> Vec<String> {
    fn collect(root: &Path, folder: &Path, files: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            if path.is_dir() {
                collect(root, &path, files);
            } else if name == "current"
                || name.starts_with("data-") && ![".lock", "-shm"].iter().any(|end| name.ends_with(end))
            {
                files.push(name);
            }
        }
    }
    let mut files = Vec::new();
    collect(store, store, &mut files);
    files.sort();
    files
}

/// A home whose store is the sample.
fn home_of(workspace: &TestWorkspace, sample: &Path) -> PathBuf {
    let home = workspace.beside(sample.file_stem().unwrap().to_str().unwrap());
    unpack(sample, engine(workspace, &home).store_root());
    home
}

#[test]
fn the_sample_of_this_format_is_read_as_it_is() {
    let workspace = repository();
    let expected = describe(&engine(&workspace, &workspace.home()), &index(&workspace, &workspace.home()));
    let sample = SAMPLES.join(sample_name(&workspace.store()));
    assert!(
        sample.is_file(),
        "write and commit {}: WRITE_SAMPLE=1 cargo test -p codecompass-engine --test it formats",
        sample.display()
    );
    let home = home_of(&workspace, &sample);
    let engine = engine(&workspace, &home);
    assert_eq!(engine.compatibility().unwrap(), Compatibility::Compatible);
    let snapshot = engine.snapshot().unwrap().expect("the sample has a view of the commit");
    assert_eq!(describe(&engine, &snapshot), expected);
}

#[test]
fn samples_of_all_formats_are_brought_up_to_date() {
    let workspace = repository();
    let expected = describe(&engine(&workspace, &workspace.home()), &index(&workspace, &workspace.home()));
    let mut checked = 0;
    let entries = fs::read_dir(&*SAMPLES).unwrap().map(|entry| entry.unwrap().path());
    for sample in entries.filter(|path| path.extension().is_some_and(|extension| extension == "zst")) {
        let home = home_of(&workspace, &sample);
        let engine = engine(&workspace, &home);
        // Before the sync, an old index is brought forward or refused; never misread.
        match engine.snapshot() {
            Ok(Some(snapshot)) => assert_eq!(describe(&engine, &snapshot), expected, "{}", sample.display()),
            Ok(None) | Err(Error::Outdated { .. }) => {}
            Err(error) => panic!("{}: {error}", sample.display()),
        }
        let snapshot = index(&workspace, &home);
        assert_eq!(describe(&engine, &snapshot), expected, "{}", sample.display());
        let (found, format) = engine.formats().unwrap();
        assert_eq!(found, Some(format));
        let left = fs::read_dir(engine.store_root()).unwrap().map(|entry| entry.unwrap().file_name());
        let damaged: Vec<_> = left.filter(|name| name.to_string_lossy().starts_with("quarantine")).collect();
        assert!(damaged.is_empty(), "{} was taken for damaged", sample.display());
        checked += 1;
    }
    assert!(checked > 0, "no sample in {}", SAMPLES.display());
}
