//! Receivers whose type only a test tells, of types outside that functions extend, and of no known
//! type at all.

use super::Program;

#[test]
fn kotlin_smart_casts() {
    let program = Program::new(
        "//- /core/Shapes.kt
package core

interface Shape { fun area(): Int }
class Round(val radius: Int) : Shape {
    override fun area() = 1
    fun roll() {}
    fun spin() {}
}
class Square : Shape {
    override fun area() = 2
    fun stack() {}
}
fun Shape.roll() {}
fun Shape.move() = when (this) {
    is Round -> roll() // narrowed
    else -> stand() // not narrowed
}
fun Shape.stand() {}
fun each(shape: Shape, other: Any) {
    when (shape) {
        is Round -> shape.spin() // round
        is Square -> shape.stack() // square
    }
    if (shape is Round) { shape.area() }
    if (other is Square && shape.stack() == other.stack()) other.area()
    shape.area() // before
    if (shape !is Round) return
    shape.area() // after
}
",
    );
    program.check(
        "core/Shapes.kt | // narrowed | roll -> core/Shapes.kt |     fun roll | static
        core/Shapes.kt | // not narrowed | stand -> core/Shapes.kt | fun Shape.stand | static
        core/Shapes.kt | // round | spin -> core/Shapes.kt | fun spin | static
        core/Shapes.kt | // square | stack -> core/Shapes.kt | fun stack | static
        core/Shapes.kt | { shape.area() } | area -> core/Shapes.kt | area() = 1 | static
        core/Shapes.kt | other.stack | stack#2 -> core/Shapes.kt | fun stack | static
        core/Shapes.kt | other.stack | area -> core/Shapes.kt | area() = 2 | static
        core/Shapes.kt | // before | area -> core/Shapes.kt | fun area(): Int | static
        core/Shapes.kt | // after | area -> core/Shapes.kt | area() = 1 | static",
    );
}

#[test]
fn kotlin_extensions_of_types_outside() {
    let program = Program::new(
        "//- /core/Texts.kt
package core

fun CharSequence.shout() {}
fun CharSequence.hush() {}
//- /app/Use.kt
package app

import core.shout

fun use(text: String, plain: CharSequence) {
    plain.shout()
    text.shout() // below
    text.hush()
}
",
    );
    program.check(
        "app/Use.kt | plain.shout | shout -> core/Texts.kt | fun CharSequence.shout | static
        app/Use.kt | // below | shout -> nothing several
        app/Use.kt | text.hush | hush -> nothing several",
    );
}

#[test]
fn swift_extensions_of_types_outside() {
    let program = Program::new(
        "//- /Sources/Core/Picks.swift
extension Collection {
    func pickOne() -> Int { 1 }
}
//- /Sources/App/Use.swift
func use(all: Collection, text: String) {
    all.pickOne()
    text.pickOne() // below
}
",
    );
    program.check(
        "Sources/App/Use.swift | all.pickOne | pickOne -> Sources/Core/Picks.swift | func pickOne | static
        Sources/App/Use.swift | // below | pickOne -> nothing several",
    );
}

#[test]
fn the_only_definition_of_a_name_of_several_words() {
    let program = Program::new(
        "//- /ledger.py
class Ledger:
    def close_year(self, year): pass
    def open_year(self): pass
    def settle(self): pass

class Book:
    def open_year(self): pass
//- /use.py
import library

def run(source):
    source.find().close_year(1)
    source.find().close_year(1, 2) # too many
    library.find().close_year(3)
    source.find().open_year()
    source.find().settle()
//- /above.py
from library import Base

class Above(Base):
    def start_over(self):
        super().start_over()
",
    );
    program.check(
        "use.py | close_year(1) | close_year -> ledger.py | def close_year | likely
        use.py | # too many | close_year -> nothing several
        use.py | close_year(3) | close_year -> nothing
        use.py | open_year() | open_year -> nothing several
        use.py | settle() | settle -> nothing several
        above.py | super() | start_over -> nothing",
    );
}
