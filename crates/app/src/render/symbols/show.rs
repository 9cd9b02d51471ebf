//! Text of `show`.

use codecompass_engine::syntax::facts::SymbolRole;

use crate::api::symbols::show::{ShowAnswer, ShowRequest};
use crate::choices::Explain;
use crate::remedy::Audience;
use crate::render::symbols::attributes::{counts_text, special_text};
use crate::render::{SymbolArgument, hit_text, other_meanings};
use crate::terminal::output::{DIM, LINE};

pub fn text(request: &ShowRequest, answer: &ShowAnswer, audience: Audience) -> String {
    let mut out = String::new();
    let mut bare = answer.symbol.hit.hit.clone();
    (bare.signature, bare.doc) = (String::new(), None);
    hit_text(&mut out, &bare, None, Explain::Off);
    let role = Some(bare.symbol_role).filter(|role| *role != SymbolRole::Plain).map(SymbolRole::as_str);
    let special = answer.symbol.attributes.as_ref().map(|attributes| special_text(attributes, role));
    for line in special.into_iter().chain(answer.symbol.counts.as_ref().map(counts_text)) {
        if !line.is_empty() {
            out.push_str(&format!("    {DIM}{line}{DIM:#}\n"));
        }
    }
    let others: Vec<_> = answer.others.iter().map(|other| &other.hit).collect();
    other_meanings(
        &mut out,
        &others,
        answer.others_total,
        &SymbolArgument { argument: request.subject.only(), audience },
    );
    let first = answer.source_line.unwrap_or(1) as usize;
    for (number, line) in answer.source.iter().flat_map(|source| source.lines()).enumerate() {
        match audience {
            Audience::Cli => out.push_str(&format!("{LINE}{:>6}{LINE:#} {DIM}|{DIM:#} {line}\n", first + number)),
            Audience::Tools => out.push_str(&format!("{} {line}\n", first + number)),
        }
    }
    out
}
