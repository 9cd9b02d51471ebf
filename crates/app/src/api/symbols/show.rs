//! `show`, `get_symbol`: the source of a symbol.

use clap::Args;
use codecompass_engine::query::{self, Navigator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::attributes::{AttributesView, CountsView};
use crate::api::arguments::{DetailArgs, FilterArgs, FilterSchema, PageArgs, RefArgs, SymbolArgs, filter, symbol};
use crate::api::fan_out::Spread;
use crate::api::metadata::{Metadata, NoExtra, Nullable};
use crate::api::page::Page;
use crate::api::part::{Paged, answer_fields, parts, shared_arguments};
use crate::api::views::{HitView, SubjectView};
use crate::api::{Answer, Request};
use crate::error::{AppError, Code};
use crate::remedy::Remedy;
use crate::session::{CallContext, Session};

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct ShowRequest {
    #[command(flatten)]
    #[serde(flatten)]
    pub subject: SymbolArgs,
    #[command(flatten)]
    #[serde(flatten)]
    #[schemars(with = "FilterSchema")]
    pub filter: FilterArgs,
    /// Count callers, callees, tests, subtypes and references.
    #[arg(long)]
    #[serde(default)]
    #[schemars(description = "")]
    pub counts: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
    #[arg(skip)]
    #[serde(flatten)]
    pub detail: DetailArgs,
}

#[derive(Clone, Debug, Serialize)]
pub struct ShowAnswer {
    pub symbol: ShownSymbol,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The number of the first line of `source`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_line: Option<u32>,
    pub others: Vec<HitView>,
    pub metadata: Metadata,
    #[serde(skip)]
    pub others_total: usize,
}
parts!(ShowAnswer { symbol, source, others }, |answer, reduction| {
    if reduction.compact {
        (answer.source, answer.source_line) = (None, None);
    }
});

/// A symbol with its doc comment.
#[derive(Clone, Debug, Serialize)]
pub struct ShownSymbol {
    #[serde(flatten)]
    pub hit: HitView,
    #[serde(skip_serializing_if = "Option::is_none")]
    doc: Nullable<String>,
    /// Absent of text that belongs to no definition.
    #[serde(flatten)]
    pub attributes: Option<AttributesView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<CountsView>,
}
parts!(ShownSymbol { doc, ..hit }, |symbol, reduction| {
    if reduction.compact {
        symbol.doc = None;
    }
    if reduction.location_only {
        symbol.attributes = None;
    }
});

impl Answer for ShowAnswer {
    answer_fields!(NoExtra);

    fn pages(&mut self) -> Vec<Paged<'_>> {
        vec![Paged::optional("source", self.source.as_mut())]
    }
}

impl Request for ShowRequest {
    type Answer = ShowAnswer;
    shared_arguments!(at, detail);

    fn spread(&self) -> Spread {
        Spread::Owner
    }

    fn symbols(&mut self) -> Option<&mut Vec<String>> {
        Some(&mut self.subject.symbols)
    }

    fn answer(&self, context: &CallContext) -> Result<ShowAnswer, AppError> {
        let session = Session::open_at(context, self.at.name())?;
        let filter = filter(&self.filter, &session)?;
        let symbol = symbol(&session, self.subject.only())?;
        if is_range_of_lines(&symbol) {
            let message = format!("`{symbol}` is a range of lines, not a symbol");
            return Err(AppError::new(Code::SymbolNotFound, message, Remedy::ReadLines(symbol)));
        }
        let engine = &session.engine;
        let (found, attributes, counts) = session.ask_in(&filter, |snapshot| {
            let found = query::show(snapshot, engine.source(), &engine.config().index, &symbol, &filter)?;
            let hit = &found.subject.hit;
            let counts = if self.counts { Navigator::new(snapshot).counts_of(hit)? } else { None };
            let attributes = query::attributes(snapshot, hit)?;
            Ok((found, attributes, counts))
        })?;
        // There is no limit: all lines behind the first ones.
        let page = Page::new(self.page, usize::MAX);
        let (source, skipped) = page.lines(&found.source);
        let mut metadata = Metadata::new(&session);
        page.mark(&mut metadata, &[]);
        let doc = found.subject.hit.doc.clone();
        let SubjectView { symbol, others, others_total, .. } = SubjectView::scored(found.subject);
        Ok(ShowAnswer {
            symbol: ShownSymbol {
                hit: symbol,
                doc: Some(doc),
                attributes: attributes.map(AttributesView::from),
                counts: counts.map(|(counts, ties)| CountsView::new(counts, Some(ties))),
            },
            source: Some(source),
            source_line: Some(found.source_line + skipped as u32),
            others,
            metadata,
            others_total,
        })
    }
}

/// Returns whether an argument is `path:10-20`.
fn is_range_of_lines(symbol: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let lines = symbol.rsplit_once(':').and_then(|(_, lines)| lines.split_once('-'));
    lines.is_some_and(|(start, end)| is_number(start) && (end.is_empty() || is_number(end)))
}
