//! `pom.xml`: modules and their dependencies by group and artifact.

use crate::manifests::facts::{
    DeclaredDependency, DeclaredProject, ManifestFacts, ManifestKind, ManifestProblem, ManifestText, MemberPattern,
};
use crate::manifests::xml::{Element, xml};

pub(in crate::manifests) const KIND: ManifestKind =
    ManifestKind { name: "maven", files: &["pom.xml"], is_one_by_folder: true, read };

fn read(file: ManifestText<'_>) -> Result<ManifestFacts, ManifestProblem> {
    let root = xml(file.text)?;
    let Some(artifact) = root.child("artifactId") else {
        return Err(ManifestProblem::new(root.line, "has no artifactId"));
    };
    let parent = root.child("parent").and_then(|parent| parent.child_text("groupId"));
    let group = root.child_text("groupId").or(parent).unwrap_or_default();
    // Profiles have modules and dependencies, too.
    let profiles = root.child("profiles").map_or(&[][..], |it| &it.children);
    let parts: Vec<&Element> = std::iter::once(&root).chain(profiles).collect();
    let listed = |list: &'static str, item: &'static str| {
        let lists = parts.iter().filter_map(move |part| part.child(list));
        lists.flat_map(|list| &list.children).filter(move |child| child.name == item)
    };
    let members = listed("modules", "module").map(|module| MemberPattern::new(module.text(), module.line)).collect();
    let dependencies = listed("dependencies", "dependency").filter_map(|it| dependency(it, group)).collect();
    let name = artifact.text().to_string();
    let aliases = vec![format!("{group}:{name}")];
    let project = DeclaredProject { name, aliases, line: artifact.line, dependencies, ..DeclaredProject::default() };
    Ok(ManifestFacts { projects: vec![project], members, shared: Vec::new() })
}

fn dependency(element: &Element, own_group: &str) -> Option<DeclaredDependency> {
    let artifact = element.child("artifactId")?;
    let name = match element.child_text("groupId").unwrap_or_default() {
        "${project.groupId}" | "${groupId}" | "${pom.groupId}" | "${project.parent.groupId}" => {
            format!("{own_group}:{}", artifact.text())
        }
        // The value of another property is not known; the artifact is.
        group if group.contains("${") => artifact.text().to_string(),
        group => format!("{group}:{}", artifact.text()),
    };
    Some(DeclaredDependency::by_name(&name, artifact.line))
}
