//! Checks the account of a name's occurrences with a scanner that shares no code with the indexer.

use std::path::Path;

use codecompass_engine::query::Accounting;
use codecompass_engine::{Snapshot, syntax};

/// Says what is wrong with the account of a symbol in `home`; the texts are read below `root`.
pub(crate) fn flaw(accounting: &Accounting, snapshot: &Snapshot, root: &Path, home: &str) -> Option<String> {
    let sum = accounting.proven + accounting.likely + accounting.possible + accounting.other + accounting.text;
    if sum != accounting.occurrences {
        return Some(format!("the classes of `{}` add up to {sum}: {accounting:?}", accounting.name));
    }
    let group = |path: &str| syntax::language_of(path, "").map(|language| language.group());
    let mut counted = 0;
    for path in snapshot.paths().filter(|path| group(path) == group(home)) {
        let Ok(bytes) = std::fs::read(root.join(path)) else { continue };
        counted += occurrences(&String::from_utf8_lossy(&bytes), &accounting.name);
    }
    let wrong = counted != accounting.occurrences && accounting.unread.is_empty();
    wrong.then(|| format!("`{}` occurs {counted} times: {accounting:?}", accounting.name))
}

/// Counts the places that have `name` between characters that no word has.
fn occurrences(text: &str, name: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut count = 0;
    let mut from = 0;
    while let Some(at) = text[from..].find(name).map(|at| at + from) {
        let end = at + name.len();
        let before = text[..at].chars().next_back();
        let after = text[end..].chars().next();
        let is_whole = !before.is_some_and(is_word) && !after.is_some_and(is_word);
        count += usize::from(is_whole);
        from = if is_whole { end } else { at + text[at..].chars().next().map_or(1, char::len_utf8) };
    }
    count
}
