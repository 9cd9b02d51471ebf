//! The decision about one path, by all rules together.

use crate::model::SkipReason;
use crate::scan::ignore::{Chain, Verdict};

/// Decides about a path; `built_in` is asked when `.codecompassignore` says nothing.
pub(in crate::scan) fn decide(
    chain: &Chain,
    tracked_only: bool,
    name: &str,
    path: &str,
    is_dir: bool,
    built_in: impl FnOnce() -> Option<&'static str>,
) -> Decision {
    if name == ".git" {
        return Decision::Skip(SkipReason::BuiltIn("version control"));
    }
    match chain.own(path, is_dir) {
        Verdict::Skip(reason) => return Decision::Skip(reason),
        Verdict::Keep => return Decision::Keep,
        Verdict::Silent => {}
    }
    if let Some(rule) = built_in() {
        return Decision::Skip(SkipReason::BuiltIn(rule));
    }
    match chain.git(path, is_dir) {
        // Below an ignored directory only tracked paths are visited, and those git's patterns do
        // not hide.
        Verdict::Skip(reason) if !tracked_only => Decision::GitIgnored(reason),
        _ => Decision::Keep,
    }
}

/// The decision about a path.
pub(in crate::scan) enum Decision {
    Keep,
    Skip(SkipReason),
    /// Skipped unless git tracks it.
    GitIgnored(SkipReason),
}

/// Returns whether a directory holds a name; a leading `*` in the marker stands for any beginning.
pub(in crate::scan) fn is_among(names: &[Result<String, String>], marker: &str) -> bool {
    names.iter().flatten().any(|name| match marker.strip_prefix('*') {
        Some(end) => name.ends_with(end),
        None => name == marker,
    })
}
