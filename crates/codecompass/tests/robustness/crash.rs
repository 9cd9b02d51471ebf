//! Killed at any moment, the index is what it was before or what it should become, never a mix, and
//! the next question gets the right answer.
//!
//! The real binary is killed at random moments of a run; where exactly it is then depends on the
//! machine, what must hold afterwards does not. The moments between two commits, too short to hit
//! by chance, are put together from files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use codecompass_engine::query::{self, SearchOptions};
use codecompass_engine::{Config, Engine, Snapshot};
use codecompass_testkit::{Answer, Random, TestStore, TestWorkspace, copy_tree, repeats};

const PROGRAM: &str = env!("CARGO_BIN_EXE_codecompass");
const FILES: u64 = 300;

const QUESTIONS: &[&[&str]] = &[
    &["--quiet", "search", "--json", "--limit", "1000", "--explain=full", "how are values of common things computed"],
    &["--quiet", "search", "--json", "value_17"],
    &["--quiet", "locate", "--json", "Common"],
];

/// The content of the workspace: as first written, or after many edits.
#[derive(Clone, Copy)]
enum State {
    Old,
    New,
}

/// A file of which only a part depends on `word`; the rest is shared by all its versions.
fn source(number: u64, word: &str) -> String {
    let kept = format!(
        "/// Computes what stays.\npub fn kept_{number}(things: &[u64]) -> u64 {{\n    things.iter().sum()\n}}\n"
    );
    format!(
        "{kept}\n/// Computes the {word} value of thing {number}.\npub fn value_{number}(common: &Common) -> u64 {{\n    common.{word} * {number}\n}}\n\npub struct Common {{\n    pub {word}: u64,\n}}\n"
    )
}

fn write_state(workspace: &TestWorkspace, state: State) {
    for number in 0..FILES {
        let path = format!("src/part{}/thing{number}.rs", number % 7);
        let file = workspace.root().join(&path);
        let wanted = match (state, number % 10) {
            (State::New, 0) => None,
            (State::New, 1..=2) => Some(source(number, "edited")),
            _ => Some(source(number, "first")),
        };
        match wanted {
            Some(text) if fs::read_to_string(&file).is_ok_and(|now| now == text) => {}
            Some(text) => workspace.write(&path, &text),
            None if file.exists() => workspace.remove(&path),
            None => {}
        }
        let added = format!("src/added/more{number}.rs");
        match state {
            State::New if number % 10 == 5 => workspace.write(&added, &source(number + 1000, "added")),
            _ if workspace.root().join(&added).exists() => workspace.remove(&added),
            _ => {}
        }
    }
}

/// All that a state of the index says: per path its outline, and how many search documents it has.
type Contents = (BTreeMap<String, String>, usize);

fn contents(snapshot: &Snapshot) -> Contents {
    let paths: Vec<String> = snapshot.paths().map(str::to_string).collect();
    let outlines = paths.into_iter().map(|path| {
        let outline = query::outline(snapshot, &path).unwrap();
        (path, format!("{:?}", outline.symbols))
    });
    let outlines = outlines.collect();
    let all = query::search(snapshot, "computes the value", &SearchOptions { limit: 1000, ..Default::default() });
    (outlines, all.unwrap().total)
}

/// The published state, without a sync.
fn published(workspace: &TestWorkspace) -> Option<Contents> {
    let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
    engine.snapshot().unwrap().map(|snapshot| contents(&snapshot))
}

fn ask(workspace: &TestWorkspace) -> Vec<Answer> {
    QUESTIONS.iter().map(|question| workspace.run(PROGRAM, question).ended_with(0)).collect()
}

/// A workspace with two states and what is right in each of them.
struct Scene {
    workspace: TestWorkspace,
    old: Contents,
    new: Contents,
    old_answers: Vec<Answer>,
    new_answers: Vec<Answer>,
}

impl Scene {
    /// Leaves the workspace in the old state with nothing indexed; `saved/old` and `saved/new` hold
    /// homes where the old state, and after it the new one, were indexed.
    fn new() -> Scene {
        let workspace = TestWorkspace::plain("");
        let index = |state, name| {
            write_state(&workspace, state);
            workspace.run(PROGRAM, &["--quiet", "index"]).found();
            let answers = ask(&workspace);
            assert!(answers.iter().all(|answer| answer.stderr.is_empty()), "{answers:?}");
            copy_tree(&workspace.home(), &workspace.beside("saved").join(name));
            (published(&workspace).unwrap(), answers)
        };
        let (old, old_answers) = index(State::Old, "old");
        let (new, new_answers) = index(State::New, "new");
        assert_ne!(old, new);
        write_state(&workspace, State::Old);
        let scene = Scene { workspace, old, new, old_answers, new_answers };
        scene.set_home(None);
        scene
    }

    /// Replaces the home by a saved one, or by an empty one.
    fn set_home(&self, saved: Option<&str>) {
        fs::remove_dir_all(self.workspace.home()).unwrap();
        match saved {
            Some(name) => copy_tree(&self.workspace.beside("saved").join(name), &self.workspace.home()),
            None => fs::create_dir(self.workspace.home()).unwrap(),
        }
    }

    /// Returns the time that a run of the binary takes when it is left alone.
    fn duration(&self, args: &[&str]) -> Duration {
        let start = Instant::now();
        self.workspace.run(PROGRAM, args).ended_with(0);
        start.elapsed()
    }

    /// Starts a run and kills it at some moment of `typical`, or a little later.
    fn kill(&self, args: &[&str], typical: Duration, random: &mut Random) {
        let mut child = self.workspace.start(PROGRAM, args);
        std::thread::sleep(typical * random.below(1100) as u32 / 1000);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[track_caller]
    fn assert_answers(&self, expected: &[Answer]) {
        let answers = ask(&self.workspace);
        let stdout = |answers: &[Answer]| answers.iter().map(|answer| answer.stdout.clone()).collect::<Vec<_>>();
        assert_eq!(stdout(&answers), stdout(expected));
        assert!(answers.iter().all(|answer| !answer.stderr.contains("damaged")), "{answers:#?}");
        self.workspace.run(PROGRAM, &["doctor", "--full"]).ended_with(0);
    }
}

#[test]
fn killed_while_indexing_for_the_first_time() {
    let scene = Scene::new();
    let typical = scene.duration(&["index"]);
    let mut random = Random::new(1);
    for round in 0..repeats(3, 8) {
        scene.set_home(None);
        for _ in 0..=round % 3 {
            scene.kill(&["index"], typical, &mut random);
            let state = published(&scene.workspace);
            assert!(state.is_none_or(|state| state == scene.old), "half an index was published");
        }
        scene.assert_answers(&scene.old_answers);
        assert_eq!(published(&scene.workspace).as_ref(), Some(&scene.old));
    }
}

#[test]
fn killed_while_syncing() {
    let scene = Scene::new();
    write_state(&scene.workspace, State::New);
    scene.set_home(Some("old"));
    let typical = scene.duration(&["sync"]);
    let mut random = Random::new(2);
    for round in 0..repeats(3, 8) {
        scene.set_home(Some("old"));
        for _ in 0..=round % 3 {
            scene.kill(&["sync"], typical, &mut random);
            let state = published(&scene.workspace).expect("the old state is gone");
            assert!(state == scene.old || state == scene.new, "a mix of two states was published");
        }
        scene.assert_answers(&scene.new_answers);
        assert_eq!(published(&scene.workspace).as_ref(), Some(&scene.new));
    }
}

#[test]
fn killed_runs_are_told_until_one_succeeds() {
    let scene = Scene::new();
    write_state(&scene.workspace, State::New);
    scene.set_home(Some("old"));
    let typical = scene.duration(&["sync"]);
    let mut random = Random::new(5);
    let report = || -> serde_json::Value {
        let status = scene.workspace.run(PROGRAM, &["status", "--json"]).ended_with(0);
        serde_json::from_str::<serde_json::Value>(&status.stdout).unwrap()["interrupted_recovery_report"].clone()
    };
    // Not every kill hits a run that has begun and not ended.
    let hit = (0..60).any(|_| {
        scene.set_home(Some("old"));
        scene.kill(&["sync"], typical, &mut random);
        !report().is_null()
    });
    assert!(hit, "no kill was reported");
    assert_eq!(report()["state"], "interrupted");
    let doctor = scene.workspace.run(PROGRAM, &["doctor"]).ended_with(1);
    assert!(doctor.stdout.contains("FAIL last run: interrupted"), "{}", doctor.stdout);
    scene.assert_answers(&scene.new_answers);
    assert!(report().is_null());
}

#[test]
fn killed_while_rebuilding() {
    let scene = Scene::new();
    scene.set_home(Some("old"));
    let typical = scene.duration(&["index", "--force"]);
    let mut random = Random::new(3);
    for _ in 0..repeats(4, 10) {
        scene.kill(&["index", "--force"], typical, &mut random);
        assert_eq!(published(&scene.workspace).as_ref(), Some(&scene.old), "the old state must survive");
        scene.assert_answers(&scene.old_answers);
    }
    // What the killed runs left behind goes with the next run that changes anything.
    write_state(&scene.workspace, State::New);
    scene.assert_answers(&scene.new_answers);
    let store = scene.workspace.store();
    let folders: Vec<_> = store.entries().into_iter().filter(|name| name.starts_with("data-")).collect();
    assert_eq!(folders, [store.data().file_name().unwrap().to_str().unwrap()]);
}

#[test]
fn killed_while_collecting_garbage() {
    let scene = Scene::new();
    write_state(&scene.workspace, State::New);
    scene.set_home(Some("new"));
    let typical = scene.duration(&["gc", "--now"]);
    scene.set_home(Some("new"));
    assert!(collected(&scene) > FILES / 5);
    assert_eq!(collected(&scene), 0);
    let mut random = Random::new(4);
    for _ in 0..repeats(3, 8) {
        scene.set_home(Some("new"));
        scene.kill(&["gc", "--now"], typical, &mut random);
        assert_eq!(published(&scene.workspace).as_ref(), Some(&scene.new));
        scene.assert_answers(&scene.new_answers);
        // What was to be collected comes back.
        write_state(&scene.workspace, State::Old);
        scene.assert_answers(&scene.old_answers);
        write_state(&scene.workspace, State::New);
    }
}

#[test]
fn killed_while_importing() {
    let scene = Scene::new();
    scene.set_home(Some("new"));
    let archive = scene.workspace.beside("state");
    let archive = archive.to_str().unwrap();
    scene.workspace.run(PROGRAM, &["state", "export", archive]).found();
    let import = ["state", "import", "--force", archive];
    scene.set_home(Some("old"));
    let typical = scene.duration(&import);
    let mut random = Random::new(6);
    for round in 0..repeats(3, 8) {
        scene.set_home(Some("old"));
        for _ in 0..=round % 3 {
            scene.kill(&import, typical, &mut random);
            let state = published(&scene.workspace).expect("the old state is gone");
            assert!(state == scene.old || state == scene.new, "half an archive was imported");
        }
        scene.assert_answers(&scene.old_answers);
    }
    // What the killed runs left behind goes with the next one.
    scene.workspace.run(PROGRAM, &import).found();
    let entries = scene.workspace.store().entries();
    assert_eq!(entries.iter().filter(|name| name.starts_with("data-")).count(), 1, "{entries:?}");
}

/// Collects garbage and says how many file versions that removed.
fn collected(scene: &Scene) -> u64 {
    let answer = scene.workspace.run(PROGRAM, &["gc", "--now", "--json"]).found();
    serde_json::from_str::<serde_json::Value>(&answer).unwrap()["removed_versions"].as_u64().unwrap()
}

/// Puts the database of one home together with the text index of another.
fn mix(workspace: &TestWorkspace, database: &Path, text: &Path) {
    fs::remove_dir_all(workspace.home()).unwrap();
    copy_tree(database, &workspace.home());
    let ours = workspace.store().data().join("text");
    fs::remove_dir_all(&ours).unwrap();
    copy_tree(&TestStore::only_one_in(text).data().join("text"), &ours);
}

#[test]
fn killed_between_the_commits_of_a_sync() {
    let scene = Scene::new();
    let saved = scene.workspace.beside("saved");
    // The text index is committed first.
    mix(&scene.workspace, &saved.join("old"), &saved.join("new"));
    assert_eq!(published(&scene.workspace).as_ref(), Some(&scene.old));
    scene.assert_answers(&scene.old_answers);
    write_state(&scene.workspace, State::New);
    scene.assert_answers(&scene.new_answers);
    assert_eq!(published(&scene.workspace).as_ref(), Some(&scene.new));
}

#[test]
fn killed_between_the_commits_of_a_collection() {
    let scene = Scene::new();
    let saved = scene.workspace.beside("saved");
    write_state(&scene.workspace, State::New);
    scene.set_home(Some("new"));
    assert!(collected(&scene) > FILES / 5);
    copy_tree(&scene.workspace.home(), &saved.join("collected"));
    // The database forgets first; documents of what it forgot are never shown.
    mix(&scene.workspace, &saved.join("collected"), &saved.join("new"));
    assert_eq!(published(&scene.workspace).as_ref(), Some(&scene.new));
    scene.assert_answers(&scene.new_answers);
    write_state(&scene.workspace, State::Old);
    scene.assert_answers(&scene.old_answers);
    write_state(&scene.workspace, State::New);
    scene.assert_answers(&scene.new_answers);
}

#[test]
fn killed_within_the_text_commit_of_a_collection() {
    let scene = Scene::new();
    write_state(&scene.workspace, State::New);
    scene.set_home(Some("new"));
    assert!(collected(&scene) > FILES / 5);
    let collected_text = scene.workspace.beside("collected_text");
    copy_tree(&scene.workspace.store().data().join("text"), &collected_text);
    // The lists of deleted documents are written, and known as Tantivy's files, but not yet in use.
    scene.set_home(Some("new"));
    let text = scene.workspace.store().data().join("text");
    let mut lists = 0;
    for file in fs::read_dir(&collected_text).unwrap().map(|entry| entry.unwrap().file_name()) {
        let is_list = file.to_string_lossy().ends_with(".del");
        lists += usize::from(is_list);
        if is_list || file == ".managed.json" {
            fs::copy(collected_text.join(&file), text.join(&file)).unwrap();
        }
    }
    assert!(lists > 0, "otherwise this tests nothing");
    assert_eq!(published(&scene.workspace).as_ref(), Some(&scene.new));
    assert!(collected(&scene) > FILES / 5);
    scene.assert_answers(&scene.new_answers);
    write_state(&scene.workspace, State::Old);
    scene.assert_answers(&scene.old_answers);
}
