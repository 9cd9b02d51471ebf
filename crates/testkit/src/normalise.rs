//! Names for everything in a text that depends on chance.

use std::path::Path;

/// Replaces the two directories, the hash and size of a store below `home`, and the words of the
/// operating system.
pub(crate) fn normalise(home: &Path, root: &Path, text: &str) -> String {
    let text = text.replace(&home.display().to_string(), "HOME").replace(&root.display().to_string(), "ROOT");
    let normalised = text.split('\n').map(|line| {
        const STORE: &str = "HOME/stores/workspace-";
        let line = without_system_error(line);
        let mut parts = line.split(STORE);
        let mut shown = parts.next().unwrap_or_default().to_string();
        for part in parts {
            let after = part.trim_start_matches(|c: char| c.is_ascii_hexdigit());
            shown.push_str(&format!("{STORE}HASH{after}"));
        }
        let signs = ["text index ", " unpacked", " view, ", "the store has ", STORE];
        let has_sizes = signs.iter().any(|sign| shown.contains(sign));
        if has_sizes { without_size(&shown) } else { shown }
    });
    normalised.collect::<Vec<_>>().join("\n")
}

/// Replaces `No such file or directory (os error 2)`, or what another system says, by `SYSTEM
/// ERROR`.
fn without_system_error(line: &str) -> String {
    let parts = line.split_once(" (os error ").and_then(|(before, after)| Some((before, after.split_once(')')?.1)));
    let Some((before, after)) = parts else { return line.to_string() };
    let start = before.rfind(": ").map_or(0, |at| at + 2);
    format!("{}SYSTEM ERROR{after}", &before[..start])
}

/// Replaces all that `12 B`, `3.4 KB` or `5.6 MB` says by `SIZE`.
fn without_size(text: &str) -> String {
    let mut text = text.to_string();
    for unit in [" KB", " MB", " B"] {
        let mut from = 0;
        while let Some(end) = text[from..].find(unit).map(|at| from + at) {
            let start = text[..end].trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').len();
            from = end + unit.len();
            if start < end {
                text.replace_range(start..from, "SIZE");
                from = start;
            }
        }
    }
    text
}
