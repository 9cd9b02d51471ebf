//! Measures localisation, from the text of an issue to its files and functions: the share of issues
//! whose files are all among the first different files of an answer (`Acc@k`), and of which any
//! function is among the first results (`any-hit@k`).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use codecompass_engine::query::Hit;
use serde::{Deserialize, Serialize};

use super::report::{Asked, rounded};
use super::score::is_file;
use super::suite::Target;

/// Results that are asked for.
pub(crate) const RESULTS: usize = 60;

/// The numbers of files that are looked at.
const FILES: [usize; 4] = [1, 3, 5, 10];

/// The numbers of results that are searched for functions.
const FUNCTIONS: [usize; 3] = [1, 5, 10];

/// The ranks at which an issue is localised, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Localised {
    /// The number of different files up to the last file of the issue; `None` if one is missing.
    pub files: Option<usize>,
    /// The number of results up to the first function of the issue.
    pub function: Option<usize>,
    /// True if the suite names functions of the issue.
    pub has_functions: bool,
}

/// The parts of a result that tell its place.
struct NamedPlace<'a> {
    path: &'a str,
    name: &'a str,
    qualified_name: &'a str,
}

/// Looks for the files and functions of an issue in the results, best first.
pub(crate) fn localise(root: &Path, hits: &[Hit], files: &[Target], functions: &[Target]) -> Localised {
    among(root, &hits.iter().map(NamedPlace::from).collect::<Vec<_>>(), files, functions)
}

impl<'a> From<&'a Hit> for NamedPlace<'a> {
    fn from(hit: &'a Hit) -> NamedPlace<'a> {
        NamedPlace { path: &hit.path, name: &hit.name, qualified_name: &hit.qualified_name }
    }
}

fn among(root: &Path, hits: &[NamedPlace<'_>], files: &[Target], functions: &[Target]) -> Localised {
    let mut different: Vec<&str> = Vec::new();
    for hit in hits {
        if !different.contains(&hit.path) {
            different.push(hit.path);
        }
    }
    let rank = |target: &Target| different.iter().position(|path| is_file(root, path, &target.path)).map(|at| at + 1);
    let ranks: Option<Vec<usize>> = files.iter().map(rank).collect();
    let is_function = |hit: &NamedPlace<'_>| functions.iter().any(|target| is_named(root, hit, target));
    Localised {
        files: ranks.and_then(|ranks| ranks.into_iter().max()),
        function: hits.iter().position(is_function).map(|at| at + 1),
        has_functions: !functions.is_empty(),
    }
}

/// Returns whether a result is the symbol of a target: by its qualified name, the end of it after a
/// dot, or its name.
fn is_named(root: &Path, hit: &NamedPlace<'_>, target: &Target) -> bool {
    let Some(symbol) = &target.symbol else { return false };
    let is_end =
        || hit.qualified_name.strip_suffix(symbol.as_str()).is_some_and(|head| head.is_empty() || head.ends_with('.'));
    is_file(root, hit.path, &target.path) && (hit.name == *symbol || is_end())
}

/// Localisation in all and by root.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct LocalisationReport {
    overall: Localisation,
    by_root: BTreeMap<String, Localisation>,
}

/// Shares of the issues of a group.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Localisation {
    queries: usize,
    /// The share of issues whose files are all among this many different files.
    files_acc_at: BTreeMap<usize, f64>,
    /// Issues with functions.
    queries_with_functions: usize,
    /// The share of them with a function among this many results.
    functions_any_at: BTreeMap<usize, f64>,
}

/// Sums up what was asked; `None` if no issue was.
pub(crate) fn report(asked: &[Asked]) -> Option<LocalisationReport> {
    let mut roots: BTreeMap<String, Vec<Localised>> = BTreeMap::new();
    for (one, localised) in asked.iter().filter_map(|one| Some((one, one.localised?))) {
        roots.entry(one.root.clone()).or_default().push(localised);
    }
    let everything: Vec<Localised> = roots.values().flatten().copied().collect();
    (!everything.is_empty()).then(|| LocalisationReport {
        overall: Localisation::of(&everything),
        by_root: roots.into_iter().map(|(name, group)| (name, Localisation::of(&group))).collect(),
    })
}

impl Localisation {
    fn of(group: &[Localised]) -> Localisation {
        let with_functions: Vec<&Localised> = group.iter().filter(|one| one.has_functions).collect();
        let share = |found: usize, all: usize| rounded(found as f64 / all.max(1) as f64);
        let files = |k: usize| group.iter().filter(|one| one.files.is_some_and(|rank| rank <= k)).count();
        let functions =
            |k: usize| with_functions.iter().filter(|one| one.function.is_some_and(|rank| rank <= k)).count();
        Localisation {
            queries: group.len(),
            files_acc_at: FILES.into_iter().map(|k| (k, share(files(k), group.len()))).collect(),
            queries_with_functions: with_functions.len(),
            functions_any_at: match with_functions.len() {
                0 => BTreeMap::new(),
                all => FUNCTIONS.into_iter().map(|k| (k, share(functions(k), all))).collect(),
            },
        }
    }
}

/// The same as a table.
pub(crate) fn table(report: &LocalisationReport) -> String {
    let mut out = format!("{:<26} {:>7}", "localisation", "queries");
    FILES.iter().for_each(|k| write(&mut out, &format!("Acc@{k}")));
    FUNCTIONS.iter().for_each(|k| write(&mut out, &format!("any-hit@{k}")));
    out.push('\n');
    let mut row = |title: &str, group: &Localisation| {
        let _ = write!(out, "{title:<26} {:>7}", group.queries);
        for value in group.files_acc_at.values().chain(group.functions_any_at.values()) {
            write(&mut out, &format!("{value:.3}"));
        }
        out.push('\n');
    };
    row("overall", &report.overall);
    if report.by_root.len() > 1 {
        report.by_root.iter().for_each(|(name, group)| row(&format!("root {name}"), group));
    }
    out
}

fn write(out: &mut String, cell: &str) {
    let _ = write!(out, " {cell:>10}");
}

/// Lists what is worse than in an earlier report by more than `tolerance`.
pub(crate) fn regressions(now: &LocalisationReport, before: &LocalisationReport, tolerance: f64) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |title: &str, now: &BTreeMap<usize, f64>, before: &BTreeMap<usize, f64>| {
        for (k, before) in before {
            let now = now.get(k).copied().unwrap_or(0.0);
            if now < before - tolerance {
                found.push(format!("overall: {title}@{k} fell from {before:.3} to {now:.3}"));
            }
        }
    };
    compare("files Acc", &now.overall.files_acc_at, &before.overall.files_acc_at);
    compare("functions any-hit", &now.overall.functions_any_at, &before.overall.functions_any_at);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_and_any_function_count() {
        let hit = |path, name, qualified_name| NamedPlace { path, name, qualified_name };
        let place = |path: &str, symbol: Option<&str>| Target {
            path: path.into(),
            symbol: symbol.map(str::to_string),
            ..Target::default()
        };
        let hits = [hit("a.py", "A", "A"), hit("a.py", "run", "m.A.run"), hit("b.py", "run", "run")];
        let functions = |symbol| [place("a.py", Some(symbol))];
        let at = |files: &[Target], functions: &[Target]| among(Path::new("/root"), &hits, files, functions);
        let both = at(&[place("b.py", None), place("a.py", None)], &functions("A.run"));
        assert_eq!((both.files, both.function), (Some(2), Some(2)));
        assert_eq!(at(&[place("a.py", None), place("c.py", None)], &[]), Localised::default());
        assert_eq!(at(&[place("a.py", None)], &functions("run")).function, Some(2));
        assert_eq!(at(&[place("a.py", None)], &functions("un")).function, None);

        let before = Localisation::of(&[both]);
        let now = Localisation::of(&[both, Localised { has_functions: true, ..Localised::default() }]);
        assert_eq!((now.files_acc_at[&1], now.files_acc_at[&3], now.functions_any_at[&5]), (0.0, 0.5, 0.5));
        let of = |overall| LocalisationReport { overall, ..LocalisationReport::default() };
        let (now, before) = (of(now), of(before));
        assert_eq!(regressions(&now, &before, 0.1).len(), 5);
        assert!(regressions(&before, &now, 0.0).is_empty());
        assert!(table(&now).contains("any-hit@10"), "{}", table(&now));
    }
}
