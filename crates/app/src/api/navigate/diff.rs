//! `diff`, `diff_context`: what changed between two refs, or since the branch began, in symbols.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use codecompass_engine::Error as EngineError;
use codecompass_engine::config::IndexConfig;
use codecompass_engine::query::{
    self, Affected, ChangeKind, FileChange, Filter, Hit, ImpactOptions, Navigator, PairingEvidence, PathPattern,
    ProjectScope, Scope, Side, SymbolChange, UseClass,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::comparison::{DiffBase, ask_both, projects_of_either, unified};
use super::graph::AffectedView;
use crate::api::arguments::{PageArgs, ProjectArgs, one};
use crate::api::metadata::{Completeness, Metadata, NoExtra, reference};
use crate::api::page::Page;
use crate::api::part::{Paged, answer_fields, parts};
use crate::api::views::HitView;
use crate::api::{Answer, Request};
use crate::choices::Detail;
use crate::error::AppError;
use crate::remedy::Remedy;
use crate::session::{CallContext, Session};

/// The reach of `--impact`: callers are the direct ones, tests may be some calls away.
fn reach() -> ImpactOptions {
    ImpactOptions { depth: 3, least: UseClass::Likely, limit: 1000, scope: Scope::default() }
}

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct DiffRequest {
    /// The base of the comparison: the commit where REF left BASE. The default branch if not given.
    #[arg(value_name = "BASE")]
    #[schemars(description = "Branch or commit; default: the default branch.")]
    pub base: Option<String>,
    /// The changed side: a branch, tag or commit. The files on disk if not given, uncommitted edits
    /// included.
    #[arg(value_name = "REF")]
    #[serde(rename = "ref")]
    #[schemars(description = "")]
    pub reference: Option<String>,
    /// Compare with BASE itself rather than with the commit where REF left it.
    #[arg(long)]
    #[serde(default)]
    #[schemars(description = "Compare with base itself, not where ref left it.")]
    pub exact: bool,
    /// List files, symbols, or both.
    #[arg(long, value_enum, default_value_t = DiffScope::All)]
    #[serde(default)]
    #[schemars(with = "Option<DiffScope>", description = "")]
    pub scope: DiffScope,
    /// Also list code and tests that use what was modified, renamed or deleted. `codecompass impact
    /// --diff` says more.
    #[arg(long)]
    #[serde(default)]
    #[schemars(description = "Also affected callers and tests.")]
    pub impact: bool,
    /// The amount of detail about each symbol.
    #[arg(long, value_enum, default_value_t = Detail::Signature)]
    #[serde(default, rename = "detail_level")]
    #[schemars(with = "Option<Detail>", description = "")]
    pub detail: Detail,
    #[arg(skip)]
    #[serde(default)]
    pub compact: bool,
    /// Only below this folder, or paths that match this glob; may be given several times.
    #[arg(long, value_name = "PATH")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "")]
    pub path: Vec<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub projects: ProjectArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
}

/// The items that a diff lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiffScope {
    /// Symbols that differ.
    Symbols,
    /// Files that differ.
    Files,
    /// Both.
    #[default]
    All,
}

#[derive(Clone, Debug, Serialize)]
pub struct DiffAnswer {
    #[serde(rename = "ref")]
    pub reference: String,
    pub base: String,
    pub merge_base_commit: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affected_files: Option<Vec<FileChangeView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<ChangeSummary>,
    /// Code outside of tests that uses something changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affected_callers: Option<Vec<AffectedView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affected_tests: Option<Vec<AffectedView>>,
    pub metadata: Metadata,
    /// Everything that changed; text lists symbols below their files.
    #[serde(skip)]
    pub changes: Arc<query::DiffAnswer>,
    /// The lines that differ of each changed symbol, in the order of `changes`; empty unless the
    /// detail level is `context`.
    #[serde(skip)]
    pub patches: Arc<Vec<Option<String>>>,
}
parts!(DiffAnswer { base, affected_files, summary, affected_callers, affected_tests });

/// A file that differs.
#[derive(Clone, Debug, Serialize)]
pub struct FileChangeView {
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_before: Option<String>,
    pub change: &'static str,
}
parts!(FileChangeView { path, path_before });

impl From<&FileChange> for FileChangeView {
    fn from(file: &FileChange) -> FileChangeView {
        FileChangeView { path: file.path.clone(), path_before: file.path_before.clone(), change: file.kind.as_str() }
    }
}

/// The symbols that differ.
#[derive(Clone, Debug, Serialize)]
pub struct ChangeSummary {
    pub added_symbols: Vec<SymbolChangeView>,
    pub modified_symbols: Vec<SymbolChangeView>,
    pub deleted_symbols: Vec<SymbolChangeView>,
    pub moved_symbols: Vec<SymbolChangeView>,
}
parts!(ChangeSummary { added_symbols, modified_symbols, deleted_symbols, moved_symbols });

/// A symbol that differs: as it is now, or was if it is gone.
#[derive(Clone, Debug, Serialize)]
pub struct SymbolChangeView {
    #[serde(flatten)]
    pub symbol: HitView,
    pub change: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_signature: Option<String>,
    /// The path it had before, if it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_line_start: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_name: Option<String>,
    /// The reason to take the two for one, where name, container or file differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<EvidenceView>,
    /// The lines that differ, where the detail level is `context`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
}
parts!(SymbolChangeView { patch, before_signature, after_signature, before_path, before_name, ..symbol });

/// A reason to take two definitions for one.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct EvidenceView {
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
}

impl From<PairingEvidence> for EvidenceView {
    fn from(evidence: PairingEvidence) -> EvidenceView {
        let rounded = |share: f64| (share * 100.0).round() / 100.0;
        EvidenceView { kind: evidence.as_str(), similarity: evidence.similarity().map(rounded) }
    }
}

impl SymbolChangeView {
    fn new(change: &SymbolChange, detail: Detail) -> Option<SymbolChangeView> {
        let shown = change.after.as_ref().or(change.before.as_ref())?;
        let mut view = SymbolChangeView {
            symbol: HitView::unscored(shown.clone(), detail),
            change: change.kind.as_str(),
            before_signature: None,
            after_signature: None,
            before_path: None,
            before_line_start: None,
            before_name: None,
            evidence: change.evidence.map(EvidenceView::from),
            patch: None,
        };
        if let (Some(before), Some(after)) = (&change.before, &change.after) {
            view.before_signature = Some(before.signature.clone());
            view.after_signature = Some(after.signature.clone());
            if before.path != after.path || change.kind == ChangeKind::Moved {
                view.before_path = Some(before.path.clone());
                view.before_line_start = Some(before.line_start);
            }
            if before.qualified_name != after.qualified_name {
                view.before_name = Some(before.qualified_name.clone());
            }
        }
        Some(view)
    }
}

impl Answer for DiffAnswer {
    answer_fields!(NoExtra);

    fn pages(&mut self) -> Vec<Paged<'_>> {
        let mut pages = vec![Paged::optional("affected_files", self.affected_files.as_mut())];
        if let Some(summary) = &mut self.summary {
            pages.push(Paged::new("summary.added_symbols", &mut summary.added_symbols));
            pages.push(Paged::new("summary.modified_symbols", &mut summary.modified_symbols));
            pages.push(Paged::new("summary.deleted_symbols", &mut summary.deleted_symbols));
            pages.push(Paged::new("summary.moved_symbols", &mut summary.moved_symbols));
        }
        pages.push(Paged::optional("affected_callers", self.affected_callers.as_mut()));
        pages.push(Paged::optional("affected_tests", self.affected_tests.as_mut()));
        pages
    }

    fn is_found(&self) -> bool {
        !self.changes.files.is_empty()
    }
}

impl DiffRequest {
    /// Returns how much to say about each symbol. Sources are all that the highest level adds.
    fn detail(&self) -> Detail {
        match self.detail {
            Detail::Context if self.compact => Detail::Signature,
            detail => detail,
        }
    }

    /// Drops what changed elsewhere than the paths asked for.
    fn keep_below(&self, found: &mut query::DiffAnswer, projects: Option<&ProjectScope>) -> Result<(), EngineError> {
        if self.path.is_empty() && projects.is_none() {
            return Ok(());
        }
        let paths = self.path.iter().map(|pattern| PathPattern::new(pattern)).collect::<Result<_, _>>()?;
        let filter = Filter { paths, projects: projects.cloned(), ..Filter::default() };
        let is_below = |path: &str| filter.accepts_path(path);
        found.files.retain(|file| is_below(&file.path) || file.path_before.as_deref().is_some_and(is_below));
        let side = |hit: &Option<Hit>| hit.as_ref().is_some_and(|hit| is_below(&hit.path));
        found.symbols.retain(|change| side(&change.before) || side(&change.after));
        Ok(())
    }

    /// Returns the symbols that changed so, without those before the page.
    fn changed_symbols(
        &self,
        found: &query::DiffAnswer,
        patches: &[Option<String>],
        kinds: &[ChangeKind],
        page: Page,
    ) -> Vec<SymbolChangeView> {
        let patches = patches.iter().cloned().chain(std::iter::repeat(None));
        let changes = found.symbols.iter().zip(patches).filter(|(change, _)| kinds.contains(&change.kind));
        let view = |(change, patch)| Some(SymbolChangeView { patch, ..SymbolChangeView::new(change, self.detail())? });
        let mut views: Vec<_> = changes.filter_map(view).collect();
        page.skip(&mut views);
        views
    }
}

impl Request for DiffRequest {
    type Answer = DiffAnswer;

    fn reference(&self) -> Option<&str> {
        self.reference.as_deref()
    }

    fn answer(&self, context: &CallContext) -> Result<DiffAnswer, AppError> {
        let after = Session::open_at(context, self.reference.as_deref())?;
        let base = DiffBase::find(&after.engine, self.base.as_deref(), self.exact)?;
        let before = Session::open_at(context, Some(&base.commit))?;
        let projects = projects_of_either(&before, &after, &self.projects)?;
        let (found, patches, impact) = ask_both(&before, &after, |old, new| {
            let mut found = query::diff(old, new, &after.engine.config().index)?;
            self.keep_below(&mut found, projects.as_ref())?;
            let impact = if self.impact {
                let (before, after) = (Navigator::new(old.snapshot), Navigator::new(new.snapshot));
                Some(query::impact_of_diff(&before, &after, &found, &reach())?)
            } else {
                None
            };
            let patches = match self.detail() {
                Detail::Context => patches(&found, old, new, &after.engine.config().index)?,
                _ => Vec::new(),
            };
            Ok((found, patches, impact))
        })?;
        let page = Page::new(self.page, usize::MAX);
        let mut metadata = Metadata::new(&after);
        page.mark(&mut metadata, &[]);
        if impact.as_ref().is_some_and(is_cut) {
            metadata.result_completeness = Some(Completeness::Partial);
            metadata.suggest(Remedy::ListImpact);
        }
        let (callers, tests) = impact.map(|impact| callers_and_tests(impact, page)).unzip();
        let affected_files = (self.scope != DiffScope::Symbols).then(|| {
            let mut files: Vec<FileChangeView> = found.files.iter().map(FileChangeView::from).collect();
            page.skip(&mut files);
            files
        });
        let symbols = |kinds: &[ChangeKind]| self.changed_symbols(&found, &patches, kinds, page);
        let summary = (self.scope != DiffScope::Files).then(|| ChangeSummary {
            added_symbols: symbols(&[ChangeKind::Added]),
            modified_symbols: symbols(&[ChangeKind::Modified]),
            deleted_symbols: symbols(&[ChangeKind::Deleted]),
            moved_symbols: symbols(&[ChangeKind::Moved, ChangeKind::Renamed]),
        });
        Ok(DiffAnswer {
            reference: reference(&after),
            base: base.name,
            merge_base_commit: base.commit,
            affected_files,
            summary,
            affected_callers: callers,
            affected_tests: tests,
            metadata,
            changes: Arc::new(found),
            patches: Arc::new(patches),
        })
    }
}

/// Returns the lines that differ of each changed symbol; of a new one its first lines.
fn patches(
    found: &query::DiffAnswer,
    old: Side<'_>,
    new: Side<'_>,
    config: &IndexConfig,
) -> Result<Vec<Option<String>>, EngineError> {
    /// Symbols whose lines are compared.
    const MAX_SYMBOLS: usize = 100;
    /// Lines of each.
    const MAX_LINES: usize = 20;
    let mut patches = Vec::new();
    for change in found.symbols.iter().take(MAX_SYMBOLS) {
        if change.is_implied || change.kind == ChangeKind::Moved || change.kind == ChangeKind::Deleted {
            patches.push(None);
            continue;
        }
        let lines = |side: Side<'_>, hit: &Option<Hit>| {
            hit.as_ref()
                .map(|hit| query::hit_lines(side.snapshot, side.source, config, hit))
                .transpose()
                .map(Option::unwrap_or_default)
        };
        let patch = unified(&lines(old, &change.before)?, &lines(new, &change.after)?, 1);
        let count = patch.lines().count();
        let mut short: String = patch.split_inclusive('\n').take(MAX_LINES).collect();
        if count > MAX_LINES {
            short.push_str(&format!("… {} more lines\n", count - MAX_LINES));
        }
        patches.push(Some(short).filter(|short| !short.is_empty()));
    }
    Ok(patches)
}

/// Returns whether more is affected than was listed or followed.
fn is_cut(impact: &query::ImpactAnswer) -> bool {
    impact.is_cut || impact.tests_total > impact.tests.len() || impact.affected_total > impact.affected.len()
}

/// Returns the direct callers and the tests that are affected, without those before the page.
fn callers_and_tests(mut impact: query::ImpactAnswer, page: Page) -> (Vec<AffectedView>, Vec<AffectedView>) {
    let views = |affected: Vec<Affected>| {
        let mut views: Vec<AffectedView> = affected.into_iter().map(AffectedView::from).collect();
        page.skip(&mut views);
        views
    };
    impact.affected.retain(|affected| affected.depth == 1);
    (views(impact.affected), views(impact.tests))
}
