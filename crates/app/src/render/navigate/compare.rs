//! Text of `compare`.

use codecompass_engine::query::ChangeKind;

use crate::api::navigate::compare::{CompareAnswer, CompareRequest, SourceView};
use crate::remedy::Audience;
use crate::render::shown;
use crate::terminal::output::{DIM, NAME};

pub fn text(request: &CompareRequest, answer: &CompareAnswer, _: Audience) -> String {
    let place = |side: &Option<SourceView>| match side {
        Some(SourceView { definition, .. }) => format!("{}:{}", shown(&definition.hit.path), definition.hit.line_start),
        None => "not there".to_string(),
    };
    let mut out = match (&answer.before, &answer.after, answer.change) {
        (Some(before), Some(after), Some(ChangeKind::Renamed)) => format!(
            "{NAME}{}{NAME:#} renamed to {NAME}{}{NAME:#}\n",
            before.definition.hit.qualified_name, after.definition.hit.qualified_name
        ),
        (_, _, change) => {
            format!("{NAME}{}{NAME:#} {}\n", request.symbol, change.map_or("same", ChangeKind::as_str))
        }
    };
    out.push_str(&format!("{DIM}--- {}  {}{DIM:#}\n", answer.before_ref, place(&answer.before)));
    out.push_str(&format!("{DIM}+++ {}  {}{DIM:#}\n", answer.after_ref, place(&answer.after)));
    out.push_str(answer.diff.as_deref().unwrap_or_default());
    out
}
