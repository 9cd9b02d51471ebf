//! The list of the stores on this machine, and the removal of those that are no longer needed.

use codecompass_testkit::{TestWorkspace, copy_tree};
use serde_json::Value;

use crate::{PROGRAM, workspace};

fn json(workspace: &TestWorkspace, args: &[&str], code: i32) -> Value {
    serde_json::from_str(&workspace.run(PROGRAM, args).ended_with(code).stdout).unwrap()
}

#[test]
fn all_stores_are_listed_and_those_of_nothing_removed() {
    let workspace = workspace();
    let list = |code: i32| json(&workspace, &["workspaces", "--json"], code)["stores"].as_array().unwrap().clone();
    assert_eq!(list(1).len(), 0);
    workspace.run(PROGRAM, &["index"]).ended_with(0);
    let other = workspace.beside("other");
    copy_tree(&workspace.root(), &other);
    // Clones of one repository would share a store.
    std::fs::remove_dir_all(other.join(".git")).unwrap();
    workspace.run(PROGRAM, &["index", "--workspace", other.to_str().unwrap()]).ended_with(0);

    let stores = list(0);
    assert_eq!(stores.len(), 2);
    let roots: Vec<&str> = stores.iter().map(|store| store["workspaces"][0]["root"].as_str().unwrap()).collect();
    assert!(
        roots.contains(&workspace.root().to_str().unwrap()) && roots.contains(&other.to_str().unwrap()),
        "{roots:?}"
    );
    let text = workspace.run(PROGRAM, &["workspaces"]).ended_with(0).stdout;
    assert!(text.contains(roots[0]) && text.contains("2 stores with "), "{text}");

    assert_eq!(json(&workspace, &["gc", "--all", "--json"], 0)["removed_stores"], Value::Array(Vec::new()));
    std::fs::remove_dir_all(&other).unwrap();
    assert!(list(0).iter().any(|store| store["is_gone"] == true));
    assert_eq!(json(&workspace, &["gc", "--json"], 0)["removed_stores"], Value::Array(Vec::new()), "only with --all");
    let removed = json(&workspace, &["gc", "--all", "--json"], 0)["removed_stores"].clone();
    assert_eq!((removed.as_array().unwrap().len(), &removed[0]["reason"]), (1, &"what it was made for is gone".into()));
    assert_eq!(list(0).len(), 1);
}
