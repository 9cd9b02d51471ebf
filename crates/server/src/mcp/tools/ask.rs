//! Asks the question of a call, and makes the answers fit its limit.

use codecompass_app::api::any::{AnyAnswer, AnyQuestion};
use codecompass_app::api::fan_out::answers::{Answers, Given, Reply, ReplyBody};
use codecompass_app::api::fan_out::checkouts::Checkouts;
use codecompass_app::api::fan_out::{self, Repositories};
use codecompass_app::api::index::server::ServerState;
use codecompass_app::api::metadata::RepositoryGeneration;
use codecompass_app::api::part::tokens;
use codecompass_app::api::shares::share_out;
use codecompass_app::error::AppError;
use codecompass_app::remedy::Audience;
use codecompass_app::render::shown;
use codecompass_app::session::{CallContext, MissingRepository, OutputFormat};
use codecompass_engine::query::estimate_tokens;
use serde_json::{Value, json};

use crate::mcp::answer::{SentAnswer, fit_budget, fit_text};
use crate::mcp::cited::CitedAnswers;

/// The least room for one of several answers.
const MIN_ROOM: usize = 100;

/// The knowledge of a node about the repositories that answered.
#[derive(Debug)]
pub struct AnswerNote {
    /// The name of the repository, where several answer for themselves.
    pub repository: Option<String>,
    /// Repositories that gave no answer.
    pub missing: Vec<MissingRepository>,
    pub generations: Vec<RepositoryGeneration>,
    /// False if there may be newer generations.
    pub is_current: bool,
}

/// Answers of repositories of this process before they are made to fit their limit.
pub struct OwnAnswers {
    answers: Answers<Box<dyn AnyAnswer>>,
    format: OutputFormat,
}

impl OwnAnswers {
    /// Adds what is known about the repositories that answered.
    pub fn note(&mut self, note: &AnswerNote) {
        for reply in self.answers.replies() {
            let metadata = reply.body.metadata();
            metadata.repository.clone_from(&note.repository);
            metadata.note_generations(&note.generations, note.is_current);
            if !note.missing.is_empty() {
                metadata.note_missing(&note.missing);
            }
        }
    }

    /// Returns the answers in at most `max_tokens` tokens, and adds them to `cited`.
    pub fn send(mut self, max_tokens: usize, cited: &mut CitedAnswers) -> Reply<SentAnswer> {
        let format = self.format;
        self.answers.replies().for_each(|reply| reply.body.drop_unwanted());
        let cost = |reply: &Reply<Box<dyn AnyAnswer>>| {
            let mut answer = reply.body.copied();
            let of_cluster = of_cluster(&mut *answer);
            let whole = match format {
                OutputFormat::Json => tokens(&answer.addressed_json(Audience::Tools)),
                OutputFormat::Text => estimate_tokens(&fit_text(&mut *answer, usize::MAX)),
            };
            whole.saturating_sub(of_cluster)
        };
        send(self.answers, format, max_tokens, cost, |reply, room| {
            let mut answer = reply.body;
            let room = room.saturating_add(of_cluster(&mut *answer));
            Some(match format {
                OutputFormat::Json => SentAnswer::Json(fit_budget::fit(answer, room)),
                OutputFormat::Text => {
                    let text = fit_text(&mut *answer, room);
                    if reply.is_found {
                        cited.add(move || answer.json());
                    }
                    SentAnswer::Text(text)
                }
            })
        })
    }
}

/// Returns the tokens of what is said about a cluster, which takes no room away from the answer.
fn of_cluster(answer: &mut dyn AnyAnswer) -> usize {
    answer.metadata().cluster.as_ref().map_or(0, |states| tokens(&json!(states)))
}

/// Asks a question of the repositories of this process.
pub fn answer(
    question: &dyn AnyQuestion,
    context: &CallContext,
    server: &dyn ServerState,
) -> Result<OwnAnswers, AppError> {
    let mut answers = fan_out::ask(question, &Checkouts::new(context, question, Audience::Tools)?)?;
    answers.replies().for_each(|reply| reply.body.add_server_state(server));
    Ok(OwnAnswers { answers, format: context.format })
}

/// Asks a part of a question that another process has taken apart.
pub fn answer_part(question: &dyn AnyQuestion, context: &CallContext) -> Result<OwnAnswers, AppError> {
    let reply = Checkouts::new(context, question, Audience::Tools)?.ask_as_one(None)?;
    Ok(OwnAnswers { answers: Answers::single(reply), format: context.format })
}

/// Repositories that other processes answer for.
pub(crate) type NodeRepositories<'a> = dyn Repositories<Body = Box<dyn NodeBody>> + 'a;

/// An answer that another process has made, and may make again.
pub trait NodeBody: ReplyBody + Send {
    /// Returns the tokens of the answer as it was made.
    fn cost(&self) -> usize;

    /// Returns the answer in at most `room` tokens; none if it cannot be made so short.
    fn fit(self: Box<Self>, room: usize) -> Option<SentAnswer>;
}

impl ReplyBody for Box<dyn NodeBody> {
    fn note_missing(&mut self, missing: &[MissingRepository]) {
        (**self).note_missing(missing);
    }
}

/// Asks a question of repositories that other processes have, for an answer of at most
/// `max_tokens` tokens.
pub fn ask_nodes(
    question: &dyn AnyQuestion,
    nodes: &NodeRepositories<'_>,
    format: OutputFormat,
    max_tokens: usize,
) -> Result<Reply<SentAnswer>, AppError> {
    let answers = fan_out::ask(question, nodes)?;
    Ok(send(answers, format, max_tokens, |reply| reply.body.cost(), |reply, room| reply.body.fit(room)))
}

/// Makes answers fit their limit: `fit` one of them, or none if it cannot be made so short. They
/// share the room by what each of them would `cost` as a whole.
fn send<B>(
    mut answers: Answers<B>,
    format: OutputFormat,
    max_tokens: usize,
    cost: impl Fn(&Reply<B>) -> usize,
    mut fit: impl FnMut(Reply<B>, usize) -> Option<SentAnswer>,
) -> Reply<SentAnswer> {
    let headings: Vec<String> = answers.given.iter().map(|one| answers.heading(one)).collect();
    let names: Vec<String> = answers.given.iter().map(|one| one.name.clone()).collect();
    let (tail, of_repositories) = (answers.tail(), answers.are_of_repositories());
    let given = std::mem::take(&mut answers.given);
    // A single answer has it all in its metadata.
    let mut of_frame = 0;
    if !answers.is_single {
        of_frame += estimate_tokens(&no_room(&names.join(", ")));
        if of_repositories {
            of_frame += estimate_tokens(&answers.object(Vec::new()).to_string()).max(estimate_tokens(&tail));
        }
    }
    let room = max_tokens.saturating_sub(of_frame);
    let shares = if answers.is_single {
        vec![Some(room.max(MIN_ROOM)); given.len()]
    } else {
        let whole = |(one, heading): (&Given<B>, &String)| {
            let cost = match &one.reply {
                Ok(reply) => cost(reply),
                Err(error) => failed(format, &one.name, error).tokens(),
            };
            cost + estimate_tokens(heading) + 1
        };
        share_out(&given.iter().zip(&headings).map(whole).collect::<Vec<_>>(), room, MIN_ROOM)
    };
    let (mut sent, mut unanswered) = (Vec::new(), Vec::new());
    let (mut is_found, mut is_known, mut total) = (false, false, None);
    for ((Given { name, reply }, heading), share) in given.into_iter().zip(headings).zip(shares) {
        let of_heading = usize::from(!answers.is_single) + estimate_tokens(&heading);
        let answer = match (reply, share.map(|share| share.saturating_sub(of_heading))) {
            (_, None) => None,
            (Ok(reply), Some(room)) => {
                let told = (reply.is_found, reply.is_known, reply.total);
                fit(reply, room).inspect(|_| {
                    (is_found, is_known, total) = (is_found | told.0, is_known | told.1, told.2);
                })
            }
            (Err(error), Some(room)) => Some(failed(format, &name, &error)).filter(|failed| failed.tokens() <= room),
        };
        match answer {
            Some(SentAnswer::Text(text)) => sent.push(SentAnswer::Text(format!("{heading}{text}"))),
            Some(json @ SentAnswer::Json(_)) => sent.push(json),
            None => unanswered.push(name),
        }
    }
    let body = match sent.pop() {
        Some(only) if answers.is_single => only,
        last => {
            sent.extend(last);
            join(&answers, format, sent, &unanswered, &tail)
        }
    };
    Reply { repository: None, is_found, is_known, total: total.filter(|_| answers.is_single), body }
}

/// Returns what stands for an answer that could not be given.
fn failed(format: OutputFormat, symbol: &str, error: &AppError) -> SentAnswer {
    match format {
        OutputFormat::Text => {
            let (message, remedy) = (shown(&error.message), error.remediation.for_tools());
            SentAnswer::Text(format!("{}: {message}; {}\n", shown(symbol), shown(&remedy)))
        }
        OutputFormat::Json => {
            let mut object = error.to_json(Audience::Tools);
            object["symbol"] = Value::from(symbol);
            SentAnswer::Json(object)
        }
    }
}

/// Puts several answers together.
fn join<B>(
    answers: &Answers<B>,
    format: OutputFormat,
    sent: Vec<SentAnswer>,
    unanswered: &[String],
    tail: &str,
) -> SentAnswer {
    match format {
        OutputFormat::Text => {
            let texts = sent.into_iter().map(SentAnswer::into_text).collect::<Vec<_>>();
            let mut text = texts.join("\n");
            if !unanswered.is_empty() {
                text.push_str(&no_room(&unanswered.join(", ")));
            }
            SentAnswer::Text(text + tail)
        }
        OutputFormat::Json => {
            let mut object = answers.object(sent.into_iter().map(SentAnswer::into_json).collect());
            if !unanswered.is_empty() {
                object["no_room_for"] = json!(unanswered);
            }
            SentAnswer::Json(object)
        }
    }
}

/// Returns the line about symbols that had no room.
fn no_room(names: &str) -> String {
    format!("no room for {}; ask for them apart, or raise `max_tokens`\n", shown(names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use codecompass_app::api::fan_out::EachReply;
    use codecompass_app::api::find::grep::GrepRequest;
    use codecompass_app::api::symbols::show::ShowRequest;
    use codecompass_app::error::Code;
    use codecompass_app::render::table::Render;

    /// Repositories with their answers, or the errors that they have instead.
    struct Nodes(Vec<(&'static str, Result<&'static str, Code>)>);

    struct Text(String);

    impl ReplyBody for Text {
        fn note_missing(&mut self, missing: &[MissingRepository]) {
            self.0.push_str(&format!("({} missing)\n", missing.len()));
        }
    }

    impl NodeBody for Text {
        fn cost(&self) -> usize {
            estimate_tokens(&self.0)
        }

        fn fit(self: Box<Self>, room: usize) -> Option<SentAnswer> {
            (estimate_tokens(&self.0) <= room).then_some(SentAnswer::Text(self.0))
        }
    }

    impl Repositories for Nodes {
        type Body = Box<dyn NodeBody>;

        fn names(&self) -> Option<Vec<String>> {
            Some(self.0.iter().map(|(name, _)| name.to_string()).collect())
        }

        fn ask_as_one(&self, _: Option<&str>) -> Result<Reply<Box<dyn NodeBody>>, AppError> {
            Err(AppError::internal("they are asked one by one"))
        }

        fn ask_each(&self, _: Option<&str>, numbers: &[usize]) -> Result<EachReply<Box<dyn NodeBody>>, AppError> {
            let reply = |number: &usize| match self.0[*number].1 {
                Ok(text) => {
                    let (is_found, body) = (!text.is_empty(), Box::new(Text(text.to_string())));
                    Some(Ok(Reply { repository: None, is_found, is_known: true, total: Some(text.len()), body }))
                }
                Err(code) => {
                    let error = AppError::new(code, format!("`x` is not found by {number}"), "look elsewhere");
                    Some(Err(AppError { suggestions: vec![format!("x{number}")], ..error }))
                }
            };
            Ok(numbers.iter().map(|number| reply(number).map(|reply| reply.map(erased))).collect())
        }
    }

    fn erased(reply: Reply<Box<Text>>) -> Reply<Box<dyn NodeBody>> {
        let Reply { repository, is_found, is_known, total, body } = reply;
        Reply { repository, is_found, is_known, total, body }
    }

    fn asked<R: Render>(request: Value, nodes: Nodes) -> Result<String, AppError> {
        let request: R = serde_json::from_value(request).unwrap();
        ask_nodes(&request, &nodes, OutputFormat::Text, 500).map(|reply| reply.body.into_text())
    }

    #[test]
    fn lists_of_nodes_say_what_has_no_room_and_who_gave_no_answer() {
        let long = "long ".repeat(4000).leak();
        let nodes = vec![("a", Ok("line\n")), ("b", Ok(&*long)), ("c", Ok("")), ("d", Err(Code::RemoteUnavailable))];
        let text = asked::<GrepRequest>(json!({"pattern": "x"}), Nodes(nodes)).unwrap();
        assert_eq!(
            text,
            "repository: a, 5 found\nline\nno room for b; ask for them apart, or raise `max_tokens`\n\
             nothing found in c\nnot complete; no answer from d: `x` is not found by 3\n"
        );
    }

    #[test]
    fn a_symbol_is_asked_of_the_nodes_that_have_it() {
        let show = |symbol: &str, nodes| asked::<ShowRequest>(json!({"symbol": symbol}), Nodes(nodes));
        let missing = || ("b", Err(Code::SymbolNotFound));
        assert_eq!(show("x", vec![("a", Ok("x of a\n")), missing()]).unwrap(), "repository: a\nx of a\n");
        let both = show("x", vec![("a", Ok("x of a\n")), ("c", Ok("x of c\n"))]).unwrap();
        assert_eq!(both, "repository: a\nx of a\n\nrepository: c\nx of c\n");
        // A repository before the name is the only one that is asked.
        assert_eq!(show("c:x", vec![("a", Ok("x of a\n")), ("c", Ok("x of c\n"))]).unwrap(), "repository: c\nx of c\n");
        let failed = show("x", vec![("a", Ok("x of a\n")), ("b", Err(Code::RemoteUnavailable))]).unwrap();
        assert_eq!(failed, "repository: a\nx of a\n(1 missing)\n");
        let nowhere = show("x", vec![("a", Err(Code::SymbolNotFound)), missing()]).unwrap_err();
        assert_eq!(nowhere.message, "`x` is not found by 0 in any of 2 repositories");
        assert_eq!(nowhere.remediation.for_tools(), "did you mean `x0` (a), `x1` (b)?");
    }
}
