//! Types outside of the repository, above and below types here.

use expect_test::expect;

use crate::navigation::check::{Project, check_hierarchy, whole_hierarchy};

/// Types outside are shown as they are written, and a block for all types with what they must have.
#[test]
fn blocks_for_types_outside() {
    check_hierarchy(
        r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
use std::sync::Arc;
pub trait Schedule$0 { fn run(&self); }
pub struct Handle;
impl Schedule for Arc<Handle> { fn run(&self) {} }
impl<T: Clone> Schedule for Vec<T> { fn run(&self) {} }
impl<T: Copy> Schedule for T { fn run(&self) {} }
impl<T: ?Sized + Schedule> Schedule for &mut T where T: Send { fn run(&self) {} }
impl Schedule for &[u8] { fn run(&self) {} }
"#,
        expect![[r#"
            below Arc<Handle> outside block
            below Vec<T> outside block
            below T: Copy (blanket impl) outside block
            below &mut T outside block
            below &[u8] outside block
            has method run
        "#]],
    );
}

/// A type outside is answered for by the types that name it.
#[test]
fn types_below_a_type_outside() {
    let project = Project::new(
        r#"
//- /errors.ts
import { HttpError } from 'http'
export class AppError extends Error {}
export class NotFound extends AppError {}
export class Gone extends HttpError {}
export function error() {}
"#,
    );
    expect![[r#"
        below AppError errors.ts:2 declared
        below   NotFound errors.ts:3 declared
    "#]]
    .assert_eq(&project.hierarchy("Error", &whole_hierarchy()));
    expect![[r#"
        below Gone errors.ts:4 declared
    "#]]
    .assert_eq(&project.hierarchy("HttpError", &whole_hierarchy()));
}
