//! `cargo xtask check --figures`: the size and shape of each crate as a table.

use std::collections::BTreeSet;
use std::path::Path;

use crate::check::rules_file::RulesFile;
use crate::check::source::comments::doc_blocks;
use crate::check::source::{Crate, Workspace};
use crate::check::{Violation, circles, file_shape, type_names, wording};
use crate::outcome::Outcome;

/// Prints the table.
pub(crate) fn print(root: &Path) -> Outcome<()> {
    let (workspace, rules) = (Workspace::load(root)?, RulesFile::load(root)?);
    let columns: Vec<Vec<String>> = workspace.crates.iter().map(|krate| figures(&workspace, krate, &rules)).collect();
    let mut table = vec![vec!["product code".to_string()], vec!["---".to_string()]];
    table[0].extend(workspace.crates.iter().map(|krate| krate.name.clone()));
    table[1].resize(workspace.crates.len() + 1, "---".to_string());
    for (row, name) in ROWS.iter().enumerate() {
        let mut cells = vec![(*name).to_string()];
        cells.extend(columns.iter().map(|column| column[row].clone()));
        table.push(cells);
    }
    for cells in table {
        println!("| {} |", cells.join(" | "));
    }
    let lock = std::fs::read_to_string(root.join("Cargo.lock"))?;
    let files: usize = workspace.files().count();
    println!("\npackages in Cargo.lock: {}", lock.lines().filter(|line| *line == "[[package]]").count());
    println!("Rust files with tests: {files}");
    println!("public type names in several crates: {}", type_names::in_workspace(&workspace, &rules).len());
    let product = workspace.crates.iter().filter(|krate| krate.is_product());
    println!("type names of all product crates: {}", repeated_names(product.flat_map(type_names::definitions)));
    Ok(())
}

const ROWS: [&str; 11] = [
    "files",
    "lines",
    "circles of top-level modules (modules, edges in them)",
    "circles of modules in one folder (modules)",
    "circles of files across folders (files)",
    "circles of files, all (files)",
    "type names; defined more than once (definitions, %)",
    "widest folder",
    "doc comments; question words first (%)",
    "comment lines over the width",
    "functions; over the length (longest)",
];

fn figures(workspace: &Workspace, krate: &Crate, rules: &RulesFile) -> Vec<String> {
    let (top, files) = (krate.modules.top_level_edges(&krate.files), krate.modules.file_edges(&krate.files));
    let top_circles = circles::circles_of(&top);
    let size = |circles: &[BTreeSet<&str>]| circles.iter().map(|circle| circle.len()).sum::<usize>();
    let across = circles::circles_between_folders(krate, &files);
    let siblings = krate.modules.sibling_edges(&krate.files);
    let in_folders = circles::circles_of(&siblings);
    let all = circles::circles_of(&files);
    let own = |found: Vec<Violation>| found.iter().filter(|found| found.unit == krate.name).count();
    vec![
        krate.product_files().count().to_string(),
        krate.product_lines().to_string(),
        format!("{} ({}, {})", top_circles.len(), size(&top_circles), own(circles::module_circles(workspace, rules))),
        format!("{} ({})", in_folders.len(), size(&in_folders)),
        format!("{} ({})", across.len(), size(&across)),
        format!("{} ({})", all.len(), size(&all)),
        repeated_names(type_names::definitions(krate)),
        widest_folder(workspace, krate),
        openings(krate, rules),
        own(wording::comment_width(workspace, rules)).to_string(),
        functions(krate, rules),
    ]
}

fn repeated_names<'a>(definitions: impl Iterator<Item = type_names::Definition<'a>>) -> String {
    let names = type_names::by_name(definitions);
    let repeated: Vec<usize> = names.values().map(Vec::len).filter(|definitions| *definitions > 1).collect();
    let all: usize = names.values().map(Vec::len).sum();
    let definitions: usize = repeated.iter().sum();
    format!("{}; {} ({definitions}, {})", names.len(), repeated.len(), percent(definitions, all))
}

fn widest_folder(workspace: &Workspace, krate: &Crate) -> String {
    let folders = file_shape::folders(workspace);
    let own = folders.iter().filter(|((unit, _), _)| *unit == krate.name);
    let widest = own.max_by_key(|(_, files)| files.len());
    widest.map_or_else(String::new, |((_, folder), files)| {
        format!("{} ({})", files.len(), folder.split_once("/src").map_or(*folder, |(_, below)| below))
    })
}

fn openings(krate: &Crate, rules: &RulesFile) -> String {
    let (mut all, mut bad) = (0, 0);
    for file in krate.product_files() {
        for (_, text) in doc_blocks(&file.comments).iter().filter(|(line, _)| !file.is_test_line(*line)) {
            all += 1;
            bad += usize::from(wording::opening(text, rules).is_some());
        }
    }
    format!("{all}; {bad} ({})", percent(bad, all))
}

fn functions(krate: &Crate, rules: &RulesFile) -> String {
    let lengths: Vec<usize> =
        krate.product_files().flat_map(|file| &file.found.functions).map(|function| function.length).collect();
    let long = lengths.iter().filter(|length| **length > rules.limits.function_lines).count();
    format!("{}; {long} ({})", lengths.len(), lengths.iter().max().unwrap_or(&0))
}

fn percent(part: usize, all: usize) -> String {
    format!("{:.0} %", 100.0 * part as f64 / all.max(1) as f64)
}
