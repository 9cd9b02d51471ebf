//! The ranking API of Google's Vertex AI, which is part of its Discovery Engine.

use serde::Deserialize;
use serde_json::{Value, json};

use super::outgoing::Outgoing;
use crate::EmbedError;

pub(super) const URL: &str = "https://discoveryengine.googleapis.com/v1";
pub(super) const MODEL: &str = "semantic-ranker-default@latest";
/// The API's limit of records in a request.
pub(super) const MAX_RECORDS: usize = 200;
/// The header with the project that is billed; credentials of users need it.
pub(super) const ACCOUNT: &str = "x-goog-user-project";

#[derive(Deserialize)]
pub(super) struct RankedRecords {
    /// Left out where there are none.
    #[serde(default)]
    records: Vec<RankedRecord>,
}

#[derive(Deserialize)]
struct RankedRecord {
    id: String,
    /// Left out where it is zero.
    #[serde(default)]
    score: f32,
}

/// The project that settings name, which becomes part of the address.
pub(super) fn checked_project(project: Option<&str>) -> Result<&str, EmbedError> {
    let project = project.map(str::trim).filter(|project| !project.is_empty());
    let project = project.ok_or_else(|| EmbedError::Settings("vertex needs the `project` to bill".into()))?;
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"-.:".contains(&byte);
    if project.bytes().all(is_usual) {
        Ok(project)
    } else {
        Err(EmbedError::Settings("its project has characters that no project has".into()))
    }
}

/// The endpoint below the base URL.
pub(super) fn path(project: &str) -> String {
    format!("/projects/{project}/locations/global/rankingConfigs/default_ranking_config:rank")
}

/// Records are numbered by their ids; only ids and scores come back.
pub(super) fn body(model: &str, query: &Outgoing, documents: &[Outgoing]) -> Value {
    let record = |(at, content): (usize, &Outgoing)| json!({"id": at.to_string(), "content": content});
    let records: Vec<Value> = documents.iter().enumerate().map(record).collect();
    json!({"model": model, "query": query, "records": records, "ignoreRecordDetailsInResponse": true})
}

impl RankedRecords {
    /// The scores with the numbers of their documents.
    pub(super) fn numbered(self) -> Result<Vec<(usize, f32)>, EmbedError> {
        let number = |record: RankedRecord| Some((record.id.parse().ok()?, record.score));
        let all: Option<Vec<_>> = self.records.into_iter().map(number).collect();
        all.ok_or_else(|| EmbedError::Malformed("an id is not one that was sent".into()))
    }
}
