//! The savings ledger: what calls cost and replace, when it is written, and what it does not say.

use codecompass_testkit::TestWorkspace;
use serde_json::{Value, json};

use crate::client::{Client, Era, text};
use crate::{PROGRAM, shop};

fn savings(workspace: &TestWorkspace, args: &[&str]) -> Value {
    let args: Vec<&str> = ["savings", "--json"].iter().chain(args).copied().collect();
    serde_json::from_str(&workspace.run(PROGRAM, &args).found()).unwrap()
}

fn of_tool<'a>(savings: &'a Value, tool: &str) -> &'a Value {
    savings["tools"].as_array().unwrap().iter().find(|row| row["tool"] == tool).unwrap()
}

#[test]
fn calls_add_up_over_servers() {
    let workspace = shop();
    assert_eq!(savings(&workspace, &[])["total"]["calls"], 0);
    // Commands do not count.
    workspace.run(PROGRAM, &["refs", "price_of"]).found();
    let mut clients: Vec<Client> =
        ["text", "json"].map(|form| Client::connect(&workspace, Era::Initialize, &["--answers", form])).into();
    for client in &mut clients {
        for _ in 0..2 {
            let answer = client.call("find_references", json!({"symbol": "price_of", "freshness": "strict"}));
            assert!(text(&answer).contains("shop/orders.py"), "{answer}");
        }
        assert_eq!(client.call("find_references", json!({"symbol": "nonesuch_at_all"}))["isError"], true);
        client.call("locate_symbol", json!({"symbol": "Order, RushOrder", "freshness": "strict"}));
    }
    let status = clients[1].answer("index_status", json!({}));
    assert_eq!(status["savings"]["calls"], 4, "its own, before anything is written: {status}");
    let shown = clients[0].call("index_status", json!({}));
    assert!(text(&shown).contains("savings: 4 calls, "), "{shown}");
    for client in clients {
        assert!(client.close().success());
    }
    let savings = savings(&workspace, &[]);
    let total = &savings["total"];
    assert_eq!((&total["calls"], &total["without_places"]), (&json!(10), &json!(4)), "{savings}");
    let refs = of_tool(&savings, "find_references");
    assert_eq!((&refs["calls"], &refs["without_places"]), (&json!(6), &json!(2)));
    assert_eq!(of_tool(&savings, "index_status")["replaced_tokens"], 0);
    assert!(of_tool(&savings, "locate_symbol")["replaced_tokens"].as_u64().unwrap() > 100, "{savings}");
    let sum =
        |field: &str| savings["tools"].as_array().unwrap().iter().map(|row| row[field].as_u64().unwrap()).sum::<u64>();
    for field in ["calls", "answer_tokens", "replaced_tokens"] {
        assert_eq!(total[field], sum(field), "{field}");
    }
    assert!(workspace.run(PROGRAM, &["status"]).found().contains("savings: 10 calls, "));
    let table = workspace.run(PROGRAM, &["savings"]).found();
    assert!(
        table.contains("10 calls since 20") && table.contains("find_references") && table.contains("ripgrep"),
        "{table}"
    );

    let kept = std::fs::read_to_string(workspace.home().join("savings/ledger.jsonl")).unwrap();
    assert!(!kept.contains("price_of") && !kept.contains("shop"), "{kept}");
}

#[test]
fn an_answer_that_is_cut_replaces_less() {
    let workspace = shop();
    let replaced = |limit: u64| {
        let mut client = Client::connect(&workspace, Era::Stateless, &["--answers", "text"]);
        client.call("grep_code", json!({"pattern": "def ", "limit": limit, "freshness": "strict"}));
        assert!(client.close().success());
        savings(&workspace, &["--reset"])["total"]["replaced_tokens"].as_u64().unwrap()
    };
    let (one, all) = (replaced(1), replaced(50));
    assert!(0 < one && one < all, "{one} {all}");
    assert_eq!(savings(&workspace, &[])["total"]["calls"], 0, "each reset begins anew");
}

#[test]
fn nothing_is_counted_where_that_is_switched_off() {
    let workspace = shop();
    std::fs::create_dir_all(workspace.home()).unwrap();
    std::fs::write(workspace.home().join("config.toml"), "[savings]\nenabled = false\n").unwrap();
    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    client.answer("locate_symbol", json!({"symbol": "Order", "freshness": "strict"}));
    assert_eq!(client.answer("index_status", json!({})).get("savings"), None);
    assert!(client.close().success());
    assert!(!workspace.home().join("savings").exists());
    let savings = savings(&workspace, &[]);
    assert_eq!((&savings["enabled"], &savings["total"]["calls"]), (&json!(false), &json!(0)));
    assert!(workspace.run(PROGRAM, &["savings"]).found().contains("`savings.enabled` is false"));
}

#[test]
fn a_damaged_ledger_costs_what_is_damaged() {
    let workspace = shop();
    std::fs::create_dir_all(workspace.home().join("savings")).unwrap();
    let file = workspace.home().join("savings/ledger.jsonl");
    let line = |calls: u32| {
        format!(
            "{{\"day\":\"2026-01-02\",\"tool\":\"grep_code\",\"calls\":{calls},\"without_places\":0,\"answer_tokens\":1,\"replaced_tokens\":2}}"
        )
    };
    std::fs::write(&file, format!("{}\n\0\0no json\n{}\n{}", line(1), line(2), &line(3)[..20])).unwrap();
    let before = savings(&workspace, &[]);
    assert_eq!((&before["total"]["calls"], &before["unreadable_lines"]), (&json!(3), &json!(2)));
    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    client.answer("locate_symbol", json!({"symbol": "Order", "freshness": "strict"}));
    assert!(client.close().success());
    let after = savings(&workspace, &[]);
    assert_eq!((&after["total"]["calls"], &after["since"]), (&json!(4), &json!("2026-01-02")));
}
