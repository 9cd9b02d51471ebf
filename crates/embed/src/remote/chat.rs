//! Texts written by a chat model: OpenAI's, or one on a server with its protocol.
//!
//! The answer is asked for as a stream of events, so that what was written before the time ran out
//! is not lost. Servers that know no streams answer with one object, which is read as well.

use std::io::{BufRead, BufReader, Read};

use serde::Deserialize;
use serde_json::json;

use super::ChatSettings;
use super::client::{Call, Client, Options};
use super::outgoing::{Outgoing, Preparation};
use crate::{EmbedError, IsCancelled};

const URL: &str = "https://api.openai.com/v1";
const PATH: &str = "/chat/completions";
/// The longest text that is sent in one message.
const MAX_MESSAGE_BYTES: usize = 400_000;
/// The largest answer that is read, with everything around the text.
const MAX_ANSWER_BYTES: usize = 4 << 20;
/// The longest line of a stream.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// A text by a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatAnswer {
    /// As the model wrote it.
    pub text: String,
    /// The reason why it may go on; `None` if the model had ended.
    pub cut: Option<ChatCut>,
}

/// The reason why a text ends before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatCut {
    /// The model reached the number of tokens that was asked for.
    Length,
    /// The connection ended, or the time did.
    Interrupted(String),
}

/// Something that writes texts.
pub trait ChatModel: Send + Sync {
    /// Names the provider and the model.
    fn id(&self) -> &str;

    /// Writes an answer to a message, with `instructions` for the model. `progress` hears the
    /// number of bytes that were written so far.
    fn write(
        &self,
        instructions: &str,
        message: &str,
        is_cancelled: IsCancelled<'_>,
        progress: &mut dyn FnMut(usize),
    ) -> Result<ChatAnswer, EmbedError>;
}

/// A chat model at a provider.
pub(super) struct RemoteChat {
    client: Client,
    id: String,
    model: String,
    /// True at OpenAI's own address.
    is_at_openai: bool,
    max_tokens: usize,
    redacts: bool,
}

/// An answer in one piece, or an event of a stream.
#[derive(Deserialize)]
struct Completion {
    #[serde(default)]
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default, alias = "message")]
    delta: Option<Words>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Words {
    #[serde(default)]
    content: Option<String>,
}

impl RemoteChat {
    pub(super) fn new(settings: &ChatSettings) -> Result<RemoteChat, EmbedError> {
        if settings.model.trim().is_empty() {
            return Err(EmbedError::Settings("its model must not be empty".into()));
        }
        let client = Client::new(&Options {
            base_url: settings.base_url.as_deref(),
            default_url: URL,
            key: settings.key.as_ref(),
            timeout: settings.timeout,
            retries: settings.retries,
            backoff: settings.backoff,
            concurrency: 1,
            account: None,
        })?;
        Ok(RemoteChat {
            client,
            id: format!("openai:{}", settings.model),
            model: settings.model.clone(),
            is_at_openai: settings.base_url.is_none(),
            max_tokens: settings.max_tokens,
            redacts: settings.redacts,
        })
    }
}

impl ChatModel for RemoteChat {
    fn id(&self) -> &str {
        &self.id
    }

    fn write(
        &self,
        instructions: &str,
        message: &str,
        is_cancelled: IsCancelled<'_>,
        progress: &mut dyn FnMut(usize),
    ) -> Result<ChatAnswer, EmbedError> {
        let preparation = Preparation { max_bytes: MAX_MESSAGE_BYTES, redacts: self.redacts };
        let [instructions, message]: [Outgoing; 2] = [instructions, message].map(|text| preparation.text(text));
        let mut body = json!({
            "model": self.model,
            "stream": true,
            "messages": [
                {"role": "system", "content": instructions},
                {"role": "user", "content": message},
            ],
        });
        // Some of OpenAI's models refuse these two; other servers know only the older name.
        if self.is_at_openai {
            body["max_completion_tokens"] = self.max_tokens.into();
        } else {
            body["max_tokens"] = self.max_tokens.into();
            body["temperature"] = 0.into();
        }
        let deadline = self.client.deadline();
        let call = Call { path: PATH, limit: MAX_ANSWER_BYTES, deadline, is_cancelled };
        let answer = self.client.open(&call, &body)?;
        let mut text = String::new();
        let read = read_answer(BufReader::new(answer), &mut text, is_cancelled, progress);
        let cut = match read {
            Ok(cut) => cut,
            // The server's own words are not repeated.
            Err(_) if !text.trim().is_empty() => {
                let host = self.client.host();
                Some(ChatCut::Interrupted(format!("{host} ended its answer early or did not go on in time")))
            }
            Err(Unread::Io(error)) => return Err(self.client.read_error(error)),
            Err(Unread::Malformed(reason)) => return Err(EmbedError::Malformed(reason.into())),
        };
        if text.trim().is_empty() {
            return Err(EmbedError::Malformed("it has no text".into()));
        }
        Ok(ChatAnswer { text, cut })
    }
}

/// The reason why an answer was not read to its end.
enum Unread {
    Io(std::io::Error),
    Malformed(&'static str),
}

/// Appends the text of an answer. Returns why the text is cut, if it is.
fn read_answer(
    mut answer: impl BufRead,
    text: &mut String,
    is_cancelled: IsCancelled<'_>,
    progress: &mut dyn FnMut(usize),
) -> Result<Option<ChatCut>, Unread> {
    let mut whole = Vec::new();
    let (mut is_stream, mut ended) = (false, None);
    loop {
        let mut line = Vec::new();
        let read = answer.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line).map_err(Unread::Io)?;
        if read == 0 {
            break;
        }
        if is_cancelled() {
            return Ok(Some(ChatCut::Interrupted("it was cancelled".into())));
        }
        let Some(event) = line.strip_prefix(b"data:") else {
            // Comments and other fields of events have no text.
            if !is_stream {
                whole.extend_from_slice(&line);
            }
            continue;
        };
        is_stream = true;
        let event = event.trim_ascii();
        if event == b"[DONE]" {
            return Ok(cut_of(ended.as_deref()));
        }
        ended = add(event, text)?.or(ended);
        progress(text.len());
    }
    if !is_stream {
        ended = add(&whole, text)?;
        return Ok(cut_of(ended.as_deref()));
    }
    match ended.as_deref() {
        None => Err(Unread::Malformed("it ends before its end")),
        ended => Ok(cut_of(ended)),
    }
}

/// Appends the text of an object; returns the reason why the model ended, if it has.
fn add(object: &[u8], text: &mut String) -> Result<Option<String>, Unread> {
    let completion: Completion =
        serde_json::from_slice(object).map_err(|_| Unread::Malformed("it is not the expected JSON"))?;
    // Events about usage have no choice.
    let Some(choice) = completion.choices.into_iter().next() else { return Ok(None) };
    text.push_str(choice.delta.and_then(|words| words.content).as_deref().unwrap_or_default());
    Ok(choice.finish_reason)
}

fn cut_of(ended: Option<&str>) -> Option<ChatCut> {
    (ended == Some("length")).then_some(ChatCut::Length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(answer: &str) -> (String, Option<Option<ChatCut>>) {
        let mut text = String::new();
        let cut = read_answer(answer.as_bytes(), &mut text, &|| false, &mut |_| {}).ok();
        (text, cut)
    }

    #[test]
    fn streams_and_single_objects() {
        let words = |words: &str| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{words}\"}}}}]}}\r\n\r\n");
        let end =
            |reason: &str| format!("data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}\n\n");
        let usage = "data: {\"choices\":[],\"usage\":{}}\n\n";
        let whole = [&words("a "), ": keep-alive\n\n", &words("b"), &end("stop"), usage, "data: [DONE]\n\n"].concat();
        assert_eq!(read(&whole), ("a b".into(), Some(None)));
        assert_eq!(read(&[words("a"), end("length")].concat()), ("a".into(), Some(Some(ChatCut::Length))));
        assert_eq!(read(&words("a")), ("a".into(), None));
        assert_eq!(read(&[&words("a"), "data: {garbage\n"].concat()), ("a".into(), None));
        let single = r#"{"choices": [{"message": {"role": "assistant", "content": "a\nb"}, "finish_reason": "stop"}]}"#;
        assert_eq!(read(single), ("a\nb".into(), Some(None)));
        for garbage in ["", "<html>", "{\"choices\": 1}", "data: 1\n"] {
            assert_eq!(read(garbage), (String::new(), None), "{garbage}");
        }
    }
}
