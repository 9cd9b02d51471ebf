//! Go to definition: the meaning of the name at a place.

use codecompass_syntax::facts::BindingKind;

use crate::config::IndexConfig;
use crate::error::{Error, Result};
use crate::plural::counted;
use crate::query::diff::Side;
use crate::query::files::current_text::current_text;
use crate::query::hit::{Hit, HitKind};
use crate::query::navigate::use_sites::Enclosing;
use crate::query::navigate::{NameUse, Navigator, reading_rank};
use crate::query::open_file::OpenFile;
use crate::resolve::{Confidence, FileView, Module, Resolution, ResolutionEvidence};

/// Meanings of the name at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtMeaning {
    /// The place is the definition's own name.
    Definition,
    /// These definitions: several when overloads or alternatives are all meant.
    Found {
        /// The confidence in the resolution.
        confidence: Confidence,
        /// The evidence for it.
        evidence: ResolutionEvidence,
    },
    /// One of these definitions, and nothing tells which.
    Ambiguous,
    /// Something outside of the repository.
    External,
    /// A module of the repository: a file, a block inside of one, or a folder.
    Module {
        /// The folder, when the module is one.
        folder: Option<String>,
    },
    /// A parameter or local variable.
    Local {
        /// The definition that it belongs to.
        of: Enclosing,
        /// The line that binds it.
        line: u32,
        /// Its type as declared, if any.
        declared: Option<String>,
    },
    /// A name, of which nothing is known.
    Unknown,
    /// No name stands there.
    Nothing,
}

/// The name at a place and its meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct AtAnswer {
    /// The name there; empty when there is none.
    pub name: String,
    /// The meaning of the name.
    pub meaning: AtMeaning,
    /// The definitions, best first, at most the limit.
    pub hits: Vec<Hit>,
    /// The number of definitions, listed or not.
    pub total: usize,
}

/// Says what the name at `path:line:column` means. `side` is the navigator's view, with its texts.
pub fn at(
    navigator: &Navigator<'_>,
    side: Side<'_>,
    config: &IndexConfig,
    place: (&str, u32, u32),
    limit: usize,
) -> Result<AtAnswer> {
    let (path, line, column) = place;
    let snapshot = navigator.snapshot();
    // A skipped file has no text to read.
    crate::query::symbols::outline::open(snapshot, path)?;
    let text = current_text(snapshot, side.source, config, path)?;
    check_place(&text, path, line, column)?;
    let used = navigator.use_at(path, line, column)?;
    let word = word_at(text.lines().nth(line as usize - 1).unwrap_or(""), column);
    // A name may begin with what is no letter, such as the `@` of a field.
    let written = used.as_ref().filter(|_| word.is_empty()).map(|used| used.name.as_str());
    let name = written.unwrap_or(word).to_string();
    let answer = |meaning, hits: Vec<Hit>| {
        let (total, mut hits) = (hits.len(), hits);
        hits.truncate(limit);
        AtAnswer { name: name.clone(), meaning, hits, total }
    };
    if let Some(symbol) = navigator.definition_named_at(path, line, column)? {
        return Ok(answer(AtMeaning::Definition, navigator.hits(&[symbol])?));
    }
    let Some(used) = used else {
        let file = snapshot.version_at(path).map(|version| navigator.resolver.file(version)).transpose()?.flatten();
        let local = file.as_deref().filter(|_| !name.is_empty()).and_then(|file| local(file, &name, line));
        let nothing = if name.is_empty() { AtMeaning::Nothing } else { AtMeaning::Unknown };
        return Ok(answer(local.unwrap_or(nothing), Vec::new()));
    };
    let (meaning, hits) = resolved(navigator, &used, path, line)?;
    Ok(answer(meaning, hits))
}

/// Fails where the text has no such line.
fn check_place(text: &str, path: &str, line: u32, column: u32) -> Result<()> {
    let count = text.lines().count();
    if line == 0 || column == 0 || line as usize > count {
        let end = counted(count, "line", "lines");
        return Err(Error::InvalidInput(format!(
            "{path}:{line}:{column} is no place: {path} has {end}, both count from 1"
        )));
    }
    Ok(())
}

/// The meaning of a use and the definitions it leads to.
fn resolved(navigator: &Navigator<'_>, used: &NameUse, path: &str, line: u32) -> Result<(AtMeaning, Vec<Hit>)> {
    let meant = || -> Result<Vec<Hit>> {
        let symbols = navigator.in_order(used.meaning.symbols())?;
        Ok(ranked(navigator.hits(&symbols)?, path))
    };
    Ok(match &*used.meaning {
        Resolution::Found { confidence, evidence, .. } => {
            (AtMeaning::Found { confidence: *confidence, evidence: *evidence }, meant()?)
        }
        Resolution::Overloaded { .. } | Resolution::Ambiguous(_) => (AtMeaning::Ambiguous, meant()?),
        Resolution::External => match candidates(navigator, used, path)? {
            (0, _) => (AtMeaning::External, Vec::new()),
            (_, hits) if hits.is_empty() => (AtMeaning::Unknown, hits),
            (_, hits) => (AtMeaning::Ambiguous, hits),
        },
        Resolution::Module(Module::Folder(folder)) => (AtMeaning::Module { folder: Some(folder.clone()) }, Vec::new()),
        Resolution::Module(Module::Inline(symbol)) => (AtMeaning::Module { folder: None }, navigator.hits(&[*symbol])?),
        Resolution::Module(Module::File(version)) => {
            let file = OpenFile::open(navigator.snapshot(), *version)?;
            let hit = file.map(|file| file.text_hit(HitKind::File, 1, file.outline.line_count.max(1)));
            (AtMeaning::Module { folder: None }, hit.into_iter().collect())
        }
        Resolution::Unknown => {
            // A member is no variable, even if there is one of that name.
            let local = if used.is_member { None } else { local(&used.file, &used.name, line) };
            match local {
                Some(local) => (local, Vec::new()),
                None => match candidates(navigator, used, path)?.1 {
                    hits if hits.is_empty() => (AtMeaning::Unknown, hits),
                    hits => (AtMeaning::Ambiguous, hits),
                },
            }
        }
    })
}

/// The number of definitions that a use which was not resolved may mean, and the first of them.
fn candidates(navigator: &Navigator<'_>, used: &NameUse, path: &str) -> Result<(usize, Vec<Hit>)> {
    let candidates = navigator.candidates_at(&used.file, used.number)?;
    Ok((candidates.total, ranked(navigator.hits(&candidates.symbols)?, path)))
}

/// Candidates as a reader would try them: of the same file, of the same folder, of source before
/// tests.
fn ranked(mut hits: Vec<Hit>, path: &str) -> Vec<Hit> {
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_string());
    // Stable: equal ones stay in the order of paths and lines.
    hits.sort_by_key(|hit| (hit.path != path, folder(&hit.path) != folder(path), reading_rank(hit.file_role)));
    hits
}

/// The binding of a name that is visible on a line: the last one above it, in the definitions
/// around it.
fn local(file: &FileView, name: &str, line: u32) -> Option<AtMeaning> {
    let around = file.enclosing_line(line);
    file.outwards(around).find_map(|(ordinal, definition)| {
        let here = file.uses.bindings.iter().filter(|binding| {
            binding.enclosing == Some(ordinal) && binding.kind != BindingKind::Type && file.name(binding.name) == name
        });
        let binding = here.clone().rfind(|binding| binding.line <= line).or_else(|| here.clone().next())?;
        Some(AtMeaning::Local {
            of: Enclosing::new(definition, file.definitions()),
            line: binding.line,
            declared: binding
                .declared
                .and_then(|declared| file.declared(declared))
                .map(|declared| declared.text.clone()),
        })
    })
}

/// The word that covers a column, counted in bytes from 1.
fn word_at(line: &str, column: u32) -> &str {
    let at = line.floor_char_boundary((column as usize - 1).min(line.len()));
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let (before, after) = line.split_at(at);
    let start = before.trim_end_matches(is_part).len();
    let end = line.len() - after.trim_start_matches(is_part).len();
    let word = &line[start..end];
    if after.starts_with(is_part) && !word.starts_with(|c: char| c.is_ascii_digit()) { word } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let line = "let größe = f(x1, 12);";
        assert_eq!(word_at(line, 1), "let");
        assert_eq!(word_at(line, 4), "");
        assert_eq!(word_at(line, 8), "größe");
        assert_eq!(word_at(line, 17), "x1");
        assert_eq!(word_at(line, 21), "");
        assert_eq!(word_at(line, 1000), "");
        assert_eq!(word_at("", 1), "");
    }
}
