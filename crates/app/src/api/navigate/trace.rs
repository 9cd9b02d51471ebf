//! `trace`, `trace_path`: the chains of calls that lead to a symbol, or the places that a value or
//! an error gets to.

use clap::{ArgGroup, Args};
use codecompass_engine::Error as EngineError;
use codecompass_engine::query::{
    self, Direction, Flow, FlowCall, FlowOptions, Gap, LinePlace, Navigator, Reach, Trace, TraceOptions, UseClass,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::followed::{FollowArgs, FollowRest, FollowedAnswer, TraceMetadata};
use super::graph::{EdgeView, NodeView, confidence_word};
use super::steps::{FlowView, JsonSteps, SourceArgs, StepForm, drop_similar_chains};
use crate::api::arguments::{Bounded, CertaintyArgs, DetailArgs, PageArgs, ProjectArgs, RefArgs, symbol};
use crate::api::fan_out::Spread;
use crate::api::metadata::{Completeness, Metadata};
use crate::api::page::Page;
use crate::api::part::{Fields, Paged, Part, Reduction, answer_fields, parts, shared_arguments, tokens};
use crate::api::views::{HitView, SubjectView};
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::remedy::Remedy;
use crate::session::{CallContext, OutputFormat, Session};

/// The most chains that can be asked for.
const MAX_CHAINS: u32 = 100;

/// At most this many chains.
pub type ChainLimit = Bounded<1, MAX_CHAINS>;
/// Chains of at most this many calls.
pub type ChainLength = Bounded<1, 20>;

const DEFAULT_LIMIT: ChainLimit = ChainLimit::new(5);
const DEFAULT_LENGTH: ChainLength = ChainLength::new(10);

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
#[command(group = ArgGroup::new("what").required(true).args(["to", "value", "raises"]))]
pub struct TraceRequest {
    /// The symbol where the chains end: a name, a qualified name, a symbol id, path:line, or
    /// path:line:column.
    #[arg(value_name = "SYMBOL")]
    #[serde(default)]
    #[schemars(description = "Where the chains end.")]
    pub to: Option<String>,
    /// The symbol where they start, or the endpoint ("GET /users/{id}") or rpc (Service/Method)
    /// whose code they start at. If not given, they start at entry points, request handlers,
    /// top-level code and functions without callers; at tests if nothing else leads there.
    #[arg(long, value_name = "SYMBOL")]
    #[schemars(
        description = "Symbol, endpoint (GET /users/{id}) or rpc (Service/Method) where they start; default: entry points."
    )]
    pub from: Option<String>,
    /// At most this many chains.
    #[arg(long, default_value_t = DEFAULT_LIMIT)]
    #[serde(default = "default_limit")]
    #[schemars(description = "")]
    pub max_paths: ChainLimit,
    #[command(flatten)]
    #[serde(flatten)]
    pub follow: FollowArgs,
    /// Chains of at most this many calls.
    #[arg(long, default_value_t = DEFAULT_LENGTH)]
    #[serde(default = "default_length")]
    #[schemars(description = "")]
    pub depth: ChainLength,
    #[command(flatten)]
    #[serde(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub starts: ProjectArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub certainty: CertaintyArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
    #[arg(skip)]
    #[serde(flatten)]
    pub detail: DetailArgs,
}

fn default_limit() -> ChainLimit {
    DEFAULT_LIMIT
}

fn default_length() -> ChainLength {
    DEFAULT_LENGTH
}

#[derive(Clone, Debug, Serialize)]
pub struct TraceAnswer {
    pub to: HitView,
    pub to_others: Vec<HitView>,
    /// The symbol where the chains start, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<HitView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_others: Option<Vec<HitView>>,
    /// Shortest first.
    pub paths: Vec<ChainView>,
    /// The extent of the search, if there is no chain from the symbol where they start. Of `calls`
    /// that found chains only the other way, it is that of the way asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reach: Option<ReachView>,
    /// The functions of the chains with their code, where that is asked for.
    #[serde(flatten)]
    pub flow: FlowView,
    pub metadata: Metadata<TraceMetadata>,
    #[serde(skip)]
    pub to_others_total: usize,
    #[serde(skip)]
    pub from_others_total: usize,
    /// True if there are, or may be, more chains than were asked for.
    #[serde(skip)]
    pub has_more: bool,
}
parts!(TraceAnswer { to, to_others, from, from_others, paths, reach, ..flow });

/// A chain of calls.
#[derive(Clone, Debug, Serialize)]
pub struct ChainView {
    pub length: usize,
    /// That of the least certain call.
    #[serde(serialize_with = "confidence_word")]
    pub confidence: UseClass,
    pub start: Option<NodeView>,
    /// Each begins where the one before it ends.
    pub edges: Vec<EdgeView>,
    /// The steps of its functions, where they are shown with their code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<usize>,
    /// The line of source of each; text shows them.
    #[serde(skip)]
    pub sources: Vec<String>,
}
parts!(ChainView { start, edges });

/// The parts of the program that a search without result saw from its two ends.
#[derive(Clone, Debug, Serialize)]
pub struct ReachView {
    /// The number of functions that the start leads to.
    pub from_start: usize,
    /// True if a limit ended the walk from the start.
    pub is_start_cut: bool,
    /// The number of functions and files that lead to the end.
    pub to_end: usize,
    /// True if a limit ended the walk from the end.
    pub is_end_cut: bool,
    /// The first of the code that leads to the end and that no call leads to.
    pub ends: Vec<NodeView>,
    pub ends_total: usize,
    /// The first of the calls that were not resolved and may connect the two.
    pub gaps: Vec<GapView>,
    pub gaps_total: usize,
}
parts!(ReachView { ends, gaps });

/// A call that was not resolved and may connect two parts of the program.
#[derive(Clone, Debug, Serialize)]
pub struct GapView {
    pub from: NodeView,
    /// The line of the call, in the file of `from`.
    pub line: u32,
    /// A function of the name that is called.
    pub to: NodeView,
}
parts!(GapView { from, to });

impl From<Reach> for ReachView {
    fn from(reach: Reach) -> ReachView {
        let gap = |gap: Gap| GapView { from: gap.from.into(), line: gap.line, to: gap.to.into() };
        ReachView {
            from_start: reach.from_start,
            is_start_cut: reach.is_start_cut,
            to_end: reach.to_end,
            is_end_cut: reach.is_end_cut,
            ends: reach.ends.into_iter().map(NodeView::from).collect(),
            ends_total: reach.ends_total,
            gaps: reach.gaps.into_iter().map(gap).collect(),
            gaps_total: reach.gaps_total,
        }
    }
}

impl From<Trace> for ChainView {
    fn from(trace: Trace) -> ChainView {
        let edges: Vec<EdgeView> = trace.steps.into_iter().map(EdgeView::from).collect();
        ChainView {
            length: edges.len(),
            confidence: trace.confidence,
            start: edges.first().map(|first| first.from.clone()),
            edges,
            steps: Vec::new(),
            sources: Vec::new(),
        }
    }
}

impl Answer for TraceAnswer {
    answer_fields!(TraceMetadata);

    fn pages(&mut self) -> Vec<Paged<'_>> {
        if self.flow.steps.is_empty() {
            return vec![Paged::new("paths", &mut self.paths)];
        }
        vec![Paged { is_one_group: false, ..Paged::new("steps", &mut self.flow.steps) }]
    }

    fn is_found(&self) -> bool {
        !self.paths.is_empty()
    }
}

impl TraceRequest {
    /// Returns the question for the shortest chains from one symbol to another.
    pub fn between(from: &str, to: &str, certainty: CertaintyArgs, at: RefArgs) -> TraceRequest {
        TraceRequest {
            to: Some(to.to_string()),
            follow: FollowArgs::default(),
            from: Some(from.to_string()),
            max_paths: DEFAULT_LIMIT,
            depth: DEFAULT_LENGTH,
            source: SourceArgs::default(),
            starts: ProjectArgs::default(),
            page: PageArgs::default(),
            certainty,
            at,
            detail: DetailArgs::default(),
        }
    }

    /// Answers with the steps that fit the budget when they are printed in `form`.
    pub fn answer_in(&self, context: &CallContext, form: &dyn ChainsForm) -> Result<TraceAnswer, AppError> {
        self.source.check(context)?;
        let Some(to) = &self.to else {
            return Err(AppError::invalid("no symbol is given", Remedy::NameTraceEnd));
        };
        if self.from.is_some() && !self.starts.project.is_empty() {
            return Err(AppError::invalid("a start and a project to start in exclude each other", "give one of them"));
        }
        let session = Session::open_at(context, self.at.name())?;
        let options = TraceOptions {
            depth: self.depth.get(),
            max_paths: self.max_paths.len(),
            with_variants: self.max_paths.get() > DEFAULT_LIMIT.get(),
            least: self.certainty.least(),
            projects: session.project_scope(&self.starts.project)?,
        };
        let to = symbol(&session, to)?;
        let from = self.from.as_deref().map(|from| symbol(&session, from)).transpose()?;
        let engine = &session.engine;
        // All chains behind the first ones. There are no more than `max_paths` in all: of more,
        // others might come first.
        let page = Page::new(self.page, usize::MAX);
        let (found, flow) = session.ask(|snapshot| {
            let navigator = Navigator::new(snapshot).reading(engine.source(), &engine.config().index);
            let mut found = query::trace(&navigator, from.as_deref(), &to, &options)?;
            page.skip(&mut found.paths);
            let flow = self.flow(&navigator, &mut found, context)?;
            Ok((found, flow))
        })?;
        let mut paths: Vec<ChainView> = found.paths.into_iter().map(ChainView::from).collect();
        if context.format == OutputFormat::Text || self.source.has_lines() {
            read_sources(&session, &mut paths, self.source)?;
        }
        number_steps(&mut paths, &flow);
        let mut metadata = Metadata::new(&session).with(TraceMetadata {
            expanded_symbols: Some(found.expanded),
            only_tests: found.only_tests,
            open_calls: found.open_calls,
            variants: found.variants,
        });
        page.mark(&mut metadata, &[]);
        metadata.returned = Some(paths.len());
        if found.is_cut {
            metadata.result_completeness = Some(Completeness::Partial);
            metadata.safety_limit_applied = Some(true);
            metadata.suggest(Remedy::NarrowTrace);
        } else if found.has_more {
            metadata.result_completeness = Some(Completeness::Truncated);
            metadata.suggest(match self.max_paths.get() {
                most if most < MAX_CHAINS => Remedy::RaiseMaxPaths(most, MAX_CHAINS),
                _ => Remedy::GiveTraceStart,
            });
        }
        let SubjectView { symbol: to, others: to_others, others_total: to_others_total, .. } = found.to.into();
        let (from, from_others, from_others_total) = match found.from.map(SubjectView::from) {
            Some(from) => (Some(from.symbol), Some(from.others), from.others_total),
            None => (None, None, 0),
        };
        let mut answer = TraceAnswer {
            to,
            to_others,
            from,
            from_others,
            paths,
            reach: found.reach.map(ReachView::from),
            flow: FlowView::asked(self.source, context),
            metadata,
            to_others_total,
            from_others_total,
            has_more: found.has_more,
        };
        if self.source.has_bodies() {
            let frame = form.chains_tokens(&answer);
            answer.flow.fill(&flow, form, frame);
            answer.flow.mark(&mut answer.metadata);
        }
        Ok(answer)
    }

    /// Answers the question that is asked, with chains in `form`.
    pub fn traced(&self, context: &CallContext, form: &dyn ChainsForm) -> Result<TracedAnswer, AppError> {
        self.follow.check(self.to.as_deref())?;
        if !self.follow.is_asked() {
            return Ok(TracedAnswer::Chains(Box::new(self.answer_in(context, form)?)));
        }
        if self.from.is_some() || !self.starts.project.is_empty() || self.source.has_bodies() {
            let message = "a start, a project and source are for chains of calls";
            return Err(AppError::invalid(message, Remedy::NameTraceEnd));
        }
        self.source.check_budget(context, true)?;
        let rest = FollowRest {
            at: &self.at,
            page: self.page,
            depth: self.depth.get(),
            least: self.certainty.least(),
            most_tokens: self.source.most_tokens(context),
        };
        Ok(TracedAnswer::Followed(Box::new(self.follow.answer(context, &rest)?)))
    }

    /// Returns the functions of the chains with their code, where that is asked for: chain by
    /// chain, without chains that differ from one before in their first or last function alone.
    fn flow(
        &self,
        navigator: &Navigator<'_>,
        found: &mut query::TraceAnswer,
        context: &CallContext,
    ) -> Result<Flow, EngineError> {
        if !self.source.has_bodies() {
            return Ok(Flow::default());
        }
        found.variants += drop_similar_chains(&mut found.paths);
        let calls = found.paths.iter().flat_map(|chain| &chain.steps);
        let calls: Vec<FlowCall<'_>> = calls.map(|edge| FlowCall { edge, direction: Direction::Callees }).collect();
        let most = self.source.most_steps(context);
        let options = FlowOptions { most, follows_candidates: true, names_open_calls: false };
        query::flow(navigator, &[], &calls, &options)
    }
}

impl Request for TraceRequest {
    type Answer = TracedAnswer;
    shared_arguments!(at, detail);

    fn spread(&self) -> Spread {
        if self.follow.is_asked() { Spread::Each } else { Spread::Owner }
    }

    fn subjects(&mut self) -> Vec<&mut String> {
        self.to.iter_mut().chain(&mut self.from).collect()
    }

    fn symbol(&mut self) -> Option<&str> {
        self.from.as_deref()
    }

    fn answer(&self, context: &CallContext) -> Result<TracedAnswer, AppError> {
        self.traced(context, &JsonSteps)
    }
}

/// The answer to either question: chains of calls, or the places of a value or an error.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum TracedAnswer {
    Chains(Box<TraceAnswer>),
    Followed(Box<FollowedAnswer>),
}

impl Part for TracedAnswer {
    fn json(&self) -> Value {
        match self {
            TracedAnswer::Chains(answer) => answer.json(),
            TracedAnswer::Followed(answer) => answer.json(),
        }
    }

    fn fields(&mut self) -> Fields<'_> {
        match self {
            TracedAnswer::Chains(answer) => answer.fields(),
            TracedAnswer::Followed(answer) => answer.fields(),
        }
    }

    fn drop_detail(&mut self, reduction: Reduction) {
        match self {
            TracedAnswer::Chains(answer) => answer.drop_detail(reduction),
            TracedAnswer::Followed(answer) => answer.drop_detail(reduction),
        }
    }
}

impl Answer for TracedAnswer {
    type Extra = TraceMetadata;

    fn metadata(&mut self) -> &mut Metadata<TraceMetadata> {
        match self {
            TracedAnswer::Chains(answer) => answer.metadata(),
            TracedAnswer::Followed(answer) => answer.metadata(),
        }
    }

    fn pages(&mut self) -> Vec<Paged<'_>> {
        match self {
            TracedAnswer::Chains(answer) => answer.pages(),
            TracedAnswer::Followed(answer) => answer.pages(),
        }
    }

    fn is_found(&self) -> bool {
        match self {
            TracedAnswer::Chains(answer) => answer.is_found(),
            TracedAnswer::Followed(answer) => answer.is_found(),
        }
    }
}

/// The form that chains and steps are printed in.
pub trait ChainsForm: StepForm {
    /// Returns the tokens of an answer without its steps.
    fn chains_tokens(&self, answer: &TraceAnswer) -> usize;
}

impl ChainsForm for JsonSteps {
    fn chains_tokens(&self, answer: &TraceAnswer) -> usize {
        tokens(&answer.json())
    }
}

/// Notes the steps of each chain.
fn number_steps(chains: &mut [ChainView], flow: &Flow) {
    let mut ends = flow.ends.iter();
    for chain in chains {
        let ends: Vec<[usize; 2]> = ends.by_ref().take(chain.edges.len()).copied().flatten().collect();
        let first = ends.first().map(|[from, _]| *from);
        chain.steps = first.into_iter().chain(ends.iter().map(|[_, to]| *to)).map(|step| step + 1).collect();
    }
}

/// Reads the lines of the calls.
fn read_sources(session: &Session, chains: &mut [ChainView], source: SourceArgs) -> Result<(), AppError> {
    let engine = &session.engine;
    let edges = chains.iter().flat_map(|chain| &chain.edges);
    let places: Vec<LinePlace<'_>> = edges.map(EdgeView::line_place).collect();
    let read = |snapshot: &_| query::source_lines(snapshot, engine.source(), &engine.config().index, &places);
    let mut lines = session.ask(read)?.into_iter();
    for chain in chains {
        chain.sources = lines.by_ref().take(chain.edges.len()).collect();
        if source.has_lines() {
            let shown = chain.edges.iter_mut().zip(&chain.sources);
            shown.for_each(|(edge, source)| edge.source = Some(source.trim().to_string()));
        }
    }
    Ok(())
}
