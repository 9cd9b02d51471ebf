//! Refs, symbols, files and places that do not exist.

use expect_test::expect;

use crate::bad_input::{ABOUT_A_SYMBOL, alike, check, check_refused, refusal, refusals, workspace};

#[test]
fn unknown_ref() {
    let workspace = workspace();
    let commands = [
        &["search", "greet", "--ref", "nowhere"][..],
        &["context", "greet", "--ref", "nowhere"],
        &["locate", "greet", "--ref", "nowhere"],
        &["locate", "--at", "src/lib.rs:1:1", "--ref", "nowhere"],
        &["show", "greet", "--ref", "nowhere"],
        &["refs", "greet", "--ref", "nowhere"],
        &["calls", "greet", "--ref", "nowhere"],
        &["trace", "greet", "--ref", "nowhere"],
        &["impact", "greet", "--ref", "nowhere"],
        &["impact", "--diff", "nowhere"],
        &["outline", "src/lib.rs", "--ref", "nowhere"],
    ];
    expect![[r#"
        ref_not_indexed: no branch, tag or commit `nowhere`: this repository does not have it
        help: `codecompass branches` lists what there is; a shallow or partial clone may lack old commits
    "#]]
    .assert_eq(&alike(commands.map(|args| refusal(&workspace, args))));
}

#[test]
fn ref_with_a_typo() {
    check_refused(
        &workspace(),
        &["search", "greet", "--ref", "mai"],
        expect![[r#"
        ref_not_indexed: no branch, tag or commit `mai`: this repository does not have it
        help: did you mean `main`?
    "#]],
    );
}

#[test]
fn ref_that_is_none() {
    expect![[r#"
            > 
            ref_not_indexed: no branch, tag or commit ``: this repository does not have it
            help: `codecompass branches` lists what there is; a shallow or partial clone may lack old commits
            >  
            ref_not_indexed: no branch, tag or commit ` `: this repository does not have it
            help: `codecompass branches` lists what there is; a shallow or partial clone may lack old commits
            > main:src
            ref_not_indexed: no branch, tag or commit `main:src`: it names no commit
            help: did you mean `main`?
            > HEAD:src/lib.rs
            ref_not_indexed: no branch, tag or commit `HEAD:src/lib.rs`: it names no commit
            help: `codecompass branches` lists what there is; a shallow or partial clone may lack old commits
            > main..main
            ref_not_indexed: no branch, tag or commit `main..main`: this repository does not have it
            help: did you mean `main`?
            > ^main
            ref_not_indexed: no branch, tag or commit `^main`: it leads to nothing in this repository
            help: `codecompass branches` lists what there is; a shallow or partial clone may lack old commits
            > @{-9}
            ref_not_indexed: no branch, tag or commit `@{-9}`: it leads to nothing in this repository
            help: `codecompass branches` lists what there is; a shallow or partial clone may lack old commits
            > HEAD~999
            ref_not_indexed: no branch, tag or commit `HEAD~999`: it leads to nothing in this repository
            help: `codecompass branches` lists what there is; a shallow or partial clone may lack old commits
            > --help
            ref_not_indexed: no branch, tag or commit `--help`: this repository does not have it
            help: `codecompass branches` lists what there is; a shallow or partial clone may lack old commits
        "#]]
    .assert_eq(&refusals(
        &workspace(),
        &["search", "greet", "--ref={}"],
        &["", " ", "main:src", "HEAD:src/lib.rs", "main..main", "^main", "@{-9}", "HEAD~999", "--help"],
    ));
}

#[test]
fn unknown_symbol() {
    let workspace = workspace();
    let words = ["gret", "entirely_else", "0123456789ab.7"];
    expect![[r#"
            > gret
            symbol_not_found: no symbol `gret`
            help: did you mean `greet`?
            > entirely_else
            symbol_not_found: no symbol `entirely_else`
            help: check the spelling, or describe it in words with `codecompass search`
            > 0123456789ab.7
            symbol_not_found: no symbol `0123456789ab.7`
            help: check the spelling, or describe it in words with `codecompass search`
        "#]]
    .assert_eq(&alike(ABOUT_A_SYMBOL.map(|command| refusals(&workspace, &[command, "{}"], &words))));
    check_refused(
        &workspace,
        &["trace", "--from", "gret", "greet"],
        expect![[r#"
        symbol_not_found: no symbol `gret`
        help: did you mean `greet`?
    "#]],
    );
    check(
        &workspace,
        &["locate", "entirely_else"],
        expect![[r#"
        no symbol like `entirely_else`; `codecompass search entirely_else` finds code by what it does, `codecompass grep -F entirely_else` by its text
        --- exit code 1
    "#]],
    );
    check(
        &workspace,
        &["search", "zzzqqqxxx"],
        expect![[r#"
            nothing found for "zzzqqqxxx"
            no definition has this name; say in words what the code does: `codecompass search "parse a date"`
            --- exit code 1
        "#]],
    );
}

#[test]
fn unknown_place() {
    let workspace = workspace();
    let words = ["src/gone.rs:1:1", "src/lib.rs:999", "src/lib.rs:999:1", "src/lib.rs:0:0", "src/lib.rs:4294967296:1"];
    expect![[r#"
                > src/gone.rs:1:1
                file_not_found: no indexed file src/gone.rs
                help: give a path below the workspace root; `codecompass index --show-ignored` lists what is skipped, and why
                > src/lib.rs:999
                symbol_not_found: src/lib.rs has only 4 lines: no definition stands at src/lib.rs:999
                help: `codecompass outline` lists what a file defines, `codecompass locate --at` says what a name means; path:line without a column means the definition around it
                > src/lib.rs:999:1
                symbol_not_found: no definition stands at src/lib.rs:999:1
                help: `codecompass outline` lists what a file defines, `codecompass locate --at` says what a name means; path:line without a column means the definition around it
                > src/lib.rs:0:0
                symbol_not_found: no definition stands at src/lib.rs:0:0
                help: `codecompass outline` lists what a file defines, `codecompass locate --at` says what a name means; path:line without a column means the definition around it
                > src/lib.rs:4294967296:1
                symbol_not_found: no definition stands at src/lib.rs:4294967295:1
                help: `codecompass outline` lists what a file defines, `codecompass locate --at` says what a name means; path:line without a column means the definition around it
            "#]]
    .assert_eq(&alike(ABOUT_A_SYMBOL.map(|command| refusals(&workspace, &[command, "{}"], &words))));
    check_refused(
        &workspace,
        &["locate", "src/gone.rs:1"],
        expect![[r#"
        file_not_found: no indexed file src/gone.rs
        help: give a path below the workspace root; `codecompass index --show-ignored` lists what is skipped, and why
    "#]],
    );
}

#[test]
fn unknown_file() {
    expect![[r#"
        > src/util.py
        file_not_found: no indexed file src/util.py
        help: did you mean `src/deep/util.py`?
        > srcs
        file_not_found: no indexed file srcs
        help: did you mean `src`?
        > src/lib.rs/more
        file_not_found: no indexed file src/lib.rs/more
        help: give a path below the workspace root; `codecompass index --show-ignored` lists what is skipped, and why
    "#]]
    .assert_eq(&refusals(&workspace(), &["outline", "{}"], &["src/util.py", "srcs", "src/lib.rs/more"]));
}

#[test]
fn place_that_is_none() {
    let workspace = workspace();
    expect![[r#"
            > 
            invalid_input: `` is no place
            help: give PATH:LINE:COLUMN, such as src/app.py:12:8; `codecompass locate PATH:LINE` needs no column
            > src/lib.rs
            invalid_input: `src/lib.rs` is no place
            help: give PATH:LINE:COLUMN, such as src/app.py:12:8; `codecompass locate PATH:LINE` needs no column
            > src/lib.rs:1
            invalid_input: `src/lib.rs:1` is no place
            help: give PATH:LINE:COLUMN, such as src/app.py:12:8; `codecompass locate PATH:LINE` needs no column
            > src/lib.rs:x:1
            invalid_input: `src/lib.rs:x:1` is no place
            help: give PATH:LINE:COLUMN, such as src/app.py:12:8; `codecompass locate PATH:LINE` needs no column
            > src/lib.rs:0:1
            invalid_input: src/lib.rs:0:1 is no place: src/lib.rs has 4 lines, both count from 1
            help: see `codecompass help`
            > src/lib.rs:1:0
            invalid_input: src/lib.rs:1:0 is no place: src/lib.rs has 4 lines, both count from 1
            help: see `codecompass help`
            > src/lib.rs:999:1
            invalid_input: src/lib.rs:999:1 is no place: src/lib.rs has 4 lines, both count from 1
            help: see `codecompass help`
        "#]]
    .assert_eq(&refusals(
        &workspace,
        &["locate", "--at", "{}"],
        &["", "src/lib.rs", "src/lib.rs:1", "src/lib.rs:x:1", "src/lib.rs:0:1", "src/lib.rs:1:0", "src/lib.rs:999:1"],
    ));
    check(
        &workspace,
        &["locate", "--at", "src/lib.rs:1:4294967295"],
        expect![[r#"
        no name stands at src/lib.rs:1:4294967295
        --- exit code 1
    "#]],
    );
}
