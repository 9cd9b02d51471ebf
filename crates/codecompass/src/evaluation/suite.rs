//! Reads suites: one file with questions about one root, or a folder with `repos.json` and one list
//! of questions per repository in `annotations/`.

use std::path::{Path, PathBuf};

use codecompass_app::choices::Split;
use codecompass_app::error::AppError;
use codecompass_engine::syntax::language_of;
use serde::Deserialize as _;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Questions about one directory.
pub(crate) struct Root {
    pub name: String,
    pub directory: PathBuf,
    /// Answers are only looked for below these paths; anywhere when empty.
    pub paths: Vec<String>,
    /// True if the questions are texts of issues, whose files and functions are looked for.
    pub is_localisation: bool,
    pub questions: Vec<Question>,
}

/// A question and the places that answer it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Question {
    pub query: String,
    pub category: String,
    pub language: String,
    /// The commit, branch or tag that is asked; the files on disk when `None`.
    pub reference: Option<String>,
    /// Empty if there is no answer.
    pub targets: Vec<Target>,
    /// Functions that an issue is about, all with a symbol.
    pub functions: Vec<Target>,
    /// False if the right answer is to say that nothing fits.
    pub is_answerable: bool,
    /// The part of the suite that the question belongs to.
    pub split: Option<Split>,
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
/// its repositories. With a `split`, only questions of that part are kept.
pub(crate) fn read(path: &Path, root: Option<&Path>, split: Option<Split>) -> Result<Vec<Root>, AppError> {
    let mut roots = if path.is_dir() { read_folder(path, root) } else { read_file(path, root).map(|root| vec![root]) }?;
    if split.is_some() {
        roots.iter_mut().for_each(|root| root.questions.retain(|question| question.split == split));
    }
    if roots.iter().all(|root| root.questions.is_empty()) { Err(bad(path, "it has no questions")) } else { Ok(roots) }
}

fn read_file(path: &Path, root: Option<&Path>) -> Result<Root, AppError> {
    let suite: Value = json(path)?;
    let beside = path.parent().unwrap_or(Path::new("")).join(text(&suite, "root").unwrap_or("."));
    let directory = root.map_or(beside, Path::to_path_buf);
    let list = if suite.is_array() { &suite } else { &suite["queries"] };
    let name = text(&suite, "name").map_or_else(|| stem(path), str::to_string);
    let paths = suite["paths"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_string).collect();
    let questions = questions(path, list, text(&suite, "language"))?;
    let is_localisation = text(&suite, "measure") == Some("localisation") || has_functions(&questions);
    Ok(Root { name, directory, paths, is_localisation, questions })
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
        let is_localisation = has_functions(&questions);
        roots.push(Root { name: name.to_string(), directory, paths: Vec::new(), is_localisation, questions });
    }
    roots.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(roots)
}

fn questions(file: &Path, list: &Value, language: Option<&str>) -> Result<Vec<Question>, AppError> {
    let list = list.as_array().ok_or_else(|| bad(file, "it has no list of queries"))?;
    list.iter().map(|item| question(file, item, language)).collect()
}

fn question(file: &Path, item: &Value, language: Option<&str>) -> Result<Question, AppError> {
    let query = text(item, "query").ok_or_else(|| bad(file, "a question has no `query`"))?;
    let wrong = |why: &str| bad(file, &format!("{query:?} {why}"));
    let places = |key: &str| -> Result<Vec<Target>, AppError> {
        let places: Option<Vec<_>> = item[key].as_array().into_iter().flatten().map(target).collect();
        places.ok_or_else(|| wrong(&format!("has a place in `{key}` without a path")))
    };
    let targets = [places("relevant")?, places("secondary")?].concat();
    let functions = places("functions")?;
    let is_answerable = item["answerable"].as_bool().unwrap_or(true);
    match () {
        _ if is_answerable && targets.is_empty() => return Err(wrong("needs places in `relevant`")),
        _ if !is_answerable && !targets.is_empty() => return Err(wrong("has places, and is not `answerable`")),
        _ if functions.iter().any(|function| function.symbol.is_none()) => {
            return Err(wrong("needs a `symbol` in each of its `functions`"));
        }
        _ => {}
    }
    let split = match &item["split"] {
        Value::Null => None,
        named => Some(Split::deserialize(named).map_err(|_| wrong("has a `split` other than tune and held"))?),
    };
    Ok(Question {
        language: text(item, "language").or(language).map_or_else(|| language_at(&targets), str::to_string),
        category: text(item, "category").unwrap_or_else(|| category(query)).to_string(),
        query: query.to_string(),
        reference: text(item, "ref").map(str::to_string),
        targets,
        functions,
        is_answerable,
        split,
    })
}

fn has_functions(questions: &[Question]) -> bool {
    questions.iter().any(|question| !question.functions.is_empty())
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
        let list = serde_json::json!([
            {"query": "a long text", "ref": "v1", "relevant": ["a.py"], "functions": [{"path": "a.py", "symbol": "f"}]},
            {"query": "what is not there", "relevant": [], "answerable": false, "split": "held"},
        ]);
        let read = questions(Path::new("suite"), &list, None).unwrap();
        assert_eq!((read[0].reference.as_deref(), read[0].functions[0].symbol.as_deref()), (Some("v1"), Some("f")));
        assert!(read[0].is_answerable && has_functions(&read[..1]));
        assert_eq!((read[1].is_answerable, read[1].split), (false, Some(Split::Held)));
        for wrong in [
            r#"[{"query": "a", "relevant": ["a"], "answerable": false}]"#,
            r#"[{"query": "a", "relevant": ["a"], "functions": ["a"]}]"#,
            r#"[{"query": "a", "relevant": ["a"], "split": "other"}]"#,
            r#"[{"relevant": ["a"]}]"#,
            r#"[{"query": "a"}]"#,
            r#"[{"query": "a", "relevant": [1]}]"#,
            "{}",
        ] {
            assert!(questions(Path::new("suite"), &serde_json::from_str(wrong).unwrap(), None).is_err(), "{wrong}");
        }
    }
}
