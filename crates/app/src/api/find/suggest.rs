//! `suggest`, `suggest_followup_queries`: what to ask next.

use std::collections::BTreeMap;

use clap::Args;
use codecompass_engine::query::{self, Direction, Navigator, SearchOptions, Step, SuggestOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::arguments::{DetailArgs, RefArgs, one, symbol};
use crate::api::metadata::{Metadata, NoExtra};
use crate::api::navigate::comparison::DiffBase;
use crate::api::part::{Fields, Part, answer_fields, parts, shared_arguments};
use crate::api::views::HitView;
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::session::{At, CallContext, Session};

/// Results of the query that are looked at.
const SEARCH_LIMIT: usize = 10;
/// With fewer suggestions than this, what any workspace can be asked is added.
const FEW: usize = 3;

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct SuggestRequest {
    /// The last query. Without it, and without --symbol, what the branch changed is looked at.
    #[arg(value_name = "QUERY", num_args = 0..)]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "What was searched for last.")]
    pub query: Vec<String>,
    /// The symbol that is looked at; without it the best result of the query.
    #[arg(long, value_name = "SYMBOL")]
    #[schemars(description = "The symbol looked at; default: the best result of query.")]
    pub symbol: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
    #[arg(skip)]
    #[serde(flatten)]
    pub detail: DetailArgs,
}

#[derive(Clone, Debug, Serialize)]
pub struct SuggestAnswer {
    /// The symbol that most suggestions are about.
    symbol: Option<HitView>,
    pub suggestions: Vec<SuggestedCall>,
    pub metadata: Metadata,
}
parts!(SuggestAnswer { symbol, suggestions });

/// A question as a call of a tool and as a command line.
#[derive(Clone, Debug, Serialize)]
pub struct SuggestedCall {
    pub tool: &'static str,
    pub arguments: ToolArguments,
    pub command: String,
    pub reason: String,
}
parts!(SuggestedCall { arguments, command, reason });

/// The arguments of a call by name.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct ToolArguments(BTreeMap<&'static str, String>);

impl Part for ToolArguments {
    fn json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn fields(&mut self) -> Fields<'_> {
        self.0.iter_mut().map(|(name, value)| (*name, value as &mut dyn Part)).collect()
    }
}

impl Answer for SuggestAnswer {
    answer_fields!(NoExtra);

    fn is_found(&self) -> bool {
        !self.suggestions.is_empty()
    }
}

impl Request for SuggestRequest {
    type Answer = SuggestAnswer;
    shared_arguments!(at, detail);

    fn answer(&self, context: &CallContext) -> Result<SuggestAnswer, AppError> {
        let session = Session::open_with_models(context, At::Ref(self.at.name()), |_| {})?;
        let symbol = self.symbol.as_ref().map(|name| symbol(&session, name)).transpose()?;
        let query = Some(self.query.join(" ")).filter(|query| !query.trim().is_empty());
        let engine = &session.engine;
        let confidence_threshold = Some(engine.config().semantic.confidence_threshold);
        let (semantic, tuning) = (engine.semantic(), engine.config().search.clone());
        let source = Some(engine.source().clone());
        let search =
            SearchOptions { limit: SEARCH_LIMIT, semantic, confidence_threshold, tuning, source, ..Default::default() };
        // Where there is no branch to compare with, nothing is suggested about one.
        let base = DiffBase::find(engine, None, false).ok();
        let found = session.ask(|snapshot| {
            let changed = base.as_ref().map(|base| engine.changed_since(&base.commit)).transpose()?.unwrap_or_default();
            let options =
                SuggestOptions { query: query.clone(), symbol: symbol.clone(), search: search.clone(), changed };
            query::suggest(&Navigator::new(snapshot), &options)
        })?;
        let reference = self.at.name();
        // Only a ref needs it said what it is compared with.
        let base = base.as_ref().map(|base| base.name.as_str()).filter(|_| reference.is_some());
        let mut suggestions: Vec<SuggestedCall> =
            found.suggestions.iter().map(|it| suggested(reference, base, &it.step, &it.reason)).collect();
        if found.subject.is_none() && suggestions.len() < FEW {
            suggestions.push(call(None, "status", "index_status", &[], "what the index holds"));
            if engine.workspace().git_dir.is_some() {
                let reason = "which branches there are, and how they relate";
                suggestions.push(call(None, "branches", "list_refs", &[], reason));
            }
        }
        Ok(SuggestAnswer { symbol: found.subject.map(HitView::symbol), suggestions, metadata: Metadata::new(&session) })
    }
}

/// An argument: its flag, or nothing for what stands for itself; its name for tools; its value.
type Argument<'a> = (&'static str, &'static str, &'a str);

fn suggested(reference: Option<&str>, base: Option<&str>, step: &Step, reason: &str) -> SuggestedCall {
    fn of_symbol(name: &str) -> Vec<Argument<'_>> {
        vec![("", "symbol", name)]
    }
    let ((command, tool), arguments): ((&str, &'static str), Vec<Argument<'_>>) = match step {
        Step::Show(name) => (("show", "get_symbol"), of_symbol(name)),
        Step::Refs(name) => (("refs", "find_references"), of_symbol(name)),
        Step::Calls(name, direction) => {
            let direction = match direction {
                Direction::Callers => "callers",
                Direction::Callees => "callees",
            };
            (("calls", "get_call_graph"), vec![("", "symbol", name), ("--direction", "direction", direction)])
        }
        Step::Impact(name) => (("impact", "analyze_impact"), of_symbol(name)),
        Step::Hierarchy(name) => (("hierarchy", "get_symbol_hierarchy"), of_symbol(name)),
        Step::Tests(name) => {
            (("related", "find_related_symbols"), vec![("", "symbol", name.as_str()), ("--only", "only", "test")])
        }
        Step::Locate(name, folder) => {
            let folder = folder.as_deref().map(|folder| ("--path", "path", folder));
            (("locate", "locate_symbol"), of_symbol(name).into_iter().chain(folder).collect())
        }
        Step::Outline(path) => (("outline", "get_file_outline"), vec![("", "path", path.as_str())]),
        Step::Search(query) => (("search", "search_code"), vec![("", "query", query.as_str())]),
        Step::Context(query) => (("context", "get_code_context"), vec![("", "query", query.as_str())]),
        Step::Diff => (("diff", "diff_context"), base.map(|base| ("", "base", base)).into_iter().collect()),
        Step::ImpactOfBranch => (("impact --diff", "analyze_impact"), Vec::new()),
    };
    call(reference, command, tool, &arguments, reason)
}

fn call(
    reference: Option<&str>,
    command: &str,
    tool: &'static str,
    arguments: &[Argument<'_>],
    reason: &str,
) -> SuggestedCall {
    let mut line = format!("codecompass {command}");
    let mut named = ToolArguments::default();
    // `diff` takes the ref behind its base.
    let flag = if command == "diff" { "" } else { "--ref" };
    let reference = reference.map(|name| (flag, "ref", name));
    for (flag, argument, value) in arguments.iter().copied().chain(reference) {
        line.push_str(if flag.is_empty() { "" } else { " " });
        line.push_str(flag);
        line.push(' ');
        line.push_str(&quoted(value));
        named.0.insert(argument, value.to_string());
    }
    SuggestedCall { tool, arguments: named, command: line, reason: reason.to_string() }
}

/// Returns a value as a shell takes it.
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@,+=%".contains(c);
    if !value.is_empty() && value.chars().all(is_plain) {
        value.to_string()
    } else {
        format!("'{}'", value.replace('\'', r"'\''"))
    }
}
