//! Expressions as short texts: `a.get(x, y).b` is `a.get().b` whatever the arguments, comments and line breaks are.
//!
//! Receivers, values of variables and results of functions are kept in this form. It is read from the text alone, by
//! rules that hold in most languages:
//!
//! | written | kept |
//! |---|---|
//! | `f(x, y)`, `m!(…)` | `f()`, `m!()` |
//! | `xs[i]` | `xs[]` |
//! | `Point { x: 1 }` behind a capital letter or a package | `Point{}` |
//! | `a?.b`, `a->b`, `a!.b` | `a.b` |
//! | `a::b::<T>::c`, `x.get::<Point>()` | `a::b::c`, `x.get()<Point>` |
//! | `\A\B` | `A::B` |
//! | `((Point) x).y` | `Point{}.y` |
//! | `new Point(1, 2)` | `new Point()` |
//! | `await f()`, `&f()`, `(f())`, `f()?`, `f() or g()` | `f()` |
//! | `x as Point`, `x.(Point)` | `as Point` |
//! | `<T as Trait>::f`, `<Type as Trait>::f` | `Trait::f`, `Type::f` |
//! | `"text"`, `12`, `[1, 2]`, `{a: 1}`, `()` | `""`, `0`, `[]`, `{}`, `(,)` |
//! | anything else | `?` |

/// More source than this is not looked at.
const MAX_SOURCE: usize = 8 * 1024;
/// Longer results are cut at the front, which makes them unknown from there on.
const MAX_LENGTH: usize = 200;
/// Longer type arguments are not kept.
const MAX_ASKED: usize = 60;
/// Parentheses in parentheses are followed this far.
const MAX_DEPTH: usize = 8;

/// Words before an expression that do not change what it is.
const PASSED: &[&str] = &["await", "mut", "ref", "move", "yield", "return", "try", "const", "box", "async"];
/// Words that start something else than a chain of names.
const OTHER: &[&str] = &[
    "if",
    "match",
    "switch",
    "case",
    "when",
    "function",
    "fn",
    "func",
    "lambda",
    "not",
    "typeof",
    "void",
    "delete",
    "class",
    "struct",
    "interface",
    "unsafe",
    "loop",
    "for",
    "while",
    "do",
    "in",
    "sizeof",
    "def",
    "map",
    "chan",
];
/// Words between two expressions of which the first is as good as the whole.
const ALTERNATIVES: &[&str] = &["or", "if", "else", "unless", "rescue", "satisfies"];

/// The short text of the expression in `source`.
pub(crate) fn shortened(source: &str) -> String {
    let mut out = String::new();
    if source.len() > MAX_SOURCE || !(Reader { rest: source, depth: 0 }).expression(&mut out) {
        return "?".into();
    }
    if out.len() > MAX_LENGTH {
        let cut = out.ceil_char_boundary(out.len() - MAX_LENGTH);
        let at = out[cut..].find(['.', ':']).map_or(out.len(), |at| cut + at);
        out.replace_range(..at, "?");
    }
    out
}

/// The name that a short text starts with, if it starts with one.
pub fn root(short: &str) -> Option<&str> {
    let short = short.strip_prefix("new ").unwrap_or(short);
    let end = short.find(|c: char| !is_word(c)).unwrap_or(short.len());
    (end > 0 && !short.starts_with(|c: char| c.is_ascii_digit())).then(|| &short[..end])
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '@')
}

struct Reader<'text> {
    rest: &'text str,
    depth: usize,
}

impl<'text> Reader<'text> {
    /// Reads one expression; false when it is no chain of names.
    fn expression(&mut self, out: &mut String) -> bool {
        self.prefix();
        if !self.primary(out) {
            return false;
        }
        self.postfixes(out) && self.tail(out)
    }

    /// Skips blanks and comments.
    fn blank(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let comment = match self.rest.as_bytes() {
                [b'/', b'/', ..] | [b'#', b' ', ..] => self.rest.find('\n'),
                [b'/', b'*', ..] => self.rest.find("*/").map(|at| at + 2),
                [b'\\', b'\n', ..] => Some(1),
                _ => return,
            };
            self.rest = comment.map_or("", |end| &self.rest[end..]);
        }
    }

    fn prefix(&mut self) {
        loop {
            self.blank();
            let marks = self.rest.trim_start_matches(['&', '*', '!', '~', '-', '+']);
            let word = marks.find(|c| !is_word(c)).map_or(marks, |end| &marks[..end]);
            if PASSED.contains(&word) && marks[word.len()..].starts_with(char::is_whitespace) {
                self.rest = &marks[word.len()..];
            } else if marks.len() < self.rest.len() {
                self.rest = marks;
            } else {
                return;
            }
        }
    }

    fn word(&mut self) -> &'text str {
        let end = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn primary(&mut self, out: &mut String) -> bool {
        let Some(first) = self.rest.chars().next() else { return false };
        match first {
            '"' | '\'' | '`' => {
                out.push_str("\"\"");
                self.quoted(first);
                true
            }
            '(' => self.parenthesis(out),
            '[' => {
                self.bracketed();
                // `[]Point{…}` is a list as well.
                let is_typed = self.rest.starts_with(is_word) || self.rest.starts_with('*');
                if is_typed {
                    self.rest = self.rest.find(['{', '(']).map_or("", |at| &self.rest[at..]);
                    self.bracketed();
                }
                out.push_str("[]");
                true
            }
            '{' => {
                self.bracketed();
                out.push_str("{}");
                true
            }
            '<' => self.qualified(out),
            // A name from the root of all namespaces.
            '\\' if self.rest[1..].starts_with(char::is_alphabetic) => {
                self.rest = &self.rest[1..];
                self.name(out)
            }
            '.' | ':' => self.rest.starts_with("::"),
            '0'..='9' => {
                self.rest = self.rest.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_'));
                out.push('0');
                true
            }
            '@' | '$' | '_' => self.name(out),
            first if first.is_alphabetic() => self.name(out),
            _ => false,
        }
    }

    /// Reads an expression in parentheses, or a cast.
    fn parenthesis(&mut self, out: &mut String) -> bool {
        let inside = self.bracketed();
        if inside.trim().is_empty() {
            out.push_str("(,)");
            return true;
        }
        if let Some(kind) = self.cast(inside) {
            out.push_str(kind);
            out.push_str("{}");
            self.rest = "";
            return true;
        }
        if self.depth >= MAX_DEPTH {
            return false;
        }
        let mut inner = Reader { rest: inside, depth: self.depth + 1 };
        inner.expression(out)
    }

    /// Reads `<T as Trait>`, which is the trait's name, or `<Type as Trait>`, which is the type's.
    fn qualified(&mut self, out: &mut String) -> bool {
        let before = self.rest;
        self.angles();
        let inside = &before[1..(before.len() - self.rest.len()).max(2) - 1];
        let inside = match inside.split_once(" as ") {
            Some((kind, bound)) if kind.trim().len() <= 2 || kind.trim() == "Self" => bound.trim(),
            Some((kind, _)) => kind.trim(),
            None => inside.trim(),
        };
        let end = inside.find(|c: char| !is_word(c) && c != ':').unwrap_or(inside.len());
        out.push_str(&inside[..end]);
        end > 0
    }

    /// Returns the type in brackets before a value that is cast to it.
    fn cast(&self, inside: &'text str) -> Option<&'text str> {
        let is_value =
            self.rest.trim_start_matches(' ').starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
        let words = inside.trim().trim_start_matches("const ").trim_start_matches("struct ");
        let end = words.find(|c: char| !is_word(c) && !matches!(c, '.' | ':')).unwrap_or(words.len());
        let (path, marks) = words.split_at(end);
        let is_type =
            marks.chars().all(|c| is_word(c) || matches!(c, '<' | '>' | ',' | ' ' | '?' | '*' | '[' | ']' | '.'));
        let last = path.rsplit(['.', ':']).next().unwrap_or("");
        let is_named = last.starts_with(char::is_uppercase) && last.contains(char::is_lowercase)
            || marks.trim_start().starts_with('*');
        (is_value && is_type && is_named && !path.is_empty() && !self.continues()).then_some(path)
    }

    /// Returns whether the next word goes on with an expression in brackets instead of being cast.
    fn continues(&self) -> bool {
        let rest = self.rest.trim_start_matches(' ');
        let word = rest.find(|c| !is_word(c)).map_or(rest, |end| &rest[..end]);
        ALTERNATIVES.contains(&word)
            || matches!(word, "as" | "is" | "in" | "and" | "instanceof" | "to" | "until" | "match" | "with")
    }

    fn name(&mut self, out: &mut String) -> bool {
        let word = self.word();
        let mut after = Reader { rest: self.rest, depth: 0 };
        after.blank();
        if word == "new" && after.rest.starts_with(is_word) {
            self.rest = after.rest;
            out.push_str("new ");
            out.push_str(self.word());
            return true;
        }
        // A string with a prefix (`f"…"`, `r#"…"#`).
        if word.len() <= 2 && self.rest.starts_with(['"', '\'', '`']) {
            let quote = self.rest.chars().next().unwrap_or('"');
            out.push_str("\"\"");
            self.quoted(quote);
            return true;
        }
        if OTHER.contains(&word) && !self.rest.starts_with(['.', '(']) || word == "function" || word == "func" {
            return false;
        }
        out.push_str(word);
        true
    }

    /// Reads `.b`, `(…)`, `[…]` and the like, as long as they come.
    fn postfixes(&mut self, out: &mut String) -> bool {
        loop {
            let before = self.rest;
            self.blank();
            let after_blank = before.len() != self.rest.len();
            match self.rest.as_bytes() {
                [b'.', b'.', ..] => return true,
                // `x.(*Point)`
                [b'.', b'(', ..] => {
                    self.rest = &self.rest[1..];
                    let inside = self.bracketed();
                    out.clear();
                    out.push_str("as ");
                    out.push_str(&single_line(inside));
                    return true;
                }
                [b':', b':', b'<', ..] => self.type_arguments(out),
                _ if self.member_mark(out, after_blank) => {}
                [b'(', ..] if !after_blank || !before.starts_with('\n') => {
                    self.bracketed();
                    out.push_str("()");
                }
                [b'[', ..] if !after_blank => {
                    self.bracketed();
                    out.push_str("[]");
                }
                [b'!', b'(' | b'[' | b'{', ..] => {
                    self.rest = &self.rest[1..];
                    self.bracketed();
                    out.push_str("!()");
                }
                [b'<', ..] if !after_blank && self.is_generic() => self.angles(),
                [b'{', ..] if names_type(out) => {
                    self.bracketed();
                    out.push_str("{}");
                }
                [b'?' | b'!', next, ..] if !matches!(next, b'=' | b'?' | b':') && !next.is_ascii_whitespace() => {
                    self.rest = &self.rest[1..];
                }
                [b'?' | b'!'] => self.rest = "",
                [b'?' | b'!', b')' | b',' | b';', ..] => self.rest = &self.rest[1..],
                _ => return true,
            }
        }
    }

    /// Reads a mark before a member and the member; false if there is none.
    fn member_mark(&mut self, out: &mut String, after_blank: bool) -> bool {
        let (length, separator) = match self.rest.as_bytes() {
            [b'?', b'-', b'>', ..] => (3, "."),
            [b'?', b'.', ..] | [b'-', b'>', ..] | [b'!', b'.', ..] => (2, "."),
            [b'.', ..] => (1, "."),
            [b'\\', next, ..] if !after_blank && next.is_ascii_alphabetic() => (1, "::"),
            // A method of Lua's.
            [b':', next, ..] if !after_blank && next.is_ascii_alphabetic() => (1, "."),
            [b':', b':', ..] => (2, "::"),
            _ => return false,
        };
        self.rest = &self.rest[length..];
        self.member(out, separator);
        true
    }

    /// Reads `::<T>`; a type that a call is asked for by its argument is mostly given.
    fn type_arguments(&mut self, out: &mut String) {
        self.rest = &self.rest[2..];
        let before = self.rest;
        self.angles();
        let inside = &before[1..(before.len() - self.rest.len()).max(2) - 1];
        if self.rest.starts_with('(') && inside.len() <= MAX_ASKED && !inside.contains(['(', ',', '_']) {
            self.bracketed();
            out.push_str("()<");
            out.push_str(&single_line(inside));
            out.push('>');
        }
    }

    fn member(&mut self, out: &mut String, separator: &str) {
        self.blank();
        if self.rest.starts_with('<') {
            return self.angles();
        }
        let private = self.rest.strip_prefix('#');
        self.rest = private.unwrap_or(self.rest);
        let word = self.word();
        // `x.await` is x.
        if word == "await" || word.is_empty() {
            return;
        }
        out.push_str(separator);
        out.push_str(if private.is_some() { "#" } else { "" });
        out.push_str(word);
    }

    /// Reads what may stand behind a chain without making it something else.
    fn tail(&mut self, out: &mut String) -> bool {
        self.blank();
        let is_end = self.rest.is_empty() || self.rest.starts_with([',', ';', ')', ']', '}']);
        if is_end || self.rest.starts_with("||") || self.rest.starts_with("??") || self.rest.starts_with("?:") {
            return true;
        }
        let word = self.word();
        if word == "as" {
            self.rest = self.rest.trim_start_matches(['?', '!', ' ']);
            if !self.rest.starts_with("const") {
                let kind = single_line(self.rest);
                out.clear();
                out.push_str("as ");
                out.push_str(&kind);
            }
            return true;
        }
        ALTERNATIVES.contains(&word)
    }

    /// Skips a bracket with all that is in it; returns what is in it.
    fn bracketed(&mut self) -> &'text str {
        let whole = self.rest;
        let mut depth = 0usize;
        while let Some(c) = self.rest.chars().next() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                '"' | '\'' | '`' => {
                    self.quoted(c);
                    continue;
                }
                '/' | '#' => {
                    let before = self.rest.len();
                    self.blank();
                    if self.rest.len() != before {
                        continue;
                    }
                }
                _ => {}
            }
            self.rest = &self.rest[c.len_utf8()..];
            if depth == 0 {
                let length = whole.len() - self.rest.len();
                return whole.get(1..length - 1).unwrap_or("");
            }
        }
        ""
    }

    /// Skips a quoted text. A mark that is not closed on its line is no quote (`'a` in Rust).
    fn quoted(&mut self, quote: char) {
        let mark: String = std::iter::repeat_n(quote, 3).collect();
        if let Some(body) = self.rest.strip_prefix(mark.as_str()) {
            self.rest = body.find(mark.as_str()).map_or("", |end| &body[end + 3..]);
            return;
        }
        let body = &self.rest[1..];
        let mut escaped = false;
        for (at, c) in body.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '\n' if quote != '`' => break,
                c if c == quote => {
                    self.rest = &body[at + 1..];
                    return;
                }
                _ => {}
            }
        }
        self.rest = body;
    }

    /// Returns whether a `<` opens type arguments: its `>` comes before anything that no type has.
    fn is_generic(&self) -> bool {
        let mut depth = 0usize;
        for (at, c) in self.rest.char_indices().take(400) {
            match c {
                '<' => depth += 1,
                '>' if self.rest[..at].ends_with(['=', '-']) => {}
                '>' if depth == 1 => return true,
                '>' => depth -= 1,
                ';' | '+' | '/' => return false,
                _ => {}
            }
        }
        false
    }

    fn angles(&mut self) {
        let mut depth = 0usize;
        while let Some(c) = self.rest.chars().next() {
            match c {
                '<' => depth += 1,
                '>' => depth = depth.saturating_sub(1),
                _ => {}
            }
            let arrow = self.rest.starts_with("=>") || self.rest.starts_with("->");
            self.rest = &self.rest[if arrow { 2 } else { c.len_utf8() }..];
            if depth == 0 {
                return;
            }
        }
    }
}

/// Returns whether braces behind `chain` make a value of it.
fn names_type(chain: &str) -> bool {
    let last = chain.rsplit(['.', ':']).next().unwrap_or(chain);
    last.chars().all(is_word) && last.starts_with(char::is_uppercase)
        || chain.contains('.') && chain.chars().all(|c| is_word(c) || c == '.') && last.starts_with(char::is_uppercase)
}

/// A type as written, on one line and not too long.
pub(crate) fn single_line(source: &str) -> String {
    const MAX_TYPE: usize = 160;
    let mut out = String::new();
    for word in source.split_whitespace() {
        if out.len() + word.len() > MAX_TYPE {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_lose_arguments_and_marks() {
        for (source, short) in [
            ("a.get(x, \")\").b", "a.get().b"),
            ("self\n    .app(1, [2])\n    // why not\n    .run", "self.app().run"),
            ("a?.b!.c->d", "a.b.c.d"),
            ("Vec::<u8>::with_capacity(9)", "Vec::with_capacity()"),
            ("new Map<string, () => void>()", "new Map()"),
            ("await (await fetch(url)).json()", "fetch().json()"),
            ("&mut http.Server{Addr: \":80\"}", "http.Server{}"),
            ("Point { x: 1, y: 2 }", "Point{}"),
            ("xs[0].name", "xs[].name"),
            ("x as unknown as Point<T>", "as unknown as Point<T>"),
            ("pool.Get().(*Context)", "as *Context"),
            ("request.args or {}", "request.args"),
            ("f\"{a}\".strip()", "\"\".strip()"),
            ("parse(text)?", "parse()"),
            ("((Map<String, ?>) value).keys()", "Map{}.keys()"),
            ("((struct node *)next)->value", "node{}.value"),
            ("(Point) or other", "Point"),
            ("store:open(x):get()", "store.open().get()"),
            ("\\App\\Models\\User::find($id)->posts()", "App::Models::User::find().posts()"),
            ("client.get(url).await?.bytes()", "client.get().bytes()"),
            ("<T as Into<Cow<'a, str>>>::into(x)", "Into::into()"),
            ("().into_response()", "(,).into_response()"),
            ("<Router as Service<Request>>::call(x)", "Router::call()"),
            ("map.get::<Point>(0)?.x", "map.get()<Point>.x"),
            ("a + b", "?"),
            ("if x { y } else { z }", "?"),
            ("vec![1, 2]", "vec!()"),
            ("", "?"),
            ("((((((((((a))))))))))", "?"),
        ] {
            assert_eq!(shortened(source), short, "{source}");
        }
    }

    #[test]
    fn a_long_chain_is_unknown_at_its_start() {
        let source = format!("first{}", ".again()".repeat(60));
        let short = shortened(&source);
        assert!(short.starts_with("?.again()") && short.len() <= MAX_LENGTH + 1, "{short}");
        assert_eq!(root(&short), None);
        assert_eq!(root("new Point()"), Some("Point"));
        assert_eq!(root("self.x"), Some("self"));
    }
}
