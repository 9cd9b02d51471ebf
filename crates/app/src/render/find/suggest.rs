//! Text of `suggest`.

use crate::api::find::suggest::{SuggestAnswer, SuggestRequest};
use crate::api::part::Part as _;
use crate::remedy::Audience;
use crate::render::shown;
use crate::terminal::output::{DIM, NAME};

pub fn text(_: &SuggestRequest, answer: &SuggestAnswer, audience: Audience) -> String {
    let mut out = String::new();
    for call in &answer.suggestions {
        let call_text = match audience {
            Audience::Cli => call.command.clone(),
            Audience::Tools => format!("{} {}", call.tool, call.arguments.json()),
        };
        out.push_str(&format!("{NAME}{}{NAME:#}\n    {DIM}{}{DIM:#}\n", shown(&call_text), shown(&call.reason)));
    }
    out
}
