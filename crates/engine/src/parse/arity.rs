//! How many arguments a definition takes, read from its one-line signature.
//!
//! Unlike [`crate::parse::signature`], which compares and ranks, this decides which overload is called. So it says nothing where it
//! is not sure: a signature that was cut, brackets that do not match, comments, notations it does not know.

use codecompass_syntax::facts::{Definition, Kind, Reference};
use codecompass_syntax::{Language, ResolveRules};

use crate::parse::signature::{behind_type_parameters, is_instance};
use crate::tokenize;

/// How many arguments a call gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    pub arguments: u8,
    /// Whether the first of them may be the instance: what stands before the name may be a type.
    pub may_hold_instance: bool,
}

impl Given {
    /// What a reference gives, with the text before its name; `None` if nobody knows.
    pub(crate) fn by(reference: &Reference, receiver: Option<&str>) -> Option<Given> {
        reference.arguments.map(|arguments| Given { arguments, may_hold_instance: receiver.is_none_or(names_type) })
    }
}

/// Whether the text before a name may be that of a type.
pub(crate) fn names_type(receiver: &str) -> bool {
    let last = receiver.rsplit(['.', ':']).next().unwrap_or("");
    last.starts_with(char::is_uppercase) && last.ends_with(tokenize::is_word_char)
}

/// How many arguments a definition takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arity {
    /// The number of its parameters, without the one that is its own instance.
    pub parameters: usize,
    least: usize,
    /// `None`: there is no limit.
    most: Option<usize>,
    /// Its own instance is among the parameters, and may be given as an argument (`Type::method(value, 1)`).
    with_instance: bool,
}

impl Arity {
    /// The arity of a function, or of making an instance of a type whose head has parameters; `None` if it cannot be told.
    pub(crate) fn of(definition: &Definition, language: &Language) -> Option<Arity> {
        let rules = language.resolve_rules();
        let has_arity = match definition.kind {
            Kind::Property => false,
            kind if kind.is_type() => rules.overloads_apart,
            kind => kind.is_callable(),
        };
        if !language.counts_arguments() || !has_arity || may_be_changed(definition, rules) {
            return None;
        }
        let parts = listed(definition)?;
        let mut arity = Arity { parameters: 0, least: 0, most: Some(0), with_instance: false };
        let is_method = matches!(definition.kind, Kind::Method | Kind::Constructor);
        for (at, part) in parts.iter().enumerate() {
            if at == 0 && is_instance(part) {
                arity.with_instance = true;
            } else if at == 0 && is_method && rules.first_parameter_is_self {
                return None;
            } else {
                arity.add(part, language)?;
            }
        }
        Some(arity)
    }

    fn add(&mut self, part: &str, language: &Language) -> Option<()> {
        // Marks between parameters, and C's word for none.
        if matches!(part, "" | "/" | "*" | "void") {
            return Some(());
        }
        let words = || part.split([' ', '(']).take(3);
        if words().next().is_some_and(|word| matches!(word, "implicit" | "using")) {
            return None;
        }
        let colon = colon_in(part);
        let is_block = part.starts_with('&') && colon.is_none();
        if is_block || language.has_keyword_parameters() && colon.is_some() {
            return Some(());
        }
        self.parameters += 1;
        let is_repeated = part.starts_with('*')
            || part.contains("...")
            || words().any(|word| matches!(word, "vararg" | "params"))
            || colon.is_some() && part.ends_with('*');
        if is_repeated {
            self.most = None;
        } else {
            self.most = self.most.map(|most| most + 1);
            self.least += usize::from(!is_optional(part, colon, language.default_mark()));
        }
        Some(())
    }

    /// Whether it can be called with so many arguments.
    pub(crate) fn admits(&self, given: Given) -> bool {
        let fits = |count: usize| self.least <= count && self.most.is_none_or(|most| count <= most);
        let count = usize::from(given.arguments);
        fits(count) || self.with_instance && given.may_hold_instance && count > 0 && fits(count - 1)
    }
}

/// Whether something else than the signature says how it is called.
fn may_be_changed(definition: &Definition, rules: &ResolveRules) -> bool {
    !rules.overloads_apart && definition.decorators.iter().any(|decorator| decorator.starts_with('@'))
}

/// The parameters as written.
fn listed(definition: &Definition) -> Option<Vec<&str>> {
    let (signature, name) = (definition.signature.as_str(), definition.name.as_str());
    if name.is_empty() {
        return None;
    }
    for (at, _) in signature.match_indices(name) {
        let (before, rest) = (&signature[..at], &signature[at + name.len()..]);
        if before.ends_with(tokenize::is_word_char) || rest.starts_with(tokenize::is_word_char) {
            continue;
        }
        if rest.is_empty() && matches!(definition.kind, Kind::Function | Kind::Method) {
            return Some(Vec::new());
        }
        let rest = behind_type_parameters(rest).trim_start().trim_start_matches(['?', '!']);
        if rest.starts_with('(') {
            return split(rest);
        }
        // A variable that holds a function, or the name of a type before that of its constructor.
        let Some(opens) = rest.find('(') else { continue };
        let between = rest[..opens].trim();
        let last = between.rsplit([' ', ':', '=']).next().unwrap_or("");
        let is_plain = between.chars().all(|c| tokenize::is_word_char(c) || matches!(c, ' ' | '=' | ':'));
        let is_head = matches!(last, "" | "async" | "function") || last == name;
        if between.starts_with(['=', ':']) && is_plain && is_head {
            return split(&rest[opens..]);
        }
    }
    None
}

/// The parts between commas of a list in parentheses that `text` starts with; `None` if its end or a part is not certain.
fn split(text: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let mut open: Vec<char> = Vec::new();
    let (mut start, mut at) = (1, 0);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at + c.len_utf8()..];
        let before = text[..at].chars().next_back().unwrap_or(' ');
        let next = rest.chars().next().unwrap_or(' ');
        match c {
            '(' | '[' | '{' => open.push(c),
            ')' | ']' | '}' => {
                // Also where a `<` that opened nothing was taken for a bracket.
                if open.pop() != Some(opening(c)) {
                    return None;
                }
                if open.is_empty() {
                    parts.push(text[start..at].trim());
                    return Some(parts);
                }
            }
            '<' if !matches!(next, ' ' | '=' | '<' | '-') && before != '<' => open.push(c),
            '>' if matches!(before, '=' | '-') => {}
            '>' => _ = open.pop_if(|open| *open == '<'),
            ',' if open.len() == 1 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            '"' | '`' => {
                at += 1 + quoted(rest, c)?;
                continue;
            }
            '\'' => {
                at += 1 + match is_lifetime(&text[..at], rest, open.last() == Some(&'<')) {
                    true => 0,
                    false => quoted(rest, c)?,
                };
                continue;
            }
            '/' if next == '*' => {
                at += 1 + rest.find("*/")? + 2;
                continue;
            }
            // A comment whose end went with the line's.
            '/' if next == '/' => return None,
            '#' if next == ' ' => return None,
            _ => {}
        }
        at += c.len_utf8();
    }
    None
}

fn opening(closing: char) -> char {
    match closing {
        ')' => '(',
        ']' => '[',
        _ => '{',
    }
}

/// The length of a quoted text behind its first mark, with the last one.
fn quoted(rest: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Whether `'` starts a lifetime and no text.
fn is_lifetime(before: &str, rest: &str, in_angles: bool) -> bool {
    let word = rest.find(|c| !tokenize::is_word_char(c)).unwrap_or(rest.len());
    let is_marked = in_angles || before.trim_end().ends_with(['&', '<', '+']);
    word > 0 && is_marked && !rest[word..].starts_with('\'')
}

/// Where a colon stands that is part of no `::` and in no bracket.
fn colon_in(part: &str) -> Option<usize> {
    let mut depth = 0usize;
    let bytes = part.as_bytes();
    (0..bytes.len()).find(|at| {
        match bytes[*at] {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_double = bytes.get(at + 1) == Some(&b':') || *at > 0 && bytes[at - 1] == b':';
        bytes[*at] == b':' && depth == 0 && !is_double
    })
}

/// Whether a parameter may be left out.
fn is_optional(part: &str, colon: Option<usize>, mark: &str) -> bool {
    let is_marked = colon.is_some_and(|at| part[..at].trim_end().ends_with('?'));
    let mut depth = 0usize;
    let bytes = part.as_bytes();
    let has_default = (0..bytes.len()).any(|at| {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        let before = if at > 0 { bytes[at - 1] } else { b' ' };
        // `==`, `=>` and the like
        let is_other = mark == "=" && (matches!(next, b'=' | b'>') || matches!(before, b'=' | b'<' | b'>' | b'!'));
        depth == 0 && bytes[at..].starts_with(mark.as_bytes()) && !is_other
    });
    is_marked || has_default
}

#[cfg(test)]
mod tests {
    use codecompass_syntax::language_named;

    use super::*;
    use crate::parse::signature::tests::definition;

    /// `least..most` of a signature, `+` for an instance among the parameters, `?` if it cannot be told.
    fn arity(language: &str, kind: Kind, name: &str, signature: &str) -> String {
        let definition = Definition { kind, ..definition(name, signature) };
        let Some(arity) = Arity::of(&definition, language_named(language).unwrap()) else { return "?".into() };
        let most = arity.most.map_or("*".to_string(), |most| most.to_string());
        let instance = if arity.with_instance { "+" } else { "" };
        format!("{instance}{}..{most}", arity.least)
    }

    #[test]
    fn functions_in_many_notations() {
        for (language, name, signature, expected) in [
            ("java", "get", "public <T> Map<K, V> get(Map<K, V> map, int... rest)", "1..*"),
            ("java", "put", "void put(@Named(\"a,b\") String a, final int b[])", "2..2"),
            ("csharp", "Find", "public T Find<T>(string name, int limit = 3, params object[] rest)", "1..*"),
            ("csharp", "Trim", "public static string Trim(this string text, char c = ',')", "+0..1"),
            ("kotlin", "run", "fun <T> run(vararg xs: T, f: (T, Int) -> Unit = { a, b -> go(a, b) })", "0..*"),
            ("kotlin", "less", "fun less(a: Int, b: Boolean = a < 3, c: Boolean = a > 3)", "1..3"),
            ("kotlin", "nullable", "fun nullable(a: Int?, b: Map<String, List<Int>>)", "2..2"),
            ("cpp", "Shape", "geo::Shape::Shape(int sides, std::string name = \"a, b\")", "1..2"),
            ("cpp", "each", "template <typename F> void each(F &&f, Args &&...args)", "1..*"),
            ("cpp", "set", "void set(int (*f)(int, int), char *)", "2..2"),
            ("c", "main", "int main(void)", "0..0"),
            ("c", "say", "void say(const char *format, ...)", "1..*"),
            ("swift", "init", "required convenience init?(coder: NSCoder, _ more: Int...)", "1..*"),
            ("swift", "fetch", "func fetch<T>(_ url: URL, then done: @escaping (T) -> Void = { _ in })", "1..2"),
            ("scala", "sum", "def sum(first: Int, rest: Int*)(implicit n: Numeric[Int])", "1..*"),
            ("scala", "at", "def at(implicit clock: Clock)", "?"),
            ("scala", "later", "def later[T](body: => T)", "1..1"),
            ("elixir", "open", "def open(owner, opts \\\\ [])", "1..2"),
            ("elixir", "list", "def list", "0..0"),
            ("elixir", "pair", "defp pair({a, b} = all, %{c: d})", "2..2"),
            ("go", "Listen", "func (s *Server) Listen(a, b int, f func(x, y int)) error", "3..3"),
            ("go", "Log", "func Log(format string, args ...any)", "1..*"),
            ("rust", "find", "fn find<'a, T: Fn(u8) -> u8>(&'a self, b: Box<dyn Fn(u8, u8) -> u8 + 'a>)", "+1..1"),
            ("rust", "join", "fn join<'a>(a: &'a str, b: Cow<'a, str>, c: &'a str)", "3..3"),
            ("python", "total", "def total(lines: list[int], /, *, tax=0, **rest)", "1..*"),
            ("python", "say", "def say(a, b=',', c=\"(\")", "1..3"),
            ("ruby", "save", "def save(a, b = 1, force:, quiet: false, &block)", "1..2"),
            ("ruby", "send", "def send(...)", "0..*"),
            ("typescript", "run", "const run = async (a: Map<string, () => void>, b?: B, c = 1)", "1..3"),
            (
                "typescript",
                "on",
                "on(this: Emitter, { a, b }: Options, kind: 'a,b' | 'c', ...rest: any[]): void",
                "+2..*",
            ),
            ("typescript", "memo", "const memo = wrap((a, b) => a)", "?"),
        ] {
            assert_eq!(arity(language, Kind::Function, name, signature), expected, "{signature}");
        }
    }

    #[test]
    fn methods_and_types() {
        assert_eq!(arity("python", Kind::Method, "run", "def run(self, a)"), "+1..1");
        assert_eq!(arity("python", Kind::Method, "run", "def run(mcs, a)"), "?");
        assert_eq!(arity("kotlin", Kind::Class, "Point", "class Point(val x: Int, val y: Int = 0) : Base(1)"), "1..2");
        assert_eq!(arity("python", Kind::Class, "Point", "class Point(Base)"), "?");
        assert_eq!(arity("kotlin", Kind::Property, "x", "val x: Int"), "?");
    }

    #[test]
    fn what_is_not_certain_is_not_told() {
        for signature in [
            "void run(int a, int b",
            "void run(int a, // the first\nint b)",
            "void run(bool a = b <c, int d)",
            "void run(String a = \"open)",
            "void run[int a)",
            "void other(int a)",
            "run",
            "",
        ] {
            let found = arity("java", Kind::Constructor, "run", signature);
            assert_eq!(found, "?", "{signature}");
        }
        assert_eq!(arity("java", Kind::Function, "", "void run()"), "?");
        assert_eq!(arity("javascript", Kind::Function, "run", "function run(a)"), "?", "any number can be given");
        assert_eq!(arity("rust", Kind::Macro, "run", "macro_rules! run"), "?");
    }

    #[test]
    fn an_instance_may_be_given() {
        let arity = Arity { parameters: 1, least: 1, most: Some(1), with_instance: true };
        let admits = |arguments, may_hold_instance| arity.admits(Given { arguments, may_hold_instance });
        assert!(admits(1, true) && admits(2, true) && !admits(0, true) && !admits(3, true));
        assert!(admits(1, false) && !admits(2, false));
        let arity = Arity { with_instance: false, ..arity };
        assert!(!arity.admits(Given { arguments: 2, may_hold_instance: true }));
    }
}
