//! Classification of queries by their words alone.

use codecompass_syntax::registry;

use crate::tokenize;

/// The kind of result that a query asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// A definition, by its name.
    Symbol,
    /// A file, by its path.
    Path,
    /// The code behind an error message or stack trace.
    Error,
    /// Code that does something, described in words.
    NaturalLanguage,
}

impl Intent {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Intent::Symbol => "symbol",
            Intent::Path => "path",
            Intent::Error => "error",
            Intent::NaturalLanguage => "natural_language",
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

/// Classifies `query`.
pub fn route(query: &str) -> Routed {
    let query = query.trim();
    let routed = |intent, confidence| Routed { intent, confidence };
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
