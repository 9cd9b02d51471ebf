//! Chat models against a server on this machine.

use std::time::{Duration, Instant};

use codecompass_embed::EmbedError;
use codecompass_embed::remote::{ChatAnswer, ChatCut, ChatSettings, Secret, chat_model};
use serde_json::json;

use crate::fake::{Reply, Server};
use crate::{CODE, KEY};

fn settings(server: &Server) -> ChatSettings {
    ChatSettings {
        base_url: Some(server.url()),
        timeout: Duration::from_secs(20),
        backoff: Duration::from_millis(1),
        key: Some(Secret::new(KEY)),
        ..ChatSettings::new("some-model")
    }
}

/// Has a text about secret code written; errors are checked for leaks.
fn written(settings: &ChatSettings) -> Result<ChatAnswer, EmbedError> {
    let answer = chat_model(settings).unwrap().write("be brief", CODE, &|| false, &mut |_| {});
    if let Err(error) = &answer {
        let said = format!("{error} {error:?}");
        assert!(!said.contains(KEY) && !said.contains("secret_code"), "{said}");
    }
    answer
}

fn event(words: &str) -> String {
    format!("data: {}\n\n", json!({"choices": [{"delta": {"content": words}}]}))
}

fn stream(events: &[String]) -> Reply {
    Reply::Full("200 OK", "content-type: text/event-stream\r\n".into(), events.concat().into_bytes())
}

fn end() -> String {
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n".to_string()
}

#[test]
fn a_stream_becomes_a_text() {
    let server = Server::start(vec![stream(&[event("It "), event("works."), end()])]);
    let whole = ChatAnswer { text: "It works.".into(), cut: None };
    assert_eq!(written(&settings(&server)).unwrap(), whole);
    let requests = server.requests();
    let [request] = requests.as_slice() else { panic!("{} requests", requests.len()) };
    assert!(request.has("POST /v1/chat/completions HTTP/1.1"), "{:?}", request.head);
    assert!(request.has(&format!("authorization: Bearer {KEY}")));
    let messages = json!([{"role": "system", "content": "be brief"}, {"role": "user", "content": CODE}]);
    let body = json!({
        "model": "some-model", "stream": true, "max_tokens": 2000, "temperature": 0, "messages": messages,
    });
    assert_eq!(request.body, body);
}

#[test]
fn secrets_are_removed() {
    let server = Server::start(vec![stream(&[event("ok"), end()])]);
    let text = format!("token = \"ghp_{}\"", "a1B2c3D4".repeat(6));
    chat_model(&settings(&server)).unwrap().write("", &text, &|| false, &mut |_| {}).unwrap();
    assert_eq!(server.requests()[0].body["messages"][1]["content"], "token = \"[redacted]\"");
}

#[test]
fn an_overloaded_server_is_asked_again() {
    let script = vec![Reply::status("503 Service Unavailable"), stream(&[event("now"), end()])];
    let server = Server::start(script);
    assert_eq!(written(&settings(&server)).unwrap().text, "now");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_text_that_ends_early_is_kept() {
    let server = Server::start(vec![stream(&[event("The first half")])]);
    let answer = written(&settings(&server)).unwrap();
    assert_eq!(answer.text, "The first half");
    assert!(matches!(answer.cut, Some(ChatCut::Interrupted(_))), "{answer:?}");
}

#[test]
fn failures_have_reasons() {
    let said = |reply: Reply| {
        let server = Server::start(vec![reply]);
        let settings = ChatSettings { retries: 0, ..settings(&server) };
        written(&settings).unwrap_err().to_string().replace(&server.port.to_string(), "PORT")
    };
    assert_eq!(said(Reply::status("401 Unauthorized")), "127.0.0.1:PORT refused the key (status 401)");
    let unknown = "127.0.0.1:PORT does not know the address or the model (status 404)";
    assert_eq!(said(Reply::status("404 Not Found")), unknown);
    let no_json = "the provider's answer cannot be used: it is not the expected JSON";
    assert_eq!(said(Reply::json("fn secret_code() {} is what you sent")), no_json);
    assert_eq!(said(Reply::json(json!({"choices": []}))), "the provider's answer cannot be used: it has no text");
    assert_eq!(
        said(Reply::Raw(b"garbage\r\n\r\n")),
        "the provider's answer cannot be used: it is not HTTP as it should be"
    );
    assert!(said(stream(&["data: {\n".into()])).starts_with("the provider's answer cannot be used"));
}

#[test]
fn a_slow_server_is_not_waited_for() {
    for reply in [Reply::Silence, Reply::Trickle] {
        let server = Server::start(vec![reply]);
        let settings = ChatSettings { retries: 0, timeout: Duration::from_millis(300), ..settings(&server) };
        let start = Instant::now();
        let error = written(&settings).unwrap_err();
        assert!(matches!(error, EmbedError::TimedOut { .. }), "{error}");
        assert!(start.elapsed() < Duration::from_secs(15));
    }
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let refused = |settings: ChatSettings| chat_model(&settings).err().map(|error| error.to_string());
    assert!(refused(ChatSettings::new("m")).unwrap().contains("needs a key"));
    assert!(refused(ChatSettings::new(" ")).unwrap().contains("model must not be empty"));
    let plain = ChatSettings { base_url: Some("http://example.com/v1".into()), ..ChatSettings::new("m") };
    assert!(refused(plain).unwrap().contains("must start with https://"));
    let local = ChatSettings { base_url: Some("http://localhost:11434/v1".into()), ..ChatSettings::new("m") };
    assert_eq!(refused(local), None);
}
