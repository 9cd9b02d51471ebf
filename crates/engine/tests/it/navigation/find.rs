//! Definitions by their attributes, in several languages.

use codecompass_engine::model::Role;
use codecompass_engine::query::find_symbols;
use codecompass_engine::syntax::facts::{SymbolRole, Visibility};
use expect_test::{Expect, expect};

use crate::navigation::check::{
    DecoratorPattern, Filter, FindOptions, FindOrder, FindRole, NamePattern, Navigator, PathPattern, Project,
};

const SHAPES: &str = r#"
//- /pkg/__init__.py
from ._core import Shape
//- /pkg/_core.py
import abc

from flask import app


class Shape(abc.ABC):
    """A shape."""

    @staticmethod
    def unit() -> "Shape":
        return Shape()

    @abc.abstractmethod
    async def area(self, scale: int) -> float:
        """Its area."""

    def _hidden(self):
        def inner():
            pass


class Square(Shape):
    def area(self, scale, unit=None):
        return unit_of(scale)


def unit_of(scale):
    return scale
//- /pkg/web.py
from flask import app

from pkg import Shape


@app.route("/shapes", methods=["GET"])
def shapes():
    return [Shape.unit(), Shape.unit()]


def main():
    return Shape.unit()
//- /tests/test_core.py
def test_area():
    pass
//- /src/lib.rs
/// A store.
pub struct Store;

impl Store {
    #[deprecated]
    pub async fn open(path: &str, mode: u8) -> Option<Store> {
        None
    }
}

struct Hidden;

impl Hidden {
    pub fn open(&self) {}
}

pub trait Shape {
    fn area(&self) -> f64;
}

impl Shape for Store {
    fn area(&self) -> f64 {
        0.0
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn opens() {}
}
//- /geo/shape.go
package geo

type Shape struct{}

// Area gives the area.
//
// Deprecated: use Size.
func (s *Shape) Area(scale int) (float64, error) { return 0, nil }

type hidden struct{}

func (h hidden) Area() int { return 0 }
//- /geo/internal/unit.go
package internal

func Unit() int { return 1 }
//- /web/shape.ts
export abstract class Shape {
  /** @deprecated use area */
  static size(): Promise<number> {
    return Promise.resolve(0);
  }

  protected abstract area(scale: number): number;
}

class Hidden {
  load(): void {}
}
//- /java/Shape.java
package shapes;

public abstract class Shape {
  protected abstract Iterable<String> names(int first, int... rest);

  @Deprecated
  public static int size() {
    return 0;
  }
}

class Square extends Shape {
  @Override
  protected Iterable<String> names(int first, int... rest) {
    return null;
  }
}
//- /net/Shape.cs
namespace Shapes;

public class Shape
{
    [Obsolete("no"), JsonIgnore]
    protected internal static IEnumerable<int> Sizes() => null;

    public Task<IEnumerable<string>> Names(int first) => null;
}
//- /php/Shape.php
<?php

class Shape
{
    #[\Deprecated]
    public static function size(int $scale): ?float
    {
        return 0;
    }
}
//- /kt/Shape.kt
package shapes

abstract class Shape {
    abstract suspend fun area(scale: Int): Double

    override fun toString(): String = "shape"
}
"#;

fn check(options: &FindOptions, expected: Expect) {
    expected.assert_eq(&Project::new(SHAPES).found(options));
}

fn kinds(kinds: &[&str]) -> Filter {
    Filter { kinds: kinds.iter().map(|kind| (*kind).to_string()).collect(), ..Filter::default() }
}

#[test]
fn modifiers_of_all_languages() {
    for (word, expected) in [
        (
            "deprecated",
            expect![[r#"
            geo/shape.go:8 geo.Shape.Area
            java/Shape.java:7 shapes.Shape.size
            net/Shape.cs:6 Shapes.Shape.Sizes
            php/Shape.php:6 Shape::size
            src/lib.rs:6 Store::open
            web/shape.ts:3 Shape.size
        "#]],
        ),
        (
            "static",
            expect![[r#"
            java/Shape.java:7 shapes.Shape.size
            net/Shape.cs:6 Shapes.Shape.Sizes
            php/Shape.php:6 Shape::size
            pkg/_core.py:10 Shape.unit
            web/shape.ts:3 Shape.size
        "#]],
        ),
        (
            "abstract",
            expect![[r#"
            java/Shape.java:3 shapes.Shape
            java/Shape.java:4 shapes.Shape.names
            kt/Shape.kt:3 shapes.Shape
            kt/Shape.kt:4 shapes.Shape.area
            pkg/_core.py:14 Shape.area
            web/shape.ts:1 Shape
            web/shape.ts:7 Shape.area
        "#]],
        ),
        (
            "async",
            expect![[r#"
            kt/Shape.kt:4 shapes.Shape.area
            pkg/_core.py:14 Shape.area
            src/lib.rs:6 Store::open
        "#]],
        ),
        (
            "override",
            expect![[r#"
            java/Shape.java:14 shapes.Square.names
            kt/Shape.kt:6 shapes.Shape.toString
        "#]],
        ),
    ] {
        check(&FindOptions { modifiers: vec![(word, true)], ..FindOptions::default() }, expected);
    }
}

#[test]
fn words_that_must_not_be_there() {
    let modifiers = vec![("static", true), ("deprecated", false)];
    check(
        &FindOptions { modifiers, ..FindOptions::default() },
        expect![[r#"
        pkg/_core.py:10 Shape.unit
    "#]],
    );
}

#[test]
fn the_public_api() {
    check(
        &FindOptions { is_public_api: Some(true), ..FindOptions::default() },
        expect![[r#"
        geo/shape.go:3 geo.Shape
        geo/shape.go:8 geo.Shape.Area
        java/Shape.java:3 shapes.Shape
        java/Shape.java:7 shapes.Shape.size
        kt/Shape.kt:3 shapes.Shape
        kt/Shape.kt:4 shapes.Shape.area
        kt/Shape.kt:6 shapes.Shape.toString
        net/Shape.cs:3 Shapes.Shape
        net/Shape.cs:8 Shapes.Shape.Names
        php/Shape.php:3 Shape
        php/Shape.php:6 Shape::size
        pkg/_core.py:6 Shape
        pkg/_core.py:10 Shape.unit
        pkg/_core.py:14 Shape.area
        pkg/web.py:7 shapes
        pkg/web.py:11 main
        src/lib.rs:2 Store
        src/lib.rs:6 Store::open
        src/lib.rs:17 Shape
        src/lib.rs:18 Shape::area
        src/lib.rs:22 Store::area
        web/shape.ts:1 Shape
        web/shape.ts:3 Shape.size
    "#]],
    );
}

#[test]
fn visibilities_and_docs() {
    let visibilities = vec![Visibility::Protected, Visibility::ProtectedInternal];
    check(
        &FindOptions { visibilities, ..FindOptions::default() },
        expect![[r#"
        java/Shape.java:4 shapes.Shape.names
        java/Shape.java:14 shapes.Square.names
        net/Shape.cs:6 Shapes.Shape.Sizes
        web/shape.ts:7 Shape.area
    "#]],
    );
    let filter = kinds(&["class", "struct", "interface", "trait"]);
    check(
        &FindOptions { filter, has_doc: Some(true), ..FindOptions::default() },
        expect![[r#"
        pkg/_core.py:6 Shape
        src/lib.rs:2 Store
    "#]],
    );
}

#[test]
fn results_and_parameters() {
    let returns = vec!["IEnumerable".to_string(), "Iterable<String>".to_string(), "error".to_string()];
    check(
        &FindOptions { returns, ..FindOptions::default() },
        expect![[r#"
        geo/shape.go:8 geo.Shape.Area
        java/Shape.java:4 shapes.Shape.names
        java/Shape.java:14 shapes.Square.names
        net/Shape.cs:6 Shapes.Shape.Sizes
        net/Shape.cs:8 Shapes.Shape.Names
    "#]],
    );
    let filter = kinds(&["function", "method"]);
    check(
        &FindOptions { filter, parameters: Some(2..=usize::MAX), ..FindOptions::default() },
        expect![[r#"
        java/Shape.java:4 shapes.Shape.names
        java/Shape.java:14 shapes.Square.names
        pkg/_core.py:23 Square.area
        src/lib.rs:6 Store::open
    "#]],
    );
}

#[test]
fn decorators() {
    let decorators = ["app.route", "JsonIgnore", "test"].map(|name| DecoratorPattern::new(name).unwrap()).to_vec();
    check(
        &FindOptions { decorators, ..FindOptions::default() },
        expect![[r#"
        net/Shape.cs:6 Shapes.Shape.Sizes
        pkg/web.py:7 shapes
        src/lib.rs:30 tests::opens
    "#]],
    );
}

#[test]
fn names() {
    let named = |name: &str| FindOptions { names: vec![NamePattern::new(name).unwrap()], ..FindOptions::default() };
    check(
        &named("unit"),
        expect![[r#"
        pkg/_core.py:10 Shape.unit
    "#]],
    );
    check(
        &named("Shape.area"),
        expect![[r#"
            kt/Shape.kt:4 shapes.Shape.area
            pkg/_core.py:14 Shape.area
            src/lib.rs:18 Shape::area
            web/shape.ts:7 Shape.area
        "#]],
    );
    check(
        &named("Shape.*"),
        expect![[r#"
        pkg/_core.py:10 Shape.unit
        pkg/_core.py:14 Shape.area
        pkg/_core.py:17 Shape._hidden
        pkg/_core.py:18 Shape._hidden.inner
        web/shape.ts:3 Shape.size
        web/shape.ts:7 Shape.area
    "#]],
    );
    let names = vec![NamePattern::regex("^(unit|size)$").unwrap()];
    let filter = Filter { excluded: vec![PathPattern::new("*/*.java").unwrap()], ..Filter::default() };
    check(
        &FindOptions { names, filter, ..FindOptions::default() },
        expect![[r#"
        php/Shape.php:6 Shape::size
        pkg/_core.py:10 Shape.unit
        web/shape.ts:3 Shape.size
    "#]],
    );
}

#[test]
fn roles() {
    let roles = vec![FindRole::Symbol(SymbolRole::Handler), FindRole::Symbol(SymbolRole::EntryPoint)];
    check(
        &FindOptions { roles, ..FindOptions::default() },
        expect![[r#"
        pkg/web.py:7 shapes
        pkg/web.py:11 main
    "#]],
    );
    check(
        &FindOptions { roles: vec![FindRole::File(Role::Test)], ..FindOptions::default() },
        expect![[r#"
        src/lib.rs:30 tests::opens
        tests/test_core.py:1 test_area
    "#]],
    );
}

#[test]
fn members_of_types_below_a_base() {
    let options = FindOptions { bases: vec!["Shape".into()], ..FindOptions::default() };
    check(
        &options,
        expect![[r#"
        java/Shape.java:12 shapes.Square
        java/Shape.java:14 shapes.Square.names
        pkg/_core.py:22 Square
        pkg/_core.py:23 Square.area
        src/lib.rs:22 Store::area
    "#]],
    );
}

#[test]
fn numbers_of_callers() {
    let project = Project::new(SHAPES);
    let filter = Filter { paths: vec![PathPattern::new("pkg").unwrap()], ..kinds(&["method", "function"]) };
    let options = FindOptions { filter, order: FindOrder::Callers, limit: 100, ..FindOptions::default() };
    let found = find_symbols(&Navigator::new(&project.snapshot), &options).unwrap();
    let counted: Vec<(&str, usize, usize)> = found
        .symbols
        .iter()
        .map(|found| (found.hit.name.as_str(), found.counts.unwrap().callers, found.counts.unwrap().calling_files))
        .take(3)
        .collect();
    // Two calls in one function are one caller.
    assert_eq!(counted, [("unit", 2, 1), ("unit_of", 1, 1), ("area", 0, 0)]);
    assert_eq!(found.total, found.by_kind.values().sum::<usize>());
}
