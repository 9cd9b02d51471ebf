//! The first round: what a query names, points at or quotes, and how common its terms are.

use codecompass_syntax::facts::SymbolRole;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::config::{SearchConfig, SemanticConfig};
use crate::error::{Error, Result};
use crate::model::SymbolId;
use crate::query::files::paths::{resolve_path, similar_paths};
use crate::query::hit::{Hit, HitKind};
use crate::query::open_file::OpenFile;
use crate::query::rank::features::Question;
use crate::query::rank::score::Feature;
use crate::query::search::exact_text::{self, ExactLines};
use crate::query::search::intent::Intent;
use crate::query::search::issue::named::IssueCounts;
use crate::query::search::issue::reading::IssueText;
use crate::query::search::parts::{Candidate, CandidateMaker};
use crate::query::search::rounds::{Asked, Repositories, Round, Shard, merged, sums};
use crate::query::search::text_candidates::TermCounts;
use crate::query::symbols::locate::{self, LocateAnswer, LocateOptions, MatchClass};
use crate::weights::{self, candidates};

/// Asks for what a query names, and for statistics.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Lookup {
    pub intent: Intent,
    /// The terms to count; none where a view is searched alone.
    pub terms: Vec<(String, f32)>,
    /// The parts of a long text.
    pub issue: Option<IssueText>,
}

/// The things that a query names, in one repository.
#[derive(Serialize, Deserialize)]
pub(crate) struct LookedUp {
    pub settings: RankSettings,
    /// True if there is no file to search.
    pub is_empty: bool,
    pub named: Named,
    pub exact: Option<ExactLines>,
    pub counts: TermCounts,
    pub issue: Option<IssueCounts>,
}

/// The things that a query names, in all repositories.
pub(super) struct Statistics {
    pub settings: RankSettings,
    /// By repository.
    pub named: Vec<Named>,
    pub exact: Vec<Option<ExactLines>>,
    pub issue: Vec<IssueCounts>,
    /// Of all together.
    pub counts: TermCounts,
    pub nothing_to_search: bool,
}

/// Asks all repositories for what a query names.
pub(super) fn look_up(asked: &Asked<'_>, lookup: Lookup) -> Result<Statistics> {
    let parts = asked.ask_all(|_| lookup.clone())?;
    let nothing_to_search = parts.iter().all(|part| part.is_empty);
    let settings = parts.first().map(|part| part.settings.clone()).unwrap_or_default();
    let (mut named, mut exact, mut issue, mut counts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        named.push(part.named);
        exact.push(part.exact);
        issue.extend(part.issue);
        counts.push(part.counts);
    }
    Ok(Statistics { settings, named, exact, issue, counts: TermCounts::sum(counts), nothing_to_search })
}

/// The settings that decide how results are ranked; those of the first repository are used for all.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct RankSettings {
    pub tuning: SearchConfig,
    /// None to search by words alone.
    pub semantic: Option<SemanticConfig>,
    pub confidence_threshold: Option<f64>,
}

/// The things that the intent of a query finds beside its words.
#[derive(Default, Serialize, Deserialize)]
pub(crate) enum Named {
    #[default]
    Nothing,
    /// The way in which names match, and the definitions, best first, with their scores. Those of
    /// other roles than the wanted ones are left out.
    Symbols(Option<MatchClass>, ScoredSymbols),
    /// Paths with their scores, best first.
    Paths(Vec<(f64, String)>),
    /// By frame.
    Frames(Vec<FramePlace>),
}

/// A frame in a repository.
#[derive(Serialize, Deserialize)]
pub(crate) struct FramePlace {
    /// True if the very path is there.
    is_exact: bool,
    /// The number of paths that end with it.
    endings: u64,
    /// The definition that it points at, if it can be only one.
    candidate: Option<Candidate>,
}

impl Round for Lookup {
    type Reply = LookedUp;

    fn answer(self, shard: &mut Shard<'_>) -> Result<LookedUp> {
        let Shard { snapshot, query, options, .. } = *shard;
        let semantic = options.semantic.as_ref().map(|semantic| semantic.config.clone());
        let (tuning, confidence_threshold) = (options.tuning.clone(), options.confidence_threshold);
        Ok(LookedUp {
            settings: RankSettings { tuning, semantic, confidence_threshold },
            is_empty: snapshot.view().totals.files == 0,
            named: match self.intent {
                Intent::Symbol => symbols(shard)?,
                Intent::Path => Named::Paths(paths(shard)),
                Intent::Error => Named::Frames(frames(shard)?),
                Intent::NaturalLanguage | Intent::Issue => Named::Nothing,
            },
            exact: exact_text::find(shard, query, self.intent)?,
            counts: TermCounts::of(snapshot, &self.terms)?,
            issue: self.issue.map(|text| IssueCounts::of(shard, &text)).transpose()?,
        })
    }
}

/// Definitions whose name is meant.
fn symbols(shard: &Shard<'_>) -> Result<Named> {
    let Shard { snapshot, query, options, .. } = *shard;
    // As many whatever the limit is: the order of the first ones must not depend on how many are
    // shown.
    let wanted = LocateOptions { filter: options.filter.clone(), limit: candidates::BY_NAME };
    let found = match locate::locate(snapshot, query, &wanted) {
        Err(Error::FileNotFound { .. } | Error::AmbiguousPath { .. } | Error::SymbolNotFound { .. }) => {
            return Ok(Named::Symbols(None, Vec::new()));
        }
        found => found?,
    };
    let (question, maker) = (Question::new(query), CandidateMaker::new(snapshot));
    let candidate = |hit: Hit| {
        let score = hit.score;
        if !options.roles.accepts_hit(&hit) {
            return Ok((score, None));
        }
        let is_old = question.is_old(&hit.path, &|folder| snapshot.has_folder(folder));
        Ok((score, Some(maker.make_aged(hit, is_old)?)))
    };
    Ok(Named::Symbols(found.class, found.hits.into_iter().map(candidate).collect::<Result<_>>()?))
}

/// A path, and the line that may stand behind it.
fn path_and_line(query: &str) -> (&str, Option<u32>) {
    match query.rsplit_once(':') {
        Some((path, line)) if line.parse::<u32>().is_ok() => (path, line.parse::<u32>().ok()),
        _ => (query, None),
    }
}

/// Paths that are meant, best first.
fn paths(shard: &Shard<'_>) -> Vec<(f64, String)> {
    let wanted = path_and_line(shard.query).0.trim_start_matches("./").trim_end_matches('/').to_lowercase();
    let wanted_name = wanted.rsplit('/').next().unwrap_or(&wanted);
    let mut found: Vec<(f64, &str)> = Vec::new();
    for path in shard.snapshot.paths() {
        let lower = path.to_lowercase();
        let name = lower.rsplit('/').next().unwrap_or(&lower);
        let ends = lower.strip_suffix(&wanted).is_some_and(|head| head.is_empty() || head.ends_with('/'));
        let score = match () {
            _ if lower == wanted => weights::path::EXACT,
            _ if ends => weights::path::END,
            _ if lower.starts_with(&format!("{wanted}/")) || lower.contains(&format!("/{wanted}/")) => {
                weights::path::BELOW_FOLDER
            }
            _ if name.contains(wanted_name) && !wanted.contains('/') => weights::path::NAME,
            _ if lower.contains(&wanted) => weights::path::ANYWHERE,
            _ => continue,
        };
        let folders = lower.matches('/').count().min(weights::path::MAX_FOLDERS);
        found.push((score + folders as f64 * weights::path::FOLDER, path));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    found.into_iter().take(candidates::BY_NAME).map(|(score, path)| (score, path.to_string())).collect()
}

/// Asks for files that were chosen by their paths.
#[derive(Serialize, Deserialize)]
pub(crate) struct Files {
    paths: Vec<String>,
}

impl Round for Files {
    /// None for those that are not wanted.
    type Reply = Vec<Option<Candidate>>;

    fn answer(self, shard: &mut Shard<'_>) -> Result<Self::Reply> {
        let Shard { snapshot, options, .. } = *shard;
        let line = path_and_line(shard.query).1;
        let maker = CandidateMaker::new(snapshot);
        let candidate = |path: String| {
            let Some(version) = snapshot.version_at(&path) else { return Ok(None) };
            let Some(file) = OpenFile::open(snapshot, version)? else { return Ok(None) };
            if file.info.skip.is_some()
                || !options.filter.accepts_file(&path, file.info.language.as_deref())
                || !options.filter.accepts_kind(HitKind::File)
                || !options.roles.accepts(SymbolRole::Plain, file.info.role)
            {
                return Ok(None);
            }
            let mut hit = file.text_hit(HitKind::File, 1, file.outline.line_count.max(1));
            hit.best_line = line.unwrap_or(1).min(hit.line_end);
            maker.make(hit).map(Some)
        };
        self.paths.into_iter().map(candidate).collect()
    }
}

/// The definitions that the stack frames of an error message point at.
fn frames(shard: &Shard<'_>) -> Result<Vec<FramePlace>> {
    let Shard { snapshot, query, options, .. } = *shard;
    let words = query.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '"' | '\'' | '`'));
    let words = words.filter(|word| word.contains('.') && word.contains(':')).take(candidates::FRAMES);
    let frames = words.filter_map(|word| {
        let mut parts = word.split(':');
        Some((parts.next()?, parts.next()?.parse::<u32>().ok()?))
    });
    let maker = CandidateMaker::new(snapshot);
    let place = |(path, line): (&str, u32)| {
        let found = resolve_path(snapshot, path);
        let endings = match &found {
            Ok(_) => 1,
            Err(Error::AmbiguousPath { candidates, .. }) => candidates.len() as u64,
            Err(_) => 0,
        };
        let options_of_one = LocateOptions { limit: 1, ..LocateOptions::default() };
        let located = found.and_then(|path| locate::locate(snapshot, &format!("{path}:{line}"), &options_of_one));
        let hit = located.ok().and_then(|found| found.hits.into_iter().next());
        let hit = hit.filter(|hit| options.filter.accepts_file(&hit.path, Some(&hit.language)) && options.accepts(hit));
        let candidate = hit.map(|hit| maker.make(Hit { best_line: line, ..hit })).transpose()?;
        let is_exact = snapshot.version_at(path.trim_start_matches("./")).is_some();
        Ok(FramePlace { is_exact, endings, candidate })
    };
    frames.map(place).collect()
}

/// Returns what the repositories have of the things that a query names, with scores.
pub(super) fn by_intent(asked: &Asked<'_>, parts: Vec<Named>) -> Result<Vec<Candidate>> {
    let (mut symbols, mut paths, mut frames) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        match part {
            Named::Nothing => {}
            Named::Symbols(class, found) => symbols.push((class, found)),
            Named::Paths(found) => paths.push(found),
            Named::Frames(found) => frames.push(found),
        }
    }
    match (symbols.is_empty(), paths.is_empty()) {
        (false, _) => Ok(by_symbol(symbols)),
        (_, false) => by_path(asked, paths),
        _ => Ok(by_frames(frames)),
    }
}

/// Definitions with the score of their name; without a candidate where its role is not wanted.
type ScoredSymbols = Vec<(f64, Option<Candidate>)>;

/// Definitions whose names match in the best way.
fn by_symbol(parts: Vec<(Option<MatchClass>, ScoredSymbols)>) -> Vec<Candidate> {
    let best = parts.iter().filter_map(|(class, _)| *class).min();
    // What stands at a place is another question.
    if best == Some(MatchClass::Place) {
        return Vec::new();
    }
    let of_best = |(class, found)| if class == best { found } else { Vec::new() };
    let found = merged(parts.into_iter().map(of_best).collect(), |a, b| b.0.total_cmp(&a.0), candidates::BY_NAME);
    let old = |(repository, (_, candidate)): (usize, (f64, Option<Candidate>))| {
        let mut candidate = candidate?;
        let hit = &mut candidate.hit;
        hit.repository = repository;
        if candidate.is_old {
            // Of equal names the newer one; a name that is less like the one asked for stays behind
            // it.
            hit.explanation.discount(Feature::Old, weights::locate::OLD_DISCOUNT);
            hit.score = hit.explanation.score();
        }
        Some(candidate)
    };
    found.into_iter().filter_map(old).collect()
}

/// Files whose path is meant.
fn by_path(asked: &Asked<'_>, parts: Vec<Vec<(f64, String)>>) -> Result<Vec<Candidate>> {
    let best = merged(parts, |a, b| b.0.total_cmp(&a.0), candidates::BY_NAME);
    let mut scores: Vec<Vec<f64>> = (0..asked.count()).map(|_| Vec::new()).collect();
    best.iter().for_each(|(repository, (score, _))| scores[*repository].push(*score));
    let paths = best.into_iter().map(|(repository, (_, path))| (repository, path));
    let files = asked.ask_for(paths, |_, paths| Files { paths })?;
    let mut found = Vec::new();
    for (repository, candidates) in files {
        for (candidate, score) in candidates.into_iter().zip(&scores[repository]) {
            let Some(mut candidate) = candidate else { continue };
            let hit = &mut candidate.hit;
            hit.repository = repository;
            hit.explanation.add(Feature::PathMatch, *score);
            hit.score = hit.explanation.score();
            found.push(candidate);
        }
    }
    Ok(found)
}

/// Definitions that stack frames point at. A frame means the path itself, or the only one of all
/// repositories that ends with it; it counts by its number among those that lead to something.
fn by_frames(parts: Vec<Vec<FramePlace>>) -> Vec<Candidate> {
    let exact = sums(parts.iter().map(|part| part.iter().map(|place| u64::from(place.is_exact)).collect()));
    let endings = sums(parts.iter().map(|part| part.iter().map(|place| place.endings).collect()));
    let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
    let mut known: FxHashSet<(usize, Option<SymbolId>)> = FxHashSet::default();
    let (mut number, mut found) = (0, Vec::new());
    for (exact, endings) in exact.into_iter().zip(endings) {
        let before = found.len();
        for (repository, place) in parts.iter_mut().map(Iterator::next).enumerate() {
            let meant = place.filter(|place| if exact > 0 { place.is_exact } else { endings == 1 });
            let Some(mut candidate) = meant.and_then(|place| place.candidate) else { continue };
            let hit = &mut candidate.hit;
            if !known.insert((repository, hit.symbol_id)) {
                continue;
            }
            hit.repository = repository;
            hit.explanation = Default::default();
            hit.explanation.add(Feature::StackFrame, weights::path::FRAME - f64::from(number));
            hit.score = hit.explanation.score();
            found.push(candidate);
        }
        number += u32::from(found.len() > before);
    }
    found
}

/// Asks for paths that look like one that no file has.
#[derive(Serialize, Deserialize)]
pub(crate) struct SimilarPaths;

impl Round for SimilarPaths {
    type Reply = Vec<String>;

    fn answer(self, shard: &mut Shard<'_>) -> Result<Vec<String>> {
        Ok(similar_paths(shard.snapshot, shard.query.trim_end_matches('/')))
    }
}

/// Asks for the definitions that a name means.
#[derive(Serialize, Deserialize)]
pub(crate) struct Locate {
    pub symbol: String,
    limit: usize,
}

impl Round for Locate {
    type Reply = LocateAnswer;

    fn answer(self, shard: &mut Shard<'_>) -> Result<LocateAnswer> {
        let wanted = LocateOptions { filter: shard.options.filter.clone(), limit: self.limit };
        match locate::locate(shard.snapshot, &self.symbol, &wanted) {
            // Another repository may have it.
            Err(Error::FileNotFound { .. } | Error::AmbiguousPath { .. } | Error::NothingAt { .. }) => {
                Ok(LocateAnswer { class: None, hits: Vec::new(), total: 0 })
            }
            found => found,
        }
    }
}

/// Finds the definitions of several repositories that `symbol` means: those whose names match in
/// the best way, best first.
pub fn locate_several(repositories: &dyn Repositories, symbol: &str, limit: usize) -> Result<LocateAnswer> {
    let asked = Asked::Several(repositories, symbol);
    let parts = asked.ask_all(|_| Locate { symbol: symbol.to_string(), limit })?;
    let class = parts.iter().filter_map(|part| part.class).min();
    let of_best = |part: LocateAnswer| if part.class == class { (part.total, part.hits) } else { (0, Vec::new()) };
    let (totals, lists): (Vec<usize>, Vec<Vec<Hit>>) = parts.into_iter().map(of_best).unzip();
    let hits = merged(lists, |a, b| b.score.total_cmp(&a.score), limit);
    let hits = hits.into_iter().map(|(repository, hit)| Hit { repository, ..hit }).collect();
    Ok(LocateAnswer { class, hits, total: totals.into_iter().sum() })
}
