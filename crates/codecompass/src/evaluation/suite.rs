//! Reads suites: one file with questions about one root, or a folder with `repos.json` and one list
//! of questions per repository in `annotations/`.

use std::path::{Path, PathBuf};

use codecompass_engine::syntax::language_of;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::AppError;

/// Questions about one directory.
pub(crate) struct Root {
    pub name: String,
    pub directory: PathBuf,
    /// Answers are only looked for below these paths; anywhere when empty.
    pub paths: Vec<String>,
    pub questions: Vec<Question>,
}

/// A question and the places that answer it.
pub(crate) struct Question {
    pub query: String,
    pub category: String,
    pub language: String,
    pub targets: Vec<Target>,
}

/// A place that answers a question: a file, lines of it, or a symbol in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Target {
    /// The end of a path, from the start of a name.
    pub path: String,
    pub lines: Option<(u64, u64)>,
    /// A name or qualified name.
    pub symbol: Option<String>,
}

/// Reads the suite at `path`. `root` is the directory that its questions are about, or that holds
/// its repositories.
pub(crate) fn read(path: &Path, root: Option<&Path>) -> Result<Vec<Root>, AppError> {
    let roots = if path.is_dir() { read_folder(path, root) } else { read_file(path, root).map(|root| vec![root]) }?;
    match roots.iter().all(|root| root.questions.is_empty()) {
        true => Err(bad(path, "it has no questions")),
        false => Ok(roots),
    }
}

fn read_file(path: &Path, root: Option<&Path>) -> Result<Root, AppError> {
    let suite: Value = json(path)?;
    let beside = path.parent().unwrap_or(Path::new("")).join(text(&suite, "root").unwrap_or("."));
    let directory = root.map_or(beside, Path::to_path_buf);
    let list = if suite.is_array() { &suite } else { &suite["queries"] };
    let name = text(&suite, "name").map_or_else(|| stem(path), str::to_string);
    let paths = suite["paths"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_string).collect();
    Ok(Root { name, directory, paths, questions: questions(path, list, text(&suite, "language"))? })
}

fn read_folder(folder: &Path, root: Option<&Path>) -> Result<Vec<Root>, AppError> {
    let checkouts = root.map_or_else(|| folder.join("repos"), Path::to_path_buf);
    let table = folder.join("repos.json");
    let repositories: Value = json(&table)?;
    let mut roots = Vec::new();
    for repository in repositories.as_array().ok_or_else(|| bad(&table, "it is not a list"))? {
        let name = text(repository, "name").ok_or_else(|| bad(&table, "a repository has no `name`"))?;
        let checkout = checkouts.join(name);
        // Who has only some of the repositories measures those.
        if !checkout.is_dir() {
            continue;
        }
        let file = folder.join("annotations").join(format!("{name}.json"));
        let questions = questions(&file, &json(&file)?, text(repository, "language"))?;
        let directory = checkout.join(text(repository, "benchmark_root").unwrap_or(""));
        roots.push(Root { name: name.to_string(), directory, paths: Vec::new(), questions });
    }
    roots.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(roots)
}

fn questions(file: &Path, list: &Value, language: Option<&str>) -> Result<Vec<Question>, AppError> {
    let list = list.as_array().ok_or_else(|| bad(file, "it has no list of queries"))?;
    list.iter()
        .map(|item| {
            let query = text(item, "query").ok_or_else(|| bad(file, "a question has no `query`"))?;
            let places = ["relevant", "secondary"].into_iter().filter_map(|key| item[key].as_array()).flatten();
            let targets = places.map(target).collect::<Option<Vec<_>>>().filter(|targets| !targets.is_empty());
            let targets = targets.ok_or_else(|| bad(file, &format!("{query:?} needs places in `relevant`")))?;
            let language = text(item, "language").or(language).map_or_else(|| language_at(&targets), str::to_string);
            let category = text(item, "category").unwrap_or_else(|| category(query)).to_string();
            Ok(Question { query: query.to_string(), category, language, targets })
        })
        .collect()
}

/// A path, or an object with `path` and perhaps `start_line` and `end_line`, or `symbol`.
fn target(place: &Value) -> Option<Target> {
    if let Some(path) = place.as_str() {
        return Some(Target { path: path.to_string(), ..Target::default() });
    }
    Some(Target {
        path: text(place, "path")?.to_string(),
        lines: place["start_line"].as_u64().zip(place["end_line"].as_u64()),
        symbol: text(place, "symbol").map(str::to_string),
    })
}

fn language_at(targets: &[Target]) -> String {
    let language = targets.first().and_then(|target| language_of(&target.path, ""));
    language.map_or("text", |language| language.name).to_string()
}

/// Returns the category of a question for which the suite gives none.
fn category(query: &str) -> &'static str {
    match () {
        _ if !query.trim().contains(' ') => "symbol",
        _ if query.to_lowercase().starts_with("how ") => "architecture",
        _ => "semantic",
    }
}

fn text<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object[key].as_str()
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Reads a JSON file.
pub(crate) fn json<T: DeserializeOwned>(path: &Path) -> Result<T, AppError> {
    let text = std::fs::read_to_string(path).map_err(|error| bad(path, &error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| bad(path, &error.to_string()))
}

fn bad(path: &Path, why: &str) -> AppError {
    AppError::invalid(format!("cannot use {}: {why}", path.display()), "docs/evaluation.md has the format of suites")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_categories_are_read() {
        let list = serde_json::json!([
            {"query": "Store", "relevant": ["a.rs"], "secondary": [{"path": "b.py", "start_line": 3, "end_line": 9}]},
            {"query": "how is it stored", "relevant": [{"path": "b.py", "symbol": "Store.put"}]},
            {"query": "where things are", "category": "other", "relevant": ["c"], "language": "go"},
        ]);
        let read = questions(Path::new("suite"), &list, None).unwrap();
        let kinds: Vec<_> = read.iter().map(|q| (q.category.as_str(), q.language.as_str())).collect();
        assert_eq!(kinds, [("symbol", "rust"), ("architecture", "python"), ("other", "go")]);
        assert_eq!(read[0].targets[1].lines, Some((3, 9)));
        assert_eq!(read[1].targets[0].symbol.as_deref(), Some("Store.put"));
        for wrong in [r#"[{"relevant": ["a"]}]"#, r#"[{"query": "a"}]"#, r#"[{"query": "a", "relevant": [1]}]"#, "{}"] {
            assert!(questions(Path::new("suite"), &serde_json::from_str(wrong).unwrap(), None).is_err(), "{wrong}");
        }
    }
}
