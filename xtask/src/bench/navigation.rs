//! `cargo xtask bench navigation`: what uses and call graphs cost on Django, against `rg -w` and
//! against limits.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use codecompass_engine::config::IndexConfig;
use codecompass_engine::query::{self, CallsOptions, Direction, Navigator, RefsOptions, Scope};
use codecompass_engine::{Config, Engine, Snapshot, scan};
use codecompass_syntax::facts::Kind;
use codecompass_syntax::{language_of, parse, parse_definitions};

use crate::bench::corpus::CORPORA;
use crate::bench::measure::{Table, median, peer, program, ratio, timed};
use crate::outcome::Outcome;

const RUNS: usize = 15;
/// Symbols whose number of uses lies here stand for one with some 200.
const USES: std::ops::Range<usize> = 150..300;
const SYMBOLS: usize = 25;
const HOT_SYMBOLS: usize = 10;

/// Measures with the program at `binary`.
pub(crate) fn run(binary: &Path) -> Outcome<()> {
    let corpus = CORPORA.iter().find(|corpus| corpus.name == "django").ok_or("no Django")?;
    let tree = corpus.tree()?;
    let home = tempfile::tempdir()?;
    let (index, _) = timed(program(binary, home.path(), &tree, &["index"]).stdout(Stdio::null()))?;
    let engine = Engine::open(&tree, home.path(), Config::default())?;
    let snapshot = engine.snapshot()?.ok_or("the index run published nothing")?;
    let mut table = Table::default();

    let (symbols, hot) = chosen(&snapshot)?;
    let name =
        symbols.first().ok_or("no symbol has about 200 uses")?.rsplit(' ').next().unwrap_or_default().to_string();
    let (mut ours, mut rg) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        ours.push(timed(program(binary, home.path(), &tree, &["refs", &name]).stdout(Stdio::null()))?.0);
        rg.extend(peer(&["rg", "-w", &name], &tree)?);
    }
    println!("  {} symbols with {} to {} uses; cold: {name}", symbols.len(), USES.start, USES.end);
    if rg.is_empty() {
        println!("  rg is not installed: no comparison");
    } else {
        table.line("refs in a new process / rg -w", ratio(median(&mut ours), median(&mut rg)), "x", Some(3.0));
    }

    let place = |symbol: &str| symbol.split(' ').next().unwrap_or_default().to_string();
    let mut warm = first_answers(&snapshot, &symbols, |navigator, symbol| {
        query::refs(navigator, &place(symbol), &RefsOptions::default()).map(|_| ())
    })?;
    table.line(
        "refs, first time for a symbol, in a process that has the files",
        millis(median(&mut warm)),
        "ms",
        Some(5.0),
    );
    let directions = vec![Direction::Callers];
    let options = CallsOptions {
        directions,
        depth: 3,
        limit: 100,
        overrides: false,
        least: query::UseClass::Possible,
        scope: Scope::default(),
    };
    let mut deep = first_answers(&snapshot, &hot, |navigator, symbol| {
        query::calls(navigator, &place(symbol), &options).map(|_| ())
    })?;
    table.line("callers to depth 3 of a hot function, the same", millis(median(&mut deep)), "ms", Some(50.0));

    let share = uses_cost(&tree)?.as_secs_f64() / (index.as_secs_f64() * IndexConfig::default().threads as f64);
    table.line("extracting references / full index, processor time", share * 100.0, "%", Some(30.0));
    table.verdict()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Functions and classes with about 200 uses, and those with most, as `path:line name`, in the
/// order of paths.
pub(super) fn chosen(snapshot: &Snapshot) -> Outcome<(Vec<String>, Vec<String>)> {
    let navigator = Navigator::new(snapshot);
    let (mut about, mut most) = (Vec::new(), Vec::new());
    for path in snapshot.paths().filter(|path| path.starts_with("django/") && path.ends_with(".py")) {
        let outline = query::outline(snapshot, path)?;
        for node in outline.symbols.iter().filter(|node| matches!(node.kind, Kind::Function | Kind::Class)) {
            let symbol = format!("{path}:{} {}", node.line_start, node.name);
            let uses = navigator.references_at(path, node.line_start, None)?.len();
            if USES.contains(&uses) && about.len() < SYMBOLS {
                about.push(symbol.clone());
            }
            most.push((uses, symbol));
        }
    }
    most.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    Ok((about, most.into_iter().take(HOT_SYMBOLS).map(|(_, symbol)| symbol).collect()))
}

/// The time of the first answer for each symbol, by a navigator that has read all files but
/// answered nothing of it.
fn first_answers(
    snapshot: &Snapshot,
    symbols: &[String],
    ask: impl Fn(&Navigator<'_>, &str) -> codecompass_engine::Result<()>,
) -> Outcome<Vec<Duration>> {
    let mut times = Vec::new();
    for symbol in symbols {
        let navigator = Navigator::new(snapshot);
        navigator.warm_up()?;
        let start = Instant::now();
        ask(&navigator, symbol)?;
        times.push(start.elapsed());
    }
    Ok(times)
}

/// Measures references and bindings, in one thread.
fn uses_cost(tree: &Path) -> Outcome<Duration> {
    const LIMIT: Duration = Duration::from_secs(60);
    let config = IndexConfig::default();
    let workspace = scan::discover(tree)?;
    let mut cost = Duration::ZERO;
    for file in scan::list(&workspace, &config)?.files {
        let scan::ReadOutcome::Text(source) = scan::read(&workspace.root, &file.path, &config) else { continue };
        let Some(language) = language_of(&file.path, &source.text) else { continue };
        let start = Instant::now();
        parse(&source.text, Some(language), LIMIT);
        let all = start.elapsed();
        let start = Instant::now();
        parse_definitions(&source.text, language, LIMIT);
        cost += all.saturating_sub(start.elapsed());
    }
    Ok(cost)
}
