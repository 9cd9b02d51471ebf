//! `package.json` with the workspaces of npm, Yarn and Bun, `pnpm-workspace.yaml`, `lerna.json`,
//! and the `project.json` of Nx. Turborepo builds on the workspaces.

use crate::manifests::facts::{
    DeclaredDependency, DeclaredProject, DependencyTarget, ManifestFacts, ManifestKind, ManifestProblem, ManifestText,
    MemberPattern,
};
use crate::manifests::values::{ManifestNode, json, yaml_list};

pub(in crate::manifests) const KIND: ManifestKind = ManifestKind {
    name: "npm",
    files: &["package.json", "project.json", "pnpm-workspace.yaml", "lerna.json"],
    is_one_by_folder: true,
    read,
};

const TABLES: [&str; 4] = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
/// Versions that name a folder.
const PATH_PROTOCOLS: [&str; 3] = ["file:", "link:", "portal:"];

fn read(file: ManifestText<'_>) -> Result<ManifestFacts, ManifestProblem> {
    if file.name == "pnpm-workspace.yaml" {
        let members = yaml_list(file.text, "packages");
        let members = members.iter().map(|(pattern, line)| MemberPattern::new(pattern, *line)).collect();
        return Ok(ManifestFacts { members, ..ManifestFacts::default() });
    }
    let root = json(file.text)?;
    Ok(match file.name {
        "project.json" => nx_project(&root),
        "lerna.json" => ManifestFacts { members: members(root.get("packages")), ..ManifestFacts::default() },
        _ => package(&root),
    })
}

fn members(list: Option<&ManifestNode>) -> Vec<MemberPattern> {
    list.into_iter().flat_map(ManifestNode::texts).map(|(pattern, line)| MemberPattern::new(pattern, line)).collect()
}

fn package(root: &ManifestNode) -> ManifestFacts {
    let workspaces = root.get("workspaces");
    // A list, or a table that has one.
    let members = members(workspaces.map(|node| node.get("packages").unwrap_or(node)));
    let mut dependencies = Vec::new();
    for table in TABLES {
        for (name, version) in root.get(table).map_or(&[][..], ManifestNode::entries) {
            dependencies.push(dependency(name, version));
        }
    }
    dependencies.dedup_by(|a, b| a.name == b.name);
    let name = root.get("name").filter(|name| name.text().is_some_and(|text| !text.is_empty()));
    // A file that only says how modules are loaded is no package.
    let is_package = name.is_some() || !members.is_empty() || !dependencies.is_empty();
    let project = DeclaredProject {
        name: name.and_then(ManifestNode::text).unwrap_or_default().to_string(),
        line: name.map_or(1, |name| name.line),
        dependencies,
        ..DeclaredProject::default()
    };
    ManifestFacts { projects: if is_package { vec![project] } else { Vec::new() }, members, shared: Vec::new() }
}

fn dependency(name: &str, version: &ManifestNode) -> DeclaredDependency {
    let written = version.text().unwrap_or_default();
    if let Some(path) = PATH_PROTOCOLS.iter().find_map(|protocol| written.strip_prefix(protocol)) {
        return DeclaredDependency::by_path(name, path, version.line);
    }
    match written.strip_prefix("workspace:") {
        Some(path) if path.starts_with('.') => DeclaredDependency::by_path(name, path, version.line),
        // `workspace:other@^` is a project under another name.
        Some(rest) => {
            let at = rest.rfind('@').filter(|at| *at > 0);
            DeclaredDependency::by_name(at.map_or(name, |at| &rest[..at]), version.line)
        }
        None => DeclaredDependency { name: name.to_string(), target: DependencyTarget::Member, line: version.line },
    }
}

fn nx_project(root: &ManifestNode) -> ManifestFacts {
    let is_nx =
        ["targets", "sourceRoot", "projectType", "implicitDependencies"].iter().any(|key| root.get(key).is_some());
    if !is_nx {
        return ManifestFacts::default();
    }
    let name = root.get("name");
    let implicit = root.get("implicitDependencies").into_iter().flat_map(ManifestNode::texts);
    let implicit = implicit.filter(|(name, _)| !name.starts_with('!') && !name.contains('*'));
    let text = name.and_then(ManifestNode::text).unwrap_or_default();
    ManifestFacts::of(DeclaredProject {
        name: text.to_string(),
        aliases: if text.is_empty() { Vec::new() } else { vec![text.to_string()] },
        line: name.map_or(1, |name| name.line),
        dependencies: implicit.map(|(name, line)| DeclaredDependency::by_name(name, line)).collect(),
        ..DeclaredProject::default()
    })
}
