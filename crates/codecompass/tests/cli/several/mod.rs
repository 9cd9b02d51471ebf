//! One question to several repositories.

mod belonging;
mod rendered;

use codecompass_testkit::TestWorkspace;
use serde_json::Value;

use crate::PROGRAM;

const SHOP: &str = "
//- /cart.py
def total_price(cart):
    \"\"\"Adds up the prices of a cart.\"\"\"
    return sum(line.price for line in cart.lines)
";
const BANK: &str = "
//- /transfer.py
def total_price(transfer):
    return transfer.amount + transfer.fee


def open_account(name):
    \"\"\"Opens an account.\"\"\"
    return name
";

/// Two repositories below one home.
fn two() -> (TestWorkspace, String, String) {
    let workspace = TestWorkspace::plain("");
    let places = [("shop", SHOP), ("bank", BANK)].map(|(name, fixture)| {
        let place = workspace.root().join(name);
        codecompass_testkit::write_fixture(&place, fixture);
        codecompass_testkit::Git::at(&place).run(&["init", "--quiet"]);
        place.to_str().unwrap().to_string()
    });
    let [shop, bank] = places;
    (workspace, shop, bank)
}

#[track_caller]
fn json(workspace: &TestWorkspace, args: &[&str]) -> Value {
    let answer = workspace.run(PROGRAM, &[args, &["--json"]].concat());
    assert!(matches!(answer.code, Some(0 | 1)), "{}{}", answer.stdout, answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

fn places(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().unwrap().iter();
    let text = |result: &Value, name: &str| result[name].as_str().unwrap_or("?").to_string();
    results
        .map(|result| format!("{} {} {}", text(result, "repository"), text(result, "path"), text(result, "name")))
        .collect()
}

#[test]
fn results_have_their_repository() {
    let (workspace, shop, bank) = two();
    let found = json(&workspace, &["search", "total_price", "-w", &shop, "-w", &bank]);
    assert_eq!(places(&found)[..2], ["shop cart.py total_price", "bank transfer.py total_price"]);
    // The order of the workspaces does not matter.
    let turned = json(&workspace, &["search", "total_price", "-w", &bank, "-w", &shop]);
    assert_eq!(turned["results"], found["results"]);
    let located = json(&workspace, &["locate", "total_price", "-w", &shop, "-w", &bank]);
    assert_eq!(places(&located), ["shop cart.py total_price", "bank transfer.py total_price"]);
    assert_eq!(located["metadata"]["total_candidates"], 2);
    let located = json(&workspace, &["locate", "open_account", "-w", &shop, "-w", &bank]);
    assert_eq!(places(&located), ["bank transfer.py open_account"]);
    let text = workspace.run(PROGRAM, &["search", "adds up prices of a cart", "-w", &shop, "-w", &bank]).found();
    assert!(text.contains("shop:cart.py"), "{text}");
    // One workspace has no such field.
    let one = json(&workspace, &["search", "total_price", "-w", &shop]);
    assert_eq!(one["results"][0].get("repository"), None);
}

#[test]
fn pages_go_over_all_repositories() {
    let (workspace, shop, bank) = two();
    let all = json(&workspace, &["search", "price of a transfer", "-w", &shop, "-w", &bank]);
    let count = all["results"].as_array().unwrap().len();
    assert!(count >= 2);
    let mut pages = Vec::new();
    for offset in 0..count {
        let offset = offset.to_string();
        let page = json(
            &workspace,
            &["search", "price of a transfer", "-n", "1", "--offset", &offset, "-w", &shop, "-w", &bank],
        );
        assert_eq!(page["metadata"]["returned"], 1);
        pages.push(page["results"][0].clone());
    }
    assert_eq!(Value::from(pages), all["results"]);
}

#[test]
fn all_that_is_indexed_can_be_asked() {
    let (workspace, shop, bank) = two();
    let answer = workspace.run(PROGRAM, &["search", "total_price", "--all"]).ended_with(2);
    assert!(answer.stderr.contains("no repository is indexed"), "{}", answer.stderr);
    for place in [&shop, &bank] {
        workspace.run(PROGRAM, &["index", "-w", place]).found();
    }
    let found = json(&workspace, &["locate", "total_price", "--all"]);
    assert_eq!(places(&found), ["shop cart.py total_price", "bank transfer.py total_price"]);
}

#[test]
fn groups_have_names() {
    let (workspace, shop, bank) = two();
    let settings = format!("[workspaces]\ngroups = [\"money={shop}\", \"money={bank}\", \"other={bank}\"]\n");
    std::fs::write(workspace.home().join("config.toml"), settings).unwrap();
    let found = json(&workspace, &["locate", "total_price", "-w", "@money"]);
    assert_eq!(places(&found), ["shop cart.py total_price", "bank transfer.py total_price"]);
    let found = json(&workspace, &["locate", "total_price", "-w", "@other"]);
    assert_eq!(places(&found), ["bank transfer.py total_price"]);
    let answer = workspace.run(PROGRAM, &["locate", "total_price", "-w", "@none"]).ended_with(2);
    assert!(answer.stderr.contains("known groups are money, other"), "{}", answer.stderr);
}

#[test]
fn a_repository_that_fails_is_named() {
    let (workspace, shop, bank) = two();
    std::fs::create_dir_all(format!("{bank}/.codecompass")).unwrap();
    std::fs::write(format!("{bank}/.codecompass/config.toml"), "nonsense = 1\n").unwrap();
    let found = json(&workspace, &["search", "total_price", "-w", &shop, "-w", &bank]);
    assert_eq!(places(&found), ["shop cart.py total_price"]);
    assert_eq!(found["metadata"]["result_completeness"], "partial");
    assert_eq!(found["metadata"]["missing_repositories"][0]["repository"], "bank");
    // It is the answer of the others.
    let alone = json(&workspace, &["search", "total_price", "-w", &shop]);
    assert_eq!(found["results"][0]["score"], alone["results"][0]["score"]);
}
