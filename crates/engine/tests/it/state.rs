//! Export and import: what comes out is what went in, at any path, and nothing that is wrong with
//! an archive can harm.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use codecompass_engine::query::{self, SearchOptions};
use codecompass_engine::{
    Config, Engine, Error, Imported, NoProgress, Snapshot, SyncOptions, SyncReport, inspect_archive, sync,
};
use codecompass_testkit::{Random, TestWorkspace};

fn fixture(count: usize) -> String {
    (0..count)
        .map(|n| format!("//- /src/file{n}.py\ndef function_{n}():\n    \"\"\"Answers.\"\"\"\n    return {n}\n"))
        .collect()
}

pub(crate) fn engine(root: &Path, home: &Path) -> Engine {
    Engine::open(root, home, Config::default()).unwrap()
}

pub(crate) fn up_to_date(engine: &Engine) -> (Snapshot, SyncReport) {
    sync(engine, SyncOptions::default(), &NoProgress).unwrap()
}

pub(crate) fn describe(snapshot: &Snapshot) -> String {
    let paths: Vec<String> = snapshot.paths().map(str::to_string).collect();
    let outlines: Vec<_> = paths.iter().map(|path| query::outline(snapshot, path)).collect();
    let found = query::search(snapshot, "answers of functions", &SearchOptions { limit: 100, ..Default::default() });
    format!("{paths:?}\n{outlines:?}\n{found:?}")
}

fn export(engine: &Engine, to: &Path) {
    engine.export_state(to, &NoProgress).unwrap();
}

fn import(engine: &Engine, from: &Path) -> Result<Imported, Error> {
    engine.import_state(from, false, &NoProgress)
}

/// A repository with a second worktree and an earlier commit, all indexed, and its archive.
struct Scene {
    workspace: TestWorkspace,
    archive: PathBuf,
}

impl Scene {
    fn new() -> Scene {
        let workspace = TestWorkspace::git(&fixture(30));
        workspace.write("src/file0.py", "def changed():\n    return 0\n");
        workspace.commit("second");
        let worktree = workspace.beside("worktree");
        workspace.run_git(&["worktree", "add", "--quiet", "-b", "side", worktree.to_str().unwrap()]);
        let engine = engine(&workspace.root(), &workspace.home());
        up_to_date(&engine);
        up_to_date(&Engine::open(&worktree, &workspace.home(), Config::default()).unwrap());
        up_to_date(
            &Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap().at_ref("HEAD~1").unwrap(),
        );
        let archive = workspace.beside("state.zst");
        export(&engine, &archive);
        Scene { workspace, archive }
    }

    fn engine(&self) -> Engine {
        engine(&self.workspace.root(), &self.workspace.home())
    }

    /// An engine for a clone of the repository, at another path and with a home of its own.
    fn clone(&self) -> Engine {
        let (root, home) = (self.workspace.beside("clone"), self.workspace.beside("clone_home"));
        self.workspace.run_git(&["clone", "--quiet", ".", root.to_str().unwrap()]);
        engine(&root, &home)
    }
}

/// All files below a folder, but for those that only coordinate processes.
fn files_of(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                pending.push(path);
            } else if !name.ends_with(".lock") && !name.ends_with("-shm") && !name.ends_with("-wal") {
                files.insert(path.clone(), fs::read(path).unwrap());
            }
        }
    }
    files
}

#[test]
fn a_clone_elsewhere_parses_nothing() {
    let scene = Scene::new();
    let expected = describe(&up_to_date(&scene.engine()).0);
    let clone = scene.clone();
    let imported = import(&clone, &scene.archive).unwrap();
    assert_eq!(imported.taken_from.as_deref(), scene.workspace.root().to_str());
    assert_eq!(imported.kept_views, 2, "its own and the commit's");
    assert_eq!(imported.dropped_roots, [scene.workspace.beside("worktree").to_str().unwrap()]);
    assert!(!imported.replaced);
    assert_eq!(imported.header, inspect_archive(&scene.archive, &NoProgress).unwrap());
    assert_eq!(clone.store_problems().unwrap(), [] as [&str; 0]);

    let (snapshot, report) = up_to_date(&clone);
    assert_eq!((report.parsed, report.reused), (0, 30));
    assert_eq!(describe(&snapshot), expected);
    assert!(clone.is_fresh().unwrap());
    let home = scene.workspace.beside("clone_home");
    let earlier = engine(&clone.workspace().root, &home).at_ref("HEAD~1").unwrap();
    assert!(earlier.snapshot().unwrap().is_some(), "views of commits are kept");
    assert_eq!(up_to_date(&earlier).1.parsed, 0);

    // What is new is parsed, what is known is not.
    fs::write(clone.workspace().root.join("src/file1.py"), "def fresh():\n    pass\n").unwrap();
    assert_eq!(up_to_date(&clone).1.parsed, 1);
    fs::write(
        clone.workspace().root.join("src/file0.py"),
        "def function_0():\n    \"\"\"Answers.\"\"\"\n    return 0\n",
    )
    .unwrap();
    assert_eq!(up_to_date(&clone).1.parsed, 0);
}

#[test]
fn the_same_machine_keeps_its_worktrees() {
    let scene = Scene::new();
    let again = engine(&scene.workspace.root(), &scene.workspace.beside("other_home"));
    let imported = import(&again, &scene.archive).unwrap();
    assert_eq!((imported.kept_views, imported.dropped_roots.len()), (3, 0));
    let worktree = engine(&scene.workspace.beside("worktree"), &scene.workspace.beside("other_home"));
    assert!(worktree.snapshot().unwrap().is_some());
    for engine in [again, worktree] {
        let (_, report) = up_to_date(&engine);
        assert_eq!((report.parsed, report.reused), (0, 30));
    }
}

#[test]
fn the_same_store_gives_the_same_bytes() {
    let scene = Scene::new();
    let again = scene.workspace.beside("again.zst");
    export(&scene.engine(), &again);
    assert!(fs::read(&scene.archive).unwrap() == fs::read(&again).unwrap());
    let store = scene.workspace.store();
    assert_eq!(store.entries().iter().filter(|name| name.starts_with("data-")).count(), 1, "no leftovers");
}

#[test]
fn an_existing_index_is_replaced_only_by_force() {
    let scene = Scene::new();
    let clone = scene.clone();
    fs::write(clone.workspace().root.join("src/more.py"), "def more():\n    pass\n").unwrap();
    let (held, _) = up_to_date(&clone);
    let expected = describe(&held);
    let before = files_of(clone.store_root());
    assert!(matches!(import(&clone, &scene.archive), Err(Error::StoreExists { .. })));
    assert!(files_of(clone.store_root()) == before);
    let imported = clone.import_state(&scene.archive, true, &NoProgress).unwrap();
    assert!(imported.replaced);
    assert_eq!(describe(&held), expected, "who asks meanwhile keeps the old state");
    let (snapshot, report) = up_to_date(&clone);
    assert_eq!((report.parsed, describe(&snapshot)), (1, expected));
}

#[test]
fn what_cannot_be_the_same_is_refused() {
    let scene = Scene::new();
    let plain = TestWorkspace::plain(&fixture(3));
    let at_home = engine(&plain.root(), &plain.home());
    assert!(matches!(at_home.export_state(&plain.beside("state"), &NoProgress), Err(Error::NotIndexed { .. })));
    assert!(!plain.home().join("stores").exists(), "nothing is made for this");
    up_to_date(&at_home);
    let archive = plain.beside("state");
    export(&at_home, &archive);
    let elsewhere = TestWorkspace::plain(&fixture(3));
    let elsewhere = engine(&elsewhere.root(), &elsewhere.home());
    assert!(matches!(import(&elsewhere, &archive), Err(Error::ArchiveForeign { .. })));
    assert!(matches!(import(&elsewhere, &scene.archive), Err(Error::ArchiveForeign { .. })));
    assert!(matches!(import(&scene.clone(), &archive), Err(Error::ArchiveForeign { .. })));
    let new_home = engine(&plain.root(), &plain.beside("new_home"));
    import(&new_home, &archive).unwrap();
    assert_eq!(up_to_date(&new_home).1.parsed, 0);
    let missing = import(&new_home, &plain.beside("missing"));
    assert!(matches!(missing, Err(Error::ArchiveFile { action: "read", .. })));
    let nowhere = new_home.export_state(&plain.beside("no/such/folder"), &NoProgress);
    assert!(matches!(nowhere, Err(Error::ArchiveFile { action: "write", .. })));
}

#[test]
fn damaged_archives_change_nothing() {
    let scene = Scene::new();
    let clone = scene.clone();
    let (held, _) = up_to_date(&clone);
    let expected = describe(&held);
    drop(held);
    let mut before = files_of(clone.store_root());
    let sound = fs::read(&scene.archive).unwrap();
    let archive = scene.workspace.beside("damaged");
    let mut random = Random::new(7);
    let mut damages: Vec<(String, Vec<u8>)> = vec![
        ("empty".into(), Vec::new()),
        ("text".into(), b"not an archive at all, but long enough to be one\n".to_vec()),
        ("more".into(), [sound.as_slice(), b"x"].concat()),
        ("twice".into(), sound.repeat(2)),
        ("zeroes".into(), [&sound[..22], &[0; 5000]].concat()),
    ];
    for round in 0..120 {
        let at = random.below(sound.len() as u64) as usize;
        let at = if round < 40 { at % 200 } else { at };
        let mut bytes = sound.clone();
        bytes[at] ^= 1 << random.below(8);
        damages.push((format!("bit at {at}"), bytes));
        if round % 3 == 0 {
            damages.push((format!("cut at {at}"), sound[..at].to_vec()));
        }
        if round % 5 == 0 {
            let mut bytes = sound.clone();
            bytes.drain(at..(at + 10).min(sound.len()));
            damages.push((format!("hole at {at}"), bytes));
        }
    }
    let mut accepted = 0;
    for (damage, bytes) in damages {
        fs::write(&archive, bytes).unwrap();
        let inspected = inspect_archive(&archive, &NoProgress);
        match clone.import_state(&archive, true, &NoProgress) {
            Err(Error::Archive { .. } | Error::ArchiveIncompatible { .. }) => {
                assert!(inspected.is_err(), "{damage}");
                assert!(files_of(clone.store_root()) == before, "{damage}");
            }
            // A few bits of a zstd frame mean nothing; then all checksums must have matched.
            Ok(_) => {
                accepted += 1;
                assert!(inspected.is_ok(), "{damage}");
                assert_eq!(describe(&up_to_date(&clone).0), expected, "{damage}");
                before = files_of(clone.store_root());
            }
            other => panic!("{damage}: {other:?}"),
        }
    }
    assert!(accepted <= 3, "{accepted} damages were not noticed");
    assert_eq!(describe(&up_to_date(&clone).0), expected);
    assert_eq!(clone.store_problems().unwrap(), [] as [&str; 0]);
}

#[test]
fn exports_are_whole_while_others_write() {
    let workspace = TestWorkspace::git(&fixture(20));
    let writing = engine(&workspace.root(), &workspace.home());
    up_to_date(&writing);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0.. {
                workspace.write("src/file1.py", &format!("def changed_{round}():\n    pass\n"));
                up_to_date(&writing);
                if round % 4 == 3 {
                    writing.collect_garbage(std::time::Duration::ZERO).unwrap();
                }
                if done.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        for round in 0..6 {
            let archive = workspace.beside(&format!("state{round}"));
            export(&engine(&workspace.root(), &workspace.home()), &archive);
            let reading = engine(&workspace.root(), &workspace.beside(&format!("home{round}")));
            import(&reading, &archive).unwrap();
            assert_eq!(reading.store_problems().unwrap(), [] as [&str; 0]);
            assert_eq!(reading.snapshot().unwrap().unwrap().paths().count(), 20);
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn answers_are_right_while_others_import() {
    let scene = Scene::new();
    let root = scene.workspace.root();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let engine = scene.engine();
            while !done.load(Ordering::Relaxed) {
                engine.import_state(&scene.archive, true, &NoProgress).unwrap();
            }
        });
        let asking = scene.engine();
        for round in 0..15 {
            let name = format!("written_{round}");
            fs::write(root.join("src/file2.py"), format!("def {name}():\n    pass\n")).unwrap();
            let (snapshot, _) = up_to_date(&asking);
            let outline = query::outline(&snapshot, "src/file2.py").unwrap();
            assert!(format!("{outline:?}").contains(&name), "the archive's state was taken for what is on disk");
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_store_in_the_wrong_place_is_refused() {
    let workspace = TestWorkspace::plain(&fixture(2));
    up_to_date(&engine(&workspace.root(), &workspace.home()));
    let store = workspace.store();
    let identity = store.root().join("identity");
    assert_eq!(fs::read_to_string(&identity).unwrap(), workspace.root().to_str().unwrap());
    fs::write(&identity, "/somewhere/else").unwrap();
    let refused = Engine::open(&workspace.root(), &workspace.home(), Config::default()).err().unwrap();
    assert!(matches!(refused, Error::ForeignStore { found, .. } if found == "/somewhere/else"));

    // One of an older version gets the file from its next writer.
    fs::remove_file(&identity).unwrap();
    let engine = engine(&workspace.root(), &workspace.home());
    workspace.write("src/file1.py", "def changed():\n    pass\n");
    up_to_date(&engine);
    assert!(identity.exists());
}
