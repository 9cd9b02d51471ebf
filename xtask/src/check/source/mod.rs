//! The source files of the workspace, parsed, by crate.

pub(crate) mod comments;
pub(crate) mod extract;
pub(crate) mod modules;

use std::path::{Path, PathBuf};

use crate::check::source::comments::{Comment, comments};
use crate::check::source::extract::{Extract, extract};
use crate::check::source::modules::ModuleTree;
use crate::outcome::Outcome;

/// The unit that test files and test modules of all crates are counted under.
pub(crate) const TESTS: &str = "tests";

/// All crates of the repository.
pub(crate) struct Workspace {
    pub crates: Vec<Crate>,
    /// Tests, examples and build scripts of all crates.
    pub others: Vec<SourceFile>,
}

/// The files below one crate's `src`.
pub(crate) struct Crate {
    /// The folder's name: `engine`.
    pub name: String,
    pub files: Vec<SourceFile>,
    pub modules: ModuleTree,
}

/// One Rust file.
pub(crate) struct SourceFile {
    /// Relative to the repository's root, with slashes.
    pub path: String,
    pub text: String,
    pub found: Extract,
    pub comments: Vec<Comment>,
}

impl Workspace {
    /// Reads and parses every Rust file below `crates` and `xtask`.
    pub(crate) fn load(root: &Path) -> Outcome<Workspace> {
        let mut folders: Vec<PathBuf> =
            std::fs::read_dir(root.join("crates"))?.map(|entry| Ok(entry?.path())).collect::<Outcome<_>>()?;
        folders.sort();
        folders.push(root.join("xtask"));
        let mut workspace = Workspace { crates: Vec::new(), others: Vec::new() };
        for folder in folders {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let mut paths = Vec::new();
            rust_files(&folder, &mut paths)?;
            paths.sort();
            let sources = folder.join("src");
            let mut files = Vec::new();
            for path in paths {
                let shown = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                let file = SourceFile::parse(&shown, std::fs::read_to_string(&path)?)?;
                if path.starts_with(&sources) {
                    files.push(file);
                } else {
                    workspace.others.push(file);
                }
            }
            workspace.crates.push(Crate::new(&name, files));
        }
        Ok(workspace)
    }

    /// All files, each with the unit it is counted under.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &SourceFile)> {
        let sources = self.crates.iter().flat_map(|krate| {
            krate.files.iter().enumerate().map(|(index, file)| {
                if krate.modules.is_test_file(index) { (TESTS, file) } else { (krate.name.as_str(), file) }
            })
        });
        sources.chain(self.others.iter().map(|file| (TESTS, file)))
    }
}

impl Crate {
    /// Finds the modules of parsed files.
    pub(crate) fn new(name: &str, files: Vec<SourceFile>) -> Crate {
        let modules = ModuleTree::build(&files);
        Crate { name: name.to_string(), files, modules }
    }

    /// Returns whether the crate is part of what users get.
    pub(crate) fn is_product(&self) -> bool {
        !matches!(self.name.as_str(), "testkit" | "xtask")
    }

    /// Files that are not compiled for tests alone.
    pub(crate) fn product_files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().enumerate().filter(|(index, _)| !self.modules.is_test_file(*index)).map(|(_, file)| file)
    }

    /// Counts the lines that are not compiled for tests alone.
    pub(crate) fn product_lines(&self) -> usize {
        self.product_files().map(SourceFile::product_lines).sum()
    }
}

impl SourceFile {
    /// Parses the text of a file.
    pub(crate) fn parse(path: &str, text: String) -> Outcome<SourceFile> {
        let syntax = syn::parse_file(&text).map_err(|error| {
            let start = error.span().start();
            format!("{path}:{}: {error}", start.line)
        })?;
        let (found, comments) = (extract(&syntax), comments(&text));
        Ok(SourceFile { path: path.to_string(), text, found, comments })
    }

    /// Returns the unit that a line is counted under: `unit`, or tests where the line is in a test
    /// module.
    pub(crate) fn unit_of_line<'a>(&self, unit: &'a str, line: usize) -> &'a str {
        if self.is_test_line(line) { TESTS } else { unit }
    }

    /// Returns whether a line belongs to code that is compiled for tests alone.
    pub(crate) fn is_test_line(&self, line: usize) -> bool {
        self.found.test_lines.iter().any(|lines| lines.contains(&line))
    }

    /// Counts the lines outside of test modules.
    fn product_lines(&self) -> usize {
        (1..=self.text.lines().count()).filter(|line| !self.is_test_line(*line)).count()
    }
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) -> Outcome<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && name != "fixtures" && name != "target" {
            rust_files(&path, files)?;
        } else if name.ends_with(".rs") {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// A crate called `sample` from pairs of a path below its `src` and a text.
    pub(crate) fn sample(files: &[(&str, &str)]) -> Workspace {
        Workspace { crates: vec![sample_crate("sample", files)], others: Vec::new() }
    }

    /// A crate with the given name.
    pub(crate) fn sample_crate(name: &str, files: &[(&str, &str)]) -> Crate {
        let parse = |(path, text): &(&str, &str)| {
            SourceFile::parse(&format!("crates/{name}/src/{path}"), (*text).to_string()).unwrap()
        };
        Crate::new(name, files.iter().map(parse).collect())
    }
}
