//! `codecompass impact`: what a change of a symbol, or of a branch, may affect.

use codecompass_engine::query::{self, Affected, ImpactAnswer, ImpactOptions, MAX_EXPANDED, Navigator, Side};
use codecompass_engine::{Confidence, SyncOptions};
use serde_json::{Value, json};

use super::diff::{Base, base};
use super::{counts, graph, metadata, other_meanings, symbol};
use crate::api::page::Page;
use crate::cli::ImpactArgs;
use crate::error::AppError;
use crate::render;
use crate::session::{CallContext, Session};
use crate::terminal::output::{self, DIM, LINE, NAME, Outcome, PATH};

/// Symbols, and tests, that text lists if not told otherwise.
const TEXT_LIMIT: u32 = 50;
/// Changed symbols that text names.
const CHANGED_SHOWN: usize = 20;
/// Files that text names.
const FILES_SHOWN: usize = 20;

pub(crate) fn run(context: &CallContext, args: &ImpactArgs) -> Result<Outcome, AppError> {
    let (session, answer, base) = ask(context, args)?;
    if context.is_json() {
        output::object(&to_json(&session, page(context, args), base.as_ref(), &answer));
    } else {
        print_text(args, page(context, args), base.as_ref(), &answer);
    }
    Ok(Outcome::of(answer.affected_total + answer.tests_total > 0))
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &ImpactArgs) -> Result<Value, AppError> {
    ask(context, args).map(|(session, answer, base)| to_json(&session, page(context, args), base.as_ref(), &answer))
}

fn ask(context: &CallContext, args: &ImpactArgs) -> Result<(Session, ImpactAnswer, Option<Base>), AppError> {
    let session = Session::open_at(context, args.at.name())?;
    let page = page(context, args);
    let options = ImpactOptions { depth: args.depth, static_only: args.certainty.static_only(), limit: page.end() };
    let (mut answer, base) = match (&args.symbol, &args.diff) {
        (Some(asked), _) => {
            let asked = symbol(&session, asked)?;
            (session.ask(|snapshot| query::impact(&Navigator::new(snapshot), &asked, &options))?, None)
        }
        (None, name) => {
            let name = name.as_deref().filter(|name| !name.is_empty());
            let base = base(&session.engine, name, false)?;
            (of_diff(context, &session, &base, &options)?, Some(base))
        }
    };
    page.skip(&mut answer.affected);
    page.skip(&mut answer.entry_points);
    page.skip(&mut answer.tests);
    Ok((session, answer, base))
}

fn of_diff(
    context: &CallContext,
    after: &Session,
    base: &Base,
    options: &ImpactOptions,
) -> Result<ImpactAnswer, AppError> {
    let before = Session::open_at(context, Some(&base.commit))?;
    after.ask(|snapshot| {
        let (old, _) = before.sync(SyncOptions::default())?;
        let sides =
            [Side { snapshot: &old, source: before.engine.source() }, Side { snapshot, source: after.engine.source() }];
        let diff = query::diff(sides[0], sides[1], &after.engine.config().index)?;
        query::impact_of_diff(&Navigator::new(&old), &Navigator::new(snapshot), &diff, options)
    })
}

fn page(context: &CallContext, args: &ImpactArgs) -> Page {
    let limit = args.limit.unwrap_or(if context.is_json() { graph::JSON_LIMIT } else { TEXT_LIMIT });
    Page::new(args.page, limit as usize)
}

fn to_json(session: &Session, page: Page, base: Option<&Base>, answer: &ImpactAnswer) -> Value {
    let list = |affected: &[Affected]| -> Value { affected.iter().map(affected_json).collect() };
    let mut metadata = metadata(session);
    let total = answer.affected_total + answer.tests_total;
    counts(&mut metadata, total, answer.affected.len() + answer.tests.len());
    page.note(&mut metadata, &[answer.affected_total, answer.entry_points_total, answer.tests_total]);
    metadata["affected_symbols"] = json!(answer.affected_total);
    metadata["affected_entry_points"] = json!(answer.entry_points_total);
    metadata["affected_tests"] = json!(answer.tests_total);
    metadata["per_depth"] = json!(answer.per_depth);
    if answer.is_cut {
        metadata["result_completeness"] = json!("partial");
        metadata["safety_limit_applied"] = json!(true);
    }
    let files: Vec<Value> = answer.files.iter().map(|(path, count)| json!({"path": path, "affected": count})).collect();
    let mut object = match base {
        Some(base) => json!({
            "base": base.name,
            "merge_base_commit": base.commit,
            "changed_symbols": answer.changed.iter().map(graph::symbol_json).collect::<Vec<_>>(),
        }),
        None => {
            let (symbol, others) = answer.subject.as_ref().map(graph::subject_json).unwrap_or_default();
            json!({"symbol": symbol, "others": others})
        }
    };
    object["affected_symbols"] = list(&answer.affected);
    object["affected_entry_points"] = list(&answer.entry_points);
    object["affected_tests"] = list(&answer.tests);
    object["affected_files"] = json!(files);
    object["metadata"] = metadata;
    object
}

/// Something affected as JSON; shared with `diff`.
pub(super) fn affected_json(affected: &Affected) -> Value {
    let mut object = graph::node_json(&affected.node);
    object["depth"] = json!(affected.depth);
    object["confidence"] = json!(affected.confidence.as_str());
    object["uses"] = json!({
        "qualified_name": affected.uses.qualified_name,
        "path": affected.uses.path,
        "line": affected.uses.line,
    });
    object["use_kind"] = json!(affected.kind.as_str());
    object["evidence"] = json!(affected.evidence.as_str());
    match affected.is_broken {
        true => object["is_broken"] = json!(true),
        false => object["use_line"] = json!(affected.line),
    }
    object
}

fn print_text(args: &ImpactArgs, page: Page, base: Option<&Base>, answer: &ImpactAnswer) {
    let mut out = String::new();
    match base {
        Some(base) => {
            let short = base.commit.get(..10).unwrap_or(&base.commit);
            let changed = render::count(answer.changed.len(), "changed symbol");
            out.push_str(&format!("{changed} {DIM}since {} ({short}){DIM:#}\n", base.name));
            for hit in answer.changed.iter().take(CHANGED_SHOWN) {
                out.push_str(&format!(
                    "  {PATH}{}{PATH:#}:{LINE}{}{LINE:#}  {}\n",
                    hit.path, hit.name_line, hit.qualified_name
                ));
            }
            if answer.changed.len() > CHANGED_SHOWN {
                let more = answer.changed.len() - CHANGED_SHOWN;
                out.push_str(&format!("  {DIM}and {more} more; `codecompass diff` lists them{DIM:#}\n"));
            }
        }
        None => answer.changed.iter().for_each(|hit| graph::symbol_text(&mut out, hit)),
    }
    let depths: Vec<String> =
        answer.per_depth.iter().enumerate().map(|(at, count)| format!("{count} at depth {}", at + 1)).collect();
    let cut = match answer.is_cut {
        true => format!("; stopped after {MAX_EXPANDED} symbols, there may be more"),
        false => String::new(),
    };
    match answer.affected_total + answer.tests_total {
        0 if answer.changed.is_empty() => out.push_str("nothing was modified, renamed or deleted\n"),
        0 if answer.changed.len() > 1 => out.push_str("nothing that uses them was found\n"),
        0 => out.push_str("nothing that uses it was found\n"),
        _ => out.push_str(&format!(
            "may affect {} and {} in {}: {}{cut}\n",
            render::count(answer.affected_total, "symbol"),
            render::count(answer.tests_total, "test"),
            render::count(answer.files.len(), "file"),
            depths.join(", ")
        )),
    }
    section(
        &mut out,
        "entry points",
        &answer.entry_points,
        page.behind(answer.entry_points_total, answer.entry_points.len()),
    );
    // Entry points were listed above.
    let is_entry = |affected: &Affected| answer.entry_points.contains(affected);
    let code: Vec<Affected> = answer.affected.iter().filter(|affected| !is_entry(affected)).cloned().collect();
    section(&mut out, "code", &code, page.behind(answer.affected_total, answer.affected.len()));
    section(&mut out, "tests", &answer.tests, page.behind(answer.tests_total, answer.tests.len()));
    if answer.files.len() > 1 {
        let mut files: Vec<&(String, usize)> = answer.files.iter().collect();
        files.sort_by_key(|(path, count)| (std::cmp::Reverse(*count), path.clone()));
        out.push_str(&format!("\n{NAME}files{NAME:#}\n"));
        for (path, count) in files.iter().take(FILES_SHOWN) {
            out.push_str(&format!("  {PATH}{path}{PATH:#}  {count}\n"));
        }
        if files.len() > FILES_SHOWN {
            out.push_str(&format!("  {DIM}and {} more{DIM:#}\n", files.len() - FILES_SHOWN));
        }
    }
    if let (Some(subject), Some(argument)) = (&answer.subject, &args.symbol) {
        other_meanings(&mut out, subject, argument);
    }
    output::text(&out);
}

/// Lists what was found; `more` counts what stands behind.
fn section(out: &mut String, title: &str, affected: &[Affected], more: usize) {
    if affected.is_empty() {
        return;
    }
    out.push_str(&format!("\n{NAME}{title}{NAME:#} {DIM}(with their depth){DIM:#}\n"));
    affected.iter().for_each(|affected| affected_text(out, affected));
    if more > 0 {
        out.push_str(&format!("  {DIM}{more} more; --limit shows them{DIM:#}\n"));
    }
}

/// Something affected on one line; shared with `diff`.
pub(super) fn affected_text(out: &mut String, affected: &Affected) {
    // The guess may be any step on the way, so the last step's evidence would not explain it.
    let doubt = if affected.confidence == Confidence::Heuristic { "  heuristic" } else { "" };
    let uses = &affected.uses.qualified_name;
    let how = match affected.is_broken {
        true => format!("used {uses}, which is gone"),
        false => format!("uses {uses} on line {}", affected.line),
    };
    let (depth, node) = (affected.depth, graph::node_text(&affected.node));
    out.push_str(&format!("  {DIM}{depth}{DIM:#}  {node}  {DIM}{how}{doubt}{DIM:#}\n"));
}
