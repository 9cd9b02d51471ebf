//! Classification of queries by their words alone.

use codecompass_syntax::registry;
use serde::{Deserialize, Serialize};

use crate::tokenize;

/// The kind of result that a query asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Intent {
    /// A definition, by its name.
    Symbol,
    /// A file, by its path.
    Path,
    /// The code behind an error message or stack trace.
    Error,
    /// Code that does something, described in words.
    NaturalLanguage,
    /// The code that a long text is about: an issue, a failing test, a trace with words around it.
    Issue,
}

impl Intent {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Intent::Symbol => "symbol",
            Intent::Path => "path",
            Intent::Error => "error",
            Intent::NaturalLanguage => "natural_language",
            Intent::Issue => "issue",
        }
    }
}

/// An intent, and the confidence in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Routed {
    /// The intent.
    pub intent: Intent,
    /// From 0 to 1.
    pub confidence: f64,
}

/// Classes of questions, by how many places answer them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryClass {
    /// One place, or a few near each other.
    Targeted,
    /// Every place that does something, wherever it is.
    CrossCutting,
    /// The parts that something is made of.
    Exploratory,
}

impl QueryClass {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            QueryClass::Targeted => "targeted",
            QueryClass::CrossCutting => "cross_cutting",
            QueryClass::Exploratory => "exploratory",
        }
    }
}

/// Returns the class of a query.
pub fn class(query: &str) -> QueryClass {
    if route(query).intent != Intent::NaturalLanguage {
        return QueryClass::Targeted;
    }
    let query = query.trim().to_lowercase();
    let words: Vec<&str> = tokenize::words(&query).collect();
    let everywhere = ["across", "everywhere", "throughout", "wherever"];
    let asks_for_all = |at: usize| match words[at] {
        // "not at all", "all of it", "after all" ask for nothing.
        "all" => {
            (at == 0 || !matches!(words[at - 1], "at" | "after")) && words.get(at + 1).is_some_and(|next| *next != "of")
        }
        "every" => words.len() > at + 1,
        word => everywhere.contains(&word),
    };
    if (0..words.len()).any(asks_for_all) {
        return QueryClass::CrossCutting;
    }
    let starts = ["how ", "explain ", "overview", "architecture", "describe ", "what happens "];
    match starts.iter().any(|start| query.starts_with(start)) {
        true => QueryClass::Exploratory,
        false => QueryClass::Targeted,
    }
}

/// Words of a query that make it a long text, on however few lines.
const LONG_WORDS: usize = 40;
/// Lines of a query that make it a long text, if they have some words.
const LONG_LINES: usize = 3;
/// The words that those lines must have.
const LONG_LINES_WORDS: usize = 15;

/// Classifies `query`.
pub fn route(query: &str) -> Routed {
    let query = query.trim();
    let routed = |intent, confidence| Routed { intent, confidence };
    if is_long(query) {
        return routed(Intent::Issue, 0.9);
    }
    if looks_like_error(query) {
        return routed(Intent::Error, 0.85);
    }
    if query.contains(char::is_whitespace) {
        return routed(Intent::NaturalLanguage, 0.9);
    }
    if looks_like_path(query) {
        return routed(Intent::Path, 0.9);
    }
    let name = query.trim_end_matches("()");
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|c| tokenize::is_word_char(c) || matches!(c, '.' | ':' | '#' | '-' | '\\' | '!' | '?' | '@'));
    match is_name {
        // A bare lower-case word may be a name or a topic.
        true if name.chars().all(|c| c.is_ascii_lowercase()) => routed(Intent::Symbol, 0.7),
        true => routed(Intent::Symbol, 0.95),
        false => routed(Intent::NaturalLanguage, 0.5),
    }
}

/// Returns whether a query is a text of several lines or many words.
fn is_long(query: &str) -> bool {
    let words = query.split_whitespace().take(LONG_WORDS).count();
    let lines = query.lines().filter(|line| !line.trim().is_empty()).take(LONG_LINES).count();
    words == LONG_WORDS || lines == LONG_LINES && words >= LONG_LINES_WORDS
}

fn looks_like_path(query: &str) -> bool {
    if query.contains("://") {
        return false;
    }
    let (head, extension) = query.rsplit_once('.').unwrap_or((query, ""));
    let known = |extension: &str| {
        let code = registry::all().iter().any(|language| language.extensions().iter().any(|known| known == extension));
        code || matches!(extension, "txt" | "html" | "css" | "rst" | "cfg" | "ini" | "lock" | "xml")
    };
    let has_folder = query.contains('/') && !query.starts_with("//");
    // `db.go` is a file, `db.Open` is a name, `a/b` is a path.
    has_folder || (!head.is_empty() && !head.contains("::") && known(extension))
}

fn looks_like_error(query: &str) -> bool {
    let lower = query.to_lowercase();
    let starts = [
        "traceback (most recent",
        "panic:",
        "error:",
        "error[",
        "fatal:",
        "fatal error",
        "exception in thread",
        "uncaught ",
    ];
    let holds =
        ["panicked at", "exception:", "error: ", "stack trace", "segmentation fault", "\n    at ", "caused by:"];
    starts.iter().any(|mark| lower.starts_with(mark)) || holds.iter().any(|mark| lower.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_have_classes() {
        assert_eq!(class("all api calls across features"), QueryClass::CrossCutting);
        assert_eq!(class("every place that opens a file"), QueryClass::CrossCutting);
        assert_eq!(class("how are requests routed"), QueryClass::Exploratory);
        assert_eq!(class("where are headers parsed"), QueryClass::Targeted);
        assert_eq!(class("is it cached at all"), QueryClass::Targeted);
        assert_eq!(class("all"), QueryClass::Targeted);
    }

    #[test]
    fn long_texts_are_told_from_questions() {
        let trace = "Cart fails\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\n\
            ValueError: no prices to add were given at all by the caller";
        assert_eq!(route(trace).intent, Intent::Issue);
        assert_eq!(route(&"word ".repeat(40)).intent, Intent::Issue);
        assert_eq!(route("how are\nheaders\nparsed").intent, Intent::NaturalLanguage);
        assert_eq!(route("panic: nil map\nmain.go:3").intent, Intent::Error);
    }

    #[test]
    fn queries_are_routed() {
        let intent = |query: &str| route(query).intent;
        assert_eq!(intent("parse_header"), Intent::Symbol);
        assert_eq!(intent("Store::open"), Intent::Symbol);
        assert_eq!(intent("http.Client.Do()"), Intent::Symbol);
        assert_eq!(intent("src/store/db.rs"), Intent::Path);
        assert_eq!(intent("db.rs"), Intent::Path);
        assert_eq!(intent("where are headers parsed"), Intent::NaturalLanguage);
        assert_eq!(intent("TypeError: x is not a function"), Intent::Error);
        assert_eq!(intent("thread 'main' panicked at src/main.rs:3"), Intent::Error);
        assert_eq!(intent(""), Intent::NaturalLanguage);
    }
}
