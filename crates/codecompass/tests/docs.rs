//! Keeps the hand-written documents true: the examples of README.md print what it shows, its tables
//! are complete, links and paths lead to files that exist, and prose is wrapped.
//!
//! `UPDATE_EXPECT=1 cargo test -p codecompass --test docs` writes the outputs in README.md anew.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests may fail loudly and read variables")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use codecompass_testkit::TestWorkspace;

const PROGRAM: &str = env!("CARGO_BIN_EXE_codecompass");

/// The longest README that a reader still scrolls through.
const README_MAX_LINES: usize = 120;

/// The widest line of prose; tables and code may be wider.
const MAX_COLUMNS: usize = 100;

/// Pages that `cargo xtask` writes.
const GENERATED: &[&str] = &["cli.md", "languages.md", "ranking.md", "agent-session.md"];

/// The repository that the examples of README.md are about, as committed on its main branch.
const SHOP: &str = r#"
//- /shop/orders.py
"""Orders and where they are kept."""

import json


class Order:
    def __init__(self, number, total):
        self.number = number
        self.total = total
        self.is_paid = False


class OrderStore:
    """Keeps orders in a file, one line each."""

    def __init__(self, path):
        self.path = path

    def save(self, order):
        """Appends the order to the file."""
        with open(self.path, "a") as file:
            file.write(json.dumps(vars(order)) + "\n")
//- /shop/drafts.py
"""Carts that are not ordered yet."""


class DraftStore:
    def __init__(self):
        self.drafts = {}

    def save(self, customer, draft):
        self.drafts[customer] = draft


def keep_draft(drafts: DraftStore, customer, draft):
    drafts.save(customer, draft)
//- /shop/importer.py
"""Orders from other shops."""

from shop.orders import Order, OrderStore


def import_orders(path, rows):
    orders = OrderStore(path)
    for number, total in rows:
        orders.save(Order(number, total))


def copy_all(source, target):
    for item in source:
        target.save(item)
//- /shop/payment.py
"""Charging cards."""

import time

from shop.orders import Order

ATTEMPTS = 3


class Declined(Exception):
    """The bank refused the card."""


def charge(gateway, order: Order):
    """Charges the total of an order to a card."""
    for attempt in range(ATTEMPTS):
        try:
            return gateway.charge(order.number, order.total)
        except Declined:
            # A payment that failed is tried again after a pause that doubles.
            time.sleep(2**attempt)
    raise Declined(order.number)


def checkout(gateway, order: Order):
    """Charges the card and marks the order as paid."""
    charge(gateway, order)
    order.is_paid = True
//- /tests/test_payment.py
from shop.orders import Order
from shop.payment import checkout


class Gateway:
    def charge(self, number, total):
        return "ok"


def test_checkout_marks_the_order_as_paid():
    order = Order(1, 20)
    checkout(Gateway(), order)
    assert order.is_paid
"#;

/// Runs every `console` block of README.md in the shop, on a branch with an uncommitted edit.
#[test]
fn readme_examples_print_what_readme_shows() {
    let workspace = TestWorkspace::git(SHOP);
    workspace.run_git(&["checkout", "--quiet", "-b", "shorter-pauses"]);
    let payment = std::fs::read_to_string(workspace.root().join("shop/payment.py")).unwrap();
    workspace.write("shop/payment.py", &payment.replace("2**attempt", "min(2**attempt, 8)"));

    let file = root().join("README.md");
    let readme = std::fs::read_to_string(&file).unwrap();
    let mut printed = String::new();
    let mut examples = 0;
    let mut is_example = false;
    for line in readme.lines() {
        if line.starts_with("```") {
            is_example = line == "```console";
        }
        let command = line.strip_prefix("$ codecompass ").filter(|_| is_example);
        if !is_example || command.is_some() || line.starts_with("```") {
            printed.push_str(line);
            printed.push('\n');
        }
        if let Some(command) = command {
            let arguments = split_words(command);
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            printed.push_str(&workspace.run(PROGRAM, &arguments).found());
            examples += 1;
        }
    }
    assert!(examples >= 3, "README.md shows {examples} examples");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&file, &printed).unwrap();
    } else if let Some((line, (shown, now))) = first_difference(&readme, &printed) {
        panic!(
            "README.md:{line} shows\n  {shown}\nwhere the program prints\n  {now}\n\
             `UPDATE_EXPECT=1 cargo test -p codecompass --test docs` writes it anew"
        );
    }
}

#[test]
fn readme_is_short_and_names_every_command_and_language() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let lines = readme.lines().count();
    assert!(lines <= README_MAX_LINES, "README.md has {lines} lines, more than {README_MAX_LINES}");

    let help = TestWorkspace::plain("").run(PROGRAM, &["--help"]).found();
    let commands: BTreeSet<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    let listed: BTreeSet<&str> = section(&readme, "Commands")
        .lines()
        .filter(|line| line.starts_with("| "))
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .collect();
    assert_eq!(listed, commands, "the table of commands in README.md and `codecompass --help` differ");

    let languages = std::fs::read_to_string(root().join("docs/languages.md")).unwrap();
    let known: BTreeSet<&str> = languages
        .lines()
        .skip_while(|line| !line.starts_with("| language |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .filter_map(|line| line.split('|').nth(1))
        .map(str::trim)
        .collect();
    let text = section(&readme, "Languages").replace('\n', " ");
    let named: BTreeSet<&str> = text.split([',', '.', ':']).map(str::trim).collect();
    for name in known {
        let plural = format!("{name}s");
        assert!(named.contains(name) || named.contains(plural.as_str()), "README.md does not name {name}");
    }
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut dead = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for target in prose(&text).iter().flat_map(|(_, line)| links(line)) {
            if target.contains("://") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((&target, ""));
            let file = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let is_dead = match std::fs::read_to_string(&file) {
                Ok(text) => !heading.is_empty() && !headings(&text).contains(heading),
                Err(_) => !file.exists(),
            };
            if is_dead {
                dead.push(format!("{}: {target}", shown(&page)));
            }
        }
    }
    assert!(dead.is_empty(), "links that lead nowhere:\n{}", dead.join("\n"));
}

#[test]
fn paths_in_the_docs_exist() {
    const FOLDERS: [&str; 8] = [".cargo/", ".ci/", "crates/", "docs/", "eval/", "fuzz/", "tests/clients", "xtask/"];
    let mut missing = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for (number, line) in prose(&text) {
            for code in line.split('`').skip(1).step_by(2) {
                let path = code.split_whitespace().next().unwrap_or_default();
                let is_pattern = path.contains(['<', '*', '…', '{']);
                if FOLDERS.iter().any(|folder| path.starts_with(folder)) && !is_pattern && !root().join(path).exists() {
                    missing.push(format!("{}:{number}: {path}", shown(&page)));
                }
            }
        }
    }
    assert!(missing.is_empty(), "paths that do not exist:\n{}", missing.join("\n"));
}

#[test]
fn prose_is_wrapped() {
    let mut wide = Vec::new();
    for page in pages().into_iter().filter(|page| !page.ends_with("ARCHITECTURE.md")) {
        let text = std::fs::read_to_string(&page).unwrap();
        for (number, line) in prose(&text) {
            let is_table = line.trim_start().starts_with('|');
            if !is_table && line.chars().count() > MAX_COLUMNS && line.trim().contains(' ') {
                wide.push(format!("{}:{number}", shown(&page)));
            }
        }
    }
    assert!(wide.is_empty(), "lines of more than {MAX_COLUMNS} characters:\n{}", wide.join("\n"));
}

fn root() -> PathBuf {
    dunce::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

/// Returns the hand-written pages.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = ["README.md", "AGENTS.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"]
        .map(|name| root().join(name))
        .into();
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.ends_with(".md") && !GENERATED.contains(&name) {
            pages.push(path);
        }
    }
    pages.sort();
    pages
}

fn shown(page: &Path) -> String {
    page.strip_prefix(root()).unwrap().display().to_string()
}

/// Splits a command line at blanks outside of double quotes.
fn split_words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_string).collect(),
        _ => vec![part.to_string()],
    });
    words.collect()
}

/// Returns the number of the first line in which two texts differ, and both lines.
fn first_difference<'a>(shown: &'a str, now: &'a str) -> Option<(usize, (&'a str, &'a str))> {
    let longest = shown.lines().count().max(now.lines().count());
    let mut lines = shown.lines().chain(std::iter::repeat("")).zip(now.lines().chain(std::iter::repeat("")));
    (1..=longest).zip(lines.by_ref()).find(|(_, (shown, now))| shown != now)
}

/// Returns the text below a heading of the second level.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let start = text.find(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no section {heading}"));
    let text = &text[start + heading.len() + 5..];
    text.split("\n## ").next().unwrap_or(text)
}

/// Returns the lines outside of code blocks and generated parts, with their numbers.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    let (mut is_fenced, mut is_generated, mut is_indented) = (false, false, false);
    let mut follows_blank = true;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        }
        if line.starts_with("<!--") {
            is_generated = line.contains(": generated by");
        }
        is_indented = line.starts_with("    ") && (is_indented || follows_blank);
        if !is_fenced && !is_generated && !is_indented {
            lines.push((number, line));
        }
        follows_blank = line.trim().is_empty();
    }
    lines
}

/// Returns the targets of the Markdown links in a line.
fn links(line: &str) -> Vec<String> {
    let targets = line.split("](").skip(1);
    targets.filter_map(|rest| rest.split_once(')').map(|(target, _)| target.to_string())).collect()
}

/// Returns the anchors of a page's headings.
fn headings(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let anchor = |heading: &str| -> String {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    headings.map(anchor).collect()
}
