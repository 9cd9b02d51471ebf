//! Definitions that exclude each other by conditions: a use means each of them, and all places are
//! one symbol.

use codecompass_engine::query::{self, Navigator, RefsOptions};

use super::Program;

impl Program {
    /// The places of the symbol that a question means, and the number of its uses that are proven.
    fn places(&self, symbol: &str) -> String {
        let navigator = Navigator::new(&self.snapshot);
        let options = RefsOptions { limit: 100, ..RefsOptions::default() };
        let answer = query::refs(&navigator, symbol, &options).unwrap();
        let mut places = vec![(answer.subject.hit.path.clone(), answer.subject.hit.name_line)];
        places.extend(answer.parts.iter().map(|part| (part.path.clone(), part.name_line)));
        places.sort();
        let places: Vec<String> = places.iter().map(|(path, line)| format!("{path}:{line}")).collect();
        format!("{} | {} static, {} others", places.join(" "), answer.by_class[0], answer.subject.others_total)
    }
}

#[test]
fn items_for_several_configurations_of_a_crate() {
    let program = Program::new(
        "//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
mod util;
mod io;
//- /src/io.rs
use crate::util::proceed;
fn read() {
    proceed();
    crate::util::open().close();
}
fn write(file: crate::util::File) {
    file.close();
}
//- /src/util.rs
cfg_rt! {
    pub(crate) use crate::util::coop::proceed;
}
cfg_not_rt! {
    pub(crate) fn proceed() {} // stub
}
mod coop {
    pub fn proceed() {} // real
}
#[cfg(unix)]
pub struct File { handle: u8 }
fn between() {}
#[cfg(windows)]
pub struct File { handle: u16 }
#[cfg(unix)]
pub fn open() -> File { File { handle: 0 } } // unix
fn again() { open(); }
#[cfg(windows)]
pub fn open() -> File { File { handle: 1 } } // windows
#[cfg(unix)]
impl File {
    pub fn close(&self) {} // unix
}
#[cfg(windows)]
impl File {
    pub fn close(&self) {} // windows
}
",
    );
    program.check(
        "
        src/io.rs |     proceed(); | proceed -> src/util.rs:5 src/util.rs:8 static
        src/io.rs | crate::util::open | open -> src/util.rs:16 src/util.rs:19 static
        src/io.rs |     file.close() | close -> src/util.rs:22 src/util.rs:26 static
        ",
    );
    assert_eq!(program.places("open"), "src/util.rs:16 src/util.rs:19 | 2 static, 0 others");
    assert_eq!(program.places("File"), "src/util.rs:11 src/util.rs:14 | 7 static, 0 others");
    assert_eq!(program.places("File::close"), "src/util.rs:22 src/util.rs:26 | 2 static, 0 others");
    assert_eq!(program.places("src/util.rs:8"), "src/util.rs:8 | 3 static, 0 others");
}

#[test]
fn functions_in_branches_of_the_preprocessor() {
    let program = Program::new(
        "//- /clock.c
#ifdef HAVE_CLOCK
static long now(void) { return 1; } // clock
static void tick(void) { now(); }
#else
static long now(void) { return 2; } // none
static void tick(void) {}
#endif
#if WIDE
#define WIDTH 64
#else
#define WIDTH 32
#endif
int main(void) { tick(); return now() + WIDTH; }
",
    );
    program.check("clock.c | int main | now -> clock.c:2 clock.c:5 static");
    assert_eq!(program.places("now"), "clock.c:2 clock.c:5 | 2 static, 0 others");
    assert_eq!(program.places("WIDTH"), "clock.c:9 clock.c:11 | 1 static, 0 others");
}

#[test]
fn files_of_a_package_with_build_tags() {
    let program = Program::new(
        "//- /go.mod
module shop
//- /open_linux.go
package shop

func open() int { return 1 }
func init() {}
//- /open_windows.go
package shop

func open() int { return 2 }
func init() {}
//- /other/open.go
package other

func open() int { return 3 }
//- /use.go
package shop

func run() int { return open() }
",
    );
    program.check("use.go | func run | open -> open_linux.go:3 open_windows.go:3 static");
    assert_eq!(program.places("open_linux.go:3"), "open_linux.go:3 open_windows.go:3 | 1 static, 0 others");
    assert_eq!(program.places("open_linux.go:4"), "open_linux.go:4 | 0 static, 0 others");
}

#[test]
fn expected_and_actual_declarations() {
    let program = Program::new(
        "//- /common/src/Clock.kt
package shop

expect class Clock {
    fun now(): Long
}
expect fun open(name: String): Clock
expect fun Clock.reset(): Long
expect fun String.reset(): Long
fun use(clock: Clock) = clock.now()
fun start() = open(\"x\")
//- /jvm/src/Clock.kt
package shop

actual class Clock {
    actual fun now(): Long = 1
}
actual fun open(name: String): Clock = Clock()
actual fun Clock.reset(): Long = 1
actual fun String.reset(): Long = 2
//- /native/src/Clock.kt
package shop

actual class Clock {
    actual fun now(): Long = 2
}
actual fun open(name: String): Clock = Clock()
actual fun Clock.reset(): Long = 1
actual fun String.reset(): Long = 2
",
    );
    assert_eq!(
        program.places("open"),
        "common/src/Clock.kt:6 jvm/src/Clock.kt:6 native/src/Clock.kt:6 | 1 static, 0 others"
    );
    assert_eq!(
        program.places("Clock.now"),
        "common/src/Clock.kt:4 jvm/src/Clock.kt:4 native/src/Clock.kt:4 | 1 static, 0 others"
    );
    assert_eq!(
        program.places("common/src/Clock.kt:7"),
        "common/src/Clock.kt:7 jvm/src/Clock.kt:7 native/src/Clock.kt:7 | 0 static, 0 others"
    );
}

#[test]
fn imports_that_fail_and_what_stands_in_for_them() {
    let program = Program::new(
        "//- /fast.py
def encode(text): # fast
    return text
class Kind: # fast
    pass
//- /slow.py
try:
    from fast import encode
except ImportError:
    def encode(text): # slow
        return text

if TYPE_CHECKING:
    from fast import Kind
else:
    Kind = object

def late(text):
    return text
try:
    from fast import encode as late
except ImportError:
    pass

from fast import encode as plain
def plain(text):
    return text

def run(kind: Kind):
    encode(1)
    late(2)
    plain(3)
//- /user.py
from slow import encode
encode(4)
",
    );
    program.check(
        "
        slow.py | encode(1) | encode -> fast.py:1 slow.py:4 static
        slow.py | late(2) | late -> fast.py:1 slow.py:12 static
        slow.py | plain(3) | plain -> slow.py:20 static
        slow.py | def run | Kind -> fast.py:3 slow.py:10 static
        user.py | encode(4) | encode -> fast.py:1 slow.py:4 static
        ",
    );
}
