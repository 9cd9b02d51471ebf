//! Several functions of one name that take as many arguments, told apart by the types of these.

use super::Program;

/// Types of arguments as they are declared, made or written.
const OVERLOADS_BY_TYPE: &str = "//- /src/Prim.java
package shop;

import java.util.Optional;

class Token<T> {}
class Base {}
class Sub extends Base {}

class Prim {
    Prim(Boolean flag) {}
    Prim(Number number) {}
    Prim(String text) {}
    Prim(Prim other) {}

    static <T> void get(Token<T> token) {}
    static <T> void get(Class<T> type) {}
    static void put(Base base) {}
    static void put(Sub sub) {}
    static void put(Object any) {}
    static void add(int number) {}
    static void add(long number) {}
    static void add(Integer number) {}
    static void add(int... numbers) {}
    static void keep(Base base) {}
    static void keep(Optional<Base> base) {}
    static Base base() { return new Base(); }

    void run(Long value, Prim other, Sub sub, Optional<Base> perhaps, Unknown unknown) {
        new Prim(value);
        new Prim(1);
        new Prim(\"x\");
        new Prim(true);
        new Prim(other);
        get(String.class);
        get(new Token<String>());
        put(base());
        put(sub);
        put(unknown);
        add(1);
        add(2L);
        add('c');
        var local = new Sub();
        put(local);
        keep(perhaps);
        keep(new Sub());
    }
}
";

#[test]
fn java_types_of_arguments() {
    let program = Program::new(OVERLOADS_BY_TYPE);
    let prim = "src/Prim.java";
    let lines = |part: &str| program.callers(prim, part).join(" ").replace(&format!("{prim}:"), "");
    for (part, expected) in [
        ("Prim(Boolean", "32 static"),
        ("Prim(Number", "29 static 30 static"),
        ("Prim(String", "31 static"),
        ("Prim(Prim", "33 static"),
        ("get(Token", "35 static"),
        ("get(Class", "34 static"),
        ("put(Base", "36 static"),
        ("put(Sub", "37 static 43 static"),
        ("put(Object", ""),
        ("add(int number", "39 static 41 static"),
        ("add(long", "40 static"),
        ("add(Integer", ""),
        ("add(int...", ""),
        ("keep(Base", "45 static"),
        ("keep(Optional", "44 static"),
    ] {
        assert_eq!(lines(part), expected, "{part}");
    }
}

#[test]
fn kotlin_and_csharp_types_of_arguments() {
    let program = Program::new(
        "//- /a.kt
package shop

open class Base
class Sub : Base()
fun put(base: Base) {}
fun put(text: String) {}
fun put(number: Int) {}
fun run(sub: Sub, all: List<Sub>) {
    put(sub)
    put(\"x\")
    put(1)
    for (one in all) put(one)
    put(number = 2)
}
//- /A.cs
class Log {
    void Put(string text) {}
    void Put(int number) {}
    void Put<T>(T any) {}
    void Put(Log log) {}
    void Run(Log log, System.Guid id) {
        Put($\"a {id}\");
        Put(3);
        Put(this);
        log.Put(new Log());
        Put(id);
    }
}
",
    );
    let lines = |path: &str, part: &str| program.callers(path, part).join(" ").replace(&format!("{path}:"), "");
    assert_eq!(lines("a.kt", "put(base"), "9 static 12 static");
    assert_eq!(lines("a.kt", "put(text"), "10 static");
    assert_eq!(lines("a.kt", "put(number: Int"), "11 static");
    assert_eq!(lines("A.cs", "Put(string"), "7 static");
    assert_eq!(lines("A.cs", "Put(int"), "8 static");
    assert_eq!(lines("A.cs", "Put(Log"), "9 static 10 static");
    assert_eq!(lines("A.cs", "Put<T>"), "11 static");
}

/// Returns the lines of the proven calls of functions of a file, by parts of their definitions.
fn proven(program: &Program, path: &str, part: &str) -> String {
    let calls = program.callers(path, part).into_iter();
    let lines = calls.filter_map(|call| Some(call.strip_suffix(" static")?.rsplit(':').next()?.to_string()));
    lines.collect::<Vec<_>>().join(" ")
}

#[test]
fn java_boxes_lists_and_overloads_of_supertypes() {
    let program = Program::new(
        "//- /src/Over.java
class Base {}
class Sub extends Base {}
class Up {
    void take(String text) {}
    void put(Object a, Object b, Object c) {}
}
class Down extends Up {
    void put(int a) {}
    void put(String a, int b) {}
    void take(Integer n) {}
    void take(Object o) {}
}
class Over {
    void one(Base b) {}
    void one(Base... b) {}
    void two(int n) {}
    void two(Object o) {}
    void three(Long n) {}
    void three(Object o) {}
    void four(Object o) {}
    void four(String... s) {}
    <T> void five(T[] a) {}
    void five(Object o) {}
    void six(int n) {}
    void six(byte n) {}
    void run(Integer boxed, Sub[] subs, Down down, byte small) {
        one(new Sub());
        two(boxed);
        three(1);
        four(\"x\");
        five(subs);
        down.take(\"x\");
        six(-small);
        six(-1);
        down.put(null, null, null);
    }
}
",
    );
    let path = "src/Over.java";
    for (part, expected) in [
        ("one(Base b)", "27"),
        ("one(Base...", ""),
        ("two(int", ""),
        ("two(Object", "28"),
        ("three(Long", ""),
        ("three(Object", "29"),
        ("four(Object", "30"),
        ("four(String", ""),
        ("five(T[]", "31"),
        ("five(Object", ""),
        ("take(String", "32"),
        ("take(Object", ""),
        ("six(int", "34"),
        ("six(byte", ""),
        ("put(Object a, Object b", "35"),
        ("put(int a)", ""),
    ] {
        assert_eq!(proven(&program, path, part), expected, "{part}");
    }
}

#[test]
fn kotlin_blocks_numbers_and_casts() {
    let program = Program::new(
        "//- /a.kt
interface Job
class P(val a: Int) {
    constructor(s: String) : this(s.length)
}
fun run(t: Int, wait: Boolean = false, done: () -> Unit) {}
fun run(t: Int, job: Job) {}
fun wide(n: Long) {}
fun wide(o: Any) {}
fun text(o: Any) {}
fun text(s: String) {}
fun go(n: Int, x: Any, some: Int?) {
    run(3) { }
    wide(n)
    wide(some)
    if (x !is String) error(1)
    text(x)
    text(\"a\")
    P(3)
    P(\"a\")
    spread(*arrayOf(\"a\"))
    word(\"a\")
}
fun spread(vararg all: String) {}
fun spread(job: Job) {}
fun String(vararg points: Int) = \"\"
fun word(text: String) {}
fun word(job: Job) {}
",
    );
    for (part, expected) in [
        ("spread(vararg", ""),
        ("spread(job", ""),
        ("word(text", "21"),
        ("word(job", ""),
        ("run(t: Int, job", ""),
        ("wide(n: Long", ""),
        ("wide(o: Any", ""),
        ("text(o: Any", ""),
        ("text(s: String", "17"),
        ("constructor(s", "19"),
    ] {
        assert_eq!(proven(&program, "a.kt", part), expected, "{part}");
    }
}

#[test]
fn csharp_waiting_converting_and_properties_named_as_their_types() {
    let program = Program::new(
        "//- /A.cs
class Base {}
class Sub : Base {}
class Status {}
class Name { public static implicit operator Name(string text) => null; }
class Log {
    void Put(Sub s) {}
    void Put(object o) {}
    void Of(Name n) {}
    void Of(object o) {}
    int Handler() => 1;
    void Go(int n) {}
    void Go(Func<int> f) {}
    public void Say(Status s) {}
    public void Say(object o) {}
    void Call(int n, bool all = false) {}
    void Call(int n) {}
    async Task<Sub> Load() => null;
    async void Run(Sub one, Base two) {
        Put(await Load());
        var loaded = await Load();
        Put(loaded);
        Put(Load());
        Put(one ?? two);
        Of(\"x\");
        Go(Handler);
        Call(1);
    }
}
class Order {
    public Status Status { get; set; }
    void Run(Log log, Status s) {
        log.Say(s);
        log.Say(Status);
    }
}
class P(int a) {
    P(string s) : this(1) {}
    static P Make() => new P(3);
    static P Other() => new P(\"a\");
}
",
    );
    for (part, expected) in [
        ("Put(Sub", "19 21"),
        ("Put(object", "22"),
        ("Of(Name", ""),
        ("Of(object", ""),
        ("Go(int", ""),
        ("Say(Status s)", "32 33"),
        ("Say(object o)", ""),
        ("Call(int n, bool", ""),
        ("Call(int n)", "26"),
        ("P(string", "39"),
    ] {
        assert_eq!(proven(&program, "A.cs", part), expected, "{part}");
    }
}

#[test]
fn kotlin_members_of_unnamed_objects() {
    let program = Program::new(
        "//- /src/Box.kt
package acme

class Box(val s: String) {
    companion object {
        fun boxOf(s: String): Box = Box(s)
        fun String.toBox(): Box = Box(this)
    }
}
object Tool {
    fun String.toTool(): String = this
}
//- /src/Use.kt
package other

import acme.Box
import acme.Box.Companion.boxOf
import acme.Box.Companion.toBox
import acme.Tool.toTool

fun use() {
    boxOf(\"a\")
    \"a\".toBox()
    \"a\".toTool()
}
//- /src/Other.kt
package other

fun none() {
    \"a\".toTool()
}
",
    );
    for (part, expected) in [("boxOf", "9"), ("toBox", "10"), ("toTool", "11")] {
        assert_eq!(proven(&program, "src/Box.kt", part), expected, "{part}");
    }
}

#[test]
fn languages_without_types_of_arguments() {
    let program = Program::new(
        "//- /lib.h
namespace lib {
void put(int number);
void put(const char* text);
void add(const std::string& text);
}
//- /lib.cpp
#include \"lib.h\"
namespace lib {
void put(int number) {}
void put(const char* text) {}
void add(const string& text) {}
void run() { put(1); add(\"x\"); }
}
//- /List.swift
class List {
    func index(after i: Int) -> Int { return i }
    func index(before i: Int) -> Int { return i }
    func count(of i: Int) -> Int { return index(after: i) }
    func twice(of i: Int) -> Int { return count(of: i) }
}
//- /Log.scala
class Log {
  def put(text: String) = text
  def put(number: Int) = number
  def add(text: String) = put(text)
  def run() = add(\"x\")
}
",
    );
    for (path, part, expected) in [
        ("lib.cpp", "put(int", ""),
        ("lib.cpp", "put(const", ""),
        ("lib.cpp", "add(const", "6"),
        ("lib.h", "add(const", "6"),
        ("List.swift", "index(after i", "4"),
        ("List.swift", "index(before i", ""),
        ("List.swift", "count(of i: Int", "5"),
        ("Log.scala", "put(text: String", ""),
        ("Log.scala", "add(text", "5"),
    ] {
        assert_eq!(proven(&program, path, part), expected, "{path} {part}");
    }
}

#[test]
fn labels_of_swift_calls() {
    let program = Program::new(
        "//- /Api.swift
class Api {
    init(url: String) {}
    init(host: String) {}
    func load(_ url: String, with name: String = \"\") -> Int { return 1 }
    func load(_ url: String, by key: String) -> Int { return 2 }
    func fetch(url: String, then: () -> Void) {}
    func fetch(path: String, then: () -> Void) {}
}
func run(api: Api) {
    let one = Api(url: \"a\")
    let two = Api(host: \"a\")
    _ = api.load(\"a\")
    _ = api.load(\"a\", by: \"b\")
    api.fetch(url: \"a\") { one.stop() }
    api.fetch(path: \"a\", then: {})
    let kept = api.load(_:by:)
}
//- /Down.swift
class Request {
    var response: Int { return 1 }
}
class Download: Request {
    func response(after: Int) -> Int { return response + after }
    func all() -> Int { return self.response + response(after: 2) }
}
",
    );
    assert_eq!(proven(&program, "Down.swift", "func response"), "6");
    program.check(
        "
        Down.swift | self.response + | response -> Down.swift | var response | static
        ",
    );
    for (part, expected) in [
        ("init(url: String", "10"),
        ("init(host: String", "11"),
        ("load(_ url: String, with", "12"),
        ("load(_ url: String, by", "13 16"),
        ("func fetch(url", "14"),
        ("func fetch(path", "15"),
    ] {
        assert_eq!(proven(&program, "Api.swift", part), expected, "{part}");
    }
}

#[test]
fn overloads_in_extensions() {
    let program = Program::new(
        "//- /Request.swift
class Request {
    func validate(_ check: () -> Bool) -> Request { return self }
    func encode(_ value: Int) -> Int { return value }
    func encode(_ value: Int) -> String { return text(value) }
    func text(_ value: Int) -> String { return encode(value) }
}
//- /Tests.swift
extension Request {
    func validate(with error: Error) -> Request {
        validate { true }
    }
}
",
    );
    assert_eq!(proven(&program, "Tests.swift", "validate(with"), "");
    assert_eq!(proven(&program, "Request.swift", "encode(_ value: Int) -> Int"), "");
    assert_eq!(proven(&program, "Request.swift", "encode(_ value: Int) -> String"), "");
    assert_eq!(proven(&program, "Request.swift", "func text"), "4");
}

#[test]
fn names_of_kotlin_functions_in_java() {
    let program = Program::new(
        "//- /src/Kind.kt
package acme

class Kind {
    companion object {
        @JvmStatic
        @JvmName(\"get\")
        fun String.toKind(): Kind = Kind()

        @JvmStatic
        @JvmName(\"-deprecated_get\")
        fun get(text: String): Kind = text.toKind()

        @JvmStatic
        @JvmName(\"make\")
        fun make(text: String): Kind = get(text)
    }
}
//- /src/Use.java
package acme;

class Use {
    Kind kind() { return Kind.get(\"a\"); }
    Kind other() { return Kind.make(\"a\"); }
}
",
    );
    let uses = |part: &str| program.callers("src/Kind.kt", part).join(" ").replace("src/", "");
    assert_eq!(uses("fun get(text"), "Kind.kt:15 static");
    assert_eq!(uses("fun make(text"), "Use.java:5 static");
}
