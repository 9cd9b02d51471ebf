//! `compare`, `compare_symbol_between_commits`: one symbol at two refs.

use clap::Args;
use codecompass_engine::Error as EngineError;
use codecompass_engine::query::{self, ChangeKind, Filter, Hit, ShowAnswer, Side};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use super::comparison::{ask_both, unified};
use crate::api::arguments::{DetailArgs, PageArgs, symbol};
use crate::api::fan_out::Spread;
use crate::api::metadata::{Metadata, NoExtra, reference};
use crate::api::page::Page;
use crate::api::part::{Paged, answer_fields, parts, shared_arguments};
use crate::api::views::HitView;
use crate::api::{Answer, Request};
use crate::choices::{Detail, Explain};
use crate::error::AppError;
use crate::session::{CallContext, Session};

/// Unchanged lines shown around a change.
const CONTEXT_LINES: usize = 3;

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct CompareRequest {
    /// A name, a qualified name, or path:line.
    #[arg(value_name = "SYMBOL")]
    #[schemars(description = "Name, qualified name or path:line.")]
    pub symbol: String,
    /// The earlier ref.
    #[arg(value_name = "REF1")]
    #[serde(rename = "base")]
    #[schemars(description = "The earlier ref; `ref` is the later one, default: files on disk.")]
    pub before: String,
    /// The later ref; the files on disk if not given.
    #[arg(value_name = "REF2")]
    #[serde(rename = "ref")]
    #[schemars(description = "")]
    pub after: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
    #[arg(skip)]
    #[serde(flatten)]
    pub detail: DetailArgs,
}

#[derive(Clone, Debug, Serialize)]
pub struct CompareAnswer {
    /// The symbol as it was asked for.
    pub symbol: String,
    /// Absent if both sides are the same.
    #[serde(serialize_with = "change_word")]
    pub change: Option<ChangeKind>,
    pub before_ref: String,
    pub after_ref: String,
    pub before: Option<SourceView>,
    pub after: Option<SourceView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    pub metadata: Metadata,
}
parts!(CompareAnswer { symbol, before, after, diff }, |answer, reduction| {
    if reduction.compact {
        answer.diff = None;
    }
});

/// A definition with its source.
#[derive(Clone, Debug, Serialize)]
pub struct SourceView {
    #[serde(flatten)]
    pub definition: HitView,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The first line of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_line: Option<usize>,
}
parts!(SourceView { source, ..definition }, |view, reduction| {
    if reduction.compact {
        (view.source, view.source_line) = (None, None);
    }
});

impl SourceView {
    fn new(shown: ShowAnswer, page: Page) -> SourceView {
        let (source, skipped) = page.lines(&shown.source);
        SourceView {
            definition: HitView::result(shown.subject.hit, Detail::Signature, Explain::Off),
            source: Some(source),
            source_line: Some(shown.source_line as usize + skipped),
        }
    }
}

fn change_word<S: Serializer>(change: &Option<ChangeKind>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(change.map_or("same", ChangeKind::as_str))
}

impl Answer for CompareAnswer {
    answer_fields!(NoExtra);

    fn pages(&mut self) -> Vec<Paged<'_>> {
        vec![
            Paged::optional("diff", self.diff.as_mut()),
            Paged::optional("before.source", self.before.as_mut().and_then(|side| side.source.as_mut())),
            Paged::optional("after.source", self.after.as_mut().and_then(|side| side.source.as_mut())),
        ]
    }

    fn is_found(&self) -> bool {
        self.change.is_some()
    }
}

impl CompareRequest {
    /// Opens a ref and finds the symbol there.
    fn find(&self, context: &CallContext, reference: Option<&str>) -> Result<(Session, Option<ShowAnswer>), AppError> {
        let session = Session::open_at(context, reference)?;
        let engine = &session.engine;
        let config = &engine.config().index;
        let symbol = symbol(&session, &self.symbol)?;
        let found = session.ask(|snapshot| {
            match query::show(snapshot, engine.source(), config, &symbol, &Filter::default()) {
                Ok(shown) => Ok(Some(shown)),
                Err(EngineError::SymbolNotFound { .. } | EngineError::FileNotFound { .. }) => Ok(None),
                Err(EngineError::NothingAt { .. }) => Ok(None),
                Err(error) => Err(error),
            }
        })?;
        Ok((session, found))
    }
}

impl Request for CompareRequest {
    type Answer = CompareAnswer;
    shared_arguments!(detail);

    fn spread(&self) -> Spread {
        Spread::Owner
    }

    fn subjects(&mut self) -> Vec<&mut String> {
        vec![&mut self.symbol]
    }

    fn symbol(&mut self) -> Option<&str> {
        Some(&self.symbol)
    }

    fn reference(&self) -> Option<&str> {
        self.after.as_deref()
    }

    fn answer(&self, context: &CallContext) -> Result<CompareAnswer, AppError> {
        let (first, before) = self.find(context, Some(&self.before))?;
        let (second, after) = self.find(context, self.after.as_deref())?;
        let (change, before, after) = match (before, after) {
            (None, None) => {
                let symbol = self.symbol.clone();
                return Err(EngineError::SymbolNotFound { symbol, suggestions: Vec::new() }.into());
            }
            (Some(before), after) if !after.as_ref().is_some_and(|after| is_same(&before, after)) => {
                match partner(&first, &second, &before.subject.hit)? {
                    Partner::Other(change, after) => (Some(change), Some(before), Some(*after)),
                    Partner::Gone => (Some(ChangeKind::Deleted), Some(before), None),
                    // Nothing happened to it; the ranking of its namesakes differs.
                    Partner::Unchanged => (None, Some(before.clone()), Some(before)),
                }
            }
            (None, Some(after)) => match partner(&first, &second, &after.subject.hit)? {
                Partner::Other(change, before) => (Some(change), Some(*before), Some(after)),
                Partner::Gone | Partner::Unchanged => (Some(ChangeKind::Added), None, Some(after)),
            },
            (before, after) => {
                let source = |shown: &Option<ShowAnswer>| shown.as_ref().map(|shown| shown.source.clone());
                if source(&before) != source(&after) {
                    (Some(ChangeKind::Modified), before, after)
                } else if let Some(changed) = changed_namesake(&first, &second, [&before, &after])? {
                    changed
                } else {
                    (None, before, after)
                }
            }
        };
        let source = |shown: &Option<ShowAnswer>| shown.as_ref().map(|shown| shown.source.clone()).unwrap_or_default();
        let patch = unified(&source(&before), &source(&after), CONTEXT_LINES);
        // All lines behind the first ones, of each text.
        let page = Page::new(self.page, usize::MAX);
        let mut metadata = Metadata::new(&second);
        page.mark(&mut metadata, &[]);
        Ok(CompareAnswer {
            symbol: self.symbol.clone(),
            change,
            before_ref: reference(&first),
            after_ref: reference(&second),
            before: before.map(|shown| SourceView::new(shown, page)),
            after: after.map(|shown| SourceView::new(shown, page)),
            diff: Some(page.lines(&patch).0),
            metadata,
        })
    }
}

/// Returns whether both are the definition of one name in one file.
fn is_same(before: &ShowAnswer, after: &ShowAnswer) -> bool {
    let (before, after) = (&before.subject.hit, &after.subject.hit);
    (&before.path, &before.qualified_name) == (&after.path, &after.qualified_name)
}

/// Both sides of a comparison, and the change if there is one.
type Compared = (Option<ChangeKind>, Option<ShowAnswer>, Option<ShowAnswer>);

/// Finds another definition of the name that did change, where the best one did not.
fn changed_namesake(
    before: &Session,
    after: &Session,
    sides: [&Option<ShowAnswer>; 2],
) -> Result<Option<Compared>, AppError> {
    let others = sides.iter().copied().flatten().flat_map(|shown| &shown.subject.others);
    let others: Vec<_> = others.filter_map(|hit| hit.symbol_id.as_ref()).collect();
    if others.is_empty() {
        return Ok(None);
    }
    let config = &after.engine.config().index;
    ask_both(before, after, |old, new| {
        let is_asked = |hit: &Option<Hit>| {
            hit.as_ref().and_then(|hit| hit.symbol_id.as_ref()).is_some_and(|id| others.contains(&id))
        };
        let changes = query::diff(old, new, config)?.symbols;
        let Some(change) = changes.into_iter().find(|change| is_asked(&change.before) || is_asked(&change.after))
        else {
            return Ok(None);
        };
        let show = |side: Side<'_>, hit: Option<Hit>| {
            let symbol = hit.and_then(|hit| hit.symbol_id).map(|symbol| symbol.to_string());
            let shown =
                symbol.map(|symbol| query::show(side.snapshot, side.source, config, &symbol, &Filter::default()));
            shown.transpose()
        };
        Ok(Some((Some(change.kind), show(old, change.before)?, show(new, change.after)?)))
    })
}

/// The definition on the other side.
enum Partner {
    /// It changed, was renamed or moved.
    Other(ChangeKind, Box<ShowAnswer>),
    /// There is none.
    Gone,
    /// It is the same on both sides.
    Unchanged,
}

/// Finds the definition on the other side that `diff` pairs with one that has no namesake in the
/// same place there.
fn partner(before: &Session, after: &Session, found: &Hit) -> Result<Partner, AppError> {
    let config = &after.engine.config().index;
    ask_both(before, after, |old, new| {
        let is_found = |hit: &Option<Hit>| hit.as_ref().is_some_and(|hit| hit.symbol_id == found.symbol_id);
        for change in query::diff(old, new, config)?.symbols {
            let (side, other) = match (is_found(&change.before), is_found(&change.after)) {
                (true, _) => (new, change.after),
                (_, true) => (old, change.before),
                _ => continue,
            };
            let Some(symbol) = other.and_then(|other| other.symbol_id) else { return Ok(Partner::Gone) };
            let shown = query::show(side.snapshot, side.source, config, &symbol.to_string(), &Filter::default())?;
            return Ok(Partner::Other(change.kind, Box::new(shown)));
        }
        Ok(Partner::Unchanged)
    })
}
