//! Restrictions on answers: languages, kinds and paths.

use crate::error::{Error, Result};
use crate::query::hit::HitKind;

/// Restrictions on an answer. Empty fields restrict nothing.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Language names.
    pub languages: Vec<String>,
    /// Kind names.
    pub kinds: Vec<String>,
    /// Path patterns.
    pub paths: Vec<PathPattern>,
}

impl Filter {
    pub(super) fn accepts_file(&self, path: &str, language: Option<&str>) -> bool {
        let language = language.unwrap_or("text");
        (self.languages.is_empty() || self.languages.iter().any(|wanted| wanted.eq_ignore_ascii_case(language)))
            && self.accepts_path(path)
    }

    pub(super) fn accepts_path(&self, path: &str) -> bool {
        self.paths.is_empty() || self.paths.iter().any(|pattern| pattern.matches(path))
    }

    pub(super) fn accepts_all_paths(&self) -> bool {
        self.paths.is_empty()
    }

    pub(super) fn accepts_kind(&self, kind: HitKind) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|wanted| wanted == kind.as_str())
    }
}

/// A folder, a file, or a glob in which `*` stays within a folder and `**` does not.
#[derive(Clone, Debug)]
pub struct PathPattern {
    plain: String,
    glob: Option<globset::GlobMatcher>,
}

impl PathPattern {
    /// Reads a pattern; the error says what is wrong with it.
    pub fn new(pattern: &str) -> Result<PathPattern> {
        let plain = pattern.trim_start_matches("./").trim_end_matches('/');
        let glob = match plain.contains(['*', '?', '[', '{']) {
            true => {
                let built = globset::GlobBuilder::new(plain).literal_separator(true).build();
                Some(built.map_err(|error| Error::InvalidInput(error.to_string()))?.compile_matcher())
            }
            false => None,
        };
        Ok(PathPattern { plain: plain.to_string(), glob })
    }

    /// Returns the pattern of one path, whatever characters it has.
    pub(crate) fn exact(path: &str) -> PathPattern {
        PathPattern { plain: path.to_string(), glob: None }
    }

    /// Returns whether the pattern names the path or a folder above it.
    pub fn matches(&self, path: &str) -> bool {
        match &self.glob {
            Some(glob) => glob.is_match(path),
            None if self.plain.is_empty() || self.plain == "." => true,
            None => path == self.plain || path.strip_prefix(&self.plain).is_some_and(|rest| rest.starts_with('/')),
        }
    }
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
        assert!(path_matches("**/a.rs", "a.rs"));
        assert!(path_matches("src/**/a.rs", "src/x/y/a.rs"));
        assert!(!path_matches("**/*.py", "src/b/a.rs"));
        assert!(path_matches(".", "anything"));
        assert!(PathPattern::new("src/[a").is_err());
    }
}
