//! The page for people: server-rendered HTML on the same index and the same typed answers as the
//! commands and tools, useful without JavaScript.
//!
//! ```text
//! request ──> serve ──> pages ──> api ──> answer ──> html
//!             address   one each  the question        escaped
//! ```
//!
//! `serve` reads addresses, which `links` makes, and runs a page in one of the threads of
//! calls. A page asks the questions that commands ask through `asker` and writes its answers with
//! `html`, where only literals of this program are markup. `layout` is the frame of all pages,
//! `source` shows code, `graph` draws boxes and lines. `assets/` holds the style and a few
//! scripts, which add typing search, hover cards, keys, expanding graphs and live updates.

mod asker;
mod assets;
mod graph;
mod html;
mod layout;
mod links;
mod pages;
mod parts;
mod serve;
mod source;

pub use self::serve::routes;
