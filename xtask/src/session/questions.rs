//! The scripts: questions about a repository that the reader does not know, and the shortest way to
//! each answer with `rg` for a reader who knows it already. One file for each repository in
//! `xtask/sessions`.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::outcome::Outcome;

/// The questions about one repository, in order.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    /// Position on the page.
    pub order: usize,
    /// `owner/name` on GitHub.
    pub repository: String,
    /// A few words about the repository, for the page.
    pub about: String,
    /// The commit that the questions are about.
    pub commit: String,
    /// The type of files that `rg` is restricted to.
    pub types: String,
    pub edit: Option<Edit>,
    #[serde(rename = "question")]
    pub questions: Vec<Question>,
}

/// A change of the files that is made before the first question about changes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Edit {
    pub path: String,
    pub before: String,
    pub after: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    /// As the agent would put it to itself.
    pub words: String,
    /// The calls of our tools: the name, a space and the arguments as JSON.
    pub calls: Vec<String>,
    /// The other way.
    pub steps: Vec<Step>,
    /// Words that an answer must have.
    pub needed: Vec<String>,
    /// A remark on the two answers.
    #[serde(default)]
    pub remark: String,
    #[serde(default)]
    pub is_after_the_edit: bool,
}

/// One command of the other way: `["rg", …]`, `["read", …]`, `["follow", …]`, `["git", …]` or
/// `["diff", …]`.
#[derive(Deserialize)]
#[serde(try_from = "Vec<String>")]
pub(super) enum Step {
    /// `rg -n -t TYPE` with these arguments.
    Search(Vec<String>),
    /// `rg -n -t TYPE -w` for all names in this list of our answer.
    Follow(String),
    /// The file, or so many lines before and after the first one that has this text.
    Read {
        path: String,
        mark: String,
        around: usize,
    },
    Git(Vec<String>),
    /// `git diff -U0` with these arguments, and of that only the lines that the expression matches.
    Diff {
        lines: String,
        args: Vec<String>,
    },
}

/// Lines read before and after the one that matters, where the script does not say.
pub(super) const AROUND: usize = 40;

impl TryFrom<Vec<String>> for Step {
    type Error = String;

    fn try_from(words: Vec<String>) -> Result<Step, String> {
        let parts: Vec<&str> = words.iter().map(String::as_str).collect();
        let read =
            |path: &str, mark: &str, around| Step::Read { path: path.to_string(), mark: mark.to_string(), around };
        match parts.as_slice() {
            ["rg", ..] => Ok(Step::Search(words[1..].to_vec())),
            ["git", ..] => Ok(Step::Git(words[1..].to_vec())),
            ["diff", lines, ..] => Ok(Step::Diff { lines: lines.to_string(), args: words[2..].to_vec() }),
            ["follow", list] => Ok(Step::Follow(list.to_string())),
            ["read", path, mark] => Ok(read(path, mark, AROUND)),
            ["read", path, mark, around] => {
                let around = around.parse().map_err(|_| format!("`{around}` is not a number of lines"))?;
                Ok(read(path, mark, around))
            }
            _ => Err(format!("{parts:?} is not a step")),
        }
    }
}

impl Script {
    /// The last part of the repository's name.
    pub(super) fn name(&self) -> &str {
        self.repository.rsplit('/').next().unwrap_or(&self.repository)
    }

    /// Looks for a clone in a folder of clones: `owner+name/repo`, `owner+name`, `owner/name` or
    /// `name`; or the folder itself, when it has the name.
    pub(super) fn clone_in(&self, folder: &Path) -> Option<PathBuf> {
        let joined = self.repository.replace('/', "+");
        let inside = [format!("{joined}/repo"), joined, self.repository.clone(), self.name().to_string()];
        let is_it = folder.file_name().is_some_and(|name| name == self.name());
        let itself = is_it.then(|| folder.to_path_buf());
        let places = inside.iter().map(|place| folder.join(place)).chain(itself);
        places.into_iter().find(|place| place.join("objects").is_dir() || place.join(".git").exists())
    }
}

/// Reads all scripts of `root`, in the order of the page.
pub(super) fn scripts(root: &Path) -> Outcome<Vec<Script>> {
    let mut scripts = Vec::new();
    for entry in std::fs::read_dir(root.join("xtask/sessions"))? {
        let path = entry?.path();
        let text = std::fs::read_to_string(&path)?;
        let script: Script = toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        scripts.push(script);
    }
    scripts.sort_by_key(|script| script.order);
    Ok(scripts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::root;

    #[test]
    fn every_script_asks_ten_questions_that_can_be_checked() {
        let scripts = scripts(&root()).unwrap();
        assert!(scripts.len() >= 5);
        for script in &scripts {
            assert!(script.questions.len() >= 10, "{}", script.repository);
            for Question { words, calls, steps, needed, .. } in &script.questions {
                assert!(!calls.is_empty() && !steps.is_empty() && !needed.is_empty(), "{words}");
                for call in calls {
                    let (_, arguments) = call.split_once(' ').unwrap();
                    assert!(serde_json::from_str::<serde_json::Value>(arguments).unwrap().is_object(), "{call}");
                }
            }
        }
    }

    #[test]
    fn the_page_has_every_question_of_every_script() {
        let page = std::fs::read_to_string(root().join("docs/agent-session.md")).unwrap();
        for script in scripts(&root()).unwrap() {
            assert!(page.contains(&format!("github.com/{}", script.repository)), "{}", script.repository);
            for question in &script.questions {
                assert!(page.contains(&question.words), "{}: {}", script.repository, question.words);
            }
        }
    }
}
