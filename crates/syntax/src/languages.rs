//! The table of languages: one row each; everything else about a language stands in its folder.
//!
//! A row names the folder's `language.toml`, its query files and its grammar. What queries cannot say is a function
//! named in the row, which lives in `hooks.rs` and is used by nobody else.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use tree_sitter_language::LanguageFn;

use crate::extract::CompiledQuery;
use crate::hooks::{self, ImportHook};
use crate::settings::Settings;

/// One supported language.
pub struct Language {
    /// The stable lower-case name used in answers, filters and the store.
    pub name: &'static str,
    settings: &'static str,
    queries: &'static [&'static str],
    grammar: LanguageFn,
    /// Expands an `@import.tree` capture into single imports.
    pub(crate) import_hook: Option<ImportHook>,
    parsed_settings: OnceLock<Settings>,
    compiled: OnceLock<Compiled>,
}

/// A language ready to parse with.
pub(crate) struct Compiled {
    pub grammar: tree_sitter::Language,
    pub query: CompiledQuery,
}

macro_rules! language {
    ($name:literal, $grammar:expr, [$($query:literal),+], $hook:expr) => {
        Language {
            name: $name,
            settings: include_str!(concat!("../languages/", $name, "/language.toml")),
            queries: &[$(include_str!(concat!("../languages/", $query))),+],
            grammar: $grammar,
            import_hook: $hook,
            parsed_settings: OnceLock::new(),
            compiled: OnceLock::new(),
        }
    };
}

static LANGUAGES: [Language; 6] = [
    language!("go", tree_sitter_go::LANGUAGE, ["go/tags.scm", "go/imports.scm"], None),
    language!(
        "javascript",
        tree_sitter_javascript::LANGUAGE,
        ["javascript/tags.scm", "javascript/javascript.scm", "javascript/jsx.scm", "javascript/imports.scm"],
        None
    ),
    language!("python", tree_sitter_python::LANGUAGE, ["python/tags.scm", "python/imports.scm"], None),
    language!("rust", tree_sitter_rust::LANGUAGE, ["rust/tags.scm", "rust/imports.scm"], Some(hooks::rust_use_tree)),
    language!(
        "tsx",
        tree_sitter_typescript::LANGUAGE_TSX,
        [
            "javascript/tags.scm",
            "typescript/tags.scm",
            "javascript/jsx.scm",
            "javascript/imports.scm",
            "typescript/imports.scm"
        ],
        None
    ),
    language!(
        "typescript",
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        ["javascript/tags.scm", "typescript/tags.scm", "javascript/imports.scm", "typescript/imports.scm"],
        None
    ),
];

impl Language {
    /// The name people use.
    pub fn display_name(&self) -> &str {
        &self.settings().display_name
    }

    /// File extensions without the dot.
    pub fn extensions(&self) -> &[String] {
        &self.settings().extensions
    }

    /// What stands between the parts of a qualified name.
    pub fn separator(&self) -> &str {
        &self.settings().separator
    }

    /// The module path that a file's path stands for, as the language's users write it.
    pub fn module_path(&self, path: &str) -> String {
        let rules = &self.settings().module;
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        let mut parts: Vec<&str> = stem.split('/').collect();
        if rules.folder_is_module || parts.last().is_some_and(|last| rules.index_stems.iter().any(|s| s == last)) {
            parts.pop();
        }
        if let Some(root) = parts.iter().rposition(|part| rules.roots.iter().any(|r| r == part)) {
            // `crates/engine/src/store/db.rs` is `engine::store::db`: the folder above `src` names the crate.
            let keep = if root > 0 { vec![parts[root - 1]] } else { Vec::new() };
            parts = keep.into_iter().chain(parts[root + 1..].iter().copied()).collect();
        }
        parts.join(&self.settings().separator)
    }

    pub(crate) fn settings(&self) -> &Settings {
        self.parsed_settings.get_or_init(|| {
            Settings::from_toml(self.settings).expect("every language.toml is read by the tests of this crate")
        })
    }

    pub(crate) fn compiled(&self) -> &Compiled {
        self.compiled.get_or_init(|| self.compile().expect("every query is compiled by the tests of this crate"))
    }

    /// The text of all query files together.
    pub(crate) fn query_source(&self) -> String {
        self.queries.concat()
    }

    /// Compiles the language's queries against its grammar; the error names the place.
    pub(crate) fn compile(&self) -> Result<Compiled, String> {
        let grammar = tree_sitter::Language::new(self.grammar);
        let query =
            CompiledQuery::new(&grammar, &self.query_source()).map_err(|error| format!("{}: {error}", self.name))?;
        Ok(Compiled { grammar, query })
    }
}

/// All languages, sorted by name.
pub fn all() -> &'static [Language] {
    &LANGUAGES
}

/// The language called `name`.
pub fn language_named(name: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.name == name)
}

/// The language of a file, by its name, then its extension, then its `#!` line.
pub fn language_of(path: &str, first_line: &str) -> Option<&'static Language> {
    let file_name = path.rsplit('/').next().unwrap_or(path);
    if let Some(language) = DETECTION.filenames.get(file_name) {
        return Some(language);
    }
    if let Some((_, extension)) = file_name.rsplit_once('.') {
        return DETECTION.extensions.get(extension.to_ascii_lowercase().as_str()).copied();
    }
    let interpreter = first_line.strip_prefix("#!")?;
    let mut words = interpreter.split_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    DETECTION.shebangs.get(program).or_else(|| DETECTION.shebangs.get(bare)).copied()
}

struct Detection {
    extensions: HashMap<&'static str, &'static Language>,
    filenames: HashMap<&'static str, &'static Language>,
    shebangs: HashMap<&'static str, &'static Language>,
}

static DETECTION: LazyLock<Detection> = LazyLock::new(|| {
    let mut detection = Detection { extensions: HashMap::new(), filenames: HashMap::new(), shebangs: HashMap::new() };
    for language in &LANGUAGES {
        let settings = language.settings();
        detection.extensions.extend(settings.extensions.iter().map(|e| (e.as_str(), language)));
        detection.filenames.extend(settings.filenames.iter().map(|f| (f.as_str(), language)));
        detection.shebangs.extend(settings.shebangs.iter().map(|s| (s.as_str(), language)));
    }
    detection
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_compiles() {
        for language in all() {
            Settings::from_toml(language.settings).unwrap_or_else(|error| panic!("{}: {error}", language.name));
            match language.compile() {
                Ok(compiled) => assert_eq!(compiled.query.bad_expression(), None, "{}", language.name),
                Err(error) => panic!("{error}"),
            }
        }
    }

    #[test]
    fn every_folder_has_a_row() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/languages");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(language_named(&name).is_some(), "languages/{name} has no row in LANGUAGES");
        }
        assert!(LANGUAGES.is_sorted_by_key(|language| language.name));
    }

    #[test]
    fn detects_by_extension_and_shebang() {
        assert_eq!(language_of("a/b.rs", "").unwrap().name, "rust");
        assert_eq!(language_of("a/B.PY", "").unwrap().name, "python");
        assert_eq!(language_of("bin/tool", "#!/usr/bin/env -S python3.11 -u").unwrap().name, "python");
        assert!(language_of("LICENSE", "Permission is hereby granted").is_none());
    }

    #[test]
    fn module_paths() {
        let rust = language_named("rust").unwrap();
        assert_eq!(rust.module_path("crates/engine/src/store/db.rs"), "engine::store::db");
        assert_eq!(rust.module_path("src/store/mod.rs"), "store");
        let python = language_named("python").unwrap();
        assert_eq!(python.module_path("django/db/models/__init__.py"), "django.db.models");
        assert_eq!(language_named("go").unwrap().module_path("net/http/server.go"), "net.http");
    }
}
