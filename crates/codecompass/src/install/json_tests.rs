//! Tests of what edits leave alone, what they write, and what they refuse.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::super::entry::{Entry, Shape};
use super::super::receipt::Change;
use super::*;

const PATH: &[&str] = &["mcpServers", "codecompass"];

fn item() -> Item {
    Entry::serving(Shape::PLAIN, "codecompass").item()
}

/// Puts the entry in, checks that it is there once and can be taken out, and returns the text with
/// it.
fn put_in(text: &str) -> String {
    let (with, tables) = put(text, PATH, &item()).unwrap();
    assert_eq!(read(&with, PATH).unwrap(), Some(item().json()));
    assert_eq!(put(&with, PATH, &item()).unwrap(), (with.clone(), 0), "a second time changes nothing");
    assert_eq!(Change::between(text, &with).undone(&with).unwrap(), text);
    let without = remove(&with, PATH, tables).unwrap();
    let value = |text: &str| parse(text).unwrap().map(Value::from).unwrap_or_else(|| serde_json::json!({}));
    assert_eq!(value(&without), value(text), "{without}");
    with
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&put_in(text));
}

#[test]
fn comments_order_and_trailing_commas_stay() {
    check(
        "// mine\n{\n  // theme\n  \"theme\": \"dark\", // night\n  \"mcpServers\": {\n    \"a\": { \"url\": \"https://x/\" }, // kept\n    /* \"b\": {} */\n  },\n  \"z\": 1,\n}\n",
        expect![[r#"
            // mine
            {
              // theme
              "theme": "dark", // night
              "mcpServers": {
                "a": { "url": "https://x/" }, // kept
                "codecompass": {
                  "command": "codecompass",
                  "args": ["serve-mcp"]
                },
                /* "b": {} */
              },
              "z": 1,
            }
        "#]],
    );
}

#[test]
fn a_comma_is_added_before_the_comment_of_the_last_line() {
    check(
        "{\n\t\"a\": 1 // one\n}",
        expect![[r#"
            {
            	"a": 1, // one
            	"mcpServers": {
            		"codecompass": {
            			"command": "codecompass",
            			"args": ["serve-mcp"]
            		}
            	}
            }"#]],
    );
}

#[test]
fn one_line_stays_one_line() {
    check(
        r#"{"a":{"b":[1,2]}}"#,
        expect![[r#"{"a":{"b":[1,2]},"mcpServers":{"codecompass":{"command":"codecompass","args":["serve-mcp"]}}}"#]],
    );
    check(
        r#"{ "mcpServers": { "a": {} } }"#,
        expect![[r#"{ "mcpServers": { "a": {}, "codecompass": {"command": "codecompass", "args": ["serve-mcp"]} } }"#]],
    );
    check(
        r#"{"mcpServers":{}}"#,
        expect![[r#"{"mcpServers":{"codecompass":{"command":"codecompass","args":["serve-mcp"]}}}"#]],
    );
}

#[test]
fn empty_objects_and_files_are_filled() {
    let whole = put_in("");
    expect![[r#"
        {
          "mcpServers": {
            "codecompass": {
              "command": "codecompass",
              "args": ["serve-mcp"]
            }
          }
        }
    "#]]
    .assert_eq(&whole);
    assert_eq!(put_in("{}"), whole.trim_end());
    assert_eq!(put_in("{\n}\n"), whole);
    assert_eq!(put_in("  \n"), whole);
    assert_eq!(put_in("// note\n"), format!("// note\n{whole}"));
    assert_eq!(put_in("/* note */"), format!("/* note */\n{whole}"));
    check(
        "{\n    \"mcpServers\": {\n        // none yet\n    }\n}\n",
        expect![[r#"
            {
                "mcpServers": {
                    // none yet
                    "codecompass": {
                        "command": "codecompass",
                        "args": ["serve-mcp"]
                    }
                }
            }
        "#]],
    );
}

#[test]
fn line_ends_and_letters_stay() {
    let with = put_in("{\r\n  \"näme\": \"日本 😀 \\u00e9\"\r\n}\r\n");
    assert_eq!(with.matches('\n').count(), with.matches("\r\n").count());
    assert!(with.starts_with("{\r\n  \"näme\": \"日本 😀 \\u00e9\",\r\n  \"mcpServers\""), "{with}");
}

#[test]
fn last_of_two_tables_counts() {
    let with = put_in(r#"{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}"#);
    assert!(with.starts_with(r#"{"mcpServers": {"a": {}}, "mcpServers": {"b": {}, "codecompass""#), "{with}");
}

#[test]
fn entry_is_cut_wherever_it_stands() {
    let cases = [
        (r#"{"mcpServers": {"codecompass": {}, "b": 1}}"#, r#"{"mcpServers": {"b": 1}}"#),
        (r#"{"mcpServers": {"b": 1, "codecompass": {}}}"#, r#"{"mcpServers": {"b": 1}}"#),
        (
            "{\"mcpServers\": {\n  \"b\": 1, // one\n  \"codecompass\": {}, \"d\": 2\n}}",
            "{\"mcpServers\": {\n  \"b\": 1, // one\n  \"d\": 2\n}}",
        ),
        (
            "{\"mcpServers\": {\n  \"b\": 1,\n  // about it\n  \"codecompass\": {}\n}}",
            "{\"mcpServers\": {\n  \"b\": 1\n  // about it\n}}",
        ),
        ("{\"mcpServers\": {\n  \"b\": 1,\n  \"codecompass\": {}, // it\n}}", "{\"mcpServers\": {\n  \"b\": 1,\n}}"),
        ("{\"mcpServers\": {\"codecompass\": 1, \"codecompass\": 2}}", "{\"mcpServers\": {}}"),
        (
            "{\"mcpServers\": {\"b\": /*,*/ 1 /*,*/ , /*x*/ \"codecompass\": 2}}",
            "{\"mcpServers\": {\"b\": /*,*/ 1 /*,*/  /*x*/}}",
        ),
        ("{\"a\": 1}", "{\"a\": 1}"),
        ("", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(remove(text, PATH, 0).unwrap(), expected);
    }
    assert_eq!(remove(r#"{"a": 1, "mcpServers": {"codecompass": {}}}"#, PATH, 1).unwrap(), r#"{"a": 1}"#);
    assert_eq!(
        remove(r#"{"mcpServers": {/* note */ "codecompass": {}}}"#, PATH, 1).unwrap(),
        r#"{"mcpServers": {/* note */}}"#
    );
}

#[test]
fn what_is_broken_or_in_the_way_is_refused() {
    let refused = |text: &str| put(text, PATH, &item()).unwrap_err();
    assert_eq!(refused("{\n  \"a\": 1,\n  \"b\" 2\n}").line, Some(3));
    assert_eq!(refused("{\n  \"a\": 'x'\n}").line, Some(2));
    assert_eq!(refused("[1]"), Problem { line: Some(1), message: "the file is not an object".to_string() });
    let problem = Problem { line: Some(2), message: "`mcpServers` is not an object".to_string() };
    assert_eq!(refused("{\n\"mcpServers\": []}"), problem);
    assert_eq!(refused("{\n\"mcpServers\": null}"), problem);
    for text in ["{", "{}{}", "{,}", "{\"a\":}", "/*", "\"", "nul", "{\"a\" : \"\\q\"}", "\u{1}"] {
        refused(text);
    }
    let deep = "[".repeat(100_000);
    refused(&format!("{{\"a\": {deep}"));
}

#[test]
fn very_large_files_are_edited() {
    let rows: Vec<String> = (0..200_000).map(|row| format!("    \"key{row}\": \"value {row}\"")).collect();
    let text = format!("{{\n{},\n    \"mcpServers\": {{}}\n}}\n", rows.join(",\n"));
    let with = put_in(&text);
    assert_eq!(with.lines().count(), text.lines().count() + 5);
}

/// Spaces and comments.
fn blank() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        3 => "[ \\t\\n]{1,3}",
        1 => Just("\r\n  ".to_string()),
        1 => "/\\*[a-z\", {}\\n]{0,5}\\*/",
        1 => "//[a-zé\", {}*/]{0,5}\n",
    ]
}

/// JSON with comments and trailing commas, in any layout.
fn document() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_string()),
        Just("-1.5e3".to_string()),
        "\"[a-zé:,{}/*]{0,6}\"",
        Just("{}".to_string()),
        Just("[]".to_string()),
    ];
    let key = prop_oneof![Just("mcpServers".to_string()), Just("codecompass".to_string()), "[a-cé]{0,2}"];
    let value = leaf.prop_recursive(4, 24, 4, move |inner| {
        let member = (blank(), key.clone(), blank(), blank(), inner.clone(), blank());
        let object =
            (prop::collection::vec(member, 0..4), blank(), any::<bool>()).prop_map(|(members, end, trailing)| {
                let comma = if trailing && !members.is_empty() { "," } else { "" };
                let members =
                    members.into_iter().map(|(a, key, b, c, value, d)| format!("{a}\"{key}\"{b}:{c}{value}{d}"));
                format!("{{{}{comma}{end}}}", members.collect::<Vec<_>>().join(","))
            });
        let array =
            (prop::collection::vec((blank(), inner, blank()), 0..3), any::<bool>()).prop_map(|(values, trailing)| {
                let comma = if trailing && !values.is_empty() { "," } else { "" };
                let values = values.into_iter().map(|(a, value, b)| format!("{a}{value}{b}"));
                format!("[{}{comma}]", values.collect::<Vec<_>>().join(","))
            });
        prop_oneof![3 => object, 1 => array]
    });
    (blank(), value, blank()).prop_map(|(before, value, after)| format!("{before}{value}{after}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn any_file_survives(text in document()) {
        prop_assert!(parse(&text).is_ok(), "the generator made {text:?}");
        if let Ok((with, tables)) = put(&text, PATH, &item()) {
            prop_assert_eq!(read(&with, PATH).unwrap(), Some(item().json()));
            prop_assert_eq!(Change::between(&text, &with).undone(&with), Some(text.clone()));
            if read(&text, PATH).unwrap().is_none() {
                let value = |text: &str| parse(text).unwrap().map(Value::from);
                prop_assert_eq!(value(&remove(&with, PATH, tables).unwrap()), value(&text));
            }
        } else {
            let value = parse(&text).unwrap().map(Value::from).unwrap();
            prop_assert!(!value.is_object() || value.get("mcpServers").is_some_and(|table| !table.is_object()), "{text:?}");
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "[{}\\[\\]\",:/*\\\\ a\\n\u{e9}\u{feff}]{0,40}") {
        let _ = put(&text, PATH, &item());
        let _ = remove(&text, PATH, 2);
    }
}
