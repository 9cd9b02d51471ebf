//! `codecompass trace`: how the program gets to a symbol.

use codecompass_engine::query::{self, MAX_EXPANDED, Navigator, Trace, TraceAnswer, TraceOptions};
use serde_json::{Value, json};

use super::{graph, metadata, other_meanings, symbol};
use crate::api::page::Page;
use crate::cli::TraceArgs;
use crate::error::AppError;
use crate::remedy::Remedy;
use crate::render;
use crate::session::{CallContext, Session};
use crate::terminal::output::{self, DIM, LINE, Outcome, PATH};

/// The most chains that can be asked for.
const MOST_PATHS: u32 = 100;

pub(crate) fn run(context: &CallContext, args: &TraceArgs) -> Result<Outcome, AppError> {
    let (session, answer) = ask(context, args)?;
    if context.is_json() {
        output::object(&to_json(&session, args, &answer));
    } else {
        print_text(args, &answer);
    }
    Ok(Outcome::of(!answer.paths.is_empty()))
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &TraceArgs) -> Result<Value, AppError> {
    ask(context, args).map(|(session, answer)| to_json(&session, args, &answer))
}

fn ask(context: &CallContext, args: &TraceArgs) -> Result<(Session, TraceAnswer), AppError> {
    let session = Session::open_at(context, args.at.name())?;
    let options = TraceOptions {
        depth: args.depth,
        max_paths: args.max_paths as usize,
        static_only: args.certainty.static_only(),
    };
    let to = symbol(&session, &args.to)?;
    let from = args.from.as_deref().map(|from| symbol(&session, from)).transpose()?;
    let mut answer = session.ask(|snapshot| query::trace(&Navigator::new(snapshot), from.as_deref(), &to, &options))?;
    page(args).skip(&mut answer.paths);
    Ok((session, answer))
}

/// All chains behind the first ones. There are no more than `--max-paths` in all: of more, others might be the first ones.
fn page(args: &TraceArgs) -> Page {
    Page::new(args.page, usize::MAX)
}

fn to_json(session: &Session, args: &TraceArgs, answer: &TraceAnswer) -> Value {
    let mut metadata = metadata(session);
    page(args).note(&mut metadata, &[]);
    metadata["returned"] = json!(answer.paths.len());
    metadata["expanded_symbols"] = json!(answer.expanded);
    if answer.is_cut {
        metadata["result_completeness"] = json!("partial");
        metadata["safety_limit_applied"] = json!(true);
        metadata["suggested_action"] = json!(Remedy::NarrowTrace.for_cli());
    } else if answer.has_more {
        metadata["result_completeness"] = json!("truncated");
        let most = args.max_paths;
        metadata["suggested_action"] = json!(match most < MOST_PATHS {
            true => Remedy::RaiseMaxPaths(most, MOST_PATHS).for_cli(),
            false => Remedy::GiveTraceStart.for_cli(),
        });
    }
    if answer.only_tests {
        metadata["only_tests"] = json!(true);
    }
    let (to, to_others) = graph::subject_json(&answer.to);
    let mut object = json!({
        "to": to,
        "paths": answer.paths.iter().map(path_json).collect::<Vec<_>>(),
        "to_others": to_others,
    });
    if let Some(from) = &answer.from {
        (object["from"], object["from_others"]) = graph::subject_json(from);
    }
    object["metadata"] = metadata;
    object
}

fn path_json(trace: &Trace) -> Value {
    json!({
        "length": trace.steps.len(),
        "confidence": trace.confidence.as_str(),
        "start": trace.steps.first().map(|step| graph::node_json(&step.from)),
        "edges": trace.steps.iter().map(graph::edge_json).collect::<Vec<_>>(),
    })
}

fn print_text(args: &TraceArgs, answer: &TraceAnswer) {
    let mut out = String::new();
    let bound = match answer.is_cut {
        true => format!(" after looking up {MAX_EXPANDED} symbols, the most for one question; there may be more"),
        false => String::new(),
    };
    let to = &answer.to.hit;
    match (answer.from.as_ref().map(|from| &from.hit), answer.paths.is_empty()) {
        (Some(from), true) => out.push_str(&format!(
            "no chain of at most {} from {} ({}:{}) to {} ({}:{}) was found{bound}\n",
            render::count(args.depth as usize, "call"),
            from.qualified_name,
            from.path,
            from.name_line,
            to.qualified_name,
            to.path,
            to.name_line
        )),
        (None, true) => out.push_str(&format!(
            "nothing that leads to {} ({}:{}) was found{bound}\n",
            to.qualified_name, to.path, to.name_line
        )),
        (_, false) => {
            let tests = if answer.only_tests { "; only tests lead there" } else { "" };
            let chains = render::count(answer.paths.len(), "chain");
            let most = if answer.has_more { "; --max-paths shows more" } else { "" };
            out.push_str(&format!(
                "{chains} to {} ({}:{}){bound}{tests}{DIM}{most}{DIM:#}\n",
                to.qualified_name, to.path, to.name_line
            ));
        }
    }
    for (number, trace) in answer.paths.iter().enumerate() {
        let doubt = if trace.confidence.as_str() == "static" { "" } else { ", heuristic" };
        let number = args.page.offset as usize + number + 1;
        out.push_str(&format!("\n{number}. {}{doubt}\n", render::count(trace.steps.len(), "call")));
        if let Some(first) = trace.steps.first() {
            out.push_str(&format!("   {}\n", graph::node_text(&first.from)));
        }
        for step in &trace.steps {
            let doubt = graph::doubt_text(step.confidence, &graph::edge_reason(step));
            out.push_str(&format!(
                "   {DIM}> at{DIM:#} {PATH}{}{PATH:#}:{LINE}{}{LINE:#}{doubt}\n   {}\n",
                step.path,
                step.line,
                graph::node_text(&step.to)
            ));
        }
    }
    other_meanings(&mut out, &answer.to, &args.to);
    if let (Some(from), Some(argument)) = (&answer.from, &args.from)
        && *argument != args.to
    {
        other_meanings(&mut out, from, argument);
    }
    output::text(&out);
}
