//! The metadata of an answer. Fields are those of the protocol; most are left out when they have
//! their normal value.

use std::ops::{Deref, DerefMut};

use codecompass_engine::model::Target;
use codecompass_engine::{query, scan};
use serde::Serialize;

use super::by_project::ProjectCount;
use super::part::LeftOut;
use crate::choices::MetadataLevel;
use crate::remedy::{Advice, Audience, Remedy};
use crate::session::{MissingRepository, Session};

/// The version of the answer format.
pub const PROTOCOL: &str = "1.0";

/// Repositories that an answer names with their generations.
const MAX_GENERATIONS: usize = 50;

/// A field that may be left out, or be there with nothing in it.
pub type Nullable<T> = Option<Option<T>>;

/// Metadata of an answer: the common fields, and those of one question alone.
#[derive(Clone, Debug, Serialize)]
pub struct Metadata<E = NoExtra> {
    #[serde(flatten)]
    pub(super) common: CommonMetadata,
    #[serde(flatten)]
    pub extra: Option<E>,
}

/// Metadata that the answer to any question can have.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CommonMetadata {
    #[serde(rename = "codecompass_protocol_version", skip_serializing_if = "Option::is_none")]
    protocol_version: Option<&'static str>,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    #[serde(flatten)]
    identity: Option<Identity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness_status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexing_status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_completeness: Option<Completeness>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_candidates: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returned: Option<usize>,
    /// The results behind the listed ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remaining_candidates: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safety_limit_applied: Option<bool>,
    /// The number of results in each project, where they are in several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_project: Vec<ProjectCount>,
    /// The way to get what is not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Advice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_action: Nullable<Advice>,
    /// The repository that answered, where several were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// Repositories that gave no answer, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_repositories: Vec<MissingRepository>,
    /// The states that answered, where nodes of a cluster did.
    #[serde(flatten)]
    pub cluster: Option<ClusterStates>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<Advice>>,
}

/// The states of repositories that nodes of a cluster answered for.
#[derive(Clone, Debug, Serialize)]
pub struct ClusterStates {
    /// The first of them.
    pub repositories: Vec<RepositoryGeneration>,
    pub repository_count: usize,
    /// `unreachable` if there may be newer ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    catalogue: Option<&'static str>,
}

/// A generation of a repository of a cluster.
#[derive(Clone, Debug, Serialize)]
pub struct RepositoryGeneration {
    pub repository: String,
    pub generation: i64,
    pub commit: String,
}

/// The fields of a question that has none of its own.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct NoExtra {}

/// The state that answered.
#[derive(Clone, Debug, Serialize)]
struct Identity {
    /// The name of the repository or directory.
    repo: String,
    root: String,
    commit: Option<String>,
    dirty_files: usize,
    /// `overlay` if files on disk differ from the commit, else `base`.
    source_layer: &'static str,
    generation: i64,
    rank_profile_version: String,
}

/// The degree to which an answer is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Completeness {
    /// Everything that was found is listed.
    Complete,
    /// Found so far; more may be found once the index is complete, or by looking further.
    Partial,
    /// More was found than is listed.
    Truncated,
}

impl<E> Deref for Metadata<E> {
    type Target = CommonMetadata;

    fn deref(&self) -> &CommonMetadata {
        &self.common
    }
}

impl<E> DerefMut for Metadata<E> {
    fn deref_mut(&mut self) -> &mut CommonMetadata {
        &mut self.common
    }
}

// Written out, since a derived one would ask for a default of `E`, too.
impl<E> Default for Metadata<E> {
    fn default() -> Metadata<E> {
        Metadata { common: CommonMetadata::default(), extra: None }
    }
}

impl<E> Metadata<E> {
    /// Returns what can be said of any answer of `session`.
    pub fn new(session: &Session) -> Metadata<E> {
        Metadata { common: CommonMetadata::new(session), extra: None }
    }

    /// Adds the fields of the question.
    pub fn with(self, extra: E) -> Metadata<E> {
        Metadata { extra: Some(extra), ..self }
    }

    /// Leaves only what an answer must say that has no room to say more.
    pub fn keep_essential(&mut self) {
        self.extra = None;
        self.common = CommonMetadata {
            reference: self.reference.take(),
            repository: self.repository.take(),
            cluster: self.cluster.take(),
            freshness_status: self.freshness_status,
            total_candidates: self.total_candidates,
            returned: self.returned,
            remaining_candidates: self.remaining_candidates,
            offset: self.offset,
            next_offset: self.next_offset,
            ..CommonMetadata::default()
        };
    }
}

impl CommonMetadata {
    /// Returns what can be said of any answer of `session`.
    fn new(session: &Session) -> CommonMetadata {
        let mut metadata = CommonMetadata {
            protocol_version: Some(PROTOCOL),
            reference: Some(reference(session)),
            ..CommonMetadata::default()
        };
        if session.metadata == MetadataLevel::Full
            && let Ok(identity) = session.engine.identity()
        {
            metadata.identity = Some(Identity {
                repo: identity.root.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                root: identity.root.to_string_lossy().into_owned(),
                commit: identity.commit,
                dirty_files: identity.dirty_files,
                source_layer: if identity.dirty_files > 0 { "overlay" } else { "base" },
                generation: identity.generation,
                rank_profile_version: query::rank_profile_version(&session.engine.config().search),
            });
            metadata.freshness_status = Some("fresh");
            metadata.indexing_status = Some("ready");
            metadata.result_completeness = Some(Completeness::Complete);
            metadata.safety_limit_applied = Some(false);
        }
        if session.is_stale() {
            metadata.freshness_status = Some("stale");
        }
        if session.is_unfinished() {
            metadata.result_completeness = Some(Completeness::Partial);
        }
        if session.is_as_is() || session.is_unfinished() {
            metadata.freshness_status = Some("syncing");
            metadata.indexing_status = Some("indexing");
        }
        metadata
    }

    /// Leaves out what is about one repository.
    pub fn speak_for_several(&mut self) {
        (self.reference, self.identity) = (None, None);
    }

    /// Sets how many results there are, and how many are listed.
    pub fn count(&mut self, total: usize, returned: usize) {
        self.total_candidates = Some(total);
        self.returned = Some(returned);
        self.set_remaining(total.saturating_sub(returned));
        if total > returned {
            self.result_completeness = Some(Completeness::Truncated);
        }
    }

    /// Sets how many results stand behind the listed ones. Zero is said only where all is told.
    pub fn set_remaining(&mut self, remaining: usize) {
        self.remaining_candidates = Some(remaining).filter(|remaining| *remaining > 0 || self.identity.is_some());
    }

    /// Returns what is said of an answer that lists everything.
    pub fn complete(&self) -> Option<Completeness> {
        self.identity.as_ref().map(|_| Completeness::Complete)
    }

    /// Notes the generations that answered; `is_current` unless there may be newer ones.
    pub fn note_generations(&mut self, answered: &[RepositoryGeneration], is_current: bool) {
        let repositories = answered.iter().take(MAX_GENERATIONS).cloned().collect();
        let catalogue = (!is_current).then_some("unreachable");
        self.cluster = Some(ClusterStates { repositories, repository_count: answered.len(), catalogue });
        if !is_current {
            let warning = "the catalogue cannot be reached; there may be newer generations";
            self.warnings.get_or_insert_default().push(Remedy::from(warning.to_string()).into());
        }
    }

    /// Notes that repositories gave no answer.
    pub fn note_missing(&mut self, missing: &[MissingRepository]) {
        self.result_completeness = Some(Completeness::Partial);
        self.missing_repositories = missing.to_vec();
    }

    /// Sets the advice.
    pub fn suggest(&mut self, remedy: Remedy) {
        self.suggested_action = Some(Some(remedy.into()));
    }

    /// Words all advice for a reader.
    pub fn address(&mut self, audience: Audience) {
        let advice = self.suggested_action.iter_mut().flatten().chain(self.suggestion.iter_mut());
        advice.chain(self.warnings.iter_mut().flatten()).for_each(|advice| advice.address(audience));
    }

    /// Returns the state that answered on one line, where full metadata are asked for.
    pub fn state(&self) -> Option<String> {
        let identity = self.identity.as_ref()?;
        let commit = identity.commit.as_deref().unwrap_or("none");
        Some(format!(
            "{} at {}, commit {commit}, dirty files {}, generation {}, ranking {}",
            self.reference.as_deref().unwrap_or("live"),
            identity.root,
            identity.dirty_files,
            identity.generation,
            identity.rank_profile_version
        ))
    }

    /// Returns whether there is nothing to say: the answer has no metadata, and was not cut.
    pub fn is_empty(&self) -> bool {
        self.protocol_version.is_none() && self.reference.is_none() && self.result_completeness.is_none()
    }
}

/// Returns the name of what the answer speaks for: the ref that was asked for, the branch, the
/// commit when detached, or `live` outside git.
pub fn reference(session: &Session) -> String {
    if let Target::Commit { name, .. } = session.engine.target() {
        return name.clone();
    }
    match scan::head(session.engine.workspace()).ok().flatten() {
        Some(head) => head.reference.or(head.commit).unwrap_or_else(|| "HEAD".into()),
        None => "live".into(),
    }
}
