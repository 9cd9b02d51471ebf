//! Many processes on one store: every query gets a right answer, whatever the others are doing.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use codecompass_engine::{Config, Engine};
use codecompass_testkit::{Answer, Random, TestWorkspace};
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_codecompass");

/// Creates a repository of `count` small files below `stable/`.
fn stable_repository(count: usize) -> TestWorkspace {
    let mut fixture = String::new();
    for number in 0..count {
        fixture.push_str(&format!(
            "//- /stable/file{number}.rs\n/// Keeps number {number} steady.\npub fn steady_{number}() -> usize {{\n    {number}\n}}\n"
        ));
    }
    TestWorkspace::git(&fixture)
}

/// Starts all commands before waiting for any.
fn run_together(workspace: &TestWorkspace, commands: &[&[&str]]) -> Vec<Answer> {
    let children: Vec<_> = commands.iter().map(|args| workspace.command(PROGRAM, args).spawn().unwrap()).collect();
    children.into_iter().map(Answer::wait_for).collect()
}

fn json(answer: &str) -> Value {
    serde_json::from_str(answer).unwrap()
}

/// Fails unless the store is whole and there is only one.
#[track_caller]
fn assert_sound(workspace: &TestWorkspace) {
    workspace.run(PROGRAM, &["doctor", "--full"]).ended_with(0);
    let folders = workspace.store().entries();
    assert_eq!(folders.iter().filter(|name| name.starts_with("data-")).count(), 1, "{folders:?}");
}

const SEARCH: &[&str] = &["--quiet", "--json", "search", "keeps numbers steady", "--limit", "100"];

#[test]
fn eight_processes_meet_a_fresh_repository() {
    for round in 0..3 {
        let workspace = stable_repository(40);
        let commands: &[&[&str]] = &[
            SEARCH,
            &["--quiet", "--json", "index"],
            &["--quiet", "--json", "locate", "steady_7"],
            SEARCH,
            &["--quiet", "--json", "sync"],
            &["--quiet", "--json", "outline", "stable/file3.rs"],
            SEARCH,
            &["--quiet", "--json", "show", "steady_39"],
        ];
        let mut order = commands.to_vec();
        order.rotate_left(round * 3);
        let answers = run_together(&workspace, &order);
        for (command, answer) in order.iter().zip(answers) {
            let answer = answer.found();
            match command[2] {
                "index" | "sync" => assert_eq!(json(&answer)["files"], 40),
                // Everybody must answer like one who asks alone.
                _ => assert_eq!(answer, workspace.run(PROGRAM, command).found(), "{command:?}"),
            }
        }
        assert_sound(&workspace);
        assert!(!workspace.store().entries().iter().any(|name| name.starts_with("quarantine")));
    }
}

#[test]
fn eight_processes_meet_a_damaged_store() {
    let workspace = stable_repository(40);
    let expected = workspace.run(PROGRAM, SEARCH).found();
    let text_file =
        workspace.store().text_files().into_iter().find(|file| file.extension().is_some_and(|e| e == "idx"));
    fs::write(text_file.unwrap(), "garbage").unwrap();
    let answers = run_together(&workspace, &[SEARCH; 8]);
    let mut complaints = 0;
    for answer in answers {
        let answer = answer.ended_with(0);
        assert_eq!(answer.stdout, expected);
        complaints += answer.stderr.matches("the index was damaged").count();
    }
    assert_eq!(complaints, 1, "exactly one process sets the damaged store aside");
    assert_sound(&workspace);
}

#[test]
fn worktrees_share_a_store_and_nothing_else() {
    let workspace = stable_repository(30);
    workspace.write("shared.py", "def only_on_main():\n    return 'main'\n\n\ndef common_name():\n    return 1\n");
    workspace.commit("main");
    let linked = workspace.beside("linked");
    workspace.run_git(&["worktree", "add", "--quiet", "-b", "feature", linked.to_str().unwrap()]);
    let write = |path: &str, text: &str| fs::write(linked.join(path), text).unwrap();
    write("shared.py", "def only_on_feature():\n    return 'feature'\n\n\n\ndef common_name():\n    return 22\n");
    write("added.py", "def added_on_feature():\n    pass\n");
    fs::remove_file(linked.join("stable/file0.rs")).unwrap();

    let root = workspace.root();
    let ask = |directory: &Path, args: &[&str]| {
        Answer::of(workspace.command(PROGRAM, args).arg("--json").current_dir(directory)).ended_with(0)
    };
    let first = json(&ask(&root, &["index"]).stdout);
    assert_eq!((&first["files"], &first["parsed"]), (&31.into(), &31.into()));
    let second = json(&ask(&linked, &["index"]).stdout);
    assert_eq!((&second["files"], &second["parsed"]), (&31.into(), &2.into()), "only what differs is parsed: {second}");

    let store_of = |directory: &Path| {
        Engine::open(directory, &workspace.home(), Config::default()).unwrap().store_root().to_path_buf()
    };
    assert_eq!(store_of(&root), store_of(&linked));
    assert_eq!(json(&ask(&linked, &["status"]).stdout)["store"], json(&ask(&root, &["status"]).stdout)["store"]);

    let names = |directory: &Path, symbol: &str| -> Vec<String> {
        let answer = Answer::of(workspace.command(PROGRAM, &["--json", "locate", symbol]).current_dir(directory));
        let results = json(&answer.stdout)["results"].as_array().unwrap().clone();
        results.iter().map(|hit| format!("{}:{} {}", hit["path"], hit["line_start"], hit["name"])).collect()
    };
    assert_eq!(names(&root, "common_name"), ["\"shared.py\":5 \"common_name\""]);
    assert_eq!(names(&linked, "common_name"), ["\"shared.py\":6 \"common_name\""]);
    assert_eq!(names(&root, "only_on_main").len(), 1);
    assert_eq!(names(&linked, "only_on_feature").len(), 1);
    // Neither by its exact name, nor as a near miss, nor through the words of its body.
    assert!(names(&root, "only_on_feature").iter().all(|name| !name.contains("feature")));
    assert!(names(&root, "added_on_feature").is_empty());
    assert!(names(&linked, "only_on_main").iter().all(|name| !name.contains("main")));
    assert!(names(&linked, "steady_0").iter().all(|name| !name.contains("file0")));
    for (directory, query) in [(&root, "return feature"), (&linked, "return main")] {
        let answer = ask(directory, &["search", query, "--limit", "1000"]);
        let word = query.rsplit(' ').next().unwrap();
        assert!(!answer.stdout.contains(&format!("on_{word}")), "{}", answer.stdout);
    }

    // The same for uncommitted edits, and after the branches have changed places.
    workspace.write("stable/file1.rs", "pub fn dirty_on_main() {}\n");
    assert_eq!(names(&root, "dirty_on_main").len(), 1);
    assert!(names(&linked, "dirty_on_main").is_empty());
    workspace.run_git(&["checkout", "--quiet", "--force", "--detach", "main"]);
    let linked_git = |args: &[&str]| {
        let mut all = vec!["-C", linked.to_str().unwrap()];
        all.extend(args);
        workspace.run_git(&all)
    };
    linked_git(&["checkout", "--quiet", "--force", "main"]);
    linked_git(&["clean", "--quiet", "--force"]);
    let switched = json(&ask(&linked, &["index"]).stdout);
    assert_eq!(switched["parsed"], 0, "main's contents are known already: {switched}");
    assert_eq!(names(&linked, "common_name"), ["\"shared.py\":5 \"common_name\""]);
    assert!(names(&linked, "only_on_feature").iter().all(|name| !name.contains("feature")));
    assert!(names(&root, "dirty_on_main").is_empty());

    // A worktree that is gone is forgotten, the other one is not harmed.
    linked_git(&["checkout", "--quiet", "--detach"]);
    workspace.run_git(&["worktree", "remove", "--force", linked.to_str().unwrap()]);
    let collected = json(&ask(&root, &["gc", "--now"]).stdout);
    assert_eq!(collected["dropped_views"], 1);
    assert!(collected["removed_versions"].as_u64().unwrap() >= 2, "{collected}");
    assert_eq!(names(&root, "only_on_main").len(), 1);
    assert_sound(&workspace);
}

/// Runs `write` some times while readers ask again and again about files that do not change; every
/// answer must be the same as when nothing else happens.
fn with_readers(workspace: &TestWorkspace, rounds: usize, write: impl Fn(usize)) {
    let questions: &[&[&str]] = &[
        &["--quiet", "--json", "locate", "steady_5"],
        &["--quiet", "--json", "show", "steady_11", "--path", "stable"],
        &["--quiet", "--json", "outline", "stable/file2.rs"],
        &["--quiet", "--json", "search", "steady_9", "--path", "stable", "--kind", "function", "--limit", "1"],
        &["--quiet", "--json", "search", "keeps numbers steady", "--path", "stable", "--limit", "100"],
    ];
    let expected: Vec<String> = questions.iter().map(|args| workspace.run(PROGRAM, args).found()).collect();
    let places = |answer: &str| -> Vec<String> {
        let answer = json(answer);
        let results = answer["results"].as_array().cloned().unwrap_or_else(|| vec![answer.clone()]);
        let mut places: Vec<String> = results
            .iter()
            .map(|hit| format!("{}{}{}{}", hit["path"], hit["line_start"], hit["name"], hit["source"]))
            .collect();
        places.sort();
        places
    };
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for reader in 0..2 {
            let (done, expected) = (&done, &expected);
            scope.spawn(move || {
                for turn in reader.. {
                    if done.load(Ordering::Relaxed) && turn > 10 {
                        break;
                    }
                    let at = turn % questions.len();
                    let answer = workspace.run(PROGRAM, questions[at]).found();
                    // Scores may change with what else there is; what is found may not.
                    assert_eq!(places(&answer), places(&expected[at]), "{:?}", questions[at]);
                }
            });
        }
        // Also when a write fails, or the readers would go on for ever.
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (0..rounds).for_each(&write)));
        done.store(true, Ordering::Relaxed);
        if let Err(panic) = outcome {
            std::panic::resume_unwind(panic);
        }
    });
    assert_sound(workspace);
}

#[test]
fn readers_never_see_an_error_while_others_sync() {
    let workspace = stable_repository(25);
    with_readers(&workspace, 20, |round| {
        workspace.write(&format!("changing/file{}.rs", round % 4), &format!("pub fn changed_{round}() {{}}\n"));
        workspace.run(PROGRAM, &["--quiet", "sync"]).found();
    });
}

#[test]
fn readers_never_see_an_error_while_others_rebuild() {
    let workspace = stable_repository(25);
    with_readers(&workspace, 12, |_| {
        workspace.run(PROGRAM, &["--quiet", "index", "--force"]).found();
    });
}

#[test]
fn readers_never_see_an_error_while_garbage_is_collected() {
    let workspace = stable_repository(25);
    with_readers(&workspace, 12, |round| {
        workspace.write("changing/file.rs", &format!("pub fn changed_{round}() {{}}\n"));
        workspace.run(PROGRAM, &["--quiet", "sync"]).found();
        workspace.run(PROGRAM, &["--quiet", "gc", "--now"]).found();
    });
}

#[test]
fn a_file_that_is_saved_again_and_again_can_always_be_shown() {
    let workspace = stable_repository(5);
    let save = |lines: usize| {
        let text = format!("{}pub fn saved_often() {{}}\n", "// a line\n".repeat(lines));
        // As editors do it: there is always a whole file at the path.
        workspace.write("often.rs.new~", &text);
        fs::rename(workspace.root().join("often.rs.new~"), workspace.root().join("often.rs")).unwrap();
    };
    let mut random = Random::new(7);
    for _ in 0..10 {
        save(0);
        let question = workspace.command(PROGRAM, &["--quiet", "show", "saved_often"]).spawn().unwrap();
        for lines in 1..4 {
            thread::sleep(Duration::from_millis(random.below(60)));
            save(lines);
        }
        let shown = Answer::wait_for(question).found();
        assert!(shown.trim_end().ends_with("| pub fn saved_often() {}"), "{shown}");
    }
}

#[test]
fn the_doctor_does_not_take_a_working_writer_for_damage() {
    let workspace = stable_repository(25);
    workspace.run(PROGRAM, &["index"]).found();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..15 {
                workspace.write("changing.rs", &format!("pub fn changed_{round}() {{}}\n"));
                workspace.run(PROGRAM, &["--quiet", "sync"]).found();
            }
            done.store(true, Ordering::Relaxed);
        });
        while !done.load(Ordering::Relaxed) {
            let answer = workspace.run(PROGRAM, &["--json", "doctor", "--full"]);
            let checks = json(&answer.stdout)["checks"].clone();
            let integrity = checks.as_array().unwrap().iter().find(|check| check["check"] == "integrity").unwrap();
            assert_eq!(integrity["ok"], true, "{checks}");
        }
    });
}
