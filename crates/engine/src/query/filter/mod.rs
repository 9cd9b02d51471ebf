//! Restrictions on answers: languages, kinds, paths, projects and roles.

pub(super) mod project_scope;
pub(super) mod role_filter;

use codecompass_syntax::registry;
use regex::Regex;

use crate::error::{Error, Result};
use crate::query::arguments::check_length;
use crate::query::filter::project_scope::ProjectScope;
use crate::query::hit::HitKind;
use crate::query::left_out::Restriction;

/// Restrictions on an answer. Empty fields restrict nothing.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Language names.
    pub languages: Vec<String>,
    /// Kind names.
    pub kinds: Vec<String>,
    /// Path patterns, one of which must match.
    pub paths: Vec<PathPattern>,
    /// Patterns, of any form, one of which must match as well.
    pub path_regexes: Vec<PathPattern>,
    /// Patterns none of which may match.
    pub excluded: Vec<PathPattern>,
    /// The projects that files must belong to.
    pub projects: Option<ProjectScope>,
}

impl Filter {
    pub(in crate::query) fn accepts_file(&self, path: &str, language: Option<&str>) -> bool {
        self.accepts_language(language) && self.accepts_path(path)
    }

    /// Returns whether a path has the name of a file in one of the languages.
    pub(crate) fn accepts_file_language(&self, path: &str) -> bool {
        self.accepts_language(registry::language_of(path, "").map(|language| language.name))
    }

    pub(in crate::query) fn accepts_language(&self, language: Option<&str>) -> bool {
        let name = language.unwrap_or("text");
        let is_wanted = |name: &str| self.languages.iter().any(|wanted| wanted.eq_ignore_ascii_case(name));
        self.languages.is_empty()
            || is_wanted(name)
            || registry::language_named(name).is_some_and(|language| is_wanted(language.dialect_of()))
    }

    /// Returns whether a path is one that the restrictions leave.
    pub fn accepts_path(&self, path: &str) -> bool {
        let is_among = |patterns: &[PathPattern]| patterns.iter().any(|pattern| pattern.matches(path));
        (self.paths.is_empty() || is_among(&self.paths))
            && (self.path_regexes.is_empty() || is_among(&self.path_regexes))
            && !is_among(&self.excluded)
            && self.is_in_projects(path)
    }

    fn is_in_projects(&self, path: &str) -> bool {
        self.projects.as_ref().is_none_or(|projects| projects.accepts(path))
    }

    /// Returns the restriction that leaves out a path, if one does.
    pub(in crate::query) fn refuses_path(&self, path: &str) -> Option<Restriction> {
        if self.accepts_path(path) {
            return None;
        }
        if !self.is_in_projects(path) {
            return Some(Restriction::Project);
        }
        let is_excluded = self.excluded.iter().any(|pattern| pattern.matches(path));
        Some(if is_excluded { Restriction::Exclude } else { Restriction::Path })
    }

    /// Returns whether some paths are left out.
    pub(in crate::query) fn restricts_paths(&self) -> bool {
        let is_whole = self.paths.is_empty() && self.path_regexes.is_empty() && self.excluded.is_empty();
        !is_whole || self.projects.is_some()
    }

    /// Returns the restrictions on paths alone.
    pub(in crate::query) fn only_paths(&self) -> Filter {
        Filter { languages: Vec::new(), kinds: Vec::new(), ..self.clone() }
    }

    pub(in crate::query) fn accepts_kind(&self, kind: HitKind) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|wanted| wanted == kind.as_str())
    }
}

/// A folder, a file, a glob in which `*` stays within a folder and `**` does not, or a regular
/// expression. What names a folder means everything below it, and a glob without `/` names files
/// and folders at any depth.
#[derive(Clone, Debug)]
pub struct PathPattern(PathForm);

#[derive(Clone, Debug)]
enum PathForm {
    Plain(String),
    /// As it was given, and as it is matched.
    Glob(String, globset::GlobMatcher),
    Regex(Regex),
}

impl PathPattern {
    /// Reads a pattern; the error says what is wrong with it.
    pub fn new(pattern: &str) -> Result<PathPattern> {
        let plain = pattern.trim_start_matches("./").trim_end_matches('/');
        Ok(PathPattern(if plain.contains(['*', '?', '[', '{']) {
            let anywhere = if plain.contains('/') { "" } else { "**/" };
            let built = globset::GlobBuilder::new(&format!("{anywhere}{plain}")).literal_separator(true).build();
            let glob = built.map_err(|error| Error::InvalidInput(error.to_string()))?.compile_matcher();
            PathForm::Glob(plain.to_string(), glob)
        } else {
            PathForm::Plain(plain.to_string())
        }))
    }

    /// Reads patterns with commas between them, and all of it as one: a name may have a comma.
    pub fn list(patterns: &str) -> Result<Vec<PathPattern>> {
        let mut depth = 0_usize;
        let parts = patterns.split(|c: char| {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && depth == 0
        });
        let parts: Vec<&str> = parts.map(str::trim).filter(|part| !part.is_empty()).collect();
        match parts.len() {
            0 | 1 => Ok(vec![PathPattern::new(patterns)?]),
            _ => [patterns].iter().chain(&parts).map(|part| PathPattern::new(part)).collect(),
        }
    }

    /// Reads a regular expression, which may match any part of a path.
    pub fn regex(pattern: &str) -> Result<PathPattern> {
        regex(pattern, "path").map(|regex| PathPattern(PathForm::Regex(regex)))
    }

    /// Returns the pattern of one path, whatever characters it has.
    pub(crate) fn exact(path: &str) -> PathPattern {
        PathPattern(PathForm::Plain(path.to_string()))
    }

    /// Returns the path of a file or folder that the pattern names, if it names one.
    pub(crate) fn as_plain(&self) -> Option<&str> {
        match &self.0 {
            PathForm::Plain(path) if !path.is_empty() && path != "." => Some(path),
            _ => None,
        }
    }

    /// Returns the pattern as it was given.
    pub(crate) fn as_str(&self) -> &str {
        match &self.0 {
            PathForm::Plain(path) => path,
            PathForm::Glob(glob, _) => glob,
            PathForm::Regex(regex) => regex.as_str(),
        }
    }

    /// Returns whether the pattern names the path or a folder above it.
    pub fn matches(&self, path: &str) -> bool {
        match &self.0 {
            PathForm::Glob(_, glob) => {
                let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]);
                glob.is_match(path) || folders.any(|folder| glob.is_match(folder))
            }
            PathForm::Regex(regex) => regex.is_match(path),
            PathForm::Plain(plain) if plain.is_empty() || plain == "." => true,
            PathForm::Plain(plain) => {
                path == plain || path.strip_prefix(plain.as_str()).is_some_and(|rest| rest.starts_with('/'))
            }
        }
    }
}

/// Compiles a regular expression; the error calls it that of `what`, and says where it is wrong.
pub(in crate::query) fn regex(pattern: &str, what: &str) -> Result<Regex> {
    check_length(pattern, "regular expression")?;
    let invalid = |place: String, detail: String| {
        let detail = detail.split_whitespace().collect::<Vec<_>>().join(" ");
        Error::InvalidInput(format!("the regular expression for the {what} is not valid{place}: {detail}"))
    };
    // Only the parser tells the place.
    regex_syntax::ast::parse::Parser::new().parse(pattern).map_err(|error| {
        let at = error.span().start.offset;
        let column = pattern.get(..at).map_or(1, |before| before.chars().count() + 1);
        invalid(format!(" at column {column}"), error.kind().to_string())
    })?;
    Regex::new(pattern).map_err(|error| invalid(String::new(), error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_patterns() {
        let path_matches = |pattern: &str, path: &str| PathPattern::new(pattern).unwrap().matches(path);
        assert!(path_matches("src", "src/a.rs"));
        assert!(!path_matches("src", "srcs/a.rs"));
        assert!(path_matches("./src/a.rs", "src/a.rs"));
        assert!(path_matches("src/*.rs", "src/a.rs"));
        assert!(!path_matches("src/*.rs", "src/b/a.rs"));
        assert!(path_matches("**/*.rs", "src/b/a.rs"));
        assert!(path_matches("*.{rs,toml}", "src/b/a.rs"));
        assert!(path_matches("test*", "src/tests/a.rs"));
        assert!(!path_matches("*.rs", "src/b/a.rst"));
        assert!(path_matches("**/a.rs", "a.rs"));
        assert!(path_matches("src/**/a.rs", "src/x/y/a.rs"));
        assert!(!path_matches("**/*.py", "src/b/a.rs"));
        assert!(path_matches(".", "anything"));
        assert!(path_matches("packages/*/src", "packages/a/src/b/c.ts"));
        assert!(path_matches("packages/{a,b}", "packages/a/src/c.ts"));
        assert!(!path_matches("packages/*/src", "packages/a/srcs/c.ts"));
        assert!(PathPattern::new("src/[a").is_err());
    }

    #[test]
    fn lists_of_path_patterns() {
        let list = |patterns: &str| -> Vec<String> {
            PathPattern::list(patterns).unwrap().iter().map(|pattern| pattern.as_str().to_string()).collect()
        };
        assert_eq!(list("src"), ["src"]);
        assert_eq!(list("*.{rs,toml}"), ["*.{rs,toml}"]);
        assert_eq!(list("a/b.rs, c"), ["a/b.rs, c", "a/b.rs", "c"]);
        assert_eq!(list("a,"), ["a,"]);
    }

    #[test]
    fn regular_expressions_and_exclusions() {
        let regex = |pattern: &str| PathPattern::regex(pattern).map_err(|error| error.to_string());
        assert!(regex(r"(^|/)test_\w+\.py$").unwrap().matches("a/test_b.py"));
        assert!(!regex(r"(^|/)test_\w+\.py$").unwrap().matches("a/test_b.pyi"));
        let said = "the regular expression for the path is not valid at column 3: unclosed group";
        assert_eq!(regex("ü/(a").unwrap_err(), said);
        let filter = Filter {
            paths: vec![PathPattern::new("src").unwrap()],
            path_regexes: vec![regex(r"\.rs$").unwrap()],
            excluded: vec![PathPattern::new("src/gen").unwrap(), regex("_old").unwrap()],
            ..Filter::default()
        };
        for (path, is_accepted) in
            [("src/a.rs", true), ("src/a.py", false), ("b.rs", false), ("src/gen/a.rs", false), ("src/a_old.rs", false)]
        {
            assert_eq!(filter.accepts_path(path), is_accepted, "{path}");
        }
    }
}
