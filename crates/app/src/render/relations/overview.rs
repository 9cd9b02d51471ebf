//! Text of `overview`, in at most 1,000 tokens whatever the repository is.

use std::fmt::Write as _;

use anstream::adapter::strip_str;
use codecompass_engine::query::estimate_tokens;

use crate::api::history::hot_spots::PathAuthorView;
use crate::api::relations::overview::{OverviewAnswer, OverviewProjectView, OverviewRequest, ServiceSum};
use crate::remedy::Audience;
use crate::render::history::commits::{day, name_of};
use crate::render::{count, shown};
use crate::terminal::output::{DIM, LINE, NAME, PATH};

/// The most tokens of the text.
const MAX_TOKENS: usize = 1_000;

/// The size of the text: items of each list, and characters of each name.
#[derive(Clone, Copy)]
struct OverviewSize {
    items: usize,
    width: usize,
}

/// Sizes, the largest first; the last one fits in any case.
const SIZES: [OverviewSize; 7] = [
    OverviewSize { items: 12, width: 100 },
    OverviewSize { items: 9, width: 100 },
    OverviewSize { items: 7, width: 80 },
    OverviewSize { items: 5, width: 60 },
    OverviewSize { items: 4, width: 40 },
    OverviewSize { items: 2, width: 24 },
    OverviewSize { items: 1, width: 12 },
];

pub fn text(_request: &OverviewRequest, answer: &OverviewAnswer, audience: Audience) -> String {
    let mut out = String::new();
    for size in SIZES {
        out = sized_text(answer, audience, size);
        if estimate_tokens(&strip_str(&out).to_string()) <= MAX_TOKENS {
            break;
        }
    }
    out
}

fn sized_text(answer: &OverviewAnswer, audience: Audience, size: OverviewSize) -> String {
    let mut out = String::new();
    let (files, symbols) = (count(answer.files, "file"), count(answer.symbols as usize, "symbol"));
    let lines = count(answer.lines as usize, "line");
    let name = clipped(&answer.repository, size.width);
    let _ = writeln!(out, "{NAME}{name}{NAME:#}: {files}, {lines}, {symbols}");
    languages_text(&mut out, answer, size);
    projects_text(&mut out, answer, audience, size);
    entry_points_text(&mut out, answer, audience, size);
    if !answer.central.is_empty() {
        let _ = writeln!(out, "{NAME}most imported{NAME:#} {DIM}(by so many source files){DIM:#}");
        for unit in answer.central.iter().take(size.items) {
            let slash = if unit.is_folder { "/" } else { "" };
            let path = clipped_path(&unit.path, size.width);
            let _ = writeln!(out, "  {LINE}{:>5}{LINE:#}  {PATH}{path}{slash}{PATH:#}", unit.importers);
        }
    }
    endpoints_text(&mut out, answer, audience, size);
    services_text(&mut out, answer, audience);
    tests_text(&mut out, answer, size);
    hot_spots_text(&mut out, answer, audience, size);
    out
}

fn languages_text(out: &mut String, answer: &OverviewAnswer, size: OverviewSize) {
    let has_code = answer.languages.iter().any(|language| language.is_code);
    let shown_languages = answer.languages.iter().filter(|language| language.is_code || !has_code);
    let named: Vec<String> = shown_languages
        .take(size.items)
        .map(|sum| format!("{} {}", sum.language, count(sum.files, "file").replace(" files", "").replace(" file", "")))
        .collect();
    let all = answer.languages.iter().filter(|language| language.is_code || !has_code).count();
    let more = rest(all, named.len());
    if !named.is_empty() {
        let _ = writeln!(out, "{NAME}languages{NAME:#} {DIM}(files){DIM:#}: {}{more}", named.join(", "));
    }
}

fn projects_text(out: &mut String, answer: &OverviewAnswer, audience: Audience, size: OverviewSize) {
    if answer.projects.is_empty() {
        return;
    }
    let total = answer.projects.len();
    let _ = writeln!(out, "{NAME}projects{NAME:#} {DIM}({total}){DIM:#}");
    for project in answer.projects.iter().take(size.items) {
        project_text(out, project, size);
    }
    if total > size.items {
        let more = total - size.items;
        let _ = writeln!(out, "  {DIM}{more} more: {}{DIM:#}", audience.question("projects", "list_projects"));
    }
}

fn project_text(out: &mut String, project: &OverviewProjectView, size: OverviewSize) {
    let folder = if project.folder.is_empty() { "." } else { &project.folder };
    let (name, folder) = (clipped(&project.name, size.width), clipped_path(folder, size.width));
    let _ = write!(out, "  {name}  {DIM}{}{DIM:#}  {PATH}{folder}{PATH:#}", project.kind);
    let named = project.dependencies.len().min(size.items.min(4));
    let names: Vec<String> = project.dependencies.iter().take(named).map(|name| clipped(name, size.width)).collect();
    if !names.is_empty() {
        let more = rest(project.dependencies.len(), named);
        let _ = write!(out, "  {DIM}depends on{DIM:#} {}{more}", names.join(", "));
    }
    let _ = match project.dependents {
        0 => writeln!(out),
        dependents => writeln!(out, "  {DIM}used by {dependents}{DIM:#}"),
    };
}

fn entry_points_text(out: &mut String, answer: &OverviewAnswer, audience: Audience, size: OverviewSize) {
    let total = answer.entry_points_total;
    if total == 0 {
        return;
    }
    let _ = writeln!(out, "{NAME}entry points{NAME:#} {DIM}({total}){DIM:#}");
    for entry in answer.entry_points.iter().take(size.items) {
        let (path, name) = (clipped_path(&entry.path, size.width), clipped(&entry.name, size.width));
        let _ = writeln!(out, "  {PATH}{path}{PATH:#}:{LINE}{}{LINE:#}  {name}", entry.line);
    }
    if total > size.items {
        let role = match audience {
            Audience::Cli => "`codecompass symbols --role entry_point`",
            Audience::Tools => "`find_symbols` with `role` entry_point",
        };
        let _ = writeln!(out, "  {DIM}{} more: {role}{DIM:#}", total - size.items);
    }
}

fn services_text(out: &mut String, answer: &OverviewAnswer, audience: Audience) {
    let ServiceSum { grpc, rpcs, graphql_fields } = answer.services;
    let grpc = (grpc > 0).then(|| format!("{} with {}", count(grpc, "gRPC service"), count(rpcs, "rpc")));
    let fields = (graphql_fields > 0).then(|| count(graphql_fields, "GraphQL field"));
    let counted: Vec<String> = grpc.into_iter().chain(fields).collect();
    if !counted.is_empty() {
        let list = audience.question("services", "list_services");
        let _ = writeln!(out, "{NAME}services{NAME:#}: {}  {DIM}{list}{DIM:#}", counted.join(", "));
    }
}

fn endpoints_text(out: &mut String, answer: &OverviewAnswer, audience: Audience, size: OverviewSize) {
    let sum = &answer.endpoints;
    let list = audience.question("endpoints", "list_endpoints");
    let total = match sum.total {
        Some(0) => return,
        Some(total) => total,
        None => {
            let files = count(sum.files, "file");
            let _ = writeln!(out, "{NAME}endpoints{NAME:#}: {list} lists them; {files} may declare some");
            return;
        }
    };
    let named = sum.frameworks.iter().take(size.items);
    let named: Vec<String> = named.map(|one| format!("{} {}", one.framework, one.endpoints)).collect();
    let more = rest(sum.frameworks.len(), named.len());
    let named = named.join(", ");
    let _ = writeln!(out, "{NAME}endpoints{NAME:#} {DIM}({total}){DIM:#}: {named}{more}  {DIM}{list}{DIM:#}");
}

fn tests_text(out: &mut String, answer: &OverviewAnswer, size: OverviewSize) {
    let tests = &answer.tests;
    if tests.files + tests.functions == 0 {
        return;
    }
    let folder = |path: &str| if path.is_empty() { ".".to_string() } else { clipped_path(path, size.width) };
    let places = tests.folders.iter().take(size.items.min(5));
    let places: Vec<String> = places.map(|it| format!("{} {}", folder(&it.path), it.count)).collect();
    let more = rest(tests.folders.len(), places.len());
    let places = if places.is_empty() { String::new() } else { format!(": {}{more}", places.join(", ")) };
    let functions = match tests.functions {
        0 => String::new(),
        functions => format!("{}, ", count(functions, "test function")),
    };
    let _ = writeln!(out, "{NAME}tests{NAME:#}: {functions}{}{places}", count(tests.files, "file"));
}

fn hot_spots_text(out: &mut String, answer: &OverviewAnswer, audience: Audience, size: OverviewSize) {
    let Some(spots) = &answer.hot_spots else {
        if answer.has_commits {
            let history = audience.question("history", "search_history");
            let _ = writeln!(out, "{DIM}most changed files are known once {history} has read the commits{DIM:#}");
        }
        return;
    };
    if spots.files.is_empty() {
        return;
    }
    let commits = count(spots.commits, "commit");
    let since = spots.since.as_deref().map(|since| format!(" since {}", day(since))).unwrap_or_default();
    let people = authors_text(&spots.authors, size);
    let _ = writeln!(
        out,
        "{NAME}most changed{NAME:#} {DIM}({commits}{since}, new ones count more;{DIM:#} {people}{DIM}){DIM:#}"
    );
    for file in spots.files.iter().take(size.items) {
        let path = clipped_path(&file.path, size.width);
        let people = authors_text(&file.authors[..file.authors.len().min(1)], size);
        let _ = writeln!(out, "  {LINE}{:>5}{LINE:#}  {PATH}{path}{PATH:#}  {people}", file.commits);
    }
}

fn authors_text(authors: &[PathAuthorView], size: OverviewSize) -> String {
    let name = |author: &PathAuthorView| clipped(name_of(&author.author), size.width);
    let author = |it: &PathAuthorView| format!("{} {:.0}%", name(it), it.share * 100.0);
    authors.iter().map(author).collect::<Vec<_>>().join(", ")
}

/// Returns the number of items that are not named.
fn rest(all: usize, named: usize) -> String {
    match all.saturating_sub(named) {
        0 => String::new(),
        more => format!(" {DIM}and {more} more{DIM:#}"),
    }
}

/// Returns a name of at most `width` characters.
fn clipped(name: &str, width: usize) -> String {
    let name = shown(name);
    if name.chars().count() > width {
        format!("{}…", name.chars().take(width).collect::<String>())
    } else {
        name.into_owned()
    }
}

/// Returns the end of a path, in at most `width` characters.
fn clipped_path(path: &str, width: usize) -> String {
    let path = shown(path);
    let length = path.chars().count();
    if length > width {
        format!("…{}", path.chars().skip(length - width).collect::<String>())
    } else {
        path.into_owned()
    }
}
