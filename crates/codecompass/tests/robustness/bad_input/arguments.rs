//! Arguments with mistakes.

use expect_test::expect;

use crate::bad_input::{alike, answered, check_refused, check_usage, usage, workspace};

#[test]
fn flags_and_commands_that_do_not_exist() {
    let workspace = workspace();
    check_usage(
        &workspace,
        &["search", "x", "--frobnicate"],
        expect![[r#"
        invalid_input: unexpected argument '--frobnicate' found
        help: see `codecompass help`
    "#]],
    );
    check_usage(
        &workspace,
        &["frobnicate"],
        expect![[r#"
        invalid_input: unrecognized subcommand 'frobnicate'
        help: see `codecompass help`
    "#]],
    );
    check_usage(
        &workspace,
        &["search"],
        expect![[r#"
        invalid_input: the following required arguments were not provided: <QUERY>...
        help: see `codecompass help`
    "#]],
    );
}

#[test]
fn values_of_flags_that_do_not_exist() {
    let workspace = workspace();
    check_usage(
        &workspace,
        &["search", "x", "--detail=everything"],
        expect![[r#"
        invalid_input: invalid value 'everything' for '--detail <DETAIL>' [possible values: location, signature, context]
        help: see `codecompass help`
    "#]],
    );
    check_usage(
        &workspace,
        &["search", "x", "--explain=some"],
        expect![[r#"
        invalid_input: invalid value 'some' for '--explain[=<EXPLAIN>]' [possible values: off, basic, full]
        help: see `codecompass help`
    "#]],
    );
    check_usage(
        &workspace,
        &["outline", "x", "--depth=3"],
        expect![[r#"
        invalid_input: invalid value '3' for '--depth <DEPTH>' [possible values: top, all]
        help: see `codecompass help`
    "#]],
    );
    check_usage(
        &workspace,
        &["completions", "tcsh"],
        expect![[r#"
        invalid_input: invalid value 'tcsh' for '<SHELL>' [possible values: bash, elvish, fish, powershell, zsh]
        help: see `codecompass help`
    "#]],
    );
}

#[test]
fn limits_that_are_none() {
    let workspace = workspace();
    let limits = ["0", "-1", "1001", "many", "", "1e3", "99999999999999999999"];
    let refused = |command: &str| -> String {
        limits.iter().map(|limit| usage(&workspace, &[command, "x", &format!("--limit={limit}")])).collect()
    };
    expect![[r#"
            invalid_input: invalid value '0' for '--limit <LIMIT>': 0 is not in 1..=1000
            help: see `codecompass help`
            invalid_input: invalid value '-1' for '--limit <LIMIT>': -1 is not in 1..=1000
            help: see `codecompass help`
            invalid_input: invalid value '1001' for '--limit <LIMIT>': 1001 is not in 1..=1000
            help: see `codecompass help`
            invalid_input: invalid value 'many' for '--limit <LIMIT>': invalid digit found in string
            help: see `codecompass help`
            invalid_input: invalid value '' for '--limit <LIMIT>': cannot parse integer from empty string
            help: see `codecompass help`
            invalid_input: invalid value '1e3' for '--limit <LIMIT>': invalid digit found in string
            help: see `codecompass help`
            invalid_input: invalid value '99999999999999999999' for '--limit <LIMIT>': number too large to fit in target type
            help: see `codecompass help`
        "#]]
    .assert_eq(&alike(["search", "locate"].map(refused)));
}

#[test]
fn filters_that_name_nothing() {
    let workspace = workspace();
    check_refused(
        &workspace,
        &["search", "x", "--lang", "cobol"],
        expect![[r#"
        invalid_input: unknown language `cobol`
        help: known languages are bash, c, cpp, csharp, dart, elixir, go, gomod, haskell, hcl, java, javascript, json, kotlin, lua, markdown, php, protobuf, python, ruby, rust, scala, sql, swift, toml, tsx, typescript, yaml, zig, text
    "#]],
    );
    check_refused(
        &workspace,
        &["locate", "x", "--kind", "klass"],
        expect![[r#"
        invalid_input: unknown kind `klass`
        help: known kinds are module, class, struct, union, object, interface, trait, enum, variant, type, impl, function, method, constructor, component, macro, field, property, event, constant, variable, table, view, index, trigger, block, heading, key, text, file
    "#]],
    );
    check_refused(
        &workspace,
        &["search", "x", "--path", "src/[a"],
        expect![[r#"
        invalid_input: error parsing glob 'src/[a': unclosed character class; missing ']'
        help: see `codecompass help`
    "#]],
    );
    assert_eq!(answered(&workspace, &["search", "greet", "--lang", "RUST"]).code, Some(0));
}
