//! The restriction of an answer to the files of some projects.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use crate::config::IndexConfig;
use crate::error::Result;
use crate::query::projects::project_map;
use crate::query::projects::project_map::ProjectMap;
use crate::scan::Source;
use crate::store::Snapshot;

/// The files of some projects, without those of projects inside of them.
#[derive(Clone)]
pub struct ProjectScope {
    map: Arc<ProjectMap>,
    folders: BTreeSet<String>,
}

impl ProjectScope {
    /// Returns whether a path belongs to one of the projects; it need not be one of the view.
    pub fn accepts(&self, path: &str) -> bool {
        self.map.folder_around(path).is_some_and(|folder| self.folders.contains(folder))
    }
}

impl ProjectScope {
    /// Returns the folders of the projects.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &str> {
        self.folders.iter().map(String::as_str)
    }
}

impl fmt::Debug for ProjectScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProjectScope").field(&self.folders).finish()
    }
}

/// Returns the restriction to the projects with these names; the error proposes others.
pub fn project_scope(
    snapshot: &Snapshot,
    source: &Source,
    config: &IndexConfig,
    names: &[String],
) -> Result<ProjectScope> {
    let map = project_map(snapshot, source, config)?;
    let mut folders = BTreeSet::new();
    for name in names {
        folders.extend(map.named(name)?.into_iter().map(|number| map.projects[number].folder.clone()));
    }
    Ok(ProjectScope { map, folders })
}
