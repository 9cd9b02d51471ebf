//! Text of `impact --rename`.

use codecompass_engine::query::RenameClass;

use crate::api::navigate::rename::{RenamePlaceView, RenameView};
use crate::remedy::Audience;
use crate::render::{more_text, shown, source_text};
use crate::terminal::output::{DIM, LINE, NAME, PATH};
use crate::units;

/// Definitions, files and types that a note names.
const MAX_NAMED: usize = 5;

/// Writes the patch alone where it is asked for, otherwise the places with what speaks against the
/// new name. `skipped` places stand on earlier pages.
pub(super) fn text(rename: &RenameView, skipped: usize, audience: Audience) -> String {
    if let Some(patch) = &rename.patch {
        return patch.clone();
    }
    let counts = rename.by_class;
    let parts = [
        (counts.definitions, if counts.definitions == 1 { "definition" } else { "definitions" }),
        (counts.proven, "static"),
        (counts.likely, "likely"),
        (counts.possible, "possible"),
        (counts.text, "in comments, strings and other files"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    let parts = parts.collect::<Vec<_>>().join(", ");
    let places = units::count(rename.total(), "place");
    let cut = if rename.is_cut { "; not all were looked at" } else { "" };
    let mut out = format!(
        "`{}` to `{}`: {places} in {}: {parts}{cut}\n",
        shown(&rename.name),
        shown(&rename.new_name),
        units::count(rename.files, "file")
    );
    notes(&mut out, rename, audience);
    let is_same = |one: &RenamePlaceView, next: &RenamePlaceView| group(one) == group(next);
    for places in rename.places.chunk_by(is_same) {
        out.push_str(&format!("\n{NAME}{}{NAME:#}\n", places.first().map_or("", group)));
        for in_file in places.chunk_by(|one, next| one.path == next.path) {
            out.push_str(&format!("{PATH}{}{PATH:#}\n", in_file.first().map_or("".into(), |place| shown(&place.path))));
            in_file.iter().for_each(|place| place_text(&mut out, place));
        }
    }
    let behind = rename.total().saturating_sub(skipped + rename.places.len());
    if behind > 0 {
        out.push_str(&format!("\n{}", more_text(behind, audience)));
    }
    out
}

fn group(place: &RenamePlaceView) -> &'static str {
    match place.rename_class {
        RenameClass::Definition | RenameClass::Static => "certain, in the patch",
        RenameClass::Likely => "likely",
        RenameClass::Possible => "possible, not resolved",
        RenameClass::Text => "in comments, strings and other files",
    }
}

fn place_text(out: &mut String, place: &RenamePlaceView) {
    let word = match (place.kind, place.rename_class) {
        (_, RenameClass::Definition) => "definition",
        (Some(kind), _) => kind,
        (None, _) => "",
    };
    let becomes = place.replacement.as_ref().map_or(String::new(), |text| format!("  becomes `{}`", shown(text)));
    let reason = place.left_out.map_or(String::new(), |reason| format!("  not in the patch: {reason}"));
    let (line, column, source) = (place.line, place.column, source_text(&place.source));
    out.push_str(&format!("  {LINE}{line}{LINE:#}:{column}  {word:<10}  {source}{DIM}{becomes}{reason}{DIM:#}\n"));
}

/// Writes what speaks against the name, and what else gets it.
fn notes(out: &mut String, rename: &RenameView, audience: Audience) {
    let others = rename.definitions.len().saturating_sub(1);
    if others > 0 {
        let names = rename
            .definitions
            .iter()
            .skip(1)
            .map(|one| format!("{} {}:{}", shown(&one.hit.local_name), shown(&one.hit.path), one.hit.name_line));
        out.push_str(&format!("with it: {}\n", listed(names.collect(), others)));
    }
    if !rename.conflicts.is_empty() {
        let total = rename.conflicts.len();
        let names =
            rename.conflicts.iter().map(|one| format!("{}:{}", shown(&one.hit.path), one.hit.name_line)).collect();
        out.push_str(&format!("`{}` is already defined: {}\n", shown(&rename.new_name), listed(names, total)));
    }
    if !rename.bases_outside.is_empty() {
        let total = rename.bases_outside.len();
        let names = listed(rename.bases_outside.iter().map(|one| shown(one).into_owned()).collect(), total);
        out.push_str(&format!("types outside of the repository may demand the name: {names}\n"));
    }
    for file in &rename.renamed_files {
        out.push_str(&format!("the file becomes {}\n", shown(&file.new_path)));
    }
    if !rename.unread.is_empty() {
        let total = rename.unread.len();
        let names = listed(rename.unread.iter().map(|one| shown(one).into_owned()).collect(), total);
        out.push_str(&format!("not searched: {names}\n"));
    }
    if rename.by_class.definitions + rename.by_class.proven > 0 {
        let patch = audience.option("patch");
        out.push_str(&format!("{DIM}{patch} gives the certain places as a patch for git apply{DIM:#}\n"));
    }
}

fn listed(names: Vec<String>, total: usize) -> String {
    let more = total.saturating_sub(MAX_NAMED);
    let mut names: Vec<String> = names.into_iter().take(MAX_NAMED).collect();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}
