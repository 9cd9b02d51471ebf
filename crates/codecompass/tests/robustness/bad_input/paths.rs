//! Paths that lead out of the workspace.

use std::fs;

use expect_test::expect;

#[cfg(unix)]
use crate::bad_input::check_refused;
use crate::bad_input::{alike, answered, refusal, shown, workspace};

#[test]
fn paths_outside_the_workspace() {
    let workspace = workspace();
    fs::write(workspace.beside("secret.py"), "def secret():\n    pass\n").unwrap();
    fs::create_dir(workspace.beside("outside")).unwrap();
    fs::write(workspace.beside("outside/inner.py"), "def secret_inside():\n    pass\n").unwrap();
    #[cfg_attr(not(unix), expect(unused_mut, reason = "links are made on Unix only"))]
    let mut paths = vec!["../secret.py", "../x", "/etc/passwd", "src/../../secret.py", "../workspace/../secret.py"];
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(workspace.beside("secret.py"), workspace.root().join("link.py")).unwrap();
        symlink(workspace.beside("outside"), workspace.root().join("linked")).unwrap();
        symlink(".", workspace.root().join("loop")).unwrap();
        paths.extend(["link.py", "linked/inner.py"]);
    }
    let refused = |path: &str| {
        let remedy = "give a path below the workspace root, or another --workspace";
        format!("workspace_not_allowed: {path} is outside the workspace\nhelp: {remedy}\n")
    };
    for path in paths {
        assert_eq!(refusal(&workspace, &["outline", path]), refused(path));
    }
    for path in ["../secret.py", "link.py", "linked/inner.py", "/etc/passwd"] {
        for command in ["show", "locate", "refs", "calls", "trace", "impact"] {
            assert_eq!(refusal(&workspace, &[command, &format!("{path}:1")]), refused(path), "{command}");
        }
        assert_eq!(refusal(&workspace, &["locate", "--at", &format!("{path}:1:1")]), refused(path));
    }
    for words in ["secret", "secret_inside", "root:x:0:0"] {
        let found = answered(&workspace, &["search", words, "--limit", "100"]).stdout;
        assert!(!found.contains("def secret") && !found.contains("link"), "{found}");
    }
}

#[test]
fn paths_that_only_look_as_if_they_led_outside() {
    let workspace = workspace();
    let absolute = workspace.root().join("src/lib.rs");
    let paths = ["./src/../src/lib.rs", absolute.to_str().unwrap()];
    expect![[r#"
        src/lib.rs rust, 4 lines
             2  pub fn greet(name: &str) -> String
    "#]]
    .assert_eq(&alike(paths.map(|path| shown(&workspace, &["outline", path]))));
}

#[cfg(unix)]
#[test]
fn settings_outside_the_workspace_are_not_read() {
    let workspace = workspace();
    fs::write(workspace.beside("secret.toml"), "password = \"hunter2\"\n").unwrap();
    fs::create_dir(workspace.root().join(".codecompass")).unwrap();
    let link = workspace.root().join(".codecompass/config.toml");
    std::os::unix::fs::symlink(workspace.beside("secret.toml"), link).unwrap();
    check_refused(
        &workspace,
        &["search", "greet"],
        expect![[r#"
        invalid_input: ROOT/.codecompass/config.toml leads out of the workspace
        help: replace the link by a file, or remove it
    "#]],
    );
}
