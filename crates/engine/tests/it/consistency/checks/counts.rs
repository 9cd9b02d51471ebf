//! Sums of an answer, and the number of definitions of a name.

use codecompass_engine::Result;
use codecompass_engine::query::{OutlineNode, UseClass, UseSite};
use codecompass_engine::syntax::facts::Kind;

use super::report::Report;
use super::tree::{CheckedSymbol, CheckedTree};
use super::uses::comparison;

/// Counts of classes, kinds and files add up to the whole, and the account to all occurrences.
pub(super) fn sums(symbol: &CheckedSymbol, report: &mut Report) {
    let answer = &symbol.answer;
    let by_class: usize = answer.by_class.iter().sum();
    let by_kind: usize = answer.by_kind.iter().map(|(_, count)| count).sum();
    let by_file: usize = answer.by_file.iter().map(|(_, count)| count).sum();
    let is_whole = [by_class, by_kind, by_file, answer.uses.len()].iter().all(|sum| *sum == answer.total);
    let mut difference = (!is_whole)
        .then(|| format!("{} uses, by class {by_class}, by kind {by_kind}, by file {by_file}", answer.total));
    if let Some(account) = &answer.accounting {
        let sum = account.proven + account.likely + account.possible + account.other + account.text;
        // Definitions are a class of their own, or a part of what is proven.
        if sum != account.occurrences && sum + account.definitions != account.occurrences {
            difference = Some(format!("{} occurrences, classes add up to {sum}", account.occurrences));
        }
        // An account is of one name; what is used under another one is not among its occurrences.
        let is_possible = |site: &&UseSite| site.class == UseClass::Possible && site.name == account.name;
        let possible = answer.uses.iter().filter(is_possible).count();
        if possible != account.possible {
            difference = Some(format!("{} possible occurrences, {possible} are listed", account.possible));
        }
        let declared = answer.uses.iter().filter(|site| site.is_declaration).count();
        if !(declared..=declared + 1).contains(&account.definitions) {
            difference = Some(format!("{} definitions, {declared} others are listed", account.definitions));
        }
    }
    let refs = format!("refs --json {}", symbol.place);
    report.add(comparison("sums", symbol, [refs.clone(), refs]), difference);
}

/// Blocks that add to a type are no definitions of its name.
fn is_counted(node: &OutlineNode, name: &str) -> bool {
    node.name == name && !node.kind.is_outline_only() && node.kind != Kind::Impl
}

/// The definitions of a name that `symbols` finds are those of the outlines.
pub(super) fn definitions(tree: &CheckedTree<'_>, symbol: &CheckedSymbol, report: &mut Report) -> Result<()> {
    let name = symbol.hit.name.as_str();
    // Globs and separators are read as patterns.
    if !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return Ok(());
    }
    let mut by_outline: Vec<(String, u32)> = Vec::new();
    let by_symbols = tree.named(name)?;
    let mut files: Vec<&str> = by_symbols.iter().map(|(path, _)| path.as_str()).collect();
    files.extend(symbol.homes().map(|home| home.path.as_str()));
    files.sort_unstable();
    files.dedup();
    for path in files {
        let named = tree.definitions(path).into_iter().filter(|node| is_counted(node, name));
        by_outline.extend(named.map(|node| (path.to_string(), node.line_start)));
    }
    let sorted = |mut places: Vec<(String, u32)>| {
        places.sort();
        places
    };
    let (by_symbols, by_outline) = (sorted(by_symbols), sorted(by_outline));
    let difference = (by_symbols != by_outline).then(|| format!("symbols {by_symbols:?}, outlines {by_outline:?}"));
    let commands = [format!("symbols --name {name}"), format!("outline {}", symbol.hit.path)];
    report.add(comparison("definitions", symbol, commands), difference);
    Ok(())
}
