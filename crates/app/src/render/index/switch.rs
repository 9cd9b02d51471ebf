//! Text of `switch`.

use crate::api::index::switch::{SwitchAnswer, SwitchRequest};
use crate::remedy::Audience;

pub fn text(_: &SwitchRequest, answer: &SwitchAnswer, _: Audience) -> String {
    let chosen = answer.default_ref.as_deref().unwrap_or("the files on disk");
    format!("questions in {} are answered for {chosen} unless they name a ref\n", answer.root)
}
