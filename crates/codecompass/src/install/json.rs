//! Edits in JSON with comments and trailing commas. The parser says where things stand; the edits
//! are cuts and insertions in the text, so that everything else stays as it is: comments, order,
//! indentation, line ends.

use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;

use super::entry::Item;
use super::{Problem, newline};

/// The value at `path`, if there is one.
pub(super) fn read(text: &str, path: &[&str]) -> Result<Option<Value>, Problem> {
    let root = parse(text)?;
    let Some(root) = object(text, root.as_ref(), "the file")? else { return Ok(None) };
    let (holder, rest) = descend(text, root, path)?;
    match rest {
        [key] => Ok(last(holder, key).map(|property| property.value.clone().into())),
        _ => Ok(None),
    }
}

/// Writes `item` at `path`, and objects that are missing on the way there. Returns the text and how
/// many were missing.
pub(super) fn put(text: &str, path: &[&str], item: &Item) -> Result<(String, usize), Problem> {
    let root = parse(text)?;
    let Some(root) = object(text, root.as_ref(), "the file")? else {
        let style = Style { newline: newline(text), unit: "  ".to_string(), spaced: true };
        let new = style.lines(&nested(path, item), "") + style.newline;
        let gap = if text.trim().is_empty() || text.ends_with('\n') { "" } else { style.newline };
        let before = if text.trim().is_empty() { "" } else { text };
        return Ok((format!("{before}{gap}{new}"), path.len() - 1));
    };
    let style = Style::of(text, root);
    let (holder, rest) = descend(text, root, path)?;
    let Some((key, below)) = rest.split_first() else { return Err(Problem::new("no key is given")) };
    let edited = match last(holder, key) {
        Some(property) => {
            let (start, end) = (property.value.start(), property.value.end());
            let value = match own_line(text, property.start()) {
                Some(indent) => style.lines(item, indent),
                None => style.line(item),
            };
            format!("{}{value}{}", &text[..start], &text[end..])
        }
        None => insert(text, holder, key, &nested(below, item), &style),
    };
    checked(text, edited, |value| set(value, path, Some(item.json()))).map(|edited| (edited, below.len()))
}

/// Takes out the value at `path`, then up to `empty` objects above it if nothing else is in them.
pub(super) fn remove(text: &str, path: &[&str], empty: usize) -> Result<String, Problem> {
    let mut edited = text.to_string();
    for depth in 0..=empty.min(path.len() - 1) {
        let path = &path[..path.len() - depth];
        let mut next = edited.clone();
        // Of several properties of one name all are meant.
        while let Some(less) = without(&next, path, depth > 0)? {
            next = less;
        }
        if next == edited {
            break;
        }
        match checked(&edited, next, |value| set(value, path, None)) {
            Ok(next) => edited = next,
            Err(problem) if depth == 0 => return Err(problem),
            Err(_) => break,
        }
    }
    Ok(edited)
}

/// The text without the last value at `path`, if there is one; with `only_bare`, only if it is an
/// object with nothing in it.
fn without(text: &str, path: &[&str], only_bare: bool) -> Result<Option<String>, Problem> {
    let root = parse(text)?;
    let Some(root) = object(text, root.as_ref(), "the file")? else { return Ok(None) };
    let (holder, rest) = descend(text, root, path)?;
    let [key] = rest else { return Ok(None) };
    let property = last(holder, key).filter(|property| !only_bare || is_bare(text, &property.value));
    Ok(property.map(|property| cut(text, holder, property)))
}

/// `edited`, if it says what `text` says after `change`.
fn checked(text: &str, edited: String, change: impl Fn(&mut Value)) -> Result<String, Problem> {
    let value = |text: &str| parse(text).map(|root| root.map(Value::from).unwrap_or_default());
    let (mut wanted, is) = (value(text)?, value(&edited)?);
    change(&mut wanted);
    if wanted == is || (wanted.is_null() && is == Value::Object(Default::default())) {
        Ok(edited)
    } else {
        Err(Problem::new("the file is written in a way that cannot be edited"))
    }
}

/// Sets or removes what is at `path` in `value`.
fn set(value: &mut Value, path: &[&str], item: Option<Value>) {
    let (Value::Object(fields), Some((key, rest))) = (value, path.split_first()) else { return };
    match (rest, item) {
        ([], Some(item)) => drop(fields.insert(key.to_string(), item)),
        ([], None) => drop(fields.remove(*key)),
        (rest, item) => set(fields.entry(*key).or_insert_with(|| Value::Object(Default::default())), rest, item),
    }
}

/// Returns whether nothing is in the file but an empty object.
pub(super) fn is_empty(text: &str) -> bool {
    text.trim().is_empty() || parse(text).is_ok_and(|root| root.is_some_and(|root| is_bare(text, &root)))
}

fn is_bare(text: &str, node: &Node<'_>) -> bool {
    node.as_object().is_some_and(|object| text[object.start() + 1..object.end() - 1].trim().is_empty())
}

fn parse(text: &str) -> Result<Option<Node<'_>>, Problem> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    match parse_to_ast(text, &CollectOptions::default(), &options) {
        Ok(parsed) => Ok(parsed.value),
        Err(error) => Err(Problem::at(text, error.range().start, error.kind().to_string())),
    }
}

fn object<'a, 'b>(text: &str, node: Option<&'b Node<'a>>, what: &str) -> Result<Option<&'b Object<'a>>, Problem> {
    match node {
        None => Ok(None),
        Some(Node::Object(object)) => Ok(Some(object)),
        Some(other) => Err(Problem::at(text, other.start(), format!("{what} is not an object"))),
    }
}

/// Of several properties of one name the last counts.
fn last<'a, 'b>(object: &'b Object<'a>, key: &str) -> Option<&'b ObjectProp<'a>> {
    object.properties.iter().rev().find(|property| property.name.as_str() == key)
}

/// Goes down `path` as far as there are objects, but not into the last key. Returns the object and
/// what is left of the path.
fn descend<'a, 'b, 'p>(
    text: &str,
    root: &'b Object<'a>,
    path: &'p [&'p str],
) -> Result<(&'b Object<'a>, &'p [&'p str]), Problem> {
    let (mut holder, mut rest) = (root, path);
    while let [key, _, ..] = rest {
        let value = last(holder, key).map(|property| &property.value);
        match object(text, value, &format!("`{key}`"))? {
            Some(object) => (holder, rest) = (object, &rest[1..]),
            None => break,
        }
    }
    Ok((holder, rest))
}

fn nested(keys: &[&str], item: &Item) -> Item {
    keys.iter().rev().fold(item.clone(), |item, key| Item::Object(vec![(key.to_string(), item)]))
}

/// The style of the file.
struct Style {
    newline: &'static str,
    /// One step of indentation.
    unit: String,
    /// True if a space follows colons and commas.
    spaced: bool,
}

impl Style {
    fn of(text: &str, root: &Object<'_>) -> Style {
        let first = root.properties.first();
        let unit = first.and_then(|first| own_line(text, first.start())).filter(|indent| !indent.is_empty());
        let spaced = match first {
            Some(first) => text.contains('\n') || text[first.name.end()..first.value.start()].ends_with(' '),
            None => true,
        };
        Style { newline: newline(text), unit: unit.unwrap_or("  ").to_string(), spaced }
    }

    /// A value over several lines; `indent` is that of the line it starts in.
    fn lines(&self, item: &Item, indent: &str) -> String {
        match item {
            Item::Object(fields) if !fields.is_empty() => {
                let inner = format!("{indent}{}", self.unit);
                let fields: Vec<String> = fields
                    .iter()
                    .map(|(key, item)| format!("{inner}{}: {}", quoted(key), self.lines(item, &inner)))
                    .collect();
                let (newline, fields) = (self.newline, fields.join(&format!(",{}", self.newline)));
                format!("{{{newline}{fields}{newline}{indent}}}")
            }
            _ => self.line(item),
        }
    }

    /// A value in one line.
    fn line(&self, item: &Item) -> String {
        let (comma, colon) = if self.spaced { (", ", ": ") } else { (",", ":") };
        match item {
            Item::Text(text) => quoted(text),
            Item::List(texts) => {
                format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(comma))
            }
            Item::Object(fields) => {
                let fields = fields.iter().map(|(key, item)| format!("{}{colon}{}", quoted(key), self.line(item)));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(comma))
            }
        }
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Adds a property at the end of `object`.
fn insert(text: &str, object: &Object<'_>, key: &str, item: &Item, style: &Style) -> String {
    let (open, close) = (object.start() + 1, object.end() - 1);
    let outer = line_indent(text, object.start());
    let newline = style.newline;
    let lines = |indent: &str| format!("{newline}{indent}{}: {}", quoted(key), style.lines(item, indent));
    let line = || {
        if style.spaced {
            format!("{}: {}", quoted(key), style.line(item))
        } else {
            format!("{}:{}", quoted(key), style.line(item))
        }
    };
    let (Some(first), Some(last)) = (object.properties.first(), object.properties.last()) else {
        let inner = &text[open..close];
        // Comments stay; a new line ends the last of them.
        let kept = inner.trim_end_matches([' ', '\t', '\r', '\n']);
        let added = if style.spaced {
            format!("{}{newline}{outer}", lines(&format!("{outer}{}", style.unit)))
        } else if kept.is_empty() {
            line()
        } else {
            format!("{newline}{}{newline}", line())
        };
        return format!("{}{kept}{added}{}", &text[..open], &text[close..]);
    };
    let end = last.value.end();
    let next = skip_blank(text, end);
    let trailing = text[next..].starts_with(',');
    let anchor = if trailing { next + 1 } else { end };
    let (at, ends_line) = skip_comments_of_line(text, anchor);
    let own = own_line(text, first.start());
    let added = match (own, ends_line) {
        (Some(indent), _) => lines(indent),
        (None, true) => lines(&format!("{outer}{}", style.unit)),
        (None, false) if style.spaced => format!(" {}", line()),
        (None, false) => line(),
    };
    let (before, after) = if trailing { ("", ",") } else { (",", "") };
    format!("{}{before}{}{added}{after}{}", &text[..end], &text[end..at], &text[at..])
}

/// Takes `property` out of `object`, with its comma and its line.
fn cut(text: &str, object: &Object<'_>, property: &ObjectProp<'_>) -> String {
    let place = object.properties.iter().position(|other| other.start() == property.start()).unwrap_or(0);
    let end = property.value.end();
    let next = skip_blank(text, end);
    let followed = text[next..].starts_with(',');
    let mut until = if followed { next + 1 } else { end };
    // A comment behind it on its line belongs to it.
    let (comment_end, _) = skip_comments_of_line(text, until);
    if text[comment_end..].trim_start_matches([' ', '\t']).starts_with(['\n', '\r']) {
        until = comment_end;
    }
    let ends_line = text[until..].trim_start_matches([' ', '\t']).starts_with(['\n', '\r', '}']);
    let from = match own_line(text, property.start()) {
        Some(indent) if ends_line => {
            let line = property.start() - indent.len();
            text[..line].strip_suffix("\r\n").or(text[..line].strip_suffix('\n')).map_or(line, str::len)
        }
        _ if followed => {
            until += text[until..].len() - text[until..].trim_start_matches([' ', '\t']).len();
            property.start()
        }
        _ => text[..property.start()].trim_end_matches([' ', '\t']).len(),
    };
    let mut head = text[..from].to_string();
    if let (false, Some(previous)) = (followed, place.checked_sub(1).map(|place| &object.properties[place])) {
        let comma = skip_blank(text, previous.value.end());
        if comma < from && text[comma..].starts_with(',') {
            head.remove(comma);
        }
    }
    let tail = &text[until..];
    // What is left of an object that held nothing else.
    let (open, close) = (object.start() + 1, object.end() - 1);
    if object.properties.len() == 1 && head[open..].trim().is_empty() && text[until..close].trim().is_empty() {
        return format!("{}{}", &text[..open], &text[close..]);
    }
    format!("{head}{tail}")
}

/// The indentation before `at` if nothing else is before it on its line, and the line is not the
/// first.
fn own_line(text: &str, at: usize) -> Option<&str> {
    let line = text[..at].rfind('\n')? + 1;
    let before = &text[line..at];
    before.chars().all(|c| c == ' ' || c == '\t').then_some(before)
}

/// The indentation of the line that holds `at`.
fn line_indent(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let rest = &text[line..];
    &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
}

/// The next byte from `at` that is in no comment and no space.
fn skip_blank(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        let blank = rest.len() - rest.trim_start().len();
        at += blank;
        match comment(&text[at..]) {
            Some(length) => at += length,
            None => return at,
        }
    }
}

/// The end of the comments that follow `at` on its line, and whether the last of them takes up the
/// rest of the line.
fn skip_comments_of_line(text: &str, at: usize) -> (usize, bool) {
    let mut end = at;
    loop {
        let rest = &text[end..];
        let start = end + rest.len() - rest.trim_start_matches([' ', '\t']).len();
        match comment(&text[start..]) {
            Some(length) if text[start..].starts_with("//") => return (start + length, true),
            Some(length) if !text[start..start + length].contains('\n') => end = start + length,
            _ => return (end, false),
        }
    }
}

/// The length of the comment at the start of `text`, without the end of its line.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        let line = text.find('\n').unwrap_or(text.len());
        return Some(text[..line].strip_suffix('\r').map_or(line, str::len));
    }
    text.strip_prefix("/*").map(|rest| rest.find("*/").map_or(text.len(), |end| end + 4))
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
