//! Text of `suggest`.

use crate::api::find::suggest::{SuggestAnswer, SuggestRequest};
use crate::terminal::output::{DIM, NAME};

pub(crate) fn text(_: &SuggestRequest, answer: &SuggestAnswer) -> String {
    let mut out = String::new();
    for call in &answer.suggestions {
        out.push_str(&format!("{NAME}{}{NAME:#}\n    {DIM}{}{DIM:#}\n", call.command, call.reason));
    }
    out
}
