//! Parameters of definitions, language by language.

use std::time::Duration;

use codecompass_syntax::facts::ParameterKind;
use codecompass_syntax::{Parsed, language_named, parse};

/// The parameters of the definition called `name`: `a`, `a?` if it may be left out, `*a` if it
/// takes any number, `(a)` for the instance, `a:` for a keyword, `~a` if the compiler may find it,
/// each with its type; `-` if they are not known.
fn parameters(language: &str, name: &str, text: &str) -> String {
    let Parsed::Facts(facts) = parse(text, language_named(language), Duration::from_secs(10)) else {
        return String::new();
    };
    let definition = facts.definitions.iter().find(|definition| definition.name == name).unwrap();
    let Some(parameters) = &definition.parameters else { return "-".into() };
    let shown = parameters.iter().map(|parameter| {
        let name = &parameter.name;
        let marked = match parameter.kind {
            ParameterKind::Required => name.clone(),
            ParameterKind::Optional => format!("{name}?"),
            ParameterKind::Variadic => format!("*{name}"),
            ParameterKind::Receiver => format!("({name})"),
            ParameterKind::Keyword => format!("{name}:"),
            ParameterKind::Implicit => format!("~{name}"),
        };
        let declared = parameter.declared.as_ref().map(|declared| format!(" {}", declared.text)).unwrap_or_default();
        format!("{marked}{declared}")
    });
    shown.collect::<Vec<_>>().join("; ")
}

#[test]
fn parameters_in_many_notations() {
    let mut failures = String::new();
    for (language, name, text, expected) in [
        ("c", "main", "int main(void) {}", ""),
        ("c", "say", "void say(const char *format, ...);", "format char; *"),
        ("c", "MAX", "#define MAX(a, b) a", "a; b"),
        ("cpp", "Shape", "Shape::Shape(int sides, std::string name = \"a, b\") {}", "sides int; name? std::string"),
        ("cpp", "each", "template <typename F> void each(F &&f, Args &&...args);", "f F; *args Args"),
        ("cpp", "set", "void set(int (*f)(int, int), char *) {}", "f int;  char"),
        (
            "csharp",
            "Find",
            "class A { public T Find<T>(string name, int limit = 3, params object[] rest) {} }",
            "name string; limit? int; *rest object[]",
        ),
        (
            "csharp",
            "Trim",
            "class A { static string Trim(this string text, char c = ',') {} }",
            "(text) string; c? char",
        ),
        ("csharp", "P", "record P(int X, int Y = 0);", "X int; Y? int"),
        ("dart", "f", "void f(int a, [int b = 1]) {}", "a int; b? int"),
        ("elixir", "open", "defmodule A do\n  def open(owner, opts \\\\ []) do\n  end\nend", "owner; opts?"),
        ("elixir", "list", "defmodule A do\n  def list, do: f(1)\nend", ""),
        ("elixir", "pair", "defmodule A do\n  defp pair({a, b} = all, %{c: d}) when a > 1, do: 1\nend", "; "),
        (
            "go",
            "Listen",
            "package a\nfunc (s *Server) Listen(a, b int, f func(x, y int)) error {}",
            "a int; b int; f func(x, y int)",
        ),
        (
            "go",
            "Log",
            "package a\nfunc Log(format string, args ...any) (n int, err error) {}",
            "format string; *args any",
        ),
        ("go", "M", "package a\ntype I interface { M(int, string) error }", " int;  string"),
        (
            "java",
            "get",
            "class A { public <T> Map<K, V> get(Map<K, V> map, int... rest) {} }",
            "map Map<K, V>; *rest int",
        ),
        ("java", "put", "class A { void put(@Named(\"a,b\") String a, final int b[]) {} }", "a String; b int"),
        ("java", "run", "class A { void run(A this, int x) {} }", "(); x int"),
        ("javascript", "f", "const f = (a, { b }, c = 1, ...rest) => a", "a; ; c?; *rest"),
        ("javascript", "g", "const g = a => a", "a"),
        (
            "kotlin",
            "run",
            "fun <T> run(vararg xs: T, f: (T, Int) -> Unit = { a, b -> go(a, b) }) {}",
            "*xs T; f? (T, Int) -> Unit",
        ),
        (
            "kotlin",
            "less",
            "fun less(a: Int, b: Boolean = a < 3, c: Boolean = a > 3) {}",
            "a Int; b? Boolean; c? Boolean",
        ),
        ("kotlin", "Point", "class Point(val x: Int, val y: Int = 0) : Base(1)", "x Int; y? Int"),
        ("lua", "f", "function f(a, b, ...) end", "a; b; *..."),
        ("php", "f", "<?php function f(int $a, ?B &$b = null, ...$rest): C {}", "a int; b? ?B; *rest"),
        ("python", "total", "def total(lines: list[int], /, *, tax=0, **rest): pass", "lines list[int]; tax?; *rest"),
        ("python", "run", "class A:\n  def run(self, a: int = 1, *b: str): pass", "(self); a? int; *b str"),
        (
            "ruby",
            "save",
            "def save(a, b = 1, *r, force:, quiet: false, &block) end",
            "a; b?; *r; force:; quiet:; block:",
        ),
        ("ruby", "send", "def send(...) end", "*"),
        ("ruby", "none", "def none\nend", ""),
        (
            "rust",
            "find",
            "impl A { fn find<'a>(&'a self, mut b: Box<dyn Fn(u8, u8) -> u8 + 'a>, _: u8) {} }",
            "(); b Box<dyn Fn(u8, u8) -> u8 + 'a>; _ u8",
        ),
        ("rust", "k", "impl A { fn k(self: Pin<&mut Self>, #[x] a: u8) {} }", "(self) Pin<&mut Self>; a u8"),
        (
            "scala",
            "sum",
            "object A { def sum(first: Int, rest: Int*)(implicit n: Numeric[Int]) = 1 }",
            "first Int; *rest Int*",
        ),
        ("scala", "at", "object A { def at(implicit clock: Clock) = 1 }", "~clock Clock"),
        ("scala", "later", "object A { def later[T](body: => T, x: Int = 2) = 1 }", "body => T; x? Int"),
        (
            "swift",
            "init",
            "class A { required convenience init?(coder: NSCoder, _ more: Int...) {} }",
            "coder NSCoder; *more Int",
        ),
        (
            "swift",
            "fetch",
            "func fetch<T>(_ url: URL, then done: @escaping (T) -> Void = { _ in }) -> T? {}",
            "url URL; done? (T) -> Void",
        ),
        (
            "typescript",
            "run",
            "const run = async (a: Map<string, () => void>, b?: B, c = 1) => {}",
            "a Map<string, () => void>; b? B; c?",
        ),
        (
            "typescript",
            "on",
            "class A { on(this: Emitter, { a, b }: Options, kind: 'a,b' | 'c', ...rest: any[]): void {} }",
            "(this) Emitter;  Options; kind 'a,b' | 'c'; *rest any[]",
        ),
        ("zig", "add", "fn add(self: *Self, a: i32, comptime T: type) i32 { return a; }", "self *Self; a i32; T type"),
        // Not a list that can be read.
        ("rust", "broken", "fn broken(a: u8, , 3 {}", "-"),
    ] {
        let actual = parameters(language, name, text);
        if actual != expected {
            failures.push_str(&format!("{language}: {text}\n  expected: {expected}\n  actual:   {actual}\n"));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
