//! One question to several repositories has the answer of one with all files: the same hits with
//! the same scores in the same order, for 1 to 8 shards, wherever the files are cut.
//!
//! Files are distributed in the order of their paths, so that results with equal scores, which are
//! ordered by repository and path, stay in the order of paths.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use codecompass_engine::query::{
    self, AskedRound, LocateOptions, Repositories, SearchAnswer, SearchOptions, Semantic, SnippetChoice,
    SnippetOptions, TextOptions,
};
use codecompass_engine::{Config, Engine, Error, NoProgress, SyncOptions, sync};
use codecompass_testkit::{Random, TestWorkspace};

/// Names, paths, messages, phrases, code and questions in words.
const QUERIES: &[&str] = &[
    "Client",
    "parse",
    "embed_query",
    "src/remote/client.rs",
    "client.rs",
    "no/such/file.rs",
    "how are requests repeated after a failure",
    "where is a secret removed from text before it is sent",
    "which code writes an archive of a workspace",
    "thread 'main' panicked: the answer is larger than it can be",
    "its base URL is not a URL",
    "let Some((label, rest)) =",
    "unpack",
    "zzz_nothing_has_this_name",
    "panic: no room\n  at src/remote/client.rs:80:5\n  at mod.rs:10:1\n  at testkit/src/random.rs:20\n  at fake_s3.rs:60",
    ISSUE,
];

/// Names, qualified names and modules, frames, paths and messages, of which some are in several
/// files and some nowhere.
const ISSUE: &str = "Client::new does not repeat requests

When `Client::post` fails, `Random::below` and `TestWorkspace.write` are never called, although `new`,
`testkit.src.random.Random` and `remote.client.Options` say so; see testkit/src/workspace.rs and mod.rs.

thread 'main' panicked at 'its base URL is not a URL'
   0: at src/remote/client.rs:80:5
   1: at embed/src/remote/address.rs:25:9
   2: at somewhere/else.rs:3:1
   3: at testkit/src/random.rs:20:5
   4: at history/mod.rs:12:5

`unpack`, `embed_query` and `parse` were fine before the change of the redaction of secrets in texts.";

/// Questions that ask for every place. Further results of a folder come later, and a folder is in
/// one repository, so files are cut between folders here.
const CROSS_CUTTING: &[&str] = &["all functions that read a file", "every place that parses text"];

/// Files of this repository, by path.
fn corpus() -> Vec<CorpusFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    let mut folders = vec!["embed/src/remote".to_string(), "testkit/src".to_string()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(path),
                false if path.ends_with(".rs") => files.push((path, fs::read_to_string(entry.path()).unwrap())),
                false => {}
            }
        }
    }
    files.sort();
    files
}

struct Repository {
    _workspace: TestWorkspace,
    engine: Engine,
}

fn repository(files: &[CorpusFile]) -> Repository {
    let workspace = TestWorkspace::in_memory("");
    for (path, text) in files {
        workspace.write(path, text);
    }
    let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
    sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    Repository { _workspace: workspace, engine }
}

type CorpusFile = (String, String);

/// Cuts files into so many stretches, at random places.
fn cut(files: &[CorpusFile], count: usize, random: &mut Random) -> Vec<Vec<CorpusFile>> {
    let places: Vec<usize> = (0..=files.len()).collect();
    cut_at(files, count, random, &places)
}

/// Cuts files into so many stretches, at random places between folders.
fn cut_between_folders(files: &[CorpusFile], count: usize, random: &mut Random) -> Vec<Vec<CorpusFile>> {
    let folder = |at: usize| files[at].0.rsplit_once('/').map(|(folder, _)| folder.to_string());
    // Of a folder and those below it, files may stand in between.
    let is_end = |at: usize| {
        let before: Vec<_> = (0..at).map(folder).collect();
        !(at..files.len()).map(folder).any(|folder| before.contains(&folder))
    };
    let places: Vec<usize> = (0..=files.len()).filter(|at| is_end(*at)).collect();
    cut_at(files, count, random, &places)
}

fn cut_at(files: &[CorpusFile], count: usize, random: &mut Random, places: &[usize]) -> Vec<Vec<CorpusFile>> {
    let mut ends: Vec<usize> = (1..count).map(|_| places[random.below(places.len() as u64) as usize]).collect();
    ends.sort_unstable();
    ends.push(files.len());
    let mut start = 0;
    ends.into_iter().map(|end| files[std::mem::replace(&mut start, end)..end].to_vec()).collect()
}

fn options(engine: &Engine) -> SearchOptions {
    let source = Some(engine.source().clone());
    SearchOptions { limit: LIMIT, semantic: Semantic::built_in(), source, ..SearchOptions::default() }
}

const LIMIT: usize = 30;

/// Repositories that remember nothing from round to round.
struct Shards<'a> {
    repositories: &'a [Repository],
    /// The rounds until the second one fails.
    left: Cell<usize>,
    rounds: Cell<usize>,
}

impl Shards<'_> {
    fn of(repositories: &[Repository]) -> Shards<'_> {
        Shards { repositories, left: Cell::new(usize::MAX), rounds: Cell::new(0) }
    }
}

impl Repositories for Shards<'_> {
    fn count(&self) -> usize {
        self.repositories.len()
    }

    fn ask(&self, requests: Vec<(usize, Vec<u8>)>) -> Result<Vec<Vec<u8>>, Error> {
        self.rounds.set(self.rounds.get() + 1);
        let answer = |(number, round): (usize, Vec<u8>)| {
            if number == 1 {
                self.left.set(self.left.get() - 1);
                if self.left.get() == 0 {
                    return Err(Error::Cancelled);
                }
            }
            let engine = &self.repositories[number].engine;
            let snapshot = engine.snapshot()?.unwrap();
            AskedRound::read(&round)?.answer(&snapshot, &options(engine), &engine.config().index)
        };
        requests.into_iter().map(answer).collect()
    }
}

fn ask(repositories: &[Repository], query: &str) -> SearchAnswer {
    let shards = Shards::of(repositories);
    let answer = query::search_several(&shards, query, LIMIT, None).unwrap();
    assert!(shards.rounds.get() <= 7, "{} rounds: {query}", shards.rounds.get());
    answer
}

/// All that an answer says, but for the repositories and the ids of symbols.
fn shown(answer: &SearchAnswer) -> String {
    let mut out = format!(
        "{:?} {} of {} {:?} {:?} {:?} {} {} {:?}\n",
        answer.routed,
        answer.hits.len(),
        answer.total,
        answer.confidence,
        answer.suggested_action,
        answer.semantic.ratio.to_bits(),
        answer.suppressed_duplicates,
        answer.exact_lines,
        answer.parts,
    );
    for hit in &answer.hits {
        out.push_str(&format!(
            "{}:{}-{} {} {} {:?}\n",
            hit.path,
            hit.line_start,
            hit.line_end,
            hit.qualified_name,
            hit.score.to_bits(),
            hit.explanation
        ));
    }
    out
}

#[test]
fn answers_do_not_depend_on_the_number_of_shards() {
    let files = corpus();
    let whole = repository(&files);
    let snapshot = whole.engine.snapshot().unwrap().unwrap();
    let alone = |query: &&str| shown(&query::search(&snapshot, query, &options(&whole.engine)).unwrap());
    let expected: Vec<String> = QUERIES.iter().map(alone).collect();
    let cross_cutting: Vec<String> = CROSS_CUTTING.iter().map(alone).collect();
    assert!(expected.iter().filter(|answer| answer.lines().count() > 5).count() > 8);
    let mut random = Random::new(7);
    for count in 1..=8 {
        let parts: Vec<Repository> = cut(&files, count, &mut random).iter().map(|part| repository(part)).collect();
        for (query, expected) in QUERIES.iter().zip(&expected) {
            assert_eq!(&shown(&ask(&parts, query)), expected, "{count} shards: {query}");
        }
        if count % 3 != 2 {
            continue;
        }
        let parts = cut_between_folders(&files, count, &mut random);
        let parts: Vec<Repository> = parts.iter().map(|part| repository(part)).collect();
        for (query, expected) in CROSS_CUTTING.iter().zip(&cross_cutting) {
            assert_eq!(&shown(&ask(&parts, query)), expected, "{count} shards: {query}");
        }
    }
}

#[test]
fn definitions_are_located_in_all_shards() {
    let files = corpus();
    let whole = repository(&files);
    let snapshot = whole.engine.snapshot().unwrap().unwrap();
    let wanted = LocateOptions { limit: 8, ..LocateOptions::default() };
    let mut random = Random::new(11);
    for count in [1, 2, 5, 8] {
        let parts: Vec<Repository> = cut(&files, count, &mut random).iter().map(|part| repository(part)).collect();
        for name in ["new", "Client", "client", "unpa", "embed_qery", "zzz", "remote/client.rs:40", "Random::new"] {
            let expected = query::locate(&snapshot, name, &wanted).map(|found| (found.class, found.total, found.hits));
            let found = query::locate_several(&Shards::of(&parts), name, wanted.limit).unwrap();
            let (class, total) = (found.class, found.total);
            let hits: Vec<_> =
                found.hits.into_iter().map(|hit| (hit.path, hit.line_start, hit.score.to_bits())).collect();
            match expected {
                Ok((expected_class, expected_total, expected)) => {
                    let expected: Vec<_> =
                        expected.into_iter().map(|hit| (hit.path, hit.line_start, hit.score.to_bits())).collect();
                    assert_eq!((class, total, hits), (expected_class, expected_total, expected), "{count}: {name}");
                }
                Err(_) => assert!(hits.is_empty(), "{count}: {name}"),
            }
        }
    }
}

#[test]
fn a_question_fails_with_any_round_of_a_repository() {
    let files = corpus();
    let mut random = Random::new(3);
    let parts: Vec<Repository> = cut(&files, 3, &mut random).iter().map(|part| repository(part)).collect();
    let question = "how are requests repeated after a failure";
    let all = Shards::of(&parts);
    query::search_several(&all, question, LIMIT, None).unwrap();
    for round in 1..=3 {
        let shards = Shards { left: Cell::new(round), ..Shards::of(&parts) };
        let failed = query::search_several(&shards, question, LIMIT, None);
        assert!(matches!(failed, Err(Error::Cancelled)), "{round}");
        assert!(shards.rounds.get() < all.rounds.get());
    }
}

#[test]
fn texts_come_from_the_repositories_of_their_hits() {
    let files = corpus();
    let whole = repository(&files);
    let snapshot = whole.engine.snapshot().unwrap().unwrap();
    let snippets = Some(SnippetOptions { lines: 6, choice: SnippetChoice::WithScope });
    let wanted = TextOptions { snippets, has_neighbours: true };
    let mut random = Random::new(5);
    let parts: Vec<Repository> = cut(&files, 5, &mut random).iter().map(|part| repository(part)).collect();
    for query in ["how are requests repeated after a failure", "client.rs"] {
        let hits = query::search(&snapshot, query, &options(&whole.engine)).unwrap().hits;
        let (source, config) = (whole.engine.source(), &whole.engine.config().index);
        let expected = query::with_texts(&snapshot, source, config, query, hits, wanted).unwrap();
        let shards = Shards::of(&parts);
        let hits = query::search_several(&shards, query, LIMIT, None).unwrap().hits;
        let found = query::texts_of_several(&shards, query, hits, wanted).unwrap();
        let place = |texts: &query::HitTexts| (texts.hit.path.clone(), texts.hit.line_start, texts.snippet.clone());
        assert_eq!(found.iter().map(place).collect::<Vec<_>>(), expected.iter().map(place).collect::<Vec<_>>());
        assert!(found.iter().all(|texts| texts.neighbours.is_some()));
    }
}
