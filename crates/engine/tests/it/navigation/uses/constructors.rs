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
