//! The commits that lines come from: those of `git blame`, on random histories and on cases that
//! chance makes rarely.

use codecompass_engine::NoProgress;
use codecompass_engine::history::{Blame, BlamePlace, SymbolPlace, blame};
use codecompass_testkit::{Git, History, TestWorkspace};

use super::git_log::{blame_difference, open};

#[test]
fn lines_of_random_histories_are_blamed_as_git_does() {
    let mut history = History::new(31);
    let home = history.beside("history-home");
    let mut compared = 0;
    for step in 0..40_usize {
        history.step();
        let worktree = history.worktrees()[step % history.worktrees().len()].clone();
        let git = Git::at(&worktree);
        let Some(head) = git.ask(&["rev-parse", "--verify", "HEAD"]) else { continue };
        let engine = open(&worktree, &home).at_ref(head.trim()).unwrap();
        let listed = git.ask(&["ls-tree", "-r", "--name-only", "HEAD"]).unwrap_or_default();
        // A name that is not UTF-8 is quoted.
        let paths: Vec<&str> = listed.lines().filter(|path| !path.starts_with('"')).collect();
        for path in paths.iter().skip(step % 3).step_by(3).take(4) {
            compared += 1;
            if let Some(difference) = blame_difference(&engine, &git, Some("HEAD"), path) {
                panic!("step {step}: {difference}\n{}", history.log().join("\n"));
            }
        }
    }
    assert!(compared > 50, "{compared}");
}

const FIXTURE: &str = "
//- /shop/cart.py
import math


# The sum.
@cached
def total(items):
    result = 0
    for item in items:
        result += item
    return result


def count(items):
    return len(items)
";

fn edit(workspace: &TestWorkspace, path: &str, change: &[(&str, &str)], message: &str) {
    let mut text = std::fs::read_to_string(workspace.root().join(path)).unwrap();
    change.iter().for_each(|(from, to)| text = text.replace(from, to));
    workspace.write(path, &text);
    workspace.commit(message);
}

fn total(workspace: &TestWorkspace, path: &str) -> Blame {
    let engine = open(&workspace.root(), &workspace.home());
    let place = SymbolPlace { path: path.into(), local_name: "total".into(), kind: "function".into(), line: 6 };
    blame(&engine, &BlamePlace::Definition(place), &NoProgress).unwrap()
}

fn told(blame: &Blame) -> Vec<String> {
    let told = |run: &codecompass_engine::history::BlameRun| {
        let subject = run.commit.as_ref().map_or("not committed", |commit| &commit.subject);
        format!("{}-{} {subject}", run.start, run.start as usize + run.lines.len() - 1)
    };
    blame.runs.iter().map(told).collect()
}

#[test]
fn renames_merges_and_uncommitted_lines() {
    let workspace = TestWorkspace::git(FIXTURE);
    edit(&workspace, "shop/cart.py", &[("import math", "import math\nimport sys")], "Import more");
    workspace.run_git(&["checkout", "--quiet", "-b", "topic"]);
    edit(&workspace, "shop/cart.py", &[("result = 0", "result = 0.0")], "On the topic");
    workspace.run_git(&["checkout", "--quiet", "main"]);
    edit(&workspace, "shop/cart.py", &[("len(items)", "len(items) + 0")], "Elsewhere in the file");
    workspace.run_git(&["merge", "--quiet", "--no-ff", "--message", "Merge", "topic"]);
    workspace.run_git(&["mv", "shop/cart.py", "shop/basket.py"]);
    edit(&workspace, "shop/basket.py", &[("return result", "return result  # sum")], "Move and edit");
    assert_eq!(
        told(&total(&workspace, "shop/basket.py")),
        ["5-7 first", "8-8 On the topic", "9-10 first", "11-11 Move and edit"]
    );
    let text = std::fs::read_to_string(workspace.root().join("shop/basket.py")).unwrap();
    workspace.write("shop/basket.py", &text.replace("        result += item", "        result += item.price"));
    let found = total(&workspace, "shop/basket.py");
    assert_eq!(
        told(&found),
        ["5-7 first", "8-8 On the topic", "9-9 first", "10-10 not committed", "11-11 Move and edit"]
    );
    assert_eq!(found.runs[0].commit.as_ref().unwrap().path, "shop/cart.py");
    assert_eq!(found.runs[3].lines, ["        result += item.price"]);
    let (engine, git) = (open(&workspace.root(), &workspace.home()), Git::at(&workspace.root()));
    assert_eq!(blame_difference(&engine, &git, None, "shop/basket.py"), None);
}

#[test]
fn line_ends_that_git_would_change_are_no_changes() {
    let workspace = TestWorkspace::git(FIXTURE);
    let text = std::fs::read_to_string(workspace.root().join("shop/cart.py")).unwrap();
    workspace.write("shop/cart.py", &text.replace('\n', "\r\n"));
    assert_eq!(told(&total(&workspace, "shop/cart.py")), ["4-10 first"]);
}

#[test]
fn what_is_not_there_has_no_lines() {
    let workspace = TestWorkspace::git(FIXTURE);
    let engine = open(&workspace.root(), &workspace.home());
    let place = SymbolPlace { path: "shop/cart.py".into(), local_name: "no".into(), kind: "function".into(), line: 1 };
    assert!(blame(&engine, &BlamePlace::Definition(place), &NoProgress).unwrap().is_missing);
    workspace.write("new.py", "def total():\n    pass\n");
    assert_eq!(told(&total(&workspace, "new.py")), ["1-2 not committed"]);
}
