//! Names in texts: what one means has it among its uses.

use codecompass_engine::query::{AtMeaning, UseSite};
use codecompass_engine::{Confidence, Result};

use super::report::{Comparison, Report};
use super::sample::Word;
use super::tree::CheckedTree;

/// Definitions of a name that are asked about.
const MAX_MEANINGS: usize = 3;

/// A name that means definitions is among the uses of each.
pub(super) fn listed(tree: &CheckedTree<'_>, word: &Word, report: &mut Report) -> Result<()> {
    let Word { path, line, column, text } = word;
    let Ok(answer) = tree.at(path, *line, *column) else { return Ok(()) };
    let AtMeaning::Found { confidence, .. } = answer.meaning else { return Ok(()) };
    for hit in answer.hits.iter().take(MAX_MEANINGS) {
        let Some(place) = tree.place_of_hit(hit) else { continue };
        let symbol = tree.symbol(&place)?;
        // Grammars count marks such as `@` into a name.
        let is_here = |site: &UseSite| {
            let name = site.column..site.column + (site.name.len() as u32).max(1);
            site.path == *path && site.line == *line && (name.contains(column) || site.column == *column)
        };
        let found = symbol.answer.uses.iter().find(|site| is_here(site));
        let is_proven = confidence == Confidence::Static;
        let difference = match found {
            None if symbol.is(path, *line) => None,
            None => Some(format!("{path}:{line}:{column} `{text}` means {place}, and refs does not list it")),
            Some(site) if site.class != confidence.into() && !site.is_declaration => Some(format!(
                "{path}:{line}:{column} `{text}` is {} by locate and {} by refs {place}",
                if is_proven { "static" } else { "likely" },
                site.class.as_str()
            )),
            Some(_) => None,
        };
        let subject = format!("{text} {path}:{line}:{column}");
        let commands = [format!("locate --at {path}:{line}:{column}"), format!("refs {place}")];
        let comparison = Comparison { check: "named", language: &hit.language, subject: &subject, commands };
        report.add(comparison, difference);
    }
    Ok(())
}
