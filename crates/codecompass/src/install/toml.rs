//! Edits in TOML. A new table is added as text at the end, so that everything before it stays as it
//! is; everything else is left to `toml_edit`, which keeps comments and order.

use serde_json::Value;
use toml_edit::{
    Array, Document, DocumentMut, InlineTable, Item as Node, RawString, Table, TableLike, Value as TomlValue,
};

use super::entry::Item;
use super::{Problem, newline};

/// The value at `path`, if there is one: texts and lists of texts; everything else is null.
pub(super) fn read(text: &str, path: &[&str]) -> Result<Option<Value>, Problem> {
    let document = parse(text)?;
    let mut node = document.as_item();
    for (depth, key) in path.iter().enumerate() {
        let Some(table) = node.as_table_like() else {
            let key = path.get(depth.wrapping_sub(1)).unwrap_or(key);
            return Err(Problem::new(format!("`{key}` is not a table")));
        };
        match table.get(key) {
            Some(below) => node = below,
            None => return Ok(None),
        }
    }
    Ok(Some(json(node)))
}

/// Writes `item` at `path`, and tables that are missing on the way there. Returns the text and how
/// many were missing.
pub(super) fn put(text: &str, path: &[&str], item: &Item) -> Result<(String, usize), Problem> {
    let is_there = read(text, path)?.is_some();
    let mut document = parse(text)?;
    let missing = missing(document.as_table(), path);
    let edited = match item {
        Item::Object(fields) if !is_there && !is_inline(document.as_item(), path) => appended(text, path, fields),
        item => {
            let holder = holder(&mut document, &path[..path.len() - 1])?;
            let key = path[path.len() - 1];
            let mut value = value(item);
            match holder.get_mut(key) {
                Some(there) => {
                    if let Some(there) = there.as_value() {
                        *value.decor_mut() = there.decor().clone();
                    }
                    *there = Node::Value(value);
                }
                None => drop(holder.insert(key, Node::Value(value))),
            }
            document.to_string()
        }
    };
    if read(&edited, path)? == Some(item.json()) {
        Ok((edited, missing))
    } else {
        Err(Problem::new("the file is written in a way that cannot be edited"))
    }
}

/// Takes out the value at `path`, then up to `empty` tables above it if nothing else is in them.
pub(super) fn remove(text: &str, path: &[&str], empty: usize) -> Result<String, Problem> {
    if read(text, path)?.is_none() {
        return Ok(text.to_string());
    }
    if let Some(cut) = without_tables(text, path) {
        return Ok(cut);
    }
    let mut document = parse(text)?;
    for depth in 0..=empty.min(path.len() - 1) {
        let (key, above) = (path[path.len() - depth - 1], &path[..path.len() - depth - 1]);
        let holder = holder(&mut document, above)?;
        let is_bare = |node: &Node| node.as_table_like().is_some_and(TableLike::is_empty);
        if !holder.get(key).is_some_and(|node| depth == 0 || is_bare(node)) {
            break;
        }
        holder.remove(key);
    }
    Ok(document.to_string())
}

/// A table with a header of its own: where the header starts, what is written above it, and its
/// keys.
struct Headed<'a> {
    start: usize,
    above: &'a str,
    keys: Vec<&'a str>,
}

/// The text without the tables that have a header that starts with `path`, if that takes out all
/// that is at `path`.
fn without_tables(text: &str, path: &[&str]) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let mut tables = Vec::new();
    headed(text, document.as_table(), &mut Vec::new(), &mut tables);
    tables.sort_by_key(|table| table.start);
    let end = text.len() - document.trailing().span().map_or(0, |trailing| trailing.len());
    let (mut kept, mut from) = (String::new(), 0);
    for (place, table) in tables.iter().enumerate().filter(|(_, table)| table.keys.starts_with(path)) {
        // Comments above the table are not ours.
        let gap = if table.above.trim().is_empty() { table.above.len() } else { 0 };
        kept.push_str(text.get(from..table.start - gap)?);
        from = tables.get(place + 1).map_or(end, |next| next.start - next.above.len());
    }
    kept.push_str(text.get(from..)?);
    let mut wanted = parse(text).ok()?;
    holder(&mut wanted, &path[..path.len() - 1]).ok()?.remove(path[path.len() - 1]);
    let is = parse(&kept).ok()?;
    let without_empty = |document: &DocumentMut| {
        let mut value = json(document.as_item());
        // A table above that had no header of its own is gone, too.
        let table = value.as_object_mut().and_then(|fields| Some((fields.get(path[0])? == &json_object(), fields)));
        if let Some((true, fields)) = table {
            fields.remove(path[0]);
        }
        value
    };
    (kept != text && without_empty(&is) == without_empty(&wanted)).then_some(kept)
}

fn json_object() -> Value {
    Value::Object(Default::default())
}

fn headed<'a>(text: &'a str, table: &'a Table, keys: &mut Vec<&'a str>, found: &mut Vec<Headed<'a>>) {
    for (key, node) in table.iter() {
        keys.push(key);
        let tables: Vec<&Table> = match node {
            Node::Table(table) => vec![table],
            Node::ArrayOfTables(tables) => tables.iter().collect(),
            _ => Vec::new(),
        };
        for table in tables {
            if let (Some(span), false, false) = (table.span(), table.is_implicit(), table.is_dotted()) {
                let above = table.decor().prefix().and_then(RawString::span).and_then(|span| text.get(span));
                found.push(Headed { start: span.start, above: above.unwrap_or_default(), keys: keys.clone() });
            }
            headed(text, table, keys, found);
        }
        keys.pop();
    }
}

/// Returns whether nothing is in the file.
pub(super) fn is_empty(text: &str) -> bool {
    text.trim().is_empty()
}

fn parse(text: &str) -> Result<DocumentMut, Problem> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let message = error.message().trim().to_string();
        match error.span() {
            Some(span) => Problem::at(text, span.start, message),
            None => Problem::new(message),
        }
    })
}

fn json(node: &Node) -> Value {
    match node {
        Node::Value(TomlValue::String(text)) => Value::from(text.value().as_str()),
        Node::Value(TomlValue::Array(list)) => {
            list.iter().map(|value| value.as_str().map_or(Value::Null, Value::from)).collect()
        }
        node => match node.as_table_like() {
            Some(table) => table.iter().map(|(key, node)| (key.to_string(), json(node))).collect(),
            None => Value::Null,
        },
    }
}

fn value(item: &Item) -> TomlValue {
    match item {
        Item::Text(text) => TomlValue::from(text.as_str()),
        Item::List(texts) => TomlValue::Array(texts.iter().map(String::as_str).collect::<Array>()),
        Item::Object(fields) => TomlValue::InlineTable(
            fields.iter().map(|(key, item)| (key.as_str(), value(item))).collect::<InlineTable>(),
        ),
    }
}

/// Returns the number of tables on the way to `path` that are not there.
fn missing(table: &dyn TableLike, path: &[&str]) -> usize {
    match path {
        [key, rest @ ..] if !rest.is_empty() => match table.get(key).and_then(Node::as_table_like) {
            Some(below) => missing(below, rest),
            None => rest.len(),
        },
        _ => 0,
    }
}

/// Returns whether a table on the way to `path` is written in braces, where no header can add to
/// it.
fn is_inline(mut node: &Node, path: &[&str]) -> bool {
    for key in path {
        match node.as_table_like().and_then(|table| table.get(key)) {
            Some(below) if below.is_inline_table() => return true,
            Some(below) => node = below,
            None => return false,
        }
    }
    false
}

fn holder<'a>(document: &'a mut DocumentMut, path: &[&str]) -> Result<&'a mut dyn TableLike, Problem> {
    let mut node = document.as_item_mut();
    for key in path {
        let Some(table) = node.as_table_like_mut() else { return Err(Problem::new(format!("`{key}` is in no table"))) };
        node = table.entry(key).or_insert(toml_edit::table());
    }
    node.as_table_like_mut().ok_or_else(|| Problem::new(format!("`{}` is not a table", path.join("."))))
}

fn appended(text: &str, path: &[&str], fields: &[(String, Item)]) -> String {
    let newline = newline(text);
    let mut new = text.to_string();
    if !new.is_empty() {
        new.push_str(if new.ends_with('\n') { newline } else { "" });
        if !text.ends_with('\n') {
            new.push_str(newline);
            new.push_str(newline);
        }
    }
    new.push_str(&format!("[{}]{newline}", path.join(".")));
    for (key, item) in fields {
        new.push_str(&format!("{key} = {}{newline}", value(item).to_string().trim()));
    }
    new
}

#[cfg(test)]
#[path = "toml_tests.rs"]
mod tests;
