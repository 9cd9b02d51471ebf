//! Several symbols in one question. Each is answered for itself; a name that is not found costs
//! only its own answer.

use crate::api::any::AnyQuestion;
use crate::error::{AppError, Code};

/// The most symbols that one question may name.
const MAX_SYMBOLS: usize = 20;

/// Returns the symbols that a question names, where several repositories are asked the paths, too;
/// none where it names at most one.
pub(super) fn named(request: &dyn AnyQuestion, are_several: bool) -> Result<Vec<String>, AppError> {
    let mut request = request.copied();
    let subjects = if are_several { request.lists() } else { request.symbols() };
    several(subjects.map(std::mem::take).unwrap_or_default())
}

/// Returns the names in a list with commas. Such a list is tried only after the whole text was not
/// found, for a path may have a comma in it.
pub(super) fn listed(request: &dyn AnyQuestion) -> Result<Vec<String>, AppError> {
    match request.copied().symbols().map(std::mem::take).as_deref() {
        Some([list]) => several(names(list)),
        _ => Ok(Vec::new()),
    }
}

/// Returns the question about one of the symbols or paths that it names.
pub(super) fn about(request: &dyn AnyQuestion, subject: Option<&str>) -> Box<dyn AnyQuestion> {
    let mut request = request.copied();
    if let (Some(subject), Some(subjects)) = (subject, request.lists()) {
        *subjects = vec![subject.to_string()];
    }
    request
}

/// Returns whether an error says that a symbol was not found, so that its text may be a list.
pub(super) fn is_not_found(error: &AppError) -> bool {
    matches!(error.code, Code::SymbolNotFound | Code::FileNotFound)
}

/// Returns subjects that are at least two, each once.
fn several(mut subjects: Vec<String>) -> Result<Vec<String>, AppError> {
    if subjects.len() < 2 {
        return Ok(Vec::new());
    }
    let mut seen = std::collections::HashSet::new();
    subjects.retain(|subject| seen.insert(subject.clone()));
    if subjects.len() > MAX_SYMBOLS {
        let message = format!("{} symbols in one question, at most {MAX_SYMBOLS} can be", subjects.len());
        return Err(AppError::invalid(message, "ask in several questions"));
    }
    Ok(subjects)
}

/// Returns the names of a list with commas. Commas between brackets are parts of a name.
fn names(list: &str) -> Vec<String> {
    let (mut names, mut name, mut depth) = (Vec::new(), String::new(), 0_usize);
    for letter in list.chars() {
        match letter {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                names.push(std::mem::take(&mut name));
                continue;
            }
            _ => {}
        }
        name.push(letter);
    }
    names.push(name);
    let trimmed = names.iter().map(|name| name.trim()).filter(|name| !name.is_empty());
    trimmed.map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_split_at_commas_outside_of_brackets() {
        assert_eq!(names("a, b.c ,src/x.rs:3"), ["a", "b.c", "src/x.rs:3"]);
        assert_eq!(names("Map<K, V>.get, f(int, int)"), ["Map<K, V>.get", "f(int, int)"]);
        assert_eq!(names("a,,"), ["a"]);
        assert_eq!(names("operator>, x"), ["operator>", "x"]);
    }
}
