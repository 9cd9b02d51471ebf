//! `related`, `find_related_symbols`: what belongs together with a symbol.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
use codecompass_engine::history::{self, ChangedWith, SymbolPlace};
use codecompass_engine::query::{self, Navigator, Related, RelatedOptions, Tie};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::api::arguments::{
    Bounded, DetailArgs, FilterArgs, FilterSchema, PageArgs, RefArgs, SymbolArgs, filter, one, symbol,
};
use crate::api::fan_out::Spread;
use crate::api::metadata::{Completeness, Metadata, NoExtra};
use crate::api::page::Page;
use crate::api::part::{Paged, answer_fields, parts, shared_arguments};
use crate::api::views::{HitView, SubjectView};
use crate::api::{Answer, Request};
use crate::choices::{Detail, Explain};
use crate::error::AppError;
use crate::session::{CallContext, Session};

const DEFAULT_LIMIT: Bounded<1, 1000, 100> = Bounded::new(8);

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct RelatedRequest {
    #[command(flatten)]
    #[serde(flatten)]
    pub subject: SymbolArgs,
    /// Only this: `test` (tests of it), `used` (what it uses), `used-together` (what the same
    /// functions use), `beside` (what stands in the same type or file), `changes-with` (what the
    /// same commits change); may be given several times.
    #[arg(long, value_enum, value_name = "WHAT")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<RelatedKind>", description = "")]
    pub only: Vec<RelatedKind>,
    /// At most this many of each.
    #[arg(long, short = 'n', default_value_t = DEFAULT_LIMIT)]
    #[serde(default = "default_limit")]
    #[schemars(description = "Of each.")]
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

/// A way in which code belongs together with a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RelatedKind {
    /// Its tests.
    Test,
    /// Symbols that it uses.
    Used,
    /// Symbols that the same functions use.
    UsedTogether,
    /// Symbols in the same type or file.
    Beside,
    /// Files and symbols that the same commits change.
    ChangesWith,
}

impl RelatedKind {
    fn tie(self) -> Option<Tie> {
        match self {
            RelatedKind::Test => Some(Tie::Test),
            RelatedKind::Used => Some(Tie::Used),
            RelatedKind::UsedTogether => Some(Tie::UsedTogether),
            RelatedKind::Beside => Some(Tie::Beside),
            RelatedKind::ChangesWith => None,
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct RelatedAnswer {
    pub symbol: HitView,
    /// One group behind the other.
    pub results: Vec<RelatedView>,
    /// The sizes of the groups, of each of which an answer has one page.
    #[serde(serialize_with = "by_word")]
    pub totals: BTreeMap<Tie, usize>,
    users: usize,
    pub others: Vec<HitView>,
    /// Files and symbols that the same commits change, where the history is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes_with: Option<ChangesWithView>,
    pub metadata: Metadata,
    #[serde(skip)]
    pub others_total: usize,
}
parts!(RelatedAnswer { symbol, results, others, changes_with });

/// Files and symbols that change together with a symbol or its file.
#[derive(Clone, Debug, Serialize)]
pub struct ChangesWithView {
    /// The commits that changed the file of the symbol.
    pub file_commits: usize,
    pub files: Vec<ChangedWithView>,
    /// The commits that changed the symbol, where symbols were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol_commits: Option<usize>,
    pub symbols: Vec<ChangedWithView>,
    #[serde(skip)]
    pub more_files: usize,
    #[serde(skip)]
    pub more_symbols: usize,
}
parts!(ChangesWithView { files, symbols });

/// A file or symbol that changes together with another.
#[derive(Clone, Debug, Serialize)]
pub struct ChangedWithView {
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The commits that changed both.
    pub commits: usize,
    /// Their part in the commits that changed the first; from 0 to 1.
    pub share: f64,
}
parts!(ChangedWithView { path, symbol });

impl From<ChangedWith> for ChangedWithView {
    fn from(other: ChangedWith) -> ChangedWithView {
        ChangedWithView {
            path: other.path,
            line: other.symbol.as_ref().map(|symbol| symbol.line),
            kind: other.symbol.as_ref().map(|symbol| symbol.kind),
            symbol: other.symbol.map(|symbol| symbol.name),
            commits: other.commits,
            share: (other.share * 1000.0).round() / 1000.0,
        }
    }
}

/// A symbol that belongs together with another.
#[derive(Clone, Debug, Serialize)]
pub struct RelatedView {
    #[serde(flatten)]
    pub hit: HitView,
    #[serde(rename = "relation", serialize_with = "tie_word")]
    pub tie: Tie,
    pub common_users: usize,
}
parts!(RelatedView { ..hit });

fn tie_word<S: Serializer>(tie: &Tie, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(tie.as_str())
}

fn by_word<S: Serializer>(totals: &BTreeMap<Tie, usize>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(totals.iter().map(|(tie, total)| (tie.as_str(), total)))
}

impl From<Related> for RelatedView {
    fn from(related: Related) -> RelatedView {
        RelatedView {
            hit: HitView::result(related.hit, Detail::Signature, Explain::Full),
            tie: related.tie,
            common_users: related.common_users,
        }
    }
}

impl Answer for RelatedAnswer {
    answer_fields!(NoExtra);

    fn pages(&mut self) -> Vec<Paged<'_>> {
        let is_one_group = self.results.windows(2).all(|pair| pair[0].tie == pair[1].tie);
        vec![Paged { is_one_group, ..Paged::new("results", &mut self.results) }]
    }

    fn is_found(&self) -> bool {
        let changes = self.changes_with.as_ref();
        !self.totals.is_empty() || changes.is_some_and(|with| !with.files.is_empty() || !with.symbols.is_empty())
    }
}

impl RelatedRequest {
    /// Returns the stretch of each group that is shown.
    pub fn page(&self) -> Page {
        Page::new(self.page, self.limit.len())
    }

    /// Finds what changes together with a symbol. Symbols, which cost the parse of many versions,
    /// only if they are asked for; files also if the history is read already.
    fn changes_with(&self, session: &Session, hit: &query::Hit) -> Result<Option<ChangesWithView>, AppError> {
        let (engine, page) = (&session.engine, self.page());
        let is_asked = self.only.contains(&RelatedKind::ChangesWith);
        if !is_asked && (!self.only.is_empty() || !history::is_history_ready(engine, None)) {
            return Ok(None);
        }
        let shown = |found: Vec<ChangedWith>| -> (Vec<ChangedWithView>, usize) {
            let total = found.len();
            let items: Vec<ChangedWithView> =
                found.into_iter().skip(page.offset()).take(page.limit()).map(ChangedWithView::from).collect();
            let behind = page.behind(total, items.len());
            (items, behind)
        };
        let found = session.with_progress(|bar| history::files_changed_with(engine, &hit.path, bar))?;
        let (file_commits, (files, more_files)) = (found.commits, shown(found.others));
        let mut view = ChangesWithView {
            file_commits,
            files,
            symbol_commits: None,
            symbols: Vec::new(),
            more_files,
            more_symbols: 0,
        };
        if is_asked {
            let place = SymbolPlace {
                path: hit.path.clone(),
                local_name: hit.local_name.clone(),
                kind: hit.kind.as_str().to_string(),
                line: hit.line_start,
            };
            let found = session.with_progress(|bar| history::symbols_changed_with(engine, &place, bar))?;
            view.symbol_commits = Some(found.commits);
            (view.symbols, view.more_symbols) = shown(found.others);
        }
        let is_empty = view.files.is_empty() && view.symbols.is_empty();
        Ok(Some(view).filter(|_| is_asked || !is_empty))
    }
}

impl Request for RelatedRequest {
    type Answer = RelatedAnswer;
    shared_arguments!(at, detail);

    fn spread(&self) -> Spread {
        Spread::Owner
    }

    fn symbols(&mut self) -> Option<&mut Vec<String>> {
        Some(&mut self.subject.symbols)
    }

    fn answer(&self, context: &CallContext) -> Result<RelatedAnswer, AppError> {
        let session = Session::open_at(context, self.at.name())?;
        let page = self.page();
        let options = RelatedOptions {
            filter: filter(&self.filter, &session)?,
            only: self.only.iter().filter_map(|only| only.tie()).collect(),
            limit: page.end(),
        };
        let symbol = symbol(&session, self.subject.only())?;
        let mut found =
            session.ask_in(&options.filter, |snapshot| query::related(&Navigator::new(snapshot), &symbol, &options))?;
        if !self.only.is_empty() && options.only.is_empty() {
            found.groups.clear();
        }
        let changes_with = self.changes_with(&session, &found.subject.hit)?;
        found.groups.values_mut().for_each(|listed| page.skip_listed(listed));
        let totals: BTreeMap<Tie, usize> = found.groups.iter().map(|(tie, listed)| (*tie, listed.total)).collect();
        let results: Vec<RelatedView> =
            found.groups.into_values().flat_map(|listed| listed.items).map(RelatedView::from).collect();
        let mut metadata = Metadata::new(&session);
        metadata.count(totals.values().sum(), results.len());
        page.mark(&mut metadata, &totals.values().copied().collect::<Vec<_>>());
        if found.is_cut {
            metadata.result_completeness = Some(Completeness::Truncated);
        }
        let SubjectView { symbol, others, others_total, .. } = SubjectView::scored(found.subject);
        Ok(RelatedAnswer { symbol, results, totals, users: found.users, others, changes_with, metadata, others_total })
    }
}
