//! Definitions and names to ask about, chosen at random and the same for the same seed.

use codecompass_engine::query::HitKind;
use codecompass_engine::syntax::facts::Kind;
use codecompass_testkit::Random;

use super::tree::CheckedTree;

/// A name in the text of a file.
pub(super) struct Word {
    pub(super) path: String,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) text: String,
}

/// Chooses so many definitions; returns the arguments that mean them.
pub(super) fn definitions(tree: &CheckedTree<'_>, count: usize, random: &mut Random) -> Vec<String> {
    let mut found = Vec::new();
    for path in tree.snapshot.paths() {
        for node in tree.definitions(path) {
            if !node.name.is_empty() && !node.kind.is_outline_only() && node.kind != Kind::Impl {
                found.push((path, node));
            }
        }
    }
    let mut places = Vec::new();
    while places.len() < count && !found.is_empty() {
        let (path, node) = found.swap_remove(random.below(found.len() as u64) as usize);
        let (first, last, kind) = (node.line_start, node.line_end, HitKind::Symbol(node.kind));
        // Attributes and comments may stand before the name.
        let place = (first..=last.min(first + 20)).find_map(|line| tree.place(path, line, &node.name, kind));
        places.extend(place.filter(|place| !places.contains(place)));
    }
    places
}

/// Chooses so many names in the texts of files.
pub(super) fn words(tree: &CheckedTree<'_>, count: usize, random: &mut Random) -> Vec<Word> {
    let mut found = Vec::new();
    for path in tree.snapshot.paths() {
        for (number, written) in tree.text(path).lines().enumerate() {
            let words = words_of(written).into_iter();
            found.extend(words.map(|(column, text)| (path, number as u32 + 1, column, text.len())));
        }
    }
    let mut chosen = Vec::new();
    while chosen.len() < count && !found.is_empty() {
        let (path, line, column, length) = found.swap_remove(random.below(found.len() as u64) as usize);
        let written = tree.text(path);
        let start = column as usize - 1;
        let text = written.lines().nth(line as usize - 1).and_then(|written| written.get(start..start + length));
        chosen.push(Word { path: path.to_string(), line, column, text: text.unwrap_or("").to_string() });
    }
    chosen
}

/// Returns the words of a line that may be names, with their columns in bytes from 1.
fn words_of(line: &str) -> Vec<(u32, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for word in line.split(|c: char| !is_word(c)) {
        let at = word.as_ptr() as usize - line.as_ptr() as usize;
        if word.len() > 1 && !word.starts_with(|c: char| c.is_ascii_digit()) {
            found.push((at as u32 + 1, word));
        }
    }
    found
}
