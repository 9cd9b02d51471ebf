//! External providers against a server on this machine: what is sent, what is believed, and what
//! happens when things go wrong.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

mod chat;
mod fake;

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use codecompass_embed::remote::{
    EmbeddingProvider, RemoteSettings, RerankProvider, RerankSettings, Reranker, Secret, embedder, reranker,
};
use codecompass_embed::{Document, EmbedError, Embedder};
use fake::{Crowd, Reply, Request, Server};
use serde_json::{Value, json};

const KEY: &str = "key-0123456789";
const CODE: &str = "fn secret_code() {}";

fn settings(provider: EmbeddingProvider, url: &str) -> RemoteSettings {
    RemoteSettings {
        dimensions: Some(2),
        base_url: Some(url.to_string()),
        batch_size: 2,
        // Scripts are played in order.
        concurrency: 1,
        timeout: Duration::from_secs(20),
        retries: 2,
        backoff: Duration::from_millis(1),
        key: Some(Secret::new(KEY)),
        ..RemoteSettings::new(provider, "some-model")
    }
}

fn openai(server: &Server) -> Box<dyn Embedder> {
    embedder(&settings(EmbeddingProvider::OpenAi, &server.url())).unwrap()
}

fn scorer(provider: RerankProvider, server: &Server) -> Box<dyn Reranker> {
    let usual = RerankSettings::new(provider);
    let (base_url, key, backoff) = (Some(server.url()), Some(Secret::new(KEY)), Duration::from_millis(1));
    reranker(&RerankSettings { base_url, key, backoff, timeout: Duration::from_secs(20), ..usual }).unwrap()
}

fn documents(count: usize) -> Vec<Document<'static>> {
    vec![Document { path: "src/a.rs", text: CODE }; count]
}

fn vectors(numbers: &[[f32; 2]]) -> Reply {
    let data: Vec<Value> =
        numbers.iter().enumerate().map(|(index, x)| json!({"index": index, "embedding": x})).collect();
    Reply::json(json!({ "data": data }))
}

/// The error of one document with this script, which is checked for leaks, and the number of
/// requests.
fn failure(script: Vec<Reply>) -> (EmbedError, usize) {
    let server = Server::start(script);
    let error = openai(&server).embed_documents(&documents(1)).unwrap_err();
    (discreet(error), server.requests().len())
}

fn discreet(error: EmbedError) -> EmbedError {
    let text = format!("{error} {error:?}");
    assert!(!text.contains(KEY) && !text.contains("secret_code") && !text.contains("src/a.rs"), "{text}");
    error
}

fn is_malformed(script: Reply, part: &str) {
    let (error, requests) = failure(vec![script]);
    assert!(matches!(&error, EmbedError::Malformed(reason) if reason.contains(part)), "{error}");
    assert_eq!(requests, 1, "{error}");
}

#[test]
fn openai_gets_what_its_protocol_asks_for() {
    let server = Server::start(vec![vectors(&[[3.0, 4.0]]), vectors(&[[0.0, 2.0]])]);
    let embedder = openai(&server);
    assert_eq!((embedder.id(), embedder.dimensions(), embedder.is_fast()), ("openai:some-model@1", 2, false));
    assert_eq!(embedder.embed_documents(&documents(1)).unwrap(), [[0.6, 0.8]]);
    assert_eq!(embedder.embed_query(" where is it? ").unwrap(), [0.0, 1.0]);
    let requests = server.requests();
    assert_eq!(requests[0].head[0], "POST /v1/embeddings HTTP/1.1");
    assert!(requests[0].has(&format!("authorization: Bearer {KEY}")));
    assert!(requests[0].has(&format!("host: 127.0.0.1:{}", server.port)));
    assert!(requests[0].head.iter().any(|line| line.starts_with("content-type: application/json")));
    let input = [format!("src/a.rs\n{CODE}")];
    assert_eq!(requests[0].body, json!({"model": "some-model", "input": input, "encoding_format": "float"}));
    assert_eq!(requests[1].body["input"], json!(["where is it?"]));
}

#[test]
fn voyage_tells_documents_from_queries() {
    let server = Server::start(vec![vectors(&[[1.0, 0.0]]), vectors(&[[0.0, 1.0]])]);
    let embedder = embedder(&settings(EmbeddingProvider::Voyage, &server.url())).unwrap();
    assert_eq!(embedder.id(), "voyage:some-model@1/2");
    assert_eq!(embedder.embed_documents(&documents(1)).unwrap(), [[1.0, 0.0]]);
    assert_eq!(embedder.embed_query("where?").unwrap(), [0.0, 1.0]);
    let requests = server.requests();
    assert_eq!(requests[0].head[0], "POST /v1/embeddings HTTP/1.1");
    let body = |input: &str, kind: &str| json!({"model": "some-model", "input": [input], "input_type": kind, "truncation": true, "output_dimension": 2});
    assert_eq!(requests[0].body, body(&format!("src/a.rs\n{CODE}"), "document"));
    assert_eq!(requests[1].body, body("where?", "query"));
}

#[test]
fn nomic_gets_what_its_protocol_asks_for() {
    let made = |vector: [f32; 2]| Reply::json(json!({"embeddings": [vector], "usage": {"total_tokens": 1}}));
    let server = Server::start(vec![made([3.0, 4.0]), made([0.0, 2.0]), Reply::status("401 Unauthorized")]);
    let embedder = embedder(&settings(EmbeddingProvider::Nomic, &server.url())).unwrap();
    assert_eq!(embedder.id(), "nomic:some-model@1/2");
    assert_eq!(embedder.embed_documents(&documents(1)).unwrap(), [[0.6, 0.8]]);
    assert_eq!(embedder.embed_query("where?").unwrap(), [0.0, 1.0]);
    let error = discreet(embedder.embed_query("where?").unwrap_err());
    assert!(error.to_string().ends_with("refused the key (status 401)"), "{error}");
    let requests = server.requests();
    assert_eq!(requests[0].head[0], "POST /v1/embedding/text HTTP/1.1");
    assert!(requests[0].has(&format!("authorization: Bearer {KEY}")));
    let body = |text: &str, task: &str| json!({"model": "some-model", "texts": [text], "task_type": task, "dimensionality": 2});
    assert_eq!(requests[0].body, body(&format!("src/a.rs\n{CODE}"), "search_document"));
    assert_eq!(requests[1].body, body("where?", "search_query"));
    // Vectors come without numbers, so their count must be right.
    for embeddings in [json!([]), json!([[1, 0], [0, 1]]), json!([[1, 0, 0]])] {
        let server = Server::start(vec![Reply::json(json!({ "embeddings": embeddings }))]);
        let settings = settings(EmbeddingProvider::Nomic, &server.url());
        let error = codecompass_embed::remote::embedder(&settings).unwrap().embed_query("where?").unwrap_err();
        assert!(matches!(discreet(error), EmbedError::Malformed(_)), "{embeddings}");
    }
}

#[test]
fn ollama_speaks_the_protocol_of_openai() {
    let crowd = Crowd::start(Duration::ZERO, one_way);
    let settings = RemoteSettings {
        model: "nomic-embed-text".into(),
        key: None,
        ..settings(EmbeddingProvider::OpenAi, &crowd.url())
    };
    embedder(&settings).unwrap().embed_documents(&documents(1)).unwrap();
    let request = crowd.requests().pop().unwrap();
    assert_eq!(request.head[0], "POST /v1/embeddings HTTP/1.1");
    assert!(!request.head.iter().any(|line| line.starts_with("authorization")));
    assert_eq!((&request.body["model"], request.body.get("dimensions")), (&json!("nomic-embed-text"), None));
}

#[test]
fn secrets_are_not_sent_unless_the_user_wants_it() {
    let token = format!("ghp_{}", "a1B2c3D4".repeat(5));
    let text = format!("let token = \"{token}\";");
    for redacts in [true, false] {
        let crowd = Crowd::start(Duration::ZERO, one_way);
        let settings = RemoteSettings { redacts, ..settings(EmbeddingProvider::OpenAi, &crowd.url()) };
        let embedder = embedder(&settings).unwrap();
        embedder.embed_documents(&[Document { path: "src/a.rs", text: &text }]).unwrap();
        embedder.embed_query(&format!("where is {token} used?")).unwrap();
        let sent: Vec<String> = crowd.requests().iter().flat_map(texts).collect();
        if redacts {
            assert_eq!(sent, ["src/a.rs\nlet token = \"[redacted]\";", "where is [redacted] used?"]);
        } else {
            assert!(sent.len() == 2 && sent.iter().all(|text| text.contains(&token)), "{sent:?}");
        }
        let results = json!([{"index": 0, "relevance_score": 0.5}]);
        let server = Server::start(vec![Reply::json(json!({ "results": results }))]);
        let usual = RerankSettings::new(RerankProvider::Cohere);
        let settings = RerankSettings { base_url: Some(server.url()), redacts, ..usual };
        reranker(&settings).unwrap().rerank(&token, &[&text]).unwrap();
        assert_eq!(server.requests()[0].body.to_string().contains("a1B2c3D4"), !redacts);
    }
}

#[test]
fn sizes_of_known_models_are_known() {
    let id = |provider, model: &str, dimensions| {
        let key = Some(Secret::new(KEY));
        let embedder = embedder(&RemoteSettings { dimensions, key, ..RemoteSettings::new(provider, model) }).unwrap();
        (embedder.id().to_string(), embedder.dimensions())
    };
    assert_eq!(id(EmbeddingProvider::Voyage, "voyage-code-3", None), ("voyage:voyage-code-3@1".into(), 1024));
    assert_eq!(id(EmbeddingProvider::Voyage, "voyage-code-3", Some(1024)), ("voyage:voyage-code-3@1".into(), 1024));
    assert_eq!(id(EmbeddingProvider::Voyage, "voyage-code-3", Some(256)), ("voyage:voyage-code-3@1/256".into(), 256));
    assert_eq!(
        id(EmbeddingProvider::Nomic, "nomic-embed-text-v1.5", None),
        ("nomic:nomic-embed-text-v1.5@1".into(), 768)
    );
    assert_eq!(
        id(EmbeddingProvider::OpenAi, "text-embedding-3-small", Some(512)),
        ("openai:text-embedding-3-small@1/512".into(), 512)
    );
}

#[test]
fn documents_go_in_batches() {
    let server = Server::start(vec![
        vectors(&[[1.0, 0.0], [0.0, 1.0]]),
        vectors(&[[0.0, 1.0], [1.0, 0.0]]),
        vectors(&[[-1.0, 0.0]]),
    ]);
    let mut all = documents(6);
    all[2] = Document { path: "", text: "" };
    let made = openai(&server).embed_documents(&all).unwrap();
    assert_eq!(made, [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [-1.0, 0.0]]);
    let counts: Vec<usize> = server.requests().iter().map(|r| r.body["input"].as_array().unwrap().len()).collect();
    assert_eq!(counts, [2, 2, 1]);
}

#[test]
fn long_documents_are_split_and_joined() {
    let server = Server::start(vec![vectors(&[[1.0, 0.0], [0.0, 1.0]]), vectors(&[[0.0, 1.0]])]);
    let embedder = openai(&server);
    // Of 700 lines of 20 bytes, 399 fit beside the path, then the rest.
    let text = "let number = 10000;\n".repeat(700);
    let all = [Document { path: "a", text: &text }, Document { path: "src/a.rs", text: CODE }];
    let made = embedder.embed_documents(&all).unwrap();
    let requests = server.requests();
    let inputs: Vec<&str> =
        requests.iter().flat_map(|r| r.body["input"].as_array().unwrap()).filter_map(Value::as_str).collect();
    assert_eq!(inputs.iter().map(|text| text.len()).collect::<Vec<_>>(), [7982, 6022, 9 + CODE.len()]);
    let pieces = inputs[..2].iter().map(|text| text.strip_prefix("a\n").unwrap());
    assert_eq!(pieces.collect::<String>(), text, "all of it is sent");
    let length = (7982.0_f32.powi(2) + 6022.0_f32.powi(2)).sqrt();
    let near = |x: f32, y: f32| (x - y).abs() < 1e-5;
    assert!(near(made[0][0], 7982.0 / length) && near(made[0][1], 6022.0 / length), "{made:?}");
    assert_eq!(made[1], [0.0, 1.0]);
}

#[test]
fn pieces_are_as_long_as_the_provider_takes() {
    let longest = |provider, max_text_bytes| {
        let crowd = Crowd::start(Duration::ZERO, one_way);
        let settings = RemoteSettings { max_text_bytes, ..settings(provider, &crowd.url()) };
        let text = "ä".repeat(100_000);
        embedder(&settings).unwrap().embed_documents(&[Document { path: "a", text: &text }]).unwrap();
        let requests = crowd.requests();
        let lengths = requests.iter().flat_map(texts).map(|text| text.len());
        lengths.max().unwrap()
    };
    assert_eq!(longest(EmbeddingProvider::OpenAi, None), 8_000);
    assert_eq!(longest(EmbeddingProvider::Voyage, None), 16_000);
    assert_eq!(longest(EmbeddingProvider::OpenAi, Some(1_000)), 1_000);
}

#[test]
fn long_questions_are_cut_and_nothing_is_sent_for_nothing() {
    let server = Server::start(vec![vectors(&[[1.0, 0.0]])]);
    let embedder = openai(&server);
    embedder.embed_query(&"ä".repeat(100_000)).unwrap();
    assert!(server.requests()[0].body["input"][0].as_str().unwrap().len() <= 8000);
    assert_eq!(embedder.embed_query(" \n").unwrap(), [0.0, 0.0]);
    assert!(embedder.embed_documents(&[]).unwrap().is_empty());
    assert!(server.requests().is_empty());
}

/// The texts of a request.
fn texts(request: &Request) -> Vec<String> {
    let texts = request.body["input"].as_array().unwrap().iter();
    texts.map(|text| text.as_str().unwrap().to_string()).collect()
}

/// The same vector for every text.
fn one_way(request: &Request) -> Reply {
    vectors(&vec![[1.0, 0.0]; texts(request).len()])
}

/// A vector that tells the number which ends the path of a text.
fn by_number(request: &Request) -> Reply {
    let number = |text: &String| text.split_once('\n').unwrap().0.parse::<f32>().unwrap();
    let made: Vec<[f32; 2]> = texts(request).iter().map(|text| [number(text).cos(), number(text).sin()]).collect();
    vectors(&made)
}

/// Documents whose paths are numbers, and whether a vector is the one of its document.
fn numbered(count: usize) -> Vec<String> {
    (0..count).map(|number| number.to_string()).collect()
}

fn is_of(vector: &[f32], number: usize) -> bool {
    let number = number as f32;
    (vector[0] - number.cos()).abs() < 1e-5 && (vector[1] - number.sin()).abs() < 1e-5
}

#[test]
fn several_requests_go_at_a_time() {
    let crowd = Crowd::start(Duration::from_millis(40), by_number);
    let settings = RemoteSettings { concurrency: 4, ..settings(EmbeddingProvider::OpenAi, &crowd.url()) };
    let embedder = embedder(&settings).unwrap();
    assert_eq!(embedder.at_once(), 32);
    let paths = numbered(39);
    let documents: Vec<Document<'_>> = paths.iter().map(|path| Document { path, text: CODE }).collect();
    let made = embedder.embed_documents(&documents).unwrap();
    assert!(made.iter().enumerate().all(|(number, vector)| is_of(vector, number)), "{made:?}");
    assert_eq!(crowd.requests().len(), 20);
    assert!((2..=4).contains(&crowd.most_at_once()), "{}", crowd.most_at_once());
}

#[test]
fn a_request_that_fails_costs_its_own_documents() {
    let crowd = Crowd::start(Duration::from_millis(5), |request| {
        if texts(request)[0].starts_with("6\n") { Reply::status("400 Bad Request") } else { by_number(request) }
    });
    let settings = RemoteSettings { concurrency: 3, ..settings(EmbeddingProvider::OpenAi, &crowd.url()) };
    let paths = numbered(40);
    let documents: Vec<Document<'_>> = paths.iter().map(|path| Document { path, text: CODE }).collect();
    let embedder = embedder(&settings).unwrap();
    let made = embedder.embed_possible(&documents, &|| false);
    let error = discreet(made.problem.unwrap());
    assert!(matches!(error, EmbedError::Refused { status: 400, .. }), "{error}");
    for (number, vector) in made.vectors.iter().enumerate() {
        match number {
            6 | 7 => assert!(vector.is_none()),
            _ => assert!(is_of(vector.as_ref().unwrap(), number), "{number}"),
        }
    }
    assert_eq!(crowd.requests().len(), 20);
    assert!(matches!(embedder.embed_documents(&documents), Err(EmbedError::Refused { status: 400, .. })));
}

#[test]
fn requests_end_when_all_would_fail() {
    for (status, most) in [("401 Unauthorized", 2), ("400 Bad Request", 4)] {
        let crowd = Crowd::start(Duration::from_millis(20), move |_| Reply::status(status));
        let settings = RemoteSettings { concurrency: 2, ..settings(EmbeddingProvider::OpenAi, &crowd.url()) };
        let made = embedder(&settings).unwrap().embed_possible(&documents(100), &|| false);
        assert!(made.vectors.iter().all(Option::is_none) && made.problem.is_some());
        let asked = crowd.requests().len();
        assert!((1..=most).contains(&asked), "{status}: {asked}");
    }
}

#[test]
fn each_request_is_tried_again_on_its_own() {
    let refused = std::sync::Mutex::new(std::collections::HashSet::new());
    let crowd = Crowd::start(Duration::from_millis(5), move |request| {
        if refused.lock().unwrap().insert(texts(request)) {
            Reply::status_with("429 Too Many Requests", "retry-after: 0\r\n")
        } else {
            by_number(request)
        }
    });
    let settings = RemoteSettings { concurrency: 4, ..settings(EmbeddingProvider::OpenAi, &crowd.url()) };
    let paths = numbered(20);
    let documents: Vec<Document<'_>> = paths.iter().map(|path| Document { path, text: CODE }).collect();
    let made = embedder(&settings).unwrap().embed_documents(&documents).unwrap();
    assert!(made.iter().enumerate().all(|(number, vector)| is_of(vector, number)));
    assert_eq!(crowd.requests().len(), 20);
}

#[test]
fn cancelling_ends_requests_and_waits() {
    let crowd =
        Crowd::start(Duration::from_millis(5), |_| Reply::status_with("429 Too Many Requests", "retry-after: 15\r\n"));
    let settings = RemoteSettings { concurrency: 2, ..settings(EmbeddingProvider::OpenAi, &crowd.url()) };
    let start = Instant::now();
    let is_cancelled = || start.elapsed() > Duration::from_millis(300);
    let made = embedder(&settings).unwrap().embed_possible(&documents(100), &is_cancelled);
    assert!(made.vectors.iter().all(Option::is_none));
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(crowd.requests().len(), 2);
}

#[test]
fn vectors_are_put_in_order() {
    let data = json!([{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]);
    let server = Server::start(vec![Reply::json(json!({ "data": data }))]);
    assert_eq!(openai(&server).embed_documents(&documents(2)).unwrap(), [[1.0, 0.0], [0.0, 1.0]]);
}

#[test]
fn passing_failures_are_tried_again() {
    let script = vec![
        Reply::status_with("429 Too Many Requests", "retry-after: 0\r\n"),
        Reply::status("503 Service Unavailable"),
        vectors(&[[1.0, 0.0]]),
    ];
    let server = Server::start(script);
    assert_eq!(openai(&server).embed_documents(&documents(1)).unwrap(), [[1.0, 0.0]]);
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    assert!(requests.iter().all(|request| request.body == requests[0].body));
}

#[test]
fn the_server_says_when_to_come_back() {
    let script = vec![Reply::status_with("429 Too Many Requests", "retry-after: 1\r\n"), vectors(&[[1.0, 0.0]])];
    let (server, start) = (Server::start(script), Instant::now());
    openai(&server).embed_documents(&documents(1)).unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1));
}

#[test]
fn a_wait_that_is_too_long_is_not_begun() {
    let server = Server::start(vec![Reply::status_with("429 Too Many Requests", "retry-after: 3600\r\n")]);
    let start = Instant::now();
    let error = openai(&server).embed_query("where?").unwrap_err();
    assert!(matches!(discreet(error), EmbedError::RateLimited { .. }));
    assert!(start.elapsed() < Duration::from_secs(15));
}

#[test]
fn lasting_failures_end_after_all_tries() {
    let (error, requests) = failure((0..9).map(|_| Reply::status("500 Internal Server Error")).collect());
    assert!(matches!(error, EmbedError::Failed { status: 500, .. }), "{error}");
    assert_eq!(requests, 3);
    let (error, requests) = failure((0..9).map(|_| Reply::status("429 Too Many Requests")).collect());
    assert!(matches!(error, EmbedError::RateLimited { .. }), "{error}");
    assert_eq!(requests, 3);
    let (error, requests) = failure((0..9).map(|_| Reply::Raw(b"")).collect());
    assert!(matches!(error, EmbedError::Unreachable { .. }), "{error}");
    assert_eq!(requests, 3);
}

#[test]
fn refusals_are_not_tried_again() {
    for (line, code) in
        [("400 Bad Request", 400), ("401 Unauthorized", 401), ("403 Forbidden", 403), ("404 Not Found", 404)]
    {
        let (error, requests) = failure(vec![Reply::status(line), vectors(&[[1.0, 0.0]])]);
        assert!(matches!(error, EmbedError::Refused { status, .. } if status == code), "{error}");
        assert_eq!(error.to_string().contains("key"), code == 401 || code == 403, "{error}");
        assert_eq!(requests, 1);
    }
}

#[test]
fn redirects_are_not_followed() {
    for line in
        ["301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"]
    {
        let elsewhere = Server::start(vec![vectors(&[[1.0, 0.0]])]);
        let (error, requests) =
            failure(vec![Reply::status_with(line, &format!("location: {}/embeddings\r\n", elsewhere.url()))]);
        assert!(matches!(error, EmbedError::Refused { status: 300..=399, .. }), "{error}");
        assert_eq!((requests, elsewhere.requests().len()), (1, 0));
    }
}

#[test]
fn silence_and_slowness_end_in_time() {
    for reply in [Reply::Silence, Reply::Trickle] {
        let (server, start) = (Server::start(vec![reply]), Instant::now());
        let timeout = Duration::from_millis(200);
        let settings = RemoteSettings { timeout, ..settings(EmbeddingProvider::OpenAi, &server.url()) };
        let error = discreet(embedder(&settings).unwrap().embed_documents(&documents(1)).unwrap_err());
        assert!(matches!(error, EmbedError::TimedOut { .. }), "{error}");
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

#[test]
fn answers_that_do_not_fit_are_not_believed() {
    let data = |data: Value| Reply::json(json!({ "data": data }));
    is_malformed(Reply::json("fn secret_code() <html>"), "JSON");
    is_malformed(Reply::json("\"fn secret_code()\""), "JSON");
    is_malformed(Reply::json("{\"data\": [{\"index\": 0, \"embedding\": [NaN, 1]}]}"), "JSON");
    is_malformed(data(json!([{"index": 0, "embedding": [null, 1]}])), "JSON");
    is_malformed(data(json!([{"index": -1, "embedding": [0, 1]}])), "JSON");
    is_malformed(data(json!([{"index": 0, "embedding": [1e39, 1]}])), "too large");
    is_malformed(data(json!([{"index": 0, "embedding": [1e38, 1]}])), "too large");
    is_malformed(data(json!([{"index": 0, "embedding": [1, 2, 3]}])), "3 numbers and not 2");
    is_malformed(data(json!([{"index": 0, "embedding": []}])), "0 numbers and not 2");
    is_malformed(data(json!([])), "every text");
    is_malformed(data(json!([{"index": 1, "embedding": [1, 0]}])), "beyond");
    is_malformed(vectors(&[[1.0, 0.0], [1.0, 0.0]]), "beyond");
    let twice = json!([{"index": 0, "embedding": [1, 0]}, {"index": 0, "embedding": [1, 0]}]);
    is_malformed(data(twice), "twice");
    is_malformed(Reply::Raw(b"fn secret_code() is no HTTP\r\n\r\n"), "HTTP");
    let not_gzip = "content-encoding: gzip\r\n".to_string();
    is_malformed(Reply::Full("200 OK", not_gzip, b"fn secret_code()".to_vec()), "HTTP");
}

#[test]
fn huge_answers_are_cut_off() {
    let body = format!("{{\"data\": [{}]}}", " ".repeat(3 << 20));
    is_malformed(Reply::json(body), "larger");
    // 16 MB come out of these 100 kB.
    is_malformed(Reply::Full("200 OK", "content-encoding: gzip\r\n".into(), bomb()), "larger");
}

/// A gzip stream of stored blocks is as long as what it holds, so this one is of fixed-code blocks:
/// a blank, then its repetition 258 bytes at a time.
fn bomb() -> Vec<u8> {
    let mut bits: Vec<bool> = Vec::new();
    let low_first =
        |bits: &mut Vec<bool>, value: u32, count: u32| bits.extend((0..count).map(|at| value >> at & 1 == 1));
    let high_first =
        |bits: &mut Vec<bool>, value: u32, count: u32| bits.extend((0..count).rev().map(|at| value >> at & 1 == 1));
    low_first(&mut bits, 0b011, 3);
    high_first(&mut bits, 0x30 + u32::from(b' '), 8);
    for _ in 0..65_000 {
        high_first(&mut bits, 0b1100_0101, 8);
        high_first(&mut bits, 0, 5);
    }
    high_first(&mut bits, 0, 7);
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    bytes.extend(bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |sum, bit| sum << 1 | u8::from(*bit))));
    bytes
}

#[test]
fn a_host_that_is_not_there_is_told_as_such() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let settings = settings(EmbeddingProvider::OpenAi, &format!("http://127.0.0.1:{port}/v1"));
    let error = discreet(embedder(&settings).unwrap().embed_query("where?").unwrap_err());
    assert!(matches!(&error, EmbedError::Unreachable { reason: "nothing listens there", .. }), "{error}");
    assert!(error.to_string().contains(&format!("127.0.0.1:{port}")));
}

#[test]
fn a_server_without_tls_gets_no_key() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut heard = vec![0; 5];
        stream.read_exact(&mut heard).unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        // An abrupt end is an end, too.
        let _ = stream.read_to_end(&mut heard);
        heard
    });
    let settings = settings(EmbeddingProvider::OpenAi, &format!("https://127.0.0.1:{port}/v1"));
    let error = discreet(embedder(&settings).unwrap().embed_query("where?").unwrap_err());
    assert!(matches!(&error, EmbedError::Unreachable { reason: "no secure connection", .. }), "{error}");
    assert!(!String::from_utf8_lossy(&server.join().unwrap()).contains(KEY));
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let usual = || settings(EmbeddingProvider::OpenAi, "http://127.0.0.1:1/v1");
    let refused = [
        RemoteSettings { base_url: Some("http://example.com/v1".into()), ..usual() },
        RemoteSettings { base_url: Some(format!("https://{KEY}@example.com/v1")), ..usual() },
        RemoteSettings { base_url: None, key: None, ..usual() },
        RemoteSettings { key: Some(Secret::new(" \n")), ..usual() },
        RemoteSettings { key: Some(Secret::new(&format!("{KEY}\r\nhost: example.com"))), ..usual() },
        RemoteSettings { dimensions: None, ..usual() },
        RemoteSettings { dimensions: Some(0), ..usual() },
        RemoteSettings { dimensions: Some(usize::MAX), ..usual() },
        RemoteSettings { batch_size: 0, ..usual() },
        RemoteSettings { batch_size: 1001, ..usual() },
        RemoteSettings { concurrency: 0, ..usual() },
        RemoteSettings { concurrency: 65, ..usual() },
        RemoteSettings { max_text_bytes: Some(499), ..usual() },
        RemoteSettings { timeout: Duration::ZERO, ..usual() },
        RemoteSettings { timeout: Duration::MAX, ..usual() },
        RemoteSettings { model: " ".into(), ..usual() },
    ];
    for settings in refused {
        let error = discreet(embedder(&settings).err().unwrap());
        assert!(matches!(error, EmbedError::Settings(_)), "{error}");
    }
    let no_key = RerankSettings::new(RerankProvider::Cohere);
    assert!(matches!(reranker(&no_key).err().unwrap(), EmbedError::Settings(_)));
    let elsewhere = RerankSettings { base_url: Some("http://10.0.0.1/v2".into()), ..no_key };
    assert!(matches!(reranker(&elsewhere).err().unwrap(), EmbedError::Settings(_)));
    assert!(embedder(&RemoteSettings { backoff: Duration::MAX, retries: u32::MAX, ..usual() }).is_ok());
}

#[test]
fn keys_do_not_show() {
    let secret = Secret::new(KEY);
    let mut settings = settings(EmbeddingProvider::Voyage, "http://localhost");
    let scoring = RerankSettings { key: Some(secret.clone()), ..RerankSettings::new(RerankProvider::Voyage) };
    settings.key = Some(secret.clone());
    assert!(!format!("{secret} {secret:?} {settings:?} {settings:#?} {scoring:?}").contains(KEY));
}

#[test]
fn a_local_server_needs_no_key() {
    let server = Server::start(vec![vectors(&[[1.0, 0.0]])]);
    let settings = RemoteSettings { key: None, ..settings(EmbeddingProvider::OpenAi, &server.url()) };
    embedder(&settings).unwrap().embed_query("where?").unwrap();
    assert!(!server.requests()[0].head.iter().any(|line| line.starts_with("authorization")));
}

#[test]
fn documents_are_scored() {
    let results = json!([{"index": 1, "relevance_score": 1.5}, {"index": 0, "relevance_score": 0.25}]);
    for (provider, name, id) in [
        (RerankProvider::Cohere, "results", "cohere:rerank-v3.5"),
        (RerankProvider::Voyage, "data", "voyage:rerank-2.5"),
    ] {
        let server = Server::start(vec![Reply::status("500 Oops"), Reply::json(json!({name: results, "id": "x"}))]);
        let reranker = scorer(provider, &server);
        assert_eq!(reranker.id(), id);
        assert_eq!(reranker.rerank("where?", &["a", "", CODE]).unwrap(), [0.25, 0.0, 1.0]);
        let request = server.requests().pop().unwrap();
        assert_eq!(request.head[0], "POST /v1/rerank HTTP/1.1");
        assert!(request.has(&format!("authorization: Bearer {KEY}")));
        let model = id.split_once(':').unwrap().1;
        let mut body = json!({"model": model, "query": "where?", "documents": ["a", CODE]});
        if provider == RerankProvider::Voyage {
            body["return_documents"] = json!(false);
        }
        assert_eq!(request.body, body);
        assert_eq!(reranker.rerank("", &["a"]).unwrap(), [0.0]);
        assert!(reranker.rerank("where?", &[]).unwrap().is_empty());
    }
}

fn vertex(url: String, project: &str) -> RerankSettings {
    let usual = RerankSettings::new(RerankProvider::Vertex);
    let (base_url, key, backoff) = (Some(url), Some(Secret::new(KEY)), Duration::from_millis(1));
    RerankSettings { base_url, key, backoff, project: Some(project.into()), timeout: Duration::from_secs(20), ..usual }
}

#[test]
fn vertex_ranks_records() {
    let records = json!([{"id": "1", "score": 0.75}, {"id": "0"}]);
    let script = vec![Reply::json(json!({ "records": records })), Reply::status("403 Forbidden")];
    let server = Server::start(script);
    let reranker = reranker(&vertex(server.url(), "my-project-1")).unwrap();
    assert_eq!(reranker.id(), "vertex:semantic-ranker-default@latest");
    assert_eq!(reranker.rerank("where?", &["a", "", CODE]).unwrap(), [0.0, 0.0, 0.75]);
    let error = discreet(reranker.rerank("where?", &[CODE]).unwrap_err());
    assert!(matches!(error, EmbedError::Refused { status: 403, .. }), "{error}");
    let request = &server.requests()[0];
    let path = "/v1/projects/my-project-1/locations/global/rankingConfigs/default_ranking_config:rank";
    assert_eq!(request.head[0], format!("POST {path} HTTP/1.1"));
    assert!(request.has(&format!("authorization: Bearer {KEY}")) && request.has("x-goog-user-project: my-project-1"));
    let sent = json!([{"id": "0", "content": "a"}, {"id": "1", "content": CODE}]);
    let body = json!({"model": "semantic-ranker-default@latest", "query": "where?", "records": sent, "ignoreRecordDetailsInResponse": true});
    assert_eq!(request.body, body);
}

#[test]
fn vertex_is_asked_within_its_limits_and_checked() {
    let records = |count: usize| {
        let records: Vec<Value> = (0..count).map(|at| json!({"id": at.to_string(), "score": 0.5})).collect();
        Reply::json(json!({ "records": records }))
    };
    let server = Server::start(vec![records(200), records(50)]);
    let scores = reranker(&vertex(server.url(), "p")).unwrap().rerank("where?", &["a"; 250]).unwrap();
    assert_eq!(scores, vec![0.5; 250]);
    for records in [json!([{"id": "x", "score": 1}]), json!([]), json!([{"id": "1", "score": 1}])] {
        let server = Server::start(vec![Reply::json(json!({ "records": records }))]);
        let error = reranker(&vertex(server.url(), "p")).unwrap().rerank("where?", &[CODE]).unwrap_err();
        assert!(matches!(discreet(error), EmbedError::Malformed(_)), "{records}");
    }
    for project in ["", "../other", "a/b", "a?b", "a b"] {
        let error = reranker(&vertex("http://127.0.0.1:1/v1".into(), project)).err().unwrap();
        assert!(matches!(error, EmbedError::Settings(_)), "{project}: {error}");
    }
}

#[test]
fn many_documents_are_scored_in_several_requests() {
    let results = |count: usize| {
        let results: Vec<Value> = (0..count).map(|at| json!({"index": at, "relevance_score": 0.5})).collect();
        Reply::json(json!({ "results": results }))
    };
    let server = Server::start(vec![results(1000), results(200)]);
    assert_eq!(scorer(RerankProvider::Cohere, &server).rerank("where?", &["a"; 1200]).unwrap(), vec![0.5; 1200]);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn scores_that_do_not_fit_are_not_believed() {
    for results in [
        json!([{"index": 0, "relevance_score": 0.5}]),
        json!([{"index": 0, "relevance_score": 0.5}, {"index": 2, "relevance_score": 0.5}]),
        json!([{"index": 0, "relevance_score": 0.5}, {"index": 0, "relevance_score": 0.5}]),
        json!([{"index": 0, "relevance_score": 0.5}, {"index": 1, "relevance_score": 1e39}]),
        json!([{"index": 0, "relevance_score": 0.5}, {"index": 1, "relevance_score": null}]),
        json!([{"index": 0, "relevance_score": 0.5}, {"index": 1}]),
    ] {
        let server = Server::start(vec![Reply::json(json!({ "results": results }))]);
        let error = discreet(scorer(RerankProvider::Cohere, &server).rerank("where?", &["a", CODE]).unwrap_err());
        assert!(matches!(error, EmbedError::Malformed(_)), "{results}: {error}");
    }
}
