//! Calls of functions beside variables that have their names.

use expect_test::expect;

use crate::navigation::check::check_references;

#[test]
fn kotlin_variables_that_may_hold_a_function() {
    check_references(
        r#"
//- /a.kt
package demo
fun do$0ne(x: Int): Int = x
fun each(all: List<(Int) -> Int>) {
    all.forEach { done -> done(1) }
    all.forEach { done: (Int) -> Int -> done(2) }
    for (done in all) { done(3) }
}
fun parts(all: List<(Int) -> Int>) {
    val (done, other) = all
    done(4)
    other(5)
}
fun typed(all: List<(Int) -> Int>) {
    val done: (Int) -> Int = all.first()
    done(6)
}
fun value() {
    val done = { x: Int -> x }
    done(7)
}
fun result() {
    val done = done(8)
    println(done)
    done(9)
}
"#,
        expect![[r#"
            a.kt:22:16 call done in demo.result, static scope
            a.kt:24:5 call done in demo.result, static scope
            2 uses in 1 file, 17 occurrences, 14 other
        "#]],
    );
}

#[test]
fn php_variables_have_names_of_their_own() {
    check_references(
        r#"
//- /a.php
<?php
function sl$0ug($x) { return $x; }
function f($all) {
    $slug = slug($all);
    echo $slug;
    foreach ($all as $slug) {
        echo slug($slug);
    }
    $slug(1);
}
function g($slug) {
    return slug($slug);
}
"#,
        expect![[r#"
            a.php:4:13 call slug in f, static scope
            a.php:7:14 call slug in f, static scope
            a.php:12:12 call slug in g, static scope
            3 uses in 1 file, 11 occurrences, 7 other
        "#]],
    );
}
