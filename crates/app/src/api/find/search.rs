//! `search`, `search_code`: any question, best answers first.

use std::collections::BTreeMap;

use clap::Args;
use codecompass_engine::model::SkipReason;
use codecompass_engine::query::{
    self, GroupBy, HitTexts, QueryClass, Repositories, SearchOptions, Snippet, SnippetChoice, SnippetOptions,
    TextOptions,
};
use codecompass_engine::scan::SkippedPath;
use codecompass_engine::syntax::facts::SymbolRole;
use codecompass_engine::{Error as EngineError, Snapshot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::metadata::{self, QueryPartsView, SearchMetadata};
use crate::api::arguments::{Bounded, FilterArgs, MeaningArgs, PageArgs, RefArgs, RoleArgs, filter, one};
use crate::api::by_project::{ProjectCount, by_project, several_projects};
use crate::api::fan_out::Spread;
use crate::api::metadata::Metadata;
use crate::api::page::Page;
use crate::api::part::{answer_fields, parts, shared_arguments};
use crate::api::rounds::{self, SeveralRepositories};
use crate::api::views::{HitView, NeighboursView};
use crate::api::{Answer, Request};
use crate::choices::{Detail, Explain, Group};
use crate::error::AppError;
use crate::session::{At, CallContext, OutputFormat, Scope, Session};
use crate::settings::Settings;

/// At most this many results.
pub type Limit = Bounded<1, 1000, 100>;

const DEFAULT_LIMIT: Limit = Limit::new(10);
/// The same for questions that ask for every place.
const CROSS_CUTTING_LIMIT: Limit = Limit::new(20);

/// Lines of source of a result with context.
pub const CONTEXT_LINES: usize = 20;

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct SearchRequest {
    /// A name, a path, an error message, or a question in words.
    #[arg(required = true, num_args = 1.., value_name = "QUERY")]
    #[serde(deserialize_with = "one")]
    #[schemars(with = "String", description = "Name, path, error message, or question in words.")]
    pub query: Vec<String>,
    /// At most this many results [default: 10, or 20 if the question asks for every place].
    #[arg(long, short = 'n')]
    #[schemars(description = "")]
    pub limit: Option<Limit>,
    /// The way results of one file are put together: its best one, or every definition for itself.
    #[arg(long, value_enum, value_name = "BY")]
    #[schemars(description = "")]
    pub group: Option<Group>,
    #[command(flatten)]
    #[serde(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub roles: RoleArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
    /// The amount of detail in each result.
    #[arg(long, value_enum, default_value_t = Detail::Signature)]
    #[serde(default, rename = "detail_level")]
    #[schemars(with = "Option<Detail>", description = "location: places; context: with source.")]
    pub detail: Detail,
    /// Leave out sources and snippets.
    #[arg(long)]
    #[serde(default)]
    #[schemars(description = "Leave out source.")]
    pub compact: bool,
    /// Show what each score is made of.
    #[arg(long, value_enum, default_value_t = Explain::Off, num_args = 0..=1, default_missing_value = "full", require_equals = true)]
    #[serde(default, rename = "ranking_explain_level")]
    #[schemars(with = "Option<Explain>", description = "")]
    pub explain: Explain,
    #[command(flatten)]
    #[serde(flatten)]
    pub meaning: MeaningArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
}

#[derive(Clone, Debug, Serialize)]
pub struct SearchAnswer {
    pub results: Vec<SearchResult>,
    pub metadata: Metadata<SearchMetadata>,
    /// The results behind this page.
    #[serde(skip)]
    pub behind: usize,
    /// True if there is no file to search; the advice says why.
    #[serde(skip)]
    pub nothing_to_search: bool,
    /// The number of lines that have the text of the query.
    #[serde(skip)]
    pub exact_lines: usize,
}
parts!(SearchAnswer { results });

#[derive(Clone, Debug, Serialize)]
pub struct SearchResult {
    #[serde(flatten)]
    pub hit: HitView,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_preview: Option<String>,
    /// Present where the detail level is `context`.
    #[serde(flatten)]
    pub neighbours: Option<NeighboursView>,
    /// The role of the definition, where the question is about roles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'static str>,
    /// The part of the tree it belongs to, where a question asks for every place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    #[serde(skip)]
    pub snippet: Option<Snippet>,
}
parts!(SearchResult { body_preview, ..hit });

impl Answer for SearchAnswer {
    answer_fields!(SearchMetadata, pages: results);

    fn is_found(&self) -> bool {
        !self.results.is_empty()
    }

    fn notes(&self) -> Vec<String> {
        self.metadata.warnings.iter().flatten().map(|warning| warning.text().into_owned()).collect()
    }
}

/// The results of a search.
pub struct SearchFound {
    /// Without hits.
    found: query::SearchAnswer,
    /// The hits on this page.
    texts: Vec<HitTexts>,
    counts: Vec<ProjectCount>,
}

impl SearchRequest {
    /// Returns which lines and neighbours to show of each result.
    fn text_options(&self, format: OutputFormat) -> TextOptions {
        let snippets = match self.detail {
            _ if self.compact => None,
            Detail::Location => None,
            Detail::Signature if format == OutputFormat::Json => None,
            Detail::Signature => Some(SnippetOptions { lines: 1, choice: SnippetChoice::Around }),
            Detail::Context => Some(SnippetOptions { lines: CONTEXT_LINES, choice: SnippetChoice::WithScope }),
        };
        TextOptions { snippets, has_neighbours: self.detail == Detail::Context && !self.compact }
    }

    fn query(&self) -> String {
        self.query.join(" ")
    }

    fn page(&self) -> Page {
        Page::new(self.page, self.limit.unwrap_or_else(|| usual_limit(&self.query())).len())
    }

    /// Searches one repository.
    fn find(
        &self,
        format: OutputFormat,
        session: &Session,
        snapshot: &Snapshot,
        options: &SearchOptions,
    ) -> Result<SearchFound, EngineError> {
        let (engine, query) = (&session.engine, self.query());
        let mut found = query::search(snapshot, &query, &*rounds::told(session, snapshot, options)?)?;
        self.page().skip(&mut found.hits);
        let paths = found.hits.iter().map(|hit| (hit.path.as_str(), 1));
        let counts = by_project(several_projects(session, snapshot).as_deref(), paths);
        let (hits, config) = (std::mem::take(&mut found.hits), &engine.config().index);
        let texts = query::with_texts(snapshot, engine.source(), config, &query, hits, self.text_options(format))?;
        Ok(SearchFound { found, texts, counts })
    }

    fn result(&self, texts: HitTexts, provenance: Option<&'static str>) -> SearchResult {
        let HitTexts { hit, snippet, neighbours } = texts;
        SearchResult {
            neighbours: neighbours.map(|neighbours| NeighboursView::new(neighbours, &hit.path)),
            provenance: provenance.filter(|_| self.detail >= Detail::Signature),
            body_preview: snippet.as_ref().map(Snippet::text),
            role: Some(hit.symbol_role)
                .filter(|role| !self.roles.role.is_empty() && *role != SymbolRole::Plain)
                .map(SymbolRole::as_str),
            hit: HitView::result(hit, self.detail, self.explain),
            module: None,
            snippet,
        }
    }
}

impl Request for SearchRequest {
    type Answer = SearchAnswer;
    shared_arguments!(at);

    fn spread(&self) -> Spread {
        Spread::Together
    }

    fn round(&self, context: &CallContext, round: &[u8]) -> Result<Vec<u8>, AppError> {
        rounds::answer(self, context, round)
    }

    fn answer(&self, context: &CallContext) -> Result<SearchAnswer, AppError> {
        match &context.scope {
            Scope::Several(choice) => rounds::ask(context, self, choice),
            Scope::Placed(placed) => rounds::ask_placed(context, self, placed),
            Scope::One(_) | Scope::Shard(_) => {
                let session = self.session(context)?;
                let options = self.options(&session)?;
                let find = |snapshot: &Snapshot| self.find(context.format, &session, snapshot, &options);
                let found = session.ask_in(&options.filter, find)?;
                self.answer_with(context, &session, found, &[])
            }
        }
    }
}

impl SeveralRepositories for SearchRequest {
    type Found = SearchFound;

    fn session(&self, context: &CallContext) -> Result<Session, AppError> {
        let adjust = |settings: &mut Settings| self.meaning.adjust(settings);
        Session::open_with_models(context, At::Ref(self.at.name()), adjust)
    }

    fn options(&self, session: &Session) -> Result<SearchOptions, AppError> {
        let filter = filter(&self.filter, session)?;
        let engine = &session.engine;
        let confidence_threshold = Some(engine.config().semantic.confidence_threshold);
        let (semantic, tuning) = (engine.semantic(), engine.config().search.clone());
        let source = Some(engine.source().clone());
        let group = self.group.map(GroupBy::from);
        let (limit, roles) = (self.page().end(), self.roles.filter()?);
        Ok(SearchOptions { filter, roles, limit, semantic, confidence_threshold, tuning, source, group })
    }

    fn find_in_several(
        &self,
        context: &CallContext,
        repositories: &dyn Repositories,
    ) -> Result<SearchFound, EngineError> {
        let (query, page) = (self.query(), self.page());
        let mut found = query::search_several(repositories, &query, page.end(), self.group.map(GroupBy::from))?;
        page.skip(&mut found.hits);
        let hits = std::mem::take(&mut found.hits);
        let texts = query::texts_of_several(repositories, &query, hits, self.text_options(context.format))?;
        Ok(SearchFound { found, texts, counts: Vec::new() })
    }

    fn answer_with(
        &self,
        context: &CallContext,
        session: &Session,
        SearchFound { mut found, texts, counts }: SearchFound,
        names: &[String],
    ) -> Result<SearchAnswer, AppError> {
        let (page, shown) = (self.page(), texts.len());
        let nothing_to_search = found.nothing_to_search && texts.is_empty();
        let mut metadata = metadata::metadata(session, &found);
        if nothing_to_search && names.is_empty() {
            metadata.suggest(nothing_indexed(&session.engine.skipped()?).into());
        }
        metadata.by_project = counts;
        metadata.count(found.total, shown);
        page.mark(&mut metadata, &[found.total]);
        let mut results: Vec<SearchResult> = texts
            .into_iter()
            .map(|texts| {
                let provenance = metadata::provenance(session, &found, &texts.hit);
                self.result(texts, provenance)
            })
            .collect();
        rounds::name_repositories(names, context.format, results.iter_mut().map(|result| &mut result.hit));
        if found.class == QueryClass::CrossCutting && names.is_empty() {
            set_modules(&mut results);
        }
        if let (Some(extra), true) = (&mut metadata.extra, self.explain != Explain::Off) {
            extra.query_parts = found.parts.take().map(QueryPartsView::from);
        }
        let (behind, exact_lines) = (page.behind(found.total, shown), found.exact_lines);
        Ok(SearchAnswer { results, metadata, behind, nothing_to_search, exact_lines })
    }
}

/// Says why no file is indexed.
fn nothing_indexed(skipped: &[SkippedPath]) -> String {
    let reason = |reason: &SkipReason| match reason {
        SkipReason::BuiltIn(rule) => (*rule).to_string(),
        SkipReason::IgnoreFile { file, .. } => format!("by {file}"),
        other => other.code().replace('_', " "),
    };
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    skipped.iter().for_each(|path| *reasons.entry(reason(&path.reason)).or_default() += 1);
    let reasons: Vec<String> = reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    if reasons.is_empty() {
        "nothing to search: the workspace has no files".to_string()
    } else {
        format!("nothing to search: all paths of the workspace are left out ({})", reasons.join(", "))
    }
}

/// The number of results of a question without a limit.
fn usual_limit(query: &str) -> Limit {
    match query::class(query) {
        QueryClass::CrossCutting => CROSS_CUTTING_LIMIT,
        _ => DEFAULT_LIMIT,
    }
}

/// Folders of a module below the one that all results are in.
const MODULE_DEPTH: usize = 2;

/// Notes of each result the folder below the one that all of them are in, unless it is the same.
fn set_modules(results: &mut [SearchResult]) {
    let folder = |result: &SearchResult| -> Vec<String> {
        let folder = result.hit.hit.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        folder.split('/').map(str::to_string).collect()
    };
    let folders: Vec<Vec<String>> = results.iter().map(folder).collect();
    let common = |a: &[String], b: &[String]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let first = folders.first().cloned().unwrap_or_default();
    let shared = folders.iter().map(|folder| common(folder, &first)).min().unwrap_or(0);
    let modules: Vec<String> =
        folders.iter().map(|folder| folder[..folder.len().min(shared + MODULE_DEPTH)].join("/")).collect();
    let is_one = modules.iter().all(|module| Some(module) == modules.first());
    if !is_one {
        results.iter_mut().zip(modules).for_each(|(result, module)| result.module = Some(module));
    }
}
