//! `codecompass locate`: where is a symbol defined.

use codecompass_engine::query::{self, LocateOptions, MatchClass};
use serde_json::json;

use super::{filter, metadata};
use crate::cli::{Detail, Global, LocateArgs};
use crate::error::AppError;
use crate::output::{self, DIM, Outcome};
use crate::render;
use crate::session::Session;

pub(crate) fn run(global: &Global, args: &LocateArgs) -> Result<Outcome, AppError> {
    let session = Session::open_at(global, &args.at)?;
    let options = LocateOptions { filter: filter(&args.filter)?, limit: args.limit as usize };
    let answer = session.ask(|snapshot| query::locate(snapshot, &args.symbol, &options))?;
    let exact = answer.class.is_none_or(|class| class <= MatchClass::Exact);
    if global.json {
        let results: Vec<_> =
            answer.hits.iter().map(|hit| render::hit_json(hit, Detail::Signature, args.explain)).collect();
        let mut metadata = metadata(&session);
        metadata["match"] = json!(answer.class.map(MatchClass::as_str));
        metadata["total_candidates"] = json!(answer.total);
        metadata["returned"] = json!(answer.hits.len());
        output::object(&json!({"results": results, "metadata": metadata}));
    } else {
        let mut out = String::new();
        if let Some(class) = answer.class.filter(|_| !exact) {
            let what = class.as_str().replace('_', "-");
            out.push_str(&format!("{DIM}no exact match for `{}`; by {what}:{DIM:#}\n", args.symbol));
        }
        answer.hits.iter().for_each(|hit| render::hit_text(&mut out, hit, None, args.explain));
        let more = answer.total - answer.hits.len();
        if more > 0 {
            out.push_str(&format!("{DIM}{more} more; --limit shows them{DIM:#}\n"));
        }
        if answer.hits.is_empty() {
            out.push_str(&format!(
                "no symbol like `{}`; `codecompass search` finds code by what it does\n",
                args.symbol
            ));
        }
        output::text(&out);
    }
    Ok(Outcome::of(!answer.hits.is_empty()))
}
