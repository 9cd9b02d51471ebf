//! Text of `locate`.

use codecompass_engine::query::{AtMeaning, MatchClass};

use crate::api::symbols::locate::{LocateAnswer, LocateRequest, Located};
use crate::render::{hit_text, words};
use crate::terminal::output::DIM;

pub(crate) fn text(request: &LocateRequest, answer: &LocateAnswer) -> String {
    let mut out = match &answer.located {
        Located::Name { asked, class: Some(class) } if *class > MatchClass::Exact => {
            format!("{DIM}no exact match for `{asked}`; by {}:{DIM:#}\n", class.as_str().replace('_', "-"))
        }
        Located::Name { .. } => String::new(),
        Located::Place { .. } => meaning_text(&answer.located),
    };
    let hits = answer.results.iter().filter_map(|result| result.definition());
    hits.for_each(|hit| hit_text(&mut out, &hit.hit, None, request.explain));
    if answer.behind > 0 {
        out.push_str(&format!("{DIM}{} more; --limit shows them{DIM:#}\n", answer.behind));
    }
    if let Located::Name { asked, .. } = &answer.located
        && answer.results.is_empty()
    {
        out.push_str(&format!("no symbol like `{asked}`; `codecompass search` finds code by what it does\n"));
    }
    out
}

fn meaning_text(located: &Located) -> String {
    let Located::Place { path, line, column, name, meaning, total } = located else { return String::new() };
    let place = format!("{path}:{line}:{column}");
    match meaning {
        AtMeaning::Definition => format!("{DIM}`{name}` is defined right here:{DIM:#}\n"),
        AtMeaning::Found { confidence, evidence } => {
            format!("{DIM}`{name}` means, {} by {}:{DIM:#}\n", confidence.as_str(), words(*evidence))
        }
        AtMeaning::Ambiguous => {
            format!("{DIM}`{name}` is ambiguous: one of {total}, likeliest first, and nothing tells which:{DIM:#}\n")
        }
        AtMeaning::External => format!("`{name}` at {place} is defined outside of the repository\n"),
        AtMeaning::Module { folder: Some(folder) } => {
            let folder = if folder.is_empty() { "the root folder" } else { folder };
            format!(
                "`{name}` at {place} means the package in {folder}; `codecompass locate --path` lists what is there\n"
            )
        }
        AtMeaning::Module { folder: None } => format!("{DIM}`{name}` means a module:{DIM:#}\n"),
        AtMeaning::Local { of, line, declared } => {
            let declared = declared.as_ref().map(|declared| format!(", declared as `{declared}`")).unwrap_or_default();
            let (kind, of) = (of.kind.as_str(), &of.qualified_name);
            format!("`{name}` is local to {kind} {of}, bound at {path}:{line}{declared}\n")
        }
        AtMeaning::Unknown => format!(
            "`{name}` at {place} leads to no definition: a local, a keyword, or a member of something unknown; \
             `codecompass locate {name}` looks for the name\n"
        ),
        AtMeaning::Nothing => format!("no name stands at {place}\n"),
    }
}
