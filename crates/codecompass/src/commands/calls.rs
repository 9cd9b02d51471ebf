//! `codecompass calls`: who calls a symbol, and what it calls.

use codecompass_engine::query::{
    self, CallLevel, CallsAnswer, CallsOptions, Direction, Edge, HitKind, Navigator, Node,
};
use serde_json::{Value, json};

use super::{counts, graph, metadata, other_meanings, symbol};
use crate::api::page::Page;
use crate::cli::{CallsArgs, DirectionArg};
use crate::error::AppError;
use crate::render;
use crate::session::{CallContext, Session};
use crate::terminal::output::{self, DIM, LINE, NAME, Outcome, PATH};

/// Calls per level that text lists if not told otherwise.
const TEXT_LIMIT: u32 = 100;

pub(crate) fn run(context: &CallContext, args: &CallsArgs) -> Result<Outcome, AppError> {
    let (session, answer) = ask(context, args)?;
    if context.is_json() {
        output::object(&to_json(&session, page(context, args), &answer));
    } else {
        print_text(args, &answer);
    }
    Ok(Outcome::of(answer.levels.iter().any(|level| !level.edges.is_empty())))
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &CallsArgs) -> Result<Value, AppError> {
    ask(context, args).map(|(session, answer)| to_json(&session, page(context, args), &answer))
}

fn ask(context: &CallContext, args: &CallsArgs) -> Result<(Session, CallsAnswer), AppError> {
    let session = Session::open_at(context, args.at.name())?;
    let page = page(context, args);
    let options = CallsOptions {
        directions: match args.direction {
            DirectionArg::Callers => vec![Direction::Callers],
            DirectionArg::Callees => vec![Direction::Callees],
            DirectionArg::Both => vec![Direction::Callers, Direction::Callees],
        },
        depth: args.depth,
        limit: page.end(),
        overrides: args.overrides,
        static_only: args.certainty.static_only(),
    };
    let symbol = symbol(&session, &args.symbol)?;
    let mut answer = session.ask(|snapshot| query::calls(&Navigator::new(snapshot), &symbol, &options))?;
    answer.levels.iter_mut().for_each(|level| page.skip(&mut level.edges));
    Ok((session, answer))
}

fn page(context: &CallContext, args: &CallsArgs) -> Page {
    let limit = args.limit.unwrap_or(if context.is_json() { graph::JSON_LIMIT } else { TEXT_LIMIT });
    Page::new(args.page, limit as usize)
}

fn to_json(session: &Session, page: Page, answer: &CallsAnswer) -> Value {
    let mut edges = Vec::new();
    for level in &answer.levels {
        for (edge, _) in &level.edges {
            let mut object = graph::edge_json(edge);
            object["depth"] = json!(level.depth);
            object["direction"] = json!(level.direction.as_str());
            // A call at the top level of a file has no caller.
            if matches!(edge.from.kind, HitKind::Symbol(kind) if kind.is_callable()) {
                object["caller"] = json!(edge.from.name);
            }
            edges.push(object);
        }
    }
    let levels: Vec<Value> = answer
        .levels
        .iter()
        .map(|level| {
            json!({
                "direction": level.direction.as_str(),
                "depth": level.depth,
                "total": level.total,
                "returned": level.edges.len(),
            })
        })
        .collect();
    let mut metadata = metadata(session);
    counts(&mut metadata, answer.levels.iter().map(|level| level.total).sum(), edges.len());
    let totals: Vec<usize> = answer.levels.iter().map(|level| level.total).collect();
    page.note(&mut metadata, &totals);
    let through: Vec<Value> = answer
        .through
        .iter()
        .map(|overridden| {
            let mut object = graph::node_json(&overridden.method);
            object["calls"] = json!(overridden.calls);
            object
        })
        .collect();
    metadata["other_uses"] = json!(answer.other_uses);
    metadata["ambiguous_calls"] = json!(answer.ambiguous_calls);
    let (symbol, others) = graph::subject_json(&answer.subject);
    let mut object = json!({
        "symbol": symbol,
        "edges": edges,
        "levels": levels,
        "others": others,
    });
    if !through.is_empty() {
        object["may_also_be_called_through"] = json!(through);
    }
    object["metadata"] = metadata;
    object
}

fn print_text(args: &CallsArgs, answer: &CallsAnswer) {
    let mut out = String::new();
    graph::symbol_text(&mut out, &answer.subject.hit);
    for direction in [Direction::Callers, Direction::Callees] {
        let levels: Vec<&CallLevel> = answer.levels.iter().filter(|level| level.direction == direction).collect();
        let Some(first) = levels.first() else { continue };
        let (what, none) = match direction {
            Direction::Callers => ("called by", "no call of it was found"),
            Direction::Callees => ("calls", "it calls nothing that is defined here"),
        };
        if first.total == 0 {
            let others = match (direction, answer.other_uses) {
                (Direction::Callees, _) | (_, 0) => String::new(),
                (_, count) => format!("; `codecompass refs` lists {}", render::count(count, "other use")),
            };
            out.push_str(&format!("\n{none}{others}\n"));
            continue;
        }
        out.push_str(&format!("\n{what} {DIM}({}){DIM:#}\n", totals(&levels)));
        let start = groups(first);
        for group in &start {
            group_text(&mut out, group, direction, &levels);
        }
    }
    if answer.ambiguous_calls > 0 {
        let calls = render::count(answer.ambiguous_calls, "call");
        out.push_str(&format!(
            "\n{DIM}{calls} may mean it or another symbol of this name; `codecompass refs --ambiguous` lists them{DIM:#}\n"
        ));
    }
    for overridden in answer.through.iter().filter(|overridden| overridden.calls > 0) {
        let calls = render::count(overridden.calls, "call");
        let node = graph::node_text(&overridden.method);
        out.push_str(&format!("\nmay also be called through {node}  {DIM}{calls}; --overrides includes them{DIM:#}\n"));
    }
    other_meanings(&mut out, &answer.subject, &args.symbol);
    output::text(&out);
}

fn totals(levels: &[&CallLevel]) -> String {
    let mut parts = Vec::new();
    for level in levels.iter().filter(|level| level.total > 0) {
        let depth = if levels.len() > 1 { format!("depth {}: ", level.depth) } else { String::new() };
        let shown = match level.total > level.edges.len() {
            true => format!(", {} shown; --limit shows more", level.edges.len()),
            false => String::new(),
        };
        parts.push(format!("{depth}{}{shown}", render::count(level.total, "call")));
    }
    parts.join("; ")
}

/// Calls between the same two nodes, shown on one line.
struct Group<'a> {
    edges: Vec<&'a Edge>,
    depth: u32,
    is_expanded: bool,
}

fn groups(level: &CallLevel) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (edge, is_new) in &level.edges {
        let same = |group: &&mut Group<'_>| {
            let first = group.edges[0];
            (&first.from, &first.to, &first.through) == (&edge.from, &edge.to, &edge.through)
                && first.confidence == edge.confidence
        };
        match groups.iter_mut().find(same) {
            Some(group) => {
                group.edges.push(edge);
                group.is_expanded |= is_new;
            }
            None => groups.push(Group { edges: vec![edge], depth: level.depth, is_expanded: *is_new }),
        }
    }
    groups
}

fn group_text(out: &mut String, group: &Group<'_>, direction: Direction, levels: &[&CallLevel]) {
    let first = group.edges[0];
    let lines: Vec<String> = group.edges.iter().map(|edge| edge.line.to_string()).collect();
    let far = match direction {
        Direction::Callers => &first.from,
        Direction::Callees => &first.to,
    };
    let indent = "  ".repeat(group.depth as usize);
    let doubt = graph::doubt_text(first.confidence, &graph::edge_reason(first));
    let name = match far.kind {
        HitKind::File => format!("{DIM}at top level{DIM:#}"),
        _ if direction == Direction::Callers => format!("in {NAME}{}{NAME:#}", far.qualified_name),
        _ => format!("{NAME}{}{NAME:#}", far.qualified_name),
    };
    // A caller is shown by its calls, a callee by its definition.
    match direction {
        Direction::Callers => out.push_str(&format!(
            "{indent}{PATH}{}{PATH:#}:{LINE}{}{LINE:#}  {name}{}{doubt}",
            first.path,
            lines.join(","),
            graph::role_text(far)
        )),
        Direction::Callees => out.push_str(&format!(
            "{indent}{PATH}{}{PATH:#}:{LINE}{}{LINE:#}  {name}  {DIM}called on line {}{DIM:#}{doubt}",
            far.path,
            far.line,
            lines.join(", ")
        )),
    }
    let next = levels.iter().find(|level| level.depth == group.depth + 1);
    let below: Vec<Group<'_>> = next.map(|level| groups(level)).unwrap_or_default();
    let is_below = |group: &&Group<'_>| near(group.edges[0], direction) == far;
    if !group.is_expanded && below.iter().any(|group| is_below(&group)) {
        out.push_str(&format!("  {DIM}(see above){DIM:#}"));
    }
    out.push('\n');
    if group.is_expanded {
        for group in below.iter().filter(is_below) {
            group_text(out, group, direction, levels);
        }
    }
}

/// The end of a call that is nearer to the symbol asked for.
fn near(edge: &Edge, direction: Direction) -> &Node {
    match direction {
        Direction::Callers => &edge.to,
        Direction::Callees => &edge.from,
    }
}
