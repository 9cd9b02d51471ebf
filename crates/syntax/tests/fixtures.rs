//! Every file in `languages/*/fixtures/` against the facts written beside it (`NAME.expect`).
//!
//! `UPDATE_EXPECT=1 cargo test -p codecompass-syntax` writes the expectations anew; read the diff
//! before committing.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test reads its own switch and fails loudly")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use codecompass_syntax::facts::{BindingKind, CallArgument, FileFacts, Projection};
use codecompass_syntax::{Parsed, language_of, parse, registry};

fn language_folders() -> Vec<PathBuf> {
    sorted(&Path::new(env!("CARGO_MANIFEST_DIR")).join("languages"))
}

fn file_name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

#[test]
fn every_language_has_a_folder_and_every_folder_a_language() {
    let folders = language_folders();
    let mut names: Vec<&str> = registry::all().iter().map(|language| language.name).collect();
    names.sort();
    assert_eq!(folders.iter().map(|folder| file_name(folder)).collect::<Vec<_>>(), names);
}

#[test]
fn fixtures_give_the_expected_facts() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut failures = String::new();
    for folder in language_folders() {
        let fixtures = folder.join("fixtures");
        let files = sorted(&fixtures);
        let (expectations, files): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|file| file.extension().is_some_and(|extension| extension == "expect"));
        assert!(!files.is_empty(), "{} has no fixtures", folder.display());
        for expectation in expectations {
            let file = expectation.with_extension("");
            assert!(files.contains(&file), "{} is of no fixture", expectation.display());
        }
        for file in files {
            let name = file_name(&file);
            let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
            let language = language_of(name, &text);
            assert_eq!(language.map(|l| l.name), Some(file_name(&folder)), "{name} is not recognised");
            let Parsed::Facts(facts) = parse(&text, language, Duration::from_secs(60)) else {
                panic!("{name} timed out");
            };
            check_shape(&facts, name);
            let actual = render(&facts);
            let expect_file = fixtures.join(format!("{name}.expect"));
            let expected = std::fs::read_to_string(&expect_file).unwrap_or_default();
            if actual != expected && update {
                std::fs::write(&expect_file, &actual).unwrap();
            } else if actual != expected {
                let _ = writeln!(failures, "{}:\n{}", expect_file.display(), first_difference(&expected, &actual));
            }
        }
    }
    assert!(failures.is_empty(), "{failures}\nUPDATE_EXPECT=1 accepts the new facts");
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Checks what holds for the facts of any text.
fn check_shape(facts: &FileFacts, name: &str) {
    let mut last_line = 0;
    for chunk in &facts.chunks {
        assert!(chunk.span.start_line > last_line, "{name}: chunks overlap at line {}", chunk.span.start_line);
        assert!(chunk.span.end_line >= chunk.span.start_line && chunk.span.end_line <= facts.line_count);
        last_line = chunk.span.end_line;
    }
    for (index, definition) in facts.definitions.iter().enumerate() {
        assert!(definition.parent.is_none_or(|parent| (parent as usize) < index), "{name}: parents stand first");
        assert!(definition.span.start_line <= definition.span.end_line, "{name}: {}", definition.name);
        assert!(definition.outer_start_line <= definition.span.start_line, "{name}: {}", definition.name);
    }
}

fn first_difference(expected: &str, actual: &str) -> String {
    let line = expected.lines().zip(actual.lines()).position(|(a, b)| a != b);
    let line = line.unwrap_or_else(|| expected.lines().count().min(actual.lines().count()));
    format!(
        "  line {}\n  expected: {}\n  actual:   {}",
        line + 1,
        expected.lines().nth(line).unwrap_or("(end)"),
        actual.lines().nth(line).unwrap_or("(end)")
    )
}

fn render_bindings(facts: &FileFacts, out: &mut String) {
    if !facts.bindings.is_empty() {
        out.push_str("\nbindings\n");
    }
    for binding in &facts.bindings {
        let name = |index: u32| &facts.names[index as usize];
        let _ = write!(out, "  {} {}", binding.line, name(binding.name));
        if let Some(declared) = binding.declared {
            let _ = write!(out, ": {}", facts.types[declared as usize].text);
        }
        if let Some(value) = binding.value {
            let _ = write!(out, " = {}", facts.chain(value));
        }
        if let Some(root) = binding.root {
            let _ = write!(out, " by {}", facts.bindings[root as usize].line);
        }
        if binding.projection != Projection::Whole {
            let _ = write!(out, " {:?}", binding.projection);
        }
        if binding.kind != BindingKind::Variable {
            let _ = write!(out, " ({})", binding.kind.as_str());
        }
        if let Some(enclosing) = binding.enclosing {
            let _ = write!(out, " in {}", facts.definitions[enclosing as usize].qualified_name);
        }
        out.push('\n');
    }
}

fn render(facts: &FileFacts) -> String {
    let mut out = format!("lines {}\n\ndefinitions\n", facts.line_count);
    for definition in &facts.definitions {
        let _ = write!(
            out,
            "  {}-{} {} {} {}",
            definition.span.start_line,
            definition.span.end_line,
            definition.visibility.as_str(),
            definition.kind.as_str(),
            definition.qualified_name
        );
        let modifiers: Vec<_> = definition.modifiers.words().collect();
        if !modifiers.is_empty() {
            let _ = write!(out, " [{}]", modifiers.join(" "));
        }
        if definition.role.as_str() != "plain" {
            let _ = write!(out, " <{}>", definition.role.as_str());
        }
        if definition.outer_start_line != definition.span.start_line {
            let _ = write!(out, " from {}", definition.outer_start_line);
        }
        let _ = write!(out, " name {}:{}", definition.name_line, definition.name_column);
        let _ = writeln!(out, "\n    | {}", definition.signature);
        if let Some(declared) = &definition.declared_type {
            let _ = writeln!(out, "    : {}", declared.text);
        }
        if let Some(value) = definition.value {
            let _ = writeln!(out, "    = {}", facts.chain(value));
        }
        for decorator in &definition.decorators {
            let _ = writeln!(out, "    @ {decorator}");
        }
        for line in definition.doc.as_deref().unwrap_or("").lines() {
            let _ = writeln!(out, "    / {line}");
        }
    }
    out.push_str("\nreferences\n");
    for (number, reference) in facts.references.iter().enumerate() {
        let name = |index: u32| &facts.names[index as usize];
        let _ = write!(out, "  {}:{} {} ", reference.line, reference.column, reference.kind.as_str());
        if let Some(receiver) = reference.receiver {
            let _ = write!(out, "({}) ", facts.chain(receiver));
        }
        let _ = write!(out, "{}", name(reference.name));
        if let Some(types) = reference.type_arguments().filter(|count| *count > 0) {
            let _ = write!(out, "<{types}>");
        }
        if let Some(arguments) = reference.call_arguments() {
            let _ = write!(out, "/{arguments}");
        }
        if let Some(enclosing) = reference.enclosing {
            let _ = write!(out, " in {}", facts.definitions[enclosing as usize].qualified_name);
        }
        if let Some(root) = reference.root {
            let _ = write!(out, " by {}", facts.bindings[root as usize].line);
        }
        out.push('\n');
        for argument in facts.arguments.iter().filter(|argument| argument.reference == number as u32) {
            let root = argument.root.map(|root| format!(" by {}", facts.bindings[root as usize].line));
            let position = match argument.position {
                CallArgument::LAST => "last".into(),
                CallArgument::LABELS => "labels".into(),
                position => position.to_string(),
            };
            let _ = writeln!(out, "    {position} {}{}", facts.chain(argument.value), root.unwrap_or_default());
        }
    }
    render_bindings(facts, &mut out);
    out.push_str("\nimports\n");
    for import in &facts.imports {
        let _ = write!(out, "  {} {}", import.line, import.module);
        if let Some(name) = &import.name {
            let _ = write!(out, " {{{name}}}");
        }
        if let Some(alias) = &import.alias {
            let _ = write!(out, " as {alias}");
        }
        out.push_str(if import.nested { " nested" } else { "" });
        out.push_str(if import.reexport { " reexport\n" } else { "\n" });
    }
    out.push_str("\nchunks\n");
    for chunk in &facts.chunks {
        let owner = chunk.definition.map_or("-", |index| &facts.definitions[index as usize].qualified_name);
        let _ = writeln!(out, "  {}-{} {owner} {}", chunk.span.start_line, chunk.span.end_line, chunk.part);
    }
    out.push_str("\nproblems\n");
    for problem in &facts.problems {
        let _ = writeln!(out, "  {} {}", problem.line, problem.message);
    }
    out
}
