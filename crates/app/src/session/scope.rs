//! The repositories that a question is about.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use codecompass_engine::model::Workspace;
use serde::{Deserialize, Serialize};

use crate::error::AppError;
use crate::remedy::Remedy;
use crate::settings::Settings;

/// The repositories that a question is about.
#[derive(Clone, Debug)]
pub enum Scope {
    /// One repository.
    One(Place),
    /// Several repositories of this machine.
    Several(RepositoryChoice),
    /// Several repositories that a cluster has chosen.
    Placed(Arc<PlacedQuestion>),
    /// One of several repositories that answer as one.
    Shard(Place),
}

/// The state of a repository.
#[derive(Clone, Debug)]
pub enum Place {
    /// The checkout around a directory; the current one if none is given.
    Checkout(Option<PathBuf>),
    /// A commit that a node of a cluster has indexed, where there is nothing to find out about it.
    Commit(Arc<PreparedWorkspace>),
}

/// A choice of several repositories of this machine.
#[derive(Clone, Debug)]
pub enum RepositoryChoice {
    /// Those around directories, and those of groups (`@NAME`).
    Named(Vec<PathBuf>),
    /// All that are indexed.
    Indexed,
    /// Those that were found already.
    Found(Vec<AskedRepository>),
}

/// A repository of this machine that is asked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AskedRepository {
    /// The name in answers.
    pub name: String,
    pub root: PathBuf,
}

/// A question to several repositories, some of which other processes may answer for.
pub struct PlacedQuestion {
    /// The names of all repositories, by number.
    pub names: Arc<[String]>,
    /// Those of this process.
    pub own: Vec<PlacedRepository>,
    /// The way to the others, if there are any.
    pub others: Option<Arc<dyn OtherRepositories>>,
    /// Repositories that are not asked.
    pub missing: Vec<MissingRepository>,
    /// The numbers of those of this process that failed, and why.
    pub failed: Mutex<Vec<(usize, String)>>,
}

/// Repositories of other processes.
pub trait OtherRepositories: Send + Sync {
    /// Puts requests of a round to repositories, by number, and returns their replies.
    fn ask(&self, requests: Vec<(usize, Vec<u8>)>) -> Vec<(usize, Result<Vec<u8>, AppError>)>;
}

/// A repository that this process answers for.
#[derive(Clone, Debug)]
pub struct PlacedRepository {
    /// The number among all repositories of the question.
    pub number: usize,
    pub prepared: Arc<PreparedWorkspace>,
}

/// A repository that gives no answer to a question to several.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MissingRepository {
    pub repository: String,
    pub reason: String,
}

/// A bare repository at a commit that is indexed, and the settings that count in it.
#[derive(Debug)]
pub struct PreparedWorkspace {
    pub workspace: Workspace,
    pub commit: String,
    /// The folder of its store.
    pub home: PathBuf,
    pub settings: Arc<Settings>,
}

impl fmt::Debug for PlacedQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlacedQuestion").field("own", &self.own).finish_non_exhaustive()
    }
}

impl Default for Scope {
    fn default() -> Scope {
        Scope::One(Place::Checkout(None))
    }
}

impl Scope {
    /// Returns the checkout around a directory.
    pub fn checkout(directory: PathBuf) -> Scope {
        Scope::One(Place::Checkout(Some(directory)))
    }

    /// Returns what directories and groups mean: the current checkout, another one, or several.
    pub fn named(places: &[PathBuf]) -> Scope {
        match places {
            [] => Scope::default(),
            [only] if group(only).is_none() => Scope::checkout(only.clone()),
            _ => Scope::Several(RepositoryChoice::Named(places.to_vec())),
        }
    }

    /// Returns the repository that a question is about, or one of several that answer as one.
    pub fn place(&self) -> Result<Place, AppError> {
        match self {
            Scope::One(place) | Scope::Shard(place) => Ok(place.clone()),
            // A directory may look like a group.
            Scope::Several(RepositoryChoice::Named(places)) if places.len() == 1 => {
                Ok(Place::Checkout(places.first().cloned()))
            }
            Scope::Several(_) | Scope::Placed(_) => {
                let message = "this question is about one workspace, and several are given";
                Err(AppError::invalid(message, Remedy::OneWorkspace))
            }
        }
    }
}

/// Returns the name of a group of repositories.
pub fn group(place: &Path) -> Option<&str> {
    place.to_str()?.strip_prefix('@')
}
