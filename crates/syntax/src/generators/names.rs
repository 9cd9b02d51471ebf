//! Names of generated code.

/// A name, and the name that stands before it, if that matters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NamePath {
    /// The name before it.
    pub qualifier: Option<String>,
    /// The name.
    pub name: String,
    /// An instance is made of it.
    pub is_made: bool,
}

/// Returns a template with the names of a service and an rpc.
pub fn expand(template: &str, service: &str, rpc: &str) -> NamePath {
    let (template, is_made) = match template.strip_prefix("new ") {
        Some(rest) => (rest, true),
        None => (template, false),
    };
    let written = replaced(&replaced(template, "service", service), "rpc", rpc);
    match written.rsplit_once('.') {
        Some((qualifier, name)) => NamePath { qualifier: Some(qualifier.to_string()), name: name.to_string(), is_made },
        None => NamePath { qualifier: None, name: written, is_made },
    }
}

fn replaced(template: &str, word: &str, value: &str) -> String {
    if !template.contains('{') {
        return template.to_string();
    }
    let mut text = template.replace(&format!("{{{word}}}"), value);
    for (case, change) in [("pascal", pascal as fn(&str) -> String), ("camel", camel), ("snake", snake)] {
        let mark = format!("{{{word}:{case}}}");
        if text.contains(&mark) {
            text = text.replace(&mark, &change(value));
        }
    }
    text
}

/// Returns a name in `PascalCase`: underscores are left out before letters, what is upper case
/// stays so.
pub fn pascal(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut starts = true;
    for c in name.chars() {
        match c {
            '_' => starts = true,
            c if starts => {
                out.extend(c.to_uppercase());
                starts = false;
            }
            c => out.push(c),
        }
    }
    out
}

/// Returns a name in `camelCase`.
pub fn camel(name: &str) -> String {
    let name = pascal(name);
    let mut chars = name.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// Returns a name in `snake_case`; capitals in a row are one word.
pub fn snake(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 4);
    for (at, c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at));
        let after = chars.get(at + 1);
        let begins = c.is_uppercase()
            && before.is_some_and(|before| {
                *before != '_' && (!before.is_uppercase() || after.is_some_and(|after| after.is_lowercase()))
            });
        if begins {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases() {
        for (name, in_pascal, in_camel, in_snake) in [
            ("CartService", "CartService", "cartService", "cart_service"),
            ("get_cart", "GetCart", "getCart", "get_cart"),
            ("GetHTTPPage", "GetHTTPPage", "getHTTPPage", "get_http_page"),
            ("V2Items", "V2Items", "v2Items", "v2_items"),
            ("", "", "", ""),
        ] {
            assert_eq!((pascal(name), camel(name), snake(name)), (in_pascal.into(), in_camel.into(), in_snake.into()));
        }
    }

    #[test]
    fn templates() {
        let path = expand("{service:snake}_server.{service:pascal}", "cartService", "");
        assert_eq!((path.qualifier.as_deref(), path.name.as_str()), (Some("cart_service_server"), "CartService"));
        assert!(expand("new {service}", "Cart", "").is_made);
        assert_eq!(expand("{rpc:pascal}Async", "Cart", "get_cart").name, "GetCartAsync");
    }
}
