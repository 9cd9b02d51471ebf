//! `Cargo.toml`: packages and workspaces. Only dependencies with a path are in the repository;
//! those with a version alone come from a registry.

use crate::manifests::facts::{
    DeclaredDependency, DeclaredProject, DependencyTarget, ManifestFacts, ManifestKind, ManifestProblem, ManifestText,
    MemberPattern, SharedPath,
};
use crate::manifests::values::{ManifestNode, toml};

pub(in crate::manifests) const KIND: ManifestKind =
    ManifestKind { name: "cargo", files: &["Cargo.toml"], is_one_by_folder: true, read };

const TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

fn read(file: ManifestText<'_>) -> Result<ManifestFacts, ManifestProblem> {
    let root = toml(file.text)?;
    let mut facts = ManifestFacts::default();
    if let Some(package) = root.get("package") {
        let name = package.get("name");
        let mut dependencies = Vec::new();
        add_tables(&root, &mut dependencies);
        for (_, target) in root.get("target").map_or(&[][..], ManifestNode::entries) {
            add_tables(target, &mut dependencies);
        }
        facts.projects.push(DeclaredProject {
            name: name.and_then(ManifestNode::text).unwrap_or_default().to_string(),
            line: name.map_or(package.line, |name| name.line),
            dependencies,
            ..DeclaredProject::default()
        });
    }
    let Some(workspace) = root.get("workspace") else { return Ok(facts) };
    let patterns = |key: &str| workspace.get(key).into_iter().flat_map(ManifestNode::texts);
    facts.members.extend(patterns("members").map(|(pattern, line)| MemberPattern::new(pattern, line)));
    let excluded = |(pattern, line)| MemberPattern { is_excluded: true, ..MemberPattern::new(pattern, line) };
    facts.members.extend(patterns("exclude").map(excluded));
    for (name, dependency) in workspace.get("dependencies").map_or(&[][..], ManifestNode::entries) {
        if let Some(path) = dependency.get("path").and_then(ManifestNode::text) {
            facts.shared.push(SharedPath { name: name.clone(), path: path.replace('\\', "/") });
        }
    }
    Ok(facts)
}

fn add_tables(node: &ManifestNode, dependencies: &mut Vec<DeclaredDependency>) {
    for table in TABLES {
        for (name, dependency) in node.get(table).map_or(&[][..], ManifestNode::entries) {
            let target = match dependency.get("path").and_then(ManifestNode::text) {
                Some(path) => DependencyTarget::Path(path.replace('\\', "/")),
                None if dependency.get("workspace").is_some_and(ManifestNode::is_true) => DependencyTarget::Shared,
                None => continue,
            };
            dependencies.push(DeclaredDependency { name: name.clone(), target, line: dependency.line });
        }
    }
}
