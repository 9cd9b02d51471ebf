//! Makes the text of an answer fit its token limit. Lists lose their last items, which are the
//! least; where that is not enough, the text loses its last lines. The last line says what is
//! missing, and how to get it.

use anstream::adapter::strip_str;
use codecompass_app::api::any::AnyAnswer;
use codecompass_app::remedy::Audience;
use codecompass_app::render::metadata;
use codecompass_engine::query::estimate_tokens;

use super::fit_budget::MAX_TOKENS;

/// Returns the answer as text for agents, in at most `most` tokens, counted on the safe side.
pub(in crate::mcp) fn fit_text(answer: &mut dyn AnyAnswer, most: usize) -> String {
    answer.address(Audience::Tools);
    answer.metadata().address(Audience::Tools);
    let whole = framed(answer, None);
    if estimate_tokens(&whole) <= most {
        return whole;
    }
    let longest = answer.pages().iter().filter_map(|page| page.list.as_ref().map(|list| list.count())).max();
    let (mut least, mut largest, mut best) = (1, longest.unwrap_or(0).saturating_sub(1), None);
    while least <= largest {
        let kept = least.midpoint(largest);
        let mut cut = answer.copied();
        let note = cut_to(&mut *cut, kept, most);
        let text = framed(&mut *cut, Some(&note));
        if estimate_tokens(&text) <= most {
            (best, least) = (Some(text), kept + 1);
        } else {
            largest = kept - 1;
        }
    }
    best.unwrap_or_else(|| first_lines(&whole, most))
}

/// Returns the text with what is to be said about the whole answer around it.
fn framed(answer: &mut dyn AnyAnswer, note: Option<&str>) -> String {
    let mut text = strip_str(&answer.text(Audience::Tools)).to_string();
    if answer.question().reference().is_some()
        && let Some(reference) = &answer.metadata().reference
    {
        text.insert_str(0, &format!("at {reference}\n"));
    }
    for line in metadata::notes(answer.metadata()) {
        if !text.contains(&line) {
            text.push_str(&format!("{line}\n"));
        }
    }
    match (note, answer.metadata().next_offset) {
        (Some(note), _) => text.push_str(&format!("{note}\n")),
        // Some texts say themselves at their end how they go on.
        (None, Some(next)) if text.lines().rev().take(2).any(|line| line.contains(&format!("`offset` {next}"))) => {}
        (None, Some(next)) => text.push_str(&format!("next page: `offset` {next}\n")),
        (None, None) => {}
    }
    text
}

/// Cuts every list to `kept` items, and returns what that costs.
fn cut_to(answer: &mut dyn AnyAnswer, kept: usize, most: usize) -> String {
    let offset = answer.metadata().offset.unwrap_or(0);
    let (mut gone, mut is_one_group) = (Vec::new(), true);
    for page in answer.pages() {
        let Some(list) = page.list else { continue };
        let count = list.count().saturating_sub(kept);
        if count > 0 {
            let what = if list.is_text() { "lines" } else { page.place.rsplit('.').next().unwrap_or(page.place) };
            gone.push(format!("{count} {}", what.replace('_', " ")));
            list.keep(kept);
        }
        is_one_group &= page.is_one_group;
    }
    let raise = raise(most);
    let go_on = if is_one_group {
        format!("`offset` {} continues{raise}", offset + kept)
    } else {
        format!("narrow the question with `path`, a smaller `limit` or `depth`, or one direction{raise}")
    };
    format!("cut to {most} tokens, not shown: {}; {go_on}", gone.join(", "))
}

fn raise(most: usize) -> String {
    if most < MAX_TOKENS { format!(", or raise `max_tokens` (at most {MAX_TOKENS})") } else { String::new() }
}

/// Returns the first lines of a text, and a line about the others.
fn first_lines(text: &str, most: usize) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let end = |kept: usize| {
        let raise = raise(most);
        let narrow = "narrow the question with `path`, a smaller `limit` or `depth`";
        format!("cut to {most} tokens, not shown: {} lines; {narrow}{raise}\n", lines.len() - kept)
    };
    let room = most.saturating_sub(estimate_tokens(&end(0)));
    let (mut kept, mut spent) = (0, 0);
    for line in &lines {
        spent += estimate_tokens(line);
        if spent > room {
            break;
        }
        kept += 1;
    }
    let mut out: String = lines[..kept].concat();
    out.push_str(&end(kept));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lines_fit_and_the_rest_is_counted() {
        let text: String = (0..400).map(|number| format!("line {number} has some words in it\n")).collect();
        for most in [60, 100, 400, 2000] {
            let cut = first_lines(&text, most);
            assert!(estimate_tokens(&cut) <= most, "{most}: {cut}");
            let kept = cut.lines().count() - 1;
            assert!(cut.ends_with('\n') && cut.contains(&format!("not shown: {} lines", 400 - kept)), "{cut}");
        }
    }
}
