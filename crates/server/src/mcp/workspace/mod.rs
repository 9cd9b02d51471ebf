//! The directories that may be asked about: those given at the start and, if that was asked for,
//! others inside the allowed roots. Paths are compared as the file system knows them, so neither
//! `..` nor a link leads out.

mod allowed;
pub(super) mod prewarm;
pub(super) mod snapshots;
pub(super) mod watchers;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use codecompass_app::choices::{ColorWhen, MetadataLevel};
use codecompass_app::error::{AppError, Code};
use codecompass_app::remedy::Remedy;
use codecompass_app::session::{CallContext, CallControl, OutputFormat, Scope};
use codecompass_app::uri;
use codecompass_engine::model::ViewKind;
use codecompass_engine::{Error as EngineError, scan};

/// A directory to answer for, and the root of the repository around it. Both are canonical.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    pub directory: PathBuf,
    pub root: PathBuf,
    /// True if it may be indexed before anybody asks: it was named, or it is a repository. A server
    /// that happens to be started in a home directory should not read all of that.
    pub may_be_warmed: bool,
}

impl Workspace {
    /// Returns the context of a command that the server runs for itself in this workspace;
    /// `control` hears how it goes.
    pub fn context(&self, control: CallControl, quiet: bool) -> CallContext {
        CallContext {
            scope: Scope::checkout(self.directory.clone()),
            format: OutputFormat::Json,
            color: ColorWhen::Never,
            metadata: MetadataLevel::Brief,
            freshness: None,
            quiet,
            control: Some(Arc::new(control.of(&self.root))),
        }
    }
}

/// Options for workspaces that were not given at the start.
#[derive(Clone, Debug)]
pub struct AutoOptions {
    /// They must lie in one of these.
    pub roots: Vec<PathBuf>,
    /// At the same time, those given at the start among them.
    pub most: usize,
    /// One without calls for so long makes room for another.
    pub idle: Duration,
}

/// All of them; the first is the one that calls mean when they name none.
#[derive(Debug)]
pub struct Workspaces {
    first: Workspace,
    others: Vec<Workspace>,
    auto: Option<Auto>,
}

#[derive(Debug)]
struct Auto {
    /// The roots are canonical.
    options: AutoOptions,
    opened: Arc<Mutex<Vec<Opened>>>,
}

/// A workspace that a call has opened.
#[derive(Debug)]
struct Opened {
    root: PathBuf,
    used: Instant,
    calls: usize,
}

/// The workspace that a call is about. While this is there, it stays open.
#[derive(Debug)]
pub struct Found {
    pub workspace: Workspace,
    /// True if the call has opened it.
    pub is_new: bool,
    opened: Option<Arc<Mutex<Vec<Opened>>>>,
}

impl Found {
    fn given(workspace: Workspace) -> Found {
        Found { workspace, is_new: false, opened: None }
    }
}

impl Drop for Found {
    fn drop(&mut self) {
        let Some(opened) = &self.opened else { return };
        if let Some(own) = lock(opened).iter_mut().find(|opened| opened.root == self.workspace.root) {
            own.calls = own.calls.saturating_sub(1);
            own.used = Instant::now();
        }
    }
}

impl Workspaces {
    /// Returns whether calls may be about more than one.
    pub fn are_several(&self) -> bool {
        !self.others.is_empty() || self.auto.is_some()
    }

    /// The directories given, or the current one.
    pub fn open(given: &[PathBuf], auto: Option<AutoOptions>) -> Result<Workspaces, AppError> {
        let (first, others) = match given {
            [] => (open(Path::new("."), false)?, Vec::new()),
            [first, others @ ..] => {
                (open(first, true)?, others.iter().map(|other| open(other, true)).collect::<Result<_, _>>()?)
            }
        };
        let auto = match auto {
            None => None,
            Some(options) => {
                let roots = options.roots.iter().map(|root| allowed::root(root)).collect::<Result<_, _>>()?;
                Some(Auto { options: AutoOptions { roots, ..options }, opened: Arc::default() })
            }
        };
        Ok(Workspaces { first, others, auto })
    }

    /// Those given at the start.
    pub fn given(&self) -> impl Iterator<Item = &Workspace> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// Those that are open now.
    pub fn all(&self) -> Vec<Workspace> {
        let opened = self.auto.iter().flat_map(|auto| {
            let roots: Vec<PathBuf> = lock(&auto.opened).iter().map(|opened| opened.root.clone()).collect();
            roots.into_iter().map(|root| Workspace { directory: root.clone(), root, may_be_warmed: true })
        });
        self.given().cloned().chain(opened).collect()
    }

    /// The one that a call names. `is_busy` says of a root whether it is being indexed.
    pub fn find(&self, asked: Option<&str>, is_busy: impl Fn(&Path) -> bool) -> Result<Found, AppError> {
        let Some(asked) = asked else { return Ok(Found::given(as_of_now(&self.first))) };
        if uri::is_git_url(Path::new(asked)) {
            return Err(AppError::new(
                Code::WorkspaceNotAllowed,
                "a server does not clone, and that workspace is a git URL",
                Remedy::Startup(
                    "start the server with `codecompass serve-mcp --workspace URL`, which clones it".into(),
                ),
            ));
        }
        let refused = || self.refused(asked);
        // Relative paths start at the directory of the first workspace, by default the current one.
        let directory = dunce::canonicalize(self.first.directory.join(asked)).map_err(|_| refused())?;
        let is_it = |workspace: &&Workspace| workspace.directory == directory || workspace.root == directory;
        if let Some(workspace) = self.given().find(is_it) {
            return Ok(Found::given(as_of_now(workspace)));
        }
        // A folder inside is as good as the root, unless it is a repository of its own.
        if let Some(around) = self.given().find(|workspace| directory.starts_with(&workspace.root))
            && let Ok(inside) = open(&directory, true)
            && inside.root == around.root
        {
            return Ok(Found::given(inside));
        }
        let Some(auto) = &self.auto else { return Err(refused()) };
        let root = allowed::repository(&directory, &auto.options.roots).ok_or_else(refused)?;
        let workspace = Workspace { directory, root, may_be_warmed: true };
        let is_new = auto.enter(&workspace.root, self.given().count(), is_busy)?;
        Ok(Found { workspace, is_new, opened: Some(Arc::clone(&auto.opened)) })
    }

    /// Opens those of `known` that calls may open, the first ones, `most` at most.
    pub fn open_some(&self, known: impl Iterator<Item = PathBuf>, most: usize) -> Vec<Workspace> {
        let Some(auto) = &self.auto else { return Vec::new() };
        let room = auto.options.most.saturating_sub(self.given().count());
        let open = |root: PathBuf| self.find(root.to_str(), |_| false).ok().filter(|found| found.is_new);
        known.filter_map(open).map(|found| found.workspace.clone()).take(most.min(room)).collect()
    }

    /// Returns the same error for what does not exist and what is not allowed, so that it does not
    /// tell what there is.
    fn refused(&self, asked: &str) -> AppError {
        let known: Vec<String> = self.given().map(|workspace| workspace.directory.display().to_string()).collect();
        let known = known.join(", ");
        match &self.auto {
            Some(auto) => {
                let roots: Vec<String> = auto.options.roots.iter().map(|root| root.display().to_string()).collect();
                AppError::new(
                    Code::WorkspaceNotAllowed,
                    "this server may not read that workspace, or it is no directory",
                    format!("give a directory whose repository lies in {}; or one of: {known}", roots.join(", ")),
                )
            }
            // Something else on this machine; a relative path, however, is meant to be inside.
            None if Path::new(asked).is_absolute()
                && !self.given().any(|known| Path::new(asked).starts_with(&known.root)) =>
            {
                AppError::new(
                    Code::WorkspaceNotRegistered,
                    "this server was not started for that workspace",
                    format!("leave `workspace` out, or give one of: {known}"),
                )
            }
            None => AppError::new(
                Code::WorkspaceNotAllowed,
                "this server does not answer for that workspace",
                format!("leave `workspace` out, or give one of: {known}"),
            ),
        }
    }
}

impl Auto {
    /// Opens a workspace for one more call, and makes room for it if it is new. Says whether it is.
    fn enter(&self, root: &Path, given: usize, is_busy: impl Fn(&Path) -> bool) -> Result<bool, AppError> {
        let mut opened = lock(&self.opened);
        if let Some(own) = opened.iter_mut().find(|opened| opened.root == root) {
            own.calls += 1;
            return Ok(false);
        }
        if given + opened.len() >= self.options.most {
            let is_idle = |opened: &Opened| {
                opened.calls == 0 && opened.used.elapsed() >= self.options.idle && !is_busy(&opened.root)
            };
            let idle = opened.iter().enumerate().filter(|(_, opened)| is_idle(opened));
            let Some((oldest, _)) = idle.min_by_key(|(_, opened)| opened.used) else {
                return Err(AppError::new(
                    Code::WorkspaceLimitExceeded,
                    match given + opened.len() {
                        1 => "1 workspace is open, and it may not be closed yet".to_string(),
                        open => format!("{open} workspaces are open, and none of them may be closed yet"),
                    },
                    format!(
                        "ask about an open one, or again when one was unused for {} s; --max-workspaces and --evict-after \
                         change the limits",
                        self.options.idle.as_secs()
                    ),
                ));
            };
            opened.remove(oldest);
        }
        opened.push(Opened { root: root.to_path_buf(), used: Instant::now(), calls: 1 });
        Ok(true)
    }
}

fn lock(opened: &Mutex<Vec<Opened>>) -> MutexGuard<'_, Vec<Opened>> {
    opened.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A directory given at the start may have become part of a repository since.
fn as_of_now(workspace: &Workspace) -> Workspace {
    let now = open(&workspace.directory, true).unwrap_or_else(|_| workspace.clone());
    Workspace { may_be_warmed: workspace.may_be_warmed, ..now }
}

fn open(directory: &Path, is_named: bool) -> Result<Workspace, AppError> {
    let found = dunce::canonicalize(directory).ok().filter(|directory| directory.is_dir()).ok_or_else(|| {
        AppError::new(
            Code::ProjectNotFound,
            format!("{} is no directory that can be read", directory.display()),
            Remedy::GiveDirectory,
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
        let workspaces = Workspaces::open(std::slice::from_ref(&root), None).unwrap();
        let find = |asked: &str| {
            workspaces.find(Some(asked), |_| false).map(|found| found.workspace.root.clone()).map_err(|e| e.code)
        };
        assert_eq!(find(root.to_str().unwrap()), Ok(root.clone()));
        assert_eq!(find("."), Ok(root.clone()));
        assert_eq!(find("src"), Ok(root.clone()));
        assert_eq!(find("src/.."), Ok(root.clone()));
        for outside in ["..", "src/../..", "no/such", "a\0b", "src/a.py"] {
            assert_eq!(find(outside), Err(Code::WorkspaceNotAllowed), "{outside:?}");
        }
        // On Windows the first two begin at the drive of this workspace.
        let absolute = |path: &&str| Path::new(path).is_absolute();
        for elsewhere in ["/", "/no/such", there.root().to_str().unwrap()].into_iter().filter(absolute) {
            assert_eq!(find(elsewhere), Err(Code::WorkspaceNotRegistered), "{elsewhere:?}");
        }
        // A repository inside is another repository.
        std::fs::create_dir_all(root.join("vendor/lib")).unwrap();
        codecompass_testkit::Git::at(&root.join("vendor/lib")).run(&["init", "--quiet"]);
        assert_eq!(find("vendor/lib"), Err(Code::WorkspaceNotAllowed));
    }

    #[test]
    fn a_directory_may_become_a_repository() {
        let here = TestWorkspace::plain("//- /src/a.py\nx = 1\n");
        let workspaces = Workspaces::open(&[here.root().join("src")], None).unwrap();
        let root = || workspaces.find(None, |_| false).unwrap().workspace.root.clone();
        assert_eq!(root(), here.root().join("src"));
        codecompass_testkit::Git::at(&here.root()).run(&["init", "--quiet"]);
        assert_eq!(root(), here.root());
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out() {
        let here = TestWorkspace::git("//- /a.py\nx = 1\n");
        let there = TestWorkspace::git("//- /b.py\ny = 1\n");
        std::os::unix::fs::symlink(there.root(), here.root().join("link")).unwrap();
        let workspaces = Workspaces::open(&[here.root()], None).unwrap();
        assert_eq!(workspaces.find(Some("link"), |_| false).unwrap_err().code, Code::WorkspaceNotAllowed);
    }

    #[test]
    fn idle_ones_make_room() {
        let (here, around) = (TestWorkspace::git("//- /a.py\nx = 1\n"), TestWorkspace::plain("//- /a/x.py\nx = 1\n"));
        for name in ["b", "c"] {
            std::fs::create_dir(around.root().join(name)).unwrap();
        }
        let options = AutoOptions { roots: vec![around.root()], most: 3, idle: Duration::ZERO };
        let workspaces = Workspaces::open(&[here.root()], Some(options)).unwrap();
        let find = |name: &str| workspaces.find(Some(around.root().join(name).to_str().unwrap()), |_| false);
        let open = || workspaces.all().iter().skip(1).map(|open| open.root.clone()).collect::<Vec<_>>();
        let path = |name: &str| around.root().join(name);
        let a = find("a").unwrap();
        assert!(a.is_new);
        assert!(find("b").unwrap().is_new);
        assert!(!find("b").unwrap().is_new);
        // The first one is in use, so the second goes.
        let c = find("c").unwrap();
        assert_eq!(open(), [path("a"), path("c")]);
        assert_eq!(find("b").unwrap_err().code, Code::WorkspaceLimitExceeded);
        drop((a, c));
        find("c").unwrap();
        assert!(find("b").unwrap().is_new);
        assert_eq!(open(), [path("c"), path("b")]);
        // One that is being indexed stays.
        let busy = workspaces.find(Some(path("a").to_str().unwrap()), |root| root == path("c")).unwrap();
        assert_eq!(open(), [path("c"), path("a")]);
        drop(busy);
        assert_eq!(
            workspaces.find(Some(path("b").to_str().unwrap()), |_| true).unwrap_err().code,
            Code::WorkspaceLimitExceeded
        );
    }
}
