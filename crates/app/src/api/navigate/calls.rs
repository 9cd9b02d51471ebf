//! `calls`, `get_call_graph`: the callers of a symbol, and what it calls.

use clap::{Args, ValueEnum};
use codecompass_engine::Error as EngineError;
use codecompass_engine::query::{
    self, CallLevel, CallsOptions, Direction, Edge, Flow, FlowCall, FlowOptions, Hit, HitKind, LinePlace, Navigator,
    OverriddenCalls, Scope, UnresolvedCallee, UseClass,
};
use codecompass_engine::syntax::facts::RefKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::graph::{EdgeView, LeftOutView, NodeView, direction_word};
use super::refs::NavigationLimit;
use super::steps::{FlowView, JsonSteps, SourceArgs};
use crate::api::arguments::{
    Bounded, CertaintyArgs, DetailArgs, PageArgs, RefArgs, RoleArgs, ScopeArgs, SymbolArgs, is_zero, symbol,
};
use crate::api::by_project::{ProjectCount, by_project, several_projects};
use crate::api::fan_out::Spread;
use crate::api::metadata::Metadata;
use crate::api::navigate::accounting::AccountingView;
use crate::api::navigate::trace::{ChainsForm, TraceAnswer, TraceRequest};
use crate::api::page::Page;
use crate::api::part::{Paged, Part as _, answer_fields, parts, shared_arguments, tokens};
use crate::api::views::{HitView, SubjectDefinitionView, SubjectView, UseView, line_place, use_views};
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::session::{CallContext, OutputFormat, Session};

/// Levels of calls.
pub type CallDepth = Bounded<1, 10>;

/// Calls per level that text lists if not told otherwise.
const TEXT_LIMIT: NavigationLimit = NavigationLimit::new(100);
/// Calls per level that programs get if they do not tell.
const JSON_LIMIT: NavigationLimit = NavigationLimit::new(1000);
/// Calls per level that a tool lists if not told otherwise.
const TOOL_LIMIT: NavigationLimit = NavigationLimit::new(50);
const DEFAULT_DEPTH: CallDepth = CallDepth::new(1);
/// Levels of calls if functions are shown with their code.
const FLOW_DEPTH: CallDepth = CallDepth::new(3);

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct CallsRequest {
    #[command(flatten)]
    #[serde(flatten)]
    pub subject: SymbolArgs,
    /// Show the shortest chains of calls from the symbol to this one instead, or from this one to
    /// the symbol if there are none.
    #[arg(long, value_name = "SYMBOL")]
    #[schemars(description = "Other symbol: shortest call chains between the two.")]
    pub to: Option<String>,
    /// The direction to follow [default: both, with --source bodies callees].
    #[arg(long, short = 'd', value_enum)]
    #[schemars(description = "")]
    pub direction: Option<CallDirection>,
    /// The number of levels of calls [default: 1, with --source bodies 3].
    #[arg(long)]
    #[schemars(description = "")]
    pub depth: Option<CallDepth>,
    #[command(flatten)]
    #[serde(flatten)]
    pub source: SourceArgs,
    /// At most this many calls per level and direction [default: 100, with --json 1000].
    #[arg(long, short = 'n')]
    #[serde(default = "tool_limit")]
    #[schemars(with = "NavigationLimit", description = "Per level.")]
    pub limit: Option<NavigationLimit>,
    /// Also calls of the methods that it overrides or implements.
    #[arg(long)]
    #[serde(default)]
    #[schemars(description = "Also calls of what it overrides.")]
    pub overrides: bool,
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

fn tool_limit() -> Option<NavigationLimit> {
    Some(TOOL_LIMIT)
}

/// The direction to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallDirection {
    /// Code that calls it.
    Callers,
    /// Code that it calls.
    Callees,
    /// Both, each for itself.
    Both,
}

#[derive(Clone, Debug, Serialize)]
pub struct CallsAnswer {
    pub symbol: HitView,
    /// The calls of all levels, in the order of `levels`.
    pub edges: Vec<CallView>,
    /// Callers first, then callees; each from the symbol outwards.
    pub levels: Vec<CallLevelView>,
    /// Places that may call it, or any of more than three definitions. Calls with fewer candidates
    /// are among the edges.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub possible_callers: Vec<UseView>,
    /// The first places that name it as a value; it may be called from where it goes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passed_on: Vec<UseView>,
    /// Functions that it may call through the fields that hold them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub possible_callees: Vec<EdgeView>,
    /// Names that it calls and that lead to no definition here, where callees are asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unresolved_callees: Vec<UnresolvedCalleeView>,
    /// Callers with so many calls that their own callers are not followed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_followed: Vec<NodeView>,
    /// The calls that filters leave out, if they are few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<EdgeView>,
    pub others: Vec<HitView>,
    /// The definitions that the calls are of, where the name means several; if these are too many,
    /// those to choose from, and no calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<SubjectDefinitionView>,
    /// Absent if there are none, so that a list that a token budget empties can be told from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub may_also_be_called_through: Option<Vec<OverriddenView>>,
    /// The chains of calls to another symbol, or from it, where one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chains: Option<TraceAnswer>,
    /// The functions with their code, where that is asked for.
    #[serde(flatten)]
    pub flow: FlowView,
    pub metadata: Metadata<CallsMetadata>,
    #[serde(skip)]
    pub others_total: usize,
    /// True if the chains lead from the other symbol to this one.
    #[serde(skip)]
    pub is_reversed: bool,
    /// True if there are too many definitions to answer for.
    #[serde(skip)]
    pub is_open: bool,
}
parts!(CallsAnswer {
    symbol,
    edges,
    levels,
    possible_callers,
    passed_on,
    possible_callees,
    unresolved_callees,
    not_followed,
    left_out,
    others,
    definitions,
    may_also_be_called_through,
    chains,
    ..flow
});

/// A call.
#[derive(Clone, Debug, Serialize)]
pub struct CallView {
    #[serde(flatten)]
    pub edge: EdgeView,
    pub depth: u32,
    #[serde(serialize_with = "direction_word")]
    pub direction: Direction,
    /// Absent of a call at the top level of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// True if the next level goes on from its far end. It does not if an earlier call led there.
    #[serde(skip)]
    pub is_expanded: bool,
    /// The line of the call; text shows it.
    #[serde(skip)]
    pub source: String,
}
parts!(CallView { caller, ..edge });

/// The number of calls at one distance from the symbol.
#[derive(Clone, Debug, Serialize)]
pub struct CallLevelView {
    #[serde(serialize_with = "direction_word")]
    pub direction: Direction,
    pub depth: u32,
    pub total: usize,
    pub returned: usize,
}
parts!(CallLevelView {});

/// A name that is called and leads to no definition here.
#[derive(Clone, Debug, Serialize)]
pub struct UnresolvedCalleeView {
    pub name: String,
    /// True if it is defined outside of the repository.
    pub external: bool,
    /// True if it needs no import: it belongs to the language or what runs it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub builtin: bool,
    pub lines: Vec<u32>,
    /// The number of definitions of the repository that it may mean, more than three.
    #[serde(skip_serializing_if = "is_zero")]
    pub candidates: usize,
}
parts!(UnresolvedCalleeView { name });

impl From<UnresolvedCallee> for UnresolvedCalleeView {
    fn from(callee: UnresolvedCallee) -> UnresolvedCalleeView {
        let UnresolvedCallee { name, is_external: external, is_builtin: builtin, lines, candidates } = callee;
        UnresolvedCalleeView { name, external, builtin, lines, candidates }
    }
}

/// A method that the symbol overrides or implements.
#[derive(Clone, Debug, Serialize)]
pub struct OverriddenView {
    #[serde(flatten)]
    pub method: NodeView,
    /// Calls of it, which are not listed.
    pub calls: usize,
}
parts!(OverriddenView { ..method });

#[derive(Clone, Debug, Serialize)]
pub struct CallsMetadata {
    pub other_uses: usize,
    /// The number of possible callers, listed or not.
    pub possible_calls: usize,
    /// The number of calls that filters leave out.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out_by_filters: usize,
    /// The same by filter.
    #[serde(skip_serializing_if = "LeftOutView::is_empty")]
    pub left_out_by: LeftOutView,
    /// All occurrences of the name, where callers are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accounting: Option<AccountingView>,
}

impl CallView {
    fn new(edge: Edge, is_expanded: bool, level: &CallLevelView) -> CallView {
        let is_callable = matches!(edge.from.kind, HitKind::Symbol(kind) if kind.is_callable());
        CallView {
            caller: is_callable.then(|| edge.from.name.clone()),
            edge: edge.into(),
            depth: level.depth,
            direction: level.direction,
            is_expanded,
            source: String::new(),
        }
    }
}

impl From<&CallLevel> for CallLevelView {
    fn from(level: &CallLevel) -> CallLevelView {
        CallLevelView {
            direction: level.direction,
            depth: level.depth,
            total: level.total,
            returned: level.edges.len(),
        }
    }
}

impl From<OverriddenCalls> for OverriddenView {
    fn from(overridden: OverriddenCalls) -> OverriddenView {
        OverriddenView { method: overridden.method.into(), calls: overridden.calls }
    }
}

impl Answer for CallsAnswer {
    answer_fields!(CallsMetadata);

    fn pages(&mut self) -> Vec<Paged<'_>> {
        let chains = self.chains.as_mut().map(|chains| &mut chains.flow);
        if let Some(flow) = chains.into_iter().chain([&mut self.flow]).find(|flow| !flow.steps.is_empty()) {
            return vec![Paged { is_one_group: false, ..Paged::new("steps", &mut flow.steps) }];
        }
        let level = |call: &CallView| (call.direction, call.depth);
        let is_one_group = self.edges.windows(2).all(|pair| level(&pair[0]) == level(&pair[1]));
        vec![Paged { is_one_group, ..Paged::new("edges", &mut self.edges) }]
    }

    fn is_found(&self) -> bool {
        if let Some(chains) = &self.chains {
            return chains.is_found();
        }
        let is_possible = !self.possible_callers.is_empty() || !self.possible_callees.is_empty();
        !self.edges.is_empty() || is_possible || !self.unresolved_callees.is_empty() || self.is_open
    }
}

/// Returns the place of a call, or of code that passes a function on, whose line is shown.
fn edge_place(edge: &Edge) -> LinePlace<'_> {
    let is_argument = matches!(edge.kind, RefKind::Read | RefKind::Address);
    LinePlace { path: &edge.path, line: edge.line, argument: is_argument.then_some(edge.column) }
}

/// Calls as they were found, with the lines of source that text shows.
struct CallsWithSources {
    found: query::CallsAnswer,
    possible_callers: Vec<UseView>,
    passed_on: Vec<UseView>,
    possible_total: usize,
    sources: Vec<String>,
    counts: Vec<ProjectCount>,
    flow: Flow,
}

impl CallsRequest {
    /// Finds the calls, with their lines of source where the answer is text.
    fn find(&self, session: &Session, context: &CallContext, page: Page) -> Result<CallsWithSources, AppError> {
        let options = self.options(page, session)?;
        let symbol = symbol(session, self.subject.only())?;
        let engine = &session.engine;
        session.ask_in(&options.scope.filter, |snapshot| {
            let navigator = Navigator::new(snapshot).reading(engine.source(), &engine.config().index);
            let mut found = query::calls(&navigator, &symbol, &options)?;
            let mut possible = std::mem::take(&mut found.possible);
            possible.retain(|site| site.class <= self.certainty.least());
            let possible_total = possible.len();
            page.skip(&mut possible);
            possible.truncate(page.limit());
            found.levels.iter_mut().for_each(|level| page.skip(&mut level.edges));
            let edges = found.levels.iter().flat_map(|level| &level.edges);
            let mut places: Vec<LinePlace<'_>> = edges.map(|(edge, _)| edge_place(edge)).collect();
            let calls = places.len();
            let passed_on = std::mem::take(&mut found.passed_on);
            let sites = possible.iter().chain(&passed_on);
            places.extend(sites.map(line_place));
            let mut sources = match context.format {
                OutputFormat::Json if !self.source.has_lines() => Vec::new(),
                _ => query::source_lines(snapshot, engine.source(), &engine.config().index, &places)?,
            };
            let mut lines = sources.split_off(calls.min(sources.len()));
            let passed_lines = lines.split_off(possible.len().min(lines.len()));
            let possible_callers = use_views(possible, lines);
            let passed_on = use_views(passed_on, passed_lines);
            let projects = several_projects(session, snapshot);
            let far_ends = found.levels.iter().flat_map(|level| {
                let is_caller = level.direction == Direction::Callers;
                level.edges.iter().map(move |(edge, _)| if is_caller { &edge.from } else { &edge.to })
            });
            let counts = by_project(projects.as_deref(), far_ends.map(|node| (node.path.as_str(), 1)));
            let flow = self.flow(&navigator, &found, context)?;
            Ok(CallsWithSources { found, possible_callers, passed_on, possible_total, sources, counts, flow })
        })
    }

    /// Returns the functions with their code, where that is asked for: level by level, callees
    /// before callers.
    fn flow(
        &self,
        navigator: &Navigator<'_>,
        found: &query::CallsAnswer,
        context: &CallContext,
    ) -> Result<Flow, EngineError> {
        if !self.source.has_bodies() || found.subject.is_open {
            return Ok(Flow::default());
        }
        let definitions: Vec<&Hit> = found.subject.definitions.iter().map(|definition| &definition.hit).collect();
        let starts = if definitions.is_empty() { vec![&found.subject.hit] } else { definitions };
        let mut levels: Vec<&CallLevel> = found.levels.iter().collect();
        levels.sort_by_key(|level| (level.depth, level.direction == Direction::Callers));
        let call = |level: &CallLevel, edge| FlowCall { edge, direction: level.direction };
        let calls = levels.iter().flat_map(|level| level.edges.iter().map(|(edge, _)| call(level, edge)));
        let calls: Vec<FlowCall<'_>> = calls.collect();
        let options = FlowOptions {
            most: self.source.most_steps(context),
            follows_candidates: false,
            names_open_calls: self.direction() != CallDirection::Callers
                && self.certainty.least() == UseClass::Possible,
        };
        query::flow(navigator, &starts, &calls, &options)
    }

    /// Returns the direction to follow.
    fn direction(&self) -> CallDirection {
        let usual = if self.source.has_bodies() { CallDirection::Callees } else { CallDirection::Both };
        self.direction.unwrap_or(usual)
    }

    /// Returns the chains of calls to another symbol, or else those from it.
    fn chains_to(&self, to: &str, context: &CallContext, form: &dyn CallsForm) -> Result<CallsAnswer, AppError> {
        let ask = |from: &str, to: &str| {
            let request = TraceRequest::between(from, to, self.certainty, self.at.clone());
            TraceRequest { source: self.source, ..request }.answer_in(context, form)
        };
        let mut chains = ask(self.subject.only(), to)?;
        let mut is_reversed = false;
        if !chains.is_found() {
            let back = ask(to, self.subject.only())?;
            is_reversed = back.is_found();
            // The reason why there are none the way that was asked for stays.
            let reach = chains.reach.take();
            chains = TraceAnswer { reach, ..if is_reversed { back } else { chains } };
        }
        let session = Session::open_at(context, self.at.name())?;
        let metadata = Metadata::new(&session).with(CallsMetadata {
            other_uses: 0,
            possible_calls: 0,
            left_out_by_filters: 0,
            left_out_by: LeftOutView::default(),
            accounting: None,
        });
        let symbol = chains.from.clone().unwrap_or_else(|| chains.to.clone());
        Ok(CallsAnswer {
            symbol,
            edges: Vec::new(),
            levels: Vec::new(),
            possible_callers: Vec::new(),
            passed_on: Vec::new(),
            possible_callees: Vec::new(),
            unresolved_callees: Vec::new(),
            not_followed: Vec::new(),
            left_out: Vec::new(),
            others: Vec::new(),
            definitions: Vec::new(),
            may_also_be_called_through: None,
            chains: Some(chains),
            flow: FlowView::default(),
            metadata,
            others_total: 0,
            is_reversed,
            is_open: false,
        })
    }

    /// Answers with the steps that fit the budget when they are printed in `form`.
    pub fn answer_in(&self, context: &CallContext, form: &dyn CallsForm) -> Result<CallsAnswer, AppError> {
        self.source.check(context)?;
        if let Some(to) = &self.to {
            return self.chains_to(to, context, form);
        }
        let session = Session::open_at(context, self.at.name())?;
        let usual = if context.is_json() { JSON_LIMIT } else { TEXT_LIMIT };
        let page = Page::new(self.page, self.limit.unwrap_or(usual).len());
        let CallsWithSources { found, possible_callers, passed_on, possible_total, sources, counts, flow } =
            self.find(&session, context, page)?;
        let levels: Vec<CallLevelView> = found.levels.iter().map(CallLevelView::from).collect();
        let calls = found.levels.into_iter().zip(&levels).flat_map(|(level, view)| {
            level.edges.into_iter().map(move |(edge, is_expanded)| CallView::new(edge, is_expanded, view))
        });
        let mut edges: Vec<CallView> = calls.collect();
        for (call, source) in edges.iter_mut().zip(sources) {
            call.edge.source = self.source.has_lines().then(|| source.trim().to_string());
            call.source = source;
        }
        let totals: Vec<usize> = levels.iter().map(|level| level.total).collect();
        let mut metadata = Metadata::new(&session).with(CallsMetadata {
            other_uses: found.other_uses,
            possible_calls: possible_total,
            left_out_by_filters: found.left_out_by_scope.total(),
            left_out_by: found.left_out_by_scope.into(),
            accounting: found.accounting.map(AccountingView::from),
        });
        metadata.by_project = counts;
        metadata.count(totals.iter().sum(), edges.len());
        page.mark(&mut metadata, &[totals, vec![possible_total]].concat());
        let through: Vec<OverriddenView> = found.through.into_iter().map(OverriddenView::from).collect();
        let SubjectView { symbol, others, others_total, definitions, is_open } = found.subject.into();
        let mut answer = CallsAnswer {
            symbol,
            edges,
            levels,
            possible_callers,
            passed_on,
            possible_callees: found.possible_callees.into_iter().map(EdgeView::from).collect(),
            unresolved_callees: found.unresolved.into_iter().map(UnresolvedCalleeView::from).collect(),
            not_followed: found.hubs.into_iter().map(NodeView::from).collect(),
            left_out: found.few_left_out.into_iter().map(EdgeView::from).collect(),
            others,
            definitions,
            may_also_be_called_through: (!through.is_empty()).then_some(through),
            chains: None,
            flow: FlowView::asked(self.source, context),
            metadata,
            others_total,
            is_reversed: false,
            is_open,
        };
        if self.source.has_bodies() {
            let frame = form.calls_tokens(self, &answer);
            answer.flow.fill(&flow, form, frame);
            answer.flow.mark(&mut answer.metadata);
        }
        Ok(answer)
    }

    fn options(&self, page: Page, session: &Session) -> Result<CallsOptions, AppError> {
        Ok(CallsOptions {
            directions: match self.direction() {
                CallDirection::Callers => vec![Direction::Callers],
                CallDirection::Callees => vec![Direction::Callees],
                CallDirection::Both => vec![Direction::Callers, Direction::Callees],
            },
            depth: self.depth.unwrap_or(if self.source.has_bodies() { FLOW_DEPTH } else { DEFAULT_DEPTH }).get(),
            limit: page.end(),
            overrides: self.overrides,
            least: self.certainty.least(),
            scope: Scope { roles: self.roles.filter()?, ..self.scope.scope(session)? },
        })
    }
}

/// The form that calls and steps are printed in.
pub trait CallsForm: ChainsForm {
    /// Returns the tokens of an answer without its steps.
    fn calls_tokens(&self, request: &CallsRequest, answer: &CallsAnswer) -> usize;
}

impl CallsForm for JsonSteps {
    fn calls_tokens(&self, _: &CallsRequest, answer: &CallsAnswer) -> usize {
        tokens(&answer.json())
    }
}

impl Request for CallsRequest {
    type Answer = CallsAnswer;
    shared_arguments!(at, detail);

    fn spread(&self) -> Spread {
        Spread::Owner
    }

    fn subjects(&mut self) -> Vec<&mut String> {
        self.subject.symbols.iter_mut().chain(&mut self.to).collect()
    }

    fn symbols(&mut self) -> Option<&mut Vec<String>> {
        Some(&mut self.subject.symbols)
    }

    fn answer(&self, context: &CallContext) -> Result<CallsAnswer, AppError> {
        self.answer_in(context, &JsonSteps)
    }
}
