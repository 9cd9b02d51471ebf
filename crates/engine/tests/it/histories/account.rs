//! Checks the account of a name's occurrences with a scanner that shares no code with the indexer.

use std::path::Path;

use codecompass_engine::query::Accounting;
use codecompass_engine::{Snapshot, syntax};

/// A leading part of a file that tells text from binary data.
const SAMPLE_BYTES: usize = 8000;

/// The text files of a tree.
pub(crate) struct Texts {
    files: Vec<TextFile>,
}

struct TextFile {
    path: String,
    group: Option<&'static str>,
    text: String,
}

/// A place of a name: path, line and column in bytes.
pub(crate) type NamePlace<'text> = (&'text str, u32, u32);

impl Texts {
    /// Reads the files of a view below `root`, those that are too large to be indexed among them.
    pub(crate) fn read(snapshot: &Snapshot, root: &Path) -> Texts {
        let files = snapshot.paths().chain(snapshot.oversized_paths()).filter_map(|path| {
            let bytes = std::fs::read(root.join(path)).ok()?;
            if bytes[..bytes.len().min(SAMPLE_BYTES)].contains(&0) {
                return None;
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let group = syntax::language_of(path, &text).map(|language| language.group());
            Some(TextFile { path: path.to_string(), group, text })
        });
        Texts { files: files.collect() }
    }

    /// Finds a name between characters that no word has, in the files whose languages share names
    /// with that of `home`.
    pub(crate) fn places(&self, name: &str, home: &str) -> Vec<NamePlace<'_>> {
        let group = self.files.iter().find(|file| file.path == home).and_then(|file| file.group);
        let mut places = Vec::new();
        for file in self.files.iter().filter(|file| file.group == group) {
            let (mut line, mut line_start) = (1, 0);
            for at in occurrences(&file.text, name) {
                line += file.text[line_start..at].matches('\n').count() as u32;
                line_start = file.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
                places.push((file.path.as_str(), line, (at - line_start) as u32 + 1));
            }
        }
        places
    }
}

/// Says what is wrong with an account; `places` are the places of its name.
pub(crate) fn flaw(accounting: &Accounting, places: &[NamePlace<'_>]) -> Option<String> {
    let uses = accounting.definitions + accounting.proven;
    let sum = uses + accounting.likely + accounting.possible + accounting.other + accounting.text;
    if sum != accounting.occurrences {
        return Some(format!("the classes of `{}` add up to {sum}: {accounting:?}", accounting.name));
    }
    let wrong = places.len() != accounting.occurrences && accounting.unread.is_empty();
    wrong.then(|| format!("`{}` occurs {} times: {accounting:?}", accounting.name, places.len()))
}

/// Returns the offsets of the places that have `name` between characters that no word has.
fn occurrences(text: &str, name: &str) -> Vec<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(name).map(|at| at + from) {
        let end = at + name.len();
        let before = text[..at].chars().next_back();
        let after = text[end..].chars().next();
        let is_whole = !before.is_some_and(is_word) && !after.is_some_and(is_word);
        found.extend(is_whole.then_some(at));
        from = if is_whole { end } else { at + text[at..].chars().next().map_or(1, char::len_utf8) };
    }
    found
}
