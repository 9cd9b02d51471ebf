//! Settings with mistakes.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use codecompass_testkit::Answer;
use expect_test::expect;

use crate::bad_input::{PROGRAM, answered, refusal, refusal_of, workspace};

#[test]
fn settings_files_with_mistakes() {
    let workspace = workspace();
    let user = workspace.home().join("config.toml");
    let own = workspace.root().join(".codecompass/config.toml");
    fs::create_dir(own.parent().unwrap()).unwrap();
    let refused = |file: &Path| {
        let mut shown = String::new();
        for text in [
            "[index]\nthread = 2\n",
            "[idnex]\nthreads = 2\n",
            "threads = 2\n",
            "[index]\nthreads = 0\n",
            "[index]\nthreads = 100000\n",
            "[index]\nthreads = -3\n",
            "[index]\nthreads = \"2\"\n",
            "[index]\nthreads = 1.5\n",
            "[index\n",
            "\u{0}\u{1}",
        ] {
            fs::write(file, text).unwrap();
            shown += &format!("> {text:?}\n{}", without_list(&refusal(&workspace, &["search", "greet"])));
        }
        fs::write(file, b"\xff\xfe[index]").unwrap();
        shown += &format!("> not text\n{}", refusal(&workspace, &["search", "greet"]));
        fs::write(file, "[index]\nthreads = 2\nmax_line_bytes = 5000\n").unwrap();
        assert_eq!(answered(&workspace, &["search", "greet"]).code, Some(0));
        fs::remove_file(file).unwrap();
        shown
    };
    let of_user = refused(&user);
    expect![[r#"
        > "[index]\nthread = 2\n"
        invalid_input: HOME/config.toml: unknown setting `index.thread`
        help: did you mean `index.threads`?
        > "[idnex]\nthreads = 2\n"
        invalid_input: HOME/config.toml: unknown setting `idnex`
        help: did you mean `index`?
        > "threads = 2\n"
        invalid_input: HOME/config.toml: unknown setting `threads`
        help: known settings are …
        > "[index]\nthreads = 0\n"
        invalid_input: HOME/config.toml: index.threads is not a number from 1 to 256
        help: correct the value
        > "[index]\nthreads = 100000\n"
        invalid_input: HOME/config.toml: index.threads is not a number from 1 to 256
        help: correct the value
        > "[index]\nthreads = -3\n"
        invalid_input: HOME/config.toml: index.threads is not a number from 1 to 256
        help: correct the value
        > "[index]\nthreads = \"2\"\n"
        invalid_input: HOME/config.toml: index.threads is not a number from 1 to 256
        help: correct the value
        > "[index]\nthreads = 1.5\n"
        invalid_input: HOME/config.toml: index.threads is not a number from 1 to 256
        help: correct the value
        > "[index\n"
        invalid_input: HOME/config.toml: TOML parse error at line 1, column 7
          |
        1 | [index
          |       ^
        unclosed table, expected `]`

        help: mend the file, or remove it
        > "\0\u{1}"
        invalid_input: HOME/config.toml: TOML parse error at line 1, column 3
          |
        1 | 
          |   ^
        key with no value, expected `=`

        help: mend the file, or remove it
        > not text
        invalid_input: cannot read HOME/config.toml: stream did not contain valid UTF-8
        help: make the file readable, or remove it
    "#]]
    .assert_eq(&of_user);
    assert_eq!(refused(&own), of_user.replace("HOME/config.toml", "ROOT/.codecompass/config.toml"));
}

/// A refusal without the names of all settings.
fn without_list(refusal: &str) -> String {
    const LIST: &str = "known settings are ";
    match refusal.split_once(LIST) {
        Some((before, list)) if list.contains(", index.threads, ") => format!("{before}{LIST}…\n"),
        _ => refusal.to_string(),
    }
}

#[test]
fn settings_in_variables_with_mistakes() {
    let workspace = workspace();
    let asked = |value: &OsStr| {
        let mut command = workspace.command(PROGRAM, &["--json", "search", "greet"]);
        Answer::of(command.env("CODECOMPASS_INDEX_THREADS", value))
    };
    let mut shown = String::new();
    for value in ["0", "-1", "many", "", " ", "2.5", "99999999999999999999999"] {
        shown += &format!("> {value:?}\n{}", refusal_of(&workspace, asked(value.as_ref())));
    }
    expect![[r#"
        > "0"
        invalid_input: CODECOMPASS_INDEX_THREADS is not a number from 1 to 256
        help: correct the value
        > "-1"
        invalid_input: CODECOMPASS_INDEX_THREADS is not a number from 1 to 256
        help: correct the value
        > "many"
        invalid_input: CODECOMPASS_INDEX_THREADS is not a number from 1 to 256
        help: correct the value
        > ""
        invalid_input: CODECOMPASS_INDEX_THREADS is not a number from 1 to 256
        help: correct the value
        > " "
        invalid_input: CODECOMPASS_INDEX_THREADS is not a number from 1 to 256
        help: correct the value
        > "2.5"
        invalid_input: CODECOMPASS_INDEX_THREADS is not a number from 1 to 256
        help: correct the value
        > "99999999999999999999999"
        invalid_input: CODECOMPASS_INDEX_THREADS is not a number from 1 to 256
        help: correct the value
    "#]]
    .assert_eq(&shown);
    #[cfg(unix)]
    {
        let odd: &OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"\xff2");
        expect![[r#"
            invalid_input: CODECOMPASS_INDEX_THREADS is not a number from 1 to 256
            help: correct the value
        "#]]
        .assert_eq(&refusal_of(&workspace, asked(odd)));
    }
    asked(" 2 ".as_ref()).ended_with(0);
}
