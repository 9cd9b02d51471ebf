//! The functions that calls lead through as numbered steps with their source, as many as a token
//! budget allows.

use clap::{Args, ValueEnum};
use codecompass_engine::query::{
    Arrival, Code, Condition, Direction, Flow, FlowCandidate, FlowOpenCall, FlowStep, Trace, UseClass, estimate_tokens,
};
use codecompass_engine::{ResolutionEvidence, query};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::graph::{EdgeView, NodeView, confidence_word, direction_word, evidence_word};
use crate::api::arguments::{BudgetArgs, USUAL_TOKENS, is_zero};
use crate::api::metadata::{Completeness, Metadata};
use crate::api::part::{Part as _, parts};
use crate::error::AppError;
use crate::remedy::Remedy;
use crate::session::CallContext;

/// The least that a step costs, for the number of files to read.
const MIN_STEP_TOKENS: usize = 16;
/// Tokens that are left for what is said about the whole answer.
const NOTE_TOKENS: usize = 100;
/// The most tokens that a tool may be asked for.
const MAX_TOOL_TOKENS: usize = 20_000;

/// The source that an answer about calls shows.
#[derive(Clone, Copy, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct SourceArgs {
    /// The source to show: of each call its line, or the functions in the order of the calls, each
    /// once, as far as --max-tokens (8000) allows.
    #[arg(long, value_enum, default_value_t = SourceDetail::None, value_name = "WHAT")]
    #[serde(default)]
    #[schemars(with = "Option<SourceDetail>", description = "bodies: the code of the whole flow.")]
    pub source: SourceDetail,
    #[command(flatten)]
    #[serde(flatten)]
    pub budget: BudgetArgs,
}

/// The amount of source in an answer about calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceDetail {
    /// No more than is usual.
    #[default]
    None,
    /// The line of each call.
    Lines,
    /// The functions as numbered steps; of long ones the lines that matter.
    Bodies,
}

impl SourceArgs {
    /// Returns whether functions are shown with their code.
    pub fn has_bodies(&self) -> bool {
        self.source == SourceDetail::Bodies
    }

    /// Returns whether the lines of calls are shown.
    pub fn has_lines(&self) -> bool {
        self.source == SourceDetail::Lines
    }

    /// Refuses a budget that nothing would be measured by.
    pub(super) fn check(&self, context: &CallContext) -> Result<(), AppError> {
        self.check_budget(context, self.has_bodies())
    }

    /// Refuses a budget if nothing is asked for that has a length.
    pub(super) fn check_budget(&self, context: &CallContext, is_measured: bool) -> Result<(), AppError> {
        if context.control.is_none() && self.budget.max_tokens.is_some() && !is_measured {
            let advice = "give --source bodies, or leave it out";
            return Err(AppError::invalid("--max-tokens is for the code of functions", advice));
        }
        Ok(())
    }

    /// Returns the budget of an answer.
    pub(super) fn most_tokens(&self, context: &CallContext) -> usize {
        self.tokens(context)
    }

    fn tokens(&self, context: &CallContext) -> usize {
        self.budget.tokens(context).unwrap_or(USUAL_TOKENS)
    }

    /// Returns the number of functions that may fit.
    pub(super) fn most_steps(&self, context: &CallContext) -> usize {
        self.tokens(context) / MIN_STEP_TOKENS
    }
}

/// Functions as numbered steps.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FlowView {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepView>,
    /// The first of the steps for which there was no room.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_shown: Vec<UnshownStepView>,
    #[serde(skip_serializing_if = "is_zero")]
    pub not_shown_total: usize,
    /// The token budget.
    #[serde(skip)]
    pub max_tokens: usize,
    /// True if steps were asked for.
    #[serde(skip)]
    pub is_asked: bool,
}
parts!(FlowView { steps, not_shown });

/// A function of a flow.
#[derive(Clone, Debug, Serialize)]
pub struct StepView {
    /// From 1.
    pub step: usize,
    #[serde(flatten)]
    pub node: NodeView,
    pub line_start: u32,
    pub line_end: u32,
    /// Absent where the flow begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached_by: Option<ReachedByView>,
    /// Its lines; a gap in the numbers is a gap in the code.
    pub source: Vec<StepLineView>,
    /// The number of its lines that are not shown, empty ones aside.
    #[serde(skip_serializing_if = "is_zero")]
    pub lines_left_out: usize,
    /// Its calls that were not resolved and may mean definitions here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<OpenCallView>,
}
parts!(StepView { source, unresolved, ..node });

/// The call that leads to a step first.
#[derive(Clone, Debug, Serialize)]
pub struct ReachedByView {
    /// The step that calls it, or that it calls.
    pub step: usize,
    #[serde(serialize_with = "direction_word")]
    pub direction: Direction,
    /// The line of the call.
    pub line: u32,
    /// The innermost block around the call that is not always run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<ConditionView>,
    #[serde(serialize_with = "confidence_word")]
    pub confidence: UseClass,
    #[serde(serialize_with = "evidence_word")]
    pub evidence: ResolutionEvidence,
    /// The call itself; text says how certain it is.
    #[serde(skip)]
    pub edge: EdgeView,
}

/// A condition of a call.
#[derive(Clone, Debug, Serialize)]
pub struct ConditionView {
    pub line: u32,
    pub text: String,
}

/// A line of a function.
#[derive(Clone, Debug, Serialize)]
pub struct StepLineView {
    pub line: u32,
    pub text: String,
    /// The steps that calls on it lead to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<usize>,
}
parts!(StepLineView { text });

/// A call that was not resolved.
#[derive(Clone, Debug, Serialize)]
pub struct OpenCallView {
    pub name: String,
    pub lines: Vec<u32>,
    /// The first of the definitions that it may mean.
    pub candidates: Vec<OpenCandidateView>,
    /// The number of these definitions.
    pub total: usize,
}
parts!(OpenCallView { candidates });

/// A definition that a call may mean.
#[derive(Clone, Debug, Serialize)]
pub struct OpenCandidateView {
    #[serde(flatten)]
    pub node: NodeView,
    /// Its step, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
}
parts!(OpenCandidateView { ..node });

/// A step for which there was no room.
#[derive(Clone, Debug, Serialize)]
pub struct UnshownStepView {
    pub step: usize,
    pub name: String,
    pub path: String,
    pub line: u32,
}
parts!(UnshownStepView { name, path });

impl From<Condition> for ConditionView {
    fn from(condition: Condition) -> ConditionView {
        let Condition { line, text } = condition;
        ConditionView { line, text }
    }
}

impl From<&Arrival> for ReachedByView {
    fn from(arrival: &Arrival) -> ReachedByView {
        let Arrival { step, edge, direction, condition } = arrival.clone();
        ReachedByView {
            step: step + 1,
            direction,
            line: edge.line,
            condition: condition.map(ConditionView::from),
            confidence: edge.confidence,
            evidence: edge.evidence,
            edge: edge.into(),
        }
    }
}

impl From<&FlowOpenCall> for OpenCallView {
    fn from(call: &FlowOpenCall) -> OpenCallView {
        let FlowOpenCall { name, lines, candidates, total } = call.clone();
        let candidate = |FlowCandidate { node, step }| OpenCandidateView {
            node: NodeView::from(node),
            step: step.map(|step| step + 1),
        };
        OpenCallView { name, lines, candidates: candidates.into_iter().map(candidate).collect(), total }
    }
}

impl StepView {
    fn new(at: usize, step: &FlowStep, code: &Code) -> StepView {
        let steps = |line: u32| {
            let mut steps: Vec<usize> =
                step.followed.iter().filter(|call| call.line == line).map(|call| call.step + 1).collect();
            steps.dedup();
            steps
        };
        let numbered = code.pieces.iter().flat_map(|piece| (piece.first_line..).zip(&piece.lines));
        StepView {
            step: at + 1,
            node: step.node.clone().into(),
            line_start: step.line_start,
            line_end: step.line_end,
            reached_by: step.arrival.as_ref().map(ReachedByView::from),
            source: numbered
                .map(|(line, text)| StepLineView { line, text: text.clone(), steps: steps(line) })
                .collect(),
            lines_left_out: code.left_out,
            unresolved: step.open_calls.iter().map(OpenCallView::from).collect(),
        }
    }
}

/// The form that steps are printed in: the token budget holds for what is printed.
pub trait StepForm {
    fn step_tokens(&self, step: &StepView) -> usize;

    fn unshown_tokens(&self, step: &UnshownStepView) -> usize;
}

/// Steps as `--json` prints them and a tool sends them.
#[derive(Clone, Copy, Debug)]
pub struct JsonSteps;

impl StepForm for JsonSteps {
    fn step_tokens(&self, step: &StepView) -> usize {
        estimate_tokens(&format!("{},", step.json()))
    }

    fn unshown_tokens(&self, step: &UnshownStepView) -> usize {
        estimate_tokens(&format!("{},", step.json()))
    }
}

impl FlowView {
    /// Returns a view without steps, of an answer that is to have some.
    pub(super) fn asked(source: SourceArgs, context: &CallContext) -> FlowView {
        FlowView { is_asked: source.has_bodies(), max_tokens: source.tokens(context), ..FlowView::default() }
    }

    /// Adds as many steps as fit: first the lines that matter of one after the other, then whole
    /// functions in the place of these. `frame` is what the rest of the answer costs.
    pub(super) fn fill(&mut self, flow: &Flow, form: &dyn StepForm, frame: usize) {
        let budget = self.max_tokens;
        let room = budget.saturating_sub(frame + NOTE_TOKENS.min(budget / 4)).max(budget / 2);
        let unshown = |at: usize, step: &FlowStep| UnshownStepView {
            step: at + 1,
            name: step.node.local_name.clone(),
            path: step.node.path.clone(),
            line: step.node.line,
        };
        let unshown: Vec<UnshownStepView> = flow.steps.iter().enumerate().map(|(at, step)| unshown(at, step)).collect();
        let costs: Vec<usize> = unshown.iter().map(|step| form.unshown_tokens(step)).collect();
        // The list of what is not shown has a quarter at most.
        let list_of = |shown: usize| {
            let (mut kept, mut spent) = (0, 0);
            for cost in &costs[shown..] {
                if spent + cost > room / 4 {
                    break;
                }
                (kept, spent) = (kept + 1, spent + cost);
            }
            [kept, spent]
        };
        let (mut spent, mut prices) = (0, Vec::new());
        for (at, step) in flow.steps.iter().enumerate() {
            let mut view = StepView::new(at, step, &step.body.brief);
            let left = room.saturating_sub(spent + list_of(at + 1)[1]);
            if at == 0 {
                // Some lines of the first are better than none.
                while view.source.len() > 1 && form.step_tokens(&view) > left {
                    view.source.pop();
                    view.lines_left_out += 1;
                }
            }
            let price = form.step_tokens(&view);
            if at > 0 && price > left {
                break;
            }
            spent += price;
            prices.push(price);
            self.steps.push(view);
        }
        let shown = self.steps.len();
        let [listed, list_price] = list_of(shown);
        for (at, step) in flow.steps.iter().enumerate().take(shown) {
            let Some(whole) = &step.body.whole else { continue };
            let view = StepView::new(at, step, whole);
            let price = form.step_tokens(&view);
            if spent - prices[at] + price + list_price <= room {
                spent = spent - prices[at] + price;
                self.steps[at] = view;
            }
        }
        self.not_shown_total = flow.steps.len() - shown;
        self.not_shown = unshown.into_iter().skip(shown).take(listed).collect();
    }

    /// Returns what shows more.
    pub fn remedy(&self) -> Remedy {
        let more = self.max_tokens.saturating_mul(2);
        Remedy::ShowOrRaiseTokens(if self.max_tokens < MAX_TOOL_TOKENS { more.min(MAX_TOOL_TOKENS) } else { more })
    }

    /// Notes in the metadata that steps had no room.
    pub(super) fn mark<E>(&self, metadata: &mut Metadata<E>) {
        if self.not_shown_total > 0 && metadata.result_completeness.is_none() {
            metadata.result_completeness = Some(Completeness::Truncated);
            metadata.suggest(self.remedy());
        }
    }
}

/// Leaves out chains that differ from one before them in their first or last function alone, and
/// returns their number.
pub(super) fn drop_similar_chains(chains: &mut Vec<Trace>) -> usize {
    let all = chains.len();
    let mut kept: Vec<Vec<query::Node>> = Vec::new();
    chains.retain(|chain| {
        let mut nodes: Vec<query::Node> = chain.steps.first().map(|step| step.from.clone()).into_iter().collect();
        nodes.extend(chain.steps.iter().map(|step| step.to.clone()));
        let is_similar = |known: &Vec<query::Node>| {
            let last = nodes.len().saturating_sub(1);
            known.len() == nodes.len() && last > 0 && (known[1..] == nodes[1..] || known[..last] == nodes[..last])
        };
        let is_new = !kept.iter().any(is_similar);
        if is_new {
            kept.push(nodes);
        }
        is_new
    });
    all - chains.len()
}
