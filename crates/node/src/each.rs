//! Questions that each repository answers for itself: those about a symbol or a path go to the
//! repositories that have it, lists are given one after another. The same as
//! `api/belonging.rs` does with the repositories of one machine.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use codecompass_engine::query::estimate_tokens;
use serde_json::{Map, Value, json};

use super::node::Node;
use super::peers::{CallMessage, WantedRepository};
use super::questions::{FoundAnswer, later, listed};
use codecompass_app::api::belonging::Spread;
use codecompass_app::error::{AppError, Code};
use codecompass_server::mcp::{SentAnswer, TOOLS, Tool};

/// Repositories that are asked at the same time.
const MAX_THREADS: usize = 8;
/// The most repositories that a symbol is looked for in one by one.
const MOST_OWNERS: usize = 50;
/// The least room for one of several answers, in tokens.
const MIN_ROOM: usize = 200;
/// The most answers that share the room at first.
const SHARES: usize = 4;

/// Arguments that name a symbol or a path.
const SUBJECTS: [&str; 9] = ["symbol", "symbols", "path", "paths", "file", "files", "from", "to", "query"];

impl Node {
    /// Asks each repository of a call for itself and gives the answers one after another.
    pub(super) fn ask_each(
        self: &Arc<Self>,
        tool: &'static Tool,
        mut call: CallMessage,
        spread: Spread,
        max_tokens: usize,
    ) -> Result<FoundAnswer, AppError> {
        if spread == Spread::One {
            let names: Vec<&str> = call.repositories.iter().map(|asked| asked.name.as_str()).collect();
            let message = format!("`{}` is about one repository, and {} may be meant", tool.name, names.len());
            return Err(AppError::invalid(message, format!("give `workspace`: one of {}", listed(&names))));
        }
        let is_list = spread == Spread::Each;
        if !is_list && call.repositories.len() > MAX_THREADS {
            self.keep_owners(&mut call)?;
        }
        if let ([_], true) = (&call.repositories[..], call.missing.is_empty()) {
            return self.ask_one(tool, &call);
        }
        let room = (max_tokens / call.repositories.len().clamp(1, SHARES)).max(MIN_ROOM);
        call.arguments.insert("max_tokens".into(), room.into());
        let answers = self.ask_in_threads(tool, &call);
        let mut given = EachAnswers::default();
        for (asked, answer) in call.repositories.iter().zip(answers) {
            given.add(&asked.name, answer, is_list);
        }
        given.missing.append(&mut call.missing);
        given.finish(is_list, call.repositories.len(), max_tokens)
    }

    /// Leaves the repositories that have a definition of what the call is about.
    fn keep_owners(self: &Arc<Self>, call: &mut CallMessage) -> Result<(), AppError> {
        let named = ["symbol", "symbols", "from"].iter().find_map(|name| match call.arguments.get(*name) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Array(list)) => list.first().and_then(Value::as_str).map(str::to_string),
            _ => None,
        });
        let locate = TOOLS.iter().find(|tool| tool.name == "locate_symbol");
        if let (Some(symbol), Some(locate)) = (named, locate) {
            let arguments = Map::from_iter([("symbol".to_string(), symbol.into()), ("limit".to_string(), 50.into())]);
            let located = CallMessage { tool: locate.name.into(), is_json: true, arguments, ..call.clone() };
            if let SentAnswer::Json(found) = self.ask_together(locate, located, true)?.answer {
                let is_exact = found["metadata"]["match"].as_str().is_some_and(|class| class != "fuzzy");
                let results = found["results"].as_array().cloned().unwrap_or_default();
                let has = |name: &str| results.iter().any(|result| result["repository"] == name);
                if is_exact && !results.is_empty() {
                    call.repositories.retain(|asked| has(&asked.name));
                    return Ok(());
                }
            }
        }
        if call.repositories.len() <= MOST_OWNERS {
            return Ok(());
        }
        let message = format!("nothing of that name is in any of {} repositories", call.repositories.len());
        Err(AppError::new(Code::SymbolNotFound, message, "search for it, or name a repository with `workspace`"))
    }

    fn ask_in_threads(self: &Arc<Self>, tool: &'static Tool, call: &CallMessage) -> Vec<Result<FoundAnswer, AppError>> {
        let count = call.repositories.len();
        let next = Mutex::new(0..count);
        let answers: Vec<Mutex<Option<Result<FoundAnswer, AppError>>>> = (0..count).map(|_| Mutex::new(None)).collect();
        let work = || {
            loop {
                let Some(at) = next.lock().unwrap_or_else(PoisonError::into_inner).next() else { return };
                let one = CallMessage {
                    repositories: vec![call.repositories[at].clone()],
                    missing: Vec::new(),
                    ..call.clone()
                };
                *answers[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(self.ask_one(tool, &one));
            }
        };
        thread::scope(|scope| {
            for _ in 0..count.min(MAX_THREADS) {
                scope.spawn(work);
            }
        });
        let taken = |one: Mutex<Option<_>>| one.into_inner().unwrap_or_else(PoisonError::into_inner);
        let lost = || Err(later("the repository gave no answer".into()));
        answers.into_iter().map(|one| taken(one).unwrap_or_else(lost)).collect()
    }
}

/// The answers of several repositories.
#[derive(Default)]
struct EachAnswers {
    given: Vec<(String, SentAnswer)>,
    /// Repositories that know what is asked about, and have found nothing.
    without: Vec<(String, SentAnswer)>,
    missing: Vec<(String, String)>,
    error: Option<AppError>,
}

/// Returns whether an error says that a repository has nothing of what is asked about.
fn is_elsewhere(error: &AppError) -> bool {
    matches!(error.code, Code::SymbolNotFound | Code::FileNotFound | Code::WorkspaceNotAllowed)
}

impl EachAnswers {
    fn add(&mut self, name: &str, answer: Result<FoundAnswer, AppError>, is_list: bool) {
        match answer {
            Ok(found) if found.is_found || (!is_list && found.is_known) => {
                self.given.push((name.to_string(), found.answer))
            }
            Ok(found) => self.without.push((name.to_string(), found.answer)),
            Err(error) if !is_list && is_elsewhere(&error) => self.error = self.error.take().or(Some(error)),
            Err(error) => {
                self.missing.push((name.to_string(), error.message.clone()));
                self.error = Some(error);
            }
        }
    }

    fn finish(mut self, is_list: bool, count: usize, max_tokens: usize) -> Result<FoundAnswer, AppError> {
        let is_found = !self.given.is_empty();
        let is_known = is_found || !self.without.is_empty();
        if !is_found && !is_list {
            self.given = std::mem::take(&mut self.without);
        }
        if self.given.is_empty() && self.without.is_empty() {
            let mut error = self.error.unwrap_or_else(|| later("no repository answered".into()));
            if is_elsewhere(&error) {
                error.message = format!("{} in any of {count} repositories", error.message);
            }
            return Err(error);
        }
        self.missing.sort();
        let mut cut: Vec<String> = Vec::new();
        let (mut left, mut kept) = (max_tokens, Vec::new());
        for (name, answer) in self.given {
            let tokens = estimate_tokens(&as_text(&answer));
            if kept.is_empty() || tokens <= left {
                left = left.saturating_sub(tokens);
                kept.push((name, answer));
            } else {
                cut.push(name);
            }
        }
        let empty: Vec<String> =
            if is_list { self.without.into_iter().map(|(name, _)| name).collect() } else { Vec::new() };
        let is_json = kept.iter().any(|(_, answer)| matches!(answer, SentAnswer::Json(_)));
        let answer = match is_json {
            true => SentAnswer::Json(object(kept, &empty, &cut, &self.missing)),
            false => SentAnswer::Text(text(kept, &empty, &cut, &self.missing)),
        };
        Ok(FoundAnswer { answer, is_found, is_known })
    }
}

fn as_text(answer: &SentAnswer) -> String {
    match answer {
        SentAnswer::Text(text) => text.clone(),
        SentAnswer::Json(value) => value.to_string(),
    }
}

fn object(kept: Vec<(String, SentAnswer)>, empty: &[String], cut: &[String], missing: &[(String, String)]) -> Value {
    let answers = kept.into_iter().map(|(name, answer)| match answer {
        SentAnswer::Json(mut value) => {
            if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.insert("repository".into(), name.into());
            }
            value
        }
        SentAnswer::Text(text) => json!({"repository": name, "text": text}),
    });
    let mut object = json!({"answers": answers.collect::<Vec<_>>(), "nothing_found_in": empty});
    if !cut.is_empty() {
        object["not_shown"] = json!(cut);
    }
    if !missing.is_empty() {
        let one = |(name, reason): &(String, String)| json!({"repository": name, "reason": reason});
        object["result_completeness"] = "partial".into();
        object["missing_repositories"] = missing.iter().map(one).collect();
    }
    object
}

fn text(kept: Vec<(String, SentAnswer)>, empty: &[String], cut: &[String], missing: &[(String, String)]) -> String {
    let mut all = String::new();
    for (name, answer) in &kept {
        all.push_str(&format!("repository: {name}\n{}\n", as_text(answer).trim_end()));
    }
    let names = |list: &[String]| listed(&list.iter().map(String::as_str).collect::<Vec<_>>());
    if !empty.is_empty() {
        all.push_str(&format!("nothing found in {}\n", names(empty)));
    }
    if !cut.is_empty() {
        all.push_str(&format!("found as well, without room here: {}; name one with `workspace`\n", names(cut)));
    }
    if !missing.is_empty() {
        let reasons: Vec<String> = missing.iter().map(|(name, reason)| format!("{name}: {reason}")).collect();
        all.push_str(&format!("not complete; no answer from {}\n", reasons.join("; ")));
    }
    all
}

/// Leaves the repository that stands before a symbol or a path, as answers print it, and takes its
/// name away.
pub(super) fn narrow(repositories: &mut Vec<WantedRepository>, arguments: &mut Map<String, Value>) {
    let mut named: Vec<String> = Vec::new();
    for name in SUBJECTS {
        let texts: Vec<&mut Value> = match arguments.get_mut(name) {
            Some(Value::Array(list)) => list.iter_mut().collect(),
            Some(value) => vec![value],
            None => continue,
        };
        for value in texts {
            let Some((repository, rest)) = value.as_str().and_then(|text| selected(text, repositories)) else {
                continue;
            };
            named.push(repository);
            *value = rest.into();
        }
    }
    if !named.is_empty() {
        repositories.retain(|asked| named.contains(&asked.name));
    }
}

/// Returns the repository that is named before a symbol or a path, and the rest.
fn selected(text: &str, repositories: &[WantedRepository]) -> Option<(String, String)> {
    let rest = |asked: &WantedRepository| {
        let rest = text.trim().strip_prefix(asked.name.as_str())?.strip_prefix(':')?;
        // `shop::total` is a member, `shop:3` a line, and a blank begins a sentence.
        let is_other =
            rest.is_empty() || rest.starts_with(|first: char| first == ':' || first == ' ' || first.is_ascii_digit());
        (!is_other).then(|| rest.to_string())
    };
    let found = repositories.iter().filter_map(|asked| Some((asked.name.clone(), rest(asked)?)));
    found.max_by_key(|(name, _)| name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Result<FoundAnswer, AppError> {
        Ok(FoundAnswer { answer: SentAnswer::Text(text.into()), is_found: true, is_known: true })
    }

    #[test]
    fn a_repository_may_stand_before_a_name() {
        let of = |name: &str| WantedRepository { id: 1, name: name.into(), generation: 1 };
        let narrowed = |symbol: &str| {
            let mut repositories = vec![of("shop"), of("team/shop"), of("bank")];
            let mut arguments = Map::from_iter([("symbol".to_string(), Value::from(symbol))]);
            narrow(&mut repositories, &mut arguments);
            let names: Vec<String> = repositories.into_iter().map(|asked| asked.name).collect();
            (names.join(" "), arguments["symbol"].as_str().unwrap_or_default().to_string())
        };
        assert_eq!(narrowed("shop:cart.py::total"), ("shop".into(), "cart.py::total".into()));
        assert_eq!(narrowed("team/shop:cart.py:3"), ("team/shop".into(), "cart.py:3".into()));
        for other in ["shop", "shop:12", "shop::total", "web:cart.py", "shop: prices"] {
            assert_eq!(narrowed(other), ("shop team/shop bank".into(), other.into()));
        }
    }

    #[test]
    fn what_has_no_room_and_who_gave_no_answer_is_said() {
        let mut given = EachAnswers::default();
        given.add("a", found("line of a"), true);
        given.add("b", found(&"long ".repeat(4000)), true);
        let nothing = FoundAnswer { answer: SentAnswer::Text(String::new()), is_found: false, is_known: true };
        given.add("c", Ok(nothing), true);
        given.add("d", Err(later("it is gone".into())), true);
        let Ok(FoundAnswer { answer: SentAnswer::Text(text), .. }) = given.finish(true, 4, 500) else { panic!() };
        assert_eq!(
            text,
            "repository: a\nline of a\nnothing found in c\nfound as well, without room here: b; name one with `workspace`\n\
             not complete; no answer from d: it is gone\n"
        );
        let mut given = EachAnswers::default();
        given.add("a", Err(AppError::new(Code::SymbolNotFound, "`x` is not found", "look")), false);
        let error = given.finish(false, 3, 500).err().unwrap();
        assert_eq!(error.message, "`x` is not found in any of 3 repositories");
    }
}
