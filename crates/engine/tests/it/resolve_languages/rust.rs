//! Rust.

use super::Program;

#[test]
fn paths_into_other_crates() {
    let program = Program::new(
        "//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
pub struct TestClient;
impl TestClient {
    pub fn fetch(&self) {}
}
//- /src/other.rs
fn own(all: impl Clients) {
    all.each(|client| client.fetch());
}
fn outside() {
    let client = reqwest::Client::new();
    client.fetch(1);
}
",
    );
    program.check(
        "
        src/other.rs | client.fetch()) | fetch -> src/lib.rs | pub fn fetch | likely
        src/other.rs | fetch(1) | fetch -> nothing
        ",
    );
}

/// Items in the rules of a macro are declared where the macro is called.
#[test]
fn items_in_rules_of_macros() {
    let program = Program::new(
        "//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
#[macro_use]
mod root;

crate_root!();

pub fn start(input: Input) -> u8 {
    helper(1);
    de::read(input)
}
//- /src/root.rs
macro_rules! crate_root {
    () => {
        pub mod de;
        pub use crate::de::Source;

        mod lib {
            pub use self::inner::Bytes;
            mod inner {
                pub struct Bytes;
            }
        }

        fn helper(limit: u8) {}
    };
}
//- /src/de/mod.rs
use crate::lib::Bytes;

pub struct Input;

macro_rules! declare_source {
    (Source: Sized $(+ $($above:ident)::+)*) => {
        pub trait Source: Sized $(+ $($above)::+)* {
            fn missing(name: &str) -> Self;
            fn fetch(&self) -> u8 { 1 }
        }
    };
}

declare_source!(Source: Sized + Send);

macro_rules! sources {
    ($($kind:ty),*) => {
        $(impl Source for Vec<$kind> {
            fn missing(name: &str) -> Self { $crate::helper(2); Vec::new() }
        })*
    };
}

sources!(u8, u16);

pub fn read(input: Input) -> u8 { input.fetch() }

impl Source for Input {
    fn missing(name: &str) -> Self { Bytes; Input }
}
//- /src/user.rs
use crate::Source;

fn run<S: Source>(source: S) -> u8 {
    S::missing(\"x\");
    source.fetch()
}
",
    );
    program.check(
        "
        src/lib.rs | de::read | read -> src/de/mod.rs | pub fn read | static
        src/lib.rs | helper(1) | helper -> src/root.rs | fn helper | static
        src/root.rs | pub use crate | Source -> src/de/mod.rs | pub trait Source | static
        src/de/mod.rs | { Bytes; | Bytes -> src/root.rs | pub struct Bytes | static
        src/de/mod.rs | impl Source for Input | Source -> src/de/mod.rs | pub trait Source | static
        src/de/mod.rs | impl Source for Vec | Source -> src/de/mod.rs | pub trait Source | static
        src/de/mod.rs | $crate::helper | helper -> src/root.rs | fn helper | static
        src/de/mod.rs | input.fetch | fetch -> src/de/mod.rs | fn fetch | static
        src/user.rs | use crate | Source -> src/de/mod.rs | pub trait Source | static
        src/user.rs | S::missing | missing -> src/de/mod.rs | fn missing(name: &str) -> Self; | static
        src/user.rs | source.fetch | fetch -> src/de/mod.rs | fn fetch | static
        ",
    );
}

#[test]
fn items_in_macros() {
    let program = Program::new(
        "//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
#[macro_use]
mod macros;

cfg_rt! {
    pub mod task;
    mod park;

    pub fn spawn(limit: u8) -> task::Handle {
        ready!(crate::task::coop::proceed(limit));
        task::Handle::make(limit)
    }

    cfg_time! {
        pub struct Sleep { pub until: u64 }
        impl Sleep {
            pub fn left(&self) -> u64 { self.until }
        }
    }
}

cfg_if::cfg_if! {
    if #[cfg(unix)] {
        mod unix;
        pub use unix::open;
    } else {
        fn closed() {}
    }
}
//- /src/macros.rs
macro_rules! cfg_rt {
    ($($item:item)*) => { $($item)* };
}
//- /src/park.rs
use crate::Sleep;

pub trait Park {
    fn park(&self);
}
impl crate::task::Wake for Sleep {
    fn wake(&self) {
        self.left();
        crate::open(1);
    }
}
//- /src/unix.rs
pub fn open(mode: u8) {
    assert_eq!(crate::spawn(mode).cap(), 1);
}
//- /src/task/mod.rs
cfg_rt! {
    pub mod coop;
    pub use self::handle::Handle;
}
mod handle;
pub trait Wake {
    fn wake(&self);
}
//- /src/task/coop.rs
pub fn proceed(limit: u8) -> u8 { limit }
//- /src/task/handle.rs
pub struct Handle { cap: u8 }
impl Handle {
    cfg_rt! {
        pub(crate) fn make(cap: u8) -> Handle { Handle { cap } }
        pub(crate) fn cap(&self) -> u8 { self.cap }
    }
}
",
    );
    program.check(
        "
        src/lib.rs | ready! | proceed -> src/task/coop.rs | pub fn proceed | static
        src/lib.rs | pub fn spawn | Handle -> src/task/handle.rs | pub struct Handle | static
        src/lib.rs | Handle::make | make -> src/task/handle.rs | fn make | static
        src/lib.rs | cfg_rt! { | cfg_rt -> src/macros.rs | macro_rules! | static
        src/lib.rs | pub use unix | open -> src/unix.rs | pub fn open | static
        src/park.rs | impl crate | Wake -> src/task/mod.rs | pub trait Wake | static
        src/park.rs | self.left | left -> src/lib.rs | pub fn left | static
        src/park.rs | crate::open | open -> src/unix.rs | pub fn open | static
        src/unix.rs | assert_eq! | spawn -> src/lib.rs | pub fn spawn | static
        src/unix.rs | assert_eq! | cap -> src/task/handle.rs | fn cap | static
        src/task/handle.rs | fn cap | cap#2 -> src/task/handle.rs | pub struct Handle | static
        ",
    );
}

#[test]
fn fields_in_short_and_functions_as_values() {
    let program = Program::new(
        "//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
pub struct Inner {
    thread_cap: usize, // cap
    queue: Queue,
}
pub struct Queue;
impl Queue {
    fn len(&self) -> usize { 0 }
}
fn double(x: usize) -> usize { x * 2 }
impl Inner {
    fn new(thread_cap: usize, queue: Queue) -> Inner {
        Self { thread_cap, queue }
    }
    fn half(x: usize) -> usize { x / 2 }
    fn sum(&self) -> usize {
        let Inner { thread_cap, queue } = self;
        queue.len() + thread_cap
    }
    fn all(&self, all: Vec<usize>) {
        all.iter().copied().map(double).map(Self::half).map(Inner::half);
    }
}
",
    );
    program.check(
        "
        src/lib.rs | Self { thread_cap | thread_cap -> src/lib.rs | // cap | static
        src/lib.rs | let Inner { | thread_cap -> src/lib.rs | // cap | static
        src/lib.rs | queue.len() | len -> src/lib.rs | fn len | static
        src/lib.rs | map(double) | double -> src/lib.rs | fn double | static
        src/lib.rs | map(double) | half -> src/lib.rs | fn half | static
        src/lib.rs | map(double) | half#2 -> src/lib.rs | fn half | static
        ",
    );
}

#[test]
fn types_by_their_paths() {
    let program = Program::new(
        "//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
pub mod store;
pub mod guard;
pub mod other;
pub fn open() -> crate::store::Store { loop {} }
//- /src/store.rs
pub struct Store;
impl Store {
    pub fn close(&self) {}
}
//- /src/guard.rs
pub struct Guard(crate::store::Store);
impl std::ops::Deref for Guard {
    type Target = crate::store::Store;
    fn deref(&self) -> &Self::Target { &self.0 }
}
fn release(guard: &Guard) {
    guard.close();
}
//- /src/other.rs
impl crate::store::Store {
    pub fn reopen(&self) {}
}
fn use_all() {
    let store = crate::open();
    store.close();
    store.reopen();
}
",
    );
    program.check(
        "
        src/guard.rs | guard.close() | close -> src/store.rs | pub fn close | static
        src/other.rs | impl crate | Store -> src/store.rs | pub struct Store | static
        src/other.rs | store.close | close -> src/store.rs | pub fn close | static
        src/other.rs | store.reopen | reopen -> src/other.rs | pub fn reopen | static
        ",
    );
}

#[test]
fn member_among_many_of_its_name() {
    let others: String =
        (0..700).map(|n| format!("pub struct A{n};\nimpl A{n} {{ pub fn new() -> A{n} {{ A{n} }} }}\n")).collect();
    let program = Program::new(&format!(
        "//- /Cargo.toml
[package]
name = \"shop\"
//- /src/a.rs
{others}
//- /src/lib.rs
mod a;
pub struct Store;
impl Store {{
    pub fn new() -> Store {{ Store }}
    pub fn close(&self) {{}}
}}
fn go() {{
    let store = Store::new();
    store.close();
}}
"
    ));
    program.check("src/lib.rs | store.close() | close -> src/lib.rs | pub fn close | static");
}

#[test]
fn modules_and_functions_of_one_name_and_fields_of_variants() {
    let program = Program::new(
        "//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
mod serve;
pub use self::serve::serve;
mod shapes;
//- /src/serve.rs
pub fn serve() {}
//- /src/shapes.rs
use crate::serve;
use std::fmt;
pub trait Area { fn area(&self) -> u8; }
pub enum Shape {
    Circle { radius: u8 },
}
impl Shape {
    fn radius(&self) -> u8 {
        serve();
        match self {
            Shape::Circle { radius } => *radius,
        }
    }
}
impl fmt::Debug for Shape {
    fn fmt(&self) {}
}
pub struct Drawing<A> { shape: A }
impl<A> Drawing<A> where A: Area {
    fn size(self) {
        let Drawing { shape } = self;
        shape.area();
    }
}
fn first(all: Vec<Shape>) {
    all.first().unwrap().radius();
}
",
    );
    program.check(
        "
        src/shapes.rs | use crate | serve -> src/serve.rs | pub fn serve | static
        src/shapes.rs | serve(); | serve -> src/serve.rs | pub fn serve | static
        src/shapes.rs | Shape::Circle { | radius -> src/shapes.rs | radius: u8 | static
        src/shapes.rs | impl fmt | fmt -> nothing
        src/shapes.rs | shape.area() | area -> src/shapes.rs | pub trait Area | static
        src/shapes.rs | all.first() | radius -> src/shapes.rs | fn radius | static
        ",
    );
}

/// Constants in the rules of a macro are its items as functions are.
#[test]
fn constants_in_the_rules_of_a_macro() {
    let program = Program::new(
        "//- /Cargo.toml
[package]
name = \"a\"
//- /src/lib.rs
macro_rules! limits {
    () => {
        pub const LIMIT: u32 = 3;
        pub static SEEN: u32 = LIMIT;
        pub fn most() -> u32 { SEEN }
    };
}
",
    );
    program.check(
        "
        src/lib.rs | SEEN: u32 = LIMIT | LIMIT -> src/lib.rs | const LIMIT | static
        src/lib.rs | fn most | SEEN -> src/lib.rs | static SEEN | static
        ",
    );
}

/// Waiting for a value gives the result that its type declares.
#[test]
fn values_that_are_waited_for() {
    let program = Program::new(
        "//- /Cargo.toml
[package]
name = \"a\"
//- /src/lib.rs
use std::future::IntoFuture;

pub struct Request;
pub struct Reply;
pub struct Other;

impl Request {
    pub fn text(&self) {}
    pub async fn again(self) -> Request { self }
}

impl Reply {
    pub fn text(&self) {}
}

impl IntoFuture for Request {
    type Output = Reply;
    type IntoFuture = std::future::Ready<Reply>;
    fn into_future(self) -> Self::IntoFuture { loop {} }
}

pub async fn run(request: Request) {
    request.text();
    let reply = request.await;
    reply.text(1);
    check!(request.await.text(2));
    let other = other().await;
    other.stay();
}

impl Other {
    pub fn stay(&self) {}
}

async fn other() -> Other { Other }
",
    );
    program.check(
        "
        src/lib.rs | request.text() | text -> src/lib.rs:8 static
        src/lib.rs | reply.text(1) | text -> src/lib.rs:13 static
        src/lib.rs | text(2) | text -> src/lib.rs:13 static
        src/lib.rs | other.stay | stay -> src/lib.rs | fn stay | static
        ",
    );
}

/// Functions have the members that a block adds to all types, and tuples not those of their parts.
#[test]
fn members_of_functions_and_tuples() {
    let program = Program::new(
        "//- /Cargo.toml
[package]
name = \"a\"
//- /src/lib.rs
pub trait Handler {
    fn layer(self);
}

impl<F: Fn()> Handler for F {
    fn layer(self) {}
}

pub struct Status;

impl Status {
    pub fn layer(self) {}
    pub fn code(self) {}
}

pub struct Router;

impl Router {
    pub fn layer(self) {}
}

fn handle() {}

pub fn run() {
    handle.layer();
    (Status, 1).code();
}
",
    );
    program.check(
        "
        src/lib.rs | handle.layer() | layer -> src/lib.rs:2 likely
        src/lib.rs | (Status, 1) | code -> nothing
        ",
    );
}

/// A wrapper has the members of what it is made of.
#[test]
fn contents_of_wrappers() {
    let program = Program::new(
        "//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
use std::sync::Arc;

pub struct Store;
impl Store {
    pub fn open() -> Store { Store }
    pub fn pair() -> (Store, Order) { (Store, Order) }
    pub fn close(&self) {} // store
}
pub struct Order;
impl Order {
    pub fn close(&self) {} // order
}
pub struct Mutex;
impl Mutex {
    pub fn new(order: Order) -> Mutex { Mutex }
    pub fn close(&self) {} // mutex
}
fn run() {
    let store = Arc::new(Store::open());
    store.close(); // 1
    let shared = std::sync::Arc::new(crate::Store::open());
    shared.close(); // 2
    let own = Mutex::new(Order::make());
    own.close(); // 3
    let pair = Arc::new(Store::pair());
    pair.close(); // 4
}
",
    );
    program.check(
        "
        src/lib.rs | store.close(); // 1 | close -> src/lib.rs | {} // store | static
        src/lib.rs | shared.close(); // 2 | close -> src/lib.rs | {} // store | static
        src/lib.rs | own.close(); // 3 | close -> src/lib.rs | {} // mutex | static
        src/lib.rs | pair.close(); // 4 | close -> nothing
        ",
    );
}
