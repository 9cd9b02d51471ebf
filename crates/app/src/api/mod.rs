//! The questions that can be asked, one file each: a request, which flags and the arguments of a
//! tool decode into alike, and a typed answer, which text, `--json` and the server render.
//!
//! ```text
//! flags ─┐                              ┌─> render: text
//!        ├─> Request ── answer ──> Answer ──> --json
//! tools ─┘                              └─> detail level, token budget, MCP
//! ```

pub mod any;
pub mod arguments;
mod bounded;
pub mod by_project;
pub mod fan_out;
pub mod files;
pub mod find;
pub mod history;
pub mod index;
pub mod metadata;
pub mod navigate;
pub mod page;
pub mod part;
pub mod relations;
pub mod rounds;
pub mod shares;
pub mod store;
pub mod symbols;
pub mod views;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use self::fan_out::Spread;
use self::index::server::ServerState;
use self::metadata::Metadata;
use self::part::{Paged, Part, Reduction};
use crate::error::AppError;
use crate::remedy::Audience;
use crate::session::CallContext;

/// A question with its arguments. One type describes the flags (clap), the schema of the tool
/// (schemars) and the decoding of a call (serde).
pub trait Request: Clone + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    type Answer: Answer;

    /// Answers the question.
    fn answer(&self, context: &CallContext) -> Result<Self::Answer, AppError>;

    /// Returns the ref that the question names. A server waits for saved files only where there is
    /// none.
    fn reference(&self) -> Option<&str> {
        None
    }

    /// Returns the symbols that are asked about, where a question takes several.
    fn symbols(&mut self) -> Option<&mut Vec<String>> {
        None
    }

    /// Returns the symbol that is asked about, by which the repositories are found that have it.
    fn symbol(&mut self) -> Option<&str> {
        self.symbols()?.first().map(String::as_str)
    }

    /// Returns how the question is put to several repositories.
    fn spread(&self) -> Spread {
        Spread::One
    }

    /// Returns the symbols and paths that the question is about, which may have the name of a
    /// repository before them.
    fn subjects(&mut self) -> Vec<&mut String> {
        self.lists().map(|list| list.iter_mut().collect()).unwrap_or_default()
    }

    /// Returns the symbols or paths that are asked about one by one in several repositories.
    fn lists(&mut self) -> Option<&mut Vec<String>> {
        self.symbols()
    }

    /// Answers a round of the question for one of several repositories that answer together.
    fn round(&self, _context: &CallContext, _round: &[u8]) -> Result<Vec<u8>, AppError> {
        Err(AppError::internal("the question is not asked in rounds"))
    }

    /// Adds what only the server knows that the question came through.
    fn add_server_state(&self, _answer: &mut Self::Answer, _server: &dyn ServerState) {}

    /// Returns what the caller of a tool does not want to see.
    fn reduction(&self) -> Reduction {
        Reduction::default()
    }
}

/// The answer to a question.
pub trait Answer: Part + Serialize + Clone + Send + 'static {
    /// The metadata that only this question has.
    type Extra: Serialize + Clone;

    fn metadata(&mut self) -> &mut Metadata<Self::Extra>;

    /// Returns the lists and texts that `offset` skips items and lines of.
    fn pages(&mut self) -> Vec<Paged<'_>> {
        Vec::new()
    }

    /// Returns whether there is anything in it; the command line's exit code says so.
    fn is_found(&self) -> bool {
        true
    }

    /// Returns whether what was asked about is there, whatever is found about it.
    fn is_known(&self) -> bool {
        true
    }

    /// Returns what the command line says on stderr beside the text.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the answer as JSON with advice for `audience`.
    fn to_json(mut self, audience: Audience) -> Value {
        Part::address(&mut self, audience);
        self.metadata().address(audience);
        self.json()
    }
}
