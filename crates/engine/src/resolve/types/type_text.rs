//! Types as programs write them, read by rules that hold in most languages.

/// A type as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypeText {
    /// A name with its qualifiers, and its arguments.
    Named(Vec<String>, Vec<TypeText>),
    /// One of several, or all of them at once: either way a member may be any one's.
    Any(Vec<TypeText>),
    /// Several values.
    Tuple(Vec<TypeText>),
    /// Many values of one type.
    List(Box<TypeText>),
    /// A function that gives this.
    Function(Box<TypeText>),
    /// The type of a value.
    TypeOf(String),
    /// Nothing that has members here.
    Unknown,
}

/// Words around a type that do not change whose members it has.
const PASSED: &[&str] = &[
    "mut", "const", "dyn", "impl", "readonly", "ref", "final", "var", "unique", "out", "in", "struct", "class", "enum",
    "volatile", "static", "lateinit", "override", "where", "for", "inout", "some", "any", "asserts", "unsafe",
    "extern", "extends", "typename", "union", "auto",
];

const MAX_DEPTH: usize = 12;

/// Reads a type.
pub(crate) fn parse(text: &str) -> TypeText {
    let text = text.trim();
    let unquoted = text.strip_prefix(['\'', '"']).and_then(|rest| rest.strip_suffix(['\'', '"']));
    Reader { rest: unquoted.unwrap_or(text), depth: 0 }.union()
}

struct Reader<'text> {
    rest: &'text str,
    depth: usize,
}

impl<'text> Reader<'text> {
    fn skip(&mut self) {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '&', '*', '?', '!', ':', '~', '"', '\\']);
            if let Some(after) = self.rest.strip_prefix('\'') {
                // A lifetime, or the quote around a forward reference.
                let word = after.find(|c: char| !is_word(c)).unwrap_or(after.len());
                let is_lifetime = !after[word..].starts_with(['\'', '.', '[', '|']) && word > 0 && word < after.len();
                self.rest = if is_lifetime { &after[word..] } else { after };
                continue;
            }
            let word = self.peek_word();
            if PASSED.contains(&word) {
                self.rest = &self.rest[word.len()..];
                continue;
            }
            return;
        }
    }

    fn peek_word(&self) -> &'text str {
        let end = self.rest.find(|c: char| !is_word(c)).unwrap_or(self.rest.len());
        &self.rest[..end]
    }

    fn eat(&mut self, mark: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn union(&mut self) -> TypeText {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.rest = "";
            return TypeText::Unknown;
        }
        self.eat("|");
        let mut parts = vec![self.single()];
        while self.eat("|") || self.eat("&") || self.eat("+") {
            parts.push(self.single());
        }
        self.depth -= 1;
        if parts.len() == 1 { parts.remove(0) } else { TypeText::Any(parts) }
    }

    fn single(&mut self) -> TypeText {
        self.skip();
        let mut found = match self.rest.chars().next() {
            None => return TypeText::Unknown,
            Some('[') => self.bracket(),
            Some('(') => self.parenthesis(),
            Some('{') => {
                self.balanced();
                TypeText::Unknown
            }
            Some('<') => {
                self.balanced();
                return self.single();
            }
            Some(c) if is_word(c) => self.named(),
            Some(_) => {
                self.rest = "";
                return TypeText::Unknown;
            }
        };
        loop {
            let blank = self.rest.starts_with(' ');
            self.rest = self.rest.trim_start_matches(['\'', '"', '?', '!']);
            if self.rest.starts_with("[]") {
                self.rest = &self.rest[2..];
                found = TypeText::List(Box::new(found));
            } else if self.rest.starts_with('[') && !blank {
                self.balanced();
                found = TypeText::Unknown;
            } else {
                return found;
            }
        }
    }

    /// `[]T`, `[N]T`, `[T; N]`, `[T]`, `[A, B]`.
    fn bracket(&mut self) -> TypeText {
        self.eat("[");
        if self.eat("]") {
            return TypeText::List(Box::new(self.single()));
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) || self.rest.starts_with("...") {
            self.rest = self.rest.find(']').map_or("", |at| &self.rest[at + 1..]);
            return TypeText::List(Box::new(self.single()));
        }
        let parts = self.list(']');
        match <[TypeText; 1]>::try_from(parts) {
            Ok([only]) => TypeText::List(Box::new(only)),
            Err(parts) => TypeText::Tuple(parts),
        }
    }

    /// `(A, B)`, `(A)`, `(a: A) => B`, `(a A, b B)`.
    fn parenthesis(&mut self) -> TypeText {
        let inside = self.balanced();
        if self.eat("=>") || self.eat("->") {
            return TypeText::Function(Box::new(self.union()));
        }
        let mut inner = Reader { rest: inside, depth: self.depth };
        let mut parts = inner.list(')');
        match parts.len() {
            0 => TypeText::Unknown,
            1 => parts.remove(0),
            _ => TypeText::Tuple(parts),
        }
    }

    /// What stands between commas, up to the closing mark.
    fn list(&mut self, close: char) -> Vec<TypeText> {
        let mut parts = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.is_empty() {
                return parts;
            }
            if let Some(rest) = self.rest.strip_prefix(close) {
                self.rest = rest;
                return parts;
            }
            let before = self.rest.len();
            parts.push(self.named_part());
            // `Item = T`, `[T; N]`, and whatever else stands behind.
            loop {
                self.rest = self.rest.trim_start();
                match self.rest.chars().next() {
                    None => return parts,
                    Some(',') => {
                        self.rest = &self.rest[1..];
                        break;
                    }
                    Some(c) if c == close => break,
                    Some('=') => {
                        self.rest = self.rest.trim_start_matches(['=', '>']);
                        let value = self.union();
                        if let Some(last) = parts.last_mut() {
                            *last = value;
                        }
                    }
                    Some('(' | '[' | '{' | '<') => _ = self.balanced(),
                    Some(c) => self.rest = &self.rest[c.len_utf8()..],
                }
            }
            if self.rest.len() == before {
                return parts;
            }
        }
    }

    /// A type that may have a name before it: `total int64`, `event: E`.
    fn named_part(&mut self) -> TypeText {
        let word = self.peek_word();
        let after = self.rest[word.len()..].trim_start();
        let named = !word.is_empty()
            && !PASSED.contains(&word)
            && (after.starts_with(':') && !after.starts_with("::")
                || after.starts_with("?:")
                || self.rest[word.len()..].starts_with(' ')
                    && after.starts_with(|c: char| is_word(c) || matches!(c, '*' | '['))
                    && !after.starts_with("extends "));
        if named {
            self.rest = after.trim_start_matches(['?', ':']);
        }
        self.union()
    }

    fn named(&mut self) -> TypeText {
        let mut path = Vec::new();
        loop {
            let word = self.peek_word();
            self.rest = &self.rest[word.len()..];
            match word {
                "typeof" => {
                    let value = self.rest.trim();
                    let end = value.find(|c: char| !is_word(c) && c != '.').unwrap_or(value.len());
                    self.rest = &value[end..];
                    return TypeText::TypeOf(value[..end].to_string());
                }
                "keyof" | "infer" | "is" => return self.single(),
                "func" | "fn" | "Fn" | "FnMut" | "FnOnce" | "Callable" | "function" | "new" if path.is_empty() => {
                    return self.function(word);
                }
                "map" if self.rest.starts_with('[') => {
                    self.balanced();
                    return TypeText::List(Box::new(self.single()));
                }
                "chan" => return TypeText::List(Box::new(self.single())),
                _ => path.push(word.to_string()),
            }
            let after = self.rest.strip_prefix("::").or_else(|| self.rest.strip_prefix(['.', '\\']));
            match after {
                Some(rest) if rest.starts_with(is_word) => self.rest = rest,
                _ => break,
            }
        }
        let is_generic = self.rest.starts_with('<') || self.rest.starts_with("::<");
        let mut arguments = Vec::new();
        if is_generic {
            self.rest = self.rest.trim_start_matches("::");
            self.eat("<");
            arguments = self.list('>');
        } else if self.rest.starts_with('[') && !self.rest.starts_with("[]") {
            self.eat("[");
            arguments = self.list(']');
        } else if self.rest.starts_with('(') {
            self.balanced();
            if self.eat("->") {
                return TypeText::Function(Box::new(self.single()));
            }
        }
        TypeText::Named(path, arguments)
    }

    fn function(&mut self, word: &str) -> TypeText {
        self.rest = self.rest.trim_start();
        if word == "Callable" {
            // `Callable[[A], B]`
            if !self.eat("[") {
                return TypeText::Unknown;
            }
            let mut parts = self.list(']');
            return parts.pop().map_or(TypeText::Unknown, |result| TypeText::Function(Box::new(result)));
        }
        if self.rest.starts_with('(') {
            self.balanced();
        }
        let _ = self.eat("->") || self.eat("=>");
        self.rest = self.rest.trim_start();
        let ends = self.rest.is_empty() || self.rest.starts_with([',', ')', '+', '>', '{']);
        TypeText::Function(Box::new(if ends { TypeText::Unknown } else { self.single() }))
    }

    /// Skips a bracket with all that is in it; returns what is in it.
    fn balanced(&mut self) -> &'text str {
        let whole = self.rest;
        let mut depth = 0usize;
        let mut previous = ' ';
        for (at, c) in whole.char_indices() {
            match c {
                '(' | '[' | '{' | '<' => depth += 1,
                '>' if matches!(previous, '=' | '-') => {}
                ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
                _ => {}
            }
            previous = c;
            if depth == 0 {
                self.rest = &whole[at + c.len_utf8()..];
                return &whole[1..at];
            }
        }
        self.rest = "";
        whole.get(1..).unwrap_or("")
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(kind: &TypeText) -> String {
        let all = |parts: &[TypeText]| parts.iter().map(shown).collect::<Vec<_>>().join(", ");
        match kind {
            TypeText::Named(path, arguments) if arguments.is_empty() => path.join("."),
            TypeText::Named(path, arguments) => format!("{}<{}>", path.join("."), all(arguments)),
            TypeText::Any(parts) => format!("any({})", all(parts)),
            TypeText::Tuple(parts) => format!("({})", all(parts)),
            TypeText::List(inner) => format!("[{}]", shown(inner)),
            TypeText::Function(result) => format!("-> {}", shown(result)),
            TypeText::TypeOf(value) => format!("typeof {value}"),
            TypeText::Unknown => "?".into(),
        }
    }

    #[test]
    fn many_notations() {
        for (written, read) in [
            ("str", "str"),
            ("t.Optional[\"Flask\"]", "t.Optional<Flask>"),
            ("'Base | None'", "any(Base, None)"),
            ("dict[str, list[Account]]", "dict<str, list<Account>>"),
            ("t.Callable[[Request], Response]", "t.Callable<[Request], Response>"),
            ("*http.Request", "http.Request"),
            ("[]*Route", "[Route]"),
            ("map[string]*Node", "[Node]"),
            ("(total int64, err error)", "(int64, error)"),
            ("func(http.Handler) http.Handler", "-> http.Handler"),
            ("&'a mut Router<S>", "Router<S>"),
            ("Result<Box<dyn Service<Request>>, Error>", "Result<Box<Service<Request>>, Error>"),
            ("impl IntoResponse + Send + 'static", "any(IntoResponse, Send, ?)"),
            ("impl Future<Output = Response>", "Future<Response>"),
            (": Clone + Send", "any(Clone, Send)"),
            ("[T; 4]", "[T]"),
            ("Context<E>[]", "[Context<E>]"),
            ("(c: Context, next: Next) => Promise<Response>", "-> Promise<Response>"),
            ("typeof app.fetch", "typeof app.fetch"),
            ("{ a: string }", "?"),
            ("readonly Handler[]", "[Handler]"),
            ("Owner[\"name\"]", "Owner<name>"),
            ("Map<string, () => void>", "Map<string, -> void>"),
            ("", "?"),
            ("((((((((((((((((((", "?"),
        ] {
            assert_eq!(shown(&parse(written)), read, "{written}");
        }
    }
}
