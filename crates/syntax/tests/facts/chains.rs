//! Receivers and values as chains, language by language.

use std::fmt::Write as _;
use std::time::Duration;

use codecompass_syntax::facts::FileFacts;
use codecompass_syntax::{Parsed, language_named, parse};

fn facts(language: &str, text: &str) -> FileFacts {
    match parse(text, language_named(language), Duration::from_secs(10)) {
        Parsed::Facts(facts) => *facts,
        Parsed::TimedOut => FileFacts::default(),
    }
}

/// The receiver of the use of `zz` in `text`.
fn receiver(language: &str, text: &str) -> String {
    let facts = facts(language, text);
    let reference = facts.references.iter().find(|reference| facts.names[reference.name as usize] == "zz");
    let receiver = reference.and_then(|reference| reference.receiver);
    receiver.map_or("-".into(), |receiver| facts.chain(receiver).to_string())
}

#[test]
fn receivers_lose_arguments_and_marks() {
    let mut failures = String::new();
    for (language, written, expected) in [
        ("rust", "fn f() { self\n    .app(1, [2])\n    // why not\n    .run.zz(); }", "self.app().run"),
        ("rust", "fn f() { Vec::<u8>::with_capacity(9).zz(); }", "Vec::with_capacity()"),
        ("rust", "fn f() { parse(text)?.zz(); }", "parse()"),
        ("rust", "fn f() { client.get(url).await?.bytes().zz(); }", "client.get().await.bytes()"),
        ("rust", "fn f() { <T as Into<Cow<'a, str>>>::into(x).zz(); }", "Into::into()"),
        ("rust", "fn f() { <Router as Service<Request>>::call(x).zz(); }", "Router::call()"),
        ("rust", "fn f() { ().zz(); }", "(,)"),
        ("rust", "fn f() { map.get::<Point>(0)?.zz; }", "map.get()<Point>"),
        ("rust", "fn f() { xs.collect::<Vec<_>>().zz(); }", "xs.collect()"),
        ("rust", "fn f() { (&mut *a).zz(); }", "a"),
        ("rust", "fn f() { vec![1, 2].zz(); }", "vec!()"),
        ("rust", "fn f() { (if x { y } else { z }).zz(); }", "?"),
        ("rust", "fn f() { (a + b).zz(); }", "?"),
        ("rust", "fn f() { Point { x: 1, y: 2 }.zz(); }", "Point{}"),
        ("rust", "fn f() { ::std::env::zz(); }", "::std::env"),
        ("rust", "fn f() { (x as Point).y.zz(); }", "(as Point).y"),
        ("rust", "fn f() { m!(a.b(x)?.0.c[1]\n.zz()); }", "a.b().0.c[]"),
        ("rust", "fn f() { m!(<Self as Tower<Vec<u8>>>::zz); }", "Tower"),
        ("rust", "fn f() { m!(&mut ::std::env::zz); }", "::std::env"),
        ("rust", "fn f() { m!(Vec::<u8>::new().zz()); }", "Vec::new()"),
        ("java", "class A { void f() { new a.List<Point>(1).zz(); } }", "new a.List()"),
        ("java", "class A { void f() { context.getBean(Point.class).zz(); } }", "context.getBean()<Point>"),
        (
            "csharp",
            "class A { void F() { services.GetRequiredService<A.Point>().zz(); } }",
            "services.GetRequiredService()<A.Point>",
        ),
        ("csharp", "class A { void F() { services.Find<Point>().zz(); } }", "services.Find()"),
        ("java", "class A { void f() { context.find(Point.class).zz(); } }", "context.find()"),
        ("php", "<?php app(\\A\\Point::class)->zz();", "app()<\\A\\Point>"),
        ("typescript", "a.get(x, \")\").b.zz()", "a.get().b"),
        ("typescript", "a?.b!.c[0].zz()", "a.b.c[]"),
        ("typescript", "new Map<string, () => void>().zz()", "new Map()"),
        ("typescript", "new a.B(1).zz()", "new a.B()"),
        ("typescript", "(await (await fetch(url)).json()).zz()", "fetch().json()"),
        ("typescript", "(x as unknown as Point<T>).zz", "as Point<T>"),
        ("typescript", "(f() ?? g()).zz", "f()"),
        ("typescript", "((((((((((a)))))))))).zz()", "a"),
        ("go", "package p\nfunc f() { (&http.Server{Addr: \":80\"}).zz() }", "http.Server{}"),
        ("go", "package p\nfunc f() { pool.Get().(*Context).zz() }", "as *Context"),
        ("go", "package p\nfunc f() { []Point{}.zz() }", "as []Point"),
        ("python", "(request.args or {}).zz()", "request.args"),
        ("python", "f\"{a}\".strip().zz()", "\"\".strip()"),
        ("python", "loop.zz()", "loop"),
        ("python", "(a if b else c).zz()", "a"),
        ("java", "class A { void f() { ((Map<String, ?>) value).keys().zz(); } }", "(as Map<String, ?>).keys()"),
        ("java", "class A { void f() { new a.B<C>(1).zz(); } }", "new a.B()"),
        ("c", "void f() { ((struct node *)next)->value.zz = 1; }", "(as struct node *).value"),
        ("cpp", "void f() { a::b::C<int>::make(1)->x.zz(); }", "a::b::C::make().x"),
        ("csharp", "class A { void F() { a?.B.C(1).zz(); } }", "a.B.C()"),
        ("kotlin", "fun f() { a.b(1) { it }!!.zz() }", "a.b()"),
        ("swift", "func f() { a.b[0]?.c { $0 }.zz() }", "a.b[].c()"),
        ("lua", "store:open(x):get():zz()", "store.open().get()"),
        ("php", "<?php \\App\\Models\\User::find($id)->posts()->zz();", "App::Models::User::find().posts()"),
        ("ruby", "A::B.new(1).map { |x| x }.empty?.zz", "A::B.new().map.empty?"),
        ("zig", "fn f() void { (try a.b()).?.c.zz(); }", "a.b().c"),
    ] {
        let shown = receiver(language, written);
        if shown != expected {
            let _ = writeln!(failures, "{language} {written}: {shown} instead of {expected}");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn a_long_chain_is_unknown_at_its_start() {
    let shown = receiver("typescript", &format!("first{}.zz()", ".again()".repeat(60)));
    assert!(shown.starts_with("?") && shown.ends_with(".again().again()") && shown.len() < 200, "{shown}");
    // Paths of this language nest to the right.
    let shown = receiver("cpp", &format!("void f() {{ first{}::zz(); }}", "::again".repeat(60)));
    assert!(shown.starts_with("?") && shown.ends_with("::again::again") && shown.len() < 400, "{shown}");
}

#[test]
fn roots_are_names_of_the_function_around() {
    let text = "fn f(a: A) { let b = a.make(); let c = b![1]; b.zz(); c.zz(); }";
    let facts = facts("rust", text);
    let line_of = |index: u32| facts.names[facts.bindings[index as usize].name as usize].as_str();
    let roots: Vec<_> = facts.references.iter().filter_map(|reference| reference.root).map(line_of).collect();
    assert_eq!(roots, ["a", "b", "c"]);
    let of_c = facts.bindings.iter().find(|binding| facts.names[binding.name as usize] == "c").unwrap();
    assert_eq!((facts.chain(of_c.value.unwrap()).to_string().as_str(), of_c.root), ("b!()", None));
}
