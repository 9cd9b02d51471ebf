//! `refs`, `find_references`: the uses of a symbol.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
use codecompass_engine::query::{self, LinePlace, Navigator, RefsOptions, Scope, UseClass};
use codecompass_engine::syntax::facts::RefKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::arguments::{
    Bounded, CertaintyArgs, DetailArgs, PageArgs, RefArgs, ScopeArgs, SymbolArgs, one, symbol,
};
use crate::api::by_project::{by_project, several_projects};
use crate::api::fan_out::Spread;
use crate::api::metadata::Metadata;
use crate::api::navigate::accounting::{AccountingView, ClassCounts};
use crate::api::navigate::graph::LeftOutView;
use crate::api::page::Page;
use crate::api::part::{answer_fields, parts, shared_arguments};
use crate::api::views::{HitView, SubjectDefinitionView, SubjectView, UseView, line_place, use_views};
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::session::{CallContext, OutputFormat, Session};

/// At most this many uses.
pub type NavigationLimit = Bounded<1, 100_000, 1000>;

/// Uses that text lists if not told otherwise.
const TEXT_LIMIT: NavigationLimit = NavigationLimit::new(100);
/// Programs read all there is, within reason.
const JSON_LIMIT: NavigationLimit = NavigationLimit::new(1000);

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct RefsRequest {
    #[command(flatten)]
    #[serde(flatten)]
    pub subject: SymbolArgs,
    /// At most this many uses [default: 100, with --json 1000].
    #[arg(long, short = 'n')]
    #[serde(default = "tool_limit")]
    #[schemars(with = "NavigationLimit", description = "")]
    pub limit: Option<NavigationLimit>,
    /// Only this kind of use; may be given several times.
    #[arg(long, value_enum, value_name = "KIND")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<UseKind>", description = "")]
    pub kind: Vec<UseKind>,
    #[command(flatten)]
    #[serde(flatten)]
    pub certainty: CertaintyArgs,
    /// Only uses in files of this language; may be given several times.
    #[arg(long, value_name = "LANGUAGE")]
    #[serde(default, rename = "language", deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "")]
    pub lang: Vec<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ScopeArgs,
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

/// A tool lists as many as text does, since it pays for each.
fn tool_limit() -> Option<NavigationLimit> {
    Some(TEXT_LIMIT)
}

/// A way in which a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UseKind {
    /// Called, instantiated or applied.
    Call,
    /// Named as a type.
    Type,
    /// Named as a supertype, trait or interface.
    Inherit,
    /// Named in an import.
    Import,
    /// Assigned to, or maybe so: its address is taken.
    Write,
    /// Anything else.
    Read,
    /// Its address is taken.
    Address,
    /// Another declaration of it.
    Declaration,
}

impl From<UseKind> for RefKind {
    fn from(kind: UseKind) -> RefKind {
        match kind {
            UseKind::Call => RefKind::Call,
            UseKind::Type => RefKind::Type,
            UseKind::Inherit => RefKind::Inherit,
            UseKind::Import => RefKind::Import,
            UseKind::Write => RefKind::Write,
            UseKind::Read => RefKind::Read,
            UseKind::Address => RefKind::Address,
            UseKind::Declaration => RefKind::Declaration,
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct RefsAnswer {
    pub symbol: HitView,
    pub references: Vec<UseView>,
    pub total: usize,
    pub others: Vec<HitView>,
    /// Other places of the symbol itself: overloads, declarations, parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<HitView>,
    /// The definitions that the uses are of, where the name means several; if these are too many,
    /// those to choose from, and no uses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<SubjectDefinitionView>,
    /// The uses that filters leave out, if they are few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<UseView>,
    pub metadata: Metadata<RefsMetadata>,
    #[serde(skip)]
    pub others_total: usize,
    /// The uses behind this page.
    #[serde(skip)]
    pub behind: usize,
    /// True if there are too many definitions to answer for.
    #[serde(skip)]
    pub is_open: bool,
}
parts!(RefsAnswer { symbol, references, others, parts, definitions, left_out });

#[derive(Clone, Debug, Serialize)]
pub struct RefsMetadata {
    pub files: usize,
    pub by_kind: BTreeMap<&'static str, usize>,
    pub left_out_by_filters: usize,
    /// The same by filter.
    #[serde(skip_serializing_if = "LeftOutView::is_empty")]
    pub left_out_by: LeftOutView,
    /// The uses that fit the filters, by class.
    pub by_class: ClassCounts,
    /// The uses that this page leaves out, by class.
    #[serde(skip_serializing_if = "ClassCounts::is_empty")]
    pub not_listed: ClassCounts,
    /// All occurrences of the name, whatever the filters are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accounting: Option<AccountingView>,
    /// By kind, in the order of kinds.
    #[serde(skip)]
    pub kinds: Vec<(&'static str, usize)>,
}

impl Answer for RefsAnswer {
    answer_fields!(RefsMetadata, pages: references);

    fn is_found(&self) -> bool {
        !self.references.is_empty() || self.is_open
    }
}

impl Request for RefsRequest {
    type Answer = RefsAnswer;
    shared_arguments!(at, detail);

    fn spread(&self) -> Spread {
        Spread::Owner
    }

    fn symbols(&mut self) -> Option<&mut Vec<String>> {
        Some(&mut self.subject.symbols)
    }

    fn answer(&self, context: &CallContext) -> Result<RefsAnswer, AppError> {
        let session = Session::open_at(context, self.at.name())?;
        let usual = if context.is_json() { JSON_LIMIT } else { TEXT_LIMIT };
        let page = Page::new(self.page, self.limit.unwrap_or(usual).len());
        let Scope { filter, tests, .. } = self.scope.scope_in(&self.lang, &session)?;
        let options = RefsOptions {
            kinds: self.kind.iter().map(|kind| RefKind::from(*kind)).collect(),
            least: self.certainty.least(),
            filter,
            tests,
            limit: page.end(),
        };
        let symbol = symbol(&session, self.subject.only())?;
        let engine = &session.engine;
        let (found, lines, projects) = session.ask_in(&options.filter, |snapshot| {
            let navigator = Navigator::new(snapshot).reading(engine.source(), &engine.config().index);
            let mut found = query::refs(&navigator, &symbol, &options)?;
            page.skip(&mut found.uses);
            let lines = match context.format {
                OutputFormat::Json => Vec::new(),
                OutputFormat::Text => {
                    let sites = found.uses.iter().chain(&found.few_filtered);
                    let places: Vec<LinePlace<'_>> = sites.map(line_place).collect();
                    query::source_lines(snapshot, engine.source(), &engine.config().index, &places)?
                }
            };
            Ok((found, lines, several_projects(&session, snapshot)))
        })?;
        let listed = UseClass::ALL.map(|class| found.uses.iter().filter(|site| site.class == class).count());
        let mut lines = lines;
        let left_out_lines = lines.split_off(found.uses.len().min(lines.len()));
        let left_out = use_views(found.few_filtered, left_out_lines);
        let definitions: Vec<usize> = found.uses.iter().map(|site| site.definition).collect();
        let mut references = use_views(found.uses, lines);
        if !found.subject.definitions.is_empty() {
            let sure = references.iter_mut().zip(definitions).filter(|(use_, _)| use_.confidence != UseClass::Possible);
            let count = found.subject.definitions.len();
            sure.for_each(|(use_, definition)| use_.definition = Some(definition).filter(|number| *number < count));
        }
        let mut metadata = Metadata::new(&session).with(RefsMetadata {
            files: found.by_file.len(),
            by_kind: found.by_kind.iter().copied().collect(),
            left_out_by_filters: found.filtered.total(),
            left_out_by: found.filtered.into(),
            by_class: found.by_class.into(),
            not_listed: [0, 1, 2].map(|class| found.by_class[class].saturating_sub(listed[class])).into(),
            accounting: found.accounting.map(AccountingView::from),
            kinds: found.by_kind,
        });
        metadata.by_project =
            by_project(projects.as_deref(), found.by_file.iter().map(|(path, count)| (path.as_str(), *count)));
        metadata.count(found.total, references.len());
        page.mark(&mut metadata, &[found.total]);
        let behind = page.behind(found.total, references.len());
        let SubjectView { symbol, others, others_total, definitions, is_open } = found.subject.into();
        let parts = found.parts.into_iter().map(HitView::symbol).collect();
        let total = found.total;
        Ok(RefsAnswer {
            symbol,
            references,
            total,
            others,
            parts,
            definitions,
            left_out,
            metadata,
            others_total,
            behind,
            is_open,
        })
    }
}
