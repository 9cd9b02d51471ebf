//! Clones of repositories, made and kept with the `git` program.
//!
//! [`GitUrl`] accepts what may be asked for, [`fetch()`] brings one branch with its history into a
//! bare repository, [`pack`] and [`unpack`] carry its objects to another node, [`is_complete`] says
//! whether all objects of a commit are there, and [`make_view`] makes a repository that shows one
//! commit and shares the objects; [`name_branch`] gives the commit the name of its branch.
//!
//! Remotes are not trusted: git runs without a shell, with an environment of its own, without
//! configuration, hooks, helpers or redirects, and is ended when it takes too much time or room.

mod error;
mod policy;
mod url;
mod process;
mod repository;
mod fetch;
mod packs;
mod view;

pub use error::GitError;
pub use fetch::{Fetched, fetch};
pub use packs::{adopt, is_complete, pack, unpack};
pub use policy::GitPolicy;
pub use url::GitUrl;
pub use view::{make_view, name_branch};
