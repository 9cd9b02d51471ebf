//! Types and methods above and below a type or a method.

use expect_test::expect;

use crate::navigation::check::{HierarchyOptions, Project, check_hierarchy, check_hierarchy_with, whole_hierarchy};

const ORDERS: &str = r#"
//- /base.py
import abc


class Priced(abc.ABC):
    def price(self):
        raise NotImplementedError

    def label(self):
        return str(self.price())
//- /orders.py
from base import Priced


class Order(Priced):
    def __init__(self, lines):
        self.lines = lines

    def price(self):
        return 1


class RushOrder(Order):
    def price(self):
        return 2
"#;

/// The orders with the cursor in front of the only such text.
fn orders_at(text: &str) -> String {
    assert_eq!(ORDERS.matches(text).count(), 1, "{text}");
    ORDERS.replace(text, &format!("$0{text}"))
}

#[test]
fn class_between_others() {
    check_hierarchy(
        &orders_at("Order(Priced)"),
        expect![[r#"
            above Priced base.py:4 declared
            above   abc.ABC outside declared
            overrides Priced.price base.py:5 declared
            below RushOrder orders.py:12 declared
            has constructor __init__
            has field lines
            has method price
        "#]],
    );
}

#[test]
fn method_that_others_override() {
    check_hierarchy(
        &orders_at("price(self):\n        raise"),
        expect![[r#"
        in Priced
        implemented by Order.price orders.py:8 declared
        implemented by   RushOrder.price orders.py:13 declared
    "#]],
    );
}

#[test]
fn method_that_overrides_others() {
    check_hierarchy(
        &orders_at("price(self):\n        return 2"),
        expect![[r#"
        in RushOrder
        overrides Order.price orders.py:8 declared
        overrides   Priced.price base.py:5 declared
    "#]],
    );
}

#[test]
fn upwards_only() {
    let up = HierarchyOptions { down: false, ..whole_hierarchy() };
    check_hierarchy_with(
        &orders_at("Order(Priced)"),
        &up,
        expect![[r#"
            above Priced base.py:4 declared
            above   abc.ABC outside declared
            overrides Priced.price base.py:5 declared
        "#]],
    );
}

#[test]
fn downwards_only() {
    let down = HierarchyOptions { up: false, ..whole_hierarchy() };
    check_hierarchy_with(
        &orders_at("Order(Priced)"),
        &down,
        expect![[r#"
        below RushOrder orders.py:12 declared
        has constructor __init__
        has field lines
        has method price
    "#]],
    );
}

#[test]
fn one_step_only() {
    let one_step = HierarchyOptions { depth: 1, ..whole_hierarchy() };
    check_hierarchy_with(
        &orders_at("Priced(abc.ABC)"),
        &one_step,
        expect![[r#"
        above abc.ABC outside declared
        below Order orders.py:4 declared
        has method price
        has method label
    "#]],
    );
}

#[test]
fn a_limit_cuts_each_list() {
    let one_of_each = HierarchyOptions { limit: 1, ..whole_hierarchy() };
    check_hierarchy_with(
        &orders_at("Priced(abc.ABC)"),
        &one_of_each,
        expect![[r#"
        above abc.ABC outside declared
        below Order orders.py:4 declared
        below 1 more
        has method price
        has 1 more
    "#]],
    );
}

#[test]
fn function_that_is_no_member() {
    check_hierarchy("//- /a.py\ndef so$0ft(text):\n    return text\n", expect![[""]]);
}

#[test]
fn interface_abstract_class_and_class() {
    check_hierarchy(
        r#"
//- /web/shape.ts
export interface Sh$0ape {
  area(): number;
}

export abstract class Base implements Shape {
  abstract area(): number;
}
//- /web/circle.ts
import { Base } from "./shape";

export class Circle extends Base {
  area(): number { return 3; }
}
"#,
        expect![[r#"
            below Base web/shape.ts:5 declared
            below   Circle web/circle.ts:3 declared
            has method area
        "#]],
    );
}

#[test]
fn method_of_an_interface() {
    check_hierarchy(
        r#"
//- /web/shape.ts
export interface Shape {
  ar$0ea(): number;
}

export abstract class Base implements Shape {
  abstract area(): number;
}
//- /web/circle.ts
import { Base } from "./shape";

export class Circle extends Base {
  area(): number { return 3; }
}
"#,
        expect![[r#"
            in Shape
            implemented by Base.area web/shape.ts:6 declared
            implemented by   Circle.area web/circle.ts:4 declared
        "#]],
    );
}

/// `Half` has a method of each name, but one of them with other parameters.
const READERS: &str = r#"
//- /store/store.go
package store

type Reader interface {
	Read(key string) (value string, err error)
	Close() error
}

type File struct{}

func (f *File) Read(key string) (string, error) { return key, nil }
func (f *File) Close() error           { return nil }

type Half struct{}

func (h Half) Read(key string) (string, error) { return key, nil }
func (h Half) Close(now bool) error   { return nil }

type Silent struct{}

func (s Silent) Read(key string) (string, error) { return key, nil }
func (s Silent) Close()                 {}

type Numbered struct{}

func (n Numbered) Read(key int) (string, error) { return "", nil }
func (n Numbered) Close() error        { return nil }
"#;

#[test]
fn interface_that_types_have_by_their_methods() {
    check_hierarchy(
        &READERS.replace("Reader interface", "$0Reader interface"),
        expect![[r#"
        below store.File store/store.go:8 structural
        has method Read
        has method Close
    "#]],
    );
}

#[test]
fn type_that_has_an_interface_by_its_methods() {
    check_hierarchy(
        &READERS.replace("File struct", "$0File struct"),
        expect![[r#"
            above store.Reader store/store.go:3 structural
            overrides store.Reader.Read store/store.go:4 declared
            overrides store.Reader.Close store/store.go:5 declared
            has method Read
            has method Close
        "#]],
    );
}

#[test]
fn type_that_lacks_a_method_of_an_interface() {
    check_hierarchy(
        &READERS.replace("Half struct", "$0Half struct"),
        expect![[r#"
        has method Read
        has method Close
    "#]],
    );
}

/// Methods with other results, or with other types that every program knows, are others.
#[test]
fn types_with_other_methods_of_the_same_names() {
    for name in ["Silent", "Numbered"] {
        let fixture = READERS.replace(&format!("{name} struct"), &format!("$0{name} struct"));
        check_hierarchy(&fixture, expect!["has method Read\nhas method Close\n"]);
    }
}

/// So are methods with types that the program defines and does not rename.
#[test]
fn types_with_methods_for_other_types_of_the_program() {
    let fixture = "
//- /modules.go
package acme

type Context struct{}
type TLS struct{}

type Provisioner interface {
	Provision(ctx Context) error
}
//- /tls/policy.go
package tls

import \"example.com/acme\"

type Policy struct{}

func (p *Policy) Provision(tls *acme.TLS) error { return nil }

type App struct{}

func (a *App) Provision(ctx acme.Context) error { return nil }
";
    check_hierarchy(&fixture.replace("type Policy", "type $0Policy"), expect!["has method Provision\n"]);
    check_hierarchy(
        &fixture.replace("type App", "type $0App"),
        expect![[r#"
            above acme.Provisioner modules.go:6 structural
            overrides acme.Provisioner.Provision modules.go:7 declared
            has method Provision
        "#]],
    );
}

#[test]
fn method_of_an_interface_that_types_have_by_their_methods() {
    check_hierarchy(
        &READERS.replace("\tClose()", "\t$0Close()"),
        expect![[r#"
        in store.Reader
        implemented by store.File.Close store/store.go:11 structural
    "#]],
    );
}

#[test]
fn type_without_methods_has_no_interface() {
    check_hierarchy("//- /acme.go\npackage acme\n\ntype To$0ol struct {\n}\n", expect![[""]]);
}

const PETS: &str = r#"
//- /src/main/java/com/acme/Animal.java
package com.acme;

public interface Animal {
    String sound();
}
//- /src/main/java/com/acme/pets/Dog.java
package com.acme.pets;

import com.acme.Animal;

public class Dog implements Animal {
    public String sound() { return "woof"; }
}
"#;

#[test]
fn interface_of_another_package() {
    check_hierarchy(
        &PETS.replace("interface Animal", "interface $0Animal"),
        expect![[r#"
        below com.acme.pets.Dog src/main/java/com/acme/pets/Dog.java:5 declared
        has method sound
    "#]],
    );
}

#[test]
fn method_that_implements_one_of_another_package() {
    check_hierarchy(
        &PETS.replace("sound() {", "sou$0nd() {"),
        expect![[r#"
        in com.acme.pets.Dog
        overrides com.acme.Animal.sound src/main/java/com/acme/Animal.java:4 declared
    "#]],
    );
}

/// `Square` has a `draw` of its own beside that of the trait.
const SHAPES: &str = r#"
//- /Cargo.toml
[package]
name = "acme"
//- /src/lib.rs
mod draw;
pub mod shapes;
//- /src/draw.rs
pub trait Draw {
    fn draw(&self);
    fn name(&self) -> String { String::new() }
}

impl Draw for u8 {
    fn draw(&self) {}
}
//- /src/shapes.rs
use crate::draw::Draw;
use std::fmt;

pub struct Square {
    side: u32,
}

impl Square {
    pub fn draw(&self) {}
}

impl Draw for Square {
    fn draw(&self) {}
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) }
}
"#;

#[test]
fn trait_with_implementations_for_types_here_and_outside() {
    check_hierarchy(
        &SHAPES.replace("trait Draw", "trait $0Draw"),
        expect![[r#"
        below u8 outside block
        below Square src/shapes.rs:4 block
        has method draw
        has method name
    "#]],
    );
}

/// A trait and its implementers have one name, and a function beside one of them imports the trait.
const PERMITS: &str = r#"
//- /Cargo.toml
[package]
name = "acme"
//- /src/lib.rs
mod bounded;
mod chan;
mod unbounded;
//- /src/bounded.rs
use super::chan;

pub struct Semaphore {
    bound: u32,
}

pub fn release(semaphore: &Semaphore) {
    use chan::Semaphore;
    semaphore.close();
}
//- /src/unbounded.rs
pub struct Semaphore(u32);
//- /src/chan.rs
use crate::{bounded, unbounded};

pub trait Semaphore {
    fn close(&self);
}

impl Semaphore for bounded::Semaphore {
    fn close(&self) {}
}

impl Semaphore for unbounded::Semaphore {
    fn close(&self) {}
}
"#;

#[test]
fn trait_with_the_name_of_its_implementers() {
    check_hierarchy(
        &PERMITS.replace("trait Semaphore", "trait $0Semaphore"),
        expect![[r#"
            below Semaphore src/bounded.rs:3 block
            below Semaphore src/unbounded.rs:1 block
            has method close
        "#]],
    );
}

#[test]
fn struct_that_implements_traits_from_here_and_outside() {
    check_hierarchy(
        &SHAPES.replace("struct Square", "struct $0Square"),
        expect![[r#"
            above Draw src/draw.rs:1 block
            above fmt::Display outside block
            overrides Draw::draw src/draw.rs:2 declared
            has field side
            has method draw
            has method draw
            has method fmt
        "#]],
    );
}

#[test]
fn method_of_a_trait() {
    check_hierarchy(
        &SHAPES.replace("fn draw(&self);", "fn $0draw(&self);"),
        expect![[r#"
        in Draw
        implemented by u8::draw src/draw.rs:7 block
        implemented by Square::draw src/shapes.rs:13 block
    "#]],
    );
}

#[test]
fn method_that_implements_one_from_outside() {
    check_hierarchy(
        &SHAPES.replace("fn fmt(", "fn $0fmt("),
        expect![[r#"
        in Square
        overrides fmt::Display::fmt outside block
    "#]],
    );
}

#[test]
fn type_in_several_parts_is_listed_once() {
    check_hierarchy(
        r#"
//- /lib/order.rb
class Or$0der
  def save
  end
end

def run
  Class.new(Order)
end
//- /lib/more.rb
class Gift < Order
end
//- /lib/part.rb
class Gift < Order
end
//- /app/gift_test.rb
class Toy < Order
end
"#,
        expect![[r#"
            below Gift lib/more.rb:1 declared
            below run lib/order.rb:6 anonymous
            below Toy app/gift_test.rb:1 declared
            has method save
        "#]],
    );
}

#[test]
fn module_path_before_a_name() {
    expect![[r#"
        above Priced base.py:4 declared
        above   abc.ABC outside declared
        overrides Priced.price base.py:5 declared
        below RushOrder orders.py:12 declared
        has constructor __init__
        has field lines
        has method price
    "#]]
    .assert_eq(&Project::new(ORDERS).hierarchy("orders.Order", &whole_hierarchy()));
}

#[test]
fn name_that_nothing_has() {
    expect![[r#"
        error: no symbol `Pricd`
        or Priced
        or price
    "#]]
    .assert_eq(&Project::new(ORDERS).hierarchy("Pricd", &whole_hierarchy()));
}

/// Classes without a name: functions and variables that make them stand for them.
const ANONYMOUS: &str = r#"
//- /Base.java
package shop;
abstract class $0Base {
  abstract int read();
}
class Init {
  static { Base base = new Base() { int read() { return 0; } }; }
  int unrelated;
}
//- /Makers.java
package shop;
class Makers {
  static final Base ONE = new Base() {
    int read() { return 1; }
  };
  Base two() {
    use(new Base() { int read() { return 2; } });
    return new Base() {
      int read() { return 3; }
    };
  }
  Base plain() { return new Named(); }
}
class Named extends Base {
  int read() { return 4; }
}
"#;

#[test]
fn classes_without_a_name() {
    check_hierarchy(
        ANONYMOUS,
        expect![[r#"
        below shop.Makers.ONE Makers.java:3 anonymous
        below shop.Makers.two Makers.java:6 anonymous
        below shop.Makers.two Makers.java:6 anonymous
        below shop.Named Makers.java:14 declared
        has method read
    "#]],
    );
}

#[test]
fn methods_of_classes_without_a_name() {
    check_hierarchy(
        &ANONYMOUS.replace("$0", "").replace("abstract int read", "abstract int $0read"),
        expect![[r#"
        in shop.Base
        implemented by shop.Makers.ONE.read Makers.java:4 anonymous
        implemented by shop.Makers.two.read Makers.java:7 anonymous
        implemented by shop.Makers.two.read Makers.java:9 anonymous
        implemented by shop.Named.read Makers.java:15 declared
    "#]],
    );
    check_hierarchy(
        &ANONYMOUS.replace("$0", "").replace("int read() { return 1", "int $0read() { return 1"),
        expect![[r#"
            in shop.Makers
            in shop.Makers.ONE
            overrides shop.Base.read Base.java:3 declared
        "#]],
    );
}

#[test]
fn class_without_a_name_in_an_initializer_is_no_supertype() {
    check_hierarchy(
        &ANONYMOUS.replace("$0", "").replace("class Init", "class $0Init"),
        expect![[r#"
        has method read
        has field unrelated
    "#]],
    );
}

#[test]
fn objects_of_kotlin_and_classes_of_php_and_typescript_without_a_name() {
    check_hierarchy(
        r#"
//- /base.kt
package shop
abstract class $0Base {
  abstract fun read(): Int
}
val one = object : Base() {
  override fun read(): Int = 5
}
fun two(): Base = object : Base() {
  override fun read(): Int = 6
}
"#,
        expect![[r#"
            below shop.one base.kt:5 anonymous
            below shop.two base.kt:8 anonymous
            has method read
        "#]],
    );
    check_hierarchy(
        r#"
//- /base.php
<?php
interface $0Base { function read(); }
function make() {
    return new class implements Base { function read() { return 1; } };
}
"#,
        expect![[r#"
            below make base.php:3 anonymous
            has method read
        "#]],
    );
    check_hierarchy(
        r#"
//- /base.ts
export class $0Base { read() { return 0 } }
export const Named = class extends Base { read() { return 1 } }
export function make() {
  return new (class extends Base { read() { return 2 } })()
}
"#,
        expect![[r#"
            below Named base.ts:2 declared
            below make base.ts:3 anonymous
            has method read
        "#]],
    );
}

#[test]
fn class_under_the_name_of_a_variable() {
    check_hierarchy(
        r#"
//- /handlers.py
import typing


class Han$0dler(typing.Generic[typing.T]):
    def run(self):
        pass
//- /http.py
from typing import TYPE_CHECKING

from handlers import Handler

if TYPE_CHECKING:
    _Base = Handler[bytes]
else:
    _Base = Handler


class HttpHandler(_Base):
    def run(self):
        pass
//- /files.py
import handlers

Base = handlers.Handler
Other = handlers.Handler()


class FileHandler(Base):
    pass
"#,
        expect![[r#"
            above typing.Generic outside declared
            below FileHandler files.py:7 declared
            below HttpHandler http.py:11 declared
            has method run
        "#]],
    );
}

#[test]
fn nested_class_across_languages_of_one_platform() {
    check_hierarchy(
        r#"
//- /shop/Adapter.java
package shop;
public interface Adapter<T> {
  abstract class Fac$0tory {
    abstract Adapter<?> get();
  }
}
//- /shop/Web.kt
package web

import shop.Adapter

class WebFactory : Adapter.Factory() {
  override fun get(): Adapter<*>? = null
}

fun run() {
  val factory = object : Adapter.Factory() {
    override fun get(): Adapter<*>? = null
  }
}
//- /shop/Jobs.scala
package jobs

import shop.Adapter

class JobFactory extends Adapter.Factory {
  def get() = null
}
//- /shop/Other.kt
package other

class Adapter {
  open class Factory
}

class OtherFactory : Adapter.Factory()
"#,
        expect![[r#"
            in shop.Adapter
            below jobs.JobFactory shop/Jobs.scala:5 declared
            below web.WebFactory shop/Web.kt:5 declared
            below web.run shop/Web.kt:9 anonymous
            has method get
        "#]],
    );
}

#[test]
fn modules_that_are_mixed_in() {
    check_hierarchy(
        r#"
//- /lib/shop/loud.rb
module Shop
  module Lo$0ud
    extend Marked
    def yell; end
  end

  module Marked
  end
end
//- /lib/shop/item.rb
module Shop
  class Item
    include Loud
  end

  class Cart
    extend Loud
  end

  module Louder
    prepend Shop::Loud
  end

  class Horn
    include Louder
  end
end
"#,
        expect![[r#"
            in Shop
            above Shop::Marked lib/shop/loud.rb:7 declared
            below Shop::Item lib/shop/item.rb:2 declared
            below Shop::Cart lib/shop/item.rb:6 declared
            below Shop::Louder lib/shop/item.rb:10 declared
            below   Shop::Horn lib/shop/item.rb:14 declared
            has method yell
        "#]],
    );
}

#[test]
fn behaviours_that_used_code_names() {
    let modules = r#"
//- /lib/shop/store.ex
defmodule Shop.Sto$0re do
  @callback put(term) :: :ok
end
//- /lib/shop/base.ex
defmodule Shop.Base do
  defmacro __using__(_opts) do
    quote do
      @behaviour Shop.Store
      import Shop.Base
    end
  end
end
//- /lib/shop/disk.ex
defmodule Shop.Disk do
  use Shop.Base
  def put(_), do: :ok
end
//- /lib/shop/plain.ex
defmodule Shop.Plain do
  @behaviour Shop.Store
  def put(_), do: :ok
end
//- /lib/shop/other.ex
defmodule Shop.Other do
  alias Shop.Base
  alias Shop.Store
  use Shop.Helpers
end
"#;
    check_hierarchy(
        modules,
        expect![[r#"
        below Shop.Plain lib/shop/plain.ex:1 declared
        below Shop.Disk lib/shop/disk.ex:1 declared
        has method put
    "#]],
    );
}

#[test]
fn extension_method_says_what_it_extends() {
    let program = "
//- /Mapper.cs
using System.Data;

public static class Mapper
{
    public static int Query(this IDbConnection cnn, string sql) => 0;
    public static int Count(this Store store) => 0;
}
public class Store { }
";
    let at = |text: &str| program.replace(text, &format!("$0{text}"));
    check_hierarchy(
        &at("Query(this"),
        expect![[r#"
        in Mapper
        above IDbConnection outside extension
    "#]],
    );
    check_hierarchy(
        &at("Count(this"),
        expect![[r#"
        in Mapper
        above Store Mapper.cs:8 extension
    "#]],
    );
}

#[test]
fn a_constant_that_is_another_name_of_a_module() {
    check_hierarchy(
        r#"
//- /lib/middleware.rb
module Kiq
  module ServerMiddleware
  end
  Client$0Middleware = ServerMiddleware
end
//- /lib/save.rb
class Save
  include Kiq::ClientMiddleware
end
class Load
  include Kiq::ServerMiddleware
end
"#,
        expect![[r#"
            in Kiq
            below Load lib/save.rb:4 declared
            below Save lib/save.rb:1 declared
        "#]],
    );
}
