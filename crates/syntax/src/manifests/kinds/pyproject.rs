//! `pyproject.toml` with the workspaces of uv and Hatch and the path dependencies of Poetry;
//! `setup.cfg` and `setup.py` where they name the project plainly.

use regex::Regex;
use std::sync::LazyLock;

use crate::manifests::facts::{
    DeclaredDependency, DeclaredProject, DependencyTarget, ManifestFacts, ManifestKind, ManifestProblem, ManifestText,
    MemberPattern,
};
use crate::manifests::values::{ManifestNode, toml};
use crate::manifests::words::{bracketed, line_at, without_comments};

pub(in crate::manifests) const KIND: ManifestKind = ManifestKind {
    name: "pyproject",
    files: &["pyproject.toml", "setup.cfg", "setup.py"],
    is_one_by_folder: true,
    read,
};

/// Bytes of the call in `setup.py` that are looked at.
const MAX_CALL: usize = 64 << 10;

#[expect(clippy::expect_used, reason = "a constant expression")]
static SETUP_NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?:^|[\s,(])name\s*=\s*["']([^"'\n]+)["']"#).expect("a valid expression"));

fn read(file: ManifestText<'_>) -> Result<ManifestFacts, ManifestProblem> {
    match file.name {
        "setup.py" => Ok(setup_program(file.text)),
        "setup.cfg" => Ok(setup_settings(file.text)),
        _ => Ok(pyproject(&toml(file.text)?)),
    }
}

/// Returns a name as all its spellings mean it.
fn normal(name: &str) -> String {
    let lower = name.to_lowercase();
    lower.split(['-', '_', '.']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

fn project(name: &str, line: u32, dependencies: Vec<DeclaredDependency>) -> DeclaredProject {
    DeclaredProject {
        name: name.to_string(),
        aliases: vec![normal(name)],
        line,
        dependencies,
        ..DeclaredProject::default()
    }
}

/// Returns the name of what a requirement such as `a[b]>=1` asks for.
fn required(requirement: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let requirement = requirement.trim();
    &requirement[..requirement.find(|c: char| !is_part(c)).unwrap_or(requirement.len())]
}

fn pyproject(root: &ManifestNode) -> ManifestFacts {
    let members = ["members", "exclude"].iter().flat_map(|key| {
        let list = root.at(&["tool", "uv", "workspace", key]);
        list.into_iter().flat_map(ManifestNode::texts).map(|(pattern, line)| MemberPattern {
            is_excluded: *key == "exclude",
            ..MemberPattern::new(pattern, line)
        })
    });
    let environments = root.at(&["tool", "hatch", "envs"]).map_or(&[][..], ManifestNode::entries).iter();
    let of_hatch = environments.filter_map(|(_, environment)| environment.at(&["workspace", "members"]));
    // Items are texts, or tables with a path.
    let of_hatch = of_hatch.flat_map(ManifestNode::items).filter_map(|item| {
        let text = item.text().or_else(|| item.get("path").and_then(ManifestNode::text))?;
        Some(MemberPattern::new(text, item.line))
    });
    let members: Vec<MemberPattern> = members.chain(of_hatch).collect();
    let name = [&["project", "name"][..], &["tool", "poetry", "name"]].iter().find_map(|path| root.at(path));
    let projects =
        name.and_then(|name| Some(project(name.text()?, name.line, dependencies(root)))).into_iter().collect();
    ManifestFacts { projects, members, shared: Vec::new() }
}

fn dependencies(root: &ManifestNode) -> Vec<DeclaredDependency> {
    let mut found = Vec::new();
    let lists = [root.at(&["project", "dependencies"])].into_iter().flatten();
    let optional = root.at(&["project", "optional-dependencies"]).map_or(&[][..], ManifestNode::entries);
    let groups = root.get("dependency-groups").map_or(&[][..], ManifestNode::entries);
    for list in lists.chain(optional.iter().chain(groups).map(|(_, list)| list)) {
        found.extend(list.texts().map(|(it, line)| DeclaredDependency::by_name(&normal(required(it)), line)));
    }
    for (name, source) in root.at(&["tool", "uv", "sources"]).map_or(&[][..], ManifestNode::entries) {
        let Some(path) = source.get("path").and_then(ManifestNode::text) else { continue };
        for dependency in found.iter_mut().filter(|dependency| dependency.name == normal(name)) {
            dependency.target = DependencyTarget::Path(path.replace('\\', "/"));
        }
    }
    let poetry = root.at(&["tool", "poetry"]);
    let own = ["dependencies", "dev-dependencies"].iter().filter_map(|key| poetry?.get(key));
    let groups = poetry.and_then(|poetry| poetry.get("group")).map_or(&[][..], ManifestNode::entries);
    let groups = groups.iter().filter_map(|(_, group)| group.get("dependencies"));
    for (name, dependency) in own.chain(groups).flat_map(ManifestNode::entries) {
        found.push(match dependency.get("path").and_then(ManifestNode::text) {
            Some(path) => DeclaredDependency::by_path(&normal(name), path, dependency.line),
            None => DeclaredDependency::by_name(&normal(name), dependency.line),
        });
    }
    found
}

/// Reads `name = …` below `[metadata]`, and the lists of requirements.
fn setup_settings(text: &str) -> ManifestFacts {
    let (mut section, mut key) = ("", "");
    let mut name = None;
    let mut dependencies = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let (content, number) = (line.trim(), number as u32 + 1);
        if content.is_empty() || content.starts_with(['#', ';']) {
            continue;
        }
        if let Some(title) = content.strip_prefix('[') {
            section = title.trim_end_matches(']');
            key = "";
            continue;
        }
        let mut value = content;
        if !line.starts_with([' ', '\t'])
            && let Some((before, behind)) = content.split_once('=')
        {
            (key, value) = (before.trim(), behind.trim());
        }
        let is_requirement = section == "options" && key == "install_requires" || section == "options.extras_require";
        match (section, key) {
            ("metadata", "name") if name.is_none() && !value.contains(':') => name = Some((value, number)),
            _ if is_requirement && !required(value).is_empty() => {
                dependencies.push(DeclaredDependency::by_name(&normal(required(value)), number));
            }
            _ => {}
        }
    }
    match name {
        Some((name, line)) => ManifestFacts::of(project(name, line, dependencies)),
        None => ManifestFacts::default(),
    }
}

fn setup_program(text: &str) -> ManifestFacts {
    let text = without_comments(text, &["#"], false);
    let Some(call) = text.find("setup(") else { return ManifestFacts::default() };
    let arguments = bracketed(&text[call + "setup".len()..], MAX_CALL);
    let Some(name) = SETUP_NAME.captures(arguments).and_then(|found| found.get(1)) else {
        return ManifestFacts::default();
    };
    let line = line_at(&text, call + "setup(".len() + name.start());
    let mut dependencies = Vec::new();
    if let Some(at) = arguments.find("install_requires")
        && let Some(open) = arguments[at..].find('[')
    {
        let list = bracketed(&arguments[at + open..], MAX_CALL);
        let first = line_at(&text, call + "setup(".len() + at + open + 1);
        for (number, line) in list.lines().enumerate() {
            // Texts stand between quotes.
            let texts = line.split(['"', '\'']).skip(1).step_by(2).filter(|it| !required(it).is_empty());
            let number = first + number as u32;
            dependencies.extend(texts.map(|it| DeclaredDependency::by_name(&normal(required(it)), number)));
        }
    }
    ManifestFacts::of(project(name.as_str(), line, dependencies))
}
