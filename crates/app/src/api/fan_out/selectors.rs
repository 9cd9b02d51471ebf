//! Names of repositories before symbols and paths, as answers print them: `api:src/retry.rs:12`.

use crate::api::any::AnyQuestion;
use crate::error::AppError;

/// Returns the number of the repository that is named before a symbol or a path, and the rest.
fn selector<'a>(subject: &'a str, names: &[String]) -> Option<(usize, &'a str)> {
    let rest = |name: &str| {
        let rest = subject.trim().strip_prefix(name)?.strip_prefix(':')?;
        // `shop::total` is a member, and `shop:3` a line.
        let is_other =
            rest.is_empty() || rest.starts_with(':') || rest.starts_with(|first: char| first.is_ascii_digit());
        (!is_other).then_some(rest)
    };
    let found = names.iter().enumerate().filter_map(|(at, name)| Some((at, rest(name)?)));
    found.max_by_key(|(at, _)| names[*at].len())
}

/// Returns whether a question names a repository before a symbol or a path.
pub(super) fn is_selected(request: &dyn AnyQuestion, names: &[String]) -> bool {
    request.copied().subjects().iter().any(|subject| selector(subject, names).is_some())
}

/// Returns the numbers of the repositories that a question is about: the one that it names, or all.
pub(super) fn selected(request: &dyn AnyQuestion, names: &[String]) -> Result<Vec<usize>, AppError> {
    let mut request = request.copied();
    let named = request.subjects().into_iter().filter_map(|subject| selector(subject, names));
    let mut numbers: Vec<usize> = named.map(|(number, _)| number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    match numbers.len() {
        0 => Ok((0..names.len()).collect()),
        1 => Ok(numbers),
        _ => {
            let message = "the question is about things in several repositories";
            Err(AppError::invalid(message, "name things of one repository in a question"))
        }
    }
}

/// Takes the name of a repository away from the symbols and paths of a question.
pub(super) fn without_name(mut request: Box<dyn AnyQuestion>, name: &str) -> Box<dyn AnyQuestion> {
    let names = [name.to_string()];
    for subject in request.subjects() {
        if let Some((_, rest)) = selector(subject, &names) {
            *subject = rest.to_string();
        }
    }
    request
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_may_stand_before_a_name() {
        let names = ["shop", "shop:old", "team/shop", "bank"].map(String::from);
        let select = |subject: &str| selector(subject, &names).map(|(at, rest)| (names[at].clone(), rest.to_string()));
        let found = |name: &str, rest: &str| Some((name.to_string(), rest.to_string()));
        assert_eq!(select("shop:cart.py::total"), found("shop", "cart.py::total"));
        assert_eq!(select("shop:old:cart.py:3"), found("shop:old", "cart.py:3"));
        assert_eq!(select("team/shop:cart.py:3"), found("team/shop", "cart.py:3"));
        for other in ["shop", "shop:", "shop:12", "shop::total", "web:cart.py", "cart.py:3"] {
            assert_eq!(select(other), None, "{other}");
        }
    }
}
