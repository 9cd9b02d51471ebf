//! Prints the facts of a file, for authors of language folders: `cargo run -p codecompass-syntax
//! --example facts -- [--tree] FILE…` prints definitions, references and imports, or the syntax
//! tree.

#![allow(clippy::print_stdout, reason = "printing is what it does")]

use std::time::Duration;

use codecompass_syntax::{Parsed, language_of, parse, syntax_tree};

fn main() -> std::io::Result<()> {
    let mut as_tree = false;
    for argument in std::env::args().skip(1) {
        if argument == "--tree" {
            as_tree = true;
            continue;
        }
        let text = String::from_utf8_lossy(&std::fs::read(&argument)?).into_owned();
        let language = language_of(&argument, &text);
        println!("# {argument}: {}", language.map_or("text", |language| language.name));
        if let Some(language) = language.filter(|_| as_tree) {
            println!("{}", syntax_tree(&text, language));
            continue;
        }
        let Parsed::Facts(facts) = parse(&text, language, Duration::from_secs(60)) else {
            println!("timed out");
            continue;
        };
        for definition in &facts.definitions {
            println!(
                "{}-{} {} {} {} | {}",
                definition.span.start_line,
                definition.span.end_line,
                definition.visibility.as_str(),
                definition.kind.as_str(),
                definition.qualified_name,
                definition.signature
            );
        }
        for reference in &facts.references {
            let name = |index: u32| facts.names[index as usize].as_str();
            let receiver = reference.receiver.map(|index| format!("{} ", facts.chain(index))).unwrap_or_default();
            let arguments = reference.call_arguments().map(|count| format!("/{count}")).unwrap_or_default();
            println!(
                "{}:{} {} {receiver}{}{arguments}",
                reference.line,
                reference.column,
                reference.kind.as_str(),
                name(reference.name)
            );
        }
        for import in &facts.imports {
            println!("{} import {import:?}", import.line);
        }
        for problem in &facts.problems {
            println!("{} problem {}", problem.line, problem.message);
        }
    }
    Ok(())
}
