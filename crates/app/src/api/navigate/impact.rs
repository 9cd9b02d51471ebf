//! `impact`, `analyze_impact`: the code, entry points and tests that a change may affect.

use clap::{ArgGroup, Args};
use codecompass_engine::query::{
    self, Affected, AffectedRoute, Direction, Edge, Flow, FlowCall, FlowOptions, Hit, ImpactOptions, LinePlace,
    Navigator, ProjectMap, Scope, UseClass,
};
use codecompass_engine::{Error as EngineError, Snapshot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::comparison::{DiffBase, ask_both};
use super::graph::{AffectedView, LeftOutView, NodeView, confidence_word};
use super::refs::NavigationLimit;
use super::rename::{RenameArgs, RenameView};
use super::steps::{FlowView, JsonSteps, SourceArgs, StepForm};
use crate::api::arguments::{
    Bounded, CertaintyArgs, DetailArgs, PageArgs, RefArgs, RoleArgs, ScopeArgs, is_zero, one_or_more, symbol,
};
use crate::api::by_project::{ProjectCount, by_project, several_projects};
use crate::api::fan_out::Spread;
use crate::api::metadata::{Completeness, Metadata};
use crate::api::navigate::accounting::AccountingView;
use crate::api::page::Page;
use crate::api::part::{Fields, Paged, Part, answer_fields, parts, shared_arguments, tokens};
use crate::api::views::{HitView, SubjectDefinitionView, SubjectView, UseView, line_place, use_views};
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::session::{CallContext, Session};

/// Uses between a change and what it affects.
pub type ImpactDepth = Bounded<1, 10>;

/// Symbols, and tests, that text and tools list if not told otherwise.
const TEXT_LIMIT: NavigationLimit = NavigationLimit::new(50);
/// Symbols, and tests, that programs get if they do not tell.
const JSON_LIMIT: NavigationLimit = NavigationLimit::new(1000);
const DEFAULT_DEPTH: ImpactDepth = ImpactDepth::new(3);

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
#[command(group = ArgGroup::new("what").required(true).args(["symbol", "diff"]))]
pub struct ImpactRequest {
    /// The symbols that would change: names, qualified names, symbol ids, path:line,
    /// path:line:column, or path::name.
    #[arg(id = "symbol", value_name = "SYMBOL")]
    #[serde(default, rename = "symbol", deserialize_with = "one_or_more")]
    #[schemars(with = "Option<String>", description = "What would change. Without it: what changed since base.")]
    pub symbols: Vec<String>,
    /// Use what changed since BASE, the default branch if not given: the symbols that `codecompass
    /// diff BASE` lists as modified, renamed or deleted.
    #[arg(long, value_name = "BASE", num_args = 0..=1, default_missing_value = "")]
    #[serde(rename = "base")]
    #[schemars(description = "Branch or commit; default: the default branch.")]
    pub diff: Option<String>,
    /// The number of uses to follow.
    #[arg(long, default_value_t = DEFAULT_DEPTH)]
    #[serde(default = "default_depth")]
    #[schemars(description = "")]
    pub depth: ImpactDepth,
    /// At most this many symbols and tests each; all are counted [default: 50, with --json 1000].
    #[arg(long, short = 'n')]
    #[serde(default = "tool_limit")]
    #[schemars(with = "NavigationLimit", description = "")]
    pub limit: Option<NavigationLimit>,
    #[command(flatten)]
    #[serde(flatten)]
    pub renaming: RenameArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub certainty: CertaintyArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ScopeArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub roles: RoleArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
    #[arg(skip)]
    #[serde(flatten)]
    pub detail: DetailArgs,
}

fn default_depth() -> ImpactDepth {
    DEFAULT_DEPTH
}

fn tool_limit() -> Option<NavigationLimit> {
    Some(TEXT_LIMIT)
}

#[derive(Clone, Debug, Serialize)]
pub struct ImpactAnswer {
    #[serde(flatten)]
    pub cause: ImpactCause,
    pub affected_symbols: Vec<AffectedView>,
    /// The places where programs start or answer requests; they are among the affected symbols as
    /// well.
    pub affected_entry_points: Vec<AffectedView>,
    /// Endpoints that changed or affected code answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub affected_endpoints: Vec<AffectedRouteView>,
    /// The same for rpcs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub affected_rpcs: Vec<AffectedRouteView>,
    pub affected_tests: Vec<AffectedView>,
    pub affected_files: Vec<AffectedFileView>,
    /// Possible uses that are not followed, since each may mean more than three definitions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub possible_uses: Vec<UseView>,
    /// The few affected symbols that filters leave out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<AffectedView>,
    /// The affected functions with their code, where that is asked for.
    #[serde(flatten)]
    pub flow: FlowView,
    /// The places that a new name changes, where one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rename: Option<RenameView>,
    pub metadata: Metadata<ImpactMetadata>,
}
parts!(ImpactAnswer {
    affected_symbols,
    affected_entry_points,
    affected_endpoints,
    affected_rpcs,
    affected_tests,
    affected_files,
    possible_uses,
    left_out,
    rename,
    ..cause,
    ..flow
});

/// An endpoint or rpc whose answers a change may affect.
#[derive(Clone, Debug, Serialize)]
pub struct AffectedRouteView {
    /// The HTTP method of an endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The path of an endpoint, or the rpc with its service.
    pub path: String,
    pub handler: NodeView,
    /// Uses between its handler and the change, at least.
    pub depth: u32,
    #[serde(serialize_with = "confidence_word")]
    pub confidence: UseClass,
}
parts!(AffectedRouteView { path, handler });

impl From<AffectedRoute> for AffectedRouteView {
    fn from(route: AffectedRoute) -> AffectedRouteView {
        AffectedRouteView {
            method: route.method,
            path: route.path,
            handler: route.handler.into(),
            depth: route.depth,
            confidence: route.confidence,
        }
    }
}

/// The change that an answer is about.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum ImpactCause {
    /// The symbol that was asked about.
    Symbol {
        symbol: Box<HitView>,
        others: Vec<HitView>,
        /// The definitions that change, where the name means several; if these are too many, those
        /// to choose from.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        definitions: Vec<SubjectDefinitionView>,
        #[serde(skip)]
        others_total: usize,
        /// True if there are too many definitions to answer for.
        #[serde(skip)]
        is_open: bool,
    },
    /// The symbols that changed since a commit.
    Diff { base: String, merge_base_commit: String, changed_symbols: Vec<HitView> },
}

impl Part for ImpactCause {
    fn json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn fields(&mut self) -> Fields<'_> {
        match self {
            ImpactCause::Symbol { symbol, others, definitions, .. } => {
                vec![("symbol", &mut **symbol), ("others", others), ("definitions", definitions)]
            }
            ImpactCause::Diff { base, changed_symbols, .. } => {
                vec![("base", base), ("changed_symbols", changed_symbols)]
            }
        }
    }
}

/// A file with something affected in it.
#[derive(Clone, Debug, Serialize)]
pub struct AffectedFileView {
    pub path: String,
    pub affected: usize,
}
parts!(AffectedFileView { path });

#[derive(Clone, Debug, Default, Serialize)]
pub struct ImpactMetadata {
    pub affected_symbols: usize,
    pub affected_entry_points: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub affected_endpoints: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub affected_rpcs: usize,
    pub affected_tests: usize,
    /// The number of affected symbols and tests at depth 1, 2, …
    pub per_depth: Vec<usize>,
    /// The number of affected symbols and tests that `path` and `tests` leave out.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out_by_filters: usize,
    /// The same by filter.
    #[serde(skip_serializing_if = "LeftOutView::is_empty")]
    pub left_out_by: LeftOutView,
    /// The number of possible uses that are not followed, listed or not.
    #[serde(skip_serializing_if = "is_zero")]
    pub possible_uses: usize,
    /// All occurrences of the symbol's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accounting: Option<AccountingView>,
}

impl Answer for ImpactAnswer {
    answer_fields!(ImpactMetadata);

    fn pages(&mut self) -> Vec<Paged<'_>> {
        if let Some(rename) = &mut self.rename {
            return vec![Paged::new("places", &mut rename.places)];
        }
        vec![
            Paged::new("affected_symbols", &mut self.affected_symbols),
            Paged::new("affected_entry_points", &mut self.affected_entry_points),
            Paged::new("affected_tests", &mut self.affected_tests),
        ]
    }

    fn is_found(&self) -> bool {
        if self.rename.is_some() {
            return true;
        }
        let is_open = matches!(self.cause, ImpactCause::Symbol { is_open: true, .. });
        self.metadata.total_candidates.is_some_and(|total| total > 0) || !self.possible_uses.is_empty() || is_open
    }
}

/// The code that a change may affect.
struct ImpactFindings {
    found: query::ImpactAnswer,
    /// The numbers of affected code by project.
    counts: Vec<ProjectCount>,
    cause: ImpactCause,
    /// The lines of the possible uses.
    lines: Vec<String>,
    code: AffectedCode,
}

/// The code of what is affected, as far as it is asked for.
#[derive(Default)]
struct AffectedCode {
    /// The lines of the uses in affected code, then those in tests.
    lines: Vec<String>,
    flow: Flow,
}

/// A question with the page of it that is answered.
struct PagedImpact<'a> {
    request: &'a ImpactRequest,
    context: &'a CallContext,
    session: &'a Session,
    page: Page,
}

impl PagedImpact<'_> {
    /// Cuts the lists to the page, and reads the code of what is left.
    fn read(
        &self,
        navigator: &Navigator<'_>,
        snapshot: &Snapshot,
        starts: &[&Hit],
        found: &mut query::ImpactAnswer,
    ) -> Result<AffectedCode, EngineError> {
        self.page.skip(&mut found.affected);
        self.page.skip(&mut found.entry_points);
        self.page.skip(&mut found.tests);
        let source = self.request.source;
        let all = || found.affected.iter().chain(&found.tests);
        let mut code = AffectedCode::default();
        if source.has_lines() {
            let engine = &self.session.engine;
            let places: Vec<LinePlace<'_>> =
                all().map(|one| LinePlace { path: &one.node.path, line: one.line, argument: None }).collect();
            code.lines = query::source_lines(snapshot, engine.source(), &engine.config().index, &places)?;
        }
        if source.has_bodies() {
            let mut uses: Vec<(u32, Edge)> = all().filter_map(|one| Some((one.depth, one.edge()?))).collect();
            uses.sort_by_key(|(depth, _)| *depth);
            let calls: Vec<FlowCall<'_>> =
                uses.iter().map(|(_, edge)| FlowCall { edge, direction: Direction::Callers }).collect();
            let most = source.most_steps(self.context);
            let options = FlowOptions { most, follows_candidates: false, names_open_calls: false };
            code.flow = query::flow(navigator, starts, &calls, &options)?;
        }
        Ok(code)
    }
}

/// Possible uses that are listed.
const MAX_POSSIBLE: usize = 20;

impl ImpactRequest {
    /// Finds what a change of the symbol affects.
    fn of_symbol(asked: &str, options: &ImpactOptions, paged: &PagedImpact<'_>) -> Result<ImpactFindings, AppError> {
        let session = paged.session;
        let asked = symbol(session, asked)?;
        let engine = &session.engine;
        let (mut found, lines, projects, code) = session.ask_in(&options.scope.filter, |snapshot| {
            let navigator = Navigator::new(snapshot).reading(engine.source(), &engine.config().index);
            let mut found = query::impact(&navigator, &asked, options)?;
            found.possible.truncate(MAX_POSSIBLE);
            let places: Vec<LinePlace<'_>> = found.possible.iter().map(line_place).collect();
            let lines = query::source_lines(snapshot, engine.source(), &engine.config().index, &places)?;
            let subject = found.subject.clone().filter(|subject| !subject.is_open);
            let mut starts: Vec<&Hit> = subject.iter().flat_map(|it| &it.definitions).map(|it| &it.hit).collect();
            if starts.is_empty() {
                starts.extend(subject.iter().map(|subject| &subject.hit));
            }
            let code = paged.read(&navigator, snapshot, &starts, &mut found)?;
            Ok((found, lines, several_projects(session, snapshot), code))
        })?;
        let subject =
            found.subject.take().ok_or_else(|| AppError::internal("the symbol is missing from the answer"))?;
        let SubjectView { symbol, others, others_total, definitions, is_open } = subject.into();
        let counts = counts_of(projects.as_deref(), &found);
        let cause = ImpactCause::Symbol { symbol: Box::new(symbol), others, definitions, others_total, is_open };
        Ok(ImpactFindings { found, counts, cause, lines, code })
    }

    /// Finds what the changes since the base affect.
    fn of_diff(&self, options: &ImpactOptions, paged: &PagedImpact<'_>) -> Result<ImpactFindings, AppError> {
        let after = paged.session;
        let name = self.diff.as_deref().filter(|name| !name.is_empty());
        let base = DiffBase::find(&after.engine, name, false)?;
        let before = Session::open_at(paged.context, Some(&base.commit))?;
        let (mut found, projects, code) = ask_both(&before, after, |old, new| {
            let diff = query::diff(old, new, &after.engine.config().index)?;
            let engine = &after.engine;
            let now = Navigator::new(new.snapshot).reading(engine.source(), &engine.config().index);
            let mut found = query::impact_of_diff(&Navigator::new(old.snapshot), &now, &diff, options)?;
            let changed = found.changed.clone();
            let code = paged.read(&now, new.snapshot, &changed.iter().collect::<Vec<_>>(), &mut found)?;
            Ok((found, several_projects(after, new.snapshot), code))
        })?;
        let changed_symbols = std::mem::take(&mut found.changed).into_iter().map(HitView::symbol).collect();
        let cause = ImpactCause::Diff { base: base.name, merge_base_commit: base.commit, changed_symbols };
        let counts = counts_of(projects.as_deref(), &found);
        Ok(ImpactFindings { found, counts, cause, lines: Vec::new(), code })
    }
}

fn counts_of(projects: Option<&ProjectMap>, found: &query::ImpactAnswer) -> Vec<ProjectCount> {
    by_project(projects, found.files.iter().map(|(path, count)| (path.as_str(), *count)))
}

impl Request for ImpactRequest {
    type Answer = ImpactAnswer;
    shared_arguments!(at, detail);

    fn spread(&self) -> Spread {
        // Without a symbol it is about the changes of a checkout.
        if self.symbols.is_empty() { Spread::One } else { Spread::Owner }
    }

    fn symbols(&mut self) -> Option<&mut Vec<String>> {
        Some(&mut self.symbols)
    }

    fn answer(&self, context: &CallContext) -> Result<ImpactAnswer, AppError> {
        self.answer_in(context, &JsonSteps)
    }
}

impl ImpactRequest {
    /// Answers with the steps that fit the budget when they are printed in `form`.
    pub fn answer_in(&self, context: &CallContext, form: &dyn ImpactForm) -> Result<ImpactAnswer, AppError> {
        self.source.check(context)?;
        self.renaming.check(&self.symbols)?;
        if !self.symbols.is_empty() && self.diff.is_some() {
            return Err(AppError::invalid("`symbol` and `base` exclude each other", "give one of them, or neither"));
        }
        let session = Session::open_at(context, self.at.name())?;
        let usual = if context.is_json() { JSON_LIMIT } else { TEXT_LIMIT };
        let page = Page::new(self.page, self.limit.unwrap_or(usual).len());
        if let (Some(new_name), Some(asked)) = (&self.renaming.rename, self.symbols.first()) {
            return self.answer_rename(asked, new_name, &session, page);
        }
        let options = ImpactOptions {
            depth: self.depth.get(),
            least: self.certainty.least(),
            limit: page.end(),
            scope: Scope { roles: self.roles.filter()?, ..self.scope.scope(&session)? },
        };
        let paged = PagedImpact { request: self, context, session: &session, page };
        let ImpactFindings { found, counts, cause, lines, code } = match self.symbols.first() {
            Some(asked) => ImpactRequest::of_symbol(asked, &options, &paged)?,
            None => self.of_diff(&options, &paged)?,
        };
        let mut metadata = Metadata::new(&session).with(ImpactMetadata {
            affected_symbols: found.affected_total,
            affected_entry_points: found.entry_points_total,
            affected_endpoints: found.endpoints_total,
            affected_rpcs: found.rpcs_total,
            affected_tests: found.tests_total,
            per_depth: found.per_depth,
            left_out_by_filters: found.left_out_by_scope.total(),
            left_out_by: found.left_out_by_scope.into(),
            possible_uses: found.possible_total,
            accounting: found.accounting.map(AccountingView::from),
        });
        metadata.by_project = counts;
        metadata.count(found.affected_total + found.tests_total, found.affected.len() + found.tests.len());
        page.mark(&mut metadata, &[found.affected_total, found.entry_points_total, found.tests_total]);
        if found.is_cut {
            metadata.result_completeness = Some(Completeness::Partial);
            metadata.safety_limit_applied = Some(true);
        }
        let (endpoints, rpcs): (Vec<AffectedRoute>, Vec<AffectedRoute>) =
            found.routes.into_iter().partition(|route| route.method.is_some());
        let routes = |routes: Vec<AffectedRoute>| routes.into_iter().map(AffectedRouteView::from).collect();
        let views = |affected: Vec<Affected>| affected.into_iter().map(AffectedView::from).collect();
        let (mut affected, mut tests): (Vec<AffectedView>, Vec<AffectedView>) =
            (views(found.affected), views(found.tests));
        for (one, line) in affected.iter_mut().chain(&mut tests).zip(code.lines) {
            one.source = one.use_line.map(|_| line.trim().to_string());
        }
        let mut answer = ImpactAnswer {
            cause,
            affected_symbols: affected,
            affected_entry_points: views(found.entry_points),
            affected_endpoints: routes(endpoints),
            affected_rpcs: routes(rpcs),
            affected_tests: tests,
            affected_files: found
                .files
                .into_iter()
                .map(|(path, affected)| AffectedFileView { path, affected })
                .collect(),
            possible_uses: use_views(found.possible, lines),
            left_out: views(found.few_left_out),
            flow: FlowView::asked(self.source, context),
            rename: None,
            metadata,
        };
        if self.source.has_bodies() {
            let frame = form.impact_tokens(self, &answer);
            answer.flow.fill(&code.flow, form, frame);
            answer.flow.mark(&mut answer.metadata);
        }
        Ok(answer)
    }
}

impl ImpactRequest {
    /// Answers with the places that a new name changes.
    fn answer_rename(
        &self,
        asked: &str,
        new_name: &str,
        session: &Session,
        page: Page,
    ) -> Result<ImpactAnswer, AppError> {
        let (subject, rename) = self.renaming.find(asked, new_name, session, page)?;
        let SubjectView { symbol, others, others_total, definitions, is_open } = subject;
        let mut metadata = Metadata::new(session).with(ImpactMetadata::default());
        metadata.count(rename.total(), rename.places.len());
        page.mark(&mut metadata, &[rename.total()]);
        if rename.is_cut {
            metadata.result_completeness = Some(Completeness::Partial);
            metadata.safety_limit_applied = Some(true);
        }
        Ok(ImpactAnswer {
            cause: ImpactCause::Symbol { symbol: Box::new(symbol), others, definitions, others_total, is_open },
            affected_symbols: Vec::new(),
            affected_entry_points: Vec::new(),
            affected_endpoints: Vec::new(),
            affected_rpcs: Vec::new(),
            affected_tests: Vec::new(),
            affected_files: Vec::new(),
            possible_uses: Vec::new(),
            left_out: Vec::new(),
            flow: FlowView::default(),
            rename: Some(rename),
            metadata,
        })
    }
}

/// The form that an answer about an impact and its steps are printed in.
pub trait ImpactForm: StepForm {
    /// Returns the tokens of an answer without its steps.
    fn impact_tokens(&self, request: &ImpactRequest, answer: &ImpactAnswer) -> usize;
}

impl ImpactForm for JsonSteps {
    fn impact_tokens(&self, _: &ImpactRequest, answer: &ImpactAnswer) -> usize {
        tokens(&answer.json())
    }
}
