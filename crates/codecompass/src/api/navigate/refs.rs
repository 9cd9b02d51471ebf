//! `refs`, `find_references`: the uses of a symbol.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
use codecompass_engine::query::{self, Navigator, RefsOptions, TestUses, UseSite};
use codecompass_engine::syntax::facts::RefKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::arguments::{Bounded, CertaintyArgs, DetailArgs, FilterArgs, PageArgs, RefArgs, filter, one, symbol};
use crate::api::metadata::Metadata;
use crate::api::page::Page;
use crate::api::part::{Paged, Reduction, parts};
use crate::api::views::{HitView, SubjectView, UseView};
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::session::{CallContext, OutputFormat, Session};

/// At most this many uses.
pub(crate) type Limit = Bounded<1, 100_000, 1000>;

/// Uses that text lists if not told otherwise.
const TEXT_LIMIT: Limit = Limit::new(100);
/// Programs read all there is, within reason.
const JSON_LIMIT: Limit = Limit::new(1000);

#[derive(Debug, Args, Deserialize, JsonSchema)]
pub(crate) struct RefsRequest {
    /// A name, a qualified name, a symbol id, path:line, or path:line:column.
    #[arg(value_name = "SYMBOL")]
    #[schemars(description = "Name, qualified name, symbol_id or path:line.")]
    pub symbol: String,
    /// At most this many uses [default: 100, with --json 1000].
    #[arg(long, short = 'n')]
    #[serde(default = "tool_limit")]
    #[schemars(with = "Limit", description = "")]
    pub limit: Option<Limit>,
    /// Only this kind of use; may be given several times.
    #[arg(long, value_enum, value_name = "KIND")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<UseKind>", description = "How it is used.")]
    pub kind: Vec<UseKind>,
    #[command(flatten)]
    #[serde(flatten)]
    pub certainty: CertaintyArgs,
    /// Only uses in files of this language; may be given several times.
    #[arg(long, value_name = "LANGUAGE")]
    #[serde(default, rename = "language", deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "")]
    pub lang: Vec<String>,
    /// Only uses below this folder, or in paths that match this glob; may be given several times.
    #[arg(long, value_name = "PATH")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "")]
    pub path: Vec<String>,
    /// The treatment of uses in tests.
    #[arg(long, value_enum, default_value_t = TestsArg::Include, value_name = "WHAT")]
    #[serde(default)]
    #[schemars(with = "Option<TestsArg>", description = "")]
    pub tests: TestsArg,
    /// Also list, apart, uses that may mean this symbol or another one.
    #[arg(long)]
    #[serde(default)]
    #[schemars(description = "List uses that may mean another symbol, too.")]
    pub ambiguous: bool,
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
fn tool_limit() -> Option<Limit> {
    Some(TEXT_LIMIT)
}

/// A way in which a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UseKind {
    /// Called, instantiated or applied.
    Call,
    /// Named as a type.
    Type,
    /// Named as a supertype, trait or interface.
    Inherit,
    /// Named in an import.
    Import,
    /// Assigned to.
    Write,
    /// Anything else.
    Read,
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
        }
    }
}

/// The treatment of uses in tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TestsArg {
    /// List them like all others.
    #[default]
    Include,
    /// Leave them out.
    Exclude,
    /// List nothing else.
    Only,
}

impl From<TestsArg> for TestUses {
    fn from(tests: TestsArg) -> TestUses {
        match tests {
            TestsArg::Include => TestUses::Include,
            TestsArg::Exclude => TestUses::Exclude,
            TestsArg::Only => TestUses::Only,
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct RefsAnswer {
    pub symbol: HitView,
    pub references: Vec<UseView>,
    pub total: usize,
    pub others: Vec<HitView>,
    /// Other places of the symbol itself: overloads, declarations, parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<HitView>,
    /// Uses that may mean another symbol, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ambiguous: Option<Vec<UseView>>,
    pub metadata: Metadata<RefsMetadata>,
    #[serde(skip)]
    pub others_total: usize,
    /// The uses and the ambiguous ones behind this page.
    #[serde(skip)]
    pub behind: (usize, usize),
}
parts!(RefsAnswer { symbol, references, others, parts, ambiguous });

#[derive(Clone, Debug, Serialize)]
pub(crate) struct RefsMetadata {
    pub files: usize,
    pub by_kind: BTreeMap<&'static str, usize>,
    pub heuristic: usize,
    pub left_out_by_filters: usize,
    pub ambiguous: usize,
    /// By kind, in the order of kinds.
    #[serde(skip)]
    pub kinds: Vec<(&'static str, usize)>,
}

impl Answer for RefsAnswer {
    type Extra = RefsMetadata;

    fn metadata(&mut self) -> &mut Metadata<RefsMetadata> {
        &mut self.metadata
    }

    fn pages(&mut self) -> Vec<Paged<'_>> {
        vec![Paged::new("references", &mut self.references), Paged::optional("ambiguous", self.ambiguous.as_mut())]
    }

    fn is_found(&self) -> bool {
        !self.references.is_empty() || self.ambiguous.as_ref().is_some_and(|uses| !uses.is_empty())
    }
}

impl Request for RefsRequest {
    type Answer = RefsAnswer;

    fn reference(&self) -> Option<&str> {
        self.at.name()
    }

    fn reduction(&self) -> Reduction {
        self.detail.reduction()
    }

    fn answer(&self, context: &CallContext) -> Result<RefsAnswer, AppError> {
        let session = Session::open_at(context, self.at.name())?;
        let usual = if context.is_json() { JSON_LIMIT } else { TEXT_LIMIT };
        let page = Page::new(self.page, self.limit.unwrap_or(usual).len());
        let only = FilterArgs { lang: self.lang.clone(), kind: Vec::new(), path: self.path.clone() };
        let options = RefsOptions {
            kinds: self.kind.iter().map(|kind| RefKind::from(*kind)).collect(),
            static_only: self.certainty.static_only(),
            filter: filter(&only)?,
            tests: self.tests.into(),
            limit: page.end(),
        };
        let symbol = symbol(&session, &self.symbol)?;
        let engine = &session.engine;
        let (found, lines, ambiguous_lines) = session.ask(|snapshot| {
            let mut found = query::refs(&Navigator::new(snapshot), &symbol, &options)?;
            page.skip(&mut found.uses);
            page.skip(&mut found.ambiguous);
            let lines = |sites: &[UseSite]| match context.format {
                OutputFormat::Json => Ok(Vec::new()),
                OutputFormat::Text => {
                    let places: Vec<(&str, u32)> = sites.iter().map(|site| (site.path.as_str(), site.line)).collect();
                    query::source_lines(snapshot, engine.source(), &engine.config().index, &places)
                }
            };
            let ambiguous_lines = if self.ambiguous { lines(&found.ambiguous)? } else { Vec::new() };
            let lines = lines(&found.uses)?;
            Ok((found, lines, ambiguous_lines))
        })?;
        let ambiguous = self.ambiguous.then(|| views(found.ambiguous, ambiguous_lines, false));
        let references = views(found.uses, lines, true);
        let ambiguous_listed = if self.ambiguous { found.ambiguous_total } else { 0 };
        let mut metadata = Metadata::new(&session).with(RefsMetadata {
            files: found.files,
            by_kind: found.by_kind.iter().map(|(kind, count)| (kind.as_str(), *count)).collect(),
            heuristic: found.heuristic,
            left_out_by_filters: found.filtered,
            ambiguous: found.ambiguous_total,
            kinds: found.by_kind.iter().map(|(kind, count)| (kind.as_str(), *count)).collect(),
        });
        metadata.count(found.total, references.len());
        page.mark(&mut metadata, &[found.total, ambiguous_listed]);
        let behind = (
            page.behind(found.total, references.len()),
            page.behind(ambiguous_listed, ambiguous.as_ref().map_or(0, Vec::len)),
        );
        let SubjectView { symbol, others, others_total } = found.subject.into();
        let parts = found.parts.into_iter().map(HitView::symbol).collect();
        Ok(RefsAnswer {
            symbol,
            references,
            total: found.total,
            others,
            parts,
            ambiguous,
            metadata,
            others_total,
            behind,
        })
    }
}

fn views(sites: Vec<UseSite>, lines: Vec<String>, is_sure: bool) -> Vec<UseView> {
    let lines = lines.into_iter().chain(std::iter::repeat(String::new()));
    sites.into_iter().zip(lines).map(|(site, source)| UseView { source, ..UseView::new(site, is_sure) }).collect()
}
