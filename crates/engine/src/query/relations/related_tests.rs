//! Tests by their names: `test_foo`, `TestFoo`, `FooTest` and the like, and files named after the
//! file of a symbol.

use codecompass_syntax::facts::{Definition, Kind};

use crate::error::Result;
use crate::query::navigate::Navigator;
use crate::resolve::Symbol;
use crate::tokenize;

/// Names that are looked at for one symbol; a name that starts more tests than this says nothing.
const MAX_NAMES: usize = 60;

/// Words around a name that make it a test's.
const MARKS: [&str; 4] = ["test", "tests", "spec", "should"];

/// Definitions that are named as tests of a symbol: the names alone, whatever they are.
pub(crate) fn tests_by_name(navigator: &Navigator<'_>, symbol: Symbol) -> Result<Vec<Symbol>> {
    let snapshot = navigator.snapshot();
    let Some((file, definition)) = navigator.resolver.definition(symbol)? else { return Ok(Vec::new()) };
    let name = &definition.name;
    let mut found = Vec::new();
    // Very short names would be found in half of all tests.
    if name.chars().count() >= 3 {
        let own = tokenize::parts(name);
        for prefix in [format!("test_{name}"), format!("test{name}"), format!("{name}_test"), format!("{name}Test")] {
            for row in snapshot.symbols_with_prefix(&prefix, MAX_NAMES)? {
                if names_test_of(&row.name, &own) {
                    found.push(Symbol { version: row.version, ordinal: row.ordinal });
                }
            }
        }
    }
    // A test file named after the symbol's, with tests that speak of the symbol.
    let stem = stem_of(&file.path);
    for (path, version) in snapshot.files().iter().filter(|(path, _)| is_test_file_of(path, &stem)) {
        if *path == file.path {
            continue;
        }
        let outline = snapshot.outline(*version)?;
        for (ordinal, test) in outline.definitions.iter().enumerate() {
            if speaks_of(test, name) {
                found.push(Symbol { version: *version, ordinal: ordinal as u32 });
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Returns whether a test's name is a mark and then the parts of another name, or the other way
/// round; more may follow.
fn names_test_of(test: &str, own: &[String]) -> bool {
    let parts = tokenize::parts(test);
    let is_mark = |part: &String| MARKS.contains(&part.as_str());
    let after = parts.iter().skip_while(|part| is_mark(part)).cloned().collect::<Vec<_>>();
    after.starts_with(own) && parts.iter().any(is_mark)
}

/// Returns whether a test's name has the whole name in it.
fn speaks_of(test: &Definition, name: &str) -> bool {
    let (own, parts) = (tokenize::parts(name), tokenize::parts(&test.name));
    test.kind.is_callable()
        && test.kind != Kind::Property
        && own.concat().len() >= 4
        && parts.windows(own.len().max(1)).any(|window| window == own)
}

/// The lower-case name of a file without its extensions.
pub(crate) fn stem_of(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name).to_lowercase()
}

/// `test_foo.py`, `foo_test.go`, `foo.test.ts`, `FooTest.java`, `foo.spec.js`.
pub(crate) fn is_test_file_of(path: &str, stem: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = name.to_lowercase();
    let Some(at) = lower.find(stem).filter(|_| stem.len() >= 2) else { return false };
    let (before, after) = (&lower[..at], lower[at + stem.len()..].split('.').collect::<Vec<_>>());
    matches!(
        (before, after.as_slice()),
        ("test_" | "test" | "tests_", ["", _])
            | ("", ["_test" | "_tests" | "test" | "tests" | "_spec" | "spec", _])
            | ("", ["", "test" | "tests" | "spec", _])
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tests() {
        let own = tokenize::parts("parse_header");
        for (name, is_test) in [
            ("test_parse_header", true),
            ("TestParseHeader", true),
            ("ParseHeaderTest", true),
            ("parse_header_test", true),
            ("test_parse_header_with_blanks", true),
            ("parse_header", false),
            ("test_parse", false),
        ] {
            assert_eq!(names_test_of(name, &own), is_test, "{name}");
        }
        for path in ["a/test_app.py", "b/app_test.go", "src/app.test.ts", "x/AppTest.java", "app.spec.js"] {
            assert!(is_test_file_of(path, "app"), "{path}");
        }
        for path in ["app.py", "apple_test.go", "test_application.py"] {
            assert!(!is_test_file_of(path, "app"), "{path}");
        }
    }
}
