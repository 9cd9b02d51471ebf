//! Which directories may be asked about: those given at the start, and nothing else. Paths are compared as the file system
//! knows them, so neither `..` nor a link leads out.

use std::path::{Path, PathBuf};

use codecompass_engine::model::ViewKind;
use codecompass_engine::{Error as EngineError, scan};

use crate::error::{AppError, Code};

/// A directory to answer for, and the root of the repository around it. Both are canonical.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Workspace {
    pub directory: PathBuf,
    pub root: PathBuf,
    /// Whether it may be indexed before anybody asks: it was named, or it is a repository. A server that happens to be
    /// started in a home directory should not read all of that.
    pub may_be_warmed: bool,
}

/// All of them; the first is the one that calls mean when they name none.
#[derive(Debug)]
pub(crate) struct Workspaces {
    first: Workspace,
    others: Vec<Workspace>,
}

impl Workspaces {
    /// The directories given, or the current one.
    pub(crate) fn open(given: &[PathBuf]) -> Result<Workspaces, AppError> {
        let (first, others) = match given {
            [] => (open(Path::new("."), false)?, Vec::new()),
            [first, others @ ..] => {
                (open(first, true)?, others.iter().map(|other| open(other, true)).collect::<Result<_, _>>()?)
            }
        };
        Ok(Workspaces { first, others })
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Workspace> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The one that a call names.
    pub(crate) fn find(&self, asked: Option<&str>) -> Result<Workspace, AppError> {
        let Some(asked) = asked else { return Ok(self.first.clone()) };
        let refused = || {
            let known: Vec<String> = self.all().map(|workspace| workspace.directory.display().to_string()).collect();
            AppError::new(
                Code::WorkspaceNotAllowed,
                "this server does not answer for that workspace",
                format!("leave `workspace` out, or give one of: {}", known.join(", ")),
            )
        };
        // Relative paths mean what they mean to whoever started the server.
        let directory = self.first.directory.join(asked).canonicalize().map_err(|_| refused())?;
        let is_it = |workspace: &&Workspace| workspace.directory == directory || workspace.root == directory;
        if let Some(workspace) = self.all().find(is_it) {
            return Ok(workspace.clone());
        }
        // A folder inside is as good as the root, unless it is a repository of its own.
        let around = self.all().find(|workspace| directory.starts_with(&workspace.root)).ok_or_else(refused)?;
        match open(&directory, true) {
            Ok(inside) if inside.root == around.root => Ok(inside),
            _ => Err(refused()),
        }
    }
}

fn open(directory: &Path, is_named: bool) -> Result<Workspace, AppError> {
    let found = directory.canonicalize().ok().filter(|directory| directory.is_dir()).ok_or_else(|| {
        AppError::new(
            Code::ProjectNotFound,
            format!("{} is no directory that can be read", directory.display()),
            "give an existing, readable directory with --workspace, or change into one",
        )
    })?;
    let around = scan::discover(&found).map_err(EngineError::from)?;
    let may_be_warmed = is_named || around.kind != ViewKind::Live;
    Ok(Workspace { directory: found, root: around.root, may_be_warmed })
}

#[cfg(test)]
mod tests {
    use codecompass_testkit::TestWorkspace;

    use super::*;

    #[test]
    fn nothing_else_is_let_in() {
        let here = TestWorkspace::git("//- /src/a.py\nx = 1\n");
        let there = TestWorkspace::git("//- /b.py\ny = 1\n");
        let root = here.root();
        let workspaces = Workspaces::open(std::slice::from_ref(&root)).unwrap();
        let find = |asked: &str| workspaces.find(Some(asked)).map(|workspace| workspace.root).map_err(|e| e.code);
        assert_eq!(find(root.to_str().unwrap()), Ok(root.clone()));
        assert_eq!(find("."), Ok(root.clone()));
        assert_eq!(find("src"), Ok(root.clone()));
        assert_eq!(find("src/.."), Ok(root.clone()));
        for outside in ["..", "src/../..", "/", "no/such", "a\0b", there.root().to_str().unwrap(), "src/a.py"] {
            assert_eq!(find(outside), Err(Code::WorkspaceNotAllowed), "{outside:?}");
        }
        // A repository inside is another repository.
        std::fs::create_dir_all(root.join("vendor/lib")).unwrap();
        codecompass_testkit::Git::at(&root.join("vendor/lib")).run(&["init", "--quiet"]);
        assert_eq!(find("vendor/lib"), Err(Code::WorkspaceNotAllowed));
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out() {
        let here = TestWorkspace::git("//- /a.py\nx = 1\n");
        let there = TestWorkspace::git("//- /b.py\ny = 1\n");
        std::os::unix::fs::symlink(there.root(), here.root().join("link")).unwrap();
        let workspaces = Workspaces::open(&[here.root()]).unwrap();
        assert_eq!(workspaces.find(Some("link")).unwrap_err().code, Code::WorkspaceNotAllowed);
    }
}
