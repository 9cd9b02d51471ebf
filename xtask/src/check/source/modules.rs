//! The modules of a crate and the edges between them. A path is followed to the module that defines
//! its item: through re-exports, so that a façade is no dependency of its own, and through imports
//! of whole modules.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::check::source::SourceFile;
use crate::check::source::extract::Import;

/// Re-exports of re-exports are followed so far.
const MAX_HOPS: usize = 16;

/// The module tree of one crate. Module 0 is the crate's root.
#[derive(Default)]
pub(crate) struct ModuleTree {
    modules: Vec<Module>,
    /// The module of each file that has one.
    by_file: HashMap<usize, usize>,
    test_files: HashSet<usize>,
    paths: Vec<String>,
}

#[derive(Default)]
struct Module {
    /// Names from the root: `["store", "jobs"]`.
    path: Vec<String>,
    /// The index of its file; that of the file around it for an inline module.
    file: usize,
    parent: usize,
    children: BTreeMap<String, usize>,
    items: HashSet<String>,
    /// Paths that `use` brings into scope, by name.
    imports: HashMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    /// The condition under which it is compiled.
    cfg: Option<String>,
}

/// The use of one file or module by another, at the first place that is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The path of the file with the first use.
    pub file: String,
    pub line: usize,
    /// The path as written.
    pub written: String,
}

/// Edges by their two ends.
pub(crate) type Edges = BTreeMap<(String, String), Edge>;

/// The module that a path leads to.
struct Resolved {
    module: usize,
    /// The first module below the root that the path enters; `None` for the root itself.
    top: Option<usize>,
    /// True if the path names the module itself, not an item in it.
    is_module: bool,
}

impl ModuleTree {
    /// Follows `mod` declarations from `lib.rs`, or `main.rs` where there is no library.
    pub(crate) fn build(files: &[SourceFile]) -> ModuleTree {
        let mut tree =
            ModuleTree { paths: files.iter().map(|file| file.path.clone()).collect(), ..ModuleTree::default() };
        let root = ["/src/lib.rs", "/src/main.rs"]
            .iter()
            .find_map(|end| files.iter().position(|file| file.path.ends_with(end)));
        if let Some(root) = root {
            tree.add_file(files, root, Module::default());
        }
        tree
    }

    fn add_file(&mut self, files: &[SourceFile], file: usize, module: Module) {
        let (root, found) = (self.modules.len(), &files[file].found);
        self.modules.push(Module { file, ..module });
        self.by_file.insert(file, root);
        let mut inline = HashMap::from([(Vec::new(), root)]);
        for declared in &found.modules {
            let Some(&parent) = inline.get(&declared.within) else { continue };
            let path = [self.modules[parent].path.as_slice(), std::slice::from_ref(&declared.name)].concat();
            let cfg = declared.cfg.clone().or_else(|| self.modules[parent].cfg.clone());
            if declared.is_inline && !declared.test_only {
                let id = self.modules.len();
                self.modules.push(Module { path, file, parent, cfg, ..Module::default() });
                self.modules[parent].children.insert(declared.name.clone(), id);
                inline.insert([declared.within.as_slice(), std::slice::from_ref(&declared.name)].concat(), id);
            } else if !declared.is_inline
                && let Some(target) = self.file_of(file, &declared.within, &declared.name, declared.file.as_deref())
            {
                if declared.test_only {
                    self.add_tests(files, target);
                    continue;
                }
                let id = self.modules.len();
                self.modules[parent].children.insert(declared.name.clone(), id);
                self.add_file(files, target, Module { path, parent, cfg, ..Module::default() });
            }
        }
        for (within, name) in &found.items {
            if let Some(&id) = inline.get(within) {
                self.modules[id].items.insert(name.clone());
            }
        }
        for import in &found.imports {
            let Some(&id) = inline.get(&import.within) else { continue };
            match import.name.as_str() {
                "*" => {
                    let path = import.segments[..import.segments.len() - 1].to_vec();
                    self.modules[id].globs.push(path);
                }
                name => drop(self.modules[id].imports.insert(name.to_string(), import.segments.clone())),
            }
        }
    }

    /// Marks a test module's file and the files below it.
    fn add_tests(&mut self, files: &[SourceFile], file: usize) {
        self.test_files.insert(file);
        for declared in files[file].found.modules.iter().filter(|declared| !declared.is_inline) {
            if let Some(below) = self.file_of(file, &declared.within, &declared.name, declared.file.as_deref()) {
                self.add_tests(files, below);
            }
        }
    }

    /// Finds the file of a module that is declared in another one.
    fn file_of(&self, file: usize, within: &[String], name: &str, written: Option<&str>) -> Option<usize> {
        let path = &self.paths[file];
        let (folder, own) = path.rsplit_once('/')?;
        let position = |wanted: &str| self.paths.iter().position(|path| path == wanted);
        if let Some(written) = written {
            return position(&format!("{folder}/{written}"));
        }
        let mut folder = folder.to_string();
        if !matches!(own, "mod.rs" | "lib.rs" | "main.rs") {
            folder = format!("{folder}/{}", own.trim_end_matches(".rs"));
        }
        for part in within {
            folder = format!("{folder}/{part}");
        }
        position(&format!("{folder}/{name}.rs")).or_else(|| position(&format!("{folder}/{name}/mod.rs")))
    }

    /// Returns whether a file is compiled for tests alone.
    pub(crate) fn is_test_file(&self, file: usize) -> bool {
        self.test_files.contains(&file)
    }

    /// Returns the condition under which a file is compiled, if there is one.
    pub(crate) fn condition(&self, file: usize) -> Option<&str> {
        self.modules[*self.by_file.get(&file)?].cfg.as_deref()
    }

    /// Edges between top-level modules, by the paths as written; the root counts as one, by the
    /// name of its file.
    pub(crate) fn top_level_edges(&self, files: &[SourceFile]) -> Edges {
        let mut edges = Edges::new();
        self.each_use(files, |from, target, edge| {
            let name = |module: Option<usize>| module.map_or_else(|| self.root_name(), |id| self.top_name(id));
            let (from, to) = (name(Some(from)), name(target.top));
            if from != to {
                edges.entry((from, to)).or_insert(edge);
            }
        });
        edges
    }

    /// Edges between modules of one folder, by their paths from the root, below the top level. What
    /// stands below a module counts for it; the folder's own file counts for none of them.
    pub(crate) fn sibling_edges(&self, files: &[SourceFile]) -> Edges {
        let mut edges = Edges::new();
        self.each_use(files, |from, target, edge| {
            let (from, to) = (&self.modules[from].path, &self.modules[target.module].path);
            let shared = from.iter().zip(to).take_while(|(from, to)| from == to).count();
            if shared > 0 && shared < from.len().min(to.len()) {
                let name = |path: &[String]| path[..=shared].join("::");
                edges.entry((name(from), name(to))).or_insert(edge);
            }
        });
        edges
    }

    /// Edges between files, by their paths.
    pub(crate) fn file_edges(&self, files: &[SourceFile]) -> Edges {
        let mut edges = Edges::new();
        self.each_use(files, |from, target, edge| {
            let (from, to) = (self.modules[from].file, self.modules[target.module].file);
            if from != to {
                edges.entry((self.paths[from].clone(), self.paths[to].clone())).or_insert(edge);
            }
        });
        edges
    }

    fn root_name(&self) -> String {
        let path = self.modules.first().map_or("", |root| self.paths[root.file].as_str());
        path.rsplit('/').next().unwrap_or(path).trim_end_matches(".rs").to_string()
    }

    fn top_name(&self, module: usize) -> String {
        self.modules[module].path.first().cloned().unwrap_or_else(|| self.root_name())
    }

    /// Calls `with` for every import and path that leads to a module of this crate.
    fn each_use(&self, files: &[SourceFile], mut with: impl FnMut(usize, &Resolved, Edge)) {
        for (id, module) in self.modules.iter().enumerate() {
            let (file, own) = (&files[module.file], self.own_file_module(id));
            let within = &module.path[self.modules[own].path.len()..];
            let edge = |segments: &[String], line| Edge { file: file.path.clone(), line, written: segments.join("::") };
            for import in file.found.imports.iter().filter(|import| import.within == within) {
                let is_used = file.found.names.contains(&(import.within.clone(), import.name.clone()));
                if let Some(target) = self.import_target(id, import, is_used) {
                    with(id, &target, edge(&import.segments, import.line));
                }
            }
            for used in file.found.paths.iter().filter(|used| used.within == within) {
                if let Some(target) = self.resolve(id, &used.segments, 0) {
                    with(id, &target, edge(&used.segments, used.line));
                }
            }
        }
    }

    /// The module of the file that an inline module stands in.
    fn own_file_module(&self, module: usize) -> usize {
        self.by_file.get(&self.modules[module].file).copied().unwrap_or(module)
    }

    /// Returns what an import depends on. A re-export from below that its own module does not use
    /// is a façade and depends on nothing; an import of a whole module counts where a path goes
    /// through it.
    fn import_target(&self, from: usize, import: &Import, is_used: bool) -> Option<Resolved> {
        let is_glob = import.name == "*";
        let path = if is_glob { &import.segments[..import.segments.len() - 1] } else { &import.segments[..] };
        let target = self.resolve(from, path, 0)?;
        let is_facade =
            import.is_reexport && !is_used && self.modules[target.module].path.starts_with(&self.modules[from].path);
        (!is_facade && (is_glob || !target.is_module)).then_some(target)
    }

    /// Follows a path from a module; `None` if it leads out of the crate or names something local.
    fn resolve(&self, from: usize, segments: &[String], hops: usize) -> Option<Resolved> {
        if hops > MAX_HOPS {
            return None;
        }
        let (first, rest) = segments.split_first()?;
        match first.as_str() {
            "crate" => self.descend(0, None, rest, hops),
            "self" => self.descend(from, self.top_of(from), rest, hops),
            "super" => {
                let parent = self.modules[from].parent;
                if rest.first().is_some_and(|next| next == "super") {
                    self.resolve(parent, rest, hops + 1)
                } else {
                    self.descend(parent, self.top_of(parent), rest, hops)
                }
            }
            name => {
                if let Some(&child) = self.modules[from].children.get(name) {
                    return self.descend(child, self.top_of(child), rest, hops);
                }
                // Only modules are followed: an imported item was counted where it was imported.
                let path = self.modules[from].imports.get(name).filter(|path| path.first() != Some(first))?;
                let target = self.resolve(from, path, hops + 1).filter(|target| target.is_module)?;
                self.descend(target.module, target.top, rest, hops + 1)
            }
        }
    }

    fn top_of(&self, module: usize) -> Option<usize> {
        let name = self.modules[module].path.first()?;
        self.modules[0].children.get(name).copied()
    }

    /// Walks down from a module by the segments of a path.
    fn descend(&self, module: usize, top: Option<usize>, segments: &[String], hops: usize) -> Option<Resolved> {
        let Some((name, rest)) = segments.split_first() else {
            return Some(Resolved { module, top, is_module: true });
        };
        let here = &self.modules[module];
        if let Some(&child) = here.children.get(name) {
            return self.descend(child, top.or_else(|| self.top_of(child)), rest, hops);
        }
        let item = Some(Resolved { module, top, is_module: false });
        if here.items.contains(name) || hops > MAX_HOPS {
            return item;
        }
        if let Some(path) = here.imports.get(name) {
            // A name from another crate counts for the module that offers it.
            let Some(target) = self.resolve(module, path, hops + 1) else { return item };
            let top = top.or(target.top);
            return if target.is_module {
                self.descend(target.module, top, rest, hops + 1)
            } else {
                Some(Resolved { top, ..target })
            };
        }
        for path in &here.globs {
            if let Some(target) = self.resolve(module, path, hops + 1)
                && self.offers(target.module, name, hops + 1)
            {
                return self.descend(target.module, top.or(target.top), segments, hops + 1);
            }
        }
        item
    }

    fn offers(&self, module: usize, name: &str, hops: usize) -> bool {
        let here = &self.modules[module];
        let by_glob = || {
            here.globs.iter().any(|path| {
                self.resolve(module, path, hops + 1).is_some_and(|target| self.offers(target.module, name, hops + 1))
            })
        };
        hops <= MAX_HOPS
            && (here.items.contains(name)
                || here.children.contains_key(name)
                || here.imports.contains_key(name)
                || by_glob())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::source::testing::sample_crate;

    fn shown(edges: &Edges) -> Vec<String> {
        edges.iter().map(|((from, to), edge)| format!("{from} -> {to} at line {}", edge.line)).collect()
    }

    #[test]
    fn paths_are_followed_to_where_items_are_defined() {
        let sample = sample_crate(
            "sample",
            &[
                ("lib.rs", "mod a;\nmod b;\npub use b::Thing;\nfn top() { a::run(); }\n"),
                (
                    "a.rs",
                    "use crate::Thing;\nuse crate::b;\npub fn run() { b::leaf::call(); std::mem::drop(Thing); }\n",
                ),
                ("b/mod.rs", "mod inner;\npub mod leaf;\npub use inner::*;\nfn f() { crate::top(); }\n"),
                ("b/inner.rs", "pub struct Thing;\n#[cfg(test)]\nmod tests { use crate::a::run; }\n"),
                ("b/leaf.rs", "pub fn call() { super::inner::Thing; }\n"),
            ],
        );
        assert_eq!(
            shown(&sample.modules.top_level_edges(&sample.files)),
            ["a -> b at line 1", "b -> lib at line 4", "lib -> a at line 4"]
        );
        let files = sample.modules.file_edges(&sample.files);
        assert_eq!(
            shown(&files).iter().map(|edge| edge.replace("crates/sample/src/", "")).collect::<Vec<_>>(),
            [
                "a.rs -> b/inner.rs at line 1",
                "a.rs -> b/leaf.rs at line 3",
                "b/leaf.rs -> b/inner.rs at line 1",
                "b/mod.rs -> lib.rs at line 4",
                "lib.rs -> a.rs at line 4",
            ]
        );
    }

    #[test]
    fn a_reexport_that_is_used_is_an_edge() {
        let edges = |root| {
            let sample = sample_crate("sample", &[("lib.rs", root), ("a.rs", "pub struct A;\n")]);
            shown(&sample.modules.top_level_edges(&sample.files))
        };
        assert!(edges("mod a;\npub use a::A;\n").is_empty());
        assert_eq!(edges("mod a;\npub use a::A;\nfn f(_: A) {}\n"), ["lib -> a at line 2"]);
    }

    #[test]
    fn macros_inline_modules_and_files_of_tests() {
        let sample = sample_crate(
            "sample",
            &[
                ("lib.rs", "mod a;\nmod b;\n"),
                ("a.rs", "mod inner { pub fn f() { println!(\"{}\", super::super::b::X); } }\n"),
                ("b.rs", "pub const X: u8 = 1;\n#[cfg(test)]\nmod checks;\n"),
                ("b/checks.rs", "use crate::a;\n"),
            ],
        );
        assert_eq!(shown(&sample.modules.top_level_edges(&sample.files)), ["a -> b at line 1"]);
        assert!(sample.modules.is_test_file(3) && !sample.modules.is_test_file(2));
    }
}
