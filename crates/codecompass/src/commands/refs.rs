//! `codecompass refs`: the uses of a symbol.

use codecompass_engine::query::{self, Hit, Navigator, RefsAnswer, RefsOptions, TestUses, UseSite};
use serde_json::{Map, Value, json};

use super::page::Page;
use super::{counts, filter, graph, metadata, other_meanings, symbol};
use crate::api::arguments::FilterArgs;
use crate::cli::{RefsArgs, TestsArg};
use crate::error::AppError;
use crate::render;
use crate::session::{CallContext, Session};
use crate::terminal::output::{self, DIM, KIND, LINE, Outcome, PATH};

/// Uses that text lists if not told otherwise.
const TEXT_LIMIT: u32 = 100;

/// An answer with the source lines of what it lists.
struct Shown {
    answer: RefsAnswer,
    lines: Vec<String>,
    ambiguous_lines: Vec<String>,
}

pub(crate) fn run(context: &CallContext, args: &RefsArgs) -> Result<Outcome, AppError> {
    let (session, shown) = ask(context, args)?;
    if context.is_json() {
        output::object(&to_json(&session, args, page(context, args), &shown.answer));
    } else {
        print_text(args, page(context, args), &shown);
    }
    Ok(Outcome::of(!shown.answer.uses.is_empty() || !shown.answer.ambiguous.is_empty()))
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &RefsArgs) -> Result<Value, AppError> {
    ask(context, args).map(|(session, shown)| to_json(&session, args, page(context, args), &shown.answer))
}

fn ask(context: &CallContext, args: &RefsArgs) -> Result<(Session, Shown), AppError> {
    let session = Session::open_at(context, args.at.name())?;
    let page = page(context, args);
    let only = FilterArgs { lang: args.lang.clone(), kind: Vec::new(), path: args.path.clone() };
    let options = RefsOptions {
        kinds: args.kind.iter().map(|kind| kind.kind()).collect(),
        static_only: args.certainty.static_only(),
        filter: filter(&only)?,
        tests: match args.tests {
            TestsArg::Include => TestUses::Include,
            TestsArg::Exclude => TestUses::Exclude,
            TestsArg::Only => TestUses::Only,
        },
        limit: page.end(),
    };
    let symbol = symbol(&session, &args.symbol)?;
    let engine = &session.engine;
    let shown = session.ask(|snapshot| {
        let mut answer = query::refs(&Navigator::new(snapshot), &symbol, &options)?;
        if !args.ambiguous {
            answer.ambiguous.clear();
        }
        page.skip(&mut answer.uses);
        page.skip(&mut answer.ambiguous);
        let lines = |sites: &[UseSite]| {
            let places: Vec<(&str, u32)> = sites.iter().map(|site| (site.path.as_str(), site.line)).collect();
            query::source_lines(snapshot, engine.source(), &engine.config().index, &places)
        };
        let (lines, ambiguous_lines) = match context.is_json() {
            true => (Vec::new(), Vec::new()),
            false => (lines(&answer.uses)?, lines(&answer.ambiguous)?),
        };
        Ok(Shown { answer, lines, ambiguous_lines })
    })?;
    Ok((session, shown))
}

fn page(context: &CallContext, args: &RefsArgs) -> Page {
    let limit = args.limit.unwrap_or(if context.is_json() { graph::JSON_LIMIT } else { TEXT_LIMIT });
    Page::new(args.page, limit as usize)
}

fn to_json(session: &Session, args: &RefsArgs, page: Page, answer: &RefsAnswer) -> Value {
    let mut metadata = metadata(session);
    counts(&mut metadata, answer.total, answer.uses.len());
    page.note(&mut metadata, &[answer.total, if args.ambiguous { answer.ambiguous_total } else { 0 }]);
    metadata["files"] = json!(answer.files);
    let by_kind: Map<String, Value> =
        answer.by_kind.iter().map(|(kind, count)| (kind.as_str().to_string(), json!(count))).collect();
    metadata["by_kind"] = json!(by_kind);
    metadata["heuristic"] = json!(answer.heuristic);
    metadata["left_out_by_filters"] = json!(answer.filtered);
    metadata["ambiguous"] = json!(answer.ambiguous_total);
    let (symbol, others) = graph::subject_json(&answer.subject);
    let mut object = json!({
        "symbol": symbol,
        "references": answer.uses.iter().map(|site| site_json(site, true)).collect::<Vec<_>>(),
        "total": answer.total,
        "others": others,
    });
    if !answer.parts.is_empty() {
        object["parts"] = answer.parts.iter().map(graph::symbol_json).collect();
    }
    if args.ambiguous {
        object["ambiguous"] = answer.ambiguous.iter().map(|site| site_json(site, false)).collect();
    }
    object["metadata"] = metadata;
    object
}

fn site_json(site: &UseSite, is_sure: bool) -> Value {
    let mut object = json!({
        "path": site.path,
        "line": site.line,
        "column": site.column,
        "kind": site.kind.as_str(),
        "name": site.name,
    });
    if is_sure {
        object["confidence"] = json!(site.confidence.as_str());
        object["evidence"] = json!(site.evidence.as_str());
    }
    if let Some(enclosing) = &site.enclosing {
        object["enclosing"] = graph::enclosing_json(enclosing);
    }
    if site.is_test {
        object["is_test"] = json!(true);
    }
    object
}

fn print_text(args: &RefsArgs, page: Page, shown: &Shown) {
    let answer = &shown.answer;
    let mut out = String::new();
    let hit = &answer.subject.hit;
    graph::symbol_text(&mut out, hit);
    let is_told = |part: &&Hit| {
        hit.other_places.iter().any(|place| (&place.path, place.line_start) == (&part.path, part.line_start))
    };
    for part in answer.parts.iter().filter(|part| !is_told(part)) {
        out.push_str(&format!("    {DIM}also at {}:{}{DIM:#}\n", part.path, part.name_line));
    }
    out.push_str(&summary(answer));
    sites_text(&mut out, &answer.uses, &shown.lines, true);
    let more = page.behind(answer.total, answer.uses.len());
    if more > 0 {
        out.push_str(&format!("\n{DIM}{more} more; --limit shows them, --path, --kind and --tests narrow{DIM:#}\n"));
    }
    if answer.ambiguous_total > 0 {
        let what =
            format!("{} may mean it or another symbol of this name", render::count(answer.ambiguous_total, "use"));
        if args.ambiguous {
            out.push_str(&format!("\n{what}:\n"));
            sites_text(&mut out, &answer.ambiguous, &shown.ambiguous_lines, false);
            let more = page.behind(answer.ambiguous_total, answer.ambiguous.len());
            if more > 0 {
                out.push_str(&format!("\n{DIM}{more} more; --limit shows them{DIM:#}\n"));
            }
        } else {
            out.push_str(&format!("\n{DIM}{what}; --ambiguous lists them{DIM:#}\n"));
        }
    }
    other_meanings(&mut out, &answer.subject, &args.symbol);
    output::text(&out);
}

fn summary(answer: &RefsAnswer) -> String {
    let left_out = match answer.filtered {
        0 => String::new(),
        count => format!("; {count} left out by filters"),
    };
    if answer.total == 0 {
        return format!("no use of it was found{left_out}\n");
    }
    let kinds: Vec<String> = answer.by_kind.iter().map(|(kind, count)| format!("{count} {}", kind.as_str())).collect();
    let heuristic = match answer.heuristic {
        0 => String::new(),
        count => format!("; {count} heuristic"),
    };
    format!(
        "{} in {}: {}{heuristic}{left_out}\n",
        render::count(answer.total, "use"),
        render::count(answer.files, "file"),
        kinds.join(", ")
    )
}

fn sites_text(out: &mut String, sites: &[UseSite], lines: &[String], is_sure: bool) {
    let mut file = "";
    for (at, site) in sites.iter().enumerate() {
        if site.path != file {
            file = &site.path;
            out.push_str(&format!("\n{PATH}{file}{PATH:#}\n"));
        }
        let place = format!("{}:{}", site.line, site.column);
        let around = match &site.enclosing {
            Some(enclosing) => format!("in {}", enclosing.qualified_name),
            None => "at top level".to_string(),
        };
        let doubt =
            if is_sure { graph::doubt_text(site.confidence, &graph::words(site.evidence)) } else { String::new() };
        let source = lines.get(at).map(|line| graph::source_text(line)).unwrap_or_default();
        out.push_str(&format!(
            "  {LINE}{place:>7}{LINE:#}  {KIND}{:<7}{KIND:#}  {DIM}{around}{DIM:#}  {source}{doubt}\n",
            site.kind.as_str()
        ));
    }
}
