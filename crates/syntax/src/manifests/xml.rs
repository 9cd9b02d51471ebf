//! A tolerant reader of XML: elements, attributes and texts with their lines. Entities beyond the
//! five of XML are left as they are; nothing outside of the text is read.

use super::facts::{MAX_DEPTH, ManifestProblem};

/// An element.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Element {
    /// Without its namespace.
    pub(super) name: String,
    pub(super) line: u32,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<Element>,
    text: String,
}

impl Element {
    /// Returns the text of the element, without white space around it.
    pub(super) fn text(&self) -> &str {
        self.text.trim()
    }

    pub(super) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// Returns the text of a child; `None` if it is empty.
    pub(super) fn child_text(&self, name: &str) -> Option<&str> {
        self.child(name).map(Element::text).filter(|text| !text.is_empty())
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Calls `visit` with this element and all below it.
    pub(super) fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Element)) {
        visit(self);
        self.children.iter().for_each(|child| child.visit(visit));
    }
}

/// Reads the root element of a text.
pub(super) fn xml(text: &str) -> Result<Element, ManifestProblem> {
    let mut open: Vec<Element> = vec![Element::default()];
    let (mut rest, mut line) = (text, 1_u32);
    let problem = |line: u32, what: &str| ManifestProblem::new(line, format!("is not valid XML: {what}"));
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        if let Some(current) = open.last_mut() {
            current.text.push_str(&unescaped(before));
        }
        line += newlines(before);
        let end = match tag_end(tag) {
            Some(end) => end,
            None => return Err(problem(line, "a tag has no end")),
        };
        let (whole, behind) = tag.split_at(end);
        rest = behind;
        if let Some(data) = whole.strip_prefix("<![CDATA[").and_then(|data| data.strip_suffix("]]>")) {
            if let Some(current) = open.last_mut() {
                current.text.push_str(data);
            }
        } else if let Some(name) = whole.strip_prefix("</") {
            close(&mut open, local(name.trim_end_matches('>').trim())).map_err(|what| problem(line, &what))?;
        } else if !whole.starts_with("<!") && !whole.starts_with("<?") {
            let is_empty = whole.ends_with("/>");
            open.push(element(whole, line));
            if open.len() > MAX_DEPTH {
                return Err(problem(line, "it is nested too deeply"));
            }
            if is_empty {
                let name = open.last().map(|element| element.name.clone()).unwrap_or_default();
                close(&mut open, &name).map_err(|what| problem(line, &what))?;
            }
        }
        line += newlines(whole);
    }
    match (open.pop(), open.is_empty()) {
        (Some(document), true) => document.children.into_iter().next().ok_or_else(|| problem(1, "it has no element")),
        (Some(element), false) => Err(problem(element.line, &format!("<{}> has no end", element.name))),
        (None, _) => Err(problem(1, "it has no element")),
    }
}

fn newlines(text: &str) -> u32 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u32
}

/// Closes the innermost element, which must have this name.
fn close(open: &mut Vec<Element>, name: &str) -> Result<(), String> {
    let element = open.pop().filter(|_| !open.is_empty()).ok_or_else(|| format!("</{name}> has no begin"))?;
    if element.name != name {
        return Err(format!("</{name}> ends <{}>", element.name));
    }
    if let Some(outer) = open.last_mut() {
        outer.children.push(element);
    }
    Ok(())
}

/// Returns the end of what begins with `<`: a comment, data, or a tag whose attributes may hold
/// `>`.
fn tag_end(tag: &str) -> Option<usize> {
    for (begin, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")] {
        if tag.starts_with(begin) {
            return tag.find(end).map(|at| at + end.len());
        }
    }
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            (None, b'>') => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// Reads `<name key="value">`.
fn element(tag: &str, line: u32) -> Element {
    let inside = tag.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/');
    let name_end = inside.find(|c: char| c.is_whitespace()).unwrap_or(inside.len());
    let (name, mut rest) = inside.split_at(name_end);
    let mut attributes = Vec::new();
    while let Some((key, behind)) = rest.split_once('=') {
        let behind = behind.trim_start();
        let Some(quote) = behind.chars().next().filter(|c| matches!(c, '"' | '\'')) else { break };
        let Some(end) = behind[1..].find(quote) else { break };
        attributes.push((local(key.trim()).to_string(), unescaped(&behind[1..=end])));
        rest = &behind[end + 2..];
    }
    Element { name: local(name).to_string(), line, attributes, ..Element::default() }
}

fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_string();
    }
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
        .iter()
        .fold(text.to_string(), |text, (entity, meaning)| text.replace(entity, meaning))
}
