//! Meaning from end to end: the switches, vectors and scores from a provider, and what happens when
//! it fails.

use codecompass_testkit::{Answer, TestWorkspace};
use expect_test::expect;
use serde_json::{Value, json};

use crate::find::provider::Provider;
use crate::{PROGRAM, without_numbers, workspace};

const QUESTION: &str = "how are orders loaded from a file";
const KEYS: [(&str, &str); 2] =
    [("CODECOMPASS_EMBEDDING_API_KEY", "key-of-vectors"), ("CODECOMPASS_RERANK_API_KEY", "key-of-scores")];

/// A workspace whose user has these settings.
struct Scene {
    workspace: TestWorkspace,
    /// True if the variables with keys are set.
    has_keys: bool,
    /// Other variables.
    variables: &'static [(&'static str, &'static str)],
}

impl Scene {
    fn new(settings: &str) -> Scene {
        let scene = Scene { workspace: workspace(), has_keys: true, variables: &[] };
        scene.set(settings);
        scene
    }

    fn set(&self, settings: &str) {
        std::fs::create_dir_all(self.workspace.home()).unwrap();
        std::fs::write(self.workspace.home().join("config.toml"), settings).unwrap();
    }

    /// Runs a command; whatever it says, it says no key.
    #[track_caller]
    fn run(&self, args: &[&str]) -> Answer {
        let mut command = self.workspace.command(PROGRAM, args);
        command.envs(self.variables.iter().copied());
        if self.has_keys {
            command.envs(KEYS);
        }
        let answer = Answer::of(&mut command);
        assert!(!format!("{answer:?}").contains("key-of-"), "{answer:?}");
        answer
    }

    #[track_caller]
    fn json(&self, args: &[&str]) -> Value {
        let answer = self.run(&[args, &["--json"]].concat());
        serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"))
    }

    /// Returns the lines of the doctor about some of its subjects, with their remedies.
    #[track_caller]
    fn doctor(&self, code: i32, subjects: &[&str]) -> String {
        let text = self.workspace.normalised(&self.run(&["doctor"]).ended_with(code).stdout);
        let mut shown = String::new();
        let mut is_asked_for = false;
        for line in text.lines() {
            if !line.starts_with(' ') {
                let subject = line.split_once(' ').and_then(|(_, said)| said.trim_start().split_once(':'));
                is_asked_for = subject.is_some_and(|(subject, _)| subjects.contains(&subject));
            }
            if is_asked_for {
                shown += &format!("{}\n", without_port(line));
            }
        }
        shown
    }

    /// The warning of an answer to [`QUESTION`] that is as good as possible without a provider. As
    /// text it is on stderr.
    #[track_caller]
    fn fallback(&self) -> String {
        let metadata = self.ask();
        assert_eq!(metadata["semantic_fallback"], true, "{metadata:#}");
        assert_eq!(metadata["semantic_skipped_reason"], "model_unavailable");
        let warning = only_warning(&metadata);
        let text = self.run(&["search", QUESTION]).ended_with(0);
        assert_eq!(without_port(&text.stderr), format!("codecompass: {warning}\n"));
        assert_eq!(self.run(&["search", QUESTION, "--quiet"]).ended_with(0).stderr, "");
        warning
    }

    /// The metadata of an answer to [`QUESTION`].
    #[track_caller]
    fn ask(&self) -> Value {
        self.json(&["search", QUESTION])["metadata"].clone()
    }
}

/// The one warning of an answer.
#[track_caller]
fn only_warning(metadata: &Value) -> String {
    let warnings = metadata["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{metadata:#}");
    without_port(warnings[0].as_str().unwrap())
}

/// Names the port of a provider on this machine.
fn without_port(text: &str) -> String {
    const HOST: &str = "127.0.0.1:";
    let mut parts = text.split(HOST);
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |text, part| format!("{text}{HOST}PORT{}", part.trim_start_matches(|c: char| c.is_ascii_digit())))
}

fn switches(enabled: bool, payload: bool) -> String {
    format!("[semantic]\nexternal_provider_enabled = {enabled}\nallow_code_payload_to_external = {payload}\n")
}

fn vectors_at(url: &str) -> String {
    format!(
        "[semantic.embedding]\nprofile = \"external\"\nprovider = \"openai\"\nmodel = \"some\"\ndimensions = 2\n\
         base_url = \"{url}\"\n"
    )
}

fn scores_at(url: &str) -> String {
    format!("[semantic.rerank]\nprovider = \"cohere\"\nbase_url = \"{url}\"\n")
}

/// A URL on this machine where nothing listens.
fn nowhere() -> String {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    format!("http://127.0.0.1:{port}/v1")
}

#[test]
fn one_switch_is_not_enough() {
    let provider = Provider::start();
    let usual = Scene::new("");
    usual.run(&["index"]).ended_with(0);
    let usual = usual.json(&["search", QUESTION]);
    let mut shown = String::new();
    for (enabled, payload) in [(false, false), (true, false), (false, true)] {
        let url = provider.url();
        let scene = Scene::new(&format!("{}{}{}", switches(enabled, payload), vectors_at(&url), scores_at(&url)));
        scene.run(&["index"]).ended_with(0);
        scene.run(&["sync"]).ended_with(0);
        let mut answer = scene.json(&["search", QUESTION]);
        assert_eq!(answer["metadata"]["external_provider_blocked"], true);
        answer["metadata"].as_object_mut().unwrap().remove("external_provider_blocked");
        assert_eq!(answer, usual, "as if no provider was configured");
        shown += &format!("{enabled} {payload}\n{}", scene.doctor(0, &["providers", "model"]));
        assert_eq!(provider.connections(), 0);
    }
    expect![[r#"
        false false
        ok   model: fast_local: static-code-256@1, 256 dimensions
        ok   providers: openai for vectors, cohere for scores: blocked, as semantic.external_provider_enabled and semantic.allow_code_payload_to_external is off; nothing is sent
        true false
        ok   model: fast_local: static-code-256@1, 256 dimensions
        ok   providers: openai for vectors, cohere for scores: blocked, as semantic.allow_code_payload_to_external is off; nothing is sent
        false true
        ok   model: fast_local: static-code-256@1, 256 dimensions
        ok   providers: openai for vectors, cohere for scores: blocked, as semantic.external_provider_enabled is off; nothing is sent
    "#]].assert_eq(&shown);
}

#[test]
fn a_repository_cannot_send_code_away() {
    let provider = Provider::start();
    let scene = Scene::new("");
    let mut shown = Vec::new();
    for own in [switches(true, true), vectors_at(&provider.url()), scores_at(&provider.url())] {
        scene.workspace.write(".codecompass/config.toml", &own);
        for args in [&["search", QUESTION][..], &["index"], &["doctor"]] {
            shown.push(scene.run(args).shown(&scene.workspace));
        }
        shown.dedup();
    }
    expect![[r#"
        --- stderr
        error: ROOT/.codecompass/config.toml: semantic.allow_code_payload_to_external: a repository may only set it to false
        help: remove it there; who wants it sets it in their own config.toml or as a variable
        --- exit code 2
        --- stderr
        error: ROOT/.codecompass/config.toml: semantic.embedding.base_url is not for a repository to say
        help: remove it there; who wants it sets it in their own config.toml or as a variable
        --- exit code 2
        --- stderr
        error: ROOT/.codecompass/config.toml: semantic.rerank.base_url is not for a repository to say
        help: remove it there; who wants it sets it in their own config.toml or as a variable
        --- exit code 2
    "#]].assert_eq(&shown.concat());
    assert_eq!(provider.connections(), 0);
}

#[test]
fn vectors_from_a_provider() {
    let provider = Provider::start();
    let scene = Scene::new(&format!("{}{}", switches(true, true), vectors_at(&provider.url())));
    // A question does not send the whole repository away.
    expect!["answered by words alone: the index has no vectors of openai:some@1; `codecompass index` makes them"]
        .assert_eq(&scene.fallback());
    assert_eq!(provider.connections(), 0);

    scene.run(&["index"]).ended_with(0);
    let requests = provider.requests();
    assert!(!requests.is_empty());
    for request in &requests {
        assert_eq!(
            (request.path.as_str(), request.authorization.as_str()),
            ("/v1/embeddings", "Bearer key-of-vectors")
        );
        assert_eq!(request.body["model"], "some");
    }
    let texts: Vec<&str> = requests
        .iter()
        .flat_map(|request| request.body["input"].as_array().unwrap())
        .filter_map(Value::as_str)
        .collect();
    assert!(texts.iter().any(|text| text.starts_with("src/store.rs\n")), "{texts:?}");
    assert!(texts.iter().all(|text| !text.contains("/secret/") && !text.starts_with('/')), "{texts:?}");

    let answer = scene.json(&["search", "what do customers owe us"]);
    assert_eq!(answer["metadata"]["embedding_model_version"], "openai:some@1");
    assert_eq!(answer["metadata"].get("semantic_fallback"), None);
    assert_eq!(answer["results"][0]["path"], "billing/invoice.py");
    let requests = provider.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].body["input"], json!(["what do customers owe us"]));

    // What changes is embedded by the next index run, and nothing else is.
    scene.workspace.write("web/legacy.js", "export const priceLimit = 3;\n");
    scene.json(&["search", "what do customers owe us"]);
    expect![[r#"
        ok   vectors: 23 of 24 search documents, 389 B; `codecompass index` makes the rest
        ok   providers: openai for vectors: allowed; code and questions are sent there
    "#]]
    .assert_eq(&scene.doctor(0, &["vectors", "providers"]));
    provider.requests();
    scene.run(&["sync"]).ended_with(0);
    let requests = provider.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].body["input"], json!(["web/legacy.js\nexport const priceLimit = 3;\n"]));
}

#[test]
fn a_provider_that_is_gone_fails_no_question() {
    let provider = Provider::start();
    let on = switches(true, true);
    let mut scene = Scene::new(&format!("{on}{}", vectors_at(&provider.url())));
    scene.run(&["index"]).ended_with(0);
    provider.requests();
    let with_vectors = scene.json(&["search", QUESTION]);

    // Nothing listens; the provider refuses; there is no key; the settings cannot work.
    scene.set(&format!("{on}{}", vectors_at(&nowhere())));
    expect!["answered by words alone: 127.0.0.1:PORT cannot be reached: nothing listens there"]
        .assert_eq(&scene.fallback());
    scene.set(&format!("{on}{}", vectors_at(&provider.url())));
    provider.set_broken(true);
    expect!["answered by words alone: 127.0.0.1:PORT refused the request (status 400)"].assert_eq(&scene.fallback());
    provider.set_broken(false);
    scene.has_keys = false;
    scene.set(&format!("{on}[semantic.embedding]\nprofile = \"external\"\nprovider = \"openai\"\n"));
    expect!["answered by words alone: the provider cannot be used: api.openai.com needs a key"]
        .assert_eq(&scene.fallback());
    scene.has_keys = true;
    scene.set(&format!("{on}[semantic.embedding]\nprofile = \"external\"\n"));
    expect![
        "answered by words alone: the provider cannot be used: semantic.embedding.provider must be voyage, openai or nomic"
    ]
    .assert_eq(&scene.fallback());
    expect![[r#"
        FAIL model: external: the provider cannot be used: semantic.embedding.provider must be voyage, openai or nomic
             correct [semantic.embedding]; until then words alone answer, and vectors that are there are kept
    "#]]
    .assert_eq(&scene.doctor(1, &["model"]));
    scene.set(&format!("{on}[semantic.embedding]\nprofile = \"code_quality\"\n"));
    let without_model = scene.fallback();
    if !cfg!(feature = "transformer") {
        expect!["answered by words alone: the model cannot be used: this program was built without the feature `transformer`, which code_quality needs; build it with `cargo build --release --features transformer`, or set semantic.embedding.profile to fast_local"].assert_eq(&without_model);
        scene.set(&format!("{on}[semantic.embedding]\nprofile = \"high_quality\"\n"));
        assert_eq!(scene.fallback(), without_model.replace("code_quality", "high_quality"));
    }
    // Commands that need no vectors leave them alone, too.
    scene.workspace.write("new.py", "def fresh():\n    pass\n");
    scene.run(&["locate", "fresh"]).ended_with(0);
    scene.workspace.remove("new.py");

    provider.requests();
    scene.set(&format!("{on}{}", vectors_at(&provider.url())));
    assert_eq!(scene.json(&["search", QUESTION]), with_vectors, "its vectors were kept");
    scene.run(&["index"]).ended_with(0);
    assert_eq!(provider.requests().len(), 1, "only the question was sent");
}

#[test]
fn secrets_stay_here() {
    let token = format!("ghp_{}", "a1B2c3D4".repeat(5));
    for redacts in [true, false] {
        let provider = Provider::start();
        let redaction = if redacts { "" } else { "redact_secrets = false\n" };
        let url = provider.url();
        let settings = format!("{}{redaction}{}{}", switches(true, true), vectors_at(&url), scores_at(&url));
        let scene = Scene::new(&settings);
        scene.workspace.write("src/upload.py", &format!("def upload_orders():\n    send(\"{token}\")\n"));
        scene.run(&["index"]).ended_with(0);
        let answer = scene.json(&["search", &format!("how are orders uploaded with {token}")]);
        assert_eq!(answer["metadata"]["rerank_provider"], "cohere");
        let sent: String = provider.requests().iter().map(|request| request.body.to_string()).collect();
        assert!(sent.contains("upload_orders"));
        assert_eq!((sent.contains(&token), sent.contains("send(\\\"[redacted]\\\")")), (!redacts, redacts), "{sent}");
    }
}

#[test]
fn variables_of_other_tools_are_told_and_not_followed() {
    let mut scene = Scene::new("");
    scene.has_keys = false;
    assert_eq!(scene.doctor(0, &["detected"]), "");
    scene.variables = &[("OLLAMA_HOST", "127.0.0.1:9"), ("NOMIC_API_KEY", "key-of-nomic")];
    expect![[r#"
        ok   detected: nothing is sent; OLLAMA_HOST is set; to use it: profile = "external", provider = "openai", base_url = "http://localhost:11434/v1" or its other address, `model` and `dimensions` in [semantic.embedding], and both switches of [semantic] that let code leave this machine; NOMIC_API_KEY is set; to use it: profile = "external", provider = "nomic" in [semantic.embedding], and both switches of [semantic] that let code leave this machine
    "#]].assert_eq(&scene.doctor(0, &["detected", "providers"]));
    let metadata = scene.ask();
    assert_eq!((metadata.get("semantic_fallback"), metadata.get("external_provider_blocked")), (None, None));
    // The error of a provider that cannot be used names them.
    scene.set(&format!("{}[semantic.embedding]\nprofile = \"external\"\n", switches(true, true)));
    let warning = scene.fallback();
    assert!(warning.contains("must be voyage, openai or nomic; OLLAMA_HOST is set; to use it: "), "{warning}");
    assert_eq!(scene.doctor(1, &["detected"]), "");
}

#[test]
fn an_index_run_says_what_it_could_not_do() {
    let provider = Provider::start();
    let scene = Scene::new(&format!("{}{}", switches(true, true), vectors_at(&provider.url())));
    provider.set_broken(true);
    let text = scene.run(&["index"]).ended_with(0).stdout;
    expect!["25 search documents got no vector: 127.0.0.1:PORT refused the request (status 400); the next `codecompass index` makes up for it"].assert_eq(&without_port(text.lines().last().unwrap()));
    expect!["25 search documents got no vector: 127.0.0.1:PORT refused the request (status 400); the next `codecompass index` makes up for it"].assert_eq(&only_warning(&scene.json(&["index"])["metadata"]));
    provider.set_broken(false);
    assert_eq!(scene.json(&["index"])["metadata"].get("warnings"), None);
    assert_eq!(scene.ask()["embedding_model_version"], "openai:some@1");
}

fn places(answer: &Value) -> Vec<String> {
    let place = |hit: &Value| format!("{}:{}", hit["path"].as_str().unwrap(), hit["line_start"]);
    answer["results"].as_array().unwrap().iter().map(place).collect()
}

#[test]
fn scores_of_a_provider_change_the_order() {
    let provider = Provider::start();
    let scene = Scene::new("");
    let local = scene.json(&["search", QUESTION]);
    assert!(!places(&local)[0].starts_with("web/legacy.js"), "{local:#}");
    scene.set(&format!("{}{}", switches(true, true), scores_at(&provider.url())));
    let answer = scene.json(&["search", QUESTION, "--explain"]);
    assert_eq!(answer["metadata"]["rerank_provider"], "cohere");
    assert!(places(&answer)[0].starts_with("web/legacy.js"), "{answer:#}");
    for hit in answer["results"].as_array().unwrap() {
        let parts = hit["ranking_reasons"].as_array().unwrap();
        assert!(parts.iter().any(|part| part["reason"] == "rerank"), "{hit:#}");
        let sum: f64 = parts.iter().map(|part| part["value"].as_f64().unwrap()).sum();
        assert!((sum - hit["score"].as_f64().unwrap()).abs() < 1e-9, "{hit:#}");
    }
    let requests = provider.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!((requests[0].path.as_str(), requests[0].authorization.as_str()), ("/v1/rerank", "Bearer key-of-scores"));
    assert_eq!(requests[0].body["query"], QUESTION);
    let documents = requests[0].body["documents"].as_array().unwrap();
    let shown = "src/store.rs\nload_orders\nfn load_orders(path: &str) -> HashMap<u64, Order>\n";
    assert!(documents.iter().any(|text| text.as_str().unwrap().starts_with(shown)), "{documents:#?}");
    // Names and paths are found without anybody's help, and so is everything while meaning is off.
    for args in [&["search", "OrderStore"][..], &["search", "web/client.ts"], &["search", QUESTION, "--mode", "off"]] {
        assert_eq!(scene.json(args)["metadata"].get("rerank_provider"), None);
    }
    assert_eq!(provider.requests().len(), 0);
    // Code of another ref is read from there.
    scene.workspace.commit("all");
    scene.workspace.write("web/legacy.js", "export function loadOrders(file) { return 1; }\n");
    scene.workspace.commit("changed");
    scene.json(&["search", QUESTION, "--ref", "HEAD~1"]);
    let requests = provider.requests();
    let documents = requests[0].body["documents"].as_array().unwrap();
    assert!(documents.iter().any(|text| text.as_str().unwrap().contains("return fetch(path)")), "{documents:#?}");
}

#[test]
fn scores_that_do_not_come_leave_the_local_order() {
    let provider = Provider::start();
    let mut scene = Scene::new("");
    let local = scene.json(&["search", QUESTION]);
    provider.set_broken(true);
    scene.set(&format!("{}{}", switches(true, true), scores_at(&provider.url())));
    let warning = |scene: &Scene| {
        let answer = scene.json(&["search", QUESTION]);
        assert_eq!(answer["results"], local["results"]);
        assert_eq!(answer["metadata"]["rerank_fallback"], true);
        assert_eq!(answer["metadata"].get("rerank_provider"), None);
        only_warning(&answer["metadata"])
    };
    expect!["ordered locally: 127.0.0.1:PORT refused the request (status 400)"].assert_eq(&warning(&scene));
    scene.set(&format!("{}{}", switches(true, true), scores_at(&nowhere())));
    expect!["ordered locally: 127.0.0.1:PORT cannot be reached: nothing listens there"].assert_eq(&warning(&scene));
    scene.has_keys = false;
    scene.set(&format!("{}[semantic.rerank]\nprovider = \"voyage\"\n", switches(true, true)));
    expect!["ordered locally: the provider cannot be used: api.voyageai.com needs a key"].assert_eq(&warning(&scene));
    expect![[r#"
        FAIL providers: voyage for scores: the provider cannot be used: api.voyageai.com needs a key
             correct [semantic.rerank]; until then the order of answers is the local one
    "#]]
    .assert_eq(&scene.doctor(1, &["providers"]));
}

#[test]
fn flags_change_one_answer() {
    let scene = Scene::new("");
    let usual = scene.json(&["search", QUESTION, "--metadata", "full"])["metadata"].clone();
    assert_eq!((&usual["semantic_mode"], &usual["semantic_triggered"]), (&json!("hybrid"), &json!(true)));
    let off = scene.json(&["search", QUESTION, "--mode", "off"])["metadata"].clone();
    assert_eq!((&off["semantic_mode"], &off["semantic_skipped_reason"]), (&json!("off"), &json!("semantic_disabled")));
    let none = scene.json(&["search", QUESTION, "--semantic-ratio", "0"])["metadata"].clone();
    assert_eq!(none["semantic_skipped_reason"], "semantic_disabled");
    let little = scene.json(&["search", QUESTION, "--semantic-ratio", "0.1", "--metadata", "full"])["metadata"].clone();
    assert!(little["semantic_ratio_used"].as_f64().unwrap() <= 0.1, "{little:#}");
    assert!(usual["semantic_ratio_used"].as_f64().unwrap() > 0.1, "{usual:#}");
    let unsure = scene.json(&["search", QUESTION, "--confidence-threshold", "1"])["metadata"].clone();
    assert_eq!((&unsure["low_confidence"], &unsure["confidence_threshold"]), (&json!(true), &json!(1.0)));
    let text = scene.run(&["search", QUESTION, "--confidence-threshold", "1"]).ended_with(0).stdout;
    expect!["not sure: use terms that the code itself would use, or name a file or symbol"]
        .assert_eq(text.lines().last().unwrap());
    let sure = scene.json(&["search", QUESTION, "--confidence-threshold", "0"])["metadata"].clone();
    assert_eq!(sure.get("low_confidence"), None);
    for wrong in [&["--semantic-ratio", "1.5"], &["--confidence-threshold", "x"], &["--mode", "on"]] {
        scene.run(&[&["search", QUESTION][..], wrong].concat()).ended_with(2);
    }
}

#[test]
fn similarity_is_shown_and_may_be_demanded() {
    let scene = Scene::new("");
    // Hardly a word of it stands in the code.
    let question = "payment receipts of purchased goods";
    let results = |more: &[&str]| {
        let answer = scene.json(&[&["search", question, "--metadata", "full", "-n", "100"], more].concat());
        answer["results"].as_array().unwrap().clone()
    };
    let all = results(&[]);
    let by_meaning = |hits: &[Value]| -> Vec<f64> {
        let hits = hits.iter().filter(|hit| hit["provenance"] == "semantic");
        hits.map(|hit| hit["similarity"].as_f64().unwrap()).collect()
    };
    let mut similarities = by_meaning(&all);
    assert!(similarities.len() > 1 && similarities.iter().all(|cosine| (0.0..=1.0).contains(cosine)), "{all:#?}");
    similarities.sort_by(f64::total_cmp);
    let least = similarities[similarities.len() / 2] + 0.0005;
    let some = results(&["--min-similarity", &least.to_string()]);
    let kept = by_meaning(&some);
    assert!(!kept.is_empty() && kept.len() < similarities.len() && kept.iter().all(|cosine| *cosine >= least));
    let by_words = |hits: &[Value]| hits.iter().filter(|hit| hit["provenance"] != "semantic").count();
    assert_eq!(by_words(&all), by_words(&some));
    assert!(by_meaning(&results(&["--min-similarity", "1"])).is_empty());
    let text = scene.run(&["search", question, "--explain"]).ended_with(0).stdout;
    assert!(text.contains("; similarity 0."), "{text}");
    let names = scene.json(&["search", "OrderStore"]);
    assert_eq!(names["results"][0].get("similarity"), None, "meaning was not used");
    scene.run(&["search", question, "--min-similarity", "2"]).ended_with(2);
}

#[test]
fn settings_say_which_questions_meaning_is_asked_for() {
    let scene = Scene::new("");
    let reason = |scene: &Scene| scene.json(&["search", "OrderStore"])["metadata"]["semantic_skipped_reason"].clone();
    assert_eq!(reason(&scene), "intent_not_nl");
    scene.set("[semantic.overrides.symbol]\nratio = 0.2\n");
    assert_ne!(reason(&scene), "intent_not_nl");
    scene.set("[semantic.overrides.natural_language]\nratio = 0.0\n");
    assert_eq!(scene.ask()["semantic_skipped_reason"], "semantic_disabled");
    scene.set("[semantic]\nmode = \"off\"\n");
    assert_eq!(scene.ask()["semantic_skipped_reason"], "semantic_disabled");
    expect![[r#"
        ok   model: none: semantic.mode is off
    "#]]
    .assert_eq(&scene.doctor(0, &["model"]));
}

#[test]
fn advice_is_given_when_asked_for() {
    let scene = Scene::new("");
    scene.run(&["index"]).ended_with(0);
    assert_eq!(scene.doctor(0, &["advice"]), "");
    scene.set("[semantic]\nprofile_advisor_mode = \"suggest\"\n");
    expect![[r#"
        ok   advice: N search documents; this model makes about N vectors a second here, all of them in about a second; a model of N a second would need N second. How often questions are asked in words is not counted: `codecompass eval` tells whether another profile answers them better
    "#]].assert_eq(&without_numbers(&scene.doctor(0, &["advice"])));
}

#[test]
fn full_metadata_has_every_field() {
    let scene = Scene::new("");
    let metadata = scene.json(&["search", QUESTION, "--metadata", "full"])["metadata"].clone();
    let usual = json!({
        "low_confidence": false, "suggested_action": null, "confidence_threshold": 0.5, "semantic_mode": "hybrid",
        "semantic_enabled": true, "semantic_triggered": true, "semantic_skipped_reason": null, "semantic_fallback": false,
        "external_provider_blocked": false, "rerank_provider": "local", "rerank_fallback": false, "warnings": [],
        "suppressed_duplicate_count": 0,
    });
    for (name, value) in usual.as_object().unwrap() {
        assert_eq!(metadata.get(name), Some(value), "{name}: {metadata:#}");
    }
    for name in ["top_score", "score_margin", "channel_agreement", "semantic_ratio_used", "query_intent_confidence"] {
        assert!(metadata[name].is_f64(), "{name}: {metadata:#}");
    }
    assert!(metadata["embedding_model_version"].is_string() && metadata["rank_profile_version"].is_string());
    let brief = scene.ask();
    let left: Vec<&str> =
        usual.as_object().unwrap().keys().map(String::as_str).filter(|k| brief.get(k).is_some()).collect();
    assert!(left.is_empty() && brief.get("rank_profile_version").is_none(), "{left:?}");
    // Of the second question hardly a word stands in the code.
    for (question, provenance) in [(QUESTION, "hybrid"), ("payment receipts of purchased goods", "semantic")] {
        let results = scene.json(&["search", question, "--metadata", "full", "-n", "100"])["results"].clone();
        let found_by = |word: &str| results.as_array().unwrap().iter().filter(|hit| hit["provenance"] == word).count();
        assert!(found_by(provenance) > 0, "{results:#}");
        let brief = scene.json(&["search", question, "-n", "100"])["results"].clone();
        let said: Vec<&Value> = brief.as_array().unwrap().iter().filter_map(|hit| hit.get("provenance")).collect();
        assert_eq!(said.len(), found_by("semantic") + found_by("lexical"));
    }
}
