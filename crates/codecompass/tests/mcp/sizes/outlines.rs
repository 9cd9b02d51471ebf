//! An outline costs a small part of its file, and a folder is shown as widely as it fits.

use std::fs;
use std::path::{Path, PathBuf};

use codecompass_testkit::TestWorkspace;
use serde_json::json;

use crate::client::{Client, Era, text};
use crate::sizes::{tokens, wide};

const TEXTS: [&str; 2] = ["--answers", "text"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.extend(path.extension().is_some_and(|extension| extension == "rs").then_some(path));
        }
    }
}

#[test]
fn an_outline_costs_at_most_15_percent_of_its_file() {
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/src/query");
    let mut paths = Vec::new();
    sources(&engine, &mut paths);
    let workspace = TestWorkspace::git("");
    for path in &paths {
        let name = path.strip_prefix(&engine).unwrap().to_str().unwrap();
        workspace.write(name, &fs::read_to_string(path).unwrap());
    }
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    let (mut shares, mut outline_tokens, mut file_tokens) = (Vec::new(), 0, 0);
    for path in &paths {
        let name = path.strip_prefix(&engine).unwrap().to_str().unwrap();
        let (outline, file) = (
            tokens(text(&client.call("get_file_outline", json!({"path": name, "freshness": "strict"})))),
            tokens(&fs::read_to_string(path).unwrap()),
        );
        // A short file has nothing to leave out.
        if file > 700 {
            shares.push(100 * outline / file);
            outline_tokens += outline;
            file_tokens += file;
        }
    }
    shares.sort();
    assert!(shares.len() > 30, "{}", shares.len());
    assert!(shares[shares.len() / 2] < 15, "{shares:?}");
    assert!(outline_tokens * 100 < file_tokens * 15, "{outline_tokens} of {file_tokens}");
    assert!(*shares.last().unwrap() < 25, "{shares:?}");
}

#[test]
fn a_folder_is_shown_in_breadth_first() {
    let workspace = wide();
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    let mut ask = |most: usize, offset: usize| {
        let arguments = json!({"path": "users", "max_tokens": most, "offset": offset, "freshness": "strict"});
        let answer = text(&client.call("get_file_outline", arguments)).to_string();
        assert!(tokens(&answer) <= most, "{answer}");
        answer
    };
    let all = ask(20_000, 0);
    assert!(all.starts_with("40 files, 1000 definitions\nusers/user0.py python, 103 lines\n4 user_0_0, 8 user_0_1"));
    assert!(
        all.contains("user_39_7, 17 more") && all.ends_with("`detail_level` signature shows everything\n"),
        "{all}"
    );
    let first_names = ask(2200, 0);
    assert!(first_names.contains("users/user9.py 103 lines: user_9_0, user_9_1"), "{first_names}");
    assert!(first_names.contains("20 more") && first_names.contains("`get_file_outline` of one of them"));
    assert!(!first_names.contains("user_9_5"), "{first_names}");
    let cut = ask(400, 0);
    let offset: usize = cut.split("`offset` ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let next = ask(400, offset);
    let first = |text: &str| text.lines().find(|line| line.starts_with("users/")).unwrap().to_string();
    assert!(offset > 2 && first(&next) > first(&cut) && !cut.contains(&first(&next)), "{cut}\n{next}");
}

#[test]
fn pages_of_a_tree_are_the_whole() {
    let workspace = wide();
    let mut client = Client::connect(&workspace, Era::Initialize, &["--tools", "all"]);
    let whole = client.answer("list_directory", json!({"depth": 9, "freshness": "strict"}))["entries"].clone();
    let whole = whole.as_array().unwrap();
    assert_eq!(whole.len(), 45);
    let (mut joined, mut offset) = (Vec::new(), Some(0));
    while let Some(at) = offset {
        let answer = client.answer("list_directory", json!({"depth": 9, "max_tokens": 600, "offset": at}));
        joined.extend(answer["entries"].as_array().unwrap().clone());
        offset = answer["metadata"]["next_offset"].as_u64();
        assert!(offset.is_none_or(|next| next > at));
    }
    assert_eq!(&joined, whole);
}
