//! Checks what lies inside the allowed roots: a directory, the repository around it, and everything
//! that git would read for it.

use std::path::{Path, PathBuf};

use codecompass_app::error::{AppError, Code};
use codecompass_engine::scan;

/// A repository may borrow objects from others, and those from others again; no sound chain is
/// longer.
const MOST_BORROWED: usize = 100;

/// The canonical form of a root given at the start.
pub(super) fn root(given: &Path) -> Result<PathBuf, AppError> {
    dunce::canonicalize(given).ok().filter(|root| root.is_dir()).ok_or_else(|| {
        AppError::new(
            Code::ProjectNotFound,
            format!("{} is no directory that can be read", given.display()),
            "give an existing, readable directory with --allowed-root",
        )
    })
}

/// The root of the repository around `directory`, which is canonical; nothing if any part of it
/// lies outside `roots`. A repository that is larger than the root around it is outside, too: its
/// other parts are not allowed.
pub(super) fn repository(directory: &Path, roots: &[PathBuf]) -> Option<PathBuf> {
    let is_inside = |path: &Path| roots.iter().any(|root| path.starts_with(root));
    if !is_inside(directory) || !directory.is_dir() {
        return None;
    }
    let found = scan::discover(directory).ok()?;
    let git = [&found.git_dir, &found.git_common_dir];
    // A `.git` that leads elsewhere would show the commits of another repository.
    if !is_inside(&found.root) || !git.into_iter().flatten().all(|path| is_inside(path)) {
        return None;
    }
    let borrows_inside = found.git_common_dir.as_deref().is_none_or(|git| borrows_inside(git, &is_inside));
    borrows_inside.then_some(found.root)
}

/// Returns whether the places that a repository takes objects from are inside: its own, and those
/// it names in turn.
fn borrows_inside(git: &Path, is_inside: &dyn Fn(&Path) -> bool) -> bool {
    let mut left = vec![git.join("objects")];
    for _ in 0..MOST_BORROWED {
        let Some(objects) = left.pop() else { return true };
        // What is not there now may be there when git looks for it.
        let Some(objects) = dunce::canonicalize(objects).ok().filter(|objects| is_inside(objects)) else {
            return false;
        };
        let named = std::fs::read_to_string(objects.join("info/alternates")).unwrap_or_default();
        left.extend(named.lines().filter(|line| !line.is_empty()).map(|line| objects.join(line)));
    }
    left.is_empty()
}

#[cfg(test)]
mod tests {
    use codecompass_testkit::{Git, TestWorkspace};

    use super::*;

    #[test]
    fn nothing_outside() {
        let around = TestWorkspace::plain("//- /in/plain/a.py\nx = 1\n");
        let (outside, inside) = (around.root().join("out"), around.root().join("in"));
        for repository in [&outside, &inside.join("repo")] {
            std::fs::create_dir_all(repository.join("src")).unwrap();
            Git::at(repository).run(&["init", "--quiet"]);
        }
        let roots = [root(&inside).unwrap()];
        let find = |path: &Path| repository(path, &roots);
        assert_eq!(find(&inside.join("repo")), Some(inside.join("repo")));
        assert_eq!(find(&inside.join("repo/src")), Some(inside.join("repo")));
        assert_eq!(find(&inside.join("plain")), Some(inside.join("plain")));
        for path in [&outside, &around.root(), Path::new("/"), &inside.join("plain/a.py"), &inside.join("none")] {
            assert_eq!(find(path), None, "{}", path.display());
        }
        // A repository that borrows another's git directory, or its objects.
        std::fs::create_dir(inside.join("thief")).unwrap();
        std::fs::write(inside.join("thief/.git"), format!("gitdir: {}\n", outside.join(".git").display())).unwrap();
        assert_eq!(find(&inside.join("thief")), None);
        let alternates = inside.join("repo/.git/objects/info/alternates");
        std::fs::write(&alternates, format!("{}\n", outside.join(".git/objects").display())).unwrap();
        assert_eq!(find(&inside.join("repo")), None);
        std::fs::write(&alternates, "../../../../out/.git/objects\n").unwrap();
        assert_eq!(find(&inside.join("repo")), None);
        std::fs::write(&alternates, "/no/such/place\n").unwrap();
        assert_eq!(find(&inside.join("repo")), None);
        std::fs::remove_file(&alternates).unwrap();
        assert!(find(&inside.join("repo")).is_some());
        // A root inside of a repository: the repository is larger than what is allowed.
        let roots = [root(&inside.join("repo/src")).unwrap()];
        assert_eq!(repository(&inside.join("repo/src"), &roots), None);
        assert!(root(&inside.join("none")).is_err());
    }
}
