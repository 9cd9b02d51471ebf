//! Fixtures in the source of tests: the string literals that begin a file with `//- /`.

/// Returns the fixtures of a source text, without marks of cursors. Literals with places to fill in
/// are left out.
pub(super) fn fixtures(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find('"') {
        let before = &rest[..at];
        let hashes = before.len() - before.trim_end_matches('#').len();
        let is_raw = before[..before.len() - hashes].ends_with('r');
        let body = &rest[at + 1..];
        let is_character = before.ends_with('\'') && body.starts_with('\'');
        let (text, length) = match (is_character, is_raw) {
            (true, _) => (String::new(), 0),
            (false, true) => raw(body, hashes),
            (false, false) => escaped(body),
        };
        rest = &body[length..];
        if text.contains("//- /") && !text.contains("{PROJECT}") {
            found.push(text.replacen("$0", "", 1));
        }
    }
    found
}

/// Reads a raw literal; returns its text and the length with its end.
fn raw(body: &str, hashes: usize) -> (String, usize) {
    let end = format!("\"{}", "#".repeat(hashes));
    let at = body.find(&end).unwrap_or(body.len());
    (body[..at].to_string(), (at + end.len()).min(body.len()))
}

/// Reads a literal with escapes; returns its text and the length with its end.
fn escaped(body: &str) -> (String, usize) {
    let mut text = String::new();
    let mut characters = body.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (text, at + 1),
            '\\' => match characters.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((_, 'r')) => text.push('\r'),
                // A line that goes on loses its indentation.
                Some((after, '\n')) => {
                    let rest = body[after..].trim_start();
                    characters = body.char_indices();
                    let next = body.len() - rest.len();
                    while characters.clone().next().is_some_and(|(at, _)| at < next) {
                        characters.next();
                    }
                }
                Some((_, other)) => text.push(other),
                None => break,
            },
            character => text.push(character),
        }
    }
    (text, body.len())
}

#[test]
fn literals_of_a_source() {
    let source = "f(\"//- /a.rs\\nfn $0a() {}\\n\", '\"', r#\"//- /b.rs\n\"b\"\"#, \"no\", \"//- /c\\\n    .rs\")";
    assert_eq!(fixtures(source), ["//- /a.rs\nfn a() {}\n", "//- /b.rs\n\"b\"", "//- /c.rs"]);
}
