//! `codecompass outline`: a file's skeleton.

use codecompass_engine::query;
use serde_json::json;

use super::metadata;
use crate::cli::{Depth, Global, OutlineArgs};
use crate::error::AppError;
use crate::output::{self, DIM, NAME, Outcome};
use crate::render;
use crate::session::Session;

pub(crate) fn run(global: &Global, args: &OutlineArgs) -> Result<Outcome, AppError> {
    let session = Session::open_at(global, &args.at)?;
    let path = session.relative_path(&args.path)?;
    let answer = session.ask(|snapshot| query::outline(snapshot, &path))?;
    let top = args.depth == Depth::Top;
    if global.json {
        let symbols: Vec<_> = answer.symbols.iter().map(|node| render::node_json(node, top)).collect();
        let problems: Vec<_> =
            answer.problems.iter().map(|(line, message)| json!({"line": line, "message": message})).collect();
        output::object(&json!({
            "path": answer.path,
            "language": answer.language,
            "line_count": answer.line_count,
            "symbols": symbols,
            "problems": problems,
            "metadata": metadata(&session),
        }));
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
