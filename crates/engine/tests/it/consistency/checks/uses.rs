//! Uses of a symbol against what the names at these places mean, and against what `impact` lists.

use codecompass_engine::query::{Accounting, AtMeaning, Node, UseClass, UseSite};
use codecompass_engine::syntax::facts::{Kind, RefKind};
use codecompass_engine::{Confidence, Result};

use super::extent::Extent;
use super::report::{Comparison, Report};
use super::tree::{CheckedSymbol, CheckedTree, place_of};

/// Differences that one disagreement names.
const MAX_NAMED: usize = 3;

/// A proven or likely use means the symbol when its place is asked about.
pub(super) fn at(
    tree: &CheckedTree<'_>,
    symbol: &CheckedSymbol,
    extent: &mut Extent,
    report: &mut Report,
) -> Result<()> {
    let sites: Vec<&UseSite> = symbol.sure().collect();
    for site in extent.some_of(&sites) {
        let answer = tree.at(&site.path, site.line, site.column)?;
        // A member that an object is given is a use of an interface's and a definition.
        let is_meant = answer.meaning == AtMeaning::Definition
            || answer.hits.iter().any(|hit| symbol.is(&hit.path, hit.name_line));
        let difference = (!is_meant).then(|| {
            let hits: Vec<String> =
                answer.hits.iter().take(MAX_NAMED).map(|hit| format!("{}:{}", hit.path, hit.name_line)).collect();
            format!(
                "{} is a {} use, and there `{}` is {:?} {hits:?}",
                place_of(site),
                site.class.as_str(),
                answer.name,
                answer.meaning
            )
        });
        let commands = [format!("refs {}", symbol.place), format!("locate --at {}", place_of(site))];
        report.add(comparison("at", symbol, commands), difference);
    }
    Ok(())
}

/// A possible use is not proven to be something that the symbol has nothing to do with.
pub(super) fn possible(
    tree: &CheckedTree<'_>,
    symbol: &CheckedSymbol,
    extent: &mut Extent,
    report: &mut Report,
) -> Result<()> {
    let sites = symbol.answer.uses.iter().filter(|site| site.class == UseClass::Possible && site.kind.is_some());
    let sites: Vec<&UseSite> = sites.collect();
    if sites.is_empty() {
        return Ok(());
    }
    let above = tree.hierarchy(&symbol.place)?;
    for site in extent.some_of(&sites) {
        let answer = tree.at(&site.path, site.line, site.column)?;
        let is_proven = matches!(answer.meaning, AtMeaning::Found { confidence: Confidence::Static, .. });
        let is_above = |path: &str, line: u32| {
            let hits = above.overrides.items.iter().filter_map(|relative| relative.hit.as_ref());
            hits.into_iter().any(|hit| hit.path == path && hit.name_line == line)
        };
        let is_related =
            answer.hits.iter().any(|hit| symbol.is(&hit.path, hit.name_line) || is_above(&hit.path, hit.name_line));
        let difference = (is_proven && !is_related).then(|| {
            let hits = answer.hits.iter().take(MAX_NAMED).map(|hit| format!("{}:{}", hit.path, hit.name_line));
            format!(
                "{} is possible, and there the name is proven to mean {:?}",
                place_of(site),
                hits.collect::<Vec<_>>()
            )
        });
        let commands = [format!("refs {}", symbol.place), format!("locate --at {}", place_of(site))];
        report.add(comparison("possible", symbol, commands), difference);
    }
    Ok(())
}

/// The functions around proven and likely uses are affected by a change.
pub(super) fn impact(tree: &CheckedTree<'_>, symbol: &CheckedSymbol, report: &mut Report) -> Result<()> {
    let is_user = |site: &&UseSite| {
        let is_code = !matches!(site.kind, None | Some(RefKind::Import | RefKind::Declaration));
        is_code && !symbol.contains(&site.path, site.line)
    };
    let users: Vec<&UseSite> = symbol.sure().filter(is_user).collect();
    let answer = tree.impact(&symbol.place)?;
    let affected: Vec<_> = answer.affected.iter().chain(&answer.tests).collect();
    let is_listed = |site: &UseSite| {
        let Some(around) = &site.enclosing else { return affected.iter().any(|one| one.node.path == site.path) };
        let is_function = around.kind.is_callable() && around.kind != Kind::Macro;
        let is_user = |node: &Node| {
            let is_same = node.line == around.line || node.qualified_name == around.qualified_name;
            !is_function && node.path == site.path || is_same
        };
        affected.iter().any(|one| is_user(&one.node))
            || symbol.is(&site.path, around.line)
            || symbol.contains(&site.path, around.line)
            || is_member(symbol, &site.path, &around.qualified_name)
    };
    let missing: Vec<String> = users
        .iter()
        .filter(|site| !is_listed(site))
        .map(|site| {
            let around = site.enclosing.as_ref().map_or("the file", |around| around.qualified_name.as_str());
            format!("{around} ({})", place_of(site))
        })
        .collect();
    let difference = (!missing.is_empty()).then(|| {
        let named: Vec<&str> = missing.iter().take(MAX_NAMED).map(String::as_str).collect();
        format!("not affected: {} users, {}", missing.len(), named.join(", "))
    });
    let commands = [format!("refs {}", symbol.place), format!("impact --depth 1 {}", symbol.place)];
    report.add(comparison("impact", symbol, commands), difference);
    let possible = |accounting: &Option<_>| accounting.as_ref().map(|account: &Accounting| account.possible);
    let (by_refs, by_impact) = (possible(&symbol.answer.accounting), possible(&answer.accounting));
    let difference = (by_refs != by_impact).then(|| format!("possible uses: refs {by_refs:?}, impact {by_impact:?}"));
    let commands = [format!("refs {}", symbol.place), format!("impact --depth 1 {}", symbol.place)];
    report.add(comparison("denial", symbol, commands), difference);
    Ok(())
}

/// Returns whether a definition is a member of a type, in its file: it changes with it.
fn is_member(symbol: &CheckedSymbol, path: &str, qualified_name: &str) -> bool {
    let is_type = symbol.kind().is_some_and(|kind| !kind.is_callable());
    let rest = qualified_name.strip_prefix(&symbol.hit.qualified_name);
    is_type && path == symbol.hit.path && rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

/// A comparison about a symbol.
pub(super) fn comparison<'a>(check: &'static str, symbol: &'a CheckedSymbol, commands: [String; 2]) -> Comparison<'a> {
    Comparison { check, language: &symbol.hit.language, subject: &symbol.label, commands }
}
