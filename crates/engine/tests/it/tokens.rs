//! The token estimate against real tokenizers: never below them, and not far above them for code.

use std::fs;
use std::path::{Path, PathBuf};

use codecompass_engine::query::estimate_tokens;
use codecompass_testkit::Random;
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

fn real_tokens(text: &str) -> usize {
    let vocabularies: [&CoreBPE; 2] = [o200k_base_singleton(), cl100k_base_singleton()];
    vocabularies.map(|vocabulary| vocabulary.encode_ordinary(text).len()).into_iter().max().unwrap()
}

/// The estimate as a multiple of the real count; fails when it is below.
#[track_caller]
fn checked(what: &str, text: &str) -> f64 {
    let (estimate, real) = (estimate_tokens(text), real_tokens(text));
    assert!(estimate >= real, "{what}: {estimate} for {real} tokens");
    estimate as f64 / real.max(1) as f64
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn code_in_all_languages() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = Vec::new();
    for folder in ["syntax/languages", "engine/src", "codecompass/src", "../docs"] {
        files(&crates.join(folder), &mut paths);
    }
    let (mut sum, mut count) = (0.0, 0.0);
    for path in paths {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let name = path.display().to_string();
        let size = text.len();
        // Few words say nothing about the mean.
        let ratio = if size < 300 { continue } else { checked(&name, &text) };
        (sum, count) = (sum + ratio, count + 1.0);
        // The same as a string of a JSON answer.
        checked(&name, &serde_json::to_string(&text).unwrap());
    }
    let mean = sum / count;
    println!("{count} files, estimate / real = {mean:.3}");
    assert!(count > 200.0 && mean < 1.27, "{mean} over {count} files");
}

#[test]
fn what_is_no_code() {
    let mut random = Random::new(7);
    let lower = "abcdefghijklmnopqrstuvwxyz";
    let upper = lower.to_uppercase();
    let alphabets = [
        ("hex", "0123456789abcdef".to_string()),
        ("digits", "0123456789".into()),
        ("Base64", format!("{upper}{lower}0123456789+/")),
        ("letters", lower.into()),
        ("capitals", upper.clone()),
        ("signs", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~".into()),
        ("ASCII", (' '..='~').collect()),
        ("Greek and Cyrillic", ('α'..='ω').chain('а'..='я').collect()),
        ("Chinese", ('一'..='鿿').collect()),
        ("Korean", ('가'..='힣').collect()),
        ("emoji", "😀🦀👩‍👩‍👧‍👦🏳️‍🌈🇩🇪✨→…─│".into()),
        ("anything", (' '..='\u{ffff}').step_by(7).collect()),
    ];
    for (name, alphabet) in alphabets {
        let alphabet: Vec<char> = alphabet.chars().collect();
        for length in [20, 64, 1000] {
            let mut text = String::new();
            for _ in 0..2000 / length {
                text.extend((0..length).map(|_| alphabet[random.below(alphabet.len() as u64) as usize]));
                text.push('\n');
            }
            checked(&format!("{name} in lines of {length}"), &text);
        }
    }
}

#[test]
fn odd_texts() {
    let minified = r#"!function(e,t){"object"==typeof exports&&"undefined"!=typeof module?module.exports=t():(e=e||self).x=t()}(this,function(){"use strict";var e=Object.freeze({});function t(e){return null==e}function n(e){return null!=e}"#;
    let table = "0,     65535, 0,     65535, 0,     0x1f, -1,    12,\n".repeat(40);
    for (name, text) in [
        ("nothing", String::new()),
        ("line ends", "\n".repeat(100)),
        ("blanks", " ".repeat(1000)),
        ("tabs", "\t\t\tx\n".repeat(100)),
        ("returns", "let x = 1;\r\n\r\n".repeat(50)),
        ("minified", minified.repeat(10)),
        ("numbers", table),
        ("lines", format!("{}\n{}\n{}\n", "=".repeat(80), "-".repeat(200), "/".repeat(33))),
        ("prose", "Lorem ipsum dolor sit amet, consetetur sadipscing elitr, sed diam nonumy eirmod tempor. ".repeat(5)),
        ("German", "Die Geschwindigkeitsbegrenzung wird überschritten, wenn größere Mengen ankommen. ".repeat(5)),
        ("zeroes", "\0".repeat(300)),
        ("escapes", "\u{1b}[35mpath\u{1b}[0m:\u{1b}[32m12\u{1b}[0m\n".repeat(20)),
        ("names", "MAX_RETRY_COUNT HTTPServer_v2 getElementById __init__ kCFAllocatorDefault i18n x86_64\n".repeat(9)),
    ] {
        checked(name, &text);
    }
}

#[test]
fn lines_add_up() {
    let (head, tail) = ("fn main() {\n    call();\n", "}\n\n// done\n");
    assert!(estimate_tokens(&format!("{head}{tail}")) <= estimate_tokens(head) + estimate_tokens(tail));
    assert_eq!(estimate_tokens(""), 0);
}
