//! Makes an answer fit its token limit. Lists lose their last items, which are the least, and long
//! texts their last lines; the metadata says how many, and what to do about it. Size is never an
//! error.

use codecompass_app::api::any::AnyAnswer;
use codecompass_app::api::arguments::USUAL_TOKENS;
use codecompass_app::api::metadata::{CommonMetadata, Completeness};
use codecompass_app::api::part::{LeftOut, shrink_fields, tokens};
use codecompass_app::remedy::Audience;
use serde::Serialize;
use serde_json::{Value, json};

use super::pages::{Next, even_out, turn_page};

/// No answer costs more; clients cut those of 25,000 tokens.
pub(crate) const MAX_TOKENS: usize = 20_000;
/// The most tokens that an answer may cost when the call does not say.
pub(crate) const DEFAULT_TOKENS: usize = USUAL_TOKENS;

/// The tokens that the note about things left out costs.
const NOTE_TOKENS: usize = 120;
/// The tokens that a short note costs.
const SHORT_NOTE_TOKENS: usize = 40;

/// Returns the answer for agents, cut so that as text it has at most `most` tokens, counted on the
/// safe side.
pub(crate) fn fit(answer: Box<dyn AnyAnswer>, most: usize) -> Value {
    let value = answer.copied().addressed_json(Audience::Tools);
    if tokens(&value) <= most {
        return value;
    }
    let mut whole = answer;
    for is_short in [false, true] {
        let mut room = most;
        // The parts of a text may cost a little more or less than the whole, hence a few attempts.
        for _ in 0..4 {
            let mut answer = whole.copied();
            if is_short {
                answer.keep_essential_metadata();
            }
            answer.metadata().address(Audience::Tools);
            let note_tokens = if is_short { SHORT_NOTE_TOKENS } else { NOTE_TOKENS };
            let mut left_out = LeftOut::new();
            let rest = room.saturating_sub(tokens(&answer.metadata_json()) + note_tokens);
            even_out(&mut *answer, rest, &mut left_out);
            shrink_fields(&mut *answer, body, rest, "", &mut left_out);
            let next = turn_page(&mut *answer, &mut *whole, &mut left_out);
            note(answer.metadata(), left_out, &next, most, is_short);
            let value = answer.addressed_json(Audience::Tools);
            if tokens(&value) <= most {
                return value;
            }
            room = room * 9 / 10;
        }
    }
    // Not even the frame of the answer fits.
    #[derive(Serialize)]
    struct Frame {
        metadata: CommonMetadata,
    }
    let mut metadata = CommonMetadata::default();
    metadata.result_completeness = Some(Completeness::Truncated);
    metadata.suggest(raise(most).into());
    json!(Frame { metadata })
}

/// Returns an answer without its metadata, whose size is counted apart.
pub(super) fn body(answer: &(dyn AnyAnswer + '_)) -> Value {
    let mut value = answer.json();
    if let Some(metadata) = value.get_mut("metadata") {
        metadata.take();
    }
    value
}

/// Returns what to do about an answer that was cut; what really gives the rest comes first.
fn advice(next: &Next, goes_on: bool, most: usize, is_short: bool) -> String {
    let (can_raise, raise) = (most < MAX_TOKENS, raise(most));
    match next {
        Next::BehindPart(_) => {
            let first =
                if can_raise { raise } else { "the first item is too large for any answer: ask about a part".into() };
            let behind =
                if is_short { "" } else { "; offset = next_offset gives what is behind the first item, which is cut" };
            format!("{first}{behind}")
        }
        _ if is_short && goes_on => "call again with offset = next_offset, or raise max_tokens".to_string(),
        _ if is_short => raise,
        _ => {
            let go_on = if goes_on { "call again with offset = next_offset, " } else { "" };
            let narrower = "a path, a kind, a smaller limit or depth, one direction, or a symbol inside";
            match (can_raise, goes_on) {
                (true, _) => format!("{go_on}narrow the question, or {raise}"),
                (false, true) => format!("{go_on}or narrow the question: {narrower}"),
                (false, false) => format!("narrow the question: {narrower}"),
            }
        }
    }
}

fn raise(most: usize) -> String {
    format!("raise max_tokens (now {most}, at most {MAX_TOKENS})")
}

/// Says what is not there and how to get it.
fn note(metadata: &mut CommonMetadata, left_out: LeftOut, next: &Next, most: usize, is_short: bool) {
    let items: usize = left_out.iter().filter(|(place, _)| !is_text(place)).map(|(_, count)| count).sum();
    metadata.returned = metadata.returned.map(|returned| returned.saturating_sub(items));
    metadata.remaining_candidates = metadata.remaining_candidates.map_or(Some(items), |behind| Some(behind + items));
    metadata.suggestion = None;
    metadata.result_completeness = Some(Completeness::Truncated);
    metadata.left_out = (!is_short).then_some(left_out);
    let offset = metadata.offset.unwrap_or(0);
    metadata.next_offset = match next {
        Next::Same => metadata.next_offset,
        Next::Behind(kept) | Next::BehindPart(kept) => Some(offset + kept),
        Next::Unclear => None,
    };
    // Only tools have a token limit, so that the advice has no other words.
    metadata.suggest(advice(next, metadata.next_offset.is_some(), most, is_short).into());
    if most >= MAX_TOKENS {
        metadata.safety_limit_applied = Some(true);
    }
}

fn is_text(place: &str) -> bool {
    place.ends_with(" lines")
}

#[cfg(test)]
mod tests {
    use super::*;
    use codecompass_app::api::any::AnyQuestion;
    use codecompass_app::api::index::server::ServerState;
    use codecompass_app::api::metadata::Metadata;
    use codecompass_app::api::part::{Paged, Part as _, parts};

    #[derive(Clone, Debug, Serialize)]
    struct Sample {
        symbol: Item,
        results: Vec<Item>,
        #[serde(skip_serializing_if = "Option::is_none")]
        more: Option<Vec<Item>>,
        source: String,
        total: usize,
        metadata: Metadata<Own>,
    }
    parts!(Sample { symbol, results, more, source });

    #[derive(Clone, Debug, Serialize)]
    struct Item {
        name: String,
        line: u32,
        children: Vec<Item>,
    }
    parts!(Item { name, children });

    #[derive(Clone, Debug, Serialize)]
    struct Own {
        files: usize,
    }

    impl AnyAnswer for Sample {
        fn question(&self) -> &dyn AnyQuestion {
            unreachable!("cutting an answer to its limit does not read the question")
        }

        fn metadata(&mut self) -> &mut CommonMetadata {
            &mut self.metadata
        }

        fn metadata_json(&mut self) -> Value {
            json!(self.metadata)
        }

        fn keep_essential_metadata(&mut self) {
            self.metadata.keep_essential();
        }

        fn pages(&mut self) -> Vec<Paged<'_>> {
            vec![
                Paged::new("results", &mut self.results),
                Paged::optional("more", self.more.as_mut()),
                Paged::new("source", &mut self.source),
            ]
        }

        fn is_found(&self) -> bool {
            true
        }

        fn is_known(&self) -> bool {
            true
        }

        fn notes(&self) -> Vec<String> {
            Vec::new()
        }

        fn copied(&self) -> Box<dyn AnyAnswer> {
            Box::new(self.clone())
        }

        fn add_server_state(&mut self, _: &dyn ServerState) {}

        fn drop_unwanted(&mut self) {}

        fn text(&self, _: Audience) -> String {
            String::new()
        }
    }

    fn items(count: usize, children: usize) -> Vec<Item> {
        let item = |at: usize| Item {
            name: format!("some_name_{}", "x".repeat(at % 17 * 13)),
            line: at as u32,
            children: if children > 0 { items(children, 0) } else { Vec::new() },
        };
        (0..count).map(item).collect()
    }

    fn sample(results: usize, children: usize, more: Option<usize>, lines: usize) -> Sample {
        let mut metadata = Metadata::default().with(Own { files: 3 });
        metadata.reference = Some("main".into());
        metadata.count(results + 9, results);
        metadata.offset = Some(4);
        metadata.next_offset = Some(results + 4);
        Sample {
            symbol: items(1, 3).remove(0),
            results: items(results, children),
            more: more.map(|count| items(count, 0)),
            source: "let answer = \"compute(question)\";\n".repeat(lines),
            total: results + 9,
            metadata,
        }
    }

    #[test]
    fn every_shape_fits_every_budget() {
        for (results, children, more, lines) in
            [(0, 0, None, 0), (3, 0, None, 2), (120, 0, None, 0), (2, 150, None, 0), (1, 150, Some(3), 0)]
                .into_iter()
                .chain([(60, 2, Some(40), 40), (20, 0, Some(70), 150), (0, 0, None, 300), (40, 5, Some(0), 3)])
        {
            let answer = sample(results, children, more, lines);
            for most in [100, 130, 180, 250, 400, 800, 1500, 20_000] {
                let cut = fit(answer.copied(), most);
                assert!(tokens(&cut) <= most, "{results} {children} {most}");
                // What fits is sent whole.
                let is_whole = tokens(&answer.json()) <= most;
                assert_eq!(is_whole, cut == answer.json(), "{results} {children} {most}");
            }
        }
    }

    #[test]
    fn several_lists_are_cut_to_one_length() {
        let cut = fit(sample(400, 0, Some(300), 2).copied(), 3000);
        let length = |field: &str| cut[field].as_array().unwrap().len();
        assert!(length("results") > 2 && length("results") == length("more"), "{cut}");
        assert_eq!(cut["source"].as_str().unwrap().lines().count(), 2);
        assert_eq!(cut["metadata"]["next_offset"], 4 + length("results"));
        let left_out = json!({"results": 400 - length("results"), "more": 300 - length("more")});
        assert_eq!(cut["metadata"]["left_out"], left_out);
    }

    #[test]
    fn there_is_always_a_valid_answer() {
        let answer = sample(50, 9, Some(50), 50);
        for most in [60, 100, 150, 200, 300, 400] {
            let cut = fit(answer.copied(), most);
            assert!(tokens(&cut) <= most, "{most}: {cut}");
            assert_eq!(cut["metadata"]["result_completeness"], "truncated", "{cut}");
            assert!(cut["metadata"]["suggested_action"].as_str().unwrap().contains("max_tokens"), "{cut}");
        }
    }
}
