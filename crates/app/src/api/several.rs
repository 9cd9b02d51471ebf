//! Several symbols in one question. Each is answered for itself; a name that is not found costs
//! only its own answer.

use super::Request;
use crate::error::{AppError, Code};

/// The most symbols that one question may name.
const MAX_SYMBOLS: usize = 20;

/// A question about one of several symbols.
#[derive(Clone, Debug)]
pub struct SingleQuestion<R> {
    /// The symbol as it was asked for.
    pub symbol: String,
    pub request: R,
}

/// Returns one question for each symbol that `request` names, and none where it names at most one.
pub fn split<R: Request>(request: &R) -> Result<Vec<SingleQuestion<R>>, AppError> {
    let mut request = request.clone();
    let symbols = request.symbols().map(std::mem::take).unwrap_or_default();
    if symbols.len() < 2 { Ok(Vec::new()) } else { parts(&request, symbols) }
}

/// Returns one question for each symbol or path that `request` names, and none where it names at
/// most one.
pub fn split_subjects<R: Request>(request: &R) -> Result<Vec<SingleQuestion<R>>, AppError> {
    let mut request = request.clone();
    let subjects = request.lists().map(std::mem::take).unwrap_or_default();
    if subjects.len() < 2 { Ok(Vec::new()) } else { parts(&request, subjects) }
}

/// Returns one question for each name in a list with commas. Such a list is tried only after the
/// whole text was not found, for a path may have a comma in it.
pub fn split_list<R: Request>(request: &R) -> Result<Vec<SingleQuestion<R>>, AppError> {
    let mut request = request.clone();
    let symbols = match request.symbols().map(std::mem::take).as_deref() {
        Some([list]) => names(list),
        _ => Vec::new(),
    };
    if symbols.len() < 2 { Ok(Vec::new()) } else { parts(&request, symbols) }
}

/// Returns whether an error says that a symbol was not found, so that its text may be a list.
pub fn is_not_found(error: &AppError) -> bool {
    matches!(error.code, Code::SymbolNotFound | Code::FileNotFound)
}

fn parts<R: Request>(request: &R, mut symbols: Vec<String>) -> Result<Vec<SingleQuestion<R>>, AppError> {
    let mut seen = std::collections::HashSet::new();
    symbols.retain(|symbol| seen.insert(symbol.clone()));
    if symbols.len() > MAX_SYMBOLS {
        let message = format!("{} symbols in one question, at most {MAX_SYMBOLS} can be", symbols.len());
        return Err(AppError::invalid(message, "ask in several questions"));
    }
    let about = |symbol: String| {
        let mut request = request.clone();
        if let Some(symbols) = request.lists() {
            *symbols = vec![symbol.clone()];
        }
        SingleQuestion { symbol, request }
    };
    Ok(symbols.into_iter().map(about).collect())
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
