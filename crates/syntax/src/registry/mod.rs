//! The languages: `table` has one row each, `detect` finds the language of a file, `compiled`
//! is what a row becomes when it is first used.

mod compiled;
mod detect;
mod table;

use tree_sitter_language::LanguageFn;

use self::compiled::Runtime;
pub use self::detect::language_of;
use self::table::LANGUAGES;
use crate::facts::{Definition, Kind};
use crate::hooks::Hooks;
use crate::settings::{AlternativeScope, Content, CtagsRules, HideUnread, ResolveRules};

/// One supported language.
pub struct Language {
    /// The stable lower-case name used in answers, filters and the store.
    pub name: &'static str,
    settings: &'static str,
    queries: &'static [&'static str],
    /// `None` for a language that is read by an outline hook.
    grammar: Option<LanguageFn>,
    pub(crate) hooks: Hooks,
    runtime: Runtime,
}

/// The files in which the definitions of one symbol stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartScope {
    /// The files of one project.
    Project,
    /// All files of the view.
    View,
}

/// Returns all languages, sorted by name.
pub fn all() -> &'static [Language] {
    &LANGUAGES
}

/// Returns the language called `name`.
pub fn language_named(name: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.name == name)
}

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

    /// Returns the rules for comparing with Universal Ctags, if it knows the language.
    pub fn ctags(&self) -> Option<&CtagsRules> {
        Some(&self.settings().ctags).filter(|rules| !rules.language.is_empty())
    }

    /// Returns whether all definitions of this kind with one qualified name are one symbol.
    pub fn is_open(&self, kind: Kind) -> bool {
        self.settings().open_kinds.iter().any(|word| word == kind.as_str())
    }

    /// Returns the definitions that make up one symbol with `definition`, if others of its
    /// qualified name do.
    pub fn part_scope(&self, definition: &Definition) -> Option<PartScope> {
        let settings = self.settings();
        if self.is_open(definition.kind) {
            Some(PartScope::View)
        } else if settings.part_modifiers.iter().any(|word| definition.modifiers.contains(word)) {
            Some(PartScope::Project)
        } else {
            None
        }
    }

    /// Returns whether other definitions may be the same symbol as one: its parts, or alternatives
    /// for other conditions.
    pub fn may_have_parts(&self, definition: &Definition) -> bool {
        let rules = self.resolve_rules();
        let has_alternatives =
            rules.alternatives != AlternativeScope::Unknown || !rules.alternative_modifiers.is_empty();
        has_alternatives || self.part_scope(definition).is_some()
    }

    /// Returns whether clauses of one function are one definition.
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

    /// Returns whether what the grammar cannot read is hidden from it whatever else is found.
    pub(crate) fn always_hides_unread(&self) -> bool {
        self.settings().hide_unread == HideUnread::Always
    }

    /// Returns the separator before the name of a member of this kind, if it is another than
    /// between other parts of a qualified name.
    pub fn member_separator(&self, kind: Kind) -> Option<&str> {
        self.settings().member_separators.get(kind.as_str()).map(String::as_str)
    }

    /// Returns the separator between the parts of a qualified name.
    pub fn separator(&self) -> &str {
        &self.settings().separator
    }

    /// Returns the module path that a file's path stands for, as the language's users write it.
    pub fn module_path(&self, path: &str) -> String {
        let rules = &self.settings().module;
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        let mut parts: Vec<&str> = stem.split('/').collect();
        if rules.folder_is_module || parts.last().is_some_and(|last| rules.index_stems.iter().any(|s| s == last)) {
            parts.pop();
        }
        if let Some(root) = parts.iter().rposition(|part| rules.roots.iter().any(|r| r == part)) {
            // `crates/engine/src/store/db.rs` is `engine::store::db`: the folder above `src` names
            // the crate.
            let keep = if root > 0 { vec![parts[root - 1]] } else { Vec::new() };
            parts = keep.into_iter().chain(parts[root + 1..].iter().copied()).collect();
        }
        parts.join(&self.settings().separator)
    }

    /// Returns whether a file's module, or one around it, is not for use from outside by its name.
    pub fn hides_module(&self, path: &str) -> bool {
        let rules = &self.settings().visibility;
        let is_hidden = |part: &str| {
            let is_framed = rules.always_public_affix.as_deref().is_some_and(|affix| part.ends_with(affix));
            let is_private = rules.prefixes.keys().any(|prefix| part.starts_with(prefix.as_str()));
            is_private && !is_framed || rules.hidden_folders.iter().any(|folder| folder == part)
        };
        self.module_path(path).split(self.separator()).any(is_hidden)
    }

    /// Returns whether the numbers of arguments and parameters must fit each other, and facts have
    /// them.
    pub fn counts_arguments(&self) -> bool {
        !self.settings().arguments.lists.is_empty()
    }

    /// Returns whether it is kept what the arguments of calls are.
    pub fn types_arguments(&self) -> bool {
        !self.settings().arguments.types.is_empty()
    }

    /// Returns the type of what a method gives that all objects have.
    pub fn result_of_any(&self, method: &str) -> Option<&str> {
        self.settings().arguments.results.get(method).map(String::as_str)
    }

    /// Returns the names of members that are constructors.
    pub fn constructor_names(&self) -> &[String] {
        &self.settings().constructors
    }

    /// Returns whether a member of this name is a constructor.
    pub fn names_constructor(&self, name: &str) -> bool {
        self.constructor_names().iter().any(|known| known == name)
    }

    /// Returns the rules by which names are resolved.
    pub fn resolve_rules(&self) -> &ResolveRules {
        &self.settings().resolve
    }

    /// Returns the name of the language that it is a form of, empty if it is none.
    pub fn dialect_of(&self) -> &str {
        &self.settings().dialect_of
    }

    /// Languages with the same word here use each other's definitions.
    pub fn group(&self) -> &str {
        let group = self.settings().resolve.group.as_str();
        if group.is_empty() { self.name } else { group }
    }

    /// Returns the file stems that stand for their folder (`mod`, `index`, `__init__`).
    pub fn index_stems(&self) -> &[String] {
        &self.settings().module.index_stems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn module_paths() {
        let rust = language_named("rust").unwrap();
        assert_eq!(rust.module_path("crates/engine/src/store/db.rs"), "engine::store::db");
        assert_eq!(rust.module_path("src/store/mod.rs"), "store");
        let python = language_named("python").unwrap();
        assert_eq!(python.module_path("django/db/models/__init__.py"), "django.db.models");
        assert_eq!(language_named("go").unwrap().module_path("net/http/server.go"), "net.http");
    }

    #[test]
    fn hidden_modules() {
        let hides = |language: &str, path: &str| language_named(language).unwrap().hides_module(path);
        assert!(hides("python", "pkg/_internal/util.py") && hides("python", "pkg/_util.py"));
        assert!(!hides("python", "pkg/__init__.py") && !hides("python", "pkg/__main__.py"));
        assert!(hides("go", "net/internal/socket/socket.go") && !hides("go", "net/http/internal.go"));
        assert!(!hides("rust", "src/_internal.rs"));
    }
}
