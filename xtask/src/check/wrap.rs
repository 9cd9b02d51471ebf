//! `cargo xtask check --wrap [PATH…]`: wraps comments that are too wide. Only paragraphs with such
//! a line change; tables, code and headings in doc comments stay as they are.

use std::path::Path;

use crate::check::rules_file::RulesFile;
use crate::check::source::comments::{Comment, comments};
use crate::check::source::{SourceFile, Workspace};
use crate::outcome::Outcome;

/// Wraps the comments of all files, or of those below the paths.
pub(crate) fn run(root: &Path, paths: &[&str]) -> Outcome<()> {
    let (workspace, rules) = (Workspace::load(root)?, RulesFile::load(root)?);
    let is_meant = |file: &SourceFile| paths.is_empty() || paths.iter().any(|path| file.path.starts_with(path));
    for (_, file) in workspace.files().filter(|(_, file)| is_meant(file)) {
        let wrapped = wrapped(&file.text, rules.limits.comment_width);
        if wrapped != file.text {
            std::fs::write(root.join(&file.path), wrapped)?;
            println!("wrapped {}", file.path);
        }
    }
    Ok(())
}

/// Returns the text with all line comments within the width.
fn wrapped(text: &str, width: usize) -> String {
    let found = comments(text);
    let whole: Vec<&Comment> =
        found.iter().filter(|comment| !comment.follows_code && comment.text.starts_with("//")).collect();
    let mut lines: Vec<String> = text.split('\n').map(str::to_string).collect();
    let mut blocks = whole.chunk_by(|a, b| a.line + 1 == b.line && a.indent == b.indent && mark(a) == mark(b));
    // From the end, so that line numbers before stay true.
    while let Some(block) = blocks.next_back() {
        let (first, mark) = (block[0], mark(block[0]));
        let texts: Vec<&str> = block.iter().map(|comment| &comment.text[mark.len()..]).collect();
        let room = width.saturating_sub(first.indent + mark.len());
        let indent = " ".repeat(first.indent);
        let new = reflowed(&texts, room).into_iter().map(|text| format!("{indent}{mark}{text}").trim_end().to_string());
        lines.splice(first.line - 1..first.line - 1 + block.len(), new);
    }
    lines.join("\n")
}

fn mark(comment: &Comment) -> &'static str {
    comment.doc_mark().unwrap_or("//")
}

/// Wraps the paragraphs of one block that have a line with more than `room` characters.
fn reflowed(texts: &[&str], room: usize) -> Vec<String> {
    let mut out = Vec::new();
    let mut paragraph: Vec<&str> = Vec::new();
    let mut is_code = false;
    for text in texts {
        let body = text.trim();
        let is_fence = body.starts_with("```");
        let is_fixed =
            is_code || is_fence || body.starts_with('|') || body.starts_with('#') || text.starts_with("     ");
        let joins = !is_fixed && !body.is_empty() && !is_item(body);
        is_code ^= is_fence;
        if !joins {
            flush(&mut paragraph, room, &mut out);
        }
        if is_fixed || body.is_empty() {
            out.push((*text).to_string());
        } else {
            paragraph.push(text);
        }
    }
    flush(&mut paragraph, room, &mut out);
    out
}

/// Returns whether a line begins an item of a list.
fn is_item(body: &str) -> bool {
    let number = body.trim_start_matches(|c: char| c.is_ascii_digit());
    body.starts_with("- ") || body.starts_with("* ") || number.len() < body.len() && number.starts_with(". ")
}

fn flush(paragraph: &mut Vec<&str>, room: usize, out: &mut Vec<String>) {
    let lines = std::mem::take(paragraph);
    if lines.iter().all(|line| line.chars().count() <= room) {
        out.extend(lines.into_iter().map(str::to_string));
        return;
    }
    let Some(first) = lines.first() else { return };
    let lead = &first[..first.len() - first.trim_start().len()];
    // Further lines of an item stand under its text.
    let hang = if is_item(first.trim()) { first.trim().find(' ').map_or(0, |at| at + 1) } else { 0 };
    let mut line = lead.to_string();
    for word in lines.iter().flat_map(|line| line.split_whitespace()) {
        let is_first = line.trim().is_empty();
        if !is_first && line.chars().count() + 1 + word.chars().count() > room {
            out.push(std::mem::replace(&mut line, format!("{lead}{}", " ".repeat(hang))));
        } else if !is_first {
            line.push(' ');
        }
        line.push_str(word);
    }
    out.push(line);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_wide_paragraphs_are_wrapped() {
        let text = "/// One two three four five six\n/// seven.\n///\n/// Short.\n/// Lines.\nfn f() {\n    \
                    // eight nine ten eleven twelve\n    g(); // behind code it may be as long as it likes\n}\n";
        let expected = "/// One two three\n/// four five six\n/// seven.\n///\n/// Short.\n/// Lines.\nfn f() {\n    \
                        // eight nine\n    // ten eleven\n    // twelve\n    g(); // behind code it may be as long as it likes\n}\n";
        assert_eq!(wrapped(text, 18), expected);
        assert_eq!(wrapped(expected, 18), expected);
    }

    #[test]
    fn lists_hang_and_tables_and_code_stay() {
        let text = "//! - one two three four\n//!   five\n//! - six\n//!\n//! | a table is as wide as it is |\n//!\n\
                    //! ```text\n//! so is some code in a fence\n//! ```\n";
        let expected = "//! - one two three\n//!   four five\n//! - six\n//!\n//! | a table is as wide as it is |\n//!\n\
                        //! ```text\n//! so is some code in a fence\n//! ```\n";
        assert_eq!(wrapped(text, 20), expected);
    }
}
