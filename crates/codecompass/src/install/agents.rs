//! The table of agents: where each keeps its MCP servers and instructions, what an entry looks
//! like, and how to tell that it is there. docs/install.md says how each row was confirmed.

use std::path::PathBuf;

use codecompass_app::settings::Environment;

use super::Shape;

/// Whom an installation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The user, in all projects.
    User,
    /// Everybody who works in this project.
    Project,
}

impl Scope {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Scope::User => "user",
            Scope::Project => "project",
        }
    }
}

/// The directory in which a path of an agent starts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Base {
    /// The directory that the variable names, else this folder of the home directory.
    Variable(&'static str, &'static str),
    /// `XDG_CONFIG_HOME`, else `~/.config`, on every system.
    Xdg,
    /// The same, but `%APPDATA%` on Windows.
    Config,
    /// The directory in which the system's applications keep settings: as `Xdg`,
    /// `~/Library/Application Support` or `%APPDATA%`.
    Application,
    /// The root of the project.
    Project,
}

const HOME: Base = Base::Variable("", "");

/// The variables that the bases read.
pub(crate) const VARIABLES: &[&str] =
    &["XDG_CONFIG_HOME", "APPDATA", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME"];

impl Base {
    /// The directory, and the root that its files may not leave: what a variable names, else the
    /// home directory.
    pub(crate) fn directory(self, around: &Environment, root: &std::path::Path) -> (PathBuf, PathBuf) {
        let named = |name: &str, folder: &str| match around.variable(name) {
            Some(directory) => (directory.to_path_buf(), directory.to_path_buf()),
            None => (around.home.join(folder), around.home.clone()),
        };
        match self {
            Base::Variable(name, folder) => named(name, folder),
            Base::Config if cfg!(windows) => named("APPDATA", "AppData/Roaming"),
            Base::Application if cfg!(windows) => named("APPDATA", "AppData/Roaming"),
            Base::Application if cfg!(target_os = "macos") => {
                (around.home.join("Library/Application Support"), around.home.clone())
            }
            Base::Xdg | Base::Config | Base::Application => named("XDG_CONFIG_HOME", ".config"),
            Base::Project => (root.to_path_buf(), root.to_path_buf()),
        }
    }
}

/// A file, by all the names it may have; the first that exists is meant, else the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub base: Base,
    pub names: &'static [&'static str],
}

/// Instructions of an agent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instructions {
    pub spot: Spot,
    /// The text that a new file must begin with.
    pub preamble: &'static str,
}

/// The format of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Toml,
}

/// One agent.
#[derive(Debug)]
pub(crate) struct Agent {
    /// The name on the command line.
    pub name: &'static str,
    /// The name its makers use.
    pub title: &'static str,
    pub format: Format,
    /// The keys that lead to the table of servers.
    pub table: &'static [&'static str],
    /// Another table of servers, which is used if it is there.
    pub other_table: Option<&'static [&'static str]>,
    pub shape: Shape,
    pub user: Option<Spot>,
    pub project: Option<Spot>,
    /// Advice on what to do instead where there is no such file.
    pub no_project: &'static str,
    pub user_instructions: Option<Instructions>,
    pub project_instructions: Option<Instructions>,
    /// Files and directories that exist if the agent is installed.
    pub signs: &'static [Spot],
    /// Programs in the search path that are the agent.
    pub programs: &'static [&'static str],
}

impl Agent {
    /// Its settings file.
    pub(crate) fn settings(&self, scope: Scope) -> Option<Spot> {
        match scope {
            Scope::User => self.user,
            Scope::Project => self.project,
        }
    }

    /// Its file of instructions.
    pub(crate) fn instructions(&self, scope: Scope) -> Option<Instructions> {
        match scope {
            Scope::User => self.user_instructions,
            Scope::Project => self.project_instructions,
        }
    }
}

const fn file(base: Base, names: &'static [&'static str]) -> Spot {
    Spot { base, names }
}

const fn text(base: Base, names: &'static [&'static str]) -> Option<Instructions> {
    Some(Instructions { spot: Spot { base, names }, preamble: "" })
}

const fn text_with(base: Base, names: &'static [&'static str], preamble: &'static str) -> Option<Instructions> {
    Some(Instructions { spot: Spot { base, names }, preamble })
}

/// The name of no agent in particular: the entry is only printed.
pub(crate) const GENERIC: &str = "generic";

const AGENTS_MD: Option<Instructions> = text(Base::Project, &["AGENTS.md"]);

/// All agents, in the order they are listed.
pub(crate) const AGENTS: &[Agent] = &[
    Agent {
        name: "claude-code",
        title: "Claude Code",
        format: Format::Json,
        table: &["mcpServers"],
        other_table: None,
        shape: Shape { kind: Some("stdio"), ..Shape::PLAIN },
        user: Some(file(Base::Variable("CLAUDE_CONFIG_DIR", ""), &[".claude.json"])),
        project: Some(file(Base::Project, &[".mcp.json"])),
        no_project: "",
        user_instructions: text(Base::Variable("CLAUDE_CONFIG_DIR", ".claude"), &["CLAUDE.md"]),
        project_instructions: text(Base::Project, &["CLAUDE.md"]),
        signs: &[file(Base::Variable("CLAUDE_CONFIG_DIR", ".claude"), &[""]), file(HOME, &[".claude.json"])],
        programs: &["claude"],
    },
    Agent {
        name: "cursor",
        title: "Cursor",
        format: Format::Json,
        table: &["mcpServers"],
        other_table: None,
        shape: Shape { kind: Some("stdio"), ..Shape::PLAIN },
        user: Some(file(HOME, &[".cursor/mcp.json"])),
        project: Some(file(Base::Project, &[".cursor/mcp.json"])),
        no_project: "",
        user_instructions: None,
        project_instructions: text_with(
            Base::Project,
            &[".cursor/rules/codecompass.mdc"],
            "---\ndescription: When to use the CodeCompass tools\nalwaysApply: true\n---\n\n",
        ),
        signs: &[file(HOME, &[".cursor"])],
        programs: &["cursor", "cursor-agent"],
    },
    Agent {
        name: "codex",
        title: "Codex",
        format: Format::Toml,
        table: &["mcp_servers"],
        other_table: None,
        shape: Shape::PLAIN,
        user: Some(file(Base::Variable("CODEX_HOME", ".codex"), &["config.toml"])),
        project: Some(file(Base::Project, &[".codex/config.toml"])),
        no_project: "",
        user_instructions: text(Base::Variable("CODEX_HOME", ".codex"), &["AGENTS.md"]),
        project_instructions: AGENTS_MD,
        signs: &[file(Base::Variable("CODEX_HOME", ".codex"), &[""])],
        programs: &["codex"],
    },
    Agent {
        name: "vscode",
        title: "VS Code",
        format: Format::Json,
        table: &["servers"],
        other_table: None,
        shape: Shape { kind: Some("stdio"), ..Shape::PLAIN },
        user: Some(file(Base::Application, &["Code/User/mcp.json"])),
        project: Some(file(Base::Project, &[".vscode/mcp.json"])),
        no_project: "",
        user_instructions: None,
        project_instructions: text(Base::Project, &[".github/copilot-instructions.md"]),
        signs: &[file(Base::Application, &["Code/User"])],
        programs: &["code"],
    },
    Agent {
        name: "copilot-cli",
        title: "Copilot CLI",
        format: Format::Json,
        table: &["mcpServers"],
        other_table: None,
        shape: Shape { kind: Some("local"), all_tools: true, ..Shape::PLAIN },
        user: Some(file(Base::Variable("COPILOT_HOME", ".copilot"), &["mcp-config.json"])),
        project: None,
        no_project: "it also reads .mcp.json, which --agent claude-code --scope project writes",
        user_instructions: text(Base::Variable("COPILOT_HOME", ".copilot"), &["copilot-instructions.md"]),
        project_instructions: text(Base::Project, &[".github/copilot-instructions.md"]),
        signs: &[file(Base::Variable("COPILOT_HOME", ".copilot"), &[""])],
        programs: &["copilot"],
    },
    Agent {
        name: "opencode",
        title: "OpenCode",
        format: Format::Json,
        table: &["mcp"],
        other_table: Some(&["mcp", "servers"]),
        shape: Shape { kind: Some("local"), joined: true, ..Shape::PLAIN },
        user: Some(file(Base::Xdg, &["opencode/opencode.json", "opencode/opencode.jsonc"])),
        project: Some(file(
            Base::Project,
            &["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
        )),
        no_project: "",
        user_instructions: text(Base::Xdg, &["opencode/AGENTS.md"]),
        project_instructions: AGENTS_MD,
        signs: &[file(Base::Xdg, &["opencode"])],
        programs: &["opencode"],
    },
    Agent {
        name: "gemini-cli",
        title: "Gemini CLI",
        format: Format::Json,
        table: &["mcpServers"],
        other_table: None,
        shape: Shape::PLAIN,
        user: Some(file(Base::Variable("GEMINI_CLI_HOME", ""), &[".gemini/settings.json"])),
        project: Some(file(Base::Project, &[".gemini/settings.json"])),
        no_project: "",
        user_instructions: text(Base::Variable("GEMINI_CLI_HOME", ""), &[".gemini/GEMINI.md"]),
        project_instructions: text(Base::Project, &["GEMINI.md"]),
        signs: &[file(Base::Variable("GEMINI_CLI_HOME", ""), &[".gemini"])],
        programs: &["gemini"],
    },
    Agent {
        name: "windsurf",
        title: "Windsurf",
        format: Format::Json,
        table: &["mcpServers"],
        other_table: None,
        shape: Shape::PLAIN,
        user: Some(file(HOME, &[".codeium/windsurf/mcp_config.json"])),
        project: None,
        no_project: "use --scope user",
        user_instructions: text(HOME, &[".codeium/windsurf/memories/global_rules.md"]),
        project_instructions: text_with(
            Base::Project,
            &[".windsurf/rules/codecompass.md"],
            "---\ntrigger: always_on\n---\n\n",
        ),
        signs: &[file(HOME, &[".codeium/windsurf"])],
        programs: &["windsurf"],
    },
    Agent {
        name: "zed",
        title: "Zed",
        format: Format::Json,
        table: &["context_servers"],
        other_table: None,
        shape: Shape::PLAIN,
        user: Some(file(Base::Config, &["zed/settings.json"])),
        project: Some(file(Base::Project, &[".zed/settings.json"])),
        no_project: "",
        user_instructions: None,
        project_instructions: AGENTS_MD,
        signs: &[file(Base::Config, &["zed"])],
        programs: &["zed", "zeditor"],
    },
];

/// The agent of this name.
pub(crate) fn named(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_of_a_row_is_read() {
        let spots = AGENTS.iter().flat_map(|agent| {
            let texts = [agent.user_instructions, agent.project_instructions].into_iter().flatten();
            let files = [agent.user, agent.project].into_iter().flatten();
            files.chain(texts.map(|text| text.spot)).chain(agent.signs.iter().copied())
        });
        for spot in spots {
            assert!(!spot.names.is_empty());
            if let Base::Variable(name, _) = spot.base {
                assert!(name.is_empty() || VARIABLES.contains(&name), "{name}");
            }
        }
    }
}
