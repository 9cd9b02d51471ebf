//! Paths of routes: parameters in one notation, and parts put together.

/// The mark for a part that is not known.
pub const UNKNOWN_PART: &str = "…";

/// Puts a path below a prefix.
pub fn join_paths(prefix: &str, path: &str, is_plain: bool) -> String {
    if prefix.is_empty() || path.is_empty() {
        return format!("{prefix}{path}");
    }
    if is_plain {
        return format!("{prefix}{path}");
    }
    format!("{}/{}", prefix.trim_end_matches('/'), path.trim_start_matches('/'))
}

/// Returns a path with parameters as `{name}`, beginning with a slash unless its beginning is not
/// known.
pub fn normal_path(path: &str, params: &[String], drops_slash: bool) -> String {
    let has = |way: &str| params.iter().any(|known| known == way);
    let mut path = path.split(['?', '#']).next().filter(|_| !has("regex") && !has("colon")).unwrap_or(path).to_string();
    if has("regex") {
        path = without_regex(&path);
    }
    if has("angle") {
        path = angle_parameters(&path);
    }
    if has("brace") {
        path = brace_parameters(&path);
    }
    if has("colon") {
        path = colon_parameters(&path);
    }
    if has("bracket") {
        path = bracket_parameters(&path);
    }
    while path.contains("//") {
        path = path.replace("//", "/");
    }
    if !path.starts_with('/') && !path.starts_with(UNKNOWN_PART) {
        path.insert(0, '/');
    }
    if drops_slash && path.len() > 1 && path.ends_with('/') {
        path.pop();
    }
    path
}

/// Writes `:id`, `:id?`, `:id(\\d+)` and `*path` as `{id}` and `{path}`.
fn colon_parameters(path: &str) -> String {
    let mut out = String::new();
    let mut rest = path;
    while let Some(at) = rest.find([':', '*']) {
        out.push_str(&rest[..at]);
        let mark = &rest[at..at + 1];
        let after = &rest[at + 1..];
        let is_inside = out.rfind('{').is_some_and(|open| !out[open..].contains('}'));
        let end = after.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(after.len());
        if end == 0 || is_inside {
            out.push_str(mark);
            rest = after;
            continue;
        }
        out.push_str(&format!("{{{}}}", &after[..end]));
        rest = &after[end..];
        for (open, close) in [('(', ')'), ('{', '}')] {
            if rest.starts_with(open) {
                rest = &rest[closing(rest, open, close)..];
            }
        }
        rest = rest.strip_prefix(['?', '+', '*']).unwrap_or(rest);
    }
    out.push_str(rest);
    // Optional parts of some frameworks stand in brackets.
    out.replace(['(', ')'], "")
}

/// Writes `{id:[0-9]+}`, `{*path}`, `{id?}` and `{id=5}` as `{id}` and `{path}`.
fn brace_parameters(path: &str) -> String {
    let mut out = String::new();
    let mut rest = path;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        let length = closing(&rest[at..], '{', '}');
        let inner = rest[at..at + length].trim_start_matches('{').trim_end_matches('}');
        let name = inner.split([':', '=', '<']).next().unwrap_or(inner);
        let name = name.trim().trim_start_matches('*').trim_end_matches(['?', '.', '*', '+', '!']);
        out.push_str(&format!("{{{name}}}"));
        rest = &rest[at + length..];
    }
    out.push_str(rest);
    out
}

/// Writes `<int:id>` as `{id}`.
fn angle_parameters(path: &str) -> String {
    let mut out = String::new();
    let mut rest = path;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let length = closing(&rest[at..], '<', '>');
        let inner = rest[at..at + length].trim_start_matches('<').trim_end_matches('>');
        let name = inner.rsplit(':').next().unwrap_or(inner);
        out.push_str(&format!("{{{}}}", name.trim()));
        rest = &rest[at + length..];
    }
    out.push_str(rest);
    out
}

/// Writes `(?P<id>\d+)` as `<id>`, other groups as `{}`, and leaves marks of expressions out.
fn without_regex(path: &str) -> String {
    if !path.contains(['^', '$', '(', '\\']) {
        return path.to_string();
    }
    let mut out = String::new();
    let mut rest = path;
    let mut count = 0;
    while let Some(c) = rest.chars().next() {
        match c {
            '(' => {
                let length = closing(rest, '(', ')');
                let group = &rest[..length];
                let name = group.strip_prefix("(?P<").or_else(|| group.strip_prefix("(?<"));
                match name.and_then(|name| name.split('>').next()) {
                    Some(name) => out.push_str(&format!("<{name}>")),
                    None if group.starts_with("(?") => {}
                    None => {
                        count += 1;
                        out.push_str(&format!("<{count}>"));
                    }
                }
                rest = rest[length..].trim_start_matches(['?', '*', '+']);
            }
            '^' | '$' | '\\' => rest = rest[1..].strip_prefix(['Z', 'A', 'z']).unwrap_or(&rest[1..]),
            '?' => rest = &rest[1..],
            _ => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

/// Writes `[id]`, `[...path]` and `[[...path]]` as `{id}` and `{path}`, and leaves `(group)` and
/// `@slot` out.
fn bracket_parameters(path: &str) -> String {
    let parts = path.split('/').filter(|part| !part.starts_with('(') && !part.starts_with('@'));
    let part = |part: &str| {
        if part.starts_with('[') && part.ends_with(']') {
            format!("{{{}}}", part.trim_matches(['[', ']', '.']))
        } else {
            part.to_string()
        }
    };
    parts.map(part).collect::<Vec<_>>().join("/")
}

/// Returns the length of the bracketed text that `text` begins with.
fn closing(text: &str, open: char, close: char) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at + c.len_utf8();
            }
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_one_notation() {
        for (written, ways, shown) in [
            ("/users/:id", vec!["colon"], "/users/{id}"),
            ("/users/:id(\\d+)/x", vec!["colon"], "/users/{id}/x"),
            ("/files/*path", vec!["colon"], "/files/{path}"),
            ("/users/:id{[0-9]+}/x", vec!["colon"], "/users/{id}/x"),
            ("/all/*", vec!["colon"], "/all/*"),
            ("/posts(/:id)", vec!["colon"], "/posts/{id}"),
            ("/users/{id:[0-9]+}", vec!["brace"], "/users/{id}"),
            ("/files/{*rest}", vec!["brace"], "/files/{rest}"),
            ("users/{id:int?}", vec!["brace"], "/users/{id}"),
            ("/users/<int:id>/", vec!["angle"], "/users/{id}/"),
            ("^users/(?P<id>\\d+)/$", vec!["regex", "angle"], "/users/{id}/"),
            ("^a/(\\d+)/(b|c)/?$", vec!["regex", "angle"], "/a/{1}/{2}/"),
            ("(shop)/items/[id]/[...rest]", vec!["bracket"], "/items/{id}/{rest}"),
            ("…/x/{a:{2}}", vec!["brace"], "…/x/{a}"),
            ("/x/{a", vec!["brace"], "/x/{a}"),
            ("/x/<a", vec!["angle"], "/x/{a}"),
            ("", vec!["brace"], "/"),
        ] {
            let ways: Vec<String> = ways.into_iter().map(String::from).collect();
            assert_eq!(normal_path(written, &ways, false), shown, "{written}");
        }
        assert_eq!(normal_path("/a/", &[], true), "/a");
    }

    #[test]
    fn parts_are_put_together() {
        assert_eq!(join_paths("/a/", "/b", false), "/a/b");
        assert_eq!(join_paths("/a", "b", false), "/a/b");
        assert_eq!(join_paths("/a", "", false), "/a");
        assert_eq!(join_paths("/a", "b", true), "/ab");
    }
}
