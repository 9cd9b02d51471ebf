//! Resolution of names to definitions, language by language: a small program each, and what its
//! names lead to.
//!
//! An expectation is written `path | line | name -> path | line | confidence`, where a line is
//! given by a part of it that stands in no other line of the file; `name#2` is the second of that
//! name in the line. Instead of a definition there may be `nothing`: no edge leads anywhere.

mod alternatives;
mod csharp;
mod files;
mod overloads;
mod overloads_by_type;
mod packages;
mod receivers;
mod rust;
mod scopes;
mod shared;
mod typescript;
mod uncertain_receivers;

use codecompass_engine::query::{self, CallsOptions, Direction, Navigator};
use codecompass_engine::{Config, Engine, NoProgress, Snapshot, SyncOptions, sync};
use codecompass_testkit::TestWorkspace;

struct Program {
    workspace: TestWorkspace,
    snapshot: Snapshot,
}

impl Program {
    fn new(fixture: &str) -> Program {
        let workspace = TestWorkspace::in_memory(fixture);
        let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
        let snapshot = sync(&engine, SyncOptions::default(), &NoProgress).unwrap().0;
        Program { workspace, snapshot }
    }

    /// The number and text of the only line of a file with `part` in it.
    fn line(&self, path: &str, part: &str) -> (u32, String) {
        let text = std::fs::read_to_string(self.workspace.root().join(path)).unwrap();
        let mut lines = text.lines().enumerate().filter(|(_, line)| line.contains(part));
        let (number, line) = lines.next().unwrap_or_else(|| panic!("`{part}` is not in {path}"));
        assert!(lines.next().is_none(), "`{part}` stands in several lines of {path}");
        (number as u32 + 1, line.to_string())
    }

    /// Returns the meaning of the name at a place: `path:line confidence`, `external` or `nothing`.
    fn meaning(&self, navigator: &Navigator<'_>, place: &str) -> String {
        let parts: Vec<&str> = place.split(" | ").map(str::trim).collect();
        let [path, part, name] = parts[..] else { panic!("bad place `{place}`") };
        let (name, nth) = name.split_once('#').map_or((name, 1), |(name, nth)| (name, nth.parse().unwrap()));
        let (number, line) = self.line(path, part);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let whole = |at: &usize| !line[..*at].ends_with(is_word) && !line[*at + name.len()..].starts_with(is_word);
        let at = line.match_indices(name).map(|(at, _)| at).filter(whole).nth(nth - 1);
        let at = at.unwrap_or_else(|| panic!("no `{name}` in `{line}`"));
        let Some(meaning) = navigator.meaning_at(path, number, at as u32 + 1).unwrap() else {
            return "nothing".into();
        };
        let Some(confidence) = meaning.confidence else {
            let several = if meaning.hits.is_empty() { "" } else { " several" };
            return format!("nothing{several}");
        };
        let mut places: Vec<String> =
            meaning.hits.iter().map(|hit| format!("{}:{}", hit.path, hit.line_start)).collect();
        places.sort();
        format!("{} {}", places.join(" "), confidence.as_str())
    }

    fn check(&self, expectations: &str) {
        let navigator = Navigator::new(&self.snapshot);
        let mut wrong = Vec::new();
        for expectation in expectations.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (place, wanted) = expectation.split_once(" -> ").unwrap();
            let found = self.meaning(&navigator, place);
            let parts: Vec<&str> = wanted.split(" | ").map(str::trim).collect();
            let wanted = match parts[..] {
                [path, part, confidence] => format!("{path}:{} {confidence}", self.line(path, part).0),
                _ => wanted.trim().to_string(),
            };
            if found != wanted {
                wrong.push(format!("{place}\n    wanted {wanted}\n    found  {found}"));
            }
        }
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    }

    /// The places where the definition in a line is called from.
    fn callers(&self, path: &str, part: &str) -> Vec<String> {
        let navigator = Navigator::new(&self.snapshot);
        let (line, _) = self.line(path, part);
        let sites = navigator.callers_at(path, line, None).unwrap();
        sites.iter().map(|site| format!("{}:{} {}", site.path, site.line, site.class.as_str())).collect()
    }

    /// The lines of the file itself in which `calls` says that the definition in a line is called.
    fn called_in(&self, path: &str, part: &str) -> Vec<u32> {
        let place = format!("{path}:{}", self.line(path, part).0);
        let directions = vec![Direction::Callers];
        let options = CallsOptions {
            directions,
            depth: 1,
            limit: 100,
            overrides: false,
            least: query::UseClass::Static,
            scope: query::Scope::default(),
        };
        let answer = query::calls(&Navigator::new(&self.snapshot), &place, &options).unwrap();
        let edges = answer.levels.iter().flat_map(|level| &level.edges);
        edges.filter(|(edge, _)| edge.path == path).map(|(edge, _)| edge.line).collect()
    }
}
