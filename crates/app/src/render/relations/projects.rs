//! Text of `projects`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::api::relations::projects::{ListedProjectView, ProjectsAnswer, ProjectsRequest};
use crate::remedy::Audience;
use crate::render::{count, more_text, shown};
use crate::terminal::output::{DIM, KIND, LINE, NAME, PATH};

/// Columns of a name beyond which the rest is not aligned.
const MAX_WIDTH: usize = 40;
/// Dependencies of one project that text names; JSON has all.
const MAX_DEPENDENCIES: usize = 20;
/// Problems that text names; JSON has more.
const MAX_PROBLEMS: usize = 20;

pub fn text(request: &ProjectsRequest, answer: &ProjectsAnswer, audience: Audience) -> String {
    let mut out = String::new();
    summary(&mut out, answer);
    let width = answer.projects.iter().map(|it| it.name.chars().count()).filter(|width| *width <= MAX_WIDTH).max();
    let kind_width = answer.projects.iter().map(|project| project.kind.len()).max().unwrap_or(0);
    for project in &answer.projects {
        project_text(&mut out, project, width.unwrap_or(0), kind_width);
    }
    let more = request.page().behind(answer.totals.found, answer.projects.len());
    if more > 0 {
        out.push_str(&more_text(more, audience));
    }
    if request.name.is_none() && request.kind.is_empty() {
        problems_text(&mut out, answer);
    } else if answer.totals.problems > 0 {
        let what = count(answer.totals.problems, "problem");
        let _ = writeln!(out, "{DIM}{what} in manifests; the whole list names them{DIM:#}");
    }
    out
}

fn summary(out: &mut String, answer: &ProjectsAnswer) {
    let totals = &answer.totals;
    if totals.all == 0 {
        let _ = writeln!(out, "no manifest of a project was found");
        return;
    }
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    answer.projects.iter().for_each(|project| *kinds.entry(project.kind).or_default() += 1);
    let kinds: Vec<String> = kinds.into_iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    let found = if totals.found == totals.all {
        count(totals.all, "project")
    } else {
        format!("{} of {}", totals.found, count(totals.all, "project"))
    };
    let kinds = if kinds.is_empty() { String::new() } else { format!(" {DIM}({}){DIM:#}", kinds.join(", ")) };
    let _ = write!(out, "{NAME}{found}{NAME:#}{kinds}");
    let _ = match totals.dependencies {
        0 => writeln!(out),
        1 => writeln!(out, ", 1 dependency on another"),
        dependencies => writeln!(out, ", {dependencies} dependencies on each other"),
    };
}

fn project_text(out: &mut String, project: &ListedProjectView, width: usize, kind_width: usize) {
    let ListedProjectView { name, kind, manifest, files, symbols, .. } = project;
    let (name, path, line) = (shown(name), shown(&manifest.path), manifest.line);
    let size = format!("{}, {}", count(*files, "file"), count(*symbols as usize, "symbol"));
    let _ = write!(out, "{NAME}{name:<width$}{NAME:#}  {KIND}{kind:<kind_width$}{KIND:#}  ");
    let _ = write!(out, "{PATH}{path}{PATH:#}:{LINE}{line}{LINE:#}  {DIM}{size}{DIM:#}");
    let folder = manifest.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let _ = if folder == project.folder {
        writeln!(out)
    } else {
        writeln!(out, "  {DIM}in{DIM:#} {PATH}{}{PATH:#}", shown(&project.folder))
    };
    if project.dependencies.is_empty() {
        return;
    }
    let named = project.dependencies.iter().take(MAX_DEPENDENCIES).map(|dependency| {
        let (declared, name) = (&dependency.declared, shown(&dependency.name));
        if declared.path == manifest.path {
            format!("{name} {DIM}:{}{DIM:#}", declared.line)
        } else {
            format!("{name} {DIM}{}:{}{DIM:#}", shown(&declared.path), declared.line)
        }
    });
    let mut named: Vec<String> = named.collect();
    if project.dependencies.len() > MAX_DEPENDENCIES {
        named.push(format!("{DIM}{} more{DIM:#}", project.dependencies.len() - MAX_DEPENDENCIES));
    }
    let _ = writeln!(out, "    {DIM}depends on{DIM:#} {}", named.join(", "));
}

fn problems_text(out: &mut String, answer: &ProjectsAnswer) {
    let totals = &answer.totals;
    if totals.problems > 0 {
        let _ = writeln!(out, "\n{NAME}{}{NAME:#}", count(totals.problems, "problem"));
        for problem in answer.problems.iter().take(MAX_PROBLEMS) {
            let (path, reason) = (shown(&problem.path), shown(&problem.reason));
            let _ = writeln!(out, "  {PATH}{path}{PATH:#}:{LINE}{}{LINE:#} {reason}", problem.line);
        }
        if totals.problems > MAX_PROBLEMS {
            let _ = writeln!(out, "  {DIM}{} more{DIM:#}", totals.problems - MAX_PROBLEMS);
        }
    }
    if totals.left_out > 0 {
        let first: Vec<_> = answer.left_out.iter().take(3).map(|path| shown(path)).collect();
        let more = if totals.left_out > first.len() { ", …" } else { "" };
        let what = count(totals.left_out, "manifest");
        let _ = writeln!(
            out,
            "{DIM}left out, since tests or examples hold them and no workspace does: {what} ({}{more}){DIM:#}",
            first.join(", ")
        );
    }
}
