//! Text of functions as numbered steps with their code.

use codecompass_engine::query::{Direction, HitKind};

use super::graph::{edge_reason, role_text};
use crate::api::navigate::steps::{
    FlowView, OpenCallView, OpenCandidateView, ReachedByView, StepForm, StepView, UnshownStepView,
};
use crate::remedy::Audience;
use crate::render::{doubt_text, shown, text_tokens};
use crate::terminal::output::{DIM, LINE, NAME, PATH};
use crate::units;

/// Bytes of a line that are shown.
const MAX_LINE: usize = 200;

/// Steps as text.
#[derive(Clone, Copy, Debug)]
pub struct TextSteps {
    pub audience: Audience,
}

impl StepForm for TextSteps {
    fn step_tokens(&self, step: &StepView) -> usize {
        let mut text = String::new();
        step_text(&mut text, step, self.audience);
        text_tokens(&text)
    }

    fn unshown_tokens(&self, step: &UnshownStepView) -> usize {
        text_tokens(&unshown_text(step))
    }
}

/// Writes the functions of a flow, and those for which there was no room.
pub(super) fn steps_text(out: &mut String, flow: &FlowView, audience: Audience) {
    flow.steps.iter().for_each(|step| step_text(out, step, audience));
    if flow.not_shown_total == 0 {
        return;
    }
    let functions = units::count(flow.not_shown_total, "function");
    out.push_str(&format!("\nno room for {functions}:\n"));
    flow.not_shown.iter().for_each(|step| out.push_str(&unshown_text(step)));
    match flow.not_shown_total.saturating_sub(flow.not_shown.len()) {
        0 => {}
        more => out.push_str(&format!("  and {more} more\n")),
    }
    out.push_str(&format!("{}\n", flow.remedy().words(audience)));
}

fn unshown_text(step: &UnshownStepView) -> String {
    let UnshownStepView { step, name, path, line } = step;
    format!("  {step}. {NAME}{}{NAME:#}  {PATH}{}{PATH:#}:{LINE}{line}{LINE:#}\n", shown(name), shown(path))
}

fn step_text(out: &mut String, step: &StepView, audience: Audience) {
    let node = &step.node;
    let (name, lines) = match node.kind {
        HitKind::File => ("top level".into(), String::new()),
        _ if step.line_end > step.line_start => {
            (shown(node.full_name()), format!(":{LINE}{}-{}{LINE:#}", step.line_start, step.line_end))
        }
        _ => (shown(node.full_name()), format!(":{LINE}{}{LINE:#}", step.line_start)),
    };
    let (path, role) = (shown(&node.path), role_text(node));
    let reached = step.reached_by.as_ref().map(reached_text).unwrap_or_default();
    out.push_str(&format!("\n{}. {NAME}{name}{NAME:#}  {PATH}{path}{PATH:#}{lines}{role}{reached}\n", step.step));
    lines_text(out, step, audience);
    let is_few = |call: &&OpenCallView| call.total <= call.candidates.len();
    step.unresolved.iter().filter(is_few).for_each(|call| open_call_text(out, call));
    let many: Vec<String> = step.unresolved.iter().filter(|call| !is_few(call)).map(many_text).collect();
    if !many.is_empty() {
        out.push_str(&format!("  not resolved, with more candidates: {}\n", many.join("; ")));
    }
}

/// Returns how a step was reached.
fn reached_text(reached: &ReachedByView) -> String {
    let (step, line) = (reached.step, reached.line);
    let how = match reached.direction {
        Direction::Callees if reached.edge.is_call() => format!("called by step {step} at {line}"),
        Direction::Callers if reached.edge.is_call() => format!("calls step {step} at {line}"),
        Direction::Callees => format!("from step {step} at {line}"),
        Direction::Callers => format!("leads to step {step} at {line}"),
    };
    let condition = match &reached.condition {
        None => String::new(),
        Some(condition) => format!(", under `{}`", shown(&condition.text)),
    };
    let doubt = doubt_text(reached.edge.confidence, &edge_reason(&reached.edge));
    format!("  {DIM}{how}{condition}{DIM:#}{doubt}")
}

/// Writes the lines of a step with their numbers, and marks for the gaps between them.
fn lines_text(out: &mut String, step: &StepView, audience: Audience) {
    if step.source.is_empty() {
        out.push_str(&format!("  {DIM}its lines are not readable{DIM:#}\n"));
        return;
    }
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let told = || step.source.iter().filter(|line| !line.text.trim().is_empty());
    let least = told().map(|line| indent(&line.text)).min().unwrap_or(0);
    let gap = match audience {
        Audience::Cli => format!("      {DIM}…{DIM:#}\n"),
        Audience::Tools => "…\n".to_string(),
    };
    let mut next = step.source.first().map(|line| line.line);
    for line in &step.source {
        if next.is_some_and(|next| next != line.line) {
            out.push_str(&gap);
        }
        next = Some(line.line + 1);
        let text = shown(line.text.get(least..).unwrap_or("").trim_end());
        let text = if text.len() > MAX_LINE {
            format!("{}…", &text[..text.floor_char_boundary(MAX_LINE)])
        } else {
            text.into_owned()
        };
        if text.is_empty() {
            continue;
        }
        let steps: Vec<String> = line.steps.iter().map(usize::to_string).collect();
        let leads = match steps.len() {
            0 => String::new(),
            _ => format!("  {DIM}→ step {}{DIM:#}", steps.join(", ")),
        };
        let number = line.line;
        out.push_str(&match audience {
            Audience::Cli => format!("{LINE}{number:>5}{LINE:#} {DIM}|{DIM:#} {text}{leads}\n"),
            Audience::Tools => format!("{number} {text}{leads}\n"),
        });
    }
    if step.lines_left_out > 0 && next.is_some_and(|next| next <= step.line_end) {
        out.push_str(&gap);
    }
}

/// Writes a call that was not resolved with all that it may mean.
fn open_call_text(out: &mut String, call: &OpenCallView) {
    let candidate = |candidate: &OpenCandidateView| {
        let node = &candidate.node;
        let name = shown(node.full_name());
        match candidate.step {
            Some(step) => format!("{name} (step {step})"),
            None => format!("{name} ({}:{})", shown(&node.path), node.line),
        }
    };
    let named: Vec<String> = call.candidates.iter().map(candidate).collect();
    let (name, lines) = (shown(&call.name), numbers(&call.lines));
    out.push_str(&format!("  not resolved: {name} at {lines} may be {}\n", named.join(" or ")));
}

/// Returns a call that was not resolved with the number of definitions that it may mean.
fn many_text(call: &OpenCallView) -> String {
    format!("{} at {} ({})", shown(&call.name), numbers(&call.lines), call.total)
}

fn numbers(lines: &[u32]) -> String {
    lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}
