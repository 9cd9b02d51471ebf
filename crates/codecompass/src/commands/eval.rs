//! `codecompass eval`: ask questions with known answers and measure the ranking.

use std::collections::BTreeMap;
use std::time::Instant;

use codecompass_app::api::metadata::Metadata;
use codecompass_app::choices::Explain;
use codecompass_app::error::{AppError, Code};
use codecompass_app::render;
use codecompass_app::session::{At, CallContext, Scope, Session};
use codecompass_app::terminal::output::{self, DIM, Outcome};
use codecompass_engine::query::{self, Filter, PathPattern, SearchOptions};
use codecompass_engine::{Error as EngineError, Snapshot};

use crate::cli::EvalArgs;
use crate::evaluation::report::{self, Asked, Report};
use crate::evaluation::score::{self, DEEP, TOP};
use crate::evaluation::suite::{self, Question, Root};
use crate::evaluation::{localisation, token_cost};

/// Answers that became worse are listed up to this many.
const WORSE_SHOWN: usize = 10;

pub(crate) fn run(context: &CallContext, args: &EvalArgs) -> Result<Outcome, AppError> {
    let roots = suite::read(&args.suite, args.root.as_deref(), args.split)?;
    let baseline: Option<Report> = args.baseline.as_deref().map(suite::json).transpose()?;
    let mut asked = Vec::new();
    for root in &roots {
        asked.extend(ask(context, root, args.context)?);
    }
    let name = args.suite.file_stem().unwrap_or_default().to_string_lossy();
    let mut report = report::report(&name, &asked, !args.no_latency);
    if let Some(file) = &args.report {
        let text = format!("{:#}\n", serde_json::to_value(&report).unwrap_or_default());
        std::fs::write(file, text).map_err(|error| {
            let message = format!("cannot write {}: {error}", file.display());
            AppError::new(Code::InvalidInput, message, "give a file that can be written with --report")
        })?;
    }
    let regressions =
        baseline.as_ref().map(|baseline| report::regressions(&report, baseline, args.tolerance)).unwrap_or_default();
    if context.is_json() {
        let outcome = Outcome::of(regressions.is_empty());
        report.regressions = baseline.map(|_| regressions);
        output::object(&serde_json::to_value(&report).unwrap_or_default());
        return Ok(outcome);
    }
    let mut out = report::table(&report);
    if let Some(baseline) = &baseline {
        let worse = report::worse_answers(&report, baseline);
        for line in worse.iter().take(WORSE_SHOWN) {
            out.push_str(&format!("{DIM}{line}{DIM:#}\n"));
        }
        match regressions.as_slice() {
            [] => {
                out.push_str(&format!("no worse than {}\n", args.baseline.as_deref().unwrap_or(&args.suite).display()))
            }
            lines => lines.iter().for_each(|line| out.push_str(&format!("worse: {line}\n"))),
        }
    }
    output::text(&out);
    Ok(Outcome::of(regressions.is_empty()))
}

/// Asks all questions of one root. Every ref is opened once for each category, so that the first
/// question of each is cold.
fn ask(context: &CallContext, root: &Root, with_context: bool) -> Result<Vec<Asked>, AppError> {
    context.scope.place()?;
    let context = CallContext { scope: Scope::checkout(root.directory.clone()), ..context.clone() };
    let mut views: BTreeMap<(Option<&str>, &str), Vec<usize>> = BTreeMap::new();
    for (at, question) in root.questions.iter().enumerate() {
        views.entry((question.reference.as_deref(), &question.category)).or_default().push(at);
    }
    let mut asked = Vec::with_capacity(root.questions.len());
    for ((reference, _), questions) in views {
        let at = reference.map_or(At::Checkout, |reference| At::Ref(Some(reference)));
        let session = Session::open_with_models(&context, at, |_| {})?;
        let answers = ask_view(&session, root, &questions, with_context)?;
        asked.extend(questions.into_iter().zip(answers));
    }
    asked.sort_by_key(|(at, _)| *at);
    Ok(asked.into_iter().map(|(_, asked)| asked).collect())
}

/// Asks questions of one snapshot, in this order.
fn ask_view(session: &Session, root: &Root, questions: &[usize], with_context: bool) -> Result<Vec<Asked>, AppError> {
    let paths = root.paths.iter().map(|pattern| PathPattern::new(pattern)).collect::<Result<_, _>>()?;
    let filter = Filter { paths, ..Filter::default() };
    let semantic = session.engine.semantic();
    let confidence_threshold = Some(session.engine.config().semantic.confidence_threshold);
    let tuning = session.engine.config().search.clone();
    let source = Some(session.engine.source().clone());
    let limit = if root.is_localisation { localisation::RESULTS } else { DEEP };
    let options =
        SearchOptions { filter, limit, semantic, confidence_threshold, tuning, source, ..SearchOptions::default() };
    session.ask(|snapshot| {
        let measure = |(nth, at): (usize, &usize)| {
            let question = &root.questions[*at];
            let mut asked = Asked { is_cold: nth == 0, ..one(snapshot, session, root, question, &options)? };
            if with_context {
                let (engine, filter, targets) = (&session.engine, &options.filter, &question.targets);
                asked.token_cost = Some(token_cost::measure(
                    snapshot,
                    engine,
                    &question.query,
                    targets,
                    filter,
                    &Metadata::new(session),
                )?);
            }
            Ok(asked)
        };
        questions.iter().enumerate().map(measure).collect()
    })
}

fn one(
    snapshot: &Snapshot,
    session: &Session,
    root: &Root,
    question: &Question,
    options: &SearchOptions,
) -> Result<Asked, EngineError> {
    let start = Instant::now();
    let answer = query::search(snapshot, &question.query, options)?;
    let milliseconds = start.elapsed().as_secs_f64() * 1000.0;
    let (directory, hits) = (&session.engine.workspace().root, &answer.hits);
    let score = score::score(directory, hits, &question.targets);
    let read = score.ranks.iter().flatten().min().copied().unwrap_or(TOP);
    let mut text = String::new();
    hits.iter().take(read).for_each(|hit| render::hit_text(&mut text, hit, None, Explain::Off));
    // Four bytes are about a token; styles are no text.
    let tokens = anstream::adapter::strip_str(&text).map(str::len).sum::<usize>() as f64 / 4.0;
    Ok(Asked {
        root: root.name.clone(),
        query: question.query.clone(),
        category: question.category.clone(),
        language: question.language.clone(),
        score,
        tokens,
        milliseconds,
        is_cold: false,
        is_answerable: question.is_answerable,
        is_doubted: answer.suggested_action.is_some(),
        localised: root
            .is_localisation
            .then(|| localisation::localise(directory, hits, &question.targets, &question.functions)),
        token_cost: None,
    })
}
