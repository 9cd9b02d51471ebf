//! The content that is put into a file: an entry in a settings file, or a block in instructions.
//! Both have the same methods, so that the plan need not tell them apart.

use super::agents::{Agent, Format, Instructions};
use super::entry::{Entry, Item, Standing};
use super::{NAME, Problem, block, json, toml};

/// The mark that some editors put before the text; it stays where it is.
const BOM: char = '\u{feff}';

/// The content that is put into a file.
pub(super) enum Content<'a> {
    Server { agent: &'a Agent, entry: &'a Entry },
    Block(Instructions),
}

/// The state of the content in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The content is not there.
    Absent,
    /// It is there as wanted.
    Current,
    /// It is there, in another form.
    Outdated,
    /// Something else is in its place.
    Foreign,
}

impl Content<'_> {
    pub(super) fn state(&self, text: &str) -> Result<State, Problem> {
        let (_, text) = without_bom(text);
        match self {
            Content::Server { agent, entry } => {
                let there = read(agent.format, text, &path(agent, text)?)?;
                Ok(match there.map(|there| entry.standing(&there)) {
                    None => State::Absent,
                    Some(Standing::Current) => State::Current,
                    Some(Standing::Outdated) => State::Outdated,
                    Some(Standing::Foreign) => State::Foreign,
                })
            }
            Content::Block(_) => Ok(match block::find(text)? {
                None => State::Absent,
                Some(there) if there == block::written(super::newline(text)) => State::Current,
                Some(_) => State::Outdated,
            }),
        }
    }

    /// Adds the content, or replaces what is in its place. Returns how many tables were added
    /// around it, too.
    pub(super) fn add(&self, text: &str) -> Result<(String, usize), Problem> {
        let (bom, text) = without_bom(text);
        let (text, added) = match self {
            Content::Server { agent, entry } => put(agent.format, text, &path(agent, text)?, &entry.item())?,
            Content::Block(instructions) => (block::put(text, instructions.preamble)?, 0),
        };
        Ok((format!("{bom}{text}"), added))
    }

    /// Brings content that is there to its wanted form, and leaves what users added to it.
    pub(super) fn update(&self, text: &str) -> Result<String, Problem> {
        let (bom, text) = without_bom(text);
        let Content::Server { agent, entry } = self else { return Ok(self.add(text)?.0) };
        let mut edited = text.to_string();
        let path = path(agent, text)?;
        let there = read(agent.format, text, &path)?.unwrap_or_default();
        for (key, item) in entry.outdated(&there) {
            let path: Vec<&str> = path.iter().copied().chain([key.as_str()]).collect();
            edited = put(agent.format, &edited, &path, &item)?.0;
        }
        Ok(format!("{bom}{edited}"))
    }

    /// Takes the content out, with up to `tables` tables around it that hold nothing else. Returns
    /// whether nothing is left.
    pub(super) fn remove(&self, text: &str, tables: usize) -> Result<(String, bool), Problem> {
        let (bom, text) = without_bom(text);
        let (text, is_empty) = match self {
            Content::Server { agent, .. } => {
                let path = path(agent, text)?;
                match agent.format {
                    Format::Json => {
                        json::remove(text, &path, tables).map(|text| (text.clone(), json::is_empty(&text)))?
                    }
                    Format::Toml => {
                        toml::remove(text, &path, tables).map(|text| (text.clone(), toml::is_empty(&text)))?
                    }
                }
            }
            Content::Block(instructions) => {
                let text = block::remove(text)?;
                let is_empty = text.trim().is_empty() || text == instructions.preamble;
                (text, is_empty)
            }
        };
        Ok((format!("{bom}{text}"), is_empty))
    }

    /// Returns whether the file is just what a file with nothing but this content would be.
    pub(super) fn is_alone(&self, text: &str) -> bool {
        let alone = match self {
            Content::Server { agent, entry } => {
                let there = path(agent, text).and_then(|path| read(agent.format, text, &path)).ok().flatten();
                let Some(entry) = there.and_then(|there| entry.like(&there)) else { return false };
                Content::Server { agent, entry: &entry }.add("")
            }
            Content::Block(_) => self.add(""),
        };
        alone.is_ok_and(|(alone, _)| alone == text)
    }
}

fn without_bom(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with(BOM) { BOM.len_utf8() } else { 0 })
}

/// The keys that lead to the entry.
fn path(agent: &Agent, text: &str) -> Result<Vec<&'static str>, Problem> {
    let mut table = agent.table;
    if let Some(other) = agent.other_table {
        // A server may have the name of that table; then it has a `type`.
        let there = read(agent.format, text, other)?;
        if there.is_some_and(|there| there.is_object() && there.get("type").is_none_or(|kind| !kind.is_string())) {
            table = other;
        }
    }
    Ok(table.iter().copied().chain([NAME]).collect())
}

fn read(format: Format, text: &str, path: &[&str]) -> Result<Option<serde_json::Value>, Problem> {
    match format {
        Format::Json => json::read(text, path),
        Format::Toml => toml::read(text, path),
    }
}

fn put(format: Format, text: &str, path: &[&str], item: &Item) -> Result<(String, usize), Problem> {
    match format {
        Format::Json => json::put(text, path, item),
        Format::Toml => toml::put(text, path, item),
    }
}
