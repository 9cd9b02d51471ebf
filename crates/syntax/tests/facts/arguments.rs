//! Counts of the arguments of calls, language by language.

use std::time::Duration;

use codecompass_syntax::facts::RefKind;
use codecompass_syntax::{Parsed, language_named, parse};

/// Returns the calls in a text and the number of their arguments: `f/2`, `f` if that is not known.
/// Names that are written with a number are listed, too.
fn calls(language: &str, text: &str) -> String {
    let Parsed::Facts(facts) = parse(text, language_named(language), Duration::from_secs(10)) else {
        return String::new();
    };
    let called = facts.references.iter().filter(|it| it.kind == RefKind::Call || it.call_arguments().is_some());
    let written = called.map(|it| {
        let count = it.call_arguments().map(|count| format!("/{count}")).unwrap_or_default();
        format!("{}{count}", facts.names[it.name as usize])
    });
    written.collect::<Vec<_>>().join(" ")
}

#[test]
fn arguments_are_counted() {
    for (language, text, expected) in [
        ("c", "void f() { g(1, 2); a->h(1); (*p)(1); q(); k(sizeof(int), (struct x){1, 2}); }", "g/2 h/1 p/1 q/0 k/2"),
        ("cpp", "void f() { g<int, int>(1); a->h<A>(xs...); x::y(1, {1, 2}); }", "g/1 h y/2"),
        ("cpp", "void f() { new A(1); new A; A{1, 2}; } struct B : A { B() : A(1, 2) {} };", "A/1 A A A/2"),
        ("csharp", "class A { void F() { G(1, out var x); x?.H(1, b: 2); I<T>(/* none */); } }", "G/2 H/2 I/0"),
        ("csharp", "class A { void F() { new B(1) { C = 2 }; new B { C = 2 }; } }", "B/1 B"),
        ("elixir", "x |> f(1) |> g |> M.h(1, a: 1, b: 2)", "f/2 g/1 h/3"),
        (
            "elixir",
            "f 1, 2\nM.g\nM.h(x) do 1 end\n&i/2\n&M.j/1\nEnum.map(x, &k(&1, 2))",
            "f/2 g/0 h/2 i/2 j/1 map/2 k/2",
        ),
        (
            "go",
            "package a\nfunc f() { g(1, 2); h(xs...); i(j()); k(j(), 1); l[int](1, x); T{1} }",
            "g/2 h i j/0 k/2 j/0 l/2 T",
        ),
        (
            "java",
            "class A { void f() { g(1, a -> a); new B<>(1); this.<T>h(); B::new; x.i(/* c */ 1); } }",
            "g/2 B/1 h/0 B i/1",
        ),
        ("kotlin", "fun f() { g(1, 2); h(1) { it }; i { it }; a.j<T>(1, *xs); k(a = 1, b = 2,) }", "g/2 h/2 i/1 j k/2"),
        ("kotlin", "fun f() { g(1)(2); a shl b; x?.h({ it }, 1) }", "g/1 shl/1 h/2"),
        ("python", "f(1, b=2); g(*xs); h(**xs); i(x for x in y); A[int](1); a.j(1, # c\n 2)", "f/2 g h i A/1 j/2"),
        ("ruby", "f(1, 2); g 1, 2; h { |x| x }; i(*xs); j(1, k: 2); l(&b); M.new(1)", "f/2 g/2 h i xs j l b M new/1"),
        ("rust", "fn f() { g(1, 2); a.h(|x| x,); A::i::<T>(1); j!(1, 2); k(#[cfg(x)] 1); }", "g/2 h/1 i/1 j k"),
        (
            "scala",
            "object A { def f = { g(1, 2); h(1)(2, 3); i { x => x }; j(xs: _*); new B(1, 2); k() } }",
            "g/2 h/1 i/1 j B/2 k/0",
        ),
        (
            "swift",
            "func f() { g(1, b: 2); h(1) { $0 }; i { $0 }; j(x) { a } done: { b }; A<T>(1); k[1] }",
            "g/2 h/2 i/1 j/3 A/1",
        ),
        ("swift", "func f() { x?.g(1); y.h(_:to:) }", "g/1 h/2"),
        (
            "typescript",
            "f(1, 2); g(...xs); new A(1); new A; a.h<T>(1); b?.(1); c!(1); tag`x`;",
            "f/2 g A/1 A h/1 b/1 c/1 tag",
        ),
        ("tsx", "f(<A {...b} />, 1); g([...xs]);", "f/2 A g/1"),
        // Any number can be given, or one after the other.
        ("javascript", "f(1, 2)", "f"),
        ("lua", "f(1, 2)", "f"),
        ("haskell", "f = g 1 2", "g"),
    ] {
        assert_eq!(calls(language, text), expected, "{language}: {text}");
    }
}

#[test]
fn broken_lists_are_not_counted() {
    assert_eq!(calls("rust", "fn f() {\n    g(1, 2;\n}\n"), "g");
    assert_eq!(calls("python", &format!("f({})", "1, ".repeat(31))), "f");
    assert_eq!(calls("python", &format!("f({})", "1, ".repeat(30))), "f/30");
}
