//! The manifests of a view, with what each says.

use std::sync::Arc;

use codecompass_syntax::manifests::{ManifestKind, ManifestProblem, ManifestText, kind_of, read_manifest};

use crate::config::IndexConfig;
use crate::error::{Error, Result};
use crate::model::{ContentId, Role, VersionId};
use crate::parallel;
use crate::query::projects::answer::ProjectProblem;
use crate::resolve::folder_of;
use crate::scan::{ReadOutcome, Source};
use crate::store::Snapshot;
use crate::store::read::view_caches::VersionManifest;

/// Manifests beyond this many are not read.
const MAX_MANIFESTS: usize = 20_000;

/// A manifest that could be read.
pub(super) struct ManifestFile {
    pub(super) path: String,
    pub(super) kind: &'static ManifestKind,
    /// True if tests, examples and the like hold it.
    pub(super) is_aside: bool,
    pub(super) facts: Arc<VersionManifest>,
}

impl ManifestFile {
    pub(super) fn folder(&self) -> &str {
        folder_of(&self.path)
    }

    pub(super) fn name(&self) -> &str {
        name_of(&self.path)
    }
}

/// All manifests of a view.
#[derive(Default)]
pub(super) struct ManifestFiles {
    /// In the order of paths.
    pub(super) read: Vec<ManifestFile>,
    pub(super) problems: Vec<ProjectProblem>,
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A manifest that is to be read.
struct ManifestCandidate<'view> {
    path: &'view str,
    version: VersionId,
    kind: &'static ManifestKind,
    role: Role,
    content: Option<ContentId>,
    /// Its facts, if they are known, or its text.
    known: Option<Arc<VersionManifest>>,
    kept: Option<Arc<str>>,
}

/// Reads all manifests of a view.
pub(super) fn read(snapshot: &Snapshot, source: &Source, config: &IndexConfig) -> Result<ManifestFiles> {
    let mut files = ManifestFiles::default();
    for path in snapshot.oversized_paths().filter(|path| kind_of(name_of(path)).is_some()) {
        let reason = "is too large to be indexed".to_string();
        files.problems.push(ProjectProblem { path: path.to_string(), line: 1, reason });
    }
    let mut candidates = Vec::new();
    for (path, version) in snapshot.files() {
        let Some(kind) = kind_of(name_of(path)) else { continue };
        let info = snapshot.file_info(*version)?;
        candidates.push(ManifestCandidate {
            path,
            version: *version,
            kind,
            role: info.role,
            content: ContentId::from_slice(&info.content_id),
            known: snapshot.manifest(*version),
            kept: snapshot.content_cache().text(*version),
        });
    }
    if let Some(first) = candidates.get(MAX_MANIFESTS) {
        let reason = format!("and those behind it are not read: there are more than {MAX_MANIFESTS} manifests");
        files.problems.push(ProjectProblem { path: first.path.to_string(), line: 1, reason });
        candidates.truncate(MAX_MANIFESTS);
    }
    let read = parallel::map(&candidates, || source.reader(), |reader, it| facts(reader, it, config));
    for (candidate, facts) in candidates.iter().zip(read) {
        let facts = facts?;
        if candidate.known.is_none() {
            snapshot.keep_manifest(candidate.version, Arc::clone(&facts));
        }
        if let Err(ManifestProblem { line, reason }) = &*facts {
            let (path, line, reason) = (candidate.path.to_string(), *line, reason.clone());
            files.problems.push(ProjectProblem { path, line, reason });
            continue;
        }
        files.read.push(ManifestFile {
            path: candidate.path.to_string(),
            kind: candidate.kind,
            is_aside: !matches!(candidate.role, Role::Source | Role::Config),
            facts,
        });
    }
    Ok(files)
}

fn facts(
    reader: &crate::scan::SourceReader,
    candidate: &ManifestCandidate<'_>,
    config: &IndexConfig,
) -> Result<Arc<VersionManifest>> {
    if let Some(known) = &candidate.known {
        return Ok(Arc::clone(known));
    }
    let name = name_of(candidate.path);
    if let Some(text) = &candidate.kept {
        return Ok(Arc::new(read_manifest(candidate.kind, ManifestText { name, text })));
    }
    match reader.read(candidate.path, candidate.content, config) {
        ReadOutcome::Text(read) if Some(read.content_id) == candidate.content => {
            Ok(Arc::new(read_manifest(candidate.kind, ManifestText { name, text: &read.text })))
        }
        ReadOutcome::Text(_) | ReadOutcome::Vanished => Err(Error::FileChanged { path: candidate.path.to_string() }),
        ReadOutcome::Skipped { .. } => {
            Ok(Arc::new(Err(ManifestProblem { line: 1, reason: "is no text that can be read".into() })))
        }
    }
}
