//! Small texts in several languages from one vocabulary, so that the same names turn up, move and
//! vanish.

use crate::Random;

/// Functions and variables that definitions are called after.
pub(super) const NAMES: &[&str] = &[
    "parse_header",
    "open_socket",
    "retry_limit",
    "load_index",
    "flush_cache",
    "parse_headers",
    "merge_rows",
    "close_socket",
    "token_count",
    "split_line",
];

/// Types.
pub(super) const TYPES: &[&str] = &["Connection", "HeaderParser", "CacheEntry", "RowMerger"];

const WORDS: &[&str] =
    &["connection", "header", "cache", "retries", "socket", "line", "index", "token", "broken", "quickly", "again"];

/// A text for a file of this name.
pub(super) fn text(random: &mut Random, path: &str) -> String {
    let count = 1 + random.below(3);
    let mut text = match random.below(12) {
        0 => return String::new(),
        1 => "# $Id$\n".to_string(),
        _ => String::new(),
    };
    for _ in 0..count {
        let (name, other, kind) = (random.pick(NAMES), random.pick(NAMES), random.pick(TYPES));
        let (word, more) = (random.pick(WORDS), random.pick(WORDS));
        let number = random.below(4);
        text.push_str(&match path.rsplit('.').next().unwrap_or_default() {
            "py" if number == 0 => format!(
                "class {kind}:\n    def {name}(self, {word}):\n        return {other}({word})\n\n\n"
            ),
            "py" => format!("def {name}({word}):\n    \"\"\"The {word} and {more}.\"\"\"\n    return {other}({number})\n\n\n"),
            "rs" if number == 0 => format!(
                "pub struct {kind} {{\n    {word}: u32,\n}}\n\nimpl {kind} {{\n    fn {name}(&self) {{ {other}() }}\n}}\n\n"
            ),
            "rs" => format!("/// The {word} and {more}.\npub fn {name}({word}: u32) -> u32 {{\n    {other}({number})\n}}\n\n"),
            "ts" if number == 0 => format!(
                "export class {kind} {{\n  {name}({word}: string) {{\n    return {other}({word});\n  }}\n}}\n\n"
            ),
            "ts" => format!("/** The {word} and {more}. */\nexport function {name}({word}: number) {{\n  return {other}({number});\n}}\n\n"),
            "md" => format!("# {kind} {word}\n\nThe {word} calls `{name}`, {more} {number} times.\n\n"),
            _ => format!("{word} {name} {more} {number}\n"),
        });
    }
    text
}
