//! `locate`, `locate_symbol`: the definitions of a name, and the meaning of a name at a place.

use clap::Args;
use codecompass_engine::query::{
    self, AtMeaning, Hit, HitTexts, LocateOptions, MatchClass, Navigator, Neighbours, Repositories, SearchOptions,
    Side, Snippet, SnippetChoice, SnippetOptions, TextOptions,
};
use codecompass_engine::{Confidence, Engine, Error as EngineError, ResolutionEvidence, Snapshot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::arguments::{
    Bounded, DetailArgs, FilterArgs, FilterSchema, PageArgs, RefArgs, filter, one_or_more, symbol,
};
use crate::api::fan_out::Spread;
use crate::api::find::search::CONTEXT_LINES;
use crate::api::metadata::Metadata;
use crate::api::page::Page;
use crate::api::part::{Fields, Part, Reduction, answer_fields, parts, shared_arguments};
use crate::api::rounds::{self, SeveralRepositories};
use crate::api::views::{EnclosingView, HitView, NeighboursView, confidence_word, evidence_word};
use crate::api::{Answer, Request};
use crate::choices::{Detail, Explain};
use crate::error::AppError;
use crate::remedy::Remedy;
use crate::session::{CallContext, Scope, Session};

const DEFAULT_LIMIT: Bounded<1, 1000, 100> = Bounded::new(20);
/// Longer names are not repeated in advice.
const MAX_NAME_BYTES: usize = 100;

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct LocateRequest {
    /// Names, qualified names, symbol ids, path:line, path:line:column, or path::name.
    #[arg(id = "symbol", value_name = "SYMBOL", required_unless_present = "place", conflicts_with = "place")]
    #[serde(default, rename = "symbol", deserialize_with = "one_or_more")]
    #[schemars(with = "Option<String>", description = "Name, path:line or path::name; several: `a, b`.")]
    pub symbols: Vec<String>,
    /// Go to the definition of the name at PATH:LINE:COLUMN, with how sure that is. Columns count
    /// bytes from 1.
    #[arg(id = "place", long = "at", value_name = "PATH:LINE:COLUMN", conflicts_with_all = ["lang", "kind", "path", "path_regex", "exclude", "exclude_regex", "explain"])]
    #[serde(rename = "at")]
    #[schemars(description = "path:line:column of a use; go to its definition.")]
    pub place: Option<String>,
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
    #[serde(default, rename = "ranking_explain_level")]
    #[schemars(with = "Option<Explain>", description = "")]
    pub explain: Explain,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
    /// The amount of detail in each result.
    #[arg(id = "detail", long, value_enum, value_name = "DETAIL", default_value_t = Detail::Signature)]
    #[serde(skip)]
    pub shown_detail: Detail,
    #[arg(skip)]
    #[serde(flatten)]
    pub detail: DetailArgs,
}

fn default_limit() -> Bounded<1, 1000, 100> {
    DEFAULT_LIMIT
}

#[derive(Clone, Debug, Serialize)]
pub struct LocateAnswer {
    pub results: Vec<LocateResult>,
    pub metadata: Metadata<LocateMetadata>,
    #[serde(skip)]
    pub located: Located,
    /// The results behind this page.
    #[serde(skip)]
    pub behind: usize,
}
parts!(LocateAnswer { results });

/// The subject of a lookup, and its outcome.
#[derive(Clone, Debug)]
pub enum Located {
    /// A symbol argument, with a path relative to the root if it is a place.
    Name { asked: String, class: Option<MatchClass> },
    /// The name at a place.
    Place { path: String, line: u32, column: u32, name: String, meaning: AtMeaning, total: usize },
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum LocateMetadata {
    Name {
        #[serde(rename = "match")]
        class: Option<&'static str>,
    },
    Place {
        name: String,
        meaning: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        folder: Option<String>,
    },
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum LocateResult {
    Definition(Box<DefinitionView>),
    Local(LocalView),
}

/// A definition, with how sure it is if it is the meaning of a name at a place.
#[derive(Clone, Debug, Serialize)]
pub struct DefinitionView {
    #[serde(flatten)]
    pub hit: HitView,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "confidence_word")]
    confidence: Option<Confidence>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "evidence_word")]
    evidence: Option<ResolutionEvidence>,
    /// Lines of source, where the detail level is `context`.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_preview: Option<String>,
    #[serde(flatten)]
    pub neighbours: Option<NeighboursView>,
    #[serde(skip)]
    pub snippet: Option<Snippet>,
}
parts!(DefinitionView { body_preview, ..hit }, |view, reduction| {
    if reduction.location_only {
        view.evidence = None;
    }
});

impl DefinitionView {
    /// Adds source and neighbours, where the detail level asks for them.
    fn with_context(mut self, context: Option<(Snippet, Neighbours)>) -> DefinitionView {
        if let Some((snippet, neighbours)) = context {
            self.body_preview = Some(snippet.text());
            self.neighbours = Some(NeighboursView::new(neighbours, &self.hit.hit.path));
            self.snippet = Some(snippet);
        }
        self
    }
}

/// A parameter or local variable.
#[derive(Clone, Debug, Serialize)]
pub struct LocalView {
    pub path: String,
    line_start: u32,
    line_end: u32,
    pub line: u32,
    kind: &'static str,
    name: String,
    declared_type: Option<String>,
    enclosing: EnclosingView,
}
parts!(LocalView { path, name, declared_type, enclosing });

impl LocateResult {
    fn hit_mut(&mut self) -> Option<&mut HitView> {
        match self {
            LocateResult::Definition(definition) => Some(&mut definition.hit),
            LocateResult::Local(_) => None,
        }
    }

    /// Returns the definition, if it is one.
    pub fn definition(&self) -> Option<&DefinitionView> {
        match self {
            LocateResult::Definition(definition) => Some(definition),
            LocateResult::Local(_) => None,
        }
    }
}

impl Part for LocateResult {
    fn json(&self) -> Value {
        match self {
            LocateResult::Definition(definition) => definition.json(),
            LocateResult::Local(local) => local.json(),
        }
    }

    fn fields(&mut self) -> Fields<'_> {
        match self {
            LocateResult::Definition(definition) => definition.fields(),
            LocateResult::Local(local) => local.fields(),
        }
    }

    fn drop_detail(&mut self, reduction: Reduction) {
        match self {
            LocateResult::Definition(definition) => definition.drop_detail(reduction),
            LocateResult::Local(local) => local.drop_detail(reduction),
        }
    }
}

impl Answer for LocateAnswer {
    answer_fields!(LocateMetadata, pages: results);

    fn is_found(&self) -> bool {
        match &self.located {
            Located::Name { .. } => !self.results.is_empty(),
            Located::Place { meaning, .. } => {
                !matches!(meaning, AtMeaning::External | AtMeaning::Unknown | AtMeaning::Nothing)
            }
        }
    }
}

/// Returns the view of a definition without its context.
fn definition(hit: HitView, certainty: Option<(Confidence, ResolutionEvidence)>) -> DefinitionView {
    let (confidence, evidence) = certainty.unzip();
    DefinitionView { hit, confidence, evidence, body_preview: None, neighbours: None, snippet: None }
}

impl LocateRequest {
    /// Returns source and neighbours of hits, where the detail level asks for them.
    fn text_options(&self) -> TextOptions {
        let has_context = self.level() == Detail::Context && !self.detail.compact;
        let options = SnippetOptions { lines: CONTEXT_LINES, choice: SnippetChoice::WithScope };
        TextOptions { snippets: has_context.then_some(options), has_neighbours: has_context }
    }

    fn with_texts(&self, engine: &Engine, snapshot: &Snapshot, hits: Vec<Hit>) -> Result<Vec<HitTexts>, EngineError> {
        let (config, query) = (&engine.config().index, self.symbols.join(" "));
        query::with_texts(snapshot, engine.source(), config, &query, hits, self.text_options())
    }

    /// Returns the detail level, whichever way it was given.
    pub fn level(&self) -> Detail {
        self.detail.level().unwrap_or(self.shown_detail)
    }

    fn page(&self) -> Page {
        Page::new(self.page, self.limit.len())
    }

    /// Returns the name or place that is asked about.
    fn asked(&self) -> &str {
        self.symbols.first().map_or("", String::as_str)
    }

    fn by_name(&self, context: &CallContext) -> Result<LocateAnswer, AppError> {
        let session = self.session(context)?;
        let options = self.options(&session)?;
        let (asked, page) = (symbol(&session, self.asked())?, self.page());
        let wanted = LocateOptions { filter: options.filter.clone(), limit: page.end() };
        let found = session.ask_in(&options.filter, |snapshot| {
            let mut found = query::locate(snapshot, &asked, &wanted)?;
            page.skip(&mut found.hits);
            let texts = self.with_texts(&session.engine, snapshot, std::mem::take(&mut found.hits))?;
            Ok((found, texts))
        })?;
        self.answer_with(context, &session, found, &[])
    }

    /// Goes to the definition of the name at a place.
    fn at_place(&self, context: &CallContext, place: &str) -> Result<LocateAnswer, AppError> {
        let Some((path, line, Some(column))) = query::parse_place(place.trim()) else {
            return Err(AppError::invalid(format!("`{place}` is no place"), Remedy::GiveFullPlace));
        };
        let session = Session::open_at(context, self.at.name())?;
        let path = session.relative_path(path)?;
        let (engine, page) = (&session.engine, self.page());
        let (path, found, texts) = session.ask(|snapshot| {
            let path = query::resolve_path(snapshot, &path)?;
            let side = Side { snapshot, source: engine.source() };
            let navigator = Navigator::new(snapshot);
            let mut found = query::at(&navigator, side, &engine.config().index, (&path, line, column), page.end())?;
            page.skip(&mut found.hits);
            let texts = self.with_texts(engine, snapshot, std::mem::take(&mut found.hits))?;
            Ok((path, found, texts))
        })?;
        let behind = page.behind(found.total, texts.len());
        let certainty = match &found.meaning {
            AtMeaning::Found { confidence, evidence } => Some((*confidence, *evidence)),
            _ => None,
        };
        let view = |HitTexts { hit, snippet, neighbours }| {
            let view = definition(HitView::symbol(hit), certainty);
            LocateResult::Definition(Box::new(view.with_context(snippet.zip(neighbours))))
        };
        let mut results: Vec<LocateResult> = texts.into_iter().map(view).collect();
        if let AtMeaning::Local { of, line, declared } = &found.meaning {
            results.push(LocateResult::Local(LocalView {
                path: path.clone(),
                line_start: *line,
                line_end: *line,
                line: *line,
                kind: "local",
                name: found.name.clone(),
                declared_type: declared.clone(),
                enclosing: of.clone().into(),
            }));
        }
        let folder = match &found.meaning {
            AtMeaning::Module { folder } => folder.clone(),
            _ => None,
        };
        let meaning = word(&found.meaning);
        let mut metadata =
            Metadata::new(&session).with(LocateMetadata::Place { name: found.name.clone(), meaning, folder });
        metadata.count(found.total.max(results.len()), results.len());
        page.mark(&mut metadata, &[found.total]);
        let (name, meaning, total) = (found.name, found.meaning, found.total);
        Ok(LocateAnswer {
            results,
            metadata,
            located: Located::Place { path, line, column, name, meaning, total },
            behind,
        })
    }
}

impl Request for LocateRequest {
    type Answer = LocateAnswer;
    shared_arguments!(at, detail);

    fn spread(&self) -> Spread {
        // A place is in one repository.
        if self.place.is_some() { Spread::Owner } else { Spread::Together }
    }

    fn subjects(&mut self) -> Vec<&mut String> {
        self.symbols.iter_mut().chain(&mut self.place).collect()
    }

    fn symbols(&mut self) -> Option<&mut Vec<String>> {
        Some(&mut self.symbols)
    }

    fn round(&self, context: &CallContext, round: &[u8]) -> Result<Vec<u8>, AppError> {
        rounds::answer(self, context, round)
    }

    fn answer(&self, context: &CallContext) -> Result<LocateAnswer, AppError> {
        match (&context.scope, self.symbols.first(), &self.place) {
            (Scope::Several(choice), Some(_), None) => rounds::ask(context, self, choice),
            (Scope::Placed(placed), Some(_), None) => rounds::ask_placed(context, self, placed),
            (_, Some(_), None) => self.by_name(context),
            (_, None, Some(place)) => self.at_place(context, place),
            _ => Err(AppError::invalid("exactly one of `symbol` and `at` is needed", "give one of them")),
        }
    }
}

impl SeveralRepositories for LocateRequest {
    type Found = (query::LocateAnswer, Vec<HitTexts>);

    fn session(&self, context: &CallContext) -> Result<Session, AppError> {
        Session::open_at(context, self.at.name())
    }

    fn options(&self, session: &Session) -> Result<SearchOptions, AppError> {
        let (filter, source) = (filter(&self.filter, session)?, Some(session.engine.source().clone()));
        Ok(SearchOptions { filter, source, ..SearchOptions::default() })
    }

    fn find_in_several(
        &self,
        _context: &CallContext,
        repositories: &dyn Repositories,
    ) -> Result<Self::Found, EngineError> {
        let page = self.page();
        let mut found = query::locate_several(repositories, self.asked(), page.end())?;
        page.skip(&mut found.hits);
        let (hits, query) = (std::mem::take(&mut found.hits), self.symbols.join(" "));
        let texts = query::texts_of_several(repositories, &query, hits, self.text_options())?;
        Ok((found, texts))
    }

    fn answer_with(
        &self,
        context: &CallContext,
        session: &Session,
        (found, texts): Self::Found,
        names: &[String],
    ) -> Result<LocateAnswer, AppError> {
        let (asked, page, shown) = (symbol(session, self.asked())?, self.page(), texts.len());
        let mut metadata =
            Metadata::new(session).with(LocateMetadata::Name { class: found.class.map(MatchClass::as_str) });
        metadata.count(found.total, shown);
        page.mark(&mut metadata, &[found.total]);
        if found.total == 0 {
            metadata.suggest(match asked.len() <= MAX_NAME_BYTES {
                true => Remedy::SearchFor(asked.clone()),
                false => Remedy::DescribeInWords,
            });
        }
        let behind = page.behind(found.total, shown);
        let view = |HitTexts { hit, snippet, neighbours }| {
            let view = definition(HitView::result(hit, self.level().min(Detail::Signature), self.explain), None);
            LocateResult::Definition(Box::new(view.with_context(snippet.zip(neighbours))))
        };
        let mut results: Vec<LocateResult> = texts.into_iter().map(view).collect();
        rounds::name_repositories(names, context.format, results.iter_mut().filter_map(LocateResult::hit_mut));
        Ok(LocateAnswer { results, metadata, located: Located::Name { asked, class: found.class }, behind })
    }
}

fn word(meaning: &AtMeaning) -> &'static str {
    match meaning {
        AtMeaning::Definition => "definition",
        AtMeaning::Found { .. } => "found",
        AtMeaning::Ambiguous => "ambiguous",
        AtMeaning::External => "external",
        AtMeaning::Module { .. } => "module",
        AtMeaning::Local { .. } => "local",
        AtMeaning::Unknown => "unknown",
        AtMeaning::Nothing => "nothing",
    }
}
