//! Works out what an installation would do, without doing it: for each file the text it has and the
//! text it would have.

use std::path::{Path, PathBuf};

use codecompass_app::error::AppError;
use codecompass_app::settings::Environment;

use super::agents::{AGENTS, Agent, Base, Scope, Spot};
use super::content::{Content, State};
use super::entry::Entry;
use super::receipt::{Change, Receipt, Receipts};
use super::target::{TargetFile, target};
use super::{NAME, Problem};

/// The installation or removal that is wanted.
pub(crate) struct Wanted<'a> {
    pub agents: Vec<&'static Agent>,
    pub scope: Scope,
    /// The program that starts the server.
    pub program: String,
    /// Instructions, too.
    pub instructions: bool,
    /// Entries of others under our name may be replaced or removed.
    pub force: bool,
    /// Out instead of in.
    pub remove: bool,
    pub around: &'a Environment,
    /// The root of the project.
    pub root: &'a Path,
    /// Our data directory.
    pub data: &'a Path,
}

/// The file of an agent that is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettingsPart {
    Server,
    Instructions,
}

impl SettingsPart {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            SettingsPart::Server => "server",
            SettingsPart::Instructions => "instructions",
        }
    }
}

/// The action on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Created,
    Updated,
    Unchanged,
    Removed,
}

impl Action {
    /// The word for it, done or only planned.
    pub(crate) fn as_str(self, done: bool) -> &'static str {
        match (self, done) {
            (Action::Unchanged, _) => "unchanged",
            (Action::Created, true) => "created",
            (Action::Updated, true) => "updated",
            (Action::Removed, true) => "removed",
            (Action::Created, false) => "would_create",
            (Action::Updated, false) => "would_update",
            (Action::Removed, false) => "would_remove",
        }
    }
}

/// The action for one agent in one file.
pub(crate) struct Step {
    pub agent: &'static Agent,
    pub part: SettingsPart,
    pub action: Action,
    /// The file, as the agent names it.
    pub file: PathBuf,
    pub entry: Option<Entry>,
    /// A note for the user.
    pub note: Option<&'static str>,
    /// The content is there, or would be.
    pub is_there: bool,
    /// The edit that is written. A file that serves several agents is written for the first of
    /// them.
    pub edit: Option<Edit>,
}

/// The change of a file.
pub(crate) struct Edit {
    /// The file behind all links.
    pub path: PathBuf,
    pub before: Option<String>,
    /// `None`: the file goes.
    pub after: Option<String>,
    /// Directories that go with it if nothing else is in them.
    pub folders: Vec<PathBuf>,
    pub receipt: Option<Receipt>,
}

/// All steps.
pub(crate) struct Plan {
    pub steps: Vec<Step>,
    /// Files whose receipts have no more use.
    pub stale_receipts: Vec<PathBuf>,
}

impl Plan {
    /// Returns whether anything is to be written.
    pub(crate) fn changes(&self) -> bool {
        self.steps.iter().any(|step| step.edit.is_some())
    }
}

/// The agents that seem to be on this machine: something of theirs is in the home directory, or
/// they are in the search path.
pub(crate) fn found_on_machine(around: &Environment) -> Vec<&'static Agent> {
    let is_there = |agent: &&Agent| {
        let mut places = agent.signs.iter().flat_map(|sign| names(*sign, around, &around.home));
        places.any(|place| place.exists())
            || agent.programs.iter().any(|program| around.find_program(program).is_some())
    };
    AGENTS.iter().filter(is_there).collect()
}

/// Works out what is to be done. Fails as a whole if one file cannot be edited.
pub(crate) fn plan(wanted: &Wanted<'_>) -> Result<Plan, AppError> {
    let mut plan = Plan { steps: Vec::new(), stale_receipts: Vec::new() };
    for agent in &wanted.agents {
        if let Some(spot) = agent.settings(wanted.scope) {
            let entry = Entry::serving(agent.shape, &wanted.program);
            let job =
                FileJob { agent, part: SettingsPart::Server, spot, content: Content::Server { agent, entry: &entry } };
            let step = step(wanted, &job, &mut plan)?;
            plan.steps.push(Step { entry: Some(entry), ..step });
        }
        if let (true, Some(instructions)) = (wanted.instructions, agent.instructions(wanted.scope)) {
            let (part, spot) = (SettingsPart::Instructions, instructions.spot);
            let step = step(wanted, &FileJob { agent, part, spot, content: Content::Block(instructions) }, &mut plan)?;
            plan.steps.push(step);
        }
    }
    Ok(plan)
}

fn names(spot: Spot, around: &Environment, root: &Path) -> Vec<PathBuf> {
    let (directory, _) = spot.base.directory(around, root);
    spot.names.iter().map(|name| if name.is_empty() { directory.clone() } else { directory.join(name) }).collect()
}

/// One file of one agent, and what belongs there.
struct FileJob<'a> {
    agent: &'static Agent,
    part: SettingsPart,
    spot: Spot,
    content: Content<'a>,
}

fn step(wanted: &Wanted<'_>, job: &FileJob<'_>, plan: &mut Plan) -> Result<Step, AppError> {
    let FileJob { agent, part, spot, ref content } = *job;
    let (file, target) = choose(wanted, spot, content)?;
    let receipts = Receipts::at(wanted.data);
    let step = |action, note, is_there, edit| Step {
        agent,
        part,
        action,
        file: file.clone(),
        entry: None,
        note,
        is_there,
        edit,
    };
    // Agents share files, by name or by link.
    let shared = |other: &&Step| other.edit.as_ref().is_some_and(|edit| edit.path == target.path);
    if let Some(first) = plan.steps.iter().find(shared) {
        return Ok(step(first.action, None, true, None));
    }
    let old = receipts.load(&target.path);
    let state = match &target.text {
        Some(text) => content.state(text).map_err(|problem| refused(&file, problem))?,
        None => State::Absent,
    };
    if wanted.remove {
        let text = match (&target.text, state) {
            (Some(text), State::Current | State::Outdated) => text,
            (Some(text), State::Foreign) if wanted.force => text,
            (_, State::Foreign) => {
                let note = "the entry is not CodeCompass's; --force removes it";
                return Ok(step(Action::Unchanged, Some(note), true, None));
            }
            _ => {
                plan.stale_receipts.extend(old.map(|_| target.path.clone()));
                return Ok(step(Action::Unchanged, None, false, None));
            }
        };
        let after = removed(content, text, old.as_ref()).map_err(|problem| refused(&file, problem))?;
        let folders = old.map(|old| old.folders).unwrap_or_default();
        let edit = Edit { path: target.path, before: Some(text.clone()), after, folders, receipt: None };
        return Ok(step(Action::Removed, None, true, Some(edit)));
    }
    if state == State::Foreign && !wanted.force {
        return Err(AppError::invalid(
            format!("{} has an entry `{NAME}` that is not CodeCompass's", file.display()),
            "rename or remove that entry, or give --force to replace it; nothing was written",
        ));
    }
    if state == State::Current {
        return Ok(step(Action::Unchanged, None, true, None));
    }
    let action = if target.text.is_some() { Action::Updated } else { Action::Created };
    let edit = added(content, target, state, old).map_err(|problem| refused(&file, problem))?;
    Ok(step(action, None, true, Some(edit)))
}

/// Of the names a file may have: the one that holds the content, else the first that exists, else
/// the first.
fn choose(wanted: &Wanted<'_>, spot: Spot, content: &Content<'_>) -> Result<(PathBuf, TargetFile), AppError> {
    let (_, root) = spot.base.directory(wanted.around, wanted.root);
    let scope = if matches!(spot.base, Base::Project) { Scope::Project } else { Scope::User };
    let mut files = names(spot, wanted.around, wanted.root);
    let holds = |file: &Path| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        content.state(&text).is_ok_and(|state| state != State::Absent)
    };
    let chosen = match files.len() {
        1 => 0,
        _ => {
            let holding = files.iter().position(|file| file.is_file() && holds(file));
            holding.or_else(|| files.iter().position(|file| file.exists())).unwrap_or(0)
        }
    };
    let file = files.swap_remove(chosen);
    let target = target(&file, &root, scope)?;
    Ok((file, target))
}

/// The edit that puts the content in.
fn added(content: &Content<'_>, target: TargetFile, state: State, old: Option<Receipt>) -> Result<Edit, Problem> {
    let TargetFile { path, text, missing } = target;
    let undone = text.as_deref().zip(old.as_ref()).and_then(|(text, old)| old.change.as_ref()?.undone(text));
    let (after, receipt) = match (&text, state, undone, old) {
        // A form of ours, as we left it: start again from what was there before us.
        (Some(_), State::Outdated, Some(before), Some(old)) => {
            let (after, tables) = content.add(&before)?;
            let change = Some(Change::between(&before, &after));
            (after, Some(Receipt { tables, change, ..old }))
        }
        // Another program has written the file since; what is there is changed where it stands, and
        // cannot be undone.
        (Some(text), State::Outdated, _, old) => {
            (content.update(text)?, old.map(|old| Receipt { change: None, ..old }))
        }
        (text, _, _, _) => {
            let before = text.as_deref().unwrap_or_default();
            let (after, tables) = content.add(before)?;
            let change = Some(Change::between(before, &after));
            (after, Some(Receipt { created: text.is_none(), folders: missing, tables, change }))
        }
    };
    Ok(Edit { path, before: text, after: Some(after), folders: Vec::new(), receipt })
}

/// The text without the content. `None`: the file goes.
fn removed(content: &Content<'_>, text: &str, old: Option<&Receipt>) -> Result<Option<String>, Problem> {
    let undone = old.and_then(|old| old.change.as_ref()?.undone(text));
    match (undone, old) {
        (Some(before), Some(old)) => Ok((!old.created).then_some(before)),
        _ if content.is_alone(text) => Ok(None),
        // Without a receipt, the origin of the rest is unknown; it stays, even if nothing is in it.
        (_, None) => Ok(Some(content.remove(text, 0)?.0)),
        (_, Some(old)) => {
            let (rest, is_empty) = content.remove(text, old.tables)?;
            Ok((!(old.created && is_empty)).then_some(rest))
        }
    }
}

fn refused(file: &Path, problem: Problem) -> AppError {
    let line = problem.line.map(|line| format!("line {line}: ")).unwrap_or_default();
    AppError::invalid(
        format!("{}: {line}{}", file.display(), problem.message),
        "mend the file, or leave this agent out with --agent; it was left as it is",
    )
}
