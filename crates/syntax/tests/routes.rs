//! Routes of damaged, deep and hostile code: facts or nothing, never a crash.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

#[path = "../examples/support/damage.rs"]
mod damage;

use std::path::Path;
use std::time::Duration;

use codecompass_syntax::routes::{Framework, frameworks, normal_path, route_facts};
use codecompass_syntax::{Language, language_named};
use damage::{Damage, Random};

const CUTS: usize = 12;
const MUTATIONS: usize = 12;
const DAMAGE: Damage = Damage { most_stretches: 4, longest: 12 };
/// The stack of a thread that reads files in parallel.
const STACK_BYTES: usize = 2 << 20;

fn read(text: &str, language: &'static Language, framework: &'static Framework) {
    let read = route_facts(text, language, &[framework], Duration::from_secs(10));
    let lines = text.split_inclusive('\n').count() as u32;
    for facts in &read.facts {
        for route in &facts.routes {
            assert!((1..=lines.max(1)).contains(&route.line), "{}: {route:?} in {lines} lines", framework.name);
        }
    }
    let settings = framework.settings();
    normal_path(&text[..text.floor_char_boundary(60)], &settings.params, settings.drop_slash);
}

/// The files of all fixtures with the languages that their framework is written in.
fn files(framework: &'static Framework) -> Vec<(&'static Language, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("frameworks").join(framework.name).join("fixtures");
    let languages = &framework.settings().languages;
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "txt") {
            continue;
        }
        for file in std::fs::read_to_string(path).unwrap().split("//- /").skip(1) {
            let (name, text) = file.split_once('\n').unwrap();
            let language = codecompass_syntax::language_of(name, text);
            found.extend(
                language.filter(|one| languages.iter().any(|name| name == one.name)).map(|one| (one, text.to_string())),
            );
        }
    }
    found
}

#[test]
fn damaged_fixtures() {
    for framework in frameworks() {
        for (language, text) in files(framework) {
            for point in 0..CUTS {
                let end = text.floor_char_boundary(text.len() * point / CUTS);
                read(&text[..end], language, framework);
                read(&text[end..], language, framework);
            }
            let mut random = Random(text.len() as u64);
            for _ in 0..MUTATIONS {
                read(&DAMAGE.of(&text, &mut random), language, framework);
            }
        }
    }
}

#[test]
fn deep_code_does_not_overflow() {
    let texts = [
        format!("x = {}1{}\n", "f(".repeat(3000), ")".repeat(3000)),
        format!("app{}\n", ".get(\"/x\", h)".repeat(3000)),
        format!("r.Route(\"/a\", {}{}\n", "func(r chi.Router) { r.Route(\"/a\", ".repeat(400), "})".repeat(400)),
        format!("{}x{}\n", "[".repeat(3000), "]".repeat(3000)),
        format!("a = {}\n", "\"x\" + ".repeat(3000)),
        format!("{}\n", "scope \"/a\" do\n".repeat(1500)),
        format!("@{}\ndef f(): pass\n", "a.".repeat(3000)),
    ];
    let work = || {
        for framework in frameworks() {
            let language = language_named(&framework.settings().languages[0]).unwrap();
            for text in &texts {
                read(text, language, framework);
            }
        }
    };
    std::thread::scope(|scope| {
        std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).unwrap();
    });
}
