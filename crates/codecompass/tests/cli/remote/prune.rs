//! `state prune`: old states go, and what is left is whole.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use codecompass_testkit::TestWorkspace;

use super::{clone_of, files_below, folder_remote, json, refused};
use crate::{PROGRAM, workspace};

const DAY: u64 = 24 * 3600;

/// A repository whose index was pushed three times, days ago; returns the folder of its family.
fn pushed_three_times() -> (TestWorkspace, PathBuf) {
    let origin = workspace();
    for number in 0..60 {
        let body: String = (0..20).map(|n| format!("def f{number}_{n}(a):\n    return g{n}(a, {number})\n")).collect();
        origin.write(&format!("lib/m{number}.py"), &body);
    }
    let folder = folder_remote(&origin);
    for step in 0..3 {
        origin.write(&format!("lib/step{step}.py"), &format!("def step_{step}():\n    return {step}\n"));
        origin.commit("step");
        json(&origin, &["state", "push", "--full"]);
    }
    let family = fs::read_dir(folder.join("v1")).unwrap().next().unwrap().unwrap().path();
    make_older(&family, 9);
    (origin, family)
}

/// Makes all objects older by some days; the names of states tell their times.
fn make_older(family: &Path, days: u64) {
    for state in states(family) {
        let name = state.file_name().unwrap().to_str().unwrap();
        let (time, rest) = name.split_once('-').unwrap();
        let time = time.parse::<u64>().unwrap() - days * DAY * 1000;
        fs::rename(&state, state.with_file_name(format!("{time:015}-{rest}"))).unwrap();
    }
    let before = SystemTime::now() - Duration::from_secs(days * DAY);
    for pack in fs::read_dir(family.join("packs")).unwrap() {
        File::options().write(true).open(pack.unwrap().path()).unwrap().set_modified(before).unwrap();
    }
}

/// The states, the oldest first.
fn states(family: &Path) -> Vec<PathBuf> {
    let mut states: Vec<PathBuf> =
        fs::read_dir(family.join("states")).unwrap().map(|entry| entry.unwrap().path()).collect();
    states.sort();
    states
}

#[test]
fn old_states_go_and_the_newest_is_whole() {
    let (origin, family) = pushed_three_times();
    let (count, newest) = (files_below(&family), states(&family)[2].clone());
    let (dry, _) = json(&origin, &["state", "prune", "--keep", "1", "--dry-run"]);
    assert_eq!((&dry["removed_states"], &dry["kept_states"], &dry["dry_run"]), (&2.into(), &1.into(), &true.into()));
    assert_eq!(files_below(&family), count);
    let (pruned, _) = json(&origin, &["state", "prune", "--keep", "1"]);
    assert_eq!(pruned["removed_states"], 2);
    assert!(
        pruned["removed_packs"].as_u64().unwrap() > 0 && pruned["removed_bytes"].as_u64().unwrap() > 1000,
        "{pruned}"
    );
    assert_eq!(states(&family), [newest]);
    assert!(files_below(&family) < count - 2);
    // What is left is all that a clone needs.
    let clone = clone_of(&origin);
    json(&clone, &["state", "pull"]);
    assert_eq!(json(&clone, &["sync"]).0["parsed"], 0);
    let (again, _) = json(&origin, &["state", "prune", "--keep", "1"]);
    assert_eq!((&again["removed_states"], &again["removed_packs"]), (&0.into(), &0.into()));
    // The next push builds on it.
    origin.write("lib/step9.py", "def step_9():\n    return 9\n");
    json(&origin, &["state", "push"]);
    json(&clone, &["state", "pull", "--force"]);
    let text = origin.run(PROGRAM, &["state", "prune", "--keep", "1"]).found();
    assert!(text.starts_with("removed 1 state and 0 packs") && text.trim_end().ends_with("1 state left"), "{text}");
}

#[test]
fn what_is_young_stays() {
    let (origin, family) = pushed_three_times();
    let count = files_below(&family);
    // A push that is under way has written a pack that no state names yet.
    let under_way = family.join("packs").join("0".repeat(64));
    fs::write(&under_way, "blocks").unwrap();
    let (pruned, _) = json(&origin, &["state", "prune", "--keep", "1", "--days", "30"]);
    assert_eq!((&pruned["removed_states"], &pruned["removed_packs"]), (&0.into(), &0.into()));
    assert_eq!(files_below(&family), count + 1);
    json(&origin, &["state", "prune"]);
    assert!(under_way.exists() && states(&family).len() == 3, "five are kept");
    make_older(&family, 2);
    json(&origin, &["state", "prune"]);
    assert!(!under_way.exists());
    for wrong in [["--keep", "0"], ["--days", "0"]] {
        origin.run(PROGRAM, &["state", "prune", wrong[0], wrong[1]]).ended_with(2);
    }
}

#[test]
fn packs_stay_while_a_state_cannot_be_read() {
    let (origin, family) = pushed_three_times();
    let packs = files_below(&family.join("packs"));
    // As one of a newer version would be.
    let newest = states(&family)[2].clone();
    // The hash at the end of the name may begin with an f as well.
    let other = newest.file_name().unwrap().to_str().unwrap().replacen("-f", "-f9", 1);
    fs::write(newest.with_file_name(other), "of another version").unwrap();
    let (pruned, _) = json(&origin, &["state", "prune", "--keep", "1"]);
    assert_eq!((&pruned["removed_states"], &pruned["removed_packs"]), (&2.into(), &0.into()));
    assert_eq!(pruned["unreadable"].as_array().unwrap().len(), 1, "{pruned}");
    assert_eq!(files_below(&family.join("packs")), packs);
    let text = origin.run(PROGRAM, &["state", "prune", "--keep", "1"]).found();
    assert!(text.contains("no pack was removed, since a state that is left cannot be read"), "{text}");
    fs::remove_dir_all(origin.beside("remote")).unwrap();
    assert_eq!(refused(&origin, &["state", "prune"]).0, "remote_unavailable");
}

#[test]
fn a_damaged_state_does_not_count() {
    let (origin, family) = pushed_three_times();
    let newest = states(&family)[2].clone();
    fs::write(&newest, "damaged").unwrap();
    let (pruned, _) = json(&origin, &["state", "prune", "--keep", "1"]);
    assert_eq!((&pruned["removed_states"], &pruned["kept_states"]), (&1.into(), &2.into()));
    let clone = clone_of(&origin);
    json(&clone, &["state", "pull"]);
}
