//! Members of a type and of its instances, calls that a function cannot take, values of which
//! nothing is known.

use expect_test::expect;

use crate::navigation::check::{Project, all_uses, check_references};

/// A class method and an instance method of one name are two symbols; the receiver tells which is
/// called, and so does the method around.
#[test]
fn class_and_instance_methods_of_one_name() {
    let parser = |cursor: &str| {
        format!(
            r#"
//- /parser.rb
class Parser
  def self.{}parse(text)
    new.parse(text)
  end

  def again(text)
    self.class.parse(text)
    self.parse(text)
  end

  def {}parse(text)
    text
  end
end

Parser.parse("a")
Parser.new.parse("b")
"#,
            if cursor == "class" { "$0" } else { "" },
            if cursor == "instance" { "$0" } else { "" },
        )
    };
    check_references(
        &parser("class"),
        expect![[r#"
        parser.rb:7:16 call parse in Parser#again, static receiver_type
        parser.rb:16:8 call parse, static receiver_type
        2 uses in 1 file, 7 occurrences, 4 other
    "#]],
    );
    check_references(
        &parser("instance"),
        expect![[r#"
        parser.rb:3:9 call parse in Parser.parse, static receiver_type
        parser.rb:8:10 call parse in Parser#again, static enclosing_type
        parser.rb:17:12 call parse, static receiver_type
        3 uses in 1 file, 7 occurrences, 3 other
    "#]],
    );
}

#[test]
fn static_and_instance_methods_in_typescript() {
    check_references(
        r#"
//- /shape.ts
export class Shape {
  static $0of(kind: string): Shape {
    return new Shape();
  }
  of(kind: string): boolean {
    return this.of(kind);
  }
}
Shape.of("a");
new Shape().of("b");
"#,
        expect![[r#"
            shape.ts:9:7 call of, static receiver_type
            1 use in 1 file, 5 occurrences, 3 other
        "#]],
    );
}

/// Classes that are open may have been added to: a literal has those members.
#[test]
fn methods_added_to_a_class_of_literals() {
    check_references(
        r#"
//- /core_ext.rb
class String
  def $0squished
    strip
  end
end
//- /main.rb
puts "a  b".squished
def tidy(name)
  name.squished
end
5.squished
"#,
        expect![[r#"
            main.rb:1:13 call squished, static receiver_type
            main.rb:3:8 call squished in tidy, possible name_only
            main.rb:5:3 call squished, possible name_only
            3 uses in 1 file, 4 occurrences
        "#]],
    );
}

/// A function of another number of parameters is another one where arguments are exact.
#[test]
fn calls_with_another_number_of_arguments() {
    check_references(
        r#"
//- /sizes.ex
defmodule Sizes do
  def $0length(a, b), do: length(a) + b
  def all(x), do: length(x, 1)
end
"#,
        expect![[r#"
            sizes.ex:3:19 call length in Sizes.all, static scope
            1 use in 1 file, 3 occurrences, 1 other
        "#]],
    );
    check_references(
        r#"
//- /Call.kt
class Call {
    fun $0timeout(): Int = 1
    fun start() {
        val watch = Watch().apply { timeout(1, 2) }
        timeout()
    }
}
"#,
        expect![[r#"
            Call.kt:5:9 call timeout in Call.start, static enclosing_type
            1 use in 1 file, 3 occurrences, 1 other
        "#]],
    );
}

/// A called name is the method where variables cannot be called, or are no functions.
#[test]
fn methods_called_beside_variables_of_their_name() {
    check_references(
        r#"
//- /Call.kt
class Call {
    fun $0done(error: String): String = error
    fun run(): String {
        var done = false
        if (!done) done = true
        return done("x")
    }
}
"#,
        expect![[r#"
            Call.kt:6:16 call done in Call.run, static enclosing_type
            1 use in 1 file, 5 occurrences, 3 other
        "#]],
    );
    check_references(
        r#"
//- /Sizes.java
class Sizes {
    int $0size(int x) { return x; }
    int all() { int size = 1; return size(2) + size; }
}
"#,
        expect![[r#"
            Sizes.java:3:38 call size in Sizes.all, static enclosing_type
            1 use in 1 file, 4 occurrences, 2 other
        "#]],
    );
    check_references(
        r#"
//- /names.rb
class Names
  def $0name(x = nil)
    x
  end
  def all
    name = 1
    name(2)
    name
  end
end
"#,
        expect![[r#"
            names.rb:7:5 call name in Names#all, static enclosing_type
            1 use in 1 file, 4 occurrences, 2 other
        "#]],
    );
}

/// Types that say nothing of a value's members prove nothing.
#[test]
fn values_of_dynamic_types() {
    for (fixture, name) in [
        (
            "//- /a.cs\nclass Store { public void FlushIt() {} }\nclass U { void G(dynamic d) { d.FlushIt(); } }",
            "FlushIt",
        ),
        (
            "//- /a.py\nfrom typing import Any\nclass Store:\n    def flush_it(self): ...\ndef g(y: Any, z: object):\n    y.flush_it()\n    z.flush_it()",
            "flush_it",
        ),
        (
            "//- /a.php\n<?php\nclass Store { public function flushIt() {} }\nfunction g(mixed $m, object $o) { $m->flushIt(); $o->flushIt(); }",
            "flushIt",
        ),
        ("//- /a.ts\nexport class Store { flushIt() {} }\nexport function g(y: any) { y.flushIt(); }", "flushIt"),
        (
            "//- /a.cpp\nstruct Store { void flushIt(); };\ntemplate <typename T> void g(T x) { x.flushIt(); }\ntemplate <class P> struct Base { P p; void run() { p.flushIt(); } };",
            "flushIt",
        ),
    ] {
        let project = Project::new(fixture);
        let found = project.references(name, &all_uses());
        assert!(!found.contains("other"), "{fixture}\n{found}");
    }
}
