//! Manifests of projects: what one file such as `Cargo.toml` or `package.json` says about projects,
//! their workspace and their dependencies. Text in, facts out; nothing is executed.
//!
//! A kind of manifest is a file in `kinds/` and one row in [`table`].

mod kinds;
mod table;
mod values;
mod words;
mod xml;

pub use table::{ManifestKind, kind_of, manifest_kinds};

/// Manifests larger than this are not read.
const MAX_BYTES: usize = 1 << 20;
/// Nesting of values and elements beyond this is refused.
const MAX_DEPTH: usize = 64;
/// Members, and dependencies of one project, beyond this many are not read.
const MAX_ITEMS: usize = 5_000;

/// The text of a manifest and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct ManifestText<'a> {
    /// The name of the file.
    pub name: &'a str,
    /// Its contents.
    pub text: &'a str,
}

impl ManifestText<'_> {
    /// Returns the name of the file without its last ending.
    fn stem(&self) -> &str {
        self.name.rsplit_once('.').map_or(self.name, |(stem, _)| stem)
    }
}

/// The facts of one manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ManifestFacts {
    /// The projects that it declares; most declare one, some none.
    pub projects: Vec<DeclaredProject>,
    /// The members of the workspace whose root it is.
    pub members: Vec<MemberPattern>,
    /// Folders of names, which members of the workspace refer to.
    pub shared: Vec<SharedPath>,
}

/// A project as its manifest declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclaredProject {
    /// Empty if the manifest does not name it; its folder does then.
    pub name: String,
    /// Other names that dependencies may have it by.
    pub aliases: Vec<String>,
    /// The line of its name.
    pub line: u32,
    /// Its folder, from that of the manifest; empty if it is the same.
    pub folder: String,
    /// In the order of the text.
    pub dependencies: Vec<DeclaredDependency>,
}

/// A dependency on what may be a project of the same repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredDependency {
    /// The name that it has there.
    pub name: String,
    /// The way in which it is looked for.
    pub target: DependencyTarget,
    /// The line that declares it.
    pub line: u32,
}

/// The way in which a dependency names its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DependencyTarget {
    /// Any project of that name and kind.
    Name,
    /// A project of that name in the same workspace.
    Member,
    /// The folder that the workspace has for the name.
    Shared,
    /// A folder or manifest, from the folder of the manifest.
    Path(String),
}

/// A pattern of the folders or manifests that are members of a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberPattern {
    /// From the folder of the manifest.
    pub pattern: String,
    /// The line that has it.
    pub line: u32,
    /// True if what it matches is no member.
    pub is_excluded: bool,
}

/// A folder that a workspace has for a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedPath {
    /// The name that members use.
    pub name: String,
    /// From the folder of the manifest.
    pub path: String,
}

/// The reason why a manifest could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestProblem {
    /// The line where reading ended.
    pub line: u32,
    /// The trouble, as the end of a sentence about the file.
    pub reason: String,
}

impl ManifestProblem {
    fn new(line: u32, reason: impl Into<String>) -> ManifestProblem {
        ManifestProblem { line, reason: reason.into() }
    }
}

/// Reads a manifest. Whatever the text is, the result is facts or a reason.
pub fn read_manifest(kind: &ManifestKind, file: ManifestText<'_>) -> Result<ManifestFacts, ManifestProblem> {
    if file.text.len() > MAX_BYTES {
        return Err(ManifestProblem::new(1, format!("is larger than {} MiB", MAX_BYTES >> 20)));
    }
    let file = ManifestText { text: file.text.trim_start_matches('\u{feff}'), ..file };
    let mut facts = (kind.read)(file)?;
    facts.members.truncate(MAX_ITEMS);
    facts.shared.truncate(MAX_ITEMS);
    facts.projects.truncate(MAX_ITEMS);
    for project in &mut facts.projects {
        project.dependencies.truncate(MAX_ITEMS);
    }
    Ok(facts)
}

impl ManifestFacts {
    fn of(project: DeclaredProject) -> ManifestFacts {
        ManifestFacts { projects: vec![project], ..ManifestFacts::default() }
    }
}

impl DeclaredDependency {
    fn by_name(name: &str, line: u32) -> DeclaredDependency {
        DeclaredDependency { name: name.to_string(), target: DependencyTarget::Name, line }
    }

    fn by_path(name: &str, path: &str, line: u32) -> DeclaredDependency {
        DeclaredDependency { name: name.to_string(), target: DependencyTarget::Path(path.replace('\\', "/")), line }
    }
}

impl MemberPattern {
    /// Reads a pattern; one that begins with `!` excludes.
    fn new(pattern: &str, line: u32) -> MemberPattern {
        let (is_excluded, pattern) = match pattern.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        MemberPattern { pattern: pattern.replace('\\', "/"), line, is_excluded }
    }
}
