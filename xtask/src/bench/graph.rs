//! `cargo xtask bench graph [TREE]`: call graphs, chains of calls and imports in a process that
//! answers many questions, on Django or another tree, against limits.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Instant;

use codecompass_engine::query::{self, CallsOptions, DepsOptions, Direction, Navigator, Scope, TraceOptions, UseClass};
use codecompass_engine::{Config, Engine, Snapshot, scan};
use codecompass_syntax::facts::Kind;

use crate::bench::corpus::CORPORA;
use crate::bench::measure::{Table, median, millis, program, timed};
use crate::outcome::Outcome;

/// Definitions whose uses are counted, and those with most uses that are asked about.
const SAMPLED: usize = 400;
const SYMBOLS: usize = 20;
/// The longest medians of questions that were asked before, in milliseconds.
const CALLS_LIMIT_MS: f64 = 60.0;
const TRACE_LIMIT_MS: f64 = 100.0;
const DEPS_LIMIT_MS: f64 = 50.0;

/// Measures with the program at `binary`.
pub(crate) fn run(binary: &Path, tree: Option<&str>) -> Outcome<()> {
    let tree = match tree {
        Some(tree) => PathBuf::from(tree),
        None => CORPORA.iter().find(|corpus| corpus.name == "django").ok_or("no Django")?.tree()?,
    };
    let home = tempfile::tempdir()?;
    timed(program(binary, home.path(), &tree, &["index"]).stdout(Stdio::null()))?;
    let engine = Engine::open(&tree, home.path(), Config::default())?.with_snapshot_cache(Arc::default());
    let symbols = {
        let engine = Engine::open(&tree, home.path(), Config::default())?;
        most_used(&engine.snapshot()?.ok_or("the index run published nothing")?)?
    };
    println!("  {} of {SAMPLED} functions and classes, those with most uses", symbols.len());
    let mut table = Table::default();
    let directions = vec![Direction::Callers, Direction::Callees];
    let (overrides, least, scope) = (false, UseClass::Possible, Scope::default());
    let calls = CallsOptions { directions, depth: 2, limit: 50, overrides, least, scope };
    let chains = TraceOptions { depth: 10, max_paths: 5, with_variants: false, least, projects: None };
    let imports = DepsOptions { reverse: true, depth: 1, limit: 50, projects: None };
    measure(&engine, &symbols, "call graph to depth 2", CALLS_LIMIT_MS, &mut table, |snapshot, symbol| {
        let navigator = Navigator::new(snapshot).reading(engine.source(), &engine.config().index);
        query::calls(&navigator, symbol, &calls).map(drop)
    })?;
    measure(&engine, &symbols, "chains of calls", TRACE_LIMIT_MS, &mut table, |snapshot, symbol| {
        query::trace(&Navigator::new(snapshot), None, symbol, &chains).map(drop)
    })?;
    measure(&engine, &symbols, "importers of a file", DEPS_LIMIT_MS, &mut table, |snapshot, symbol| {
        let path = symbol.split(':').next();
        query::deps(&Navigator::new(snapshot), path, &imports).map(drop)
    })?;
    table.verdict()
}

/// Functions and classes with many uses, as `path:line`: the most used of a sample.
fn most_used(snapshot: &Snapshot) -> Outcome<Vec<String>> {
    let mut all = Vec::new();
    for path in snapshot.paths().filter(|path| scan::role(path) == codecompass_engine::model::Role::Source) {
        let outline = query::outline(snapshot, path)?;
        let named = outline.symbols.iter().filter(|node| matches!(node.kind, Kind::Function | Kind::Class));
        all.extend(named.map(|node| (path, node.line_start)));
    }
    let navigator = Navigator::new(snapshot);
    let mut counted = Vec::new();
    for (path, line) in all.iter().step_by(all.len().div_ceil(SAMPLED).max(1)) {
        counted.push((navigator.references_at(path, *line, None)?.len(), format!("{path}:{line}")));
    }
    counted.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    Ok(counted.into_iter().take(SYMBOLS).map(|(_, symbol)| symbol).collect())
}

/// Measures a question about each symbol, the first time and asked again.
fn measure(
    engine: &Engine,
    symbols: &[String],
    what: &str,
    limit: f64,
    table: &mut Table,
    ask: impl Fn(&Snapshot, &str) -> codecompass_engine::Result<()>,
) -> Outcome<()> {
    for (when, limit) in [("first time", None), ("asked again", Some(limit))] {
        let mut times = Vec::new();
        for symbol in symbols {
            let start = Instant::now();
            let snapshot = engine.snapshot()?.ok_or("the index run published nothing")?;
            ask(&snapshot, symbol)?;
            engine.return_snapshot(snapshot);
            times.push(start.elapsed());
        }
        table.line(&format!("{what}, {when}"), millis(median(&mut times)), "ms", limit);
    }
    Ok(())
}
