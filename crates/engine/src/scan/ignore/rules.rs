//! Built-in rules: what is never worth indexing, by name alone, as tables.
//!
//! A rule gives the reason a user sees (`built-in rule: lock file`). Two kinds of directories
//! exist: those whose name says enough, and those like `build` that are skipped only with further
//! evidence, since elsewhere the same name holds source code (Go's package `go/build`).

use std::collections::HashMap;
use std::sync::LazyLock;

/// The built-in rule for a directory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DirectoryRule {
    /// Skipped wherever it is.
    Always(&'static str),
    /// Skipped when one of the clues is there.
    OnEvidence(&'static DirectoryEvidence),
}

/// A directory that is skipped when a neighbour or a member gives it away.
#[derive(Debug)]
pub(crate) struct DirectoryEvidence {
    name: &'static str,
    pub(crate) reason: &'static str,
    /// Names beside the directory, any of which is enough; a leading `*` stands for any beginning.
    pub(crate) beside: &'static [&'static str],
    /// Names inside the directory, any of which is enough.
    pub(crate) inside: &'static [&'static str],
    /// True if git tracking anything below the directory speaks for keeping it.
    pub(crate) unless_tracked: bool,
}

/// The rule for a directory of this name, if there is one.
pub(crate) fn directory(name: &str) -> Option<DirectoryRule> {
    if let Some(rule) = DIRECTORIES.get(name) {
        return Some(*rule);
    }
    name.ends_with(".egg-info").then_some(DirectoryRule::Always("package metadata"))
}

/// Returns whether a file of this name may be the clue that gives a directory away.
pub(crate) fn is_evidence(name: &str) -> bool {
    let clues = ON_EVIDENCE.iter().flat_map(|evidence| evidence.beside.iter().chain(evidence.inside));
    clues.into_iter().any(|clue| match clue.strip_prefix('*') {
        Some(end) => name.ends_with(end),
        None => name == *clue,
    })
}

/// The reason to skip a file of this name, if there is one.
pub(crate) fn file(name: &str) -> Option<&'static str> {
    if let Some(reason) = FILE_NAMES.get(name) {
        return Some(reason);
    }
    if name.ends_with('~') {
        return Some(LITTER);
    }
    let (stem, extension) = name.rsplit_once('.')?;
    if let Some(reason) = is_secret_env(name) {
        return Some(reason);
    }
    let mut buffer = [0; MAX_EXTENSION];
    let lower = buffer.get_mut(..extension.len())?;
    lower.copy_from_slice(extension.as_bytes());
    lower.make_ascii_lowercase();
    let extension = std::str::from_utf8(lower).ok()?;
    if let Some(reason) = EXTENSIONS.get(extension) {
        return Some(reason);
    }
    let inner = stem.rsplit_once('.').map(|(_, inner)| inner)?;
    match extension {
        "js" | "mjs" | "cjs" | "css" if inner.eq_ignore_ascii_case("min") => Some("minified"),
        "js" | "mjs" if inner.eq_ignore_ascii_case("bundle") => Some("minified"),
        "map" if ["js", "mjs", "cjs", "css", "ts"].contains(&inner) => Some("source map"),
        _ => None,
    }
}

/// Returns whether a rule keeps files from being shown at all, not only out of the index.
pub(crate) fn is_private(rule: &str) -> bool {
    [SECRETS, KEYS, VERSION_CONTROL].contains(&rule)
}

/// `.env` and its variants hold credentials; the committed samples do not.
fn is_secret_env(name: &str) -> Option<&'static str> {
    let rest = name.strip_prefix(".env")?;
    let sample = [".example", ".sample", ".template", ".dist", ".defaults"].iter().any(|end| rest.ends_with(end));
    (rest.is_empty() || rest.starts_with('.') && !sample).then_some(SECRETS)
}

const MAX_EXTENSION: usize = 12;
const SECRETS: &str = "secrets";
const KEYS: &str = "key material";
const VERSION_CONTROL: &str = "version control";
const LITTER: &str = "operating system or editor litter";

static DIRECTORIES: LazyLock<HashMap<&str, DirectoryRule>> = LazyLock::new(|| {
    let always =
        ALWAYS.iter().flat_map(|(reason, names)| names.iter().map(|name| (*name, DirectoryRule::Always(reason))));
    let maybe = ON_EVIDENCE.iter().map(|evidence| (evidence.name, DirectoryRule::OnEvidence(evidence)));
    always.chain(maybe).collect()
});

static FILE_NAMES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| by_name(NAMES));
static EXTENSIONS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| by_name(BY_EXTENSION));

type Table = &'static [(&'static str, &'static [&'static str])];

fn by_name(table: Table) -> HashMap<&'static str, &'static str> {
    table.iter().flat_map(|(reason, names)| names.iter().map(|name| (*name, *reason))).collect()
}

#[rustfmt::skip]
const ALWAYS: Table = &[
    (VERSION_CONTROL, &[".git", ".hg", ".svn", ".jj", ".bzr", "CVS", "_darcs", ".pijul"]),
    (
        "dependencies",
        &[
            "node_modules", "bower_components", "jspm_packages", "site-packages", ".pnpm-store", ".yarn", "Pods",
            "elm-stuff", ".bundle", ".eggs",
        ],
    ),
    (
        "cache",
        &[
            "__pycache__", ".cache", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".pytype", ".pyre",
            ".hypothesis", ".ipynb_checkpoints", ".gradle", ".terraform", ".terragrunt-cache", ".parcel-cache",
            ".turbo", ".angular", ".ccls-cache", ".clangd", ".bloop", ".metals", ".scala-build", ".zig-cache",
            "zig-cache", "nimcache", ".sass-cache", ".vscode-test", ".dart_tool",
        ],
    ),
    (
        "build output",
        &[
            ".next", ".nuxt", ".output", ".svelte-kit", ".docusaurus", ".serverless", ".aws-sam", ".stack-work",
            "dist-newstyle", "zig-out", "CMakeFiles", ".cxx", "DerivedData", ".tox", ".nox", ".pdm-build",
        ],
    ),
    ("coverage report", &[".nyc_output", "htmlcov"]),
    ("editor settings", &[".idea", ".vs", ".fleet", ".settings"]),
];

const JS_OR_PYTHON: &[&str] = &["package.json", "setup.py", "pyproject.toml"];
const DOTNET: &[&str] = &["*.csproj", "*.fsproj", "*.vbproj", "*.vcxproj"];

const fn output(name: &'static str, beside: &'static [&'static str]) -> DirectoryEvidence {
    DirectoryEvidence { name, reason: "build output", beside, inside: &["CACHEDIR.TAG"], unless_tracked: true }
}

const fn environment(name: &'static str) -> DirectoryEvidence {
    DirectoryEvidence {
        name,
        reason: "virtual environment",
        beside: &[],
        inside: &["pyvenv.cfg"],
        unless_tracked: false,
    }
}

const fn packages(name: &'static str, beside: &'static [&'static str]) -> DirectoryEvidence {
    DirectoryEvidence { name, reason: "dependencies", beside, inside: &[], unless_tracked: true }
}

#[rustfmt::skip]
const ON_EVIDENCE: &[DirectoryEvidence] = &[
    environment(".venv"),
    environment("venv"),
    environment("env"),
    environment(".env"),
    environment("virtualenv"),
    output("target", &["Cargo.toml", "pom.xml", "build.sbt", "project.clj", "deps.edn"]),
    output(
        "build",
        &[
            "package.json", "setup.py", "pyproject.toml", "build.gradle", "build.gradle.kts", "CMakeLists.txt",
            "meson.build", "pubspec.yaml", "build.zig",
        ],
    ),
    output("dist", JS_OR_PYTHON),
    output("out", &["package.json", "build.gradle", "build.gradle.kts", "CMakeLists.txt", "foundry.toml", "*.iml"]),
    output("bin", DOTNET),
    output("obj", DOTNET),
    output("_build", &["mix.exs", "dune-project", "rebar.config"]),
    output("cmake-build-debug", &["CMakeLists.txt"]),
    output("cmake-build-release", &["CMakeLists.txt"]),
    DirectoryEvidence {
        name: "coverage",
        reason: "coverage report",
        beside: &["package.json"],
        inside: &["lcov.info", "lcov-report"],
        unless_tracked: true,
    },
    packages("deps", &["mix.exs"]),
    packages("vendor", &["composer.json"]),
    packages("Carthage", &["Cartfile"]),
];

#[rustfmt::skip]
const NAMES: Table = &[
    // In a linked worktree or a submodule `.git` is a file.
    (VERSION_CONTROL, &[".git"]),
    (
        "lock file",
        &[
            "Cargo.lock", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock",
            "bun.lockb", "deno.lock", "poetry.lock", "uv.lock", "pdm.lock", "pixi.lock", "Pipfile.lock",
            "conda-lock.yml", "go.sum", "go.work.sum", "composer.lock", "Gemfile.lock", "flake.lock", "mix.lock",
            "rebar.lock", "pubspec.lock", "Podfile.lock", "Package.resolved", "Cartfile.resolved",
            "packages.lock.json", "paket.lock", "gradle.lockfile", "buildscript-gradle.lockfile",
            ".terraform.lock.hcl", "MODULE.bazel.lock", "stack.yaml.lock", "cabal.project.freeze", "shard.lock",
            "Brewfile.lock.json", "Chart.lock",
        ],
    ),
    ("dependencies", &[".pnp.cjs", ".pnp.loader.mjs"]),
    (
        KEYS,
        &[
            "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "ssh_host_rsa_key",
            "ssh_host_ed25519_key",
        ],
    ),
    (SECRETS, &[".env", ".netrc", "_netrc", ".pgpass", ".git-credentials", ".htpasswd", ".pypirc"]),
    (LITTER, &[".DS_Store", "Thumbs.db", "desktop.ini", "ehthumbs.db", ".localized"]),
];

#[rustfmt::skip]
const BY_EXTENSION: Table = &[
    (
        "image",
        &[
            "png", "jpg", "jpeg", "gif", "bmp", "ico", "icns", "webp", "avif", "heic", "jp2", "tif", "tiff", "psd",
            "eps", "svg", "svgz", "xcf", "dds", "tga", "exr", "hdr", "ppm", "pgm", "cur",
        ],
    ),
    ("font", &["ttf", "otf", "woff", "woff2", "eot", "ttc", "pfb"]),
    ("audio", &["mp3", "wav", "flac", "ogg", "oga", "opus", "m4a", "aac", "aif", "aiff", "mid", "midi", "wma"]),
    ("video", &["mp4", "m4v", "mov", "avi", "mkv", "webm", "wmv", "flv", "mpg", "mpeg", "ogv"]),
    ("3d model", &["blend", "fbx", "glb", "stl", "3ds", "dae", "usdz"]),
    (
        "archive",
        &[
            "zip", "tar", "gz", "tgz", "bz2", "tbz2", "xz", "txz", "zst", "lz4", "lzma", "7z", "rar", "jar", "war",
            "ear", "aar", "whl", "egg", "gem", "nupkg", "apk", "aab", "ipa", "dmg", "iso", "img", "deb", "rpm", "cab",
            "msi", "xpi", "vsix", "crate", "pack", "br",
        ],
    ),
    (
        "compiled",
        &[
            "o", "obj", "a", "so", "dylib", "dll", "exe", "lib", "pdb", "class", "pyc", "pyo", "pyd", "wasm", "elc",
            "beam", "rlib", "rmeta", "ko", "node", "bin", "dex", "gch", "pch", "ilk", "winmd", "swiftmodule", "nib",
            "hi", "cmi", "cmo", "cmx", "cmxa", "luac",
        ],
    ),
    (
        "document",
        &["pdf", "doc", "docx", "xls", "xlsx", "xlsm", "ppt", "pptx", "odt", "ods", "odp", "epub", "mobi", "rtf"],
    ),
    ("database", &["db", "db3", "sqlite", "sqlite3", "mdb", "accdb", "rdb", "ldb", "sst", "frm", "ibd", "mmdb"]),
    (
        "data",
        &[
            "csv", "tsv", "jsonl", "ndjson", "parquet", "feather", "arrow", "avro", "orc", "npy", "npz", "pkl",
            "pickle", "h5", "hdf5", "rds", "rdata", "onnx", "pt", "pth", "ckpt", "safetensors", "gguf", "tflite",
            "pb", "shp", "shx", "dbf", "pcap", "pcapng", "tfrecord",
        ],
    ),
    (
        KEYS,
        &["pem", "key", "p12", "pfx", "p8", "jks", "keystore", "ppk", "kdbx", "der", "crt", "cer", "p7b", "gpg", "pgp"],
    ),
    ("translation catalogue", &["po", "pot", "mo", "gmo", "xlf", "xliff"]),
    ("log", &["log"]),
    (LITTER, &["swp", "swo"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_by_name_and_extension() {
        for (name, reason) in [
            ("Cargo.lock", Some("lock file")),
            ("logo.PNG", Some("image")),
            ("jquery.min.js", Some("minified")),
            ("app.bundle.js", Some("minified")),
            ("app.js.map", Some("source map")),
            ("world.map", None),
            ("server.pem", Some("key material")),
            ("id_rsa", Some("key material")),
            ("id_rsa.rs", None),
            (".env", Some("secrets")),
            (".env.local", Some("secrets")),
            (".env.example", None),
            (".env.production.sample", None),
            (".envrc", None),
            ("django.po", Some("translation catalogue")),
            ("table.csv", Some("data")),
            ("notes.ipynb", None),
            (".DS_Store", Some(LITTER)),
            ("main.rs~", Some(LITTER)),
            (".git", Some("version control")),
            (".gitignore", None),
            ("main.go", None),
            ("min.js", None),
            ("Makefile", None),
            ("a.averyveryverylongextension", None),
            ("größe.Ä", None),
        ] {
            assert_eq!(file(name), reason, "{name}");
        }
    }

    #[test]
    fn directories_by_name() {
        assert!(matches!(directory("node_modules"), Some(DirectoryRule::Always("dependencies"))));
        assert!(matches!(directory("pkg.egg-info"), Some(DirectoryRule::Always(_))));
        assert!(matches!(directory("target"), Some(DirectoryRule::OnEvidence(_))));
        assert!(directory("src").is_none());
    }

    #[test]
    fn tables_are_sound() {
        for (_, extensions) in BY_EXTENSION {
            for extension in *extensions {
                assert!(
                    extension.len() <= MAX_EXTENSION && *extension == extension.to_ascii_lowercase(),
                    "{extension}"
                );
            }
        }
        let rows: usize = BY_EXTENSION.iter().map(|(_, extensions)| extensions.len()).sum();
        assert_eq!(rows, EXTENSIONS.len(), "an extension has two rows");
    }
}
