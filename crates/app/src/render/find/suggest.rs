//! Text of `suggest`.

use crate::api::find::suggest::{SuggestAnswer, SuggestRequest};
use crate::api::part::Part as _;
use crate::remedy::Voice;
use crate::render::shown;
use crate::terminal::output::{DIM, NAME};

pub fn text(_: &SuggestRequest, answer: &SuggestAnswer, voice: Voice) -> String {
    let mut out = String::new();
    for call in &answer.suggestions {
        let call_text = match voice {
            Voice::Cli => call.command.clone(),
            Voice::Tools => format!("{} {}", call.tool, call.arguments.json()),
        };
        out.push_str(&format!("{NAME}{}{NAME:#}\n    {DIM}{}{DIM:#}\n", shown(&call_text), shown(&call.reason)));
    }
    out
}
