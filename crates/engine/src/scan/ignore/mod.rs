//! The chain of rules that decides whether a path is skipped: built-in, then `.gitignore`, then
//! `.codecompassignore`.
//!
//! A later kind beats an earlier one, and within a kind a deeper file beats a shallower one and a
//! later line an earlier one. `!` in `.codecompassignore` re-includes what either of the other
//! kinds skips; `!` in `.gitignore` only undoes other git patterns, since it says "track this", not
//! "this is worth searching". As in git, a path below a skipped directory cannot come back unless
//! the directory does.

pub(super) mod decision;
pub(super) mod rules;

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::config::{GIT_IGNORE, OWN_IGNORE};
use crate::model::SkipReason;
use crate::scan::read::open::Root;

/// Bytes of an ignore file that are honoured; the rest of a larger one is not a list of patterns.
const MAX_IGNORE_BYTES: u64 = 1 << 20;

/// The ignore files in force in one directory, weakest first.
///
/// Each directory shares its parent's chain unless it has ignore files of its own, so a deep tree
/// costs nothing.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Chain {
    git: Vec<Arc<Matcher>>,
    own: Vec<Arc<Matcher>>,
}

/// Patterns of one ignore file.
struct Matcher {
    /// The file, as shown to users.
    shown: String,
    /// The number of bytes in a root-relative path before the part that is matched with the
    /// patterns.
    base: usize,
    patterns: Gitignore,
    /// Tells the patterns from others.
    digest: blake3::Hash,
}

impl PartialEq for Matcher {
    fn eq(&self, other: &Matcher) -> bool {
        (&self.shown, self.base, self.digest) == (&other.shown, other.base, other.digest)
    }
}

impl Eq for Matcher {}

/// The verdict of one kind of ignore files on a path.
pub(super) enum Verdict {
    Skip(SkipReason),
    Keep,
    Silent,
}

impl Chain {
    /// The chain at the root: patterns that apply everywhere, weakest source first.
    pub(super) fn at_root(sources: &[impl AsRef<Path>]) -> Chain {
        let matchers = sources.iter().filter_map(|source| {
            let source = source.as_ref();
            Matcher::read(File::open(source).ok()?, source.display().to_string(), 0)
        });
        Chain { git: matchers.map(Arc::new).collect(), own: Vec::new() }
    }

    /// Adds the `.gitignore` of the directory `relative`.
    pub(super) fn push_git(&mut self, root: &Root, relative: &str) {
        self.git.extend(Matcher::in_directory(root, relative, GIT_IGNORE).map(Arc::new));
    }

    /// Adds the `.codecompassignore` of the directory `relative`.
    pub(super) fn push_own(&mut self, root: &Root, relative: &str) {
        self.own.extend(Matcher::in_directory(root, relative, OWN_IGNORE).map(Arc::new));
    }

    /// Adds an ignore file of the directory `relative` by its content.
    pub(super) fn push_text(&mut self, bytes: &[u8], relative: &str, name: &str, is_own: bool) {
        let (shown, base) = match relative {
            "" => (name.to_string(), 0),
            _ => (format!("{relative}/{name}"), relative.len() + 1),
        };
        let honoured = bytes.len().min(MAX_IGNORE_BYTES as usize);
        let matcher = Matcher::from_bytes(&bytes[..honoured], shown, base).map(Arc::new);
        if is_own { self.own.extend(matcher) } else { self.git.extend(matcher) }
    }

    /// Matches a root-relative path against the `.codecompassignore` files.
    pub(super) fn own(&self, path: &str, is_dir: bool) -> Verdict {
        ask(&self.own, path, is_dir)
    }

    /// Matches a root-relative path against git's ignore files.
    pub(super) fn git(&self, path: &str, is_dir: bool) -> Verdict {
        ask(&self.git, path, is_dir)
    }
}

fn ask(matchers: &[Arc<Matcher>], path: &str, is_dir: bool) -> Verdict {
    for matcher in matchers.iter().rev() {
        // The ignore files of a directory are only asked about what lies below it, so the base is
        // always a prefix.
        match matcher.patterns.matched(path.get(matcher.base..).unwrap_or(path), is_dir) {
            Match::Ignore(glob) => {
                let pattern = glob.original().to_string();
                return Verdict::Skip(SkipReason::IgnoreFile { file: matcher.shown.clone(), pattern });
            }
            Match::Whitelist(_) => return Verdict::Keep,
            Match::None => {}
        }
    }
    Verdict::Silent
}

impl Matcher {
    /// Like git, does not follow a link: it could lead out of the root, and patterns are shown to
    /// users.
    fn in_directory(root: &Root, relative: &str, name: &str) -> Option<Matcher> {
        let (path, base) = match relative {
            "" => (name.to_string(), 0),
            _ => (format!("{relative}/{name}"), relative.len() + 1),
        };
        Matcher::read(root.open(&path).ok()?.ok()?, path, base)
    }

    /// Reads patterns; a file that is unreadable or without patterns gives nothing.
    fn read(file: File, shown: String, base: usize) -> Option<Matcher> {
        let mut bytes = Vec::new();
        file.take(MAX_IGNORE_BYTES).read_to_end(&mut bytes).ok()?;
        Matcher::from_bytes(&bytes, shown, base)
    }

    fn from_bytes(bytes: &[u8], shown: String, base: usize) -> Option<Matcher> {
        let text = String::from_utf8_lossy(bytes);
        let patterns = parse(text.strip_prefix('\u{feff}').unwrap_or(&text));
        (!patterns.is_empty()).then(|| Matcher { shown, base, patterns, digest: blake3::hash(bytes) })
    }
}

/// Compiles the lines of an ignore file, leaving out those that are no valid pattern.
fn parse(text: &str) -> Gitignore {
    let compile = |lines: &mut dyn Iterator<Item = &str>| {
        let mut builder = GitignoreBuilder::new("");
        for line in lines {
            // A bad pattern is refused here and the builder goes on without it.
            let _ = builder.add_line(None, line);
        }
        builder.build()
    };
    compile(&mut text.lines()).unwrap_or_else(|_| {
        // Some line parses but does not compile. Find out which by compiling each alone.
        let good = |line: &&str| compile(&mut std::iter::once(*line)).is_ok();
        compile(&mut text.lines().filter(good)).unwrap_or_else(|_| Gitignore::empty())
    })
}

#[cfg(test)]
mod tests {
    use crate::scan::testing::{Sandbox, paths, skipped};

    #[test]
    fn chain_of_three_kinds() {
        let sandbox = Sandbox::git();
        sandbox.write(".gitignore", "*.tmp\ngen/\n!keep.tmp\n/only_here.txt\n[bad\n!Cargo.lock\n");
        sandbox.write("a/.gitignore", "!again.tmp\n*.txt\n");
        sandbox.write("a/.codecompassignore", "secret.rs\n!fine.txt\n");
        for path in ["x.tmp", "keep.tmp", "only_here.txt", "gen/x.rs", "a/again.tmp", "a/only_here.txt", "a/fine.txt"] {
            sandbox.write(path, "x");
        }
        for path in ["a/secret.rs", "a/deep/secret.rs", "a/ok.rs", "secret.rs", "Cargo.lock"] {
            sandbox.write(path, "x");
        }
        let listing = sandbox.list();
        let ignore_files = [".gitignore", "a/.codecompassignore", "a/.gitignore"];
        let files = paths(&listing).into_iter().filter(|path| !ignore_files.contains(path)).collect::<Vec<_>>();
        assert_eq!(files, ["a/again.tmp", "a/fine.txt", "a/ok.rs", "keep.tmp", "secret.rs"]);
        assert_eq!(
            skipped(&listing),
            [
                ".git/ (built-in rule: version control)",
                "Cargo.lock (built-in rule: lock file)",
                "a/deep/secret.rs (a/.codecompassignore: secret.rs)",
                "a/only_here.txt (a/.gitignore: *.txt)",
                "a/secret.rs (a/.codecompassignore: secret.rs)",
                "gen/ (.gitignore: gen/)",
                "only_here.txt (.gitignore: /only_here.txt)",
                "x.tmp (.gitignore: *.tmp)",
            ]
        );
    }

    #[test]
    fn git_rules_count_only_inside_git() {
        let sandbox = Sandbox::plain();
        sandbox.write(".gitignore", "/*\n");
        sandbox.write("a.rs", "x");
        assert_eq!(paths(&sandbox.list()), [".gitignore", "a.rs"]);
    }

    #[test]
    fn own_file_includes_again() {
        let sandbox = Sandbox::plain();
        sandbox.write(".gitignore", "vendor_data/\nout.log\n");
        sandbox.write(
            ".codecompassignore",
            "!vendor_data/\n!node_modules/\nnode_modules/*\n!node_modules/mine/\n!*.csv\n!.git\n",
        );
        sandbox.write(".git/config", "not a repository");
        for path in ["vendor_data/a.rs", "node_modules/mine/a.js", "node_modules/other/a.js", "t.csv", "out.log"] {
            sandbox.write(path, "x");
        }
        let listing = sandbox.list();
        let files = [".codecompassignore", ".gitignore", "node_modules/mine/a.js", "t.csv", "vendor_data/a.rs"];
        assert_eq!(paths(&listing), files);
        assert_eq!(
            skipped(&listing),
            [
                ".git/ (built-in rule: version control)",
                "node_modules/other/ (.codecompassignore: node_modules/*)",
                "out.log (built-in rule: log)",
            ]
        );
    }

    #[test]
    fn git_wide_excludes() {
        let sandbox = Sandbox::git();
        let global = sandbox.root.parent().unwrap().join("global_ignore");
        std::fs::write(&global, "*.global\n*.both\n").unwrap();
        sandbox.run(&["config", "core.excludesFile", global.to_str().unwrap()]);
        sandbox.write(".git/info/exclude", "*.local\n!x.both\n");
        for path in ["a.global", "a.local", "a.both", "x.both", "a.rs"] {
            sandbox.write(path, "x");
        }
        let listing = sandbox.list();
        assert_eq!(paths(&listing), ["a.rs", "x.both"]);
        let reasons = skipped(&listing);
        assert!(reasons.contains(&format!("a.global ({}: *.global)", global.display())), "{reasons:?}");
        assert!(reasons.iter().any(|line| line.replace('\\', "/").ends_with("info/exclude: *.local)")), "{reasons:?}");
    }

    #[cfg(unix)]
    #[test]
    fn linked_ignore_file_is_not_followed() {
        let sandbox = Sandbox::plain();
        std::fs::write(sandbox.root.parent().unwrap().join("outside"), "*.rs\n").unwrap();
        std::os::unix::fs::symlink("../outside", sandbox.root.join(".gitignore")).unwrap();
        sandbox.write("a.rs", "x");
        assert_eq!(paths(&sandbox.list()), ["a.rs"]);
    }
}
