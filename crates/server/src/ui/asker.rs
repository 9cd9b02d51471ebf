//! The questions of one page: who asks, about which repository and ref, with which arguments.

use std::path::PathBuf;

use codecompass_app::api::Answer as _;
use codecompass_app::api::index::server::ServerState;
use codecompass_app::api::metadata::CommonMetadata;
use codecompass_app::api::part::Part as _;
use codecompass_app::error::AppError;
use codecompass_app::remedy::Audience;
use codecompass_app::render::table::Render;
use codecompass_app::session::{CallContext, Session};
use serde_json::{Value, json};

use super::html::Html;
use super::links::Subject;

/// The argument of addresses that asks for a page with its slow parts.
pub(super) const WHOLE: &str = "whole";
/// Repositories of more files show what is quick first.
const LARGE: usize = 20_000;

/// A request for a page.
#[derive(Clone, Debug)]
pub(super) struct PageRequest {
    pub subject: Subject,
    /// The root of the repository.
    pub root: PathBuf,
    /// The names of all repositories that are served.
    pub repositories: Vec<String>,
    /// Path and query as they were asked for.
    pub address: String,
    /// The decoded query.
    pub query: Vec<(String, String)>,
}

/// Asks the questions of a page.
pub(super) struct Asker<'a> {
    pub request: &'a PageRequest,
    pub context: &'a CallContext,
    pub server: &'a dyn ServerState,
}

/// The answer to a request.
pub(super) enum Reply {
    Page(PageContent),
    Redirect(String),
}

/// A page without its frame.
pub(super) struct PageContent {
    pub title: String,
    /// The page that the navigation marks.
    pub name: &'static str,
    pub body: Html,
    /// True if the body has a file, which gets the whole width.
    pub is_wide: bool,
}

impl PageContent {
    pub(super) fn new(name: &'static str, title: impl Into<String>, body: Html) -> PageContent {
        PageContent { title: title.into(), name, body, is_wide: false }
    }
}

impl From<PageContent> for Reply {
    fn from(page: PageContent) -> Reply {
        Reply::Page(page)
    }
}

impl Asker<'_> {
    /// Returns an argument of the address; empty if it is not given.
    pub(super) fn argument(&self, name: &str) -> &str {
        self.request.query.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.trim())
    }

    /// Returns the number that an argument gives, or 0.
    pub(super) fn number(&self, name: &str) -> u32 {
        self.argument(name).parse().unwrap_or(0)
    }

    /// Returns whether slow parts of the page are left out for now: the repository is large, and
    /// the address does not ask for all.
    pub(super) fn is_brief(&self) -> Result<bool, AppError> {
        if !self.argument(WHOLE).is_empty() {
            return Ok(false);
        }
        let session = Session::open_at(self.context, self.subject().reference.as_deref())?;
        Ok(session.ask(|snapshot| Ok(snapshot.paths().count()))? > LARGE)
    }

    pub(super) fn subject(&self) -> &Subject {
        &self.request.subject
    }

    /// Makes a request of its arguments, as a call of a tool does. The ref of the page is added;
    /// arguments that are empty texts are left out.
    pub(super) fn question<R: Render>(&self, arguments: Value) -> Result<R, AppError> {
        let mut arguments = arguments;
        if let Some(object) = arguments.as_object_mut() {
            object.retain(|_, value| !value.is_null() && value.as_str() != Some(""));
            if let Some(reference) = &self.subject().reference {
                object.insert("ref".into(), json!(reference));
            }
        }
        serde_json::from_value(arguments)
            .map_err(|error| AppError::invalid(format!("the address cannot be read: {error}"), "go back to the search"))
    }

    /// Answers a question.
    pub(super) fn ask<R: Render>(&self, arguments: Value) -> Result<R::Answer, AppError> {
        self.answer(&self.question::<R>(arguments)?)
    }

    /// Answers a question that was made already.
    pub(super) fn answer<R: Render>(&self, question: &R) -> Result<R::Answer, AppError> {
        let mut answer = question.answer_for_text(self.context, Audience::Cli)?;
        question.add_server_state(&mut answer, self.server);
        answer.address(Audience::Cli);
        answer.metadata().address(Audience::Cli);
        Ok(answer)
    }
}

/// Writes what an answer says about itself: that it is cut, stale, or what to do.
pub(super) fn notes(html: &mut Html, metadata: &CommonMetadata) {
    if metadata.freshness_status == Some("syncing") {
        html.leaf("p", &[("class", "note")], "The index is being brought up to date; this is the state before.");
    }
    let advice = metadata.suggested_action.iter().flatten().chain(metadata.warnings.iter().flatten());
    for advice in advice {
        html.leaf("p", &[("class", "note")], &advice.text());
    }
}
