//! Takes the text of an issue apart: its title, prose, code, messages and traces, and in them
//! words, names and places.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::places::{self, NamedPlace};
use crate::query::rank::features::{Question, is_stop_word, looks_like_identifier};
use crate::tokenize;
use crate::weights::{issue as weights, text};

/// Bytes of a text whose meaning is compared: a model reads no more at once.
const SUMMARY_BYTES: usize = 1500;
/// Messages that are looked for as they are written.
const MAX_MESSAGES: usize = 3;
/// The longest title; a first line that is longer is prose.
const TITLE_BYTES: usize = 240;

/// A text, taken apart.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct IssueText {
    /// The first line, if it is short.
    pub title: String,
    /// Search terms with their weights, in the order of the text.
    pub terms: Vec<(String, f32)>,
    /// Names of code, in the order of the text.
    pub names: Vec<NamedCode>,
    /// Frames, links and paths, in the order of the text.
    pub places: Vec<NamedPlace>,
    /// Messages of programs, in the order of the text.
    pub messages: Vec<String>,
    /// The title and the prose: what the text means.
    pub summary: String,
}

/// A name in a text that is or may be one of code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct NamedCode {
    /// `a.b.C` has three.
    pub parts: Vec<String>,
    /// The weight of the stretches of text that have it.
    pub weight: f64,
    /// Written as code: quoted, called, qualified, or spelt as no word of prose is.
    pub is_code: bool,
}

/// Kinds of text, by what their words tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Zone {
    Title,
    /// A message of a program.
    Message,
    Prose,
    Code,
    /// The lines of a stack trace that are no message.
    Trace,
}

impl Zone {
    fn weight(self) -> f64 {
        match self {
            Zone::Title => weights::TITLE,
            Zone::Message => weights::MESSAGE,
            Zone::Prose => weights::PROSE,
            Zone::Code => weights::CODE,
            Zone::Trace => weights::TRACE,
        }
    }
}

/// Takes `text` apart.
pub(crate) fn read(text: &str) -> IssueText {
    let mut reader = Reader::default();
    let mut state = Lines::default();
    for line in text.lines() {
        let Some(zone) = state.zone(line) else { continue };
        if zone == Zone::Title {
            reader.reading.title = line.trim().trim_start_matches('#').trim().to_string();
        }
        let messages = &mut reader.reading.messages;
        if zone == Zone::Message && messages.len() < MAX_MESSAGES && !messages.iter().any(|known| known == line.trim())
        {
            messages.push(line.trim().to_string());
        }
        reader.line(line, zone);
    }
    reader.finish()
}

/// Returns a question with the terms of a long text that weigh most, and its names.
pub(crate) fn question(long_text: &str) -> Question {
    let IssueText { title, mut terms, names, .. } = read(long_text);
    terms.sort_by(|a, b| b.1.total_cmp(&a.1));
    terms.truncate(text::MAX_TERMS);
    let mut question = Question::new(&title);
    question.terms = terms;
    question.identifiers.extend(names.iter().filter_map(|name| name.parts.last()).map(|name| name.to_lowercase()));
    question
}

/// The state that tells the zone of a line from those before it.
#[derive(Default)]
struct Lines {
    has_title: bool,
    is_fenced: bool,
    in_trace: bool,
}

impl Lines {
    /// The zone of the next line; `None` if it only marks others.
    fn zone(&mut self, line: &str) -> Option<Zone> {
        let text = line.trim();
        if text.is_empty() {
            return None;
        }
        if text.starts_with("```") || text.starts_with("~~~") {
            self.is_fenced = !self.is_fenced;
            self.in_trace = false;
            return None;
        }
        if text == "{{{" || text == "}}}" {
            self.is_fenced = text == "{{{";
            return None;
        }
        let is_first = !self.has_title;
        self.has_title = true;
        let lower = text.to_lowercase();
        if lower.starts_with("traceback (most recent") || lower.starts_with("stack trace") {
            self.in_trace = true;
            return Some(Zone::Trace);
        }
        if is_frame(text) {
            self.in_trace = true;
            return Some(Zone::Trace);
        }
        let is_message = is_message(text);
        if self.in_trace && !is_message {
            // The code of a frame stands below it, further right.
            let is_below = line.starts_with("    ") || line.starts_with("\t\t");
            if is_below {
                return Some(Zone::Trace);
            }
            self.in_trace = false;
        }
        if is_first && text.len() <= TITLE_BYTES {
            return Some(Zone::Title);
        }
        if is_message {
            self.in_trace = false;
            return Some(Zone::Message);
        }
        Some(if self.is_fenced || is_code(text) { Zone::Code } else { Zone::Prose })
    }
}

/// Returns whether a line is a frame of a stack trace.
fn is_frame(text: &str) -> bool {
    let starts = text.starts_with("File \"") || text.starts_with("at ") || text.starts_with('#');
    starts && places::in_line(text).0.iter().any(|place| place.is_frame && place.line.is_some())
}

/// Returns whether a line is a message: `ValueError: no such thing`, `panic: nil map`.
fn is_message(text: &str) -> bool {
    let Some((label, rest)) = text.split_once(": ") else { return false };
    let label = label.rsplit(['.', ':', '\\']).next().unwrap_or(label);
    let ends = ["Error", "Exception", "Warning", "error", "panic", "fatal", "Failure", "Panic"];
    !label.contains(char::is_whitespace) && !rest.trim().is_empty() && ends.iter().any(|end| label.ends_with(end))
}

/// Returns whether a line reads like code outside of a marked block.
fn is_code(text: &str) -> bool {
    const STARTS: &[&str] = &[
        ">>> ", "... ", "$ ", "def ", "class ", "from ", "import ", "return ", "@", "func ", "fn ", "let ", "const ",
        "var ", "public ", "private ", "static ", "#include", "use ", "print(", "assert ", "raise ",
    ];
    let marks = text.bytes().filter(|byte| b"(){}[]=<>;\"'_.,:".contains(byte)).count();
    let words = text.split_whitespace().count();
    let ends = text.ends_with(['{', '}', ';', '(', ')', ',', ':', ']']);
    let starts = STARTS.iter().any(|start| text.starts_with(start));
    match () {
        _ if text.starts_with(">>> ") || text.starts_with("... ") => true,
        _ if starts && (ends || marks * 2 >= words) => !text.ends_with('.'),
        _ => ends && marks > words && !text.ends_with("):"),
    }
}

#[derive(Default)]
struct Reader {
    reading: IssueText,
    /// Of each term the greatest weight of its zones, and how often it occurs.
    terms: FxHashMap<String, (usize, f64, u32)>,
    names: FxHashMap<String, usize>,
}

impl Reader {
    fn line(&mut self, line: &str, zone: Zone) {
        let (places, rest) = places::in_line(line);
        self.reading.places.extend(places);
        if matches!(zone, Zone::Title | Zone::Prose | Zone::Message) && self.reading.summary.len() < SUMMARY_BYTES {
            self.reading.summary.push_str(rest.trim());
            self.reading.summary.push('\n');
        }
        self.names(&rest, zone);
        for word in tokenize::words(&rest) {
            let is_identifier = looks_like_identifier(word);
            if !is_identifier && is_stop_word(word) {
                continue;
            }
            let weight = zone.weight() * if is_identifier { weights::IDENTIFIER_TERM } else { 1.0 };
            for term in tokenize::terms(word) {
                let next = self.terms.len();
                let known = self.terms.entry(term).or_insert((next, 0.0, 0));
                known.1 = known.1.max(weight);
                known.2 += 1;
            }
        }
    }

    /// Notes the names of a line.
    fn names(&mut self, line: &str, zone: Zone) {
        let mut is_first = true;
        for found in candidates(line) {
            let parts: Vec<&str> = found.text.split(['.', ':', '#']).filter(|part| !part.is_empty()).collect();
            let Some(last) = parts.last() else { continue };
            let is_code = found.is_quoted
                || found.is_called
                || parts.len() > 1 && parts.iter().all(|part| part.len() > 1)
                || looks_like_identifier(last);
            // A capital within a sentence may begin the name of a type.
            let is_name = is_code
                || zone == Zone::Code
                || !is_first && last.starts_with(char::is_uppercase) && !is_stop_word(last);
            is_first = line[found.end..].trim_start().starts_with(['.', '!', '?', '"', '-', '*']) && !is_code;
            if !is_name || last.len() < 3 {
                continue;
            }
            let weight = zone.weight();
            let key = parts.join(".");
            let names = &mut self.reading.names;
            let at = *self.names.entry(key).or_insert_with(|| {
                let parts = parts.iter().map(|part| part.to_string()).collect();
                names.push(NamedCode { parts, weight, is_code });
                names.len() - 1
            });
            let name = &mut names[at];
            name.weight = name.weight.max(weight);
            name.is_code |= is_code;
        }
    }

    fn finish(mut self) -> IssueText {
        let mut terms: Vec<_> = self.terms.into_iter().collect();
        terms.sort_by_key(|(_, (at, _, _))| *at);
        self.reading.terms = terms
            .into_iter()
            .map(|(term, (_, weight, count))| {
                (term, (weight * (1.0 + weights::REPEATED * f64::from(count).ln())) as f32)
            })
            .collect();
        self.reading
    }
}

/// A run of name characters in a line.
struct WordRun<'a> {
    text: &'a str,
    end: usize,
    is_quoted: bool,
    is_called: bool,
}

/// The runs of a line that may be names: `a`, `a.b`, `a::b`, `a#b`.
fn candidates(line: &str) -> impl Iterator<Item = WordRun<'_>> {
    let is_part = |c: char| tokenize::is_word_char(c) || matches!(c, '.' | ':' | '#');
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + line[from..].find(|c: char| tokenize::is_word_char(c))?;
            let length = line[start..].find(|c: char| !is_part(c)).unwrap_or(line.len() - start);
            let text = line[start..start + length].trim_end_matches(['.', ':', '#']);
            let end = start + text.len();
            from = start + length.max(1);
            if text.starts_with(|c: char| c.is_ascii_digit()) {
                continue;
            }
            let quote = line[..start].chars().next_back().filter(|c| matches!(c, '`' | '\'' | '"'));
            let after = line[end..].trim_start_matches("()");
            let is_quoted = quote.is_some_and(|quote| after.starts_with(quote));
            return Some(WordRun { text, end, is_quoted, is_called: line[end..].starts_with('(') });
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ISSUE: &str = "Cart.total() is wrong for empty carts
I call `shop.cart.Cart` from a view. The Discount is added twice, e.g. in version 1.2.

```python
from shop.cart import Cart
Cart().total()
```

Traceback (most recent call last):
  File \"/usr/lib/shop/cart.py\", line 12, in total
    return sum(self.prices)
ValueError: no prices to add
See https://docs.example/a/b.html for more.";

    fn zones(text: &str) -> Vec<Option<Zone>> {
        let mut lines = Lines::default();
        text.lines().map(|line| lines.zone(line)).collect()
    }

    #[test]
    fn lines_are_told_apart() {
        use Zone::{Code, Message, Prose, Title, Trace};
        let zones: Vec<Zone> = zones(ISSUE).into_iter().flatten().collect();
        assert_eq!(zones, [Title, Prose, Code, Code, Trace, Trace, Trace, Message, Prose]);
    }

    #[test]
    fn names_and_places_are_found() {
        let reading = read(ISSUE);
        assert_eq!(reading.title, "Cart.total() is wrong for empty carts");
        let name = |wanted: &str| reading.names.iter().find(|name| name.parts.join(".") == wanted);
        assert!(name("Cart.total").is_some_and(|name| name.is_code && name.weight == Zone::Title.weight()));
        assert!(name("shop.cart.Cart").is_some_and(|name| name.is_code));
        assert!(name("Discount").is_some_and(|name| !name.is_code));
        assert!(name("The").is_none() && name("e.g").is_none() && name("docs.example").is_none());
        let places: Vec<_> = reading.places.iter().map(|place| (place.path.as_str(), place.line)).collect();
        assert_eq!(reading.messages, ["ValueError: no prices to add"]);
        assert_eq!(places, [("/usr/lib/shop/cart.py", Some(12))]);
    }

    #[test]
    fn words_weigh_as_their_part_of_the_text() {
        let reading = read(ISSUE);
        let weight = |wanted: &str| reading.terms.iter().find(|(term, _)| term == wanted).map(|(_, weight)| *weight);
        assert!(weight("empti") > weight("view"));
        assert!(weight("view") > weight("self"));
        assert_eq!(weight("the"), None);
        assert!(reading.summary.contains("added twice") && !reading.summary.contains("import"));
    }

    #[test]
    fn any_text_is_read() {
        for text in ["", "\n\n", "```", "a\n```\nb", "é\u{0301}::::..##", "File \"\", line 99999999999999999999"] {
            read(text);
        }
        assert!(read(&"x.y ".repeat(20_000)).names.len() < 3);
    }
}
