//! Brings a listing up to date where it is known which files have changed since: each of them is
//! looked at, nothing else.

use std::collections::BTreeSet;
use std::path::Path;

use crate::config::IndexConfig;
use crate::model::SkipReason;
use crate::scan::listing::{ListedFile, Listing, SkippedPath};
use crate::scan::stat::{is_absent, stat_of};

/// Looks at `paths` again, which all rules keep as files (see
/// [`Effect::File`](crate::scan::walk::directories::Effect::File)). Returns whether the listing is
/// now what a new one would be, but for ids that git vouches for; if not, it takes a new one.
pub(crate) fn relist(listing: &mut Listing, root: &Path, config: &IndexConfig, paths: &BTreeSet<String>) -> bool {
    paths.iter().all(|path| {
        let outcome = match root.join(path).symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => return false,
            Ok(metadata) if metadata.is_symlink() => Err(Some(SkipReason::Symlink)),
            Ok(metadata) if !metadata.is_file() => Err(Some(SkipReason::NotAFile)),
            Ok(metadata) if metadata.len() > config.max_file_bytes => Err(Some(SkipReason::TooLarge(metadata.len()))),
            Ok(metadata) => Ok(stat_of(&metadata)),
            Err(error) if is_absent(&error) => Err(None),
            Err(error) => Err(Some(SkipReason::Unreadable(error.to_string()))),
        };
        let file = outcome.as_ref().ok().map(|stat| ListedFile { path: path.clone(), stat: *stat, git_id: None });
        let reason = outcome.err().flatten();
        let skipped = reason.map(|reason| SkippedPath { path: path.clone(), is_dir: false, reason });
        put(&mut listing.files, path, file, |file| &file.path);
        put(&mut listing.skipped, path, skipped, |skipped| &skipped.path);
        true
    })
}

/// Puts `new` in the place of all that the listing has at and below `tops`.
pub(crate) fn replace_below(listing: &mut Listing, tops: &BTreeSet<String>, new: Listing) {
    let is_old = |path: &str| tops.iter().any(|top| is_at_or_below(path, top));
    listing.files.retain(|file| !is_old(&file.path));
    listing.skipped.retain(|skipped| !is_old(&skipped.path));
    listing.files.extend(new.files);
    listing.skipped.extend(new.skipped);
    listing.sort();
}

/// Returns whether a relative path is `top` or below it.
pub(crate) fn is_at_or_below(path: &str, top: &str) -> bool {
    path.strip_prefix(top).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Puts `new` in the place of what the sorted list has at `path`, if it has anything.
fn put<T>(list: &mut Vec<T>, path: &str, new: Option<T>, path_of: impl Fn(&T) -> &str) {
    match (list.binary_search_by(|old| path_of(old).cmp(path)), new) {
        (Ok(at), Some(new)) => list[at] = new,
        (Ok(at), None) => drop(list.remove(at)),
        (Err(at), Some(new)) => list.insert(at, new),
        (Err(_), None) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::git::discover;
    use crate::scan::testing::Sandbox;
    use crate::scan::walk::directories::Directories;
    use crate::scan::walk::{below, directories};

    #[test]
    fn it_is_what_a_new_listing_would_be() {
        let plain = Sandbox::plain();
        for path in ["a.py", "b/gone.py", "b/kept.py", "c.py"] {
            plain.write(path, "x");
        }
        let mut listing = plain.list();
        let config = IndexConfig::default();
        plain.write("a.py", "another length");
        plain.write("b/new.py", "x");
        plain.write("c.py", vec![b'x'; config.max_file_bytes as usize + 1]);
        std::fs::remove_file(plain.root.join("b/gone.py")).unwrap();
        let changed = ["a.py", "b/new.py", "b/gone.py", "c.py"];
        let paths: BTreeSet<String> = changed.iter().map(|path| path.to_string()).collect();
        assert!(relist(&mut listing, &plain.root, &config, &paths));
        assert_eq!(listing, plain.list());
        assert_eq!((listing.files.len(), listing.skipped.len()), (3, 1));

        plain.write("c.py", "x");
        assert!(relist(&mut listing, &plain.root, &config, &paths));
        assert_eq!(listing, plain.list());
        std::fs::remove_file(plain.root.join("c.py")).unwrap();
        std::fs::create_dir(plain.root.join("c.py")).unwrap();
        assert!(!relist(&mut listing, &plain.root, &config, &paths));
    }

    #[test]
    fn below_directories_it_is_what_a_new_listing_would_be() {
        let git = Sandbox::git();
        for path in ["a/one.py", "a/deep/two.py", "ab/three.py", "b/build/four.py", "c.py"] {
            git.write(path, "x");
        }
        let config = IndexConfig::default();
        let workspace = discover(&git.root).unwrap();
        let root = |found: Directories| found.entered.into_iter().find(|entered| entered.path.is_empty()).unwrap();
        let root = root(directories(&workspace, &config).unwrap());
        let mut listing = git.list();
        let mut follow = |names: &[&str]| {
            let entries: Vec<_> = names.iter().map(|name| (root.clone(), name.to_string())).collect();
            let found = below(&workspace, &config, &entries).unwrap();
            replace_below(&mut listing, &names.iter().map(|name| name.to_string()).collect(), found.listing);
            assert_eq!(listing, git.list());
            let mut entered: Vec<String> = found.entered.into_iter().map(|entered| entered.path).collect();
            entered.sort();
            entered
        };
        std::fs::remove_dir_all(git.root.join("a/deep")).unwrap();
        git.write("a/.gitignore", "*.gen\n");
        git.write("a/x.gen", "x");
        git.write("a/new/five.py", "x");
        assert_eq!(follow(&["a"]), ["a", "a/new"]);
        git.write("b/package.json", "x");
        git.write("b/inner/.git/HEAD", "x");
        git.write("b/inner/six.py", "x");
        git.write("z/seven.py", "x");
        assert_eq!(follow(&["b", "z"]), ["b", "b/inner", "z"]);
        std::fs::remove_dir_all(git.root.join("b")).unwrap();
        std::fs::remove_dir_all(git.root.join("z")).unwrap();
        git.write("z", "x");
        assert_eq!(follow(&["b", "z"]), Vec::<String>::new());
    }
}
