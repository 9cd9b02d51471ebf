//! Explanations of the rank of a result, or of its absence from the answer.
//!
//! The search is run as usual, but all of its candidates are kept. What is asked for is looked up
//! among them, then among those that were left out, then without the filter, and at last in the
//! index itself.

use crate::error::{Error, Result};
use crate::query::arguments::parse_place;
use crate::query::files::paths::resolve_path;
use crate::query::filter::Filter;
use crate::query::hit::{Hit, HitKind};
use crate::query::open_file::OpenFile;
use crate::query::rank::features::Question;
use crate::query::search::answer::{Duplicate, SearchAnswer, SearchOptions};
use crate::query::search::search_all;
use crate::query::symbols::locate::{self, LocateOptions, MatchClass};
use crate::store::Snapshot;

/// The answer to a query, with the standing of the results that were asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainAnswer {
    /// The answer with all its candidates, whatever the limit.
    pub search: SearchAnswer,
    /// Candidates that were left out because a better one has the same code.
    pub duplicates: Vec<Duplicate>,
    /// The results asked for, in the order of the arguments.
    pub asked: Vec<Asked>,
}

/// One thing that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The argument.
    pub argument: String,
    /// Its standing in the answer.
    pub standing: Standing,
}

/// The standing of a result in the answer to a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// It is the candidate of this rank, counted from 1.
    Ranked(usize),
    /// It is the duplicate of this number, counted from 0.
    Duplicate(usize),
    /// The filter leaves it out.
    Filtered {
        /// The result, with the score that it would have.
        hit: Box<Hit>,
        /// The rank that it would have.
        rank: usize,
        /// The conditions that it fails: `language`, `kind`, `path`.
        by: Vec<&'static str>,
    },
    /// It is in the index, but was not considered.
    NotConsidered {
        /// The result.
        hit: Box<Hit>,
        /// Search terms of the query that its text has, and those that it lacks.
        terms: (Vec<String>, Vec<String>),
        /// Its rank by words among all pieces of code, where it has any of the terms.
        rank_by_words: Option<usize>,
        /// True if only files were considered, because the query names one.
        only_files: bool,
    },
    /// The file is known, but nothing of it is in the index; why, if that is known.
    Skipped(Option<String>),
    /// Nothing in the index is called that; names that look alike.
    Unknown(Vec<String>),
}

/// Explains the answer to `query`. Each of `results` is a rank, `path:line`, a path, a symbol id or
/// a name.
pub fn explain(snapshot: &Snapshot, query: &str, results: &[String], options: &SearchOptions) -> Result<ExplainAnswer> {
    let (search, duplicates) = search_all(snapshot, query, options)?;
    let mut asked = Vec::new();
    for argument in results {
        let standing = match argument.trim().parse::<usize>() {
            Ok(rank) if (1..=search.total).contains(&rank) => Standing::Ranked(rank),
            Ok(rank) => {
                let total = search.total;
                return Err(Error::InvalidInput(format!("there is no result number {rank}: there are {total}")));
            }
            Err(_) => match meant(snapshot, argument)? {
                Meant::Things(things) => stand(snapshot, query, &things, options, &search.hits, &duplicates)?,
                Meant::Nothing(standing) => standing,
            },
        };
        asked.push(Asked { argument: argument.clone(), standing });
    }
    Ok(ExplainAnswer { search, duplicates, asked })
}

/// The meaning of an argument.
enum Meant {
    /// Any of these; the first one is described if none of them is a candidate.
    Things(Vec<Thing>),
    /// Nothing that the index has.
    Nothing(Standing),
}

/// Something that may be a candidate.
struct Thing {
    hit: Hit,
    /// The lines that are meant; the whole file if none.
    lines: Option<(u32, u32)>,
}

impl Thing {
    fn is(&self, hit: &Hit) -> bool {
        let covers = |path: &str, start: u32, end: u32| {
            path == self.hit.path && self.lines.is_none_or(|(first, last)| start <= first && last <= end)
        };
        if self.hit.symbol_id.is_none() || hit.symbol_id.is_none() {
            // A symbol without a piece of its own is found with the piece that holds it.
            covers(&hit.path, hit.line_start, hit.line_end)
        } else {
            hit.symbol_id == self.hit.symbol_id
                || hit.other_places.iter().any(|place| {
                    (&place.path, place.line_start, place.line_end)
                        == (&self.hit.path, self.hit.line_start, self.hit.line_end)
                })
        }
    }
}

fn meant(snapshot: &Snapshot, argument: &str) -> Result<Meant> {
    let argument = crate::query::arguments::checked(argument, "result")?;
    let place = parse_place(argument);
    let path = place.map_or(argument, |(path, ..)| path);
    match resolve_path(snapshot, path) {
        Ok(path) => return in_file(snapshot, &path, place.map(|(_, line, _)| line)),
        Err(Error::FileNotFound { suggestions: paths, .. } | Error::AmbiguousPath { candidates: paths, .. })
            if place.is_some() || path.contains('/') =>
        {
            return Ok(Meant::Nothing(Standing::Unknown(paths)));
        }
        Err(_) => {}
    }
    let options = LocateOptions { filter: Filter::default(), limit: usize::MAX };
    let unknown = |suggestions| Ok(Meant::Nothing(Standing::Unknown(suggestions)));
    match locate::locate(snapshot, argument, &options) {
        Ok(found) if found.class.is_some_and(|class| class <= MatchClass::CaseInsensitive) => {
            let thing = |hit: Hit| Thing { lines: Some((hit.line_start, hit.line_end)), hit };
            Ok(Meant::Things(found.hits.into_iter().map(thing).collect()))
        }
        Ok(_) => unknown(locate::suggestions(snapshot, argument)?),
        Err(Error::SymbolNotFound { suggestions, .. }) => unknown(suggestions),
        Err(error) => Err(error),
    }
}

fn in_file(snapshot: &Snapshot, path: &str, line: Option<u32>) -> Result<Meant> {
    let version = snapshot.version_at(path);
    let file = version.map(|version| OpenFile::open(snapshot, version)).transpose()?.flatten();
    let Some(file) = file else { return Ok(Meant::Nothing(Standing::Unknown(Vec::new()))) };
    if let Some(reason) = &file.info.skip {
        return Ok(Meant::Nothing(Standing::Skipped(Some(reason.replace('_', " ")))));
    }
    let whole = || file.text_hit(HitKind::File, 1, file.outline.line_count.max(1));
    let Some(line) = line else { return Ok(Meant::Things(vec![Thing { hit: whole(), lines: None }])) };
    let options = LocateOptions { filter: Filter::default(), limit: 1 };
    let symbol = locate::locate(snapshot, &format!("{path}:{line}"), &options);
    let symbol = symbol.ok().and_then(|found| found.hits.into_iter().next());
    let thing = |hit: Hit| Thing { lines: Some((hit.line_start, hit.line_end)), hit };
    let mut things: Vec<Thing> = symbol.map(thing).into_iter().collect();
    things.push(Thing { hit: file.text_hit(HitKind::Text, line, line), lines: Some((line, line)) });
    Ok(Meant::Things(things))
}

/// Returns the standing of `things`, given the candidates and the duplicates that were left out.
fn stand(
    snapshot: &Snapshot,
    query: &str,
    things: &[Thing],
    options: &SearchOptions,
    hits: &[Hit],
    duplicates: &[Duplicate],
) -> Result<Standing> {
    let rank_in =
        |hits: &[Hit]| things.iter().find_map(|thing| hits.iter().position(|hit| thing.is(hit))).map(|at| at + 1);
    if let Some(rank) = rank_in(hits) {
        return Ok(Standing::Ranked(rank));
    }
    let dropped = |thing: &Thing| duplicates.iter().position(|duplicate| thing.is(&duplicate.hit));
    if let Some(number) = things.iter().find_map(dropped) {
        return Ok(Standing::Duplicate(number));
    }
    let filter = &options.filter;
    if !(filter.languages.is_empty() && filter.kinds.is_empty()) || filter.restricts_paths() {
        let without = SearchOptions { filter: Filter::default(), ..options.clone() };
        let (all, _) = search_all(snapshot, query, &without)?;
        if let Some(rank) = rank_in(&all.hits) {
            let hit = Box::new(all.hits[rank - 1].clone());
            return Ok(Standing::Filtered { by: failed(filter, &hit), hit, rank });
        }
    }
    let Some(thing) = things.first() else { return Ok(Standing::Unknown(Vec::new())) };
    let only_files = hits.iter().any(|hit| hit.kind == HitKind::File);
    let (rank_by_words, terms) = by_words(snapshot, query, thing)?;
    Ok(Standing::NotConsidered { hit: Box::new(thing.hit.clone()), terms, rank_by_words, only_files })
}

/// The conditions of the filter that a hit does not meet.
fn failed(filter: &Filter, hit: &Hit) -> Vec<&'static str> {
    let only_languages = Filter { languages: filter.languages.clone(), ..Filter::default() };
    let only_paths = filter.only_paths();
    let mut failed = Vec::new();
    failed.extend((!only_languages.accepts_file(&hit.path, Some(&hit.language))).then_some("language"));
    failed.extend((!filter.accepts_kind(hit.kind)).then_some("kind"));
    failed.extend((!only_paths.accepts_file(&hit.path, None)).then_some("path"));
    failed
}

/// The best rank by words of a thing's pieces, and which terms they have and lack.
#[expect(clippy::type_complexity, reason = "two lists of terms, used once")]
fn by_words(snapshot: &Snapshot, query: &str, thing: &Thing) -> Result<(Option<usize>, (Vec<String>, Vec<String>))> {
    let question = Question::new(query);
    let version = snapshot.version_at(&thing.hit.path);
    let outline = version.map(|version| snapshot.outline(version)).transpose()?;
    let is_of_it = |number: u32| {
        let chunk = outline.as_ref().and_then(|outline| outline.chunks.get(number as usize));
        chunk.is_some_and(|chunk| {
            let apart = |(first, last): (u32, u32)| chunk.span.end_line < first || last < chunk.span.start_line;
            !thing.lines.is_some_and(apart)
        })
    };
    let found = snapshot.search_text(&question.terms, usize::MAX)?;
    let its = |hit: &&crate::store::text::bm25f::TextHit| Some(hit.version) == version && is_of_it(hit.chunk);
    let rank = found.iter().position(|hit| its(&hit)).map(|at| at + 1);
    let matched = found.iter().filter(its).fold(0, |all, hit| all | hit.matched);
    let (mut held, mut lacking) = (Vec::new(), Vec::new());
    for (number, (term, _)) in question.terms.iter().enumerate() {
        let list = if matched & (1 << number.min(63)) != 0 { &mut held } else { &mut lacking };
        list.push(term.clone());
    }
    Ok((rank, (held, lacking)))
}
