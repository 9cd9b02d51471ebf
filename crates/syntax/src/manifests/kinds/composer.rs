//! `composer.json`: packages, and repositories that are folders.

use crate::manifests::facts::{
    DeclaredDependency, DeclaredProject, ManifestFacts, ManifestKind, ManifestProblem, ManifestText, MemberPattern,
};
use crate::manifests::values::{ManifestNode, json};

pub(in crate::manifests) const KIND: ManifestKind =
    ManifestKind { name: "composer", files: &["composer.json"], is_one_by_folder: true, read };

fn read(file: ManifestText<'_>) -> Result<ManifestFacts, ManifestProblem> {
    let root = json(file.text)?;
    let repositories = root.get("repositories");
    // A list, or a table by name.
    let items = repositories.map_or(&[][..], ManifestNode::items).iter();
    let named = repositories.map_or(&[][..], ManifestNode::entries).iter().map(|(_, node)| node);
    let is_folder = |node: &&ManifestNode| node.get("type").and_then(ManifestNode::text) == Some("path");
    let members = items.chain(named).filter(is_folder).filter_map(|node| {
        let url = node.get("url")?;
        Some(MemberPattern::new(url.text()?, url.line))
    });
    let members = members.collect();
    let dependency = |(name, node): &(String, ManifestNode)| DeclaredDependency::by_name(name, node.line);
    let tables = ["require", "require-dev"].iter().filter_map(|key| root.get(key));
    let dependencies: Vec<DeclaredDependency> = tables.flat_map(ManifestNode::entries).map(dependency).collect();
    let name = root.get("name");
    let project = DeclaredProject {
        name: name.and_then(ManifestNode::text).unwrap_or_default().to_string(),
        line: name.map_or(1, |name| name.line),
        dependencies,
        ..DeclaredProject::default()
    };
    Ok(ManifestFacts { projects: vec![project], members, shared: Vec::new() })
}
