//! The table of languages: one row each; everything else about a language stands in its folder.
//!
//! A row names the folder's `language.toml`, its query files and its grammar. What queries cannot
//! say is a hook named in the row, which lives in a file of `hooks/`.

use super::Language;
use super::compiled::Runtime;
use crate::hooks::{self, EmbeddedHook, Hooks};

macro_rules! language {
    ($name:literal, $grammar:expr, [$($query:literal),+]) => {
        language!($name, $grammar, [$($query),+], Hooks::NONE)
    };
    ($name:literal, $grammar:expr, [$($query:literal),+], $hooks:expr) => {
        Language {
            name: $name,
            settings: include_str!(concat!("../../languages/", $name, "/language.toml")),
            queries: &[$(include_str!(concat!("../../languages/", $query))),+],
            grammar: Some($grammar),
            hooks: $hooks,
            runtime: Runtime::new(),
        }
    };
    ($name:literal, outline $hook:expr) => {
        Language {
            name: $name,
            settings: include_str!(concat!("../../languages/", $name, "/language.toml")),
            queries: &[],
            grammar: None,
            hooks: Hooks { outline: Some($hook), ..Hooks::NONE },
            runtime: Runtime::new(),
        }
    };
}

pub(super) static LANGUAGES: [Language; 29] = [
    language!("bash", tree_sitter_bash::LANGUAGE, ["bash/tags.scm", "bash/imports.scm"]),
    language!("c", tree_sitter_c::LANGUAGE, ["c/tags.scm", "c/c.scm", "c/imports.scm", "c/bindings.scm"]),
    language!(
        "cpp",
        tree_sitter_cpp::LANGUAGE,
        ["c/tags.scm", "cpp/tags.scm", "c/imports.scm", "cpp/imports.scm", "c/bindings.scm", "cpp/bindings.scm"]
    ),
    language!(
        "csharp",
        tree_sitter_c_sharp::LANGUAGE,
        ["csharp/tags.scm", "csharp/imports.scm", "csharp/bindings.scm"]
    ),
    language!("dart", tree_sitter_dart::LANGUAGE, ["dart/tags.scm", "dart/imports.scm", "dart/bindings.scm"]),
    language!("elixir", tree_sitter_elixir::LANGUAGE, ["elixir/tags.scm", "elixir/imports.scm", "elixir/bindings.scm"]),
    language!("go", tree_sitter_go::LANGUAGE, ["go/tags.scm", "go/imports.scm", "go/bindings.scm"]),
    language!("gomod", outline hooks::gomod::directives),
    language!("haskell", tree_sitter_haskell::LANGUAGE, ["haskell/tags.scm", "haskell/imports.scm"]),
    language!("hcl", tree_sitter_hcl::LANGUAGE, ["hcl/tags.scm"]),
    language!("java", tree_sitter_java::LANGUAGE, ["java/tags.scm", "java/imports.scm", "java/bindings.scm"]),
    language!(
        "javascript",
        tree_sitter_javascript::LANGUAGE,
        [
            "javascript/tags.scm",
            "javascript/objects.scm",
            "javascript/javascript.scm",
            "javascript/jsx.scm",
            "javascript/imports.scm",
            "javascript/bindings.scm"
        ]
    ),
    language!("json", tree_sitter_json::LANGUAGE, ["json/tags.scm"]),
    language!(
        "kotlin",
        tree_sitter_kotlin_ng::LANGUAGE,
        ["kotlin/tags.scm", "kotlin/imports.scm", "kotlin/bindings.scm"]
    ),
    language!("lua", tree_sitter_lua::LANGUAGE, ["lua/tags.scm", "lua/imports.scm", "lua/bindings.scm"]),
    language!("markdown", tree_sitter_md::LANGUAGE, ["markdown/tags.scm"]),
    language!("php", tree_sitter_php::LANGUAGE_PHP, ["php/tags.scm", "php/imports.scm", "php/bindings.scm"]),
    language!("protobuf", tree_sitter_proto::LANGUAGE, ["protobuf/tags.scm", "protobuf/imports.scm"]),
    language!("python", tree_sitter_python::LANGUAGE, ["python/tags.scm", "python/imports.scm", "python/bindings.scm"]),
    language!("ruby", tree_sitter_ruby::LANGUAGE, ["ruby/tags.scm", "ruby/imports.scm", "ruby/bindings.scm"]),
    language!(
        "rust",
        tree_sitter_rust::LANGUAGE,
        ["rust/tags.scm", "rust/imports.scm", "rust/bindings.scm"],
        Hooks {
            imports: Some(hooks::rust::use_tree),
            macro_definitions: Some(hooks::rust_macros::macro_definitions),
            embedded: Some(EmbeddedHook {
                find: hooks::rust_items::macro_items,
                accepts: hooks::rust_items::are_items,
            }),
            ..Hooks::NONE
        }
    ),
    language!(
        "scala",
        tree_sitter_scala::LANGUAGE,
        ["scala/tags.scm", "scala/imports.scm", "scala/bindings.scm"],
        Hooks { imports: Some(hooks::scala::import_clause), ..Hooks::NONE }
    ),
    language!(
        "sql",
        tree_sitter_sequel::LANGUAGE,
        ["sql/tags.scm"],
        Hooks { pieces: Some(hooks::sql::statements), ..Hooks::NONE }
    ),
    language!("swift", tree_sitter_swift::LANGUAGE, ["swift/tags.scm", "swift/imports.scm", "swift/bindings.scm"]),
    language!("toml", tree_sitter_toml_ng::LANGUAGE, ["toml/tags.scm"]),
    language!(
        "tsx",
        tree_sitter_typescript::LANGUAGE_TSX,
        [
            "javascript/tags.scm",
            "javascript/objects.scm",
            "typescript/tags.scm",
            "javascript/jsx.scm",
            "javascript/imports.scm",
            "typescript/imports.scm",
            "javascript/bindings.scm",
            "typescript/bindings.scm"
        ]
    ),
    language!(
        "typescript",
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        [
            "javascript/tags.scm",
            "javascript/objects.scm",
            "typescript/tags.scm",
            "javascript/imports.scm",
            "typescript/imports.scm",
            "javascript/bindings.scm",
            "typescript/bindings.scm"
        ]
    ),
    language!("yaml", outline hooks::yaml::keys),
    language!("zig", tree_sitter_zig::LANGUAGE, ["zig/tags.scm", "zig/imports.scm", "zig/bindings.scm"]),
];
