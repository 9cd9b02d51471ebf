//! Places that a text names: frames of stack traces, links to lines, paths.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::store::Snapshot;

/// Places of a text that are looked at.
const MAX_PLACES: usize = 100;

/// A place as a text names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct NamedPlace {
    /// With `/`; may have folders that the repository does not have.
    pub path: String,
    pub line: Option<u32>,
    /// The function that a frame names.
    pub function: Option<String>,
    /// A frame of a stack trace.
    pub is_frame: bool,
}

/// One notation of places.
struct Notation {
    regex: Regex,
    is_frame: bool,
}

/// The notations, the most telling first: a stretch of a line that one has matched is not given to
/// the next. The groups are `path`, `line`, `function` and, of frames that name a type instead of
/// folders, `type`.
static NOTATIONS: LazyLock<Vec<Notation>> = LazyLock::new(|| {
    let notation = |pattern: &str, is_frame| Regex::new(pattern).ok().map(|regex| Notation { regex, is_frame });
    [
        // File "a/b.py", line 3, in f
        notation(r#"File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<function>[\w<>.]+))?"#, true),
        // at a.b.Type.f(File.java:3)
        notation(
            r"\bat (?P<type>[\w.$]+)\.(?P<function>[\w$<>]+)\((?P<path>[\w$]+\.\w+):(?P<line>\d+)\)",
            true,
        ),
        // at a.b.Type.F(int x) in /a/File.cs:line 3
        notation(r"(?:\.(?P<function>\w+)\([^)]*\))? in (?P<path>\S+):line (?P<line>\d+)", true),
        // #0 /a/b.php(3): f()
        notation(r"#\d+ (?P<path>[^\s(]+)\((?P<line>\d+)\):? (?:[\w\\]+(?:->|::))?(?P<function>\w+)?", true),
        // at f (a/b.js:3:7)
        notation(
            r"\bat (?:async |new )?(?:[\w$<>]+\.)*(?P<function>[\w$<>]+)(?: \[as \w+\])? \((?P<path>[^()\s]+?):(?P<line>\d+)(?::\d+)?\)",
            true,
        ),
        // https://host/owner/name/blob/ref/a/b.rs#L3
        notation(r"https?://\S+?/(?:blob|tree|raw)/[^/\s]+/(?P<path>[^\s#?)\]>]+)(?:#L(?P<line>\d+))?", false),
        // Any other link names no file of the repository.
        notation(r"https?://\S+", false),
        // a/b.rb:3:in 'f', a/b.rs:3:7
        notation(
            r"(?P<path>[\w./\\@+-]*[\w-]\.[A-Za-z]\w{0,8}):(?P<line>\d+)(?::\d+)?(?::in [`'](?P<function>[\w#.]+)')?",
            true,
        ),
        // a/b.rs
        notation(r"(?P<path>(?:[\w.@+-]+[/\\])+[\w.@+-]*[\w-]\.[A-Za-z]\w{0,8})\b", false),
    ]
    .into_iter()
    .flatten()
    .collect()
});

/// Returns the places that a line names, and the line without them.
pub(crate) fn in_line(line: &str) -> (Vec<NamedPlace>, String) {
    let mut rest = line.to_string();
    let mut found = Vec::new();
    if !line.contains(['.', '/']) {
        return (found, rest);
    }
    for Notation { regex, is_frame } in NOTATIONS.iter() {
        let next = regex.replace_all(&rest, |groups: &Captures<'_>| {
            if let Some(place) = place(groups, *is_frame) {
                found.push(place);
            }
            " "
        });
        if let std::borrow::Cow::Owned(next) = next {
            rest = next;
        }
    }
    (found, rest)
}

fn place(groups: &Captures<'_>, is_frame: bool) -> Option<NamedPlace> {
    let text = |name: &str| groups.name(name).map(|group| group.as_str());
    let path = text("path")?.replace('\\', "/");
    // A type says in which folder its file is, where folders follow packages.
    let folder = text("type").and_then(|name| name.rsplit_once('.')).map(|(package, _)| package.replace('.', "/"));
    Some(NamedPlace {
        path: folder.map_or(path.clone(), |folder| format!("{folder}/{path}")),
        line: text("line").and_then(|line| line.parse().ok()),
        function: text("function").filter(|name| !name.starts_with('<')).map(str::to_string),
        is_frame,
    })
}

/// A path of a view for a place: the names that both end with, how many paths have as many, and the
/// path.
pub(crate) type NearestPath = (u64, u64, String);

/// Returns the paths of a view that are nearest to places.
pub(crate) fn nearest_paths(snapshot: &Snapshot, places: &[NamedPlace]) -> Vec<Option<NearestPath>> {
    let places = &places[..places.len().min(MAX_PLACES)];
    let wanted: FxHashSet<&str> = places.iter().map(|place| file_name(&place.path)).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let known: Vec<&str> = snapshot.paths().filter(|path| wanted.contains(file_name(path))).collect();
    places.iter().map(|place| nearest(&place.path, &known)).collect()
}

/// Gives places the paths that they have in one of several views, whose nearest paths are given;
/// returns them with the number of the view. Others are left out.
pub(super) fn in_views(places: &[NamedPlace], views: &[&[Option<NearestPath>]]) -> Vec<(NamedPlace, usize)> {
    let mut found = Vec::new();
    for (at, place) in places.iter().enumerate().take(MAX_PLACES) {
        let of = |view: &&[Option<NearestPath>]| view.get(at).cloned().flatten();
        let mut all = None;
        views.iter().for_each(|view| join(&mut all, of(view)));
        // If several are as near, none is meant.
        let Some((common, 1, path)) = all else { continue };
        let has_it = |view: &&[Option<NearestPath>]| of(view).is_some_and(|(own, ..)| own == common);
        let view = views.iter().position(has_it);
        found.extend(view.map(|view| (NamedPlace { path, ..place.clone() }, view)));
    }
    found
}

/// Joins the nearest paths of two views.
fn join(known: &mut Option<NearestPath>, more: Option<NearestPath>) {
    match (known.as_mut(), more) {
        (_, None) => {}
        (Some(known), Some(more)) if known.0 > more.0 => {}
        (Some(known), Some(more)) if known.0 == more.0 => known.1 += more.1,
        (_, more) => *known = more,
    }
}

/// The path that has most names at its end in common with `path`: all of its own, all of the
/// other's, or at least two.
fn nearest(path: &str, known: &[&str]) -> Option<NearestPath> {
    let count = |path: &str| path.split('/').filter(|name| !matches!(*name, "" | ".")).count();
    let mut best = None;
    for candidate in known {
        let names = path.rsplit('/').filter(|name| !matches!(*name, "" | "."));
        let common = names.zip(candidate.rsplit('/')).take_while(|(a, b)| a == b).count();
        if common >= count(path).min(count(candidate)).min(2) {
            join(&mut best, Some((common as u64, 1, candidate.to_string())));
        }
    }
    best
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> Vec<String> {
        let show = |place: NamedPlace| {
            let line = place.line.map_or(String::new(), |line| format!(":{line}"));
            format!("{}{line} {}", place.path, place.function.unwrap_or_default()).trim_end().to_string()
        };
        in_line(line).0.into_iter().map(show).collect()
    }

    #[test]
    fn frames_of_many_languages() {
        assert_eq!(
            shown(r#"  File "/usr/lib/app/db/query.py", line 12, in fetch"#),
            ["/usr/lib/app/db/query.py:12 fetch"]
        );
        assert_eq!(shown("    at org.shop.Cart.add(Cart.java:40)"), ["org/shop/Cart.java:40 add"]);
        assert_eq!(shown(r"   at Shop.Cart.Add(Int32 n) in C:\src\Cart.cs:line 7"), ["C:/src/Cart.cs:7 Add"]);
        assert_eq!(shown("#1 /app/src/Cart.php(31): Shop\\Cart->add()"), ["/app/src/Cart.php:31 add"]);
        assert_eq!(shown("    at Object.add (/app/lib/cart.js:3:14)"), ["/app/lib/cart.js:3 add"]);
        assert_eq!(shown("   3: at src/cart.rs:9:5"), ["src/cart.rs:9"]);
        assert_eq!(shown("lib/cart.rb:8:in `add'"), ["lib/cart.rb:8 add"]);
        assert_eq!(shown("\t/go/src/cart/cart.go:22 +0x1d"), ["/go/src/cart/cart.go:22"]);
    }

    #[test]
    fn links_and_paths() {
        assert_eq!(shown("see https://host.example/a/b/blob/main/src/cart.rs#L7-L9."), ["src/cart.rs:7"]);
        assert_eq!(shown("see https://docs.example/a/b.html and src/cart.rs"), ["src/cart.rs"]);
        assert!(shown("version 1.2.3, e.g. shop.cart.add() and/or nothing").is_empty());
    }

    #[test]
    fn paths_of_other_machines_are_found_by_their_ends() {
        let known = ["shop/cart/models.py", "shop/user/models.py", "setup.py"];
        let nearest =
            |path: &str, known: &[&str]| nearest(path, known).filter(|(_, ties, _)| *ties == 1).map(|best| best.2);
        let some = |path: &str| Some(path.to_string());
        assert_eq!(nearest("/usr/lib/site-packages/shop/user/models.py", &known), some("shop/user/models.py"));
        assert_eq!(nearest("models.py", &known), None);
        assert_eq!(nearest("/home/me/other/models.py", &known), None);
        assert_eq!(nearest("./setup.py", &known), some("setup.py"));
        assert_eq!(nearest("/home/me/setup.py", &known), some("setup.py"));
    }
}
