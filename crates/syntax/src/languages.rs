//! The table of languages: one row each; everything else about a language stands in its folder.
//!
//! A row names the folder's `language.toml`, its query files and its grammar. What queries cannot say is a function
//! named in the row, which lives in a file of `hooks/` and is used by nobody else.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use tree_sitter_language::LanguageFn;

use regex::Regex;

use crate::classes::NodeClasses;
use crate::extract::CompiledQuery;
use crate::facts::Kind;
use crate::hooks::{self, ImportHook, MadeHook, OutlineHook, PieceHook};
use crate::settings::{Content, CtagsRules, ResolveRules, Settings};

/// One supported language.
pub struct Language {
    /// The stable lower-case name used in answers, filters and the store.
    pub name: &'static str,
    settings: &'static str,
    queries: &'static [&'static str],
    /// `None` for a language that is read by `outline_hook`.
    grammar: Option<LanguageFn>,
    /// Expands an `@import.tree` capture into single imports.
    pub(crate) import_hook: Option<ImportHook>,
    /// Reads the outline of a text where no grammar does.
    pub(crate) outline_hook: Option<OutlineHook>,
    /// Cuts a text into pieces that are parsed one by one.
    pub(crate) piece_hook: Option<PieceHook>,
    /// Finds names that macros make definitions of.
    pub(crate) made_hook: Option<MadeHook>,
    parsed_settings: OnceLock<Settings>,
    resync: OnceLock<Option<Regex>>,
    compiled: OnceLock<Compiled>,
}

/// A language ready to parse with.
pub(crate) struct Compiled {
    pub grammar: tree_sitter::Language,
    pub query: CompiledQuery,
    disguises: Vec<(Regex, Vec<String>)>,
}

impl Compiled {
    /// `text` as the parser is to see it; every byte keeps its place.
    pub(crate) fn disguised<'text>(&self, text: &'text str) -> Cow<'text, str> {
        let mut shown = Cow::Borrowed(text);
        for (find, groups) in &self.disguises {
            let mut next = 0;
            while let Some(found) = (next <= text.len()).then(|| find.captures_at(text, next)).flatten() {
                let whole = found.get_match();
                // What follows the last group is only looked at.
                let groups_end = found.iter().skip(1).flatten().map(|group| group.end()).max();
                next = text.ceil_char_boundary(groups_end.unwrap_or(whole.end()).max(whole.start() + 1));
                for (number, group) in found.iter().skip(1).enumerate() {
                    let Some(group) = group else { continue };
                    let Some(disguise) = groups.get(number).or(groups.last()) else { continue };
                    if let Some(read_as) = read_as(group.as_str(), disguise) {
                        shown.to_mut().replace_range(group.range(), &read_as);
                    }
                }
            }
        }
        shown
    }
}

/// What `text` is shown as: one character for all of its bytes but line ends, or as many as it has.
fn read_as(text: &str, disguise: &str) -> Option<String> {
    let mut characters = disguise.chars();
    match (characters.next()?, characters.next()) {
        (one, None) if one.is_ascii() => {
            let shown = |byte: u8| if matches!(byte, b'\n' | b'\r') { char::from(byte) } else { one };
            Some(text.bytes().map(shown).collect())
        }
        _ => (disguise.len() == text.len()).then(|| disguise.to_string()),
    }
}

macro_rules! language {
    ($name:literal, $grammar:expr, $queries:tt, $hook:expr) => {
        language!($name, $grammar, $queries, $hook, None, None)
    };
    ($name:literal, $grammar:expr, $queries:tt, $hook:expr, $pieces:expr) => {
        language!($name, $grammar, $queries, $hook, $pieces, None)
    };
    ($name:literal, $grammar:expr, [$($query:literal),+], $hook:expr, $pieces:expr, $made:expr) => {
        Language {
            name: $name,
            settings: include_str!(concat!("../languages/", $name, "/language.toml")),
            queries: &[$(include_str!(concat!("../languages/", $query))),+],
            grammar: Some($grammar),
            import_hook: $hook,
            outline_hook: None,
            piece_hook: $pieces,
            made_hook: $made,
            parsed_settings: OnceLock::new(),
            resync: OnceLock::new(),
            compiled: OnceLock::new(),
        }
    };
    ($name:literal, outline $hook:expr) => {
        Language {
            name: $name,
            settings: include_str!(concat!("../languages/", $name, "/language.toml")),
            queries: &[],
            grammar: None,
            import_hook: None,
            outline_hook: Some($hook),
            piece_hook: None,
            made_hook: None,
            parsed_settings: OnceLock::new(),
            resync: OnceLock::new(),
            compiled: OnceLock::new(),
        }
    };
}

static LANGUAGES: [Language; 29] = [
    language!("bash", tree_sitter_bash::LANGUAGE, ["bash/tags.scm", "bash/imports.scm"], None),
    language!("c", tree_sitter_c::LANGUAGE, ["c/tags.scm", "c/c.scm", "c/imports.scm", "c/bindings.scm"], None),
    language!(
        "cpp",
        tree_sitter_cpp::LANGUAGE,
        ["c/tags.scm", "cpp/tags.scm", "c/imports.scm", "cpp/imports.scm", "c/bindings.scm", "cpp/bindings.scm"],
        None
    ),
    language!(
        "csharp",
        tree_sitter_c_sharp::LANGUAGE,
        ["csharp/tags.scm", "csharp/imports.scm", "csharp/bindings.scm"],
        None
    ),
    language!("dart", tree_sitter_dart::LANGUAGE, ["dart/tags.scm", "dart/imports.scm", "dart/bindings.scm"], None),
    language!(
        "elixir",
        tree_sitter_elixir::LANGUAGE,
        ["elixir/tags.scm", "elixir/imports.scm", "elixir/bindings.scm"],
        None
    ),
    language!("go", tree_sitter_go::LANGUAGE, ["go/tags.scm", "go/imports.scm", "go/bindings.scm"], None),
    language!("gomod", outline hooks::gomod::directives),
    language!("haskell", tree_sitter_haskell::LANGUAGE, ["haskell/tags.scm", "haskell/imports.scm"], None),
    language!("hcl", tree_sitter_hcl::LANGUAGE, ["hcl/tags.scm"], None),
    language!("java", tree_sitter_java::LANGUAGE, ["java/tags.scm", "java/imports.scm", "java/bindings.scm"], None),
    language!(
        "javascript",
        tree_sitter_javascript::LANGUAGE,
        [
            "javascript/tags.scm",
            "javascript/objects.scm",
            "javascript/javascript.scm",
            "javascript/jsx.scm",
            "javascript/imports.scm",
            "javascript/bindings.scm"
        ],
        None
    ),
    language!("json", tree_sitter_json::LANGUAGE, ["json/tags.scm"], None),
    language!(
        "kotlin",
        tree_sitter_kotlin_ng::LANGUAGE,
        ["kotlin/tags.scm", "kotlin/imports.scm", "kotlin/bindings.scm"],
        None
    ),
    language!("lua", tree_sitter_lua::LANGUAGE, ["lua/tags.scm", "lua/imports.scm", "lua/bindings.scm"], None),
    language!("markdown", tree_sitter_md::LANGUAGE, ["markdown/tags.scm"], None),
    language!("php", tree_sitter_php::LANGUAGE_PHP, ["php/tags.scm", "php/imports.scm", "php/bindings.scm"], None),
    language!("protobuf", tree_sitter_proto::LANGUAGE, ["protobuf/tags.scm", "protobuf/imports.scm"], None),
    language!(
        "python",
        tree_sitter_python::LANGUAGE,
        ["python/tags.scm", "python/imports.scm", "python/bindings.scm"],
        None
    ),
    language!("ruby", tree_sitter_ruby::LANGUAGE, ["ruby/tags.scm", "ruby/imports.scm", "ruby/bindings.scm"], None),
    language!(
        "rust",
        tree_sitter_rust::LANGUAGE,
        ["rust/tags.scm", "rust/imports.scm", "rust/bindings.scm"],
        Some(hooks::rust::use_tree),
        None,
        Some(hooks::rust_macros::made_names)
    ),
    language!(
        "scala",
        tree_sitter_scala::LANGUAGE,
        ["scala/tags.scm", "scala/imports.scm", "scala/bindings.scm"],
        Some(hooks::scala::import_clause)
    ),
    language!("sql", tree_sitter_sequel::LANGUAGE, ["sql/tags.scm"], None, Some(hooks::sql::statements)),
    language!(
        "swift",
        tree_sitter_swift::LANGUAGE,
        ["swift/tags.scm", "swift/imports.scm", "swift/bindings.scm"],
        None
    ),
    language!("toml", tree_sitter_toml_ng::LANGUAGE, ["toml/tags.scm"], None),
    language!(
        "tsx",
        tree_sitter_typescript::LANGUAGE_TSX,
        [
            "javascript/tags.scm",
            "javascript/objects.scm",
            "typescript/tags.scm",
            "javascript/jsx.scm",
            "javascript/imports.scm",
            "typescript/imports.scm",
            "javascript/bindings.scm",
            "typescript/bindings.scm"
        ],
        None
    ),
    language!(
        "typescript",
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        [
            "javascript/tags.scm",
            "javascript/objects.scm",
            "typescript/tags.scm",
            "javascript/imports.scm",
            "typescript/imports.scm",
            "javascript/bindings.scm",
            "typescript/bindings.scm"
        ],
        None
    ),
    language!("yaml", outline hooks::yaml::keys),
    language!("zig", tree_sitter_zig::LANGUAGE, ["zig/tags.scm", "zig/imports.scm", "zig/bindings.scm"], None),
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

    /// Whole names of files that are the language's.
    pub fn filenames(&self) -> &[String] {
        &self.settings().filenames
    }

    /// How Universal Ctags sees the language, if it knows it.
    pub fn ctags(&self) -> Option<&CtagsRules> {
        Some(&self.settings().ctags).filter(|rules| !rules.language.is_empty())
    }

    /// Whether all definitions of this kind with one qualified name are one symbol.
    pub fn is_open(&self, kind: Kind) -> bool {
        self.settings().open_kinds.iter().any(|word| word == kind.as_str())
    }

    /// Whether clauses of one function are one definition.
    pub fn merges_clauses(&self) -> bool {
        !self.settings().merge_clauses.is_empty()
    }

    /// True when a grammar and queries read it, false when a hook reads its outline.
    pub fn has_grammar(&self) -> bool {
        self.grammar.is_some()
    }

    /// True for a programming language, false for texts and data that only have an outline.
    pub fn is_code(&self) -> bool {
        self.settings().content == Content::Code
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

    /// Whether the numbers of arguments and parameters must fit each other, and facts have them.
    pub fn counts_arguments(&self) -> bool {
        !self.settings().arguments.lists.is_empty()
    }

    /// Whether a parameter with a colon is a keyword, and an argument for it is not counted.
    pub fn has_keyword_parameters(&self) -> bool {
        self.settings().arguments.keywords
    }

    /// What stands between a parameter and its default value.
    pub fn default_mark(&self) -> &str {
        self.settings().arguments.default_mark.as_deref().unwrap_or("=")
    }

    /// How names are resolved.
    pub fn resolve_rules(&self) -> &ResolveRules {
        &self.settings().resolve
    }

    /// Languages with the same word here use each other's definitions.
    pub fn group(&self) -> &str {
        let group = self.settings().resolve.group.as_str();
        if group.is_empty() { self.name } else { group }
    }

    /// What stands for its folder (`mod`, `index`, `__init__`).
    pub fn index_stems(&self) -> &[String] {
        &self.settings().module.index_stems
    }

    pub(crate) fn settings(&self) -> &Settings {
        self.parsed_settings.get_or_init(|| {
            Settings::from_toml(self.settings).expect("every language.toml is read by the tests of this crate")
        })
    }

    pub(crate) fn compiled(&self) -> &Compiled {
        self.compiled.get_or_init(|| self.compile().expect("every query is compiled by the tests of this crate"))
    }

    /// What the node kinds of the grammar mean.
    pub(crate) fn node_classes(&self) -> &NodeClasses {
        let compiled = self.compiled();
        compiled.query.classes.get_or_init(|| NodeClasses::new(&compiled.grammar, self.settings()))
    }

    /// Finds the ends of top-level definitions in broken code.
    pub(crate) fn resync_after(&self) -> Option<&Regex> {
        let compile = || self.settings().resync_after.as_deref().and_then(|expression| Regex::new(expression).ok());
        self.resync.get_or_init(compile).as_ref()
    }

    /// The text of all query files together.
    pub(crate) fn query_source(&self) -> String {
        self.queries.concat()
    }

    /// Compiles the language's queries against its grammar; the error names the place.
    pub(crate) fn compile(&self) -> Result<Compiled, String> {
        let grammar =
            self.grammar.map(tree_sitter::Language::new).ok_or_else(|| format!("{} has no grammar", self.name))?;
        let query =
            CompiledQuery::new(&grammar, &self.query_source()).map_err(|error| format!("{}: {error}", self.name))?;
        let mut disguises = Vec::new();
        for disguise in &self.settings().disguises {
            let find = Regex::new(&disguise.find).map_err(|error| format!("{}: {error}", self.name))?;
            disguises.push((find, disguise.groups.clone()));
        }
        Ok(Compiled { grammar, query, disguises })
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

/// The language of a file, by its name, then its extension (and its text where two languages share one), then its
/// `#!` line.
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

/// How much of a text is looked at to tell two languages apart.
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
    fn every_language_compiles() {
        for language in all() {
            Settings::from_toml(language.settings).unwrap_or_else(|error| panic!("{}: {error}", language.name));
            if language.grammar.is_none() {
                continue;
            }
            match language.compile() {
                Ok(compiled) => assert_eq!(compiled.query.bad_expression(), None, "{}", language.name),
                Err(error) => panic!("{error}"),
            }
            let settings = language.settings();
            for expression in settings.contested.values().chain(&settings.resync_after) {
                assert!(Regex::new(expression).is_ok(), "{}: {expression}", language.name);
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
    fn no_two_languages_claim_a_file() {
        let mut claims = std::collections::HashSet::new();
        for language in all() {
            let settings = language.settings();
            for (how, list) in
                [("extension", &settings.extensions), ("name", &settings.filenames), ("#!", &settings.shebangs)]
            {
                for claim in list {
                    assert!(claims.insert((how, claim)), "{how} {claim} is claimed by {} and another", language.name);
                }
            }
        }
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
