//! The commits that changed a definition: those of `git log -L` on plain histories, and renames and
//! moves that git does not follow.

use codecompass_engine::NoProgress;
use codecompass_engine::history::{SymbolChangeKind, SymbolHistory, SymbolPlace, symbol_history};
use codecompass_testkit::TestWorkspace;

use super::git_log::open;

const FIXTURE: &str = "
//- /shop/cart.py
import math


def total(items):
    return sum(items)


def count(items):
    return len(items)
";

fn history(workspace: &TestWorkspace, path: &str, name: &str, kind: &str) -> SymbolHistory {
    let place = SymbolPlace { path: path.into(), local_name: name.into(), kind: kind.into(), line: 1 };
    symbol_history(&open(&workspace.root(), &workspace.home()), &place, &NoProgress).unwrap()
}

fn told(history: &SymbolHistory) -> Vec<String> {
    let told = |commit: &codecompass_engine::history::SymbolCommit| {
        format!("{} {} {}::{}", commit.subject, commit.change.as_str(), commit.path, commit.name)
    };
    history.commits.iter().map(told).collect()
}

#[test]
fn the_commits_are_those_of_git_log_l() {
    let workspace = TestWorkspace::git(FIXTURE);
    let texts = [
        "import math\nimport sys\n\n\ndef total(items):\n    return sum(items)\n\n\ndef count(items):\n    return len(items)\n",
        "import math\nimport sys\n\n\ndef total(items):\n    return sum(items)\n\n\ndef count(items):\n    return len(items) + 0\n",
        "import math\nimport sys\n\n\ndef total(items, tax=0):\n    return sum(items) + tax\n\n\ndef count(items):\n    return len(items) + 0\n",
        "import sys\n\n\ndef first():\n    pass\n\n\ndef total(items, tax=0):\n    return sum(items) + tax\n\n\ndef count(items):\n    return len(items) + 0\n",
        "import sys\n\n\ndef first():\n    pass\n\n\ndef total(items, tax=0):\n    # With the tax.\n    return sum(items) + tax\n",
    ];
    for (number, text) in texts.iter().enumerate() {
        workspace.write("shop/cart.py", text);
        workspace.commit(&format!("Edit {number}"));
    }
    workspace.run_git(&["mv", "shop/cart.py", "shop/basket.py"]);
    workspace.commit("Move the file");
    workspace.write("shop/basket.py", &texts[4].replace("With the tax", "Taxes count"));
    workspace.commit("Reword");
    let found = history(&workspace, "shop/basket.py", "total", "function");
    let ours: Vec<String> = found.commits.iter().map(|commit| commit.id.to_string()).collect();
    let listed = workspace.run_git(&["log", "-s", "--format=%H", "-L8,10:shop/basket.py"]);
    assert_eq!(ours, listed.lines().map(str::to_string).collect::<Vec<_>>(), "{:?}", told(&found));
    assert_eq!(
        told(&found),
        [
            "Reword modified shop/basket.py::total",
            "Edit 4 modified shop/cart.py::total",
            "Edit 2 modified shop/cart.py::total",
            "first introduced shop/cart.py::total",
        ]
    );
    assert!(found.is_complete);
    let change = &found.commits[2];
    assert_eq!(change.before.as_deref(), Some("def total(items)"));
    assert_eq!(change.after.as_deref(), Some("def total(items, tax=0)"));
    let lines: Vec<String> = change
        .lines
        .iter()
        .map(|line| format!("{}{} {}", if line.is_added { '+' } else { '-' }, line.line.unwrap(), line.text))
        .collect();
    assert_eq!(
        lines,
        [
            "-5 def total(items):",
            "-6     return sum(items)",
            "+5 def total(items, tax=0):",
            "+6     return sum(items) + tax"
        ]
    );
}

#[test]
fn renamed_and_moved_definitions_are_followed() {
    let workspace = TestWorkspace::git(FIXTURE);
    workspace.write(
        "shop/cart.py",
        "import math\n\n\ndef sum_up(items):\n    return sum(items)\n\n\ndef count(items):\n    return len(items)\n",
    );
    workspace.commit("Rename");
    workspace.write("shop/cart.py", "import math\n\n\ndef count(items):\n    return len(items)\n");
    workspace.write("shop/sums.py", "def sum_up(items):\n    return sum(items)\n");
    workspace.commit("Move");
    let found = history(&workspace, "shop/sums.py", "sum_up", "function");
    assert_eq!(
        told(&found),
        [
            "Move moved shop/sums.py::sum_up",
            "Rename renamed shop/cart.py::sum_up",
            "first introduced shop/cart.py::total",
        ]
    );
    assert_eq!(found.commits[0].change, SymbolChangeKind::Moved);
}

#[test]
fn merges_are_followed_to_where_the_change_was_made() {
    let workspace = TestWorkspace::git(FIXTURE);
    workspace.run_git(&["checkout", "--quiet", "-b", "topic"]);
    workspace.write(
        "shop/cart.py",
        "import math\n\n\ndef total(items):\n    return sum(items, 0)\n\n\ndef count(items):\n    return len(items)\n",
    );
    workspace.commit("On the topic");
    workspace.run_git(&["checkout", "--quiet", "main"]);
    workspace.write("other.py", "x = 1\n");
    workspace.commit("Elsewhere");
    workspace.run_git(&["merge", "--quiet", "--no-ff", "--message", "Merge", "topic"]);
    let found = history(&workspace, "shop/cart.py", "total", "function");
    assert_eq!(told(&found), ["On the topic modified shop/cart.py::total", "first introduced shop/cart.py::total"]);
    workspace.write("new.py", "def new(): pass\n");
    assert!(history(&workspace, "new.py", "new", "function").is_uncommitted);
}
