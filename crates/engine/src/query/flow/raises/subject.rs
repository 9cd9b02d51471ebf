//! The meaning of a question about an error: a type with its subtypes, a constant, a type from
//! outside, or a message.

use codecompass_syntax::facts::Kind;
use codecompass_syntax::flow::LiteralText;
use rustc_hash::FxHashSet;

use crate::error::{Error, Result};
use crate::model::VersionId;
use crate::query::arguments::parse_place;
use crate::query::flow::parsed_files::ParsedFiles;
use crate::query::grep::{CaseMode, GrepMatch, GrepOptions, grep};
use crate::query::navigate::Navigator;
use crate::query::subject::Subject;
use crate::resolve::Symbol;

/// Subtypes, and types above, that count.
const MAX_TYPES: usize = 80;
/// Lines with a part of a message that are looked at.
const MAX_LINES: usize = 400;
/// Words of a message that are looked for one by one.
const MAX_WORDS: usize = 3;
/// Letters of a template that a message must share with it.
const MIN_SHARED: usize = 8;

/// A literal text that has the message.
#[derive(Clone, Debug)]
pub(super) struct MessagePlace {
    pub(super) version: VersionId,
    pub(super) byte: usize,
}

/// The meaning of a name or a message.
#[derive(Default)]
pub(super) struct ErrorSubject {
    pub(super) subject: Option<Subject>,
    /// The definitions that the name means.
    pub(super) asked: Vec<Symbol>,
    /// Their subtypes, or types that have the message.
    pub(super) others: Vec<Symbol>,
    /// The last name of a type from outside of the repository.
    pub(super) outside: Option<String>,
    pub(super) messages: Vec<MessagePlace>,
    pub(super) suggestions: Vec<String>,
    pub(super) is_cut: bool,
    pub(super) text: String,
}

impl ErrorSubject {
    pub(super) fn find(files: &ParsedFiles<'_, '_>, name: &str) -> Result<ErrorSubject> {
        let navigator = files.navigator;
        let mut found = ErrorSubject { text: name.to_string(), ..ErrorSubject::default() };
        if !name.contains(' ') {
            found.add_definitions(navigator, name)?;
            for symbol in found.asked.clone() {
                found.add_subtypes(navigator, symbol)?;
            }
            if found.asked.is_empty() {
                found.add_outside(navigator, name)?;
            }
        }
        if found.asked.is_empty() && found.outside.is_none() {
            found.add_messages(files, name)?;
        }
        Ok(found)
    }

    /// Returns everything that is raised by its name.
    pub(super) fn all(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.asked.iter().chain(&self.others).copied()
    }

    /// Returns the names of the types that are meant besides the one that was asked for.
    pub(super) fn other_names(&self, navigator: &Navigator<'_>) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for symbol in &self.others {
            let found = navigator.resolver.definition(*symbol)?;
            names.extend(found.map(|(_, definition)| definition.qualified_name.clone()));
        }
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// Says what was looked for.
    pub(super) fn looked_for(&self) -> String {
        let name = &self.text;
        if !self.asked.is_empty() {
            format!("the definition {name}, its subtypes, and their uses")
        } else if self.outside.is_some() {
            format!("the type {name} from outside of the repository, and types below it")
        } else {
            format!("definitions and uses of the name {name}, and literal texts with it")
        }
    }

    fn add_definitions(&mut self, navigator: &Navigator<'_>, name: &str) -> Result<()> {
        let (subject, symbols) = match navigator.all_meant(name) {
            Ok((subject, symbols)) if symbols.is_empty() => {
                let hits = subject.definitions.iter().map(|one| &one.hit);
                let symbols = hits.filter_map(|hit| navigator.symbol_of(hit)).collect();
                (subject, symbols)
            }
            Ok(found) => found,
            Err(Error::SymbolNotFound { suggestions, .. }) => {
                self.suggestions = suggestions;
                return Ok(());
            }
            Err(Error::FileNotFound { .. } | Error::AmbiguousPath { .. } | Error::InvalidInput(_)) => return Ok(()),
            Err(error) => return Err(error),
        };
        let last = last_name(name);
        let (mut types, mut others) = (Vec::new(), Vec::new());
        for symbol in symbols {
            let Some((_, definition)) = navigator.resolver.definition(symbol)? else { continue };
            if definition.kind.is_outline_only() || parse_place(name).is_none() && definition.name != last {
                continue;
            }
            let is_type = definition.kind.is_type() || definition.kind == Kind::Variant;
            if is_type { types.push(symbol) } else { others.push(symbol) }
        }
        self.asked = if types.is_empty() { others } else { types };
        self.subject = Some(subject).filter(|_| !self.asked.is_empty());
        Ok(())
    }

    fn add_subtypes(&mut self, navigator: &Navigator<'_>, symbol: Symbol) -> Result<()> {
        let found = navigator.resolver.definition(symbol)?;
        if !found.is_some_and(|(_, definition)| definition.kind.is_type()) {
            return Ok(());
        }
        let mut pending = vec![symbol];
        let mut at = 0;
        while let Some(above) = pending.get(at).copied() {
            at += 1;
            for kin in navigator.types_below(above)? {
                let Some(below) = kin.symbol else { continue };
                if pending.len() > MAX_TYPES {
                    self.is_cut = true;
                    return Ok(());
                }
                if !pending.contains(&below) {
                    pending.push(below);
                    if !self.asked.contains(&below) && !self.others.contains(&below) {
                        self.others.push(below);
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes a name for a type from outside of the repository, if code names it.
    fn add_outside(&mut self, navigator: &Navigator<'_>, name: &str) -> Result<()> {
        let last = last_name(name);
        let is_name = last.chars().all(|c| c.is_alphanumeric() || c == '_') && !last.is_empty();
        if !is_name {
            return Ok(());
        }
        for version in navigator.files_with(last)? {
            let file = navigator.resolver.file_that_names(version, last)?;
            if file.is_some_and(|file| !file.references_named(last).is_empty()) {
                self.outside = Some(last.to_string());
                break;
            }
        }
        if self.outside.is_some() {
            for kin in navigator.types_below_outside(name)? {
                let Some(below) = kin.symbol.filter(|below| !self.others.contains(below)) else { continue };
                if self.others.len() < MAX_TYPES {
                    self.others.push(below);
                    self.add_subtypes(navigator, below)?;
                }
            }
        }
        Ok(())
    }

    /// Finds the literal texts that have the message, or whose fixed parts it has in order, and the
    /// definitions whose decorators do.
    fn add_messages(&mut self, files: &ParsedFiles<'_, '_>, message: &str) -> Result<()> {
        let navigator = files.navigator;
        let Some((source, _)) = navigator.texts() else { return Ok(()) };
        let snapshot = navigator.snapshot();
        let options =
            GrepOptions { fixed_strings: true, case: CaseMode::Sensitive, limit: MAX_LINES, ..GrepOptions::default() };
        let mut matches = Vec::new();
        if !message.contains('\n') {
            let whole = grep(snapshot, source, message, &options)?;
            self.is_cut |= whole.total > whole.matches.len();
            matches = whole.matches;
        }
        let is_whole = !matches.is_empty();
        if !is_whole {
            for word in longest_words(message) {
                let found = grep(snapshot, source, word, &GrepOptions { word: true, ..options.clone() })?;
                self.is_cut |= found.total > found.matches.len();
                matches.extend(found.matches);
            }
        }
        let mut seen = FxHashSet::default();
        for found in matches {
            let Some(version) = snapshot.version_at(&found.path) else { continue };
            if seen.insert((version, found.line)) {
                self.add_line(files, version, &found, message)?;
            }
        }
        Ok(())
    }

    /// Adds the literal texts on a line that the message may be of.
    fn add_line(
        &mut self,
        files: &ParsedFiles<'_, '_>,
        version: VersionId,
        found: &GrepMatch,
        message: &str,
    ) -> Result<()> {
        let Some(code) = files.code(version)? else { return Ok(()) };
        let start = code.byte_at(codecompass_syntax::routes::CodePlace { line: found.line, column: 1 });
        let Some(start) = start else { return Ok(()) };
        let length = code.text()[start..].lines().next().map_or(0, str::len);
        let mut at = start;
        while at < start + length {
            let step = code.text()[at..].chars().next().map_or(1, char::len_utf8);
            let Some(literal) = code.literal_at(at) else {
                at += step;
                continue;
            };
            at = literal.end.max(at + step);
            let is_message = !literal.is_word && has_message(&literal, message);
            if is_message && !self.add_decorated(files, version, found.line)? {
                self.messages.push(MessagePlace { version, byte: literal.start });
            }
        }
        Ok(())
    }

    /// Adds the type or variant whose decorator stands on a line; says whether there is one.
    fn add_decorated(&mut self, files: &ParsedFiles<'_, '_>, version: VersionId, line: u32) -> Result<bool> {
        let Some(outline) = files.navigator.resolver.outline(version)? else { return Ok(false) };
        for (ordinal, definition) in outline.definitions().iter().enumerate() {
            let is_above = (definition.outer_start_line..definition.name_line).contains(&line);
            let is_type = definition.kind.is_type() || definition.kind == Kind::Variant;
            if is_type && is_above && !definition.decorators.is_empty() {
                let symbol = Symbol { version, ordinal: ordinal as u32 };
                if !self.others.contains(&symbol) {
                    self.others.push(symbol);
                }
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns the last name of a path.
pub(super) fn last_name(name: &str) -> &str {
    name.rsplit(['.', ':', '#', '/', '\\']).next().unwrap_or(name)
}

/// Returns the longest words of a message.
fn longest_words(message: &str) -> Vec<&str> {
    let words = message.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() > 3);
    let mut words: Vec<&str> = words.collect();
    words.sort_by_key(|word| (std::cmp::Reverse(word.len()), *word));
    words.dedup();
    words.truncate(MAX_WORDS);
    words
}

/// Returns whether a literal has the message, or the message has its fixed parts in order.
fn has_message(literal: &LiteralText, message: &str) -> bool {
    if literal.parts.iter().any(|part| part.contains(message)) {
        return true;
    }
    let (mut rest, mut shared) = (message, 0);
    for part in literal.parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()) {
        match rest.find(part) {
            Some(at) => {
                rest = &rest[at + part.len()..];
                shared += part.len();
            }
            None => return false,
        }
    }
    shared >= MIN_SHARED && shared * 3 >= message.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_templates() {
        let literal = |parts: &[&str]| LiteralText {
            start: 0,
            end: 1,
            parts: parts.iter().map(|part| part.to_string()).collect(),
            is_word: false,
        };
        assert!(has_message(&literal(&["cannot open the file"]), "open the"));
        assert!(has_message(&literal(&["cannot open ", ": "]), "cannot open a.txt: denied"));
        assert!(!has_message(&literal(&["cannot close ", ": "]), "cannot open a.txt: denied"));
        assert!(!has_message(&literal(&["", "", ""]), "cannot open a.txt: denied"));
        assert_eq!(longest_words("cannot open the connection"), ["connection", "cannot", "open"]);
    }
}
