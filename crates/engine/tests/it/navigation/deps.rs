//! Imports of files, folders and modules, their importers, and circles of imports.

use expect_test::{Expect, expect};

use crate::navigation::check::Project;

/// Compares what `path` imports, up to a depth.
#[track_caller]
fn check_imports(fixture: &str, path: &str, depth: u32, expected: Expect) {
    expected.assert_eq(&Project::new(fixture).deps(Some(path), false, depth));
}

/// Compares who imports `path`, up to a depth.
#[track_caller]
fn check_importers(fixture: &str, path: &str, depth: u32, expected: Expect) {
    expected.assert_eq(&Project::new(fixture).deps(Some(path), true, depth));
}

/// `orders` and `money` import each other, one of them inside of a function.
const SHOP: &str = r#"
//- /shop/__init__.py
from .orders import Order
//- /shop/base.py
import abc


class Priced(abc.ABC):
    pass
//- /shop/orders.py
from .base import Priced
from . import money


class Order(Priced):
    pass


def checkout(text):
    pass
//- /shop/money.py
from decimal import Decimal


def shown(value):
    from .orders import Order
    return str(value)
//- /shop/alone.py
def nothing():
    pass
//- /tests/test_orders.py
from shop.orders import checkout, Order
"#;

#[test]
fn imports_of_a_file() {
    check_imports(
        SHOP,
        "shop/orders.py",
        1,
        expect![[r#"
        1 shop/orders.py:1 -> shop/base.py  Priced
        1 shop/orders.py:2 -> shop/money.py  money
        cycle shop/orders.py:2 -> shop/money.py:5
        2 files
    "#]],
    );
}

#[test]
fn imports_of_imports() {
    check_imports(
        SHOP,
        "tests/test_orders.py",
        3,
        expect![[r#"
        1 tests/test_orders.py:1 -> shop/orders.py  checkout,Order
        2 shop/orders.py:1 -> shop/base.py  Priced
        2 shop/orders.py:2 -> shop/money.py  money
        3 shop/base.py:1 -> abc external
        3 shop/money.py:1 -> decimal external Decimal
        3 shop/money.py:5 -> shop/orders.py  Order
        3 files, 2 external
    "#]],
    );
}

#[test]
fn importers_of_a_module_by_its_dotted_name() {
    check_importers(
        SHOP,
        "shop.money",
        1,
        expect![[r#"
        1 shop/orders.py:2 -> shop/money.py  money
        cycle shop/money.py:5 -> shop/orders.py:2
        1 file
    "#]],
    );
}

#[test]
fn importers_of_importers() {
    check_importers(
        SHOP,
        "shop/base.py",
        5,
        expect![[r#"
        1 shop/orders.py:1 -> shop/base.py  Priced
        2 shop/__init__.py:1 -> shop/orders.py  Order
        2 shop/money.py:5 -> shop/orders.py  Order
        2 tests/test_orders.py:1 -> shop/orders.py  checkout,Order
        3 shop/orders.py:2 -> shop/money.py  money
        4 files
    "#]],
    );
}

#[test]
fn imports_within_a_folder_are_only_counted() {
    check_imports(
        SHOP,
        "shop",
        1,
        expect![[r#"
        1 shop/base.py:1 -> abc external
        1 shop/money.py:1 -> decimal external Decimal
        cycle shop/money.py:5 -> shop/orders.py:2
        0 files, 2 external, 4 inside
    "#]],
    );
}

#[test]
fn file_without_imports() {
    check_imports(
        SHOP,
        "shop/alone.py",
        1,
        expect![[r#"
        0 files
    "#]],
    );
}

#[test]
fn circles_of_the_whole_workspace() {
    expect![[r#"
        cycle shop/money.py:5 -> shop/orders.py:2
        0 files
    "#]]
    .assert_eq(&Project::new(SHOP).deps(None, false, 1));
}

#[test]
fn path_that_is_not_there() {
    check_imports(
        SHOP,
        "shop/mony.py",
        1,
        expect![[r#"
            error: no indexed file shop/mony.py
            or shop/money.py
        "#]],
    );
}

const WEB: &str = r#"
//- /web/shape.ts
export interface Shape {
  area(): number;
}
export abstract class Base implements Shape {
  abstract area(): number;
}
//- /web/circle.ts
import { Base, type Shape } from "./shape";
import { round } from "lodash";
import "./missing";
"#;

#[test]
fn imports_that_lead_outside_and_nowhere() {
    check_imports(
        WEB,
        "web/circle.ts",
        1,
        expect![[r#"
        1 web/circle.ts:1 -> web/shape.ts  Base,Shape
        1 web/circle.ts:2 -> lodash external round
        1 web/circle.ts:3 -> ./missing unresolved
        1 file, 1 external, 1 unresolved
    "#]],
    );
}

#[test]
fn importers_of_a_file_by_its_name_alone() {
    check_importers(
        WEB,
        "shape.ts",
        1,
        expect![[r#"
        1 web/circle.ts:1 -> web/shape.ts  Base,Shape
        1 file
    "#]],
    );
}

/// Packages that import each other.
const PACKAGES: &str = r#"
//- /go.mod
module example.com/acme

go 1.22
//- /store/store.go
package store

import "example.com/acme/log"

type Reader interface{}
//- /log/log.go
package log

import (
	"fmt"

	"example.com/acme/store"
)

func Dump(r store.Reader) { fmt.Println(r) }
"#;

#[test]
fn importers_of_a_file_name_its_package() {
    check_importers(
        PACKAGES,
        "store/store.go",
        1,
        expect![[r#"
        1 log/log.go:6 -> store folder
        cycle store/store.go:3 -> log/log.go:6
        1 file
    "#]],
    );
}

#[test]
fn imports_of_a_folder_that_is_a_package() {
    check_imports(
        PACKAGES,
        "log",
        1,
        expect![[r#"
        1 log/log.go:4 -> fmt external
        1 log/log.go:6 -> store folder
        cycle log/log.go:6 -> store/store.go:3
        1 file, 1 external
    "#]],
    );
}

#[test]
fn imports_of_a_package_by_its_full_name() {
    check_imports(
        PACKAGES,
        "example.com/acme/store",
        1,
        expect![[r#"
        1 store/store.go:3 -> log folder
        cycle store/store.go:3 -> log/log.go:6
        1 file
    "#]],
    );
}

#[test]
fn package_in_the_root_folder() {
    check_imports(
        r#"
//- /go.mod
module example.com/acme
//- /acme.go
package acme

type Tool struct {
}
//- /doc/doc.go
package doc

import "example.com/acme"

func Of(tool acme.Tool) {
}
"#,
        "doc",
        1,
        expect![[r#"
            1 doc/doc.go:3 -> ./ folder
            1 file
        "#]],
    );
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
//- /src/main/java/com/acme/pets/Cat.java
package com.acme.pets;

import com.acme.Animal;

public class Cat implements Animal {
    public String sound() { return "miau"; }
}
//- /src/main/java/com/acme/Kennel.java
package com.acme;

import com.acme.pets.*;

public class Kennel {
    Dog dog;
}
"#;

#[test]
fn import_of_one_class() {
    check_imports(
        PETS,
        "Dog.java",
        1,
        expect![[r#"
        1 src/main/java/com/acme/pets/Dog.java:3 -> src/main/java/com/acme/Animal.java  Animal
        1 file
    "#]],
    );
}

#[test]
fn import_of_all_classes_of_a_package() {
    check_importers(
        PETS,
        "Dog.java",
        1,
        expect![[r#"
        1 src/main/java/com/acme/Kennel.java:3 -> src/main/java/com/acme/pets folder *
        1 file
    "#]],
    );
}

#[test]
fn imports_of_a_package_of_several_files() {
    check_imports(
        PETS,
        "com.acme.pets",
        1,
        expect![[r#"
        1 src/main/java/com/acme/pets/Cat.java:3 -> src/main/java/com/acme/Animal.java  Animal
        1 src/main/java/com/acme/pets/Dog.java:3 -> src/main/java/com/acme/Animal.java  Animal
        1 file
    "#]],
    );
}

const CRATE: &str = r#"
//- /Cargo.toml
[package]
name = "acme"
//- /src/lib.rs
mod draw;
pub mod shapes;

use draw::Draw;
//- /src/draw.rs
pub trait Draw {
    fn draw(&self);
}
//- /src/shapes.rs
use crate::draw::Draw;
use std::fmt;

pub struct Square;
"#;

#[test]
fn imports_of_a_module_of_a_crate() {
    check_imports(
        CRATE,
        "src/shapes.rs",
        1,
        expect![[r#"
        1 src/shapes.rs:1 -> src/draw.rs  Draw
        1 src/shapes.rs:2 -> std external fmt
        1 file, 1 external
    "#]],
    );
}

#[test]
fn importers_of_a_module_by_its_path_in_the_crate() {
    check_importers(
        CRATE,
        "crate::draw",
        2,
        expect![[r#"
        1 src/lib.rs:4 -> src/draw.rs  Draw
        1 src/shapes.rs:1 -> src/draw.rs  Draw
        2 files
    "#]],
    );
}

#[test]
fn file_name_that_two_folders_have() {
    check_importers(
        r#"
//- /src/dict.c
#include "dict.h"
//- /src/dict.h
int dictAdd(int key);
//- /src/main.c
#include "dict.h"
//- /deps/other/dict.c
#include "dict.h"
//- /deps/other/dict.h
int dictAdd(int key);
"#,
        "dict.h",
        1,
        expect![[r#"
            1 src/dict.c:1 -> src/dict.h
            1 src/main.c:1 -> src/dict.h
            2 files
            or deps/other/dict.h
        "#]],
    );
}

/// Two gems, each with its own load path.
const GEMS: &str = r#"
//- /core/lib/core.rb
require "core/request"
require_relative "core/version"
require "json"
require "web/request"
//- /core/lib/core/request.rb
module Core
  class Request
    def json; end
  end
end
//- /core/lib/core/version.rb
module Core; end
//- /core/test/helper.rb
json = 1
//- /core/test/request.rb
require "helper"
require_relative "missing"
//- /web/lib/web/request.rb
require "core/request"
//- /web/test/helper.rb
request = 2
"#;

#[test]
fn required_files_are_on_load_paths() {
    check_imports(
        GEMS,
        "core/lib/core.rb",
        1,
        expect![[r#"
        1 core/lib/core.rb:1 -> core/lib/core/request.rb
        1 core/lib/core.rb:2 -> core/lib/core/version.rb
        1 core/lib/core.rb:3 -> json external
        1 core/lib/core.rb:4 -> web/lib/web/request.rb
        3 files, 1 external
    "#]],
    );
    check_imports(
        GEMS,
        "core/test/request.rb",
        1,
        expect![[r#"
        1 core/test/request.rb:1 -> core/test/helper.rb
        1 core/test/request.rb:2 -> ./missing unresolved
        1 file, 1 unresolved
    "#]],
    );
    check_importers(
        GEMS,
        "core/lib/core/request.rb",
        1,
        expect![[r#"
        1 core/lib/core.rb:1 -> core/lib/core/request.rb
        1 web/lib/web/request.rb:1 -> core/lib/core/request.rb
        2 files
    "#]],
    );
}
