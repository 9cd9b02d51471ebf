//! Several functions of one name, told apart by the number of arguments.

use super::Program;

#[test]
fn java() {
    let program = Program::new(
        "//- /src/shop/Base.java
package shop;

public class Base {
    void put(int a, int b, int c) {}
    static void log(String form, Object... rest) {}
    static void log(String form) {}
}
//- /src/shop/Cart.java
package shop;

public class Cart extends Base {
    Cart() {}
    Cart(int size) {}
    Cart(int size, String name) { this.put(size, 1); }
    void put(int a) { put(a, 1); }
    void put(int a, int b) { put(a, b, 2); put(a, b, 2, 3); }
    void put(String text) {}
    void fill(Cart other, Runnable r) {
        other.put(7);
        other.put(7, 8);
        r = other::put;
        log(\"one\");
        log(\"two\", 2);
        new Cart();
        new Cart(3).put(1, 2);
        new Cart(4, \"four\");
    }
}
",
    );
    let cart = "src/shop/Cart.java";
    program.check(&format!(
        "
        {cart} | Cart(int size, String | put -> {cart} | void put(int a, int b) | static
        {cart} | void put(int a) {{ | put#2 -> {cart} | void put(int a, int b) | static
        {cart} | void put(int a, int b) | put#2 -> src/shop/Base.java | void put(int a, int b, int c) | static
        {cart} | void put(int a, int b) | put#3 -> nothing
        {cart} | other.put(7); | put -> {cart} | void put(int a) {{ | static
        {cart} | other.put(7, 8) | put -> {cart} | void put(int a, int b) | static
        {cart} | other::put | put -> {cart}:7 {cart}:8 {cart}:9 static
        {cart} | log(\"one\") | log -> src/shop/Base.java | void log(String form) {{}} | static
        {cart} | log(\"two\", 2) | log -> src/shop/Base.java | log(String form, Object | static
        {cart} | new Cart(3) | put -> {cart} | void put(int a, int b) | static
        "
    ));
    // Each has its own calls; a call that fits none belongs to none.
    assert_eq!(program.callers(cart, "void put(int a) {"), [format!("{cart}:11 static")]);
    let two = [6, 7, 12, 17].map(|line| format!("{cart}:{line} static"));
    assert_eq!(program.callers(cart, "void put(int a, int b)"), two);
    assert_eq!(program.callers("src/shop/Base.java", "void put"), [format!("{cart}:8 static")]);
    assert_eq!(program.callers(cart, "Cart() {}"), [format!("{cart}:16 static")]);
    assert_eq!(program.callers(cart, "Cart(int size) {}"), [format!("{cart}:17 static")]);
    assert_eq!(program.callers(cart, "Cart(int size, String"), [format!("{cart}:18 static")]);
    assert_eq!(program.called_in(cart, "void put(int a, int b)"), [6, 7, 12, 17]);
    assert_eq!(program.called_in(cart, "Cart(int size) {}"), [17]);
}

#[test]
fn kotlin() {
    let program = Program::new(
        "//- /src/Job.kt
package shop

class Job(val id: Int) {
    constructor(id: Int, name: String) : this(id)
    fun run(times: Int) {}
    fun run(times: Int, done: () -> Unit) {}
    fun run(times: Int, name: String, vararg more: Int = intArrayOf(), last: Boolean = true) {}
    infix fun and(other: Job) = this
    fun and(other: Job, more: Job) = this
}
fun Job.start(wait: Boolean = false) {}
fun Job.start(wait: Boolean, limit: Int) {}

fun main(job: Job, xs: IntArray) {
    job.run(1)
    job.run(2) { println() }
    job.run(3, { println() })
    job.run(4, \"a\", *xs)
    job.run(5, \"a\", 1, 2)
    job and job
    job.and(job, job)
    job.start()
    job.start(true, 6)
    Job(7)
    Job(8, \"eight\")
}
",
    );
    program.check(
        "
        src/Job.kt | job.run(1) | run -> src/Job.kt | fun run(times: Int) { | static
        src/Job.kt | job.run(2) | run -> src/Job.kt | done: () -> Unit | static
        src/Job.kt | job.run(3 | run -> src/Job.kt | done: () -> Unit | static
        src/Job.kt | job.run(4 | run -> nothing several
        src/Job.kt | job.run(5 | run -> src/Job.kt | vararg more | static
        src/Job.kt | job and job | and -> src/Job.kt | infix fun and | static
        src/Job.kt | job.and(job, job) | and -> src/Job.kt | fun and(other: Job, more | static
        src/Job.kt | job.start() | start -> src/Job.kt | wait: Boolean = false | static
        src/Job.kt | job.start(true, 6) | start -> src/Job.kt | limit: Int | static
        ",
    );
    // The first constructor is the head of the class.
    assert_eq!(program.called_in("src/Job.kt", "constructor("), [25]);
}

#[test]
fn csharp() {
    let program = Program::new(
        "//- /Log.cs
namespace Shop;

public class Log
{
    public Log() {}
    public Log(string name) : this() {}
    public void Write(string text) { Write(text, 0); }
    public void Write(string text, int level, bool flush = false) {}
    public void Write(string text, int level, bool flush, params object[] rest) {}
    public void Run(Log log)
    {
        log.Write(\"a\");
        log?.Write(\"b\", 1);
        log.Write(text: \"c\", level: 1, flush: true);
        log.Write(\"d\", 1, true, 2, 3);
        log.Extra();
        log.Extra(1);
        Extras.Extra(log, 2);
        new Log(\"e\");
        new Log { };
    }
}
public static class Extras
{
    public static void Extra(this Log log) {}
    public static void Extra(this Log log, int more) {}
}
",
    );
    program.check(
        "
        Log.cs | public void Write(string text) { | Write#2 -> Log.cs | flush = false | static
        Log.cs | log.Write(\"a\") | Write -> Log.cs | void Write(string text) { | static
        Log.cs | Write(\"b\" | Write -> Log.cs | flush = false | static
        Log.cs | text: \"c\" | Write -> Log.cs | flush = false | static
        Log.cs | Write(\"d\" | Write -> Log.cs | params object | static
        Log.cs | log.Extra() | Extra -> Log.cs | Extra(this Log log) | static
        Log.cs | log.Extra(1) | Extra -> Log.cs | int more | static
        Log.cs | Extras.Extra(log, 2) | Extra -> Log.cs | int more | static
        ",
    );
    assert_eq!(program.callers("Log.cs", "public Log(string"), ["Log.cs:19 static", "Log.cs:20 static"]);
    assert_eq!(program.callers("Log.cs", "public Log()"), ["Log.cs:6 static", "Log.cs:20 static"]);
}

#[test]
fn cpp() {
    let program = Program::new(
        "//- /draw.h
#pragma once
class Pen {
public:
  Pen();
  Pen(int width);
  void line(int to);
  void line(int from, int to, bool thick = false);
};
void draw(Pen &pen);
void draw(Pen &pen, int times);
template <typename... Args> void draw_all(Pen &pen, Args... args);
//- /draw.cpp
#include \"draw.h\"
Pen::Pen() {}
Pen::Pen(int width) {}
void Pen::line(int to) { line(0, to); }
void Pen::line(int from, int to, bool thick) {}
void draw(Pen &pen) { pen.line(1); }
void draw(Pen &pen, int times) { pen.line(1, 2, true); draw(pen); }
//- /main.cpp
#include \"draw.h\"
template <typename... Args> void use(Pen &pen, Args... args) {
  draw(pen);
  draw(pen, 2);
  draw(args...);
  pen.line(3, 4);
  new Pen(5);
}
",
    );
    program.check(
        "
        draw.cpp | void Pen::line(int to) | line#2 -> draw.cpp | int from, int to, bool thick) { | static
        draw.cpp | void draw(Pen &pen) { | line -> draw.cpp | void Pen::line(int to) | static
        draw.cpp | int times) { | line -> draw.cpp | bool thick) { | static
        draw.cpp | int times) { | draw#2 -> draw.cpp | void draw(Pen &pen) { | static
        main.cpp | draw(pen); | draw -> draw.cpp | void draw(Pen &pen) { | static
        main.cpp | draw(pen, 2) | draw -> draw.cpp | int times) { | static
        main.cpp | draw(args...) | draw -> nothing several
        main.cpp | pen.line(3, 4) | line -> draw.cpp | bool thick) { | static
        ",
    );
    // A declaration and its definition are one symbol, two overloads are two.
    // A call with any number of arguments may be of either.
    let one = ["draw.cpp:7 static", "main.cpp:3 static"];
    assert_eq!(program.callers("draw.h", "void draw(Pen &pen);"), one);
    assert_eq!(program.callers("draw.cpp", "void draw(Pen &pen) {"), one);
    assert_eq!(program.callers("draw.cpp", "int times) {"), ["main.cpp:4 static"]);
    assert_eq!(program.callers("draw.h", "  Pen(int width);"), ["main.cpp:7 static"]);
    assert_eq!(program.callers("draw.h", "  Pen();"), [""; 0]);
}

#[test]
fn swift_and_scala() {
    let program = Program::new(
        "//- /Api.swift
class Api {
    init() {}
    init(url: String) {}
    func load(_ id: Int) {}
    func load(_ id: Int, then done: () -> Void) {}
    func load(all ids: Int..., from: Int, then done: () -> Void = {}, quiet: Bool) {}
    func all(api: Api) {
        api.load(1)
        api.load(2) { print(2) }
        api.load(all: 3, 4, from: 5, quiet: true)
        let a = Api()
        let b = Api(url: \"x\")
    }
}
//- /Api.scala
package shop

class Api(url: String) {
  def this() = this(\"\")
  def load(id: Int): Int = id
  def load(id: Int, name: String = \"a, b\"): Int = id
  def load(id: Int, a: Int, b: Int, rest: Int*)(implicit n: Int): Int = id
  def all(api: Api, xs: Seq[Int]): Unit = {
    api.load(1)
    api.load(2, \"two\")
    api.load(3, 4, 5, 6)
    api.load(xs: _*)
  }
}
",
    );
    program.check(
        "
        Api.swift | api.load(1) | load -> Api.swift | func load(_ id: Int) { | static
        Api.swift | api.load(2) | load -> Api.swift | func load(_ id: Int, then | static
        Api.swift | all: 3 | load -> Api.swift | quiet: Bool | static
        Api.scala | api.load(1) | load -> nothing several
        Api.scala | \"two\" | load -> Api.scala | name: String | static
        Api.scala | load(3, 4 | load -> Api.scala | rest: Int* | static
        Api.scala | xs: _* | load -> nothing several
        ",
    );
    assert_eq!(program.called_in("Api.swift", "init() {}"), [11]);
    assert_eq!(program.called_in("Api.swift", "init(url"), [12]);
}

#[test]
fn elixir() {
    let program = Program::new(
        "//- /lib/shop.ex
defmodule Shop do
  def list, do: list([])
  def list(filter), do: filter |> list(:name)
  def list({a, b} = filter, order) do
    Enum.map(filter, &price/1)
  end
  def price(item), do: price(item, :eur, 1)
  def price(item, currency, rate \\\\ 2), do: item
  defmacro within(name, do: block), do: {name, block}
  defmacro within(name), do: name
end
//- /lib/web.ex
defmodule Web do
  require Shop
  def run(item) do
    Shop.list() # none
    Shop.list
    item |> Shop.list()
    item |> Shop.price(:usd)
    Enum.reduce(item, &Shop.price/2)
    Shop.within :a do
      1
    end
  end
end
",
    );
    program.check(
        "
        lib/shop.ex | def list, do: | list#2 -> lib/shop.ex | def list(filter) | static
        lib/shop.ex | def list(filter) | list#2 -> lib/shop.ex | def list({a, b} | static
        lib/shop.ex | &price/1 | price -> lib/shop.ex | def price(item), | static
        lib/shop.ex | def price(item), | price#2 -> lib/shop.ex | rate | static
        lib/web.ex | # none | list -> lib/shop.ex | def list, do: | static
        lib/web.ex | item |> Shop.price(:usd) | price -> lib/shop.ex | rate | static
        lib/web.ex | &Shop.price/2 | price -> lib/shop.ex | rate | static
        lib/web.ex | Shop.within :a | within -> lib/shop.ex | within(name, do | static
        ",
    );
    let to_list = |part: &str| program.callers("lib/shop.ex", part);
    assert_eq!(to_list("def list, do:"), ["lib/web.ex:4 static", "lib/web.ex:5 static"]);
    assert_eq!(to_list("def list(filter)"), ["lib/shop.ex:2 static", "lib/web.ex:6 static"]);
    assert_eq!(to_list("def list({a, b}"), ["lib/shop.ex:3 static"]);
}

#[test]
fn one_function_with_several_signatures() {
    let program = Program::new(
        "//- /a.ts
export function parse(text: string): number;
export function parse(text: string, strict: boolean): number;
export function parse(text: string, strict?: boolean, more?: number): number { return 1; }
export class Box {
  constructor(a: number);
  constructor(a: number, b: number);
  constructor(a: number, b?: number) {}
}
export const run = (xs: any[]) => { parse('a'); parse('b', true); parse(...xs); new Box(1); };
//- /b.py
from typing import overload

@overload
def load(path: str) -> str: ...
@overload
def load(path: str, mode: int) -> bytes: ...
def load(path, mode=None):
    return path

load('a')
load('b', 1)
",
    );
    let all = ["a.ts:9 static", "a.ts:9 static", "a.ts:9 static"];
    for part in ["parse(text: string):", "strict: boolean):", "more?: number"] {
        assert_eq!(program.callers("a.ts", part), all, "{part}");
    }
    for part in ["constructor(a: number);", "constructor(a: number, b: number);", "b?: number) {}"] {
        assert_eq!(program.called_in("a.ts", part), [9], "{part}");
    }
    for part in ["path: str) -> str", "mode: int", "mode=None"] {
        assert_eq!(program.callers("b.py", part), ["b.py:10 static", "b.py:11 static"], "{part}");
    }
}

#[test]
fn guesses() {
    let program = Program::new(
        "//- /a.py
class Disk:
    def mount(self, path, flags): ...
    def eject(self): ...
class Boat:
    def mount(self, sail): ...
    def eject(self, *crew): ...
class Horse:
    @wrapped
    def saddle_up(self, rider): ...
class Mule:
    def saddle_up(self): ...

def run(x, y, xs):
    x.mount('a', 1)
    y.mount('b')
    Plane.mount('c')
    x.mount(*xs)
    x.mount()
    y.eject()
    y.eject(1, 2)
    y.saddle_up()
    Disk.mount(x, 'c', 2)
//- /src/lib.rs
struct Lamp;
impl Lamp { fn dim(&self, by: u8) {} }
struct Star;
impl Star { fn dim(&self) {} }
fn run(a: &dyn Any) {
    pick(a).dim(1);
    pick(a).dim();
    Lamp::dim(&Lamp, 2);
}
",
    );
    program.check(
        "
        a.py | x.mount('a', 1) | mount -> a.py | path, flags | likely
        a.py | y.mount('b') | mount -> a.py | sail | likely
        a.py | Plane.mount | mount -> nothing several
        a.py | x.mount(*xs) | mount -> nothing several
        a.py | x.mount() | mount -> nothing several
        a.py | y.eject() | eject -> nothing several
        a.py | y.eject(1, 2) | eject -> a.py | *crew | likely
        a.py | y.saddle_up() | saddle_up -> nothing several
        a.py | Disk.mount(x | mount -> a.py | path, flags | static
        src/lib.rs | pick(a).dim(1) | dim -> src/lib.rs | by: u8 | likely
        src/lib.rs | pick(a).dim(); | dim -> src/lib.rs | impl Star | likely
        src/lib.rs | Lamp::dim(&Lamp | dim -> src/lib.rs | by: u8 | static
        ",
    );
}
