//! Imports of files against importers.

use codecompass_engine::Result;
use codecompass_engine::query::EdgeKind;

use super::report::{Comparison, Report};
use super::tree::{CheckedSymbol, CheckedTree};

/// Files that are imported and asked about.
const MAX_FILES: usize = 3;

/// A file that another one imports has that one among its importers.
pub(super) fn importers(tree: &CheckedTree<'_>, symbol: &CheckedSymbol, report: &mut Report) -> Result<()> {
    let path = symbol.hit.path.as_str();
    let answer = tree.deps(path, false)?;
    let imported = answer.edges.items.iter().filter(|edge| edge.kind == EdgeKind::File && edge.from == path);
    for edge in imported.take(MAX_FILES) {
        let back = tree.deps(&edge.to, true)?;
        let is_importer = back.edges.items.iter().any(|other| other.from == path);
        let difference =
            (!is_importer).then(|| format!("{path}:{} imports {}, which does not tell it", edge.line, edge.to));
        let commands = [format!("deps {path}"), format!("deps --reverse {}", edge.to)];
        let comparison = Comparison { check: "imports", language: &symbol.hit.language, subject: path, commands };
        report.add(comparison, difference);
    }
    Ok(())
}
