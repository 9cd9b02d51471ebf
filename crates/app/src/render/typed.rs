//! Requests and their answers behind the traits for those of any type.

use serde_json::{Value, json};

use super::table::Render;
use crate::api::any::{AnyAnswer, AnyQuestion};
use crate::api::fan_out::Spread;
use crate::api::index::server::ServerState;
use crate::api::metadata::CommonMetadata;
use crate::api::part::{Fields, LeftOut, Paged, Part, Reduction};
use crate::api::{Answer as _, Request};
use crate::error::AppError;
use crate::remedy::Audience;
use crate::session::CallContext;

/// An answer with its question as it was put.
struct TypedAnswer<R: Request> {
    request: R,
    answer: R::Answer,
}

impl<R: Render> AnyQuestion for R {
    fn reference(&self) -> Option<&str> {
        Request::reference(self)
    }

    fn symbols(&mut self) -> Option<&mut Vec<String>> {
        Request::symbols(self)
    }

    fn symbol(&mut self) -> Option<&str> {
        Request::symbol(self)
    }

    fn spread(&self) -> Spread {
        Request::spread(self)
    }

    fn subjects(&mut self) -> Vec<&mut String> {
        Request::subjects(self)
    }

    fn lists(&mut self) -> Option<&mut Vec<String>> {
        Request::lists(self)
    }

    fn round(&self, context: &CallContext, round: &[u8]) -> Result<Vec<u8>, AppError> {
        Request::round(self, context, round)
    }

    fn copied(&self) -> Box<dyn AnyQuestion> {
        Box::new(self.clone())
    }

    fn answer(self: Box<Self>, context: &CallContext, audience: Audience) -> Result<Box<dyn AnyAnswer>, AppError> {
        let answer = self.answer_in_form(context, audience)?;
        Ok(Box::new(TypedAnswer { request: *self, answer }))
    }
}

impl<R: Render> Part for TypedAnswer<R> {
    fn json(&self) -> Value {
        self.answer.json()
    }

    fn fields(&mut self) -> Fields<'_> {
        self.answer.fields()
    }

    fn drop_detail(&mut self, reduction: Reduction) {
        self.answer.drop_detail(reduction);
    }

    fn reduce(&mut self, reduction: Reduction) {
        self.answer.reduce(reduction);
    }

    fn address(&mut self, audience: Audience) {
        Part::address(&mut self.answer, audience);
    }

    fn shrink(&mut self, room: usize, place: &str, left_out: &mut LeftOut) {
        self.answer.shrink(room, place, left_out);
    }
}

impl<R: Render> AnyAnswer for TypedAnswer<R> {
    fn question(&self) -> &dyn AnyQuestion {
        &self.request
    }

    fn metadata(&mut self) -> &mut CommonMetadata {
        self.answer.metadata()
    }

    fn metadata_json(&mut self) -> Value {
        json!(self.answer.metadata())
    }

    fn keep_essential_metadata(&mut self) {
        self.answer.metadata().keep_essential();
    }

    fn pages(&mut self) -> Vec<Paged<'_>> {
        self.answer.pages()
    }

    fn is_found(&self) -> bool {
        self.answer.is_found()
    }

    fn is_known(&self) -> bool {
        self.answer.is_known()
    }

    fn notes(&self) -> Vec<String> {
        self.answer.notes()
    }

    fn copied(&self) -> Box<dyn AnyAnswer> {
        Box::new(TypedAnswer { request: self.request.clone(), answer: self.answer.clone() })
    }

    fn add_server_state(&mut self, server: &dyn ServerState) {
        self.request.add_server_state(&mut self.answer, server);
    }

    fn drop_unwanted(&mut self) {
        self.answer.reduce(self.request.reduction());
    }

    fn text(&self, audience: Audience) -> String {
        self.request.text(&self.answer, audience)
    }
}
