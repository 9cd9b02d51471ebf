//! Addresses of pages: `/r/REPOSITORY@REF/PATH#L10` for files, `/r/REPOSITORY@REF/-/PAGE?…` for
//! everything else. Without `@REF` they are about the files on disk.

use codecompass_app::uri;

/// The folder of the address that holds pages, and no file. A folder of this name in a repository
/// is written with an escape.
const PAGES: &str = "-";

/// The repository and the ref that a page is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subject {
    /// The name of the repository: that of its folder, with a number if several have it.
    pub repository: String,
    /// Nothing for the files on disk.
    pub reference: Option<String>,
}

/// The meaning of an address below `/r/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AddressTarget {
    /// A file or folder; the root is the empty path.
    Path(String),
    /// A page.
    Page(String),
}

impl Subject {
    /// Reads the path of an address, still encoded.
    pub(super) fn parse(path: &str) -> Option<(Subject, AddressTarget)> {
        let rest = path.strip_prefix("/r/")?;
        let (subject, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let (repository, reference) = match subject.split_once('@') {
            Some((repository, reference)) => (repository, Some(uri::decode(reference)?)),
            None => (subject, None),
        };
        let reference = reference.filter(|reference| !reference.is_empty());
        let subject = Subject { repository: uri::decode(repository)?, reference };
        let target = match rest.split_once('/') {
            Some((PAGES, page)) => AddressTarget::Page(uri::decode(page)?),
            _ => {
                let segments = rest.split('/').map(uri::decode).collect::<Option<Vec<_>>>()?;
                // A slash inside of a segment is no name of a file.
                if segments.iter().any(|segment| segment.contains('/')) {
                    return None;
                }
                AddressTarget::Path(segments.join("/").trim_end_matches('/').to_string())
            }
        };
        Some((subject, target))
    }

    fn base(&self) -> String {
        let repository = uri::encode(&self.repository);
        match &self.reference {
            Some(reference) => format!("/r/{repository}@{}", uri::encode(reference)),
            None => format!("/r/{repository}"),
        }
    }

    /// Returns the same repository at another ref.
    pub(super) fn at(&self, reference: Option<&str>) -> Subject {
        Subject { repository: self.repository.clone(), reference: reference.map(str::to_string) }
    }

    /// Returns the address of the first page.
    pub(super) fn home(&self) -> String {
        format!("{}/", self.base())
    }

    /// Returns the address of a file or folder.
    pub(super) fn path(&self, path: &str) -> String {
        let segment = |segment: &str| if segment == PAGES { "%2D".to_string() } else { uri::encode(segment) };
        let segments: Vec<String> = path.split('/').map(segment).collect();
        format!("{}/{}", self.base(), segments.join("/"))
    }

    /// Returns the address of a line of a file.
    pub(super) fn line(&self, path: &str, line: u32) -> String {
        format!("{}#L{line}", self.path(path))
    }

    /// Returns the address of a page with its arguments; empty ones are left out.
    pub(super) fn page(&self, page: &str, arguments: &[(&str, &str)]) -> String {
        let given = arguments.iter().filter(|(_, value)| !value.is_empty());
        let query: Vec<String> = given.map(|(name, value)| format!("{name}={}", uri::encode(value))).collect();
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{}/{PAGES}/{page}{mark}{}", self.base(), query.join("&"))
    }

    /// Returns the address of the page about the symbol that is defined at a place.
    pub(super) fn symbol(&self, path: &str, line: u32) -> String {
        self.page("symbol", &[("s", &format!("{path}:{line}"))])
    }

    /// Returns the rest of an address of this subject, for the same page at another ref.
    pub(super) fn rest<'a>(&self, address: &'a str) -> &'a str {
        let path = address.strip_prefix("/r/").unwrap_or(address);
        path.split_once('/').map_or("", |(_, rest)| rest)
    }

    /// Returns the address with this rest.
    pub(super) fn with_rest(&self, rest: &str) -> String {
        format!("{}/{}", self.base(), rest.trim_start_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let subjects = [("repo", None), ("a@b c", Some("feature/x@y")), ("größe", Some("HEAD~3"))];
        for (repository, reference) in subjects {
            let reference = reference.map(str::to_string);
            let subject = Subject { repository: repository.to_string(), reference };
            for path in ["", "src/a.rs", "-/x", "a b/%2F#?.py", "x/-"] {
                let target = AddressTarget::Path(path.to_string());
                assert_eq!(Subject::parse(&subject.path(path)), Some((subject.clone(), target)), "{path}");
            }
            let page = subject.page("symbol", &[]);
            assert_eq!(Subject::parse(&page), Some((subject.clone(), AddressTarget::Page("symbol".into()))));
        }
    }

    #[test]
    fn addresses() {
        let subject = Subject { repository: "app".into(), reference: Some("a/b".into()) };
        assert_eq!(subject.line("src/x.py", 3), "/r/app@a%2Fb/src/x.py#L3");
        assert_eq!(subject.page("search", &[("q", "a b"), ("kind", "")]), "/r/app@a%2Fb/-/search?q=a%20b");
        assert_eq!(subject.at(None).with_rest(subject.rest("/r/app@a%2Fb/src/x.py?d=1:2")), "/r/app/src/x.py?d=1:2");
        assert_eq!(Subject::parse("/r/app/a%2Fb"), None);
        assert_eq!(Subject::parse("/x/app"), None);
        assert_eq!(Subject::parse("/r/app/%ff"), None);
    }
}
