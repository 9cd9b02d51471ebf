//! Places of comments and literal texts.

use std::time::Duration;

use codecompass_syntax::{Parsed, language_named, parse};

/// The comments and literal texts of a program.
fn texts<'a>(language: &str, text: &'a str) -> Vec<&'a str> {
    let Parsed::Facts(facts) = parse(text, language_named(language), Duration::from_secs(10)) else {
        return Vec::new();
    };
    facts.texts.iter().map(|span| &text[span.start as usize..(span.start + span.length) as usize]).collect()
}

#[test]
fn code_in_literals_lies_inside() {
    assert_eq!(texts("kotlin", "// a\nval b = \"c ${d} e\"\n"), ["// a", "\"c ${d} e\""]);
    assert_eq!(texts("python", "a = f'{b}'  # c\n"), ["f'{b}'", "# c"]);
}

#[test]
fn code_where_the_grammar_lost_its_way_is_no_text() {
    let text =
        "val a = \"one\"\n\nclass Torn(val b: Int = {\n    fun c() = log(\"$b\")\n    fun d() = read(c(), \"$b\")\n}\n";
    let found = texts("kotlin", text);
    assert_eq!(found.first(), Some(&"\"one\""));
    for name in ["log", "fun d", "read"] {
        assert!(!found.iter().any(|text| text.contains(name)), "{name} is in {found:?}");
    }
}
