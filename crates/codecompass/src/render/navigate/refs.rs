//! Text of `refs`.

use codecompass_engine::query::Hit;

use crate::api::navigate::refs::{RefsAnswer, RefsRequest};
use crate::api::views::{HitView, UseView};
use crate::render::{doubt_text, other_meanings, source_text, symbol_text, words};
use crate::terminal::output::{DIM, KIND, LINE, PATH};
use crate::units;

pub(crate) fn text(request: &RefsRequest, answer: &RefsAnswer) -> String {
    let mut out = String::new();
    let hit = &answer.symbol.hit;
    symbol_text(&mut out, hit);
    let is_told = |part: &&HitView| {
        hit.other_places.iter().any(|place| (&place.path, place.line_start) == (&part.hit.path, part.hit.line_start))
    };
    for part in answer.parts.iter().filter(|part| !is_told(part)) {
        out.push_str(&format!("    {DIM}also at {}:{}{DIM:#}\n", part.hit.path, part.hit.name_line));
    }
    out.push_str(&summary(answer));
    uses_text(&mut out, &answer.references);
    let (more, more_ambiguous) = answer.behind;
    if more > 0 {
        out.push_str(&format!("\n{DIM}{more} more; --limit shows them, --path, --kind and --tests narrow{DIM:#}\n"));
    }
    let ambiguous_total = answer.metadata.extra.as_ref().map_or(0, |extra| extra.ambiguous);
    if ambiguous_total > 0 {
        let what = format!("{} may mean it or another symbol of this name", units::count(ambiguous_total, "use"));
        match &answer.ambiguous {
            Some(ambiguous) => {
                out.push_str(&format!("\n{what}:\n"));
                uses_text(&mut out, ambiguous);
                if more_ambiguous > 0 {
                    out.push_str(&format!("\n{DIM}{more_ambiguous} more; --limit shows them{DIM:#}\n"));
                }
            }
            None => out.push_str(&format!("\n{DIM}{what}; --ambiguous lists them{DIM:#}\n")),
        }
    }
    let others: Vec<&Hit> = answer.others.iter().map(|other| &other.hit).collect();
    other_meanings(&mut out, &others, answer.others_total, &request.symbol);
    out
}

fn summary(answer: &RefsAnswer) -> String {
    let Some(extra) = &answer.metadata.extra else { return String::new() };
    let left_out = match extra.left_out_by_filters {
        0 => String::new(),
        count => format!("; {count} left out by filters"),
    };
    if answer.total == 0 {
        return format!("no use of it was found{left_out}\n");
    }
    let kinds: Vec<String> = extra.kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let heuristic = match extra.heuristic {
        0 => String::new(),
        count => format!("; {count} heuristic"),
    };
    format!(
        "{} in {}: {}{heuristic}{left_out}\n",
        units::count(answer.total, "use"),
        units::count(extra.files, "file"),
        kinds.join(", ")
    )
}

fn uses_text(out: &mut String, uses: &[UseView]) {
    let mut file = "";
    for site in uses {
        if site.path != file {
            file = &site.path;
            out.push_str(&format!("\n{PATH}{file}{PATH:#}\n"));
        }
        let place = format!("{}:{}", site.line, site.column);
        let around = match &site.enclosing {
            Some(enclosing) => format!("in {}", enclosing.qualified_name.as_ref().unwrap_or(&enclosing.name)),
            None => "at top level".to_string(),
        };
        let doubt = match (site.confidence, site.evidence) {
            (Some(confidence), Some(evidence)) => doubt_text(confidence, &words(evidence)),
            _ => String::new(),
        };
        let source = source_text(&site.source);
        out.push_str(&format!(
            "  {LINE}{place:>7}{LINE:#}  {KIND}{:<7}{KIND:#}  {DIM}{around}{DIM:#}  {source}{doubt}\n",
            site.kind
        ));
    }
}
