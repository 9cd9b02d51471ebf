//! Projects of MSBuild (`.csproj` and the like) with their project references, and solutions
//! (`.sln`, `.slnx`), which list projects.

use crate::manifests::facts::{
    DeclaredDependency, DeclaredProject, ManifestFacts, ManifestKind, ManifestProblem, ManifestText, MemberPattern,
};
use crate::manifests::xml::{Element, xml};

pub(in crate::manifests) const KIND: ManifestKind = ManifestKind {
    name: "dotnet",
    files: &["*.csproj", "*.fsproj", "*.vbproj", "*.sln", "*.slnx"],
    is_one_by_folder: false,
    read,
};

fn read(file: ManifestText<'_>) -> Result<ManifestFacts, ManifestProblem> {
    if file.name.ends_with(".sln") {
        return Ok(ManifestFacts { members: solution(file.text), ..ManifestFacts::default() });
    }
    let root = xml(file.text)?;
    let mut elements = Vec::new();
    root.visit(&mut |element| elements.push(element));
    if file.name.ends_with(".slnx") {
        let projects = elements.into_iter().filter(|element| element.name == "Project");
        let members = projects.filter_map(|it| Some(MemberPattern::new(it.attribute("Path")?, it.line)));
        let members = members.filter(|member| is_project(&member.pattern)).collect();
        return Ok(ManifestFacts { members, ..ManifestFacts::default() });
    }
    let mut project = DeclaredProject { name: file.stem().to_string(), line: root.line, ..DeclaredProject::default() };
    for element in elements {
        match element.name.as_str() {
            "ProjectReference" => project.dependencies.extend(references(element)),
            "AssemblyName" if !element.text().is_empty() => project.aliases.push(element.text().to_string()),
            _ => {}
        }
    }
    Ok(ManifestFacts::of(project))
}

fn references(element: &Element) -> Vec<DeclaredDependency> {
    let included = element.attribute("Include").unwrap_or_default();
    let paths = included.split(';').map(str::trim).filter(|path| !path.is_empty());
    let reference = |path: &str| {
        let path = path.replace('\\', "/");
        let name = path.rsplit('/').next().unwrap_or(&path);
        let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        if path.contains(['$', '*', '@']) {
            // The value of a property is not known; the name of the project is.
            DeclaredDependency::by_name(name, element.line)
        } else {
            DeclaredDependency::by_path(name, &path, element.line)
        }
    };
    paths.map(reference).collect()
}

fn is_project(path: &str) -> bool {
    path.ends_with("proj")
}

/// Reads lines such as `Project("{…}") = "Core", "src\Core\Core.csproj", "{…}"`.
fn solution(text: &str) -> Vec<MemberPattern> {
    let member = |(number, line): (usize, &str)| {
        let line = line.trim_start().strip_prefix("Project(")?;
        let (_, behind) = line.split_once('=')?;
        let path = behind.split('"').nth(3)?;
        is_project(path).then(|| MemberPattern::new(path, number as u32 + 1))
    };
    text.lines().enumerate().filter_map(member).collect()
}
