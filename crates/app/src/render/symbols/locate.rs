//! Text of `locate`.

use codecompass_engine::query::{AtMeaning, MatchClass};

use crate::api::symbols::locate::{LocateAnswer, LocateRequest, Located};
use crate::choices::Detail;
use crate::remedy::Audience;
use crate::render::{hit_text, more_text, neighbours_text, shown, words};
use crate::terminal::output::DIM;

pub fn text(request: &LocateRequest, answer: &LocateAnswer, audience: Audience) -> String {
    let mut out = match &answer.located {
        Located::Name { asked, class: Some(class) } if *class > MatchClass::Exact => {
            format!("{DIM}no exact match for `{asked}`; by {}:{DIM:#}\n", class.as_str().replace('_', "-"))
        }
        Located::Name { .. } => String::new(),
        Located::Place { .. } => meaning_text(&answer.located, audience),
    };
    let hits = answer.results.iter().filter_map(|result| result.definition());
    for definition in hits {
        if request.level() == Detail::Location {
            let mut bare = definition.hit.hit.clone();
            (bare.signature, bare.doc) = (String::new(), None);
            hit_text(&mut out, &bare, None, request.explain);
            continue;
        }
        hit_text(&mut out, &definition.hit.hit, definition.snippet.as_ref(), request.explain);
        neighbours_text(&mut out, definition.neighbours.as_ref());
    }
    if answer.behind > 0 {
        out.push_str(&more_text(answer.behind, audience));
    }
    if let Located::Name { asked, .. } = &answer.located
        && answer.results.is_empty()
    {
        let advice = answer.metadata.suggested_action.iter().flatten().next().map(|advice| advice.text());
        let advice = advice.map(|advice| format!("; {}", shown(&advice))).unwrap_or_default();
        out.push_str(&format!("no symbol like `{}`{advice}\n", shown(asked)));
    }
    out
}

fn meaning_text(located: &Located, audience: Audience) -> String {
    let Located::Place { path, line, column, name, meaning, total } = located else { return String::new() };
    let (path, name) = (shown(path), shown(name));
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
            let locate = audience.question("locate --path", "locate_symbol");
            format!("`{name}` at {place} means the package in {}; {locate} lists what is there\n", shown(folder))
        }
        AtMeaning::Module { folder: None } => format!("{DIM}`{name}` means a module:{DIM:#}\n"),
        AtMeaning::Local { of, line, declared } => {
            let declared = declared.as_ref().map(|declared| format!(", declared as `{declared}`")).unwrap_or_default();
            let (kind, of) = (of.kind.as_str(), &of.local_name);
            format!("`{name}` is local to {kind} {of}, bound at {path}:{line}{declared}\n")
        }
        AtMeaning::Unknown => format!(
            "`{name}` at {place} leads to no definition: a local, a keyword, or a member of something unknown; \
             {} looks for the name\n",
            audience.question(&format!("locate {name}"), "locate_symbol")
        ),
        AtMeaning::Nothing => format!("no name stands at {place}\n"),
    }
}
