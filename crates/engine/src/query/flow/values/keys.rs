//! Places of a key: literal texts that are the key as a whole, and names that are like it where no
//! definition has the name.

use std::collections::BTreeMap;

use codecompass_syntax::facts::Kind;

use crate::error::Result;
use crate::query::flow::parsed_files::ParsedFiles;
use crate::query::grep::{CaseMode, GrepMatch, GrepOptions, grep};
use crate::query::navigate::Navigator;
use crate::query::navigate::use_sites::UseClass;
use crate::resolve::Symbol;

/// Lines with a key that are looked at.
const MAX_LINES: usize = 600;
/// A key of so many letters is rarely anything else.
const LONG: usize = 12;
/// A longer text is no key.
const MAX_KEY: usize = 60;
/// Definitions of one option.
const MAX_FIELDS: usize = 8;

/// A place of a key in a text.
#[derive(Clone, Debug)]
pub(super) struct KeyPlace {
    pub(super) path: String,
    pub(super) byte: usize,
    pub(super) class: UseClass,
}

/// The places of keys.
#[derive(Default)]
pub(super) struct KeyPlaces {
    /// Literal texts that are the key.
    pub(super) keys: Vec<KeyPlace>,
    /// Names that are spelled like it.
    pub(super) names: Vec<KeyPlace>,
    /// Other keys that begin with it, and the number of their places.
    pub(super) longer: BTreeMap<String, usize>,
    pub(super) is_cut: bool,
}

/// Returns the spellings of a name that are looked for as literal texts: an option of a command
/// line also without its dashes.
pub(super) fn spellings(name: &str) -> Vec<String> {
    let mut all = vec![name.to_string()];
    let bare = name.trim_start_matches('-');
    if bare.len() < name.len() && !bare.is_empty() {
        all.push(bare.to_string());
    }
    all
}

/// Returns the names that a field of an option of a command line has.
pub(super) fn field_names(name: &str) -> Vec<String> {
    let bare = name.trim_start_matches('-');
    let is_option = bare.len() < name.len() && bare.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
    if !is_option || bare.is_empty() {
        return Vec::new();
    }
    let snake = bare.replace('-', "_");
    let mut camel = String::new();
    for part in bare.split(['-', '_']).filter(|part| !part.is_empty()) {
        let mut letters = part.chars();
        match letters.next() {
            Some(first) if !camel.is_empty() => camel.extend(first.to_uppercase()),
            Some(first) => camel.push(first),
            None => {}
        }
        camel.push_str(letters.as_str());
    }
    let mut names = vec![snake];
    if !names.contains(&camel) {
        names.push(camel);
    }
    names
}

/// Returns the fields that declare an option of a command line: they have its name in the form of
/// names, and a decorator or attribute.
pub(super) fn option_fields(navigator: &Navigator<'_>, name: &str) -> Result<Vec<Symbol>> {
    let mut found = Vec::new();
    for name in field_names(name) {
        for symbol in navigator.resolver.named(&name)?.iter() {
            let Some((_, definition)) = navigator.resolver.definition(*symbol)? else { continue };
            let is_field = matches!(definition.kind, Kind::Field | Kind::Property | Kind::Variable);
            if is_field && !definition.decorators.is_empty() && found.len() < MAX_FIELDS {
                found.push(*symbol);
            }
        }
    }
    Ok(found)
}

/// Finds the places of keys; `with_names` also those of names that are spelled like them.
pub(super) fn find(files: &ParsedFiles<'_, '_>, keys: &[String], with_names: bool) -> Result<KeyPlaces> {
    let mut found = KeyPlaces::default();
    let snapshot = files.navigator.snapshot();
    let (Some((source, _)), Some(longest)) = (files.navigator.texts(), keys.first()) else { return Ok(found) };
    // The shortest spelling lies in all others, if they are of one kind.
    let shortest = keys.iter().min_by_key(|key| key.len()).unwrap_or(longest);
    let apart = keys.iter().filter(|key| !key.contains(shortest.as_str()));
    let searched = apart.chain([shortest]);
    let options =
        GrepOptions { fixed_strings: true, case: CaseMode::Sensitive, limit: MAX_LINES, ..GrepOptions::default() };
    for text in searched.filter(|text| !text.contains('\n')) {
        let answer = grep(snapshot, source, text, &options)?;
        found.is_cut |= answer.total > answer.matches.len();
        add_matches(files, &answer.matches, text, keys, with_names, &mut found)?;
    }
    Ok(found)
}

/// Adds the places of keys on the lines that have one of them.
fn add_matches(
    files: &ParsedFiles<'_, '_>,
    matches: &[GrepMatch],
    text: &str,
    keys: &[String],
    with_names: bool,
    found: &mut KeyPlaces,
) -> Result<()> {
    let snapshot = files.navigator.snapshot();
    let class = keys.first().map_or(UseClass::Possible, |key| class_of_key(key));
    for lines in matches.chunk_by(|one, next| one.path == next.path) {
        let Some(first) = lines.first() else { continue };
        let Some(version) = snapshot.version_at(&first.path) else { continue };
        let Some(code) = files.code(version)? else { continue };
        let is_wanted = |line: u32| lines.iter().any(|found| (found.line..=found.line_end).contains(&line));
        let mut end = 0;
        for (byte, _) in code.text().match_indices(text) {
            if byte < end || !is_wanted(code.place_of(byte).line) {
                continue;
            }
            let place = |class: UseClass, byte: usize| KeyPlace { path: first.path.clone(), byte, class };
            let literal = code.literal_at(byte);
            if let Some([longer]) = literal.as_ref().map(|literal| literal.parts.as_slice())
                && longer.starts_with(text)
                && is_longer_key(longer, text)
            {
                *found.longer.entry(longer.clone()).or_default() += 1;
            }
            if let Some(literal) = literal
                && keys.iter().any(|key| literal.is_text(key))
            {
                end = literal.end;
                found.keys.push(place(class, literal.start));
            } else if let Some(name) = code.name_at(byte)
                && with_names
                && keys.iter().any(|one| one == name)
            {
                end = byte + name.len();
                found.names.push(place(UseClass::Possible, byte));
            }
        }
    }
    Ok(())
}

/// Returns whether a text is a key that goes on where another ends.
fn is_longer_key(longer: &str, key: &str) -> bool {
    let rest = longer.get(key.len()..).unwrap_or("");
    let goes_on = rest.starts_with([' ', '_', '-', '.', ':', '/']);
    goes_on && longer.len() <= MAX_KEY && !rest.contains(['\n', ',', '(']) && rest.matches(' ').count() <= 1
}

/// Returns how certain it is that a literal text means the key: long and compound ones are rarely
/// anything else.
fn class_of_key(key: &str) -> UseClass {
    let is_compound = key.contains([' ', '_', '-', '.', '/', ':'])
        || key.chars().zip(key.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    if is_compound || key.len() >= LONG { UseClass::Likely } else { UseClass::Possible }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_options() {
        assert_eq!(spellings("--dry-run"), ["--dry-run", "dry-run"]);
        assert_eq!(field_names("--dry-run"), ["dry_run", "dryRun"]);
        assert_eq!(field_names("-v"), ["v"]);
        assert!(field_names("dry-run").is_empty());
        assert_eq!(class_of_key("trust proxy"), UseClass::Likely);
        assert_eq!(class_of_key("name"), UseClass::Possible);
    }
}
