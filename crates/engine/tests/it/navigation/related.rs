//! Definitions that belong together with one, and those that are like it.

use expect_test::expect;

use crate::navigation::check::Project;

/// A project in five languages: what is used often, or together, can only be told of more than a
/// few files.
const PROJECT: &str = include_str!("project.txt");

#[test]
fn function_with_tests_and_neighbours() {
    expect![[r#"
        test test_parse_order tests_it named_as_its_test
        test test_checkout tests_its_user
        used Order called_by_it near
        used_together shown common_users widely_used
        used_together Order.price common_users widely_used
        beside RushOrder near
        beside parse_return near
        beside checkout near
    "#]]
    .assert_eq(&Project::new(PROJECT).related("parse_order"));
}

#[test]
fn function_that_others_use_together_with_it() {
    expect![[r#"
        used_together Order.price common_users widely_used
        used_together Order common_users widely_used
        beside shown near
    "#]]
    .assert_eq(&Project::new(PROJECT).related("money.rounded"));
}

#[test]
fn class_with_a_test_file_named_after_it() {
    expect![[r#"
        test web/circle.test.ts tests_it named_as_its_test
        used Base used_by_it in_its_signature
        beside total near
    "#]]
    .assert_eq(&Project::new(PROJECT).related("Circle"));
}

#[test]
fn function_of_a_package() {
    expect![[r#"
        used_together store.File common_users widely_used
        used_together store.Reader common_users widely_used
        used_together store.Reader.Read common_users widely_used
        beside log.Dump near
    "#]]
    .assert_eq(&Project::new(PROJECT).related("log.Print"));
}

#[test]
fn copy_comes_before_what_is_only_alike() {
    expect![[r#"
        shop/orders.py:25 parse_return identical name_parts spelling body text parameter_count parameter_names kind size
        shop/orders.py:19 parse_order name_parts spelling body text parameter_count parameter_names kind size
    "#]]
    .assert_eq(&Project::new(PROJECT).similar("shop/copy.py:1"));
}

#[test]
fn functions_of_the_same_shape() {
    expect![[r#"
        shop/orders.py:25 parse_return name_parts spelling body text parameter_count parameter_names kind size
        shop/copy.py:1 parse_return name_parts spelling body text parameter_count parameter_names kind size
        tests/test_orders.py:4 test_parse_order name_parts spelling text kind size
    "#]]
    .assert_eq(&Project::new(PROJECT).similar("parse_order"));
}

#[test]
fn types_with_the_same_members() {
    expect![[r#"
        store/store.go:16 Half body kind size
    "#]]
    .assert_eq(&Project::new(PROJECT).similar("store.File"));
}
