//! Text of `diff`.

use codecompass_engine::query::{self, ChangeKind, FileChange, Hit, PairingEvidence, SymbolChange};

use super::graph::{affected_by_depth, affected_text};
use crate::api::navigate::diff::{DiffAnswer, DiffRequest, DiffScope};
use crate::api::navigate::graph::AffectedView;
use crate::choices::Detail;
use crate::remedy::Audience;
use crate::render::by_file::name_in_file;
use crate::render::shown;
use crate::terminal::output::{DIM, KIND, LINE, NAME, PATH};
use crate::units;

/// Callers, and tests, that are listed.
const MAX_AFFECTED: usize = 20;

pub fn text(request: &DiffRequest, answer: &DiffAnswer, audience: Audience) -> String {
    let changes = &answer.changes;
    let mut out = summary(answer);
    let mut bare: Vec<&FileChange> = Vec::new();
    for file in changes.files.iter().skip(request.page.offset as usize) {
        let was =
            file.path_before.as_ref().map(|before| format!(" {DIM}was {}{DIM:#}", shown(before))).unwrap_or_default();
        let symbols: Vec<&SymbolChange> = match request.scope {
            DiffScope::Files => Vec::new(),
            _ => changes.symbols.iter().filter(|change| is_in(change, &file.path) && !change.is_implied).collect(),
        };
        if request.scope == DiffScope::Symbols && symbols.is_empty() {
            continue;
        }
        if audience == Audience::Tools && symbols.is_empty() {
            bare.push(file);
            continue;
        }
        let gap = if audience == Audience::Cli { "\n" } else { "" };
        out.push_str(&format!("{gap}{PATH}{}{PATH:#}  {KIND}{}{KIND:#}{was}\n", shown(&file.path), file.kind.as_str()));
        // A file that only got another name has nothing to say about its symbols.
        let only_moved = file.path_before.is_some() && symbols.iter().all(|change| change.kind == ChangeKind::Moved);
        for change in symbols.iter().filter(|_| !only_moved) {
            let at = changes.symbols.iter().position(|other| std::ptr::eq(other, *change));
            let patch = at.and_then(|at| answer.patches.get(at)).and_then(Option::as_ref);
            // The lines that differ have the signature among them.
            let detail = if patch.is_some() { Detail::Location } else { request.detail };
            change_text(&mut out, change, changes, &file.path, detail, audience);
            for line in patch.iter().flat_map(|patch| patch.lines()) {
                out.push_str(&format!("         {}\n", shown(line)));
            }
        }
    }
    bare_text(&mut out, &bare);
    if let Some(callers) = &answer.affected_callers {
        section(&mut out, "affected callers", callers, audience);
    }
    if let Some(tests) = &answer.affected_tests {
        section(&mut out, "affected tests", tests, audience);
    }
    out
}

fn summary(answer: &DiffAnswer) -> String {
    let (reference, base, commit) = (&answer.reference, &answer.base, &answer.merge_base_commit);
    let short = commit.get(..10).unwrap_or(commit);
    let symbols = &answer.changes.symbols;
    let count = |kinds: &[ChangeKind]| symbols.iter().filter(|change| kinds.contains(&change.kind)).count();
    format!(
        "{NAME}{reference}{NAME:#} {DIM}since {base} ({short}){DIM:#}\n\
         {}; symbols: {} added, {} modified, {} deleted, {} moved or renamed\n",
        units::count(answer.changes.files.len(), "file"),
        count(&[ChangeKind::Added]),
        count(&[ChangeKind::Modified]),
        count(&[ChangeKind::Deleted]),
        count(&[ChangeKind::Moved, ChangeKind::Renamed])
    )
}

/// Names files of which no symbol changed, on a line for each way in which they did.
fn bare_text(out: &mut String, files: &[&FileChange]) {
    let mut files = files.to_vec();
    files.sort_by_key(|file| file.kind.as_str());
    for files in files.chunk_by(|file, next| file.kind == next.kind) {
        let named = |file: &&FileChange| match &file.path_before {
            Some(before) => format!("{} (was {})", shown(&file.path), shown(before)),
            None => shown(&file.path).into_owned(),
        };
        let names: Vec<String> = files.iter().map(named).collect();
        let kind = files.first().map_or("", |file| file.kind.as_str());
        out.push_str(&format!("{kind}, no symbol changed: {}\n", names.join(", ")));
    }
}

fn section(out: &mut String, title: &str, affected: &[AffectedView], audience: Audience) {
    let listed: Vec<&AffectedView> = affected.iter().take(MAX_AFFECTED).collect();
    match audience {
        Audience::Cli => {
            out.push_str(&format!("\n{NAME}{title}{NAME:#} {DIM}({}){DIM:#}\n", affected.len()));
            listed.iter().for_each(|affected| affected_text(out, affected));
        }
        Audience::Tools => affected_by_depth(out, &format!("{title} ({})", affected.len()), &listed),
    }
    if affected.len() > MAX_AFFECTED {
        let more = affected.len() - MAX_AFFECTED;
        let impact = audience.question("impact --diff --limit", "analyze_impact");
        out.push_str(&format!("  {DIM}{more} more; {impact} lists them{DIM:#}\n"));
    }
}

/// Returns whether a change is listed below this file: the one that has the symbol now, or had it.
fn is_in(change: &SymbolChange, path: &str) -> bool {
    change.after.as_ref().or(change.before.as_ref()).is_some_and(|hit| hit.path == path)
}

/// The reason to take two definitions for one, unless their texts are the same.
fn evidence_text(evidence: PairingEvidence) -> String {
    let percent = |share: f64| (share * 100.0).floor() as u32;
    match evidence {
        PairingEvidence::Identical | PairingEvidence::SameContainer => String::new(),
        PairingEvidence::SimilarText(share) => format!(" ({}% of the text is the same)", percent(share)),
        PairingEvidence::SameMembers(share) => format!(" ({}% of the members are the same)", percent(share)),
        PairingEvidence::SameUsers(share) => format!(" ({}% of users and callees are the same)", percent(share)),
    }
}

/// Writes the change of a symbol below the path of its file.
fn change_text(
    out: &mut String,
    change: &SymbolChange,
    changes: &query::DiffAnswer,
    file: &str,
    detail: Detail,
    audience: Audience,
) {
    let Some(hit) = change.after.as_ref().or(change.before.as_ref()) else { return };
    let mark = match change.kind {
        ChangeKind::Added => '+',
        ChangeKind::Deleted => '-',
        ChangeKind::Modified => '~',
        ChangeKind::Moved | ChangeKind::Renamed => '>',
    };
    let members = changes.symbols.iter().filter(|other| {
        let side = other.after.as_ref().or(other.before.as_ref());
        other.is_implied && other.kind == change.kind && side.is_some_and(|other| is_member(other, hit))
    });
    let members = match members.count() {
        0 => String::new(),
        count => format!(" {DIM}with {}{DIM:#}", units::count(count, "member")),
    };
    let kind = hit.kind.as_str();
    let (line, indent) = match audience {
        Audience::Cli => (format!("{:>6}", hit.line_start), " ".repeat(9)),
        Audience::Tools => (format!("  {}", hit.line_start), " ".repeat(4)),
    };
    let name = name_in_file(&hit.local_name, file);
    out.push_str(&format!("{LINE}{line}{LINE:#} {mark} {KIND}{kind}{KIND:#}  {}{members}\n", shown(name)));
    let (Some(before), Some(after)) = (&change.before, &change.after) else { return };
    if before.qualified_name != after.qualified_name || before.path != after.path {
        let why = change.evidence.map(evidence_text).unwrap_or_default();
        out.push_str(&format!(
            "{indent}{DIM}was {} in {}:{}{why}{DIM:#}\n",
            shown(&before.local_name),
            shown(&before.path),
            before.line_start
        ));
    }
    if before.signature != after.signature && detail != Detail::Location {
        out.push_str(&format!(
            "{indent}{DIM}-{DIM:#} {}\n{indent}{DIM}+{DIM:#} {}\n",
            shown(&before.signature),
            shown(&after.signature)
        ));
    }
}

fn is_member(inner: &Hit, outer: &Hit) -> bool {
    let is_inside = outer.line_start <= inner.line_start && inner.line_end <= outer.line_end;
    // Some languages define members apart from their type.
    let rest = inner.qualified_name.strip_prefix(outer.qualified_name.as_str());
    let is_named_so = rest.is_some_and(|rest| rest.starts_with([':', '.', '#', '\\']));
    inner.path == outer.path && (is_inside || is_named_so)
}
