//! `codecompass suggest`: what to ask next.

use codecompass_engine::query::{self, Direction, Navigator, SearchOptions, Step, SuggestAnswer, SuggestOptions};
use serde_json::{Map, Value, json};

use super::{graph, metadata, symbol};
use crate::api::navigate::comparison::DiffBase;
use crate::cli::SuggestArgs;
use crate::error::AppError;
use crate::session::{At, CallContext, Session};
use crate::terminal::output::{self, DIM, NAME, Outcome};

/// What was found out.
struct Found {
    session: Session,
    /// What the branch is compared with.
    base: Option<String>,
    answer: SuggestAnswer,
}

/// A step as a call of a tool and as a command line.
struct Written {
    tool: &'static str,
    arguments: Map<String, Value>,
    command: String,
    reason: String,
}

pub(crate) fn run(context: &CallContext, args: &SuggestArgs) -> Result<Outcome, AppError> {
    let found = ask(context, args)?;
    let written = written(args, &found);
    if context.is_json() {
        output::object(&to_json(&found, &written));
    } else {
        let mut out = String::new();
        for step in &written {
            out.push_str(&format!("{NAME}{}{NAME:#}\n    {DIM}{}{DIM:#}\n", step.command, step.reason));
        }
        output::text(&out);
    }
    Ok(Outcome::of(!written.is_empty()))
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &SuggestArgs) -> Result<Value, AppError> {
    ask(context, args).map(|found| to_json(&found, &written(args, &found)))
}

fn ask(context: &CallContext, args: &SuggestArgs) -> Result<Found, AppError> {
    let session = Session::open_with_models(context, At::Ref(args.at.name()), |_| {})?;
    let symbol = args.symbol.as_ref().map(|name| symbol(&session, name)).transpose()?;
    let query = Some(args.query.join(" ")).filter(|query| !query.trim().is_empty());
    let confidence_threshold = Some(session.engine.config().semantic.confidence_threshold);
    let (semantic, tuning) = (session.engine.semantic(), session.engine.config().search.clone());
    let search = SearchOptions { limit: 10, semantic, confidence_threshold, tuning, ..Default::default() };
    // Where there is no branch to compare with, nothing is suggested about one.
    let base = DiffBase::find(&session.engine, None, false).ok();
    let answer = session.ask(|snapshot| {
        let changed =
            base.as_ref().map(|base| session.engine.changed_since(&base.commit)).transpose()?.unwrap_or_default();
        let options = SuggestOptions { query: query.clone(), symbol: symbol.clone(), search: search.clone(), changed };
        query::suggest(&Navigator::new(snapshot), &options)
    })?;
    Ok(Found { base: base.map(|base| base.name), session, answer })
}

/// The suggestions in words; where there is nothing to go by, what every workspace can be asked.
fn written(args: &SuggestArgs, found: &Found) -> Vec<Written> {
    let mut all: Vec<Written> = found
        .answer
        .suggestions
        .iter()
        .map(|suggestion| written_step(args, found.base.as_deref(), &suggestion.step, &suggestion.reason))
        .collect();
    if found.answer.subject.is_none() && all.len() < 3 {
        all.push(step(None, ("status", "index_status"), &[], "what the index holds"));
        if found.session.engine.workspace().git_dir.is_some() {
            all.push(step(None, ("branches", "list_refs"), &[], "which branches there are, and how they relate"));
        }
    }
    all
}

fn written_step(args: &SuggestArgs, base: Option<&str>, suggested: &Step, reason: &str) -> Written {
    let reference = args.at.reference.as_deref();
    // Only a ref needs it said what it is compared with.
    let base = base.filter(|_| reference.is_some());
    // A flag, or nothing for what stands for itself; the name of the tool's argument; the value.
    type Arguments<'a> = Vec<(&'static str, &'static str, &'a str)>;
    fn of_symbol(name: &str) -> Arguments<'_> {
        vec![("", "symbol", name)]
    }
    let (names, arguments): ((&str, &'static str), Arguments<'_>) = match suggested {
        Step::Show(name) => (("show", "get_symbol"), of_symbol(name)),
        Step::Refs(name) => (("refs", "find_references"), of_symbol(name)),
        Step::Calls(name, direction) => {
            let direction = match direction {
                Direction::Callers => "callers",
                Direction::Callees => "callees",
            };
            (("calls", "get_call_graph"), vec![("", "symbol", name), ("--direction", "direction", direction)])
        }
        Step::Impact(name) => (("impact", "analyze_impact"), of_symbol(name)),
        Step::Hierarchy(name) => (("hierarchy", "get_symbol_hierarchy"), of_symbol(name)),
        Step::Tests(name) => {
            (("related", "find_related_symbols"), vec![("", "symbol", name.as_str()), ("--only", "only", "test")])
        }
        Step::Locate(name, folder) => {
            let folder = folder.as_deref().map(|folder| ("--path", "path", folder));
            (("locate", "locate_symbol"), of_symbol(name).into_iter().chain(folder).collect())
        }
        Step::Outline(path) => (("outline", "get_file_outline"), vec![("", "path", path.as_str())]),
        Step::Search(query) => (("search", "search_code"), vec![("", "query", query.as_str())]),
        Step::Context(query) => (("context", "get_code_context"), vec![("", "query", query.as_str())]),
        Step::Diff => (("diff", "diff_context"), base.map(|base| ("", "base", base)).into_iter().collect()),
        Step::ImpactOfBranch => (("impact --diff", "analyze_impact"), Vec::new()),
    };
    step(reference, names, &arguments, reason)
}

fn step(
    reference: Option<&str>,
    (command, tool): (&str, &'static str),
    arguments: &[(&str, &str, &str)],
    reason: &str,
) -> Written {
    let mut line = format!("codecompass {command}");
    let mut object = Map::new();
    // `diff` takes the ref behind its base.
    let flag = if command == "diff" { "" } else { "--ref" };
    let reference = reference.map(|name| (flag, "ref", name));
    for (flag, argument, value) in arguments.iter().copied().chain(reference) {
        line.push_str(if flag.is_empty() { "" } else { " " });
        line.push_str(flag);
        line.push(' ');
        line.push_str(&quoted(value));
        object.insert(argument.to_string(), json!(value));
    }
    Written { tool, arguments: object, command: line, reason: reason.to_string() }
}

/// A value as a shell takes it.
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@,+=%".contains(c);
    match !value.is_empty() && value.chars().all(is_plain) {
        true => value.to_string(),
        false => format!("'{}'", value.replace('\'', r"'\''")),
    }
}

fn to_json(found: &Found, written: &[Written]) -> Value {
    let suggestions: Vec<Value> = written
        .iter()
        .map(|step| {
            json!({"tool": step.tool, "arguments": step.arguments, "command": step.command, "reason": step.reason})
        })
        .collect();
    json!({
        "symbol": found.answer.subject.as_ref().map(graph::symbol_json),
        "suggestions": suggestions,
        "metadata": metadata(&found.session),
    })
}
