//! `go.mod` and `go.work`: modules, those that they require, and folders that replace some.

use crate::manifests::facts::{
    DeclaredDependency, DeclaredProject, ManifestFacts, ManifestKind, ManifestProblem, ManifestText, MemberPattern,
};

pub(in crate::manifests) const KIND: ManifestKind =
    ManifestKind { name: "go-module", files: &["go.mod", "go.work"], is_one_by_folder: true, read };

fn read(file: ManifestText<'_>) -> Result<ManifestFacts, ManifestProblem> {
    let directives = directives(file.text);
    let with = |wanted: &'static str| directives.iter().filter(move |it| it.verb == wanted);
    if file.name == "go.work" {
        let member = |it: &Directive<'_>| it.words.first().map(|folder| MemberPattern::new(unquoted(folder), it.line));
        return Ok(ManifestFacts { members: with("use").filter_map(member).collect(), ..ManifestFacts::default() });
    }
    let module = with("module").find_map(|it| Some((unquoted(it.words.first()?), it.line)));
    let Some((name, line)) = module else {
        return Err(ManifestProblem::new(1, "has no module line"));
    };
    let mut dependencies: Vec<DeclaredDependency> = with("require")
        .filter_map(|it| Some(DeclaredDependency::by_name(unquoted(it.words.first()?), it.line)))
        .collect();
    for it in with("replace") {
        let Some((old, new)) = replaced(&it.words) else { continue };
        if !new.starts_with('.') {
            continue;
        }
        for dependency in dependencies.iter_mut().filter(|dependency| dependency.name == old) {
            *dependency = DeclaredDependency::by_path(old, new, dependency.line);
        }
    }
    Ok(ManifestFacts::of(DeclaredProject { name: name.to_string(), line, dependencies, ..DeclaredProject::default() }))
}

/// Returns the module and the new place of `old [version] => new [version]`.
fn replaced<'a>(words: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let arrow = words.iter().position(|word| *word == "=>")?;
    Some((unquoted(words.first()?), unquoted(words.get(arrow + 1)?)))
}

fn unquoted(word: &str) -> &str {
    word.trim_matches(['"', '`'])
}

/// One line, with the verb of the block around it.
struct Directive<'a> {
    verb: &'a str,
    words: Vec<&'a str>,
    line: u32,
}

fn directives(text: &str) -> Vec<Directive<'_>> {
    let mut found = Vec::new();
    let mut block = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.split("//").next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        let mut rest: Vec<&str> = words.collect();
        let number = number as u32 + 1;
        match block {
            Some(_) if first == ")" => block = None,
            Some(verb) => {
                rest.insert(0, first);
                found.push(Directive { verb, words: rest, line: number });
            }
            None if rest.first() == Some(&"(") => block = Some(first),
            None => match first.strip_suffix('(') {
                Some(verb) => block = Some(verb),
                None => found.push(Directive { verb: first, words: rest, line: number }),
            },
        }
    }
    found
}
