//! Suggestions of queries to follow a query, each with the fact that speaks for it.
//!
//! Every step is known to have an answer, from facts that are cheap to get: uses and calls are
//! counted, tests looked up, names located. The order is fixed: doubts about the query come first,
//! then the symbol itself, then what surrounds it.

use codecompass_syntax::facts::Kind;

use crate::error::Result;
use crate::plural::counted;
use crate::query::arguments::parse_place;
use crate::query::filter::Filter;
use crate::query::hit::{Hit, HitKind};
use crate::query::navigate::Navigator;
use crate::query::navigate::calls::{CallsOptions, Direction, calls};
use crate::query::navigate::references::{RefsOptions, refs};
use crate::query::navigate::scope::Scope;
use crate::query::navigate::use_sites::UseClass;
use crate::query::rank::features::Question;
use crate::query::relations::hierarchy::{HierarchyOptions, hierarchy};
use crate::query::relations::related::{RelatedOptions, Tie, related};
use crate::query::search::answer::{SearchAnswer, SearchOptions};
use crate::query::search::intent::Intent;
use crate::query::search::search_all;
use crate::query::subject::Subject;
use crate::query::symbols::locate::{self, LocateOptions};
use crate::query::symbols::outline::outline;
use crate::tokenize;

/// The last query and its context.
#[derive(Clone, Debug, Default)]
pub struct SuggestOptions {
    /// The last query.
    pub query: Option<String>,
    /// The symbol to suggest queries for; without it the best result of the query.
    pub symbol: Option<String>,
    /// The options of the last query.
    pub search: SearchOptions,
    /// Files that differ from the base of the branch.
    pub changed: Vec<String>,
}

/// The suggested queries.
#[derive(Clone, Debug, PartialEq)]
pub struct SuggestAnswer {
    /// The symbol that most suggestions are about.
    pub subject: Option<Hit>,
    /// At most six.
    pub suggestions: Vec<Suggestion>,
}

/// One suggested query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The query.
    pub step: Step,
    /// The reason for it, on one line.
    pub reason: String,
}

/// A query to suggest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The source of this symbol.
    Show(String),
    /// The uses of this symbol.
    Refs(String),
    /// The calls of this symbol, or by it.
    Calls(String, Direction),
    /// The impact of a change of this symbol.
    Impact(String),
    /// The hierarchy around this symbol.
    Hierarchy(String),
    /// The tests of this symbol.
    Tests(String),
    /// The definitions of this name, below this folder if one is given.
    Locate(String, Option<String>),
    /// The outline of this file.
    Outline(String),
    /// This query.
    Search(String),
    /// The code for this query inside a budget.
    Context(String),
    /// The changes of the branch.
    Diff,
    /// The impact of the changes of the branch.
    ImpactOfBranch,
}

/// Suggestions beyond this many are noise.
const MOST: usize = 6;

/// Suggests what to ask after what was asked.
pub fn suggest(navigator: &Navigator<'_>, options: &SuggestOptions) -> Result<SuggestAnswer> {
    let mut steps = Steps::default();
    let found = match &options.query {
        Some(query) => Some((query.as_str(), search_all(navigator.snapshot(), query, &options.search)?.0)),
        None => None,
    };
    if let Some((query, answer)) = &found {
        doubts(navigator, query, answer, &mut steps)?;
    }
    let best = found.as_ref().and_then(|(_, answer)| answer.hits.first());
    let subject = match (&options.symbol, best) {
        (Some(symbol), _) => {
            let (subject, _) = navigator.meant(symbol, &Filter::default())?;
            let name = subject.hit.name.clone();
            // A place means one thing, but others may have its name.
            Some(if parse_place(symbol).is_some() { with_namesakes(navigator, subject, &name) } else { subject })
        }
        (None, Some(best)) if best.symbol_id.is_some() => {
            let place = format!("{}:{}", best.path, best.name_line);
            let (subject, _) = navigator.meant(&place, &Filter::default())?;
            match &found {
                Some((query, answer)) if answer.routed.intent == Intent::Symbol => {
                    Some(with_namesakes(navigator, subject, query))
                }
                _ => Some(subject),
            }
        }
        _ => None,
    };
    if let Some(subject) = &subject {
        about(navigator, subject, &mut steps)?;
        if options.changed.contains(&subject.hit.path) {
            steps.add(Step::Diff, format!("{} differs from the base of the branch", subject.hit.path));
        }
    }
    let file = subject.as_ref().map(|subject| &subject.hit).or(best).map(|hit| hit.path.as_str());
    if let Some(path) = file
        && let Ok(outline) = outline(navigator.snapshot(), path)
        && outline.symbols.iter().map(|node| 1 + node.children.len()).sum::<usize>() > 1
    {
        steps.add(Step::Outline(path.to_string()), format!("what else is defined in {path}"));
    }
    if let Some((query, answer)) = &found
        && answer.routed.intent == Intent::NaturalLanguage
        && answer.total > 1
    {
        let reason = format!("the code of the best of {} results in one answer", answer.total);
        steps.add(Step::Context(query.to_string()), reason);
    }
    if !options.changed.is_empty() {
        let files = counted(options.changed.len(), "file differs", "files differ");
        steps.add(Step::Diff, format!("{files} from the base of the branch"));
        if subject.is_none() {
            steps.add(Step::ImpactOfBranch, "what these changes may affect".to_string());
        }
    }
    steps.list.truncate(MOST);
    Ok(SuggestAnswer { subject: subject.map(|subject| subject.hit), suggestions: steps.list })
}

/// Steps that were collected, each once.
#[derive(Default)]
struct Steps {
    list: Vec<Suggestion>,
}

impl Steps {
    fn add(&mut self, step: Step, reason: String) {
        if !self.list.iter().any(|known| known.step == step) {
            self.list.push(Suggestion { step, reason });
        }
    }
}

/// Suggests steps for a query that found nothing, or nothing certain.
fn doubts(navigator: &Navigator<'_>, query: &str, answer: &SearchAnswer, steps: &mut Steps) -> Result<()> {
    if answer.suggested_action.is_none() {
        return Ok(());
    }
    let snapshot = navigator.snapshot();
    let question = Question::new(query);
    for identifier in question.identifiers.iter().take(2) {
        let options = LocateOptions { filter: Filter::default(), limit: 1 };
        let located = locate::locate(snapshot, identifier, &options)?;
        if let Some(hit) = located.hits.first() {
            steps.add(Step::Locate(hit.name.clone(), None), "the query names it, and the answer is not sure".into());
        }
    }
    if !answer.hits.is_empty() {
        return Ok(());
    }
    // The word that the fewest pieces of code have says the most.
    let mut words: Vec<(usize, &str)> = Vec::new();
    for word in tokenize::words(query) {
        let terms: Vec<(String, f32)> = tokenize::terms(word).into_iter().map(|term| (term, 1.0)).collect();
        let count = snapshot.score_text(&terms)?.count();
        if count > 0 && word != query {
            words.push((count, word));
        }
    }
    words.sort_unstable();
    for (count, word) in words.into_iter().take(2) {
        let pieces = counted(count, "piece of code has", "pieces of code have");
        steps.add(Step::Search(word.to_string()), format!("nothing has the whole query; {pieces} this word"));
    }
    Ok(())
}

/// Suggests queries about a symbol.
fn about(navigator: &Navigator<'_>, subject: &Subject, steps: &mut Steps) -> Result<()> {
    let hit = &subject.hit;
    // A qualified name is told apart from others, a place only from what is not on its line.
    let unique = navigator.meant(&hit.qualified_name, &Filter::default());
    let is_unique = unique.is_ok_and(|(named, _)| named.others_total == 0 && named.hit.symbol_id == hit.symbol_id);
    let name = if is_unique { hit.qualified_name.clone() } else { format!("{}:{}", hit.path, hit.name_line) };
    steps.add(Step::Show(name.clone()), format!("the source of the {} {}", hit.kind.as_str(), hit.qualified_name));
    if let Some(other) = subject.others.first() {
        let folder = other.path.rsplit_once('/').map(|(folder, _)| folder.to_string());
        let others = counted(subject.others_total, "other symbol has", "other symbols have");
        let reason = format!("{others} the name {}, one of them in {}", hit.name, other.path);
        steps.add(Step::Locate(hit.name.clone(), folder), reason);
    }
    let place = format!("{}:{}", hit.path, hit.name_line);
    let callers = count_calls(navigator, &place, Direction::Callers)?;
    if is_function(hit) && callers > 0 {
        let times = if callers == 1 { "once".to_string() } else { format!("{callers} times") };
        steps.add(Step::Calls(name.clone(), Direction::Callers), format!("it is called {times}"));
    }
    let options = RefsOptions { least: UseClass::Likely, limit: 1, ..RefsOptions::default() };
    let uses = refs(navigator, &place, &options)?;
    if uses.total > callers || (uses.total > 0 && !is_function(hit)) {
        let (count, files) = (counted(uses.total, "use", "uses"), counted(uses.by_file.len(), "file", "files"));
        steps.add(Step::Refs(name.clone()), format!("{count} in {files}"));
    }
    let options = HierarchyOptions {
        filter: Filter::default(),
        up: true,
        down: true,
        depth: 1,
        limit: 1,
        scope: Scope::default(),
        overriding: false,
    };
    let kin = hierarchy(navigator, &place, &options)?;
    let facts = [
        (kin.supertypes.total, "supertypes"),
        (kin.subtypes.total, "subtypes"),
        (kin.overrides.total, "overridden methods"),
        (kin.implementations.total, "implementations"),
    ];
    let facts: Vec<String> =
        facts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{what}: {count}")).collect();
    if !facts.is_empty() {
        steps.add(Step::Hierarchy(name.clone()), facts.join(", "));
    }
    let options = RelatedOptions { filter: Filter::default(), only: vec![Tie::Test], limit: 1 };
    let tests = related(navigator, &place, &options)?.groups.get(&Tie::Test).map_or(0, |tests| tests.total);
    if tests > 0 {
        steps.add(Step::Tests(name.clone()), format!("{} of it", counted(tests, "test", "tests")));
    }
    if is_function(hit) && count_calls(navigator, &place, Direction::Callees)? > 0 {
        steps.add(Step::Calls(name.clone(), Direction::Callees), "what it calls".to_string());
    }
    if uses.total > 0 {
        steps.add(Step::Impact(name), "before changing it: what depends on it, directly or not".to_string());
    }
    Ok(())
}

/// Returns the number of calls of a symbol, or by it.
fn count_calls(navigator: &Navigator<'_>, place: &str, direction: Direction) -> Result<usize> {
    let options = CallsOptions {
        directions: vec![direction],
        depth: 1,
        limit: 1,
        overrides: false,
        least: UseClass::Likely,
        scope: Scope::default(),
    };
    Ok(calls(navigator, place, &options)?.levels.first().map_or(0, |level| level.total))
}

fn is_function(hit: &Hit) -> bool {
    matches!(
        hit.kind,
        HitKind::Symbol(Kind::Function | Kind::Method | Kind::Constructor | Kind::Macro | Kind::Component)
    )
}

/// The subject with the others that `name` could mean.
fn with_namesakes(navigator: &Navigator<'_>, subject: Subject, name: &str) -> Subject {
    let Ok((named, _)) = navigator.meant(name, &Filter::default()) else { return subject };
    let all = std::iter::once(&named.hit).chain(&named.others);
    let others = all.filter(|other| other.symbol_id != subject.hit.symbol_id).cloned().collect();
    Subject { others, others_total: named.others_total, ..subject }
}
