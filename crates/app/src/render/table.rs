//! The table of texts: the function that words the answer to each question.

use super::find::context::TextForm;
use super::navigate::steps::TextSteps;
use super::text_tokens;
use super::{files, find, history, index, navigate, relations, symbols};
use crate::api::Request;
use crate::api::files::list::ListRequest;
use crate::api::files::read::ReadRequest;
use crate::api::find::analyze::AnalyzeRequest;
use crate::api::find::context::ContextRequest;
use crate::api::find::explain::ExplainRequest;
use crate::api::find::grep::GrepRequest;
use crate::api::find::search::SearchRequest;
use crate::api::find::suggest::SuggestRequest;
use crate::api::history::commits::HistoryRequest;
use crate::api::history::hot_spots::HotSpotsRequest;
use crate::api::history::symbol::SymbolHistoryRequest;
use crate::api::index::branches::BranchesRequest;
use crate::api::index::build::IndexRequest;
use crate::api::index::doctor::DoctorRequest;
use crate::api::index::status::StatusRequest;
use crate::api::index::switch::SwitchRequest;
use crate::api::index::sync::SyncRequest;
use crate::api::navigate::calls::CallsRequest;
use crate::api::navigate::compare::CompareRequest;
use crate::api::navigate::diff::DiffRequest;
use crate::api::navigate::endpoints::EndpointsRequest;
use crate::api::navigate::impact::ImpactRequest;
use crate::api::navigate::refs::RefsRequest;
use crate::api::navigate::services::ServicesRequest;
use crate::api::navigate::trace::TraceRequest;
use crate::api::relations::deps::DepsRequest;
use crate::api::relations::hierarchy::HierarchyRequest;
use crate::api::relations::overview::OverviewRequest;
use crate::api::relations::projects::ProjectsRequest;
use crate::api::relations::related::RelatedRequest;
use crate::api::relations::similar::SimilarRequest;
use crate::api::symbols::find::FindRequest;
use crate::api::symbols::locate::LocateRequest;
use crate::api::symbols::outline::OutlineRequest;
use crate::api::symbols::show::ShowRequest;
use crate::choices::ColorWhen;
use crate::error::AppError;
use crate::remedy::Audience;
use crate::session::{CallContext, OutputFormat};

/// A question whose answer has a text.
pub trait Render: Request {
    /// Returns the answer as text for a reader.
    fn text(&self, answer: &Self::Answer, audience: Audience) -> String;

    /// Answers the question for a reader of text; where a token budget is a part of the question,
    /// it holds for that text.
    fn answer_for_text(&self, context: &CallContext, _voice: Audience) -> Result<Self::Answer, AppError> {
        self.answer(context)
    }

    /// Answers the question in the form that is asked for.
    fn answer_in_form(&self, context: &CallContext, audience: Audience) -> Result<Self::Answer, AppError> {
        match context.format {
            OutputFormat::Json => self.answer(context),
            OutputFormat::Text => self.answer_for_text(context, audience),
        }
    }
}

impl Render for ContextRequest {
    fn text(&self, answer: &Self::Answer, audience: Audience) -> String {
        find::context::text(self, answer, audience)
    }

    fn answer_for_text(&self, context: &CallContext, audience: Audience) -> Result<Self::Answer, AppError> {
        self.answer_in(context, &TextForm { is_styled: context.color == ColorWhen::Always, audience })
    }
}

impl Render for OutlineRequest {
    fn text(&self, answer: &Self::Answer, audience: Audience) -> String {
        symbols::outline::text(self, answer, audience)
    }

    fn answer_for_text(&self, context: &CallContext, audience: Audience) -> Result<Self::Answer, AppError> {
        self.answer_within(context, &|answer| text_tokens(&self.text(answer, audience)))
    }
}

impl Render for CallsRequest {
    fn text(&self, answer: &Self::Answer, audience: Audience) -> String {
        navigate::calls::text(self, answer, audience)
    }

    fn answer_for_text(&self, context: &CallContext, audience: Audience) -> Result<Self::Answer, AppError> {
        self.answer_in(context, &TextSteps { audience })
    }
}

impl Render for TraceRequest {
    fn text(&self, answer: &Self::Answer, audience: Audience) -> String {
        navigate::trace::text(self, answer, audience)
    }

    fn answer_for_text(&self, context: &CallContext, audience: Audience) -> Result<Self::Answer, AppError> {
        self.traced(context, &TextSteps { audience })
    }
}

impl Render for ImpactRequest {
    fn text(&self, answer: &Self::Answer, audience: Audience) -> String {
        navigate::impact::text(self, answer, audience)
    }

    fn answer_for_text(&self, context: &CallContext, audience: Audience) -> Result<Self::Answer, AppError> {
        self.answer_in(context, &TextSteps { audience })
    }
}

macro_rules! render {
    ($($request:ty => $text:path,)+) => {$(
        impl Render for $request {
            fn text(&self, answer: &Self::Answer, audience: Audience) -> String {
                $text(self, answer, audience)
            }
        }
    )+};
}

render! {
    SearchRequest => find::search::text,
    AnalyzeRequest => find::analyze::text,
    GrepRequest => find::grep::text,
    ExplainRequest => find::explain::text,
    SuggestRequest => find::suggest::text,
    LocateRequest => symbols::locate::text,
    FindRequest => symbols::find::text,
    ShowRequest => symbols::show::text,
    ReadRequest => files::read::text,
    ListRequest => files::list::text,
    RefsRequest => navigate::refs::text,
    DiffRequest => navigate::diff::text,
    CompareRequest => navigate::compare::text,
    EndpointsRequest => navigate::endpoints::text,
    ServicesRequest => navigate::services::text,
    HierarchyRequest => relations::hierarchy::text,
    DepsRequest => relations::deps::text,
    OverviewRequest => relations::overview::text,
    ProjectsRequest => relations::projects::text,
    RelatedRequest => relations::related::text,
    SimilarRequest => relations::similar::text,
    HistoryRequest => history::commits::text,
    SymbolHistoryRequest => history::symbol::text,
    HotSpotsRequest => history::hot_spots::text,
    BranchesRequest => index::branches::text,
    SwitchRequest => index::switch::text,
    IndexRequest => index::build::text,
    SyncRequest => index::sync::text,
    StatusRequest => index::status::text,
    DoctorRequest => index::doctor::text,
}
