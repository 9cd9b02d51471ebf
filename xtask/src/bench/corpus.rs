//! The source trees that benchmarks run on, fetched by package name from the package registries.

use std::path::PathBuf;
use std::process::Command;

use crate::outcome::Outcome;

/// A source tree and the limits that hold for it.
pub(crate) struct Corpus {
    pub name: &'static str,
    /// Most memory while indexing, in MB.
    pub memory_limit_mb: f64,
    /// True if speed limits hold here; large corpora only have to finish within memory.
    pub timed: bool,
    /// An identifier that occurs in it.
    pub identifier: &'static str,
    /// A file to edit: a large one, not a giant; in Django, about the 95th percentile of sizes.
    pub file: &'static str,
    fetch: &'static str,
    folder: &'static str,
}

pub(crate) const CORPORA: [Corpus; 3] = [
    Corpus {
        name: "django",
        memory_limit_mb: 600.0,
        timed: true,
        identifier: "get_queryset",
        file: "django/http/response.py",
        fetch: "pip download --quiet --no-deps --no-build-isolation --no-binary :all: Django==5.2 2>/dev/null || \
                pip download --quiet --no-deps --no-binary :all: Django==5.2; tar xf [Dd]jango-5.2.tar.gz",
        folder: "Django-5.2",
    },
    Corpus {
        name: "go",
        memory_limit_mb: 600.0,
        timed: false,
        identifier: "RoundTrip",
        file: "src/net/http/client.go",
        fetch: "apt-get download golang-1.19-src && dpkg -x golang-1.19-src_*.deb go",
        folder: "go/usr/share/go-1.19",
    },
    Corpus {
        name: "linux",
        memory_limit_mb: 1500.0,
        timed: false,
        identifier: "kmalloc",
        file: "mm/slab.c",
        fetch: "apt-get download linux-source-6.1 && dpkg -x linux-source-6.1_*.deb linux && \
                tar xf linux/usr/src/linux-source-6.1.tar.xz -C linux",
        folder: "linux/linux-source-6.1",
    },
];

impl Corpus {
    /// The tree, fetched below the system's temporary directory (outside any repository) if it is
    /// not there yet.
    pub(crate) fn tree(&self) -> Outcome<PathBuf> {
        let home = std::env::temp_dir().join("codecompass-bench").join(self.name);
        let tree = home.join(self.folder);
        if !tree.is_dir() {
            std::fs::create_dir_all(&home)?;
            println!("fetching {} …", self.name);
            let status = shell(self.fetch).current_dir(&home).status()?;
            if !status.success() || !tree.is_dir() {
                return Err(format!("cannot fetch {}: `{}` failed in {}", self.name, self.fetch, home.display()).into());
            }
        }
        Ok(tree)
    }
}

/// A shell command line; only ever one of the constants above.
#[expect(clippy::disallowed_methods, reason = "a benchmark fetches its corpora with the system's package tools")]
fn shell(line: &'static str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", line]);
    command
}
