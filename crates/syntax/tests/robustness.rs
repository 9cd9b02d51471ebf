//! Guarantees for every text in any language: parsing does not overflow the stack, run past the
//! limit by much, or give facts out of shape.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test reads its own switch and fails loudly")]

#[path = "../examples/support/damage.rs"]
mod damage;
#[path = "../examples/support/fixtures.rs"]
mod fixtures;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use codecompass_syntax::facts::{FileFacts, MAX_PROBLEMS, Span};
use codecompass_syntax::{Language, Parsed, parse, registry};
use damage::{Damage, Random};
use fixtures::fixtures;

/// The time past the limit that a parse may run: an unoptimised build on a busy machine is slow to
/// notice.
const GRACE: Duration = Duration::from_secs(5);

/// Too small for any recursion along the nesting of a file.
const STACK_BYTES: usize = 512 << 10;

#[test]
fn deep_nesting_neither_overflows_nor_runs_on() {
    // Far too much, given little time, and enough to overflow a stack, given the time to finish.
    let (far_too_much, enough) = (Duration::from_millis(30), Duration::from_secs(2));
    let mut texts: Vec<(Duration, String)> = Vec::new();
    for bracket in ["(", "[", "{", "<"] {
        texts.push((far_too_much, bracket.repeat(100_000)));
    }
    for chain in ["a.", "a::", "f(a)(", "!", "x => ", "lambda: ", "`${"] {
        texts.push((far_too_much, chain.repeat(30_000)));
    }
    for block in ["if a {", "fn f() {", "func f() {", "class A {", "use a::{", "<div>", "type T = Option<"] {
        texts.push((far_too_much, block.repeat(20_000)));
        texts.push((enough, block.repeat(500)));
    }
    for header in ["def f():\n", "class A:\n", "if a:\n", "if f\"{a}\":\n"] {
        texts.push((enough, (0..700).map(|depth| format!("{}{header}", " ".repeat(depth))).collect()));
    }
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("fn f() {", "}"),
        ("func f() {", "}"),
        ("function f() {", "}"),
        ("class A {", "}"),
        ("a(|| ", ")"),
        ("x = [lambda a: ", "]"),
    ] {
        texts.push((enough, format!("{}{}", open.repeat(1500), close.repeat(1500))));
    }

    let cases: Vec<_> = chosen().flat_map(|language| texts.iter().map(move |text| (language, text))).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((language, (limit, text))) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = format!("{} {:?} in {} bytes", language.name, &text[..text.floor_char_boundary(20)], text.len());
            let start = Instant::now();
            if let Parsed::Facts(facts) = parse(text, Some(language), *limit) {
                check_shape(text, &facts, &name);
            }
            assert!(start.elapsed() < *limit + GRACE, "{name}: {:?}", start.elapsed());
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).unwrap();
        }
    });
}

#[test]
fn damaged_fixtures_give_facts_in_shape() {
    // The cuts and the mutations of each fixture.
    let cases = if std::env::var("SLOW_TESTS").as_deref() == Ok("1") { 18 } else { 6 };
    for language in chosen() {
        for (name, text) in fixtures(language).unwrap() {
            check(language, &text, &name);
            for point in 0..cases {
                let end = text.floor_char_boundary(text.len() * point / cases);
                check(language, &text[..end], &format!("{name} up to {end}"));
                check(language, &text[end..], &format!("{name} from {end}"));
            }
            let mut random = Random(text.len() as u64);
            for round in 0..cases {
                let damaged = DAMAGE.of(&text, &mut random);
                check(language, &damaged, &format!("{name}, mutation {round}"));
            }
        }
    }
}

/// All languages, or the one that `ONLY` names: some grammar's C code may end the whole process.
fn chosen() -> impl Iterator<Item = &'static Language> {
    let only = std::env::var("ONLY").ok();
    registry::all().iter().filter(move |language| only.as_deref().is_none_or(|only| only == language.name))
}

const DAMAGE: Damage = Damage { most_stretches: 4, longest: 12 };

fn check(language: &'static Language, text: &str, name: &str) {
    match parse(text, Some(language), Duration::from_secs(60)) {
        Parsed::Facts(facts) => check_shape(text, &facts, name),
        Parsed::TimedOut => panic!("{name}: timed out"),
    }
}

/// Checks what holds for the facts of any text.
fn check_shape(text: &str, facts: &FileFacts, name: &str) {
    let lines = text.split_inclusive('\n').count() as u32;
    assert_eq!(facts.line_count, lines, "{name}");
    let check_span = |span: &Span, what: &str| {
        let range = span.start_byte as usize..span.end_byte as usize;
        assert!(text.get(range).is_some(), "{name}: {what}: no text at {span:?}");
        assert!(1 <= span.start_line && span.start_line <= span.end_line, "{name}: {what}: {span:?}");
        assert!(span.end_line <= lines, "{name}: {what}: {span:?} in {lines} lines");
    };

    let mut last = (0, 0);
    for chunk in &facts.chunks {
        check_span(&chunk.span, "chunk");
        assert!(last.0 <= chunk.span.start_byte && last.1 < chunk.span.start_line, "{name}: {:?} overlaps", chunk.span);
        last = (chunk.span.end_byte, chunk.span.end_line);
        assert!(chunk.definition.is_none_or(|index| (index as usize) < facts.definitions.len()), "{name}");
    }
    for (index, definition) in facts.definitions.iter().enumerate() {
        let what = &definition.qualified_name;
        check_span(&definition.span, what);
        assert!(definition.parent.is_none_or(|parent| (parent as usize) < index), "{name}: {what} before its parent");
        assert!(definition.outer_start_line <= definition.span.start_line, "{name}: {what}");
        assert!(definition.outer_start_byte <= definition.span.start_byte, "{name}: {what}");
        assert!((1..=lines).contains(&definition.name_line) && definition.name_column >= 1, "{name}: {what}");
        assert!(!definition.name.is_empty() && definition.qualified_name.len() < 1000, "{name}: {what}");
    }
    for reference in &facts.references {
        let in_names = |index: u32| (index as usize) < facts.names.len();
        let in_chains = |index: u32| (index as usize) < facts.chains.len();
        assert!(in_names(reference.name) && reference.receiver.is_none_or(in_chains), "{name}: {reference:?}");
        let enclosing = reference.enclosing.is_none_or(|index| (index as usize) < facts.definitions.len());
        assert!(enclosing, "{name}: {reference:?}");
        assert!((1..=lines).contains(&reference.line) && reference.column >= 1, "{name}: {reference:?}");
    }
    for chain in &facts.chains {
        let shown = chain.expression(&facts.names, &facts.types);
        assert_eq!(shown.steps.len(), chain.steps.len(), "{name}: {shown}");
    }
    for import in &facts.imports {
        assert!((1..=lines).contains(&import.line), "{name}: {import:?}");
    }
    assert!(facts.problems.len() <= MAX_PROBLEMS, "{name}");
    for problem in &facts.problems {
        assert!((1..=lines + 1).contains(&problem.line), "{name}: {problem:?} in {lines} lines");
    }
}
