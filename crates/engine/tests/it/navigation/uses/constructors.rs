//! Calls of constructors that are written in another way than by the name of their type.

use expect_test::expect;

use crate::navigation::check::check_references;

#[test]
fn java_constructors_that_call_each_other() {
    check_references(
        r#"
//- /Job.java
class Job {
    J$0ob(String name) {}
    Job() { this("x"); }
    Job(int a, int b) { this(); }
    static Job build() { return new Job("y"); }
}
//- /Sub.java
class Sub extends Job {
    Sub() { super("z"); }
    Sub(int a) { super(a, a); }
}
"#,
        expect![[r#"
            Job.java:3:13 call this in Job.Job, static enclosing_type
            Job.java:5:37 call Job in Job.build, static scope
            Sub.java:2:13 call super in Sub.Sub, static enclosing_type
            3 uses in 2 files, 7 occurrences, 5 other, 2 renamed
        "#]],
    );
}

#[test]
fn typescript_constructors_of_supertypes() {
    check_references(
        r#"
//- /job.ts
export class Job {
    const$0ructor(name: string) {}
    static build() { return new this("x"); }
}
//- /sub.ts
import { Job } from './job'
export class Sub extends Job {
    constructor() { super("y"); }
}
class Other extends Missing {
    constructor() { super("z"); }
}
"#,
        expect![[r#"
            job.ts:3:33 call this in Job.build, static enclosing_type
            sub.ts:3:21 call super in Sub.constructor, static enclosing_type
            2 uses in 2 files, 3 occurrences, 2 other, 2 renamed
        "#]],
    );
}

#[test]
fn cpp_constructors_that_stand_apart() {
    check_references(
        r#"
//- /job.h
class Job {
public:
    explicit Job(int x);
    Job();
};
//- /job.cpp
#include "job.h"
Job::J$0ob(int x) {}
Job::Job() : Job(1) {}
//- /use.cpp
#include "job.h"
struct Sub : Job { Sub() : Job(2) {} };
Job* make() { return new Job(3); }
Job none() { return Job(); }
"#,
        expect![[r#"
            job.cpp:3:14 call Job in Job::Job, static import
            job.h:3:14 declaration Job, static scope
            use.cpp:2:28 call Job in Sub::Sub, static import
            use.cpp:3:26 call Job in make, static import
            4 uses in 3 files, 14 occurrences, 9 other
            also at job.h:3
        "#]],
    );
}

#[test]
fn php_constructors_by_words_for_the_type() {
    check_references(
        r#"
//- /Job.php
<?php
class Job {
    public function __const$0ruct(string $name = '') {}
    public static function make() { return new static('x'); }
    public static function other() { return new self('y'); }
}
class Page extends Job {
    public function __construct() { parent::__construct('z'); }
    public static function above() { return new parent('w'); }
}
"#,
        expect![[r#"
            Job.php:4:48 call static in Job::make, static enclosing_type
            Job.php:5:49 call self in Job::other, static enclosing_type
            Job.php:8:45 call __construct in Page::__construct, static receiver_type
            Job.php:9:49 call parent in Page::above, static enclosing_type
            4 uses in 1 file, 3 occurrences, 1 other, 3 renamed
        "#]],
    );
}

#[test]
fn csharp_constructors_that_call_each_other() {
    check_references(
        r#"
//- /Job.cs
class Job {
    public J$0ob(string name) {}
    public Job() : this("x") {}
    public Job(int a, int b) : this() {}
    static Job Build() { return new Job("y"); }
}
//- /Sub.cs
class Sub : Job {
    public Sub() : base("z") {}
    public Sub(int a) : base(a, a) {}
}
"#,
        expect![[r#"
            Job.cs:3:20 call this in Job.Job, static enclosing_type
            Job.cs:5:37 call Job in Job.Build, static scope
            Sub.cs:2:20 call base in Sub.Sub, static enclosing_type
            3 uses in 2 files, 7 occurrences, 5 other, 2 renamed
        "#]],
    );
}

#[test]
fn kotlin_constructors_beside_the_one_in_the_head() {
    check_references(
        r#"
//- /Job.kt
open class Job(val a: Int, val b: Int) {
    const$0ructor(name: String) : this(1, 2)
    constructor(name: String, flag: Boolean, c: Int) : this(name)
}
//- /Sub.kt
class Sub : Job {
    constructor() : super("z")
    constructor(a: Int) : super(a, a)
}
"#,
        expect![[r#"
            Job.kt:3:56 call this in Job.constructor, static enclosing_type
            Sub.kt:2:21 call super in Sub.constructor, static enclosing_type
            2 uses in 2 files, 4 occurrences, 3 other, 2 renamed
        "#]],
    );
}

#[test]
fn scala_constructors_beside_the_one_in_the_head() {
    check_references(
        r#"
//- /Job.scala
class Job(val name: String, val count: Int) {
  def th$0is(name: String) = this(name, 0)
  def this() = this("x")
  def build = new Job("y")
}
"#,
        expect![[r#"
            Job.scala:3:16 call this in Job.this, static enclosing_type
            Job.scala:4:19 call Job in Job.build, static scope
            Job.scala:2:28 call this in Job.this, possible name_only
            3 uses in 1 file, 4 occurrences, 1 other, 1 renamed
        "#]],
    );
}

#[test]
fn ruby_constructors_by_words_for_the_type() {
    check_references(
        r#"
//- /job.rb
class Job
  def initia$0lize(name = nil) = @name = name
  def self.build = new("x")
  def self.other = self.new("y")
  def copy = self.class.new(@name)
  class << self
    def third
      new
    end
  end
  def not_this = new("z")
end
class Leaf < Job
  def self.make = new("w")
end
class Page < Job
  def self.make = new("v")
  def initialize(name)
    super(name)
  end
end
class Custom < Job
  def self.new(name) = allocate
  def self.build = new(1)
end
Job.new("q")
"#,
        expect![[r#"
            job.rb:3:20 call new in Job.build, static enclosing_type
            job.rb:4:25 call new in Job.other, static enclosing_type
            job.rb:5:25 call new in Job#copy, static enclosing_type
            job.rb:8:7 call new in Job.third, static enclosing_type
            job.rb:14:19 call new in Leaf.make, static enclosing_type
            job.rb:26:1 call Job, static package
            6 uses in 1 file, 2 occurrences, 1 other, 6 renamed
        "#]],
    );
}

#[test]
fn python_constructors_by_words_for_the_type() {
    check_references(
        r#"
//- /job.py
class Job:
    def __in$0it__(self, name="x"):
        self.name = name
    @classmethod
    def build(cls):
        return cls("x")
    def copy(self):
        return self.__class__(self.name)
class Leaf(Job):
    @classmethod
    def make(cls):
        return cls()
class Page(Job):
    def __init__(self):
        super().__init__("y")
    @classmethod
    def make(cls):
        return cls()
def other(cls):
    return cls("z")
"#,
        expect![[r#"
            job.py:6:16 call cls in Job.build, static enclosing_type
            job.py:8:21 call __class__ in Job.copy, static enclosing_type
            job.py:12:16 call cls in Leaf.make, static enclosing_type
            job.py:15:17 call __init__ in Page.__init__, static receiver_type
            4 uses in 1 file, 3 occurrences, 1 other, 3 renamed
        "#]],
    );
}

#[test]
fn kotlin_named_arguments_of_constructors_are_possible() {
    check_references(
        r#"
//- /a.kt
class Reply {
    construct$0or(code: Int = 200, body: String = "") {}
    constructor(other: Reply) {}
}
fun one() = Reply(1)
fun two() = Reply(body = "x")
fun three() = Reply(1, "y")
"#,
        expect![[r#"
            a.kt:5:13 call Reply in one, static scope
            a.kt:7:15 call Reply in three, static scope
            a.kt:6:13 call Reply in two, possible name_only
            3 uses in 1 file, 2 occurrences, 1 other, 3 renamed
        "#]],
    );
}
