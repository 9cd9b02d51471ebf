//! The rules `doc-openings`, `comment-words` and `comment-width`.

use crate::check::Violation;
use crate::check::rules_file::RulesFile;
use crate::check::source::Workspace;
use crate::check::source::comments::{Comment, doc_blocks};

/// A word this long, such as an address, cannot be wrapped.
const UNBREAKABLE: usize = 60;

/// Finds doc comments that begin with a question word.
pub(crate) fn doc_openings(workspace: &Workspace, rules: &RulesFile) -> Vec<Violation> {
    let mut found = Vec::new();
    for (unit, file) in workspace.files() {
        for (line, text) in doc_blocks(&file.comments) {
            if let Some(word) = opening(&text, rules) {
                let message = format!(
                    "a doc comment begins with \"{word}\": begin with a verb in the third person (\"Returns …\") or a \
                     noun phrase"
                );
                found.push(Violation::new(file.unit_of_line(unit, line), &file.path, line, message));
            }
        }
    }
    found
}

/// Returns the first word of a doc comment if none may begin with it.
pub(crate) fn opening<'a>(text: &'a str, rules: &RulesFile) -> Option<&'a str> {
    let first = text.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty())?;
    rules.comments.openings.iter().any(|word| word == first).then_some(first)
}

/// Finds comments that speak of persons in place of code.
pub(crate) fn comment_words(workspace: &Workspace, rules: &RulesFile) -> Vec<Violation> {
    each_line(workspace, |_, _, text| {
        let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
        let word = words.into_iter().find(|word| rules.comments.words.contains(word))?;
        Some(format!("a comment says \"{word}\": name the function, type or program that is meant"))
    })
}

/// Finds lines of comments that are too wide.
pub(crate) fn comment_width(workspace: &Workspace, rules: &RulesFile) -> Vec<Violation> {
    let limit = rules.limits.comment_width;
    each_line(workspace, |comment, is_first, text| {
        // Behind code, rustfmt limits the line; the comment alone counts.
        let indent = if is_first && !comment.follows_code { comment.indent } else { 0 };
        let width = indent + text.chars().count();
        let is_breakable = text.split_whitespace().all(|word| word.chars().count() < UNBREAKABLE);
        (width > limit && is_breakable).then(|| format!("a comment has {width} columns, {limit} are allowed: wrap it"))
    })
}

/// Calls `judge` for every line of every comment, with whether it is the comment's first.
fn each_line(workspace: &Workspace, judge: impl Fn(&Comment, bool, &str) -> Option<String>) -> Vec<Violation> {
    let mut found = Vec::new();
    for (unit, file) in workspace.files() {
        for comment in &file.comments {
            for (offset, text) in comment.text.lines().enumerate() {
                if let Some(message) = judge(comment, offset == 0, text) {
                    let line = comment.line + offset;
                    found.push(Violation::new(file.unit_of_line(unit, line), &file.path, line, message));
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::source::testing::sample;

    fn rules() -> RulesFile {
        let mut rules = RulesFile::default();
        rules.comments.openings = vec!["What".to_string()];
        rules.comments.words = vec!["nobody".to_string()];
        rules.limits.comment_width = 20;
        rules
    }

    fn places(found: &[Violation]) -> Vec<String> {
        found.iter().map(|found| format!("{}:{}", found.unit, found.line)).collect()
    }

    #[test]
    fn openings_of_doc_comments() {
        let text = "//! What it is.\n\n/// Returns\n/// What it has.\nfn f() {}\n// What else.\n\
                    /// Whatever.\nfn g() {}\n#[cfg(test)]\nmod tests {\n    /// What.\n    fn h() {}\n}\n";
        assert_eq!(places(&doc_openings(&sample(&[("lib.rs", text)]), &rules())), ["sample:1", "tests:11"]);
    }

    #[test]
    fn words_and_width_of_comments() {
        let text = "// Nobody asks.\nconst A: &str = \"nobody // asks for such a long comment\";\n\
                    const B: u8 = 1; // short enough\n// So this is far too long.\n    // not so long: 20\n";
        assert_eq!(places(&comment_words(&sample(&[("lib.rs", text)]), &rules())), ["sample:1"]);
        assert_eq!(places(&comment_width(&sample(&[("lib.rs", text)]), &rules())), ["sample:4", "sample:5"]);
    }

    #[test]
    fn addresses_may_be_long() {
        let text = format!("// https://example.org/{}\n", "x".repeat(60));
        assert!(comment_width(&sample(&[("lib.rs", &text)]), &rules()).is_empty());
    }
}
