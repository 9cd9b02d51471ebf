//! The lines of a function to show: all of a short one, and of a long one its head, the calls that
//! are followed with the conditions around them, and where it returns or raises.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::query::context::answer::{Code, Piece};
use crate::query::flow::blocks::Blocks;

/// A function of so many lines is never cut.
const SHORT: usize = 12;
/// The most lines that a function which is shown whole has.
const LONGEST_WHOLE: usize = 40;
/// The same of one that leads nowhere: nothing else tells what it does.
const LONGEST_END: usize = 120;
/// The most lines that are shown of one that is cut.
const MOST: usize = 60;
/// Gaps of so many lines are filled.
const SMALL_GAP: u32 = 2;
/// Lines of an argument list that are shown with a call.
const MAX_ARGUMENTS: u32 = 3;

/// Words that begin a statement which leaves the function.
const EXITS: [&str; 12] =
    ["return", "raise", "throw", "yield", "panic!", "panic(", "bail!", "abort(", "fail(", "reject(", "exit(", "die("];

/// The lines of a function, as few as tell what matters and as many as are worth showing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowBody {
    /// The lines that matter.
    pub brief: Code,
    /// All lines but those of a long doc comment inside, if they are more and not too many.
    pub whole: Option<Code>,
}

/// The lines of a function that an answer speaks of.
pub(super) struct BodyLines<'a> {
    /// The ranges of lines that are its code: of a type its head and its constructors.
    pub ranges: &'a [RangeInclusive<u32>],
    /// The lines of the calls to show.
    pub calls: &'a [u32],
    /// True if only these calls matter, not where the function returns.
    pub is_caller: bool,
    /// True if none of its calls leads to a step.
    pub is_end: bool,
}

/// Chooses the lines of a function.
pub(super) fn body(blocks: &Blocks<'_>, wanted: &BodyLines<'_>) -> FlowBody {
    let ranges: Vec<RangeInclusive<u32>> =
        wanted.ranges.iter().map(|range| decorators_above(blocks, *range.start())..=*range.end()).collect();
    let wanted = &BodyLines { ranges: &ranges, ..*wanted };
    let mut all: BTreeSet<u32> = BTreeSet::new();
    for range in wanted.ranges {
        let docs = inner_doc(blocks, range);
        all.extend(range.clone().filter(|line| *line <= blocks.count() && !docs.contains(line)));
    }
    let is_told = |line: &u32| !blocks.line(*line).trim().is_empty();
    let count = all.iter().filter(|line| is_told(line)).count();
    let mut brief = BTreeSet::new();
    wanted.ranges.iter().for_each(|range| add_head(blocks, range, &mut brief));
    for call in wanted.calls.iter().filter(|call| **call <= blocks.count()) {
        let around = wanted.ranges.iter().find(|range| range.contains(call));
        let first = around.map_or(1, |range| *range.start());
        brief.extend(blocks.openers(*call, first).into_iter().flat_map(|at| at..=blocks.end_of_head(at, *call)));
        let last = around.map_or(*call, |range| *range.end());
        let end = blocks.end_of_head(*call, last);
        brief.extend(*call..=end.min(call + MAX_ARGUMENTS));
    }
    let mut exits = brief.clone();
    wanted.ranges.iter().for_each(|range| add_exits(blocks, range, &all, &mut exits));
    if !wanted.is_caller && exits.len() <= MOST {
        brief = exits;
    }
    brief.retain(|line| *line <= blocks.count());
    all.extend(brief.iter().copied());
    fill(blocks, &mut brief, &all);
    let is_short = count <= SHORT && !wanted.is_caller;
    let hidden = all.iter().filter(|line| is_told(line) && !brief.contains(line)).count();
    if is_short || hidden <= SMALL_GAP as usize {
        return FlowBody { brief: code(blocks, &all, 0), whole: None };
    }
    let longest = if wanted.is_end { LONGEST_END } else { LONGEST_WHOLE };
    let whole = (count <= longest && !wanted.is_caller).then(|| code(blocks, &all, 0));
    let cut: BTreeSet<u32> = brief.iter().copied().take(MOST).collect();
    let hidden = all.iter().filter(|line| is_told(line) && !cut.contains(line)).count();
    FlowBody { brief: code(blocks, &cut, hidden), whole }
}

/// Returns the first of the decorators that stand right above a declaration, or its own line.
fn decorators_above(blocks: &Blocks<'_>, start: u32) -> u32 {
    let above = (1..start).rev().take_while(|line| is_decorator(blocks.line(*line)));
    above.last().unwrap_or(start)
}

fn is_decorator(line: &str) -> bool {
    ["@", "#[", "["].iter().any(|mark| line.trim_start().starts_with(mark))
}

/// Returns the line of the declaration, behind decorators.
fn declaration(blocks: &Blocks<'_>, range: &RangeInclusive<u32>) -> u32 {
    let mut first = *range.start();
    while first < *range.end() && is_decorator(blocks.line(first)) {
        first = blocks.end_of_head(first, *range.end()) + 1;
    }
    first
}

/// Adds decorators and the declaration.
fn add_head(blocks: &Blocks<'_>, range: &RangeInclusive<u32>, lines: &mut BTreeSet<u32>) {
    let declaration = declaration(blocks, range);
    lines.extend(*range.start()..=blocks.end_of_head(declaration, *range.end()));
}

/// Adds the lines that leave the function, with their conditions.
fn add_exits(blocks: &Blocks<'_>, range: &RangeInclusive<u32>, all: &BTreeSet<u32>, lines: &mut BTreeSet<u32>) {
    let is_exit = |line: &u32| {
        let text = blocks.line(*line).trim_start();
        let ends_word = |exit: &str| {
            let is_word = exit.ends_with(|c: char| c.is_ascii_alphabetic());
            !is_word || !text[exit.len()..].starts_with(|c: char| c == '_' || c.is_alphanumeric())
        };
        EXITS.iter().any(|exit| text.starts_with(exit) && ends_word(exit))
    };
    let exits: Vec<u32> = all.range(range.clone()).copied().filter(is_exit).collect();
    for exit in &exits {
        lines.insert(*exit);
        let openers = blocks.openers(*exit, *range.start());
        lines.extend(openers.iter().filter_map(|opener| set_above(blocks, *opener)).filter(|line| all.contains(line)));
        lines.extend(openers);
    }
    if exits.is_empty() {
        let is_code = |line: &u32| blocks.line(*line).contains(|c: char| c.is_alphanumeric());
        lines.extend(all.range(range.clone()).rev().copied().find(is_code));
    }
}

/// Returns the line right above a condition if it sets a variable: what the condition asks for.
fn set_above(blocks: &Blocks<'_>, opener: u32) -> Option<u32> {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let (above, condition) = (blocks.line(opener.checked_sub(1)?), blocks.line(opener));
    let (target, _) = above.split_once(" = ").or_else(|| above.split_once(" := "))?;
    let names: Vec<&str> =
        target.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|it| !it.is_empty()).collect();
    let mut words = condition.split(|c: char| !c.is_alphanumeric() && c != '_');
    (indentation(above) == indentation(condition) && words.any(|word| names.contains(&word))).then(|| opener - 1)
}

/// Returns the lines of a long text at the beginning of a function that documents it, but for the
/// first.
fn inner_doc(blocks: &Blocks<'_>, range: &RangeInclusive<u32>) -> std::ops::Range<u32> {
    let first = blocks.end_of_head(declaration(blocks, range), *range.end()) + 1;
    let text = blocks.line(first).trim_start().trim_start_matches(['r', 'R', 'u', 'f']);
    let Some(quotes) = ["\"\"\"", "'''"].into_iter().find(|quotes| text.starts_with(quotes)) else { return 0..0 };
    if text[quotes.len()..].contains(quotes) {
        return 0..0;
    }
    let end = (first + 1..=*range.end()).find(|line| blocks.line(*line).contains(quotes));
    // Quotes on a line of their own tell nothing.
    let told = if text.len() == quotes.len() { first + 1 } else { first };
    end.filter(|end| end.saturating_sub(told) > SMALL_GAP).map_or(0..0, |end| told + 1..end)
}

/// Fills small gaps: the mark for them would cost as much.
fn fill(blocks: &Blocks<'_>, lines: &mut BTreeSet<u32>, all: &BTreeSet<u32>) {
    let mut filled = Vec::new();
    let mut last: Option<u32> = None;
    for line in lines.iter().copied() {
        if let Some(last) = last {
            let gap: Vec<u32> = (last + 1..line).filter(|line| all.contains(line)).collect();
            let told = gap.iter().filter(|line| !blocks.line(**line).trim().is_empty()).count();
            if told <= SMALL_GAP as usize && gap.len() as u32 == line - last - 1 {
                filled.extend(gap);
            }
        }
        last = Some(line);
    }
    lines.extend(filled);
}

fn code(blocks: &Blocks<'_>, lines: &BTreeSet<u32>, left_out: usize) -> Code {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut next = None;
    for number in lines.iter().copied() {
        let line = blocks.line(number).to_string();
        match pieces.last_mut().filter(|_| next == Some(number)) {
            Some(piece) => piece.lines.push(line),
            None => pieces.push(Piece { first_line: number, lines: vec![line] }),
        }
        next = Some(number + 1);
    }
    Code { pieces, left_out }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(code: &Code) -> Vec<u32> {
        code.pieces.iter().flat_map(|piece| piece.first_line..piece.first_line + piece.lines.len() as u32).collect()
    }

    /// Returns a function of `count` plain lines with a call and a return in conditions.
    fn long(count: usize) -> String {
        let plain = "    a = 1\n".repeat(count);
        format!(
            "@route\ndef f(\n    x,\n):\n{plain}    if x:\n        call(x)\n{plain}    for y in x:\n        return y\n"
        )
    }

    #[test]
    fn a_long_function_keeps_the_lines_that_matter() {
        let text = long(10);
        let blocks = Blocks::new(&text);
        let found = body(&blocks, &BodyLines { ranges: &[2..=28], calls: &[16], is_caller: false, is_end: false });
        assert_eq!(numbers(&found.brief), [1, 2, 3, 4, 15, 16, 27, 28]);
        assert_eq!(found.brief.left_out, 20);
        assert_eq!(numbers(&found.whole.unwrap()), (1..=28).collect::<Vec<_>>());
        let caller = body(&blocks, &BodyLines { ranges: &[2..=28], calls: &[16], is_caller: true, is_end: false });
        assert_eq!(numbers(&caller.brief), [1, 2, 3, 4, 15, 16]);
        assert_eq!(caller.whole, None);
        let longer = long(30);
        let found = body(
            &Blocks::new(&longer),
            &BodyLines { ranges: &[2..=68], calls: &[36], is_caller: false, is_end: false },
        );
        assert_eq!(numbers(&found.brief), [1, 2, 3, 4, 35, 36, 67, 68]);
        assert_eq!(found.whole, None);
        let end =
            body(&Blocks::new(&longer), &BodyLines { ranges: &[2..=68], calls: &[], is_caller: false, is_end: true });
        assert_eq!(numbers(&end.whole.unwrap()), (1..=68).collect::<Vec<_>>());
    }

    #[test]
    fn what_a_condition_asks_for_stands_above_it() {
        let plain = "    log()\n".repeat(30);
        let text = format!(
            "func f() error {{\n{plain}    err := load()\n    if err != nil {{\n        return err\n    }}\n    other = 1\n    if done {{\n        return nil\n    }}\n}}\n"
        );
        let found =
            body(&Blocks::new(&text), &BodyLines { ranges: &[1..=40], calls: &[], is_caller: false, is_end: false });
        assert_eq!(numbers(&found.brief), [1, 32, 33, 34, 35, 36, 37, 38]);
    }

    #[test]
    fn long_doc_comments_inside_of_functions_are_cut() {
        for (text, expected) in [
            ("def f():\n    \"\"\"One.\n\n    Two.\n    Three.\n    \"\"\"\n    return 1\n", vec![1, 2, 6, 7]),
            ("def f():\n    \"\"\"\n    One.\n    Two.\n    Three.\n    \"\"\"\n    return 1\n", vec![1, 2, 3, 6, 7]),
            ("def f():\n    \"\"\"\n    One.\n    Two.\n    \"\"\"\n    return 1\n", vec![1, 2, 3, 4, 5, 6]),
        ] {
            let lines = text.lines().count() as u32;
            let found = body(
                &Blocks::new(text),
                &BodyLines { ranges: &[1..=lines], calls: &[], is_caller: false, is_end: false },
            );
            assert_eq!(numbers(&found.brief), expected, "{text}");
        }
    }

    #[test]
    fn short_functions_and_lines_outside_of_the_text() {
        let blocks = Blocks::new("def f():\n    g()\n    h()\n");
        let found = body(&blocks, &BodyLines { ranges: &[1..=9], calls: &[2, 7], is_caller: false, is_end: false });
        assert_eq!(numbers(&found.brief), [1, 2, 3]);
        assert_eq!(found.whole, None);
        let nothing =
            body(&Blocks::new(""), &BodyLines { ranges: &[1..=3], calls: &[2], is_caller: false, is_end: false });
        assert_eq!(nothing, FlowBody::default());
    }
}
