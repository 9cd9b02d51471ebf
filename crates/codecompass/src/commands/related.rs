//! `codecompass related`: what belongs together with a symbol.

use codecompass_engine::query::{self, Navigator, PartName, Related, RelatedAnswer, RelatedOptions, Tie};
use serde_json::{Value, json};

use super::{counts, filter, metadata, other_meanings, subject_json, symbol};
use crate::api::page::Page;
use crate::choices::{Detail, Explain};
use crate::cli::{Only, RelatedArgs};
use crate::error::AppError;
use crate::render;
use crate::session::{CallContext, Session};
use crate::terminal::output::{self, DIM, KIND, LINE, NAME, Outcome, PATH};

pub(crate) fn run(context: &CallContext, args: &RelatedArgs) -> Result<Outcome, AppError> {
    let (session, answer) = ask(context, args)?;
    if context.is_json() {
        output::object(&to_json(&session, page(args), &answer));
    } else {
        let mut out = String::new();
        render::hit_text(&mut out, &answer.subject.hit, None, Explain::Off);
        for (tie, listed) in &answer.groups {
            let title = match tie {
                Tie::Test => "tests of it",
                Tie::Used => "used by it",
                Tie::UsedTogether => "used by the same functions",
                Tie::Beside => "beside it",
            };
            out.push_str(&format!("\n{NAME}{title}{NAME:#} {DIM}({}){DIM:#}\n", listed.total));
            listed.items.iter().for_each(|item| item_text(&mut out, item, args.explain));
            let more = page(args).behind(listed.total, listed.items.len());
            if more > 0 {
                out.push_str(&format!("  {DIM}{more} more; --limit shows them{DIM:#}\n"));
            }
        }
        if answer.groups.is_empty() {
            out.push_str(&format!("{DIM}nothing found that belongs together with it{DIM:#}\n"));
        }
        other_meanings(&mut out, &answer.subject, &args.symbol);
        output::text(&out);
    }
    Ok(Outcome::of(!answer.groups.is_empty()))
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &RelatedArgs) -> Result<Value, AppError> {
    ask(context, args).map(|(session, answer)| to_json(&session, page(args), &answer))
}

fn ask(context: &CallContext, args: &RelatedArgs) -> Result<(Session, RelatedAnswer), AppError> {
    let session = Session::open_at(context, args.at.name())?;
    let only = args.only.iter().map(|only| match only {
        Only::Test => Tie::Test,
        Only::Used => Tie::Used,
        Only::UsedTogether => Tie::UsedTogether,
        Only::Beside => Tie::Beside,
    });
    let options = RelatedOptions { filter: filter(&args.filter)?, only: only.collect(), limit: page(args).end() };
    let symbol = symbol(&session, &args.symbol)?;
    let mut answer = session.ask(|snapshot| query::related(&Navigator::new(snapshot), &symbol, &options))?;
    answer.groups.values_mut().for_each(|listed| page(args).skip_listed(listed));
    Ok((session, answer))
}

fn page(args: &RelatedArgs) -> Page {
    Page::new(args.page, args.limit as usize)
}

fn to_json(session: &Session, page: Page, answer: &RelatedAnswer) -> Value {
    let (symbol, others) = subject_json(&answer.subject);
    let mut metadata = metadata(session);
    let results: Vec<Value> = answer.groups.values().flat_map(|listed| &listed.items).map(related_json).collect();
    counts(&mut metadata, answer.groups.values().map(|listed| listed.total).sum(), results.len());
    let lengths: Vec<usize> = answer.groups.values().map(|listed| listed.total).collect();
    page.note(&mut metadata, &lengths);
    if answer.is_cut {
        metadata["result_completeness"] = json!("truncated");
    }
    let totals: serde_json::Map<String, Value> =
        answer.groups.iter().map(|(tie, listed)| (tie.as_str().to_string(), json!(listed.total))).collect();
    json!({
        "symbol": symbol,
        "results": results,
        "totals": totals,
        "users": answer.users,
        "others": others,
        "metadata": metadata,
    })
}

fn related_json(related: &Related) -> Value {
    let mut object = render::hit_json(&related.hit, Detail::Signature, Explain::Full);
    object["relation"] = json!(related.tie.as_str());
    object["common_users"] = json!(related.common_users);
    object
}

fn item_text(out: &mut String, item: &Related, explain: Explain) {
    let hit = &item.hit;
    let mut reasons: Vec<String> = Vec::new();
    for part in &hit.explanation.parts {
        reasons.extend(match part.name {
            PartName::TestsIt => Some("uses it".to_string()),
            PartName::TestsItsUser => Some("uses one of its users".into()),
            PartName::NamedAsItsTest => Some("named after it".into()),
            PartName::CalledByIt => Some("called".into()),
            PartName::InItsSignature => Some("in its signature".into()),
            PartName::CommonUsers => Some(format!("{} in common", render::count(item.common_users, "user"))),
            _ => None,
        });
    }
    let reasons = if reasons.is_empty() { String::new() } else { format!("  {DIM}{}{DIM:#}", reasons.join(", ")) };
    out.push_str(&format!(
        "  {PATH}{}{PATH:#}:{LINE}{}{LINE:#}  {KIND}{}{KIND:#}  {NAME}{}{NAME:#}{reasons}\n",
        hit.path,
        hit.line_start,
        hit.kind.as_str(),
        hit.qualified_name
    ));
    render::score_text(out, hit, explain);
}
