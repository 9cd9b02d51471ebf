//! Installing into the settings of agents, in a clean home: every agent and scope, there and back,
//! and everything that can be in the way.

use std::fs;
use std::path::{Path, PathBuf};

#[cfg(unix)]
use codecompass_testkit::permissions_are_enforced;
use codecompass_testkit::{Answer, TestWorkspace};
use expect_test::{Expect, expect};
use serde_json::Value;

use super::PROGRAM;

/// A workspace and a user who has nothing.
struct User {
    workspace: TestWorkspace,
}

impl User {
    fn new() -> User {
        let user = User { workspace: TestWorkspace::git("//- /a.py\npass\n") };
        fs::create_dir(user.home()).unwrap();
        user
    }

    fn home(&self) -> PathBuf {
        self.workspace.beside("ann")
    }

    fn run_with(&self, args: &[&str], variables: &[(&str, &Path)]) -> Answer {
        let mut command = self.workspace.command(PROGRAM, args);
        command.env("HOME", self.home()).env("PATH", "").env("APPDATA", self.home().join(".config"));
        command.envs(variables.iter().copied());
        Answer::of(&mut command)
    }

    fn run(&self, args: &[&str]) -> Answer {
        self.run_with(args, &[])
    }

    /// Runs with `--json`, and gives the rows.
    #[track_caller]
    fn rows(&self, args: &[&str]) -> Vec<Value> {
        let answer = self.run(&[args, &["--json"]].concat()).ended_with(0);
        let value: Value = serde_json::from_str(&answer.stdout).unwrap();
        value["results"].as_array().unwrap().clone()
    }

    /// Runs with `--json`, and returns the actions that the rows report.
    #[track_caller]
    fn actions(&self, args: &[&str]) -> Vec<String> {
        self.rows(args).iter().map(|row| row["action"].as_str().unwrap().to_string()).collect()
    }

    fn file(&self, scope: &str, path: &str) -> PathBuf {
        if scope == "user" { self.home().join(path) } else { self.workspace.root().join(path) }
    }

    fn write(&self, file: &Path, text: &str) {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// All files below the home and the root, without git's own.
    fn everything(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut folders = vec![self.home(), self.workspace.root()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true if path.ends_with(".git") => {}
                    true => {
                        found.push((path.clone(), Vec::new()));
                        folders.push(path);
                    }
                    false => found.push((path.clone(), fs::read(&path).unwrap())),
                }
            }
        }
        found.sort();
        found
    }

    #[track_caller]
    fn shown(&self, args: &[&str], expected: Expect) {
        let home = self.home().display().to_string();
        let program = dunce::canonicalize(PROGRAM).unwrap().display().to_string();
        let shown = self.run(args).shown(&self.workspace).replace(&home, "ANN").replace(&program, "PROGRAM");
        expected.assert_eq(&shown);
    }
}

const APPLICATIONS: &str = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };

/// Agent, scope, file, and a file as its users have it.
fn rows() -> Vec<(&'static str, &'static str, String, &'static str)> {
    let claude = "{\n  \"numStartups\": 41,\n  \"tipsHistory\": {\n    \"new-user-warmup\": 1\n  },\n  \"mcpServers\": {},\n  \"projects\": {\n    \"/x\": {\n      \"allowedTools\": []\n    }\n  }\n}";
    let servers = "{\n  \"mcpServers\": {\n    \"git\": {\n      \"command\": \"uvx\",\n      \"args\": [\n        \"mcp-server-git\"\n      ]\n    }\n  }\n}\n";
    let codex = "model = \"gpt-5\"  # best\napproval_policy = 'on-request'\n\n[mcp_servers.docs]\ncommand = \"npx\"\nargs = [\"-y\", \"docs\"]\n\n[projects.\"/home/ann/x\"]\ntrust_level = \"trusted\"\n";
    let vscode = "{\r\n\t// servers of the team\r\n\t\"servers\": {\r\n\t\t\"github\": {\r\n\t\t\t\"type\": \"http\",\r\n\t\t\t\"url\": \"https://example.org/mcp\",\r\n\t\t},\r\n\t},\r\n\t\"inputs\": [],\r\n}\r\n";
    let opencode = "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  // cheap\n  \"model\": \"x/y\",\n}\n";
    let gemini = "{\"theme\":\"Dracula\",\"mcpServers\":{\"git\":{\"command\":\"uvx\"}}}";
    let zed = "// Zed settings\n//\n// For information, see the docs.\n{\n  \"ui_font_size\": 16, // big\n  \"theme\": {\n    \"mode\": \"system\",\n  },\n}\n";
    let row = |agent, scope, file: &str, text| (agent, scope, file.to_string(), text);
    vec![
        row("claude-code", "user", ".claude.json", claude),
        row("claude-code", "project", ".mcp.json", servers),
        row("cursor", "user", ".cursor/mcp.json", servers),
        row("cursor", "project", ".cursor/mcp.json", servers),
        row("codex", "user", ".codex/config.toml", codex),
        row("codex", "project", ".codex/config.toml", codex),
        ("vscode", "user", format!("{APPLICATIONS}/Code/User/mcp.json"), vscode),
        row("vscode", "project", ".vscode/mcp.json", vscode),
        row("copilot-cli", "user", ".copilot/mcp-config.json", "\u{feff}{\n    \"mcpServers\": {\n    }\n}\n"),
        row("opencode", "user", ".config/opencode/opencode.jsonc", opencode),
        row("opencode", "user", ".config/opencode/opencode.json", "{}"),
        row("opencode", "project", "opencode.json", "{\n  \"mcp\": {\n    \"servers\": {\n    }\n  }\n}\n"),
        row("gemini-cli", "user", ".gemini/settings.json", gemini),
        row("gemini-cli", "project", ".gemini/settings.json", gemini),
        row("windsurf", "user", ".codeium/windsurf/mcp_config.json", ""),
        row("zed", "user", ".config/zed/settings.json", zed),
        row("zed", "project", ".zed/settings.json", zed),
    ]
}

#[test]
fn every_agent_there_and_back_with_a_file_that_exists() {
    for (agent, scope, file, text) in rows() {
        let user = User::new();
        let file = user.file(scope, &file);
        user.write(&file, text);
        let before = user.everything();
        let install = ["install", "--agent", agent, "--scope", scope];
        let rows = user.rows(&install);
        assert_eq!(rows[0]["action"], "updated", "{agent} {scope}");
        assert_eq!(rows[0]["file"], file.to_str().unwrap());
        let with = fs::read_to_string(&file).unwrap();
        assert!(with.contains("serve-mcp") && with.contains("codecompass"), "{with}");
        assert_eq!(scope == "user", with.contains(Path::new(PROGRAM).parent().unwrap().to_str().unwrap()), "{with}");
        assert_eq!(user.actions(&install), ["unchanged"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), with);
        assert_eq!(user.actions(&["uninstall", "--agent", agent, "--scope", scope]), ["removed"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "{agent} {scope}");
        assert_eq!(user.everything(), before);
        assert_eq!(user.actions(&["uninstall", "--agent", agent, "--scope", scope]), ["unchanged"]);
    }
}

#[test]
fn every_agent_there_and_back_without_a_file() {
    for (agent, scope, file, _) in rows().into_iter().filter(|row| !row.2.ends_with(".jsonc")) {
        let user = User::new();
        let before = user.everything();
        let install = ["install", "--agent", agent, "--scope", scope, "--instructions", "--quiet"];
        let rows = user.rows(&install);
        assert!(rows.iter().all(|row| row["action"] == "created"), "{rows:?}");
        assert!(user.file(scope, &file).exists(), "{agent} {scope}");
        assert!(user.actions(&install).iter().all(|action| action == "unchanged"));
        let rows = user.rows(&["uninstall", "--scope", scope, "--yes", "--instructions"]);
        assert!(rows.iter().all(|row| row["action"] == "removed"), "{rows:?}");
        assert_eq!(user.everything(), before, "{agent} {scope}");
        assert_eq!(user.run(&["uninstall", "--scope", scope]).ended_with(1).stdout, "nothing is installed\n");
    }
}

#[test]
fn a_file_that_changed_since_loses_only_the_entry() {
    let user = User::new();
    let file = user.home().join(".claude.json");
    user.write(&file, "{\"a\": 1}");
    user.actions(&["install", "--agent", "claude-code"]);
    // Its owner writes it in its own way.
    let value: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    user.write(&file, &format!("{value:#}\n"));
    assert_eq!(user.actions(&["install", "--agent", "claude-code"]), ["unchanged"]);
    user.actions(&["uninstall", "--yes"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\n  \"a\": 1\n}\n");
    // Without the receipt, as after a clone of a repository that has the file, the table stays.
    let file = user.workspace.root().join(".mcp.json");
    user.write(&file, "{\n  \"a\": 1\n}\n");
    user.actions(&["install", "--agent", "claude-code", "--scope", "project"]);
    fs::remove_dir_all(user.workspace.home().join("installs")).unwrap();
    user.actions(&["uninstall", "--yes", "--scope", "project"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\n  \"a\": 1,\n  \"mcpServers\": {}\n}\n");
    // If nothing else is in the file, it goes.
    fs::remove_file(&file).unwrap();
    user.actions(&["install", "--agent", "claude-code", "--scope", "project"]);
    fs::remove_dir_all(user.workspace.home().join("installs")).unwrap();
    user.actions(&["uninstall", "--yes", "--scope", "project"]);
    assert!(!file.exists());
}

#[test]
fn an_old_entry_is_updated_and_a_foreign_one_refused() {
    let user = User::new();
    let file = user.home().join(".cursor/mcp.json");
    let old = "{\"mcpServers\": {\"codecompass\": {\"command\": \"/old/codecompass\", \"args\": [\"serve-mcp\", \"--tools\", \"all\"], \"env\": {\"A\": \"b\"}}}}";
    user.write(&file, old);
    assert_eq!(user.actions(&["install", "--agent", "cursor"]), ["updated"]);
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        !text.contains("/old/") && text.contains("\"--tools\", \"all\"") && text.contains("\"env\": {\"A\": \"b\"}"),
        "{text}"
    );
    assert_eq!(user.actions(&["install", "--agent", "cursor"]), ["unchanged"]);
    user.actions(&["uninstall", "--agent", "cursor"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"mcpServers\": {}}");

    let foreign = "{\"mcpServers\": {\"codecompass\": {\"command\": \"npx\", \"args\": [\"other\"]}}}";
    user.write(&file, foreign);
    user.shown(
        &["install", "--yes"],
        expect![[r#"
            --- stderr
            error: ANN/.cursor/mcp.json has an entry `codecompass` that is not CodeCompass's
            help: rename or remove that entry, or give --force to replace it; nothing was written
            --- exit code 2
        "#]],
    );
    assert_eq!(user.actions(&["uninstall", "--agent", "cursor"]), ["unchanged"]);
    assert_eq!(user.actions(&["install", "--agent", "cursor", "--force"]), ["updated"]);
    assert_eq!(user.actions(&["uninstall", "--agent", "cursor"]), ["removed"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), foreign);
}

#[test]
fn without_a_terminal_nothing_is_written() {
    let user = User::new();
    user.shown(
        &["install"],
        expect![[r#"
            found no coding agent; name one with --agent, or see --agent generic for the entry
            --- exit code 1
        "#]],
    );
    fs::create_dir_all(user.home().join(".cursor")).unwrap();
    fs::create_dir_all(user.home().join(".codex")).unwrap();
    let before = user.everything();
    user.shown(
        &["install"],
        expect![[r#"
            would create  Cursor  ANN/.cursor/mcp.json
            would create  Codex   ANN/.codex/config.toml
            --- stderr
            error: nothing was written: there is no terminal to ask on
            help: give --yes to go on without asking, --agent to name agents, or --print to see the differences
            --- exit code 2
        "#]],
    );
    user.shown(
        &["install", "--print", "--scope", "project", "--agent", "codex", "--agent", "opencode", "--instructions"],
        expect![[r#"
            would create  Codex     ROOT/.codex/config.toml
            entry {"args":["serve-mcp"],"command":"codecompass"}
            --- /dev/null
            +++ ROOT/.codex/config.toml
            @@ -0,0 +1,3 @@
            +[mcp_servers.codecompass]
            +command = "codecompass"
            +args = ["serve-mcp"]

            would create  Codex     ROOT/AGENTS.md
            --- /dev/null
            +++ ROOT/AGENTS.md
            @@ -0,0 +1,16 @@
            +<!-- codecompass:start -->
            +## CodeCompass
            +
            +Questions about this code are answered by the MCP server `codecompass`, from an index that follows every edit and branch.
            +Ask it before you search with grep or read whole files:
            +
            +- Code for a task or a question in words: `get_code_context` (give it a token budget) or `search_code`.
            +- Where a name is defined, and its source: `locate_symbol`, `get_symbol`.
            +- What is in a file: `get_file_outline`; lines of files and definitions: `read_file`.
            +- Who uses or calls a symbol, and what it calls: `find_references`, `get_call_graph`, `trace_path`.
            +- What a change may affect, before you make it: `analyze_impact`.
            +- What this branch changed, in symbols: `diff_context`.
            +- Several of these questions in one call: `ask_many`.
            +
            +Answers name `path:line` and say how sure they are. For plain text that no symbol carries, grep is fine.
            +<!-- codecompass:end -->

            would create  OpenCode  ROOT/opencode.json
            entry {"command":["codecompass","serve-mcp"],"type":"local"}
            --- /dev/null
            +++ ROOT/opencode.json
            @@ -0,0 +1,8 @@
            +{
            +  "mcp": {
            +    "codecompass": {
            +      "type": "local",
            +      "command": ["codecompass", "serve-mcp"]
            +    }
            +  }
            +}

            would create  OpenCode  ROOT/AGENTS.md

        "#]],
    );
    assert_eq!(user.everything(), before);
    user.shown(
        &["install", "--yes"],
        expect![[r#"
        created       Cursor  ANN/.cursor/mcp.json
        created       Codex   ANN/.codex/config.toml
        agents that run already read their settings when they start again
    "#]],
    );
    user.shown(
        &["install", "--agent", "generic"],
        expect![[r#"
            {
              "mcpServers": {
                "codecompass": {
                  "command": "PROGRAM",
                  "args": ["serve-mcp"]
                }
              }
            }
        "#]],
    );
    user.shown(&["install", "--agent", "generic", "--scope", "project", "--json"], expect![[r#"
        {"results":[{"action":"printed","agent":"generic","entry":{"args":["serve-mcp"],"command":"codecompass"},"file":null,"scope":"project"}]}
    "#]]);
}

#[test]
fn broken_files_are_left_alone() {
    let user = User::new();
    let file = user.home().join(".gemini/settings.json");
    user.write(&file, "{\n  \"theme\": \"x\",\n  \"mcpServers\" {}\n}\n");
    user.write(&user.home().join(".cursor/mcp.json"), "{}");
    let before = user.everything();
    user.shown(
        &["install", "--yes"],
        expect![[r#"
        --- stderr
        error: ANN/.gemini/settings.json: line 3: Expected colon after the string or word in object property
        help: mend the file, or leave this agent out with --agent; it was left as it is
        --- exit code 2
    "#]],
    );
    user.write(&file, "{\"mcpServers\": []}");
    user.shown(
        &["install", "--agent", "gemini-cli"],
        expect![[r#"
        --- stderr
        error: ANN/.gemini/settings.json: line 1: `mcpServers` is not an object
        help: mend the file, or leave this agent out with --agent; it was left as it is
        --- exit code 2
    "#]],
    );
    fs::write(&file, b"{\n\"a\": \"\xff\"}").unwrap();
    user.shown(
        &["install", "--agent", "gemini-cli"],
        expect![[r#"
        --- stderr
        error: ANN/.gemini/settings.json: line 2: not UTF-8
        help: save the file as UTF-8; it was left as it is
        --- exit code 2
    "#]],
    );
    fs::write(&file, "{\n  \"theme\": \"x\",\n  \"mcpServers\" {}\n}\n").unwrap();
    assert_eq!(user.everything(), before);
    user.shown(
        &["install", "--agent", "windsurf", "--scope", "project"],
        expect![[r#"
        --- stderr
        error: Windsurf has no settings of its own for a project
        help: use --scope user
        --- exit code 2
    "#]],
    );
    user.shown(
        &["install", "--agent", "copilot-cli", "--scope", "project"],
        expect![[r#"
        --- stderr
        error: Copilot CLI has no settings of its own for a project
        help: it also reads .mcp.json, which --agent claude-code --scope project writes
        --- exit code 2
    "#]],
    );
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    user.shown(
        &["install", "--agent", "gemini-cli"],
        expect![[r#"
        --- stderr
        error: ANN/.gemini/settings.json is not a file
        help: move it away, or leave this agent out with --agent
        --- exit code 2
    "#]],
    );
}

#[test]
fn variables_move_settings() {
    let user = User::new();
    let elsewhere = user.workspace.beside("elsewhere");
    let run = |agent: &str, variable: &str| {
        let args = ["install", "--agent", agent, "--instructions", "--quiet"];
        user.run_with(&args, &[(variable, &elsewhere)]).ended_with(0);
    };
    run("codex", "CODEX_HOME");
    run("claude-code", "CLAUDE_CONFIG_DIR");
    run("copilot-cli", "COPILOT_HOME");
    run("gemini-cli", "GEMINI_CLI_HOME");
    run("opencode", "XDG_CONFIG_HOME");
    for file in [
        "config.toml",
        "AGENTS.md",
        ".claude.json",
        "CLAUDE.md",
        "mcp-config.json",
        ".gemini/settings.json",
        "opencode/opencode.json",
    ] {
        assert!(elsewhere.join(file).is_file(), "{file}");
    }
    assert_eq!(fs::read_dir(user.home()).unwrap().count(), 0);
}

#[test]
fn a_program_in_the_search_path_is_called_by_its_name() {
    let user = User::new();
    let folder = Path::new(PROGRAM).parent().unwrap();
    user.run_with(&["install", "--agent", "cursor"], &[("PATH", folder)]).ended_with(0);
    let text = fs::read_to_string(user.home().join(".cursor/mcp.json")).unwrap();
    assert!(text.contains("\"command\": \"codecompass\""), "{text}");
}

#[test]
fn instructions_come_and_go_with_their_block() {
    let user = User::new();
    let root = user.workspace.root();
    user.write(&root.join("AGENTS.md"), "# Rules\n\nBe kind.");
    user.write(&root.join("GEMINI.md"), "# Gemini\r\n");
    let before = user.everything();
    let all = ["--agent", "codex", "--agent", "zed", "--agent", "gemini-cli", "--scope", "project"];
    user.actions(&[&["install"], &all[..]].concat());
    assert_eq!(fs::read_to_string(root.join("AGENTS.md")).unwrap(), "# Rules\n\nBe kind.");
    let install = [&["install", "--instructions"], &all[..]].concat();
    assert_eq!(user.actions(&install), ["unchanged", "updated", "unchanged", "updated", "unchanged", "updated"]);
    let text = fs::read_to_string(root.join("AGENTS.md")).unwrap();
    assert!(text.starts_with("# Rules\n\nBe kind.\n\n<!-- codecompass:start -->\n"), "{text}");
    assert!(text.ends_with("\n<!-- codecompass:end -->\n"), "{text}");
    assert!(user.actions(&install).iter().all(|action| action == "unchanged"));
    user.actions(&[&["uninstall"], &all[..]].concat());
    assert_eq!(fs::read_to_string(root.join("AGENTS.md")).unwrap(), text, "only when asked for");
    user.actions(&[&["uninstall", "--instructions"], &all[..]].concat());
    assert_eq!(user.everything(), before);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn links_of_the_home_are_followed_inside_it() {
        let user = User::new();
        let real = user.home().join("dotfiles/claude");
        user.write(&real, "{}");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, user.home().join(".claude.json")).unwrap();
        user.actions(&["install", "--agent", "claude-code"]);
        assert!(user.home().join(".claude.json").is_symlink());
        assert!(fs::read_to_string(&real).unwrap().contains("serve-mcp"));
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        user.actions(&["uninstall", "--agent", "claude-code"]);
        assert_eq!(fs::read_to_string(&real).unwrap(), "{}");
        assert!(user.home().join(".claude.json").is_symlink());

        let outside = user.workspace.beside("outside");
        fs::write(&outside, "{}").unwrap();
        fs::create_dir(user.home().join(".cursor")).unwrap();
        symlink(&outside, user.home().join(".cursor/mcp.json")).unwrap();
        user.run(&["install", "--agent", "cursor"]).ended_with(2);
        fs::remove_file(&outside).unwrap();
        user.run(&["install", "--agent", "cursor"]).ended_with(2);
        assert!(!outside.exists());
    }

    #[test]
    fn links_of_a_repository_do_not_lead_out_of_it() {
        let user = User::new();
        let root = user.workspace.root();
        let outside = user.workspace.beside("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("mcp.json"), "{}").unwrap();
        symlink(&outside, root.join(".vscode")).unwrap();
        symlink(outside.join("mcp.json"), root.join(".mcp.json")).unwrap();
        user.run(&["install", "--agent", "vscode", "--scope", "project"]).ended_with(2);
        user.run(&["install", "--agent", "claude-code", "--scope", "project"]).ended_with(2);
        assert_eq!(fs::read_to_string(outside.join("mcp.json")).unwrap(), "{}");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        // One that stays inside is fine, and what two agents share is written once.
        fs::remove_file(root.join(".mcp.json")).unwrap();
        user.write(&root.join("AGENTS.md"), "# Rules\n");
        symlink("AGENTS.md", root.join("CLAUDE.md")).unwrap();
        let both = ["--agent", "claude-code", "--agent", "codex", "--scope", "project", "--instructions"];
        assert_eq!(user.actions(&[&["install"], &both[..]].concat()), ["created", "updated", "created", "updated"]);
        assert_eq!(fs::read_to_string(root.join("AGENTS.md")).unwrap().matches("codecompass:start").count(), 1);
        user.actions(&[&["uninstall"], &both[..]].concat());
        assert_eq!(fs::read_to_string(root.join("AGENTS.md")).unwrap(), "# Rules\n");
    }

    #[test]
    fn what_is_read_only_stays() {
        let user = User::new();
        let file = user.home().join(".cursor/mcp.json");
        user.write(&file, "{}");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
        user.run(&["install", "--agent", "cursor"]).ended_with(2);
        assert_eq!(fs::read_to_string(&file).unwrap(), "{}");
        fs::remove_file(&file).unwrap();
        if permissions_are_enforced() {
            fs::set_permissions(user.home().join(".cursor"), fs::Permissions::from_mode(0o555)).unwrap();
            user.run(&["install", "--agent", "cursor"]).ended_with(2);
            assert_eq!(fs::read_dir(user.home().join(".cursor")).unwrap().count(), 0);
            fs::set_permissions(user.home().join(".cursor"), fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}
