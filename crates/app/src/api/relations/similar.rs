//! `similar`, `search_similar_symbol`: what is like a symbol.

use clap::Args;
use codecompass_engine::query::{self, Navigator, Similar, SimilarOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::arguments::{
    Bounded, DetailArgs, FilterArgs, FilterSchema, PageArgs, RefArgs, SymbolArgs, filter, symbol,
};
use crate::api::fan_out::Spread;
use crate::api::metadata::Metadata;
use crate::api::page::Page;
use crate::api::part::{answer_fields, parts, shared_arguments};
use crate::api::views::{HitView, SubjectView};
use crate::api::{Answer, Request};
use crate::choices::{Detail, Explain};
use crate::error::AppError;
use crate::session::{CallContext, Session};

const DEFAULT_LIMIT: Bounded<1, 1000, 100> = Bounded::new(10);

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct SimilarRequest {
    #[command(flatten)]
    #[serde(flatten)]
    pub subject: SymbolArgs,
    /// At most this many results.
    #[arg(long, short = 'n', default_value_t = DEFAULT_LIMIT)]
    #[serde(default = "default_limit")]
    #[schemars(description = "")]
    pub limit: Bounded<1, 1000, 100>,
    #[command(flatten)]
    #[serde(flatten)]
    #[schemars(with = "FilterSchema")]
    pub filter: FilterArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
    /// Show what each score is made of.
    #[arg(long, value_enum, default_value_t = Explain::Off, num_args = 0..=1, default_missing_value = "full", require_equals = true)]
    #[serde(skip)]
    pub explain: Explain,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
    #[arg(skip)]
    #[serde(flatten)]
    pub detail: DetailArgs,
}

fn default_limit() -> Bounded<1, 1000, 100> {
    DEFAULT_LIMIT
}

#[derive(Clone, Debug, Serialize)]
pub struct SimilarAnswer {
    pub symbol: HitView,
    pub results: Vec<SimilarView>,
    pub others: Vec<HitView>,
    pub metadata: Metadata<SimilarMetadata>,
    #[serde(skip)]
    pub others_total: usize,
    /// The results behind this page.
    #[serde(skip)]
    pub behind: usize,
}
parts!(SimilarAnswer { symbol, results, others });

#[derive(Clone, Debug, Serialize)]
pub struct SimilarMetadata {
    /// The number of symbols that were compared.
    pub compared: usize,
}

/// A symbol that is like another.
#[derive(Clone, Debug, Serialize)]
pub struct SimilarView {
    #[serde(flatten)]
    pub hit: HitView,
    #[serde(rename = "identical")]
    pub is_identical: bool,
    pub shared_names: Vec<String>,
}
parts!(SimilarView { shared_names, ..hit });

impl From<Similar> for SimilarView {
    fn from(similar: Similar) -> SimilarView {
        SimilarView {
            hit: HitView::result(similar.hit, Detail::Signature, Explain::Full),
            is_identical: similar.is_identical,
            shared_names: similar.shared,
        }
    }
}

impl Answer for SimilarAnswer {
    answer_fields!(SimilarMetadata, pages: results);

    fn is_found(&self) -> bool {
        !self.results.is_empty()
    }
}

impl Request for SimilarRequest {
    type Answer = SimilarAnswer;
    shared_arguments!(at, detail);

    fn spread(&self) -> Spread {
        Spread::Owner
    }

    fn symbols(&mut self) -> Option<&mut Vec<String>> {
        Some(&mut self.subject.symbols)
    }

    fn answer(&self, context: &CallContext) -> Result<SimilarAnswer, AppError> {
        let session = Session::open_at(context, self.at.name())?;
        let page = Page::new(self.page, self.limit.len());
        let options = SimilarOptions { filter: filter(&self.filter, &session)?, limit: page.end() };
        let symbol = symbol(&session, self.subject.only())?;
        let mut found =
            session.ask_in(&options.filter, |snapshot| query::similar(&Navigator::new(snapshot), &symbol, &options))?;
        page.skip(&mut found.similar);
        let results: Vec<SimilarView> = found.similar.into_iter().map(SimilarView::from).collect();
        let mut metadata = Metadata::new(&session).with(SimilarMetadata { compared: found.compared });
        metadata.count(found.total, results.len());
        page.mark(&mut metadata, &[found.total]);
        let behind = page.behind(found.total, results.len());
        let SubjectView { symbol, others, others_total, .. } = SubjectView::scored(found.subject);
        Ok(SimilarAnswer { symbol, results, others, metadata, others_total, behind })
    }
}
