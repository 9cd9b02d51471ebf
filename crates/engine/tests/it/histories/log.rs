//! Questions about commits along random histories: the commits are those of `git log`, whatever was
//! amended, rebased or deleted before.

use std::sync::atomic::Ordering::SeqCst;

use codecompass_engine::history::{
    HistoryAnswer, HistoryOptions, HistoryState, TextQuery, build_history, collect_history, history_state,
    search_history,
};
use codecompass_engine::{Error, NoProgress};
use codecompass_testkit::{Event, Git, History, TestWorkspace, repeats};

use super::git_log::{LogQuestions, difference, open};

fn run(seed: u64, transitions: u64) {
    let mut history = History::new(seed);
    let home = history.beside("history-home");
    for step in 0..transitions {
        let event = history.step();
        let worktree = history.worktrees()[(step % history.worktrees().len() as u64) as usize].clone();
        let engine = open(&worktree, &home);
        if event == Event::CollectGarbage {
            collect_history(&engine).unwrap();
        }
        let git = Git::at(&worktree);
        let refs = history.refs(&worktree);
        let Some(live) = refs.get((step as usize * 7) % refs.len().max(1)) else { continue };
        let mut questions = LogQuestions::new(&git, &live.commit, seed * 1000 + step);
        for _ in 0..4 {
            let Some(question) = questions.next() else { break };
            if let Some(difference) = difference(&engine, &git, &question) {
                panic!("seed {seed}, step {step}: {difference}\n{}", history.log().join("\n"));
            }
        }
    }
}

#[test]
fn commits_are_those_of_git() {
    run(11, repeats(15, 25));
}

#[test]
fn commits_are_those_of_git_in_another_history() {
    run(12, repeats(10, 25));
}

fn asked(workspace: &TestWorkspace, options: HistoryOptions) -> HistoryAnswer {
    try_ask(workspace, options).unwrap()
}

fn try_ask(workspace: &TestWorkspace, options: HistoryOptions) -> Result<HistoryAnswer, Error> {
    let engine = open(&workspace.root(), &workspace.home());
    search_history(&engine, &HistoryOptions { limit: 100, max_lines: 10, ..options }, &NoProgress)
}

const FIXTURE: &str = "
//- /a.py
def first(): pass
//- /src/b.py
flag = True
";

/// A repository without commits.
fn unborn(fixture: &str) -> TestWorkspace {
    let workspace = TestWorkspace::plain(fixture);
    workspace.run_git(&["init", "--quiet", "--initial-branch=main"]);
    workspace
}

/// A repository with one commit.
fn begun(fixture: &str) -> TestWorkspace {
    let workspace = unborn(fixture);
    workspace.commit("Begin");
    workspace
}

fn changed(text: &str) -> HistoryOptions {
    HistoryOptions { text: Some(TextQuery::Changed(text.into())), ..HistoryOptions::default() }
}

fn subjects(answer: &HistoryAnswer) -> Vec<&str> {
    answer.commits.iter().map(|commit| commit.subject.as_str()).collect()
}

#[test]
fn a_hit_has_its_files_and_lines() {
    let workspace = begun(FIXTURE);
    workspace.write("src/b.py", "flag = False\nother = 1\n");
    workspace.commit("Switch the flag off\n\nIt was on.");
    let answer = asked(&workspace, changed("flag = True"));
    assert_eq!(subjects(&answer), ["Switch the flag off", "Begin"]);
    let commit = &answer.commits[0];
    assert_eq!(commit.body, "It was on.");
    assert_eq!(commit.author.to_string(), "Test <test@example.com>");
    assert_eq!(commit.date, "2026-01-01T00:00:00Z");
    let lines: Vec<String> = commit
        .lines
        .iter()
        .map(|line| {
            format!("{}{}:{} {}", if line.is_added { '+' } else { '-' }, line.path, line.line.unwrap(), line.text)
        })
        .collect();
    assert_eq!(lines, ["-src/b.py:1 flag = True"]);
    let added = HistoryOptions { text: Some(TextQuery::Added("flag".into())), ..HistoryOptions::default() };
    assert_eq!(subjects(&asked(&workspace, added)), ["Begin"]);
    let words = HistoryOptions { question: Some("flag off".into()), ..HistoryOptions::default() };
    assert_eq!(subjects(&asked(&workspace, words))[0], "Switch the flag off");
}

#[test]
fn texts_over_several_lines_and_in_binary_files_are_found() {
    let workspace = unborn(FIXTURE);
    workspace.write_bytes("data.bin", b"\0\x01\x02needle in it\0");
    workspace.commit("Begin");
    workspace.write("a.py", "def first():\n    pass\n");
    workspace.commit("Break the line");
    assert_eq!(subjects(&asked(&workspace, changed("first():\n    pass"))), ["Break the line"]);
    assert_eq!(subjects(&asked(&workspace, changed("needle in it"))), ["Begin"]);
    let regex = HistoryOptions { text: Some(TextQuery::Regex("needle".into())), ..HistoryOptions::default() };
    assert!(asked(&workspace, regex).commits.is_empty(), "git log -G looks at texts alone");
}

#[test]
fn the_mailmap_of_head_counts() {
    let workspace = begun(FIXTURE);
    workspace.write(".mailmap", "Proper Name <proper@example.com> <test@example.com>\n");
    workspace.commit("Map");
    let by = |name: &str| HistoryOptions { authors: vec![name.into()], ..HistoryOptions::default() };
    assert_eq!(asked(&workspace, by("proper@")).commits.len(), 2);
    let answer = asked(&workspace, by("test@example.com"));
    assert!(answer.commits.is_empty());
    let reason = "no commit here is by an author with `test@example.com` in the name or e-mail";
    assert_eq!(answer.reason.as_deref(), Some(reason));
    let reason =
        "no commit here is by an author with `propper nam` in the name or e-mail; authors with such names: Proper Name";
    assert_eq!(asked(&workspace, by("propper nam")).reason.as_deref(), Some(reason));
}

#[test]
fn rewritten_and_deleted_history_answers_nothing() {
    let workspace = begun(FIXTURE);
    workspace.write("a.py", "def second(): pass\n");
    workspace.commit("Second");
    assert_eq!(subjects(&asked(&workspace, changed("second"))), ["Second"]);
    workspace.write("a.py", "def third(): pass\n");
    workspace.run_git(&["commit", "--quiet", "--all", "--amend", "--message", "Third"]);
    assert!(asked(&workspace, changed("second")).commits.is_empty());
    assert_eq!(subjects(&asked(&workspace, changed("third"))), ["Third"]);
    let engine = open(&workspace.root(), &workspace.home());
    assert_eq!(collect_history(&engine).unwrap().removed_commits, 1);
    assert_eq!(collect_history(&engine).unwrap().removed_commits, 0);
    assert_eq!(subjects(&asked(&workspace, changed("third"))), ["Third"]);
}

#[test]
fn empty_answers_have_reasons_and_bad_input_is_refused() {
    let workspace = unborn(FIXTURE);
    let reason = |options: HistoryOptions| asked(&workspace, options).reason;
    assert_eq!(reason(changed("x")).as_deref(), Some("the repository has no commits yet"));
    workspace.commit("Begin");
    workspace.run_git(&["branch", "old"]);
    workspace.write("a.py", "x = 1\n");
    workspace.commit("Second");
    let range = |range: &str| HistoryOptions { range: Some(range.into()), ..HistoryOptions::default() };
    assert_eq!(asked(&workspace, range("old..main")).total, 1);
    let said = "main..old has no commits; the other way round there are 1";
    assert_eq!(reason(range("main..old")).as_deref(), Some(said));
    let pattern = codecompass_engine::query::PathPattern::new("nowhere").unwrap();
    let filter = codecompass_engine::query::Filter { paths: vec![pattern], ..Default::default() };
    let nowhere = HistoryOptions { filter, ..HistoryOptions::default() };
    assert_eq!(reason(nowhere).as_deref(), Some("no commit here changed a file at nowhere"));
    let refused = |options: HistoryOptions| try_ask(&workspace, options).unwrap_err().to_string();
    assert_eq!(refused(changed("")), "the text to look for is empty");
    assert!(refused(range("nobranch")).contains("nobranch"), "{}", refused(range("nobranch")));
    let plain = TestWorkspace::plain(FIXTURE);
    let error = try_ask(&plain, HistoryOptions::default()).unwrap_err().to_string();
    assert!(error.contains("not in git"), "{error}");
}

#[test]
fn a_shallow_clone_says_what_is_missing_and_can_be_deepened() {
    let workspace = begun(FIXTURE);
    for number in 0..4 {
        workspace.write("a.py", &format!("x = {number}\n"));
        workspace.commit(&format!("Number {number}"));
    }
    let clone = workspace.beside("clone");
    let from = format!("file://{}", workspace.root().display());
    Git::at(&workspace.root()).run(&["clone", "--quiet", "--depth=2", &from, &clone.display().to_string()]);
    let engine = open(&clone, &workspace.beside("clone-home"));
    let ask = || {
        let options = HistoryOptions { limit: 100, ..changed("flag") };
        search_history(&engine, &options, &NoProgress).unwrap()
    };
    let shallow = ask();
    assert_eq!((subjects(&shallow), shallow.searched), (vec!["Number 2"], 2), "as git log -S");
    assert!(shallow.notes[0].starts_with("this is a shallow clone"), "{:?}", shallow.notes);
    Git::at(&clone).run(&["fetch", "--quiet", "--unshallow"]);
    let whole = ask();
    assert_eq!((subjects(&whole), whole.searched), (vec!["Begin"], 5));
    assert!(whole.notes.is_empty(), "{:?}", whole.notes);
}

#[test]
fn the_number_of_commits_has_a_limit_and_that_is_said() {
    let workspace = begun(FIXTURE);
    for number in 0..6 {
        workspace.write("a.py", &format!("x = {number}\n"));
        workspace.commit(&format!("Number {number}"));
    }
    let mut config = codecompass_engine::Config::default();
    config.history.max_commits = 3;
    let engine = codecompass_engine::Engine::open(&workspace.root(), &workspace.home(), config).unwrap();
    for _ in 0..2 {
        let options = HistoryOptions { limit: 100, ..HistoryOptions::default() };
        let answer = search_history(&engine, &options, &NoProgress).unwrap();
        assert_eq!(answer.total, 3);
        let said = "only the newest 3 commits are kept (`history.max_commits`); older ones were not searched";
        assert_eq!(answer.notes, [said]);
    }
    // With more room the search goes on where it stopped.
    assert_eq!(asked(&workspace, HistoryOptions::default()).total, 7);
}

/// Ends the work after some reports.
struct Impatient {
    left: std::sync::atomic::AtomicUsize,
}

impl codecompass_engine::Progress for Impatient {
    fn report(&self, _: codecompass_engine::Stage, _: usize, _: usize) {
        let _ = self.left.fetch_update(SeqCst, SeqCst, |left| Some(left.saturating_sub(1)));
    }

    fn is_cancelled(&self) -> bool {
        self.left.load(SeqCst) == 0
    }
}

#[test]
fn the_history_is_built_ahead_and_goes_on_where_it_was_ended() {
    let workspace = begun(FIXTURE);
    for number in 0..300 {
        workspace.write("a.py", &format!("def first(): return {number}\n"));
        workspace.commit(&format!("Edit {number}"));
    }
    let engine = open(&workspace.root(), &workspace.home());
    assert_eq!(history_state(&engine).unwrap(), None);
    // The commit table is there, and the changed lines of the first units.
    let ended = build_history(&engine, &Impatient { left: 5.into() });
    assert!(matches!(ended, Err(Error::Cancelled)), "{ended:?}");
    let state = history_state(&engine).unwrap().unwrap();
    assert!(state.commits == 301 && (1..301).contains(&state.with_changes), "{state:?}");
    // The newest come first, and a question about them finds them there.
    assert!(build_history(&engine, &NoProgress).unwrap());
    let all = HistoryState { commits: 301, with_changes: 301 };
    assert_eq!(history_state(&engine).unwrap(), Some(all));
    workspace.write("a.py", "def first(): return None\n");
    workspace.commit("One more");
    assert!(build_history(&engine, &NoProgress).unwrap());
    assert_eq!(history_state(&engine).unwrap().unwrap().with_changes, 302);
    let unborn = unborn(FIXTURE);
    assert!(build_history(&open(&unborn.root(), &unborn.home()), &NoProgress).unwrap());
    let plain = TestWorkspace::plain(FIXTURE);
    assert!(build_history(&open(&plain.root(), &plain.home()), &NoProgress).unwrap());
}
