//! The structure of declared types, language by language.

use std::time::Duration;

use codecompass_syntax::facts::TypeExpr;
use codecompass_syntax::{Parsed, language_named, parse};

/// The declared type of the parameter `x` of the function in `text`.
fn declared(language: &str, text: &str) -> String {
    let Parsed::Facts(facts) = parse(text, language_named(language), Duration::from_secs(10)) else {
        return String::new();
    };
    let parameters = facts.definitions.iter().flat_map(|definition| definition.parameters.iter().flatten());
    let parameter = parameters.into_iter().find(|parameter| parameter.name == "x").unwrap();
    parameter.declared.as_ref().map_or("-".into(), |declared| shown(&declared.expression()))
}

fn shown(kind: &TypeExpr<'_>) -> String {
    let all = |parts: &[TypeExpr<'_>]| parts.iter().map(shown).collect::<Vec<_>>().join(", ");
    match kind {
        TypeExpr::Named(path, arguments) if arguments.is_empty() => path.join("."),
        TypeExpr::Named(path, arguments) => format!("{}<{}>", path.join("."), all(arguments)),
        TypeExpr::AnyOf(parts) => format!("any({})", all(parts)),
        TypeExpr::Tuple(parts) => format!("({})", all(parts)),
        TypeExpr::List(inner) => format!("[{}]", shown(inner)),
        TypeExpr::Function(result) => format!("-> {}", shown(result)),
        TypeExpr::TypeOf(value) => format!("typeof {}", value.join(".")),
        TypeExpr::Unknown => "?".into(),
    }
}

#[test]
fn many_notations() {
    let mut failures = String::new();
    for (language, before, written, after, expected) in [
        ("c", "void f(", "struct node", " *x) {}", "node"),
        ("cpp", "void f(const ", "std::map<std::string, geo::Point *>", " &x) {}", "std.map<std.string, geo.Point>"),
        ("cpp", "void f(", "auto", " x) {}", "?"),
        ("csharp", "class A { void F(", "IList<Event[]>", " x) {} }", "IList<[Event]>"),
        ("csharp", "class A { void F(", "(int a, Point b)", " x) {} }", "(int, Point)"),
        ("csharp", "class A { void F(", "Geo.Point?", " x) {} }", "Geo.Point"),
        ("dart", "void f(", "Map<String, List<int>>?", " x) {}", "Map<String, List<int>>"),
        ("go", "package a\nfunc f(x ", "*http.Request", ") {}", "http.Request"),
        ("go", "package a\nfunc f(x ", "[]*Route", ") {}", "[Route]"),
        ("go", "package a\nfunc f(x ", "map[string]*Node", ") {}", "[Node]"),
        ("go", "package a\nfunc f(x ", "func(http.Handler) (n int, err error)", ") {}", "-> (int, error)"),
        ("go", "package a\nfunc f(x ", "Set[string]", ") {}", "Set<string>"),
        ("go", "package a\nfunc f(x ", "any", ") {}", "?"),
        ("java", "class A { void f(", "Map<Class<?>, ? extends Point>", " x) {} }", "Map<Class<?>, Point>"),
        ("java", "class A { void f(", "Map.Entry<K, V>[][]", " x) {} }", "[[Map.Entry<K, V>]]"),
        ("kotlin", "fun f(x: ", "Map<String, List<Point>?>", ") {}", "Map<String, List<Point>>"),
        ("kotlin", "fun f(x: ", "T.(Int) -> Point", ") {}", "-> Point"),
        ("php", "<?php function f(", "\\App\\User|null", " $x) {}", "any(App.User, null)"),
        ("python", "def f(x: ", "t.Optional[\"Flask\"]", "): pass", "t.Optional<Flask>"),
        ("python", "def f(x: ", "'dict[str, list[Account]] | None'", "): pass", "any(dict<str, list<Account>>, None)"),
        ("python", "def f(x: ", "Callable[[Request], Response]", "): pass", "-> Response"),
        ("python", "def f(x: ", "Base | None", "): pass", "any(Base, None)"),
        ("rust", "fn f(x: ", "&'a mut Router<S>", ") {}", "Router<S>"),
        (
            "rust",
            "fn f(x: ",
            "Result<Box<dyn Service<Request>>, Error>",
            ") {}",
            "Result<Box<Service<Request>>, Error>",
        ),
        ("rust", "fn f(x: ", "impl IntoResponse + Send + 'static", ") {}", "any(IntoResponse, Send)"),
        ("rust", "fn f(x: ", "impl Future<Output = Response>", ") {}", "Future<Response>"),
        ("rust", "fn f(x: ", "([T; 4], &dyn Fn(u8) -> io::Result<u8>)", ") {}", "([T], -> io.Result<u8>)"),
        ("rust", "fn f(x: ", "()", ") {}", "?"),
        ("scala", "object A { def f(x: ", "A => Either[String, B]", ") = 1 }", "-> Either<String, B>"),
        ("swift", "func f(x: ", "[String: Point]?", ") {}", "[Point]"),
        ("typescript", "function f(x: ", "Context<E>[]", ") {}", "[Context<E>]"),
        (
            "typescript",
            "function f(x: ",
            "(c: Context, next: Next) => Promise<Response>",
            ") {}",
            "-> Promise<Response>",
        ),
        ("typescript", "function f(x: ", "typeof app.fetch", ") {}", "typeof app.fetch"),
        ("typescript", "function f(x: ", "readonly Handler[] | { a: string } | any", ") {}", "any([Handler], ?, ?)"),
        ("zig", "fn f(x: ", "?*const std.Io", ") void {}", "std.Io"),
    ] {
        let actual = declared(language, &format!("{before}{written}{after}"));
        if actual != expected {
            failures.push_str(&format!("{language}: {written}\n  expected: {expected}\n  actual:   {actual}\n"));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
