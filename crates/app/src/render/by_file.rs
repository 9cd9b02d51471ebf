//! Lists by file for agents: a path once, then a line for each fact. A file with one fact takes one
//! line, and files of one folder stand below its name. In a tree only the depth indents a line, and
//! a line with the bare name of a file is in the same file as the line before it.

use super::shown;

/// Files of one folder from which on its name is written once.
const MIN_FILES: usize = 3;
/// Bytes of a folder's name that are worth a line of their own.
const MIN_FOLDER: usize = 12;

/// Facts about lines of files, in the order in which they are listed.
#[derive(Debug, Default)]
pub(super) struct ByFile {
    groups: Vec<FileGroup>,
}

/// Facts of one file that follow each other.
#[derive(Debug)]
struct FileGroup {
    folder: String,
    name: String,
    note: String,
    facts: Vec<Fact>,
}

#[derive(Debug)]
struct Fact {
    depth: usize,
    text: String,
}

impl ByFile {
    /// Adds a fact, which begins with its line number, below the file. `depth` indents it.
    pub(super) fn add(&mut self, path: &str, depth: usize, text: String) {
        let fact = Fact { depth, text };
        let path = shown(path);
        match self.groups.last_mut().filter(|group| *path == format!("{}{}", group.folder, group.name)) {
            Some(group) => group.facts.push(fact),
            None => {
                let (folder, name) = path.split_at(path.rfind('/').map_or(0, |at| at + 1));
                let (folder, name) = (folder.to_string(), name.to_string());
                self.groups.push(FileGroup { folder, name, note: String::new(), facts: vec![fact] });
            }
        }
    }

    /// Writes a note behind the name of the last file.
    pub(super) fn note(&mut self, note: String) {
        if let Some(group) = self.groups.last_mut() {
            group.note = note;
        }
    }

    pub(super) fn write(&self, out: &mut String) {
        if self.groups.iter().flat_map(|group| &group.facts).any(|fact| fact.depth > 0) {
            return self.groups.iter().for_each(|group| group.write_in_tree(out));
        }
        for groups in self.groups.chunk_by(|group, next| group.folder == next.folder) {
            let folder = groups.first().map_or("", |group| &group.folder);
            let is_shared = groups.len() >= MIN_FILES && folder.len() >= MIN_FOLDER;
            if is_shared {
                out.push_str(&format!("{folder}\n"));
            }
            groups.iter().for_each(|group| group.write(out, if is_shared { " " } else { folder }));
        }
    }
}

impl FileGroup {
    fn write(&self, out: &mut String, before: &str) {
        let FileGroup { name, note, facts, .. } = self;
        match facts.as_slice() {
            [fact] if note.is_empty() => out.push_str(&format!("{before}{name}:{}\n", fact.text)),
            facts => {
                out.push_str(&format!("{before}{name}{note}\n"));
                facts.iter().for_each(|fact| out.push_str(&format!("  {}\n", fact.text)));
            }
        }
    }

    fn write_in_tree(&self, out: &mut String) {
        let FileGroup { folder, name, note, facts } = self;
        for (at, fact) in facts.iter().enumerate() {
            let indent = "  ".repeat(fact.depth);
            match at {
                0 => out.push_str(&format!("{indent}{folder}{name}:{}{note}\n", fact.text)),
                _ => out.push_str(&format!("{indent}{name}:{}\n", fact.text)),
            }
        }
    }
}

/// Returns a name without its outermost container where the file is called like that: a line below
/// the path of `Parser.java` says `read` for `Parser.read`.
pub(super) fn name_in_file<'a>(name: &'a str, path: &str) -> &'a str {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.split('.').next().unwrap_or(file);
    let rest = name.strip_prefix(stem).filter(|_| !stem.is_empty()).unwrap_or("");
    let inner = rest.trim_start_matches(['.', ':', '#', '\\']);
    if inner.is_empty() || inner.len() == rest.len() { name } else { inner }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_container_that_the_file_is_called_like_is_left_out() {
        assert_eq!(name_in_file("Parser.Mode.read", "src/Parser.java"), "Mode.read");
        assert_eq!(name_in_file("Parser", "src/Parser.java"), "Parser");
        assert_eq!(name_in_file("ParserTest.read", "src/Parser.java"), "ParserTest.read");
        assert_eq!(name_in_file("parser::read", "parser.rs"), "read");
        assert_eq!(name_in_file("read", "src/.env"), "read");
    }

    #[test]
    fn paths_and_folders_are_written_once() {
        let mut list = ByFile::default();
        for (path, depth, text) in [
            ("a.rs", 0, "1  x"),
            ("src/long/folder/b.rs", 0, "2  x"),
            ("src/long/folder/b.rs", 0, "3  y"),
            ("src/long/folder/c.rs", 0, "4  x"),
            ("src/long/folder/d.rs", 0, "5  x"),
            ("src/other/e\n.rs", 0, "6  x"),
            ("src/other/f.rs", 0, "7  x"),
        ] {
            list.add(path, depth, text.to_string());
        }
        let mut out = String::new();
        list.write(&mut out);
        assert_eq!(
            out,
            "a.rs:1  x\nsrc/long/folder/\n b.rs\n  2  x\n  3  y\n c.rs:4  x\n d.rs:5  x\nsrc/other/e\\n.rs:6  x\nsrc/other/f.rs:7  x\n"
        );
    }

    #[test]
    fn only_the_depth_indents_a_tree() {
        let mut list = ByFile::default();
        let lines =
            [("a.rs", 0, "1  x"), ("a.rs", 1, "2  y"), ("b/c.rs", 1, "3  z"), ("a.rs", 2, "4  x"), ("a.rs", 0, "5  y")];
        lines.into_iter().for_each(|(path, depth, text)| list.add(path, depth, text.to_string()));
        let mut out = String::new();
        list.write(&mut out);
        assert_eq!(out, "a.rs:1  x\n  a.rs:2  y\n  b/c.rs:3  z\n    a.rs:4  x\na.rs:5  y\n");
    }
}
