//! Damaged stores, foreign formats and disks that do not take any more: noticed, said clearly, and
//! mended where nothing can be lost, since an index can always be made again from the sources.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use codecompass_engine::{Config, Engine};
use codecompass_testkit::{Answer, TestStore, TestWorkspace, TinyDisk, copy_tree, permissions_are_enforced, skip};
use expect_test::expect;
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_codecompass");

const QUESTION: &[&str] =
    &["--quiet", "--json", "search", "how are parcels weighed", "--limit", "1000", "--explain=full"];

/// Enough files for the database to have inner pages.
fn workspace() -> TestWorkspace {
    let mut fixture = String::from("//- /README.md\n# Parcels\n\nHow parcels are weighed.\n");
    for number in 0..60 {
        fixture.push_str(&format!(
            "//- /src/parcel{number}.py\nclass Parcel{number}:\n    \"\"\"A parcel of kind {number}.\"\"\"\n\n    def weigh(self, scale):\n        return scale.weigh(self) + {number}\n"
        ));
    }
    TestWorkspace::plain(&fixture)
}

/// A workspace with a sound index that can be broken again and again.
struct Patient {
    workspace: TestWorkspace,
    expected: String,
    saved: PathBuf,
}

impl Patient {
    fn new() -> Patient {
        let workspace = workspace();
        let expected = workspace.run(PROGRAM, QUESTION).found();
        assert_eq!(workspace.run(PROGRAM, QUESTION).found(), expected);
        let saved = workspace.beside("saved");
        copy_tree(&workspace.home(), &saved);
        Patient { workspace, expected, saved }
    }

    /// The store, sound again.
    fn store(&self) -> TestStore {
        fs::remove_dir_all(self.workspace.home()).unwrap();
        copy_tree(&self.saved, &self.workspace.home());
        self.workspace.store()
    }

    /// Asks the question, which must be answered rightly after exactly one line about the damage;
    /// returns what that says.
    #[track_caller]
    fn assert_mended(&self, damage: &str) -> String {
        let answer = self.workspace.run(PROGRAM, QUESTION).ended_with(0);
        assert_eq!(answer.stdout, self.expected, "{damage}");
        let said = self.workspace.normalised(&answer.stderr);
        let reason = said.strip_prefix("codecompass: the index was damaged (").and_then(|said| {
            let (reason, remedy) = said.rsplit_once("); ")?;
            let folder = remedy.strip_prefix("moved it to HOME/stores/workspace-HASH/quarantine-")?;
            matches!(folder.strip_suffix(" and building a new one\n")?, "000001" | "current").then_some(reason)
        });
        let reason = reason.unwrap_or_else(|| panic!("{damage}: {said}"));
        assert_eq!(self.workspace.run(PROGRAM, QUESTION).found(), self.expected, "{damage}");
        self.workspace.run(PROGRAM, &["doctor", "--full"]).ended_with(0);
        reason.to_string()
    }

    /// The doctor must see the damage and leave it as it is; returns which checks fail. Each says
    /// how to mend it.
    #[track_caller]
    fn assert_diagnosed(&self, damage: &str) -> String {
        let before = files_of(&self.workspace.home());
        let answer = self.workspace.run(PROGRAM, &["doctor", "--full"]).ended_with(1);
        assert_eq!(answer.stderr, "", "{damage}");
        assert!(files_of(&self.workspace.home()) == before, "{damage}: the doctor must not touch anything");
        let lines: Vec<&str> = answer.stdout.lines().collect();
        let failed = lines.iter().zip(&lines[1..]).filter_map(|(line, next)| {
            let (check, _) = line.strip_prefix("FAIL ")?.split_once(": ")?;
            assert_eq!(*next, "     run `codecompass index --force` to build the index anew", "{answer:#?}");
            Some(check)
        });
        let failed: Vec<&str> = failed.collect();
        assert!(!failed.is_empty(), "{answer:#?}");
        failed.join(", ")
    }
}

/// All files below a folder with their contents, but for those that only coordinate processes.
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

/// The checks of the doctor that failed.
fn failures(doctor: &str) -> String {
    let lines: Vec<&str> = doctor.lines().collect();
    let failed = lines.windows(2).filter(|pair| pair[0].starts_with("FAIL "));
    failed.map(|pair| format!("{}\n{}\n", pair[0], pair[1])).collect()
}

fn truncate(file: &Path, share: (u64, u64)) {
    let size = file.metadata().unwrap().len();
    fs::File::options().write(true).open(file).unwrap().set_len(size * share.0 / share.1).unwrap();
}

fn change(file: &Path, edit: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(file).unwrap();
    edit(&mut bytes);
    fs::write(file, bytes).unwrap();
}

const PAGE: usize = 4096;

/// A name, and a change of a file or store.
type Damage<T> = (&'static str, fn(&T));

#[test]
fn damaged_database() {
    let patient = Patient::new();
    let damages: &[Damage<Path>] = &[
        ("deleted", |file| fs::remove_file(file).unwrap()),
        ("emptied", |file| truncate(file, (0, 1))),
        ("cut in the first page", |file| fs::File::options().write(true).open(file).unwrap().set_len(100).unwrap()),
        ("cut in half", |file| truncate(file, (1, 2))),
        ("garbage", |file| change(file, |bytes| bytes.fill(0x5a))),
        ("text", |file| fs::write(file, "not a database at all\n").unwrap()),
        ("header", |file| change(file, |bytes| bytes[..100].fill(0xff))),
        ("all pages but the first", |file| change(file, |bytes| bytes[PAGE..].fill(0xa5))),
        ("zeroed middle", |file| {
            change(file, |bytes| {
                let pages = bytes.len() / PAGE;
                bytes[pages / 4 * PAGE..pages * 3 / 4 * PAGE].fill(0);
            });
        }),
        ("another database", |file| change(file, |bytes| bytes[60..64].fill(0))),
        ("impossible format", |file| change(file, |bytes| bytes[60..64].fill(0xff))),
    ];
    let mut shown = String::new();
    for (damage, apply) in damages {
        apply(&patient.store().database());
        let failed = patient.assert_diagnosed(damage);
        let reason = patient.assert_mended(damage);
        shown += &format!("{damage}: {reason}, seen in {failed}\n");
    }
    expect![[r#"
        deleted: the database file is missing, seen in store
        emptied: the database is empty, seen in store
        cut in the first page: database disk image is malformed, seen in store
        cut in half: database disk image is malformed, seen in store
        garbage: file is not a database, seen in store
        text: file is not a database, seen in store
        header: file is not a database, seen in store
        all pages but the first: database disk image is malformed, seen in store
        zeroed middle: database disk image is malformed, seen in contents, integrity, index
        another database: the database is empty, seen in store
        impossible format: the database is empty, seen in store
    "#]]
    .assert_eq(&shown);
}

#[test]
fn any_damaged_page_of_the_database() {
    let patient = Patient::new();
    let pages = fs::read(patient.store().database()).unwrap().len() / PAGE;
    for page in (1..pages).step_by((pages / 12).max(1)) {
        for filler in [0x00, 0x5a] {
            let store = patient.store();
            change(&store.database(), |bytes| bytes[page * PAGE..(page + 1) * PAGE].fill(filler));
            let answer = patient.workspace.run(PROGRAM, QUESTION).ended_with(0);
            // A page that the question does not need may go unnoticed, but no answer may be wrong.
            assert_eq!(answer.stdout, patient.expected, "page {page} filled with {filler}: {}", answer.stderr);
        }
    }
}

#[test]
fn damaged_text_index() {
    let patient = Patient::new();
    let names: Vec<_> =
        patient.store().text_files().iter().map(|file| file.file_name().unwrap().to_os_string()).collect();
    assert!(names.len() >= 6, "{names:?}");
    let damages: &[Damage<Path>] = &[
        ("deleted", |file| fs::remove_file(file).unwrap()),
        ("emptied", |file| truncate(file, (0, 1))),
        ("cut in half", |file| truncate(file, (1, 2))),
        ("garbage", |file| change(file, |bytes| bytes.fill(0x5a))),
        ("text", |file| fs::write(file, "garbage").unwrap()),
    ];
    for name in &names {
        for (damage, apply) in damages {
            let damage = format!("{} {damage}", name.display());
            let store = patient.store();
            apply(&store.data().join("text").join(name));
            // Tantivy's list of its own files is only for tidying up and made anew when it is
            // missing.
            if *name == *".managed.json" && damage.ends_with("deleted") {
                assert_eq!(patient.workspace.run(PROGRAM, QUESTION).found(), patient.expected);
                continue;
            }
            // Positions and stored fields are not used; only the doctor sees damage there.
            let unused = name.to_string_lossy().ends_with(".pos") || name.to_string_lossy().ends_with(".store");
            patient.assert_diagnosed(&damage);
            if unused {
                assert_eq!(patient.workspace.run(PROGRAM, QUESTION).ended_with(0).stdout, patient.expected);
            } else {
                assert_ne!(patient.assert_mended(&damage), "");
            }
        }
    }
}

#[test]
fn flipped_bytes_of_the_text_index() {
    let patient = Patient::new();
    let names: Vec<_> =
        patient.store().text_files().iter().map(|file| file.file_name().unwrap().to_os_string()).collect();
    for name in names.iter().filter(|name| !name.to_string_lossy().ends_with(".json")) {
        for part in 0..4 {
            let store = patient.store();
            change(&store.data().join("text").join(name), |bytes| {
                let at = bytes.len() * part / 4;
                bytes[at] ^= 0x55;
            });
            // No question reads all of the index, so only the doctor is sure to see it …
            patient.assert_diagnosed(&format!("{} part {part}", name.display()));
            // … but none may end in anything but an answer, and a rebuild must help.
            patient.workspace.run(PROGRAM, QUESTION).ended_with(0);
        }
    }
    let mended = patient.workspace.run(PROGRAM, &["--quiet", "index", "--force"]).ended_with(0);
    assert_eq!(mended.stderr, "");
    assert_eq!(patient.workspace.run(PROGRAM, QUESTION).found(), patient.expected);
}

#[test]
fn parts_that_do_not_belong_together() {
    let patient = Patient::new();
    patient.store();
    patient.workspace.write("src/parcel0.py", "def replaced():\n    pass\n");
    patient.workspace.run(PROGRAM, &["--quiet", "sync"]).found();
    patient.workspace.run(PROGRAM, &["gc", "--now"]).found();
    copy_tree(&patient.workspace.home(), &patient.workspace.beside("later"));
    let expected = patient.workspace.run(PROGRAM, QUESTION).found();
    let later = Patient { expected, saved: patient.workspace.beside("later"), workspace: patient.workspace };
    let earlier_text = TestStore::only_one_in(&patient.saved).data().join("text");
    let ours = later.store().data().join("text");
    fs::remove_dir_all(&ours).unwrap();
    copy_tree(&earlier_text, &ours);
    expect!["integrity, index, vectors"].assert_eq(&later.assert_diagnosed("a text index from before"));
    assert_eq!(later.assert_mended("a text index from before"), "the text index does not belong to the database");
}

#[test]
fn damaged_layout() {
    let patient = Patient::new();
    let damages: &[Damage<TestStore>] = &[
        ("`current` is garbage", |store| fs::write(store.root().join("current"), b"\xff\xfe\0garbage").unwrap()),
        ("`current` is empty", |store| fs::write(store.root().join("current"), "").unwrap()),
        ("`current` names nothing", |store| fs::write(store.root().join("current"), "data-000099").unwrap()),
        ("`current` leads out", |store| fs::write(store.root().join("current"), "../..").unwrap()),
        ("the data folder is gone", |store| fs::remove_dir_all(store.data()).unwrap()),
        ("the text index is gone", |store| fs::remove_dir_all(store.data().join("text")).unwrap()),
        ("the text index is a file", |store| {
            fs::remove_dir_all(store.data().join("text")).unwrap();
            fs::write(store.data().join("text"), "x").unwrap();
        }),
        ("the text index is empty", |store| {
            fs::remove_dir_all(store.data().join("text")).unwrap();
            fs::create_dir(store.data().join("text")).unwrap();
        }),
    ];
    let mut shown = String::new();
    for (damage, apply) in damages {
        apply(&patient.store());
        let failed = patient.assert_diagnosed(damage);
        let reason = patient.assert_mended(damage);
        shown += &format!("{damage}: {reason}, seen in {failed}\n");
    }
    expect![[r#"
        `current` is garbage: the file `current` names no data folder, seen in store
        `current` is empty: the file `current` names no data folder, seen in store
        `current` names nothing: the file `current` names no data folder, seen in store
        `current` leads out: the file `current` names no data folder, seen in store
        the data folder is gone: the file `current` names no data folder, seen in store
        the text index is gone: Failed to open the directory: 'DoesNotExist("HOME/stores/workspace-HASH/data-000001/text")', seen in store
        the text index is a file: Failed to open the directory: 'NotADirectory("HOME/stores/workspace-HASH/data-000001/text")', seen in store
        the text index is empty: Failed to open file for read: 'FileDoesNotExist("meta.json")', seen in store
    "#]].assert_eq(&shown);
    // At most one damaged folder is kept for a look.
    let kept = patient.workspace.store().entries();
    assert_eq!(kept.iter().filter(|name| name.starts_with("quarantine-")).count(), 1, "{kept:?}");
}

#[test]
fn every_command_mends() {
    let patient = Patient::new();
    for command in [
        &["locate", "Parcel7"][..],
        &["outline", "src/parcel7.py"],
        &["show", "Parcel7"],
        &["index"],
        &["index", "--show-ignored"],
        &["sync"],
        &["gc"],
    ] {
        change(&patient.store().database(), |bytes| bytes[PAGE..].fill(0xa5));
        let answer = patient.workspace.run(PROGRAM, command).ended_with(0);
        assert_eq!(answer.stderr.matches("the index was damaged (").count(), 1, "{command:?}: {}", answer.stderr);
        assert_eq!(patient.workspace.run(PROGRAM, QUESTION).found(), patient.expected, "{command:?}");
    }
}

#[test]
fn status_sets_a_damaged_store_aside() {
    let patient = Patient::new();
    change(&patient.store().database(), |bytes| bytes[PAGE..].fill(0xa5));
    expect![[r#"
        ROOT
        not indexed yet; any question or `codecompass index` does it
        --- stderr
        codecompass: the index was damaged (database disk image is malformed); moved it to HOME/stores/workspace-HASH/quarantine-000001; any question or `codecompass index` builds a new one
        --- exit code 1
    "#]].assert_eq(&patient.workspace.run(PROGRAM, &["status"]).shown(&patient.workspace));
    assert_eq!(patient.workspace.run(PROGRAM, QUESTION).found(), patient.expected, "the remedy helps");
}

#[test]
fn lock_of_a_dead_process() {
    let patient = Patient::new();
    for content in ["999999999", "1", "garbage", ""] {
        let store = patient.store();
        fs::write(store.root().join("writer.lock"), content).unwrap();
        patient.workspace.write("src/new.py", "def new():\n    pass\n");
        let answer = patient.workspace.run(PROGRAM, &["locate", "new"]).found();
        assert_eq!(answer, "src/new.py:1-2  function  new\n    def new()\n");
        patient.workspace.remove("src/new.py");
    }
}

#[test]
fn newer_format_is_left_alone() {
    let patient = Patient::new();
    let store = patient.store();
    store.set_format(7);
    let before = files_of(&patient.workspace.home());
    let engine = Engine::open(&patient.workspace.root(), &patient.workspace.home(), Config::default()).unwrap();
    let (_, supported) = engine.formats().unwrap();
    let mut said = Vec::new();
    for command in [&["search", "parcel"][..], &["locate", "x"], &["sync"], &["index"], &["status"], &["gc", "--now"]] {
        let answer = patient.workspace.run(PROGRAM, &[&["--json"], command].concat()).ended_with(2);
        let error: Value = serde_json::from_str(&answer.stderr).unwrap();
        assert_eq!(error["error"]["code"], "index_incompatible", "{command:?}");
        assert_eq!(answer.stdout, "");
        let said_as_text = patient.workspace.run(PROGRAM, command).shown(&patient.workspace);
        said.push(said_as_text.replace(&format!("up to {supported}\n"), "up to SUPPORTED\n"));
    }
    said.dedup();
    expect![[r#"
        --- stderr
        error: the index at HOME/stores/workspace-HASH/data-000001 has format 7, this program reads up to SUPPORTED
        help: update codecompass, or run `codecompass index --force` to replace the index with one of this version
        --- exit code 2
    "#]]
    .assert_eq(&said.concat());
    let doctor = patient.workspace.run(PROGRAM, &["doctor", "--full"]).ended_with(1);
    expect![[r#"
        FAIL store: reindex_required, SIZE at HOME/stores/workspace-HASH
             run `codecompass index --force` to build the index anew
    "#]]
    .assert_eq(&failures(&patient.workspace.normalised(&doctor.stdout)));
    assert!(files_of(&patient.workspace.home()) == before, "nothing may be changed");

    patient.workspace.run(PROGRAM, &["--quiet", "index", "--force"]).found();
    assert_eq!(patient.workspace.run(PROGRAM, QUESTION).found(), patient.expected);
}

/// Returns the refusal of a command that cannot use its index below `home`. The data folder in it
/// is left out, since it depends on the moment of the failure.
#[track_caller]
fn refusal(workspace: &TestWorkspace, home: &Path, answer: Answer) -> String {
    let answer = answer.ended_with(2);
    assert_eq!(answer.stdout, "");
    let text = workspace.normalised_at(home, &answer.stderr);
    let Some((before, after)) = text.split_once("HASH/data-") else { return text };
    format!("{before}HASH{}", after.trim_start_matches(|c: char| c.is_ascii_digit()))
}

/// The refusal of a command.
#[track_caller]
fn refused_at(workspace: &TestWorkspace, home: &Path, args: &[&str]) -> String {
    refusal(workspace, home, run_at(workspace, home, args))
}

const UNWRITABLE: &str = "\
error: cannot write the index at HOME/stores/workspace-HASH: SYSTEM ERROR
help: make the directory writable, or set CODECOMPASS_HOME to one that is
";

#[test]
fn home_that_cannot_be_made() {
    let workspace = workspace();
    workspace.write("a_file", "");
    for home in [PathBuf::from("/dev/null/x"), workspace.root().join("a_file"), workspace.root().join("a_file/below")] {
        for command in [&["search", "parcel"][..], &["index"], &["index", "--force"], &["sync"], &["show", "Parcel1"]] {
            assert_eq!(refused_at(&workspace, &home, command), UNWRITABLE, "{command:?}");
        }
        for command in ["status", "doctor", "gc"] {
            let answer = Answer::of(workspace.command(PROGRAM, &[command]).env("CODECOMPASS_HOME", &home));
            assert!(!answer.stderr.contains("panicked"), "{answer:?}");
        }
    }
}

#[test]
fn home_without_permission() {
    if !permissions_are_enforced() {
        return skip("permissions do not bind this user");
    }
    let patient = Patient::new();
    let mut permissions = patient.store().root().metadata().unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(patient.workspace.store().root(), permissions.clone()).unwrap();
    patient.workspace.write("src/new.py", "def new():\n    pass\n");
    let forced = patient.workspace.run(PROGRAM, &["index", "--force"]);
    #[expect(clippy::permissions_set_readonly_false, reason = "it was so before, and the folder is about to go")]
    permissions.set_readonly(false);
    fs::set_permissions(patient.workspace.store().root(), permissions).unwrap();
    assert_eq!(refusal(&patient.workspace, &patient.workspace.home(), forced), UNWRITABLE);
    patient.workspace.remove("src/new.py");
    assert_eq!(patient.workspace.run(PROGRAM, QUESTION).found(), patient.expected);
}

/// A workspace whose home is a disk of its own.
fn on_tiny_disk(kilobytes: u32) -> Option<(TestWorkspace, TinyDisk)> {
    let disk = TinyDisk::mount(kilobytes);
    if disk.is_none() {
        skip("this user may not mount a file system");
    }
    disk.map(|disk| (workspace(), disk))
}

fn run_at(workspace: &TestWorkspace, home: &Path, args: &[&str]) -> Answer {
    Answer::of(workspace.command(PROGRAM, args).env("CODECOMPASS_HOME", home))
}

fn published(workspace: &TestWorkspace, home: &Path) -> Vec<String> {
    let engine = Engine::open(&workspace.root(), home, Config::default()).unwrap();
    engine.snapshot().unwrap().unwrap().paths().map(str::to_string).collect()
}

#[test]
fn read_only_file_system() {
    let Some((workspace, disk)) = on_tiny_disk(4000) else { return };
    let expected = run_at(&workspace, disk.path(), QUESTION).found();
    disk.set_read_only(true);
    let commands = [&["search", "parcel"][..], &["index", "--force"], &["sync"]];
    let said = commands.map(|args| refused_at(&workspace, disk.path(), args));
    expect![[r#"
        error: cannot write the index at HOME/stores/workspace-HASH: unable to open database file
        help: make the directory writable, or set CODECOMPASS_HOME to one that is
        error: cannot write the index at HOME/stores/workspace-HASH: SYSTEM ERROR
        help: make the directory writable, or set CODECOMPASS_HOME to one that is
        error: cannot write the index at HOME/stores/workspace-HASH: unable to open database file
        help: make the directory writable, or set CODECOMPASS_HOME to one that is
    "#]]
    .assert_eq(&said.concat());
    let doctor = run_at(&workspace, disk.path(), &["doctor", "--full"]).ended_with(1);
    expect![[r#"
        FAIL store: cannot write the index at HOME/stores/workspace-HASH: unable to open database file
             make the directory writable, or set CODECOMPASS_HOME to one that is
    "#]]
    .assert_eq(&failures(&workspace.normalised_at(disk.path(), &doctor.stdout)));
    disk.set_read_only(false);
    assert_eq!(run_at(&workspace, disk.path(), QUESTION).found(), expected);
}

const FULL: &str = "\
error: no space left on the disk that holds the index at HOME/stores/workspace-HASH
help: free some space, or set CODECOMPASS_HOME to a directory on another disk; the last index is intact
";

#[test]
fn full_disk() {
    let Some((workspace, disk)) = on_tiny_disk(4000) else { return };
    let home = disk.path();
    let expected = run_at(&workspace, home, QUESTION).found();
    let paths = published(&workspace, home);
    let filler = disk.fill();
    // What is there can still be asked.
    assert_eq!(run_at(&workspace, home, QUESTION).found(), expected);
    workspace.write("src/new.py", "def new():\n    pass\n");
    for command in [&["search", "parcel"][..], &["sync"], &["index"], &["index", "--force"], &["locate", "new"]] {
        assert_eq!(refused_at(&workspace, home, command), FULL, "{command:?}");
        assert_eq!(published(&workspace, home), paths, "{command:?}");
    }
    let status = run_at(&workspace, home, &["status"]).found();
    expect![[r#"
        ROOT (live)
        61 files, 121 symbols, 6846 B of source, generation 1, stale
              60 files       120 symbols  python
               1 file          1 symbol   markdown
        store HOME/stores/workspace-HASH (SIZE)
    "#]]
    .assert_eq(&workspace.normalised_at(home, &status));
    fs::remove_file(filler).unwrap();
    assert_eq!(run_at(&workspace, home, &["locate", "new"]).found(), "src/new.py:1-2  function  new\n    def new()\n");
    workspace.remove("src/new.py");
    assert_eq!(run_at(&workspace, home, QUESTION).found(), expected);
    run_at(&workspace, home, &["doctor", "--full"]).ended_with(0);
}

#[test]
fn disk_that_fills_up_while_indexing() {
    let Some((workspace, disk)) = on_tiny_disk(6000) else { return };
    let home = disk.path();
    let expected = run_at(&workspace, home, QUESTION).found();
    let paths = published(&workspace, home);
    let edit = |word: &str| {
        for number in 0..60 {
            let body = format!("    {word} = {number}\n").repeat(100);
            workspace.write(&format!("src/parcel{number}.py"), &format!("def {word}_{number}():\n{body}"));
        }
    };
    let mut refused = 0;
    // Leaves more and more room, so that the disk gets full at ever later moments of the run.
    for free in (0..600).step_by(15) {
        edit("lighter");
        let filler = disk.fill();
        let size = filler.metadata().unwrap().len();
        fs::File::options().write(true).open(&filler).unwrap().set_len(size.saturating_sub(free * 1024)).unwrap();
        let answer = run_at(&workspace, home, &["--quiet", "sync"]);
        fs::remove_file(filler).unwrap();
        if answer.code == Some(0) {
            break;
        }
        refused += 1;
        assert_eq!(refusal(&workspace, home, answer), FULL);
        assert_eq!(published(&workspace, home), paths, "with {free} KB left");
        if free % 45 == 0 {
            run_at(&workspace, home, &["--quiet", "sync"]).found();
            run_at(&workspace, home, &["doctor", "--full"]).ended_with(0);
            assert!(run_at(&workspace, home, &["locate", "lighter_7"]).found().starts_with("src/parcel7.py:1"));
            fs::remove_dir_all(home.join("stores")).unwrap();
            for number in 0..60 {
                let text = format!(
                    "class Parcel{number}:\n    \"\"\"A parcel of kind {number}.\"\"\"\n\n    def weigh(self, scale):\n        return scale.weigh(self) + {number}\n"
                );
                workspace.write(&format!("src/parcel{number}.py"), &text);
            }
            assert_eq!(run_at(&workspace, home, QUESTION).found(), expected);
        }
    }
    assert!(refused > 3, "only {refused} runs ran out of space");
}

#[test]
fn disk_too_small_for_the_first_index() {
    let Some((workspace, disk)) = on_tiny_disk(120) else { return };
    assert_eq!(refused_at(&workspace, disk.path(), &["--quiet", "search", "parcel"]), FULL);
}

#[test]
fn disk_that_fills_up_while_carrying_a_store() {
    let Some((workspace, disk)) = on_tiny_disk(6000) else { return };
    let home = disk.path();
    let expected = run_at(&workspace, home, QUESTION).found();
    let paths = published(&workspace, home);
    let archive = workspace.beside("state");
    let archive = archive.to_str().unwrap();
    run_at(&workspace, home, &["state", "export", archive]).found();
    let import = ["--quiet", "state", "import", "--force", archive];
    let mut refused = 0;
    for free in (0..2000).step_by(20) {
        let filler = disk.fill();
        let size = filler.metadata().unwrap().len();
        fs::File::options().write(true).open(&filler).unwrap().set_len(size.saturating_sub(free * 1024)).unwrap();
        let answer = run_at(&workspace, home, &import);
        fs::remove_file(filler).unwrap();
        assert_eq!(published(&workspace, home), paths, "with {free} KB left");
        if answer.code == Some(0) {
            break;
        }
        refused += 1;
        // FIXME: it is not the index that is at the place of the archive.
        let said = refusal(&workspace, home, answer);
        let of_archive = FULL.replace("HOME/stores/workspace-HASH", archive);
        assert!(said == FULL || said == of_archive, "{said}");
        let folders = TestStore::only_one_in(home).entries();
        assert_eq!(folders.iter().filter(|name| name.starts_with("data-")).count(), 1, "{folders:?}");
    }
    assert!(refused > 3, "only {refused} imports ran out of space");
    assert_eq!(run_at(&workspace, home, QUESTION).found(), expected);
    run_at(&workspace, home, &["doctor", "--full"]).ended_with(0);
}

#[test]
fn archive_that_cannot_be_completed_leaves_the_old_one() {
    let Some((workspace, disk)) = on_tiny_disk(6000) else { return };
    let home = disk.path();
    run_at(&workspace, home, QUESTION).found();
    let there = home.join("state");
    let there_name = there.to_str().unwrap();
    fs::write(&there, "the old one").unwrap();
    let filler = disk.fill();
    expect![[r#"
        error: no space left on the disk that holds the index at HOME/stores/workspace-HASH
        help: free some space, or set CODECOMPASS_HOME to a directory on another disk; the last index is intact
    "#]]
    .assert_eq(&refused_at(&workspace, home, &["state", "export", there_name]));
    fs::remove_file(filler).unwrap();
    let own_home = workspace.home();
    run_at(&workspace, &own_home, QUESTION).found();
    let filler = disk.fill();
    let said = refused_at(&workspace, &own_home, &["state", "export", there_name]);
    expect![[r#"
        error: cannot write ARCHIVE: SYSTEM ERROR
        help: check the path, its permissions and the space on its disk
    "#]]
    .assert_eq(&said.replace(there_name, "ARCHIVE"));
    fs::remove_file(filler).unwrap();
    assert_eq!(fs::read_to_string(&there).unwrap(), "the old one");
    let entries: Vec<_> = fs::read_dir(home).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(entries.len(), 2, "{entries:?}");
}

#[test]
fn the_doctor_fixes_what_is_safe() {
    let patient = Patient::new();
    let fixed = |args: &[&str]| {
        let answer = patient.workspace.run(PROGRAM, &[&["doctor", "--fix", "--json"], args].concat()).ended_with(0);
        let object: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!(object["ok"], true);
        object["fixed"].as_array().unwrap().iter().map(|what| what.as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(fixed(&[]), [""; 0]);
    change(&patient.store().database(), |bytes| bytes[PAGE..].fill(0xa5));
    expect![[r#"
        moved the damaged index to HOME/stores/workspace-HASH/quarantine-000001
        brought the index up to date: 61 files, 61 parsed, 0 removed"#]]
    .assert_eq(&patient.workspace.normalised(&fixed(&["--full"]).join("\n")));
    patient.workspace.write("src/late.rs", "pub fn late() {}\n");
    expect!["brought the index up to date: 62 files, 1 parsed, 0 removed"]
        .assert_eq(&patient.workspace.normalised(&fixed(&[]).join("\n")));
}
