//! The checks of `doctor` on the store and the index in it.

use codecompass_engine::{Compatibility, Job, StoreSummary};
use serde::Serialize;

use super::rules::SkipRulesView;
use super::{CheckView, look};
use crate::remedy::Remedy;
use crate::session::Session;
use crate::units;

/// The parts of the store.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StoreContents {
    pub database_bytes: u64,
    pub text_bytes: u64,
    pub vector_bytes: u64,
    pub other_bytes: u64,
    pub views: ViewCounts,
    pub versions: u64,
    pub waiting_versions: u64,
}

/// The views of the store by kind.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ViewCounts {
    pub worktree: u64,
    pub commit: u64,
    pub live: u64,
}

impl From<&StoreSummary> for StoreContents {
    fn from(summary: &StoreSummary) -> StoreContents {
        StoreContents {
            database_bytes: summary.database_bytes,
            text_bytes: summary.text_bytes,
            vector_bytes: summary.vector_bytes,
            other_bytes: summary.other_bytes,
            views: ViewCounts { worktree: summary.worktrees, commit: summary.commits, live: summary.directories },
            versions: summary.versions,
            waiting_versions: summary.waiting_versions,
        }
    }
}

impl StoreContents {
    /// Returns sizes by part, views by kind, and what waits to be collected.
    fn detail(&self) -> String {
        format!(
            "database {}, text index {}, other {}; {} worktree, {} commit and {} directory views; {} file versions, {} \
             waiting for collection",
            units::bytes(self.database_bytes),
            units::bytes(self.text_bytes),
            units::bytes(self.other_bytes),
            self.views.worktree,
            self.views.commit,
            self.views.live,
            self.versions,
            self.waiting_versions
        )
    }
}

/// Checks of the store, and what they saw.
pub(super) struct StoreFindings {
    pub checks: Vec<CheckView>,
    pub compatibility: Option<Compatibility>,
    pub contents: Option<StoreContents>,
    pub skipped: Option<SkipRulesView>,
    /// True if the index is what is on disk; `None` where that is not known.
    pub is_fresh: Option<bool>,
}

impl StoreFindings {
    /// Looks at the store; `full` compares all checksums.
    pub(super) fn new(session: &Session, full: bool) -> StoreFindings {
        let compatibility = look(|| session.engine.compatibility());
        let mut findings = StoreFindings {
            checks: Vec::new(),
            compatibility: compatibility.as_ref().ok().copied(),
            contents: None,
            skipped: None,
            is_fresh: None,
        };
        findings.checks.push(match compatibility {
            Ok(compatibility) => store(session, compatibility),
            Err(error) => CheckView::failed("store", error),
        });
        if findings.compatibility == Some(Compatibility::Compatible) {
            findings.look_at_contents(session, full);
            findings.look_at_index(session);
        }
        findings
    }

    fn look_at_contents(&mut self, session: &Session, full: bool) {
        let contents = look(|| session.engine.store_summary()).map(|summary| StoreContents::from(&summary));
        self.contents = contents.as_ref().ok().copied();
        self.checks.push(match contents {
            Ok(contents) => CheckView::fine("contents", contents.detail()),
            Err(error) => CheckView::failed("contents", error),
        });
        if full {
            self.checks.push(match look(|| session.engine.store_problems()) {
                Ok(problems) if problems.is_empty() => CheckView::fine("integrity", "all checksums match".into()),
                Ok(problems) => CheckView::new("integrity", false, problems.join("; "), Remedy::Rebuild),
                Err(error) => CheckView::failed("integrity", error),
            });
        }
    }

    fn look_at_index(&mut self, session: &Session) {
        let engine = &session.engine;
        match look(|| Ok((engine.is_fresh()?, engine.skipped()?))) {
            Ok((is_fresh, skipped)) => {
                let job = if is_fresh { None } else { engine.interrupted_job() };
                let rules = SkipRulesView::new(&skipped);
                self.checks.extend(index(is_fresh, job, &rules));
                (self.is_fresh, self.skipped) = (Some(is_fresh), Some(rules));
            }
            Err(error) => self.checks.push(CheckView::failed("index", error)),
        }
    }
}

fn store(session: &Session, compatibility: Compatibility) -> CheckView {
    let engine = &session.engine;
    let is_fine = matches!(compatibility, Compatibility::Compatible | Compatibility::NotIndexed);
    let (bytes, place) = (units::bytes(engine.store_bytes()), engine.store_root().display());
    CheckView::new("store", is_fine, format!("{}, {bytes} at {place}", compatibility.as_str()), Remedy::Rebuild)
}

fn index(is_fresh: bool, job: Option<Job>, rules: &SkipRulesView) -> [CheckView; 3] {
    let freshness = if is_fresh { "fresh" } else { "files changed since the last sync; the next question syncs" };
    let is_published = job.is_none();
    let last_run = job.map_or_else(
        || "published".into(),
        |job| job.message.map_or(job.state.to_string(), |message| format!("{}: {message}", job.state)),
    );
    [
        CheckView::fine("freshness", freshness.into()),
        CheckView::new("last run", is_published, last_run, Remedy::ResumeIndexing),
        CheckView::fine("skipped", rules.detail()),
    ]
}
