//! `codecompass show`: the source of a symbol.

use codecompass_engine::query;
use serde_json::json;

use super::{filter, metadata, symbol};
use crate::cli::{Detail, Explain, Global, ShowArgs};
use crate::error::AppError;
use crate::output::{self, DIM, LINE, Outcome};
use crate::render;
use crate::session::Session;

/// Other meanings of the argument that are listed below the source.
const OTHERS_SHOWN: usize = 5;

pub(crate) fn run(global: &Global, args: &ShowArgs) -> Result<Outcome, AppError> {
    let session = Session::open_at(global, &args.at)?;
    let filter = filter(&args.filter)?;
    let engine = &session.engine;
    let symbol = symbol(&session, &args.symbol)?;
    let answer =
        session.ask(|snapshot| query::show(snapshot, engine.source(), &engine.config().index, &symbol, &filter))?;
    if global.json {
        let mut shown = render::hit_json(&answer.symbol, Detail::Signature, Explain::Off);
        shown["doc"] = json!(answer.symbol.doc);
        let others: Vec<_> =
            answer.others.iter().map(|hit| render::hit_json(hit, Detail::Signature, Explain::Off)).collect();
        output::object(&json!({
            "symbol": shown,
            "source": answer.source,
            "source_line": answer.source_line,
            "others": others,
            "metadata": metadata(&session),
        }));
    } else {
        let mut out = String::new();
        let mut bare = answer.symbol.clone();
        (bare.signature, bare.doc) = (String::new(), None);
        render::hit_text(&mut out, &bare, None, Explain::Off);
        for (number, line) in answer.source.lines().enumerate() {
            out.push_str(&format!("{LINE}{:>6}{LINE:#} {DIM}|{DIM:#} {line}\n", answer.source_line as usize + number));
        }
        if !answer.others.is_empty() {
            out.push_str(&format!("\n{DIM}{} more with this name:{DIM:#}\n", answer.total - 1));
            for hit in answer.others.iter().take(OTHERS_SHOWN) {
                let mut bare = hit.clone();
                (bare.signature, bare.doc) = (String::new(), None);
                render::hit_text(&mut out, &bare, None, Explain::Off);
            }
            if answer.total - 1 > OTHERS_SHOWN {
                out.push_str(&format!("{DIM}… `codecompass locate {}` lists them{DIM:#}\n", args.symbol));
            }
        }
        output::text(&out);
    }
    Ok(Outcome::Found)
}
