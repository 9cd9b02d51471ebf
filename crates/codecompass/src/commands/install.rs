//! `codecompass install`: writes the MCP server into the settings of coding agents. `uninstall` is
//! the same, the other way.

use codecompass_app::error::AppError;
use codecompass_app::session;
use codecompass_app::session::CallContext;
use codecompass_app::settings::{self, Environment};
use codecompass_app::terminal::output::{self, DIM, NAME, Outcome, PATH};
use serde::Serialize;
use serde_json::Value;
use similar::TextDiff;

use crate::cli::{InstallArgs, ScopeArg, WhichArgs};
use crate::install::{self, AGENTS, Agent, Entry, GENERIC, Plan, Scope, SettingsPart, Shape, Step, Wanted};

/// Lines of a difference are cut here; some programs write their settings in one line.
const MAX_LINE: usize = 200;

pub(crate) fn run(context: &CallContext, args: &InstallArgs) -> Result<Outcome, AppError> {
    change(context, &args.which, args.force, Direction::In)
}

/// The direction in which the entry goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    In,
    Out,
}

/// Plans, asks if need be, and carries out.
pub(super) fn change(
    context: &CallContext,
    which: &WhichArgs,
    force: bool,
    direction: Direction,
) -> Result<Outcome, AppError> {
    let around = settings::environment(install::VARIABLES)?;
    let data = settings::homes()?.data;
    let scope = match which.scope {
        ScopeArg::User => Scope::User,
        ScopeArg::Project => Scope::Project,
    };
    let root = match scope {
        Scope::User => around.home.clone(),
        Scope::Project => session::root(context)?,
    };
    let program = install::program(scope, &around)?;
    let generic = which.agent.iter().any(|name| name == GENERIC) && direction == Direction::In;
    let agents = chosen(which, scope, direction, &around)?;
    if which.instructions && !which.agent.is_empty() && !context.quiet {
        note_agents_without_instructions(&agents, scope);
    }
    let wanted = Wanted {
        agents,
        scope,
        program: program.clone(),
        instructions: which.instructions,
        force,
        remove: direction == Direction::Out,
        around: &around,
        root: &root,
        data: &data,
    };
    let mut plan = install::plan(&wanted)?;
    let is_named = !which.agent.is_empty();
    if direction == Direction::Out && !is_named {
        plan.steps.retain(|step| step.is_there);
    }
    let report = PlanReport { plan: &plan, scope, generic: generic.then_some(program), print: which.print, direction };
    if which.print {
        return Ok(report.show(context, false));
    }
    // Who names agents has said what to do.
    if plan.changes() && !is_named && !which.yes && !confirm(context, &report)? {
        return Ok(Outcome::Nothing);
    }
    install::apply(&plan, &data)?;
    Ok(report.show(context, true))
}

/// Asks whether to write the files.
fn confirm(context: &CallContext, report: &PlanReport<'_>) -> Result<bool, AppError> {
    if !output::can_ask() {
        report.show(context, false);
        return Err(AppError::invalid(
            "nothing was written: there is no terminal to ask on",
            "give --yes to go on without asking, --agent to name agents, or --print to see the differences",
        ));
    }
    let is_confirmed = output::ask(&report.text(false), "Write these files?");
    if !is_confirmed {
        output::note("nothing was written");
    }
    Ok(is_confirmed)
}

fn note_agents_without_instructions(agents: &[&Agent], scope: Scope) {
    for agent in agents.iter().filter(|agent| agent.instructions(scope).is_none()) {
        output::note(&format!("{} reads no instructions from a file of the {}", agent.title, scope.as_str()));
    }
}

/// The agents that are meant: those named, else for `install` those found on this machine, for
/// `uninstall` all.
fn chosen(
    which: &WhichArgs,
    scope: Scope,
    direction: Direction,
    around: &Environment,
) -> Result<Vec<&'static Agent>, AppError> {
    if which.agent.is_empty() {
        return Ok(match direction {
            Direction::In => install::found_on_machine(around),
            Direction::Out => AGENTS.iter().collect(),
        });
    }
    let mut agents: Vec<&Agent> = Vec::new();
    for agent in which.agent.iter().filter_map(|name| install::named(name)) {
        let has_text = which.instructions && agent.instructions(scope).is_some();
        if agent.settings(scope).is_none() && !has_text {
            return Err(AppError::invalid(
                format!("{} has no settings of its own for a project", agent.title),
                agent.no_project,
            ));
        }
        if !agents.iter().any(|other| other.name == agent.name) {
            agents.push(agent);
        }
    }
    Ok(agents)
}

/// The answer of `install` and `uninstall`.
#[derive(Clone, Debug, Serialize)]
struct InstallAnswer {
    results: Vec<InstallRow>,
}

/// A file of an agent, or the entry for any agent.
#[derive(Clone, Debug, Serialize)]
struct InstallRow {
    agent: &'static str,
    scope: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<&'static str>,
    file: Option<String>,
    action: &'static str,
    /// The server as the agent's settings name it.
    entry: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

/// The report about a plan.
struct PlanReport<'a> {
    plan: &'a Plan,
    scope: Scope,
    /// The program that starts the server, if an entry for any agent is to be shown.
    generic: Option<String>,
    /// Entries and differences, too.
    print: bool,
    direction: Direction,
}

impl PlanReport<'_> {
    fn show(&self, context: &CallContext, done: bool) -> Outcome {
        if context.is_json() {
            output::object(&serde_json::to_value(self.answer(done)).unwrap_or_default());
        } else {
            output::text(&self.text(done));
        }
        Outcome::of(!self.plan.steps.is_empty() || self.generic.is_some())
    }

    fn answer(&self, done: bool) -> InstallAnswer {
        let scope = self.scope.as_str();
        let generic = self.generic.iter().map(|program| InstallRow {
            agent: GENERIC,
            scope,
            part: None,
            file: None,
            action: "printed",
            entry: Some(Entry::serving(Shape::PLAIN, program).item().json()),
            note: None,
            diff: None,
        });
        let steps = self.plan.steps.iter().map(|step| InstallRow {
            agent: step.agent.name,
            scope,
            part: Some(step.part.as_str()),
            file: Some(step.file.to_string_lossy().into_owned()),
            action: step.action.as_str(done),
            entry: step.entry.as_ref().map(|entry| entry.item().json()),
            note: step.note,
            diff: if self.print { difference(step) } else { None },
        });
        InstallAnswer { results: steps.chain(generic).collect() }
    }

    fn text(&self, done: bool) -> String {
        let mut out = String::new();
        let steps = &self.plan.steps;
        let width = steps.iter().map(|step| step.agent.title.len()).max().unwrap_or(0);
        for step in steps {
            let action = step.action.as_str(done).replace('_', " ");
            let (title, file) = (step.agent.title, step.file.display());
            out.push_str(&format!("{action:<12}  {NAME}{title:<width$}{NAME:#}  {PATH}{file}{PATH:#}\n"));
            if let Some(note) = step.note {
                out.push_str(&format!("{DIM}              {note}{DIM:#}\n"));
            }
            if !self.print {
                continue;
            }
            if let (SettingsPart::Server, Direction::In, Some(entry)) = (step.part, self.direction, &step.entry) {
                out.push_str(&format!("{DIM}entry{DIM:#} {}\n", entry.item().json()));
            }
            out.push_str(&difference(step).unwrap_or_default());
            out.push('\n');
        }
        if let Some(program) = &self.generic {
            out.push_str(&install::generic(program));
        } else if steps.is_empty() {
            out.push_str(match self.direction {
                Direction::In => "found no coding agent; name one with --agent, or see --agent generic for the entry\n",
                Direction::Out => "nothing is installed\n",
            });
        } else if done && self.direction == Direction::In && self.plan.changes() {
            out.push_str(&format!("{DIM}agents that run already read their settings when they start again{DIM:#}\n"));
        }
        out
    }
}

fn difference(step: &Step) -> Option<String> {
    let edit = step.edit.as_ref()?;
    let (before, after) = (edit.before.as_deref().unwrap_or_default(), edit.after.as_deref().unwrap_or_default());
    let diff = TextDiff::from_lines(before, after);
    let mut unified = diff.unified_diff();
    let (old, new) = match (&edit.before, &edit.after) {
        (None, _) => ("/dev/null".to_string(), edit.path.display().to_string()),
        (_, None) => (edit.path.display().to_string(), "/dev/null".to_string()),
        _ => (edit.path.display().to_string(), edit.path.display().to_string()),
    };
    let text = unified.context_radius(3).header(&old, &new).to_string();
    let short = |line: &str| match line.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…\n", &line[..end]),
        None => format!("{line}\n"),
    };
    Some(text.lines().map(short).collect())
}
