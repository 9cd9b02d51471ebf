//! Tests of what edits leave alone, what they write, and what they refuse.

use expect_test::expect;
use proptest::prelude::*;

use super::super::entry::{Entry, Shape};
use super::super::receipt::Change;
use super::*;

const PATH: &[&str] = &["mcp_servers", "codecompass"];

fn item() -> Item {
    Entry::serving(Shape::PLAIN, "codecompass").item()
}

fn put_in(text: &str) -> String {
    let (with, tables) = put(text, PATH, &item()).unwrap();
    assert_eq!(read(&with, PATH).unwrap(), Some(item().json()));
    assert_eq!(Change::between(text, &with).undone(&with).unwrap(), text);
    let without = remove(&with, PATH, tables).unwrap();
    assert_eq!(json(parse(&without).unwrap().as_item()), json(parse(text).unwrap().as_item()), "{without}");
    with
}

#[test]
fn table_comes_at_the_end() {
    expect![[r#"
        # mine
        model = "x" # best

        [mcp_servers.a]
        command = 'npx'

        [profiles.b] # last

        [mcp_servers.codecompass]
        command = "codecompass"
        args = ["serve-mcp"]
    "#]]
    .assert_eq(&put_in("# mine\nmodel = \"x\" # best\n\n[mcp_servers.a]\ncommand = 'npx'\n\n[profiles.b] # last\n"));
    let alone = put_in("");
    expect![[r#"
        [mcp_servers.codecompass]
        command = "codecompass"
        args = ["serve-mcp"]
    "#]]
    .assert_eq(&alone);
    assert_eq!(put_in("a = 1"), format!("a = 1\n\n{alone}"));
    assert_eq!(put_in("a = \"é\"\r\n"), format!("a = \"é\"\r\n\r\n{}", alone.replace('\n', "\r\n")));
    assert_eq!(put_in("mcp_servers.a.command = 1\n"), format!("mcp_servers.a.command = 1\n\n{alone}"));
    expect![[r#"
        mcp_servers = { a = { command = "b" } , codecompass = { command = "codecompass", args = ["serve-mcp"] } }
    "#]]
    .assert_eq(&put_in("mcp_servers = { a = { command = \"b\" } }\n"));
}

#[test]
fn fields_are_changed_in_place_and_comments_stay() {
    let text = "# top\n[mcp_servers.codecompass] # ours\ncommand = \"old\" # why\nstartup_timeout_sec = 20\n\n# next\n[other]\na = 1\n";
    let path = &["mcp_servers", "codecompass", "command"];
    let (edited, _) = put(text, path, &Item::Text("new".to_string())).unwrap();
    assert_eq!(edited, text.replace("\"old\"", "\"new\""));
    assert_eq!(remove(text, PATH, 0).unwrap(), "# top\n\n# next\n[other]\na = 1\n");
    let text = "a = 1\n\n[mcp_servers.codecompass]\ncommand = \"x\"\n\n[mcp_servers.codecompass.env]\nA = \"b\"\n\n[z]\n# end\n";
    assert_eq!(remove(text, PATH, 0).unwrap(), "a = 1\n\n[z]\n# end\n");
    assert_eq!(remove("[mcp_servers]\ncodecompass = {}\nb = 1\n", PATH, 0).unwrap(), "[mcp_servers]\nb = 1\n");
    assert_eq!(remove("a = 1\n\n[mcp_servers.codecompass]\n# end\n", PATH, 1).unwrap(), "a = 1\n# end\n");
}

#[test]
fn what_is_broken_or_in_the_way_is_refused() {
    let refused = |text: &str| put(text, PATH, &item()).unwrap_err();
    assert_eq!(refused("a = 1\nb = \n").line, Some(2));
    assert_eq!(refused("mcp_servers = 1\n").message, "`mcp_servers` is not a table");
    assert_eq!(refused("[[mcp_servers]]\na = 1\n").message, "`mcp_servers` is not a table");
    refused(&format!("a = {}", "[".repeat(100_000)));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}=\".,# a\\nmcp_servers\u{e9}]{0,40}") {
        let _ = put(&text, PATH, &item());
        let _ = remove(&text, PATH, 2);
    }
}
