//! Vectors: made once, shared by branches, made again when the model changes, and never in the way
//! of an answer.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use codecompass_embed::{Document, EmbedError, Embedded, Embedder, IsCancelled};
use codecompass_engine::config::SemanticMode;
use codecompass_engine::query::{self, Hit, SearchOptions, Skipped};
use codecompass_engine::{Config, Engine, NoProgress, Snapshot, SyncOptions, SyncReport, sync};
use codecompass_testkit::TestWorkspace;

const FILES: &str = "\
//- /src/session.py
def open_session(user):
    \"\"\"Logs a user in and remembers the login.\"\"\"
    token = make_token(user)
    return token


def close_session(token):
    forget(token)

//- /src/geometry.py
def area(width, height):
    return width * height

def perimeter(width, height):
    return 2 * (width + height)
";

fn open(workspace: &TestWorkspace, mode: SemanticMode) -> Engine {
    let mut config = Config::default();
    config.semantic.mode = mode;
    Engine::open(&workspace.root(), &workspace.home(), config).unwrap()
}

fn synced(engine: &Engine) -> (Snapshot, SyncReport) {
    sync(engine, SyncOptions { embed: true, ..SyncOptions::default() }, &NoProgress).unwrap()
}

fn search(engine: &Engine, snapshot: &Snapshot, question: &str) -> query::SearchAnswer {
    query::search(snapshot, question, &SearchOptions { limit: 10, semantic: engine.semantic(), ..Default::default() })
        .unwrap()
}

fn has(hits: &[Hit], name: &str) -> bool {
    hits.iter().any(|hit| hit.name == name)
}

/// The two files of vectors that are in use.
fn vector_files(engine: &Engine) -> Vec<PathBuf> {
    let data = fs::read_to_string(engine.store_root().join("current")).unwrap();
    let folder = engine.store_root().join(data.trim()).join("vectors");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// A model that counts letters, slow and perhaps unreachable.
struct Letters {
    name: &'static str,
    calls_until_failure: AtomicUsize,
}

impl Letters {
    fn new(name: &'static str, calls: usize) -> Arc<Letters> {
        Arc::new(Letters { name, calls_until_failure: AtomicUsize::new(calls) })
    }

    fn vector(text: &str) -> Vec<f32> {
        let mut counts = [0.0_f32; 26];
        text.bytes().filter(u8::is_ascii_lowercase).for_each(|c| counts[usize::from(c - b'a')] += 1.0);
        let length = counts.iter().map(|x| x * x).sum::<f32>().sqrt().max(1.0);
        counts.iter().map(|x| x / length).collect()
    }
}

impl Embedder for Letters {
    fn id(&self) -> &str {
        self.name
    }
    fn dimensions(&self) -> usize {
        26
    }
    fn is_fast(&self) -> bool {
        false
    }
    fn embed_documents(&self, documents: &[Document<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let left =
            self.calls_until_failure.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        left.map_err(|_| EmbedError::Model("gone".into()))?;
        Ok(documents.iter().map(|document| Letters::vector(document.text)).collect())
    }
    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(Letters::vector(query))
    }
}

#[test]
fn meaning_finds_what_words_do_not() {
    let workspace = TestWorkspace::plain(FILES);
    let question = "cookie authentication";
    let hybrid = open(&workspace, SemanticMode::Hybrid);
    let answer = search(&hybrid, &synced(&hybrid).0, question);
    assert!(has(&answer.hits, "open_session"), "{:?}", answer.hits);
    assert_eq!((answer.semantic.skipped, answer.semantic.model.as_deref()), (None, Some("static-code-256@1")));
    assert!(answer.semantic.ratio > 0.0 && answer.semantic.ratio <= 0.5);
    let parts = &answer.hits[0].explanation.parts;
    assert!(parts.iter().any(|part| part.name() == "meaning" && part.value > 0.0), "{parts:?}");

    let rerank = open(&workspace, SemanticMode::RerankOnly);
    assert!(search(&rerank, &synced(&rerank).0, question).hits.is_empty());
    let off = open(&workspace, SemanticMode::Off);
    let answer = search(&off, &synced(&off).0, question);
    assert!(answer.hits.is_empty() && answer.suggested_action.is_some());
    assert_eq!(answer.semantic.skipped, Some(Skipped::SemanticDisabled));
    let answer = search(&hybrid, &synced(&hybrid).0, "perimeter");
    assert_eq!(answer.semantic.skipped, Some(Skipped::IntentNotNl));
}

#[test]
fn branches_share_vectors() {
    let workspace = TestWorkspace::git(FILES);
    let engine = open(&workspace, SemanticMode::Hybrid);
    synced(&engine);
    let before = engine.store_summary().unwrap().vectors;
    assert!(before >= 4);
    workspace.run_git(&["checkout", "--quiet", "-b", "feature"]);
    workspace.write(
        "src/geometry.py",
        "def area(width, height):\n    return width * height\n\ndef volume(a, b, c):\n    return a * b * c\n",
    );
    workspace.commit("volume");
    let (snapshot, _) = synced(&engine);
    assert_eq!(engine.store_summary().unwrap().vectors, before + 1);
    assert!(has(&search(&engine, &snapshot, "volume of a solid").hits, "volume"));
    let main = open(&workspace, SemanticMode::Hybrid).at_ref("main").unwrap();
    let (snapshot, _) = synced(&main);
    assert!(!has(&search(&main, &snapshot, "volume of a solid").hits, "volume"));
    assert_eq!(engine.store_summary().unwrap().vectors, before + 1);
}

#[test]
fn vectors_are_made_when_they_are_switched_on() {
    let workspace = TestWorkspace::git(FILES);
    let off = open(&workspace, SemanticMode::Off);
    synced(&off);
    let summary = off.store_summary().unwrap();
    assert_eq!((summary.vectors, summary.vector_bytes, summary.unembedded_versions), (0, 0, 2));
    let on = open(&workspace, SemanticMode::Hybrid);
    let (snapshot, report) = synced(&on);
    assert_eq!((report.parsed, report.embedded), (0, 4));
    assert!(has(&search(&on, &snapshot, "cookie authentication").hits, "open_session"));
    assert_eq!(on.store_summary().unwrap().unembedded_versions, 0);
    assert_eq!(synced(&on).1.embedded, 0);
}

#[test]
fn another_model_makes_its_own_vectors() {
    let workspace = TestWorkspace::git(FILES);
    let built_in = open(&workspace, SemanticMode::Hybrid);
    synced(&built_in);
    let other = open(&workspace, SemanticMode::Hybrid).with_embedder(Letters::new("letters@1", 99));
    // A slow model is not waited for by questions.
    let (snapshot, report) = sync(&other, SyncOptions::default(), &NoProgress).unwrap();
    assert_eq!(report.embedded, 0);
    assert_eq!(search(&other, &snapshot, "widths and heights").semantic.skipped, Some(Skipped::ModelUnavailable));
    let (snapshot, report) = synced(&other);
    assert_eq!(report.embedded, 4);
    let answer = search(&other, &snapshot, "widths and heights");
    assert_eq!(answer.semantic.model.as_deref(), Some("letters@1"));
    // An edit by the other one, which does not make vectors on the way.
    workspace.write("src/more.py", "def more():\n    return 1\n");
    sync(&other, SyncOptions::default(), &NoProgress).unwrap();
    assert_eq!(other.store_summary().unwrap().unembedded_versions, 1);
    assert_eq!(synced(&other).1.embedded, 1);
    assert_eq!(other.store_problems().unwrap(), Vec::<String>::new());
    assert_eq!(synced(&built_in).1.embedded, 5);
}

#[test]
fn a_model_that_fails_goes_on_later() {
    let workspace = TestWorkspace::git(FILES);
    let many: String =
        (0..200).map(|n| format!("def many_{n}(width):\n    height = {n}\n    return width * height\n\n")).collect();
    workspace.write("src/many.py", &many);
    let failing = open(&workspace, SemanticMode::Hybrid).with_embedder(Letters::new("letters@1", 1));
    let (snapshot, report) = synced(&failing);
    assert!(report.embedded > 0 && report.embedded < 204, "{report:?}");
    assert!(!search(&failing, &snapshot, "width and height").hits.is_empty());
    let mended = open(&workspace, SemanticMode::Hybrid).with_embedder(Letters::new("letters@1", 99));
    assert_eq!(synced(&mended).1.embedded, 204 - report.embedded);
    assert_eq!(mended.store_summary().unwrap().vectors, 204);
    assert_eq!(mended.store_problems().unwrap(), Vec::<String>::new());
}

/// A model that has no vector for documents with a certain word.
struct Gaps {
    word: &'static str,
    seen: AtomicUsize,
}

impl Embedder for Gaps {
    fn id(&self) -> &str {
        "letters@1"
    }
    fn dimensions(&self) -> usize {
        26
    }
    fn is_fast(&self) -> bool {
        false
    }
    fn at_once(&self) -> usize {
        10
    }
    fn embed_documents(&self, _: &[Document<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Err(EmbedError::Model("not whole".into()))
    }
    fn embed_possible(&self, documents: &[Document<'_>], _: IsCancelled<'_>) -> Embedded {
        assert!(documents.len() <= 10);
        self.seen.fetch_add(documents.len(), Ordering::SeqCst);
        let vector = |text: &str| (!text.contains(self.word)).then(|| Letters::vector(text));
        let vectors: Vec<_> = documents.iter().map(|document| vector(document.text)).collect();
        let problem = vectors.contains(&None).then(|| EmbedError::Model("a gap".into()));
        Embedded { vectors, problem }
    }
    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(Letters::vector(query))
    }
}

#[test]
fn gaps_are_filled_by_the_next_run() {
    let workspace = TestWorkspace::git(FILES);
    let many: String = (0..36).map(|n| format!("def many_{n}_end(width):\n    return width * {n}\n\n")).collect();
    workspace.write("src/many.py", &many);
    let gaps = Arc::new(Gaps { word: "many_7_end", seen: AtomicUsize::new(0) });
    let (_, report) = synced(&open(&workspace, SemanticMode::Hybrid).with_embedder(gaps.clone()));
    assert_eq!(report.embedded, 39);
    let (missing, why) = report.unembedded.unwrap();
    assert!(missing == 1 && why.contains("a gap"), "{missing} {why}");
    assert_eq!(gaps.seen.load(Ordering::SeqCst), 40);
    let whole = Arc::new(Gaps { word: "nothing has this", seen: AtomicUsize::new(0) });
    let (_, report) = synced(&open(&workspace, SemanticMode::Hybrid).with_embedder(whole.clone()));
    assert_eq!((report.embedded, report.unembedded, whole.seen.load(Ordering::SeqCst)), (1, None, 1));
    // A model that fails on all it is handed is not asked further.
    workspace.write("src/many.py", &many.replace("width", "height"));
    let none = Arc::new(Gaps { word: "height", seen: AtomicUsize::new(0) });
    let (_, report) = synced(&open(&workspace, SemanticMode::Hybrid).with_embedder(none.clone()));
    assert_eq!((report.embedded, none.seen.load(Ordering::SeqCst)), (0, 10));
}

#[test]
fn damaged_vectors_are_made_again() {
    let workspace = TestWorkspace::git(FILES);
    let engine = open(&workspace, SemanticMode::Hybrid);
    synced(&engine);
    for damage in 0..4 {
        let files = vector_files(&engine);
        let last_two = &files[files.len() - 2..];
        match damage {
            0 => last_two.iter().for_each(|file| fs::remove_file(file).unwrap()),
            1 => fs::write(&last_two[0], "").unwrap(),
            2 => fs::OpenOptions::new().write(true).open(&last_two[1]).unwrap().set_len(300).unwrap(),
            _ => fs::write(&last_two[0], vec![0x5a; 4096]).unwrap(),
        }
        assert!(!engine.store_problems().unwrap().is_empty(), "damage {damage}");
        let (snapshot, report) = synced(&engine);
        assert_eq!(report.embedded, 4, "damage {damage}");
        assert!(has(&search(&engine, &snapshot, "cookie authentication").hits, "open_session"), "damage {damage}");
        assert_eq!(engine.store_problems().unwrap(), Vec::<String>::new());
    }
}

#[test]
fn rows_that_a_killed_writer_left_are_cut_off() {
    let workspace = TestWorkspace::git(FILES);
    let engine = open(&workspace, SemanticMode::Hybrid);
    synced(&engine);
    let before = engine.store_summary().unwrap().vectors;
    for file in vector_files(&engine) {
        let mut bytes = fs::read(&file).unwrap();
        bytes.extend([7; 700]);
        fs::write(&file, bytes).unwrap();
    }
    workspace.write("src/more.py", "def more():\n    return 1\n");
    let (snapshot, _) = synced(&engine);
    assert_eq!(engine.store_summary().unwrap().vectors, before + 1);
    assert_eq!(engine.store_problems().unwrap(), Vec::<String>::new());
    assert!(has(&search(&engine, &snapshot, "cookie authentication").hits, "open_session"));
}

#[test]
fn vectors_of_what_is_gone_are_collected() {
    let workspace = TestWorkspace::git(FILES);
    let engine = open(&workspace, SemanticMode::Hybrid);
    synced(&engine);
    for n in 0..10 {
        workspace.write("src/geometry.py", &format!("def area_{n}(width, height):\n    return width * height * {n}\n"));
        synced(&engine);
    }
    assert_eq!(engine.store_summary().unwrap().vectors, 14);
    engine.collect_garbage(Duration::ZERO).unwrap();
    assert_eq!(engine.store_summary().unwrap().vectors, 3);
    assert_eq!(engine.store_problems().unwrap(), Vec::<String>::new());
    let (snapshot, report) = synced(&engine);
    assert_eq!(report.embedded, 0);
    assert!(has(&search(&engine, &snapshot, "cookie authentication").hits, "open_session"));
}

#[test]
fn an_archive_carries_vectors() {
    let workspace = TestWorkspace::git(FILES);
    let engine = open(&workspace, SemanticMode::Hybrid);
    synced(&engine);
    let archive = workspace.beside("archive");
    let header = engine.export_state(&archive, &NoProgress).unwrap();
    assert_eq!(header.files.iter().filter(|file| file.name.starts_with("vectors/")).count(), 2);
    engine.import_state(&archive, true, &NoProgress).unwrap();
    let (snapshot, report) = synced(&engine);
    assert_eq!((report.parsed, report.embedded), (0, 0));
    assert!(has(&search(&engine, &snapshot, "cookie authentication").hits, "open_session"));
}
