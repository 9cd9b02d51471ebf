//! Values of JSON, TOML and simple YAML with their lines.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::facts::{MAX_DEPTH, ManifestProblem};

/// A value and the line it begins on; of an entry in a table, the line of its key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ManifestNode {
    pub(super) line: u32,
    pub(super) value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Text(String),
    List(Vec<ManifestNode>),
    Table(Vec<(String, ManifestNode)>),
    True,
    /// Numbers, dates, `false` and `null`, which no manifest is asked for.
    Other,
}

impl ManifestNode {
    /// Returns the value of a key; `None` also if this is no table.
    pub(super) fn get(&self, key: &str) -> Option<&ManifestNode> {
        self.entries().iter().find(|(known, _)| known == key).map(|(_, node)| node)
    }

    /// Returns the value at the end of a path of keys.
    pub(super) fn at(&self, keys: &[&str]) -> Option<&ManifestNode> {
        keys.iter().try_fold(self, |node, key| node.get(key))
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    pub(super) fn is_true(&self) -> bool {
        self.value == Value::True
    }

    /// Returns the items of a list; none if it is no list.
    pub(super) fn items(&self) -> &[ManifestNode] {
        if let Value::List(items) = &self.value { items } else { &[] }
    }

    /// Returns the texts of a list with their lines.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&str, u32)> {
        self.items().iter().filter_map(|item| Some((item.text()?, item.line)))
    }

    /// Returns the entries of a table; none if it is no table.
    pub(super) fn entries(&self) -> &[(String, ManifestNode)] {
        if let Value::Table(entries) = &self.value { entries } else { &[] }
    }
}

/// Reads TOML.
pub(super) fn toml(text: &str) -> Result<ManifestNode, ManifestProblem> {
    let lines = LineStarts::new(text);
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| lines.line(span.start));
        ManifestProblem::new(line, format!("is not valid TOML: {}", error.message()))
    })?;
    Ok(ManifestNode { line: 1, value: toml_table(table.get_ref(), &lines) })
}

fn toml_table(table: &DeTable<'_>, lines: &LineStarts) -> Value {
    let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let key: &Spanned<std::borrow::Cow<'_, str>> = key;
        let node = ManifestNode { line: lines.line(key.span().start), value: toml_value(value.get_ref(), lines) };
        (key.get_ref().to_string(), node)
    };
    Value::Table(table.iter().map(entry).collect())
}

fn toml_value(value: &DeValue<'_>, lines: &LineStarts) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Boolean(true) => Value::True,
        DeValue::Array(items) => {
            let node = |item: &Spanned<DeValue<'_>>| ManifestNode {
                line: lines.line(item.span().start),
                value: toml_value(item.get_ref(), lines),
            };
            Value::List(items.iter().map(node).collect())
        }
        DeValue::Table(table) => toml_table(table, lines),
        _ => Value::Other,
    }
}

/// The bytes at which lines begin.
struct LineStarts(Vec<usize>);

impl LineStarts {
    fn new(text: &str) -> LineStarts {
        LineStarts(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    fn line(&self, at: usize) -> u32 {
        self.0.partition_point(|start| *start <= at) as u32
    }
}

/// Reads JSON; comments and commas before a closing bracket are allowed.
pub(super) fn json(text: &str) -> Result<ManifestNode, ManifestProblem> {
    let mut reader = JsonReader { bytes: text.as_bytes(), text, at: 0, line: 1 };
    let node = reader.value(0)?;
    reader.blank();
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.problem("has text behind its end")),
    }
}

struct JsonReader<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    line: u32,
}

impl JsonReader<'_> {
    fn problem(&self, what: &str) -> ManifestProblem {
        ManifestProblem::new(self.line, format!("is not valid JSON: {what}"))
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips white space and comments.
    fn blank(&mut self) {
        loop {
            match self.peek() {
                Some(b'\n') => {
                    self.line += 1;
                    self.at += 1;
                }
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'/') if self.bytes.get(self.at + 1) == Some(&b'/') => {
                    let rest = self.bytes[self.at..].iter().position(|byte| *byte == b'\n');
                    self.at = rest.map_or(self.bytes.len(), |length| self.at + length);
                }
                Some(b'/') if self.bytes.get(self.at + 1) == Some(&b'*') => {
                    let end = self.text.get(self.at..).and_then(|rest| rest.find("*/"));
                    let end = end.map_or(self.bytes.len(), |length| self.at + length + 2);
                    self.line += self.bytes[self.at..end].iter().filter(|byte| **byte == b'\n').count() as u32;
                    self.at = end;
                }
                _ => return,
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<ManifestNode, ManifestProblem> {
        self.blank();
        let line = self.line;
        if depth > MAX_DEPTH {
            return Err(self.problem("it is nested too deeply"));
        }
        let value = match self.peek() {
            Some(b'{') => self.table(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(_) => self.word()?,
            None => return Err(self.problem("it ends too early")),
        };
        Ok(ManifestNode { line, value })
    }

    fn table(&mut self, depth: usize) -> Result<Value, ManifestProblem> {
        self.at += 1;
        let mut entries = Vec::new();
        loop {
            self.blank();
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::Table(entries));
                }
                Some(b',') => self.at += 1,
                Some(b'"') => {
                    let line = self.line;
                    let key = self.string()?;
                    self.blank();
                    if self.peek() != Some(b':') {
                        return Err(self.problem("a key has no value"));
                    }
                    self.at += 1;
                    let value = self.value(depth + 1)?.value;
                    entries.push((key, ManifestNode { line, value }));
                }
                Some(_) => return Err(self.problem("a key is expected")),
                None => return Err(self.problem("it ends too early")),
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, ManifestProblem> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.blank();
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::List(items));
                }
                Some(b',') => self.at += 1,
                Some(_) => items.push(self.value(depth + 1)?),
                None => return Err(self.problem("it ends too early")),
            }
        }
    }

    fn string(&mut self) -> Result<String, ManifestProblem> {
        let start = self.at + 1;
        let mut at = start;
        loop {
            match self.bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => at += 2,
                Some(b'\n') | None => return Err(self.problem("a text has no end")),
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        Ok(unescaped(self.text.get(start..at).unwrap_or_default()))
    }

    fn word(&mut self) -> Result<Value, ManifestProblem> {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
        let length = self.bytes[self.at..].iter().take_while(|byte| is_part(byte)).count();
        if length == 0 {
            return Err(self.problem("a value is expected"));
        }
        let word = &self.bytes[self.at..self.at + length];
        self.at += length;
        Ok(if word == b"true" { Value::True } else { Value::Other })
    }
}

/// Resolves the escapes that names and paths may have.
fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_string();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                out.push(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}'));
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

/// Returns the texts in the list of a top-level key of YAML, with their lines: one item on each
/// line, or all in brackets.
pub(super) fn yaml_list(text: &str, key: &str) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    let mut is_inside = false;
    for (number, line) in text.lines().enumerate() {
        let number = number as u32 + 1;
        let content = line.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if let Some(item) = content.strip_prefix("- ").filter(|_| is_inside) {
            found.extend(scalar(item).map(|item| (item, number)));
            continue;
        }
        let is_key = !line.starts_with([' ', '\t', '-']);
        if is_key || !is_inside {
            let value = line.strip_prefix(key).and_then(|rest| rest.trim_start().strip_prefix(':'));
            is_inside = value.is_some();
            let value = value.map(str::trim).unwrap_or_default();
            if let Some(items) = value.strip_prefix('[') {
                let items = items.split(']').next().unwrap_or_default();
                found.extend(items.split(',').filter_map(scalar).map(|item| (item, number)));
            }
        }
    }
    found
}

/// Returns a scalar of YAML without quotes and comment.
fn scalar(written: &str) -> Option<String> {
    let written = written.trim();
    let text = match written.chars().next()? {
        quote @ ('"' | '\'') => written[1..].split(quote).next().unwrap_or_default(),
        _ => written.split(" #").next().unwrap_or_default().trim_end(),
    };
    Some(text.to_string()).filter(|text| !text.is_empty())
}
