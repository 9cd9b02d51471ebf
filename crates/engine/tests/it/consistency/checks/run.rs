//! A run of all checks on one tree.

use codecompass_engine::{Error, Result};

use super::extent::Extent;
use super::report::Report;
use super::tree::CheckedTree;
use super::{counts, files, graph, names, sample, types, uses};

/// Runs all checks on definitions and names of a tree.
pub(crate) fn check(tree: &CheckedTree<'_>, mut extent: Extent) -> Result<Report> {
    let mut report = Report::default();
    let places = sample::definitions(tree, extent.symbols, &mut extent.random);
    for place in places {
        check_symbol(tree, &place, &mut extent, &mut report)?;
    }
    let words = sample::words(tree, extent.names, &mut extent.random);
    for word in words {
        names::listed(tree, &word, &mut report)?;
    }
    Ok(report)
}

fn check_symbol(tree: &CheckedTree<'_>, place: &str, extent: &mut Extent, report: &mut Report) -> Result<()> {
    let symbol = match tree.symbol(place) {
        Err(Error::SymbolNotFound { .. } | Error::NothingAt { .. }) => return Ok(()),
        found => found?,
    };
    uses::at(tree, &symbol, extent, report)?;
    uses::possible(tree, &symbol, extent, report)?;
    uses::impact(tree, &symbol, report)?;
    graph::callers(tree, &symbol, report)?;
    graph::callees(tree, &symbol, extent, report)?;
    graph::listed(tree, &symbol, extent, report)?;
    graph::chains(tree, &symbol, report)?;
    types::hierarchy(tree, &symbol, report)?;
    counts::sums(&symbol, report);
    counts::definitions(tree, &symbol, report)?;
    files::importers(tree, &symbol, report)
}
