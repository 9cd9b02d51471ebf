//! `codecompass outline`: a file's skeleton.

use codecompass_engine::query::{self, OutlineAnswer};
use serde_json::{Value, json};

use super::metadata;
use super::page::Page;
use crate::cli::{Depth, OutlineArgs};
use crate::error::AppError;
use crate::render;
use crate::session::{CallContext, Session};
use crate::terminal::output::{self, DIM, NAME, Outcome};

pub(crate) fn run(context: &CallContext, args: &OutlineArgs) -> Result<Outcome, AppError> {
    let (session, answer) = ask(context, args)?;
    let top = args.depth == Depth::Top;
    if context.is_json() {
        output::object(&to_json(&session, args, &answer));
    } else {
        let mut out =
            format!("{NAME}{}{NAME:#} {DIM}{}, {} lines{DIM:#}\n", answer.path, answer.language, answer.line_count);
        answer.symbols.iter().for_each(|node| render::node_text(&mut out, node, 0, top));
        for (line, message) in &answer.problems {
            out.push_str(&format!("{DIM}line {line}: {message}{DIM:#}\n"));
        }
        output::text(&out);
    }
    // A file that is there but has no definitions is still an answer.
    Ok(Outcome::Found)
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &OutlineArgs) -> Result<Value, AppError> {
    ask(context, args).map(|(session, answer)| to_json(&session, args, &answer))
}

fn ask(context: &CallContext, args: &OutlineArgs) -> Result<(Session, OutlineAnswer), AppError> {
    let session = Session::open_at(context, args.at.name())?;
    let path = session.relative_path(&args.path)?;
    let mut answer = session.ask(|snapshot| query::outline(snapshot, &path))?;
    page(args).skip(&mut answer.symbols);
    Ok((session, answer))
}

/// All top-level definitions behind the first ones.
fn page(args: &OutlineArgs) -> Page {
    Page::new(args.page, usize::MAX)
}

fn to_json(session: &Session, args: &OutlineArgs, answer: &OutlineAnswer) -> Value {
    let top = args.depth == Depth::Top;
    let symbols: Vec<_> = answer.symbols.iter().map(|node| render::node_json(node, top)).collect();
    let problems: Vec<_> =
        answer.problems.iter().map(|(line, message)| json!({"line": line, "message": message})).collect();
    let mut metadata = metadata(session);
    page(args).note(&mut metadata, &[]);
    json!({
        "path": answer.path,
        "language": answer.language,
        "line_count": answer.line_count,
        "symbols": symbols,
        "problems": problems,
        "metadata": metadata,
    })
}
