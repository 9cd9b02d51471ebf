//! `codecompass hierarchy`: what stands above and below a symbol.

use codecompass_engine::Confidence;
use codecompass_engine::query::{self, HierarchyAnswer, HierarchyOptions, Listed, Navigator, Relation, Relative};
use serde_json::{Value, json};

use super::{counts, filter, line, metadata, other_meanings, subject_json, symbol};
use crate::api::page::Page;
use crate::choices::{Detail, Explain};
use crate::cli::{Direction, HierarchyArgs};
use crate::error::AppError;
use crate::render;
use crate::session::{CallContext, Session};
use crate::terminal::output::{self, DIM, KIND, LINE, NAME, Outcome, PATH};

pub(crate) fn run(context: &CallContext, args: &HierarchyArgs) -> Result<Outcome, AppError> {
    let (session, answer) = ask(context, args)?;
    if context.is_json() {
        output::object(&to_json(&session, page(args), &answer));
    } else {
        let mut out = String::new();
        render::hit_text(&mut out, &answer.subject.hit, None, Explain::Off);
        if !answer.containers.is_empty() {
            out.push_str(&format!("\n{NAME}in{NAME:#}\n"));
            for (depth, container) in answer.containers.iter().enumerate() {
                out.push_str(&"  ".repeat(depth + 1));
                line(&mut out, container);
            }
        }
        section(&mut out, page(args), "overrides", &answer.overrides);
        section(&mut out, page(args), "supertypes", &answer.supertypes);
        section(&mut out, page(args), "subtypes", &answer.subtypes);
        section(&mut out, page(args), "overridden or implemented by", &answer.implementations);
        if answer.children.total > 0 {
            out.push_str(&format!("\n{NAME}members{NAME:#} {DIM}({}){DIM:#}\n", answer.children.total));
            for hit in &answer.children.items {
                let shown = render::shortened(if hit.signature.is_empty() { &hit.name } else { &hit.signature });
                // Members may stand apart from the type, in other files.
                let path = if hit.path == answer.subject.hit.path { "" } else { &hit.path };
                let mark = if path.is_empty() { "" } else { ":" };
                out.push_str(&format!(
                    "  {PATH}{path}{PATH:#}{mark}{LINE}{}{LINE:#}  {KIND}{}{KIND:#}  {shown}\n",
                    hit.line_start,
                    hit.kind.as_str()
                ));
            }
            more(&mut out, page(args).behind(answer.children.total, answer.children.items.len()));
        }
        if total(&answer) == 0 {
            let where_to = match args.direction {
                Direction::Up => "above",
                Direction::Down => "below",
                Direction::Both => "above or below",
            };
            out.push_str(&format!("{DIM}nothing {where_to} it{DIM:#}\n"));
        }
        if answer.is_cut {
            out.push_str(&format!("{DIM}the search stopped at its limit; a smaller --depth sees all nearby{DIM:#}\n"));
        }
        other_meanings(&mut out, &answer.subject, &args.symbol);
        output::text(&out);
    }
    Ok(Outcome::of(total(&answer) > 0))
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &HierarchyArgs) -> Result<Value, AppError> {
    ask(context, args).map(|(session, answer)| to_json(&session, page(args), &answer))
}

fn ask(context: &CallContext, args: &HierarchyArgs) -> Result<(Session, HierarchyAnswer), AppError> {
    let session = Session::open_at(context, args.at.name())?;
    let options = HierarchyOptions {
        filter: filter(&args.filter)?,
        up: args.direction != Direction::Down,
        down: args.direction != Direction::Up,
        depth: args.depth,
        limit: page(args).end(),
    };
    let symbol = symbol(&session, &args.symbol)?;
    let mut answer = session.ask(|snapshot| query::hierarchy(&Navigator::new(snapshot), &symbol, &options))?;
    let page = page(args);
    page.skip_listed(&mut answer.children);
    let relatives = [&mut answer.supertypes, &mut answer.subtypes, &mut answer.overrides, &mut answer.implementations];
    relatives.into_iter().for_each(|listed| page.skip_listed(listed));
    Ok((session, answer))
}

fn relatives(answer: &HierarchyAnswer) -> [(&'static str, &Listed<Relative>); 4] {
    [
        ("supertypes", &answer.supertypes),
        ("subtypes", &answer.subtypes),
        ("overrides", &answer.overrides),
        ("implementations", &answer.implementations),
    ]
}

fn total(answer: &HierarchyAnswer) -> usize {
    let relatives = relatives(answer).iter().map(|(_, listed)| listed.total).sum::<usize>();
    answer.containers.len() + answer.children.total + relatives
}

fn page(args: &HierarchyArgs) -> Page {
    Page::new(args.page, args.limit as usize)
}

fn to_json(session: &Session, page: Page, answer: &HierarchyAnswer) -> Value {
    let (total, relatives) = (total(answer), relatives(answer));
    let left_out = answer.children.left_out() + relatives.iter().map(|(_, listed)| listed.left_out()).sum::<usize>();
    let (symbol, others) = subject_json(&answer.subject);
    let hit = |hit| render::hit_json(hit, Detail::Signature, Explain::Off);
    let mut metadata = metadata(session);
    counts(&mut metadata, total, total - left_out);
    let totals: Vec<usize> = relatives.iter().map(|(_, listed)| listed.total).collect();
    page.note(&mut metadata, &[&totals[..], &[answer.children.total]].concat());
    if answer.is_cut {
        metadata["result_completeness"] = json!("truncated");
    }
    let mut object = json!({
        "symbol": symbol,
        "containers": answer.containers.iter().map(hit).collect::<Vec<_>>(),
        "children": answer.children.items.iter().map(hit).collect::<Vec<_>>(),
        "totals": {"children": answer.children.total},
        "others": others,
        "metadata": metadata,
    });
    for (name, listed) in relatives {
        object[name] = listed.items.iter().map(relative_json).collect();
        object["totals"][name] = json!(listed.total);
    }
    object
}

fn relative_json(relative: &Relative) -> Value {
    let mut object = match &relative.hit {
        Some(hit) => render::hit_json(hit, Detail::Signature, Explain::Off),
        None => json!({"name": relative.name}),
    };
    if let Some(fields) = object.as_object_mut() {
        fields.remove("score");
    }
    object["external"] = json!(relative.is_external);
    object["depth"] = json!(relative.depth);
    object["of"] = json!(relative.of);
    object["relation"] = json!(relative.relation.as_str());
    object["confidence"] = json!(relative.confidence.as_str());
    object["stated_at"] =
        json!(relative.stated.as_ref().map(|place| json!({"path": place.path, "line": place.line_start})));
    object
}

/// Types or members, indented by how far away they are.
fn section(out: &mut String, page: Page, title: &str, listed: &Listed<Relative>) {
    if listed.total == 0 {
        return;
    }
    out.push_str(&format!("\n{NAME}{title}{NAME:#} {DIM}({}){DIM:#}\n", listed.total));
    for relative in &listed.items {
        let indent = "  ".repeat(relative.depth.min(20) as usize);
        let mut notes = Vec::new();
        match &relative.hit {
            Some(hit) => out.push_str(&format!(
                "{indent}{PATH}{}{PATH:#}:{LINE}{}{LINE:#}  {KIND}{}{KIND:#}  {NAME}{}{NAME:#}",
                hit.path,
                hit.line_start,
                hit.kind.as_str(),
                hit.qualified_name
            )),
            None => out.push_str(&format!("{indent}{NAME}{}{NAME:#}", relative.name)),
        }
        if relative.hit.is_none() {
            notes.push(
                if relative.is_external { "external" } else { "not found where it is imported from" }.to_string(),
            );
        }
        match (relative.relation, &relative.stated) {
            (Relation::Block, Some(place)) => notes.push(format!("impl at {}:{}", place.path, place.line_start)),
            (Relation::Alias, _) => notes.push("alias".into()),
            (Relation::Structural, _) => notes.push("has all its methods".into()),
            (_, Some(place)) if relative.hit.is_none() => {
                notes.push(format!("named at {}:{}", place.path, place.line_start));
            }
            _ => {}
        }
        if relative.confidence == Confidence::Heuristic {
            notes.push("heuristic".into());
        }
        if !notes.is_empty() {
            out.push_str(&format!("  {DIM}{}{DIM:#}", notes.join(", ")));
        }
        out.push('\n');
    }
    more(out, page.behind(listed.total, listed.items.len()));
}

fn more(out: &mut String, left_out: usize) {
    if left_out > 0 {
        out.push_str(&format!("  {DIM}{left_out} more; --limit shows them{DIM:#}\n"));
    }
}
