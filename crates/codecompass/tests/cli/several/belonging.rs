//! Questions about symbols and paths go to the repository that has them; lists come one by one.

use serde_json::{Value, json};

use super::{json, two};
use crate::PROGRAM;

#[test]
fn a_symbol_is_asked_where_it_is() {
    let (workspace, shop, bank) = two();
    let both = ["-w", &shop, "-w", &bank];
    let ask = |args: &[&str]| json(&workspace, &[args, &both[..]].concat());
    let shown = ask(&["show", "open_account"]);
    assert_eq!(shown["metadata"]["repository"], "bank", "{shown}");
    let text = workspace.run(PROGRAM, &[&["show", "open_account"], &both[..]].concat()).found();
    assert!(text.starts_with("repository: bank\ntransfer.py:"), "{text}");
    // The answer is that of the repository alone.
    let mut alone = json(&workspace, &["show", "open_account", "-w", &bank]);
    alone["metadata"]["repository"] = "bank".into();
    assert_eq!(shown, alone);
    for question in [["refs", "open_account"], ["calls", "open_account"], ["impact", "open_account"]] {
        assert_eq!(ask(&question)["metadata"]["repository"], "bank", "{question:?}");
    }
    assert_eq!(ask(&["read", "cart.py"])["metadata"]["repository"], "shop");
    assert_eq!(ask(&["outline", "cart.py"])["metadata"]["repository"], "shop");
    assert_eq!(ask(&["locate", "--at", "transfer.py:1:5"])["metadata"]["repository"], "bank");
    let absolute = format!("{shop}/cart.py:1");
    assert_eq!(ask(&["show", &absolute])["metadata"]["repository"], "shop");
}

fn repositories(answer: &Value) -> Vec<&str> {
    let answers = answer["answers"].as_array().unwrap().iter();
    answers.map(|answer| answer["metadata"]["repository"].as_str().unwrap_or("?")).collect()
}

#[test]
fn a_symbol_of_several_repositories() {
    let (workspace, shop, bank) = two();
    let both = ["-w", &shop, "-w", &bank];
    let ask = |args: &[&str]| json(&workspace, &[args, &both[..]].concat());
    for question in ["show", "refs", "calls", "hierarchy", "related", "similar"] {
        assert_eq!(repositories(&ask(&[question, "total_price"])), ["bank", "shop"], "{question}");
    }
    let text = workspace.run(PROGRAM, &[&["show", "total_price"], &both[..]].concat()).found();
    let (bank_at, shop_at) = (text.find("repository: bank\n"), text.find("\nrepository: shop\n"));
    assert!(bank_at == Some(0) && shop_at.is_some(), "{text}");
    // The repository may stand before the path, as answers of `search` have it.
    for symbol in ["shop:cart.py::total_price", "shop:cart.py:1", "shop:total_price"] {
        assert_eq!(ask(&["show", symbol])["metadata"]["repository"], "shop", "{symbol}");
    }
    assert_eq!(repositories(&ask(&["read", "shop:cart.py", "bank:transfer.py"])), ["shop", "bank"]);
    assert_eq!(repositories(&ask(&["show", "open_account", "shop:total_price"])), ["bank", "shop"]);
    let wrong = workspace.run(PROGRAM, &[&["calls", "shop:a", "--to", "bank:b"], &both[..]].concat()).ended_with(2);
    assert!(wrong.stderr.contains("in several repositories"), "{}", wrong.stderr);
}

#[test]
fn what_no_repository_has() {
    let (workspace, shop, bank) = two();
    let answer = workspace.run(PROGRAM, &["show", "open_acount", "-w", &shop, "-w", &bank]).ended_with(2);
    assert!(answer.stderr.contains("no symbol `open_acount` in any of 2 repositories"), "{}", answer.stderr);
    assert!(answer.stderr.contains("did you mean `open_account` (bank)?"), "{}", answer.stderr);
}

#[test]
fn lists_come_one_by_one() {
    let (workspace, shop, bank) = two();
    for place in [&shop, &bank] {
        workspace.run(PROGRAM, &["index", "-w", place]).found();
    }
    let found = json(&workspace, &["grep", "account", "--all"]);
    assert_eq!(repositories(&found), ["bank"]);
    let counts = json!([{"repository": "bank", "total": 2}, {"repository": "shop", "total": 0}]);
    assert_eq!(found["repositories"], counts);
    let text = workspace.run(PROGRAM, &["grep", "account", "--workspace", &shop, "--workspace", &bank]).found();
    assert!(text.starts_with("repository: bank, 2 found\n") && text.ends_with("nothing found in shop\n"), "{text}");
    for question in [&["symbols", "--kind", "function"][..], &["ls"], &["overview"]] {
        let both = [question, &["-w", &shop, "-w", &bank]].concat();
        assert_eq!(repositories(&json(&workspace, &both)), ["bank", "shop"], "{question:?}");
    }
    let nothing = workspace.run(PROGRAM, &["endpoints", "--all"]).ended_with(1);
    assert_eq!(nothing.stdout, "nothing found in bank, shop\n");
}

#[test]
fn what_gave_no_answer_is_named() {
    let (workspace, shop, bank) = two();
    std::fs::create_dir_all(format!("{bank}/.codecompass")).unwrap();
    std::fs::write(format!("{bank}/.codecompass/config.toml"), "nonsense = 1\n").unwrap();
    let both = ["-w", &shop, "-w", &bank];
    let shown = json(&workspace, &[&["show", "total_price"], &both[..]].concat());
    assert_eq!(shown["metadata"]["missing_repositories"][0]["repository"], "bank", "{shown}");
    assert_eq!(shown["metadata"]["result_completeness"], "partial");
    let listed = json(&workspace, &[&["ls"], &both[..]].concat());
    assert_eq!(listed["missing_repositories"][0]["repository"], "bank", "{listed}");
    assert_eq!(listed["result_completeness"], "partial");
    let text = workspace.run(PROGRAM, &[&["ls"], &both[..]].concat()).found();
    assert!(text.contains("not complete; no answer from bank: "), "{text}");
}

#[test]
fn a_second_clone_shares_the_index_of_the_first() {
    let workspace = codecompass_testkit::TestWorkspace::git("//- /a.py\ndef first():\n    return 1\n");
    workspace.run(PROGRAM, &["index"]).found();
    let clone = workspace.beside("clone");
    let clone = clone.to_str().unwrap();
    workspace.run_git(&["clone", "--quiet", ".", clone]);
    std::fs::write(format!("{clone}/b.py"), "def second():\n    return 2\n").unwrap();
    let indexed = workspace.run(PROGRAM, &["index", "-w", clone]);
    assert!(indexed.stderr.contains("shares the index of"), "{}", indexed.stderr);
    assert!(workspace.run(PROGRAM, &["show", "first", "-w", clone]).found().contains("return 1"));
    assert!(workspace.run(PROGRAM, &["show", "second", "-w", clone]).found().contains("return 2"));
    workspace.run(PROGRAM, &["show", "second"]).ended_with(2);
    let known = json(&workspace, &["workspaces"]);
    assert_eq!(known["stores"].as_array().unwrap().len(), 1, "{known}");
    assert_eq!(known["stores"][0]["shared_by"][0]["identity"], format!("{clone}/.git"));
    assert!(workspace.run(PROGRAM, &["workspaces"]).found().contains("shared by"));
    // Two repositories for all that.
    let both = json(&workspace, &["locate", "first", "--all"]);
    assert_eq!(both["results"].as_array().unwrap().len(), 2, "{both}");

    let own = workspace.beside("own");
    let own = own.to_str().unwrap();
    workspace.run_git(&["clone", "--quiet", ".", own]);
    let mut command = workspace.command(PROGRAM, &["index", "-w", own]);
    let indexed = codecompass_testkit::Answer::of(command.env("CODECOMPASS_INDEX_SHARE_CLONES", "false"));
    assert!(!indexed.stderr.contains("shares the index"), "{}", indexed.stderr);
    let known = json(&workspace, &["workspaces"]);
    assert_eq!(known["stores"].as_array().unwrap().len(), 2, "{known}");
}

#[test]
fn questions_about_a_checkout_are_about_one() {
    let (workspace, shop, bank) = two();
    for question in [&["diff"][..], &["history"], &["status"], &["index"], &["branches"], &["switch", "main"]] {
        let answer = workspace.run(PROGRAM, &[question, &["-w", &shop, "-w", &bank]].concat()).ended_with(2);
        assert!(answer.stderr.contains("this question is about one workspace"), "{}", answer.stderr);
    }
    let answer = workspace.run(PROGRAM, &["diff", "--all"]).ended_with(2);
    assert!(answer.stderr.contains("this question is about one workspace"), "{}", answer.stderr);
}
