//! One symbol at two refs, side by side.

use codecompass_app::api::navigate::compare::CompareRequest;
use codecompass_app::error::AppError;
use serde_json::json;

use crate::ui::asker::{Asker, PageContent, Reply};
use crate::ui::html::Html;
use crate::ui::links::AddressTarget;
use crate::ui::parts;
use crate::ui::source::side_by_side;

pub(super) fn page(asker: &Asker<'_>, _: &AddressTarget) -> Result<Reply, AppError> {
    let (symbol, base) = (asker.argument("s"), asker.argument("base"));
    if symbol.is_empty() || base.is_empty() {
        return Ok(Reply::Redirect(asker.subject().page("branch", &[])));
    }
    let answer = asker.ask::<CompareRequest>(json!({"symbol": symbol, "base": base}))?;
    let mut html = Html::new();
    let side = answer.after.as_ref().or(answer.before.as_ref());
    let name = side.map_or(symbol, |side| side.definition.hit.local_name.as_str());
    html.leaf("h1", &[], name);
    let refs = format!("{} → {}", short(&answer.before_ref), short(&answer.after_ref));
    html.leaf("p", &[("class", "dim")], &refs);
    let subjects = [
        (answer.before.as_ref(), asker.subject().at(Some(base)), "before"),
        (answer.after.as_ref(), asker.subject().clone(), "after"),
    ];
    for (side, subject, word) in subjects {
        html.element("p", &[], |html| {
            html.leaf("span", &[("class", "kind")], word).markup(" ");
            match side {
                Some(side) => {
                    parts::place(html, &subject, &side.definition.hit.path, side.definition.hit.name_line);
                    html.markup(" ").leaf("code", &[("class", "signature")], &side.definition.hit.signature);
                }
                None => _ = html.markup("not there"),
            }
        });
    }
    match answer.diff.as_deref().filter(|diff| !diff.is_empty()) {
        Some(diff) => side_by_side(&mut html, diff),
        None => parts::empty(&mut html, "Both are the same.", "Choose another base on the branch page."),
    }
    Ok(PageContent::new("branch", format!("{name} · Comparison"), html).into())
}

fn short(reference: &str) -> &str {
    let is_commit = reference.len() == 40 && reference.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_commit { &reference[..12] } else { reference }
}
