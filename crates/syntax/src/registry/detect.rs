//! Detection of the language of a file: by its name, its extension, its text or its `#!` line.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use regex::Regex;

use super::Language;
use super::table::LANGUAGES;

/// Finds the language of a file by its name, then its extension (and its text where two languages
/// share one), then its `#!` line.
pub fn language_of(path: &str, text: &str) -> Option<&'static Language> {
    let file_name = path.rsplit('/').next().unwrap_or(path);
    if let Some(language) = DETECTION.filenames.get(file_name) {
        return Some(language);
    }
    if let Some((_, extension)) = file_name.rsplit_once('.') {
        let extension = extension.to_ascii_lowercase();
        let head = &text[..text.floor_char_boundary(CONTESTED_BYTES)];
        let contesting =
            DETECTION.contested.iter().find(|contest| contest.extension == extension && contest.wins(head));
        return contesting
            .map(|contest| contest.language)
            .or_else(|| DETECTION.extensions.get(extension.as_str()).copied());
    }
    let interpreter = text.lines().next()?.strip_prefix("#!")?;
    let mut words = interpreter.split_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    DETECTION.shebangs.get(program).or_else(|| DETECTION.shebangs.get(bare)).copied()
}

/// So many bytes of a text are looked at to tell two languages apart.
const CONTESTED_BYTES: usize = 64 * 1024;

/// An extension that is this language's when the text looks like it.
struct Contest {
    extension: &'static str,
    language: &'static Language,
    expression: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Contest {
    fn wins(&self, text: &str) -> bool {
        let expression = self.compiled.get_or_init(|| Regex::new(self.expression).ok());
        expression.as_ref().is_some_and(|expression| expression.is_match(text))
    }
}

struct Detection {
    extensions: HashMap<&'static str, &'static Language>,
    filenames: HashMap<&'static str, &'static Language>,
    shebangs: HashMap<&'static str, &'static Language>,
    contested: Vec<Contest>,
}

static DETECTION: LazyLock<Detection> = LazyLock::new(|| {
    let mut detection = Detection {
        extensions: HashMap::new(),
        filenames: HashMap::new(),
        shebangs: HashMap::new(),
        contested: Vec::new(),
    };
    for language in &LANGUAGES {
        let settings = language.settings();
        detection.extensions.extend(settings.extensions.iter().map(|e| (e.as_str(), language)));
        detection.filenames.extend(settings.filenames.iter().map(|f| (f.as_str(), language)));
        detection.shebangs.extend(settings.shebangs.iter().map(|s| (s.as_str(), language)));
        detection.contested.extend(settings.contested.iter().map(|(extension, expression)| Contest {
            extension,
            language,
            expression,
            compiled: OnceLock::new(),
        }));
    }
    detection
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_by_extension_and_shebang() {
        assert_eq!(language_of("a/b.rs", "").unwrap().name, "rust");
        assert_eq!(language_of("a/B.PY", "").unwrap().name, "python");
        assert_eq!(language_of("bin/tool", "#!/usr/bin/env -S python3.11 -u").unwrap().name, "python");
        assert!(language_of("LICENSE", "Permission is hereby granted").is_none());
    }
}
