//! Places as arguments: every `path:line` that an answer gives can be asked about, by the end of
//! its path, too.

use codecompass_engine::query::{self, SearchOptions, ShowAnswer, SuggestOptions};
use codecompass_engine::{Error, Result};
use expect_test::expect;

use crate::navigation::check::{Filter, LocateOptions, Navigator, Project, RefsOptions};

const PROJECT: &str = r#"
//- /Cargo.toml
[package]
name = "ledger"
//- /src/lib.rs
//! Books of accounts.

use std::collections::HashMap;

mod export;

pub struct Ledger {
    entries: HashMap<String, i64>,
}

/// Rounds towards the ledger's currency.
impl Ledger {
    pub const CURRENCY: &str = "EUR";

    /// Opens an empty one.
    pub fn new() -> Ledger {
        Ledger { entries: HashMap::new() }
    }
}

impl From<&Ledger> for String {
    fn from(ledger: &Ledger) -> String {
        ledger.entries.len().to_string()
    }
}
//- /src/export.rs
use crate::Ledger;

mod inner {
    use crate::Ledger;

    pub trait Export {
        fn export(&self) -> String;
    }

    impl Export for Ledger {
        fn export(&self) -> String {
            String::from(self)
        }
    }
}
//- /json/__init__.py
def loads(text):
    return text
//- /tools/__init__.py
def run():
    return 1
//- /README.md
Some words about bookkeeping that stand below no heading.
"#;

impl Project {
    fn source_of(&self, symbol: &str) -> Result<ShowAnswer> {
        query::show(&self.snapshot, self.engine.source(), &self.engine.config().index, symbol, &Filter::default())
    }

    /// Returns the definition that is shown for a place, and its first line.
    fn shown(&self, symbol: &str) -> String {
        let answer = self.source_of(symbol).unwrap();
        let hit = &answer.subject.hit;
        let first = answer.source.lines().next().unwrap_or_default();
        format!("{}:{} {} {}: {first}", hit.path, answer.source_line, hit.kind.as_str(), hit.qualified_name)
    }
}

#[test]
fn a_line_means_the_innermost_definition_or_block() {
    let project = Project::new(PROJECT);
    let places = ["src/lib.rs:3", "src/lib.rs:8", "src/lib.rs:12", "src/lib.rs:15", "src/lib.rs:17", "src/lib.rs:18"];
    let more = ["src/lib.rs:22", "src/export.rs:9", "src/export.rs:10", "src/export.rs:12", "README.md:1"];
    let shown: Vec<String> =
        places.iter().chain(&more).map(|place| format!("{place} -> {}\n", project.shown(place))).collect();
    expect![[r#"
        src/lib.rs:3 -> src/lib.rs:1 text src/lib.rs: //! Books of accounts.
        src/lib.rs:8 -> src/lib.rs:8 field Ledger::entries:     entries: HashMap<String, i64>,
        src/lib.rs:12 -> src/lib.rs:11 impl Ledger: /// Rounds towards the ledger's currency.
        src/lib.rs:15 -> src/lib.rs:15 method Ledger::new:     /// Opens an empty one.
        src/lib.rs:17 -> src/lib.rs:15 method Ledger::new:     /// Opens an empty one.
        src/lib.rs:18 -> src/lib.rs:15 method Ledger::new:     /// Opens an empty one.
        src/lib.rs:22 -> src/lib.rs:22 method String::from:     fn from(ledger: &Ledger) -> String {
        src/export.rs:9 -> src/export.rs:3 module inner: mod inner {
        src/export.rs:10 -> src/export.rs:10 impl inner::Ledger:     impl Export for Ledger {
        src/export.rs:12 -> src/export.rs:11 method inner::Ledger::export:         fn export(&self) -> String {
        README.md:1 -> README.md:1 text README.md: Some words about bookkeeping that stand below no heading.
    "#]]
    .assert_eq(&shown.concat());
}

#[test]
fn every_place_that_search_gives_can_be_shown() {
    let project = Project::new(PROJECT);
    let options = SearchOptions { limit: 100, ..SearchOptions::default() };
    let mut kinds = Vec::new();
    for question in ["ledger", "bookkeeping words", "where is a ledger exported", "src/lib.rs", "impl From Ledger"] {
        for hit in query::search(&project.snapshot, question, &options).unwrap().hits {
            for line in [hit.line_start, hit.line_end, hit.name_line, hit.best_line] {
                let place = format!("{}:{line}", hit.path);
                assert!(project.source_of(&place).is_ok(), "{place} of {hit:?}");
            }
            kinds.push(hit.kind.as_str());
        }
    }
    for kind in ["impl", "struct", "method", "text", "file"] {
        assert!(kinds.contains(&kind), "{kind} is not in {kinds:?}");
    }
}

#[test]
fn a_block_speaks_for_its_type() {
    let project = Project::new(PROJECT);
    let navigator = Navigator::new(&project.snapshot);
    let by_place = query::refs(&navigator, "src/lib.rs:12", &RefsOptions { limit: 9, ..Default::default() }).unwrap();
    let by_name = query::refs(&navigator, "Ledger", &RefsOptions { limit: 9, ..Default::default() }).unwrap();
    assert_eq!((by_place.subject.hit.kind, by_place.uses), (by_name.subject.hit.kind, by_name.uses));
    // The type of the second one is not of the view.
    for (symbol, expected) in [("src/lib.rs:12", "struct Ledger"), ("src/lib.rs:21", "impl String")] {
        let options = SuggestOptions { symbol: Some(symbol.into()), ..SuggestOptions::default() };
        let answer = query::suggest(&navigator, &options).unwrap();
        let subject = answer.subject.unwrap();
        assert_eq!(format!("{} {}", subject.kind.as_str(), subject.qualified_name), expected);
        assert!(!answer.suggestions.is_empty());
    }
    // The block is the best hit.
    let options = SuggestOptions { query: Some("rounds towards currency".into()), ..SuggestOptions::default() };
    assert_eq!(query::suggest(&navigator, &options).unwrap().subject.unwrap().name, "Ledger");
}

#[test]
fn the_end_of_a_path_will_do() {
    let project = Project::new(&format!("{PROJECT}//- /lib/json/decoder.py\ndef decode(text):\n    return text\n"));
    assert_eq!(project.shown("json/decoder.py:2"), "lib/json/decoder.py:1 function decode: def decode(text):");
    assert_eq!(project.shown("decoder.py:1:5"), "lib/json/decoder.py:1 function decode: def decode(text):");
    assert_eq!(project.shown("json/__init__.py:2"), "json/__init__.py:1 function loads: def loads(text):");
    for result in [
        project.source_of("__init__.py:2").map(drop),
        query::outline(&project.snapshot, "__init__.py").map(drop),
        query::locate(&project.snapshot, "__init__.py:2", &LocateOptions::default()).map(drop),
    ] {
        match result.unwrap_err() {
            Error::AmbiguousPath { path, candidates } => {
                assert_eq!(
                    (path.as_str(), candidates.join(" ")),
                    ("__init__.py", "json/__init__.py tools/__init__.py".into())
                );
            }
            other => panic!("{other}"),
        }
    }
    assert!(matches!(project.source_of("coder.py:1"), Err(Error::FileNotFound { .. })), "only whole names end a path");
}

#[test]
fn counts_agree_with_their_nouns() {
    let uses = "    helper()\n".repeat(9);
    let project = Project::new(&format!(
        "//- /a.py\ndef helper():\n    return 1\n\n\ndef other():\n    return helper\n//- /b.py\nfrom a import helper\n\n\ndef run():\n{uses}"
    ));
    let options = SuggestOptions { symbol: Some("helper".into()), ..SuggestOptions::default() };
    let answer = query::suggest(&Navigator::new(&project.snapshot), &options).unwrap();
    let reasons: Vec<&str> = answer.suggestions.iter().map(|suggestion| suggestion.reason.as_str()).collect();
    assert!(reasons.contains(&"11 uses in 2 files"), "{reasons:?}");
}
