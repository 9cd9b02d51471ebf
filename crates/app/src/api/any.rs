//! Questions and answers of any type. What is done with all of them alike, such as asking several
//! repositories or cutting an answer to a budget, is written and compiled once for these.

use serde_json::Value;

use super::index::server::ServerState;
use super::metadata::CommonMetadata;
use super::part::{Paged, Part};
use crate::error::AppError;
use crate::remedy::Audience;
use crate::session::CallContext;

/// The way in which a question is put to several repositories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// All repositories answer it as one.
    Together,
    /// It goes to the repositories that have what it is about.
    Owner,
    /// Each repository answers for itself.
    Each,
    /// It is about one checkout.
    One,
}

/// A question of any type: a [`Request`](super::Request).
pub trait AnyQuestion: Send + Sync {
    fn reference(&self) -> Option<&str>;

    fn symbols(&mut self) -> Option<&mut Vec<String>>;

    fn symbol(&mut self) -> Option<&str>;

    fn spread(&self) -> Spread;

    fn subjects(&mut self) -> Vec<&mut String>;

    fn lists(&mut self) -> Option<&mut Vec<String>>;

    fn round(&self, context: &CallContext, round: &[u8]) -> Result<Vec<u8>, AppError>;

    /// Returns a copy.
    fn copied(&self) -> Box<dyn AnyQuestion>;

    /// Answers the question in the form that `context` asks for. The answer keeps the question.
    fn answer(self: Box<Self>, context: &CallContext, audience: Audience) -> Result<Box<dyn AnyAnswer>, AppError>;
}

/// An answer of any type, with its question as it was put.
pub trait AnyAnswer: Part + Send {
    fn question(&self) -> &dyn AnyQuestion;

    fn metadata(&mut self) -> &mut CommonMetadata;

    /// Returns the metadata as JSON, with the fields of this question alone.
    fn metadata_json(&mut self) -> Value;

    /// Leaves of the metadata only what an answer must say that has no room to say more.
    fn keep_essential_metadata(&mut self);

    fn pages(&mut self) -> Vec<Paged<'_>>;

    fn is_found(&self) -> bool;

    fn is_known(&self) -> bool;

    fn notes(&self) -> Vec<String>;

    /// Returns a copy.
    fn copied(&self) -> Box<dyn AnyAnswer>;

    /// Adds what only the server knows that the question came through.
    fn add_server_state(&mut self, server: &dyn ServerState);

    /// Drops what the caller of a tool does not want to see.
    fn drop_unwanted(&mut self);

    /// Returns the answer as text.
    fn text(&self, audience: Audience) -> String;
}

impl dyn AnyAnswer {
    /// Returns the answer as JSON with advice for `audience`.
    pub fn addressed_json(&mut self, audience: Audience) -> Value {
        Part::address(self, audience);
        self.metadata().address(audience);
        self.json()
    }
}
