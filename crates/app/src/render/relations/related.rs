//! Text of `related`.

use codecompass_engine::query::{Feature, Tie};

use crate::api::relations::related::{ChangesWithView, RelatedAnswer, RelatedRequest, RelatedView};
use crate::choices::Explain;
use crate::remedy::Audience;
use crate::render::{SymbolArgument, count, hit_text, more_text, other_meanings, score_text, shown};
use crate::terminal::output::{DIM, KIND, LINE, NAME, PATH};

pub fn text(request: &RelatedRequest, answer: &RelatedAnswer, audience: Audience) -> String {
    let mut out = String::new();
    hit_text(&mut out, &answer.symbol.hit, None, Explain::Off);
    let others: Vec<_> = answer.others.iter().map(|other| &other.hit).collect();
    other_meanings(
        &mut out,
        &others,
        answer.others_total,
        &SymbolArgument { argument: request.subject.only(), audience },
    );
    for (tie, total) in &answer.totals {
        let title = match tie {
            Tie::Test => "tests of it",
            Tie::Used => "used by it",
            Tie::UsedTogether => "used by the same functions",
            Tie::Beside => "beside it",
        };
        out.push_str(&format!("\n{NAME}{title}{NAME:#} {DIM}({total}){DIM:#}\n"));
        let group: Vec<&RelatedView> = answer.results.iter().filter(|result| result.tie == *tie).collect();
        group.iter().for_each(|result| result_text(&mut out, result, request.explain));
        let more = request.page().behind(*total, group.len());
        if more > 0 {
            out.push_str(&format!("  {}", more_text(more, audience)));
        }
    }
    if let Some(with) = &answer.changes_with {
        changes_text(&mut out, with, audience);
    }
    let is_empty = answer.changes_with.as_ref().is_none_or(|with| with.files.is_empty() && with.symbols.is_empty());
    if answer.totals.is_empty() && is_empty {
        out.push_str(&format!("{DIM}nothing found that belongs together with it{DIM:#}\n"));
    }
    out
}

/// Writes what the same commits change.
fn changes_text(out: &mut String, with: &ChangesWithView, audience: Audience) {
    let commits = |number: usize| count(number, "commit");
    if !with.symbols.is_empty() {
        let all = commits(with.symbol_commits.unwrap_or(0));
        out.push_str(&format!("\n{NAME}changes with it{NAME:#} {DIM}({all} changed it){DIM:#}\n"));
    }
    for other in &with.symbols {
        let (name, kind) = (other.symbol.as_deref().unwrap_or_default(), other.kind.unwrap_or_default());
        let (path, line) = (shown(&other.path), other.line.unwrap_or(0));
        out.push_str(&format!(
            "  {PATH}{path}{PATH:#}:{LINE}{line}{LINE:#}  {KIND}{kind}{KIND:#}  {NAME}{}{NAME:#}  {DIM}{}, {:.0}%{DIM:#}\n",
            shown(name),
            commits(other.commits),
            other.share * 100.0
        ));
    }
    if with.more_symbols > 0 {
        out.push_str(&format!("  {}", more_text(with.more_symbols, audience)));
    }
    if !with.files.is_empty() {
        let all = commits(with.file_commits);
        out.push_str(&format!("\n{NAME}changes with its file{NAME:#} {DIM}({all} changed it){DIM:#}\n"));
    }
    for other in &with.files {
        let path = shown(&other.path);
        let support = commits(other.commits);
        out.push_str(&format!("  {PATH}{path}{PATH:#}  {DIM}{support}, {:.0}%{DIM:#}\n", other.share * 100.0));
    }
    if with.more_files > 0 {
        out.push_str(&format!("  {}", more_text(with.more_files, audience)));
    }
}

fn result_text(out: &mut String, result: &RelatedView, explain: Explain) {
    let hit = &result.hit.hit;
    let mut reasons: Vec<String> = Vec::new();
    for part in &hit.explanation.parts {
        reasons.extend(match part.feature {
            Feature::TestsIt => Some("uses it".to_string()),
            Feature::TestsItsUser => Some("uses one of its users".into()),
            Feature::NamedAsItsTest => Some("named after it".into()),
            Feature::CalledByIt => Some("called".into()),
            Feature::InItsSignature => Some("in its signature".into()),
            Feature::CommonUsers => Some(format!("{} in common", count(result.common_users, "user"))),
            _ => None,
        });
    }
    let reasons = if reasons.is_empty() { String::new() } else { format!("  {DIM}{}{DIM:#}", reasons.join(", ")) };
    out.push_str(&format!(
        "  {PATH}{}{PATH:#}:{LINE}{}{LINE:#}  {KIND}{}{KIND:#}  {NAME}{}{NAME:#}{reasons}\n",
        shown(&hit.path),
        hit.line_start,
        hit.kind.as_str(),
        shown(&hit.local_name)
    ));
    score_text(out, hit, explain);
}
