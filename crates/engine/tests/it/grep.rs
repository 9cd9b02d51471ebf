//! Exact text search against two others: a scanner of lines that is written here, and ripgrep.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use codecompass_engine::model::SkipReason;
use codecompass_engine::query::{self, CaseMode, Filter, GrepOptions};
use codecompass_engine::{Config, Engine, NoProgress, Snapshot, SyncOptions, sync};
use codecompass_testkit::{Random, TestWorkspace, skip};
use regex::bytes::{Regex, RegexBuilder};

const FILES: u64 = 60;
const MAX_FILE_BYTES: u64 = 30_000;
/// Lines that are longer are not shown whole.
const WHOLE_LINE_BYTES: usize = 512;

/// Words that differ in case, in an ending, or in a letter that has a third case.
const WORDS: &[&str] = &[
    "alpha",
    "Alpha",
    "ALPHA",
    "alphabet",
    "alpha_beta",
    "beta",
    "Beta",
    "get_user",
    "set_user",
    "forget_user",
    "get_user_name",
    "Get_User",
    "größe",
    "GRÖẞE",
    "Größe",
    "x1",
    "x2",
    "x",
    "set",
    "\u{17f}et",
    "k",
    "\u{212a}",
    "日本語",
    "alpha日本",
    "naïve",
    "e\u{301}",
];
const BETWEEN: &[&str] = &[" ", " ", " ", ".", "(", ") ", "-", "::", "\t", ", ", "\"", "$", "!", "\u{a0}", ""];

/// A pattern and what is to be known of it.
struct Asked {
    pattern: &'static str,
    fixed_strings: bool,
    /// True if smart case takes both cases.
    all_lower: bool,
    /// True if whole words are asked for, too.
    word: bool,
}

const fn regex(pattern: &'static str, all_lower: bool, word: bool) -> Asked {
    Asked { pattern, fixed_strings: false, all_lower, word }
}

const fn literal(pattern: &'static str, all_lower: bool, word: bool) -> Asked {
    Asked { pattern, fixed_strings: true, all_lower, word }
}

const ASKED: &[Asked] = &[
    literal("alpha", true, true),
    literal("Alpha", false, true),
    literal("get_user", true, true),
    literal("größe", true, true),
    literal("k", true, true),
    literal("set", true, true),
    literal("x1.alpha", true, true),
    literal("alpha(", true, false),
    literal("日本", true, true),
    literal("nowhere_at_all", true, true),
    regex("alpha|beta", true, true),
    regex(r"(get|set)_user\b", true, true),
    regex(r"(?:\balpha\b|\bBeta\b)", false, false),
    regex(r"\balpha\s*\(", true, false),
    regex(r"\Balpha", true, false),
    regex("^alpha", true, false),
    regex("beta$", true, false),
    regex(r"beta\r?$", true, false),
    regex("[A-Z]lpha", false, false),
    regex(r"\w+_user", true, true),
    regex(r"\bx\d\b", true, true),
    regex("größe.*alpha", true, true),
    regex("(?i)ALPHA_beta", false, true),
    regex(r"\S+\s\S+\s\S+", false, false),
    regex("^$", false, false),
    regex("", false, false),
];

/// A matching line: path, line, column, and the text if it is shown whole.
type Found = BTreeSet<(String, u32, u32, Option<String>)>;

/// Contents of files by their paths.
type Tree = Vec<(String, Vec<u8>)>;

fn line(random: &mut Random) -> String {
    let mut line = String::new();
    for _ in 0..random.below(8) {
        line.push_str(random.pick(WORDS));
        line.push_str(random.pick(BETWEEN));
    }
    line
}

fn text(random: &mut Random) -> String {
    let end = if random.chance(20) { "\r\n" } else { "\n" };
    let mut text: String = (0..random.below(30)).map(|_| line(random) + end).collect();
    if random.chance(25) {
        text.push_str(&line(random));
    }
    text
}

/// Generates files of all shapes that are no trouble elsewhere.
fn generated(seed: u64) -> Tree {
    let mut random = Random::new(seed);
    let mut tree = Tree::new();
    for number in 0..FILES {
        let folder = random.pick(&["", "src/", "src/deep/", "tests/", "docs/"]);
        let extension = random.pick(&[".rs", ".py", ".txt", ".md", ".go", ""]);
        tree.push((format!("{folder}file{number}{extension}"), text(&mut random).into_bytes()));
    }
    let lines: Vec<String> = (0..40).map(|_| line(&mut random)).collect();
    tree.push(("empty.py".into(), Vec::new()));
    tree.push(("line_end.py".into(), b"\n".to_vec()));
    tree.push(("binary.py".into(), [b"alpha\n\0", lines.join("\n").as_bytes()].concat()));
    tree.push(("large.py".into(), lines.join("\n").repeat(1 + MAX_FILE_BYTES as usize / 400).into_bytes()));
    tree.push(("long_lines.js".into(), lines.join(" ").repeat(40).into_bytes()));
    tree.push(("latin1.c".into(), [b"alpha caf\xe9 beta\n", lines.join("\n").as_bytes()].concat()));
    tree.push(("marked.py".into(), ["\u{feff}alpha = 1\n", &lines.join("\n")].concat().into_bytes()));
    tree
}

fn write(workspace: &TestWorkspace, tree: &Tree) {
    tree.iter().for_each(|(path, bytes)| workspace.write_bytes(path, bytes));
}

fn engine(workspace: &TestWorkspace) -> Engine {
    engine_with_trigrams(workspace, &workspace.home(), 0)
}

/// An engine whose texts get filters in trees of so many files.
fn engine_with_trigrams(workspace: &TestWorkspace, home: &Path, from_files: usize) -> Engine {
    let mut config = Config::default();
    config.index.max_file_bytes = MAX_FILE_BYTES;
    config.index.trigrams_from_files = from_files;
    Engine::open(&workspace.root(), home, config).unwrap()
}

/// A pattern of parts of the texts, whole or with something of them left open.
fn pattern(random: &mut Random, texts: &Tree) -> String {
    let mut pattern = String::new();
    for _ in 0..=random.below(3) {
        let (_, bytes) = &texts[random.below(texts.len() as u64) as usize];
        let text: Vec<char> = String::from_utf8_lossy(bytes).chars().filter(|letter| *letter != '\r').collect();
        let start = random.below(text.len().max(1) as u64) as usize;
        let part: String = text[start.min(text.len())..].iter().take(random.below(9) as usize).collect();
        let part = regex::escape(&part);
        let form = random.pick(&["P", "P", "(?:P)?", "(?:P)+", "(?:P|alpha)", "P.*", "[aP]", "(?i:P)", r"\bP", "P{2}"]);
        let part = if form.contains('[') { part.replace(['[', ']', '^', '-', '&', '~'], "") } else { part };
        pattern.push_str(&form.replace('P', &part));
    }
    pattern
}

/// Lets a file look as if it had not changed for an hour.
fn make_old(workspace: &TestWorkspace, path: &str) {
    let file = File::options().write(true).open(workspace.root().join(path)).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
}

#[test]
fn filters_of_large_files_follow_their_changes() {
    let workspace = TestWorkspace::plain("");
    let text = "alpha = 1\n".repeat(MAX_FILE_BYTES as usize / 8);
    workspace.write("large.py", &text);
    make_old(&workspace, "large.py");
    let engine = engine(&workspace).with_snapshot_cache(Arc::default());
    sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    let snapshot = engine.snapshot().unwrap().unwrap();
    let count = |pattern: &str| {
        let answer = query::grep(&snapshot, engine.source(), pattern, &GrepOptions::default()).unwrap();
        (answer.total, answer.searched, answer.unsearched)
    };
    let lines = text.lines().count();
    assert_eq!([count("alpha"), count("gamma"), count("alpha")], [lines, 0, lines].map(|lines| (lines, 1, vec![])));
    workspace.write("large.py", &text.replacen("alpha", "gamma", 2));
    assert_eq!([count("alpha"), count("gamma")], [lines - 2, 2].map(|lines| (lines, 1, vec![])));
    make_old(&workspace, "large.py");
    assert_eq!([count("gamma"), count("delta")], [2, 0].map(|lines| (lines, 1, vec![])));
    workspace.write_bytes("large.py", &[text.as_bytes(), b"\0"].concat());
    make_old(&workspace, "large.py");
    let binary = vec![("large.py".to_string(), SkipReason::Binary)];
    assert_eq!([count("delta"), count("delta")], [0, 0].map(|lines| (lines, 1, binary.clone())));
}

#[test]
fn filters_leave_out_no_match() {
    let mut searched = 0;
    for seed in 0..4 {
        let tree = generated(seed);
        let workspace = TestWorkspace::plain("");
        write(&workspace, &tree);
        make_old(&workspace, "large.py");
        let engines = [
            engine_with_trigrams(&workspace, &workspace.home(), 0).with_snapshot_cache(Arc::default()),
            engine_with_trigrams(&workspace, &workspace.beside("unfiltered"), usize::MAX),
        ];
        let snapshots = engines.each_ref().map(|engine| {
            sync(engine, SyncOptions::default(), &NoProgress).unwrap();
            engine.snapshot().unwrap().unwrap()
        });
        let mut random = Random::new(seed);
        for _ in 0..150 {
            let pattern = pattern(&mut random, &tree);
            let case = *random.pick(&[&CaseMode::Smart, &CaseMode::Sensitive, &CaseMode::Insensitive]);
            let options = GrepOptions { case, multi_line: pattern.contains('\n'), ..GrepOptions::default() };
            let answer = |at: usize| query::grep(&snapshots[at], engines[at].source(), &pattern, &options);
            match (answer(0), answer(1)) {
                (Ok(filtered), Ok(unfiltered)) => {
                    assert_eq!(filtered, unfiltered, "`{pattern}` {case:?}");
                    searched += usize::from(unfiltered.total > 0);
                }
                (filtered, unfiltered) => assert_eq!(filtered.is_err(), unfiltered.is_err(), "`{pattern}`"),
            }
        }
    }
    assert!(searched > 100, "{searched} patterns match");
}

fn options(asked: &Asked, case: CaseMode, word: bool) -> GrepOptions {
    GrepOptions { fixed_strings: asked.fixed_strings, case, word, ..GrepOptions::default() }
}

fn ours(engine: &Engine, snapshot: &Snapshot, asked: &Asked, options: &GrepOptions) -> Found {
    let answer = query::grep(snapshot, engine.source(), asked.pattern, options).unwrap();
    assert_eq!(answer.unsearched, [], "{}", asked.pattern);
    assert_eq!(answer.total, answer.matches.len(), "{}", asked.pattern);
    let in_files: usize = answer.files.iter().map(|(_, count)| count).sum();
    assert_eq!(in_files, answer.total, "{}", asked.pattern);
    let lines = answer.matches.into_iter();
    lines.map(|found| (found.path, found.line, found.column, (!found.is_cut).then_some(found.text))).collect()
}

fn compiled(asked: &Asked, options: &GrepOptions) -> Regex {
    let pattern = if options.fixed_strings { regex::escape(asked.pattern) } else { asked.pattern.to_string() };
    let pattern = if options.word { format!(r"\b{{start-half}}(?:{pattern})\b{{end-half}}") } else { pattern };
    let ignores_case = match options.case {
        CaseMode::Smart => asked.all_lower,
        CaseMode::Sensitive => false,
        CaseMode::Insensitive => true,
    };
    RegexBuilder::new(&pattern).case_insensitive(ignores_case).build().unwrap()
}

fn shown(line: &[u8]) -> Option<String> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    (line.len() <= WHOLE_LINE_BYTES).then(|| String::from_utf8_lossy(line).into_owned())
}

/// Matches every line of every text file.
fn scanned(tree: &Tree, asked: &Asked, options: &GrepOptions) -> Found {
    let regex = compiled(asked, options);
    let mut found = Found::new();
    for (path, bytes) in tree.iter().filter(|(_, bytes)| !bytes.contains(&0)) {
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n');
        for (number, line) in lines.enumerate().filter(|_| !bytes.is_empty()) {
            if let Some(first) = regex.find(line) {
                found.insert((path.clone(), number as u32 + 1, first.start() as u32 + 1, shown(line)));
            }
        }
    }
    found
}

/// Asks ripgrep; `None` if it is not installed.
fn rg(workspace: &TestWorkspace, asked: &Asked, options: &GrepOptions) -> Option<Found> {
    let mut command = Command::new("rg");
    command.args(["--no-config", "--no-ignore", "--line-number", "--column", "--no-heading", "--null"]);
    command.args(["--color=never", "--threads=1"]);
    command.args(options.fixed_strings.then_some("--fixed-strings"));
    command.args(options.word.then_some("--word-regexp"));
    command.arg(match options.case {
        CaseMode::Smart => "--smart-case",
        CaseMode::Sensitive => "--case-sensitive",
        CaseMode::Insensitive => "--ignore-case",
    });
    let output = command.arg("-e").arg(asked.pattern).arg(".").current_dir(workspace.root()).output().ok()?;
    let mut found = Found::new();
    for line in output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let mut parts = line.splitn(2, |byte| *byte == 0);
        let path = String::from_utf8_lossy(parts.next().unwrap()).trim_start_matches("./").to_string();
        let mut parts = parts.next().unwrap().splitn(3, |byte| *byte == b':');
        let mut number = || String::from_utf8_lossy(parts.next().unwrap()).parse::<u32>().unwrap();
        let (line, column) = (number(), number());
        found.insert((path, line, column, shown(parts.next().unwrap())));
    }
    Some(found)
}

/// Calls `check` with every pattern and every treatment of case and words.
fn each(mut check: impl FnMut(&Asked, &GrepOptions)) {
    for asked in ASKED {
        for case in [CaseMode::Smart, CaseMode::Sensitive, CaseMode::Insensitive] {
            for word in [false, true].into_iter().filter(|word| asked.word || !word) {
                check(asked, &options(asked, case, word));
            }
        }
    }
}

#[track_caller]
fn assert_same(ours: &Found, theirs: &Found, asked: &Asked, options: &GrepOptions) {
    let missed: Vec<_> = theirs.difference(ours).take(5).collect();
    let wrong: Vec<_> = ours.difference(theirs).take(5).collect();
    let (pattern, case, word) = (asked.pattern, options.case, options.word);
    assert!(
        missed.is_empty() && wrong.is_empty(),
        "`{pattern}` {case:?} word {word}: missed {missed:?}, wrong {wrong:?}"
    );
}

#[test]
fn finds_what_a_scanner_of_lines_finds() {
    let workspace = TestWorkspace::git("");
    let (old, new) = (generated(1), generated(2));
    write(&workspace, &old);
    workspace.commit("old");
    workspace.run_git(&["branch", "old"]);
    write(&workspace, &new);
    let here = engine(&workspace);
    let there = engine(&workspace).at_ref("old").unwrap();
    for (engine, tree) in [(here, now(&old, &new)), (there, old)] {
        let (snapshot, _) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
        let mut total = 0;
        each(|asked, options| {
            let expected = scanned(&tree, asked, options);
            assert_same(&ours(&engine, &snapshot, asked, options), &expected, asked, options);
            total += expected.len();
        });
        assert!(total > 10_000, "{total} lines match");
    }
}

/// The files of a tree after another was written over it.
fn now(old: &Tree, new: &Tree) -> Tree {
    let rest = old.iter().filter(|(path, _)| new.iter().all(|(other, _)| other != path));
    rest.chain(new).cloned().collect()
}

#[test]
fn finds_what_ripgrep_finds() {
    let workspace = TestWorkspace::plain("");
    write(&workspace, &generated(3));
    let engine = engine(&workspace);
    let (snapshot, _) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    if rg(&workspace, &ASKED[0], &GrepOptions::default()).is_none() {
        return skip("rg is not installed");
    }
    // Before version 14, ripgrep counts some columns of whole words from the letter behind.
    let compared = |found: Found, options: &GrepOptions| -> Found {
        let column = |column| if options.word { 0 } else { column };
        found.into_iter().map(|(path, line, at, text)| (path, line, column(at), text)).collect()
    };
    each(|asked, options| {
        let expected = compared(rg(&workspace, asked, options).unwrap(), options);
        let found = compared(ours(&engine, &snapshot, asked, options), options);
        assert_same(&found, &expected, asked, options);
    });
}

#[test]
fn a_process_that_stays_finds_the_same() {
    let workspace = TestWorkspace::plain("");
    let tree = generated(4);
    write(&workspace, &tree);
    let engine = engine(&workspace).with_snapshot_cache(Arc::default());
    sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    let snapshot = engine.snapshot().unwrap().unwrap();
    each(|asked, options| {
        let expected = scanned(&tree, asked, options);
        assert_same(&ours(&engine, &snapshot, asked, options), &expected, asked, options);
    });
    // What was saved since is found as soon as it is indexed.
    engine.return_snapshot(snapshot);
    workspace.write("later.py", "alpha_of_later = 1\n");
    sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    let snapshot = engine.snapshot().unwrap().unwrap();
    let found = ours(&engine, &snapshot, &literal("alpha_of_later", true, true), &GrepOptions::default());
    assert_eq!(found.len(), 1);
}

/// Files over the size limit of the index are searched, as far as the filters admit them.
#[test]
fn large_files_are_searched() {
    let workspace = TestWorkspace::plain("//- /small.py\nalpha = 1\n");
    workspace.write("large.py", &"alpha = 1\n".repeat(MAX_FILE_BYTES as usize / 5));
    workspace.write("large.txt", &"alpha\n".repeat(MAX_FILE_BYTES as usize / 5));
    let engine = engine(&workspace);
    let (snapshot, _) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    let found = |options: &GrepOptions| {
        let answer = query::grep(&snapshot, engine.source(), "alpha", options).unwrap();
        (answer.files.into_iter().map(|(path, _)| path).collect::<Vec<_>>().join(" "), answer.searched)
    };
    let of_python = Filter { languages: vec!["python".into()], ..Filter::default() };
    let few = |filter| GrepOptions { filter, limit: 3, ..GrepOptions::default() };
    assert_eq!(found(&few(Filter::default())), ("large.py small.py large.txt".into(), 3));
    assert_eq!(found(&few(of_python)), ("large.py small.py".into(), 2));
}

#[test]
fn a_search_that_ends_at_a_nul_byte_says_so() {
    let workspace = TestWorkspace::plain("");
    let lines = "alpha = 1\n".repeat(1000);
    workspace.write_bytes("late.py", &[lines.as_bytes(), b"\0alpha\n"].concat());
    let engine = engine(&workspace);
    let (snapshot, _) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    let answer = query::grep(&snapshot, engine.source(), "alpha", &GrepOptions::default()).unwrap();
    assert_eq!(answer.unsearched, [("late.py".to_string(), SkipReason::Binary)]);
}

#[test]
fn a_language_and_its_dialects() {
    let files = "//- /a.ts\nconst wanted = 1\n//- /b.tsx\nconst wanted = 2\n//- /c.js\nconst wanted = 3\n";
    let workspace = TestWorkspace::plain(files);
    let engine = engine(&workspace);
    let (snapshot, _) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    let paths = |language: &str| -> Vec<String> {
        let filter = Filter { languages: vec![language.into()], ..Filter::default() };
        let options = GrepOptions { filter, limit: 10, ..GrepOptions::default() };
        let found = query::grep(&snapshot, engine.source(), "wanted", &options).unwrap();
        found.matches.into_iter().map(|found| found.path).collect()
    };
    assert_eq!(paths("typescript"), ["a.ts", "b.tsx"]);
    assert_eq!(paths("tsx"), ["b.tsx"]);
    assert_eq!(paths("javascript"), ["c.js"]);
}
