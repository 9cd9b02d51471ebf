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
