//! `hierarchy`, `get_symbol_hierarchy`: containers, members, supertypes, subtypes
//! and overrides of a symbol.

use clap::{Args, ValueEnum};
use codecompass_engine::Confidence;
use codecompass_engine::query::{self, HierarchyOptions, Navigator, Place, Relation, Relative};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::api::arguments::{Bounded, DetailArgs, PageArgs, RefArgs, ScopeArgs, SymbolArgs, is_zero, one, symbol};
use crate::api::fan_out::Spread;
use crate::api::metadata::{Completeness, Metadata};
use crate::api::navigate::accounting::AccountingView;
use crate::api::navigate::graph::LeftOutView;
use crate::api::page::Page;
use crate::api::part::{Fields, Part, Reduction, answer_fields, parts, shared_arguments};
use crate::api::views::{HitView, SubjectView};
use crate::api::{Answer, Request};
use crate::choices::{Detail, Explain};
use crate::error::AppError;
use crate::session::{CallContext, Session};

const DEFAULT_DEPTH: Bounded<1, 50> = Bounded::new(10);
const DEFAULT_LIMIT: Bounded<1, 1000> = Bounded::new(50);

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct HierarchyRequest {
    #[command(flatten)]
    #[serde(flatten)]
    pub subject: SymbolArgs,
    /// Up: containers, supertypes and what a method overrides. Down: members, subtypes and
    /// implementations.
    #[arg(long, value_enum, default_value_t = HierarchyDirection::Both)]
    #[serde(default)]
    #[schemars(with = "Option<HierarchyDirection>", description = "")]
    pub direction: HierarchyDirection,
    /// Follow supertypes and subtypes this many steps.
    #[arg(long, default_value_t = DEFAULT_DEPTH)]
    #[serde(default = "default_depth")]
    #[schemars(description = "")]
    pub depth: Bounded<1, 50>,
    /// At most this many of each.
    #[arg(long, short = 'n', default_value_t = DEFAULT_LIMIT)]
    #[serde(default = "default_limit")]
    #[schemars(description = "Of each.")]
    pub limit: Bounded<1, 1000>,
    /// List nothing but these; may be given several times.
    #[arg(long, value_enum, value_name = "WHAT")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<HierarchyPart>", description = "")]
    pub only: Vec<HierarchyPart>,
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

fn default_depth() -> Bounded<1, 50> {
    DEFAULT_DEPTH
}

fn default_limit() -> Bounded<1, 1000> {
    DEFAULT_LIMIT
}

/// The direction in which to look from a symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HierarchyDirection {
    /// To what is above it.
    Up,
    /// To what is below it.
    Down,
    /// To both.
    #[default]
    Both,
}

/// A list of a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HierarchyPart {
    /// The definitions in it and around it.
    Members,
    /// Types that it inherits from or implements.
    Supertypes,
    /// Types that inherit from it or implement it.
    Subtypes,
    /// Members that override or implement a member, and those that it overrides or implements; of a
    /// type its subtypes with their overriding members.
    Overrides,
    /// The same.
    Implementations,
}

#[derive(Clone, Debug, Serialize)]
pub struct HierarchyAnswer {
    pub symbol: HitView,
    pub containers: Vec<HitView>,
    pub children: Vec<HitView>,
    pub supertypes: Vec<RelativeView>,
    pub subtypes: Vec<RelativeView>,
    pub overrides: Vec<RelativeView>,
    pub implementations: Vec<RelativeView>,
    pub totals: HierarchyTotals,
    pub others: Vec<HitView>,
    pub metadata: Metadata<HierarchyMetadata>,
    #[serde(skip)]
    pub others_total: usize,
    /// True if the search stopped before it had seen everything.
    #[serde(skip)]
    pub is_cut: bool,
}
parts!(HierarchyAnswer { symbol, containers, children, supertypes, subtypes, overrides, implementations, others });

/// The lengths of the lists, of which an answer has one page.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct HierarchyTotals {
    pub children: usize,
    pub supertypes: usize,
    pub subtypes: usize,
    pub overrides: usize,
    pub implementations: usize,
}

impl HierarchyTotals {
    fn of(found: &query::HierarchyAnswer) -> HierarchyTotals {
        HierarchyTotals {
            children: found.children.total,
            supertypes: found.supertypes.total,
            subtypes: found.subtypes.total,
            overrides: found.overrides.total,
            implementations: found.implementations.total,
        }
    }

    pub fn all(self) -> [usize; 5] {
        [self.children, self.supertypes, self.subtypes, self.overrides, self.implementations]
    }
}

/// A type or member above or below the symbol.
#[derive(Clone, Debug, Serialize)]
pub struct RelativeView {
    #[serde(flatten)]
    pub symbol: RelativeSymbol,
    #[serde(rename = "external")]
    pub is_external: bool,
    pub depth: u32,
    pub of: String,
    #[serde(serialize_with = "relation_word")]
    pub relation: Relation,
    #[serde(serialize_with = "confidence_word")]
    pub confidence: Confidence,
    pub stated_at: Option<StatedAt>,
    /// Members that override or implement those of the symbol.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overriding: Vec<OverridingView>,
}
parts!(RelativeView { of, stated_at, overriding, ..symbol });

/// A member that overrides or implements the symbol's member of that name.
#[derive(Clone, Debug, Serialize)]
pub struct OverridingView {
    pub name: String,
    pub line: u32,
}
parts!(OverridingView { name });

/// The definition of a relative, or its name if that is all that is known.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum RelativeSymbol {
    /// Its definition.
    Defined(Box<HitView>),
    /// Its name: it is outside of the repository, or was not found in it.
    Named { name: String },
}

/// The line that states a relation.
#[derive(Clone, Debug, Serialize)]
pub struct StatedAt {
    pub path: String,
    pub line: u32,
}
parts!(StatedAt { path });

fn relation_word<S: Serializer>(relation: &Relation, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(relation.as_str())
}

fn confidence_word<S: Serializer>(confidence: &Confidence, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(confidence.as_str())
}

impl Part for RelativeSymbol {
    fn json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn fields(&mut self) -> Fields<'_> {
        match self {
            RelativeSymbol::Defined(hit) => hit.fields(),
            RelativeSymbol::Named { name } => vec![("name", name)],
        }
    }

    fn drop_detail(&mut self, reduction: Reduction) {
        if let RelativeSymbol::Defined(hit) = self {
            hit.drop_detail(reduction);
        }
    }
}

impl RelativeView {
    /// Returns the line where it begins. A class without a name begins where it is made.
    pub fn line(&self, hit: &query::Hit) -> u32 {
        let stated = self.stated_at.as_ref().filter(|_| self.is_anonymous_class(hit));
        stated.map_or(hit.line_start, |place| place.line)
    }

    /// Returns the word for its kind.
    pub fn kind(&self, hit: &query::Hit) -> &'static str {
        if self.is_anonymous_class(hit) { "anonymous class in" } else { hit.kind.as_str() }
    }

    /// Returns whether it is a class without a name, for which the hit around it stands, and not a
    /// member of one.
    fn is_anonymous_class(&self, hit: &query::Hit) -> bool {
        let is_around =
            |place: &StatedAt| place.path == hit.path && (hit.line_start..=hit.line_end).contains(&place.line);
        self.relation == Relation::Anonymous && self.stated_at.as_ref().is_some_and(is_around)
    }
}

impl From<Relative> for RelativeView {
    fn from(relative: Relative) -> RelativeView {
        RelativeView {
            symbol: match relative.hit {
                Some(hit) => RelativeSymbol::Defined(Box::new(HitView::unscored(hit, Detail::Signature))),
                None => RelativeSymbol::Named { name: relative.name },
            },
            is_external: relative.is_external,
            depth: relative.depth,
            of: relative.of,
            relation: relative.relation,
            confidence: relative.confidence,
            stated_at: relative.stated.map(|Place { path, line_start, .. }| StatedAt { path, line: line_start }),
            overriding: relative
                .overriding
                .into_iter()
                .map(|query::Overriding { name, line }| OverridingView { name, line })
                .collect(),
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct HierarchyMetadata {
    /// The number of types and members that `path` and `tests` leave out.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out_by_filters: usize,
    /// The same by filter.
    #[serde(skip_serializing_if = "LeftOutView::is_empty")]
    pub left_out_by: LeftOutView,
    /// All occurrences of the symbol's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accounting: Option<AccountingView>,
}

impl Answer for HierarchyAnswer {
    answer_fields!(HierarchyMetadata, pages: children, supertypes, subtypes, overrides, implementations);

    fn is_found(&self) -> bool {
        !self.containers.is_empty() || self.totals.all().iter().any(|total| *total > 0)
    }
}

impl HierarchyRequest {
    /// Drops the lists that were not asked for.
    fn keep_wanted(&self, found: &mut query::HierarchyAnswer) {
        // Both words are used for what stands above a member and for what stands below it.
        let both = [HierarchyPart::Overrides, HierarchyPart::Implementations];
        let is_named = |part| self.only.contains(&part);
        let is_wanted = |part| match part {
            _ if self.only.is_empty() => true,
            HierarchyPart::Overrides | HierarchyPart::Implementations => both.iter().any(|part| is_named(*part)),
            // The types that implement a type, or override its members, are its subtypes.
            HierarchyPart::Subtypes => is_named(part) || both.iter().any(|part| is_named(*part)),
            _ => is_named(part),
        };
        if !is_wanted(HierarchyPart::Members) {
            (found.children, found.containers) = (query::Listed::default(), Vec::new());
        }
        let lists = [
            (HierarchyPart::Supertypes, &mut found.supertypes),
            (HierarchyPart::Subtypes, &mut found.subtypes),
            (HierarchyPart::Overrides, &mut found.overrides),
            (HierarchyPart::Implementations, &mut found.implementations),
        ];
        for (part, list) in lists {
            if !is_wanted(part) {
                *list = query::Listed::default();
            }
        }
    }

    /// Returns the stretch of each list that is shown.
    pub fn page(&self) -> Page {
        Page::new(self.page, self.limit.len())
    }
}

impl Request for HierarchyRequest {
    type Answer = HierarchyAnswer;
    shared_arguments!(at, detail);

    fn spread(&self) -> Spread {
        Spread::Owner
    }

    fn symbols(&mut self) -> Option<&mut Vec<String>> {
        Some(&mut self.subject.symbols)
    }

    fn answer(&self, context: &CallContext) -> Result<HierarchyAnswer, AppError> {
        let session = Session::open_at(context, self.at.name())?;
        let page = self.page();
        let options = HierarchyOptions {
            filter: query::Filter::default(),
            up: self.direction != HierarchyDirection::Down,
            down: self.direction != HierarchyDirection::Up,
            depth: self.depth.get(),
            limit: page.end(),
            scope: self.scope.scope(&session)?,
            // A plain list of subtypes does without.
            overriding: self.only != [HierarchyPart::Subtypes],
        };
        let symbol = symbol(&session, self.subject.only())?;
        let engine = &session.engine;
        let mut found = session.ask_in(&options.scope.filter, |snapshot| {
            let navigator = Navigator::new(snapshot).reading(engine.source(), &engine.config().index);
            query::hierarchy(&navigator, &symbol, &options)
        })?;
        page.skip_listed(&mut found.children);
        self.keep_wanted(&mut found);
        let mut left_out = found.children.left_out();
        for listed in [&mut found.supertypes, &mut found.subtypes, &mut found.overrides, &mut found.implementations] {
            page.skip_listed(listed);
            left_out += listed.left_out();
        }
        let totals = HierarchyTotals::of(&found);
        let total = found.containers.len() + totals.all().iter().sum::<usize>();
        let accounting = found.accounting.map(AccountingView::from);
        let mut metadata = Metadata::new(&session).with(HierarchyMetadata {
            left_out_by_filters: found.left_out_by_scope.total(),
            left_out_by: found.left_out_by_scope.into(),
            accounting,
        });
        metadata.count(total, total - left_out);
        page.mark(&mut metadata, &totals.all());
        if found.is_cut {
            metadata.result_completeness = Some(Completeness::Truncated);
        }
        let hits = |hits: Vec<query::Hit>| {
            hits.into_iter().map(|hit| HitView::result(hit, Detail::Signature, Explain::Off)).collect()
        };
        let relatives = |relatives: Vec<Relative>| relatives.into_iter().map(RelativeView::from).collect();
        let SubjectView { symbol, others, others_total, .. } = SubjectView::scored(found.subject);
        Ok(HierarchyAnswer {
            symbol,
            containers: hits(found.containers),
            children: hits(found.children.items),
            supertypes: relatives(found.supertypes.items),
            subtypes: relatives(found.subtypes.items),
            overrides: relatives(found.overrides.items),
            implementations: relatives(found.implementations.items),
            totals,
            others,
            metadata,
            others_total,
            is_cut: found.is_cut,
        })
    }
}
