//! Facts of manifests.

/// Manifests larger than this are not read.
pub(super) const MAX_BYTES: usize = 1 << 20;
/// Nesting of values and elements beyond this is refused.
pub(super) const MAX_DEPTH: usize = 64;
/// Members, and dependencies of one project, beyond this many are not read.
pub(super) const MAX_ITEMS: usize = 5_000;

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
    pub(super) fn stem(&self) -> &str {
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
    pub(super) fn new(line: u32, reason: impl Into<String>) -> ManifestProblem {
        ManifestProblem { line, reason: reason.into() }
    }
}

/// A kind of manifest, which is also the kind of the projects it declares.
pub struct ManifestKind {
    /// The stable lower-case name used in answers and filters.
    pub name: &'static str,
    /// Names of files, or endings behind `*`. The name of a project comes from the first that has
    /// one.
    pub files: &'static [&'static str],
    /// True if all manifests of a folder are about one project.
    pub is_one_by_folder: bool,
    pub(super) read: fn(ManifestText<'_>) -> Result<ManifestFacts, ManifestProblem>,
}

impl ManifestFacts {
    pub(super) fn of(project: DeclaredProject) -> ManifestFacts {
        ManifestFacts { projects: vec![project], ..ManifestFacts::default() }
    }
}

impl DeclaredDependency {
    pub(super) fn by_name(name: &str, line: u32) -> DeclaredDependency {
        DeclaredDependency { name: name.to_string(), target: DependencyTarget::Name, line }
    }

    pub(super) fn by_path(name: &str, path: &str, line: u32) -> DeclaredDependency {
        DeclaredDependency { name: name.to_string(), target: DependencyTarget::Path(path.replace('\\', "/")), line }
    }
}

impl MemberPattern {
    /// Reads a pattern; one that begins with `!` excludes.
    pub(super) fn new(pattern: &str, line: u32) -> MemberPattern {
        let (is_excluded, pattern) = match pattern.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        MemberPattern { pattern: pattern.replace('\\', "/"), line, is_excluded }
    }
}

impl ManifestKind {
    /// Returns the place of a file's name among those of the kind.
    pub fn place(&self, file_name: &str) -> Option<usize> {
        self.files.iter().position(|known| match known.strip_prefix('*') {
            Some(ending) => file_name.len() > ending.len() && file_name.ends_with(ending),
            None => *known == file_name,
        })
    }
}
