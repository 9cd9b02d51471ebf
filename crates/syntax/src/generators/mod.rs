//! Generators of gRPC code: the names that each gives to the bases of servers, to stubs and to
//! methods.
//!
//! A generator is a folder below `generators/` and one row in `table.rs`. Names are templates such
//! as `Unimplemented{service:pascal}Server`, which `names` expands. `calls` reads the calls that
//! register servers, with their arguments.

mod calls;
mod names;
mod settings;
mod table;

pub use self::calls::{ArgumentFact, CallFact, CallTarget, named_calls};
pub use self::names::{NamePath, camel, expand, pascal, snake};
pub use self::settings::{ClientCallRule, DecoratorRule, GeneratorSettings, RegistrationRule};
pub use self::table::{Generator, generators};
